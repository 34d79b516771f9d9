// SPDX-License-Identifier: Apache-2.0
//
// Sorts rows by merging, one invocation each, for drivers that compute on the processor: no
// invocation waits for another. Runs of four keys are sorted in registers, then runs are merged, back
// and forth between the halves of scratch memory, and at last into the results.

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

bool isBefore(KEY a, KEY b) {
#ifdef EQUAL_ZEROS
    a = numberOf(a);
    b = numberOf(b);
#else
    a = ordered(a);
    b = ordered(b);
#endif
#if KEY_WORDS == 1
    return ((a ^ flip) & maskLow) < ((b ^ flip) & maskLow);
#else
    a = (a ^ flip) & uvec2(maskLow, maskHigh);
    b = (b ^ flip) & uvec2(maskLow, maskHigh);
    return a.y < b.y || (a.y == b.y && a.x < b.x);
#endif
}

#define SWAP(i)                                                                                    \
    if (n > i + 1u && isBefore(keys[i + 1u], keys[i])) {                                           \
        KEY key = keys[i];                                                                         \
        keys[i] = keys[i + 1u];                                                                    \
        keys[i + 1u] = key;                                                                        \
        VALUE value = values[i];                                                                   \
        values[i] = values[i + 1u];                                                                \
        values[i + 1u] = value;                                                                    \
    }

// Sorts runs of four into the first half of the scratch memory.
void sortFours(uint begin, uint size) {
    for (uint run = 0u; run < size; run += 4u) {
        uint n = min(4u, size - run);
        KEY keys[4];
        VALUE values[4];
        [[unroll]] for (uint i = 0u; i < 4u; ++i) {
            uint at = begin + min(run + i, size - 1u);
            keys[i] = LOAD_KEY(keysIn[firstKeyIn + at]);
#if VALUE_WORDS > 0
            if ((flags & kIndices) != 0u)
                values[i] = VALUE_WORDS == 2 ? VALUE(uvec2(run + i, 0u)) : VALUE(run + i);
            else
                values[i] = valuesIn[firstValueIn + at];
#endif
        }
        // Only neighbours are swapped, and only if they are not equal: equal keys keep their order.
        [[unroll]] for (uint round = 0u; round < 2u; ++round) {
            SWAP(0u)
            SWAP(2u)
            SWAP(1u)
        }
        [[unroll]] for (uint i = 0u; i < 4u; ++i)
            if (i < n) {
                scratch[firstKey + begin + run + i] = KEY_STORED(keys[i]);
#if VALUE_WORDS > 0
                scratchValues[firstValue + begin + run + i] = values[i];
#endif
            }
    }
}

// Merges pairs of runs of `width` from one half of the scratch memory to the other, or to the
// results (from `place` on, the first `places` of them).
#define MERGE(name, STORE)                                                                         \
    void name(uint begin, uint size, uint width, uint from, uint to, uint place, uint places) {     \
        for (uint first = 0u; first < size; first += 2u * width) {                                 \
            uint middle = min(first + width, size);                                                \
            uint end = min(middle + width, size);                                                  \
            uint i = first;                                                                        \
            uint j = middle;                                                                       \
            KEY a = LOAD_KEY(scratch[firstKey + from + begin + i]);                                \
            KEY b = LOAD_KEY(scratch[firstKey + from + begin + min(j, size - 1u)]);                \
            for (uint k = first; k < end; ++k) {                                                   \
                bool second = i == middle || (j < end && isBefore(b, a));                          \
                KEY key = second ? b : a;                                                          \
                uint source = from + begin + (second ? j : i);                                     \
                i += second ? 0u : 1u;                                                             \
                j += second ? 1u : 0u;                                                             \
                uint next = from + begin + min(second ? j : i, size - 1u);                         \
                KEY following = LOAD_KEY(scratch[firstKey + next]);                                \
                a = second ? a : following;                                                        \
                b = second ? following : b;                                                        \
                STORE                                                                              \
            }                                                                                      \
        }                                                                                          \
    }

#if VALUE_WORDS > 0
#define STORE_VALUE(target) target = scratchValues[firstValue + source];
#else
#define STORE_VALUE(target)
#endif

MERGE(mergeRuns, scratch[firstKey + to + begin + k] = KEY_STORED(key);
      STORE_VALUE(scratchValues[firstValue + to + begin + k]))
MERGE(mergeOut, if (k < places) {
    if ((flags & kDiscardKeys) == 0u)
        keysOut[firstKeyOut + place + k] = KEY_STORED(key);
    STORE_VALUE(valuesOut[firstValueOut + place + k])
})

void main() {
    uint row = flatGroup() * GROUP_SIZE + gl_LocalInvocationIndex;
    if (row >= rows)
        return;
    uint begin = row * length;
    uint size = length;
    sortFours(begin, size);
    uint from = 0u;
    uint width = 4u;
    for (; 2u * width < size; width *= 2u) {
        mergeRuns(begin, size, width, from, count - from, 0u, 0u);
        from = count - from;
    }
    mergeOut(begin, size, width, from, 0u, take > 0u ? row * take : begin,
             take > 0u ? take : size);
}
