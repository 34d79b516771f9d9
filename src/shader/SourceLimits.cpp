// SPDX-License-Identifier: Apache-2.0
#include "shader/SourceLimits.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <span>
#include <unordered_map>
#include <utility>

#include <kompute/Error.hpp>

#include "base/Text.hpp"

namespace kp::shader {
namespace {

using Tokens = std::span<const SourceToken>;

bool isLetter(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool isName(const SourceToken& token) {
    return !token.text.empty() && isLetter(token.text[0]) &&
           std::isdigit(static_cast<unsigned char>(token.text[0])) == 0;
}

[[noreturn]] void refuse(const std::string& file, uint32_t line, const std::string& message) {
    throw ShaderError(formatted("{}:{}: error: {}", file, line, message), file, line);
}

/// Returns the place after the bracket that closes the one at @p open; the end if none does.
size_t afterBracket(Tokens tokens, size_t open) {
    size_t depth = 0;
    for (size_t i = open; i < tokens.size(); ++i) {
        if (tokens[i].text == "(" || tokens[i].text == "[" || tokens[i].text == "{")
            ++depth;
        else if ((tokens[i].text == ")" || tokens[i].text == "]" || tokens[i].text == "}") &&
                 --depth == 0)
            return i + 1;
    }
    return tokens.size();
}

/// Splits what is between two brackets at its commas.
std::vector<Tokens> splitArguments(Tokens inside) {
    std::vector<Tokens> parts;
    size_t first = 0;
    size_t depth = 0;
    for (size_t i = 0; i < inside.size(); ++i) {
        const std::string_view text = inside[i].text;
        if (text == "(" || text == "[" || text == "{") {
            ++depth;
        } else if (text == ")" || text == "]" || text == "}") {
            depth -= depth > 0 ? 1 : 0;
        } else if (text == "," && depth == 0) {
            parts.push_back(inside.subspan(first, i - first));
            first = i + 1;
        }
    }
    parts.push_back(inside.subspan(first));
    return parts;
}

} // namespace

std::vector<SourceToken> tokensOf(std::string_view text) {
    std::vector<SourceToken> tokens;
    uint32_t line = 1;
    const auto at = [&](size_t i) { return i < text.size() ? text[i] : '\0'; };
    const auto joins = [&](size_t i) { // a backslash before the end of a line
        return at(i) == '\\' && (at(i + 1) == '\n' || (at(i + 1) == '\r' && at(i + 2) == '\n'));
    };
    for (size_t i = 0; i < text.size();) {
        const char c = text[i];
        const size_t first = i;
        if (joins(i)) {
            i = text.find('\n', i) + 1;
            ++line;
            continue;
        }
        if (c == '/' && at(i + 1) == '/') {
            while (i < text.size() && (text[i] != '\n' || joins(i - 1)))
                line += text[i++] == '\n' ? 1 : 0;
            continue;
        }
        if (c == '/' && at(i + 1) == '*') {
            const size_t end = std::min(text.find("*/", i + 2), text.size() - 2) + 2;
            line += static_cast<uint32_t>(std::ranges::count(text.substr(i, end - i), '\n'));
            i = end;
            continue;
        }
        if (c == '\n') {
            tokens.push_back({{}, line++});
            ++i;
            continue;
        }
        ++i;
        if (std::isspace(static_cast<unsigned char>(c)) != 0)
            continue;
        if (isLetter(c)) {
            const bool number = std::isdigit(static_cast<unsigned char>(c)) != 0;
            while (isLetter(at(i)) || (number && at(i) == '.'))
                ++i;
        } else if (c == '"') {
            while (i < text.size() && text[i] != '"' && text[i] != '\n')
                ++i;
            i += at(i) == '"' ? 1 : 0;
        }
        tokens.push_back({text.substr(first, i - first), line});
    }
    tokens.push_back({{}, line});
    return tokens;
}

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
        Tokens body;
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

