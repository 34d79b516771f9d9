// SPDX-License-Identifier: Apache-2.0
#include "shader/SourceLimits.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include <kompute/Error.hpp>

#include "base/Text.hpp"
#include "shader/PreprocessedLimits.hpp"
#include "shader/SourceTokens.hpp"

namespace kp::shader {

// --- growth of macros ----------------------------------------------------------------------------

struct SourceLimits::Macros {
    /// The number of tokens that something expands to: a constant, and a multiple of each
    /// parameter.
    struct Growth {
        double constant = 0;
        std::vector<double> factors;
    };
    struct Definition {
        bool function = false;
        std::vector<std::string_view> parameters;
        SourceTokens body;
        std::optional<Growth> growth; ///< once known
        bool expanding = false;
    };
    struct File {
        std::string name;
        std::string text;
        std::vector<SourceToken> tokens;
        bool measured = true; ///< false: the tokens only hold definitions
    };

    std::deque<File> files;
    /// All definitions of a name count, since conditions are not evaluated.
    std::unordered_map<std::string_view, std::deque<Definition>> definitions;
    const Definition* innermost = nullptr; ///< the definition that is being measured
    bool cyclic = false; ///< a definition was met that is being measured further out
    size_t steps = 0;
    size_t depth = 0;

    /// Bounds the time that measuring takes, to half a second.
    static constexpr size_t kMaxSteps = 20'000'000;
    /// Bounds the stack that measuring takes, to some 10 MiB.
    static constexpr size_t kMaxDepth = 10'000;

