// SPDX-License-Identifier: Apache-2.0
#include "shader/Includer.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

#include "shader/EndlessExpression.hpp"

namespace kp::shader {
namespace {

namespace fs = std::filesystem;

using Found = std::pair<std::string, std::string>;

std::vector<fs::path> candidates(const std::string& name, const std::string& includer, bool quoted,
                                 const CompileOptions& options) {
    const fs::path path(name);
    if (path.is_absolute()) {
        return {path};
    }
    std::vector<fs::path> places;
    if (quoted) {
        places.push_back(fs::path(includer).parent_path() / path);
    }
    for (const std::string& folder : options.includeFolders) {
        places.push_back(fs::path(folder) / path);
    }
    return places;
}

std::optional<Found> findOnDisk(const std::string& name, const std::string& includer, bool quoted,
                                const CompileOptions& options) {
    for (const fs::path& place : candidates(name, includer, quoted, options)) {
        if (auto text = readTextFile(place.string())) {
            return Found{place.lexically_normal().generic_string(), std::move(*text)};
        }
    }
    return std::nullopt;
}

std::string describeSearch(const std::string& name, const std::string& includer, bool quoted,
                           const CompileOptions& options) {
    std::string text = "cannot find '" + name + "'; looked for";
    const auto places = candidates(name, includer, quoted, options);
    for (const fs::path& place : places) {
        text += " " + place.lexically_normal().generic_string();
    }
    return places.empty() ? "cannot find '" + name + "': no include folders were given" : text;
}

} // namespace

std::optional<std::string> readTextFile(const std::string& path) {
    std::error_code ignored;
    if (!fs::is_regular_file(path, ignored)) {
        return std::nullopt;
    }
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        return std::nullopt;
    }
    std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    if (file.bad()) {
        return std::nullopt;
    }
    if (text.starts_with("\xEF\xBB\xBF")) {
        text.erase(0, 3);
    }
    return text;
}

bool isUnchanged(const IncludeRecord& record, const CompileOptions& options) {
    const auto found = findOnDisk(record.name, record.includer, record.quoted, options);
    return found && found->first == record.resolved &&
           hashBytes(found->second.data(), found->second.size()) == record.contents;
}

Includer::IncludeResult* Includer::includeLocal(const char* name, const char* includer,
                                                size_t depth) {
    return include(name, includer, true, depth);
}

// glslang asks here again for a quoted name that includeLocal refused; that refusal stands.
Includer::IncludeResult* Includer::includeSystem(const char* name, const char* includer,
                                                 size_t depth) {
    if (mRefusal) {
        return refuse(*std::exchange(mRefusal, std::nullopt));
    }
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
    mRefusal.reset();
    const auto refused = [&](const std::string& reason) -> IncludeResult* {
        if (!quoted) {
            return refuse(reason);
        }
        mRefusal = reason;
        return nullptr;
    };
    if (depth > kMaxIncludeDepth) {
        return refused("'" + name + "' is included more than " + std::to_string(kMaxIncludeDepth) +
                       " files deep: does it include itself without a guard?");
    }
    auto found = ask(name, includer);
    if (mFailure != nullptr) {
        return refused("the includer failed on '" + name + "'");
    }
    if (!found) {
        found = findOnDisk(name, includer, quoted, mOptions);
    }
    if (!found) {
        return refused(describeSearch(name, includer, quoted, mOptions));
    }
    auto& [resolved, text] = *found;
    if (resolved.empty() || resolved.find_first_of("\"\n") != std::string::npos) {
        return refused("'" + name + "' resolves to a name that is empty or holds a quote");
    }
    if (const auto line = findEndlessExpression(text)) {
        return refused(resolved + ":" + std::to_string(*line) + ": " + kEndlessExpression);
    }
    mRecords.push_back({name, includer, quoted, resolved, hashBytes(text.data(), text.size())});
    mTexts.try_emplace(resolved, text);
    auto owned = std::make_unique<std::string>(std::move(text));
    auto result =
        std::make_unique<IncludeResult>(resolved, owned->data(), owned->size(), owned.get());
    owned.release();
    return result.release();
}

std::optional<Found> Includer::ask(const std::string& name, const std::string& includer) {
    if (mOptions.includer == nullptr || mFailure != nullptr) {
        return std::nullopt;
    }
    try {
        std::string resolved = name;
        std::string contents;
        if (mOptions.includer->include(name, includer, resolved, contents)) {
            return Found{std::move(resolved), std::move(contents)};
        }
    } catch (...) {
        mFailure = std::current_exception();
    }
    return std::nullopt;
}

Includer::IncludeResult* Includer::refuse(const std::string& reason) {
    auto owned = std::make_unique<std::string>(reason);
    auto result =
        std::make_unique<IncludeResult>(std::string(), owned->data(), owned->size(), owned.get());
    owned.release();
    return result.release();
}

} // namespace kp::shader
