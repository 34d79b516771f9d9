// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <kompute/Tensor.hpp>
#include <kompute/launch/Launcher.hpp>
#include <kompute/operations/OpBase.hpp>

namespace kp {

/// One end of a copy: a tensor, an image, or the caller's host memory. Host memory must stay valid
/// until the copy is done.
class KOMPUTE_API CopyEnd {
public:
    template <typename M, typename = std::enable_if_t<std::is_base_of<Memory, M>::value>>
    CopyEnd(std::shared_ptr<M> memory) : mMemory(std::move(memory)) {}
    /// @param keepAlive  released when the copy launcher and its unfinished copies are gone
    CopyEnd(void* memory, uint64_t bytes, std::shared_ptr<void> keepAlive = nullptr)
        : mHost(memory), mBytes(bytes), mKeepAlive(std::move(keepAlive)) {}
    template <typename T>
    CopyEnd(std::vector<T>& memory) : mHost(memory.data()), mBytes(memory.size() * sizeof(T)) {}

    /// Returns true for a tensor or an image.
    bool onDevice() const { return mMemory != nullptr; }
    const std::shared_ptr<Memory>& memory() const { return mMemory; }
    void* host() const { return mHost; }
    uint64_t bytes() const;
    const std::shared_ptr<void>& keepAlive() const { return mKeepAlive; }

private:
    std::shared_ptr<Memory> mMemory;
    void* mHost = nullptr;
    uint64_t mBytes = 0;
    std::shared_ptr<void> mKeepAlive;
};

/// The range of a copy, in bytes. The default covers as much as both ends have.
struct CopyRange {
    uint64_t sourceOffset = 0;
    uint64_t destinationOffset = 0;
    std::optional<uint64_t> byteCount; ///< default: as much as both ends have after their offsets
};

/// Copies bytes between tensors, or between a tensor and host memory. A copy between tensors is
/// part of the surrounding submission. A copy from or to host memory runs on a thread of the
/// library and splits a list as a host function does. Images are always copied whole.
class KOMPUTE_API CopyLauncher : public Launcher {
public:
    /// @param variable      name of the copy in trace and statistics
    /// @param defaultQueue  queue for calls without one; null: the default queue of a tensor's
    ///                      manager
    /// @param profiler      notified of each profiled launch; may be null
    /// @throws InvalidArgument if an end is null or destroyed, both are host memory, the range does
    ///         not fit or overlaps within one tensor, or an image is not copied whole. The message
    ///         names the launcher, the end and the sizes
    CopyLauncher(std::string variable, CopyEnd source, CopyEnd destination, CopyRange range = {},
                 std::shared_ptr<Queue> defaultQueue = nullptr,
                 std::shared_ptr<TimingSink> profiler = nullptr);
    ~CopyLauncher() override;

    using Launcher::operator();
    std::optional<Event> operator()(const LaunchOptions& options) override;
    bool globalSizeConfigured() const override { return true; }
    uint64_t byteCount() const { return mBytes; }
    const std::shared_ptr<Queue>& managerQueue() const override { return mManagerQueue; }
    void appendSteps(launch::StepList& steps, const launch::CallContext& context) override;

private:
    CopyEnd mSource;
    CopyEnd mDestination;
    CopyRange mRange;
    uint64_t mBytes = 0;
    std::shared_ptr<Queue> mDefaultQueue;
    std::shared_ptr<Queue> mManagerQueue;
    std::shared_ptr<OpBase> mOperation; ///< null if one end is host memory
};

/// Fills a tensor, or a range of it, with a number of the tensor's type.
class KOMPUTE_API FillLauncher : public Launcher {
public:
    /// Parameters as for CopyLauncher, and:
    /// @param value      a number of the element type, or the bytes of one element
    /// @param offset     bytes from the start of the tensor, a multiple of the element size
    /// @param byteCount  likewise a multiple; default: up to the end
    /// @throws InvalidArgument if the tensor is null or destroyed, the value has another type, or
    ///         the range is empty or does not fit
    FillLauncher(std::string variable, std::shared_ptr<Tensor> tensor, ArgumentValue value,
                 uint64_t offset = 0, std::optional<uint64_t> byteCount = std::nullopt,
                 std::shared_ptr<Queue> defaultQueue = nullptr,
                 std::shared_ptr<TimingSink> profiler = nullptr);
    ~FillLauncher() override;

    using Launcher::operator();
    std::optional<Event> operator()(const LaunchOptions& options) override;
    bool globalSizeConfigured() const override { return true; }
    uint64_t byteCount() const { return mBytes; }
    const std::shared_ptr<Queue>& managerQueue() const override { return mManagerQueue; }
    void appendSteps(launch::StepList& steps, const launch::CallContext& context) override;

private:
    std::shared_ptr<Tensor> mTensor;
    uint64_t mBytes = 0;
    std::shared_ptr<Queue> mDefaultQueue;
    std::shared_ptr<Queue> mManagerQueue;
    std::shared_ptr<OpBase> mOperation;
};

} // namespace kp
