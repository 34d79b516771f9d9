// SPDX-License-Identifier: Apache-2.0
#include "shader/compile/CompileLog.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <sstream>
#include <string_view>

#include "base/Text.hpp"

namespace kp::shader {
namespace {

constexpr size_t kMaxListedErrors = 10;
constexpr size_t kMaxExcerptColumns = 160;

/// Removes a number from the front of @p text; returns nothing if there is none.
std::optional<uint32_t> takeNumber(std::string_view& text) {
    uint32_t value = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (fault != std::errc{})
        return std::nullopt;
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    return value;
}

std::string trimmed(std::string_view text) {
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())))
        text.remove_suffix(1);
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())))
        text.remove_prefix(1);
    return std::string(text);
}

/// Removes `:line:` or `:line:column:` from the front of @p rest.
bool takeLocation(std::string_view& rest, Diagnostic& into) {
    std::string_view left = rest;
    if (!left.starts_with(':'))
        return false;
    left.remove_prefix(1);
    const auto line = takeNumber(left);
    if (!line || !left.starts_with(':'))
        return false;
    left.remove_prefix(1);
    std::string_view afterColumn = left;
    if (const auto column = takeNumber(afterColumn); column && afterColumn.starts_with(':')) {
        into.column = *column;
        left = afterColumn.substr(1);
    }
    into.line = *line;
    rest = left;
    return true;
}

/// The file is the longest source name in front of a location, else the text up to the first one.
bool splitLocation(std::string_view& rest, const SourceTexts& sources, Diagnostic& into) {
    const auto take = [&](size_t end) {
        std::string_view left = rest.substr(end);
        if (!takeLocation(left, into))
            return false;
        into.file = std::string(rest.substr(0, end));
        rest = left;
        return true;
    };
    size_t longest = 0;
    for (const auto& [name, text] : sources)
        if (rest.starts_with(name))
            longest = std::max(longest, name.size());
    if (longest > 0 && take(longest))
        return true;
    for (size_t colon = rest.find(':'); colon != std::string_view::npos;
         colon = rest.find(':', colon + 1))
        if (take(colon))
            return true;
    return false;
}

struct TokenName {
    std::string_view name;
    std::string_view text;
};

/// The names of tokens in glslang's grammar.
constexpr TokenName kTokenNames[] = {
    {"LEFT_BRACE", "{"},   {"RIGHT_BRACE", "}"},   {"LEFT_PAREN", "("}, {"RIGHT_PAREN", ")"},
    {"LEFT_BRACKET", "["}, {"RIGHT_BRACKET", "]"}, {"COMMA", ","},      {"SEMICOLON", ";"},
    {"EQUAL", "="},        {"STAR", "*"},          {"PLUS", "+"},       {"DASH", "-"},
    {"SLASH", "/"},        {"DOT", "."},           {"COLON", ":"},      {"QUESTION", "?"},
    {"PERCENT", "%"},      {"BANG", "!"},          {"TILDE", "~"},      {"CARET", "^"},
    {"AMPERSAND", "&"},    {"VERTICAL_BAR", "|"},  {"LEFT_ANGLE", "<"}, {"RIGHT_ANGLE", ">"},
    {"EQ_OP", "=="},       {"NE_OP", "!="},        {"LE_OP", "<="},     {"GE_OP", ">="},
    {"AND_OP", "&&"},      {"XOR_OP", "^^"},       {"OR_OP", "||"},     {"INC_OP", "++"},
    {"DEC_OP", "--"},      {"LEFT_OP", "<<"},      {"RIGHT_OP", ">>"}};

/// Changes "unexpected RIGHT_BRACE, expecting COMMA" to "unexpected '}', expecting ','", and sets
/// the token to the unexpected one.
void spellTokens(Diagnostic& fault) {
    constexpr std::string_view kUnexpected = "unexpected ";
    constexpr std::string_view kNoToken = "'' : ";
    if (fault.message.starts_with(kNoToken))
        fault.message = trimmed(std::string_view(fault.message).substr(kNoToken.size()));
    if (!fault.message.starts_with("syntax error"))
        return;
    for (const auto& [name, text] : kTokenNames) {
        for (size_t at = fault.message.find(name); at != std::string::npos;
             at = fault.message.find(name, at + 1)) {
            if (fault.message.substr(0, at).ends_with(kUnexpected))
                fault.token = text;
            fault.message.replace(at, name.size(), formatted("'{}'", text));
        }
    }
}

std::string tokenOf(const std::string& message) {
    if (!message.starts_with('\''))
        return {};
    const size_t end = message.find("' : ", 1);
    return end == std::string::npos ? std::string() : message.substr(1, end - 1);
}

