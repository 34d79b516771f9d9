// SPDX-License-Identifier: Apache-2.0
#include "shader/DiskCache.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <type_traits>

#include <kompute/logger/Logger.hpp>

#include "base/Files.hpp"
#include "shader/SpirvOpcodes.hpp"

namespace kp::shader {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kExtension = ".spirv";
/// Writing a file never takes that long: older partial files are from a process that ended.
constexpr std::chrono::hours kAbandonedAge{1};
/// The folder is scanned after the first store of the process and then once per so many.
constexpr uint32_t kStoresPerScan = 32;

/// In the host's byte order. A host of another byte order does not recognise the magic number.
struct ShaderFileHeader {
    uint64_t magic = 0x3130434853504b01; ///< also the version of the layout
    Hash key;
    uint64_t bytes = 0; ///< size of the rest of the file
    Hash contents;      ///< hash of the rest of the file
};

void append(std::string& out, const void* data, size_t bytes) {
    out.append(static_cast<const char*>(data), bytes);
}

template <typename T>
void append(std::string& out, const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    append(out, &value, sizeof value);
}

void append(std::string& out, const std::string& text) {
    append(out, uint64_t{text.size()});
    append(out, text.data(), text.size());
}

/// Reads values from the front of a text. Its functions return false if the text is too short.
class ByteReader {
public:
    explicit ByteReader(std::string_view text) : mText(text) {}

    bool read(void* data, uint64_t bytes) {
        if (bytes > mText.size())
            return false;
        if (bytes > 0)
            std::memcpy(data, mText.data(), bytes);
        mText.remove_prefix(bytes);
        return true;
    }
    template <typename T>
    bool read(T& value) {
        static_assert(std::is_trivially_copyable_v<T>);
        return read(&value, sizeof value);
    }
    bool read(std::string& text) {
        uint64_t bytes = 0;
        if (!read(bytes) || bytes > mText.size())
            return false;
        text.assign(mText.substr(0, bytes));
        mText.remove_prefix(bytes);
        return true;
    }
    size_t remaining() const { return mText.size(); }

private:
    std::string_view mText;
};

std::string toBytes(const Compiled& compiled) {
    std::string out;
    append(out, uint64_t{compiled.includes.size()});
    for (const IncludeRecord& record : compiled.includes) {
        append(out, record.name);
        append(out, record.includer);
        append(out, uint8_t{record.quoted});
        append(out, record.resolved);
        append(out, record.contents);
    }
    append(out, uint64_t{compiled.spirv.size()});
    append(out, compiled.spirv.data(), compiled.spirv.size() * sizeof(uint32_t));
    return out;
}

std::optional<Compiled> fromBytes(std::string_view text) {
    ByteReader reader(text);
    Compiled compiled;
    uint64_t includes = 0;
    if (!reader.read(includes))
        return std::nullopt;
    for (uint64_t i = 0; i < includes; ++i) {
        IncludeRecord record;
        uint8_t quoted = 0;
        if (!reader.read(record.name) || !reader.read(record.includer) || !reader.read(quoted) ||
            !reader.read(record.resolved) || !reader.read(record.contents))
            return std::nullopt;
        record.quoted = quoted != 0;
        compiled.includes.push_back(std::move(record));
    }
    uint64_t words = 0;
    if (!reader.read(words) || words == 0 || words != reader.remaining() / sizeof(uint32_t) ||
        reader.remaining() % sizeof(uint32_t) != 0)
        return std::nullopt;
    compiled.spirv.resize(words);
    reader.read(compiled.spirv.data(), words * sizeof(uint32_t));
    if (compiled.spirv[0] != spv::MagicNumber)
        return std::nullopt;
    return compiled;
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
    const std::optional<std::string> content = readFile(path);
    if (!content)
        return std::nullopt;
    std::optional<Compiled> compiled;
    ShaderFileHeader header;
    if (content->size() >= sizeof header && content->size() <= mMaxBytes + sizeof header) {
        std::memcpy(&header, content->data(), sizeof header);
        const std::string_view body = std::string_view(*content).substr(sizeof header);
        if (header.magic == ShaderFileHeader{}.magic && header.key == key &&
            header.bytes == body.size() && header.contents == hashBytes(body.data(), body.size()))
            compiled = fromBytes(body);
    }
    if (!compiled)
        KP_LOG_WARN("the compiled shader {} is damaged and is not used", path);
    return compiled;
}

bool DiskCache::store(const Hash& key, const Compiled& compiled) const {
    if (mFolder.empty())
        return false;
    const std::string body = toBytes(compiled);
    if (body.size() > mMaxBytes)
        return false;
    ShaderFileHeader header;
    header.key = key;
    header.bytes = body.size();
    header.contents = hashBytes(body.data(), body.size());
    std::error_code error;
    fs::create_directories(mFolder, error);
    const std::string path = file(key);
    if (!replaceFile(path, {{reinterpret_cast<const char*>(&header), sizeof header}, body})) {
        KP_LOG_INFO("a compiled shader cannot be written to {}", path);
        return false;
    }
    makeRoom();
    return true;
}

void DiskCache::makeRoom() const {
    static std::atomic<uint32_t> stores{0};
    const bool scans = stores.fetch_add(1, std::memory_order_relaxed) % kStoresPerScan == 0;
    if (!scans && mMaxBytes == kMaxBytes)
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
        // Another process may delete the file at any time.
        std::error_code gone;
        const bool regular = at->is_regular_file(gone);
        const fs::file_time_type time = at->last_write_time(gone);
        const uint64_t bytes = at->file_size(gone);
        if (gone || !regular)
            continue;
        if (at->path().extension() == kPartialFileExtension && now - time > kAbandonedAge)
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
    // Well below the limit, so that not every store deletes files.
    for (const Entry& entry : entries) {
        if (total <= mMaxBytes / 4 * 3)
            break;
        if (fs::remove(entry.path, error))
            total -= entry.bytes;
    }
}

} // namespace kp::shader
