// SPDX-License-Identifier: Apache-2.0
#version 450
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) readonly buffer In { float x[]; };
layout(set = 0, binding = 1) writeonly buffer Out { float y[]; };
void main() { y[gl_GlobalInvocationID.x] = 2.0 * x[gl_GlobalInvocationID.x]; }
