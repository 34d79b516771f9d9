// SPDX-License-Identifier: Apache-2.0
//
// Copies the k first keys of each chunk, in the order of their places. Of equal ones, those with the
// smallest places come first. Each work group takes a chunk: 8 bits at a time, it counts the digits
// of the keys that agree with what is known of the last key to take, and so finds its next digit.
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

void main() {
    uint thread = gl_LocalInvocationIndex;
    uint group = flatGroup();
    uint row = group / chunks;
    uint chunk = group - row * chunks;
    if (row >= rows)
        return; // the whole work group
    uint begin = chunk * chunkSize;
    uint size = min(chunkSize, length - begin);
    uint first = row * length + begin;
    uint out0 = row * outLength + chunk * k;
    uint take = min(k, size);

    // What is known of the last key to take: its first digits.
    KEY last = KEY(0u);
    KEY mask = KEY(0u);
    uint known = 0u;
    uint wanted = take; // keys to take of those that agree
    uint agreeing = size;
    while (known < kDigits && wanted < agreeing) {
        for (uint i = thread; i < 256u; i += GROUP_SIZE)
            sCounts[i] = 0u;
        barrier();
        for (uint i = thread; i < size; i += GROUP_SIZE) {
            KEY bits = bitsOf(LOAD_KEY(keysIn[firstKeyIn + first + i]));
            if ((bits & mask) == last)
                atomicAdd(sCounts[digitOf(bits, known)], 1u);
        }
        barrier();
        findDigit(wanted);
        last |= keyOfDigit(sDigit, known);
        mask |= keyOfDigit(255u, known);
        wanted -= sBefore;
        agreeing = sCounts[sDigit];
        ++known;
        barrier();
    }
    // All keys before, and the first `wanted` of those that agree, in the order of their places.
    uint taken = 0u;
    uint equal = 0u;
    for (uint start = 0u; start < size && taken < take; start += GROUP_SIZE) {
        uint i = start + thread;
        KEY key = i < size ? LOAD_KEY(keysIn[firstKeyIn + first + i]) : KEY(0u);
        KEY bits = bitsOf(key) & mask;
        bool isBefore = i < size && isLess(bits, last);
        bool agrees = i < size && bits == last;
        // Both counts in one scan: a round has fewer than 2^16 keys.
        uint total;
        uint before = scanned((isBefore ? 1u : 0u) | (agrees ? 1u << 16 : 0u), total);
        uint equalBefore = equal + (before >> 16);
        uint place = taken + (before & 0xffffu) + min(equalBefore, wanted) - min(equal, wanted);
        if (isBefore || (agrees && equalBefore < wanted)) {
            keysOut[firstKeyOut + out0 + place] = KEY_STORED(key);
#if INDEX_WORDS > 0
            uint at = (firstIndexOut + out0 + place) * INDEX_WORDS;
#ifdef PLACES
            uvec2 index = plus(uvec2(baseLow, baseHigh), begin + i);
            indicesOut[at] = index.x;
#if INDEX_WORDS == 2
            indicesOut[at + 1u] = index.y;
#endif
#else
            uint from = (firstIndexIn + first + i) * INDEX_WORDS;
            indicesOut[at] = indicesIn[from];
#if INDEX_WORDS == 2
            indicesOut[at + 1u] = indicesIn[from + 1u];
#endif
#endif
#endif
        }
        uint equalAfter = equal + (total >> 16);
        taken += (total & 0xffffu) + min(equalAfter, wanted) - min(equal, wanted);
        equal = equalAfter;
    }
}
