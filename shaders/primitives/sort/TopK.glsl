// SPDX-License-Identifier: Apache-2.0
//
// Copies the k first keys of each chunk, in the order of their places. Of equal ones, the ones with
// the smallest places come first. Each work group takes a chunk: 8 bits at a time, it counts the
// digits of the keys that agree with the known digits of the last key to take, and so finds its
// next digit.

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

    // The known first digits of the last key to take.
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
        if (isBefore || (agrees && equalBefore < wanted))
            copyKey(out0 + place, first + i, begin + i);
        uint equalAfter = equal + (total >> 16);
        taken += (total & 0xffffu) + min(equalAfter, wanted) - min(equal, wanted);
        equal = equalAfter;
    }
}
