// SPDX-License-Identifier: Apache-2.0
//
// Ranks the keys of a tile by a digit, and moves them to their ranks. A tile has ITEMS keys per
// invocation. Invocations form teams, which rank their keys without waiting for others: subgroups,
// or 32 invocations that vote through shared memory. A team's keys are neighbours, so that the
// order of teams, items and lanes is the keys' order.
//
// Macros: ITEMS; GROUP_THREADS, the size of the work group; SHARED_WORDS, the larger of the tile's
// keys and of the teams' 256 counters (with SUBGROUPS), or twice as many (without); LANE_WORDS, the
// 32-bit words in a vote of the largest subgroup; TEAM_LANES, the lanes of all subgroups, if these are
// of one size; UNROLL, before loops over items.

#define TILE uint(GROUP_THREADS * ITEMS)
#define OWN_DIGITS ((255 + GROUP_THREADS) / GROUP_THREADS)

shared uint sWords[SHARED_WORDS];
shared uint sDigits[256];
#ifdef SUBGROUPS
shared uint sSums[64];
#endif

#ifdef SUBGROUPS
#ifdef TEAM_LANES
#define teamSize() uint(TEAM_LANES)
#else
uint teamSize() { return gl_SubgroupSize; }
#endif
uint team() { return gl_SubgroupID; }
uint lane() { return gl_SubgroupInvocationID; }
#if LANE_WORDS == 1
#define LANES uint
LANES votes(bool yes) { return subgroupBallot(yes).x; }
LANES lowerLanes() { return gl_SubgroupLtMask.x; }
uint lanesIn(LANES lanes) { return uint(bitCount(lanes)); }
uint firstLane(LANES lanes) { return uint(findLSB(lanes)); }
#elif LANE_WORDS == 2
#define LANES uvec2
LANES votes(bool yes) { return subgroupBallot(yes).xy; }
LANES lowerLanes() { return gl_SubgroupLtMask.xy; }
uint lanesIn(LANES lanes) {
    ivec2 counts = bitCount(lanes);
    return uint(counts.x + counts.y);
}
uint firstLane(LANES lanes) { return subgroupBallotFindLSB(uvec4(lanes, 0u, 0u)); }
#else
#define LANES uvec4
LANES votes(bool yes) { return subgroupBallot(yes); }
LANES lowerLanes() { return gl_SubgroupLtMask; }
uint lanesIn(LANES lanes) {
    ivec4 counts = bitCount(lanes);
    return uint(counts.x + counts.y + counts.z + counts.w);
}
uint firstLane(LANES lanes) { return subgroupBallotFindLSB(lanes); }
#endif
#else
uint teamSize() { return 32u; }
uint team() { return threadIndex() / 32u; }
uint lane() { return threadIndex() % 32u; }
#endif
#define TEAMS (uint(GROUP_THREADS) / teamSize())
#ifdef SUBGROUPS
#define COUNTERS (TEAMS * 256u)
#else
#define COUNTERS (TEAMS * 512u) // and the votes
#endif

// The place of an invocation's item in the tile.
uint placeOf(uint item) { return (team() * ITEMS + item) * teamSize() + lane(); }

// Counts the team's digits in sWords, from 0, and returns how many equal ones are before each.
void rankInTeam(uint digits[ITEMS], out uint ranks[ITEMS]) {
    for (uint i = threadIndex(); i < COUNTERS; i += GROUP_THREADS)
        sWords[i] = 0u;
    barrier();
    uint row = team() * 256u;
#ifdef SUBGROUPS
    LANES all = votes(true);
    LANES lower = lowerLanes();
    UNROLL for (int i = 0; i < ITEMS; ++i) {
        LANES peers = all;
        UNROLL for (int bit = 0; bit < 8; ++bit) {
            LANES same = LANES(uint(bitfieldExtract(int(digits[i]), bit, 1)));
            peers &= ~(votes((digits[i] >> bit & 1u) != 0u) ^ same);
        }
        uint before = lanesIn(peers & lower);
        uint start = sWords[row + digits[i]];
        subgroupBarrier();
        if (before == 0u)
            sWords[row + digits[i]] = start + lanesIn(peers);
        subgroupBarrier();
        ranks[i] = start + before;
    }
#else
    uint masks = TEAMS * 256u + row;
    UNROLL for (int i = 0; i < ITEMS; ++i) {
        atomicOr(sWords[masks + digits[i]], 1u << lane());
        barrier();
        uint peers = sWords[masks + digits[i]];
        uint start = sWords[row + digits[i]];
        uint before = uint(bitCount(peers & ((1u << lane()) - 1u)));
        barrier();
        if (before == 0u) {
            sWords[row + digits[i]] = start + uint(bitCount(peers));
            sWords[masks + digits[i]] = 0u;
        }
        barrier();
        ranks[i] = start + before;
    }
#endif
    barrier();
}

