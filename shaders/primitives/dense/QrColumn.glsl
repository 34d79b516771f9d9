// SPDX-License-Identifier: Apache-2.0
//
// Reflects the columns of a panel of PANEL columns by the reflection of one of them, and sums the
// products that the reflection of the next one needs. Each work group takes ROWS_EACH * GROUPS
// rows, an invocation the rows of one column. Products are sums of all work groups' parts, added in
// their order by each of them; the row of the pivot is given with them, because the others change.
// Two places for parts take turns.

layout(binding = 0) buffer Work { REAL work[]; };
layout(binding = 1) writeonly buffer Reflectors { REAL reflectors[]; };
layout(binding = 2) buffer Parts { REAL parts[]; };
layout(binding = 3) writeonly buffer Factors { REAL factors[]; };

layout(push_constant) uniform Push {
    uint firstWork;
    uint firstReflector;
    uint firstPart;
    uint firstFactor;
    uint rows; // of the matrix
    uint stride;
    uint reflections; // elements of a row of reflectors, and factors per matrix
    uint start;       // of the panel: its first row and column
    uint width;       // its columns
    uint step;        // the column in the panel, counted from 1; 0 to begin
    uint groups;      // work groups per matrix
    uint batches;
};

shared REAL sColumn[GROUPS * ROWS_EACH];
shared REAL sSums[GROUPS * PANEL];

void main() {
    uint thread = gl_LocalInvocationIndex;
    uint x = thread % PANEL;
    uint y = thread / PANEL;
    uint part = flatGroup() % groups;
    uint batch = flatGroup() / groups;
    if (batch >= batches)
        return;
    uint first = start + part * (GROUPS * ROWS_EACH);
    uint origin = firstWork + batch * rows * stride;
    // The parts of a matrix: for each turn, the row of the pivot, and sums by work group.
    uint partsWords = (groups + 1u) * PANEL;
    uint own = firstPart + (batch * 2u + step % 2u) * partsWords;
    uint before = firstPart + (batch * 2u + (step + 1u) % 2u) * partsWords;
    bool inside = x < width;

    REAL a[ROWS_EACH];
    UNROLL for (uint i = 0u; i < ROWS_EACH; ++i) {
        uint row = first + y + GROUPS * i;
        a[i] = inside && row < rows ? work[origin + row * stride + start + x] : REAL(0);
    }
    if (step > 0u) {
        uint j = step - 1u;
        uint pivotRow = start + j;
        REAL pivot = parts[before + j];
        REAL below = REAL(0);
        REAL sum = REAL(0);
        for (uint group = 0u; group < groups; ++group) {
            below += parts[before + (group + 1u) * PANEL + j];
            sum += parts[before + (group + 1u) * PANEL + x];
        }
        Reflection made = reflectionOf(pivot, below);
        REAL weight = made.factor * (parts[before + x] + sum * made.inverse);
        if (x == j)
            UNROLL for (uint i = 0u; i < ROWS_EACH; ++i)
                sColumn[y + GROUPS * i] = a[i];
        barrier();
        UNROLL for (uint i = 0u; i < ROWS_EACH; ++i) {
            uint row = first + y + GROUPS * i;
            REAL along = row == pivotRow  ? REAL(1)
                         : row > pivotRow ? sColumn[y + GROUPS * i] * made.inverse
                                          : REAL(0);
            if (x > j)
                a[i] -= weight * along;
            if (x == j && row < rows) {
                if (row >= pivotRow)
                    a[i] = row == pivotRow ? made.diagonal : REAL(0);
                reflectors[firstReflector + batch * rows * reflections + row * reflections +
                           pivotRow] = along;
            }
            if (inside && x >= j && row < rows)
                work[origin + row * stride + start + x] = a[i];
        }
        if (part == 0u && thread == j)
            factors[firstFactor + batch * reflections + pivotRow] = made.factor;
        barrier();
    }
    // The products of the next column with all, below its pivot.
    uint pivotRow = start + step;
    if (step >= width || pivotRow >= rows)
        return; // the whole work group
    if (x == step)
        UNROLL for (uint i = 0u; i < ROWS_EACH; ++i)
            sColumn[y + GROUPS * i] = a[i];
    barrier();
    REAL sum = REAL(0);
    UNROLL for (uint i = 0u; i < ROWS_EACH; ++i) {
        uint row = first + y + GROUPS * i;
        if (row == pivotRow)
            parts[own + x] = a[i];
        else if (row > pivotRow)
            sum += sColumn[y + GROUPS * i] * a[i];
    }
    sSums[y * PANEL + x] = sum;
    barrier();
    if (y > 0u)
        return;
    for (uint group = 1u; group < GROUPS; ++group)
        sum += sSums[group * PANEL + x];
    parts[own + (part + 1u) * PANEL + x] = sum;
}
