// SPDX-License-Identifier: Apache-2.0
#version 450

// One work group computes the mean of all losses.

layout(local_size_x = 64) in;

layout(binding = 0) readonly buffer Losses { float losses[]; };
layout(binding = 1) writeonly buffer Mean { float mean; };

shared float sums[gl_WorkGroupSize.x];

void main()
{
    const uint lane = gl_LocalInvocationID.x;
    float sum = 0.0;
    for (uint i = lane; i < losses.length(); i += gl_WorkGroupSize.x)
        sum += losses[i];
    sums[lane] = sum;
    barrier();

    for (uint reach = gl_WorkGroupSize.x / 2; reach > 0; reach /= 2) {
        if (lane < reach)
            sums[lane] += sums[lane + reach];
        barrier();
    }
    if (lane == 0)
        mean = sums[0] / losses.length();
}
