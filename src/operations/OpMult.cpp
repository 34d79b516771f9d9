// SPDX-License-Identifier: Apache-2.0
#include <kompute/operations/OpMult.hpp>

#include <algorithm>

#include <ShaderOpMult.hpp>

#include "base/Text.hpp"
#include "core/algorithm/AlgorithmImpl.hpp"

namespace kp {
namespace {

/// Returns work groups for one element per invocation, spread over x, y and z if there are more
/// than every device supports in x. The shader counts groups in that order and checks its bounds.
Workgroup groupsFor(uint64_t elements, uint32_t localSize) {
    constexpr uint64_t kMaxGroups = 65535;
    const uint64_t groups = (elements - 1) / localSize + 1;
    const uint64_t x = std::min(groups, kMaxGroups);
    const uint64_t y = std::min((groups - 1) / x + 1, kMaxGroups);
    const uint64_t z = (groups - 1) / (x * y) + 1;
    return {static_cast<uint32_t>(x), static_cast<uint32_t>(y), static_cast<uint32_t>(z)};
}

} // namespace

OpMult::OpMult(const MemoryObjects& objects, std::shared_ptr<Algorithm> algorithm)
    : OpAlgoDispatch(algorithm) {
    const std::vector<std::shared_ptr<Memory>>& memObjects = objects.get();
    if (memObjects.size() != 3)
        fail<InvalidArgument>("OpMult takes three tensors (left, right, result), not {}",
                              memObjects.size());
    if (!algorithm)
        fail<InvalidArgument>("OpMult was given no algorithm; Manager::algorithm() makes one");
    for (const std::shared_ptr<Memory>& memory : memObjects) {
        if (!memory || memory->size() == 0)
            fail<InvalidArgument>("OpMult was given a tensor that is null or destroyed");
        if (memory->dataType() != Memory::DataTypes::eFloat ||
            memory->size() != memObjects[0]->size())
            fail<InvalidArgument>(
                "OpMult multiplies eFloat tensors of one size, but was given {} elements of {} "
                "beside {}",
                memory->size(), Memory::toString(memory->dataType()), memObjects[0]->size());
    }
    makeSkippable();
    algorithm->rebuild(memObjects, SHADEROPMULT_COMP_SPV, {1, 1, 1});
    algorithm->setWorkgroup(groupsFor(memObjects[2]->size(), algorithm->getLocalSize()[0]));
}

OpMult::~OpMult() = default;

Accesses OpMult::accesses() {
    return implOf(*algorithm()).accesses();
}

} // namespace kp
