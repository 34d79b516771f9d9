// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <kompute/Half.hpp>
#include <kompute/Memory.hpp>
#include <kompute/Reflection.hpp>

namespace kp {

/// What an argument of a kernel is.
enum class ArgumentKind {
    eBuffer,        ///< a storage or uniform buffer: a tensor
    eImage,         ///< a storage image
    ePushConstant,  ///< a member of the push-constant block
    eSpecialization ///< a specialization constant; may be left out, the shader has a default
};

/// One argument that a kernel declares.
struct KernelArgument {
    uint32_t index = 0; ///< place in the list of arguments
    std::string name;   ///< "" where the module has none
    ArgumentKind kind = ArgumentKind::eBuffer;
    shader::ScalarType type = shader::ScalarType::eUnknown; ///< of an element or of the number
    uint32_t components = 1;                                ///< numbers in one element: vec4 -> 4
    uint32_t bytes = 0; ///< of a push constant or specialization constant
    uint32_t place = 0; ///< binding, byte offset in the push-constant block, or constant id
    bool reads = true;  ///< buffers and images
    bool writes = true; ///< buffers and images
};

/// The arguments of a kernel in their order: descriptor bindings ascending, then members of the
/// push-constant block by offset, then specialization constants by id (without those that set the
/// local size, which are given as a local size).
class KOMPUTE_API KernelSignature {
public:
    KernelSignature() = default;
    explicit KernelSignature(const shader::Reflection& reflection);

    const std::vector<KernelArgument>& arguments() const { return mArguments; }
    /// Null where there is none.
    const KernelArgument* find(const std::string& name) const;

private:
    std::vector<KernelArgument> mArguments;
};

/// "float", "uint32[3]", "buffer of float", ... for messages.
KOMPUTE_API std::string typeName(const KernelArgument& argument);

namespace detail {

template <typename T>
constexpr shader::ScalarType scalarTypeOf() {
    using shader::ScalarType;
    if constexpr (std::is_same<T, bool>::value)
        return ScalarType::eBool;
    else if constexpr (std::is_same<T, Half>::value)
        return ScalarType::eFloat16;
    else if constexpr (std::is_same<T, float>::value)
        return ScalarType::eFloat32;
    else if constexpr (std::is_same<T, double>::value)
        return ScalarType::eFloat64;
    else if constexpr (std::is_integral<T>::value && std::is_signed<T>::value)
        return sizeof(T) == 1   ? ScalarType::eInt8
               : sizeof(T) == 2 ? ScalarType::eInt16
               : sizeof(T) == 4 ? ScalarType::eInt32
                                : ScalarType::eInt64;
    else if constexpr (std::is_integral<T>::value)
        return sizeof(T) == 1   ? ScalarType::eUint8
               : sizeof(T) == 2 ? ScalarType::eUint16
               : sizeof(T) == 4 ? ScalarType::eUint32
                                : ScalarType::eUint64;
    else
        return ScalarType::eUnknown;
}

} // namespace detail

/// A value for an argument: a tensor, an image, one number, a few numbers of one type (vectors,
/// matrices), or bytes (structs). Types are exact: an int is no float.
class KOMPUTE_API ArgumentValue {
public:
    enum class Kind { eNone, eMemory, eNumbers, eBytes };

    ArgumentValue() = default;
    template <typename M, typename = std::enable_if_t<std::is_base_of<Memory, M>::value>>
    ArgumentValue(std::shared_ptr<M> memory) : mKind(Kind::eMemory), mMemory(std::move(memory)) {}
    template <
        typename T, typename = void,
        typename = std::enable_if_t<detail::scalarTypeOf<T>() != shader::ScalarType::eUnknown>>
    ArgumentValue(T value) : mKind(Kind::eNumbers), mType(detail::scalarTypeOf<T>()) {
        if constexpr (std::is_same<T, bool>::value) {
            const uint32_t word = value ? 1 : 0;
            store(&word, sizeof word);
        } else {
            store(&value, sizeof value);
        }
    }
    template <typename T, size_t N>
    ArgumentValue(const std::array<T, N>& values)
        : ArgumentValue(numbers(detail::scalarTypeOf<T>(), N, values.data(), N * sizeof(T))) {
        static_assert(detail::scalarTypeOf<T>() != shader::ScalarType::eUnknown &&
                          !std::is_same<T, bool>::value,
                      "numbers");
    }
    /// @param bytes  of all the numbers
    static ArgumentValue numbers(shader::ScalarType type, uint32_t components, const void* data,
                                 size_t bytes);
    /// A struct, or numbers whose types the caller vouches for.
    static ArgumentValue bytes(const void* data, size_t bytes);

    Kind kind() const { return mKind; }
    const std::shared_ptr<Memory>& memory() const { return mMemory; } ///< null unless eMemory
    shader::ScalarType type() const { return mType; }
    uint32_t components() const { return mComponents; }
    const unsigned char* data() const { return mLarge.empty() ? mSmall.data() : mLarge.data(); }
    size_t size() const { return mSize; } ///< bytes; 0 for memory
    /// "int32", "float[3]", "tensor of eFloat", ... for messages.
    std::string describe() const;

    friend KOMPUTE_API bool operator==(const ArgumentValue& a, const ArgumentValue& b);
    friend bool operator!=(const ArgumentValue& a, const ArgumentValue& b) { return !(a == b); }

private:
    void store(const void* data, size_t bytes);

    Kind mKind = Kind::eNone;
    shader::ScalarType mType = shader::ScalarType::eUnknown;
    uint32_t mComponents = 1;
    uint32_t mSize = 0;
    std::array<unsigned char, 16> mSmall{};
    std::vector<unsigned char> mLarge;
    std::shared_ptr<Memory> mMemory;
};

/// An argument in a list: by position, by index, or by the name that the shader gives it. A list is
/// all by position, or has an index or a name for each.
struct Argument {
    template <typename V,
              typename = std::enable_if_t<std::is_constructible<ArgumentValue, V>::value>>
    Argument(V&& v) : value(std::forward<V>(v)) {}
    Argument(uint32_t place, ArgumentValue v) : index(place), value(std::move(v)) {}
    Argument(std::string argument, ArgumentValue v)
        : name(std::move(argument)), value(std::move(v)) {}

    std::optional<uint32_t> index;
    std::string name;
    ArgumentValue value;
};

using Arguments = std::vector<Argument>;

/// Values of named parameters for one call.
struct Parameter {
    Parameter(std::string parameter, ArgumentValue v)
        : name(std::move(parameter)), value(std::move(v)) {}

    std::string name;
    ArgumentValue value;
};
using Parameters = std::vector<Parameter>;

} // namespace kp
