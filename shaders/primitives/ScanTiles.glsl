// SPDX-License-Identifier: Apache-2.0
//
// Scans neighbouring elements in one pass, a tile per work group (Merrill and Garland, "Single-pass
// parallel prefix scan with decoupled look-back", 2016). A tile publishes the total of its elements,
// finds what is before it in what earlier tiles have published, and then publishes the prefix up to
// its end.
//
// With ORDERED, values are folded in the order of the tiles: a prefix has the same bits whether it
// was folded of many totals or of a later prefix. A work group that waits in vain for a tile computes that tile's
// total itself (Smith, Levien and Owens, "Decoupled Fallback", 2025), so that no work group depends
// on the progress of another one.
//
// Macros: PER_LANE: neighbouring elements of an invocation in a row, a multiple of IN_PER_BLOCK and
// OUT_PER_BLOCK. ROWS: rows per invocation. EXCLUSIVE. SINGLE: there is only one tile. CARRY: there
// is input before and after that of this dispatch. HEAD_BITS: segments start where the bit of an
// element is 1; else with SEGMENTED every headEvery elements. IN_PLACE: the output is the input.
// T_WORDS: words of a T. SPINS: how often a tile is looked at before its total is computed. WINDOW:
// tiles per lane that are looked at together.

#define ITEMS (PER_LANE * ROWS)

layout(constant_id = 1) const uint kSilentGroups = 0u; // for tests: these bits make it publish nothing

layout(binding = 0) readonly buffer In { IN_STORED elements[]; };
layout(binding = 1) readonly buffer InBlocks { uvec4 blocks[]; };
layout(binding = 2) writeonly buffer Out { OUT_STORED results[]; };
layout(binding = 3) writeonly buffer OutBlocks { uvec4 resultBlocks[]; };
#ifndef SINGLE
// Per tile the words of its total, then those of its prefix. Each word holds 16 bits of the value,
// that it is there (bit 16), and Item::head (bit 17): a word is valid by itself, so no order between
// memory accesses is needed.
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

const uint kNone = 0xffffffffu;

// Elements are counted from the block that holds the first one.
uint padding() { return firstIn % IN_PER_BLOCK; }

bool isHead(uint element) {
#ifdef HEAD_BITS
    return (headBits[firstHead + element / 32u] >> (element % 32u) & 1u) != 0u;
#else
    return element >= headFirst && (element - headFirst) % headEvery == 0u;
#endif
}

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
}

bool headBetween(uint heads, uint begin, uint end) {
    return (heads & ((1u << end) - 1u) & ~((1u << begin) - 1u)) != 0u;
}

