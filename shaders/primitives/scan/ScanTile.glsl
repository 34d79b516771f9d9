// SPDX-License-Identifier: Apache-2.0
//
// Scans neighbouring elements in one pass, a tile per work group. A tile publishes the total of its
// elements, and finds its prefix by LookBack.glsl.
//
// Macros: PER_LANE: neighbouring elements of an invocation in a row, a multiple of IN_PER_BLOCK and
// OUT_PER_BLOCK. ROWS: rows per invocation. EXCLUSIVE. SINGLE: no tile waits for another one: there
// is only one, or with READS_BEFORE each work group reads the tiles before its own. CARRY: there is
// input before and after this dispatch's. EACH_ROW: rows of `count` elements, each with tiles
// and states of its own. HEAD_BITS: segments start where the bit of an element is 1; else with
// SEGMENTED every headEvery elements. IN_PLACE: the output is the input.
// T_WORDS: words of a T. SPINS: see LookBack.glsl. LANES_INCLUSIVE, LANES_ALL: the device's
// functions that combine() the lanes' terms, if it has them. Item is then T.

#define ITEMS (PER_LANE * ROWS)

// Without segments, elements are folded with their row's prefix as soon as it is known. No
// registers hold it then, and a tile can have more elements.
#ifndef SEGMENTED
#define FOLDED
#endif

layout(constant_id = 1) const uint kSilentGroups = 0u; // for tests: these bits make it publish nothing

layout(binding = 0) readonly buffer In { IN_STORED elements[]; };
layout(binding = 1) readonly buffer InBlocks { uvec4 blocks[]; };
layout(binding = 2) writeonly buffer Out { OUT_STORED results[]; };
layout(binding = 3) writeonly buffer OutBlocks { uvec4 resultBlocks[]; };
#ifndef SINGLE
layout(binding = 4) buffer States { uint states[]; };
#define NEXT_BINDING 5
#else
#define NEXT_BINDING 4
#endif
#ifdef CARRY
layout(binding = NEXT_BINDING) buffer Carry { uint carries[]; };
#endif
#ifdef HEAD_BITS
layout(binding = HEAD_BITS) readonly buffer Heads { uint headBits[]; };
#endif

#ifdef EACH_ROW
// Of the work group's row.
uint firstIn;
uint firstOut;
uint firstState;
#endif

#ifdef EACH_ROW
layout(push_constant) uniform PushOfRows {
    uint firstInOfRows;
    uint firstOutOfRows;
#ifndef SINGLE
    uint firstStateOfRows;
#endif
    uint count;
    uint rows;
    uint tilesPerRow;
    uint statesPerRow; // words
};
#else
layout(push_constant) uniform Push {
    uint firstIn;
    uint firstOut;
#ifndef SINGLE
    uint firstState;
#endif
#ifdef CARRY
    uint firstCarry;
#endif
#ifdef HEAD_BITS
    uint firstHead;
#endif
    uint count;
    uint headFirst; // the first element that starts a segment
    uint headEvery;
    uint piece;     // number of this dispatch, with CARRY
    uint pieces;
};
#endif

#ifdef SUBGROUPS
#define LANES gl_SubgroupSize
#define LANE gl_SubgroupInvocationID
#define TEAM gl_SubgroupID
#define TEAMS gl_NumSubgroups
#else
#define LANES GROUP_SIZE
#define LANE gl_LocalInvocationIndex
#define TEAM 0u
#define TEAMS 1u
shared Item sLanes[GROUP_SIZE];
#endif

shared Item sTotals[GROUP_SIZE]; // of the teams
shared Item sPrefix;
shared uint sMissing;

// Elements are counted from the block that holds the first one.
uint padding() { return firstIn % IN_PER_BLOCK; }

#ifdef SEGMENTED
bool isHead(uint element) {
#ifdef HEAD_BITS
    return (headBits[firstHead + element / 32u] >> (element % 32u) & 1u) != 0u;
#else
    return element >= headFirst && (element - headFirst) % headEvery == 0u;
#endif
}
#endif

