# SPDX-License-Identifier: Apache-2.0
"""kp.while_loop: loops of array functions that the device ends."""

from pathlib import Path
from typing import Any

import kp
import numpy as np
import pytest


def number(value: float) -> kp.Array:
    return kp.asarray(np.float32(value))


def doubled(x: Any, most: int = 50) -> Any:
    """Double x until it has an element of 100, and count."""
    return kp.while_loop(
        lambda state: state[0].max() < 100,
        lambda state: (state[0] * 2, state[1] + 1),
        (x, number(0)),
        most,
    )


def test_a_loop_ends_once_its_condition_does_not_hold() -> None:
    for first, steps in ((1.0, 6), (70.0, 0), (300.0, 0), (1e-6, 26)):
        x = kp.array([first, 2 * first], dtype=np.float32)
        found, counted = doubled(x)
        assert float(counted) == steps
        np.testing.assert_array_equal(found.numpy(), x.numpy() * 2**steps)
    assert float(doubled(kp.array([0.0]), 20)[1]) == 20


def test_a_state_is_any_structure_of_arrays() -> None:
    def body(state: Any) -> Any:
        u, (v,) = state["u"], state["v"]
        return {"u": u + v, "v": [v]}

    start = {"u": number(0), "v": [number(2)]}
    found = kp.while_loop(lambda state: state["u"] < 7, body, start, 10)
    assert float(found["u"]) == 8 and float(found["v"][0]) == 2
    assert float(start["u"]) == 0
    assert float(kp.while_loop(lambda x: x < 5, lambda x: x + 1, number(0), 10)) == 5


def test_a_state_of_several_shapes() -> None:
    a, b = np.array([1.0, 2.0, 3.0], np.float32), np.array([10.0, 20.0, 30.0], np.float32)
    count, x, y, rows = kp.while_loop(
        lambda state: state[0] < 7,
        lambda state: (state[0] + 1, state[2], state[1] + state[2], state[3] + state[1]),
        (number(0), kp.array(a), kp.array(b), kp.zeros((2, 3), dtype=np.float32)),
        10,
    )
    total = np.zeros((2, 3), np.float32)
    for _ in range(7):
        a, b, total = b, a + b, total + a
    assert float(count) == 7
    for found, expected in ((x, a), (y, b), (rows, total)):
        np.testing.assert_array_equal(found.numpy(), expected)


def test_arrays_that_are_changed_in_place() -> None:
    x = kp.zeros(3)

    def body(state: Any) -> Any:
        y, count = state
        y += count
        y[0] = -1
        count += 1
        return y, count

    found, count = kp.while_loop(lambda state: state[1] < 4, body, (x, number(0)), 10)
    assert found.tolist() == [-1, 6, 6] and float(count) == 4
    assert x.tolist() == [0, 0, 0]


def test_loops_in_captured_functions() -> None:
    weights = kp.array([1.0, 3.0])

    @kp.function
    def f(x: kp.Array) -> Any:
        scaled = x * 0.5
        found, count = doubled(scaled)
        return found + weights * scaled, count

    for first in (1.0, 3.0, 500.0, 1.0):
        x = kp.array([first, 2.0])
        found, count = f(x)
        expected, steps = doubled(x * 0.5)
        assert float(count) == float(steps)
        np.testing.assert_array_equal(found.numpy(), (expected + weights * x * 0.5).numpy())


def test_loops_in_programs(tmp_path: Path) -> None:
    @kp.function
    def root(x: kp.Array) -> kp.Array:
        def better(state: Any) -> Any:
            y, _ = state
            after = (y + x / y) / 2
            return after, abs(after - y).max()

        return kp.while_loop(
            lambda state: state[1] > 1e-6, better, (x, kp.asarray(np.float32(1))), 30
        )[0]

    x = np.array([2, 9, 100], np.float32)
    root.save(tmp_path / "root.kp", kp.array(x))
    found = kp.Program.load(tmp_path / "root.kp")(x=kp.array(4 * x))
    np.testing.assert_allclose(found.numpy(), np.sqrt(4 * x), rtol=1e-6)


