// SPDX-License-Identifier: Apache-2.0
//
// Moves keys and values to their places by one digit. With LOOK_BACK, each work group takes the next
// tile and adds up the counts of the tiles before it as they appear, in `states`. Else each takes a
// block of tiles, whose offsets an earlier dispatch has written. A state is valid by itself, so no
// order between memory accesses is needed.
//
// Macros: LOOK_BACK; with it SPINS, after how many reads a work group counts a missing tile itself;
// WITHHOLD, for tests: every second tile publishes nothing.

layout(binding = 0) readonly buffer KeysIn { KEY_STORED keysIn[]; };
layout(binding = 1) writeonly buffer KeysOut { KEY_STORED keysOut[]; };
#ifdef LOOK_BACK
layout(binding = 2) buffer States { uint states[]; }; // [tile][digit]
layout(binding = 3) buffer Totals { uint totals[]; }; // [digit], then the next tile
#else
layout(binding = 2) readonly buffer Offsets { uvec2 offsets[]; }; // [digit][block]
layout(binding = 3) readonly buffer Totals { uvec2 totals[]; };   // [digit]
#endif
#if VALUE_WORDS > 0
layout(binding = 4) readonly buffer ValuesIn { VALUE valuesIn[]; };
layout(binding = 5) writeonly buffer ValuesOut { VALUE valuesOut[]; };
#endif

layout(push_constant) uniform Push {
    uint firstKeyIn;
    uint firstKeyOut;
    uint firstState;
    uint firstTotal;
#if VALUE_WORDS > 0
    uint firstValueIn;
    uint firstValueOut;
#endif
    uint count; // keys in this dispatch
    uint shift;
    uint mask;
    uint flip;
    uint flags;
    uint baseLow; // index of the first key
    uint baseHigh;
    uint windowLow; // index of the first place bound here
    uint windowHigh;
    uint windowCount;
    uint blockTiles; // tiles per block
    uint block;      // of the first work group
    uint blocks;     // in a row of offsets
};

const uint kIndices = 1u;     // the values are the keys' indices
const uint kDiscardKeys = 2u; // keys are not written

#ifdef LOOK_BACK
const uint kSum = 1u << 30;   // of this tile alone
const uint kTotal = 2u << 30; // of this tile and all before
const uint kNumber = kSum - 1u;

shared uint sTile;
shared uint sMissing;
shared uint sBase[256];

uint stateOf(uint tile, uint digit) {
    return LOAD_RELAXED(states[firstState + tile * 256u + digit]);
}
void publish(uint tile, uint digit, uint state) {
    STORE_RELAXED(states[firstState + tile * 256u + digit], state);
}
bool publishes(uint tile) {
#ifdef WITHHOLD
    return tile % 2u == 0u;
#else
    return true;
#endif
}
#else
shared uvec2 sBase[256];
#endif

Digit digitOfPass() { return Digit(shift, mask, flip); }

#ifdef LOOK_BACK
// Returns where the keys of the invocation's digits begin.
void digitStarts(out uint starts[OWN_DIGITS]) {
    uint counts[OWN_DIGITS];
    for (int k = 0; k < OWN_DIGITS; ++k) {
        uint digit = threadIndex() + k * GROUP_THREADS;
        counts[k] = digit < 256u ? totals[firstTotal + digit] : 0u;
    }
    scanDigits(counts);
    for (int k = 0; k < OWN_DIGITS; ++k)
        starts[k] = sDigits[min(threadIndex() + k * GROUP_THREADS, 255u)];
    barrier();
}

// Counts the digits of a tile that is not the last.
void countTile(uint tile) {
    for (uint i = threadIndex(); i < 256u; i += GROUP_THREADS)
        sBase[i] = 0u;
    barrier();
    for (uint i = threadIndex(); i < TILE; i += GROUP_THREADS)
        atomicAdd(sBase[digitOf(LOAD_KEY(keysIn[firstKeyIn + tile * TILE + i]), digitOfPass())],
                  1u);
    barrier();
}

// Adds up the counts of earlier tiles. A tile that publishes nothing for a while is counted here, so
// this ends even if no other work group makes progress.
void lookBack(uint tile, out uint sums[OWN_DIGITS]) {
    uint next[OWN_DIGITS]; // the tile to add, plus 1
    for (int k = 0; k < OWN_DIGITS; ++k) {
        sums[k] = 0u;
        next[k] = threadIndex() + k * GROUP_THREADS < 256u ? tile : 0u;
    }
    for (uint round = 0u; round <= tile; ++round) {
        if (threadIndex() == 0u)
            sMissing = 0u;
        barrier();
        for (int k = 0; k < OWN_DIGITS; ++k) {
            uint digit = threadIndex() + k * GROUP_THREADS;
            for (uint spin = 0u; next[k] > 0u && spin < SPINS; ++spin) {
                uint state = stateOf(next[k] - 1u, digit);
                if (state == 0u)
                    continue;
                sums[k] += state & kNumber;
                next[k] = (state & kTotal) != 0u ? 0u : next[k] - 1u;
                spin = 0u;
            }
            if (next[k] > 0u)
                atomicMax(sMissing, next[k]);
        }
        barrier();
        uint missing = sMissing;
        if (missing == 0u)
            break;
        uint starts[OWN_DIGITS];
        if (missing == 1u)
            digitStarts(starts);
        countTile(missing - 1u);
        for (int k = 0; k < OWN_DIGITS; ++k) {
            uint digit = threadIndex() + k * GROUP_THREADS;
            if (next[k] != missing)
                continue;
            uint number = sBase[digit];
            if (missing == 1u)
                number += starts[k];
            sums[k] += number;
            --next[k];
            atomicCompSwap(states[firstState + (missing - 1u) * 256u + digit], 0u,
                           number | (missing == 1u ? kTotal : kSum));
        }
        barrier();
    }
}
#endif