std::optional<std::string> lineOf(const SourceTexts& sources, const Diagnostic& fault) {
    const auto source = sources.find(fault.file);
    if (source == sources.end() || fault.line == 0)
        return std::nullopt;
    std::istringstream lines(source->second);
    std::string line;
    for (uint32_t number = 0; std::getline(lines, line);) {
        if (++number == fault.line) {
            if (line.ends_with('\r'))
                line.pop_back();
            return line;
        }
    }
    return std::nullopt;
}

bool isWordLetter(char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) || letter == '_';
}

/// Returns all columns of @p token as a separate word.
std::vector<uint32_t> placesOf(const std::string& token, const std::string& line) {
    std::vector<uint32_t> places;
    if (token.empty())
        return places;
    for (size_t at = line.find(token); at != std::string::npos; at = line.find(token, at + 1)) {
        const size_t end = at + token.size();
        const bool joinedBefore = at > 0 && isWordLetter(line[at - 1]) && isWordLetter(token[0]);
        const bool joinedAfter =
            end < line.size() && isWordLetter(line[end]) && isWordLetter(token.back());
        if (!joinedBefore && !joinedAfter)
            places.push_back(static_cast<uint32_t>(at + 1));
    }
    return places;
}

void refineColumn(const SourceTexts& sources, Diagnostic& fault) {
    const auto line = lineOf(sources, fault);
    if (!line)
        return;
    const auto places = placesOf(fault.token, *line);
    const auto distance = [&](uint32_t place) {
        return place > fault.column ? place - fault.column : fault.column - place;
    };
    if (places.size() == 1)
        fault.column = places.front();
    else if (!places.empty() && fault.column != 0)
        fault.column = *std::ranges::min_element(places, {}, distance);
    if (fault.column > line->size() + 1)
        fault.column = 0;
}

/// Reads the last line of the HLSL parser, `name(line): error at column c, HLSL parsing failed.`
std::optional<Diagnostic> readHlslFailure(const std::string& line) {
    constexpr std::string_view kMiddle = "): error at column ";
    const size_t middle = line.find(kMiddle);
    const size_t open = line.rfind('(', middle);
    if (middle == std::string::npos || open == std::string::npos)
        return std::nullopt;
    std::string_view lineNumber = std::string_view(line).substr(open + 1);
    std::string_view columnNumber = std::string_view(line).substr(middle + kMiddle.size());
    Diagnostic fault;
    fault.file = line.substr(0, open);
    fault.line = takeNumber(lineNumber).value_or(0);
    fault.column = takeNumber(columnNumber).value_or(0);
    fault.message = "syntax error";
    return fault;
}

/// Reads the first line of an error in a log of Slang, without its number: in `error[E30015]:
/// title` or, up to 2025, `name(line): error 30015: message`.
std::optional<Diagnostic> readSlangError(const std::string& line) {
    Diagnostic fault;
    for (const std::string_view word : {"error", "fatal error", "internal error"}) {
        if (line.starts_with(formatted("{}[", word)) || line.starts_with(formatted("{}: ", word))) {
            fault.message = trimmed(std::string_view(line).substr(line.find(": ") + 2));
            return fault;
        }
        const size_t middle = line.find(formatted("): {} ", word));
        const size_t open = line.rfind('(', middle);
        if (middle == std::string::npos || open == std::string::npos)
            continue;
        std::string_view number = std::string_view(line).substr(open + 1);
        fault.line = takeNumber(number).value_or(0);
        fault.file = line.substr(0, open);
        fault.message = trimmed(std::string_view(line).substr(line.find(": ", middle + 3) + 2));
        return fault;
    }
    return std::nullopt;
}

/// Reads a line below the first one: the place, a source line, or the marks under it.
/// @return false if it does not belong to the error
bool readSlangDetail(const std::string& line, const SourceTexts& sources, Diagnostic& fault) {
    constexpr std::string_view kArrow = "--> ";
    if (const size_t arrow = line.find(kArrow); arrow != std::string::npos) {
        const std::string place = line.substr(arrow + kArrow.size()) + ':';
        std::string_view rest = place;
        return splitLocation(rest, sources, fault);
    }
    // Marks are alone in their line up to 2025, and then stand behind a bar, before a message.
    const size_t bar = line.find_first_not_of(" \t");
    const bool barred = bar != std::string::npos && line[bar] == '|';
    const size_t first = line.find_first_not_of(" \t", barred ? bar + 1 : 0);
    const size_t last = std::min(line.find_first_not_of("^~", first), line.size());
    if (first == std::string::npos || last == first || (!barred && last < line.size()))
        return true;
    if (fault.column == 0)
        fault.column = static_cast<uint32_t>(first + 1);
    if (const auto source = lineOf(sources, fault); source && fault.column <= source->size())
        fault.token = source->substr(fault.column - 1, last - first);
    if (last < line.size())
        fault.message = trimmed(std::string_view(line).substr(last));
    return false;
}

