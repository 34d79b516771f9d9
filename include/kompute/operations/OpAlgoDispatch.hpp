// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <kompute/operations/OpBase.hpp>

namespace kp {

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

    std::shared_ptr<Algorithm> mAlgorithm;
    std::vector<unsigned char> mPushConstants;
    std::shared_ptr<Tensor> mGroupCounts;
    uint64_t mGroupCountsOffset = 0;
};

} // namespace kp
