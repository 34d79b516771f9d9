# SPDX-License-Identifier: Apache-2.0
"""kernel.python(): functions with @kp.jit that Python runs, with the results of the device."""

from __future__ import annotations

import pdb
import sys
import traceback
from collections.abc import Callable
from io import StringIO
from typing import Any

import numpy as np
import pytest
from jit_support import floats, integers, saxpy

import kp

TABLE = (0.25, 0.5, 0.75)


def both(kernel: Any, *args: Any, rtol: float = 1e-6, **kwargs: Any) -> Any:
    """Run a kernel on the device and by Python, and compare all arrays."""
    mine = [each.copy() if isinstance(each, np.ndarray) else each for each in args]
    kernel(*args, **kwargs)
    result = kernel.python(*mine, **kwargs)
    for given, own in zip(args, mine, strict=True):
        if isinstance(given, np.ndarray):
            assert given.dtype == own.dtype
            np.testing.assert_allclose(own, given, rtol=rtol, atol=1e-7)
    return result


def test_python_runs_a_kernel_and_returns_what_it_writes() -> None:
    x, y = floats(), floats()
    result = both(saxpy, 2.5, x, y)
    assert isinstance(result, np.ndarray) and result.shape == x.shape


def test_numbers_have_the_types_of_the_device() -> None:
    @kp.jit
    def rounded(x, h, out, wrapped):
        i = kp.global_id()
        third = 1 / 3
        out[i] = x[i] * third + 0.1
        mixed = i * 747796405 + h[i]
        wrapped[i] = (mixed >> 3) * 1000003 ^ mixed

    both(
        rounded,
        floats(),
        integers(),
        np.zeros(40, np.float32),
        np.zeros(40, np.int32),
        rtol=2e-7,
    )


def test_functions_and_constants_of_the_program() -> None:
    def area(v: "vec2", scale=2.0):
        w = v * scale
        return w.x * w.y, w.yx

    @kp.jit
    def use(p: "vec2[:]", out):
        i = kp.global_id()
        size, turned = area(p[i])
        if i % 2 == 0:
            turned.x = TABLE[i % 3]
        out[i] = size + np.dot(turned, kp.vec2(1, 3)) - (i if size > 1 else 0.5)

    both(use, floats(20).reshape(10, 2).copy(), np.zeros(10, np.float32))


@kp.jit(local_size=32)
def group_sums(x, sums, total):
    tile = kp.shared_array(kp.local_size(), kp.float32)
    t, i = kp.local_id(), kp.global_id()
    tile[t] = x[i] if i < x.size else 0.0
    kp.barrier()
    step = kp.local_size() // 2
    while step > 0:
        if t < step:
            tile[t] += tile[t + step]
        kp.barrier()
        step //= 2
    if t == 0:
        sums[kp.group_id()] = tile[0]
        kp.atomic_add(total, 0, tile[0])


def test_barriers_shared_arrays_and_atomics() -> None:
    both(group_sums, floats(100), np.zeros(4, np.float32), np.zeros(1, np.float32), rtol=1e-5)


def test_functions_that_wait() -> None:
    def rotate(tile, t, value):
        tile[t] = value
        kp.barrier()
        result = tile[(t + 1) % 8]
        kp.barrier()
        return result

    @kp.jit(local_size=8)
    def twice(x):
        tile = kp.shared_array(8, kp.int32)
        t, i = kp.local_id(), kp.global_id()
        x[i] = rotate(tile, t, rotate(tile, t, x[i]))

    both(twice, integers(16))


def test_subgroups_meet_where_they_do_on_the_device() -> None:
    @kp.jit(local_size=32)
    def counted(x, out):
        i = kp.global_id()
        steps = 0
        while kp.subgroup_any(steps < x[i]):
            if steps < x[i] and x[i] % 2 == 1:
                out[i] += kp.subgroup_add(1)
            steps += 1
        out[i] += 1000 * kp.subgroup_max(steps) + kp.subgroup_inclusive_add(x[i])

    # A device that has 4 work items or more in a subgroup finds the same number of odd ones in the first 4.
    both(counted, np.tile(np.array([3, 1, 2, 5], np.int32), 8), np.zeros(32, np.int32))


def test_tensors_and_arrays_are_changed_in_place(mgr: kp.Manager) -> None:
    x = mgr.tensor(floats(8))
    y = kp.array(np.ones(8, np.float32))
    assert saxpy.python(2.0, x, y) is y
    np.testing.assert_allclose(y.numpy(), 1 + 2 * floats(8), rtol=1e-6)


