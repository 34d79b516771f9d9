// SPDX-License-Identifier: Apache-2.0
//
// Sums counts per [digit][block] over earlier blocks, one work group per digit. Sums have 64 bits.

layout(binding = 0) readonly buffer Counts { uint counts[]; };
layout(binding = 1) writeonly buffer Offsets { uvec2 offsets[]; };
layout(binding = 2) writeonly buffer Totals { uvec2 totals[]; };

layout(push_constant) uniform Push {
    uint firstCount;
    uint firstOffset;
    uint firstTotal;
    uint blocks;
};

shared uint sScan[GROUP_SIZE];

void main() {
    uint thread = gl_LocalInvocationIndex;
    uint digit = flatGroup();
    uvec2 total = uvec2(0u);
    // Blocks are small enough for the sum over a work group to fit 32 bits.
    for (uint begin = 0u; begin < blocks; begin += GROUP_SIZE) {
        uint block = begin + thread;
        bool isInside = digit < 256u && block < blocks;
        uint count = isInside ? counts[firstCount + digit * blocks + block] : 0u;
        uint sum = count;
        for (uint m = 1u; m < GROUP_SIZE; m *= 2u) {
            sScan[thread] = sum;
            barrier();
            sum += thread >= m ? sScan[thread - m] : 0u;
            barrier();
        }
        sScan[thread] = sum;
        barrier();
        if (isInside)
            offsets[firstOffset + digit * blocks + block] = plus(total, sum - count);
        total = plus(total, sScan[GROUP_SIZE - 1u]);
        barrier();
    }
    if (digit < 256u && thread == 0u)
        totals[firstTotal + digit] = total;
}
