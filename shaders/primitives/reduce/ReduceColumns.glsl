// SPDX-License-Identifier: Apache-2.0
//
// Reduces columns of elements that are `stride` apart. A work group covers `lanes` neighbouring
// columns; its other invocations take every so many rows of them. Each has 4 x FOURS rows in flight.

#ifdef FINAL
layout(binding = OUT_BINDING) writeonly buffer Out { OUT_STORED results[]; };
#else
layout(binding = OUT_BINDING) writeonly buffer Out { T results[]; };
#endif

layout(push_constant) uniform Push {
    uint firstIn;
#ifdef SEGMENTED
    uint firstOffset;
#endif
    uint firstOut;
    uint lanes;       // columns per work group
    uint slabs;       // independent matrices, one after the other
    uint length;      // rows of each
    uint columns;     // of each, in this dispatch
    uint stride;      // elements from row to row
    uint chunks;      // work groups per column
    uint chunkLength; // rows per work group
    uint baseLow;     // index of the first row along the axis
    uint baseHigh;
    uint countLow; // rows of a whole column; elements of the whole input if SEGMENTED
    uint countHigh;
};

// The combination of four rows of a column.
T fourRows(uint begin, uint row, uint strips, uvec2 base) {
    T a = element(begin + row * stride, plus(base, row));
    T b = element(begin + (row + strips) * stride, plus(base, row + strips));
    T c = element(begin + (row + 2u * strips) * stride, plus(base, row + 2u * strips));
    T d = element(begin + (row + 3u * strips) * stride, plus(base, row + 3u * strips));
    return combine(combine(a, b), combine(c, d));
}

void main() {
    uint thread = gl_LocalInvocationIndex;
    uint columnBlocks = (columns + lanes - 1u) / lanes;
    uint group = flatGroup();
    uint slab = group / (columnBlocks * chunks);
    uint chunk = group / columnBlocks % chunks;
    uint column = group % columnBlocks * lanes + thread % lanes;
    uint strips = GROUP_SIZE / lanes;
    bool isInside = slab < slabs && column < columns;

    T sum = identity();
    if (isInside) {
        uint begin = firstIn + slab * length * stride + column;
        uvec2 base = uvec2(baseLow, baseHigh);
        uint end = min((chunk + 1u) * chunkLength, length);
        uint row = chunk * chunkLength + thread / lanes;
        for (; row + (4u * FOURS - 1u) * strips < end; row += 4u * FOURS * strips)
            [[unroll]] for (uint four = 0u; four < FOURS; ++four)
                sum = combine(sum, fourRows(begin, row + 4u * four * strips, strips, base));
        for (; row + 3u * strips < end; row += 4u * strips)
            sum = combine(sum, fourRows(begin, row, strips, base));
        for (; row < end; row += strips)
            sum = combine(sum, element(begin + row * stride, plus(base, row)));
    }
    sPartials[thread] = sum;
    for (uint m = strips / 2u; m > 0u; m /= 2u) {
        barrier();
        if (thread < m * lanes) {
            sum = combine(sum, sPartials[thread + m * lanes]);
            sPartials[thread] = sum;
        }
    }
    if (isInside && thread < lanes) {
#ifdef FINAL
        uvec2 count = uvec2(countLow, countHigh);
#ifdef SEGMENTED
        uint at = firstOffset + column;
        count = minus(offsetAt(at + 1u, count), offsetAt(at, count));
#endif
        results[firstOut + slab * columns + column] = finished(sum, count);
#else
        results[firstOut + (slab * chunks + chunk) * columns + column] = sum;
#endif
    }
}