// Replaces the counters of teams by the sums over earlier teams, and returns the counts of the whole
// tile for the digits threadIndex() + k * GROUP_THREADS.
void addTeams(out uint counts[OWN_DIGITS]) {
    for (int k = 0; k < OWN_DIGITS; ++k) {
        uint digit = threadIndex() + k * GROUP_THREADS;
        uint sum = 0u;
        if (digit < 256u) {
            for (uint at = digit; at < TEAMS * 256u; at += 256u) {
                uint count = sWords[at];
                sWords[at] = sum;
                sum += count;
            }
        }
        counts[k] = sum;
    }
}

// Writes to sDigits the sums over smaller digits. Each invocation gives its sums of addTeams().
void scanDigits(uint counts[OWN_DIGITS]) {
    uint thread = threadIndex();
#if defined(SUBGROUPS) && GROUP_THREADS >= 256
    uint sum = counts[0];
    if (thread < 256u) {
        for (uint m = 1u; m < gl_SubgroupSize; m *= 2u) {
            uint lower = lanesValue(sum, (lane() - m) & (gl_SubgroupSize - 1u));
            sum += lane() >= m ? lower : 0u;
        }
        if (lane() == gl_SubgroupSize - 1u)
            sSums[gl_SubgroupID] = sum;
    }
    barrier();
    if (thread < 256u) {
        sum -= counts[0];
        for (uint i = 0u; i < gl_SubgroupID; ++i)
            sum += sSums[i];
        sDigits[thread] = sum;
    }
#else
    uint sums[OWN_DIGITS] = counts;
    for (uint m = 1u; m < 256u; m *= 2u) {
        for (int k = 0; k < OWN_DIGITS; ++k)
            if (thread + k * GROUP_THREADS < 256u)
                sDigits[thread + k * GROUP_THREADS] = sums[k];
        barrier();
        for (int k = 0; k < OWN_DIGITS; ++k) {
            uint digit = thread + k * GROUP_THREADS;
            sums[k] += digit < 256u && digit >= m ? sDigits[digit - m] : 0u;
        }
        barrier();
    }
    for (int k = 0; k < OWN_DIGITS; ++k)
        if (thread + k * GROUP_THREADS < 256u)
            sDigits[thread + k * GROUP_THREADS] = sums[k] - counts[k];
#endif
    barrier();
}

// Turns the ranks in teams into ranks in the tile, after addTeams() and scanDigits().
void rankInTile(uint digits[ITEMS], inout uint ranks[ITEMS]) {
    UNROLL for (int i = 0; i < ITEMS; ++i)
        ranks[i] += sWords[team() * 256u + digits[i]] + sDigits[digits[i]];
    barrier();
}

// Gives to each place of the tile the word with its rank.
void exchange(inout uint words[ITEMS], uint ranks[ITEMS]) {
    UNROLL for (int i = 0; i < ITEMS; ++i)
        sWords[ranks[i]] = words[i];
    barrier();
    UNROLL for (int i = 0; i < ITEMS; ++i)
        words[i] = sWords[placeOf(i)];
    barrier();
}

void exchange(inout uvec2 words[ITEMS], uint ranks[ITEMS]) {
    uint lower[ITEMS];
    UNROLL for (int i = 0; i < ITEMS; ++i)
        lower[i] = words[i].x;
    exchange(lower, ranks);
    uint other[ITEMS];
    UNROLL for (int i = 0; i < ITEMS; ++i) {
        other[i] = words[i].y;
        words[i].x = lower[i];
    }
    exchange(other, ranks);
    UNROLL for (int i = 0; i < ITEMS; ++i)
        words[i].y = other[i];
}
