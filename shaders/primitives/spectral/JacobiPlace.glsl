// SPDX-License-Identifier: Apache-2.0
//
// Writes rows in their order. Macros: TRANSPOSED: as columns. Where the order of a matrix is
// invalid, NaN.

layout(binding = 0) readonly buffer Rows { REAL rows[]; };
layout(binding = 1) readonly buffer Orders { uint orders[]; };
layout(binding = 2) writeonly buffer Placed { REAL placed[]; };

layout(push_constant) uniform Push {
    uint firstRow;
    uint firstOrder;
    uint firstPlaced;
    uint count; // of rows
    uint length;
    uint batches;
    uint rowStride;
    uint rowBatch;
};

void main() {
    uint place = flatGroup() * GROUP_SIZE + gl_LocalInvocationIndex;
    uint batch = place / (count * length);
    if (batch >= batches)
        return;
    uvec2 at = rowAndColumn(place % (count * length), count, length);
    uint row = at.x;
    uint column = at.y;
    uint from = orders[firstOrder + batch * count + row];
    placed[firstPlaced + place] =
        from == 0xffffffffu ? notANumber()
                            : rows[firstRow + batch * rowBatch + from * rowStride + column];
}
