# SPDX-License-Identifier: Apache-2.0
"""Convolutions and correlations of rows, by each method, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import kp

MODES = ("full", "same", "valid")
#: Lengths around what an invocation, a work group and its shared memory hold.
LENGTHS = [(1, 1), (5, 2), (97, 61), (1000, 129), (2100, 1500), (20000, 40)]


def _row(dtype: str, length: int) -> np.ndarray:
    rng = np.random.default_rng(length)
    values = rng.integers(-3, 4, length).astype(dtype)
    return values + 1j * rng.integers(-3, 4, length).astype(dtype) if dtype in "FD" else values


def _error(dtype: str) -> float:
    return {"e": 2e-3, "f": 1e-5, "F": 1e-5, "d": 1e-12, "D": 1e-12}.get(dtype, 0)


@pytest.mark.parametrize("lengths", LENGTHS, ids=str)
@pytest.mark.parametrize("dtype", "?bBhHilLefdFD")
def test_each_method_computes_what_numpy_computes(dtype: str, lengths: tuple[int, int]) -> None:
    a, v = (_row(dtype, length) for length in lengths)
    methods = ("auto", "direct", "fft") if dtype in "efdFD" else ("auto", "direct")
    for first, second in ((a, v), (v, a)):
        for mode in MODES:
            for name in ("convolve", "correlate"):
                expected = getattr(np, name)(first, second, mode)
                largest = float(np.abs(expected).max())
                for method in methods:
                    found = getattr(kp, name)(kp.array(first), second, mode, method=method)
                    assert found.dtype == expected.dtype
                    np.testing.assert_allclose(
                        found.numpy(), expected, rtol=0, atol=_error(dtype) * (largest + 1)
                    )


def test_views_and_rows_of_one_memory_are_convolved() -> None:
    a = np.arange(600.0, dtype=np.float32)
    x = kp.array(a)
    np.testing.assert_allclose(kp.convolve(x, x).numpy(), np.convolve(a, a), rtol=1e-5)
    np.testing.assert_allclose(
        kp.convolve(x[::-2], x[5:9]).numpy(), np.convolve(a[::-2], a[5:9]), rtol=1e-5
    )
    np.testing.assert_allclose(
        kp.correlate(x[3:90:3] + 1, x[4::-1]).numpy(), np.correlate(a[3:90:3] + 1, a[4::-1])
    )


def test_what_is_not_finite_stays_where_numpy_has_it_in_direct_sums() -> None:
    a = np.ones(3000, np.float32)
    v = np.ones(200, np.float32)
    a[100], v[0], v[-1] = np.nan, np.inf, -np.inf
    for mode in MODES:
        for first, second in ((a, v), (v, a)):
            found = kp.convolve(kp.array(first), second, mode, method="direct").numpy()
            np.testing.assert_array_equal(found, np.convolve(first, second, mode))


def test_long_rows_of_equal_length_give_single_sums() -> None:
    a = np.random.default_rng(3).random(100_000)
    found = kp.correlate(kp.array(a), a, method="direct")
    np.testing.assert_allclose(found.numpy(), np.correlate(a, a), rtol=1e-12)


def test_blocks_are_transformed_a_part_at_a_time() -> None:
    length = (1 << 24) + 12_345
    places = [0, 4_095, 4_096, 8_000_000, (1 << 24) - 1, length - 1]
    a = np.zeros(length, np.float32)
    a[places] = np.arange(1, 7)
    v = np.random.default_rng(4).random(500, np.float32)
    expected = np.zeros(length + 499, np.float32)
    for place in places:
        expected[place : place + 500] += a[place] * v
    found = kp.convolve(kp.array(a), v, method="fft").numpy()
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5)


def test_methods_that_do_not_fit_are_refused() -> None:
    x = kp.arange(10)
    with pytest.raises(kp.InvalidArgument, match='method is one of "auto", "direct", "fft"'):
        kp.convolve(x, x, method="best")
    with pytest.raises(kp.InvalidArgument, match="not int64, whose sums they would round"):
        kp.correlate(x, x, method="fft")
    with pytest.raises(kp.InvalidArgument, match='mode is one of "full", "same", "valid"'):
        kp.convolve(x, x, "half")
