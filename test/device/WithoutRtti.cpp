// SPDX-License-Identifier: Apache-2.0
//
// Compiled with -fno-rtti, as some programs are.
#include "WithoutRtti.hpp"

#include <kompute/Kompute.hpp>

#if defined(__GXX_RTTI)
#error "compile this file with -fno-rtti"
#endif

namespace {

struct Element {
    float value;
};

/// Adds to the algorithm's dispatch what a program may add: nothing.
struct OpDerived : kp::OpAlgoDispatch {
    using kp::OpAlgoDispatch::OpAlgoDispatch;
};

struct OpOwn : kp::OpBase {
    explicit OpOwn(std::vector<std::shared_ptr<kp::Tensor>> tensors) : objects(tensors.size()) {}
    void record(const vk::CommandBuffer&) override { ++recorded; }
    void preEval(const vk::CommandBuffer&) override {}
    void postEval(const vk::CommandBuffer&) override {}
    size_t objects;
    int recorded = 0;
};

} // namespace

namespace kp::test {

float runWithoutRtti(kp::Manager& manager, const std::vector<uint32_t>& increment) {
    auto tensor = manager.tensorT<Element>({{1.0f}, {2.0f}});
    auto algorithm = manager.algorithm({tensor}, increment);
    auto own = std::make_shared<OpOwn>(std::vector<std::shared_ptr<kp::Tensor>>{tensor});
    auto sequence = manager.sequence();
    sequence->record<kp::OpSyncDevice>({tensor})
        ->record<kp::OpAlgoDispatch>(algorithm)
        ->record<OpDerived>(algorithm)
        ->record(own)
        ->record<OpOwn>({tensor})
        ->record<kp::OpSyncLocal>({tensor})
        ->eval();
    const bool seen = own->recorded == 1 && algorithm->getTensors().size() == 1;
    return seen ? tensor->vector()[1].value : -1.0f;
}

} // namespace kp::test
