// SPDX-License-Identifier: Apache-2.0
//
// A tile of GROUP_SIZE x ITEMS elements: chooses some of them and counts these.
// SelectTiles.glsl moves them.
//
// One of the macros defines the choice:
//
//     FLAGS      elements whose flag (type FLAG) is not 0
//     PREDICATE  elements (type IN) for which predicate() of the text before this one is true
//     HEADS      numbers (type IN) that differ from the one before
//
// ITEMS: elements of an invocation, at most 32. PER_LANE: those that are neighbours, at most a block
// of 16 bytes; a divisor of ITEMS. LOADED_ROWS: rows of neighbours that are on their way from memory
// at a time, a divisor of all. ROWS_AT_ONCE and AHEAD: see SelectTiles.glsl. PLACE: the type that
// holds a place in a tile. OUT: elements are written. UNIT_BYTES: of an element. LENGTH_WORDS:
// writes the distance between chosen elements to another output, if not 0. INVERSE_WORDS: writes the
// number of the chosen element at or before each element, if not 0. COUNT_WORDS: writes the number
// of chosen elements, if not 0. DISPATCH: writes the work groups that process them.

layout(constant_id = 1) const uint kSilentGroups = 0u; // for tests: these bits make it publish nothing

layout(binding = 0) readonly buffer In { UNIT_STORED source[]; };
#ifdef FLAGS
layout(binding = 1) readonly buffer Flags { FLAG_STORED flags[]; };
#define NEXT_BINDING 2
#else
layout(binding = 1) readonly buffer Numbers { IN_STORED numbers[]; };
layout(binding = 2) readonly buffer Blocks { uvec4 blocks[]; };
#define NEXT_BINDING 3
#endif
layout(binding = NEXT_BINDING) buffer States { uint states[]; };
layout(binding = NEXT_BINDING + 1) writeonly buffer Out { UNIT_STORED destination[]; };
layout(binding = NEXT_BINDING + 2) writeonly buffer Lengths { uint lengths[]; };
layout(binding = NEXT_BINDING + 3) writeonly buffer Inverse { uint inverse[]; };
layout(binding = NEXT_BINDING + 4) writeonly buffer Count { uint counts[]; };
layout(binding = NEXT_BINDING + 5) writeonly buffer Groups { uint groups[]; };

layout(push_constant) uniform Push {
    uint firstIn;
#ifdef FLAGS
    uint firstFlag;
#endif
    uint firstState;
    uint firstOut;
    uint firstLength;
    uint firstInverse;
    uint firstCount;
    uint firstGroup;
    uint count;
    uint outCount;
    uint lengthCount;
    uint perGroup; // of DISPATCH
    uint maxGroups;
};

#define ROWS (ITEMS / PER_LANE)
#define TILE (GROUP_SIZE * ITEMS)
#define LANE gl_SubgroupInvocationID

// The facts about some elements: how many are chosen, and with LENGTH_WORDS also the number of the
// last chosen one, from 1 on (0: none).
#define COMPLETE (1u << 31)
#if LENGTH_WORDS > 0
#define Item uvec2
#define ITEM_WORDS 2
#define NUMBER(item) (item).x
#define LAST(item) (item).y
Item join(Item a, Item b) { return uvec2(a.x + b.x, max(a.y, b.y)); }
Item nothing() { return uvec2(0u); }
uint wordOf(Item item, uint word) { return item[word] | COMPLETE; }
Item itemOfWords(uint words[ITEM_WORDS]) {
    return uvec2(words[0] & ~COMPLETE, words[1] & ~COMPLETE);
}
#else
#define Item uint
#define ITEM_WORDS 1
#define NUMBER(item) (item)
#define LAST(item) 0u
Item join(Item a, Item b) { return a + b; }
Item nothing() { return 0u; }
uint wordOf(Item item, uint word) { return item | COMPLETE; }
Item itemOfWords(uint words[ITEM_WORDS]) { return words[0] & ~COMPLETE; }
#endif
Item incoming() { return nothing(); }

shared Item sTeamItems[GROUP_SIZE / 4u];
shared Item sPrefix;
shared uint sMissing;

// Elements have places, counted from the block that holds the first one.
#ifdef FLAGS
uint padding() { return 0u; }
#else
uint padding() { return firstIn % PER_LANE; }
#endif
uint tileCount() { return (padding() + count + TILE - 1u) / TILE; }

// Where a row of this invocation in a tile begins. A subgroup's elements are neighbours.
uint placeOf(uint row) {
    return (gl_SubgroupID * ROWS + row) * (gl_SubgroupSize * PER_LANE) + LANE * PER_LANE;
}
bool isInside(uint place) { return place >= padding() && place - padding() < count; }

#ifndef FLAGS
UNIT_VALUE unitOf(uvec4 block, uint i) {
#if UNIT_BYTES == 1
    return block[i / 4u] >> (8u * (i % 4u)) & 0xffu;
#elif UNIT_BYTES == 2
    return block[i / 2u] >> (16u * (i % 2u)) & 0xffffu;
#elif UNIT_BYTES == 4
    return block[i];
#elif UNIT_BYTES == 8
    return uvec2(block[2u * i], block[2u * i + 1u]);
#else
    return block;
#endif
}

