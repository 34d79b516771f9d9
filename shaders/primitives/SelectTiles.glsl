// SPDX-License-Identifier: Apache-2.0
//
// Moves the chosen elements to the start of the output in one pass: a work group per tile, which
// finds by LookBack.glsl how many were chosen before. Chosen elements meet in shared memory first,
// so that neighbours are written by neighbours.

#if LENGTH_WORDS > 0
void writeLength(uint place, uint length) {
    if (place >= lengthCount)
        return;
    lengths[(firstLength + place) * LENGTH_WORDS] = length;
#if LENGTH_WORDS == 2
    lengths[(firstLength + place) * 2u + 1u] = 0u;
#endif
}
#endif

void main() {
    uint tile = flatGroup();
    if (tile * TILE >= count)
        return;
    uint thread = threadIndex();
    bool silent = (tile & kSilentGroups) != 0u;
    UNIT_VALUE units[ITEMS];
    bool chosen[ITEMS];
    uint ranks[ITEMS];
    Item before;
    Item total;
    Item prefix;
    uint current = tile;
    for (;;) {
        chooseElements(current, units, chosen);
        before = rankElements(current, chosen, ranks, total);
        if (current != tile) {
            if (thread == 0u)
                publishFor(current, total);
            current = tile;
            continue;
        }
        [[unroll]] for (uint k = 0; k < ITEMS; ++k)
            if (chosen[k]) {
                uint place = NUMBER(before) + ranks[k];
#ifdef OUT
                sStaged[place] = units[k];
#endif
#if LENGTH_WORDS > 0
                sPlaces[place] = tile * TILE + placeOf(k);
#endif
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
    uint begin = NUMBER(prefix);
    for (uint i = thread; i < NUMBER(total); i += GROUP_SIZE) {
        uint place = begin + i;
#ifdef OUT
        if (place < outCount)
            destination[firstOut + place] = UNIT_STORE(sStaged[i]);
#endif
#if LENGTH_WORDS > 0
        uint start = i > 0u ? sPlaces[i - 1u] + 1u : prefix.y;
        if (place > 0u)
            writeLength(place - 1u, sPlaces[i] + 1u - start);
#endif
    }
#if INVERSE_WORDS > 0
    [[unroll]] for (uint k = 0; k < ITEMS; ++k) {
        uint i = tile * TILE + placeOf(k);
        uint number = begin + NUMBER(before) + ranks[k] - (chosen[k] ? 0u : 1u);
        if (i < count) {
            inverse[(firstInverse + i) * INVERSE_WORDS] = number;
#if INVERSE_WORDS == 2
            inverse[(firstInverse + i) * 2u + 1u] = 0u;
#endif
        }
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
