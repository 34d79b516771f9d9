// SPDX-License-Identifier: Apache-2.0
#include "shader/compile/CompileCache.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include <kompute/logger/Logger.hpp>
#include <nlohmann/json.hpp>

#include "base/Text.hpp"
#include "base/files/Files.hpp"
#include "base/files/Path.hpp"
#include "shader/SpirvModule.hpp"
#include "shader/compile/Compiler.hpp"
#include "shader/compile/LruCache.hpp"

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
    uint64_t magic = 0x3230434853504b03; ///< also the version of the layout
    uint64_t bytes = 0;                  ///< size of the rest of the file
    Hash contents;                       ///< hash of the rest of the file
};

// Texts are binary, because they need not be UTF-8.
nlohmann::json binary(const void* data, size_t bytes) {
    const auto* first = static_cast<const uint8_t*>(data);
    return nlohmann::json::binary({first, first + bytes});
}

nlohmann::json binary(const std::string& text) {
    return binary(text.data(), text.size());
}

std::string textOf(const nlohmann::json& json) {
    const auto& bytes = json.get_binary();
    return {bytes.begin(), bytes.end()};
}

std::string toBytes(const Compiled& compiled) {
    nlohmann::json all;
    all["request"] = binary(compiled.request);
    all["includes"] = nlohmann::json::array();
    for (const IncludeRecord& record : compiled.includes)
        all["includes"].push_back({binary(record.name), binary(record.includer), record.lookup,
                                   binary(record.resolved), binary(record.contents)});
    all["spirv"] = binary(compiled.spirv.data(), compiled.spirv.size() * 4);
    std::string out;
    nlohmann::json::to_cbor(all, out);
    return out;
}

std::optional<Compiled> fromBytes(std::string_view text) {
    Compiled compiled;
    try {
        const auto all = nlohmann::json::from_cbor(text);
        compiled.request = textOf(all.at("request"));
        for (const auto& each : all.at("includes"))
            compiled.includes.push_back({textOf(each.at(0)), textOf(each.at(1)), each.at(2),
                                         textOf(each.at(3)), textOf(each.at(4))});
        const auto& bytes = all.at("spirv").get_binary();
        compiled.spirv.resize(bytes.size() / 4);
        std::memcpy(compiled.spirv.data(), bytes.data(), compiled.spirv.size() * 4);
    } catch (const nlohmann::json::exception&) {
        return std::nullopt;
    }
    if (compiled.spirv.empty() || compiled.spirv[0] != spv::MagicNumber)
        return std::nullopt;
    return compiled;
}

constexpr size_t kMaxMemoryBytes = size_t{64} << 20;

LruCache<std::shared_ptr<const Compiled>>& memory() {
    static auto& cache = *new LruCache<std::shared_ptr<const Compiled>>(kMaxMemoryBytes);
    return cache;
}

std::string requestOf(const std::string& source, const CompileOptions& options) {
    std::string text;
    const auto add = [&](const std::string& part) {
        text += formatted("{}:{}", part.size(), part);
    };
    add(compilerVersion(options.language));
    add(formatted("{}", static_cast<int>(options.language)));
    add(options.entryPoint);
    add(options.fileName);
    add(formatted("{}", options.vulkanVersion >> 12));
    add(options.debugInfo ? "debug" : "");
    add(formatted("{}", static_cast<int>(options.includes)));
    add(formatted("{}", options.defines.size()));
    for (const auto& [name, value] : options.defines) {
        add(name);
        add(value);
    }
    add(formatted("{}", options.includeFolders.size()));
    for (const std::string& folder : options.includeFolders)
        add(folder);
    add(source);
    return text;
}

Hash hashOf(const std::string& text) {
    return hashBytes(text.data(), text.size());
}

} // namespace

size_t Compiled::bytes() const {
    size_t bytes = sizeof(Compiled) + request.size() + spirv.size() * 4;
    for (const IncludeRecord& record : includes)
        bytes += sizeof record + record.name.size() + record.includer.size() +
                 record.resolved.size() + record.contents.size();
    return bytes;
}

DiskCache::DiskCache(const std::string& folder, uint64_t maxBytes)
    : mFolder(folder.empty() ? std::string() : toText(toPath(folder) / "shaders")),
      mMaxBytes(maxBytes) {}

