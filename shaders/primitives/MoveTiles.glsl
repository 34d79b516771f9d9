// SPDX-License-Identifier: Apache-2.0
//
// Transposes: elements that are neighbours along axis A in the input are neighbours along axis B in
// the output. A work group moves a tile of TILE_A x TILE_B elements of UNITS units through shared
// memory, so that it reads and writes whole rows of the tile (Ruetsch and Micikevicius, "Optimizing
// matrix transpose in CUDA", 2009). The strides along A in the input and B in the output are 1.

layout(binding = 0) readonly buffer In { UNIT_STORED source[]; };
layout(binding = 1) writeonly buffer Out { UNIT_STORED destination[]; };

layout(push_constant) uniform Push {
    uint firstIn; // units
    uint firstOut;
    uint extentA; // elements
    uint extentB;
    uint inStrideB; // units
    uint outStrideA;
    uint tilesA;
    uint tilesB;
    uint batches;
    uint inner; // batches = outer x inner
    uint inInner;
    uint outInner;
    uint inOuter;
    uint outOuter;
};

// A column more than elements, so that neither direction meets in the same bank.
shared UNIT_VALUE sTile[TILE_B][TILE_A + 1][UNITS];

// As many as the host has set in the specialization constant: the loops below are unrolled.
#define PER_INVOCATION (TILE_A * TILE_B * UNITS / INVOCATIONS)

void main() {
    uint group = flatGroup();
    uint tileB = group % tilesB;
    uint rest = group / tilesB;
    uint firstA = rest % tilesA * TILE_A;
    uint firstB = tileB * TILE_B;
    uint batch = rest / tilesA;
    bool inside = batch < batches;
    uint outer = batch / inner;
    uint from = firstIn + outer * inOuter + (batch - outer * inner) * inInner;
    uint to = firstOut + outer * outOuter + (batch - outer * inner) * outInner;

    [[unroll]] for (uint i = 0; i < PER_INVOCATION; ++i) {
        uint k = i * INVOCATIONS + gl_LocalInvocationIndex;
        uint b = k / (TILE_A * UNITS);
        uint a = k / UNITS % TILE_A;
        uint unit = k % UNITS;
        if (inside && firstA + a < extentA && firstB + b < extentB)
            sTile[b][a][unit] = UNIT_LOAD(
                source[from + (firstB + b) * inStrideB + (firstA + a) * UNITS + unit]);
    }
    barrier();
    [[unroll]] for (uint i = 0; i < PER_INVOCATION; ++i) {
        uint k = i * INVOCATIONS + gl_LocalInvocationIndex;
        uint a = k / (TILE_B * UNITS);
        uint b = k / UNITS % TILE_B;
        uint unit = k % UNITS;
        if (inside && firstA + a < extentA && firstB + b < extentB)
            destination[to + (firstA + a) * outStrideA + (firstB + b) * UNITS + unit] =
                UNIT_STORE(sTile[b][a][unit]);
    }
}
