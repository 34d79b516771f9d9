// SPDX-License-Identifier: Apache-2.0
#version 450

// Copies a buffer, 16 bytes an invocation (docs/benchmarks.md has what other shapes reach). The words
// after the last whole 16 bytes are copied one by one, by the first work group. A work group copies
// one tile; dispatch one for each, and at least one.
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
    const uint block = gl_GlobalInvocationID.x;
    if (block < blocks)
        targetBlocks[block] = sourceBlocks[block];
    const uint lane = gl_LocalInvocationID.x;
    if (gl_WorkGroupID.x == 0 && lane < words % 4)
        targetWords[blocks * 4 + lane] = sourceWords[blocks * 4 + lane];
}
