// SPDX-License-Identifier: Apache-2.0
//
// The common part of OpTopK's kernels: their arguments, digits of 8 bits, and the digit at which so
// many keys are found.
//
// Macros: INDEX_WORDS: of an index that is copied with each key; 0 for none. PLACES: the index is
// the key's place in its row; without, it is read.

layout(binding = 0) readonly buffer KeysIn { KEY_STORED keysIn[]; };
layout(binding = 1) writeonly buffer KeysOut { KEY_STORED keysOut[]; };
#if INDEX_WORDS > 0
layout(binding = 2) writeonly buffer IndicesOut { uint indicesOut[]; };
#ifndef PLACES
layout(binding = 3) readonly buffer IndicesIn { uint indicesIn[]; };
#endif
#endif

layout(push_constant) uniform Push {
    uint firstKeyIn;
    uint firstKeyOut;
#if INDEX_WORDS > 0
    uint firstIndexOut;
#ifndef PLACES
    uint firstIndexIn;
#endif
#endif
    uint rows;
    uint chunks;    // of each row in this dispatch
    uint chunkSize; // keys of all but the last chunk of a row
    uint length;    // keys of a row in this dispatch
    uint outLength; // keys of an output row
    uint k;         // at most chunkSize
    uint flip;      // all bits 1 for descending order
    uint baseLow;   // PLACES: the place of the first key
    uint baseHigh;
};

const uint kDigits = KEY_BITS / 8u;

shared uint sCounts[256];
shared uint sScan[GROUP_SIZE];
shared uint sDigit;
shared uint sBefore;

// The key's bits in the order wanted.
KEY bitsOf(KEY key) {
#if KEY_WORDS == 2
    return ordered(key) ^ uvec2(flip);
#else
    return (ordered(key) ^ flip) & kAll;
#endif
}

// A digit, the most significant one first.
uint digitOf(KEY bits, uint pass) {
    uint shift = KEY_BITS - 8u - 8u * pass;
#if KEY_WORDS == 2
    return (shift >= 32u ? bits.y >> (shift - 32u) : bits.x >> shift) & 255u;
#else
    return bits >> shift & 255u;
#endif
}
KEY keyOfDigit(uint digit, uint pass) {
    uint shift = KEY_BITS - 8u - 8u * pass;
#if KEY_WORDS == 2
    return shift >= 32u ? uvec2(0u, digit << (shift - 32u)) : uvec2(digit << shift, 0u);
#else
    return digit << shift;
#endif
}

// Returns sums over earlier invocations, and the sum of all.
uint scanned(uint value, out uint total) {
    uint thread = gl_LocalInvocationIndex;
    uint sum = value;
    for (uint m = 1u; m < GROUP_SIZE; m *= 2u) {
        sScan[thread] = sum;
        barrier();
        sum += thread >= m ? sScan[thread - m] : 0u;
        barrier();
    }
    sScan[thread] = sum;
    barrier();
    total = sScan[GROUP_SIZE - 1u];
    barrier();
    return sum - value;
}

// Finds the digit of which there are fewer than `wanted` keys before it, but not with it.
void findDigit(uint wanted) {
    uint thread = gl_LocalInvocationIndex;
    const uint perThread = (255u + GROUP_SIZE) / GROUP_SIZE;
    uint sum = 0u;
    for (uint i = thread * perThread; i < min(256u, (thread + 1u) * perThread); ++i)
        sum += sCounts[i];
    uint total;
    uint before = scanned(sum, total);
    for (uint i = thread * perThread; i < min(256u, (thread + 1u) * perThread); ++i) {
        uint count = sCounts[i];
        if (before < wanted && before + count >= wanted) {
            sDigit = i;
            sBefore = before;
        }
        before += count;
    }
    barrier();
}

// Copies a key and its index. `place`: of the key in its row, counted from baseLow and baseHigh.
void copyKey(uint to, uint from, uint place) {
    keysOut[firstKeyOut + to] = keysIn[firstKeyIn + from];
#if INDEX_WORDS > 0
    uint at = (firstIndexOut + to) * INDEX_WORDS;
#ifdef PLACES
    uvec2 index = plus(uvec2(baseLow, baseHigh), place);
    indicesOut[at] = index.x;
#if INDEX_WORDS == 2
    indicesOut[at + 1u] = index.y;
#endif
#else
    uint source = (firstIndexIn + from) * INDEX_WORDS;
    indicesOut[at] = indicesIn[source];
#if INDEX_WORDS == 2
    indicesOut[at + 1u] = indicesIn[source + 1u];
#endif
#endif
#endif
}
