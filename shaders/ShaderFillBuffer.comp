// SPDX-License-Identifier: Apache-2.0
#version 450

// Fills a buffer with a value of two words, 16 bytes an invocation. The words after the last whole 16
// bytes are written one by one, by the first work group. A work group fills one tile; dispatch one
// for each, and at least one.
layout(local_size_x = 256) in;

layout(set = 0, binding = 0) writeonly buffer Blocks { uvec4 blocks[]; };
// The same buffer again.
layout(set = 0, binding = 1) writeonly buffer Words { uint wordsOf[]; };

layout(push_constant) uniform PushConstants {
    uint words; // of 4 bytes
    uint even;
    uint odd;
};

void main() {
    const uint count = words / 4;
    const uint block = gl_GlobalInvocationID.x;
    if (block < count)
        blocks[block] = uvec4(even, odd, even, odd);
    const uint lane = gl_LocalInvocationID.x;
    if (gl_WorkGroupID.x == 0 && lane < words % 4)
        wordsOf[count * 4 + lane] = lane % 2 == 0 ? even : odd;
}
