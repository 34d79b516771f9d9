# SPDX-License-Identifier: Apache-2.0
"""Functions of arrays that are traced once and replayed: kp.function."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import kp

SCALE = 2.0


def array(*values: float) -> kp.Array:
    return kp.array(np.float32(values))


def test_computes_what_the_function_computes() -> None:
    calls = []

    @kp.function
    def step(u: kp.Array, v: kp.Array) -> tuple[kp.Array, kp.Array]:
        """One step."""
        calls.append(1)
        return kp.sin(u) + v, (u * v).sum()

    for i in range(5):
        u, v = array(i, 2, 3), array(1, i, 5)
        first, second = step(u, v)
        assert np.allclose(first.numpy(), np.sin(u.numpy()) + v.numpy(), rtol=1e-5)
        assert float(second) == float((u * v).sum())
    assert calls == [1]
    assert step.__name__ == "step" and step.__doc__ == "One step."


def test_a_loop_goes_on_with_its_results() -> None:
    @kp.function
    def step(u: kp.Array, v: kp.Array) -> tuple[kp.Array, kp.Array]:
        return v, u + v

    u, v = array(0), array(1)
    for _ in range(20):
        u, v = step(u, v)
    assert float(u[0]) == 6765


def test_arguments_and_results_have_structures() -> None:
    calls = []

    @kp.function
    def f(state: dict[str, Any], factor: float, *, names: tuple[str, ...] = ()) -> dict[str, Any]:
        calls.append(factor)
        return {"x": [state["x"] * factor, state["y"][0]], "names": names, "same": state["x"]}

    x, y = array(1, 2), array(3)
    for factor in (2.0, 3.0, 2.0, 0.0, -0.0):
        found = f({"x": x, "y": (y,)}, factor, names=("a",))
        assert found["x"][0].numpy().tolist() == [factor, 2 * factor]
        assert found["x"][1].numpy().tolist() == [3]
        assert found["names"] == ("a",)
        assert found["same"] is x
    assert [str(each) for each in calls] == ["2.0", "3.0", "0.0", "-0.0"]
    with pytest.raises(TypeError, match="Pass NumPy arrays as kp.asarray"):
        f({"x": np.ones(2), "y": (y,)}, 2.0)


def test_traces_again_for_other_shapes_types_and_views() -> None:
    calls = []

    @kp.function
    def f(x: kp.Array) -> kp.Array:
        calls.append(x.shape)
        return x + 1

    table = kp.array(np.arange(12, dtype=np.int32).reshape(3, 4))
    for x in (table, table.T, table[::2], table[1], table[1], kp.array([1.5]), table):
        assert np.array_equal(f(x).numpy(), x.numpy() + 1)
    assert len(calls) == 5


def test_changes_arguments_in_place() -> None:
    @kp.function
    def f(x: kp.Array) -> kp.Array:
        x += 1
        x[0] = 9
        return x

    x = array(1, 2)
    kept = x * 10
    for expected in ([9, 3], [9, 4], [9, 5]):
        assert f(x) is x
        assert x.numpy().tolist() == expected
    assert kept.numpy().tolist() == [10, 20]


def test_constants_that_change_are_traced_again() -> None:
    global SCALE
    weights = array(1, 2)

    @kp.function
    def f(x: kp.Array) -> kp.Array:
        return x * weights * SCALE

    x = array(1, 1)
    assert f(x).numpy().tolist() == [2, 4]
    weights[0] = 5
    assert f(x).numpy().tolist() == [10, 4]
    weights = array(7, 8)
    assert f(x).numpy().tolist() == [14, 16]
    SCALE = 3.0
    try:
        assert f(x).numpy().tolist() == [21, 24]
    finally:
        SCALE = 2.0


def test_numbers_in_the_function_are_the_same_each_time() -> None:
    @kp.function
    def f(x: kp.Array) -> kp.Array:
        start = kp.array(np.float32([1, 2]))
        start += x
        return start + np.float32([10, 20])

    for _ in range(3):
        assert f(array(1, 1)).numpy().tolist() == [12, 23]


def test_replays_functions_that_are_primitives() -> None:
    @kp.function
    def f(x: kp.Array, a: kp.Array) -> tuple[kp.Array, ...]:
        return kp.sort(x), kp.cumulative_sum(x), a @ x, kp.fft.fft(x), kp.argsort(x)

    rng = np.random.default_rng(1)
    for _ in range(3):
        x = rng.standard_normal(64).astype(np.float32)
        a = rng.standard_normal((64, 64)).astype(np.float32)
        given = kp.array(x), kp.array(a)
        expected = [np.sort(x), np.cumsum(x), a @ x, np.fft.fft(x), np.argsort(x)]
        for found, value in zip(f(*given), expected, strict=True):
            assert np.allclose(found.numpy(), value, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize(
    "body",
    [
        lambda x: x * float(x[0]),
        lambda x: x if x[0] > 0 else -x,
        lambda x: x[x > 0],
        lambda x: x + np.asarray(x),
        lambda x: kp.array(x.tolist()),
        lambda x: x * kp.random.default_rng(1).random(2, dtype=np.float32),
        lambda x: x * kp.random.default_rng(1).gumbel(size=2, dtype=np.float32),
        lambda x: x * kp.random.default_rng(1).permutation(2),
    ],
)
def test_what_needs_the_host_names_the_line(body: Any) -> None:
    captured = kp.function(body)
    line = body.__code__.co_firstlineno
    with pytest.raises(
        kp.InvalidArgument, match=rf"cannot be captured.*line {line} of .*test_function"
    ):
        captured(array(1, 2))
    assert float(array(1, 2).sum()) == 3, "afterwards, nothing is captured"


def test_errors_that_the_function_catches_are_not_forgotten() -> None:
    @kp.function
    def f(x: kp.Array) -> kp.Array:
        try:
            return x * float(x[0])
        except kp.InvalidArgument:
            return x

    with pytest.raises(kp.InvalidArgument, match="cannot be captured"):
        f(array(1, 2))


def test_exceptions_of_the_function_end_the_trace() -> None:
    @kp.function
    def f(x: kp.Array, fails: bool) -> kp.Array:
        y = x * 2
        if fails:
            raise KeyError("no")
        return y

    with pytest.raises(KeyError, match="no"):
        f(array(1), True)
    assert f(array(1), False).numpy().tolist() == [2]


def test_arrays_that_outlive_the_function_are_refused() -> None:
    kept = []

    @kp.function
    def f(x: kp.Array) -> kp.Array:
        kept.append(x + 1)
        return x

    with pytest.raises(kp.InvalidArgument, match="keeps an array that it made"):
        f(array(1, 2))


def test_is_a_part_of_other_functions_and_a_method() -> None:
    inner = kp.function(lambda x: x * x)

    class Model:
        def __init__(self, factor: float) -> None:
            self.factor = factor

        @kp.function
        def run(self, x: kp.Array) -> kp.Array:
            return inner(x) * self.factor

    first, second = Model(2), Model(3)
    for _ in range(2):
        assert first.run(array(1, 2)).numpy().tolist() == [2, 8]
        assert second.run(array(1, 2)).numpy().tolist() == [3, 12]


def test_runs_in_threads() -> None:
    @kp.function
    def f(x: kp.Array, y: kp.Array) -> kp.Array:
        return kp.sqrt(x) + y

    wrong = []

    def work(base: int) -> None:
        for i in range(base, base + 20):
            if f(array(i * i), array(i)).numpy().tolist() != [2 * i]:
                wrong.append(i)

    threads = [threading.Thread(target=work, args=(100 * t,)) for t in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
