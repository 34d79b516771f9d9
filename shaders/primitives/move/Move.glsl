// SPDX-License-Identifier: Apache-2.0
//
// Copies an array with AXES axes, the innermost first, between two layouts. Neighbouring
// invocations write neighbouring units; each moves PER_INVOCATION units, all of them in flight.

layout(binding = 0) readonly buffer In { UNIT_STORED source[]; };
layout(binding = 1) writeonly buffer Out { UNIT_STORED destination[]; };

struct Axis {
    Divider extent;
    uint inStride; // units, modulo 2^32
    uint outStride;
};

layout(push_constant) uniform Push {
    uint firstIn;
    uint firstOut;
    uint count;
    uint inOffset; // of index 0
    Axis axes[AXES];
};

void main() {
    uint first = flatGroup() * GROUP_SIZE * PER_INVOCATION + gl_LocalInvocationIndex;
    UNIT_VALUE values[PER_INVOCATION];
    uint places[PER_INVOCATION];
    [[unroll]] for (uint i = 0; i < PER_INVOCATION; ++i) {
        uint n = first + i * GROUP_SIZE;
        if (n < count) {
            uint from = firstIn + inOffset;
            uint to = firstOut;
            [[unroll]] for (uint axis = 0; axis < AXES - 1; ++axis) {
                uint next = quotient(n, axes[axis].extent);
                uint index = n - next * axes[axis].extent.divisor;
                from += index * axes[axis].inStride;
                to += index * axes[axis].outStride;
                n = next;
            }
            from += n * axes[AXES - 1].inStride;
            to += n * axes[AXES - 1].outStride;
            values[i] = UNIT_LOAD(source[from]);
            places[i] = to;
        }
    }
    [[unroll]] for (uint i = 0; i < PER_INVOCATION; ++i)
        if (first + i * GROUP_SIZE < count)
            destination[places[i]] = UNIT_STORE(values[i]);
}
