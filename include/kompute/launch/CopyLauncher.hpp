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

/// One end of a copy: a tensor, or host memory of the caller, which must stay until the copy is
/// done.
class KOMPUTE_API CopyEnd {
public:
    template <typename M, typename = std::enable_if_t<std::is_base_of<Memory, M>::value>>
    CopyEnd(std::shared_ptr<M> memory) : mMemory(std::move(memory)) {}
    CopyEnd(void* memory, uint64_t bytes) : mHost(memory), mBytes(bytes) {}
    /// @param keepAlive  held until the copy is done
    CopyEnd(void* memory, uint64_t bytes, std::shared_ptr<void> keepAlive)
        : mHost(memory), mBytes(bytes), mKeepAlive(std::move(keepAlive)) {}
    template <typename T>
    CopyEnd(std::vector<T>& memory) : mHost(memory.data()), mBytes(memory.size() * sizeof(T)) {}

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

/// What of a copy differs from "as much as both ends hold, from their beginnings". In bytes.
struct CopyRange {
    uint64_t sourceOffset = 0;
    uint64_t destinationOffset = 0;
    std::optional<uint64_t> byteCount; ///< without: as much as both have behind their offsets
};

/// Copies bytes between tensors, or between a tensor and host memory. Tensor to tensor is a part of
/// the submission it stands in; host memory is copied by the transfer engine on a thread of the
/// library, and splits a list as a host function does. Images are copied whole.
class KOMPUTE_API CopyLauncher : public Launcher {
public:
    /// @param variable  the copy's name in trace and statistics
    /// @throws InvalidArgument where an end is null or destroyed, both are host memory, or the
    /// range
    ///         does not fit: the message names launcher, end, and what is asked for and there
    CopyLauncher(std::string variable, CopyEnd source, CopyEnd destination, CopyRange range = {},
                 std::shared_ptr<Queue> defaultQueue = nullptr,
                 std::shared_ptr<TimingSink> profiler = nullptr);
    ~CopyLauncher() override;

    using Launcher::operator();
    std::optional<Event> operator()(const LaunchOptions& options) override;
    bool globalSizeConfigured() const override { return true; }
    uint64_t byteCount() const { return mBytes; }
    void appendSteps(launch::StepList& steps, const launch::CallContext& context) override;

private:
    CopyEnd mSource;
    CopyEnd mDestination;
    CopyRange mRange;
    uint64_t mBytes = 0;
    std::shared_ptr<Queue> mDefaultQueue;
    std::shared_ptr<OpBase> mOperation; ///< null for host memory
};

/// Fills a tensor, or a range of it, with a number of the tensor's type.
class KOMPUTE_API FillLauncher : public Launcher {
public:
    /// @param byteCount  without: to the end. Offset and count are multiples of the element's size
    /// @throws InvalidArgument where the value is of another type, or the range does not fit
    FillLauncher(std::string variable, std::shared_ptr<Tensor> tensor, ArgumentValue value,
                 uint64_t offset = 0, std::optional<uint64_t> byteCount = std::nullopt,
                 std::shared_ptr<Queue> defaultQueue = nullptr,
                 std::shared_ptr<TimingSink> profiler = nullptr);
    ~FillLauncher() override;

    using Launcher::operator();
    std::optional<Event> operator()(const LaunchOptions& options) override;
    bool globalSizeConfigured() const override { return true; }
    uint64_t byteCount() const { return mBytes; }
    void appendSteps(launch::StepList& steps, const launch::CallContext& context) override;

private:
    std::shared_ptr<Tensor> mTensor;
    uint64_t mBytes = 0;
    std::shared_ptr<Queue> mDefaultQueue;
    std::shared_ptr<OpBase> mOperation;
};

} // namespace kp
