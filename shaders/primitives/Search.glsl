// SPDX-License-Identifier: Apache-2.0
//
// Binary searches for needles among sorted keys. Macros: PER_INVOCATION needles; RIGHT: after equal
// keys; PLACE_WORDS, of a place; COUNTING: needle i is the number i.
//
// Of keys in several parts, the first one is searched for all needles, and the others overwrite what
// they find places for: a key of theirs that is before the needle has all earlier parts before it.

layout(binding = 0) readonly buffer Sorted { KEY_STORED sorted[]; };
#ifdef COUNTING
#define PLACES_BINDING 1
#else
layout(binding = 1) readonly buffer Needles { KEY_STORED needles[]; };
#define PLACES_BINDING 2
#endif
layout(binding = PLACES_BINDING) writeonly buffer Places { uint places[]; };

layout(push_constant) uniform Push {
    uint firstSorted;
#ifndef COUNTING
    uint firstNeedle;
#endif
    uint firstPlace;
    uint sortedCount; // not 0
    uint needleCount;
    uint baseLow; // keys in earlier parts
    uint baseHigh;
    uint needleBase; // the first needle of this dispatch, if COUNTING
};

bool isBefore(uint place, KEY needle) {
    KEY key = numberOf(LOAD_KEY(sorted[firstSorted + place]));
#ifdef RIGHT
    return !isLess(needle, key);
#else
    return isLess(key, needle);
#endif
}

void main() {
    uint first = flatGroup() * (GROUP_SIZE * PER_INVOCATION) + threadIndex();
    KEY wanted[PER_INVOCATION];
    uint found[PER_INVOCATION];
    [[unroll]] for (uint i = 0; i < PER_INVOCATION; ++i) {
        uint n = min(first + i * GROUP_SIZE, needleCount - 1u);
#ifdef COUNTING
        wanted[i] = needleBase + n;
#else
        wanted[i] = numberOf(LOAD_KEY(needles[firstNeedle + n]));
#endif
        found[i] = 0u;
    }
    // The place is among the `rest` after found[i]. All needles take equally many steps, so that
    // their reads are in flight together.
    uint rest = sortedCount;
    while (rest > 1u) {
        uint step = rest / 2u;
        [[unroll]] for (uint i = 0; i < PER_INVOCATION; ++i)
            if (isBefore(found[i] + step - 1u, wanted[i]))
                found[i] += step;
        rest -= step;
    }
    [[unroll]] for (uint i = 0; i < PER_INVOCATION; ++i) {
        uint n = first + i * GROUP_SIZE;
        if (isBefore(found[i], wanted[i]))
            ++found[i];
        bool isFirst = (baseLow | baseHigh) == 0u;
        if (n < needleCount && (isFirst || found[i] > 0u)) {
            uvec2 place = plus(uvec2(baseLow, baseHigh), found[i]);
            uint at = (firstPlace + n) * PLACE_WORDS;
            places[at] = place.x;
#if PLACE_WORDS == 2
            places[at + 1u] = place.y;
#endif
        }
    }
}
