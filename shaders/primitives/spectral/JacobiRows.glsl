// SPDX-License-Identifier: Apache-2.0
//
// Applies the rotations of JacobiPairs.glsl. Macros: TILE_SIDE, DOWN: the work groups are 16 x DOWN
// invocations; BOTH: to the rows and columns of a symmetric matrix, else to rows alone, TILE_SIDE
// columns of a pair of blocks per work group.

layout(binding = 0) buffer Matrices { REAL matrices[]; };
layout(binding = 1) readonly buffer Turns { REAL turns[]; };
layout(binding = 2) readonly buffer States { uint states[]; };

layout(push_constant) uniform Push {
    uint firstMatrix;
    uint firstTurn;
    uint firstState;
    uint batches;
    uint blocks;
    uint round;
    uint width; // elements of a row
    uint parts; // of a pair of blocks: work groups
};

shared REAL sTile[TILE_SIDE * TILE_STRIDE];
shared REAL sFactor[TILE_SIDE * TILE_STRIDE];

#define TILE(row, column) sTile[(row) * TILE_STRIDE + (column)]
#define FACTOR(row, column) sFactor[(row) * TILE_STRIDE + (column)]
#define TURNED(row, column) FACTOR(column, row)

void loadTurns(uint number) {
    for (uint place = gl_LocalInvocationIndex; place < TILE_SIDE * TILE_SIDE; place += GROUP_SIZE)
        sFactor[place / TILE_SIDE * TILE_STRIDE + place % TILE_SIDE] =
            turns[firstTurn + number * (TILE_SIDE * TILE_SIDE) + place];
}

void main() {
    uint pairs = blocks / 2u;
    uint number = flatGroup();
    uint part = number % parts;
    uint pair = number / parts % pairs;
    uint batch = number / parts / pairs;
    if (batch >= batches)
        return;
    uint flags = firstState + batch * (1u + SWEEPS + pairs) + 1u + SWEEPS;
    bool turned = states[flags + pair] != 0u;
#ifdef BOTH
    if (part <= pair) // those on the diagonal are done
        return;
    bool turnedColumns = states[flags + part] != 0u;
    if (!turned && !turnedColumns)
        return;
    uvec2 metColumns = tournamentPair(blocks, round, part);
#else
    if (!turned)
        return;
#endif
    uvec2 met = tournamentPair(blocks, round, pair);
    uint origin = firstMatrix + batch * (blocks * HALF_TILE) * width;
    for (uint place = gl_LocalInvocationIndex; place < TILE_SIDE * TILE_SIDE; place += GROUP_SIZE) {
        uint row = place / TILE_SIDE;
        uint column = place % TILE_SIDE;
#ifdef BOTH
        uint from = rowOf(metColumns, HALF_TILE, column);
#else
        uint from = part * TILE_SIDE + column;
#endif
        sTile[row * TILE_STRIDE + column] =
            from < width ? matrices[origin + rowOf(met, HALF_TILE, row) * width + from] : REAL(0);
    }
    uint x = gl_LocalInvocationIndex % ACROSS;
    uint y = gl_LocalInvocationIndex / ACROSS;
    REAL sums[TILE_SIDE / DOWN][TILE_SIDE / ACROSS];
    if (turned) {
        loadTurns(batch * pairs + pair);
        barrier();
        EACH_SUM sums[i][j] = REAL(0);
        ADD_PRODUCTS(FACTOR, TILE)
        barrier();
        EACH_SUM TILE(y + DOWN * i, x + ACROSS * j) = sums[i][j];
    }
#ifdef BOTH
    if (turnedColumns) {
        loadTurns(batch * pairs + part);
        barrier();
        EACH_SUM sums[i][j] = REAL(0);
        ADD_PRODUCTS(TILE, TURNED)
        barrier();
        EACH_SUM TILE(y + DOWN * i, x + ACROSS * j) = sums[i][j];
    }
#endif
    barrier();
    for (uint place = gl_LocalInvocationIndex; place < TILE_SIDE * TILE_SIDE; place += GROUP_SIZE) {
        uint row = place / TILE_SIDE;
        uint column = place % TILE_SIDE;
#ifdef BOTH
        matrices[origin + rowOf(met, HALF_TILE, row) * width + rowOf(metColumns, HALF_TILE, column)] =
            sTile[row * TILE_STRIDE + column];
        // The tile on the other side of the diagonal.
        matrices[origin + rowOf(metColumns, HALF_TILE, row) * width + rowOf(met, HALF_TILE, column)] =
            sTile[column * TILE_STRIDE + row];
#else
        uint to = part * TILE_SIDE + column;
        if (to < width)
            matrices[origin + rowOf(met, HALF_TILE, row) * width + to] = sTile[row * TILE_STRIDE + column];
#endif
    }
}
