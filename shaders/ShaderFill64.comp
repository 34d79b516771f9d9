// SPDX-License-Identifier: Apache-2.0
#version 450

// Fills a buffer with a 64-bit value, which no Vulkan fill command supports.
layout(local_size_x = 128) in; // every device has so many

layout(set = 0, binding = 0) writeonly buffer Values {
    uvec2 values[];
};

layout(push_constant) uniform PushConstants {
    uvec2 value;
};

void main() {
    const uint stride = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
    for (uint i = gl_GlobalInvocationID.x; i < values.length(); i += stride)
        values[i] = value;
}
