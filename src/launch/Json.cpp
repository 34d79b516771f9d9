// SPDX-License-Identifier: Apache-2.0
#include "launch/Json.hpp"

#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <locale>
#include <sstream>
#include <unordered_set>

#include <fmt/format.h>

#include "launch/Utf8.hpp"

namespace kp::launch {
namespace {

class Parser {
public:
    explicit Parser(std::string_view text) : mText(text) {}

    std::optional<Json> whole(std::string* problem) {
        std::optional<Json> value = this->value(0);
        if (value) {
            skipSpace();
            if (mAt != mText.size())
                value = fail("text after the value");
        }
        if (!value && problem)
            *problem = mProblem + " at byte " + std::to_string(mAt);
        return value;
    }

private:
    std::nullopt_t fail(const char* problem) {
        if (mProblem.empty())
            mProblem = problem;
        return std::nullopt;
    }

    bool atEnd() const { return mAt >= mText.size(); }
    char peek() const { return atEnd() ? '\0' : mText[mAt]; }
    bool take(char letter) {
        if (atEnd() || mText[mAt] != letter)
            return false;
        ++mAt;
        return true;
    }
    void skipSpace() {
        while (!atEnd() && (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r'))
            ++mAt;
    }

    std::optional<Json> value(int depth) {
        if (depth >= Json::kMaxDepth)
            return fail("values too deep in values");
        skipSpace();
        if (atEnd())
            return fail("the text ends where a value is expected");
        switch (peek()) {
        case '{':
            return object(depth);
        case '[':
            return array(depth);
        case '"': {
            std::optional<std::string> read = string();
            return read ? std::optional<Json>(std::move(*read)) : std::nullopt;
        }
        case 't':
            return word("true", Json(true));
        case 'f':
            return word("false", Json(false));
        case 'n':
            return word("null", Json());
        default:
            return number();
        }
    }

    std::optional<Json> word(std::string_view expected, Json value) {
        if (mText.substr(mAt, expected.size()) != expected)
            return fail("not a value");
        mAt += expected.size();
        return value;
    }

    size_t digits() {
        const size_t first = mAt;
        while (peek() >= '0' && peek() <= '9')
            ++mAt;
        return mAt - first;
    }

    std::optional<Json> number() {
        const size_t first = mAt;
        take('-');
        const bool zero = peek() == '0';
        const size_t whole = digits();
        if (whole == 0 || (zero && whole > 1))
            return fail("not a value");
        bool integer = true;
        if (take('.')) {
            integer = false;
            if (digits() == 0)
                return fail("no digit after the point");
        }
        if (peek() == 'e' || peek() == 'E') {
            ++mAt;
            integer = false;
            if (!take('+'))
                take('-');
            if (digits() == 0)
                return fail("no digit in the exponent");
        }
        const char* const begin = mText.data() + first;
        const char* const end = mText.data() + mAt;
        if (integer) {
            int64_t value = 0;
            if (std::from_chars(begin, end, value).ec == std::errc())
                return Json(value);
        }
        // Not every standard library has std::from_chars for floating-point numbers.
        std::istringstream digits{std::string(begin, end)};
        digits.imbue(std::locale::classic());
        double value = 0;
        if (!(digits >> value) || !std::isfinite(value))
            return fail("a number out of range");
        return Json(value);
    }

    std::optional<uint32_t> hex4() {
        uint32_t value = 0;
        for (int i = 0; i < 4; ++i, ++mAt) {
            const char letter = peek();
            value <<= 4;
            if (letter >= '0' && letter <= '9')
                value += static_cast<uint32_t>(letter - '0');
            else if (letter >= 'a' && letter <= 'f')
                value += static_cast<uint32_t>(letter - 'a') + 10;
            else if (letter >= 'A' && letter <= 'F')
                value += static_cast<uint32_t>(letter - 'A') + 10;
            else
                return std::nullopt;
        }
        return value;
    }

    bool escape(std::string& out) {
        const char letter = peek();
        ++mAt;
        constexpr std::string_view kLetters = "\"\\/bfnrt";
        constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
        const size_t place = kLetters.find(letter);
        if (place != std::string_view::npos && letter != '\0') {
            out += kMeanings[place];
            return true;
        }
        if (letter != 'u')
            return false;
        std::optional<uint32_t> code = hex4();
        if (!code || (*code >= 0xdc00 && *code <= 0xdfff))
            return false;
        if (*code >= 0xd800 && *code <= 0xdbff) {
            if (!take('\\') || !take('u'))
                return false;
            const std::optional<uint32_t> low = hex4();
            if (!low || *low < 0xdc00 || *low > 0xdfff)
                return false;
            code = 0x10000 + ((*code - 0xd800) << 10) + (*low - 0xdc00);
        }
        appendUtf8(out, *code);
        return true;
    }

    std::optional<std::string> string() {
        ++mAt; // the quote
        std::string out;
        while (!atEnd()) {
            const char letter = mText[mAt];
            if (letter == '"') {
                ++mAt;
                return out;
            }
            if (static_cast<unsigned char>(letter) < 0x20)
                return fail("a control character in a string");
            if (letter == '\\') {
                ++mAt;
                if (!escape(out))
                    return fail("a wrong escape");
                continue;
            }
            const size_t bytes = utf8Length(mText.substr(mAt));
            if (bytes == 0)
                return fail("not UTF-8");
            out.append(mText.substr(mAt, bytes));
            mAt += bytes;
        }
        return fail("a string does not end");
    }

    std::optional<Json> array(int depth) {
        ++mAt;
        Json::Array values;
        skipSpace();
        if (take(']'))
            return Json(std::move(values));
        for (;;) {
            std::optional<Json> read = value(depth + 1);
            if (!read)
                return std::nullopt;
            values.push_back(std::move(*read));
            skipSpace();
            if (take(']'))
                return Json(std::move(values));
            if (!take(','))
                return fail("neither ',' nor ']' in an array");
        }
    }

    std::optional<Json> object(int depth) {
        ++mAt;
        Json::Object members;
        std::unordered_set<std::string> names;
        skipSpace();
        if (take('}'))
            return Json(std::move(members));
        for (;;) {
            skipSpace();
            if (peek() != '"')
                return fail("no name in an object");
            std::optional<std::string> name = string();
            if (!name)
                return std::nullopt;
            if (!names.insert(*name).second)
                return fail("a name twice in an object");
            skipSpace();
            if (!take(':'))
                return fail("no ':' after a name");
            std::optional<Json> read = value(depth + 1);
            if (!read)
                return std::nullopt;
            members.emplace_back(std::move(*name), std::move(*read));
            skipSpace();
            if (take('}'))
                return Json(std::move(members));
            if (!take(','))
                return fail("neither ',' nor '}' in an object");
        }
    }

    std::string_view mText;
    size_t mAt = 0;
    std::string mProblem;
};

void writeText(std::string& out, std::string_view text) {
    constexpr const char* kHex = "0123456789abcdef";
    out += '"';
    while (!text.empty()) {
        const auto letter = static_cast<unsigned char>(text.front());
        size_t bytes = 1;
        if (letter == '"' || letter == '\\') {
            out += '\\';
            out += text.front();
        } else if (letter == '\n') {
            out += "\\n";
        } else if (letter < 0x20 || letter == 0x7f) {
            out += "\\u00";
            out += kHex[letter >> 4];
            out += kHex[letter & 15];
        } else if (bytes = utf8Length(text); bytes > 0) {
            out.append(text.substr(0, bytes));
        } else {
            bytes = 1;
            out += "\\ufffd";
        }
        text.remove_prefix(bytes);
    }
    out += '"';
}

} // namespace

Json::Json(uint64_t value) {
    if (value <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
        mValue = static_cast<int64_t>(value);
    else
        mValue = static_cast<double>(value);
}

std::optional<Json> Json::parse(std::string_view text, std::string* problem) {
    return Parser(text).whole(problem);
}

std::string Json::write() const {
    std::string out;
    write(out);
    return out;
}

void Json::write(std::string& out) const {
    if (const bool* flag = boolean()) {
        out += *flag ? "true" : "false";
    } else if (const int64_t* whole = std::get_if<int64_t>(&mValue)) {
        fmt::format_to(std::back_inserter(out), "{}", *whole);
    } else if (const double* real = std::get_if<double>(&mValue); real && std::isfinite(*real)) {
        const size_t first = out.size();
        fmt::format_to(std::back_inserter(out), "{}", *real);
        // So that it is read as what it was written from.
        if (out.find_first_of(".e", first) == std::string::npos)
            out += ".0";
    } else if (const std::string* letters = text()) {
        writeText(out, *letters);
    } else if (const Array* values = array()) {
        out += '[';
        for (size_t i = 0; i < values->size(); ++i) {
            if (i > 0)
                out += ',';
            (*values)[i].write(out);
        }
        out += ']';
    } else if (const Object* members = object()) {
        out += '{';
        for (size_t i = 0; i < members->size(); ++i) {
            if (i > 0)
                out += ',';
            writeText(out, (*members)[i].first);
            out += ':';
            (*members)[i].second.write(out);
        }
        out += '}';
    } else {
        out += "null";
    }
}

std::optional<int64_t> Json::integer() const {
    const int64_t* whole = std::get_if<int64_t>(&mValue);
    return whole ? std::optional<int64_t>(*whole) : std::nullopt;
}

std::optional<double> Json::number() const {
    if (const int64_t* whole = std::get_if<int64_t>(&mValue))
        return static_cast<double>(*whole);
    const double* real = std::get_if<double>(&mValue);
    return real ? std::optional<double>(*real) : std::nullopt;
}

const Json* Json::find(std::string_view name) const {
    if (const Object* members = object())
        for (const Member& member : *members)
            if (member.first == name)
                return &member.second;
    return nullptr;
}

} // namespace kp::launch
