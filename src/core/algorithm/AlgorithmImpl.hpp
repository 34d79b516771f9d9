// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <kompute/Algorithm.hpp>
#include <kompute/operations/OpBase.hpp>

#include "core/CallGate.hpp"
#include "core/Internals.hpp"
#include "core/algorithm/AlgorithmChecks.hpp"
#include "core/algorithm/BindingChecks.hpp"
#include "core/algorithm/BoundState.hpp"
#include "core/algorithm/Specialization.hpp"
#include "core/check/DispatchNotes.hpp"
#include "shader/reflect/Reflection.hpp"
#include "vulkan/device/Device.hpp"
#include "vulkan/memory/Buffer.hpp"
#include "vulkan/pipeline/DescriptorAllocator.hpp"
#include "vulkan/pipeline/PipelineCache.hpp"
#include "vulkan/pipeline/Sampler.hpp"

namespace kp {

class Queue;
struct LoweredShader;
struct CheckedShader;

/// A pipeline with memory bound to it, and the facts about that memory for recording a dispatch.
/// Immutable.
struct MemoryBinding {
    struct Use {
        std::shared_ptr<vulkan::Resource> resource;
        bool reads = false;
        bool writes = false;
        /// Index of the memory object; those in AlgorithmOptions::addressed follow the others.
        uint32_t argument = 0;
    };
    std::shared_ptr<vulkan::Pipeline> pipeline;
    std::shared_ptr<vulkan::DescriptorSet> set; ///< null if set 0 has no bindings
    /// Of sets 1, 2, ...; null for those without bindings.
    std::vector<std::shared_ptr<vulkan::DescriptorSet>> furtherSets;
    std::vector<Use> uses; ///< in the order of the shader's bindings, then those by address
    std::vector<std::shared_ptr<const vulkan::Sampler>> samplers;
    DispatchNotes notes;
    std::shared_ptr<const std::string> name;              ///< of the algorithm, or null
    std::shared_ptr<const shader::Reflection> reflection; ///< of the shader, for messages
    bool hostMayRead = false; ///< the host can read some output in place
    bool padded = false;      ///< some memory is a Memory::Impl::padded image

    void bindTo(BoundState& bound) const {
        bound.bind(*pipeline, set.get());
        if (!furtherSets.empty()) [[unlikely]]
            bound.bindFurther(*pipeline, furtherSets);
    }
    /// Returns true if a tensor was rebuilt or destroyed since.
    bool outdated() const {
        for (const Use& use : uses)
            if (use.resource->destroyed())
                return true;
        return false;
    }
};

struct Algorithm::Impl {
    std::shared_ptr<vulkan::Device> device; ///< null after destroy()
    std::weak_ptr<Queue> managerQueue;      ///< of the manager that made it
    std::shared_ptr<CallGate> gate;         ///< of that manager; null without one
    std::vector<std::shared_ptr<Memory>> memObjects;
    TypeRule types = TypeRule::eSame;
    std::shared_ptr<const shader::Reflection> reflection; ///< null without a shader
    std::shared_ptr<vulkan::Pipeline> pipeline;
    /// Everything that a recorded dispatch must keep alive, in one object. Null without a shader.
    std::shared_ptr<const MemoryBinding> binding;
    Workgroup workgroup{1, 1, 1};
    bool workgroupUnchecked = false; ///< it is the default, and nothing was dispatched yet
    bool wordBuffers = false;        ///< elements of 8 and 16 bits are accessed as words
    Workgroup localSize{1, 1, 1};
    Specialization specialization;
    std::shared_ptr<const CheckedShader> checked; ///< null unless checked mode is on
    AlgorithmOptions options;
    std::shared_ptr<const std::string> name; ///< in tools and messages; null without one
    std::vector<unsigned char> pushConstants;
    Memory::DataTypes pushType = Memory::DataTypes::eCustom; ///< of pushConstants
    uint32_t takenPushTypes = 0; ///< bit for each of DataTypes that the shader's members take

    /// @throws InvalidArgument after destroy()
    void requireAlive() const;
    /// @throws InvalidArgument without a shader
    void requireReady() const;
    /// @throws InvalidArgument unless @p bytes is the size of the push constants given last to the
    ///         constructor or rebuild()
    void requireBuiltSize(size_t bytes) const;

