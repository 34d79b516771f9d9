// SPDX-License-Identifier: Apache-2.0
//
// Moves the chosen elements to the start of the output in one pass: a work group per tile, which
// finds by LookBack.glsl how many were chosen before.

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
    uint chosen;
    Item before;
    Item total;
    Item prefix;
    uint current = tile;
    for (;;) {
        chooseElements(current, units, chosen);
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
    // The chosen elements of a subgroup go to neighbouring places.
    uint rank = NUMBER(prefix) + NUMBER(before);
#if LENGTH_WORDS > 0
    uint last = join(prefix, before).y;
#endif
    [[unroll]] for (uint k = 0; k < ITEMS; ++k) {
        uint i = tile * TILE + placeOf(k);
        uvec4 ballot = chosenLanes(chosen, k);
        if ((chosen >> k & 1u) != 0u) {
            uint place = rank + subgroupBallotExclusiveBitCount(ballot);
#ifdef OUT
            if (place < outCount)
                destination[firstOut + place] = UNIT_STORE(units[k]);
#endif
#if LENGTH_WORDS > 0
            uvec4 lower = ballot & gl_SubgroupLtMask;
            uint start = lower == uvec4(0u) ? last : i - LANE + subgroupBallotFindMSB(lower) + 1u;
            if (place > 0u)
                writeLength(place - 1u, i + 1u - start);
#endif
        }
#if INVERSE_WORDS > 0
        if (i < count) {
            inverse[(firstInverse + i) * INVERSE_WORDS] =
                rank + subgroupBallotInclusiveBitCount(ballot) - 1u;
#if INVERSE_WORDS == 2
            inverse[(firstInverse + i) * 2u + 1u] = 0u;
#endif
        }
#endif
        rank += bitsIn(ballot);
#if LENGTH_WORDS > 0
        if (ballot != uvec4(0u))
            last = i - LANE + subgroupBallotFindMSB(ballot) + 1u;
#endif
    }
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
