// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "primitives/plan/Plan.hpp"

namespace kp::primitives {

/// A device's limits on bindings.
struct BindingLimits {
    uint32_t buffers = 0;   ///< maxPerStageDescriptorStorageBuffers
    uint64_t viewBytes = 0; ///< DeviceTraits::maxViewBytes
};

/// Returns a plan whose dispatches bind no more buffers than a device allows; the plan itself if it
/// is one. Otherwise all scratch memory becomes one memory, the views of one memory share a
/// binding, and arguments that are only read are copied to scratch memory first if that is not
/// enough. A dispatch stays as it is if its scratch memory is too large for one binding. Pure.
Plan mergeBindings(Plan plan, const BindingLimits& limits);

/// Returns a module whose bindings have other numbers. Variables that share one may overlap.
/// @param slots  new numbers, by the old ones
/// @throws ShaderError for words that are not a module
std::vector<uint32_t> rebound(std::span<const uint32_t> spirv, const std::vector<uint32_t>& slots);

} // namespace kp::primitives