std::string describe(const Diagnostic& fault, const std::string& fileName) {
    const std::string line = fault.line != 0 ? formatted(":{}", fault.line) : "";
    const std::string column =
        fault.line != 0 && fault.column != 0 ? formatted(":{}", fault.column) : "";
    return formatted("{}{}{}: error: {}", fault.file.empty() ? fileName : fault.file, line, column,
                     fault.message);
}

std::string excerpt(const Diagnostic& fault, const SourceTexts& sources) {
    const auto line = lineOf(sources, fault);
    if (!line)
        return {};
    size_t first = line->find_first_not_of(" \t");
    first = first == std::string::npos ? 0 : first;
    size_t length = trimmed(*line).size();
    if (fault.column != 0) {
        first = fault.column - 1;
        length = fault.token.empty() ? 1 : fault.token.size();
    }
    const size_t shift = first > kMaxExcerptColumns / 2 ? first - kMaxExcerptColumns / 2 : 0;
    const std::string shown = line->substr(shift, kMaxExcerptColumns);

    const std::string number = formatted("{}", fault.line);
    std::string carets;
    for (size_t i = 0; i < first - shift && i < shown.size(); ++i)
        carets += shown[i] == '\t' ? '\t' : ' ';
    const size_t room = shown.size() > carets.size() ? shown.size() - carets.size() : 1;
    carets += '^' + std::string(std::max<size_t>(1, std::min(length, room)) - 1, '~');
    return formatted("\n {} | {}\n {:{}} | {}", number, shown, "", number.size(), carets);
}

} // namespace

std::vector<Diagnostic> readLog(const std::string& log, const SourceTexts& sources) {
    std::vector<Diagnostic> faults;
    std::istringstream lines(log);
    for (std::string line; std::getline(lines, line);) {
        constexpr std::string_view kError = "ERROR: ";
        if (!line.starts_with(kError)) {
            if (auto fault = faults.empty() ? readHlslFailure(line) : std::nullopt)
                faults.push_back(std::move(*fault));
            continue;
        }
        std::string_view rest = std::string_view(line).substr(kError.size());
        Diagnostic fault;
        const bool located = splitLocation(rest, sources, fault);
        fault.message = trimmed(rest);
        const bool isSummary =
            (!located && fault.message.find("compilation error") != std::string::npos) ||
            fault.message.find("compilation terminated") != std::string::npos;
        if (isSummary && (!located || !faults.empty()))
            continue;
        fault.token = tokenOf(fault.message);
        spellTokens(fault);
        refineColumn(sources, fault);
        faults.push_back(std::move(fault));
    }
    return faults;
}

std::vector<Diagnostic> readSlangLog(const std::string& log, const SourceTexts& sources) {
    std::vector<Diagnostic> faults;
    bool open = false; // the lines belong to the last fault
    std::istringstream lines(log);
    for (std::string line; std::getline(lines, line);) {
        if (auto fault = readSlangError(line)) {
            faults.push_back(*std::move(fault));
            open = true;
        } else if (open) {
            open = readSlangDetail(line, sources, faults.back());
        }
    }
    for (Diagnostic& fault : faults)
        if (fault.message.ends_with('.'))
            fault.message.pop_back();
    return faults;
}

ShaderError compileError(const std::vector<Diagnostic>& faults, const std::string& log,
                         const std::string& fileName, const SourceTexts& sources) {
    if (faults.empty()) {
        const std::string details = trimmed(log);
        return ShaderError(formatted("{}: error: {}", fileName,
                                     details.empty() ? "the compiler reported no reason" : details),
                           fileName, 0, 0, log);
    }
    const Diagnostic& first = faults.front();
    std::string message = describe(first, fileName) + excerpt(first, sources);
    for (size_t i = 1; i < faults.size() && i < kMaxListedErrors; ++i)
        message += formatted("\n{}", describe(faults[i], fileName));
    if (faults.size() > kMaxListedErrors)
        message += formatted("\nand {} more errors", faults.size() - kMaxListedErrors);
    return ShaderError(message, first.file.empty() ? fileName : first.file, first.line,
                       first.column, log);
}

ShaderError missingEntryPoint(const CompileOptions& options, const std::string& log) {
    return ShaderError(formatted("{}: error: there is no function '{}' for the entry point",
                                 options.fileName, options.entryPoint),
                       options.fileName, 0, 0, log);
}

} // namespace kp::shader