// The neighbours from a place on: of a block if all of them exist, else of those inside.
void loadRow(uint place, bool whole, out UNIT_VALUE units[PER_LANE]) {
    uint base = firstIn - padding();
    if (whole) {
        uvec4 block = blocks[(base + place) / PER_LANE];
        [[unroll]] for (uint i = 0; i < PER_LANE; ++i)
            units[i] = unitOf(block, i);
        return;
    }
    uint last = padding() + count - 1u;
    [[unroll]] for (uint i = 0; i < PER_LANE; ++i)
        units[i] = UNIT_LOAD(source[base + clamp(place + i, padding(), last)]);
}

IN_VALUE numberOf(UNIT_VALUE unit, uint place) {
#if UNIT_BYTES == 8
    return IN_OF_WORDS(unit);
#elif UNIT_BYTES == 4
    return IN_OF_WORDS(uvec2(unit, 0u));
#else
    return IN_LOAD(numbers[firstIn - padding() + clamp(place, padding(), padding() + count - 1u)]);
#endif
}
#endif

// @return a bit per element: few registers wait for the look-back
uint chooseElements(uint tile) {
    uint first = tile * TILE;
    uint chosen = 0u;
#ifdef FLAGS
    [[unroll]] for (uint k = 0; k < ITEMS; ++k) {
        uint i = first + placeOf(k / PER_LANE) + k % PER_LANE;
        if (i < count && !isEqual(FLAG_LOAD(flags[firstFlag + i]), FLAG_VALUE(0)))
            chosen |= 1u << k;
    }
#else
    bool whole = first >= padding() && first + TILE <= padding() + count;
#ifdef HEADS
    // Before the first element of the subgroup.
    uint before = max(first + placeOf(0u) - LANE * PER_LANE, padding() + 1u) - 1u;
    before = min(before, padding() + count - 1u);
    IN_VALUE last = numberOf(UNIT_LOAD(source[firstIn - padding() + before]), before);
#endif
    [[dont_unroll]] for (uint start = 0; start < ROWS; start += LOADED_ROWS) {
        UNIT_VALUE units[LOADED_ROWS * PER_LANE];
        [[unroll]] for (uint row = 0; row < LOADED_ROWS; ++row) {
            UNIT_VALUE own[PER_LANE];
            loadRow(first + placeOf(start + row), whole, own);
            [[unroll]] for (uint i = 0; i < PER_LANE; ++i)
                units[row * PER_LANE + i] = own[i];
        }
        uint some = 0u;
        [[unroll]] for (uint row = 0; row < LOADED_ROWS; ++row) {
            uint place = first + placeOf(start + row);
#ifdef HEADS
            IN_VALUE end = numberOf(units[row * PER_LANE + PER_LANE - 1], place + PER_LANE - 1u);
            IN_VALUE previous = lanesValue(end, (LANE - 1u) & (gl_SubgroupSize - 1u));
            if (LANE == 0u)
                previous = last;
            last = lanesValue(end, gl_SubgroupSize - 1u);
#endif
            [[unroll]] for (uint i = 0; i < PER_LANE; ++i) {
                IN_VALUE number = numberOf(units[row * PER_LANE + i], place + i);
#ifdef HEADS
                bool isChosen = !isEqual(previous, number) || place + i == padding();
                previous = number;
#else
                bool isChosen = predicate(number);
#endif
                if (isChosen && (whole || isInside(place + i)))
                    some |= 1u << (row * PER_LANE + i);
            }
        }
        chosen |= some << (start * PER_LANE);
    }
#endif
    return chosen;
}

// The sum over the lanes up to this one.
uint lanesSum(uint x) {
    for (uint m = 1u; m < gl_SubgroupSize; m *= 2u) {
        uint before = lanesValue(x, (LANE - m) & (gl_SubgroupSize - 1u));
        x += LANE >= m ? before : 0u;
    }
    return x;
}

// Returns the prefix of the subgroup in the tile; and the whole tile.
Item countElements(uint tile, uint chosen, out Item total) {
    uint number = uint(bitCount(chosen));
#if LENGTH_WORDS > 0
    uint top = uint(max(findMSB(chosen), 0));
    uint place = tile * TILE + placeOf(top / PER_LANE) + top % PER_LANE;
    Item item = uvec2(number, chosen == 0u ? 0u : place - padding() + 1u);
#else
    Item item = number;
#endif
    for (uint m = 1u; m < gl_SubgroupSize; m *= 2u)
        item = join(item, lanesValue(item, LANE ^ m));
    if (LANE == 0u)
        sTeamItems[gl_SubgroupID] = item;
    barrier();
    Item all = nothing();
    Item before = nothing();
    for (uint team = 0u; team < gl_NumSubgroups; ++team) {
        if (team == gl_SubgroupID)
            before = all;
        all = join(all, sTeamItems[team]);
    }
    total = all;
    barrier();
    return before;
}
