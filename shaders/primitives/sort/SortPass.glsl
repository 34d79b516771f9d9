// SPDX-License-Identifier: Apache-2.0
//
// Moves keys and values to their places by one digit. Each work group takes a block of tiles, whose
// offsets an earlier dispatch has written.

layout(binding = 0) readonly buffer KeysIn { KEY_STORED keysIn[]; };
layout(binding = 1) writeonly buffer KeysOut { KEY_STORED keysOut[]; };
layout(binding = 2) readonly buffer Offsets { uvec2 offsets[]; }; // [digit][block]
layout(binding = 3) readonly buffer Totals { uvec2 totals[]; };   // [digit]
#if VALUE_WORDS > 0
layout(binding = 4) readonly buffer ValuesIn { VALUE valuesIn[]; };
layout(binding = 5) writeonly buffer ValuesOut { VALUE valuesOut[]; };
#endif

layout(push_constant) uniform Push {
    uint firstKeyIn;
    uint firstKeyOut;
    uint firstState;
    uint firstTotal;
#if VALUE_WORDS > 0
    uint firstValueIn;
    uint firstValueOut;
#endif
    uint count; // keys in this dispatch
    uint shift;
    uint mask;
    uint flip;
    uint flags;
    uint baseLow; // index of the first key
    uint baseHigh;
    uint windowLow; // index of the first place bound here
    uint windowHigh;
    uint windowCount;
    uint blockTiles; // tiles per block
    uint block;      // of the first work group
    uint blocks;     // in a row of offsets
};

const uint kIndices = 1u;     // the values are the keys' indices
const uint kDiscardKeys = 2u; // keys are not written

shared uvec2 sBase[256];

Digit digitOfPass() { return Digit(shift, mask, flip); }

// Moves one tile. sBase says where each digit goes on, and is advanced.
void moveTile(uint tile) {
    uint begin = tile * TILE;
    uint size = min(TILE, count - begin);
    KEY keys[ITEMS];
    UNROLL for (int i = 0; i < ITEMS; ++i) {
        uint place = placeOf(i);
        keys[i] = place < size ? LOAD_KEY(keysIn[firstKeyIn + begin + place]) : KEY(0u);
    }
    uint ranks[ITEMS];
    uint counts[OWN_DIGITS];
    {
        uint digits[ITEMS];
        UNROLL for (int i = 0; i < ITEMS; ++i)
            digits[i] = placeOf(i) < size ? digitOf(keys[i], digitOfPass()) : 255u;
        rankInTeam(digits, ranks);
        addTeams(counts);
        scanDigits(counts);
        rankInTile(digits, ranks);
    }
    exchange(keys, ranks);
    uint places[ITEMS];
    UNROLL for (int i = 0; i < ITEMS; ++i) {
        uint place = placeOf(i);
        uint digit = digitOf(keys[i], digitOfPass());
        uvec2 window = uvec2(windowLow, windowHigh);
        uvec2 at = difference(plus(sBase[digit], place - sDigits[digit]), window);
        bool isBound = place < size && at.y == 0u && at.x < windowCount;
        places[i] = at.x;
        places[i] = isBound ? places[i] : ~0u;
        if (isBound && (flags & kDiscardKeys) == 0u)
            keysOut[firstKeyOut + places[i]] = KEY_STORED(keys[i]);
    }
#if VALUE_WORDS > 0
    VALUE values[ITEMS];
    UNROLL for (int i = 0; i < ITEMS; ++i) {
        uint place = placeOf(i);
        if ((flags & kIndices) != 0u) {
            uvec2 index = plus(uvec2(baseLow, baseHigh), begin + place);
#if VALUE_WORDS == 2
            values[i] = index;
#else
            values[i] = index.x;
#endif
        } else {
            values[i] = place < size ? valuesIn[firstValueIn + begin + place] : VALUE(0u);
        }
    }
    exchange(values, ranks);
    UNROLL for (int i = 0; i < ITEMS; ++i)
        if (places[i] != ~0u)
            valuesOut[firstValueOut + places[i]] = values[i];
#endif
    barrier();
    for (int k = 0; k < OWN_DIGITS; ++k) {
        uint digit = threadIndex() + k * GROUP_THREADS;
        if (digit < 256u)
            sBase[digit] = plus(sBase[digit], counts[k]);
    }
    barrier();
}

void main() {
    uint group = flatGroup();
    uint tiles = (count + TILE - 1u) / TILE;
    if (group * blockTiles >= tiles)
        return;
    // Where each digit begins, then where this block's keys of it do. Sums have 64 bits.
    for (uint digit = threadIndex(); digit < 256u; digit += GROUP_THREADS)
        sBase[digit] = totals[firstTotal + digit];
    barrier();
    uvec2 starts[OWN_DIGITS];
    for (int k = 0; k < OWN_DIGITS; ++k) {
        uint digit = threadIndex() + k * GROUP_THREADS;
        if (digit >= 256u)
            continue;
        starts[k] = offsets[firstState + digit * blocks + block + group];
        for (uint lower = 0u; lower < digit; ++lower)
            starts[k] = plus(starts[k], sBase[lower]);
    }
    barrier();
    for (int k = 0; k < OWN_DIGITS; ++k)
        if (threadIndex() + k * GROUP_THREADS < 256u)
            sBase[threadIndex() + k * GROUP_THREADS] = starts[k];
    barrier();
    uint end = min(tiles, (group + 1u) * blockTiles);
    for (uint tile = group * blockTiles; tile < end; ++tile)
        moveTile(tile);
}