    bool define(Tokens line);
    bool read(File& file);
    Growth growthOf(Definition& definition);
    Growth measure(Tokens tokens, const std::vector<std::string_view>& parameters);
    void require(const File& file);
    void requireAll();
};

/// @param line  of a directive, from the name on
bool SourceLimits::Macros::define(Tokens line) {
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
    const Tokens all = file.tokens;
    std::vector<SourceToken> rest;
    for (size_t i = 0; i < all.size();) {
        size_t end = i;
        while (!all[end].text.empty())
            ++end;
        const Tokens line = all.subspan(i, end - i);
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
SourceLimits::Macros::measure(Tokens tokens, const std::vector<std::string_view>& parameters) {
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
            for (const Tokens& argument :
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
        sum += measure(Tokens(file.tokens).subspan(i, end - i), {}).constant;
        i = end;
    }
    refuse(file.name, line,
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
        refuse(name, 1,
               formatted("the file has {} bytes; the maximum is {}", text.size(), kMaxSourceBytes));
    mBytes += text.size();
    if (++mFiles > kMaxIncludes + 1 || mBytes > kMaxAllBytes)
        refuse(
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

// --- after the preprocessor ----------------------------------------------------------------------

namespace {

/// What is known of names, in the order of the text. Scopes are ignored: the largest one counts.
class Names {
public:
    explicit Names(const std::string& fileName) : mFile(fileName) {}

    void readStruct(Tokens tokens);
    void readConstant(Tokens tokens, bool specialization);
    void use(const SourceToken& token);

private:
    struct Constant {
        double terms = 0;
        size_t chain = 0;
    };
    Constant measure(Tokens initializer);
    double membersOf(std::string_view type) const {
        const auto found = mStructs.find(type);
        return found == mStructs.end() ? 1 : found->second;
    }

    const std::string& mFile;
    std::unordered_map<std::string_view, double> mStructs;
    std::unordered_map<std::string_view, Constant> mConstants{{"gl_WorkGroupSize", {1, 1}}};
    double mTerms = 0;
};

/// @param tokens  from the name to the bracket that ends the members
void Names::readStruct(Tokens tokens) {
    if (tokens.size() < 3 || !isName(tokens[0]) || tokens[1].text != "{")
        return;
    double members = 0;
    double ofType = 0;
    for (size_t i = 2; i < tokens.size(); ++i) {
        if (tokens[i].text == ";" || tokens[i].text == ",")
            members += std::max(ofType, 1.0);
        if (tokens[i].text == ";")
            ofType = 0;
        else if (isName(tokens[i]))
            ofType = std::max(ofType, membersOf(tokens[i].text));
    }
    if (members > static_cast<double>(kMaxStructMembers))
        refuse(mFile, tokens[0].line,
               formatted("the struct '{}' has more than {} members, counting those of its members; "
                         "use arrays",
                         tokens[0].text, kMaxStructMembers));
    mStructs[tokens[0].text] = members;
}

Names::Constant Names::measure(Tokens initializer) {
    Constant sum;
    for (const SourceToken& token : initializer) {
        const auto found = mConstants.find(token.text);
        if (found == mConstants.end())
            continue;
        sum.terms += found->second.terms + 1;
        sum.chain = std::max(sum.chain, found->second.chain + 1);
    }
    return sum;
}

/// @param tokens  of a declaration after `const`, without the semicolon
void Names::readConstant(Tokens tokens, bool specialization) {
    for (const Tokens& part : splitArguments(tokens)) {
        const auto equals = std::ranges::find(part, "=", &SourceToken::text);
        if (equals == part.end() || equals == part.begin())
            continue;
        const auto name = std::find_if(std::make_reverse_iterator(equals),
                                       std::make_reverse_iterator(part.begin()),
                                       [](auto& token) { return isName(token); });
        if (name == std::make_reverse_iterator(part.begin()))
            continue;
        Constant constant = measure(Tokens(equals, part.end()));
        if (specialization)
            constant = {1, 1};
        if (constant.chain == 0)
            continue;
        if (constant.terms > static_cast<double>(kMaxConstantTerms) ||
            constant.chain > kMaxConstantChain)
            refuse(mFile, name->line,
                   formatted("the constant '{}' is made of more than {} specialization constants, "
                             "or through a chain of more than {}; compute it in main() instead",
                             name->text, kMaxConstantTerms, kMaxConstantChain));
        Constant& known = mConstants[name->text];
        known = {std::max(known.terms, constant.terms), std::max(known.chain, constant.chain)};
    }
}

void Names::use(const SourceToken& token) {
    const auto found = mConstants.find(token.text);
    if (found == mConstants.end())
        return;
    mTerms += found->second.terms;
    if (mTerms > static_cast<double>(kMaxConstantTerms))
        refuse(mFile, token.line,
               formatted("up to '{}', constants that are made of specialization constants are used "
                         "so often that more than {} terms are computed; compute them in variables",
                         token.text, kMaxConstantTerms));
}

/// Follows how deep the syntax tree can be.
class Nesting {
public:
    /// @return false if it is too deep
    bool add(const SourceToken& token, const SourceToken& before, const SourceToken& after);

private:
    struct Level {
        size_t operators = 0;
        bool list = false;   ///< its commas separate independent expressions
        bool counts = false; ///< what follows the bracket is further inside
    };
    void set(size_t operators) {
        mTotal -= mLevels.back().operators;
        mTotal += operators;
        mLevels.back().operators = operators;
    }

    std::vector<Level> mLevels{Level{}};
    size_t mTotal = 0;
};

bool Nesting::add(const SourceToken& token, const SourceToken& before, const SourceToken& after) {
    constexpr std::string_view kOperators = "+-*/%<>=&|^?.!~:";
    constexpr std::string_view kControl[] = {"if", "for", "while", "switch", "return"};
    const size_t operators = mLevels.back().operators;
    const char c = token.text[0];
    if (c == '(' || c == '[' || c == '{') {
        const bool control = std::ranges::find(kControl, before.text) != std::end(kControl);
        const bool chain = before.text == ")" || before.text == "]"; // a[1][2][3]
        const bool values = before.text == "=" || before.text == "," || before.text == "(" ||
                            (before.text == "{" && mLevels.back().list);
        const bool call = isName(before) && !control;
        mLevels.push_back(
            {1, c == '[' || (c == '{' ? values : call || chain), c != '{' && (control || chain)});
        ++mTotal;
    } else if (c == ')' || c == ']' || c == '}') {
        bool counts = c == '}' && after.text == "else";
        if (mLevels.size() > 1) {
            counts = counts || mLevels.back().counts;
            mTotal -= mLevels.back().operators;
            mLevels.pop_back();
        }
        set(c == '}' && !counts ? 0 : mLevels.back().operators + (counts ? 1 : 0));
    } else if (c == ';') {
        set(0);
    } else if (c == ',') {
        set(mLevels.back().list ? 0 : operators + 1);
    } else if (kOperators.find(c) != std::string_view::npos || token.text == "else" ||
               token.text == "do") {
        set(operators + 1);
    }
    return mTotal <= kMaxNesting;
}

/// Returns the place of the semicolon after a declaration, or of the bracket that begins a body.
size_t endOfDeclaration(Tokens tokens, size_t first) {
    bool initialized = false;
    for (size_t i = first; i < tokens.size(); ++i) {
        if (tokens[i].text == ";" || (tokens[i].text == "{" && !initialized))
            return i;
        initialized = initialized || tokens[i].text == "=";
    }
    return tokens.size();
}

} // namespace

void requireWithinLimits(std::string_view preprocessed, const std::string& fileName,
                         int64_t linesBefore) {
    std::vector<SourceToken> tokens = tokensOf(preprocessed);
    // Lines are counted as the preprocessor says they are.
    size_t kept = 0;
    int64_t shift = -linesBefore;
    for (size_t i = 0; i < tokens.size(); ++i) {
        const bool lineBegins = i == 0 || tokens[i - 1].text.empty();
        if (lineBegins && tokens[i].text == "#") {
            if (i + 2 < tokens.size() && tokens[i + 1].text == "line")
                shift = std::atoll(std::string(tokens[i + 2].text).c_str()) -
                        int64_t{tokens[i].line} - 1;
            while (!tokens[i].text.empty())
                ++i;
        } else if (!tokens[i].text.empty()) {
            const int64_t line = int64_t{tokens[i].line} + shift;
            tokens[kept++] = {tokens[i].text, line > 0 ? static_cast<uint32_t>(line) : 0};
        }
    }
    tokens.resize(kept);
    if (tokens.size() > kMaxTokens)
        refuse(fileName, tokens[kMaxTokens].line,
               formatted("the source has {} tokens after the preprocessor; the maximum is {}",
                         tokens.size(), kMaxTokens));
    Nesting nesting;
    Names names(fileName);
    const SourceToken none;
    const Tokens all = tokens;
    bool specialization = false;
    size_t scanned = 0;
    for (size_t i = 0; i < all.size(); ++i) {
        const SourceToken& token = all[i];
        if (!nesting.add(token, i > 0 ? all[i - 1] : none, i + 1 < all.size() ? all[i + 1] : none))
            refuse(
                fileName, token.line,
                formatted("more than {} operators, brackets and statements are inside each other; "
                          "split the expression into several statements",
                          kMaxNesting));
        if (token.text == "struct" && i + 2 < all.size() && all[i + 2].text == "{") {
            const size_t end = afterBracket(all, i + 2);
            names.readStruct(all.subspan(i + 1, end - i - 1));
        } else if (token.text == "constant_id") {
            specialization = true;
        } else if (token.text == "const") {
            const size_t end = endOfDeclaration(all, i);
            scanned += end - i;
            if (scanned > 16 * kMaxTokens)
                refuse(fileName, token.line, "too many declarations are inside each other");
            names.readConstant(all.subspan(i + 1, end - i - 1), specialization);
        } else if (token.text == ";") {
            specialization = false;
        } else {
            names.use(token);
        }
    }
}

} // namespace kp::shader
