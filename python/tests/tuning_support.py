# SPDX-License-Identifier: Apache-2.0
"""Shared code of the autotuner's tests: a problem and shaders that take their time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import kp

COUNT = 16384

Configuration = dict[str, Any]


def source(waste: str, head: str = "", error: str = "0u") -> str:
    """Return a shader: sums[i] += a[i] + `error`, after `waste` x 200 useless steps.

    A compiler cannot remove the steps. Software drivers end loops after 65,535 steps, so `waste`
    must be below 300.
    """
    return f"""#version 450
layout(local_size_x_id = 0) in;
{head}
layout(binding = 0) readonly buffer A {{ uint a[]; }};
layout(binding = 1) buffer S {{ uint s[]; }};
void main() {{
    uint i = gl_GlobalInvocationID.x;
    if (i >= a.length()) return;
    uint x = a[i];
    for (uint step = 0u; step < ({waste}) * 200u; ++step) x = x * 1664525u ^ (x >> 7);
    s[i] += a[i] + (x == 3141592653u ? 1u : 0u) + ({error});
}}
"""


class Problem:
    """Two tensors with known contents, and their expected contents after a run."""

    def __init__(self, mgr: kp.Manager, folder: Path) -> None:
        self.mgr = mgr
        self.folder = folder
        self.input = mgr.tensor_t(np.arange(COUNT, dtype=np.uint32))
        self.sums = mgr.tensor_t(np.arange(1000, 1000 + COUNT, dtype=np.uint32))
        mgr.sequence().record(kp.OpSyncDevice([self.input, self.sums])).eval()

    def tuner(self, **options: Any) -> kp.Autotuner:
        options = {"cache_folder": self.folder, "runs": 5, "lock_timeout": 0.02, **options}
        return kp.Autotuner(self.mgr, **options)

    def arguments(self) -> kp.TuningArguments:
        return kp.TuningArguments([self.input, self.sums], COUNT)

    @property
    def expected(self) -> np.ndarray[Any, Any]:
        return 1000 + 2 * np.arange(COUNT, dtype=np.uint32)

    def is_unchanged(self) -> bool:
        return bool(
            np.array_equal(self.sums.read(), np.arange(1000, 1000 + COUNT))
            and np.array_equal(self.input.read(), np.arange(COUNT))
        )


def wasteful(waste: list[int], name: str = "wasteful") -> kp.TunableKernel:
    code = source("waste", "layout(constant_id = 1) const uint waste = 1;")
    return kp.TunableKernel(name, code).local_size(64).specialization(1, "waste", waste)
