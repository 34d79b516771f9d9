// SPDX-License-Identifier: Apache-2.0
//
// A sparse matrix times a vector. LANES neighbouring invocations share a row. With SUBGROUPS, they
// are lanes of one subgroup. Macros: LANES; SHARED_ROWS, if they are more than 1.

#if defined(SHARED_ROWS) && !defined(SUBGROUPS)
shared NUMBER sSums[GROUP_SIZE];
#endif

void main() {
    uint thread = threadIndex();
    uint row = flatGroup() * (GROUP_SIZE / LANES) + thread / LANES;
    uint lane = thread % LANES;
    NUMBER sum = NUMBER(0);
    if (row < rows) {
        uint end = offsetAt(row + 1u);
        for (uint i = offsetAt(row) + lane; i < end; i += LANES)
            sum += productAt(i, indexAt(i));
    }
#ifdef SHARED_ROWS
#ifdef SUBGROUPS
    [[unroll]] for (uint m = LANES / 2u; m > 0u; m /= 2u)
        sum += ofLane(sum, gl_SubgroupInvocationID ^ m);
#else
    sSums[thread] = sum;
    for (uint m = LANES / 2u; m > 0u; m /= 2u) {
        barrier();
        if (lane < m) {
            sum += sSums[thread + m];
            sSums[thread] = sum;
        }
    }
#endif
#endif
    if (lane == 0u && row < rows)
        y[firstY + row] = sum;
}
