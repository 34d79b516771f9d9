// SPDX-License-Identifier: Apache-2.0
//
// Finds the bin of each element, and counts elements or adds up weights per bin. Each work group
// takes a chunk of neighbouring blocks of 16 bytes.
//
// Macros, one of these: COUNTS: counts of COUNT_WORDS words. SUMS: sums of weights, as floats, in
// any order. BINS: writes the bin of each element that has one.
// And: COUNTERS: the counters in shared memory; without, in device memory. EDGES: bins have edges,
// else bin i is the integer i. EVEN: edges have about equal distances. QUICK: so exactly that most
// floats need not be compared with edges. SHARED_EDGES: as many edges
// fit shared memory, and all do. HALF: KEY_KIND 2 of 16 bits is half, not bfloat16. BATCH: blocks in
// flight per invocation. UNROLL: before loops.

#define PER_BLOCK (128 / KEY_BITS)

layout(binding = 0) readonly buffer In { KEY_STORED elements[]; };
layout(binding = 1) readonly buffer Blocks { uvec4 blocks[]; };
layout(binding = 2) buffer Out { uint results[]; };
#ifdef EDGES
layout(binding = 3) readonly buffer Edges { KEY_STORED edges[]; };
#endif
#ifdef SUMS
layout(binding = WEIGHTS_BINDING) readonly buffer Weights { float weights[]; };
#endif

layout(push_constant) uniform Push {
    uint firstIn;
    uint firstOut;
#ifdef EDGES
    uint firstEdge;
#endif
#ifdef SUMS
    uint firstWeight;
#endif
    uint count;       // elements in this dispatch
    uint chunkBlocks; // per work group
    uint bins;        // in this dispatch, not 0
    uint baseLow;     // bins before them
    uint baseHigh;
    uint closed; // 1 if the last bin has its upper edge
    uint copies; // of the counters in shared memory
    float low;   // EVEN: the first edge, and bins per 1
    float perUnit;
    float shift;  // QUICK: x * perUnit + shift is where x is among the edges,
    float margin; // with less than this error
};

const uint kNoBin = ~0u;

#ifdef COUNTERS
shared uint sCounters[COUNTERS];
#endif
#ifdef SHARED_EDGES
shared KEY sEdges[SHARED_EDGES];
#endif

#ifdef EDGES
KEY loadEdge(uint i) { return numberOf(LOAD_KEY(edges[firstEdge + i])); }
#ifdef SHARED_EDGES
KEY edgeOf(uint i) { return sEdges[i]; }
#else
KEY edgeOf(uint i) { return loadEdge(i); }
#endif

#if defined(EVEN) && !defined(QUICK)
// About how far an element is from the first edge. @param number  of the element, not below the edge
float distanceOf(KEY key, KEY number, KEY firstEdge) {
#if KEY_KIND != 2 && KEY_WORDS == 1
    return float(number - firstEdge);
#elif KEY_KIND != 2
    uvec2 far = difference(number, firstEdge);
    return float(far.y) * 4294967296.0 + float(far.x);
#elif KEY_BITS == 64
    // The nearest float towards zero.
    int exponent = int(key.y >> 20 & 0x7ffu) - 896;
    uint magnitude = uint(exponent) << 23 | (key.y & 0xfffffu) << 3 | key.x >> 29;
    magnitude = exponent <= 0 ? 0u : exponent >= 255 ? 0x7f7fffffu : magnitude;
    return uintBitsToFloat(magnitude | (key.y & 0x80000000u)) - low;
#elif KEY_BITS == 32
    return uintBitsToFloat(key) - low;
#elif defined(HALF)
    return unpackHalf2x16(key).x - low;
#else
    return uintBitsToFloat(key << 16) - low;
#endif
}
#endif

bool isBelow(KEY number, uint edge) { return isLess(number, edgeOf(edge)); }
bool isInBin(KEY number, uint bin) {
    return !isBelow(number, bin) && (bin + 1u == bins || isBelow(number, bin + 1u));
}

#ifdef QUICK
uint binOf(KEY key) {
    const float kIntegers = 8388608.0; // from here on, floats are integers
    float place = uintBitsToFloat(key) * perUnit + shift;
    precise float above = place + kIntegers;
    precise float edge = above - kIntegers;
    uint near = floatBitsToUint(above) - floatBitsToUint(kIntegers);
    float far = place - edge;
    // Most elements, and with few instructions. Elements out of range have no bin: `near` counts
    // on, or down from 0 to the largest numbers.
    if (abs(far) > margin && abs(far) <= 0.5) {
        uint bin = near + uint(floatBitsToInt(far) >> 31);
        return bin < bins ? bin : kNoBin;
    }
    if (abs(far) > 0.5) { // on a device that does not round to the nearest
        near += far > 0.0 ? 1u : ~0u;
        far += far > 0.0 ? -1.0 : 1.0;
    }
    if (near > bins)
        return kNoBin; // nor NaN of either sign
    bool isLower = far < 0.0;
    if (abs(far) <= margin) {
        KEY number = numberOf(key);
        isLower = isBelow(number, near) || (near == bins && closed != 0u && number == edgeOf(near));
    }
    uint bin = near - (isLower ? 1u : 0u);
    return bin < bins ? bin : kNoBin;
}
#else
uint binOf(KEY key) {
    KEY number = numberOf(key);
    KEY lowest = edgeOf(0u);
    KEY highest = edgeOf(bins);
    if (isLess(number, lowest) || isLess(highest, number) ||
        (closed == 0u && !isLess(number, highest)))
        return kNoBin;
#ifdef EVEN
    // Rounding may lead to a neighbour. Where numbers are too far from 0 to be a float, anywhere.
    float guess = clamp(distanceOf(key, number, lowest) * perUnit, 0.0, float(bins - 1u));
    uint near = min(uint(guess), bins - 1u);
    if (isInBin(number, near))
        return near;
    if (near > 0u && isInBin(number, near - 1u))
        return near - 1u;
    if (near + 1u < bins && isInBin(number, near + 1u))
        return near + 1u;
#endif
    // The last bin whose lower edge is not above.
    uint bin = 0u;
    uint rest = bins;
    while (rest > 1u) {
        uint step = rest / 2u;
        if (!isBelow(number, bin + step))
            bin += step;
        rest -= step;
    }
    return bin;
}
#endif
#else
uint binOf(KEY key) {
#if KEY_WORDS == 2
    uvec2 number = key;
#elif KEY_KIND == 1
    uvec2 number = uvec2(key, (key & kSign) != 0u ? ~0u : 0u); // negative ones are larger than all
#else
    uvec2 number = uvec2(key, 0u);
#endif
    uvec2 bin = difference(number, uvec2(baseLow, baseHigh));
    return bin.y == 0u && bin.x < bins ? bin.x : kNoBin;
}
#endif

