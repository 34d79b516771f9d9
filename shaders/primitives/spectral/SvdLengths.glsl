// SPDX-License-Identifier: Apache-2.0
//
// The lengths of vectors, a work group each, which then have length 1, or 0 if they had nearly.

layout(binding = 0) buffer Rows { REAL rows[]; };
layout(binding = 1) writeonly buffer Lengths { REAL lengths[]; };

layout(push_constant) uniform Push {
    uint firstRow;
    uint firstLength;
    uint count;
    uint allRows;
    uint width;
    uint batches;
};

shared REAL sSums[GROUP_SIZE];

void main() {
    uint batch = flatGroup() / count;
    uint row = flatGroup() % count;
    if (batch >= batches)
        return;
    uint thread = gl_LocalInvocationIndex;
    uint origin = firstRow + (batch * allRows + row) * width;
    REAL sum = REAL(0);
    for (uint i = thread; i < width; i += GROUP_SIZE)
        sum += rows[origin + i] * rows[origin + i];
    sSums[thread] = sum;
    for (uint half_ = GROUP_SIZE / 2u; half_ > 0u; half_ /= 2u) {
        barrier();
        if (thread < half_)
            sSums[thread] += sSums[thread + half_];
    }
    barrier();
    REAL size = sqrt(sSums[0]);
    size = size > TINY ? size : REAL(0);
    if (thread == 0u)
        lengths[firstLength + batch * count + row] = size;
    for (uint i = thread; i < width; i += GROUP_SIZE)
        rows[origin + i] = size > REAL(0) ? rows[origin + i] / size : REAL(0);
}
