// SPDX-License-Identifier: Apache-2.0
//
// Moves the chosen elements to the start of the output in one pass: a work group per tile, which
// finds by LookBack.glsl how many were chosen before. Meanwhile an invocation holds one bit per
// element. Afterwards it reads the chosen ones again, from a cache, in the order in which they are
// written. With AHEAD, it reads the chosen ones of the first rows during the wait.
//
// A subgroup's chosen elements follow each other in the output. So subgroups do not wait for each
// other, and shared memory holds ROWS_AT_ONCE rows of the tile (1 or 2): GPUs run more work groups
// at a time if each needs little of it.

#if defined(OUT) || LENGTH_WORDS > 0
#define GATHERED
#define PLACES_PER_LANE (ROWS_AT_ONCE * PER_LANE)
shared PLACE sPlaces[GROUP_SIZE * PLACES_PER_LANE]; // in the tile, of the chosen elements

// Of the subgroup's places.
uint firstPlace() { return gl_SubgroupID * gl_SubgroupSize * PLACES_PER_LANE; }
#endif

#if LENGTH_WORDS > 0
// The number of a chosen element whose place is in shared memory, from 1 on.
uint numberAt(uint tile, uint i) {
    return tile * TILE + uint(sPlaces[firstPlace() + i]) + 1u - padding();
}

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

// Chosen elements of some rows, in the order in which they are written.
struct Gathered {
    uint number; // of the subgroup
#ifdef GATHERED
    uint places[PLACES_PER_LANE];
#endif
#ifdef OUT
    UNIT_VALUE units[PLACES_PER_LANE];
#endif
};

// Gathers the chosen elements of ROWS_AT_ONCE rows.
// @param rank  of the first, with INVERSE_WORDS
Gathered gather(uint tile, uint chosen, uint row, uint rank) {
    const uint bits = (2u << (PER_LANE - 1u)) - 1u;
    uint lower = chosen >> (row * PER_LANE) & bits;
    uint upper = ROWS_AT_ONCE == 2 && row + 1 < ROWS
                     ? chosen >> (row * PER_LANE + PER_LANE) & bits
                     : 0u;
    // Rows' numbers are less than 2^16: two in a word.
    uint own = uint(bitCount(lower)) | uint(bitCount(upper)) << 16;
    uint upTo = lanesSum(own);
    uint all = lanesValue(upTo, gl_SubgroupSize - 1u);
    Gathered gathered;
    gathered.number = 0u;
    [[unroll]] for (uint i = 0; i < ROWS_AT_ONCE && row + i < ROWS; ++i) {
        uint mine = i == 0 ? lower : upper;
        uint at = gathered.number + ((upTo - own) >> (16u * i) & 0xffffu);
        uint place = placeOf(row + i);
#if INVERSE_WORDS > 0
        writeInverse(tile * TILE + place - LANE * PER_LANE, mine, rank + at);
#endif
#ifdef GATHERED
        [[unroll]] for (uint k = 0; k < PER_LANE; ++k)
            if ((mine >> k & 1u) != 0u)
                sPlaces[firstPlace() + at++] = PLACE(place + k);
#endif
        gathered.number += all >> (16u * i) & 0xffffu;
    }
#ifdef GATHERED
    subgroupBarrier();
    [[unroll]] for (uint k = 0; k < PLACES_PER_LANE; ++k)
        gathered.places[k] =
            tile * TILE + uint(sPlaces[firstPlace() + k * gl_SubgroupSize + LANE]);
#ifdef OUT
    [[unroll]] for (uint k = 0; k < PLACES_PER_LANE; ++k)
        if (k * gl_SubgroupSize + LANE < gathered.number)
            gathered.units[k] = UNIT_LOAD(source[firstIn - padding() + gathered.places[k]]);
#endif
#endif
    return gathered;
}

// Writes the elements that were gathered last.
// @param rank  of the first
// @param last  the number of the chosen element before it, from 1 on, with LENGTH_WORDS
// @return      the number of the last one
uint moveGathered(uint tile, Gathered gathered, uint rank, uint last) {
#ifdef GATHERED
    [[unroll]] for (uint k = 0; k < PLACES_PER_LANE; ++k) {
        uint i = k * gl_SubgroupSize + LANE;
        if (i < gathered.number) {
#ifdef OUT
            if (rank + i < outCount)
                destination[firstOut + rank + i] = UNIT_STORE(gathered.units[k]);
#endif
#if LENGTH_WORDS > 0
            uint start = i == 0u ? last : numberAt(tile, i - 1u);
            if (rank + i > 0u)
                writeLength(rank + i - 1u, gathered.places[k] + 1u - padding() - start);
#endif
        }
    }
#if LENGTH_WORDS > 0
    if (gathered.number > 0u)
        last = numberAt(tile, gathered.number - 1u);
#endif
    subgroupBarrier();
#endif
    return last;
}

// @param before the facts about the elements before the subgroup's, of all tiles
// @param next    the elements of the first rows, with AHEAD
void moveElements(uint tile, uint chosen, Item before, Gathered next) {
    uint rank = NUMBER(before);
    uint last = LAST(before);
    [[dont_unroll]] for (uint row = 0; row < ROWS; row += ROWS_AT_ONCE) {
#ifdef AHEAD
        if (row > 0)
#endif
            next = gather(tile, chosen, row, rank);
        last = moveGathered(tile, next, rank, last);
        rank += next.number;
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
    Gathered next;
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
        if (thread == 0u && !silent)
            publishAt(placeOfTotal(tile), total);
#ifdef AHEAD
        next = gather(tile, chosen, 0u, 0u); // on their way during the wait
#endif
        if (gl_SubgroupID == 0u) {
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
    moveElements(tile, chosen, join(prefix, before), next);
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
