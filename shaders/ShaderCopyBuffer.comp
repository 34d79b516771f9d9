// SPDX-License-Identifier: Apache-2.0
#version 450

// Copies a buffer, 16 bytes per invocation (docs/reports/benchmarks.md compares other shapes). The first
// work group also copies the words after the last full 16 bytes, one per invocation. Each work
// group copies one tile of 4096 bytes. Dispatch one work group per tile, and at least one.
layout(local_size_x = 256) in;

layout(set = 0, binding = 0) readonly buffer SourceBlocks { uvec4 sourceBlocks[]; };
layout(set = 0, binding = 1) writeonly buffer TargetBlocks { uvec4 targetBlocks[]; };
// The same buffers as words.
layout(set = 0, binding = 2) readonly buffer SourceWords { uint sourceWords[]; };
layout(set = 0, binding = 3) writeonly buffer TargetWords { uint targetWords[]; };

layout(push_constant) uniform PushConstants {
    uint words; // number of 4-byte words
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
