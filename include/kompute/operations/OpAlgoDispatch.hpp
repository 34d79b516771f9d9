// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <kompute/detail/StoredConstants.hpp>
#include <kompute/memory/ArrayView.hpp>
#include <kompute/operations/OpBase.hpp>

namespace kp {

namespace detail {

/// A byte array. Small ones need no allocation.
class KOMPUTE_API SmallBytes {
public:
    SmallBytes() = default;
    SmallBytes(const void* data, size_t bytes) { assign(data, bytes); }
    void assign(const void* data, size_t bytes);

    const unsigned char* data() const { return mMany ? mMany.get() : mFew.data(); }
    size_t size() const { return mSize; }

private:
    uint32_t mSize = 0;
    std::array<unsigned char, 44> mFew; ///< makes an operation 128 bytes large
    std::unique_ptr<unsigned char[]> mMany;
};

} // namespace detail

/// Dispatches an algorithm. Push constants given here apply to this dispatch only; without them,
/// the algorithm's own are used.
class KOMPUTE_API OpAlgoDispatch : public OpBase {
public:
    /// Never throws; record() reports errors.
    template <typename T = float>
    OpAlgoDispatch(std::shared_ptr<Algorithm> algorithm, const std::vector<T>& pushConstants = {})
        : OpAlgoDispatch(std::move(algorithm), ArrayView<detail::StoredConstant<T>>(
                                                   detail::storedConstants(pushConstants))) {}
    /// @param type  of the push constants, which record() compares with the shader's; eCustom: it
    ///              compares sizes only
    OpAlgoDispatch(std::shared_ptr<Algorithm> algorithm, const void* pushConstants,
                   size_t pushConstantBytes, Memory::DataTypes type = Memory::DataTypes::eCustom);

    /// Creates an indirect dispatch. Each run reads its work group counts from device memory: three
    /// 32-bit unsigned integers. The library cannot check them. Counts beyond
    /// DeviceInfo::maxWorkgroupCount are undefined: drivers hang, crash or lose the device. Counts
    /// from SelectOptions::dispatch are within the limits; docs/guides/shaders.md shows how to
    /// limit others.
    /// @param algorithm    the algorithm to dispatch
    /// @param groupCounts  a tensor that an earlier operation or the host fills, of eUnsignedInt,
    ///                     eInt or eCustom, or record() throws InvalidArgument
    /// @param offset       bytes from the start of the tensor, a multiple of 4
    /// @throws InvalidArgument if @p groupCounts is null
    OpAlgoDispatch(std::shared_ptr<Algorithm> algorithm, std::shared_ptr<Tensor> groupCounts,
                   uint64_t offset);
    ~OpAlgoDispatch() override;

    /// Returns the bindings that the shader reads and writes according to its code. A derived class
    /// may record more, so its result is "anything" unless it overrides this function.
    Accesses accesses() override;

    /// @throws InvalidArgument if the algorithm is null or has no shader, the push constants have
    ///         the wrong size or type, a memory object was destroyed, the indirect counts do not
    ///         fit in their tensor, or the work group counts exceed the device's limits
    void record(const vk::CommandBuffer& commandBuffer) override;
    void preEval(const vk::CommandBuffer&) override {}
    void postEval(const vk::CommandBuffer&) override {}

protected:
    const std::shared_ptr<Algorithm>& algorithm() const { return mAlgorithm; }

private:
    template <typename T>
    OpAlgoDispatch(std::shared_ptr<Algorithm> algorithm, const ArrayView<T>& pushConstants)
        : OpAlgoDispatch(std::move(algorithm), pushConstants.data(), pushConstants.bytes(),
                         Memory::numberType<T>()) {
        static_assert(std::is_trivially_copyable<T>::value,
                      "push constants are copied byte by byte");
    }

    friend class DispatchCommands;
    friend class Recorder;
    friend class Sequence;

    Memory::DataTypes mPushType = Memory::DataTypes::eCustom; // first: in the padding of the base
    std::shared_ptr<Algorithm> mAlgorithm;
    detail::SmallBytes mPushConstants;
    std::shared_ptr<Tensor> mGroupCounts;
    uint64_t mGroupCountsOffset = 0;
};

} // namespace kp
