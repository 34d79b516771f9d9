// SPDX-License-Identifier: Apache-2.0
//
// Copies stacks of matrices with strides, or fills them. Macros: SOURCE: an expression over `row`,
// `column` and `from`, the index of the element in `given`.

layout(binding = 0) readonly buffer Given { REAL given[]; };
layout(binding = 1) buffer Made { REAL made[]; };

layout(push_constant) uniform Push {
    uint firstGiven;
    uint firstMade;
    uint rows;
    uint columns;
    uint batches;
    uint rowStride;
    uint batchStride;
    uint madeRowStride;
    uint madeBatchStride;
};

void main() {
    uint place = flatGroup() * GROUP_SIZE + gl_LocalInvocationIndex;
    uint column = place % columns;
    uint row = place / columns % rows;
    uint batch = place / columns / rows;
    if (batch >= batches)
        return;
    uint from = firstGiven + batch * batchStride + row * rowStride + column;
    made[firstMade + batch * madeBatchStride + row * madeRowStride + column] = SOURCE;
}
