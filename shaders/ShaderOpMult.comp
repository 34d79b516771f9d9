// SPDX-License-Identifier: Apache-2.0
#version 450

// product[i] = lhs[i] * rhs[i], one element per invocation. Work groups may be spread over x, y and
// z: many devices allow only 65535 of them per dimension. Invocations past the last element do
// nothing.

layout(local_size_x = 64) in;

layout(set = 0, binding = 0) readonly buffer Lhs { float lhs[]; };
layout(set = 0, binding = 1) readonly buffer Rhs { float rhs[]; };
layout(set = 0, binding = 2) writeonly buffer Product { float product[]; };

void main()
{
    const uvec3 groups = gl_NumWorkGroups;
    const uvec3 group = gl_WorkGroupID;
    const uint i = gl_WorkGroupSize.x * (group.x + groups.x * (group.y + groups.y * group.z)) +
                   gl_LocalInvocationID.x;
    const uint count = min(min(lhs.length(), rhs.length()), product.length());
    if (i < count) {
        product[i] = lhs[i] * rhs[i];
    }
}
