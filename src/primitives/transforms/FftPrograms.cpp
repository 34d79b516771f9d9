// SPDX-License-Identifier: Apache-2.0
#include "primitives/transforms/FftPrograms.hpp"

#include <algorithm>
#include <list>
#include <mutex>
#include <set>
#include <utility>

#include <kompute/Sequence.hpp>
#include <kompute/primitives/Primitive.hpp>

#include "base/Text.hpp"
#include "core/Internals.hpp"
#include "core/memory/MemoryImpl.hpp"
#include "core/queue/LaunchCapture.hpp"
#include "core/queue/LaunchRules.hpp"
#include "vulkan/fft/PlainFft.hpp"
#include "vulkan/fft/PowerOfTwoFft.hpp"
#include "vulkan/fft/SharedTables.hpp"
#include "vulkan/fft/VkFft.hpp"
#include "vulkan/memory/Buffer.hpp"
#include "vulkan/memory/BufferCache.hpp"

namespace kp::primitives {
namespace {

using vulkan::FftLimits;
using vulkan::FftProgram;
using vulkan::FftRequest;

/// The programs planned last. They hold no device.
class KnownPrograms {
public:
    static KnownPrograms& instance() {
        static auto& known = *new KnownPrograms;
        return known;
    }

    std::shared_ptr<const FftProgram> get(const FftRequest& request, const FftLimits& limits) {
        {
            const std::lock_guard lock(mMutex);
            for (auto at = mEntries.begin(); at != mEntries.end(); ++at)
                if (at->request == request && at->limits == limits) {
                    mEntries.splice(mEntries.begin(), mEntries, at);
                    return at->program;
                }
        }
        auto program = std::make_shared<const FftProgram>(planned(request, limits));
        Entry entry{request, limits, program, bytesOf(*program)};
        std::list<Entry> removed; // destroyed without the lock
        const std::lock_guard lock(mMutex);
        mBytes += entry.bytes;
        mEntries.push_front(std::move(entry));
        while (mBytes > kMaxBytes && mEntries.size() > 1) {
            mBytes -= mEntries.back().bytes;
            removed.splice(removed.begin(), mEntries, std::prev(mEntries.end()));
        }
        return program;
    }

private:
    static constexpr uint64_t kMaxBytes = uint64_t{32} << 20;

    struct Entry {
        FftRequest request;
        FftLimits limits;
        std::shared_ptr<const FftProgram> program;
        uint64_t bytes;
    };

    static FftProgram planned(const FftRequest& request, const FftLimits& limits) {
        FftProgram program;
        if (vulkan::hasVkFft()) // without it, there are no transforms at all
            program = limits.isCpu ? vulkan::planPlainFft(request, limits)
                                   : vulkan::planPowerOfTwoFft(request, limits);
        return program.steps.empty()
                   ? vulkan::withSharedTables(vulkan::planVkFft(request, limits), limits.maxBuffers)
                   : program;
    }

    static uint64_t bytesOf(const FftProgram& program) {
        uint64_t bytes = 1024;
        for (const std::string& kernel : program.kernels)
            bytes += kernel.size();
        for (const auto& step : program.setup)
            if (const auto* const upload = std::get_if<FftProgram::Upload>(&step))
                bytes += upload->bytes.size();
        return bytes;
    }

