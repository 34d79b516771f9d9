// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include <kompute/Launch.hpp>

#include "proof/Random.hpp"

namespace kp::proof {

/// A tensor without a host mirror, of kElements elements, and its expected contents.
struct GraphMemory {
    std::shared_ptr<kp::Tensor> tensor;
    std::vector<uint32_t>* model;
};

/// Launches kernels, copies, fills, lists, sequences and host functions on in-order and
/// out-of-order queues, and waits for them. Some wait for an event that the program sets later, so
/// the library submits them from its own threads. Nothing else may use the memory meanwhile.
void runRandomGraph(kp::Manager& manager, Random& random, const std::vector<GraphMemory>& memory);

} // namespace kp::proof
