// SPDX-License-Identifier: Apache-2.0
#include "shader/DiskCache.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <string_view>
#include <system_error>
#include <type_traits>

#include <kompute/logger/Logger.hpp>

namespace kp::shader {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kExtension = ".spirv";
constexpr std::string_view kTemporary = ".part";
constexpr uint32_t kSpirvMagicWord = 0x07230203;
/// A file that is being written is done long before; older ones are from a process that ended.
constexpr std::chrono::hours kAbandoned{1};
/// Looking through the folder is for every so many files written, and for the first.
constexpr uint32_t kStoresPerLook = 32;

/// Numbers are as the host has them; a host of another byte order does not find the magic.
struct FileHeader {
    uint64_t magic = 0x3130434853504b01; // a version of the layout, too
    Hash key;
    uint64_t bytes = 0; ///< that follow
    Hash contents;      ///< of them
};

void add(std::string& out, const void* data, size_t bytes) {
    out.append(static_cast<const char*>(data), bytes);
}

template <typename T>
void add(std::string& out, const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    add(out, &value, sizeof value);
}

void add(std::string& out, const std::string& text) {
    add(out, uint64_t{text.size()});
    add(out, text.data(), text.size());
}

/// Takes values off the front of a text; says so where there are none left.
class Reader {
public:
    explicit Reader(std::string_view text) : mText(text) {}

    bool take(void* data, uint64_t bytes) {
        if (bytes > mText.size())
            return false;
        if (bytes > 0)
            std::memcpy(data, mText.data(), bytes);
        mText.remove_prefix(bytes);
        return true;
    }
    template <typename T>
    bool take(T& value) {
        static_assert(std::is_trivially_copyable_v<T>);
        return take(&value, sizeof value);
    }
    bool take(std::string& text) {
        uint64_t bytes = 0;
        if (!take(bytes) || bytes > mText.size())
            return false;
        text.assign(mText.substr(0, bytes));
        mText.remove_prefix(bytes);
        return true;
    }
    size_t left() const { return mText.size(); }

private:
    std::string_view mText;
};

std::string toBytes(const Compiled& compiled) {
    std::string out;
    add(out, uint64_t{compiled.includes.size()});
    for (const IncludeRecord& record : compiled.includes) {
        add(out, record.name);
        add(out, record.includer);
        add(out, uint8_t{record.quoted});
        add(out, record.resolved);
        add(out, record.contents);
    }
    add(out, uint64_t{compiled.spirv.size()});
    add(out, compiled.spirv.data(), compiled.spirv.size() * sizeof(uint32_t));
    return out;
}

std::optional<Compiled> fromBytes(std::string_view text) {
    Reader reader(text);
    Compiled compiled;
    uint64_t includes = 0;
    if (!reader.take(includes))
        return std::nullopt;
    for (uint64_t i = 0; i < includes; ++i) {
        IncludeRecord record;
        uint8_t quoted = 0;
        if (!reader.take(record.name) || !reader.take(record.includer) || !reader.take(quoted) ||
            !reader.take(record.resolved) || !reader.take(record.contents))
            return std::nullopt;
        record.quoted = quoted != 0;
        compiled.includes.push_back(std::move(record));
    }
    uint64_t words = 0;
    if (!reader.take(words) || words == 0 || words != reader.left() / sizeof(uint32_t) ||
        reader.left() % sizeof(uint32_t) != 0)
        return std::nullopt;
    compiled.spirv.resize(words);
    reader.take(compiled.spirv.data(), words * sizeof(uint32_t));
    if (compiled.spirv[0] != kSpirvMagicWord)
        return std::nullopt;
    return compiled;
}

std::string uniqueSuffix() {
    static std::atomic<uint64_t> count{0};
    const uint64_t parts[] = {std::random_device()(), std::random_device()(), ++count};
    return "." + toString(hashBytes(parts, sizeof parts)) + std::string(kTemporary);
}

} // namespace

DiskCache::DiskCache(const std::string& folder, uint64_t maxBytes)
    : mFolder(folder.empty() ? std::string() : (fs::path(folder) / "shaders").string()),
      mMaxBytes(maxBytes) {}

