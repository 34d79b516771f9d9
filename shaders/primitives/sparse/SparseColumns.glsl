// SPDX-License-Identifier: Apache-2.0
//
// A sparse matrix times a matrix in C order. A tile is TILE steps of the merge path. LANES invocations
// take a tile, each for some columns, at a distance of LANES: they read the same elements of the sparse
// matrix, and neighbouring ones of X. A tile's part of a row that ends in a later one is its carry.

// Returns how many ends are among the first steps.
uint endsBefore(uint steps) {
    uint low = leastEnds(steps);
    uint high = mostEnds(steps);
    while (low < high) {
        uint middle = (low + high) / 2u;
        if (isAmong(middle, steps))
            low = middle + 1u;
        else
            high = middle;
    }
    return low;
}

void main() {
    uint thread = gl_LocalInvocationIndex;
    uint tile = flatGroup() * (GROUP_SIZE / LANES) + thread / LANES;
    if (tile >= tiles)
        return;
    uint steps = rows + nonzeros;
    uint first = tile * TILE;
    uint row = endsBefore(first);
    uint element = first - row;
    uint count = min(TILE, steps - first);
    for (uint begin = thread % LANES; begin < width; begin += LANES * PER_INVOCATION) {
        uint r = row;
        uint at = element;
        uint end = r < rows ? offsetAt(r + 1u) : nonzeros;
        NUMBER sums[PER_INVOCATION];
        [[unroll]] for (uint n = 0u; n < PER_INVOCATION; ++n)
            sums[n] = NUMBER(0);
        for (uint step = 0u; step < count; ++step) {
            if (r < rows && (end <= at || at >= nonzeros)) {
                [[unroll]] for (uint n = 0u; n < PER_INVOCATION; ++n) {
                    uint column = begin + n * LANES;
                    if (column < width)
                        y[firstY + r * width + column] = sums[n];
                    sums[n] = NUMBER(0);
                }
                ++r;
                end = r < rows ? offsetAt(r + 1u) : nonzeros;
            } else if (at < nonzeros) {
                uint index = indexAt(at);
                if (index < columns) {
                    NUMBER value = values[firstValue + at];
                    [[unroll]] for (uint n = 0u; n < PER_INVOCATION; ++n) {
                        uint column = min(begin + n * LANES, width - 1u);
                        sums[n] += times(value, x[firstX + index * width + column]);
                    }
                }
                ++at;
            }
        }
        if (begin == 0u)
            carryRows[firstCarryRow + tile] = r;
        [[unroll]] for (uint n = 0u; n < PER_INVOCATION; ++n) {
            uint column = begin + n * LANES;
            if (column < width)
                carries[firstCarry + tile * width + column] = sums[n];
        }
    }
}
