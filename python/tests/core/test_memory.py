# SPDX-License-Identifier: Apache-2.0
"""Memory use: loops that create and drop objects do not leak."""

from __future__ import annotations

import gc
import resource
import sys
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from conftest import INCREMENT

import kp


def resident() -> int:
    """Return the resident size of this process in bytes."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


class Twice(kp.OpBase):
    """An operation written in Python."""

    def __init__(self, algorithm: kp.Algorithm) -> None:
        super().__init__()
        self.algorithm = algorithm

    def record(self) -> Iterator[kp.OpBase]:
        yield kp.OpAlgoDispatch(self.algorithm)
        yield kp.OpAlgoDispatch(self.algorithm)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.parametrize(
    "what", ["evaluations", "sequences", "tensors", "views", "algorithms", "operations", "errors"]
)
def test_loops_do_not_leak_memory(mgr: kp.Manager, what: str) -> None:
    tensor = mgr.tensor(np.zeros(256))
    spirv = kp.compile(INCREMENT)
    algorithm = mgr.algorithm([tensor], spirv, thread_count=256)
    recorded = mgr.sequence().record(kp.OpAlgoDispatch(algorithm))

    def failing() -> None:
        with pytest.raises(kp.ShaderError):
            mgr.algorithm([], spirv)

    actions: dict[str, Callable[[], object]] = {
        "evaluations": recorded.eval,
        "sequences": lambda: mgr.sequence().record(kp.OpAlgoDispatch(algorithm)).eval(),
        "tensors": lambda: mgr.tensor(np.zeros(10_000)).data()[0],
        "views": lambda: (np.asarray(tensor), memoryview(tensor), tensor.read()),
        "algorithms": lambda: mgr.algorithm([tensor], spirv, push_consts=[]),
        "operations": lambda: mgr.sequence().eval(Twice(algorithm)),
        "errors": failing,
    }
    action = actions[what]
    for _ in range(500):
        action()
    gc.collect()
    before = resident()
    for _ in range(3000):
        action()
    gc.collect()
    assert resident() - before < 3 << 19
