# SPDX-License-Identifier: Apache-2.0
"""Kernels whose arguments are parts of arrays, or expressions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import kp

SHAPE = (16, 8)
#: Parts of an array of 16 x 8 elements.
PARTS: dict[str, Callable[[Any], Any]] = {
    "rows": lambda x: x[:8],
    "later rows": lambda x: x[8:],
    "a row": lambda x: x[3],
    "a column": lambda x: x[:, 3],
    "columns": lambda x: x[:, 2:5],
    "every other row": lambda x: x[::2],
    "reversed": lambda x: x[::-1],
    "transposed": lambda x: x.T,
    "rows by index": lambda x: x[[5, 1, 1]],
    "a sum": lambda x: x + x,
}
DTYPES = ["float32", "float64", "int32", "uint32", "int64", "uint8", "int8", "int16", "float16"]
GLSL = {
    "float32": "float", "float64": "double", "int32": "int", "uint32": "uint", "int64": "int64_t",
    "uint8": "uint8_t", "int8": "int8_t", "int16": "int16_t", "float16": "float16_t",
}  # fmt: skip

double_glsl = kp.kernel("kernel void k(in float x[], out float y[]) { y[i] = 2 * x[i]; }")


@kp.jit
def double_jit(x, y):
    i = kp.global_id()
    y[i] = x[i] * 2


def array(dtype: str = "float32", shape: tuple[int, ...] = SHAPE) -> np.ndarray:
    return (np.arange(np.prod(shape)).reshape(shape) % 60).astype(dtype)


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("kernel", [double_glsl, double_jit], ids=["GLSL", "jit"])
def test_the_part_is_read(part: str, kernel: Any) -> None:
    expected = PARTS[part](array()).reshape(-1) * 2
    result = kp.zeros(expected.size, np.float32)
    kernel(PARTS[part](kp.array(array())).reshape(-1), result)
    assert result.tolist() == expected.tolist()
    again = kp.zeros(expected.shape, np.float32)
    kernel(PARTS[part](kp.array(array())).reshape(-1), again)  # as an earlier call
    assert again.tolist() == expected.tolist()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("part", ["rows", "a column", "transposed"])
def test_parts_of_every_type_are_read(part: str, dtype: str) -> None:
    expected = PARTS[part](array(dtype)).reshape(-1)
    result = kp.zeros(expected.size, dtype)
    copy = kp.kernel(
        f"kernel void k(in {GLSL[dtype]} x[], out {GLSL[dtype]} y[]) {{ y[i] = x[i]; }}"
    )
    copy(PARTS[part](kp.array(array(dtype))), result)
    assert result.tolist() == expected.tolist()


def test_several_parts_of_one_size_keep_apart() -> None:
    host = [array() + 100 * k for k in range(3)]
    a, b, c = (kp.array(each) for each in host)
    result = kp.zeros(64, np.float32)
    add = kp.kernel(
        "kernel void k(in float a[], in float b[], in float c[], out float y[])"
        "{ y[i] = a[i] + 1000 * b[i] + 100000 * c[i]; }"
    )
    for _ in range(3):
        add(a[:8], b[8:], c[::2], result)
        expected = host[0][:8] + 1000 * host[1][8:] + 100000 * host[2][::2]
        assert result.tolist() == expected.reshape(-1).tolist()


def test_parts_are_written_and_nothing_else() -> None:
    host = array()
    x = kp.array(host)
    scale = kp.kernel("kernel void k(in float a[], inout float x[]) { x[i] = x[i] * 3 + a[i]; }")
    scale(x[:, 0], x[:, 5])
    host[:, 5] = host[:, 5] * 3 + host[:, 0]
    assert x.tolist() == host.tolist()


def test_parts_of_arrays_of_groups_are_read(group: kp.DeviceGroup) -> None:
    host = array()
    x = kp.array(host, group=group)
    result = kp.zeros(host[:, 2:5].shape, np.float32, group=group)
    double_glsl(x[:, 2:5], result)
    assert result.tolist() == (host[:, 2:5] * 2).tolist()


def test_memory_of_a_part_does_not_return_while_somebody_has_it() -> None:
    x = kp.array(array())
    tensor, _ = x[:8].__kp_tensor__(False)
    others = [kp.full((8, 8), float(k), np.float32).evaluate() for k in range(8)]
    assert tensor.read().reshape(-1).tolist() == array()[:8].reshape(-1).tolist()
    del others


def test_memory_that_nobody_has_returns() -> None:
    first = kp.full(1000, 1.0, np.float32)
    first.evaluate()
    address = id(first._view.storage.tensor)
    del first
    second = kp.full(1000, 2.0, np.float32)
    second.evaluate()
    assert id(second._view.storage.tensor) == address
