// SPDX-License-Identifier: Apache-2.0
#version 450

// One work group per weight: sums the gradient over all samples and takes a descent step.

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint features = 1;

layout(binding = 0) readonly buffer Samples { float samples[]; };
layout(binding = 1) readonly buffer Residuals { float residuals[]; };
layout(binding = 2) buffer Weights { float weights[]; };

layout(push_constant) uniform Parameters
{
    float learningRate;
    float decay;
};

shared float sums[gl_WorkGroupSize.x];

void main()
{
    const uint weight = gl_WorkGroupID.x;
    const uint lane = gl_LocalInvocationID.x;
    const bool isBias = weight == features;

    float sum = 0.0;
    for (uint i = lane; i < residuals.length(); i += gl_WorkGroupSize.x)
        sum += residuals[i] * (isBias ? 1.0 : samples[i * features + weight]);
    sums[lane] = sum;
    barrier();

    for (uint reach = gl_WorkGroupSize.x / 2; reach > 0; reach /= 2) {
        if (lane < reach)
            sums[lane] += sums[lane + reach];
        barrier();
    }

    if (lane == 0) {
        const float old = weights[weight];
        const float gradient = sums[0] / residuals.length() + (isBias ? 0.0 : decay * old);
        weights[weight] = old - learningRate * gradient;
    }
}