def test_a_body_that_needs_numbers_names_the_line() -> None:
    def body(x: kp.Array) -> kp.Array:
        return x * float(x.sum())

    line = body.__code__.co_firstlineno + 1
    kept = []
    for run in (lambda x: kp.while_loop(lambda x: x.sum() < 9, body, x, 3), kp.function(body)):
        with pytest.raises(kp.InvalidArgument, match=rf"cannot be captured.*\(line {line} of"):
            run(kp.array([1.0, 2.0]))
    with pytest.raises(kp.InvalidArgument, match="keeps an array that it made"):
        kp.while_loop(lambda x: x < 9, lambda x: kept.append(x + 1) or x + 1, number(0), 3)


def test_what_a_loop_cannot_mean_is_named() -> None:
    x = kp.array([1.0, 2.0])

    def loop(condition: Any, body: Any, start: Any = x, most: Any = 3) -> Any:
        return kp.while_loop(condition, body, start, most)

    def holds(x: Any) -> Any:
        return x.sum() < 9

    with pytest.raises(TypeError, match=r"but state\[1\] is of the type int; pass kp.asarray"):
        loop(holds, lambda x: x, (x, 1))
    with pytest.raises(TypeError, match=r"the body's result is of the type float"):
        loop(holds, lambda x: 1.0)
    with pytest.raises(TypeError, match="another structure"):
        loop(holds, lambda x: (x,))
    with pytest.raises(TypeError, match="returns an array, not bool"):
        loop(lambda x: True, lambda x: x)
    with pytest.raises(kp.InvalidArgument, match=r"one element, not an array of shape \(2,\)"):
        loop(lambda x: x < 1, lambda x: x)
    with pytest.raises(kp.InvalidArgument, match=r"the body returns \(1,\) and float64"):
        loop(holds, lambda x: x[:1])
    with pytest.raises(kp.InvalidArgument, match="at least one array"):
        loop(holds, lambda x: x, ())
    for most in (0, -1, 2**32):
        with pytest.raises(ValueError, match=f"most is from 1 to 2\\*\\*32 - 1, not {most}"):
            loop(holds, lambda x: x, most=most)
    with pytest.raises(TypeError):
        loop(holds, lambda x: x, most=2.5)
    with pytest.raises(ZeroDivisionError):
        loop(holds, lambda x: x / (1 // 0))
    with pytest.raises(kp.InvalidArgument, match="within another loop"):
        loop(holds, lambda x: loop(holds, lambda y: y + 1, x))
    assert x.tolist() == [1, 2]


def test_loops_within_loops_say_what_to_do(tmp_path: Path) -> None:
    def inner(x: kp.Array) -> kp.Array:
        return kp.while_loop(lambda y: y.sum() < 9, lambda y: y + 1, x, 3)

    def outer(x: kp.Array) -> kp.Array:
        return kp.while_loop(lambda y: y.sum() < 99, inner, x, 3)

    def solved(x: kp.Array) -> kp.Array:
        a = kp.sparse.eye_array(2, dtype=np.float64) * 2
        return kp.while_loop(lambda y: y.sum() < 9, lambda y: kp.sparse.linalg.cg(a, y)[0], x, 3)

    x = kp.array([1.0, 2.0])
    message = "within another loop.*a Python for, or kp.where"
    for run in (outer, kp.function(outer), lambda x: kp.function(outer).save(tmp_path / "a.kp", x)):
        with pytest.raises(kp.InvalidArgument, match=message):
            run(x)
    with pytest.raises(kp.InvalidArgument, match="cannot be captured|within another loop"):
        solved(x)

    def masked(x: kp.Array) -> kp.Array:
        for _ in range(3):
            x = kp.where(x.sum() < 9, x + 1, x)
        return x * 2

    both = kp.function(lambda x: kp.while_loop(lambda y: y.sum() < 99, masked, x, 3))
    both.save(tmp_path / "both.kp", x)
    for run in (both, lambda x: kp.Program.load(tmp_path / "both.kp")(x=x)):
        np.testing.assert_array_equal(run(x).numpy(), [32, 40])
