// SPDX-License-Identifier: Apache-2.0
//
// The triangular factors T of products of reflections, 1 - V T V^T (LAPACK's larft), of V^T V and
// the factors of the reflections. A work group of PANEL invocations takes one.

layout(binding = 0) readonly buffer Products { REAL products[]; };
layout(binding = 1) readonly buffer Factors { REAL factors[]; };
layout(binding = 2) writeonly buffer Triangles { REAL triangles[]; };

layout(push_constant) uniform Push {
    uint firstProduct;
    uint firstFactor;
    uint firstTriangle;
    uint width;
    uint reflections;
    uint start;
    uint batches;
    uint triangleBatch;
};

shared REAL sTriangle[PANEL * (PANEL + 1u)];
shared REAL sColumn[PANEL];

void main() {
    uint batch = flatGroup();
    uint row = gl_LocalInvocationIndex;
    if (batch >= batches)
        return;
    for (uint column = 0u; column < width; ++column) {
        REAL factor = factors[firstFactor + batch * reflections + start + column];
        barrier();
        sColumn[row] = row < column
                           ? products[firstProduct + batch * width * width + row * width + column]
                           : REAL(0);
        barrier();
        REAL sum = REAL(0);
        for (uint k = row; k < column; ++k)
            sum += sTriangle[row * (PANEL + 1u) + k] * sColumn[k];
        sTriangle[row * (PANEL + 1u) + column] = row < column    ? -factor * sum
                                                 : row == column ? factor
                                                                 : REAL(0);
    }
    if (row < width)
        for (uint column = 0u; column < width; ++column)
            triangles[firstTriangle + batch * triangleBatch + row * PANEL + column] =
                sTriangle[row * (PANEL + 1u) + column];
}
