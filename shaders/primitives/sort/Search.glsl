// SPDX-License-Identifier: Apache-2.0
//
// Binary searches for needles among sorted keys. Macros: PER_INVOCATION needles; RIGHT: after equal
// keys; PLACE_WORDS, of a place; COUNTING: needle i is the number i; QUEUED, for drivers that compute on
// the processor, which take milliseconds to compile each access to memory: registers are a queue, filled
// at the end and emptied at the front by loops, so that each access is in the text once.
//
// Of keys in several parts, the first one is searched for all needles, and each other one overwrites
// the places that it finds: a key of theirs that is before the needle has all earlier parts before it.

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

#ifdef QUEUED
#define EACH [[dont_unroll]]
#define FILLED (PER_INVOCATION - 1)
#define EMPTIED 0
#define MOVE_QUEUE                                                                                 \
    [[unroll]] for (uint k = 1u; k < PER_INVOCATION; ++k) {                                        \
        wanted[k - 1u] = wanted[k];                                                                \
        found[k - 1u] = found[k];                                                                  \
    }
#else
#define EACH [[unroll]]
#define FILLED i
#define EMPTIED i
#define MOVE_QUEUE
#endif

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
    EACH for (uint i = 0; i < PER_INVOCATION; ++i) {
        MOVE_QUEUE
        uint n = min(first + i * GROUP_SIZE, needleCount - 1u);
#ifdef COUNTING
        wanted[FILLED] = needleBase + n;
#else
        wanted[FILLED] = numberOf(LOAD_KEY(needles[firstNeedle + n]));
#endif
        found[FILLED] = 0u;
    }
    // The place is among the `rest` after found[i]. All needles take equally many steps, so that
    // their reads are in flight together.
    uint rest = sortedCount;
#ifdef QUEUED
    while (rest > 0u) {
        uint step = max(rest / 2u, 1u);
#else
    while (rest > 1u) {
        uint step = rest / 2u;
#endif
        [[unroll]] for (uint i = 0; i < PER_INVOCATION; ++i)
            if (isBefore(found[i] + step - 1u, wanted[i]))
                found[i] += step;
        rest -= step;
    }
    EACH for (uint i = 0; i < PER_INVOCATION; ++i) {
        uint n = first + i * GROUP_SIZE;
#ifndef QUEUED
        if (isBefore(found[i], wanted[i]))
            ++found[i];
#endif
        bool isFirst = (baseLow | baseHigh) == 0u;
        if (n < needleCount && (isFirst || found[EMPTIED] > 0u)) {
            uvec2 place = plus(uvec2(baseLow, baseHigh), found[EMPTIED]);
            uint at = (firstPlace + n) * PLACE_WORDS;
            places[at] = place.x;
#if PLACE_WORDS == 2
            places[at + 1u] = place.y;
#endif
        }
        MOVE_QUEUE
    }
}
