# SPDX-License-Identifier: Apache-2.0
"""Kernels in functions of arrays that are captured, and in programs of such functions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kp

AXPY = kp.kernel("kernel void axpy(float a, in float x[], in float y[], out float z[]) {"
                 " z[i] = a * x[i] + y[i]; }")  # fmt: skip
DOUBLE = kp.kernel("kernel void twice(inout float x[]) { x[i] *= 2; }")


@kp.jit
def gathered(x: Any, indices: Any, y: Any) -> None:
    i = kp.global_id()
    y[i] = x[indices[i]]


def floats(*numbers: float) -> kp.Array:
    return kp.array(numbers, dtype="float32")


def numbers(seed: int, count: int = 100) -> np.ndarray[Any, Any]:
    return np.random.default_rng(seed).standard_normal(count).astype(np.float32)


def test_kernels_are_replayed_with_other_arrays() -> None:
    calls = []

    @kp.function
    def step(x: kp.Array, y: kp.Array) -> Any:
        calls.append(1)
        z = AXPY(2.0, x + 1, y)
        return z, AXPY(0.5, z, x).sum()

    kept = []
    for seed in range(12):
        x, y = numbers(seed), numbers(seed + 100)
        kept.append((x, y, step(kp.asarray(x), kp.asarray(y))))
    for x, y, (z, total) in kept:
        expected = 2 * (x + 1) + y
        np.testing.assert_allclose(z.numpy(), expected, rtol=1e-6)
        np.testing.assert_allclose(float(total), (expected / 2 + x).sum(), rtol=1e-4)
    assert len(calls) == 1
    step.clear()  # the kernel keeps nothing of the trace
    np.testing.assert_allclose(AXPY(1.0, floats(1), floats(2)).numpy(), [3])


def test_kernels_change_arguments_and_other_arrays_in_place() -> None:
    other = floats(1, 2)

    @kp.function
    def step(x: kp.Array) -> kp.Array:
        DOUBLE(x)
        DOUBLE(other)
        return x + other

    for factor in (2, 4, 8):
        x = floats(1, 10)
        np.testing.assert_array_equal(step(x).numpy(), [2 + factor, 20 + 2 * factor])
        np.testing.assert_array_equal(x.numpy(), [2, 20])
        np.testing.assert_array_equal(other.numpy(), [factor, 2 * factor])


def test_kernels_take_views_and_jit_functions_take_indices() -> None:
    @kp.function
    def step(x: kp.Array, indices: kp.Array) -> kp.Array:
        y = x.copy()
        DOUBLE(y[::2])
        found = kp.zeros_like(y)
        gathered(y[::-1], indices, found)
        return found

    for seed in (1, 2, 3):
        x = numbers(seed, 7)
        indices = np.random.default_rng(seed).integers(0, 7, 7).astype(np.int32)
        expected = x.copy()
        expected[::2] *= 2
        np.testing.assert_array_equal(
            step(kp.asarray(x), kp.asarray(indices)).numpy(), expected[::-1][indices]
        )


def test_kernels_and_their_results_are_saved_in_programs(tmp_path: Path) -> None:
    path = tmp_path / "step.kp"
    weights = floats(*range(100))

    @kp.function
    def step(x: kp.Array) -> dict[str, kp.Array]:
        y = AXPY(3.0, x, weights)
        DOUBLE(y)
        return {"y": y, "total": y.sum()}

    step.save(path, kp.zeros(100, dtype="float32"))
    program = kp.Program.load(path)
    for seed in (1, 2, 3):
        x = numbers(seed)
        found = program(x=x)
        assert isinstance(found, dict)
        expected = 2 * (3 * x + np.arange(100, dtype=np.float32))
        np.testing.assert_allclose(found["y"].numpy(), expected, rtol=1e-6)
        np.testing.assert_allclose(float(found["total"]), expected.sum(), rtol=1e-5)


def test_kernels_without_arrays_make_arrays() -> None:
    ramp = kp.kernel("kernel void ramp(float a, out float y[]) { y[i] = a * float(i); }")

    @kp.function
    def step(x: kp.Array) -> kp.Array:
        made: kp.Array = ramp(2.0, threads=3)
        return x + made

    for start in (1.0, 5.0):
        np.testing.assert_array_equal(step(floats(start)).numpy(), [start, start + 2, start + 4])


def test_kernels_that_need_the_host_are_refused() -> None:
    @kp.function
    def uploads(x: kp.Array) -> Any:
        return AXPY(1.0, np.ones(2, np.float32), x)

    with pytest.raises(kp.InvalidArgument, match=r"cannot be captured.*test_captured_kernels\.py"):
        uploads(floats(1, 2))
    event = kp.UserEvent()

    @kp.function
    def waits(x: kp.Array) -> Any:
        return AXPY(1.0, x, x, wait_for=[event])

    with pytest.raises(kp.InvalidArgument, match="waits for events cannot be captured"):
        waits(floats(1, 2))
    event.set()
    np.testing.assert_array_equal(AXPY(1.0, floats(1), floats(2)).numpy(), [3])
