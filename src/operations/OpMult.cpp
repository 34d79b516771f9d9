// SPDX-License-Identifier: Apache-2.0
#include <kompute/operations/OpMult.hpp>

#include <algorithm>
#include <cmath>

#include <kompute/Error.hpp>

#include <ShaderOpMult.hpp>

#include "core/AlgorithmImpl.hpp"

namespace kp {
namespace {

/// One group per element, spread over x, y and z where x alone would pass the limit that every
/// device has. The shader counts groups in that order and checks its bounds.
Workgroup groupsFor(uint64_t elements) {
    constexpr uint64_t kMaxGroups = 65535;
    const uint64_t x = std::min(elements, kMaxGroups);
    const uint64_t y = std::min((elements - 1) / x + 1, kMaxGroups);
    const uint64_t z = (elements - 1) / (x * y) + 1;
    return {static_cast<uint32_t>(x), static_cast<uint32_t>(y), static_cast<uint32_t>(z)};
}

} // namespace

OpMult::OpMult(std::vector<std::shared_ptr<Memory>> memObjects,
               std::shared_ptr<Algorithm> algorithm)
    : OpAlgoDispatch(algorithm) {
    if (memObjects.size() != 3)
        throw InvalidArgument("OpMult takes three tensors (left, right, result), not " +
                              std::to_string(memObjects.size()));
    if (!algorithm)
        throw InvalidArgument("OpMult needs an algorithm, such as Manager::algorithm() gives");
    for (const std::shared_ptr<Memory>& memory : memObjects) {
        if (!memory || memory->size() == 0)
            throw InvalidArgument("OpMult was given a tensor that is null or destroyed");
        if (memory->dataType() != Memory::DataTypes::eFloat ||
            memory->size() != memObjects[0]->size())
            throw InvalidArgument("OpMult multiplies eFloat tensors of one size, but was given " +
                                  std::to_string(memory->size()) + " elements of " +
                                  Memory::toString(memory->dataType()) + " beside " +
                                  std::to_string(memObjects[0]->size()));
    }
    const std::vector<uint32_t> spirv(SHADEROPMULT_COMP_SPV.begin(), SHADEROPMULT_COMP_SPV.end());
    const Workgroup groups = groupsFor(memObjects[2]->size());
    algorithm->rebuild(memObjects, spirv, groups);
}

OpMult::~OpMult() = default;

Accesses OpMult::accesses() {
    return algorithm()->impl().accesses();
}

} // namespace kp
