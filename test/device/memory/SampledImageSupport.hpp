// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <kompute/Launch.hpp>

#include "../TestSupport.hpp"

namespace kp::test {

class SampledImageTest : public DeviceTest {
protected:
    /// An image of a format and type; @p data may be null.
    std::shared_ptr<kp::Image> image(kp::ImageOptions options, const void* data = nullptr,
                                     size_t count = 0) {
        return manager.image(options, data, count);
    }
    static kp::ImageOptions line(kp::Format format, uint32_t width) {
        kp::ImageOptions options;
        options.type = kp::ImageType::e1D;
        options.format = format;
        options.width = width;
        return options;
    }
    static kp::ImageOptions flat(kp::Format format, uint32_t width, uint32_t height) {
        kp::ImageOptions options;
        options.format = format;
        options.width = width;
        options.height = height;
        return options;
    }
    std::vector<float> run(const kp::MemoryObjects& objects, const std::string& code,
                           const std::shared_ptr<kp::TensorT<float>>& result,
                           const std::vector<std::shared_ptr<kp::Sampler>>& samplers,
                           uint32_t invocations) {
        kp::AlgorithmOptions options;
        options.samplers = samplers;
        auto algorithm = manager.algorithm(objects, spirv(code), {invocations}, {}, {}, options);
        manager.sequence()->eval<kp::OpAlgoDispatch>(algorithm);
        return result->vector();
    }
};

} // namespace kp::test
