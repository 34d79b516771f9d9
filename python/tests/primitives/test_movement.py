# SPDX-License-Identifier: Apache-2.0
"""Elements by index and arrays in another order, as operations and functions, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kp

RANDOM = np.random.default_rng(8)
SHAPES = [(1,), (700,), (7, 30), (3, 5, 11), (2, 3, 4, 5)]
POINT = np.dtype([("x", np.float32), ("id", np.int16), ("y", np.float64)], align=True)


@pytest.fixture(scope="module")
def mgr() -> kp.Manager:
    return kp.Manager()


def values(shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    if np.dtype(dtype).names:
        array = np.zeros(shape, dtype)
        array["x"], array["id"] = RANDOM.random(shape), RANDOM.integers(0, 9, shape)
        return array
    return RANDOM.integers(0, 2 if dtype == "bool" else 100, shape).astype(dtype)


def same(given: kp.Tensor, expected: Any) -> None:
    """Check values, dtype and shape."""
    wanted = np.asarray(expected)
    assert (given.dtype, given.shape) == (wanted.dtype, wanted.shape)
    np.testing.assert_array_equal(given.numpy(), wanted)


@pytest.mark.parametrize("dtype", ["float32", "uint8", "int64", "bool", "complex64", POINT])
def test_movement_of_every_kind_of_element_agrees_with_numpy(mgr: kp.Manager, dtype: Any) -> None:
    array = values((6, 5), dtype)
    tensor = mgr.tensor_t(array)
    same(kp.transpose(tensor), array.T)
    same(kp.flip(tensor), np.flip(array))
    same(kp.take(tensor, [3, 0, 3]), np.take(array, [3, 0, 3]))
    same(kp.concatenate([tensor, tensor], 1), np.concatenate([array, array], 1))
    changed = array.ravel().copy()
    np.put(changed, [4, 9], array[0, :2])
    kp.put(tensor, [4, 9], mgr.tensor_t(array[0, :2]))
    np.testing.assert_array_equal(tensor.read().ravel(), changed)


@pytest.mark.parametrize("shape", SHAPES)
def test_take_agrees_with_numpy(mgr: kp.Manager, shape: tuple[int, ...]) -> None:
    array = values(shape, "float32")
    tensor = mgr.tensor_t(array)
    for axis in [None, *range(-len(shape), len(shape))]:
        extent = array.size if axis is None else shape[axis]
        for many in [(), (4,), (2, 3)]:
            index = RANDOM.integers(-extent, extent, many)
            expected = np.take(array, index, axis)
            same(kp.take(tensor, index, axis), expected)
            same(kp.take(tensor, mgr.tensor_t(index), axis), expected)
            positive = mgr.tensor_t((index % extent).astype(np.uint32))
            same(kp.take(tensor, positive, axis), expected)
    same(kp.take(tensor, []), array.ravel()[:0])
    same(kp.take(tensor, np.array([0], np.uint8)), array.ravel()[:1])


@pytest.mark.parametrize("shape", SHAPES)
def test_transpose_and_flip_agree_with_numpy(mgr: kp.Manager, shape: tuple[int, ...]) -> None:
    array = values(shape, "int16")
    tensor = mgr.tensor_t(array)
    for _ in range(4):
        axes = RANDOM.permutation(len(shape)).tolist()
        same(kp.transpose(tensor, axes), np.transpose(array, axes))
        same(kp.transpose(tensor, [a - len(shape) for a in axes]), np.transpose(array, axes))
    for axis in [None, (), *range(-len(shape), len(shape)), tuple(range(0, len(shape), 2))]:
        same(kp.flip(tensor, axis), np.flip(array, axis))
    same(kp.flip(tensor, range(len(shape))), np.flip(array))
    out = mgr.tensor_t(shape=array.T.shape, dtype=np.int16)
    assert kp.transpose(tensor, out=out) is out
    same(out, array.T)


@pytest.mark.parametrize("shape", SHAPES)
def test_concatenate_agrees_with_numpy(mgr: kp.Manager, shape: tuple[int, ...]) -> None:
    for axis in [None, *range(-len(shape), len(shape))]:
        arrays = []
        for extra in range(3):
            extents = list(shape)
            extents[0 if axis is None else axis] += extra
            arrays.append(values(tuple(extents), "int32"))
        given = kp.concatenate([mgr.tensor_t(array) for array in arrays], axis)
        same(given, np.concatenate(arrays, axis))


def test_put_agrees_with_numpy(mgr: kp.Manager) -> None:
    array = values((30, 40), "float32")
    tensor = mgr.tensor_t(array)
    index = RANDOM.permutation(1200)[:500] - 600
    new = RANDOM.random(500).astype(np.float32)
    np.put(array, index, new)
    kp.put(tensor, index, new)
    same(tensor, array)
    np.put(array, [5, -1], 7)
    kp.put(tensor, mgr.tensor_t([5, -1]), 7)
    same(tensor, array)
    kp.put(tensor, [], [])
    same(tensor, array)


def test_operations_skip_indices_out_of_range(mgr: kp.Manager) -> None:
    array = np.arange(12, dtype=np.float32).reshape(3, 4)
    tensor, out = mgr.tensor_t(array), mgr.tensor_t(np.full((3, 3), -1, np.float32))
    index = mgr.tensor_t(np.array([3, -1, 0], np.int32))
    sequence = mgr.sequence().record(kp.OpSyncDevice([tensor, index, out]))
    sequence.record(kp.OpGather(tensor, index, out, axis=1)).eval()
    np.testing.assert_array_equal(out.numpy()[:, 1], [-1, -1, -1])
    np.testing.assert_array_equal(out.numpy()[:, [0, 2]], array[:, [3, 0]])
    mgr.sequence().eval(kp.OpScatter((out, 0, 3), index, (tensor, 4, 4)))
    np.testing.assert_array_equal(tensor.numpy()[1], [out[0, 2], 5, 6, out[0, 0]])
    np.testing.assert_array_equal(tensor.numpy()[[0, 2]], array[[0, 2]])


def test_operations_in_a_sequence_move_parts_of_tensors(mgr: kp.Manager) -> None:
    array = values((6, 8), "int32")
    tensor = mgr.tensor_t(array)
    turned = mgr.tensor_t(shape=(8, 6), dtype=np.int32)
    flipped, joined = (mgr.tensor_t(shape=n, dtype=np.int32) for n in (10, 15))
    sequence = mgr.sequence().record(kp.OpSyncDevice([tensor]))
    sequence.record(kp.OpTranspose(tensor, turned))
    sequence.record(kp.OpReverse((turned, 5, 10), flipped))
    sequence.record(kp.OpConcatenate([(flipped, 5), (tensor, 0, 10)], joined)).eval()
    same(turned, array.T)
    expected = array.T.ravel()[5:15][::-1]
    same(flipped, expected)
    same(joined, np.concatenate([expected[5:], array.ravel()[:10]]))


def test_a_tensor_without_axes_is_copied(mgr: kp.Manager) -> None:
    one = mgr.tensor(np.array(7.0))
    for copied in (kp.transpose(one), kp.flip(one)):
        assert copied.shape == () and copied.item() == 7 and copied is not one


def test_faults_of_movement_are_named(mgr: kp.Manager) -> None:
    tensor = mgr.tensor_t(np.arange(6, dtype=np.int32).reshape(2, 3))
    for index in ([6], [-7], mgr.tensor_t([0, 6]), np.uint64(1 << 63)):
        with pytest.raises(IndexError, match="index .*is out of bounds for .* 6 elements"):
            kp.take(tensor, index)
    with pytest.raises(IndexError, match="index .*is out of bounds for .* 6 elements"):
        kp.put(tensor, [6], [1])
    with pytest.raises(TypeError, match="indices of an integer type, not of 'float64'"):
        kp.take(tensor, [0.5])
    with pytest.raises(TypeError, match="indices of an integer type, not of 'bool'"):
        kp.take(tensor, mgr.tensor_t([True]))
    with pytest.raises(ValueError, match="axis 2 is out of bounds for array of dimension 2"):
        kp.take(tensor, [0], axis=2)
    with pytest.raises(ValueError, match="2 values for 3 indices"):
        kp.put(tensor, [0, 1, 2], [1, 2])
    with pytest.raises(TypeError, match="values of dtype 'float64' into a tensor of 'int32'"):
        kp.put(tensor, [0], [1.5])
    with pytest.raises(ValueError, match="each of the 2 axes once, but axes is \\(0, 0\\)"):
        kp.transpose(tensor, (0, 0))
    with pytest.raises(ValueError, match="same other extents"):
        kp.concatenate([tensor, mgr.tensor_t(np.zeros((3, 2), np.int32))])
    with pytest.raises(TypeError, match="one dtype, but there are 'int32' and 'float32'"):
        kp.concatenate([tensor, mgr.tensor([[1, 2, 3]])])
    with pytest.raises(ValueError, match="at least one array"):
        kp.concatenate([])
    five = mgr.tensor_t(np.zeros((1, 2, 1, 2, 2)))
    with pytest.raises(kp.InvalidArgument, match="up to 4 dimensions, not 5"):
        kp.OpTranspose(five, mgr.tensor_t(np.zeros(8)))
    assert kp.transpose(five).shape == (2, 2, 1, 2, 1)
    with pytest.raises(ValueError, match="axis is empty"):
        kp.OpReverse(tensor, mgr.tensor_t(shape=6, dtype=np.int32), ())
    with pytest.raises(TypeError, match=r"inputs\[1\] is a tensor, or"):
        kp.OpConcatenate([tensor, (tensor, "x")], tensor)  # type: ignore[list-item]
