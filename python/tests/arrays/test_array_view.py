# SPDX-License-Identifier: Apache-2.0
"""Array.view(dtype) beside NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kp

TYPES = "bool int8 uint8 int16 uint16 float16 int32 uint32 float32 int64 uint64 float64 complex64 complex128".split()


def bytes_as(dtype: str, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """Return numbers of a dtype whose bytes are 0 or 1, so that they are bool as well."""
    count = int(np.prod(shape)) * np.dtype(dtype).itemsize
    return np.random.default_rng(1).integers(0, 2, count, np.uint8).view(dtype).reshape(shape)


@pytest.mark.parametrize("source", TYPES)
@pytest.mark.parametrize("target", TYPES)
def test_views_are_numpys_in_every_pair_of_types(source: str, target: str) -> None:
    for shape in ((16,), (3, 16), (2, 1), (0, 16), (3, 0), (5,), ()):
        given = bytes_as(source, shape)
        array = kp.asarray(given)
        try:
            expected = given.view(target)
        except ValueError:
            with pytest.raises(ValueError):
                array.view(target)
            continue
        viewed = array.view(target)
        assert viewed.dtype == expected.dtype and viewed.shape == expected.shape
        assert viewed.numpy().tobytes() == expected.tobytes()
        np.testing.assert_array_equal((viewed == viewed).numpy(), expected == expected)


def test_a_view_shares_the_memory() -> None:
    x = kp.asarray(np.float32([1, 2, 3, 4]))
    bits = x.view(np.int32)
    bits[1] = 0
    np.testing.assert_array_equal(x.numpy(), [1, 0, 3, 4])
    x[2] = -1
    assert int(bits[2]) == np.float32(-1).view(np.int32)
    assert kp.shares_memory(x, bits)


def test_parts_are_viewed_as_numpy_views_them() -> None:
    given = np.arange(64, dtype=np.float32).reshape(8, 8)
    x = kp.asarray(given)
    for part in (
        np.s_[2:6],
        np.s_[:, 2:6],
        np.s_[::-1],
        np.s_[1::3, 4:],
        np.s_[3],
        np.s_[..., None, :],
    ):
        for target in ("int16", "uint32", "float64", "complex64"):
            np.testing.assert_array_equal(x[part].view(target).numpy(), given[part].view(target))
    for part in (np.s_[:, ::2], np.s_[:, ::-1]):
        np.testing.assert_array_equal(x[part].view("int32").numpy(), given[part].view("int32"))
        with pytest.raises(ValueError, match="the last axis must be contiguous"):
            x[part].view("int16")
    np.testing.assert_array_equal(x.T.view("int32").numpy(), given.T.view("int32"))


def test_expressions_keep_the_values_that_they_were_written_with() -> None:
    x = kp.asarray(np.float32([1, 2, 3, 4]))
    bits = x.view(np.int32)
    plus = x + 1
    more = bits + 1
    bits[:] = 0
    np.testing.assert_array_equal(plus.numpy(), [2, 3, 4, 5])
    np.testing.assert_array_equal(more.numpy(), np.float32([1, 2, 3, 4]).view(np.int32) + 1)
    x[:] = [1, 2, 3, 4]
    bits[1:] = x.view(np.int32)[:-1]
    np.testing.assert_array_equal(x.numpy(), [1, 1, 2, 3])


def test_a_view_keeps_the_memory() -> None:
    bits = kp.asarray(np.full(1000, 1.0, np.float32)).view(np.uint32)
    others = [kp.zeros(1000, np.float32).evaluate() for _ in range(10)]
    assert int(bits.sum()) == 1000 * 0x3F800000 % 2**64
    del others


def test_without_a_dtype_it_is_a_view_of_the_same_type() -> None:
    x = kp.asarray(np.float32([1, 2]))
    x.view()[0] = 5
    np.testing.assert_array_equal(x.numpy(), [5, 2])


def test_what_cannot_be_viewed_is_named() -> None:
    x = kp.asarray(np.arange(6, dtype=np.float32).reshape(2, 3))
    with pytest.raises(ValueError, match=r"shape \(2, 3\) .* complex64 .*last axis has 12 bytes"):
        x.view("complex64")
    with pytest.raises(ValueError, match="without axes"):
        kp.asarray(np.float32(1)).view("int16")
    bytes_ = kp.asarray(np.arange(9, dtype=np.uint8))
    with pytest.raises(kp.Unsupported, match="offset of 1 bytes"):
        bytes_[1:].view("uint32")
    np.testing.assert_array_equal(
        bytes_[1:].copy().view("uint32").numpy(), np.arange(1, 9, dtype=np.uint8).view("uint32")
    )


def test_views_of_tensors_see_what_the_host_writes() -> None:
    tensor = kp.default_manager().tensor(np.float32([1, 2, 3]))
    bits = kp.asarray(tensor).view(np.int32)
    tensor.data()[0] = 4
    np.testing.assert_array_equal(bits.numpy(), np.float32([4, 2, 3]).view(np.int32))
    bits[1] = 0
    np.testing.assert_array_equal(tensor.read(), [4, 0, 3])
    np.testing.assert_array_equal((bits + 0).numpy(), np.float32([4, 0, 3]).view(np.int32))
