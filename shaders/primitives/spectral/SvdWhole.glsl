// SPDX-License-Identifier: Apache-2.0
//
// Singular values and vectors of small matrices, one per work group, by Jacobi rotations of COUNT
// vectors of LENGTH elements in shared memory: the rows, or with TRANSPOSED the columns. Rotated
// until they are orthogonal, they have the singular values for lengths (Hestenes).
//
// Macros: EVEN: COUNT, rounded up; ALL: vectors of LENGTH elements that are written, at least COUNT;
// LANES: invocations per pair; SWEEPS, LATE and TOLERANCE: of the rotations; VECTORS.

layout(binding = 0) readonly buffer Given { REAL given[]; };
layout(binding = 1) writeonly buffer Values { REAL values[]; };
#ifdef VECTORS
layout(binding = 2) writeonly buffer Left { REAL left[]; };
layout(binding = 3) writeonly buffer Right { REAL right[]; };
#endif

layout(push_constant) uniform Push {
    uint firstGiven;
    uint firstValue;
#ifdef VECTORS
    uint firstLeft;
    uint firstRight;
#endif
    uint batches;
};

#define ROW_WIDTH (LENGTH | 1u)
#define TURN_WIDTH (EVEN | 1u)
#define PLACES max(EVEN, ALL)
shared REAL sRows[PLACES * ROW_WIDTH];
shared REAL sParts[3u * GROUP_SIZE];
shared REAL sValues[PLACES];
shared uint sOrder[PLACES];
shared uint sLargest;
shared uint sTurned;
#ifdef VECTORS
shared REAL sTurns[EVEN * TURN_WIDTH];
shared REAL sWeights[PLACES];
#endif

void turnVectors(uint step, REAL threshold) {
    uint thread = gl_LocalInvocationIndex;
    uint pair = thread / LANES;
    uint lane = thread % LANES;
    bool plays = pair < EVEN / 2u;
    uvec2 at = plays ? tournamentPair(EVEN, step, pair) : uvec2(0u);
    REAL xx = REAL(0);
    REAL yy = REAL(0);
    REAL xy = REAL(0);
    if (plays)
        for (uint i = lane; i < LENGTH; i += LANES) {
            REAL x = sRows[at.x * ROW_WIDTH + i];
            REAL y = sRows[at.y * ROW_WIDTH + i];
            xx += x * x;
            yy += y * y;
            xy += x * y;
        }
    sParts[thread] = xx;
    sParts[GROUP_SIZE + thread] = yy;
    sParts[2u * GROUP_SIZE + thread] = xy;
    barrier();
    if (plays) {
        xx = yy = xy = REAL(0);
        for (uint i = 0u; i < LANES; ++i) {
            uint part = pair * LANES + i;
            xx += sParts[part];
            yy += sParts[GROUP_SIZE + part];
            xy += sParts[2u * GROUP_SIZE + part];
        }
        if (IS_SKEW(xy, xx, yy, TINY)) {
            REAL sine;
            REAL halfTangent;
            turnOf(xx, yy, xy, sine, halfTangent);
            for (uint i = lane; i < LENGTH; i += LANES) {
                REAL x = sRows[at.x * ROW_WIDTH + i];
                REAL y = sRows[at.y * ROW_WIDTH + i];
                turn(x, y, sine, halfTangent);
                sRows[at.x * ROW_WIDTH + i] = x;
                sRows[at.y * ROW_WIDTH + i] = y;
            }
#ifdef VECTORS
            for (uint i = lane; i < EVEN; i += LANES) {
                REAL x = sTurns[at.x * TURN_WIDTH + i];
                REAL y = sTurns[at.y * TURN_WIDTH + i];
                turn(x, y, sine, halfTangent);
                sTurns[at.x * TURN_WIDTH + i] = x;
                sTurns[at.y * TURN_WIDTH + i] = y;
            }
#endif
            atomicOr(sTurned, 1u);
        }
    }
    barrier();
}

#ifdef VECTORS
// Sets vector `made` to a unit vector that is orthogonal to the others, except for those that are 0.
void completeVector(uint made) {
    uint thread = gl_LocalInvocationIndex;
    // The unit vector that has the smallest part among the others.
    for (uint i = thread; i < LENGTH; i += GROUP_SIZE) {
        REAL part = REAL(0);
        for (uint row = 0u; row < ALL; ++row)
            if (row != made)
                part += sRows[row * ROW_WIDTH + i] * sRows[row * ROW_WIDTH + i];
        sRows[made * ROW_WIDTH + i] = part;
    }
    barrier();
    uint chosen = 0u;
    for (uint i = 1u; i < LENGTH; ++i)
        if (sRows[made * ROW_WIDTH + i] < sRows[made * ROW_WIDTH + chosen])
            chosen = i;
    barrier();
    for (uint i = thread; i < LENGTH; i += GROUP_SIZE)
        sRows[made * ROW_WIDTH + i] = i == chosen ? REAL(1) : REAL(0);
    [[dont_unroll]] for (uint pass = 0u; pass < 3u; ++pass) {
        barrier();
        for (uint row = thread; row < ALL; row += GROUP_SIZE) {
            REAL weight = REAL(0);
            if (row != made)
                for (uint i = 0u; i < LENGTH; ++i)
                    weight += sRows[row * ROW_WIDTH + i] * sRows[made * ROW_WIDTH + i];
            sWeights[row] = weight;
        }
        barrier();
        for (uint i = thread; i < LENGTH; i += GROUP_SIZE) {
            REAL rest = sRows[made * ROW_WIDTH + i];
            for (uint row = 0u; row < ALL; ++row)
                if (row != made)
                    rest -= sWeights[row] * sRows[row * ROW_WIDTH + i];
            sRows[made * ROW_WIDTH + i] = rest;
        }
        barrier();
        REAL squares = REAL(0);
        for (uint i = 0u; i < LENGTH; ++i)
            squares += sRows[made * ROW_WIDTH + i] * sRows[made * ROW_WIDTH + i];
        barrier();
        REAL size = sqrt(squares);
        for (uint i = thread; i < LENGTH; i += GROUP_SIZE)
            sRows[made * ROW_WIDTH + i] /= size;
    }
    barrier();
}
#endif

