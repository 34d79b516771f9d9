// SPDX-License-Identifier: Apache-2.0
#version 450

// One invocation per sample: the residual of the prediction and the logarithmic loss.

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint features = 1;

layout(binding = 0) readonly buffer Samples { float samples[]; };
layout(binding = 1) readonly buffer Labels { float labels[]; };
layout(binding = 2) readonly buffer Weights { float weights[]; }; // the last one is the bias
layout(binding = 3) writeonly buffer Residuals { float residuals[]; };
layout(binding = 4) writeonly buffer Losses { float losses[]; };

void main()
{
    const uint sampleIndex = gl_GlobalInvocationID.x;
    if (sampleIndex >= labels.length())
        return;

    float z = weights[features];
    for (uint i = 0; i < features; ++i)
        z += weights[i] * samples[sampleIndex * features + i];

    const float label = labels[sampleIndex];
    residuals[sampleIndex] = 1.0 / (1.0 + exp(-z)) - label;
    losses[sampleIndex] = max(z, 0.0) - z * label + log(1.0 + exp(-abs(z)));
}
