// SPDX-License-Identifier: Apache-2.0
//
// Sorts rows by merging, one invocation each, for drivers that compute on the processor: no
// invocation waits for another. Runs of four keys are sorted in registers, then runs are merged, back
// and forth between the halves of scratch memory, and at last into the results. Such drivers take
// milliseconds to compile each access to memory, so each is in the text once, in a loop.

layout(binding = 0) readonly buffer KeysIn { KEY_STORED keysIn[]; };
layout(binding = 1) writeonly buffer KeysOut { KEY_STORED keysOut[]; };
layout(binding = 2) buffer Keys { KEY_STORED scratch[]; };
#if VALUE_WORDS > 0
layout(binding = 3) readonly buffer ValuesIn { VALUE valuesIn[]; };
layout(binding = 4) writeonly buffer ValuesOut { VALUE valuesOut[]; };
layout(binding = 5) buffer Values { VALUE scratchValues[]; };
#else
#define VALUE uint
#endif

layout(push_constant) uniform Push {
    uint firstKeyIn;
    uint firstKeyOut;
    uint firstKey;
#if VALUE_WORDS > 0
    uint firstValueIn;
    uint firstValueOut;
    uint firstValue;
#endif
    uint count; // keys bound here
    uint rows;
    uint length; // of each row
    uint maskLow; // of the bits that order the keys
    uint maskHigh;
    uint flip;
    uint flags;
    uint take; // if not 0, so many keys of each row are written, one after the other
};

const uint kIndices = 1u;     // the values are the keys' indices in their rows
const uint kDiscardKeys = 2u; // keys are not written

// Returns bits that order a key among the others.
KEY rankOf(KEY key) {
#ifdef EQUAL_ZEROS
    key = numberOf(key);
#else
    key = ordered(key);
#endif
#if KEY_WORDS == 1
    return (key ^ flip) & maskLow;
#else
    return (key ^ flip) & uvec2(maskLow, maskHigh);
#endif
}

bool isBefore(KEY rankA, KEY rankB) {
#if KEY_WORDS == 1
    return rankA < rankB;
#else
    return rankA.y < rankB.y || (rankA.y == rankB.y && rankA.x < rankB.x);
#endif
}

#define SWAP(i)                                                                                    \
    if (n > i + 1u && isBefore(ranks[i + 1u], ranks[i])) {                                         \
        KEY rank = ranks[i];                                                                       \
        ranks[i] = ranks[i + 1u];                                                                  \
        ranks[i + 1u] = rank;                                                                      \
        KEY key = keys[i];                                                                         \
        keys[i] = keys[i + 1u];                                                                    \
        keys[i + 1u] = key;                                                                        \
        uint place = places[i];                                                                    \
        places[i] = places[i + 1u];                                                                \
        places[i + 1u] = place;                                                                    \
    }

// Sorts runs of four into the first half of the scratch memory. The registers are a queue: loaded
// keys enter at the end, and stored ones leave at the front.
void sortFours(uint begin, uint size) {
    for (uint run = 0u; run < size; run += 4u) {
        uint n = min(4u, size - run);
        KEY keys[4];
        KEY ranks[4];
        uint places[4]; // of the keys in their row
        [[dont_unroll]] for (uint i = 0u; i < 4u; ++i) {
            uint place = min(run + i, size - 1u);
            [[unroll]] for (uint k = 0u; k < 3u; ++k) {
                keys[k] = keys[k + 1u];
                ranks[k] = ranks[k + 1u];
                places[k] = places[k + 1u];
            }
            keys[3] = LOAD_KEY(keysIn[firstKeyIn + begin + place]);
            ranks[3] = rankOf(keys[3]);
            places[3] = place;
        }
        // Only neighbours are swapped, and only if they are not equal: equal keys keep their order.
        [[unroll]] for (uint round = 0u; round < 2u; ++round) {
            SWAP(0u)
            SWAP(2u)
            SWAP(1u)
        }
        [[dont_unroll]] for (uint i = 0u; i < n; ++i) {
            uint to = begin + run + i;
            scratch[firstKey + to] = KEY_STORED(keys[0]);
#if VALUE_WORDS > 0
            VALUE value = VALUE_WORDS == 2 ? VALUE(uvec2(places[0], 0u)) : VALUE(places[0]);
            if ((flags & kIndices) == 0u)
                value = valuesIn[firstValueIn + begin + places[0]];
            scratchValues[firstValue + to] = value;
#endif
            [[unroll]] for (uint k = 0u; k < 3u; ++k) {
                keys[k] = keys[k + 1u];
                places[k] = places[k + 1u];
            }
        }
    }
}

// Merges pairs of runs of `width` from one half of the scratch memory to the other or, at last, the
// first `places` keys of them to the results from `place` on.
void mergeRuns(uint begin, uint size, uint width, uint from, uint to, bool last, uint place,
               uint places) {
    uint row = from + begin;
    for (uint first = 0u; first < size; first += 2u * width) {
        uint middle = min(first + width, size);
        uint end = min(middle + width, size);
        uint i = first;
        uint j = middle;
        KEY a = LOAD_KEY(scratch[firstKey + row + i]);
        KEY b = LOAD_KEY(scratch[firstKey + row + min(j, size - 1u)]);
        KEY rankA = rankOf(a);
        KEY rankB = rankOf(b);
        uint stop = last ? min(places, end) : end;
        for (uint k = first; k < stop; ++k) {
            bool second = i == middle || (j < end && isBefore(rankB, rankA));
            KEY key = second ? b : a;
            uint source = row + (second ? j : i);
            i += second ? 0u : 1u;
            j += second ? 1u : 0u;
            KEY following = LOAD_KEY(scratch[firstKey + row + min(second ? j : i, size - 1u)]);
            KEY rank = rankOf(following);
            a = second ? a : following;
            b = second ? following : b;
            rankA = second ? rankA : rank;
            rankB = second ? rank : rankB;
#if VALUE_WORDS > 0
            VALUE value = scratchValues[firstValue + source];
#endif
            if (!last) {
                scratch[firstKey + to + begin + k] = KEY_STORED(key);
#if VALUE_WORDS > 0
                scratchValues[firstValue + to + begin + k] = value;
#endif
            } else {
                if ((flags & kDiscardKeys) == 0u)
                    keysOut[firstKeyOut + place + k] = KEY_STORED(key);
#if VALUE_WORDS > 0
                valuesOut[firstValueOut + place + k] = value;
#endif
            }
        }
    }
}

void main() {
    uint row = flatGroup() * GROUP_SIZE + gl_LocalInvocationIndex;
    if (row >= rows)
        return;
    uint begin = row * length;
    uint size = length;
    sortFours(begin, size);
    uint place = take > 0u ? row * take : begin;
    uint places = take > 0u ? take : size;
    uint from = 0u;
    bool last = false;
    for (uint width = 4u; !last; width *= 2u) {
        last = 2u * width >= size;
        mergeRuns(begin, size, width, from, count - from, last, place, places);
        from = count - from;
    }
}
