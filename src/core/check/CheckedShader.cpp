// SPDX-License-Identifier: Apache-2.0
#include "core/check/CheckedShader.hpp"

#include <algorithm>

#include "base/Text.hpp"
#include "core/queue/QueueImpl.hpp"
#include "shader/Validate.hpp"
#include "shader/check/CheckMode.hpp"
#include "shader/check/SourceLines.hpp"
#include "shader/compile/ContentKey.hpp"
#include "shader/compile/LruCache.hpp"

namespace kp {
namespace {

constexpr size_t kMaxCheckedBytes = size_t{64} << 20;

/// @throws Unsupported if the device has no more descriptors for the reports
void requireRoom(const shader::CheckedModule& module, const shader::Reflection& reflection,
                 const vulkan::Device& device) {
    const VkPhysicalDeviceLimits& limits = device.physical().properties.limits;
    if (module.reportSet >= limits.maxBoundDescriptorSets)
        fail<Unsupported>("checked mode needs descriptor set {} for its reports, over {}'s "
                          "maxBoundDescriptorSets of {}; use fewer sets, or check \"off\"",
                          module.reportSet, device.name(), limits.maxBoundDescriptorSets);
    const uint64_t own = (module.hasShadow() ? 2 : 1) + module.followed.size();
    uint64_t buffers = own;
    for (const shader::Binding& binding : reflection.bindings)
        if (binding.kind == shader::BindingKind::eStorageBuffer)
            buffers += binding.count;
    if (buffers > limits.maxPerStageDescriptorStorageBuffers)
        fail<Unsupported>("checked mode needs {} for its reports; with the shader's that makes {}, "
                          "over {}'s maxPerStageDescriptorStorageBuffers of {}; use "
                          "fewer buffers, or check \"off\"",
                          counted(own, "storage buffer"), buffers, device.name(),
                          limits.maxPerStageDescriptorStorageBuffers);
}

} // namespace

std::optional<shader::CheckKinds> fixedChecks(const AlgorithmOptions& options,
                                              const Queue* managerQueue) {
    if (!options.check.empty())
        return shader::parseChecks(options.check);
    return managerQueue ? implOf(*managerQueue).rules.checks : std::nullopt;
}

shader::CheckKinds checksOf(const Queue* managerQueue) {
    const std::optional<shader::CheckKinds> fixed = fixedChecks({}, managerQueue);
    return fixed ? *fixed : shader::currentChecks();
}

std::shared_ptr<const CheckedShader>
checkedFor(const vulkan::Device& device, std::span<const uint32_t> spirv, const Hash& contentKey,
           const shader::Reflection& reflection, const shader::CheckKinds& kinds,
           const shader::SourceTexts& texts) {
    static auto& known =
        *new shader::LruCache<std::shared_ptr<const CheckedShader>>(kMaxCheckedBytes);
    const uint64_t words[] = {contentKey.low, contentKey.high, shader::wordOf(kinds)};
    const Hash key = hashBytes(words, sizeof words);
    std::shared_ptr<const CheckedShader> checked = known.get(key).value_or(nullptr);
    if (!checked) {
        auto made = std::make_shared<CheckedShader>();
        made->module = shader::checkModule(spirv, kinds);
        for (shader::CheckSite& site : made->module.sites)
            if (const auto text = texts.find(site.file); site.text.empty() && text != texts.end())
                site.text = shader::lineOf(text->second, site.line);
        made->key = shader::contentKey(made->module.spirv);
        shader::validate(made->module.spirv, made->key, device.plan().apiVersion,
                         device.has(vulkan::Feature::eScalarBlockLayout));
        known.put(key, made, made->module.spirv.size() * sizeof(uint32_t));
        checked = std::move(made);
    }
    if (!checked->module.changes())
        return nullptr;
    requireRoom(checked->module, reflection, device);
    return checked;
}

void addReportBindings(const CheckedShader& checked,
                       std::vector<vulkan::DescriptorBinding>& bindings) {
    bindings.push_back({.set = checked.module.reportSet});
    if (checked.module.hasShadow())
        bindings.push_back({.binding = 1, .set = checked.module.reportSet});
    for (uint32_t i = 0; i < checked.module.followed.size(); ++i)
        bindings.push_back(
            {.binding = shader::kFirstWrittenBinding + i, .set = checked.module.reportSet});
}

bool follows(const CheckedShader* checked, uint32_t set, uint32_t binding) {
    return checked && std::ranges::any_of(checked->module.followed, [&](const auto& each) {
               return each.set == set && each.binding == binding;
           });
}

} // namespace kp
