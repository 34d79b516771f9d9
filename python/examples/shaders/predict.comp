// SPDX-License-Identifier: Apache-2.0
#version 450

// One invocation per row: the error of the prediction and its logarithmic loss.

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint features = 1;

layout(binding = 0) readonly buffer Rows { float rows[]; };
layout(binding = 1) readonly buffer Labels { float labels[]; };
layout(binding = 2) readonly buffer Weights { float weights[]; }; // the bias comes last
layout(binding = 3) writeonly buffer Errors { float errors[]; };
layout(binding = 4) writeonly buffer Losses { float losses[]; };

void main()
{
    const uint row = gl_GlobalInvocationID.x;
    if (row >= labels.length())
        return;

    float score = weights[features];
    for (uint i = 0; i < features; ++i)
        score += weights[i] * rows[row * features + i];

    errors[row] = 1.0 / (1.0 + exp(-score)) - labels[row];
    losses[row] = log(1.0 + exp(-abs(score))) + max(score, 0.0) - labels[row] * score;
}
