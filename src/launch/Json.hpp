// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace kp::launch {

/// A JSON value, for the library's own files: tuning records and traces. Reading is strict (RFC
/// 8259, whole text, valid UTF-8, no name twice in an object) and bounded in depth, since a file
/// may hold anything.
class Json {
public:
    using Array = std::vector<Json>;
    using Member = std::pair<std::string, Json>;
    using Object = std::vector<Member>; ///< in the order of writing

    /// Values in values, at most.
    static constexpr int kMaxDepth = 64;

    Json() = default; ///< null
    Json(bool value) : mValue(value) {}
    Json(int value) : mValue(int64_t{value}) {}
    Json(int64_t value) : mValue(value) {}
    /// Up to the largest int64_t; larger ones become floating-point numbers.
    Json(uint64_t value);
    Json(double value) : mValue(value) {}
    Json(std::string value) : mValue(std::move(value)) {}
    Json(std::string_view value) : mValue(std::string(value)) {}
    Json(const char* value) : mValue(std::string(value)) {}
    Json(Array value) : mValue(std::move(value)) {}
    Json(Object value) : mValue(std::move(value)) {}

    /// @return nothing where the text is not JSON; @p problem (may be null) then says what is
    ///         wrong and at which byte
    static std::optional<Json> parse(std::string_view text, std::string* problem = nullptr);

    /// The value as text without spaces. Numbers that are not finite become null, and bytes that
    /// are not UTF-8 become U+FFFD, so that the result can always be read.
    std::string write() const;
    void write(std::string& out) const;

    bool isNull() const { return std::holds_alternative<std::monostate>(mValue); }
    const bool* boolean() const { return std::get_if<bool>(&mValue); }
    const std::string* text() const { return std::get_if<std::string>(&mValue); }
    const Array* array() const { return std::get_if<Array>(&mValue); }
    const Object* object() const { return std::get_if<Object>(&mValue); }
    /// Empty for everything but a number written without fraction and exponent that fits.
    std::optional<int64_t> integer() const;
    /// Of any number.
    std::optional<double> number() const;

    /// A member of an object; null where there is none, or this is no object.
    const Json* find(std::string_view name) const;

    /// Equal kinds and values; 1 and 1.0 differ, as do objects in another order.
    bool operator==(const Json& other) const = default;

private:
    std::variant<std::monostate, bool, int64_t, double, std::string, Array, Object> mValue;
};

} // namespace kp::launch
