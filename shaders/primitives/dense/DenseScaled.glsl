// SPDX-License-Identifier: Apache-2.0
//
// Copies matrices, divided by a power of two, with rows and columns of 0 after theirs. Macros: LOWER,
// UPPER: the triangle of a symmetric matrix that is read; TRANSPOSED: given as columns x rows;
// AS_ZERO: matrices with infinities and NaNs become 0, else they stay as they are.

layout(binding = 0) readonly buffer Given { REAL given[]; };
layout(binding = 1) readonly buffer States { uint states[]; };
layout(binding = 2) writeonly buffer Matrices { REAL matrices[]; };

layout(push_constant) uniform Push {
    uint firstGiven;
    uint firstState;
    uint firstMatrix;
    uint rows;
    uint columns;
    uint batches;
    uint stateWords;
    uint allRows;
    uint allColumns;
};

void main() {
    uint place = flatGroup() * GROUP_SIZE + gl_LocalInvocationIndex;
    uint column = place % allColumns;
    uint row = place / allColumns % allRows;
    uint batch = place / allColumns / allRows;
    if (batch >= batches)
        return;
    uint largest = states[firstState + batch * stateWords];
    REAL value = REAL(0);
    bool finite = isFinite(largest);
#ifdef AS_ZERO
    bool exists = row < rows && column < columns && finite;
#else
    bool exists = row < rows && column < columns;
#endif
    if (exists) {
#if defined(LOWER)
        uint from = max(row, column) * columns + min(row, column);
#elif defined(UPPER)
        uint from = min(row, column) * columns + max(row, column);
#elif defined(TRANSPOSED)
        uint from = column * rows + row;
#else
        uint from = row * columns + column;
#endif
        value = given[firstGiven + batch * rows * columns + from] *
                powerOfTwo(finite ? -scaleOf(largest) : 0);
    }
    matrices[firstMatrix + place] = value;
}
