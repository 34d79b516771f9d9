// SPDX-License-Identifier: Apache-2.0
//
// Writes an orthonormal basis Q of vectors with their signs, which the diagonal of R has; NaN for
// vectors that are. Macros: TRANSPOSED.

layout(binding = 0) readonly buffer Bases { REAL bases[]; };
layout(binding = 1) readonly buffer Triangles { REAL triangles[]; };
layout(binding = 2) writeonly buffer Placed { REAL placed[]; };

layout(push_constant) uniform Push {
    uint firstBasis;
    uint firstTriangle;
    uint firstPlaced;
    uint rows;
    uint columns;
    uint count; // of vectors: columns of R, which has as many rows as Q has columns
    uint batches;
};

void main() {
    uint place = flatGroup() * GROUP_SIZE + gl_LocalInvocationIndex;
    uint batch = place / (rows * columns);
    if (batch >= batches)
        return;
    uvec2 at = rowAndColumn(place % (rows * columns), rows, columns);
    uint row = at.x;
    uint column = at.y;
    uint triangle = firstTriangle + batch * columns * count;
    REAL value = bases[firstBasis + (batch * rows + row) * columns + column];
    if (column < count && triangles[triangle + column * count + column] < REAL(0))
        value = -value;
    placed[firstPlaced + place] = kp_isnan(triangles[triangle]) ? notANumber() : value;
}
