// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "core/check/CheckedShader.hpp"
#include "vulkan/memory/Buffer.hpp"
#include "vulkan/pipeline/DescriptorAllocator.hpp"
#include "vulkan/pipeline/PipelineCache.hpp"

namespace kp {

/// The contents of a shader's binding.
struct BoundMemory {
    uint32_t set = 0;
    uint32_t binding = 0;
    std::string text; ///< for messages
    uint64_t bytes = 0;
    uint64_t begin = 0; ///< byte of the memory that is bound first
    /// vulkan::WrittenMemory::of() the memory; may be null.
    std::shared_ptr<vulkan::Buffer> written = nullptr;
    /// If not 0, messages of reads of unwritten memory count elements of so many bytes, from
    /// the memory's first. Else they have the shader's index.
    uint32_t elementBytes = 0;
    const void* memory = nullptr; ///< names the memory: bindings may share it
};

/// Returns the contents of a binding; null if it has no memory.
const BoundMemory* memoryAt(std::span<const BoundMemory> bound, uint32_t set, uint32_t binding);

/// Bytes that buffer addresses may point to.
struct AddressRange {
    uint64_t address = 0;
    uint64_t bytes = 0;
};

/// The buffer that the dispatches of a checked shader report to. Thread-safe.
class CheckReport {
public:
    /// @param name    of the algorithm, may be null
    /// @param shadow  for CheckedModule::shadowed, if the report is not alone in using it: replaced
    ///                by another if it is too small, or null
    /// @throws OutOfMemory
    CheckReport(vulkan::Device& device, std::shared_ptr<const CheckedShader> shader,
                std::vector<BoundMemory> bound, std::shared_ptr<const std::string> name,
                std::shared_ptr<vulkan::Buffer>* shadow = nullptr);
    /// Keeps untaken faults, see keepFaults().
    ~CheckReport();
    CheckReport(const CheckReport&) = delete;
    CheckReport& operator=(const CheckReport&) = delete;

    void setName(std::shared_ptr<const std::string> name);
    /// Compares buffer addresses with ranges from now on. They may be any before, and if the ranges
    /// are too many.
    void allowAddresses(std::span<const AddressRange> ranges);
    /// Makes the descriptor set of CheckedModule::reportSet.
    /// @param layout  with addReportBindings()
    std::shared_ptr<vulkan::DescriptorSet> describe(const vulkan::PipelineLayout& layout) const;
    /// Records that the shadow is cleared, before a dispatch.
    void recordReset(const vulkan::DeviceHandle& device, VkCommandBuffer commandBuffer) const;
    /// Returns the faults of finished work as a CheckFailed, and forgets them; null if there are
    /// none.
    std::exception_ptr take();

private:
    void makeShadow(vulkan::Device& device, std::shared_ptr<vulkan::Buffer>* shared);

    const vulkan::Device* const mDevice; ///< names the device only
    const std::shared_ptr<const CheckedShader> mShader;
    const std::vector<BoundMemory> mBound;
    const std::shared_ptr<vulkan::Buffer> mBuffer;
    std::shared_ptr<vulkan::Buffer> mShadow;  ///< of CheckedModule::shadowed; may be null
    uint64_t mShadowBytes = 0;                ///< of it that the shader uses
    std::shared_ptr<vulkan::Buffer> mNothing; ///< for buffers that are not followed; may be null
    std::mutex mMutex;
    std::shared_ptr<const std::string> mName; ///< guarded by mMutex

    friend void throwFaults(const vulkan::Device& device);
};

using CheckReports = std::vector<std::shared_ptr<CheckReport>>;

/// Returns the faults of the first report that has any, and forgets all; null if none has.
std::exception_ptr takeFaults(const CheckReports& reports);

/// Keeps faults for throwFaults(). It logs the ones that it never throws when the device ends.
void keepFaults(vulkan::Device& device, std::exception_ptr faults) noexcept;

/// Throws the untaken faults of any finished work of a device. Call it
/// after a wait that belongs to no event.
/// @throws CheckFailed
void throwFaults(const vulkan::Device& device);

} // namespace kp
