// SPDX-License-Identifier: Apache-2.0
//
// Moves the chosen elements to the start of the output in one pass: a work group per tile, which
// finds by LookBack.glsl how many were chosen before. Meanwhile an invocation holds one bit per
// element. Afterwards it reads the chosen ones again, from a cache, in the order in which they are
// written.

#if defined(OUT) || LENGTH_WORDS > 0
#define GATHERED
shared PLACE sPlaces[TILE]; // in the tile, of the chosen elements
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

// @param before  the elements chosen before the tile, and those before the subgroup in the tile
void rankElements(uint tile, uint chosen, uint before, uint rank) {
    const uint bits = (2u << (PER_LANE - 1u)) - 1u;
    // Rows' numbers are less than 2^16: two in a word.
    [[unroll]] for (uint row = 0; row < ROWS; row += 2) {
        uint lower = chosen >> (row * PER_LANE) & bits;
        uint upper = row + 1 < ROWS ? chosen >> (row * PER_LANE + PER_LANE) & bits : 0u;
        uint own = uint(bitCount(lower)) | uint(bitCount(upper)) << 16;
        uint upTo = lanesSum(own);
        uint all = lanesValue(upTo, gl_SubgroupSize - 1u);
        [[unroll]] for (uint i = 0; i < 2 && row + i < ROWS; ++i) {
            uint mine = i == 0 ? lower : upper;
            uint at = rank + ((upTo - own) >> (16u * i) & 0xffffu);
            uint place = placeOf(row + i);
#if INVERSE_WORDS > 0
            writeInverse(tile * TILE + place - LANE * PER_LANE, mine, before + at);
#endif
#ifdef GATHERED
            [[unroll]] for (uint k = 0; k < PER_LANE; ++k)
                if ((mine >> k & 1u) != 0u)
                    sPlaces[at++] = PLACE(place + k);
#endif
            rank += all >> (16u * i) & 0xffffu;
        }
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
    rankElements(tile, chosen, NUMBER(prefix), NUMBER(before));
#ifdef GATHERED
    barrier();
    for (uint i = thread; i < NUMBER(total); i += GROUP_SIZE) {
        uint rank = NUMBER(prefix) + i;
        uint place = tile * TILE + uint(sPlaces[i]);
#ifdef OUT
        if (rank < outCount)
            destination[firstOut + rank] =
                UNIT_STORE(UNIT_LOAD(source[firstIn - padding() + place]));
#endif
#if LENGTH_WORDS > 0
        uint start = i == 0u ? prefix.y : tile * TILE + uint(sPlaces[i - 1u]) + 1u - padding();
        if (rank > 0u)
            writeLength(rank - 1u, place + 1u - padding() - start);
#endif
    }
#endif
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
