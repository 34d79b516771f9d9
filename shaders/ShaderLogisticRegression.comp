// SPDX-License-Identifier: Apache-2.0
#version 450

// One step of logistic regression with two features. Each work group takes one sample and writes
// its contribution to the gradient and to the loss. The host sums the gradients, multiplies them by
// its learning rate and subtracts them from the weights and the bias.

layout(local_size_x = 1) in;

// Number of samples; the gradients are divided by it.
layout(constant_id = 0) const float m = 0.0;

layout(set = 0, binding = 0) readonly buffer Xi { float xi[]; };
layout(set = 0, binding = 1) readonly buffer Xj { float xj[]; };
layout(set = 0, binding = 2) readonly buffer Y { float y[]; };
layout(set = 0, binding = 3) readonly buffer WeightIn { float weightIn[]; };
layout(set = 0, binding = 4) writeonly buffer WeightOutI { float weightOutI[]; };
layout(set = 0, binding = 5) writeonly buffer WeightOutJ { float weightOutJ[]; };
layout(set = 0, binding = 6) readonly buffer BiasIn { float biasIn[]; };
layout(set = 0, binding = 7) writeonly buffer BiasOut { float biasOut[]; };
layout(set = 0, binding = 8) writeonly buffer LossOut { float lossOut[]; };

float sigmoid(float z)
{
    return 1.0 / (1.0 + exp(-z));
}

// Returns log(1 + exp(z)) without overflow. The loss of one sample is softplus(z) - y * z.
float softplus(float z)
{
    return max(z, 0.0) + log(1.0 + exp(-abs(z)));
}

void main()
{
    const uvec3 groups = gl_NumWorkGroups;
    const uvec3 group = gl_WorkGroupID;
    const uint i = group.x + groups.x * (group.y + groups.y * group.z);
    if (i >= xi.length()) {
        return;
    }

    const vec2 x = vec2(xi[i], xj[i]);
    const vec2 weight = vec2(weightIn[0], weightIn[1]);
    const float z = dot(weight, x) + biasIn[0];
    const float residual = sigmoid(z) - y[i];

    weightOutI[i] = residual * x.x / m;
    weightOutJ[i] = residual * x.y / m;
    biasOut[i] = residual / m;
    lossOut[i] = softplus(z) - y[i] * z;
}
