# SPDX-License-Identifier: Apache-2.0
"""The shaders that ``kp bench`` measures with."""

EMPTY = """#version 450
layout(local_size_x = 1) in;
void main() {}
"""

SAXPY = """#version 450
layout(local_size_x = 256) in;
layout(binding = 0) readonly buffer X { vec4 x[]; };
layout(binding = 1) buffer Y { vec4 y[]; };
layout(push_constant) uniform Constants { float a; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < y.length())
        y[i] = a * x[i] + y[i];
}
"""

TILE = 16

MATMUL = f"""#version 450
#define TILE {TILE}
layout(local_size_x = TILE, local_size_y = TILE) in;
layout(binding = 0) readonly buffer A {{ float a[]; }};
layout(binding = 1) readonly buffer B {{ float b[]; }};
layout(binding = 2) writeonly buffer C {{ float c[]; }};
layout(push_constant) uniform Constants {{ uint n; }};

shared float tileA[TILE][TILE];
shared float tileB[TILE][TILE];

void main() {{
    uint row = gl_GlobalInvocationID.y;
    uint column = gl_GlobalInvocationID.x;
    uint y = gl_LocalInvocationID.y;
    uint x = gl_LocalInvocationID.x;
    float sum = 0.0;
    for (uint start = 0; start < n; start += TILE) {{
        tileA[y][x] = a[row * n + start + x];
        tileB[y][x] = b[(start + y) * n + column];
        barrier();
        for (uint k = 0; k < TILE; ++k)
            sum += tileA[y][k] * tileB[k][x];
        barrier();
    }}
    c[row * n + column] = sum;
}}
"""
