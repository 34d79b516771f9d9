// SPDX-License-Identifier: Apache-2.0
#include "shader/limits/SourceLimits.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/Text.hpp"
#include "shader/limits/PreprocessedLimits.hpp"
#include "shader/limits/SourceTokens.hpp"

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
        std::vector<SourceToken> all;    ///< bodies of definitions are views of it
        std::vector<SourceToken> tokens; ///< without definitions, as measured
        double growth = 0;
        size_t inclusions = 1;
    };
    /// Thrown if the growth cannot be found within the limits of this guard itself.
    struct Entangled {};

    std::deque<File> files;
    std::unordered_map<std::string_view, File*> filesByName;
    /// All definitions of a name count, since conditions are not evaluated.
    std::unordered_map<std::string_view, std::vector<Definition>> definitions;
    std::unordered_set<std::string_view> definitionTexts; ///< each counts once
    const Definition* innermost = nullptr;                ///< the definition that is being measured
    bool cyclic = false; ///< a definition was met that is being measured further out
    size_t steps = 0;
    size_t depth = 0;
    size_t rawTokens = 0;
    bool stale = false; ///< growths are missing definitions
    /// The text being read or measured.
    struct {
        const File* file = nullptr;
        uint32_t line = 1;
    } at;

    /// Bounds the time that everything here takes, to half a second.
    static constexpr size_t kMaxSteps = 20'000'000;
    /// Bounds the stack that measuring takes, to some 2 MiB; sanitizers double that.
    static constexpr size_t kMaxDepth = 2'000;
    /// The cost of a definition, in steps: memory that no cache holds.
    static constexpr size_t kDefinitionSteps = 200;

    /// To be called with all work that a source can multiply, before it is done.
    void spend(size_t work) {
        steps += work;
        if (steps > kMaxSteps || depth > kMaxDepth)
            throw Entangled();
    }
    void define(SourceTokens line);
    void read(File& file);
    File& keep(const std::string& name, const std::string& text);
    Growth growthOf(Definition& definition);
    Growth largestGrowth(std::vector<Definition>& alternatives, bool called,
                         const std::vector<Growth>& arguments, size_t parameters);
    Growth measure(SourceTokens tokens, const std::vector<std::string_view>& parameters);
    void measure(File& file);
    void measureAll();
    void add(const std::string& name, const std::string& text);
    void requireTotal(const std::string& name) const;

    /// Turns Entangled into the error of the place that was reached.
    template <typename What>
    void guarded(What&& what) {
        try {
            what();
        } catch (const Entangled&) {
            refuseSource(at.file->name, at.line,
                         formatted("the macros expand to more than {} tokens, or use each other in "
                                   "too many ways to tell; the limit keeps the compiler from "
                                   "running forever. Write functions or loops instead",
                                   kMaxTokens));
        }
    }
};

void SourceLimits::Macros::define(SourceTokens line) {
    if (line.empty() || !isName(line[0]))
        return;
    const char* const begin = line.front().text.data();
    const char* const end = line.back().text.data() + line.back().text.size();
    if (!definitionTexts.insert({begin, static_cast<size_t>(end - begin)}).second)
        return;
    spend(kDefinitionSteps);
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
}

/// Takes the definitions out of a file.
void SourceLimits::Macros::read(File& file) {
    const size_t before = definitionTexts.size();
    const SourceTokens all = file.all;
    for (size_t i = 0; i < all.size();) {
        size_t end = i;
        while (!all[end].text.empty())
            ++end;
        const SourceTokens line = all.subspan(i, end - i);
        const bool directive = line.size() > 1 && line[0].text == "#";
        if (directive && line[1].text == "define")
            define(line.subspan(2));
        else if (!directive || line[1].text == "if" || line[1].text == "elif")
            file.tokens.insert(file.tokens.end(), line.begin(), line.end());
        i = end + 1;
    }
    if (definitionTexts.size() > before)
        stale = true;
    else
        file.all = {};
}

