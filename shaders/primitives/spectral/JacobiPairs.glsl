// SPDX-License-Identifier: Apache-2.0
//
// Rotations of pairs of blocks of SIDE / 2 rows. Each work group of a round takes the symmetric
// matrix of its pair into shared memory, rotates each row of one block with each of the other (in
// the first round of a sweep, also those within a block), and writes the product of the rotations.
// A sweep has rotated all pairs of rows once when all rounds of the tournament are over.
//
// Macros: GRAM: the matrices are sums of slices of JacobiGram.glsl, else parts of a large symmetric
// matrix, which are written, too; SWEEPS, the most that there are; TOLERANCE, in units of the last
// place; LATE: from this sweep on, more is tolerated.
//
// The state of a matrix: its largest element, whether each sweep rotated anything, and whether each
// pair did in the last round that ran.

layout(binding = 0) buffer Matrices { REAL matrices[]; };
layout(binding = 1) writeonly buffer Turns { REAL turns[]; };
layout(binding = 2) buffer States { uint states[]; };

layout(push_constant) uniform Push {
    uint firstMatrix;
    uint firstTurn;
    uint firstState;
    uint batches;
    uint blocks;
    uint round;
    uint sweep;
    uint slices;
};

void main() {
    uint pairs = blocks / 2u;
    uint number = flatGroup();
    uint batch = number / pairs;
    uint pair = number % pairs;
    if (batch >= batches)
        return;
    uint thread = gl_LocalInvocationIndex;
    uint state = firstState + batch * (1u + SWEEPS + pairs);
    if (sweep > 0u && states[state + sweep] == 0u)
        return; // the sweep before found nothing to do
    uvec2 met = tournamentPair(blocks, round, pair);
    uint rows = blocks * PAIRS;
    if (thread == 0u)
        sTurned = 0u;
    barrier();
    REAL threshold = EPSILON * (sweep < LATE ? REAL(TOLERANCE) : REAL(rows));
    for (uint place = thread; place < SIDE * SIDE; place += GROUP_SIZE) {
        uint row = place / SIDE;
        uint column = place % SIDE;
#ifdef GRAM
        REAL value = REAL(0);
        uint from = firstMatrix + number * slices * (SIDE * SIDE) + place;
        for (uint slice = 0u; slice < slices; ++slice)
            value += matrices[from + slice * (SIDE * SIDE)];
#else
        REAL value = matrices[firstMatrix + batch * rows * rows +
                              rowOf(met, PAIRS, row) * rows + rowOf(met, PAIRS, column)];
#endif
        sMatrix[row * STRIDE + column] = value;
        sTurns[row * STRIDE + column] = row == column ? REAL(1) : REAL(0);
    }
    barrier();
    for (uint place = thread; place < SIDE * SIDE; place += GROUP_SIZE) {
        uint row = place / SIDE;
        uint column = place % SIDE;
        if (row < column && (round == 0u || (row < PAIRS && column >= PAIRS))) {
            REAL off = sMatrix[row * STRIDE + column];
            REAL first = sMatrix[row * STRIDE + row];
            REAL second = sMatrix[column * STRIDE + column];
            if (IS_LARGE(off, first, second))
                atomicOr(sTurned, 1u);
        }
    }
    barrier();
    bool found = sTurned != 0u;
    if (thread == 0u) {
        states[state + 1u + SWEEPS + pair] = found ? 1u : 0u;
        if (found)
            atomicOr(states[state + 1u + sweep], 1u);
    }
    if (!found)
        return;
    if (round == 0u)
        [[dont_unroll]] for (uint step = 0u; step < PAIRS - 1u; ++step)
            turnPairs(ORDER_HALVES, step, threshold);
    [[dont_unroll]] for (uint step = 0u; step < PAIRS; ++step)
        turnPairs(ORDER_ACROSS, step, threshold);
    for (uint place = thread; place < SIDE * SIDE; place += GROUP_SIZE) {
        uint row = place / SIDE;
        uint column = place % SIDE;
#ifndef GRAM
        matrices[firstMatrix + batch * rows * rows + rowOf(met, PAIRS, row) * rows +
                 rowOf(met, PAIRS, column)] = sMatrix[row * STRIDE + column];
#endif
        turns[firstTurn + number * (SIDE * SIDE) + place] = sTurns[row * STRIDE + column];
    }
}
