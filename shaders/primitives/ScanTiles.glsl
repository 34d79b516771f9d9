// SPDX-License-Identifier: Apache-2.0
//
// Scans neighbouring elements in one pass: loads a tile, finds what is before it, and stores it.

void main() {
    uint tile = flatGroup();
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
    prefix = incoming();
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
