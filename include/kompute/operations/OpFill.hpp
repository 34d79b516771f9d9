// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include <kompute/operations/OpAlgoDispatch.hpp>

namespace kp {

class ByteKernel;

/// An element given by its bits, which OpFill does not convert.
///
///     sequence->record<kp::OpFill>({floats}, kp::ElementBits(0x7fc00000u)); // NaN
struct ElementBits {
    /// @param value  of 1, 2, 4 or 8 bytes
    template <typename T>
    explicit ElementBits(T value) : bytes(sizeof value) {
        static_assert(std::is_trivially_copyable<T>::value && sizeof(T) <= 8, "an element");
        std::memcpy(&bits, &value, sizeof value);
    }

    uint64_t bits = 0;
    uint32_t bytes;
};

/// Fills the device memory of tensors with a value. After the evaluation, the host view of each
/// tensor shows it.
class KOMPUTE_API OpFill : public OpBase {
public:
    /// @param memObjects  the tensors
    /// @param value       a number, which is converted to the type of each tensor's elements:
    ///                    OpFill({floats}, 1) fills with 1.0f. Conversions to floating-point types
    ///                    round. Elements of eCustom are the number's bytes. Or ElementBits, or an
    ///                    element of another type (kp::Half, std::complex<float>), which is copied
    /// @throws InvalidArgument if there are no objects, one is an image, a number does not fit into
    ///         the elements of one (a fraction or too large for an integer, or too large for a
    ///         float), an element has another size, or one wraps a buffer and its size is not a
    ///         multiple of 4 bytes
    template <typename T>
    OpFill(const MemoryObjects& memObjects, T value) : OpFill(memObjects, Value::of(value)) {}
    ~OpFill() override;

    Accesses accesses() override;
    void record(const vk::CommandBuffer& commandBuffer) override;
    void preEval(const vk::CommandBuffer&) override {}
    void postEval(const vk::CommandBuffer& commandBuffer) override;

private:
    friend struct Internals;
    /// The value given to the constructor.
    struct Value {
        enum class Kind { eBits, eSigned, eUnsigned, eFloating };
        Kind kind = Kind::eBits;
        uint64_t bits = 0;  ///< of an int64_t, uint64_t, double or the element
        uint32_t bytes = 0; ///< of the value given

        static Value of(const ElementBits& element) {
            return {Kind::eBits, element.bits, element.bytes};
        }
        template <typename T>
        static Value of(T value) {
            if constexpr (std::is_floating_point<T>::value)
                return {Kind::eFloating, ElementBits(static_cast<double>(value)).bits, sizeof(T)};
            else if constexpr (std::is_integral<T>::value && std::is_signed<T>::value)
                return {Kind::eSigned, static_cast<uint64_t>(static_cast<int64_t>(value)),
                        sizeof(T)};
            else if constexpr (std::is_integral<T>::value)
                return {Kind::eUnsigned, static_cast<uint64_t>(value), sizeof(T)};
            else
                return of(ElementBits(value));
        }
    };
    OpFill(const MemoryObjects& memObjects, const Value& value);

    std::vector<std::shared_ptr<Memory>> mMemObjects;
    std::vector<uint64_t> mPatterns; ///< of each tensor: an element, repeated to 8 bytes
    bool mByKernel = false;          ///< result of the last accesses(): a compute shader fills
    /// Of each tensor, if the two halves of its pattern differ, which no Vulkan fill command
    /// supports; otherwise null.
    std::vector<std::shared_ptr<OpAlgoDispatch>> mDispatches;
    std::vector<std::shared_ptr<const ByteKernel>> mKernels; ///< of each tensor, for OpRepeat
};

} // namespace kp
