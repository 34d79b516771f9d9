// SPDX-License-Identifier: Apache-2.0
#include <kompute/primitives/Primitive.hpp>

#include <utility>

#include "core/Native.hpp"
#include "core/sequence/Recorder.hpp"
#include "primitives/plan/BoundPlan.hpp"

namespace kp {

Primitive::Primitive(std::unique_ptr<primitives::BoundPlan> plan) : mPlan(std::move(plan)) {
    makeSkippable();
}

Primitive::~Primitive() = default;

Accesses Primitive::accesses() {
    return {};
}

void Primitive::record(const vk::CommandBuffer& commandBuffer) {
    if (vulkan::SharedScratch::Loan* const scratch =
            Recorder::scratch(native::handleOf(commandBuffer))) {
        for (const std::unique_ptr<OpBase>& part : mPlan->partsFor(*scratch))
            recordPart(commandBuffer, *part);
        return;
    }
    for (const std::unique_ptr<OpBase>& part : mPlan->parts())
        recordPart(commandBuffer, *part);
}

void Primitive::postEval(const vk::CommandBuffer&) {}

} // namespace kp