DiskCache DiskCache::shipped(const std::string& folder, bool trusted) {
    DiskCache cache(folder);
    cache.mWritable = false;
    cache.mTrusted = trusted;
    return cache;
}

void DiskCache::keep(const Compiled& compiled) const {
    std::error_code error;
    if (!mFolder.empty() && !fs::exists(toPath(file(compiled.request)), error) && !error)
        store(compiled);
}

std::string DiskCache::file(const std::string& request) const {
    return mFolder.empty()
               ? std::string()
               : toText(toPath(mFolder) / (toString(hashOf(request)) + std::string(kExtension)));
}

std::optional<Compiled> DiskCache::load(const std::string& request) const {
    const std::string path = file(request);
    const std::optional<std::string> content =
        readCacheFile(path, mMaxBytes + sizeof(ShaderFileHeader), mTrusted);
    if (!content)
        return std::nullopt;
    std::optional<Compiled> compiled;
    ShaderFileHeader header;
    header.magic = 0;
    if (content->size() >= sizeof header) {
        std::memcpy(&header, content->data(), sizeof header);
        const std::string_view body = std::string_view(*content).substr(sizeof header);
        if (header.magic == ShaderFileHeader{}.magic && header.bytes == body.size() &&
            header.contents == hashBytes(body.data(), body.size()))
            compiled = fromBytes(body);
    }
    if (!compiled && header.magic == ShaderFileHeader{}.magic)
        KP_LOG_WARN("the compiled shader {} is damaged and is not used", path);
    else if (!compiled)
        KP_LOG_INFO("{} is of another version of the library and is not used", path);
    else if (compiled->request != request)
        compiled.reset(); // another source with the same hash
    if (compiled)
        compiled->shipped = !mWritable;
    return compiled;
}

bool DiskCache::store(const Compiled& compiled) const {
    if (mFolder.empty() || !mWritable)
        return false;
    const std::string body = toBytes(compiled);
    if (body.size() > mMaxBytes)
        return false;
    ShaderFileHeader header;
    header.bytes = body.size();
    header.contents = hashBytes(body.data(), body.size());
    std::error_code error;
    fs::create_directories(toPath(mFolder), error);
    const std::string path = file(compiled.request);
    if (!replaceCacheFile(path, {{reinterpret_cast<const char*>(&header), sizeof header}, body})) {
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
    fs::directory_iterator at(toPath(mFolder), error);
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

CompileCache::CompileCache(const std::string& source, const CompileOptions& options)
    : mOptions(options),
      mRequest(options.includer == nullptr ? requestOf(source, options) : std::string()),
      mKey(hashOf(mRequest)) {}

std::shared_ptr<const Compiled> CompileCache::find() const {
    if (mRequest.empty())
        return nullptr;
    if (const auto found = memory().get(mKey);
        found && (*found)->request == mRequest && isUnchanged(**found)) {
        if (!(*found)->shipped)
            disks().front().keep(**found);
        return *found;
    }
    for (const DiskCache& disk : disks()) {
        std::optional<Compiled> onDisk = disk.load(mRequest);
        if (!onDisk || !isUnchanged(*onDisk))
            continue;
        auto compiled = std::make_shared<const Compiled>(std::move(*onDisk));
        memory().put(mKey, compiled, compiled->bytes());
        return compiled;
    }
    return nullptr;
}

std::vector<DiskCache> CompileCache::disks() const {
    const CacheFolders folders = CacheFolders::of(mOptions);
    std::vector<DiskCache> all{DiskCache(folders.folder)};
    for (const std::string& folder : folders.shipped())
        all.push_back(DiskCache::shipped(folder, folders.trustPath));
    return all;
}

void CompileCache::store(std::vector<uint32_t> spirv, std::vector<IncludeRecord> includes) const {
    if (mRequest.empty())
        return;
    const auto compiled =
        std::make_shared<const Compiled>(Compiled{mRequest, std::move(spirv), std::move(includes)});
    memory().put(mKey, compiled, compiled->bytes());
    disks().front().store(*compiled);
}

bool CompileCache::isUnchanged(const Compiled& compiled) const {
    return std::ranges::all_of(compiled.includes, [&](const IncludeRecord& record) {
        return shader::isUnchanged(record, mOptions);
    });
}

void clearCompileCache() {
    memory().clear();
}

} // namespace kp::shader