def test_outputs_may_be_left_out() -> None:
    @kp.jit
    def double(x, out: "float[:]"):
        i = kp.global_id()
        out[i] = 2 * x[i]

    np.testing.assert_array_equal(double.python(floats()), double(floats()))


def test_print_shows_values(capsys: pytest.CaptureFixture[str]) -> None:
    @kp.jit
    def shown(x):
        i = kp.global_id()
        print(f"item {i}:", x[i] + 1)
        x[i] = 0

    shown.python(np.array([1, 2], np.float32))
    assert capsys.readouterr().out == "item 0: 2.0\nitem 1: 3.0\n"
    with pytest.raises(kp.ShaderError, match="print"):
        shown(np.array([1, 2], np.float32))


@kp.jit
def shift(x, y):
    i = kp.global_id()
    y[i + 1] = x[i]


def test_a_debugger_stops_in_the_kernel() -> None:
    said = StringIO()
    debugger = pdb.Pdb(stdin=StringIO("c\np i\nc\nc\n"), stdout=said, nosigint=True, readrc=False)
    debugger.use_rawinput = False
    first = shift.__kp_function__.__code__.co_firstlineno
    assert not debugger.set_break(__file__, first + 3)
    debugger.runcall(shift.python, floats(2), np.zeros(3, np.float32), threads=1)
    assert "y[i + 1] = x[i]" in said.getvalue()
    assert "np.int32(0)" in said.getvalue() or "(Pdb) 0" in said.getvalue()


def test_coverage_sees_the_lines() -> None:
    lines = set()
    first = shift.__kp_function__.__code__.co_firstlineno

    def trace(frame: Any, event: str, argument: Any) -> Any:
        if frame.f_code.co_filename == __file__ and event == "line":
            lines.add(frame.f_lineno - first)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        shift.python(floats(1), np.zeros(2, np.float32), threads=1)
    finally:
        sys.settrace(before)
    assert {2, 3} <= lines


def test_mistakes_raise_at_their_line() -> None:
    with pytest.raises(
        IndexError, match="element 2 of y was written, which has 2 elements"
    ) as raised:
        shift.python(floats(2), np.zeros(2, np.float32))
    last = traceback.extract_tb(raised.value.__traceback__)[-1]
    assert (last.name, last.line) == ("shift", "y[i + 1] = x[i]")

    @kp.jit
    def divided(x):
        i = kp.global_id()
        kp.check(x[i] < 5, "x is small", x[i])
        x[i] = 7 // x[i]

    with pytest.raises(ZeroDivisionError):
        divided.python(np.zeros(1, np.int32))
    with pytest.raises(AssertionError, match="x is small"):
        divided.python(np.full(1, 6, np.int32))

    @kp.jit
    def back(x):
        i = kp.global_id()
        x[i] = x[i - 1]

    with pytest.raises(IndexError, match="element -1 of x was read"):
        back.python(np.zeros(3, np.int32))


def test_barriers_that_not_all_reach_are_reported() -> None:
    def wait(flag):
        if flag:
            return
        kp.barrier()

    @kp.jit(local_size=4)
    def some(x):
        tile = kp.shared_array(4, kp.int32)
        tile[kp.local_id()] = x[kp.global_id()]
        wait(x[kp.global_id()] == 0)
        x[kp.global_id()] = tile[0]

    with pytest.raises(RuntimeError, match="barrier"):
        some.python(np.array([0, 1, 1, 1], np.int32))


@pytest.mark.parametrize("threads", [3, (2, 3), (2, 3, 4)])
def test_threads_are_those_of_a_call(threads: Any) -> None:
    @kp.jit
    def marked(x):
        axes = kp.global_size(0) * (kp.global_id(1) + kp.global_size(1) * kp.global_id(2))
        x[kp.global_id(0) + axes] += 1 + kp.local_id(1)

    both(marked, np.zeros(24, np.int32), threads=threads)


def test_wrong_arguments_are_refused() -> None:
    wrong: list[Callable[[], Any]] = [
        lambda: saxpy.python(1.0, floats()),
        lambda: saxpy.python(1.0, [1.0], floats()),
    ]
    for call in wrong:
        with pytest.raises(TypeError, match="saxpy"):
            call()
