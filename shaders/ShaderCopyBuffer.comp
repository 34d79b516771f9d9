// SPDX-License-Identifier: Apache-2.0
#version 450

// Copies a buffer: 64 bytes an invocation, in four loads of 16 bytes that are all under way before
// the first is stored. The words after the last whole 16 bytes are copied one by one, by the first
// work group. A work group copies one tile; dispatch one for each, and at least one.
layout(local_size_x = 256) in;

layout(set = 0, binding = 0) readonly buffer SourceBlocks { uvec4 sourceBlocks[]; };
layout(set = 0, binding = 1) writeonly buffer TargetBlocks { uvec4 targetBlocks[]; };
// The same buffers again.
layout(set = 0, binding = 2) readonly buffer SourceWords { uint sourceWords[]; };
layout(set = 0, binding = 3) writeonly buffer TargetWords { uint targetWords[]; };

layout(push_constant) uniform PushConstants {
    uint words; // of 4 bytes
};

void main() {
    const uint blocks = words / 4;
    const uint lanes = gl_WorkGroupSize.x;
    const uint lane = gl_LocalInvocationID.x;
    const uint first = gl_WorkGroupID.x * lanes * 4 + lane;
    if (first + 3 * lanes < blocks) {
        const uvec4 a = sourceBlocks[first];
        const uvec4 b = sourceBlocks[first + lanes];
        const uvec4 c = sourceBlocks[first + 2 * lanes];
        const uvec4 d = sourceBlocks[first + 3 * lanes];
        targetBlocks[first] = a;
        targetBlocks[first + lanes] = b;
        targetBlocks[first + 2 * lanes] = c;
        targetBlocks[first + 3 * lanes] = d;
    } else {
        for (uint i = first; i < blocks; i += lanes)
            targetBlocks[i] = sourceBlocks[i];
    }
    if (gl_WorkGroupID.x == 0 && lane < words % 4)
        targetWords[blocks * 4 + lane] = sourceWords[blocks * 4 + lane];
}