// Moves one tile. With LOOK_BACK, `tile` counts the tiles of the pass; else sBase says where each
// digit goes on, and is advanced.
void moveTile(uint tile) {
    uint begin = tile * TILE;
    uint size = min(TILE, count - begin);
    KEY keys[ITEMS];
    UNROLL for (int i = 0; i < ITEMS; ++i) {
        uint place = placeOf(i);
        keys[i] = place < size ? LOAD_KEY(keysIn[firstKeyIn + begin + place]) : KEY(0u);
    }
    uint ranks[ITEMS];
    uint counts[OWN_DIGITS];
#ifdef LOOK_BACK
    uint sums[OWN_DIGITS]; // where the keys of each digit go
#endif
    {
        uint digits[ITEMS];
        UNROLL for (int i = 0; i < ITEMS; ++i)
            digits[i] = placeOf(i) < size ? digitOf(keys[i], digitOfPass()) : 255u;
        rankInTeam(digits, ranks);
        addTeams(counts);
#ifdef LOOK_BACK
        if (tile == 0u)
            digitStarts(sums);
        for (int k = 0; k < OWN_DIGITS; ++k) {
            uint digit = threadIndex() + k * GROUP_THREADS;
            if (digit < 256u && publishes(tile))
                publish(tile, digit, tile == 0u ? kTotal | (sums[k] + counts[k]) : kSum | counts[k]);
        }
#endif
        scanDigits(counts);
        rankInTile(digits, ranks);
    }
#ifdef LOOK_BACK
    uint locals[OWN_DIGITS]; // where they begin in the tile
    for (int k = 0; k < OWN_DIGITS; ++k)
        locals[k] = sDigits[min(threadIndex() + k * GROUP_THREADS, 255u)];
#endif
    exchange(keys, ranks);
#ifdef LOOK_BACK
    if (tile > 0u)
        lookBack(tile, sums);
    for (int k = 0; k < OWN_DIGITS; ++k) {
        uint digit = threadIndex() + k * GROUP_THREADS;
        if (digit >= 256u)
            continue;
        if (tile > 0u && publishes(tile))
            publish(tile, digit, kTotal | (sums[k] + counts[k]));
        sBase[digit] = sums[k] - locals[k];
    }
    barrier();
#endif
    uint places[ITEMS];
    UNROLL for (int i = 0; i < ITEMS; ++i) {
        uint place = placeOf(i);
        uint digit = digitOf(keys[i], digitOfPass());
#ifdef LOOK_BACK
        places[i] = sBase[digit] + place;
        bool isBound = place < size;
#else
        uvec2 window = uvec2(windowLow, windowHigh);
        uvec2 at = difference(plus(sBase[digit], place - sDigits[digit]), window);
        bool isBound = place < size && at.y == 0u && at.x < windowCount;
        places[i] = at.x;
#endif
        places[i] = isBound ? places[i] : ~0u;
        if (isBound && (flags & kDiscardKeys) == 0u)
            keysOut[firstKeyOut + places[i]] = KEY_STORED(keys[i]);
    }
#if VALUE_WORDS > 0
    VALUE values[ITEMS];
    UNROLL for (int i = 0; i < ITEMS; ++i) {
        uint place = placeOf(i);
        if ((flags & kIndices) != 0u) {
            uvec2 index = plus(uvec2(baseLow, baseHigh), begin + place);
#if VALUE_WORDS == 2
            values[i] = index;
#else
            values[i] = index.x;
#endif
        } else {
            values[i] = place < size ? valuesIn[firstValueIn + begin + place] : VALUE(0u);
        }
    }
    exchange(values, ranks);
    UNROLL for (int i = 0; i < ITEMS; ++i)
        if (places[i] != ~0u)
            valuesOut[firstValueOut + places[i]] = values[i];
#endif
#ifndef LOOK_BACK
    barrier();
    for (int k = 0; k < OWN_DIGITS; ++k) {
        uint digit = threadIndex() + k * GROUP_THREADS;
        if (digit < 256u)
            sBase[digit] = plus(sBase[digit], counts[k]);
    }
    barrier();
#endif
}

void main() {
#ifdef LOOK_BACK
    // Tiles begin in their order, whatever the order of work groups.
    if (threadIndex() == 0u)
        sTile = atomicAdd(totals[firstTotal + 256u], 1u);
    barrier();
    uint tile = sTile;
    if (tile * TILE < count)
        moveTile(tile);
#else
    uint group = flatGroup();
    uint tiles = (count + TILE - 1u) / TILE;
    if (group * blockTiles >= tiles)
        return;
    // Where each digit begins, then where this block's keys of it do. Sums have 64 bits.
    for (uint digit = threadIndex(); digit < 256u; digit += GROUP_THREADS)
        sBase[digit] = totals[firstTotal + digit];
    barrier();
    uvec2 starts[OWN_DIGITS];
    for (int k = 0; k < OWN_DIGITS; ++k) {
        uint digit = threadIndex() + k * GROUP_THREADS;
        if (digit >= 256u)
            continue;
        starts[k] = offsets[firstState + digit * blocks + block + group];
        for (uint lower = 0u; lower < digit; ++lower)
            starts[k] = plus(starts[k], sBase[lower]);
    }
    barrier();
    for (int k = 0; k < OWN_DIGITS; ++k)
        if (threadIndex() + k * GROUP_THREADS < 256u)
            sBase[threadIndex() + k * GROUP_THREADS] = starts[k];
    barrier();
    uint end = min(tiles, (group + 1u) * blockTiles);
    for (uint tile = group * blockTiles; tile < end; ++tile)
        moveTile(tile);
#endif
}
