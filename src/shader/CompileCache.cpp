// SPDX-License-Identifier: Apache-2.0
#include "shader/CompileCache.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/Text.hpp"
#include "shader/GlslangCompiler.hpp"
#include "shader/LruCache.hpp"

namespace kp::shader {
namespace {

constexpr size_t kMaxMemoryBytes = size_t{64} << 20;

LruCache<std::shared_ptr<const Compiled>>& memory() {
    static LruCache<std::shared_ptr<const Compiled>> cache(kMaxMemoryBytes);
    return cache;
}

Hash keyOf(const std::string& source, const CompileOptions& options) {
    std::string text;
    const auto add = [&](const std::string& part) {
        text += formatted("{}:{}", part.size(), part);
    };
    add(options.language == ShaderLanguage::eHlsl ? "hlsl" : "glsl");
    add(options.entryPoint);
    add(options.fileName);
    add(formatted("{}", options.vulkanVersion >> 12));
    add(options.debugInfo ? "debug" : "");
    add(formatted("{}", options.defines.size()));
    for (const auto& [name, value] : options.defines) {
        add(name);
        add(value);
    }
    for (const std::string& folder : options.includeFolders)
        add(folder);
    const Hash settings = hashBytes(text.data(), text.size());
    return hashBytes(source.data(), source.size(), settings.low ^ settings.high);
}

} // namespace

CompileCache::CompileCache(const std::string& source, const CompileOptions& options)
    : mSource(source), mOptions(options), mEnabled(options.includer == nullptr),
      mKey(mEnabled ? keyOf(source, options) : Hash{}) {}

std::shared_ptr<const Compiled> CompileCache::find() const {
    if (!mEnabled)
        return nullptr;
    if (const auto found = memory().get(mKey); found && isUnchanged(**found))
        return *found;
    std::optional<Compiled> onDisk = disk().load(diskKey());
    if (!onDisk || !isUnchanged(*onDisk))
        return nullptr;
    auto compiled = std::make_shared<const Compiled>(std::move(*onDisk));
    memory().put(mKey, compiled, compiled->bytes());
    return compiled;
}

void CompileCache::store(const std::shared_ptr<const Compiled>& compiled) const {
    if (!mEnabled)
        return;
    memory().put(mKey, compiled, compiled->bytes());
    disk().store(diskKey(), *compiled);
}

bool CompileCache::isUnchanged(const Compiled& compiled) const {
    return std::ranges::all_of(compiled.includes, [&](const IncludeRecord& record) {
        return shader::isUnchanged(record, mOptions);
    });
}

/// Unlike the key in memory, includes the versions of the library and the compiler.
Hash CompileCache::diskKey() const {
    const Hash text = hashBytes(mSource.data(), mSource.size());
    const std::string all =
        formatted("{} {} {} {}", compilerVersion(), toString(mKey), toString(text), mSource.size());
    return hashBytes(all.data(), all.size());
}

void clearCompileCache() {
    memory().clear();
}

} // namespace kp::shader
