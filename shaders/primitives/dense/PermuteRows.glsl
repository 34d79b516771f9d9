// SPDX-License-Identifier: Apache-2.0
//
// Writes rows of matrices in an order, or with IDENTITY the rows of the matrix that has 1 on its
// diagonal and 0 elsewhere.

layout(binding = 0) readonly buffer Order { uint order[]; };
layout(binding = 1) writeonly buffer Made { REAL made[]; };
#ifndef IDENTITY
layout(binding = 2) readonly buffer Given { REAL given[]; };
#endif

layout(push_constant) uniform Push {
    uint firstOrder;
    uint firstMade;
#ifndef IDENTITY
    uint firstGiven;
#endif
    uint rows;
    uint columns;
    uint batches;
    uint orderStride;
};

void main() {
    uint place = flatGroup() * GROUP_SIZE + gl_LocalInvocationIndex;
    uint column = place % columns;
    uint row = place / columns % rows;
    uint batch = place / columns / rows;
    if (batch >= batches)
        return;
    uint from = order[firstOrder + batch * orderStride + row];
#ifdef IDENTITY
    made[firstMade + place] = from == column ? REAL(1) : REAL(0);
#else
    made[firstMade + place] = given[firstGiven + (batch * rows + from) * columns + column];
#endif
}
