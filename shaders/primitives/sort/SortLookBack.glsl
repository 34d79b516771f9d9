// SPDX-License-Identifier: Apache-2.0
//
// Moves keys and values to their places by one digit, in one pass over them (Adinets and Merrill,
// "Onesweep: A Faster Least Significant Digit Radix Sort for GPUs", 2022). A work group per tile
// counts its digits. Only then does it rank its keys, while others already read these counts: it
// adds up the counts of the tiles before it as they appear in `states`. A state is valid by itself,
// so no order between memory accesses is needed. A tile that publishes nothing for a while is
// counted by who waits for it (Smith, Levien and Owens, "Decoupled Fallback", 2025), so work groups
// may begin in any order.
//
// Macros: SPINS, after how many reads a work group counts a missing tile itself. WINDOW: tiles that
// are read together. SHARED_MASKS: lanes with equal digits find each other by atomics in shared
// memory, in at most 32 lanes, and not by votes. TEAM_LANES: the lanes of all subgroups, if these
// are of one size. WITHHOLD: for tests; every second tile publishes nothing.

layout(binding = 0) readonly buffer KeysIn { KEY_STORED keysIn[]; };
layout(binding = 1) writeonly buffer KeysOut { KEY_STORED keysOut[]; };
layout(binding = 2) buffer States { uint states[]; }; // [tile][digit]
layout(binding = 3) readonly buffer Totals { uint totals[]; }; // [digit]
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
    uint count;
    uint shift;
    uint mask;
    uint flip;
    uint flags;
};

const uint kIndices = 1u;     // the values are the keys' indices
const uint kDiscardKeys = 2u; // keys are not written

const uint kSum = 1u << 30;   // of this tile alone
const uint kTotal = 2u << 30; // of this tile and all before
const uint kNumber = kSum - 1u;

#ifdef SHARED_MASKS
const uint kTeamWords = 512u; // counters, and a mask of lanes per digit
#else
const uint kTeamWords = 256u;
#endif

shared uint sMissing;
shared uint sBase[256];

Digit digitOfPass() { return Digit(shift, mask, flip); }

uint stateOf(uint tile, uint digit) {
    return LOAD_RELAXED(states[firstState + tile * 256u + digit]);
}
void publish(uint tile, uint digit, uint state) {
#ifdef WITHHOLD
    if (tile % 2u != 0u)
        return;
#endif
    STORE_RELAXED(states[firstState + tile * 256u + digit], state);
}

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

// Adds up the counts of earlier tiles: of the nearest ones, until one knows the sums of all before.
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
                uint found[WINDOW];
                [[unroll]] for (uint w = 0u; w < WINDOW; ++w)
                    found[w] = stateOf(max(next[k], w + 1u) - w - 1u, digit);
                [[unroll]] for (uint w = 0u; w < WINDOW; ++w) {
                    uint state = found[w];
                    bool isNext = next[k] > 0u && state != 0u;
                    if (!isNext)
                        break;
                    sums[k] += state & kNumber;
                    next[k] = (state & kTotal) != 0u ? 0u : next[k] - 1u;
                    spin = 0u;
                }
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
            uint number = sBase[digit] + (missing == 1u ? starts[k] : 0u);
            sums[k] += number;
            next[k] = missing - 1u;
            // For others, too, unless the tile has published more meanwhile.
            atomicCompSwap(states[firstState + (missing - 1u) * 256u + digit], 0u,
                           number | (missing == 1u ? kTotal : kSum));
        }
        barrier();
    }
}

// Ranks, two in a word: a tile has fewer than 2^16 keys.
#define RANK_WORDS ((ITEMS + 1) / 2)

// Digits, four in a word.
#define DIGIT_WORDS ((ITEMS + 3) / 4)

#ifdef SUBGROUPS
// Returns the rank of each key in the tile. The counters of the teams are where each begins.
uint[RANK_WORDS] rankKeys(uint digits[ITEMS]) {
    uint packed[RANK_WORDS];
    uint row = team() * 256u;
#ifdef SHARED_MASKS
    uint masks = TEAMS * 256u + row;
#else
    LANES all = votes(true);
#endif
    LANES lower = lowerLanes();
    UNROLL for (int i = 0; i < ITEMS; ++i) {
        uint digit = digits[i];
        // The lanes with the same digit.
#ifdef SHARED_MASKS
        atomicOr(sWords[masks + digit], 1u << lane());
        subgroupBarrier();
        LANES peers = sWords[masks + digit];
#else
        LANES peers = all;
        UNROLL for (int bit = 0; bit < 8; ++bit) {
            bool isOne = (digit & 1u << bit) != 0u;
            LANES ones = votes(isOne);
            peers &= isOne ? ones : ~ones;
        }
#endif
        uint before = lanesIn(peers & lower);
        uint start = 0u;
        if (before == 0u) {
            start = atomicAdd(sWords[row + digit], lanesIn(peers));
#ifdef SHARED_MASKS
            sWords[masks + digit] = 0u;
#endif
        }
        start = subgroupShuffle(start, firstLane(peers));
        subgroupBarrier();
        uint rank = start + before;
        packed[i / 2] = i % 2 == 0 ? rank : packed[i / 2] | rank << 16;
    }
    return packed;
}
#else
uint[RANK_WORDS] packRanks(uint ranks[ITEMS]) {
    uint packed[RANK_WORDS];
    UNROLL for (int i = 0; i < RANK_WORDS; ++i)
        packed[i] = ranks[2 * i] | ranks[min(2 * i + 1, ITEMS - 1)] << 16;
    return packed;
}
#endif