// Returns the bits of the elements from `element` on that start segments.
uint headsFrom(uint element) {
    uint heads = 0u;
#ifdef SEGMENTED
#ifdef HEAD_BITS
    uint word = firstHead + element / 32u;
    uint shift = element % 32u;
    heads = headBits[word] >> shift;
    if (shift > 32u - PER_LANE)
        heads |= headBits[word + 1u] << (32u - shift);
    heads &= (1u << PER_LANE) - 1u;
#else
    uint at = element < headFirst ? headFirst - element
                                  : (headEvery - (element - headFirst) % headEvery) % headEvery;
    for (; at < PER_LANE; at += headEvery)
        heads |= 1u << at;
#endif
#endif
    return heads;
}

// Where a row of this invocation in a tile begins, counted with the padding.
uint placeOf(uint tile, uint row) {
    return tile * (GROUP_SIZE * ITEMS) + TEAM * (LANES * ITEMS) + row * (LANES * PER_LANE) +
           LANE * PER_LANE;
}

// True if all elements of a tile exist, counted with the padding.
bool isWhole(uint tile) {
    uint begin = tile * (GROUP_SIZE * ITEMS);
    return begin >= padding() && begin + GROUP_SIZE * ITEMS <= padding() + count;
}

// True if elements exist, counted with the padding.
bool exist(uint place, uint number) {
    return place >= padding() && place + number <= padding() + count;
}

// Where a block of this invocation in a tile begins, counted with the padding.
uint placeOfBlock(uint tile, uint b) {
    uint perRow = PER_LANE / IN_PER_BLOCK;
    return placeOf(tile, b / perRow) + b % perRow * IN_PER_BLOCK;
}

void load(uint tile, out T v[ITEMS], out uint heads[ROWS]) {
    uint pad = padding();
    uint base = firstIn - pad;
    if (isWhole(tile)) {
        uvec4 read[ITEMS / IN_PER_BLOCK];
        [[unroll]] for (uint row = 0; row < ROWS; ++row)
            [[unroll]] for (uint b = 0; b < PER_LANE / IN_PER_BLOCK; ++b)
                read[row * (PER_LANE / IN_PER_BLOCK) + b] =
                    blocks[(base + placeOf(tile, row)) / IN_PER_BLOCK + b];
        [[unroll]] for (uint b = 0; b < ITEMS / IN_PER_BLOCK; ++b) {
            IN_VALUE unpacked[IN_PER_BLOCK];
            IN_UNPACK(read[b], unpacked);
            [[unroll]] for (uint i = 0; i < IN_PER_BLOCK; ++i)
                v[b * IN_PER_BLOCK + i] = mapped(unpacked[i]);
        }
        [[unroll]] for (uint row = 0; row < ROWS; ++row)
            heads[row] = headsFrom(placeOf(tile, row) - pad);
        return;
    }
#ifdef EACH_ROW
    // Most rows do not fill their tiles.
    uvec4 read[ITEMS / IN_PER_BLOCK];
    [[unroll]] for (uint b = 0; b < ITEMS / IN_PER_BLOCK; ++b) {
        uint place = placeOfBlock(tile, b);
        if (exist(place, IN_PER_BLOCK))
            read[b] = blocks[(base + place) / IN_PER_BLOCK];
    }
    [[unroll]] for (uint b = 0; b < ITEMS / IN_PER_BLOCK; ++b) {
        uint place = placeOfBlock(tile, b);
        if (exist(place, IN_PER_BLOCK)) {
            IN_VALUE unpacked[IN_PER_BLOCK];
            IN_UNPACK(read[b], unpacked);
            [[unroll]] for (uint i = 0; i < IN_PER_BLOCK; ++i)
                v[b * IN_PER_BLOCK + i] = mapped(unpacked[i]);
        } else {
            [[unroll]] for (uint i = 0; i < IN_PER_BLOCK; ++i)
                v[b * IN_PER_BLOCK + i] =
                    exist(place + i, 1u) ? mapped(IN_LOAD(elements[base + place + i])) : identity();
        }
    }
    [[unroll]] for (uint row = 0; row < ROWS; ++row)
        heads[row] = 0u;
#else
    [[unroll]] for (uint row = 0; row < ROWS; ++row) {
        heads[row] = 0u;
        [[unroll]] for (uint i = 0; i < PER_LANE; ++i) {
            uint place = placeOf(tile, row) + i;
            bool inside = place >= pad && place < pad + count;
            v[row * PER_LANE + i] = inside ? mapped(IN_LOAD(elements[base + place])) : identity();
#ifdef SEGMENTED
            if (inside && isHead(place - pad))
                heads[row] |= 1u << i;
#endif
        }
    }
#endif
}

