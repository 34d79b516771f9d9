// SPDX-License-Identifier: Apache-2.0
//
// A sparse matrix times a vector, for rows of very different lengths. A work group takes
// GROUP_SIZE * PER_INVOCATION steps of the merge path, and an invocation PER_INVOCATION of them. What
// a work group has of a row that ends in a later one is its carry: SparseCarries.glsl adds them.

#define TILE (GROUP_SIZE * PER_INVOCATION)
#define HALF (GROUP_SIZE / 2u)

shared uint sEnds[TILE];
shared NUMBER sProducts[TILE];
shared uint sRows[GROUP_SIZE];
shared NUMBER sSums[GROUP_SIZE];
shared uint sLow[2];
shared uint sHigh[2];
shared uint sSpan[2];

// Returns how many ends precede the tile, and how many precede the next. Half of the invocations look
// for each: a round takes one access to memory, and leaves one part of HALF + 1. Fewer accesses at a time
// in more rounds are slower.
uvec2 endsOf(uint thread, uint first, uint steps) {
    uint which = thread / HALF;
    uint probe = thread % HALF;
    uint wanted = min(first + which * TILE, steps);
    uint low = leastEnds(wanted);
    uint high = mostEnds(wanted);
    // More rounds than any search takes: offsets that do not ascend could loop forever.
    for (uint round_ = 0u; round_ < 32u; ++round_) {
        uint span = high > low ? high - low : 0u;
        uint part = span / (HALF + 1u) + 1u;
        uint end = low + (probe + 1u) * part - 1u;
        bool isBefore = end < high && isAmong(end, wanted);
        if (probe == 0u)
            sSpan[which] = span;
        sRows[thread] = isBefore ? 1u : 0u;
        barrier();
        if (sSpan[0] == 0u && sSpan[1] == 0u)
            break;
        if (!isBefore && (probe == 0u || sRows[thread - 1u] != 0u)) {
            sLow[which] = end - part + 1u;
            sHigh[which] = min(high, end);
        } else if (isBefore && probe == HALF - 1u) {
            sLow[which] = end + 1u;
            sHigh[which] = high;
        }
        barrier();
        low = sLow[which];
        high = sHigh[which];
    }
    barrier();
    if (probe == 0u)
        sLow[which] = low;
    barrier();
    return uvec2(sLow[0], sLow[1]);
}

// Adds what earlier invocations have of the same row. Rows ascend. Returns the sum up to this invocation,
// and in `before` that up to the one before, which is of the row that this one begins in.
#ifdef SUBGROUPS
NUMBER summed(uint thread, uint row, NUMBER sum, out NUMBER before) {
    uint lane = gl_SubgroupInvocationID;
    for (uint distance = 1u; distance < gl_SubgroupSize; distance *= 2u) {
        uint from = lane >= distance ? lane - distance : lane;
        uint otherRow = lanesValue(row, from);
        NUMBER other = ofLane(sum, from);
        if (from != lane && otherRow == row)
            sum += other;
    }
    if (lane == gl_SubgroupSize - 1u) {
        sRows[gl_SubgroupID] = row;
        sSums[gl_SubgroupID] = sum;
    }
    barrier();
    NUMBER carry = NUMBER(0);
    for (uint i = 0u; i < gl_SubgroupID; ++i) {
        bool goesOn = i > 0u && sRows[i - 1u] == sRows[i];
        carry = goesOn ? carry + sSums[i] : sSums[i];
    }
    if (gl_SubgroupID > 0u && sRows[gl_SubgroupID - 1u] == row)
        sum += carry;
    before = ofLane(sum, lane > 0u ? lane - 1u : 0u);
    if (lane == 0u)
        before = carry;
    return sum;
}
#else
NUMBER summed(uint thread, uint row, NUMBER sum, out NUMBER before) {
    sRows[thread] = row;
    sSums[thread] = sum;
    barrier();
    for (uint distance = 1u; distance < GROUP_SIZE; distance *= 2u) {
        bool same = thread >= distance && sRows[thread - distance] == row;
        NUMBER other = same ? sSums[thread - distance] : NUMBER(0);
        barrier();
        sum += other;
        sSums[thread] = sum;
        barrier();
    }
    before = thread > 0u ? sSums[thread - 1u] : NUMBER(0);
    return sum;
}
#endif

void main() {
    uint thread = threadIndex();
    uint tile = flatGroup();
    if (tile >= tiles)
        return;
    uint steps = rows + nonzeros;
    uint first = tile * TILE;
    uvec2 path = endsOf(thread, first, steps);
    // Offsets that do not ascend must not lead out of shared memory.
    uint row = path.x;
    uint element = first - row;
    uint ends = clamp(path.y, row, row + TILE) - row;
    uint last = min(first + TILE, steps) - path.y;
    uint elements = clamp(last, element, element + TILE) - element;
    uint indexOf[PER_INVOCATION];
    [[unroll]] for (uint n = 0u; n < PER_INVOCATION; ++n) {
        uint i = thread + n * GROUP_SIZE;
        indexOf[n] = i < elements ? indexAt(element + i) : 0xffffffffu;
    }
    for (uint i = thread; i < ends; i += GROUP_SIZE) {
        uint end = offsetAt(row + i + 1u);
        sEnds[i] = clamp(end, element, element + elements) - element;
    }
    [[unroll]] for (uint n = 0u; n < PER_INVOCATION; ++n)
        sProducts[thread + n * GROUP_SIZE] =
            productAt(element + thread + n * GROUP_SIZE, indexOf[n]);
    barrier();

    uint begin = min(thread * PER_INVOCATION, ends + elements);
    uint low = begin > elements ? begin - elements : 0u;
    uint high = min(begin, ends);
    while (low < high) {
        uint middle = (low + high) / 2u;
        if (sEnds[middle] <= begin - middle - 1u)
            low = middle + 1u;
        else
            high = middle;
    }
    uint end = low;
    uint at = begin - low;
    uint firstEnd = end;
    NUMBER sum = NUMBER(0);
    NUMBER firstSum = NUMBER(0);
    [[unroll]] for (uint n = 0u; n < PER_INVOCATION; ++n) {
        if (begin + n >= ends + elements)
            continue;
        if (end < ends && (at >= elements || sEnds[end] <= at)) {
            if (end == firstEnd)
                firstSum = sum;
            else
                y[firstY + row + end] = sum;
            sum = NUMBER(0);
            ++end;
        } else if (at < elements) {
            sum += sProducts[at];
            ++at;
        }
    }

    NUMBER before;
    sum = summed(thread, end, sum, before);
    if (end > firstEnd)
        y[firstY + row + firstEnd] = firstSum + before;
    if (thread == GROUP_SIZE - 1u) {
        carryRows[firstCarryRow + tile] = row + ends;
        carries[firstCarry + tile] = sum;
    }
}
