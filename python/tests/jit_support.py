# SPDX-License-Identifier: Apache-2.0
"""Common code of the tests of kp.jit: arrays, and calls of functions on the device and by
Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import kp

SIZE = 40


def floats(count: int = SIZE) -> Any:
    return np.linspace(-3.7, 4.1, count).astype(np.float32)


def integers(count: int = SIZE) -> Any:
    return np.arange(count, dtype=np.int32) - count // 2


def elementwise(function: Callable[..., Any], *arrays: Any, out: Any = np.float32) -> Any:
    """Run `function(x, ...) -> value` for each element on the device, through a kernel that calls it."""

    @kp.jit
    def kernel1(x, result):
        i = kp.global_id()
        result[i] = function(x[i])

    @kp.jit
    def kernel2(x, y, result):
        i = kp.global_id()
        result[i] = function(x[i], y[i])

    result = np.zeros(len(arrays[0]), out)
    return (kernel1 if len(arrays) == 1 else kernel2)(*arrays, result)


def same(
    function: Callable[..., Any], *arrays: Any, out: Any = np.float32, rtol: float = 1e-5
) -> None:
    """Check that a function gives the same on the device and in Python."""
    expected = [function(*(each.item() for each in values)) for values in zip(*arrays, strict=True)]
    given = elementwise(function, *arrays, out=out)
    np.testing.assert_allclose(given, np.array(expected, dtype=out), rtol=rtol, atol=1e-6)


@kp.jit
def saxpy(a, x, y):
    i = kp.global_id()
    y[i] += a * x[i]
