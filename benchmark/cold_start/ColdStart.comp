// SPDX-License-Identifier: Apache-2.0
#version 450
layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 0) buffer B {
    uint v[];
};
void main() {
    uint i = gl_GlobalInvocationID.x;
    v[i] = v[i] * 2654435761u + i;
}
