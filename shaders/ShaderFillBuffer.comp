// SPDX-License-Identifier: Apache-2.0
#version 450

// Fills a buffer with a value of two words, 16 bytes per invocation. The first work group also
// writes the words after the last full 16 bytes, one per invocation. Each work group fills one tile
// of 4096 bytes. Dispatch one work group per tile, and at least one.
layout(local_size_x = 256) in;

layout(set = 0, binding = 0) writeonly buffer Blocks { uvec4 blocks[]; };
// The same buffer as words.
layout(set = 0, binding = 1) writeonly buffer Words { uint wordsOf[]; };

layout(push_constant) uniform PushConstants {
    uint words; // number of 4-byte words
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
