// SPDX-License-Identifier: Apache-2.0
//
// Sorts eigenvalues in ascending or singular values in descending order: each finds its place by
// counting. Macros: DESCENDING; SWEEPS as in JacobiPairs.glsl. All are NaN if the matrix had
// infinities or NaNs, or if the last sweep still rotated.

layout(binding = 0) readonly buffer Keys { REAL keys[]; };
layout(binding = 1) readonly buffer States { uint states[]; };
layout(binding = 2) writeonly buffer Values { REAL values[]; };
layout(binding = 3) writeonly buffer Orders { uint orders[]; };

layout(push_constant) uniform Push {
    uint firstKey;
    uint firstState;
    uint firstValue;
    uint firstOrder;
    uint count;
    uint batches;
    uint stateWords;
    uint keyStride;
    uint keyBatch;
};

void main() {
    uint place = flatGroup() * GROUP_SIZE + gl_LocalInvocationIndex;
    uint batch = place / count;
    uint i = place % count;
    if (batch >= batches)
        return;
    uint origin = firstKey + batch * keyBatch;
    REAL own = keys[origin + i * keyStride];
    uint rank = 0u;
    for (uint j = 0u; j < count; ++j) {
        REAL other = keys[origin + j * keyStride];
#ifdef DESCENDING
        bool isBefore = other > own;
#else
        bool isBefore = other < own;
#endif
        if (isBefore || (other == own && j < i))
            ++rank;
    }
    uint state = firstState + batch * stateWords;
    uint largest = states[state];
    bool valid = isFinite(largest) && states[state + SWEEPS] == 0u;
    values[firstValue + batch * count + rank] =
        valid ? own * powerOfTwo(scaleOf(largest)) : notANumber();
    orders[firstOrder + batch * count + rank] = valid ? i : 0xffffffffu;
}
