// SPDX-License-Identifier: Apache-2.0
//
// Householder reflections 1 - factor v v^T with v = (1, inverse * rest), as LAPACK's: the diagonal
// of R has the opposite sign of the original, and a column that is 0 below it is not reflected. Nor
// is one whose squares are below the normal numbers: its elements are far below the rounding errors
// of the matrix.

#ifdef HAS_Double
#define NO_SQUARE REAL(1e-300)
#else
#define NO_SQUARE REAL(1e-36)
#endif

struct Reflection {
    REAL factor;
    REAL inverse;
    REAL diagonal;
};

// @param below  the sum of the squares below the pivot
Reflection reflectionOf(REAL pivot, REAL below) {
    Reflection made = Reflection(REAL(0), REAL(0), pivot);
    REAL square = pivot * pivot + below;
    if (below == REAL(0) || square < NO_SQUARE)
        return made;
    REAL norm = sqrt(square);
    made.diagonal = pivot < REAL(0) ? norm : -norm;
    made.factor = (made.diagonal - pivot) / made.diagonal;
    made.inverse = REAL(1) / (pivot - made.diagonal);
    return made;
}
