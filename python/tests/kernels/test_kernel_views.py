# SPDX-License-Identifier: Apache-2.0
"""Kernels whose arguments are parts of arrays, or expressions."""

from __future__ import annotations

import threading
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


def test_parts_that_overlap_are_not_written_at_once() -> None:
    both = kp.kernel(
        "kernel void k(in float x[], out float a[], out float b[]) { a[i] = b[i] = x[i]; }"
    )
    x, y = kp.array(array()), kp.array(array())
    for _ in range(2):
        for first, second in ((y[:8], y[4:12]), (y, y[8:].T), (y[:, 1], y[:, 1])):
            with pytest.raises(
                ValueError, match="b shares memory with a, and the kernel writes both"
            ):
                both(x[:4, :2], first, second, threads=8)
        assert y.tolist() == array().tolist()
        both(x[:4, 0], y[:4, 0], y[4:8, 0])
        assert y[:8, 0].tolist() == [*array()[:4, 0], *array()[:4, 0]]
        y[:8] = array()[:8]


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
    address = first._memory_id
    del first
    second = kp.full(1000, 2.0, np.float32)
    second.evaluate()
    assert second._memory_id == address


def test_memory_of_launchers_that_are_kept_returns() -> None:
    """Launchers that repeat with the same memory have references to it, which do not count."""
    x = kp.array(array())
    seen = set()
    for _ in range(12):
        result = (x + 1).evaluate()
        seen.add(result._memory_id)
        del result
    assert len(seen) == 1


@pytest.mark.parametrize("count", [77, 154])
@pytest.mark.parametrize("kernel", [double_glsl, double_jit], ids=["GLSL", "jit"])
def test_a_launch_that_waits_for_the_host_keeps_its_memory(kernel: Any, count: int) -> None:
    """Its arrays are gone before it starts, and other arrays take memory meanwhile."""
    kp.default_manager().clear()
    values = array(shape=(count,))[:77]
    x, gate = kp.array(array(shape=(count,))), kp.UserEvent()
    result = kp.zeros(77, np.float32).evaluate()
    kernel(x if count == 77 else x[:77], result, wait_for=[gate])
    del x
    others = [kp.array(np.full(77, 7, np.float32)) for _ in range(3)]
    gate.set()
    assert result.tolist() == (2 * values).tolist()
    assert [each.tolist() for each in others] == [[7] * 77] * 3


def test_memory_can_be_reused_once_nothing_waits() -> None:
    gate = kp.UserEvent()
    x = kp.zeros(8, np.float32)
    increment = kp.kernel("kernel void k(inout float x[]) { x[i] += 1; }")
    increment(x, wait_for=[gate])
    assert not x.tensor().can_be_reused()
    gate.set()
    assert x.tolist() == [1] * 8
    x.manager.default_queue.finish()
    assert x.tensor().can_be_reused()


def test_memory_that_is_destroyed_cannot_be_reused() -> None:
    tensor = kp.default_manager().tensor([1, 2])
    assert tensor.can_be_reused()
    tensor.destroy()
    assert not tensor.can_be_reused()


def test_memory_can_be_reused_after_a_launch_was_dropped() -> None:
    gate = kp.UserEvent()
    x = kp.zeros(8, np.float32)
    event = double_glsl(x, x, wait_for=[gate])
    del event, gate
    x.manager.default_queue.finish()
    assert kp.zeros(8).tensor().can_be_reused()


def test_parts_are_written_after_a_kernel_of_another_queue_that_waits() -> None:
    gate = kp.UserEvent()
    x, result = kp.array(array(shape=(8,))), kp.zeros(8, np.float32)
    double_glsl(x[4:], result[:4], queue=x.manager.queue(0), wait_for=[gate])
    gate.set()
    assert result.tolist() == [8, 10, 12, 14, 0, 0, 0, 0]


def test_results_in_numpy_arrays_wait_for_work_that_waits() -> None:
    gate, result = kp.UserEvent(), np.zeros(4, np.float32)
    timer = threading.Timer(0.2, gate.set)
    timer.start()
    double_glsl(array(shape=(4,)), result, wait_for=[gate])
    timer.join()
    assert result.tolist() == [0, 2, 4, 6]


def test_parts_in_elementwise_kernels_and_reductions() -> None:
    host = array(shape=(16,))
    x = kp.array(host)
    twice = kp.elementwise("T x", "T y", "y = x + x")
    neighbour = kp.elementwise("raw T x, T y", "T z", "z = x(int(i)) + y")
    total = kp.reduction("T x", "T y", "x", "a + b", "y = a", "0", "total")
    for part in (slice(0, 8), slice(1, None, 2), slice(None, None, -2)):
        assert twice(x[part]).tolist() == (2 * host[part]).tolist()
        assert neighbour(x[part], x[:8]).tolist() == (host[part] + host[:8]).tolist()
        assert float(total(x[part])) == host[part].sum()


def test_a_class_may_give_the_tensor_of_an_array_that_it_does_not_keep() -> None:
    x = kp.array(array(shape=(8,)))

    class Shifted:
        manager, dtype, shape = x.manager, x.dtype, (8,)

        def __kp_tensor__(self, writable: bool) -> Any:
            return (x + 1).__kp_tensor__(writable)

    add = kp.kernel(
        "kernel void k(in float a[], in float b[], out float y[]) { y[i] = a[i] + b[i]; }"
    )
    for _ in range(3):
        result = kp.zeros(8, np.float32)
        add(Shifted(), Shifted(), result)
        assert result.tolist() == (2 * array(shape=(8,)) + 2).tolist()
