// SPDX-License-Identifier: Apache-2.0
#version 450

// One invocation per element of the product. Everything is read from the buffers.

layout(local_size_x = 16, local_size_y = 16) in;

layout(binding = 0) readonly buffer A { float a[]; }; // rows x inner
layout(binding = 1) readonly buffer B { float b[]; }; // inner x columns
layout(binding = 2) writeonly buffer Product { float product[]; };

layout(push_constant) uniform Extents { uint rows, inner, columns; };

void main()
{
    const uint row = gl_GlobalInvocationID.y;
    const uint column = gl_GlobalInvocationID.x;
    if (row >= rows || column >= columns)
        return;
    float sum = 0.0;
    for (uint k = 0; k < inner; ++k)
        sum += a[row * inner + k] * b[k * columns + column];
    product[row * columns + column] = sum;
}