#if VALUE_WORDS > 0
void loadValues(uint begin, uint size, bool whole, out VALUE values[ITEMS]) {
    if ((flags & kIndices) != 0u) {
        UNROLL for (int i = 0; i < ITEMS; ++i) {
#if VALUE_WORDS == 2
            values[i] = uvec2(begin + placeOf(i), 0u);
#else
            values[i] = begin + placeOf(i);
#endif
        }
    } else if (whole) {
        UNROLL for (int i = 0; i < ITEMS; ++i)
            values[i] = valuesIn[firstValueIn + begin + placeOf(i)];
    } else {
        UNROLL for (int i = 0; i < ITEMS; ++i)
            values[i] =
                placeOf(i) < size ? valuesIn[firstValueIn + begin + placeOf(i)] : VALUE(0u);
    }
}
#endif

#define PART_ITEMS (ITEMS / PARTS)
#define PART_KEYS uint(GROUP_THREADS * PART_ITEMS)

// The place in the sorted tile of an item of a part. Neighbouring invocations have neighbouring places.
uint sortedPlace(int part, int item) {
    return uint(part * PART_ITEMS + item) * GROUP_THREADS + threadIndex();
}

// Gives to each place of a part of the sorted tile the word with its rank.
uint[PART_ITEMS] sortedPart(uint words[ITEMS], uint packed[RANK_WORDS], int part) {
    uint found[PART_ITEMS];
    UNROLL for (int i = 0; i < ITEMS; ++i) {
        uint rank = packed[i / 2] >> (16 * (i % 2)) & 0xffffu;
        uint at = rank - uint(part) * PART_KEYS;
        if (PARTS == 1 || at < PART_KEYS)
            sWords[at] = words[i];
    }
    barrier();
    UNROLL for (int i = 0; i < PART_ITEMS; ++i)
        found[i] = sWords[i * GROUP_THREADS + threadIndex()];
    barrier();
    return found;
}

uvec2[PART_ITEMS] sortedPart(uvec2 words[ITEMS], uint packed[RANK_WORDS], int part) {
    uvec2 found[PART_ITEMS];
    UNROLL for (int word = 0; word < 2; ++word) {
        uint own[ITEMS];
        UNROLL for (int i = 0; i < ITEMS; ++i)
            own[i] = words[i][word];
        uint other[PART_ITEMS] = sortedPart(own, packed, part);
        UNROLL for (int i = 0; i < PART_ITEMS; ++i)
            found[i][word] = other[i];
    }
    return found;
}

// Large tiles with values leave few registers. Compilers would compute the addresses of all places
// first, and would keep packed values in a register each, because they know the contents.
#if defined(SUBGROUPS) && VALUE_WORDS > 0 && PARTS > 1
shared uint sNothing;

// Ends the accesses of four items before the next ones begin.
void finishSome(int item) {
    if (item % 4 == 3)
        subgroupBarrier();
}

// Changes nothing, which compilers cannot know: shifts are less than 64.
void hideWhatIsPacked(inout uint digits[DIGIT_WORDS], inout uint packed[RANK_WORDS]) {
    if (threadIndex() == 0u)
        sNothing = shift >> 8;
    barrier();
    UNROLL for (int i = 0; i < DIGIT_WORDS; ++i)
        digits[i] ^= sNothing;
    UNROLL for (int i = 0; i < RANK_WORDS; ++i)
        packed[i] ^= sNothing;
}
#else
void finishSome(int item) {}
void hideWhatIsPacked(inout uint digits[DIGIT_WORDS], inout uint packed[RANK_WORDS]) {}
#endif