Item lanesInclusive(Item x) {
#ifdef SUBGROUPS
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
// v:       elements, and afterwards the reductions of each row of the invocation up to them
// before:  what is before each row, in the team's part of the tile
// Returns what is before the team in the tile, and in `total` the whole tile.
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
        before[row] = join(carry, previous);
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
    bool wide = isWhole(tile) && out0 % OUT_PER_BLOCK == 0u;
    [[unroll]] for (uint row = 0; row < ROWS; ++row) {
        uint place = placeOf(tile, row);
        Item prefix = join(base, before[row]);
        T r[PER_LANE];
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
        if (wide) {
            [[unroll]] for (uint b = 0; b < PER_LANE / OUT_PER_BLOCK; ++b) {
                OUT_VALUE packed[OUT_PER_BLOCK];
                [[unroll]] for (uint i = 0; i < OUT_PER_BLOCK; ++i)
                    packed[i] = OUT_VALUE(r[b * OUT_PER_BLOCK + i]);
                resultBlocks[(out0 + place) / OUT_PER_BLOCK + b] = OUT_PACK(packed);
            }
        } else {
            [[unroll]] for (uint i = 0; i < PER_LANE; ++i)
                if (place + i >= pad && place + i < pad + count)
                    results[out0 + place + i] = OUT_STORE(OUT_VALUE(r[i]));
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
#define SLOT_WORDS (2 * T_WORDS)

uint slotOf(uint tile, uint slot) { return firstState + (2u * tile + slot) * SLOT_WORDS; }

uint wordOf(Item item, uint word) {
    uvec2 words = wordsOf(VALUE(item));
    return (words[word / 2u] >> (16u * (word % 2u)) & 0xffffu) | 1u << 16u | HEAD(item) << 17u;
}

// slot: 0 is the total, 1 the prefix
void publish(uint tile, uint slot, Item item) {
    [[unroll]] for (uint word = 0; word < SLOT_WORDS; ++word)
        STORE_RELAXED(states[slotOf(tile, slot) + word], wordOf(item, word));
}

bool isComplete(uint words[SLOT_WORDS]) {
    uint all = words[0];
    [[unroll]] for (uint word = 1; word < SLOT_WORDS; ++word)
        all &= words[word];
    return (all >> 16u & 1u) != 0u;
}

Item itemIn(uint words[SLOT_WORDS]) {
    uvec2 value = uvec2(0u);
    [[unroll]] for (uint word = 0; word < SLOT_WORDS; ++word)
        value[word / 2] |= (words[word] & 0xffffu) << (16u * (word % 2u));
    return itemOf(ACCUMULATOR_OF_WORDS(value), (words[0] >> 17u & 1u) != 0u);
}

// Returns false if a tile has published nothing yet. Nothing has an effect on what is after it if
// `stops`.
bool look(int tile, out Item item, out bool stops) {
    stops = true;
    if (tile < 0) {
        item = incoming();
        return true;
    }
    uint totals[SLOT_WORDS];
    uint prefixes[SLOT_WORDS];
    [[unroll]] for (uint word = 0; word < SLOT_WORDS; ++word) {
        totals[word] = LOAD_RELAXED(states[slotOf(uint(tile), 0u) + word]);
        prefixes[word] = LOAD_RELAXED(states[slotOf(uint(tile), 1u) + word]);
    }
    if (isComplete(prefixes)) {
        item = itemIn(prefixes);
        return true;
    }
    item = itemIn(totals);
    stops = HEAD(item) != 0u;
    return isComplete(totals);
}

#ifdef SUBGROUPS
#ifdef ORDERED
// Adds the items of the lanes from `from` on, one after the other.
Item foldLanes(Item sum, Item item, uint from) {
    for (uint first = from & ~7u; first < gl_SubgroupSize; first += 8u) {
        Item next[8];
        [[unroll]] for (uint i = 0; i < 8; ++i)
            next[i] = lanesValue(item, (first + i) & (gl_SubgroupSize - 1u));
        [[unroll]] for (uint i = 0; i < 8; ++i) {
            Item both = join(sum, next[i]);
            if (first + i >= from && first + i < gl_SubgroupSize)
                sum = both;
        }
    }
    return sum;
}
#else
Item foldLanes(Item sum, Item item, uint from) {
    if (LANE < from)
        item = nothing();
    for (uint m = 1u; m < gl_SubgroupSize; m *= 2u)
        item = join(item, lanesValue(item, (LANE + m) & (gl_SubgroupSize - 1u)));
    return join(sum, lanesValue(item, 0u));
}
#endif

// The tiles that the lanes of a subgroup look at together: `tiles` x lanes before `end`.
struct Window {
    Item items[WINDOW]; // of the lanes; 0 is the nearest to `end`
    uint deepest;       // the nearest part of the window with a tile that stops, WINDOW if none has
    uint from;          // the last lane of it that stops
    uint missing;       // kNone, or a tile after these that is not there yet
};

Window lookAt(uint end, uint parts) {
    Window window;
    bool there[WINDOW];
    bool stops[WINDOW];
    [[unroll]] for (uint part = 0; part < WINDOW; ++part)
        if (part < parts)
            there[part] = look(int(end) - int((part + 1) * LANES) + int(LANE), window.items[part],
                               stops[part]);
    window.deepest = WINDOW;
    window.from = 0u;
    window.missing = kNone;
    [[unroll]] for (uint part = 0; part < WINDOW; ++part)
        if (part < parts && window.deepest == WINDOW && window.missing == kNone) {
            uvec4 stopping = subgroupBallot(there[part] && stops[part]);
            if (stopping != uvec4(0u)) {
                window.deepest = part;
                window.from = subgroupBallotFindMSB(stopping);
            }
            uvec4 absent = subgroupBallot(
                !there[part] && (window.deepest == WINDOW || LANE > window.from));
            if (absent != uvec4(0u))
                window.missing = end - (part + 1) * LANES + subgroupBallotFindLSB(absent);
        }
    return window;
}
#endif

// Folds everything before a tile. Called by one subgroup, or by one invocation. Returns kNone, or a
// tile that was waited for in vain.
uint lookBack(uint tile, out Item prefix) {
    prefix = nothing();
#ifdef SUBGROUPS
    // The nearest tiles may have to be waited for. Earlier ones are mostly there, and many are
    // looked at together, since each look takes as long as any other.
    uint end = tile;
    uint parts = 1u;
    Window window;
#ifndef ORDERED
    Item after = nothing();
#endif
    for (;;) {
        for (uint spin = 0u;; ++spin) {
            window = lookAt(end, parts);
            if (window.missing == kNone)
                break;
            if (spin >= SPINS)
                return window.missing;
        }
#ifndef ORDERED
        Item sum = nothing();
        [[unroll]] for (int part = int(WINDOW) - 1; part >= 0; --part)
            if (part < int(parts) && part <= int(window.deepest))
                sum = foldLanes(sum, window.items[part],
                                part == int(window.deepest) ? window.from : 0u);
        after = join(sum, after);
#endif
        if (window.deepest != WINDOW)
            break;
        end -= parts * LANES;
        parts = WINDOW;
    }
#ifdef ORDERED
    // Back again, from the tile that stops, or from a later one that meanwhile does.
    for (;;) {
        [[unroll]] for (int part = int(WINDOW) - 1; part >= 0; --part)
            if (part < int(parts) && part <= int(window.deepest)) {
                bool starts = part == int(window.deepest);
                if (starts)
                    prefix = lanesValue(window.items[part], window.from);
                prefix = foldLanes(prefix, window.items[part], starts ? window.from + 1u : 0u);
            }
        if (end == tile)
            break;
        parts = tile - end == LANES ? 1u : WINDOW;
        end += parts * LANES;
        window = lookAt(end, parts);
    }
#else
    prefix = after;
#endif
#else
    Item item;
    bool stops;
    int at = int(tile) - 1;
    for (;; --at) {
        for (uint spin = 0u; !look(at, item, stops); ++spin)
            if (spin >= SPINS)
                return uint(at);
        if (stops)
            break;
    }
    prefix = item;
    for (++at; at < int(tile); ++at) {
        look(at, item, stops);
        if (stops)
            prefix = item;
        else
            prefix = join(prefix, item);
    }
#endif
    return kNone;
}

// Publishes the total of another work group's tile, unless that has done so meanwhile.
void publishFor(uint tile, Item total) {
#ifdef IN_PLACE
    // If the input was read after it was overwritten, then the total is visible, too.
    ACQUIRE_RELEASE();
#endif
    [[unroll]] for (uint word = 0; word < SLOT_WORDS; ++word)
        atomicCompSwap(states[slotOf(tile, 0u) + word], 0u, wordOf(total, word));
}
#endif

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
            ACQUIRE_RELEASE();
            barrier();
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
                publish(tile, 0u, total);
            uint missing = lookBack(tile, prefix);
            if (thread == 0u) {
                if (missing == kNone && !silent)
                    publish(tile, 1u, join(prefix, total));
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
