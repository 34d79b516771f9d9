// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <kompute/image/Sampler.hpp>

#include "core/Internals.hpp"
#include "vulkan/device/Device.hpp"
#include "vulkan/pipeline/Sampler.hpp"

namespace kp {

struct Sampler::Impl {
    std::shared_ptr<vulkan::Device> device; ///< outlives the sampler
    SamplerOptions options;
    std::shared_ptr<const vulkan::Sampler> sampler;
};

} // namespace kp