SourceLimits::Macros::Growth SourceLimits::Macros::growthOf(Definition& definition) {
    spend(definition.parameters.size() + 1);
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

/// Returns the growth of a macro's name and arguments, by the definition that grows most.
/// @param parameters  number of them where the name is used
SourceLimits::Macros::Growth
SourceLimits::Macros::largestGrowth(std::vector<Definition>& alternatives, bool called,
                                    const std::vector<Growth>& arguments, size_t parameters) {
    Growth largest{1, std::vector<double>(parameters)};
    double largestSum = 1;
    for (Definition& definition : alternatives) {
        spend(1 + (arguments.size() + 1) * (parameters + 1));
        if (definition.expanding) {
            cyclic = cyclic || &definition != innermost;
            continue;
        }
        if (definition.function && !called)
            continue;
        const Growth growth = growthOf(definition);
        Growth whole{growth.constant + 1, std::vector<double>(parameters)};
        for (size_t k = 0; k < arguments.size(); ++k) {
            // An argument is expanded even if the macro does not use it.
            const double factor =
                k < growth.factors.size() ? std::max(growth.factors[k], 1.0) : 1.0;
            whole.constant += factor * arguments[k].constant;
            for (size_t p = 0; p < parameters; ++p)
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
    return largest;
}

SourceLimits::Macros::Growth
SourceLimits::Macros::measure(SourceTokens tokens,
                              const std::vector<std::string_view>& parameters) {
    Growth sum{0, std::vector<double>(parameters.size())};
    ++depth;
    spend(parameters.size());
    for (size_t i = 0; i < tokens.size(); ++i) {
        spend(1 + parameters.size());
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
        spend(called ? found->second.size() : 0);
        if (called && std::ranges::any_of(found->second, &Definition::function)) {
            end = afterBracket(tokens, i + 1);
            spend(end - i);
            for (const SourceTokens& argument :
                 splitArguments(tokens.subspan(i + 2, end - i - 2 - (end - i > 2 ? 1 : 0))))
                arguments.push_back(measure(argument, parameters));
        }
        const Growth growth = largestGrowth(found->second, called, arguments, parameters.size());
        sum.constant += growth.constant;
        for (size_t p = 0; p < parameters.size(); ++p)
            sum.factors[p] += growth.factors[p];
        i = end - 1;
    }
    --depth;
    return sum;
}

void SourceLimits::Macros::measure(File& file) {
    cyclic = false;
    file.growth = 0;
    const SourceTokens tokens = file.tokens;
    for (size_t i = 0; i < tokens.size();) {
        at = {&file, tokens[i].line};
        size_t end = i + 1;
        if (end < tokens.size() && tokens[end].text == "(" && isName(tokens[i]))
            end = afterBracket(tokens, end);
        file.growth += measure(tokens.subspan(i, end - i), {}).constant;
        if (file.growth > static_cast<double>(kMaxTokens))
            throw Entangled();
        i = end;
    }
}

void SourceLimits::Macros::measureAll() {
    for (auto& [name, alternatives] : definitions) {
        spend(alternatives.size());
        for (Definition& definition : alternatives)
            definition.growth.reset();
    }
    for (File& file : files)
        measure(file);
}

void SourceLimits::Macros::requireTotal(const std::string& name) const {
    double total = 0;
    for (const File& file : files)
        total += file.growth * static_cast<double>(file.inclusions);
    if (total > static_cast<double>(kMaxExpandedTokens))
        refuseSource(name, 1,
                     formatted("the source and the files that it includes expand to more than {} "
                               "tokens; include each file once",
                               kMaxExpandedTokens));
}

/// Keeps a file and its definitions.
SourceLimits::Macros::File& SourceLimits::Macros::keep(const std::string& name,
                                                       const std::string& text) {
    File& file = files.emplace_back(File{name, text, {}, {}});
    const size_t left = kMaxRawTokens - std::min(rawTokens, kMaxRawTokens);
    file.all = tokensOf(file.text, left + 1);
    rawTokens += file.all.size();
    if (rawTokens > kMaxRawTokens)
        refuseSource(name, file.all.back().line,
                     formatted("the source and the files that it includes have more than {} tokens",
                               kMaxRawTokens));
    at = {&file, 1};
    read(file);
    return file;
}

void SourceLimits::Macros::add(const std::string& name, const std::string& text) {
    const auto known = filesByName.find(name);
    if (known != filesByName.end() && known->second->text == text) {
        ++known->second->inclusions;
        return requireTotal(name);
    }
    File& file = keep(name, text);
    filesByName.insert_or_assign(file.name, &file);
    if (std::exchange(stale, false))
        measureAll();
    else
        measure(file);
    requireTotal(name);
}

SourceLimits::SourceLimits() : mMacros(std::make_unique<Macros>()) {}
SourceLimits::~SourceLimits() = default;

void SourceLimits::addMacro(const std::string& name, const std::string& value) {
    mMacros->guarded([&] { mMacros->keep(name, formatted("#define {} {}", name, value)); });
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
    mMacros->guarded([&] { mMacros->add(name, text); });
}

} // namespace kp::shader
