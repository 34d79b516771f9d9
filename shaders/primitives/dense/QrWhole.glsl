// SPDX-License-Identifier: Apache-2.0
//
// QR factors of small matrices, one per work group, by Householder reflections in shared memory.
// Macros: ROWS x COLUMNS, R_ROWS of R; Q_COLUMNS of Q, 0 for none; WIDTH elements from a row to the
// next; GROUPS of rows that different invocations sum, for each column.
//
// Below the diagonal, a column keeps its values before its reflection: the vector of the
// reflection is that times sInverse.

layout(binding = 0) readonly buffer Given { REAL given[]; };
layout(binding = 1) writeonly buffer Triangles { REAL triangles[]; };
#if Q_COLUMNS
layout(binding = 2) writeonly buffer Bases { REAL bases[]; };
#endif

layout(push_constant) uniform Push {
    uint firstGiven;
    uint firstTriangle;
#if Q_COLUMNS
    uint firstBasis;
#endif
    uint batches;
};

#define REFLECTIONS min(ROWS, COLUMNS)
// Columns whose squares are smaller are multiplied by 2^LIFT before their reflection.
#ifdef HAS_Double
#define TINY REAL(1e-280)
#define LIFT 560
#else
#define TINY REAL(1e-28)
#define LIFT 90
#endif
shared REAL sMatrix[ROWS * WIDTH];
shared REAL sParts[GROUPS * WIDTH];
shared REAL sWeights[WIDTH];
shared REAL sFactor[REFLECTIONS];
shared REAL sInverse[REFLECTIONS];
shared uint sLargest;

// Sums, for each column from `first` to `end`, the products with column j below row j.
void addParts(uint j, uint first, uint end) {
    for (uint place = gl_LocalInvocationIndex; place < GROUPS * (end - first); place += GROUP_SIZE) {
        uint column = first + place % (end - first);
        uint group = place / (end - first);
        REAL sum = REAL(0);
        for (uint row = j + 1u + group; row < ROWS; row += GROUPS)
            sum += sMatrix[row * WIDTH + j] * sMatrix[row * WIDTH + column];
        sParts[group * WIDTH + column] = sum;
    }
}

REAL partsOf(uint column) {
    REAL sum = REAL(0);
    for (uint group = 0u; group < GROUPS; ++group)
        sum += sParts[group * WIDTH + column];
    return sum;
}

// Subtracts multiples of the vector of column j, sWeights, from the later columns up to `end`.
void reflectColumns(uint j, uint end, REAL inverse) {
    uint rest = end - j - 1u;
    for (uint place = gl_LocalInvocationIndex; place < (ROWS - j) * rest; place += GROUP_SIZE) {
        uint row = j + place / rest;
        uint column = j + 1u + place % rest;
        REAL along = row == j ? REAL(1) : sMatrix[row * WIDTH + j] * inverse;
        sMatrix[row * WIDTH + column] -= sWeights[column] * along;
    }
}

void main() {
    uint batch = flatGroup();
    if (batch >= batches)
        return;
    uint thread = gl_LocalInvocationIndex;
    if (thread == 0u)
        sLargest = 0u;
    barrier();
    uint largest = 0u;
    uint origin = firstGiven + batch * (ROWS * COLUMNS);
    for (uint place = thread; place < ROWS * COLUMNS; place += GROUP_SIZE) {
        REAL value = given[origin + place];
        largest = max(largest, highWord(value));
        sMatrix[place / COLUMNS * WIDTH + place % COLUMNS] = value;
    }
    atomicMax(sLargest, largest);
    barrier();
    int power = isFinite(sLargest) ? scaleOf(sLargest) : 0;
    REAL scale = powerOfTwo(-power);
    for (uint place = thread; place < ROWS * COLUMNS; place += GROUP_SIZE)
        sMatrix[place / COLUMNS * WIDTH + place % COLUMNS] *= scale;
    [[dont_unroll]] for (uint j = 0u; j < REFLECTIONS; ++j) {
        barrier();
        addParts(j, j, COLUMNS);
        barrier();
        REAL below = partsOf(j);
        REAL pivot = sMatrix[j * WIDTH + j];
        REAL lift = REAL(1);
        if (below < TINY && pivot * pivot < TINY) { // the squares have lost digits
            lift = powerOfTwo(LIFT);
            barrier();
            for (uint row = j + thread; row < ROWS; row += GROUP_SIZE)
                sMatrix[row * WIDTH + j] *= lift;
            barrier();
            addParts(j, j, COLUMNS);
            barrier();
            below = partsOf(j);
            pivot = sMatrix[j * WIDTH + j];
        }
        Reflection made = reflectionOf(pivot, below);
        for (uint column = j + 1u + thread; column < COLUMNS; column += GROUP_SIZE)
            sWeights[column] =
                made.factor * (sMatrix[j * WIDTH + column] + partsOf(column) * made.inverse);
        if (thread == 0u) {
            sFactor[j] = made.factor;
            sInverse[j] = made.inverse;
        }
        barrier();
        reflectColumns(j, COLUMNS, made.inverse);
        if (thread == 0u)
            sMatrix[j * WIDTH + j] = made.diagonal / lift;
    }
    barrier();
    REAL back = powerOfTwo(power);
    for (uint place = thread; place < R_ROWS * COLUMNS; place += GROUP_SIZE) {
        uint row = place / COLUMNS;
        uint column = place % COLUMNS;
        triangles[firstTriangle + batch * (R_ROWS * COLUMNS) + place] =
            column < row ? REAL(0) : sMatrix[row * WIDTH + column] * back;
    }
#if Q_COLUMNS
    barrier();
    // Columns without a reflection begin as the identity's.
    for (uint place = thread; place < ROWS * Q_COLUMNS; place += GROUP_SIZE) {
        uint row = place / Q_COLUMNS;
        uint column = place % Q_COLUMNS;
        if (column >= REFLECTIONS || row < column)
            sMatrix[row * WIDTH + column] = row == column ? REAL(1) : REAL(0);
    }
    [[dont_unroll]] for (uint last = REFLECTIONS; last > 0u; --last) {
        uint j = last - 1u;
        barrier();
        addParts(j, j + 1u, Q_COLUMNS);
        barrier();
        REAL factor = sFactor[j];
        REAL inverse = sInverse[j];
        for (uint column = j + 1u + thread; column < Q_COLUMNS; column += GROUP_SIZE)
            sWeights[column] = factor * inverse * partsOf(column);
        barrier();
        reflectColumns(j, Q_COLUMNS, inverse);
        barrier();
        for (uint row = j + thread; row < ROWS; row += GROUP_SIZE)
            sMatrix[row * WIDTH + j] =
                row == j ? REAL(1) - factor : -factor * inverse * sMatrix[row * WIDTH + j];
    }
    barrier();
    for (uint place = thread; place < ROWS * Q_COLUMNS; place += GROUP_SIZE)
        bases[firstBasis + batch * (ROWS * Q_COLUMNS) + place] =
            sMatrix[place / Q_COLUMNS * WIDTH + place % Q_COLUMNS];
#endif
}
