// SPDX-License-Identifier: Apache-2.0
#version 450

// One work group per weight moves it down its gradient. One more sums the loss of this step.

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint features = 1;

layout(binding = 0) readonly buffer Rows { float rows[]; };
layout(binding = 1) readonly buffer Errors { float errors[]; };
layout(binding = 2) readonly buffer Losses { float losses[]; };
layout(binding = 3) buffer Weights { float weights[]; };
layout(binding = 4) writeonly buffer History { float history[]; };

layout(push_constant) uniform Parameters
{
    float rate;
    float decay;
    uint step;
};

shared float partial[64];

float valueOf(uint task, uint row)
{
    if (task < features)
        return errors[row] * rows[row * features + task];
    return task == features ? errors[row] : losses[row];
}

void main()
{
    const uint task = gl_WorkGroupID.x;
    const uint lane = gl_LocalInvocationID.x;
    const uint count = errors.length();

    float sum = 0.0;
    for (uint row = lane; row < count; row += 64u)
        sum += valueOf(task, row);
    partial[lane] = sum;
    barrier();
    for (uint reach = 32u; reach > 0u; reach /= 2u) {
        if (lane < reach)
            partial[lane] += partial[lane + reach];
        barrier();
    }

    if (lane != 0u)
        return;
    const float mean = partial[0] / float(count);
    if (task < features)
        weights[task] -= rate * (mean + decay * weights[task]);
    else if (task == features)
        weights[task] -= rate * mean;
    else
        history[step] = mean;
}
