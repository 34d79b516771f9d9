# SPDX-License-Identifier: Apache-2.0
"""Sorting as operations and as plain functions, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import kp

RANDOM = np.random.default_rng(7)


@pytest.fixture(scope="module")
def mgr() -> kp.Manager:
    return kp.Manager()


@pytest.mark.parametrize("dtype", [np.float32, np.uint8, np.int64])
def test_sort_and_argsort_agree_with_numpy(mgr, dtype) -> None:
    for shape in [(500,), (7, 30), (2, 3, 1500)]:
        array = RANDOM.integers(0, 100, shape).astype(dtype)
        tensor = mgr.tensor_t(array)
        for axis in [-1, len(shape) - 1, None]:
            given = kp.sort(tensor, axis)
            assert given.dtype == array.dtype
            np.testing.assert_array_equal(given.numpy(), np.sort(array, axis))
            indices = kp.argsort(tensor, axis)
            assert indices.dtype == np.int64
            np.testing.assert_array_equal(indices.numpy(), np.argsort(array, axis, kind="stable"))


def test_nan_is_last_or_first_if_descending(mgr) -> None:
    tensor = mgr.tensor_t(np.array([1, np.nan, -np.inf, 5], np.float32))
    np.testing.assert_array_equal(kp.sort(tensor).numpy(), [-np.inf, 1, 5, np.nan])
    np.testing.assert_array_equal(kp.sort(tensor, descending=True).numpy(), [np.nan, 5, 1, -np.inf])


@pytest.mark.parametrize("count", [50, 3000])
def test_zeros_of_both_signs_are_equal_to_indices(mgr, count) -> None:
    array = RANDOM.choice(np.array([0.0, -0.0, 1.0, -1.0], np.float32), count)
    tensor = mgr.tensor_t(array)
    order = np.argsort(array, kind="stable")
    np.testing.assert_array_equal(kp.argsort(tensor).numpy(), order)
    np.testing.assert_array_equal(kp.argsort(kp.array(array)).numpy(), order)
    other = RANDOM.integers(0, 5, count)
    np.testing.assert_array_equal(
        kp.lexsort((kp.array(other), kp.array(array))).numpy(), np.lexsort((other, array))
    )
    for ours, theirs in zip(
        kp.unique(tensor, True, True, True), np.unique(array, True, True, True)
    ):
        np.testing.assert_array_equal(ours.numpy(), theirs)
    signs = np.signbit(kp.sort(tensor).numpy()[np.sort(array) == 0])
    assert (np.diff(signs.astype(int)) <= 0).all()  # -0 before +0


def test_sort_writes_to_a_tensor_given(mgr) -> None:
    tensor = mgr.tensor_t(np.array([[3, 1, 2], [9, 7, 8]], np.uint32))
    assert kp.sort(tensor, out=tensor) is tensor
    np.testing.assert_array_equal(tensor.numpy(), [[1, 2, 3], [7, 8, 9]])


def test_values_move_with_keys_in_a_sequence(mgr) -> None:
    array = RANDOM.integers(0, 1 << 20, 5000).astype(np.uint32)
    keys = mgr.tensor_t(array)
    values = mgr.tensor_t(np.arange(5000, dtype=np.float64))
    segments = mgr.tensor_t(np.array([0, 100, 5000], np.int64))
    sequence = mgr.sequence().record(kp.OpSyncDevice([keys, values, segments]))
    sequence.record(kp.OpSort(keys, values, segments=segments, bits=(0, 20))).eval()
    order = np.concatenate(
        [np.argsort(array[:100], kind="stable"), 100 + np.argsort(array[100:], kind="stable")]
    )
    np.testing.assert_array_equal(keys.numpy(), array[order])
    np.testing.assert_array_equal(values.numpy(), order)


def test_faults_are_named(mgr) -> None:
    keys = mgr.tensor_t(np.zeros((4, 6), np.float32))
    with pytest.raises(ValueError, match="axis 0 is not the last axis"):
        kp.sort(keys, axis=0)
    with pytest.raises(ValueError, match="axis 2 is out of bounds"):
        kp.sort(keys, axis=2)
    with pytest.raises(ValueError, match="axis -1 is out of bounds for array of dimension 0"):
        kp.sort(mgr.tensor(shape=()))
    assert kp.argsort(mgr.tensor(shape=())).data().tolist() == [0]
    with pytest.raises(TypeError, match="takes a kp.Array, a list or a kp.Tensor, not a str"):
        kp.sort("abc")  # type: ignore[type-var]
    with pytest.raises(kp.InvalidArgument, match="there are 24 keys, but 23 values"):
        kp.OpSort(keys, (keys, 1))
