// SPDX-License-Identifier: Apache-2.0
//
// Sorts segments by all digits, each in one work group. Segments are given by offsets of OFFSET_WORDS
// words, or all have the same length (OFFSET_WORDS 0). With LONG_BINDING, segments that are longer
// than a tile are listed for SortLong.glsl; without, there are none.

layout(binding = 0) readonly buffer KeysIn { KEY_STORED keysIn[]; };
layout(binding = 1) writeonly buffer KeysOut { KEY_STORED keysOut[]; };
#if VALUE_WORDS > 0
layout(binding = 2) readonly buffer ValuesIn { VALUE valuesIn[]; };
layout(binding = 3) writeonly buffer ValuesOut { VALUE valuesOut[]; };
#endif
#if OFFSET_WORDS > 0
layout(binding = OFFSET_BINDING) readonly buffer Offsets { uint offsets[]; };
#endif
#ifdef LONG_BINDING
layout(binding = LONG_BINDING) buffer Long { uint longWords[]; };
#endif

layout(push_constant) uniform Push {
    uint firstKeyIn;
    uint firstKeyOut;
#if VALUE_WORDS > 0
    uint firstValueIn;
    uint firstValueOut;
#endif
#if OFFSET_WORDS > 0
    uint firstOffset;
#endif
#ifdef LONG_BINDING
    uint firstLong;
#endif
    uint count; // keys bound here
    uint segments;
    uint length; // of each segment, if OFFSET_WORDS is 0
    uint firstBit;
    uint bits;
    uint flip;
    uint flags;
    uint longTiles; // see SortLong.glsl
    uint take;      // if not 0, so many keys of each segment are written, one after the other
};

const uint kIndices = 1u;     // the values are the keys' indices in their segments
const uint kDiscardKeys = 2u; // keys are not written

uint offsetOf(uint segment) {
#if OFFSET_WORDS == 0
    return segment * length;
#elif OFFSET_WORDS == 1
    return min(offsets[firstOffset + segment], count);
#else
    uint at = 2u * (firstOffset + segment);
    return offsets[at + 1u] != 0u ? count : min(offsets[at], count);
#endif
}

#ifdef LONG_BINDING
shared uint sFirstTile;
shared uint sSegment;
shared uint sListed;

void listLong(uint begin, uint size) {
    uint tiles = (size + TILE - 1u) / TILE;
    if (threadIndex() == 0u) {
        sFirstTile = atomicAdd(longWords[firstLong], tiles);
        sSegment = atomicAdd(longWords[firstLong + 1u], 1u);
        // Only segments that overlap can need more.
        if (sFirstTile + tiles > longTiles) {
            tiles = 0u;
        } else {
            uint at = firstLong + 4u + 4u * sSegment;
            longWords[at] = begin;
            longWords[at + 1u] = size;
            longWords[at + 2u] = sFirstTile;
            longWords[at + 3u] = tiles;
        }
        sListed = tiles;
    }
    barrier();
    tiles = sListed;
    for (uint i = threadIndex(); i < tiles; i += GROUP_THREADS) {
        uint at = firstLong + 4u + 4u * longTiles + 2u * (sFirstTile + i);
        longWords[at] = sSegment;
        longWords[at + 1u] = i;
    }
}
#endif

void main() {
    uint segment = flatGroup();
    if (segment >= segments)
        return;
    uint begin = offsetOf(segment);
    uint size = max(begin, offsetOf(segment + 1u)) - begin;
    if (size == 0u)
        return;
#ifdef LONG_BINDING
    if (size > TILE) {
        listLong(begin, size);
        return;
    }
#endif
    KEY keys[ITEMS];
#if VALUE_WORDS > 0
    VALUE values[ITEMS];
#endif
    UNROLL for (int i = 0; i < ITEMS; ++i) {
        uint place = placeOf(i);
        keys[i] = place < size ? LOAD_KEY(keysIn[firstKeyIn + begin + place]) : KEY(0u);
#if VALUE_WORDS > 0
        if ((flags & kIndices) != 0u)
            values[i] = VALUE_WORDS == 2 ? VALUE(uvec2(place, 0u)) : VALUE(place);
        else
            values[i] = place < size ? valuesIn[firstValueIn + begin + place] : VALUE(0u);
#endif
    }
    for (uint pass = 0u; 8u * pass < bits; ++pass) {
        // What is after the last key has the largest digit each time, and so stays there.
        uint digits[ITEMS];
        UNROLL for (int i = 0; i < ITEMS; ++i)
            digits[i] = placeOf(i) < size ? digitOf(keys[i], digitAt(firstBit, bits, pass, flip))
                                          : 255u;
        uint ranks[ITEMS];
        uint counts[OWN_DIGITS];
        rankInTeam(digits, ranks);
        addTeams(counts);
        scanDigits(counts);
        rankInTile(digits, ranks);
        exchange(keys, ranks);
#if VALUE_WORDS > 0
        exchange(values, ranks);
#endif
    }
    uint written = take > 0u ? min(take, size) : size;
    uint beginOut = take > 0u ? segment * take : begin;
    UNROLL for (int i = 0; i < ITEMS; ++i) {
        uint place = placeOf(i);
        if (place < written && (flags & kDiscardKeys) == 0u)
            keysOut[firstKeyOut + beginOut + place] = KEY_STORED(keys[i]);
#if VALUE_WORDS > 0
        if (place < written)
            valuesOut[firstValueOut + beginOut + place] = values[i];
#endif
    }
}
