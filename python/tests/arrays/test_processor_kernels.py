# SPDX-License-Identifier: Apache-2.0
"""Kernels of arrays for drivers that compute on the processor: wide accesses, strips, no trees of work groups."""

from time import process_time

import numpy as np
import pytest

import kp

DTYPES = [
    "bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16",
    "float32", "float64", "complex64", "complex128",
]  # fmt: skip


@pytest.fixture(autouse=True)
def _on_a_processor():
    if kp.default_manager().get_device_properties()["type"] != "cpu":
        pytest.skip("the device is not a processor")


def _values(count, dtype):
    return (np.random.default_rng(count).random(count) * 100).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("count", [1, 3, 4, 100, 8191, 8192, 8200, 30_001])
def test_elements_of_any_count_are_computed_once(dtype, count):
    x = _values(count, dtype)
    ours = kp.array(x)
    assert np.array_equal((ours + ours).numpy(), x + x)
    ours += ours
    assert np.array_equal(ours.numpy(), x + x)


@pytest.mark.parametrize("dtype", DTYPES)
def test_views_at_any_place_of_their_memory(dtype):
    x = _values(1000, dtype)
    ours = kp.array(x)
    for first in (0, 1, 2, 4, 7, 8):
        for second in (0, 3, 4):
            theirs = x[first : first + 400] + x[second : second + 400]
            found = ours[first : first + 400] + ours[second : second + 400]
            assert np.array_equal(found.numpy(), theirs), (first, second)
        written, expected = kp.zeros(1000, dtype=dtype), np.zeros(1000, dtype)
        written[first : first + 400] = ours[4:404]
        expected[first : first + 400] = x[4:404]
        assert np.array_equal(written.numpy(), expected)


def test_types_are_mixed_in_one_kernel():
    bytes_, halves, longs = (_values(4000, dtype) for dtype in ("uint8", "float16", "int64"))
    found = kp.where(kp.array(bytes_) > 50, kp.array(halves), kp.array(longs).astype("float32"))
    assert np.array_equal(found.numpy(), np.where(bytes_ > 50, halves, longs.astype("float32")))


def test_scalars_rows_and_indices_beside_vectors():
    x = _values(4096, "float32")
    ours = kp.array(x)
    places = np.random.default_rng(2).integers(0, 4096, 4096)
    assert np.array_equal((ours + ours[5] + kp.array(x[::-1])).numpy(), x + x[5] + x[::-1])
    assert np.array_equal((ours[kp.array(places)] * ours).numpy(), x[places] * x)
    table = kp.array(x.reshape(64, 64))
    expected = x.reshape(64, 64) + x[:64] - x.reshape(64, 64)[:, :1]
    assert np.array_equal((table + table[0] - table[:, :1]).numpy(), expected)
    mask = x > 50
    ours[kp.array(mask)] = 1
    x[mask] = 1
    assert np.array_equal(ours.numpy(), x)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("width", [1, 4, 31, 33, 64, 1023, 1028, 5000, 9999])
def test_reductions_of_rows_and_columns(dtype, width):
    x = _values(10_000 // width * width, dtype).reshape(-1, width)
    ours = kp.array(x)
    for axis in (0, 1, None):
        wide = "float32" if dtype == "float16" else None
        found = ours.sum(axis=axis, dtype=wide).numpy()
        assert np.allclose(found, x.sum(axis=axis, dtype=wide), rtol=1e-5), axis
        if x.dtype.kind != "c":
            assert np.array_equal(ours.max(axis=axis).numpy(), x.max(axis=axis)), axis
            assert np.array_equal((ours[:, 1:] + 0).any(axis=axis).numpy(), x[:, 1:].any(axis=axis))


@pytest.mark.parametrize("count", [4096, 4097, 100_000, 1 << 22])
def test_sums_of_floats_keep_their_digits(count):
    x = np.random.default_rng(count).random(count, "float32")
    assert abs(kp.array(x).sum().item() / x.sum(dtype="float64") - 1) < 2e-6
    assert (
        abs(kp.array(np.tile(x[:4096], (3, 1))).mean(axis=1).numpy() / x[:4096].mean() - 1).max()
        < 2e-6
    )


def _time(work):
    work()
    best = float("inf")
    for _ in range(5):
        start = process_time()
        work()
        kp.default_manager().default_queue.finish()
        best = min(best, process_time() - start)
    return best


@pytest.mark.parametrize("name", ["sum", "max", "mean", "std"])
def test_rows_of_33_columns_take_as_long_as_rows_of_32(name):
    short, long = (kp.ones((1_000_000 // width, width)).evaluate() for width in (32, 33))
    fast = _time(lambda: getattr(short, name)(axis=1).evaluate())
    assert _time(lambda: getattr(long, name)(axis=1).evaluate()) < 5 * fast
