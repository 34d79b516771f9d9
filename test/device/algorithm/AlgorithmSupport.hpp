// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kompute/Launch.hpp>

#include "../TestSupport.hpp"

namespace kp::test {

class AlgorithmTest : public DeviceTest {
protected:
    /// v[i] = x, with x from the push constants.
    const std::vector<uint32_t> storePush = spirv(shader(
        buffer(0, "writeonly", "float", "v") + "layout(push_constant) uniform P { float x; };",
        "v[i] = x;"));
    /// v[i] = 10 * v[i] + x
    const std::vector<uint32_t> appendPush =
        spirv(shader(buffer(0, "", "float", "v") + "layout(push_constant) uniform P { float x; };",
                     "v[i] = 10.0 * v[i] + x;"));
    const std::vector<uint32_t> specialized =
        spirv(shader("layout(constant_id = 0) const float a = 1.0; layout(constant_id = 1) const "
                     "float b = 2.0;" +
                         buffer(0, "writeonly", "float", "v"),
                     "v[i] = 100.0 * a + b;"));
};

} // namespace kp::test