    /// Names the dispatches and the pipeline.
    void setName(std::shared_ptr<const std::string> text);
    /// Returns "the algorithm 'blur'", or "this algorithm" if it has no name.
    std::string describe() const;
    /// Checks a shader against the device, memory and constants, and sets everything else.
    void setShader(std::span<const uint32_t> spirv);
    /// Checks the module for the driver: the shader, or the lowered one if it is not null.
    void requireLowered(std::span<const uint32_t> spirv, const Hash& key,
                        const LoweredShader* lowered) const;
    void setWorkgroup(const Workgroup& counts) {
        workgroup = counts;
        workgroupUnchecked = false;
    }
    /// Sets the counts that cover a number of invocations. @throws as Algorithm::setThreadCount()
    void setThreadCount(const std::array<uint64_t, 3>& threads);
    /// Sets one work group per element of the first memory object or, with kp_index(), one
    /// invocation per element of the largest tensor.
    void setDefaultWorkgroup();
    /// Warns before the first dispatch with the default counts if the shader writes a tensor with
    /// more elements than there are invocations, or an image with more rows, layers or slices than
    /// there are invocations along that axis; or if there are many times more invocations than
    /// elements.
    void checkWorkgroupOnce() {
        if (workgroupUnchecked) [[unlikely]]
            checkDefaultWorkgroup();
    }
    /// Warns of given constants that the shader does not declare, and of memory that it does not
    /// use.
    void warnOfIgnored(bool constantsGiven, bool pushConstantsGiven) const;
    void bindMemory(); ///< binds the current memory objects
    /// Returns true if a tensor was rebuilt since. @throws InvalidArgument if one was destroyed
    bool memoryChanged() const {
        if (!binding->outdated()) [[likely]]
            return false;
        requireMemory();
        return true;
    }
    /// Binds the memory objects again if one was rebuilt. @throws as memoryChanged()
    void refreshBinding() {
        if (memoryChanged()) [[unlikely]]
            rebind();
    }
    /// Returns the push constants to record for a dispatch: its own or, if it has none, the
    /// algorithm's.
    /// @throws InvalidArgument if their size or type does not match the shader
    std::span<const unsigned char> constantsFor(std::span<const unsigned char> own,
                                                Memory::DataTypes ownType) const {
        const std::span<const unsigned char> chosen =
            own.empty() ? std::span<const unsigned char>(pushConstants) : own;
        const Memory::DataTypes type = own.empty() ? pushType : ownType;
        const bool asBuilt = pushConstants.empty() || chosen.size() == pushConstants.size();
        const bool taken = (takenPushTypes >> static_cast<uint32_t>(type) & 1u) != 0;
        if (asBuilt && taken && chosen.size() == reflection->pushConstantSize) [[likely]]
            return chosen;
        checkConstants(chosen.size(), type);
        // Without the end of a padded struct, or without any if the shader declares none.
        const size_t declared = (reflection->pushConstantSize + size_t{3}) / 4 * 4;
        return chosen.first(std::min(chosen.size(), declared));
    }
    /// Returns true if the shader may access memory that is not declared.
    bool accessesAnything() const {
        return reflection->usesBufferAddresses && options.addressed.empty();
    }
    /// Calls @p function(binding, memory) for each memory object that the shader uses.
    template <typename Function>
    void eachUsed(Function&& function) const {
        for (const shader::Binding& used : reflection->bindings)
            for (uint32_t element = 0; used.takesMemory() && element < used.count; ++element)
                function(used, memObjects[used.argument + element]);
    }
    /// Returns the memory that a dispatch reads and writes; empty without a shader.
    Accesses accesses() const;
    /// Notes that the program records a dispatch of its own; see Memory::Impl::expose().
    void exposeMemory() const;

private:
    void checkDefaultWorkgroup();
    /// Makes the buffer for reports of a checked shader, and its descriptor set.
    std::shared_ptr<vulkan::DescriptorSet> bindReport(MemoryBinding& next) const;
    /// Adds a memory object or a sampler, or both, to @p next, and returns its descriptor.
    vulkan::DescriptorWrite bindObject(const shader::Binding& used, uint32_t element,
                                       MemoryBinding& next) const;
    void requireMemory() const;
    void rebind();
    void checkConstants(size_t bytes, Memory::DataTypes type) const;
};

/// Returns another algorithm with the same pipeline and memory, and no push constants of its own.
std::shared_ptr<Algorithm> cloneOf(const Algorithm& algorithm);

} // namespace kp
