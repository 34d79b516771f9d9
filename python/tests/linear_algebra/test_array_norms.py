# SPDX-License-Identifier: Apache-2.0
"""Norms of vectors and matrices beside NumPy's."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import kp

RANDOM = np.random.default_rng(11)
INF = float("inf")
#: Orders that vectors, matrices, or neither have.
ORDERS: tuple[Any, ...] = (None, 0, 1, -1, 2, -2, 3, 2.5, -1.5, INF, -INF, "fro", "nuc", "f", "two")


def values(dtype: str, shape: tuple[int, ...]) -> np.ndarray:
    made: Any = RANDOM.integers(1 if dtype == "B" else -9, 9, shape)
    made[made == 0] = 3
    if np.dtype(dtype).kind == "c":
        made = made + 1j * RANDOM.integers(-9, 9, shape)
    return np.asarray(made / (1 if np.dtype(dtype).kind in "iu" else 4)).astype(dtype)


def check(a: np.ndarray, *given: Any, **named: Any) -> None:
    try:
        expected = np.asarray(np.linalg.norm(a, *given, **named))
    except ValueError:
        with pytest.raises((ValueError, TypeError)):
            kp.linalg.norm(kp.array(a), *given, **named)
        return
    found = kp.linalg.norm(kp.array(a), *given, **named)
    assert found.shape == expected.shape
    assert found.dtype == expected.dtype
    rtol = {2: 4e-3, 4: 1e-5, 8: 1e-9}[expected.dtype.itemsize]
    np.testing.assert_allclose(found.numpy(), expected, rtol=rtol)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "i4"])
@pytest.mark.parametrize("ord", ORDERS)
def test_norms_are_numpys(dtype: str, ord: Any) -> None:
    for shape, keepdims in itertools.product(((7,), (4, 5), (5, 4), (2, 3, 4)), (False, True)):
        a = values(dtype, shape)
        check(a, ord, keepdims=keepdims)
        for axis in (0, -1, (0, 1), (1, 0), (-1, 0), (0, 0), (0, 1, 2)):
            if np.max(np.abs(axis)) <= len(shape):
                check(a, ord, axis, keepdims)


@pytest.mark.parametrize("dtype", ["f2", "b1", "i1", "B", "i8", "c16"])
def test_norms_of_other_types_have_numpys(dtype: str) -> None:
    a = values(dtype, (4, 6))
    for ord in (None, 1, INF, 0, 3):
        check(a, ord, 1)
        check(a[1], ord)
    for ord in (None, 1, -INF):
        check(a, ord)
    # NumPy has no singular values of half precision: they are rounded to it.
    assert kp.linalg.norm(kp.array(a), 2).dtype == np.linalg.norm(a).dtype


def test_norms_of_half_precision_do_not_overflow_on_the_way() -> None:
    a = kp.array(np.full(100, 300, np.float16))
    for found in (kp.linalg.norm(a), kp.linalg.vector_norm(a)):
        assert found.dtype == np.float16
        assert float(found) == 3000


def test_matrix_norms_are_those_of_the_last_axes() -> None:
    a = values("f4", (2, 3, 4))
    for ord, keepdims in itertools.product(("fro", 1, -INF, 2, "nuc"), (False, True)):
        found = kp.linalg.matrix_norm(kp.array(a), ord=ord, keepdims=keepdims)
        expected = np.linalg.matrix_norm(a, ord=ord, keepdims=keepdims)
        assert found.shape == expected.shape
        np.testing.assert_allclose(found.numpy(), expected, rtol=1e-5)
    with pytest.raises((ValueError, IndexError)):
        kp.linalg.matrix_norm(kp.array([1.0, 2.0]))


def test_norms_without_elements_are_numpys() -> None:
    a = np.zeros((0, 3), np.float32)
    for ord, axis in ((None, None), (None, 1), (None, 0), (1, 0), ("fro", None)):
        check(a, ord, axis)
    assert kp.linalg.norm(kp.array(a), INF, 0).tolist() == [0, 0, 0]  # as NumPy from 2.3 on
    with pytest.raises(ValueError, match="min of no elements"):
        kp.linalg.norm(kp.array(a), -INF, 0)


def test_orders_that_norms_do_not_have_name_those_that_they_have() -> None:
    with pytest.raises(ValueError, match="ord of a matrix's norm is 'fro'.*not 3"):
        kp.linalg.norm(kp.ones((2, 2)), 3)
    with pytest.raises(ValueError, match="ord of a vector's norm is a number, not 'fro'"):
        kp.linalg.norm(kp.ones(2), "fro")
    with pytest.raises(ValueError, match="one axis.*two.*not of 3 axes"):
        kp.linalg.norm(kp.ones((2, 2, 2)), 1)
