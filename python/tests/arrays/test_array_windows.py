# SPDX-License-Identifier: Apache-2.0
"""Arrays over the device's maxStorageBufferRange, against NumPy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import kp

RANDOM = np.random.default_rng(8)


@pytest.fixture(params=[64, 256], ids=["64 bytes", "256 bytes"])
def narrow(request: pytest.FixtureRequest) -> Iterator[None]:
    """Pretend that kernels bind few bytes."""
    manager = kp.default_manager()
    kp._kp._pretend_range(manager, request.param)
    yield
    whole = manager.get_device_properties()["max_storage_buffer_range"]
    kp._kp._pretend_range(manager, whole)


EXPRESSIONS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "sum of two": lambda xp, x, y: x + y,
    "backwards": lambda xp, x, y: x + y[::-1],
    "transposed": lambda xp, x, y: xp.sqrt(x.T) - y.T * 2,
    "steps": lambda xp, x, y: (x * 2 + y)[..., ::2],
    "row": lambda xp, x, y: x + y[:1] + xp.arange(x.shape[-1]),
    "choice": lambda xp, x, y: xp.where(y > 4, x, y),
    "triangle": lambda xp, x, y: xp.tril(x),
    "cast": lambda xp, x, y: (x + y).astype(np.int16),
    "slice": lambda xp, x, y: x[-1] * 2,
    "flat": lambda xp, x, y: x.T.reshape(-1),
    "total": lambda xp, x, y: (x + y).sum(),
    "sum of columns": lambda xp, x, y: (x + y).sum(axis=0),
    "sum of rows": lambda xp, x, y: x.sum(axis=-1),
    "mean": lambda xp, x, y: (y + 1).mean(axis=0),
    "variance": lambda xp, x, y: y.var(axis=-1),
    "largest": lambda xp, x, y: x.T.max(axis=0),
    "all": lambda xp, x, y: (y > 3).all(axis=0),
    "repeated": lambda xp, x, y: xp.broadcast_to(y[:1], y.shape) + x,
}


@pytest.mark.parametrize("name", EXPRESSIONS)
@pytest.mark.usefixtures("narrow")
def test_expressions_are_those_of_numpy(name: str) -> None:
    for shape in ((9, 40), (40, 3), (5, 7, 8)):
        for dtype in (np.float32, np.int64, np.uint8):
            a = RANDOM.integers(0, 50, shape).astype(dtype)
            b = RANDOM.integers(0, 9, shape).astype(np.float32)
            function = EXPRESSIONS[name]
            if name == "steps" and dtype is np.uint8:
                continue  # the product wraps around as NumPy's does, tested elsewhere
            expected = np.asarray(function(np, a, b))
            found = function(kp, kp.array(a), kp.array(b)).numpy()
            np.testing.assert_allclose(found, expected, rtol=1e-5)


def _set_reversed(x: Any, y: Any) -> None:
    x[...] = y[::-1].astype(x.dtype)


def _set_some(x: Any, y: Any) -> None:
    x[::2, 1:] = 7


def _set_masked(x: Any, y: Any) -> None:
    x[y > 4] = 1


def _move(x: Any, y: Any) -> None:
    x[1:] = x[:-1]


def _add_reversed(x: Any, y: Any) -> None:
    x += x[::-1]


def _set_columns(x: Any, y: Any) -> None:
    x.T[...] = y.T.astype(x.dtype)


@pytest.mark.parametrize(
    "write", [_set_reversed, _set_some, _set_masked, _move, _add_reversed, _set_columns]
)
@pytest.mark.usefixtures("narrow")
def test_assignments_are_those_of_numpy(write: Callable[[Any, Any], None]) -> None:
    for dtype in (np.float32, np.int64, np.uint8):
        a = RANDOM.integers(0, 50, (11, 30)).astype(dtype)
        b = RANDOM.integers(0, 9, (11, 30)).astype(np.float32)
        x = kp.array(a)
        before = x + 1  # keeps the values that it was written with
        write(x, kp.array(b))
        expected = a.copy()
        write(expected, b)
        np.testing.assert_array_equal(x.numpy(), expected)
        np.testing.assert_array_equal(before.numpy(), a + 1)


@pytest.mark.usefixtures("narrow")
def test_indices_select_from_all_of_an_array() -> None:
    a = RANDOM.integers(0, 99, 1000).astype(np.int32)
    x = kp.array(a)
    rows, columns = RANDOM.integers(-20, 20, (2, 30))
    places = RANDOM.permutation(1000)[:200] - 500
    same = np.testing.assert_array_equal
    same(x[places].numpy(), a[places])
    same(x[::-2][places[:100] // 2].numpy(), a[::-2][places[:100] // 2])
    grid, b = x[:800].reshape(20, 40), a[:800].reshape(20, 40)
    same(grid[rows, columns].numpy(), b[rows, columns])
    same(grid[:, columns].numpy(), b[:, columns])
    same(grid.T[columns, ::3].numpy(), b.T[columns, ::3])
    same(kp.take(grid, rows, axis=0).numpy(), np.take(b, rows, axis=0))
    with pytest.raises(IndexError, match="axis 0 with 1000 elements"):
        x[[1, 1000]]


@pytest.mark.usefixtures("narrow")
def test_indices_set_elements_of_all_of_an_array() -> None:
    a = RANDOM.integers(0, 99, (20, 40)).astype(np.int32)
    x = kp.array(a)
    before = x + 1
    expected = a.copy()
    columns = RANDOM.permutation(40)[:30]
    for target in (x, expected):
        target[RANDOM.permutation(20)[:0]] = 5
        target[[3, -1], [0, 39]] = 7
        target[:, columns] = np.arange(30, dtype=np.int32)
        target[::-3, 1] = -2
    np.testing.assert_array_equal(x.numpy(), expected)
    np.testing.assert_array_equal(before.numpy(), a + 1)


@pytest.mark.usefixtures("narrow")
def test_what_needs_all_of_an_array_says_so() -> None:
    x = kp.arange(1000, dtype=np.float32)
    twice = kp.elementwise("float32 x", "float32 y", "y = 2 * x")
    with pytest.raises(kp.Unsupported, match=r"4000 bytes.*maxStorageBufferRange.*parts"):
        twice(x)


def test_an_array_over_the_range_of_the_device() -> None:
    limit = kp.default_manager().get_device_properties()["max_storage_buffer_range"]
    if limit > 1 << 28:
        pytest.skip(f"the device binds {limit} bytes")
    count = limit // 4 + 1000
    x = kp.arange(count, dtype=np.int32)
    assert x[-3:].tolist() == [count - 3, count - 2, count - 1]
    assert (x[:5] + 1).tolist() == [1, 2, 3, 4, 5]
    assert (x + x[::-1]).min().item() == count - 1
    assert x.max().item() == count - 1
    x[limit // 4 :] = -1
    assert x.min().item() == -1 and (x == -1).sum().item() == 1000
    twice = kp.elementwise("int32 x", "int32 y", "y = 2 * x")
    with pytest.raises(kp.Unsupported, match="maxStorageBufferRange"):
        twice(x)
    assert twice(x[:3].copy()).tolist() == [0, 2, 4]


# Arrays of 160 MiB, which are over the 128 MiB that Vulkan promises for one binding.
COUNT = 40 << 20
#: A permutation, since the factor is odd.
SHUFFLED = (np.arange(COUNT, dtype=np.uint32) * np.uint32(2654435761)).view(np.int32)
PLACES = SHUFFLED[:1000].astype(np.int64) % COUNT

LARGE_FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "elementwise": lambda xp, x: x * 3 + (x >> 7),
    "slices": lambda xp, x: x[7 : COUNT - 3 : 3] - x[::-1][5 : COUNT - 5 : 3],
    "sum": lambda xp, x: (x & 31).sum(dtype=xp.int32),
    "minimum along an axis": lambda xp, x: x.reshape(1024, -1).min(axis=1),
    "sort": lambda xp, x: xp.sort(x),
    "cumulative sum": lambda xp, x: xp.cumulative_sum(x & 15, dtype=xp.int32),
    "take": lambda xp, x: xp.take(x, xp.asarray(PLACES.astype(np.int32)), axis=0),
    "mask": lambda xp, x: x[x > 2_000_000_000],
    "where": lambda xp, x: xp.where(x > 0, x, -x),
}


@pytest.fixture(scope="module")
def large() -> Any:
    if kp.default_manager().get_device_properties()["memory_bytes"] < 2 << 30:
        pytest.skip("the device has less than 2 GiB of memory")
    return kp.array(SHUFFLED)


@pytest.mark.parametrize("name", LARGE_FUNCTIONS)
def test_functions_of_arrays_over_a_binding_are_numpys(name: str, large: Any) -> None:
    found = LARGE_FUNCTIONS[name](kp, large).numpy()
    with np.errstate(over="ignore"):
        expected = LARGE_FUNCTIONS[name](np, SHUFFLED)
    assert found.dtype == expected.dtype
    assert np.array_equal(found, expected)


def test_elements_of_arrays_over_a_binding_are_set(large: Any) -> None:
    x = large.copy()
    expected = SHUFFLED.copy()
    x[3:-2:5] = 7
    x[kp.array(PLACES.astype(np.int32))] = -1
    x[x < -2_000_000_000] = 0
    expected[3:-2:5] = 7
    expected[PLACES] = -1
    expected[expected < -2_000_000_000] = 0
    assert np.array_equal(x.numpy(), expected)
