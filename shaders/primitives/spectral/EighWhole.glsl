// SPDX-License-Identifier: Apache-2.0
//
// Eigenvalues and eigenvectors of small symmetric matrices, one per work group, by Jacobi rotations
// in shared memory. Macros: COUNT rows, at most SIDE; SWEEPS and LATE as JacobiPairs.glsl; UPPER:
// the upper triangle is read; TURNS: with eigenvectors.

layout(binding = 0) readonly buffer Given { REAL given[]; };
layout(binding = 1) writeonly buffer Values { REAL values[]; };
#ifdef TURNS
layout(binding = 2) writeonly buffer Vectors { REAL vectors[]; };
#endif

layout(push_constant) uniform Push {
    uint firstGiven;
    uint firstValue;
#ifdef TURNS
    uint firstVector;
#endif
    uint batches;
};

shared uint sLargest;
shared uint sOrder[SIDE];

void main() {
    uint batch = flatGroup();
    if (batch >= batches)
        return;
    uint thread = gl_LocalInvocationIndex;
    uint origin = firstGiven + batch * (COUNT * COUNT);
    if (thread == 0u)
        sLargest = 0u;
    barrier();
    uint largest = 0u;
    for (uint place = thread; place < SIDE * SIDE; place += GROUP_SIZE) {
        uint row = place / SIDE;
        uint column = place % SIDE;
        uint low = min(row, column);
        uint high = max(row, column);
        REAL value = REAL(0);
        if (high < COUNT) {
#ifdef UPPER
            value = given[origin + low * COUNT + high];
#else
            value = given[origin + high * COUNT + low];
#endif
            largest = max(largest, highWord(value));
        }
        sMatrix[row * STRIDE + column] = value;
#ifdef TURNS
        sTurns[row * STRIDE + column] = row == column ? REAL(1) : REAL(0);
#endif
    }
    atomicMax(sLargest, largest);
    barrier();
    largest = sLargest;
    bool valid = isFinite(largest);
    int power = scaleOf(largest);
    REAL scale = powerOfTwo(-power);
    for (uint place = thread; place < SIDE * SIDE; place += GROUP_SIZE) {
        uint at = place / SIDE * STRIDE + place % SIDE;
        sMatrix[at] = valid ? sMatrix[at] * scale : REAL(0);
    }
    uint sweep = 0u;
    bool turned = true;
    [[dont_unroll]] for (; sweep < SWEEPS && turned; ++sweep) {
        barrier();
        if (thread == 0u)
            sTurned = 0u;
        barrier();
        REAL threshold = sweep < LATE ? EPSILON : EPSILON * REAL(SIDE);
        [[dont_unroll]] for (uint step = 0u; step < SIDE - 1u; ++step)
            turnPairs(ORDER_ALL, step, threshold);
        turned = sTurned != 0u;
    }
    valid = valid && !turned;
    REAL back = powerOfTwo(power);
    for (uint i = thread; i < COUNT; i += GROUP_SIZE) {
        REAL own = sMatrix[i * STRIDE + i];
        uint rank = 0u;
        for (uint j = 0u; j < COUNT; ++j) {
            REAL other = sMatrix[j * STRIDE + j];
            if (other < own || (other == own && j < i))
                ++rank;
        }
        sOrder[rank] = i;
        values[firstValue + batch * COUNT + rank] = valid ? own * back : notANumber();
    }
#ifdef TURNS
    barrier();
    for (uint place = thread; place < COUNT * COUNT; place += GROUP_SIZE) {
        REAL value = sTurns[sOrder[place % COUNT] * STRIDE + place / COUNT];
        vectors[firstVector + batch * (COUNT * COUNT) + place] = valid ? value : notANumber();
    }
#endif
}