    std::mutex mMutex;
    std::list<Entry> mEntries; ///< the last used first
    uint64_t mBytes = 0;
};

class SetupOperation final : public Primitive {
public:
    explicit SetupOperation(std::unique_ptr<BoundPlan> plan) : Primitive(std::move(plan)) {}
};

Kernel kernelOf(const std::string& text) {
    Kernel kernel;
    kernel.name = "OpFFT";
    kernel.source = text;
    return kernel;
}

/// @param place  of a memory of the program in the plan
template <typename PlaceOf>
Dispatch dispatchOf(const FftProgram::Dispatch& step, const std::vector<uint32_t>& kernels,
                    PlaceOf place) {
    Dispatch dispatch;
    dispatch.kernel = kernels[step.kernel];
    dispatch.push = step.push;
    dispatch.exactGroups = step.groups;
    for (const FftProgram::Binding& binding : step.bindings) {
        const FftPrograms::Place at = place(binding.memory);
        View view;
        view.memory = at.memory;
        view.offset = at.offset + binding.offset;
        view.bytes = binding.bytes;
        view.elementBytes = 1;
        view.use = binding.writes ? View::Use::eWrite : View::Use::eRead;
        dispatch.views.push_back(view);
    }
    return dispatch;
}

/// Returns the contents of all memories that the setup of a program writes, by memory.
std::vector<std::shared_ptr<vulkan::Buffer>> setUp(const std::shared_ptr<vulkan::Device>& device,
                                                   const FftProgram& program) {
    const LaunchCapture::Pause pause; // tables are computed once
    std::vector<std::shared_ptr<vulkan::Buffer>> buffers(program.memoryBytes.size());
    std::vector<Argument> arguments;
    std::vector<uint32_t> argumentOf(buffers.size());
    const auto touch = [&](uint32_t memory) {
        if (buffers[memory])
            return;
        buffers[memory] = vulkan::Buffer::create(*device, program.memoryBytes[memory],
                                                 vulkan::MemoryPlace::eDevice);
        argumentOf[memory] = static_cast<uint32_t>(arguments.size());
        arguments.push_back({tensorOf(device, buffers[memory], 1), "a table"});
    };
    for (const auto& step : program.setup) {
        if (const auto* const upload = std::get_if<FftProgram::Upload>(&step))
            touch(upload->memory);
        else
            for (const auto& binding : std::get<FftProgram::Dispatch>(step).bindings)
                touch(binding.memory);
    }

    const auto run = [&](Plan plan) {
        if (plan.steps.empty())
            return;
        const auto sequence = Internals::make<Sequence>(device, device->recentQueue(),
                                                        LaunchRules{device->defaultWaitMode()}, 0u);
        sequence->record(std::make_shared<SetupOperation>(
            std::make_unique<BoundPlan>(device, std::move(plan), arguments, "OpFFT")));
        sequence->eval();
    };
    const auto newPlan = [&] { return Plan(static_cast<uint32_t>(arguments.size())); };
    Plan plan = newPlan();
    for (const auto& step : program.setup) {
        if (const auto* const upload = std::get_if<FftProgram::Upload>(&step)) {
            run(std::exchange(plan, newPlan())); // it may read memory that is overwritten now
            arguments[argumentOf[upload->memory]].range.tensor->upload(
                upload->bytes.data(), upload->bytes.size(), upload->offset);
        } else {
            const auto& dispatch = std::get<FftProgram::Dispatch>(step);
            std::vector<uint32_t> kernels(program.kernels.size());
            kernels[dispatch.kernel] = plan.addKernel(kernelOf(program.kernels[dispatch.kernel]));
            plan.steps.push_back(dispatchOf(dispatch, kernels, [&](uint32_t memory) {
                return FftPrograms::Place{argumentOf[memory], 0};
            }));
        }
    }
    run(std::move(plan));
    return buffers;
}

std::string nameOf(const FftRequest& request, const FftLimits& limits) {
    return formatted("fft {} x {} precision {} real {} inverse {} normalized {} in place {} cpu {}",
                     request.batches, join(request.extents), static_cast<int>(request.precision),
                     request.real, request.inverse, request.normalized, request.inPlace,
                     limits.isCpu);
}

} // namespace

uint64_t fftAlignment(const vulkan::Device& device) {
    return std::max<uint64_t>(kViewAlignment,
                              device.physical().properties.limits.minStorageBufferOffsetAlignment);
}

FftTraits FftTraits::of(const vulkan::Device& device) {
    const VkPhysicalDeviceProperties& properties = device.physical().properties;
    const VkPhysicalDeviceLimits& limits = properties.limits;
    FftTraits traits;
    traits.device = DeviceTraits::of(device);
    traits.limits.vendor = properties.vendorID;
    traits.limits.isCpu = traits.device.isCpu;
    traits.limits.int64 = traits.device.int64;
    traits.limits.maxGroupInvocations = limits.maxComputeWorkGroupInvocations;
    traits.limits.sharedBytes = limits.maxComputeSharedMemorySize;
    traits.limits.maxBuffers = limits.maxPerStageDescriptorStorageBuffers;
    for (size_t i = 0; i < 3; ++i) {
        traits.limits.maxGroupSize[i] = limits.maxComputeWorkGroupSize[i];
        traits.limits.maxGroupCount[i] = limits.maxComputeWorkGroupCount[i];
    }
    traits.maxRange = limits.maxStorageBufferRange;
    traits.alignment = fftAlignment(device);
    return traits;
}

// Drivers write out each operation of emulated doubles, so their kernels are as short as for CPUs.
vulkan::FftLimits FftPrograms::limitsFor(const FftRequest& request) const {
    vulkan::FftLimits limits = mTraits.limits;
    if (request.precision == FftRequest::Precision::eDouble && !mTraits.device.float64)
        limits.isCpu = true;
    return limits;
}

size_t FftPrograms::add(const FftRequest& request) {
    for (size_t i = 0; i < mEntries.size(); ++i)
        if (mEntries[i].request == request)
            return i;
    Entry entry;
    entry.request = request;
    entry.program = KnownPrograms::instance().get(request, limitsFor(request));
    if (entry.program->steps.empty())
        return kNone;
    std::set<uint32_t> constants;
    for (const FftProgram::Dispatch& step : entry.program->steps)
        for (const FftProgram::Binding& binding : step.bindings)
            if (entry.program->isConstant(binding.memory))
                constants.insert(binding.memory);
    entry.constants.assign(constants.begin(), constants.end());
    entry.firstConstant = constantCount();
    mEntries.push_back(std::move(entry));
    return mEntries.size() - 1;
}

uint64_t FftPrograms::largestMemory(size_t program) const {
    uint64_t largest = 0;
    for (const FftProgram::Dispatch& step : mEntries[program].program->steps)
        for (const FftProgram::Binding& binding : step.bindings)
            largest = std::max(largest, binding.bytes);
    return largest;
}

uint32_t FftPrograms::constantCount() const {
    size_t count = 0;
    for (const Entry& entry : mEntries)
        count += entry.constants.size();
    return static_cast<uint32_t>(count);
}

void FftPrograms::append(Plan& plan, size_t number, const Place& in, const Place& out,
                         uint32_t firstConstant) {
    Entry& entry = mEntries[number];
    const FftProgram& program = *entry.program;
    if (entry.kernels.empty()) {
        for (const std::string& text : program.kernels)
            entry.kernels.push_back(plan.addKernel(kernelOf(text)));
        entry.scratch.resize(program.memoryBytes.size());
    }
    const auto place = [&](uint32_t memory) -> Place {
        if (memory == FftProgram::kInput)
            return in;
        if (memory == FftProgram::kOutput)
            return out;
        const auto constant = std::find(entry.constants.begin(), entry.constants.end(), memory);
        if (constant != entry.constants.end())
            return {firstConstant + entry.firstConstant +
                        static_cast<uint32_t>(constant - entry.constants.begin()),
                    0};
        if (entry.scratch[memory] == 0)
            entry.scratch[memory] = plan.addScratch(program.memoryBytes[memory]);
        return {entry.scratch[memory], 0};
    };
    for (const FftProgram::Dispatch& step : program.steps)
        plan.steps.push_back(dispatchOf(step, entry.kernels, place));
}

PreparedPlan::Buffers FftPrograms::constants(const std::shared_ptr<vulkan::Device>& device) const {
    PreparedPlan::Buffers constants;
    for (const Entry& entry : mEntries) {
        if (entry.constants.empty())
            continue;
        const std::string name = nameOf(entry.request, limitsFor(entry.request));
        vulkan::BufferCache::Buffers buffers = device->constants().find(name);
        if (buffers.empty()) {
            const auto all = setUp(device, *entry.program);
            for (const uint32_t memory : entry.constants)
                buffers.push_back(all[memory]);
            device->constants().keep(name, buffers);
        }
        constants.insert(constants.end(), buffers.begin(), buffers.end());
    }
    return constants;
}

} // namespace kp::primitives
