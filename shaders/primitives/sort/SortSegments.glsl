// SPDX-License-Identifier: Apache-2.0
//
// Sorts segments by all digits, each in one work group. Segments are given by the offsets of
// Offsets.glsl, or all have the same length (OFFSET_WORDS 0). With LONG_BINDING, segments that are longer
// than a tile are listed for SortLong.glsl; without, there are none. With PACK, a work group takes
// several neighbouring segments, and sorts them together if a tile holds them: by the keys, and then
// by the numbers of their segments.

layout(binding = 0) readonly buffer KeysIn { KEY_STORED keysIn[]; };
layout(binding = 1) writeonly buffer KeysOut { KEY_STORED keysOut[]; };
#if VALUE_WORDS > 0
layout(binding = 2) readonly buffer ValuesIn { VALUE valuesIn[]; };
layout(binding = 3) writeonly buffer ValuesOut { VALUE valuesOut[]; };
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
    uint perGroup;  // segments, at most 256; 1 without PACK
};

const uint kIndices = 1u;     // the values are the keys' indices in their segments
const uint kDiscardKeys = 2u; // keys are not written

uint offsetOf(uint segment) {
#if OFFSET_WORDS == 0
    return segment * length;
#else
    return offsetAt(firstOffset + segment, uvec2(count, 0u)).x;
#endif
}

#ifdef LONG_BINDING
shared uint sFirstTile;
shared uint sSegment;

void listLong(uint begin, uint size) {
    uint tiles = (size + TILE - 1u) / TILE;
    if (threadIndex() == 0u) {
        sFirstTile = atomicAdd(longWords[firstLong], tiles);
        // Only segments that overlap can need more. Their tiles have no segment.
        bool fits = tiles <= longTiles && sFirstTile <= longTiles - tiles;
        sSegment = fits ? min(atomicAdd(longWords[firstLong + 1u], 1u), longTiles) : longTiles;
        if (sSegment < longTiles) {
            uint at = firstLong + 4u + 4u * sSegment;
            longWords[at] = begin;
            longWords[at + 1u] = size;
            longWords[at + 2u] = sFirstTile;
            longWords[at + 3u] = tiles;
        }
    }
    barrier();
    for (uint i = threadIndex(); i < tiles && sFirstTile + i < longTiles; i += GROUP_THREADS) {
        uint at = firstLong + 4u + 4u * longTiles + 2u * (sFirstTile + i);
        longWords[at] = sSegment;
        longWords[at + 1u] = i;
    }
    barrier();
}
#endif

#ifdef PACK
shared uint sBegins[257]; // where segments of the tile begin in it, and the end of the last one

// The segment of a place in the tile: the last one that begins there or before, as empty ones do.
uint segmentAt(uint place, uint number) {
    uint segment = 0u;
    uint rest = number;
    while (rest > 1u) {
        uint step = rest / 2u;
        if (sBegins[segment + step] <= place)
            segment += step;
        rest -= step;
    }
    return segment;
}
#endif

// Sorts neighbouring segments whose keys are those from `begin` on, at least one and at most a tile.
void sortTogether(uint segment, uint number, uint begin, uint size) {
    KEY keys[ITEMS];
#if VALUE_WORDS > 0
    VALUE values[ITEMS];
#endif
    uint passes = (bits + 7u) / 8u;
#ifdef PACK
    barrier(); // after the segments before
    for (uint i = threadIndex(); i <= number; i += GROUP_THREADS)
        sBegins[i] = clamp(offsetOf(segment + i), begin, begin + size) - begin;
    barrier();
    uint owners[ITEMS];
    passes += number > 1u ? 1u : 0u;
#endif
    UNROLL for (int i = 0; i < ITEMS; ++i) {
        uint place = placeOf(i);
        keys[i] = place < size ? LOAD_KEY(keysIn[firstKeyIn + begin + place]) : KEY(0u);
        uint inSegment = place;
#ifdef PACK
        owners[i] = segmentAt(place, number);
        inSegment -= sBegins[owners[i]];
#endif
#if VALUE_WORDS > 0
        if ((flags & kIndices) != 0u)
            values[i] = VALUE_WORDS == 2 ? VALUE(uvec2(inSegment, 0u)) : VALUE(inSegment);
        else
            values[i] = place < size ? valuesIn[firstValueIn + begin + place] : VALUE(0u);
#endif
    }
    for (uint pass = 0u; pass < passes; ++pass) {
        // Places after the last key have the largest digit each time, and so stay there.
        uint digits[ITEMS];
        UNROLL for (int i = 0; i < ITEMS; ++i) {
            digits[i] = 255u;
#ifdef PACK
            if (placeOf(i) < size && 8u * pass >= bits)
                digits[i] = owners[i];
#endif
            if (placeOf(i) < size && 8u * pass < bits)
                digits[i] = digitOf(keys[i], digitAt(firstBit, bits, pass, flip));
        }
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
#ifdef PACK
        exchange(owners, ranks);
#endif
    }
    UNROLL for (int i = 0; i < ITEMS; ++i) {
        uint place = placeOf(i);
        bool isWritten = place < size;
        uint at = begin + place;
        if (take > 0u) {
            uint owner = 0u;
            uint inSegment = place;
#ifdef PACK
            owner = segmentAt(place, number);
            inSegment -= sBegins[owner];
#endif
            isWritten = isWritten && inSegment < take;
            at = (segment + owner) * take + inSegment;
        }
        if (isWritten && (flags & kDiscardKeys) == 0u)
            keysOut[firstKeyOut + at] = KEY_STORED(keys[i]);
#if VALUE_WORDS > 0
        if (isWritten)
            valuesOut[firstValueOut + at] = values[i];
#endif
    }
}

void sortAlone(uint segment) {
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
    sortTogether(segment, 1u, begin, size);
}

void main() {
    uint first = flatGroup() * perGroup;
    if (first >= segments)
        return; // the whole work group
#ifdef PACK
    uint number = min(perGroup, segments - first);
    uint begin = offsetOf(first);
    uint size = max(begin, offsetOf(first + number)) - begin;
    if (size > TILE) {
        for (uint i = 0u; i < number; ++i)
            sortAlone(first + i);
    } else if (size > 0u) {
        sortTogether(first, number, begin, size);
    }
#else
    sortAlone(first);
#endif
}
