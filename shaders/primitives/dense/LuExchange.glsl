// SPDX-License-Identifier: Apache-2.0
//
// Exchanges the rows of columns as the panel from `begin` on did. 32 invocations take a column: each
// moves the rows that end at the place of a pivot, and at the place that the pivot came from.

layout(binding = 0) readonly buffer Pivots { uint pivots[]; };
layout(binding = 1) buffer Factors { REAL factors[]; };

layout(push_constant) uniform Push {
    uint firstPivot;
    uint firstFactor;
    uint width; // of the panel
    uint begin;
    uint columns; // without the panel's
    uint groups;  // work groups per matrix
    uint batches;
    uint rowStride;
    uint columnStride;
    uint batchStride;
    uint pivotStride;
};

#define LANES 32u
shared uint sPivots[LANES];

uint before(uint row) {
    [[dont_unroll]] for (uint i = width; i-- > 0u;) {
        if (row == begin + i)
            row = sPivots[i];
        else if (row == sPivots[i])
            row = begin + i;
    }
    return row;
}

void main() {
    uint group = flatGroup();
    uint batch = group / groups;
    if (batch >= batches)
        return; // the whole work group
    if (gl_LocalInvocationIndex < width)
        sPivots[gl_LocalInvocationIndex] =
            pivots[firstPivot + batch * pivotStride + begin + gl_LocalInvocationIndex];
    barrier();
    uint lane = gl_LocalInvocationIndex % LANES;
    uint column =
        (group - batch * groups) * (GROUP_SIZE / LANES) + gl_LocalInvocationIndex / LANES;
    bool exists = lane < width && column < columns;
    column += column < begin ? 0u : width;
    uint origin = firstFactor + batch * batchStride + column * columnStride;
    uint rowA = begin + lane;
    uint rowB = exists ? sPivots[lane] : rowA;
    REAL a = REAL(0);
    REAL b = REAL(0);
    if (exists) {
        a = factors[origin + before(rowA) * rowStride];
        b = factors[origin + before(rowB) * rowStride];
    }
    barrier();
    if (exists) {
        factors[origin + rowA * rowStride] = a;
        factors[origin + rowB * rowStride] = b;
    }
}
