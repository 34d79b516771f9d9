// SPDX-License-Identifier: Apache-2.0
#version 450

// One step of the heat equation on a grid: each point moves towards the mean of its four neighbours.
// Held points keep their temperature.

layout(local_size_x = 16, local_size_y = 16) in;

layout(binding = 0) readonly buffer Before { float before[]; };
layout(binding = 1) readonly buffer Held { uint held[]; };
layout(binding = 2) writeonly buffer After { float after[]; };

layout(push_constant) uniform Parameters
{
    uint width;
    uint height;
    float rate; // at most 0.25, above which the scheme is unstable
};

void main()
{
    const uint x = gl_GlobalInvocationID.x;
    const uint y = gl_GlobalInvocationID.y;
    if (x >= width || y >= height)
        return;

    const uint at = y * width + x;
    const float here = before[at];
    // No heat crosses the border.
    const float left = before[x > 0u ? at - 1u : at];
    const float right = before[x + 1u < width ? at + 1u : at];
    const float above = before[y > 0u ? at - width : at];
    const float below = before[y + 1u < height ? at + width : at];
    after[at] = held[at] != 0u ? here : here + rate * (left + right + above + below - 4.0 * here);
}
