// SPDX-License-Identifier: Apache-2.0
//
// Moves the chosen elements to the start of the output in one pass: a work group per tile, which
// finds by LookBack.glsl how many were chosen before. Meanwhile an invocation holds one bit per
// element. Afterwards it reads the chosen ones again, from a cache, in the order in which they are
// written.
//
// A subgroup's chosen elements follow each other in the output. So subgroups do not wait for each
// other, and shared memory holds ROWS_AT_ONCE rows of the tile (1 or 2): GPUs run more work groups
// at a time if each needs little of it.

#if defined(OUT) || LENGTH_WORDS > 0
#define GATHERED
#define PLACES_PER_LANE (ROWS_AT_ONCE * PER_LANE)
shared PLACE sPlaces[GROUP_SIZE * PLACES_PER_LANE]; // in the tile, of the chosen elements
#endif

#if LENGTH_WORDS > 0
void writeLength(uint rank, uint length) {
    if (rank >= lengthCount)
        return;
    lengths[(firstLength + rank) * LENGTH_WORDS] = length;
#if LENGTH_WORDS == 2
    lengths[(firstLength + rank) * 2u + 1u] = 0u;
#endif
}
#endif

#if INVERSE_WORDS > 0
// Writes the ranks of a row's elements: of neighbouring elements at a time.
// @param rank  of this invocation's first chosen element
void writeInverse(uint place, uint bits, uint rank) {
    for (uint step = 0u; step < PER_LANE; ++step) {
        uint at = step * gl_SubgroupSize + LANE;
        uint lane = at / PER_LANE;
        uint lower = lanesValue(bits, lane) & ((2u << (at % PER_LANE)) - 1u);
        uint number = lanesValue(rank, lane) + uint(bitCount(lower)) - 1u;
        uint element = place + at - padding();
        if (isInside(place + at)) {
            inverse[(firstInverse + element) * INVERSE_WORDS] = number;
#if INVERSE_WORDS == 2
            inverse[(firstInverse + element) * 2u + 1u] = 0u;
#endif
        }
    }
}
#endif

#ifdef GATHERED
// Moves the chosen elements whose places this subgroup has in shared memory.
// @param rank  of the first
// @param last  the number of the chosen element before them, from 1 on
void moveGathered(uint tile, uint first, uint number, uint rank, uint last) {
    uint places[PLACES_PER_LANE];
    [[unroll]] for (uint k = 0; k < PLACES_PER_LANE; ++k)
        places[k] = tile * TILE + uint(sPlaces[first + k * gl_SubgroupSize + LANE]);
#ifdef OUT
    UNIT_VALUE units[PLACES_PER_LANE];
    [[unroll]] for (uint k = 0; k < PLACES_PER_LANE; ++k)
        if (k * gl_SubgroupSize + LANE < number)
            units[k] = UNIT_LOAD(source[firstIn - padding() + places[k]]);
#endif
    [[unroll]] for (uint k = 0; k < PLACES_PER_LANE; ++k) {
        uint i = k * gl_SubgroupSize + LANE;
        if (i < number) {
#ifdef OUT
            if (rank + i < outCount)
                destination[firstOut + rank + i] = UNIT_STORE(units[k]);
#endif
#if LENGTH_WORDS > 0
            uint start = i == 0u ? last : tile * TILE + uint(sPlaces[first + i - 1u]) + 1u - padding();
            if (rank + i > 0u)
                writeLength(rank + i - 1u, places[k] + 1u - padding() - start);
#endif
        }
    }
}
#endif

// @param before  what is known of the elements before the subgroup's, of all tiles
void moveElements(uint tile, uint chosen, Item before) {
    const uint bits = (2u << (PER_LANE - 1u)) - 1u;
    uint rank = NUMBER(before);
#ifdef GATHERED
    uint first = gl_SubgroupID * gl_SubgroupSize * PLACES_PER_LANE;
    uint last = LENGTH_WORDS > 0 ? LAST(before) : 0u;
#endif
    [[unroll]] for (uint row = 0; row < ROWS; row += ROWS_AT_ONCE) {
        uint lower = chosen >> (row * PER_LANE) & bits;
        uint upper = ROWS_AT_ONCE == 2 && row + 1 < ROWS
                         ? chosen >> (row * PER_LANE + PER_LANE) & bits
                         : 0u;
        // Rows' numbers are less than 2^16: two in a word.
        uint own = uint(bitCount(lower)) | uint(bitCount(upper)) << 16;
        uint upTo = lanesSum(own);
        uint all = lanesValue(upTo, gl_SubgroupSize - 1u);
        uint number = 0u;
        [[unroll]] for (uint i = 0; i < ROWS_AT_ONCE && row + i < ROWS; ++i) {
            uint mine = i == 0 ? lower : upper;
            uint at = number + ((upTo - own) >> (16u * i) & 0xffffu);
            uint place = placeOf(row + i);
#if INVERSE_WORDS > 0
            writeInverse(tile * TILE + place - LANE * PER_LANE, mine, rank + at);
#endif
#ifdef GATHERED
            [[unroll]] for (uint k = 0; k < PER_LANE; ++k)
                if ((mine >> k & 1u) != 0u)
                    sPlaces[first + at++] = PLACE(place + k);
#endif
            number += all >> (16u * i) & 0xffffu;
        }
#ifdef GATHERED
        subgroupBarrier();
        moveGathered(tile, first, number, rank, last);
#if LENGTH_WORDS > 0
        if (number > 0u)
            last = tile * TILE + uint(sPlaces[first + number - 1u]) + 1u - padding();
#endif
        subgroupBarrier();
#endif
        rank += number;
    }
}

void main() {
    uint tile = flatGroup();
    if (tile >= tileCount())
        return;
    uint thread = threadIndex();
    bool silent = (tile & kSilentGroups) != 0u;
    uint chosen;
    Item before;
    Item total;
    Item prefix;
    uint current = tile;
    for (;;) {
        chosen = chooseElements(current);
        before = countElements(current, chosen, total);
        if (current != tile) {
            if (thread == 0u)
                publishFor(current, total);
            current = tile;
            continue;
        }
        if (gl_SubgroupID == 0u) {
            if (thread == 0u && !silent)
                publishAt(placeOfTotal(tile), total);
            uint missing = lookBack(tile, total, silent, prefix);
            if (thread == 0u) {
                sMissing = missing;
                sPrefix = prefix;
            }
        }
        barrier();
        uint missing = sMissing;
        prefix = sPrefix;
        barrier();
        if (missing == kNone)
            break;
        current = missing;
    }
    moveElements(tile, chosen, join(prefix, before));
    if (thread == 0u && tile + 1u == tileCount()) {
        Item all = join(prefix, total);
#if LENGTH_WORDS > 0
        writeLength(all.x - 1u, count + 1u - all.y);
#endif
#if COUNT_WORDS > 0
        counts[firstCount * COUNT_WORDS] = NUMBER(all);
#if COUNT_WORDS == 2
        counts[firstCount * 2u + 1u] = 0u;
#endif
#endif
#ifdef DISPATCH
        uvec3 wanted = groupsOf(uvec2(NUMBER(all), 0u), perGroup, maxGroups);
        groups[firstGroup] = wanted.x;
        groups[firstGroup + 1u] = wanted.y;
        groups[firstGroup + 2u] = wanted.z;
#endif
    }
}