std::string DiskCache::file(const Hash& key) const {
    return mFolder.empty()
               ? std::string()
               : (fs::path(mFolder) / (toString(key) + std::string(kExtension))).string();
}

std::optional<Compiled> DiskCache::load(const Hash& key) const {
    if (mFolder.empty())
        return std::nullopt;
    const std::string path = file(key);
    std::error_code error;
    if (!fs::is_regular_file(path, error))
        return std::nullopt;
    std::ifstream in(path, std::ios::binary | std::ios::ate);
    if (!in)
        return std::nullopt;
    const std::streamoff size = in.tellg();
    FileHeader header;
    const FileHeader expected;
    std::string text;
    bool good = size >= static_cast<std::streamoff>(sizeof header) &&
                static_cast<uint64_t>(size) <= mMaxBytes + sizeof header;
    if (good) {
        text.resize(static_cast<size_t>(size) - sizeof header);
        in.seekg(0);
        in.read(reinterpret_cast<char*>(&header), sizeof header);
        in.read(text.data(), static_cast<std::streamsize>(text.size()));
        good = in && header.magic == expected.magic && header.key == key &&
               header.bytes == text.size() &&
               header.contents == hashBytes(text.data(), text.size());
    }
    std::optional<Compiled> compiled = good ? fromBytes(text) : std::nullopt;
    if (!compiled)
        KP_LOG_WARN("the compiled shader {} is damaged and is not used", path);
    return compiled;
}

bool DiskCache::store(const Hash& key, const Compiled& compiled) const {
    if (mFolder.empty())
        return false;
    const std::string text = toBytes(compiled);
    if (text.size() > mMaxBytes)
        return false;
    std::error_code error;
    fs::create_directories(mFolder, error);
    const std::string path = file(key);
    // Another process may write the same at the same time; a rename replaces the file as a whole.
    const std::string temporary = path + uniqueSuffix();
    FileHeader header;
    header.key = key;
    header.bytes = text.size();
    header.contents = hashBytes(text.data(), text.size());
    bool written = false;
    {
        std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
        out.write(reinterpret_cast<const char*>(&header), sizeof header);
        out.write(text.data(), static_cast<std::streamsize>(text.size()));
        out.close();
        written = out.good();
    }
    if (written) {
        fs::rename(temporary, path, error);
        written = !error;
    }
    if (!written) {
        fs::remove(temporary, error);
        KP_LOG_INFO("a compiled shader cannot be written to {}", path);
        return false;
    }
    makeRoom();
    return true;
}

void DiskCache::makeRoom() const {
    static std::atomic<uint32_t> stores{0};
    const bool looks = stores.fetch_add(1, std::memory_order_relaxed) % kStoresPerLook == 0;
    if (!looks && mMaxBytes == kMaxBytes)
        return;
    struct Entry {
        fs::file_time_type time;
        uint64_t bytes;
        fs::path path;
    };
    std::vector<Entry> entries;
    uint64_t total = 0;
    std::error_code error;
    const auto now = fs::file_time_type::clock::now();
    fs::directory_iterator at(mFolder, error);
    for (; !error && at != fs::directory_iterator(); at.increment(error)) {
        // Files of others are let alone; those of other processes may go at any time.
        std::error_code gone;
        const bool regular = at->is_regular_file(gone);
        const fs::file_time_type time = at->last_write_time(gone);
        const uint64_t bytes = at->file_size(gone);
        if (gone || !regular)
            continue;
        if (at->path().extension() == kTemporary && now - time > kAbandoned)
            fs::remove(at->path(), gone);
        if (at->path().extension() != kExtension)
            continue;
        entries.push_back({time, bytes, at->path()});
        total += bytes;
    }
    if (total <= mMaxBytes)
        return;
    std::sort(entries.begin(), entries.end(),
              [](const Entry& a, const Entry& b) { return a.time < b.time; });
    // To a good part below the bound, so that not every store has to.
    for (const Entry& entry : entries) {
        if (total <= mMaxBytes / 4 * 3)
            break;
        if (fs::remove(entry.path, error))
            total -= entry.bytes;
    }
}

} // namespace kp::shader
