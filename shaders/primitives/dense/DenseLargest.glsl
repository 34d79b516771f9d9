// SPDX-License-Identifier: Apache-2.0
//
// Finds the high word of each matrix's largest absolute element, for DenseScale.glsl. Macros: LOWER,
// UPPER: of a triangle. It is the first of `stateWords` words that each matrix has.

layout(binding = 0) readonly buffer Given { REAL given[]; };
layout(binding = 1) buffer States { uint states[]; };

layout(push_constant) uniform Push {
    uint firstGiven;
    uint firstState;
    uint rows;
    uint columns;
    uint batches;
    uint stateWords;
    uint parts; // work groups per matrix
};

shared uint sLargest;

void main() {
    uint part = flatGroup() % parts;
    uint batch = flatGroup() / parts;
    if (batch >= batches)
        return;
    if (gl_LocalInvocationIndex == 0u)
        sLargest = 0u;
    barrier();
    uint largest = 0u;
    for (uint place = part * GROUP_SIZE + gl_LocalInvocationIndex; place < rows * columns;
         place += parts * GROUP_SIZE) {
#ifdef LOWER
        if (place % columns > place / columns)
            continue;
#endif
#ifdef UPPER
        if (place % columns < place / columns)
            continue;
#endif
        largest = max(largest, highWord(given[firstGiven + batch * rows * columns + place]));
    }
    atomicMax(sLargest, largest);
    barrier();
    if (gl_LocalInvocationIndex == 0u)
        atomicMax(states[firstState + batch * stateWords], sLargest);
}
