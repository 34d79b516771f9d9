// SPDX-License-Identifier: Apache-2.0
//
// Counts digits of keys. Either all digits of all keys (ALL_DIGITS of them, added up in memory,
// [digit position][256]), or one digit per block of keys: [digit][block].

#ifdef ALL_DIGITS
#define POSITIONS ALL_DIGITS
#else
#define POSITIONS 1
#endif
// Copies of the counters, so that fewer lanes meet at one.
#define COPIES (POSITIONS > 4 ? 2 : 4)

layout(binding = 0) readonly buffer Keys { KEY_STORED keys[]; };
layout(binding = 1) buffer Counts { uint counts[]; };

layout(push_constant) uniform Push {
    uint firstKey;
    uint firstCount;
    uint count;     // keys
    uint blockSize; // keys per work group
    uint firstBit;
    uint bits;
    uint flip;
    uint block;  // of the first work group
    uint blocks; // in a row of counts
};

shared uint sCounts[COPIES * POSITIONS * 256];

void main() {
    uint thread = gl_LocalInvocationIndex;
    for (uint i = thread; i < COPIES * POSITIONS * 256; i += GROUP_SIZE)
        sCounts[i] = 0u;
    barrier();
    uint group = flatGroup();
    uint groups = (count + blockSize - 1u) / blockSize;
    if (group < groups) {
        uint begin = group * blockSize;
        uint end = begin + min(blockSize, count - begin);
        uint copy = thread % COPIES * (POSITIONS * 256);
        uint at = begin + thread;
        for (; at + 7u * GROUP_SIZE < end; at += 8u * GROUP_SIZE) {
            KEY eight[8];
            UNROLL for (uint i = 0u; i < 8u; ++i)
                eight[i] = LOAD_KEY(keys[firstKey + at + i * GROUP_SIZE]);
            UNROLL for (uint i = 0u; i < 8u; ++i)
                UNROLL for (uint p = 0u; p < POSITIONS; ++p)
                    atomicAdd(sCounts[copy + p * 256u +
                                      digitOf(eight[i], digitAt(firstBit, bits, p, flip))],
                              1u);
        }
        for (; at < end; at += GROUP_SIZE) {
            KEY key = LOAD_KEY(keys[firstKey + at]);
            for (uint p = 0u; p < POSITIONS; ++p)
                atomicAdd(sCounts[copy + p * 256u + digitOf(key, digitAt(firstBit, bits, p, flip))],
                          1u);
        }
    }
    barrier();
    if (group < groups) {
        for (uint i = thread; i < POSITIONS * 256; i += GROUP_SIZE) {
            uint sum = 0u;
            for (uint c = 0u; c < COPIES; ++c)
                sum += sCounts[c * (POSITIONS * 256) + i];
#ifdef ALL_DIGITS
            if (sum > 0u)
                atomicAdd(counts[firstCount + i], sum);
#else
            counts[firstCount + i * blocks + block + group] = sum;
#endif
        }
    }
}
