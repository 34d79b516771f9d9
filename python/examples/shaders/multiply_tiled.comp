// SPDX-License-Identifier: Apache-2.0
#version 450

// One work group per block of 64 x 64 elements. It traverses the inner extent in steps of 16 and
// loads the elements of each step into shared memory. Each invocation keeps 4 x 4 sums in registers.

layout(local_size_x = 16, local_size_y = 16) in;

layout(binding = 0) readonly buffer A { float a[]; }; // rows x inner
layout(binding = 1) readonly buffer B { float b[]; }; // inner x columns
layout(binding = 2) writeonly buffer Product { float product[]; };

layout(push_constant) uniform Extents { uint rows, inner, columns; };

const uint kBlock = 64u;
const uint kDepth = 16u;
const uint kLanes = 256u;

shared float partOfA[kDepth][kBlock + 1u]; // padded, so that columns start in different banks
shared float partOfB[kDepth][kBlock];

void load(uint firstRow, uint firstColumn, uint start, uint lane)
{
    for (uint i = lane; i < kBlock * kDepth; i += kLanes) {
        const uint row = firstRow + i / kDepth;
        const uint k = start + i % kDepth;
        partOfA[i % kDepth][i / kDepth] = row < rows && k < inner ? a[row * inner + k] : 0.0;
    }
    for (uint i = lane; i < kBlock * kDepth; i += kLanes) {
        const uint k = start + i / kBlock;
        const uint column = firstColumn + i % kBlock;
        partOfB[i / kBlock][i % kBlock] =
            k < inner && column < columns ? b[k * columns + column] : 0.0;
    }
}

void main()
{
    const uint firstRow = gl_WorkGroupID.y * kBlock;
    const uint firstColumn = gl_WorkGroupID.x * kBlock;
    const uint x = gl_LocalInvocationID.x;
    const uint y = gl_LocalInvocationID.y;

    vec4 sums[4];
    for (uint i = 0u; i < 4u; ++i)
        sums[i] = vec4(0.0);

    for (uint start = 0u; start < inner; start += kDepth) {
        load(firstRow, firstColumn, start, gl_LocalInvocationIndex);
        barrier();
        for (uint k = 0u; k < kDepth; ++k) {
            const vec4 right = vec4(partOfB[k][x], partOfB[k][x + 16u], partOfB[k][x + 32u],
                                    partOfB[k][x + 48u]);
            for (uint i = 0u; i < 4u; ++i)
                sums[i] += partOfA[k][y + 16u * i] * right;
        }
        barrier();
    }

    for (uint i = 0u; i < 4u; ++i) {
        const uint row = firstRow + y + 16u * i;
        for (uint j = 0u; j < 4u; ++j) {
            const uint column = firstColumn + x + 16u * j;
            if (row < rows && column < columns)
                product[row * columns + column] = sums[i][j];
        }
    }
}