void moveTile(uint tile) {
    uint begin = tile * TILE;
    uint size = min(TILE, count - begin);
    bool whole = size == TILE;
    KEY keys[ITEMS];
    if (whole) {
        UNROLL for (int i = 0; i < ITEMS; ++i)
            keys[i] = LOAD_KEY(keysIn[firstKeyIn + begin + placeOf(i)]);
    } else {
        UNROLL for (int i = 0; i < ITEMS; ++i) {
            uint place = placeOf(i);
            keys[i] = place < size ? LOAD_KEY(keysIn[firstKeyIn + begin + place]) : KEY(0u);
        }
    }
#ifdef SUBGROUPS
    for (uint i = threadIndex(); i < TEAMS * kTeamWords; i += GROUP_THREADS)
        sWords[i] = 0u;
    barrier();
#endif
    uint packed[RANK_WORDS]; // ranks
    uint counts[OWN_DIGITS];
    uint sums[OWN_DIGITS];   // where the keys of each digit go
    uint locals[OWN_DIGITS]; // where they begin in the tile
    {
        uint digits[ITEMS];
        UNROLL for (int i = 0; i < ITEMS; ++i)
            digits[i] = whole || placeOf(i) < size ? digitOf(keys[i], digitOfPass()) : 255u;
#ifdef SUBGROUPS
        uint row = team() * 256u;
        UNROLL for (int i = 0; i < ITEMS; ++i)
            atomicAdd(sWords[row + digits[i]], 1u);
        barrier();
#else
        uint ranks[ITEMS];
        rankInTeam(digits, ranks);
#endif
#ifdef TEAM_LANES
        // As addTeams(), but without a wait for each counter.
        uint earlier[OWN_DIGITS][GROUP_THREADS / TEAM_LANES];
        for (int k = 0; k < OWN_DIGITS; ++k) {
            uint digit = min(threadIndex() + k * GROUP_THREADS, 255u);
            UNROLL for (int t = 0; t < GROUP_THREADS / TEAM_LANES; ++t)
                earlier[k][t] = sWords[digit + t * 256];
            uint sum = 0u;
            UNROLL for (int t = 0; t < GROUP_THREADS / TEAM_LANES; ++t) {
                uint number = earlier[k][t];
                earlier[k][t] = sum;
                sum += number;
            }
            counts[k] = sum;
        }
#else
        addTeams(counts);
#endif
        if (tile == 0u)
            digitStarts(sums);
        for (int k = 0; k < OWN_DIGITS; ++k) {
            uint digit = threadIndex() + k * GROUP_THREADS;
            if (digit < 256u)
                publish(tile, digit, tile == 0u ? kTotal | (sums[k] + counts[k]) : kSum | counts[k]);
        }
        scanDigits(counts);
        for (int k = 0; k < OWN_DIGITS; ++k) {
            uint digit = threadIndex() + k * GROUP_THREADS;
            locals[k] = sDigits[min(digit, 255u)];
#ifdef TEAM_LANES
            if (digit < 256u)
                UNROLL for (int t = 0; t < GROUP_THREADS / TEAM_LANES; ++t)
                    sWords[digit + t * 256] = earlier[k][t] + locals[k];
#elif defined(SUBGROUPS)
            if (digit < 256u)
                for (uint at = digit; at < TEAMS * 256u; at += 256u)
                    sWords[at] += locals[k];
#endif
        }
#ifdef SUBGROUPS
        barrier();
        packed = rankKeys(digits);
        barrier();
#else
        rankInTile(digits, ranks);
        packed = packRanks(ranks);
#endif
    }
    if (tile > 0u)
        lookBack(tile, sums);
    for (int k = 0; k < OWN_DIGITS; ++k) {
        uint digit = threadIndex() + k * GROUP_THREADS;
        if (digit >= 256u)
            continue;
        if (tile > 0u)
            publish(tile, digit, kTotal | (sums[k] + counts[k]));
        sBase[digit] = sums[k] - locals[k];
    }
    barrier();
#if VALUE_WORDS > 0
    VALUE values[ITEMS];
    uint digits[DIGIT_WORDS]; // of the sorted keys
    UNROLL for (int i = 0; i < DIGIT_WORDS; ++i)
        digits[i] = 0u;
#endif
    UNROLL for (int part = 0; part < PARTS; ++part) {
        KEY sorted[PART_ITEMS] = sortedPart(keys, packed, part);
#if VALUE_WORDS > 0
        if (part == PARTS - 1) // on their way while the keys are written
            loadValues(begin, size, whole, values);
#endif
        UNROLL for (int i = 0; i < PART_ITEMS; ++i) {
            finishSome(i);
            uint digit = digitOf(sorted[i], digitOfPass());
            uint place = sortedPlace(part, i);
            if ((whole || place < size) && (flags & kDiscardKeys) == 0u)
                keysOut[firstKeyOut + sBase[digit] + place] = KEY_STORED(sorted[i]);
#if VALUE_WORDS > 0
            const int item = part * PART_ITEMS + i;
            digits[item / 4] |= digit << (8 * (item % 4));
#endif
        }
    }
#if VALUE_WORDS > 0
    hideWhatIsPacked(digits, packed);
    UNROLL for (int part = 0; part < PARTS; ++part) {
        VALUE sorted[PART_ITEMS] = sortedPart(values, packed, part);
        UNROLL for (int i = 0; i < PART_ITEMS; ++i) {
            finishSome(i);
            const int item = part * PART_ITEMS + i;
            uint digit = digits[item / 4] >> (8 * (item % 4)) & 255u;
            uint place = sortedPlace(part, i);
            if (whole || place < size)
                valuesOut[firstValueOut + sBase[digit] + place] = sorted[i];
        }
    }
#endif
}

void main() {
    uint tile = flatGroup();
    if (tile * TILE < count)
        moveTile(tile);
}
