// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <kompute/Memory.hpp>
#include <kompute/memory/Half.hpp>
#include <kompute/shader/Reflection.hpp>

namespace kp {

/// Kind of a kernel argument.
enum class ArgumentKind {
    eBuffer,        ///< a storage or uniform buffer; takes a tensor
    eImage,         ///< a storage image; takes an image
    ePushConstant,  ///< a member of the push constant block
    eSpecialization ///< a specialization constant; optional, because the shader has a default
};

/// A kernel's declaration of an argument.
struct KernelArgument {
    uint32_t index = 0; ///< position in the argument list
    std::string name;   ///< "" if the module has none
    ArgumentKind kind = ArgumentKind::eBuffer;
    shader::ScalarType type = shader::ScalarType::eUnknown; ///< type of an element or of the number
    uint32_t components = 1;                                ///< numbers per element: vec4 has 4
    uint32_t bytes = 0; ///< of a push constant, with its padding, or specialization constant
    uint32_t place = 0; ///< binding, byte offset in the push constant block, or constant id
    /// Of a push constant; see shader::Member::axes.
    std::vector<shader::MemberAxis> axes;
    std::vector<shader::Member> members; ///< of a buffer of structs; see shader::Binding::members
    bool reads = true;                   ///< for buffers and images
    bool writes = true;                  ///< for buffers and images
};

/// The arguments of a kernel in order: descriptor bindings by number, push constants by offset,
/// then specialization constants by id. Specialization constants that set the local size are left
/// out; they are given as a local size. A value type.
class KOMPUTE_API KernelSignature {
public:
    KernelSignature() = default;
    explicit KernelSignature(const shader::Reflection& reflection);

    const std::vector<KernelArgument>& arguments() const { return mArguments; }
    /// Returns null if there is no argument with this name.
    const KernelArgument* find(const std::string& name) const;

private:
    std::vector<KernelArgument> mArguments;
};

/// Returns the type for messages: "float", "uint32[3]", "buffer of float", ...
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

/// A value for a kernel argument: a tensor, an image, a number, several numbers of one type
/// (vectors, matrices by columns, arrays; without the padding that the shader's layout has), or
/// bytes (structs). Types must match exactly: an int is not converted to
/// float.
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
    /// Returns a value of several numbers of one type, copied.
    /// @throws InvalidArgument if @p bytes does not match @p type and @p components
    static ArgumentValue numbers(shader::ScalarType type, uint32_t components, const void* data,
                                 size_t bytes);
    /// Returns a value of raw bytes, copied: a struct, or numbers whose types the caller
    /// guarantees.
    static ArgumentValue bytes(const void* data, size_t bytes);

    Kind kind() const { return mKind; }
    /// Returns null unless kind() is eMemory.
    const std::shared_ptr<Memory>& memory() const { return mMemory; }
    shader::ScalarType type() const { return mType; }
    uint32_t components() const { return mComponents; }
    const unsigned char* data() const { return mLarge.empty() ? mSmall.data() : mLarge.data(); }
    size_t size() const { return mSize; } ///< bytes; 0 for memory
    /// Returns the type for messages: "int32", "float[3]", "tensor of 100 eFloat", ...
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

/// A kernel argument in a list: by position, by index, or by its name in the shader. In one list,
/// either all arguments are by position, or each has an index or a name.
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

/// Returns the push constant block of a shader for an algorithm or a dispatch. Numbers are placed
/// by the shader's layout, with the padding of its matrices, arrays and vectors:
///
///     const kp::shader::Reflection reflection = kp::reflect(spirv);
///     const std::array<float, 9> turn = {0, 1, 0, -1, 0, 0, 0, 0, 1}; // column by column
///     algorithm->setPushConstants(kp::pushConstantBlock(reflection, {{"turn", turn}}));
///
/// @param values  one of each push constant: all by position, in the order of their offsets, or
///                each by that index or by name. Their types must match the shader's exactly
/// @throws InvalidArgument naming the push constant, its type, and the value that was given or is
///         missing
[[nodiscard]] KOMPUTE_API std::vector<std::byte>
pushConstantBlock(const shader::Reflection& reflection, const Arguments& values);

/// The value of a named parameter for one call.
struct Parameter {
    Parameter(std::string parameter, ArgumentValue v)
        : name(std::move(parameter)), value(std::move(v)) {}

    std::string name;
    ArgumentValue value;
};
using Parameters = std::vector<Parameter>;

} // namespace kp