bool headBetween(uint heads, uint begin, uint end) {
    return (heads & ((1u << end) - 1u) & ~((1u << begin) - 1u)) != 0u;
}

Item lanesInclusive(Item x) {
#if defined(LANES_INCLUSIVE)
    x = LANES_INCLUSIVE(x);
#elif defined(SUBGROUPS)
    for (uint m = 1u; m < gl_SubgroupSize; m *= 2u) {
        Item before = lanesValue(x, (LANE - m) & (gl_SubgroupSize - 1u));
        Item both = join(before, x);
        if (LANE >= m)
            x = both;
    }
#else
    for (uint m = 1u; m < GROUP_SIZE; m *= 2u) {
        sLanes[LANE] = x;
        barrier();
        if (LANE >= m)
            x = join(sLanes[LANE - m], x);
        barrier();
    }
#endif
    return x;
}

// Scans a tile by itself.
// v:       elements. Afterwards, if FOLDED, what store() writes for a team with nothing before it;
//          else the reductions of each row of the invocation up to them
// before:  unless FOLDED, the prefix of each row, in the team's part of the tile
// Returns the prefix of the team in the tile, and in `total` the whole tile.
Item scanTile(inout T v[ITEMS], uint heads[ROWS], out Item before[ROWS], out Item total) {
    Item carry = nothing();
    [[unroll]] for (uint row = 0; row < ROWS; ++row) {
        [[unroll]] for (uint i = 1; i < PER_LANE; ++i) {
            T both = combine(v[row * PER_LANE + i - 1], v[row * PER_LANE + i]);
            if ((heads[row] >> i & 1u) == 0u)
                v[row * PER_LANE + i] = both;
        }
        Item all = lanesInclusive(itemOf(v[row * PER_LANE + PER_LANE - 1], heads[row] != 0u));
#ifdef SUBGROUPS
        Item previous = lanesValue(all, (LANE - 1u) & (gl_SubgroupSize - 1u));
        Item last = lanesValue(all, gl_SubgroupSize - 1u);
#else
        sLanes[LANE] = all;
        barrier();
        Item previous = sLanes[max(LANE, 1u) - 1u];
        Item last = sLanes[GROUP_SIZE - 1u];
        barrier();
#endif
        if (LANE == 0u)
            previous = nothing();
#ifdef FOLDED
        T base = VALUE(join(carry, previous));
#ifdef EXCLUSIVE
        [[unroll]] for (uint i = PER_LANE - 1u; i > 0u; --i)
            v[row * PER_LANE + i] = combine(base, v[row * PER_LANE + i - 1]);
        v[row * PER_LANE] = base;
#else
        [[unroll]] for (uint i = 0; i < PER_LANE; ++i)
            v[row * PER_LANE + i] = combine(base, v[row * PER_LANE + i]);
#endif
#else
        before[row] = join(carry, previous);
#endif
        carry = join(carry, last);
    }
    if (LANE == 0u)
        sTotals[TEAM] = carry;
    barrier();
    Item sum = nothing();
    Item beforeTeam = nothing();
    for (uint team = 0u; team < TEAMS; ++team) {
        if (team == TEAM)
            beforeTeam = sum;
        sum = join(sum, sTotals[team]);
    }
    barrier();
    total = sum;
    return beforeTeam;
}

