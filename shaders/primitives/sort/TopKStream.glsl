// SPDX-License-Identifier: Apache-2.0
//
// Copies the k first keys of each chunk, in the order of their places, as TopK.glsl does, but reads
// each key once. A work group goes through its chunk and gathers keys that may be among the k first
// in shared memory, in any order. When there is no room for more, it keeps k of them, the last of
// which is a bound for all keys that follow. So only about k ln(chunkSize / k) keys are gathered.
//
// Macros: GROUP_THREADS, the size of the work group. CAPACITY: keys in shared memory, at least
// k + GROUP_THREADS. BATCH: keys of an invocation that are read at a time. UNROLL: before loops.

#define HELD ((CAPACITY + GROUP_THREADS - 1) / GROUP_THREADS)

shared KEY sKeys[CAPACITY];
shared uint sPlaces[CAPACITY];
shared uint sFilled;

bool gHasBound = false;
KEY gBound = KEY(0u); // keys that are not before it are not among the first

uint placeDigit(uint place, uint pass) { return place >> (24u - 8u * pass) & 255u; }

void clearCounts() {
    for (uint i = gl_LocalInvocationIndex; i < 256u; i += GROUP_SIZE)
        sCounts[i] = 0u;
    barrier();
}

// Keeps the `take` first of so many gathered keys; of equal ones, those with the smallest places.
void keepFirst(uint filled, uint take) {
    uint thread = gl_LocalInvocationIndex;
    KEY last = KEY(0u);
    KEY mask = KEY(0u);
    uint wanted = take; // keys to take among keys that agree with the known digits of the last one
    uint agreeing = filled;
    for (uint known = 0u; known < kDigits && wanted < agreeing; ++known) {
        clearCounts();
        for (uint i = thread; i < filled; i += GROUP_SIZE)
            if ((sKeys[i] & mask) == last)
                atomicAdd(sCounts[digitOf(sKeys[i], known)], 1u);
        barrier();
        findDigit(wanted);
        last |= keyOfDigit(sDigit, known);
        mask |= keyOfDigit(255u, known);
        wanted -= sBefore;
        agreeing = sCounts[sDigit];
        barrier();
    }
    // The same with the places of equal keys.
    uint lastPlace = 0u;
    uint placeMask = 0u;
    for (uint known = 0u; known < 4u && wanted < agreeing; ++known) {
        clearCounts();
        for (uint i = thread; i < filled; i += GROUP_SIZE)
            if (sKeys[i] == last && (sPlaces[i] & placeMask) == lastPlace)
                atomicAdd(sCounts[placeDigit(sPlaces[i], known)], 1u);
        barrier();
        findDigit(wanted);
        lastPlace |= sDigit << (24u - 8u * known);
        placeMask |= 255u << (24u - 8u * known);
        wanted -= sBefore;
        agreeing = sCounts[sDigit];
        barrier();
    }
    KEY keys[HELD];
    uint places[HELD];
    bool keeps[HELD];
    UNROLL for (int h = 0; h < HELD; ++h) {
        uint i = thread + h * GROUP_SIZE;
        keeps[h] = i < filled;
        if (keeps[h]) {
            keys[h] = sKeys[i];
            places[h] = sPlaces[i];
            KEY known = keys[h] & mask;
            keeps[h] = isLess(known, last) ||
                       (known == last && (places[h] & placeMask) <= lastPlace);
        }
    }
    if (thread == 0u)
        sFilled = 0u;
    barrier();
    UNROLL for (int h = 0; h < HELD; ++h)
        if (keeps[h]) {
            uint slot = atomicAdd(sFilled, 1u);
            sKeys[slot] = keys[h];
            sPlaces[slot] = places[h];
        }
    gHasBound = true;
    gBound = last | ~mask;
    barrier();
}

bool mayBeFirst(KEY bits) { return !gHasBound || isLess(bits, gBound); }

void gather(KEY bits, uint place) {
    uint slot = atomicAdd(sFilled, 1u);
    if (slot < CAPACITY) {
        sKeys[slot] = bits;
        sPlaces[slot] = place;
    }
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

    if (thread == 0u)
        sFilled = 0u;
    barrier();
    uint filled = 0u;
    for (uint start = 0u; start < size; start += GROUP_SIZE * BATCH) {
        KEY bits[BATCH];
        UNROLL for (int b = 0; b < BATCH; ++b) {
            uint i = start + b * GROUP_SIZE + thread;
            bits[b] = bitsOf(LOAD_KEY(keysIn[firstKeyIn + first + min(i, size - 1u)]));
        }
        UNROLL for (int b = 0; b < BATCH; ++b) {
            uint i = start + b * GROUP_SIZE + thread;
            if (i < size && mayBeFirst(bits[b]))
                gather(bits[b], i);
        }
        barrier();
        uint all = sFilled;
        barrier();
        if (all <= CAPACITY) {
            filled = all;
            continue;
        }
        // There was no room. Again, as many keys at a time as there are invocations.
        if (thread == 0u)
            sFilled = filled;
        barrier();
        [[dont_unroll]] for (uint b = 0u; b < BATCH; ++b) {
            if (filled + GROUP_SIZE > CAPACITY) {
                keepFirst(filled, take);
                filled = take;
            }
            uint i = start + b * GROUP_SIZE + thread;
            if (i < size) {
                KEY key = bitsOf(LOAD_KEY(keysIn[firstKeyIn + first + i]));
                if (mayBeFirst(key))
                    gather(key, i);
            }
            barrier();
            filled = sFilled;
            barrier();
        }
    }
    if (filled > take)
        keepFirst(filled, take);
    for (uint i = thread; i < take; i += GROUP_SIZE) {
        uint place = sPlaces[i];
        uint rank = 0u;
        for (uint j = 0u; j < take; ++j)
            rank += sPlaces[j] < place ? 1u : 0u;
        copyKey(out0 + rank, first + place, begin + place);
    }
}
