// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <memory>

#include <kompute/Error.hpp>
#include <kompute/Shader.hpp>

#include "shader/CacheFolder.hpp"
#include "shader/CompileCache.hpp"
#include "shader/DiskCache.hpp"
#include "shader/DuplicateBindings.hpp"
#include "shader/GlslangCompiler.hpp"
#include "shader/Hash.hpp"
#include "shader/Includer.hpp"
#include "shader/LruCache.hpp"

namespace kp {
namespace {

constexpr size_t kCacheBytes = size_t{64} << 20;

using shader::Compiled;

shader::LruCache<std::shared_ptr<const Compiled>>& cache() {
    static shader::LruCache<std::shared_ptr<const Compiled>> instance(kCacheBytes);
    return instance;
}

bool isIdentifier(const std::string& name) {
    const auto letter = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
    return !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0])) &&
           std::ranges::all_of(name, letter);
}

/// `NAME` or `NAME(a, b)`.
bool isMacroHead(const std::string& name) {
    const size_t open = name.find('(');
    return isIdentifier(name.substr(0, open)) &&
           (open == std::string::npos ||
            (name.back() == ')' && name.find('\n') == std::string::npos));
}

void check(const CompileOptions& options) {
    if (options.entryPoint.empty() || options.entryPoint.find('\0') != std::string::npos) {
        throw InvalidArgument("compile: the entry point's name is empty or holds a zero byte");
    }
    for (const auto& [name, value] : options.defines) {
        if (!isMacroHead(name)) {
            throw InvalidArgument("compile: '" + name +
                                  "' is no macro name; expected letters, digits and underscores, "
                                  "such as TILE or MAX(a, b)");
        }
        if (value.find_first_of(std::string("\n\r\0", 3)) != std::string::npos) {
            throw InvalidArgument("compile: the value of the macro '" + name +
                                  "' holds a line break or a zero byte");
        }
    }
    if (options.vulkanVersion != 0 && (options.vulkanVersion >> 22) == 0) {
        throw InvalidArgument("compile: vulkanVersion " + std::to_string(options.vulkanVersion) +
                              " is no Vulkan version; expected VK_MAKE_VERSION(1, minor, 0) or 0");
    }
}

shader::Hash keyOf(const std::string& source, const CompileOptions& options) {
    std::string text;
    const auto add = [&](const std::string& part) {
        text += std::to_string(part.size()) + ":" + part;
    };
    add(options.language == ShaderLanguage::eHlsl ? "hlsl" : "glsl");
    add(options.entryPoint);
    add(options.fileName);
    add(std::to_string(options.vulkanVersion >> 12));
    add(options.debugInfo ? "debug" : "");
    add(std::to_string(options.defines.size()));
    for (const auto& [name, value] : options.defines) {
        add(name);
        add(value);
    }
    for (const std::string& folder : options.includeFolders) {
        add(folder);
    }
    const shader::Hash settings = shader::hashBytes(text.data(), text.size());
    return shader::hashBytes(source.data(), source.size(), settings.low ^ settings.high);
}

bool isUnchanged(const Compiled& compiled, const CompileOptions& options) {
    return std::ranges::all_of(compiled.includes, [&](const shader::IncludeRecord& record) {
        return shader::isUnchanged(record, options);
    });
}

/// The key on disk, where the files of other versions of the library and the compiler lie too. All
/// of source and settings go into it with their lengths.
shader::Hash diskKeyOf(const shader::Hash& key, const std::string& source) {
    const shader::Hash text = shader::hashBytes(source.data(), source.size());
    const std::string all = shader::compilerVersion() + " " + shader::toString(key) + " " +
                            shader::toString(text) + " " + std::to_string(source.size());
    return shader::hashBytes(all.data(), all.size());
}

std::shared_ptr<const Compiled> findCached(const shader::Hash& key, const CompileOptions& options) {
    const auto found = cache().get(key);
    return found && isUnchanged(**found, options) ? *found : nullptr;
}

/// From disk, and from then on in memory.
std::shared_ptr<const Compiled> findOnDisk(const shader::DiskCache& disk,
                                           const shader::Hash& diskKey, const shader::Hash& key,
                                           const CompileOptions& options) {
    std::optional<Compiled> found = disk.load(diskKey);
    if (!found || !isUnchanged(*found, options)) {
        return nullptr;
    }
    auto compiled = std::make_shared<const Compiled>(std::move(*found));
    cache().put(key, compiled, compiled->bytes());
    return compiled;
}

std::vector<uint32_t> compileText(const std::string& source, const CompileOptions& options) {
    check(options);
    if (std::ranges::all_of(source, [](unsigned char c) { return std::isspace(c) != 0; })) {
        throw ShaderError(options.fileName + ": error: the source is empty", options.fileName);
    }
    const bool cacheable = options.includer == nullptr;
    const shader::Hash key = keyOf(source, options);
    if (cacheable) {
        if (const auto cached = findCached(key, options)) {
            return cached->spirv;
        }
    }
    const shader::DiskCache disk(cacheable ? shader::cacheFolder(options.cacheFolder) : "");
    const shader::Hash diskKey = diskKeyOf(key, source);
    if (cacheable) {
        if (const auto cached = findOnDisk(disk, diskKey, key, options)) {
            return cached->spirv;
        }
    }
    shader::Includer includer(options);
    auto compiled = std::make_shared<Compiled>();
    compiled->spirv = shader::runGlslang(source, options, includer);
    if (options.language == ShaderLanguage::eHlsl) {
        shader::refuseDuplicateBindings(compiled->spirv, options);
    }
    compiled->includes = includer.records();
    if (cacheable) {
        cache().put(key, compiled, compiled->bytes());
        disk.store(diskKey, *compiled);
    }
    return compiled->spirv;
}

bool hasHlslExtension(const std::string& path) {
    std::string extension = std::filesystem::path(path).extension().string();
    std::ranges::transform(extension, extension.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return extension == ".hlsl";
}

} // namespace

void shader::clearCompileCache() {
    cache().clear();
}

ShaderIncluder::~ShaderIncluder() = default;

std::vector<uint32_t> compile(const std::string& source, const CompileOptions& options) {
    return source.starts_with("\xEF\xBB\xBF") ? compileText(source.substr(3), options)
                                              : compileText(source, options);
}

std::vector<uint32_t> compileFile(const std::string& path, CompileOptions options) {
    const auto source = shader::readTextFile(path);
    if (!source) {
        throw InvalidArgument("compileFile: cannot read '" + path +
                              "': it does not exist, is no "
                              "regular file, or may not be read");
    }
    options.fileName = path;
    if (hasHlslExtension(path)) {
        options.language = ShaderLanguage::eHlsl;
    }
    return compile(*source, options);
}

} // namespace kp
