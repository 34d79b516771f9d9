// SPDX-License-Identifier: Apache-2.0
#version 450

// Fills a buffer with a value of two words: 64 bytes an invocation, in four stores of 16 bytes. The
// words after the last whole 16 bytes are written one by one, by the first work group. A work group
// fills one tile; dispatch one for each, and at least one.
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
    const uint lanes = gl_WorkGroupSize.x;
    const uint lane = gl_LocalInvocationID.x;
    const uint first = gl_WorkGroupID.x * lanes * 4 + lane;
    const uint end = min(count, first + 4 * lanes);
    for (uint i = first; i < end; i += lanes)
        blocks[i] = uvec4(even, odd, even, odd);
    if (gl_WorkGroupID.x == 0 && lane < words % 4)
        wordsOf[count * 4 + lane] = lane % 2 == 0 ? even : odd;
}
