# SPDX-License-Identifier: Apache-2.0
"""Shared code of the Dask tests: shaders, arrays and the expected results."""

from __future__ import annotations

from typing import Any

import numpy as np

#: factor * x + offset
SCALE = """#version 450
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const float OFFSET = 0.0;
layout(binding = 0) readonly buffer Source { float source[]; };
layout(binding = 1) writeonly buffer Result { float result[]; };
layout(push_constant) uniform Push { float factor; uint kp_block_size; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < kp_block_size) result[i] = factor * source[i] + OFFSET;
}
"""

#: Writes the flat index of each element in the whole array.
PLACE = """#version 450
layout(local_size_x = 64) in;
layout(binding = 0) writeonly buffer Result { int result[]; };
layout(push_constant) uniform Push {
    uint kp_block_size;
    ivec4 kp_block_shape, kp_block_offset, kp_array_shape, kp_block_index;
};
void main() {
    int i = int(gl_GlobalInvocationID.x);
    if (i >= int(kp_block_size)) return;
    int rest = i, place = 0, size = 1;
    for (int axis = 3; axis >= 0; --axis) {
        place += size * (kp_block_offset[axis] + rest % kp_block_shape[axis]);
        rest /= kp_block_shape[axis];
        size *= kp_array_shape[axis];
    }
    result[i] = place + 1000000 * kp_block_index[0];
}
"""

#: The sum over a point and its four neighbours. Points outside the block are clamped to its edge.
STENCIL = """#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) readonly buffer Source { float source[]; };
layout(binding = 1) writeonly buffer Result { float result[]; };
layout(push_constant) uniform Push { uvec2 kp_block_shape; };
float at(int row, int column) {
    ivec2 shape = ivec2(kp_block_shape);
    return source[clamp(row, 0, shape.x - 1) * shape.y + clamp(column, 0, shape.y - 1)];
}
void main() {
    ivec2 shape = ivec2(kp_block_shape);
    int row = int(gl_GlobalInvocationID.y), column = int(gl_GlobalInvocationID.x);
    if (row >= shape.x || column >= shape.y) return;
    result[row * shape.y + column] = at(row, column) + at(row - 1, column) + at(row + 1, column)
        + at(row, column - 1) + at(row, column + 1);
}
"""


def numbers(*shape: int, dtype: Any = np.float32) -> np.ndarray[Any, Any]:
    """Random whole numbers from -50 to 49."""
    return np.random.default_rng(1).integers(-50, 50, shape).astype(dtype)


def stencil_in_numpy(x: np.ndarray[Any, Any], **pad: Any) -> np.ndarray[Any, Any]:
    """The result of STENCIL over the whole array; `pad` as for numpy.pad."""
    p = np.pad(x, 1, **pad)
    return p[1:-1, 1:-1] + p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:]  # type: ignore[no-any-return]
