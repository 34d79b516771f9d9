// SPDX-License-Identifier: Apache-2.0
#include "program/ValidateKernels.hpp"

#include <algorithm>
#include <set>

#include <kompute/Error.hpp>

#include "base/Text.hpp"
#include "core/algorithm/Specialization.hpp"
#include "shader/Validate.hpp"
#include "shader/compile/ContentKey.hpp"
#include "shader/reflect/Reflection.hpp"
#include "shader/reflect/VariableSizes.hpp"

namespace kp::program {
namespace {

[[noreturn]] void failDiffers(const char* what) {
    fail<InvalidArgument>("the program says something else of {} than its kernel", what);
}

bool sameBinding(const shader::Binding& declared, const Kernel::Binding& said) {
    return declared.set == said.set && declared.binding == said.binding &&
           declared.count == said.count &&
           declared.kind == (said.uniform ? shader::BindingKind::eUniformBuffer
                                          : shader::BindingKind::eStorageBuffer);
}

} // namespace

void requireValidKernels(const Data& data, const vulkan::Device& device) {
    for (const Kernel& kernel : data.kernels) {
        const std::vector<uint32_t>& spirv = data.modules[kernel.module];
        const Hash key = shader::contentKey(spirv);
        shader::validate(spirv, key, device.plan().apiVersion,
                         device.has(vulkan::Feature::eScalarBlockLayout));
        const auto reflection = shader::reflectCached(spirv, key);
        const Specialization specialization = specializationOf(kernel);
        for (const Kernel::Constant& constant : kernel.constants) {
            const auto declared = std::ranges::find(reflection->specConstants, constant.id,
                                                    &shader::SpecConstant::id);
            const uint32_t bytes =
                declared == reflection->specConstants.end() ? 0 : shader::sizeOf(declared->type);
            if (bytes != 0 && bytes != constant.size)
                failDiffers("a constant");
        }
        if (reflection->entryPoint != kernel.entryPoint)
            failDiffers("its entry point");
        if (reflection->usesBufferAddresses)
            throw Unsupported("a kernel of the program uses buffer addresses");
        for (const shader::Binding& binding : reflection->bindings)
            if (std::ranges::none_of(kernel.bindings, [&](const Kernel::Binding& said) {
                    return sameBinding(binding, said);
                }))
                failDiffers("its bindings");
        if (reflection->pushConstantSize > kernel.pushBytes)
            failDiffers("its push constants");
        if (localSizeOf(*reflection, specialization) != kernel.localSize)
            failDiffers("its local size");
        const auto shared =
            shader::variableBytesCached(spirv, key, kernel.entryPoint, specialization.bits())
                .shared;
        if (shared && *shared != kernel.sharedBytes)
            failDiffers("its shared memory");
        if (reflection->capabilities != kernel.capabilities)
            failDiffers("its capabilities");
    }
}

std::shared_ptr<const CheckedShader> checkedKernel(const Kernel& kernel, const Data& data,
                                                   const vulkan::Device& device,
                                                   const shader::CheckKinds& kinds) {
    const std::vector<uint32_t>& spirv = data.modules[kernel.module];
    const Hash key = shader::contentKey(spirv);
    return checkedFor(device, spirv, key, *shader::reflectCached(spirv, key), kinds);
}

} // namespace kp::program
