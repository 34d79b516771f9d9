// SPDX-License-Identifier: Apache-2.0
//
// Jacobi rotations of a symmetric matrix in shared memory. Macros: SIDE, its even number of rows;
// IS_LARGE(off, first, second): the element `off` between two of the diagonal has to become 0.
//
// Rotations are applied in Rutishauser's form, with the sine and the tangent of half the angle:
// they lose far less orthogonality than with a rounded cosine.

// Vectors that are shorter than TINY, of matrices with elements near 1, count as 0: their squares lack
// full precision.
#ifdef HAS_Double
#define EPSILON 2.220446049250313e-16lf
#define HUGE 1e150lf
#define TINY 1e-150lf
#else
#define EPSILON 1.1920929e-7
#define HUGE 1e15
#define TINY 1e-18
#endif

#ifdef SIDE
#define STRIDE (SIDE + 1u)
#define PAIRS (SIDE / 2u)
shared REAL sMatrix[SIDE * STRIDE];
shared REAL sTurns[SIDE * STRIDE]; // the product of all rotations: its rows become eigenvectors
shared REAL sSine[PAIRS];
shared REAL sHalf[PAIRS];
shared uint sTurned;
#endif

// True if two vectors are not orthogonal, of their product and their squares. Those shorter than
// `least` count as 0.
#define IS_SKEW(off, first, second, least)                                                         \
    ((first) > (least) * (least) && (second) > (least) * (least) &&                                \
     abs(off) > threshold * sqrt(first) * sqrt(second))

// Products of tiles of TILE_SIDE x TILE_SIDE, by work groups of 16 x DOWN invocations, each of which has
// the elements (y + DOWN * i, x + ACROSS * j) in sums[i][j].
#ifdef TILE_SIDE
#define HALF_TILE (TILE_SIDE / 2u)
#define TILE_STRIDE (TILE_SIDE + 1u)
#define ACROSS 16u
#define EACH_SUM                                                                                   \
    UNROLL for (uint i = 0u; i < TILE_SIDE / DOWN; ++i)                                            \
        UNROLL for (uint j = 0u; j < TILE_SIDE / ACROSS; ++j)
#define ADD_PRODUCTS(LEFT, RIGHT)                                                                  \
    [[dont_unroll]] for (uint k = 0u; k < TILE_SIDE; ++k) {                                        \
        REAL down[TILE_SIDE / DOWN];                                                               \
        UNROLL for (uint i = 0u; i < TILE_SIDE / DOWN; ++i)                                        \
            down[i] = LEFT(y + DOWN * i, k);                                                       \
        UNROLL for (uint j = 0u; j < TILE_SIDE / ACROSS; ++j) {                                    \
            REAL across = RIGHT(k, x + ACROSS * j);                                                \
            UNROLL for (uint i = 0u; i < TILE_SIDE / DOWN; ++i)                                    \
                sums[i][j] += down[i] * across;                                                    \
        }                                                                                          \
    }

#endif

// A tournament: in each of count - 1 rounds, all of an even number of players meet in pairs.
uvec2 tournamentPair(uint count, uint round, uint pair) {
    uint last = count - 1u;
    if (pair == 0u)
        return uvec2(round, last);
    uint one = (round + pair) % last;
    uint other = (round + last - pair) % last;
    return uvec2(min(one, other), max(one, other));
}

// The place in the matrix of a row of two blocks of `size` rows that meet.
uint rowOf(uvec2 met, uint size, uint row) {
    return row < size ? met.x * size + row : met.y * size + row - size;
}

// The row and column of an element of a matrix, which is read by columns if TRANSPOSED.
uvec2 rowAndColumn(uint place, uint rows, uint columns) {
#ifdef TRANSPOSED
    return uvec2(place % rows, place / rows);
#else
    return uvec2(place / columns, place % columns);
#endif
}

