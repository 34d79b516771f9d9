// SPDX-License-Identifier: Apache-2.0
//
// A tile of GROUP_SIZE x ITEMS elements by itself: loads its elements, chooses some and counts them.
// SelectTiles.glsl moves them.
//
// One of the macros says what is chosen:
//
//     FLAGS      elements whose flag (type FLAG) is not 0
//     PREDICATE  elements (type IN) for which predicate() of the text before this one is true
//     HEADS      numbers (type IN) that differ from the one before
//
// OUT: elements are written. IN_BYTES: of a number. LENGTH_WORDS: writes the distance between chosen
// elements to another output, if not 0. INVERSE_WORDS: writes the number of the chosen element at or before each
// element, if not 0. COUNT_WORDS: writes the number of chosen elements, if not 0. DISPATCH: writes
// the work groups that process them.

layout(constant_id = 1) const uint kSilentGroups = 0u; // for tests: these bits make it publish nothing

layout(binding = 0) readonly buffer In { UNIT_STORED source[]; };
#ifdef FLAGS
layout(binding = 1) readonly buffer Flags { FLAG_STORED flags[]; };
#else
layout(binding = 1) readonly buffer Numbers { IN_STORED numbers[]; };
#endif
layout(binding = 2) buffer States { uint states[]; };
layout(binding = 3) writeonly buffer Out { UNIT_STORED destination[]; };
layout(binding = 4) writeonly buffer Lengths { uint lengths[]; };
layout(binding = 5) writeonly buffer Inverse { uint inverse[]; };
layout(binding = 6) writeonly buffer Count { uint counts[]; };
layout(binding = 7) writeonly buffer Groups { uint groups[]; };

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

#define TILE (GROUP_SIZE * ITEMS)
#define LANE gl_SubgroupInvocationID

// What is known of some elements: how many are chosen, and with LENGTH_WORDS also the number of the
// last chosen one, from 1 on (0: none).
#define COMPLETE (1u << 31)
#if LENGTH_WORDS > 0
#define Item uvec2
#define ITEM_WORDS 2
#define NUMBER(item) (item).x
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
Item join(Item a, Item b) { return a + b; }
Item nothing() { return 0u; }
uint wordOf(Item item, uint word) { return item | COMPLETE; }
Item itemOfWords(uint words[ITEM_WORDS]) { return words[0] & ~COMPLETE; }
#endif
Item incoming() { return nothing(); }
uint tileCount() { return (count + TILE - 1u) / TILE; }

shared Item sTeamItems[GROUP_SIZE / 4u];
shared Item sPrefix;
shared uint sMissing;

// The place of an item of the invocation in its tile. A subgroup's elements are neighbours.
uint placeOf(uint k) { return (gl_SubgroupID * ITEMS + k) * gl_SubgroupSize + LANE; }

#ifndef FLAGS
IN_VALUE numberOf(UNIT_VALUE unit, uint i) {
#if IN_BYTES == 8
    return IN_OF_WORDS(unit);
#elif IN_BYTES == 4
    return IN_OF_WORDS(uvec2(unit, 0u));
#else
    return IN_LOAD(numbers[firstIn + i]);
#endif
}
#endif

// @param chosen  a bit per element, so that few registers are taken
void chooseElements(uint tile, out UNIT_VALUE units[ITEMS], out uint chosen) {
    uint first = tile * TILE;
    chosen = 0u;
    [[unroll]] for (uint k = 0; k < ITEMS; ++k) {
        uint i = first + placeOf(k);
#ifdef FLAGS
        if (i < count && FLAG_LOAD(flags[firstFlag + i]) != FLAG_VALUE(0))
            chosen |= 1u << k;
#endif
        i = min(i, count - 1u);
        units[k] = UNIT_LOAD(source[firstIn + i]);
    }
#ifdef PREDICATE
    [[unroll]] for (uint k = 0; k < ITEMS; ++k) {
        uint i = first + placeOf(k);
        if (i < count && predicate(numberOf(units[k], min(i, count - 1u))))
            chosen |= 1u << k;
    }
#endif
#ifdef HEADS
    uint before = first + placeOf(0u) - LANE; // the first element of the subgroup
    IN_VALUE last = numberOf(UNIT_LOAD(source[firstIn + min(max(before, 1u) - 1u, count - 1u)]),
                             min(max(before, 1u) - 1u, count - 1u));
    [[unroll]] for (uint k = 0; k < ITEMS; ++k) {
        uint i = first + placeOf(k);
        IN_VALUE number = numberOf(units[k], min(i, count - 1u));
        IN_VALUE previous = lanesValue(number, (LANE - 1u) & (gl_SubgroupSize - 1u));
        if (LANE == 0u)
            previous = last;
        last = lanesValue(number, gl_SubgroupSize - 1u);
        if (i < count && (i == 0u || !isEqual(previous, number)))
            chosen |= 1u << k;
    }
#endif
}

uint bitsIn(uvec4 ballot) {
    uvec4 bits = uvec4(bitCount(ballot));
    return bits.x + bits.y + bits.z + bits.w;
}

uvec4 chosenLanes(uint chosen, uint k) { return subgroupBallot((chosen >> k & 1u) != 0u); }

// Returns what is before the subgroup in the tile; and the whole tile.
Item countElements(uint tile, uint chosen, out Item total) {
    uint sum = 0u;
#if LENGTH_WORDS > 0
    uint last = 0u;
#endif
    [[unroll]] for (uint k = 0; k < ITEMS; ++k) {
        uvec4 ballot = chosenLanes(chosen, k);
        sum += bitsIn(ballot);
#if LENGTH_WORDS > 0
        if (ballot != uvec4(0u))
            last = tile * TILE + placeOf(k) - LANE + subgroupBallotFindMSB(ballot) + 1u;
#endif
    }
    if (LANE == 0u)
#if LENGTH_WORDS > 0
        sTeamItems[gl_SubgroupID] = uvec2(sum, last);
#else
        sTeamItems[gl_SubgroupID] = sum;
#endif
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
