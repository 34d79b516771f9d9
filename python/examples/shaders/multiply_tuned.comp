#version 450
// SPDX-License-Identifier: Apache-2.0
//
// The product of two square matrices of n rows. The program defines
//   TILE   width of the square tile of the product per work group
//   DEPTH  depth of the strips in shared memory
//   EACH   elements per invocation in x and in y

layout(local_size_x = TILE / EACH, local_size_y = TILE / EACH) in;
layout(binding = 0) readonly buffer A { float a[]; };
layout(binding = 1) readonly buffer B { float b[]; };
layout(binding = 2) writeonly buffer C { float c[]; };
layout(push_constant) uniform Parameters { uint n; };

const uint kGroup = (TILE / EACH) * (TILE / EACH);
shared float stripA[DEPTH][TILE + 1]; // padded, so that columns lie in different banks
shared float stripB[DEPTH][TILE + 1];

void main() {
    uvec2 origin = gl_WorkGroupID.xy * TILE;
    uvec2 local = gl_LocalInvocationID.xy;
    float sums[EACH][EACH];
    for (uint y = 0; y < EACH; ++y)
        for (uint x = 0; x < EACH; ++x)
            sums[y][x] = 0.0;

    for (uint k = 0; k < n; k += DEPTH) {
        for (uint i = gl_LocalInvocationIndex; i < TILE * DEPTH; i += kGroup) {
            uint row = origin.y + i / DEPTH;
            uint column = k + i % DEPTH;
            stripA[i % DEPTH][i / DEPTH] = row < n && column < n ? a[row * n + column] : 0.0;
            row = k + i / TILE;
            column = origin.x + i % TILE;
            stripB[i / TILE][i % TILE] = row < n && column < n ? b[row * n + column] : 0.0;
        }
        barrier();
        for (uint d = 0; d < DEPTH; ++d)
            for (uint y = 0; y < EACH; ++y) {
                float left = stripA[d][local.y + y * (TILE / EACH)];
                for (uint x = 0; x < EACH; ++x)
                    sums[y][x] += left * stripB[d][local.x + x * (TILE / EACH)];
            }
        barrier();
    }

    for (uint y = 0; y < EACH; ++y)
        for (uint x = 0; x < EACH; ++x) {
            uvec2 at = origin + local + uvec2(x, y) * (TILE / EACH);
            if (at.x < n && at.y < n)
                c[at.y * n + at.x] = sums[y][x];
        }
}