void store(uint tile, T v[ITEMS], uint heads[ROWS], Item before[ROWS], Item base) {
    uint pad = padding();
    uint out0 = firstOut - pad;
    bool aligned = out0 % OUT_PER_BLOCK == 0u;
#ifndef EACH_ROW
    bool wide = aligned && isWhole(tile);
#endif
    [[unroll]] for (uint row = 0; row < ROWS; ++row) {
        uint place = placeOf(tile, row);
#ifdef EACH_ROW
        bool wide = aligned && exist(place, PER_LANE);
#endif
        T r[PER_LANE];
#ifdef FOLDED
        [[unroll]] for (uint i = 0; i < PER_LANE; ++i)
            r[i] = combine(VALUE(base), v[row * PER_LANE + i]);
#else
        Item prefix = join(base, before[row]);
        [[unroll]] for (uint i = 0; i < PER_LANE; ++i) {
#ifdef EXCLUSIVE
            if (i == 0u) {
                r[i] = VALUE(prefix);
            } else {
                T all = combine(VALUE(prefix), v[row * PER_LANE + i - 1]);
                r[i] = headBetween(heads[row], 0u, i) ? v[row * PER_LANE + i - 1] : all;
            }
            if ((heads[row] >> i & 1u) != 0u)
                r[i] = identity();
#else
            T all = combine(VALUE(prefix), v[row * PER_LANE + i]);
            r[i] = headBetween(heads[row], 0u, i + 1u) ? v[row * PER_LANE + i] : all;
#endif
        }
#endif
        if (wide) {
            [[unroll]] for (uint b = 0; b < PER_LANE / OUT_PER_BLOCK; ++b) {
                OUT_VALUE packed[OUT_PER_BLOCK];
                [[unroll]] for (uint i = 0; i < OUT_PER_BLOCK; ++i)
                    packed[i] = OUT_VALUE(VALUE_OF(r[b * OUT_PER_BLOCK + i]));
                resultBlocks[(out0 + place) / OUT_PER_BLOCK + b] = OUT_PACK(packed);
            }
        } else {
            [[unroll]] for (uint i = 0; i < PER_LANE; ++i)
                if (exist(place + i, 1u))
                    results[out0 + place + i] = OUT_STORE(OUT_VALUE(VALUE_OF(r[i])));
        }
    }
}

#ifdef CARRY
Item incoming() {
    if (piece == 0u)
        return nothing();
    uint at = firstCarry + 4u * piece;
    return itemOf(ACCUMULATOR_OF_WORDS(uvec2(carries[at], carries[at + 1u])),
                  carries[at + 2u] != 0u);
}
void carryOut(Item all) {
    uvec2 words = wordsOf(VALUE(all));
    uint at = firstCarry + 4u * (piece + 1u);
    carries[at] = words.x;
    carries[at + 1u] = words.y;
    carries[at + 2u] = HEAD(all);
}
#else
Item incoming() { return nothing(); }
#endif

#ifndef SINGLE
#define ITEM_WORDS (2 * T_WORDS)
#define COMPLETE (1u << 16)

uint tileCount() {
    return (padding() + count + GROUP_SIZE * ITEMS - 1u) / (GROUP_SIZE * ITEMS);
}

// Each word holds 16 bits of the value, that it is there (bit 16), and Item::head (bit 17).
uint wordOf(Item item, uint word) {
    uvec2 words = wordsOf(VALUE(item));
    return (words[word / 2u] >> (16u * (word % 2u)) & 0xffffu) | COMPLETE | HEAD(item) << 17u;
}
Item itemOfWords(uint words[ITEM_WORDS]) {
    uvec2 value = uvec2(0u);
    [[unroll]] for (uint word = 0; word < ITEM_WORDS; ++word)
        value[word / 2] |= (words[word] & 0xffffu) << (16u * (word % 2u));
    return itemOf(ACCUMULATOR_OF_WORDS(value), (words[0] >> 17u & 1u) != 0u);
}
#endif
