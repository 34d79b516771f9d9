// SPDX-License-Identifier: Apache-2.0
//
// Scans neighbouring elements in one pass: loads a tile, finds its prefix, and stores it.

#ifdef READS_BEFORE
// Returns the sum of all that is before a tile.
Item readBefore(uint tile) {
    uint pad = padding();
    T sum = identity();
    for (uint other = 0u; other < tile; ++other) {
        uint first = other * (GROUP_SIZE * ITEMS / IN_PER_BLOCK) + threadIndex();
        uvec4 read[ITEMS / IN_PER_BLOCK];
        [[unroll]] for (uint b = 0; b < ITEMS / IN_PER_BLOCK; ++b)
            read[b] = blocks[(firstIn - pad) / IN_PER_BLOCK + first + b * GROUP_SIZE];
        [[unroll]] for (uint b = 0; b < ITEMS / IN_PER_BLOCK; ++b) {
            IN_VALUE unpacked[IN_PER_BLOCK];
            IN_UNPACK(read[b], unpacked);
            [[unroll]] for (uint i = 0; i < IN_PER_BLOCK; ++i)
                if ((first + b * GROUP_SIZE) * IN_PER_BLOCK + i >= pad)
                    sum = combine(sum, mapped(unpacked[i]));
        }
    }
    sum = LANES_ALL(sum);
    if (LANE == 0u)
        sTotals[TEAM] = sum;
    barrier();
    Item all = nothing();
    for (uint team = 0u; team < TEAMS; ++team)
        all = join(all, sTotals[team]);
    return all;
}
#endif

void main() {
    uint tile = flatGroup();
#ifdef EACH_ROW
    uint row = tile / tilesPerRow;
    if (row >= rows)
        return;
    tile -= row * tilesPerRow;
    firstIn = firstInOfRows + row * count;
    firstOut = firstOutOfRows + row * count;
#ifndef SINGLE
    firstState = firstStateOfRows + row * statesPerRow;
#endif
#endif
    if (tile * (GROUP_SIZE * ITEMS) >= padding() + count)
        return;
    uint thread = threadIndex();
    T v[ITEMS];
    uint heads[ROWS];
    Item before[ROWS];
    Item beforeTeam;
    Item total;
    Item prefix;
#ifdef SINGLE
    load(tile, v, heads);
    beforeTeam = scanTile(v, heads, before, total);
#ifdef READS_BEFORE
    prefix = readBefore(tile);
#else
    prefix = incoming();
#endif
#else
    bool silent = (tile & kSilentGroups) != 0u;
    uint current = tile;
    for (;;) {
        load(current, v, heads);
        beforeTeam = scanTile(v, heads, before, total);
        if (current != tile) {
#ifdef IN_PLACE
            // If the input was read after it was overwritten, then the total is visible, too.
            ACQUIRE_RELEASE();
            barrier();
            ACQUIRE_RELEASE();
#endif
            if (thread == 0u)
                publishFor(current, total);
            current = tile;
            continue;
        }
#ifdef SUBGROUPS
        if (gl_SubgroupID == 0u) {
#else
        if (thread == 0u) {
#endif
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
#ifdef IN_PLACE
    if (thread == 0u)
        ACQUIRE_RELEASE();
    barrier();
#endif
#endif
#ifdef CARRY
    if (thread == 0u && (tile + 1u) * (GROUP_SIZE * ITEMS) >= padding() + count &&
        piece + 1u < pieces)
        carryOut(join(prefix, total));
#endif
    store(tile, v, heads, before, join(prefix, beforeTeam));
}