    bool define(SourceTokens line);
    bool read(File& file);
    Growth growthOf(Definition& definition);
    Growth measure(SourceTokens tokens, const std::vector<std::string_view>& parameters);
    void require(const File& file);
    void requireAll();
};

/// @param line  of a directive, from the name on
bool SourceLimits::Macros::define(SourceTokens line) {
    if (line.empty() || !isName(line[0]))
        return false;
    Definition definition;
    size_t at = 1;
    definition.function = line.size() > 1 && line[1].text == "(" &&
                          line[1].text.data() == line[0].text.data() + line[0].text.size();
    if (definition.function) {
        for (at = 2; at < line.size() && line[at].text != ")"; ++at)
            if (isName(line[at]))
                definition.parameters.push_back(line[at].text);
        ++at;
    }
    definition.body = line.subspan(std::min(at, line.size()));
    definitions[line[0].text].push_back(std::move(definition));
    return true;
}

/// Takes the definitions out of a file. @return true if it has any
bool SourceLimits::Macros::read(File& file) {
    bool defines = false;
    const SourceTokens all = file.tokens;
    std::vector<SourceToken> rest;
    for (size_t i = 0; i < all.size();) {
        size_t end = i;
        while (!all[end].text.empty())
            ++end;
        const SourceTokens line = all.subspan(i, end - i);
        const bool directive = line.size() > 1 && line[0].text == "#";
        if (directive && line[1].text == "define")
            defines = define(line.subspan(2)) || defines;
        else if (!directive || line[1].text == "if" || line[1].text == "elif")
            rest.insert(rest.end(), line.begin(), line.end());
        i = end + 1;
    }
    if (!defines) {
        file.tokens = std::move(rest);
        return false;
    }
    // Bodies are views of the tokens, which therefore stay.
    file.measured = false;
    files.push_back({file.name, {}, std::move(rest)});
    return true;
}

SourceLimits::Macros::Growth SourceLimits::Macros::growthOf(Definition& definition) {
    if (definition.growth)
        return *definition.growth;
    const bool outerCyclic = std::exchange(cyclic, false);
    const Definition* const outer = std::exchange(innermost, &definition);
    definition.expanding = true;
    Growth growth = measure(definition.body, definition.parameters);
    definition.expanding = false;
    innermost = outer;
    // In a cycle the growth depends on where the expansion began.
    if (!cyclic)
        definition.growth = growth;
    cyclic = cyclic || outerCyclic;
    return growth;
}

SourceLimits::Macros::Growth
SourceLimits::Macros::measure(SourceTokens tokens,
                              const std::vector<std::string_view>& parameters) {
    Growth sum{0, std::vector<double>(parameters.size())};
    const auto add = [&](const Growth& growth, double factor) {
        sum.constant += factor * growth.constant;
        for (size_t i = 0; i < sum.factors.size(); ++i)
            sum.factors[i] += factor * growth.factors[i];
    };
    struct Depth {
        size_t& depth;
        ~Depth() { --depth; }
    } const restored{depth};
    ++depth;
    for (size_t i = 0; i < tokens.size(); ++i) {
        if (++steps > kMaxSteps || depth > kMaxDepth) {
            sum.constant = HUGE_VAL;
            return sum;
        }
        const auto parameter = std::ranges::find(parameters, tokens[i].text);
        if (parameter != parameters.end()) {
            sum.factors[static_cast<size_t>(parameter - parameters.begin())] += 1;
            continue;
        }
        const auto found = isName(tokens[i]) ? definitions.find(tokens[i].text) : definitions.end();
        if (found == definitions.end()) {
            sum.constant += 1;
            continue;
        }
        const bool called = i + 1 < tokens.size() && tokens[i + 1].text == "(";
        std::vector<Growth> arguments;
        size_t end = i + 1;
        const bool function = std::ranges::any_of(found->second, &Definition::function);
        if (called && function) {
            end = afterBracket(tokens, i + 1);
            steps += end - i;
            for (const SourceTokens& argument :
                 splitArguments(tokens.subspan(i + 2, end - i - 2 - (end - i > 2 ? 1 : 0))))
                arguments.push_back(measure(argument, parameters));
        }
        Growth largest{1, std::vector<double>(parameters.size())};
        double largestSum = 1;
        for (Definition& definition : found->second) {
            if (definition.expanding) {
                cyclic = cyclic || &definition != innermost;
                continue;
            }
            if (definition.function && !called)
                continue;
            const Growth growth = growthOf(definition);
            Growth whole{growth.constant + 1, std::vector<double>(parameters.size())};
            for (size_t k = 0; k < arguments.size(); ++k) {
                // An argument is expanded even if the macro does not use it.
                const double factor =
                    k < growth.factors.size() ? std::max(growth.factors[k], 1.0) : 1.0;
                whole.constant += factor * arguments[k].constant;
                for (size_t p = 0; p < parameters.size(); ++p)
                    whole.factors[p] += factor * arguments[k].factors[p];
            }
            double total = whole.constant;
            for (const double factor : whole.factors)
                total += factor;
            if (total > largestSum) {
                largest = std::move(whole);
                largestSum = total;
            }
        }
        add(largest, 1);
        i = end - 1;
    }
    return sum;
}

void SourceLimits::Macros::require(const File& file) {
    cyclic = false;
    const double growth = measure(file.tokens, {}).constant;
    if (growth <= static_cast<double>(kMaxTokens))
        return;
    // Find the line, from macros that are measured already.
    double sum = 0;
    uint32_t line = 0;
    for (size_t i = 0; i < file.tokens.size() && sum <= static_cast<double>(kMaxTokens);) {
        line = file.tokens[i].line;
        size_t end = i + 1;
        if (end < file.tokens.size() && file.tokens[end].text == "(")
            end = afterBracket(file.tokens, end);
        sum += measure(SourceTokens(file.tokens).subspan(i, end - i), {}).constant;
        i = end;
    }
    refuseSource(
        file.name, line,
        formatted("the macros expand to more than {} tokens; the limit keeps the compiler from "
                  "running for ever. Write functions or loops instead",
                  kMaxTokens));
}

void SourceLimits::Macros::requireAll() {
    for (auto& [name, alternatives] : definitions)
        for (Definition& definition : alternatives)
            definition.growth.reset();
    for (const File& file : files)
        if (file.measured)
            require(file);
}

SourceLimits::SourceLimits() : mMacros(std::make_unique<Macros>()) {}
SourceLimits::~SourceLimits() = default;

void SourceLimits::addMacro(const std::string& name, const std::string& value) {
    Macros::File& file = mMacros->files.emplace_back();
    file.text = formatted("#define {} {}", name, value);
    file.tokens = tokensOf(file.text);
    mMacros->read(file);
}

void SourceLimits::addFile(const std::string& name, const std::string& text) {
    if (text.size() > kMaxSourceBytes)
        refuseSource(
            name, 1,
            formatted("the file has {} bytes; the maximum is {}", text.size(), kMaxSourceBytes));
    mBytes += text.size();
    if (++mFiles > kMaxIncludes + 1 || mBytes > kMaxAllBytes)
        refuseSource(
            name, 1,
            formatted("the source includes {} files with {} bytes in all; the maximum is {} files "
                      "and {} bytes. Does a file include itself without a guard?",
                      mFiles - 1, mBytes, kMaxIncludes, kMaxAllBytes));
    if (!mSeen.insert(name).second)
        return;
    Macros::File& file = mMacros->files.emplace_back(Macros::File{name, text, {}});
    file.tokens = tokensOf(file.text);
    if (mMacros->read(file))
        mMacros->requireAll();
    else
        mMacros->require(file);
}

} // namespace kp::shader
