// SPDX-License-Identifier: Apache-2.0
#include "primitives/plan/PreparedPlan.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "core/memory/MemoryImpl.hpp"
#include "primitives/plan/DeviceTraits.hpp"
#include "primitives/plan/MergedBindings.hpp"
#include "primitives/source/EmulatedSubgroups.hpp"
#include "primitives/source/Source.hpp"
#include "shader/lower/LowerModule.hpp"

namespace kp::primitives {
namespace {

/// Returns GLSL without unrolled loops. Drivers that compute on the processor take minutes for many
/// barriers, which kernels for the devices of profiles have.
std::string withLoops(std::string source) {
    constexpr std::string_view kUnrolled = "[[unroll]]";
    for (size_t at = source.find(kUnrolled); at != std::string::npos;
         at = source.find(kUnrolled, at))
        source.replace(at, kUnrolled.size(), "[[dont_unroll]]");
    return source;
}

StoragePipeline pipelineOf(vulkan::Device& device, const Kernel& kernel, const Dispatch& first,
                           const shader::CheckKinds& checks) {
    const vulkan::PhysicalDevice& physical = device.physical();
    const uint32_t emulated = kernel.subgroups ? physical.emulatedSubgroupSize : 0;
    Kernel compiled = kernel;
    if (emulated != 0)
        compiled.source = withEmulatedSubgroups(kernel.source, emulated);
    const CacheFolders folders = device.pipelines().folders();
    const bool isProfile = !physical.profile.empty() && physical.computesOnHost();
    if (isProfile)
        compiled.source = withLoops(std::move(compiled.source));
    std::vector<uint32_t> spirv = compileKernel(compiled, folders, checks.any());
    // An operation of emulated doubles is a function of hundreds of instructions, which drivers
    // write out at each use: SwiftShader takes 34 s for a product's unrolled loops, and crashes.
    if (!isProfile && !device.has(vulkan::Feature::eShaderFloat64) &&
        shader::needsLowering(spirv, {.float64 = false})) {
        compiled.source = withLoops(std::move(compiled.source));
        spirv = compileKernel(compiled, folders, checks.any());
    }
    uint32_t bindings = 0;
    if (!kernel.slots.empty()) {
        spirv = rebound(spirv, kernel.slots);
        bindings = 1 + *std::ranges::max_element(kernel.slots);
    } else {
        for (const View& view : first.views)
            bindings += view.bindings;
    }
    const size_t words = first.push.size() + (first.isExact() ? 0 : first.views.size());
    return storagePipeline(device,
                           {.spirv = spirv,
                            .bindings = bindings,
                            .pushConstantBytes = static_cast<uint32_t>(words * sizeof(uint32_t)),
                            .constants = kernel.constants,
                            .fullSubgroups = kernel.subgroups && emulated == 0,
                            // Older SPIR-V tools cannot read the modules, which have no user code.
                            .checks = kernel.spirv.empty() ? checks : shader::CheckKinds{},
                            .texts = checkedTexts(kernel)});
}

BindingLimits limitsOf(const vulkan::Device& device, const shader::CheckKinds& checks) {
    const uint32_t limit = device.physical().properties.limits.maxPerStageDescriptorStorageBuffers;
    uint32_t left = limit - (checks.any() ? 2 : 0);
    if (checks.uninitialised) // each buffer has another one that marks written bytes
        left /= 2;
    return {left, DeviceTraits::of(device).maxViewBytes};
}

} // namespace

PreparedPlan::PreparedPlan(const std::shared_ptr<vulkan::Device>& device, Plan plan,
                           shader::CheckKinds checks, Buffers tables)
    : mPlan(mergeBindings(std::move(plan), limitsOf(*device, checks))),
      mPipelines(mPlan.kernels.size()), mTables(std::move(tables)) {
    checks.steps = 0; // the loops are the library's
    for (const Step& step : mPlan.steps) {
        const auto* const dispatch = std::get_if<Dispatch>(&step);
        if (dispatch && !mPipelines[dispatch->kernel].pipeline)
            mPipelines[dispatch->kernel] =
                pipelineOf(*device, mPlan.kernels[dispatch->kernel], *dispatch, checks);
    }
    for (const uint64_t bytes : mPlan.scratch)
        mScratch.push_back({bytes, nullptr});
    for (const Plan::Constants& held : mPlan.constants) {
        Scratch& scratch = mScratch[held.memory - mPlan.arguments];
        scratch.constants = vulkan::Buffer::createScratch(*device, scratch.bytes);
        implOf(*tensorOf(device, scratch.constants, sizeof(uint32_t)))
            .upload(held.words.data(), held.words.size() * sizeof held.words[0], 0);
    }
    mPlan.kernels.clear();
    mPlan.constants.clear();
    mPlan.scratch.clear();
}

} // namespace kp::primitives
