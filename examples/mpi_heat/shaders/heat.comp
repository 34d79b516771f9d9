// SPDX-License-Identifier: Apache-2.0
#version 450

// One explicit step of the heat equation on some rows of a slab. The slab has the rows 1 to height;
// rows 0 and height + 1 are copies of the neighbours' rows. No heat crosses the rim of the plate,
// as if points outside had the temperature of the rim.

layout(local_size_x = 64, local_size_y = 2) in;

layout(binding = 0) readonly buffer Now { float now[]; };
layout(binding = 1) writeonly buffer Next { float next[]; };

layout(push_constant) uniform Step
{
    uint width;
    uint height;
    uint rimAbove; // 1: row 1 is the first row of the plate
    uint rimBelow; // 1: row height is the last row of the plate
    float rate;
    // The rows to compute: rowCount rows from firstRow, rowStride apart.
    uint firstRow;
    uint rowStride;
    uint rowCount;
};

void main()
{
    if (gl_GlobalInvocationID.x >= width || gl_GlobalInvocationID.y >= rowCount)
        return;
    const uint x = gl_GlobalInvocationID.x;
    const uint y = firstRow + gl_GlobalInvocationID.y * rowStride;
    const uint at = y * width + x;

    const float centre = now[at];
    const float left = x == 0u ? centre : now[at - 1u];
    const float right = x == width - 1u ? centre : now[at + 1u];
    const float above = y == 1u && rimAbove == 1u ? centre : now[at - width];
    const float below = y == height && rimBelow == 1u ? centre : now[at + width];
    // The same operations as on the CPU, without contraction to fused multiply-add.
    precise float warmer = centre + rate * (((left + right) + (above + below)) - 4.0 * centre);
    next[at] = warmer;
}
