// SPDX-License-Identifier: Apache-2.0
//
// Scans columns of elements that are `stride` apart: each invocation a chunk of neighbouring rows of
// one column. With TOTALS it writes the totals of the chunks; else it folds the totals of earlier
// chunks and scans. CHUNKED: there are totals. BATCH: rows that are read at a time. Later reads would
// wait for the writes before them.

layout(binding = 0) readonly buffer In { IN_STORED elements[]; };
#ifdef TOTALS
layout(binding = 1) writeonly buffer Out { T totals[]; };
#else
layout(binding = 1) writeonly buffer Out { OUT_STORED results[]; };
#ifdef CHUNKED
layout(binding = 2) readonly buffer Totals { T totals[]; };
#endif
#endif

layout(push_constant) uniform Push {
    uint firstIn;
    uint firstOut;
#if defined(CHUNKED) && !defined(TOTALS)
    uint firstTotal;
#endif
    uint lanes;       // columns per work group
    uint slabs;       // independent matrices, one after the other
    uint length;      // rows of each in this dispatch
    uint columns;     // of each in this dispatch
    uint stride;      // elements from row to row
    uint columnStep;  // elements from column to column
    uint chunkLength; // rows
    uint chunks;      // in this dispatch
    uint chunkBase;   // chunks of rows before this dispatch's
    uint allChunks;
};

// Adds the elements of `count` rows to their prefix, and writes the results.
void scanRows(inout T sum, uint at, uint count) {
    T x[BATCH];
    [[unroll]] for (uint i = 0u; i < BATCH; ++i)
        if (i < count)
            x[i] = mapped(IN_LOAD(elements[firstIn + at + i * stride]));
    [[unroll]] for (uint i = 0u; i < BATCH; ++i)
        if (i < count) {
#if !defined(TOTALS) && defined(EXCLUSIVE)
            results[firstOut + at + i * stride] = OUT_STORE(OUT_VALUE(VALUE_OF(sum)));
#endif
            sum = combine(sum, x[i]);
#if !defined(TOTALS) && !defined(EXCLUSIVE)
            results[firstOut + at + i * stride] = OUT_STORE(OUT_VALUE(VALUE_OF(sum)));
#endif
        }
}

void main() {
    uint strips = GROUP_SIZE / lanes;
    uint columnBlocks = (columns + lanes - 1u) / lanes;
    uint chunkBlocks = (chunks + strips - 1u) / strips;
    uint group = flatGroup();
    uint column = group % columnBlocks * lanes + gl_LocalInvocationIndex % lanes;
    uint chunk = group / columnBlocks % chunkBlocks * strips + gl_LocalInvocationIndex / lanes;
    uint slab = group / (columnBlocks * chunkBlocks);
    if (slab >= slabs || chunk >= chunks || column >= columns)
        return;

    uint total = slab * allChunks * columns + column;
    T sum = identity();
#if defined(CHUNKED) && !defined(TOTALS)
    for (uint c = 0u; c < chunkBase + chunk; ++c)
        sum = combine(sum, totals[firstTotal + total + c * columns]);
#endif
    uint at = slab * length * stride + column * columnStep;
    uint row = min(chunk * chunkLength, length); // the last chunks of the last rows may be empty
    uint end = min(row + chunkLength, length);
    for (; row + BATCH <= end; row += BATCH)
        scanRows(sum, at + row * stride, BATCH);
    scanRows(sum, at + row * stride, end - row);
#ifdef TOTALS
    totals[firstOut + total + (chunkBase + chunk) * columns] = sum;
#endif
}