void turnOf(REAL first, REAL second, REAL off, out REAL sine, out REAL halfTangent) {
    REAL cotangent = (second - first) / (REAL(2) * off);
    REAL size = abs(cotangent);
    REAL tangent =
        size > HUGE ? REAL(0.5) / size : REAL(1) / (size + sqrt(size * size + REAL(1)));
    if (cotangent < REAL(0))
        tangent = -tangent;
    halfTangent = tangent / (REAL(1) + sqrt(REAL(1) + tangent * tangent));
    REAL whole = REAL(1) + halfTangent * halfTangent;
    sine = REAL(2) * halfTangent / whole;
    // Division may be less exact than multiplication.
    sine += fma(-sine, whole, REAL(2) * halfTangent) / whole;
}

void turn(inout REAL x, inout REAL y, REAL sine, REAL halfTangent) {
    REAL before = x;
    x -= sine * (y + halfTangent * x);
    y += sine * (before - halfTangent * y);
}

#ifdef SIDE
// The pairs that are rotated at the same time.
#define ORDER_ALL 0u    // of all rows: SIDE - 1 steps
#define ORDER_HALVES 1u // of each half: SIDE / 2 - 1 steps
#define ORDER_ACROSS 2u // of one half with the other: SIDE / 2 steps
uvec2 partners(uint order, uint step, uint pair) {
    if (order == ORDER_ALL)
        return tournamentPair(SIDE, step, pair);
    if (order == ORDER_ACROSS)
        return uvec2(pair, PAIRS + (pair + step) % PAIRS);
    uint inHalf = PAIRS / 2u;
    return tournamentPair(PAIRS, step, pair % inHalf) + pair / inHalf * PAIRS;
}

// Rotates all pairs of a step. Begins after a barrier and ends with one.
void turnPairs(uint order, uint step, REAL threshold) {
    for (uint k = gl_LocalInvocationIndex; k < PAIRS; k += GROUP_SIZE) {
        uvec2 at = partners(order, step, k);
        REAL off = sMatrix[at.x * STRIDE + at.y];
        REAL first = sMatrix[at.x * STRIDE + at.x];
        REAL second = sMatrix[at.y * STRIDE + at.y];
        REAL sine = REAL(0);
        REAL halfTangent = REAL(0);
        if (IS_LARGE(off, first, second)) {
            turnOf(first, second, off, sine, halfTangent);
            atomicOr(sTurned, 1u);
        }
        sSine[k] = sine;
        sHalf[k] = halfTangent;
    }
    barrier();
    for (uint place = gl_LocalInvocationIndex; place < PAIRS * PAIRS; place += GROUP_SIZE) {
        uint k = place / PAIRS;
        uint l = place % PAIRS;
        REAL rowSine = sSine[k];
        REAL columnSine = sSine[l];
        if (rowSine == REAL(0) && columnSine == REAL(0))
            continue;
        uvec2 rows = partners(order, step, k) * STRIDE;
        uvec2 columns = partners(order, step, l);
        REAL a = sMatrix[rows.x + columns.x];
        REAL b = sMatrix[rows.x + columns.y];
        REAL c = sMatrix[rows.y + columns.x];
        REAL d = sMatrix[rows.y + columns.y];
        turn(a, c, rowSine, sHalf[k]);
        turn(b, d, rowSine, sHalf[k]);
        turn(a, b, columnSine, sHalf[l]);
        turn(c, d, columnSine, sHalf[l]);
        sMatrix[rows.x + columns.x] = a;
        sMatrix[rows.x + columns.y] = k == l ? REAL(0) : b;
        sMatrix[rows.y + columns.x] = k == l ? REAL(0) : c;
        sMatrix[rows.y + columns.y] = d;
    }
#ifdef TURNS
    for (uint place = gl_LocalInvocationIndex; place < PAIRS * SIDE; place += GROUP_SIZE) {
        uint k = place / SIDE;
        REAL sine = sSine[k];
        if (sine == REAL(0))
            continue;
        uvec2 rows = partners(order, step, k) * STRIDE + place % SIDE;
        REAL x = sTurns[rows.x];
        REAL y = sTurns[rows.y];
        turn(x, y, sine, sHalf[k]);
        sTurns[rows.x] = x;
        sTurns[rows.y] = y;
    }
#endif
    barrier();
}
#endif
