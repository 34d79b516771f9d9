# SPDX-License-Identifier: Apache-2.0
"""ufunc.at and ufunc.reduceat, windows, grids by slices and functions of rows, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kp

RANDOM = np.random.default_rng(2)
UFUNCS = (np.add, np.subtract, np.multiply, np.maximum, np.minimum)
DTYPES = (np.float32, np.float64, np.int32, np.uint8, np.int64)

#: Shape, key and values.
KEYS: list[tuple[tuple[int, ...], Any, Any]] = [
    ((7,), np.array([0, 0, 3, 6, -1]), 2),
    ((7,), np.array([0, 0, 3, 6, -1]), np.array([1, 2, 3, 4, 5])),
    ((4, 5), (np.array([0, 0, 3]), np.array([1, 1, 4])), np.array([3, 3, 2])),
    ((4, 5), np.array([1, 1, 0]), np.arange(5)),
    ((4, 5), slice(None, None, 2), 3),
    ((4, 5), (slice(None), [1, 1]), 2),
    ((4,), np.array([], np.int64), 1),
    ((3,), np.array([True, False, True]), 2),
]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("ufunc", UFUNCS)
def test_at_changes_what_numpy_changes(ufunc: Any, dtype: Any) -> None:
    for shape, key, values in KEYS:
        a = RANDOM.integers(1, 9, shape).astype(dtype)
        x = kp.array(a)
        own = values.astype(dtype) if isinstance(values, np.ndarray) else values
        ufunc.at(a, key, own)
        assert ufunc.at(x, key, kp.array(own) if isinstance(own, np.ndarray) else own) is None
        np.testing.assert_allclose(x.numpy(), a, rtol=1e-6, err_msg=str(key))


def test_at_writes_to_views_and_refuses_what_does_not_fit() -> None:
    x = kp.zeros((3, 4), dtype=np.float32)
    np.add.at(x.T, [0, 0, 3], 1)
    assert x[:, 0].tolist() == [2, 2, 2] and x[:, 3].tolist() == [1, 1, 1]
    with pytest.raises(TypeError, match="cannot take values of float64"):
        np.add.at(kp.arange(3), [0], 1.5)
    with pytest.raises(IndexError, match="index 5"):
        np.add.at(x, [5], 1)
    with pytest.raises(TypeError, match="divide.at"):
        np.divide.at(x, [0], 1)
    with pytest.raises(ValueError, match="read-only"):
        np.add.at(kp.broadcast_to(x[:1], (3, 4)), [0], 1)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("ufunc", [np.add, np.multiply, np.maximum, np.minimum])
def test_reduceat_is_that_of_numpy(ufunc: Any, dtype: Any) -> None:
    a = RANDOM.integers(1, 5, (6, 4)).astype(dtype)
    for axis in (0, 1, -1):
        for indices in ([0, 2], [1, 1, 0, 3], [3, 2, 1], [0]):
            expected = ufunc.reduceat(a, indices, axis=axis)
            found = ufunc.reduceat(kp.array(a), indices, axis=axis)
            assert found.dtype == expected.dtype
            np.testing.assert_allclose(found.numpy(), expected, rtol=1e-6)
    with pytest.raises(IndexError, match="from 0 to 5"):
        ufunc.reduceat(kp.array(a), [6])
    with pytest.raises(TypeError, match="subtract.reduceat"):
        np.subtract.reduceat(kp.array(a), [0])


def test_windows_slide_as_those_of_numpy() -> None:
    function = np.lib.stride_tricks.sliding_window_view
    a = np.arange(12.0).reshape(3, 4)
    x = kp.array(a)
    for window, axis in (((2, 2), None), (2, 1), ((2, 2), (0, 0)), (3, -1)):
        found = function(x, window, axis)
        np.testing.assert_array_equal(found.numpy(), function(a, window, axis))
        assert kp.shares_memory(found, x)
        with pytest.raises(ValueError, match="read-only"):
            found[...] = 0
    for wrong in (5, (2, 2, 2)):
        with pytest.raises(ValueError, match="window"):
            kp.sliding_window_view(x, wrong, 1 if wrong == 5 else None)


def test_functions_of_rows_are_applied_along_an_axis() -> None:
    a = np.arange(12.0).reshape(3, 4)
    x = kp.array(a)
    for function in (
        lambda xp, row: row.sum(),
        lambda xp, row: row[:2] * 2,
        lambda xp, row: xp.outer(row, row),
    ):
        for axis in (0, 1, -1):
            expected = np.apply_along_axis(lambda row, f=function: f(np, row), axis, a)
            found = np.apply_along_axis(lambda row, f=function: f(kp, row), axis, x)
            np.testing.assert_array_equal(found.numpy(), expected)


def test_grids_by_slices_polynomials_and_rounded_numbers() -> None:
    np.testing.assert_array_equal(kp.mgrid[0:3, 0:1:5j].numpy(), np.mgrid[0:3, 0:1:5j])
    for found, expected in zip(kp.ogrid[0:3, 0:1:5j], np.ogrid[0:3, 0:1:5j], strict=True):
        np.testing.assert_array_equal(found.numpy(), expected)
    x = np.arange(5.0)
    found = np.polyfit(kp.array(x), kp.array(3 * x**2 - x), 2)
    np.testing.assert_allclose(found.numpy(), [3, -1, 0], atol=1e-12)
    value = kp.array([1.2345])[0]
    assert round(value, 2) == 1.23 and round(value) == 1
    assert isinstance(round(value), int)