#ifdef SUMS
#define ADD_FLOAT(word, amount)                                                                    \
    {                                                                                              \
        uint expected = atomicOr(word, 0u);                                                        \
        for (;;) {                                                                                 \
            uint sum = floatBitsToUint(uintBitsToFloat(expected) + amount);                        \
            uint found = atomicCompSwap(word, expected, sum);                                      \
            if (found == expected)                                                                 \
                break;                                                                             \
            expected = found;                                                                      \
        }                                                                                          \
    }
#endif

#ifndef BINS
void addToResult(uint bin, uint amount) {
#ifdef SUMS
    ADD_FLOAT(results[firstOut + bin], uintBitsToFloat(amount))
#else
    uint at = (firstOut + bin) * COUNT_WORDS;
    uint before = atomicAdd(results[at], amount);
#if COUNT_WORDS == 2
    if (before + amount < before)
        atomicAdd(results[at + 1u], 1u);
#endif
#endif
}
#endif

// @param i  of the element in this dispatch
void handle(KEY key, uint i, uint counters) {
    uint bin = binOf(key);
    if (bin == kNoBin)
        return;
#ifdef BINS
    results[firstOut + i] = baseLow + bin;
#else
#ifdef SUMS
    uint amount = floatBitsToUint(weights[firstWeight + i]);
#else
    uint amount = 1u;
#endif
#ifndef COUNTERS
    addToResult(bin, amount);
#elif defined(SUMS)
    ADD_FLOAT(sCounters[counters + bin], uintBitsToFloat(amount))
#else
    atomicAdd(sCounters[counters + bin], amount);
#endif
#endif
}

KEY keyOf(uvec4 block, uint i) {
#if KEY_BITS == 64
    return i == 0u ? block.xy : block.zw;
#elif KEY_BITS == 32
    return block[i];
#else
    const uint perWord = 32 / KEY_BITS;
    return bitfieldExtract(block[i / perWord], int(i % perWord) * KEY_BITS, KEY_BITS);
#endif
}

void main() {
    uint thread = threadIndex();
#ifdef SHARED_EDGES
    for (uint i = thread; i <= bins; i += GROUP_SIZE)
        sEdges[i] = loadEdge(i);
#endif
#ifdef COUNTERS
    for (uint i = thread; i < copies * bins; i += GROUP_SIZE)
        sCounters[i] = 0u;
    uint counters = thread / 32u % copies * bins;
#else
    const uint counters = 0u;
#endif
    barrier();
    // Blocks, from the first one with an element of this dispatch.
    uint end = firstIn + count;
    uint firstBlock = firstIn / PER_BLOCK;
    uint blockCount = (end + PER_BLOCK - 1u) / PER_BLOCK - firstBlock;
    uint begin = min(flatGroup() * chunkBlocks, blockCount);
    uint chunkEnd = begin + min(chunkBlocks, blockCount - begin);
    for (uint first = begin + thread; first < chunkEnd; first += GROUP_SIZE * BATCH) {
        uvec4 batch[BATCH];
        bool whole[BATCH];
        UNROLL for (uint k = 0; k < BATCH; ++k) {
            uint b = firstBlock + first + k * GROUP_SIZE;
            whole[k] = first + k * GROUP_SIZE < chunkEnd && b * PER_BLOCK >= firstIn &&
                       (b + 1u) * PER_BLOCK <= end;
            batch[k] = whole[k] ? blocks[b] : uvec4(0u);
        }
        UNROLL for (uint k = 0; k < BATCH; ++k) {
            uint at = (firstBlock + first + k * GROUP_SIZE) * PER_BLOCK;
            if (whole[k]) {
                UNROLL for (uint i = 0; i < PER_BLOCK; ++i)
                    handle(keyOf(batch[k], i), at + i - firstIn, counters);
            } else if (first + k * GROUP_SIZE < chunkEnd) {
                for (uint e = max(at, firstIn); e < min(at + PER_BLOCK, end); ++e)
                    handle(LOAD_KEY(elements[e]), e - firstIn, counters);
            }
        }
    }
#ifdef COUNTERS
    barrier();
    for (uint bin = thread; bin < bins; bin += GROUP_SIZE) {
#ifdef SUMS
        float sum = 0.0;
        for (uint copy = 0u; copy < copies; ++copy)
            sum += uintBitsToFloat(sCounters[copy * bins + bin]);
        uint amount = floatBitsToUint(sum);
#else
        uint amount = 0u;
        for (uint copy = 0u; copy < copies; ++copy)
            amount += sCounters[copy * bins + bin];
#endif
        if (amount != 0u)
            addToResult(bin, amount);
    }
#endif
}
