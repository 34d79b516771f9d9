# SPDX-License-Identifier: Apache-2.0
"""Functions that only move elements, of any layout, beside NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kp

TYPES = [np.bool_, np.int8, np.uint16, np.int32, np.int64, np.float16, np.float32, np.float64,
         np.complex64, np.complex128]  # fmt: skip
SHAPES = [(0,), (1,), (5,), (300,), (4, 300), (3, 0), (70, 100)]
PLACES: list[Any] = [0, 1, -1, 2, slice(1, 3), slice(None, None, 2), slice(None), slice(3, 1),
                     slice(None, None, -1), [], [0, 1], [0, 0, -1], [200, 3]]  # fmt: skip


def _axes(x: Any) -> list[int | None]:
    return [None] if x.ndim == 1 else [None, 0, 1, -1]


def _same(call: Any) -> None:
    """Compare the results of NumPy and kp, which raise together."""
    try:
        expected = call(np, lambda x: x)
    except (IndexError, ValueError) as error:
        with pytest.raises((IndexError, ValueError)):
            call(kp, kp.array)
        assert error
        return
    found = call(kp, kp.array)
    assert found.shape == expected.shape
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found.numpy(), expected)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_elements_are_left_out_and_added_as_numpy_does(shape: tuple[int, ...]) -> None:
    x = np.arange(np.prod(shape), dtype=np.int32).reshape(shape)
    for axis in _axes(x):
        extent = x.size if axis is None else x.shape[axis]
        for place in [*PLACES, extent, extent + 1, -extent, -extent - 1]:
            _same(lambda xp, put: xp.delete(put(x), place, axis))
            for values in (7, [7], [7, 8]):
                _same(lambda xp, put: xp.insert(put(x), place, values, axis))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_arrays_are_repeated_and_rolled_as_numpy_does(shape: tuple[int, ...]) -> None:
    x = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    for size in (0, 1, 3, x.size, x.size + 1, 3 * x.size + 2, (2, 5)):
        _same(lambda xp, put: xp.resize(put(x), size))
    for axis in _axes(x):
        for shift in (0, 1, -1, 3, 1000):
            _same(lambda xp, put: xp.roll(put(x), shift, axis))


@pytest.mark.parametrize("mode", ["constant", "edge", "wrap", "reflect", "symmetric"])
def test_borders_are_numpys(mode: str) -> None:
    for shape in ((1,), (5,), (70, 100)):
        x = np.arange(np.prod(shape), dtype=np.int16).reshape(shape)
        for width in (0, 1, 3, 7, (2, 5), 150):
            _same(lambda xp, put: xp.pad(put(x), width, mode=mode))


@pytest.mark.parametrize("seed", range(60))
def test_parts_of_any_layout_are_copied_and_written(seed: int) -> None:
    random = np.random.default_rng(seed)
    ndim = int(random.integers(1, 5))
    shape = [int(each) for each in random.integers(1, [200, 100, 20, 9][ndim - 1] + 1, ndim)]
    host = (random.random([2 * each + 3 for each in shape]) * 100).astype(TYPES[seed % len(TYPES)])
    device = kp.array(host)
    starts, steps = random.integers(0, 3, ndim), random.choice([-1, 1, 1, 1, 2], ndim)
    key = tuple(
        slice(int(a), int(a) + n, int(step)) if step > 0 else slice(None, None, -1)
        for a, n, step in zip(starts, shape, steps, strict=True)
    )
    order = tuple(int(each) for each in random.permutation(ndim))
    np.testing.assert_array_equal(device[key].copy().numpy(), host[key])
    turned = device[key].transpose(order).copy()
    np.testing.assert_array_equal(turned.numpy(), host[key].transpose(order))
    values = (random.random(host[key].shape) * 100).astype(host.dtype)
    for given in (values, values[-1:], values.dtype.type(3), values.dtype.type(0)):
        host[key], device[key] = given, kp.array(given) if np.ndim(given) else given
        np.testing.assert_array_equal(device.numpy(), host)
    moved = host[:-2].copy()
    device[2:] = device[:-2]
    host[2:] = moved
    np.testing.assert_array_equal(device.numpy(), host)


def test_one_element_is_read_by_its_place_in_the_flat_array() -> None:
    x = np.arange(24.0).reshape(2, 3, 4)
    device = kp.array(x).transpose((2, 0, 1))
    for place in (0, 5, -1, 23, -24):
        assert device.item(place) == x.transpose((2, 0, 1)).item(place)
    assert device.item(3, 1, 2) == x.transpose((2, 0, 1)).item(3, 1, 2)
    for place in (24, -25):
        with pytest.raises(IndexError, match="index -?2[45] is out of bounds"):
            device.item(place)
