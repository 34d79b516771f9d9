// SPDX-License-Identifier: Apache-2.0
//
// Multiplies the matrix A with the vector B, whose elements are strideB apart. C is a column, or
// with ROW_RESULT a row.
//
// If A is stored along `inner`, `lanes` invocations share a row. Else each takes four columns of the
// stored matrix, and the work group has GROUP_SIZE / 32 of them for the same columns.

#ifdef ROW_RESULT
#define OUTER columns
#else
#define OUTER rows
#endif

layout(binding = B_BINDING) readonly buffer Vector { B_STORED vector[]; };

void writeOuter(ACC sum, uint slice, uint outer, uint batch) {
#ifdef ROW_RESULT
    writeSum(sum, slice, 0u, outer, batch);
#else
    writeSum(sum, slice, outer, 0u, batch);
#endif
}

#ifdef A_ALONG_INNER
shared ACC sSums[GROUP_SIZE];
#else
shared FOUR sSums[GROUP_SIZE];
#endif

void main() {
    uint thread = gl_LocalInvocationIndex;
#ifdef A_ALONG_INNER
    uint perGroup = GROUP_SIZE / lanes;
#else
    uint perGroup = 128u;
#endif
    uint blocks = (OUTER + perGroup - 1u) / perGroup;
    uint group = flatGroup();
    uint slice = group / blocks % slices;
    uint batch = group / blocks / slices;
    if (batch >= batches)
        return;
    uint kBegin = slice * sliceLength;
    uint kEnd = min(inner, kBegin + sliceLength);
    uint originA = firstA + batch * batchStrideA;
    uint originB = firstB + batch * batchStrideB;
    uint outer = group % blocks * perGroup;
#ifdef A_ALONG_INNER
    outer += thread / lanes;
    uint lane = thread % lanes;
    ACC sum = ACC(0);
    if (outer < OUTER)
        for (uint k = kBegin + 4u * lane; k < kEnd; k += 4u * lanes) {
            FOUR a = fourA(originA + outer * strideA + k, kEnd - k);
            [[unroll]] for (uint i = 0u; i < 4u; ++i)
                if (k + i < kEnd)
                    sum += a[i] * ACC(B_LOAD(vector[originB + (k + i) * strideB]));
        }
    sSums[thread] = sum;
    for (uint m = lanes / 2u; m > 0u; m /= 2u) {
        barrier();
        if (lane < m) {
            sum += sSums[thread + m];
            sSums[thread] = sum;
        }
    }
    if (lane == 0u && outer < OUTER)
        writeOuter(sum, firstSlice + slice, outer, batch);
#else
    outer += 4u * (thread % 32u);
    FOUR sum = FOUR(0);
    if (outer < OUTER)
        for (uint k = kBegin + thread / 32u; k < kEnd; k += GROUP_SIZE / 32u)
            sum += fourA(originA + k * strideA + outer, OUTER - outer) *
                   ACC(B_LOAD(vector[originB + k * strideB]));
    sSums[thread] = sum;
    barrier();
    if (thread < 32u) {
        for (uint i = 1u; i < GROUP_SIZE / 32u; ++i)
            sum += sSums[thread + 32u * i];
        [[unroll]] for (uint i = 0u; i < 4u; ++i)
            if (outer + i < OUTER)
                writeOuter(sum[i], firstSlice + slice, outer + i, batch);
    }
#endif
}
