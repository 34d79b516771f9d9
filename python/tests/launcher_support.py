# SPDX-License-Identifier: Apache-2.0
"""Shared code of the launcher tests: a kernel and launchers of it."""

from __future__ import annotations

from typing import Any

import numpy as np

import kp
from kp import launcher as kl

#: v = v * scale + offset
SCALE = """#version 450
layout(local_size_x_id = 0) in;
layout(binding = 0) buffer V { float v[]; };
layout(push_constant) uniform P { float scale; float offset; };
void main() { v[gl_GlobalInvocationID.x] = v[gl_GlobalInvocationID.x] * scale + offset; }
"""

#: The same with integers and without an offset.
INTEGERS = """#version 450
layout(local_size_x = 1) in;
layout(binding = 0) buffer V { int v[]; };
layout(push_constant) uniform P { int scale; };
void main() { v[gl_GlobalInvocationID.x] *= scale; }
"""


def fixed(name: str, tensor: kp.Tensor, scale: float, offset: float, **more: Any) -> Any:
    """A launcher of SCALE with fixed arguments, by default over all elements."""
    more.setdefault("default_global_work_size", tensor.size())
    return kl.KernelLauncher(name, SCALE, (tensor, scale, offset), **more)


def parametrized(name: str, tensor: kp.Tensor, **more: Any) -> Any:
    """A launcher of SCALE with the parameters `scale` and `offset`."""
    more.setdefault("default_global_work_size", tensor.size())
    return kl.ParametrizedKernelLauncher(
        name=name,
        kernel=SCALE,
        parameters_map={"scale": (1, np.float32), "offset": "offset"},
        args_list=((0, tensor),),
        **more,
    )
