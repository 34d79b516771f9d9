// SPDX-License-Identifier: Apache-2.0
//
// Transposes elements of UNITS units. The strides along A in the input and B in the output are the
// distances between neighbours.

layout(binding = 0) readonly buffer In { UNIT_STORED source[]; };
layout(binding = 1) writeonly buffer Out { UNIT_STORED destination[]; };

// A column more than elements, so that neither direction meets in the same bank.
shared UNIT_VALUE sTile[TILE_B][TILE_A + 1][UNITS];

// As many as the host has set in the specialization constant: the loops below are unrolled.
#define PER_INVOCATION (TILE_A * TILE_B * UNITS / INVOCATIONS)

void main() {
    Tile tile = tileOfGroup();
    [[unroll]] for (uint i = 0; i < PER_INVOCATION; ++i) {
        uint k = i * INVOCATIONS + gl_LocalInvocationIndex;
        uint b = k / (TILE_A * UNITS);
        uint a = k / UNITS % TILE_A;
        uint unit = k % UNITS;
        if (tile.exists && tile.firstA + a < extentA && tile.firstB + b < extentB)
            sTile[b][a][unit] = UNIT_LOAD(
                source[tile.from + (tile.firstB + b) * inStrideB + (tile.firstA + a) * UNITS + unit]);
    }
    barrier();
    [[unroll]] for (uint i = 0; i < PER_INVOCATION; ++i) {
        uint k = i * INVOCATIONS + gl_LocalInvocationIndex;
        uint a = k / (TILE_B * UNITS);
        uint b = k / UNITS % TILE_B;
        uint unit = k % UNITS;
        if (tile.exists && tile.firstA + a < extentA && tile.firstB + b < extentB)
            destination[tile.to + (tile.firstA + a) * outStrideA + (tile.firstB + b) * UNITS +
                        unit] = UNIT_STORE(sTile[b][a][unit]);
    }
}
