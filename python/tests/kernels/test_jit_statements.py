# SPDX-License-Identifier: Apache-2.0
"""Statements and values of Python in compiled functions."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from jit_support import elementwise, floats, integers, same

import kp


def zeros(count: int = 8, dtype: Any = np.float32) -> Any:
    return np.zeros(count, dtype)


# --- assignments and expressions ------------------------------------------------------------------


def chained_assignment(x):
    a = b = c = x * 2
    a += 1
    b = c = b + a
    return a + 10 * b + 100 * c


def walrus(x):
    total = 0.0
    if (y := x * x) > 4:
        total = y
    while (total := total + y + 1) < 20:
        y += 1
    return total + (z := y * 2) + z


def counted(x):
    return x * 3


def chained_calls(x):
    return 1 if -1 <= counted(x) < 5 else 0


@pytest.mark.parametrize("function", [chained_assignment, walrus, chained_calls])
def test_expressions(function: Callable[..., Any]) -> None:
    same(function, floats())


@kp.jit
def chained_atomics(n, out):
    i = kp.global_id()
    out[i] = 1 if 0 <= kp.atomic_add(n[0], 1) < 3 <= kp.atomic_add(n[1], 1) + 100 else 0


def test_chained_comparisons_evaluate_each_operand_once_and_stop_early() -> None:
    n, out = chained_atomics(np.zeros(2, np.int32), zeros(8, np.int32))
    assert n.tolist() == [8, 3]
    assert out.sum() == 3


# --- loops ----------------------------------------------------------------------------------------


def over_tuple(x):
    total = 0.0
    for d in (-1, 0, 1):
        if d == 0:
            continue
        total += x * d * d
    for a, b in ((1, 0.5), (2, 0.25)):
        total += a * b * x
    for w in [x, x + 1]:
        total += w
    return total


def over_enumerated(x):
    values = [x, x * 2, x * 3]
    total = 0.0
    for k, v in enumerate(values):
        total += k * v
    for k, v in enumerate((5, 7)):
        total += k * v
    for v in values:
        total -= v
    return total


def found(x):
    for k in range(5):
        if x < k:
            result = k
            break
    else:
        result = -1
    n = 0
    while n < 3:
        n += 1
        if n > x:
            break
    else:
        n = 10
    for _ in range(2):
        pass
    else:
        n += 1
    return result * 100 + n


def found_inside(x):
    total = 0.0
    for a in range(4):
        for b in range(4):
            if a * b > x:
                break
        else:
            total += 1
            continue
        total += 100
        break
    return total


@pytest.mark.parametrize("function", [over_tuple, over_enumerated, found, found_inside])
def test_loops(function: Callable[..., Any]) -> None:
    same(function, floats())


@kp.jit
def sums_of_arrays(x, w, out):
    i = kp.global_id()
    total = 0.0
    for v in x:
        total += v
    for k, v in enumerate(w):
        total += k * v * i
    out[i] = total


def test_loops_over_arrays() -> None:
    x, w = floats(10), floats(5)
    expected = x.sum() + np.arange(4) * (np.arange(5) * w).sum()
    np.testing.assert_allclose(sums_of_arrays(x, w, zeros(4), threads=4), expected, rtol=1e-5)


# --- constants ------------------------------------------------------------------------------------

WEIGHTS = [0.25, 0.5, 0.25]
TABLE = np.array([[1, 2, 3], [4, 5, 6]], np.int32)
STEPS = ((0, 1), (1, 0), (-1, 2))


def weighted(n):
    total = 0.0
    for k in range(len(WEIGHTS)):
        total += WEIGHTS[k] * (n + k)
    for k in range(3):
        total += TABLE[n % 2, k] + STEPS[k][1]
    for dx, dy in STEPS:
        total += dx - dy
    return total


def test_lists_and_arrays_of_constants() -> None:
    same(weighted, integers())


def test_changed_lists_compile_again() -> None:
    weights = [1.0, 2.0]

    @kp.jit
    def kernel(x):
        i = kp.global_id()
        x[i] = weights[i % 2]

    assert kernel(zeros(2)).tolist() == [1, 2]
    weights[1] = 5.0
    assert kernel(zeros(2)).tolist() == [1, 5]


@kp.jit
def scaled(x, factor, out):
    i = kp.global_id()
    out[i] = x[i] * factor


def test_arrays_without_axes_are_numbers() -> None:
    x = floats(4)
    for factor in (np.array(2.0, np.float32), kp.array(2.0, dtype="float32"), kp.ones(2).sum()):
        np.testing.assert_array_equal(scaled(x, factor, zeros(4)), x * 2)
    kernel = kp.kernel(
        "kernel void k(in float x[], float factor, out float y[]) { y[i] = factor * x[i]; }"
    )
    np.testing.assert_array_equal(kernel(x, kp.array(2.0, dtype="float32"), zeros(4)), x * 2)


# --- names ----------------------------------------------------------------------------------------


@kp.jit
def named(Buffer0, Arguments, x):
    i = kp.global_id()
    int64_t = Buffer0[i]
    f16vec2 = Arguments * 2
    x_shape0 = len(x)
    x_now = value1_ = 1
    main = findMSB = texture2D = _ = mat3x2 = 2
    total = main + findMSB + texture2D + _ + mat3x2 + x_now + value1_
    x[i] = int64_t + f16vec2 + x_shape0 + total


def test_names_of_glsl_and_of_the_generator() -> None:
    np.testing.assert_array_equal(named(floats(8), 3.0, zeros(8)), floats(8) + 6 + 8 + 12)


# --- errors ---------------------------------------------------------------------------------------


def huge_power(x):
    x[0] = 9**9**9  # HERE


def huge_shift(x):
    x[0] = 1 << 10**9  # HERE


def huge_pow(x):
    x[0] = pow(10, 10**10)  # HERE


def huge_float(x):
    x[kp.global_id()] = 10**400  # HERE


def huge_list(x):
    a = [0.0] * 10**9  # HERE
    x[0] = a[0]


def huge_shared_array(x):
    s = kp.shared_array((1 << 40, 3), kp.float32)  # HERE
    x[0] = s[0, 0]


def huge_array(x):
    a = kp.local_array((1000, 1000), kp.float32)  # HERE
    x[0] = a[0, 0]


def outside(x):
    a = [1.0, 2.0]
    x[0] = a[2]  # HERE


def outside_table(x):
    x[0] = WEIGHTS[3]  # HERE


def changed_table(x):
    WEIGHTS[0] = x[0]  # HERE


LONG = list(range(5000))


def long_table(x):
    x[0] = LONG[int(x[1])]  # HERE


def rows(x):
    for v in TABLE:  # HERE
        x[0] = v


def barrier_in_branch(x):
    i = kp.local_id()
    if i < 3:
        kp.barrier()  # HERE
    x[i] = 1


def barrier_after_return(x):
    i = kp.global_id()
    if i >= x.size:
        return
    kp.barrier()  # HERE
    x[i] = 1


def waits():
    kp.barrier()


def barrier_in_loop(x):
    lane = kp.local_id()
    for k in range(lane):
        waits()  # HERE
        x[k] = 1


def barrier_after_break(x):
    lane = kp.local_id()
    k = 0
    while k < 10:
        k += 1
        if k > x[lane]:
            break
        kp.barrier()  # HERE
    x[lane] = k


MESSAGES = {
    huge_power: r"9 \*\* 387420489 has over 4096 bits",
    huge_shift: r"1 << 1000000000 has over 4096 bits",
    huge_pow: "has over 4096 bits",
    huge_float: "an integer of 1329 bits does not fit float32",
    huge_list: "65536 bytes at most, but this one 4000000000",
    huge_array: "65536 bytes at most, but this one 4000000",
    huge_shared_array: "a shared array has 1048576 bytes at most, but this one 13194139533312",
    outside: "the index 2 is over the last one, 1",
    outside_table: "the index 3 is over the last one, 2|over the 3 entries",
    changed_table: "'WEIGHTS' is a constant",
    long_table: "16384 bytes at most, but this one 40000",
    rows: "loops are over",
    barrier_in_branch: r"because of the condition in line \d+",
    barrier_after_return: "only some work items",
    barrier_in_loop: "only some work items",
    barrier_after_break: "only some work items",
}


@pytest.mark.parametrize("function", MESSAGES, ids=lambda each: each.__name__)
def test_errors_come_at_once_and_name_the_line(function: Callable[..., Any]) -> None:
    start = time.process_time()
    with pytest.raises(kp.ShaderError, match=MESSAGES[function]) as caught:
        kp.jit(function)(zeros())
    assert time.process_time() - start < 2
    lines = Path(__file__).read_text("utf-8").splitlines()
    assert "HERE" in lines[caught.value.line - 1], lines[caught.value.line - 1]


@kp.jit(local_size=32)
def meeting(x, out):
    tile = kp.shared_array(32, kp.float32)
    lane, i = kp.local_id(), kp.global_id()
    k = lane
    tile[lane] = x[i] if i < x.size else 0.0
    k = 0
    while k < x.size:
        kp.barrier()
        k += 16
    if kp.group_id() == 0:
        kp.barrier()
    for step in (16, 8, 4, 2, 1):
        if lane < step:
            tile[lane] += tile[lane + step]
        waits()
    if lane == 0:
        out[0] = tile[0]


def test_barriers_that_all_work_items_reach() -> None:
    assert meeting(np.ones(32, np.float32), zeros(1)).tolist() == [32]


@kp.jit
def at_places(x, y, out):
    i = kp.global_id()
    out[i] = x[5] + y[1, 2] + y.flat[i]


def test_constant_indices_are_compared_with_the_shapes_of_calls() -> None:
    y = np.ones((2, 3), np.float32)
    assert at_places(np.ones(6, np.float32), y, zeros(6)).tolist() == [3] * 6
    with pytest.raises(ValueError, match=r"x is accessed at the index 5, which the shape \(5,\)"):
        at_places(np.ones(5, np.float32), y, zeros(5))
    with pytest.raises(ValueError, match=r"index 2, which axis 1 of the shape \(3, 2\)"):
        at_places(np.ones(6, np.float32), y.reshape(3, 2), zeros(6))


def large_local_arrays(x):
    a = kp.local_array((10, 10, 10), kp.float32)
    b = [x] * 1000
    a[9, 9, 9] = 1
    return a[9, 9, 9] + a[9, 9, 8] + b[999] + b[0]


def test_large_local_arrays() -> None:
    given = elementwise(large_local_arrays, floats(4))
    np.testing.assert_array_equal(given, 1 + 2 * floats(4))
    assert math.isfinite(given.sum())
