// SPDX-License-Identifier: Apache-2.0
//
// Copies the upper triangles of matrices that were scaled, times their scale.

layout(binding = 0) readonly buffer Work { REAL work[]; };
layout(binding = 1) readonly buffer Largest { uint largest[]; };
layout(binding = 2) writeonly buffer Triangles { REAL triangles[]; };

layout(push_constant) uniform Push {
    uint firstWork;
    uint firstLargest;
    uint firstTriangle;
    uint workRows;
    uint rows;
    uint columns;
    uint batches;
};

void main() {
    uint place = flatGroup() * GROUP_SIZE + gl_LocalInvocationIndex;
    uint column = place % columns;
    uint row = place / columns % rows;
    uint batch = place / columns / rows;
    if (batch >= batches)
        return;
    uint highest = largest[firstLargest + batch];
    REAL value = REAL(0);
    if (column >= row)
        value = work[firstWork + (batch * workRows + row) * columns + column] *
                powerOfTwo(isFinite(highest) ? scaleOf(highest) : 0);
    triangles[firstTriangle + place] = value;
}
