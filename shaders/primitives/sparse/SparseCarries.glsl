// SPDX-License-Identifier: Apache-2.0
//
// Adds the carries of tiles to the rows that they belong to. A work group takes a tile, and all that
// follow it with carries for the same row; it does nothing if an earlier one has such a carry. LANES
// neighbouring invocations take a column each, and the others share its carries.

layout(binding = 0) readonly buffer CarryRows { uint carryRows[]; };
layout(binding = 1) readonly buffer Carries { NUMBER carries[]; };
layout(binding = 2) buffer Y { NUMBER y[]; };

layout(push_constant) uniform Push {
    uint firstCarryRow;
    uint firstCarry;
    uint firstY;
    uint rows;
    uint width;
    uint tiles;
};

#define IN_FLIGHT 8u

shared NUMBER sSums[GROUP_SIZE];

void main() {
    uint thread = gl_LocalInvocationIndex;
    uint tile = flatGroup();
    if (tile >= tiles)
        return;
    uint row = carryRows[firstCarryRow + tile];
    // The same in all invocations: they reach each barrier together.
    if (row >= rows || (tile > 0u && carryRows[firstCarryRow + tile - 1u] == row))
        return;
    // Where the run of such tiles ends. Rows ascend.
    uint end = tile + 1u;
    uint beyond = tiles;
    while (end < beyond) {
        uint middle = (end + beyond) / 2u;
        if (carryRows[firstCarryRow + middle] == row)
            end = middle + 1u;
        else
            beyond = middle;
    }
    for (uint begin = 0u; begin < width; begin += LANES) {
        uint column = begin + thread % LANES;
        NUMBER sum = NUMBER(0);
        if (column < width) {
            // Several accesses are in flight.
            for (uint t = tile + thread / LANES; t < end; t += IN_FLIGHT * GROUP_SIZE / LANES) {
                NUMBER parts[IN_FLIGHT];
                [[unroll]] for (uint n = 0u; n < IN_FLIGHT; ++n) {
                    uint other = t + n * GROUP_SIZE / LANES;
                    parts[n] = other < end ? carries[firstCarry + other * width + column] : NUMBER(0);
                }
                [[unroll]] for (uint n = 0u; n < IN_FLIGHT; ++n)
                    sum += parts[n];
            }
        }
        sSums[thread] = sum;
        for (uint m = GROUP_SIZE / 2u; m >= LANES; m /= 2u) {
            barrier();
            if (thread < m) {
                sum += sSums[thread + m];
                sSums[thread] = sum;
            }
        }
        if (thread < LANES && column < width)
            y[firstY + row * width + column] += sum;
        barrier();
    }
}
