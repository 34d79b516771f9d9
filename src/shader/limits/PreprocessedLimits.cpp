// SPDX-License-Identifier: Apache-2.0
#include "shader/limits/PreprocessedLimits.hpp"

#include <algorithm>
#include <cstdlib>
#include <unordered_map>
#include <unordered_set>

#include "base/Text.hpp"
#include "shader/limits/SourceTokens.hpp"

namespace kp::shader {

namespace {

/// Facts about names, in the order of the text. Scopes are ignored: the largest one counts.
class Names {
public:
    explicit Names(const std::string& fileName) : mFile(fileName) {}

    void readStruct(SourceTokens tokens);
    void readConstant(SourceTokens tokens, bool specialization);
    void use(const SourceToken& token);

private:
    struct Constant {
        double terms = 0;
        size_t chain = 0;
    };
    Constant measure(SourceTokens initializer);
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
void Names::readStruct(SourceTokens tokens) {
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
        refuseSource(
            mFile, tokens[0].line,
            formatted("the struct '{}' has more than {} members, counting its members' members; "
                      "use arrays",
                      tokens[0].text, kMaxStructMembers));
    mStructs[tokens[0].text] = members;
}

Names::Constant Names::measure(SourceTokens initializer) {
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
void Names::readConstant(SourceTokens tokens, bool specialization) {
    for (const SourceTokens& part : splitArguments(tokens)) {
        const auto equals = std::ranges::find(part, "=", &SourceToken::text);
        if (equals == part.end() || equals == part.begin())
            continue;
        const auto name = std::find_if(std::make_reverse_iterator(equals),
                                       std::make_reverse_iterator(part.begin()),
                                       [](auto& token) { return isName(token); });
        if (name == std::make_reverse_iterator(part.begin()))
            continue;
        Constant constant = measure(SourceTokens(equals, part.end()));
        if (specialization)
            constant = {1, 1};
        if (constant.chain == 0)
            continue;
        if (constant.terms > static_cast<double>(kMaxConstantTerms) ||
            constant.chain > kMaxConstantChain)
            refuseSource(
                mFile, name->line,
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
        refuseSource(
            mFile, token.line,
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
        bool counts = false; ///< code after the bracket is further inside
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

/// Counts items that the compiler compares with all others of their kind.
class Comparisons {
public:
    explicit Comparisons(const std::string& fileName) : mFile(fileName) {}

    void add(const SourceToken& token, const SourceToken& after);

private:
    void addCall(const SourceToken& token);

    const std::string& mFile;
    std::unordered_set<std::string_view> mNumbers;
    size_t mCaseLabels = 0;
    size_t mDepth = 0; ///< of braces
    /// How often a name was declared as a function.
    std::unordered_map<std::string_view, uint64_t> mOverloads;
    std::unordered_set<std::string_view> mCalled; ///< by the function whose body this is
    uint64_t mCallPairs = 0;
};

void Comparisons::add(const SourceToken& token, const SourceToken& after) {
    if (token.text == "{") {
        if (mDepth++ == 0)
            mCalled.clear();
    } else if (token.text == "}") {
        mDepth -= mDepth > 0 ? 1 : 0;
    } else if (token.text == "case") {
        if (++mCaseLabels > kMaxCaseLabels)
            refuseSource(mFile, token.line,
                         formatted("the source has more than {} case labels; look values up in an "
                                   "array or a buffer",
                                   kMaxCaseLabels));
    } else if (!isName(token)) {
        if (token.text[0] >= '0' && token.text[0] <= '9' && mNumbers.insert(token.text).second &&
            mNumbers.size() > kMaxNumbers)
            refuseSource(mFile, token.line,
                         formatted("the source has more than {} different numbers; put tables "
                                   "into buffers",
                                   kMaxNumbers));
    } else if (after.text == "(") {
        if (mDepth == 0)
            ++mOverloads[token.text];
        else
            addCall(token);
    }
}

void Comparisons::addCall(const SourceToken& token) {
    const auto called = mOverloads.find(token.text);
    if (called == mOverloads.end() || !mCalled.insert(token.text).second)
        return;
    mCallPairs += called->second;
    if (mCallPairs > kMaxCallPairs)
        refuseSource(mFile, token.line,
                     formatted("up to '{}', functions call each other in more than {} pairs; write "
                               "fewer functions",
                               token.text, kMaxCallPairs));
}

/// Returns the place of the semicolon after a declaration, or of the bracket that begins a body.
size_t endOfDeclaration(SourceTokens tokens, size_t first) {
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
    // Each line ends with one more token.
    constexpr size_t kMaxWithLines = 2 * kMaxTokens + 2;
    std::vector<SourceToken> tokens = tokensOf(preprocessed, kMaxWithLines);
    const bool hasMore = tokens.size() > kMaxWithLines;
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
    if (hasMore || tokens.size() > kMaxTokens)
        refuseSource(fileName, tokens.empty() ? 1 : tokens[std::min(kept - 1, kMaxTokens)].line,
                     formatted("the source has more than {} tokens after the preprocessor; put "
                               "tables into buffers",
                               kMaxTokens));
    Nesting nesting;
    Names names(fileName);
    Comparisons comparisons(fileName);
    const SourceToken none;
    const SourceTokens all = tokens;
    bool specialization = false;
    // Declarations that end together are read once each.
    size_t tokensRead = 0;
    const auto readFrom = [&](size_t first, size_t end) {
        tokensRead += end - first;
        if (tokensRead > 4 * kMaxTokens)
            refuseSource(fileName, all[first].line, "too many declarations are inside each other");
        return all.subspan(first + 1, end - first - 1);
    };
    for (size_t i = 0; i < all.size(); ++i) {
        const SourceToken& token = all[i];
        const SourceToken& after = i + 1 < all.size() ? all[i + 1] : none;
        comparisons.add(token, after);
        if (!nesting.add(token, i > 0 ? all[i - 1] : none, after))
            refuseSource(
                fileName, token.line,
                formatted("more than {} operators, brackets and statements are inside each other; "
                          "split the expression into several statements",
                          kMaxNesting));
        if (token.text == "struct" && i + 2 < all.size() && all[i + 2].text == "{") {
            const size_t end = afterBracket(all, i + 2);
            names.readStruct(readFrom(i, end));
        } else if (token.text == "constant_id") {
            specialization = true;
        } else if (token.text == "const") {
            names.readConstant(readFrom(i, endOfDeclaration(all, i)), specialization);
        } else if (token.text == ";") {
            specialization = false;
        } else {
            names.use(token);
        }
    }
}

} // namespace kp::shader