void main() {
    uint batch = flatGroup();
    if (batch >= batches)
        return;
    uint thread = gl_LocalInvocationIndex;
    if (thread == 0u)
        sLargest = 0u;
    barrier();
    uint largest = 0u;
    for (uint place = thread; place < PLACES * LENGTH; place += GROUP_SIZE) {
#ifdef TRANSPOSED
        uint row = place % PLACES;
        uint i = place / PLACES;
        uint from = i * COUNT + row;
#else
        uint row = place / LENGTH;
        uint i = place % LENGTH;
        uint from = row * LENGTH + i;
#endif
        REAL value = REAL(0);
        if (row < COUNT)
            value = given[firstGiven + batch * (COUNT * LENGTH) + from];
        largest = max(largest, highWord(value));
        sRows[row * ROW_WIDTH + i] = value;
    }
#ifdef VECTORS
    for (uint place = thread; place < EVEN * EVEN; place += GROUP_SIZE)
        sTurns[place / EVEN * TURN_WIDTH + place % EVEN] =
            place / EVEN == place % EVEN ? REAL(1) : REAL(0);
#endif
    atomicMax(sLargest, largest);
    barrier();
    largest = sLargest;
    bool valid = isFinite(largest);
    int power = scaleOf(largest);
    REAL scale = powerOfTwo(-power);
    for (uint place = thread; place < PLACES * LENGTH; place += GROUP_SIZE) {
        uint at = place / LENGTH * ROW_WIDTH + place % LENGTH;
        sRows[at] = valid ? sRows[at] * scale : REAL(0);
    }
    bool turned = true;
    [[dont_unroll]] for (uint sweep = 0u; sweep < SWEEPS && turned; ++sweep) {
        barrier();
        if (thread == 0u)
            sTurned = 0u;
        barrier();
        REAL threshold = EPSILON * (sweep < LATE ? REAL(TOLERANCE) : REAL(LENGTH));
        [[dont_unroll]] for (uint step = 0u; step < EVEN - 1u; ++step)
            turnVectors(step, threshold);
        turned = sTurned != 0u;
    }
    valid = valid && !turned;
    barrier();
    for (uint row = thread; row < PLACES; row += GROUP_SIZE) {
        REAL squares = REAL(0);
        for (uint i = 0u; i < LENGTH; ++i)
            squares += sRows[row * ROW_WIDTH + i] * sRows[row * ROW_WIDTH + i];
        REAL size = sqrt(squares);
        size = size > TINY ? size : REAL(0);
        sValues[row] = size;
        sOrder[row] = row;
#ifdef VECTORS
        for (uint i = 0u; i < LENGTH; ++i)
            sRows[row * ROW_WIDTH + i] =
                size > REAL(0) ? sRows[row * ROW_WIDTH + i] / size : REAL(0);
#endif
    }
    barrier();
    REAL back = powerOfTwo(power);
    for (uint i = thread; i < COUNT; i += GROUP_SIZE) {
        REAL own = sValues[i];
        uint rank = 0u;
        for (uint j = 0u; j < COUNT; ++j) {
            REAL other = sValues[j];
            if (other > own || (other == own && j < i))
                ++rank;
        }
        sOrder[rank] = i;
        values[firstValue + batch * COUNT + rank] = valid ? own * back : notANumber();
    }
#ifdef VECTORS
    barrier();
    [[dont_unroll]] for (uint row = 0u; row < ALL; ++row)
        if (row >= COUNT || !(sValues[row] > REAL(0)))
            completeVector(row);
    for (uint place = thread; place < ALL * LENGTH; place += GROUP_SIZE) {
#ifdef TRANSPOSED
        REAL value = sRows[sOrder[place % ALL] * ROW_WIDTH + place / ALL];
        left[firstLeft + batch * (ALL * LENGTH) + place] = valid ? value : notANumber();
#else
        REAL value = sRows[sOrder[place / LENGTH] * ROW_WIDTH + place % LENGTH];
        right[firstRight + batch * (ALL * LENGTH) + place] = valid ? value : notANumber();
#endif
    }
    for (uint place = thread; place < COUNT * COUNT; place += GROUP_SIZE) {
#ifdef TRANSPOSED
        REAL value = sTurns[sOrder[place / COUNT] * TURN_WIDTH + place % COUNT];
        right[firstRight + batch * (COUNT * COUNT) + place] = valid ? value : notANumber();
#else
        REAL value = sTurns[sOrder[place % COUNT] * TURN_WIDTH + place / COUNT];
        left[firstLeft + batch * (COUNT * COUNT) + place] = valid ? value : notANumber();
#endif
    }
#endif
}
