# SPDX-License-Identifier: Apache-2.0
"""Methods of NumPy's ufuncs that have no function of their own: at() and reduceat()."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from group_support import make_group

import kp

TYPES = ["int32", "uint8", "int64", "float16", "float32", "float64"]
COMBINING = [np.add, np.subtract, np.multiply, np.maximum, np.minimum]
BITS = [np.bitwise_and, np.bitwise_or, np.bitwise_xor]


def numbers(shape: tuple[int, ...], dtype: str, seed: int = 3) -> Any:
    return np.random.default_rng(seed).integers(1, 4, shape).astype(dtype)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("ufunc", COMBINING + BITS, ids=lambda each: each.__name__)
def test_at_counts_every_index(ufunc: Any, dtype: str) -> None:
    if ufunc in BITS and np.dtype(dtype).kind == "f":
        return
    host = numbers((20,), dtype)
    ours = kp.array(host)
    indices = np.array([3, -1, 3, 0, 3, 19, 7])
    values = numbers((7,), dtype, 4)
    ufunc.at(host, indices, values)
    ufunc.at(ours, indices, values)
    np.testing.assert_array_equal(ours.numpy(), host)
    ufunc.at(host, indices, 2)
    ufunc.at(ours, kp.array(indices), 2)
    np.testing.assert_array_equal(ours.numpy(), host)


def test_at_takes_all_keys_and_views() -> None:
    host = numbers((6, 5), "float32")
    ours = kp.array(host)
    mask = host > 2
    for key in (
        ([0, 0, 3], [1, 1, 2]),
        (slice(None), [0, 0, 4]),
        mask,
        slice(1, 4),
        (..., 2),
        ([],),
    ):
        np.add.at(host, key, 1.5)
        np.add.at(ours, key, 1.5)
        np.testing.assert_array_equal(ours.numpy(), host)
    np.add.at(host[::2, ::-1], ([1, 1], [0, 0]), [10, 20])
    np.add.at(ours[::2, ::-1], ([1, 1], [0, 0]), [10, 20])
    np.testing.assert_array_equal(ours.numpy(), host)
    with pytest.raises(IndexError):
        np.add.at(ours, [9], 1)
    with pytest.raises(TypeError, match="cannot take values of float"):
        np.add.at(kp.array([1, 2]), [0], 1.5)
    with pytest.raises(TypeError, match="divide"):
        np.divide.at(ours, [0], 2)


@pytest.mark.parametrize("indices", [[0, 3, 5], [2, 2, 1, 6], [0], [6, 0]])
@pytest.mark.parametrize("dtype", TYPES)
def test_reduceat(dtype: str, indices: list[int]) -> None:
    for shape, axis in (((7,), 0), ((7, 3), 0), ((3, 7), 1), ((2, 7, 3), -2)):
        host = numbers(shape, dtype)
        for ufunc in (np.add, np.multiply, np.maximum, np.minimum):
            theirs = ufunc.reduceat(host, indices, axis=axis)
            ours = ufunc.reduceat(kp.array(host), indices, axis=axis)
            np.testing.assert_array_equal(ours.numpy(), theirs)
            assert ours.dtype == theirs.dtype


def test_reduceat_refuses_what_is_no_index() -> None:
    with pytest.raises(IndexError, match="from 0 to 2"):
        np.add.reduceat(kp.array([1, 2, 3]), [0, 3])
    with pytest.raises(TypeError, match="list of indices"):
        np.add.reduceat(kp.array([1, 2, 3]), [0.5])


def test_reduceat_of_groups() -> None:
    with make_group() as group:
        x = kp.array(np.arange(8.0), group=group)
        np.testing.assert_array_equal(
            np.add.reduceat(x, [0, 3, 6]).numpy(), np.add.reduceat(np.arange(8.0), [0, 3, 6])
        )


def test_round_of_an_array_without_axes_is_a_number() -> None:
    x = kp.array([1.256, -2.5])
    assert round(x[0], 2) == 1.26
    assert round(x[1]) == -2
    assert isinstance(round(x[1]), int)
    with pytest.raises(TypeError, match=r"kp.round\(\)"):
        round(x)
