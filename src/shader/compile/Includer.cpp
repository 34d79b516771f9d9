// SPDX-License-Identifier: Apache-2.0
#include "shader/compile/Includer.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>

#include <check.glsl.hpp>
#include <index.glsl.hpp>

#include "base/Text.hpp"
#include "base/files/Files.hpp"
#include "base/files/Path.hpp"
#include "shader/limits/PreprocessedLimits.hpp"

namespace kp::shader {
namespace {

namespace fs = std::filesystem;

using Found = std::pair<std::string, std::string>;

/// Returns the place that a path leads to, with symbolic links followed as far as it exists; "" if
/// that cannot be found.
fs::path realPath(const fs::path& path) {
    std::error_code error;
    fs::path real = fs::weakly_canonical(path.empty() ? fs::path(".") : path, error);
    return error ? fs::path() : real;
}

/// Returns true if a real path is below a folder.
bool isBelow(const fs::path& real, const fs::path& folder) {
    const fs::path relative = real.lexically_relative(realPath(folder));
    return !relative.empty() && *relative.begin() != "..";
}

/// Normal paths, so that no symbolic link before a `..` leads elsewhere.
std::vector<fs::path> candidates(const std::string& name, const std::string& includer,
                                 Lookup lookup, const CompileOptions& options) {
    const fs::path path = toPath(name);
    std::vector<fs::path> places;
    if (path.is_absolute() || lookup == Lookup::ePath) {
        places.push_back(path.lexically_normal());
        return places;
    }
    if (lookup == Lookup::eQuoted)
        places.push_back((toPath(includer).parent_path() / path).lexically_normal());
    for (const std::string& folder : options.includeFolders)
        places.push_back((toPath(folder) / path).lexically_normal());
    return places;
}

/// Returns the real path to read a place at; "" if it may not be read. Later changes of links do
/// not matter to it.
fs::path allowed(const fs::path& place, const CompileOptions& options) {
    if (options.includes != IncludePolicy::eFolders)
        return options.includes == IncludePolicy::eAnywhere ? place : fs::path();
    const fs::path real = realPath(place);
    if (isBelow(real, toPath(options.fileName).parent_path()) ||
        std::ranges::any_of(options.includeFolders, [&](const std::string& folder) {
            return isBelow(real, toPath(folder));
        }))
        return real;
    return {};
}

/// The files that the library offers.
struct BuiltIn {
    std::string_view name;
    std::string_view text;
};

constexpr BuiltIn kBuiltIns[] = {{"kompute/check.glsl", CHECK_GLSL},
                                 {"kompute/index.glsl", INDEX_GLSL}};

std::optional<Found> findBuiltIn(const std::string& name) {
    for (const BuiltIn& file : kBuiltIns)
        if (name == file.name)
            return Found{name, std::string(file.text)};
    return std::nullopt;
}

std::optional<Found> findFile(const std::string& name, const std::string& includer, Lookup lookup,
                              const CompileOptions& options) {
    for (const fs::path& place : candidates(name, includer, lookup, options)) {
        const fs::path real = allowed(place, options);
        if (real.empty())
            continue;
        if (auto text = readTextFile(toText(real)))
            return Found{genericText(place), std::move(*text)};
    }
    return lookup == Lookup::ePath ? std::nullopt : findBuiltIn(name);
}

std::string describeSearch(const std::string& name, const std::string& includer, Lookup lookup,
                           const CompileOptions& options) {
    if (options.includes == IncludePolicy::eNone)
        return formatted("'{}' is not read: CompileOptions::includes is IncludePolicy::eNone",
                         name);
    std::vector<std::string> places;
    bool refused = false;
    for (const fs::path& place : candidates(name, includer, lookup, options)) {
        if (!allowed(place, options).empty())
            places.push_back(genericText(place));
        else
            refused = true;
    }
    if (refused && places.empty())
        return formatted("'{}' is not read: it is outside the folder of '{}' and outside the "
                         "include folders, or a link that leads out of them. Add its folder to "
                         "CompileOptions::includeFolders, or set "
                         "CompileOptions::includes to IncludePolicy::eAnywhere",
                         name, options.fileName);
    return places.empty() ? formatted("cannot find '{}': no include folders were given", name)
                          : formatted("cannot find '{}'; looked for {}", name, join(places, " "));
}

/// @param text  the file's text; without a name, the error message
glslang::TShader::Includer::IncludeResult* makeResult(const std::string& name, std::string text) {
    auto owned = std::make_unique<std::string>(std::move(text));
    auto result = std::make_unique<glslang::TShader::Includer::IncludeResult>(
        name, owned->data(), owned->size(), owned.get());
    owned.release();
    return result.release();
}

} // namespace

std::optional<std::string> readTextFile(const std::string& path) {
    std::optional<std::string> text = readFile(path, kMaxSourceBytes);
    if (text && text->starts_with("\xEF\xBB\xBF"))
        text->erase(0, 3);
    return text;
}

bool isUnchanged(const IncludeRecord& record, const CompileOptions& options) {
    const auto found = findFile(record.name, record.includer, record.lookup, options);
    if (!found)
        return record.resolved.empty();
    return found->first == record.resolved && found->second == record.contents;
}

std::optional<std::string> Includer::read(const std::string& path) {
    auto found = ask(path, mOptions.fileName);
    if (mFailure != nullptr)
        return std::nullopt;
    if (!found && allowed(toPath(path).lexically_normal(), mOptions).empty()) {
        mRefusal = describeSearch(path, {}, Lookup::ePath, mOptions);
        return std::nullopt;
    }
    if (!found)
        found = findFile(path, {}, Lookup::ePath, mOptions);
    const auto [resolved, text] = found.value_or(Found());
    mRecords.push_back({path, {}, Lookup::ePath, resolved, text});
    if (!found)
        return std::nullopt;
    mTexts.try_emplace(path, text);
    try {
        mLimits.addFile(path, text);
        requireWithinLimits(text, path, 0);
    } catch (const ShaderError&) {
        mFailure = std::current_exception();
        return std::nullopt;
    }
    return text;
}

Includer::IncludeResult* Includer::includeLocal(const char* name, const char* includer,
                                                size_t depth) {
    return include(name, includer, true, depth);
}

// glslang also calls this for a quoted name that includeLocal rejected.
Includer::IncludeResult* Includer::includeSystem(const char* name, const char* includer,
                                                 size_t depth) {
    if (mRejection)
        return makeResult({}, *std::exchange(mRejection, std::nullopt));
    return include(name, includer, false, depth);
}

void Includer::releaseInclude(IncludeResult* result) {
    if (result != nullptr) {
        delete static_cast<std::string*>(result->userData);
        delete result;
    }
}

Includer::IncludeResult* Includer::include(const std::string& name, const std::string& includer,
                                           bool quoted, size_t depth) {
    mRejection.reset();
    const Lookup lookup = quoted ? Lookup::eQuoted : Lookup::eFolders;
    const auto rejected = [&](const std::string& reason) -> IncludeResult* {
        if (!quoted)
            return makeResult({}, reason);
        mRejection = reason;
        return nullptr;
    };
    if (depth > kMaxIncludeDepth) {
        return rejected(formatted("'{}' is included more than {} files deep; it may include itself "
                                  "without a guard",
                                  name, kMaxIncludeDepth));
    }
    const auto [place, isNew] = mFound.try_emplace(
        formatted("{}\n{}\n{}", quoted ? includer : std::string(), quoted, name));
    auto& [resolved, text] = place->second;
    if (isNew) {
        auto found = ask(name, includer);
        if (!found && mFailure == nullptr)
            found = findFile(name, includer, lookup, mOptions);
        if (found)
            place->second = std::move(*found);
        else
            mFound.erase(place);
        if (mFailure != nullptr)
            return rejected(formatted("the includer failed for '{}'", name));
        if (!found)
            return rejected(describeSearch(name, includer, lookup, mOptions));
        mRecords.push_back({name, includer, lookup, resolved, text});
        mTexts.try_emplace(resolved, text);
    }
    if (resolved.empty() || resolved.find_first_of("\"\n") != std::string::npos) {
        return rejected(formatted("'{}' resolves to a name that is empty or contains a quote or a "
                                  "line break",
                                  name));
    }
    try {
        mLimits.addFile(resolved, text);
    } catch (const ShaderError&) {
        mFailure = std::current_exception();
        return rejected(formatted("'{}' exceeds a limit", name));
    }
    return makeResult(resolved, text);
}

std::optional<Found> Includer::ask(const std::string& name, const std::string& includer) {
    if (mOptions.includer == nullptr || mFailure != nullptr)
        return std::nullopt;
    try {
        std::string resolved = name;
        std::string contents;
        if (mOptions.includer->include(name, includer, resolved, contents))
            return Found{std::move(resolved), std::move(contents)};
    } catch (...) {
        mFailure = std::current_exception();
    }
    return std::nullopt;
}

} // namespace kp::shader
