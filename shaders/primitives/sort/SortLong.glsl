// SPDX-License-Identifier: Apache-2.0
//
// Sorts the segments that SortSegments.glsl has listed, by one digit. Three dispatches, each of any
// number of work groups: STAGE 0 counts the digits of each tile, 1 turns the counts into places (a
// work group per segment), 2 moves the keys. STAGE 3 copies the segments, before the first digit.
//
// The list: number of tiles, number of segments, two unused words; for each segment its first key,
// its size, its first tile and its tiles (room for longTiles segments); for each tile its segment
// and its number in it.

layout(binding = 0) readonly buffer Long { uint longWords[]; };
layout(binding = 1) buffer Counts { uint counts[]; }; // [tile][digit]
#if STAGE != 1
layout(binding = 2) readonly buffer KeysIn { KEY_STORED keysIn[]; };
layout(binding = 3) writeonly buffer KeysOut { KEY_STORED keysOut[]; };
#if VALUE_WORDS > 0
layout(binding = 4) readonly buffer ValuesIn { VALUE valuesIn[]; };
layout(binding = 5) writeonly buffer ValuesOut { VALUE valuesOut[]; };
#endif
#endif

layout(push_constant) uniform Push {
    uint firstLong;
    uint firstCount;
#if STAGE != 1
    uint firstKeyIn;
    uint firstKeyOut;
#if VALUE_WORDS > 0
    uint firstValueIn;
    uint firstValueOut;
#endif
#endif
    uint shift;
    uint mask;
    uint flip;
    uint flags;
    uint longTiles;
    uint groups;
};

const uint kIndices = 1u;     // the values are the keys' indices in their segments
const uint kDiscardKeys = 2u; // keys are not written
const uint kCopyKeys = 4u;    // what STAGE 3 copies
const uint kCopyValues = 8u;

Digit digitOfPass() { return Digit(shift, mask, flip); }

#if STAGE == 1
// The counts of a segment's tiles become the places of their keys.
void placeSegment(uint segment) {
    uint at = firstLong + 4u + 4u * segment;
    uint begin = longWords[at];
    uint first = firstCount + 256u * longWords[at + 2u];
    uint end = first + 256u * longWords[at + 3u];
    uint sums[OWN_DIGITS];
    for (int k = 0; k < OWN_DIGITS; ++k) {
        uint digit = threadIndex() + k * GROUP_THREADS;
        sums[k] = 0u;
        if (digit < 256u)
            for (uint i = first + digit; i < end; i += 256u)
                sums[k] += counts[i];
    }
    scanDigits(sums);
    for (int k = 0; k < OWN_DIGITS; ++k) {
        uint digit = threadIndex() + k * GROUP_THREADS;
        if (digit >= 256u)
            continue;
        uint sum = begin + sDigits[digit];
        for (uint i = first + digit; i < end; i += 256u) {
            uint count = counts[i];
            counts[i] = sum;
            sum += count;
        }
    }
    barrier();
}
#else
void handleTile(uint tile) {
    uint at = firstLong + 4u + 4u * longTiles + 2u * tile;
    if (longWords[at] >= longTiles) // of a segment that overlaps others
        return;
    uint segment = firstLong + 4u + 4u * longWords[at];
    uint inSegment = longWords[at + 1u] * TILE;
    uint begin = longWords[segment] + inSegment;
    uint size = min(TILE, longWords[segment + 1u] - inSegment);
#if STAGE == 0
    for (uint i = threadIndex(); i < 256u; i += GROUP_THREADS)
        sDigits[i] = 0u;
    barrier();
    for (uint i = threadIndex(); i < size; i += GROUP_THREADS)
        atomicAdd(sDigits[digitOf(LOAD_KEY(keysIn[firstKeyIn + begin + i]), digitOfPass())], 1u);
    barrier();
    for (uint i = threadIndex(); i < 256u; i += GROUP_THREADS)
        counts[firstCount + 256u * tile + i] = sDigits[i];
    barrier();
#elif STAGE == 3
    for (uint i = threadIndex(); i < size; i += GROUP_THREADS) {
        if ((flags & kCopyKeys) != 0u)
            keysOut[firstKeyOut + begin + i] = keysIn[firstKeyIn + begin + i];
#if VALUE_WORDS > 0
        if ((flags & kCopyValues) != 0u)
            valuesOut[firstValueOut + begin + i] = valuesIn[firstValueIn + begin + i];
#endif
    }
#else
    KEY keys[ITEMS];
    uint digits[ITEMS];
    UNROLL for (int i = 0; i < ITEMS; ++i) {
        uint place = placeOf(i);
        keys[i] = place < size ? LOAD_KEY(keysIn[firstKeyIn + begin + place]) : KEY(0u);
        digits[i] = place < size ? digitOf(keys[i], digitOfPass()) : 255u;
    }
    uint ranks[ITEMS];
    uint own[OWN_DIGITS];
    rankInTeam(digits, ranks);
    addTeams(own);
    scanDigits(own);
    rankInTile(digits, ranks);
    exchange(keys, ranks);
    uint places[ITEMS];
    UNROLL for (int i = 0; i < ITEMS; ++i) {
        uint place = placeOf(i);
        uint digit = digitOf(keys[i], digitOfPass());
        places[i] = counts[firstCount + 256u * tile + digit] + place - sDigits[digit];
        if (place < size && (flags & kDiscardKeys) == 0u)
            keysOut[firstKeyOut + places[i]] = KEY_STORED(keys[i]);
    }
#if VALUE_WORDS > 0
    VALUE values[ITEMS];
    UNROLL for (int i = 0; i < ITEMS; ++i) {
        uint place = placeOf(i);
        if ((flags & kIndices) != 0u)
            values[i] =
                VALUE_WORDS == 2 ? VALUE(uvec2(inSegment + place, 0u)) : VALUE(inSegment + place);
        else
            values[i] = place < size ? valuesIn[firstValueIn + begin + place] : VALUE(0u);
    }
    exchange(values, ranks);
    UNROLL for (int i = 0; i < ITEMS; ++i)
        if (placeOf(i) < size)
            valuesOut[firstValueOut + places[i]] = values[i];
#endif
    barrier();
#endif
}
#endif

void main() {
#if STAGE == 1
    for (uint segment = flatGroup(); segment < min(longWords[firstLong + 1u], longTiles);
         segment += groups)
        placeSegment(segment);
#else
    for (uint tile = flatGroup(); tile < min(longWords[firstLong], longTiles); tile += groups)
        handleTile(tile);
#endif
}
