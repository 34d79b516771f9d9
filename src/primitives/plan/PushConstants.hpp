// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <vector>

namespace kp::primitives {

/// A member of a kernel's push constants. The build makes a struct of the block that a text
/// declares, with a table kMembers of them (cmake/KomputePushStruct.cmake).
struct PushMember {
    std::string_view name;
    std::string_view type; ///< in GLSL
    uint32_t bytes = 0;    ///< of the whole array, if it is one
};

/// A value in such a struct. It has no default, so that a plan cannot leave one out, and takes no
/// other type, so that nothing is cut off.
template <typename T>
struct Given {
    template <std::same_as<T> Same>
    constexpr Given(Same given) : value(given) {}
    T value;
};

/// Appends the words of a struct or of an element of an array behind it.
template <typename Value>
void appendWords(std::vector<uint32_t>& words, const Value& value) {
    static_assert(std::is_trivially_copyable_v<Value> && sizeof(Value) % sizeof(uint32_t) == 0 &&
                  alignof(Value) == alignof(uint32_t));
    const size_t size = words.size();
    words.resize(size + sizeof(Value) / sizeof(uint32_t));
    std::memcpy(words.data() + size, &value, sizeof(Value));
}

/// Returns the words of a struct that the build made of a text's push constants.
template <typename Push>
std::vector<uint32_t> pushWords(const Push& push) {
    constexpr auto bytes = [] {
        size_t sum = 0;
        for (const PushMember& member : Push::kMembers)
            sum += member.bytes;
        return sum;
    };
    static_assert(bytes() == sizeof(Push), "GLSL has no padding between these members");
    std::vector<uint32_t> words;
    appendWords(words, push);
    return words;
}

} // namespace kp::primitives
