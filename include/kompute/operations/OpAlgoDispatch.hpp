// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <kompute/operations/OpBase.hpp>

namespace kp {

namespace detail {

/// Bytes. Few of them cost no allocation.
class KOMPUTE_API SmallBytes {
public:
    SmallBytes() = default;
    SmallBytes(const void* data, size_t bytes) { assign(data, bytes); }
    void assign(const void* data, size_t bytes);

    const unsigned char* data() const { return mMany ? mMany.get() : mFew.data(); }
    size_t size() const { return mSize; }

private:
    uint32_t mSize = 0;
    std::array<unsigned char, 44> mFew; ///< fills an operation up to 128 bytes
    std::unique_ptr<unsigned char[]> mMany;
};

} // namespace detail

/// Dispatches an algorithm. Push constants given here belong to this dispatch alone; without them
/// the algorithm's own are used.
class KOMPUTE_API OpAlgoDispatch : public OpBase {
public:
    /// Never throws; what is wrong is said by record().
    template <typename T = float>
    OpAlgoDispatch(std::shared_ptr<Algorithm> algorithm, const std::vector<T>& pushConstants = {})
        : OpAlgoDispatch(std::move(algorithm), pushConstants.data(),
                         pushConstants.size() * sizeof(T)) {
        static_assert(std::is_trivially_copyable<T>::value,
                      "push constants are copied byte by byte");
    }
    OpAlgoDispatch(std::shared_ptr<Algorithm> algorithm, const void* pushConstants,
                   size_t pushConstantBytes);

    /// Takes the group counts of each run from device memory: three 32-bit unsigned integers.
    /// @param groupCounts  a tensor that an earlier operation or the host fills
    /// @param offset       bytes from its start, a multiple of 4
    OpAlgoDispatch(std::shared_ptr<Algorithm> algorithm, std::shared_ptr<Tensor> groupCounts,
                   uint64_t offset);
    ~OpAlgoDispatch() override;

    /// The bindings that the shader reads and writes, as its code says. A class derived from this
    /// one may record more, so for it the answer is "anything" unless it says otherwise itself.
    Accesses accesses() override;

    /// @throws InvalidArgument where the algorithm has no shader, push constants have the wrong
    ///         size, a memory object was destroyed, or group counts are over the device's limit
    void record(const vk::CommandBuffer& commandBuffer) override;
    void preEval(const vk::CommandBuffer& commandBuffer) override;
    void postEval(const vk::CommandBuffer& commandBuffer) override;

protected:
    const std::shared_ptr<Algorithm>& algorithm() const { return mAlgorithm; }

private:
    friend class Recorder;
    friend class Sequence;

    std::shared_ptr<Algorithm> mAlgorithm;
    detail::SmallBytes mPushConstants;
    std::shared_ptr<Tensor> mGroupCounts;
    uint64_t mGroupCountsOffset = 0;
};

} // namespace kp
