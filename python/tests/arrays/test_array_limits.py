# SPDX-License-Identifier: Apache-2.0
"""Arrays at the ends of what numbers, kernels and memory hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kp


@pytest.mark.parametrize(
    "make",
    [
        lambda: kp.zeros((2**33,) * 3),
        lambda: kp.eye(2**20),
        lambda: kp.tri(2**17),
        lambda: kp.ones(2**31),
        lambda: kp.full((2**16, 2**15), 3),
        lambda: kp.empty(2**31),
        lambda: kp.arange(2**31 + 12345),
        lambda: kp.arange(0.0, 2.0**32),
        lambda: kp.indices((2**16, 2**16)),
    ],
)
def test_arrays_with_too_many_elements_are_refused_at_once(make: Any) -> None:
    with pytest.raises(kp.Unsupported, match="elements, but one has at most 2147483647"):
        make()


@pytest.mark.parametrize("name", ["sum", "max", "any", "argmax", "mean", "var"])
def test_reductions_of_too_many_elements_are_refused(name: str) -> None:
    wide = kp.broadcast_to(kp.arange(2**16, dtype=np.int32), (2**16, 2**16))
    with pytest.raises(kp.Unsupported, match="at most 2147483647"):
        getattr(wide, name)().item()
    with pytest.raises(kp.Unsupported, match="at most 2147483647"):
        getattr(kp.expand_dims(wide[0], axis=1) + wide[:1].astype(np.float32), name)(axis=0).numpy()


def test_medians_of_infinities_are_those_of_numpy() -> None:
    inf, nan = np.inf, np.nan
    rows = [[1, inf, inf, nan], [inf, nan, nan, nan], [inf, inf, nan, nan], [-inf, inf, nan, nan]]
    rows += [[1, 2, inf, inf], [-inf, -inf, nan, nan], [-inf, 1, inf, nan], [1, 2, 4, nan]]
    a = np.array(rows)
    for dtype in (np.float32, np.float64):
        x = kp.array(a.astype(dtype))
        with np.errstate(invalid="ignore"):
            for options in ({"axis": 1}, {"axis": 0}, {}, {"axis": 1, "keepdims": True}):
                found = kp.nanmedian(x, **options).numpy()
                expected = np.nanmedian(a.astype(dtype), **options)
                np.testing.assert_array_equal(found, expected)
                assert found.dtype == expected.dtype
    large = np.full(3, np.finfo(np.float32).max)
    assert kp.nanmedian(kp.array(large)).item() == large[0]


FLOATS = (np.float16, np.float32, np.float64, np.complex64, np.complex128)
INTEGERS = (np.int8, np.uint8, np.int32, np.uint32, np.int64, np.uint64, np.bool_)


@pytest.mark.parametrize("integer", INTEGERS)
@pytest.mark.parametrize("floating", FLOATS)
def test_products_of_nan_and_a_zero_that_is_known_are_nan(floating: Any, integer: Any) -> None:
    a = np.array([np.nan, 1, np.inf, -0.0]).astype(floating)
    n = np.array([1, 2, 3, 4]).astype(integer)
    functions = [
        lambda xp, x, y: x * (y != y),
        lambda xp, x, y: xp.isnan(y) * x,
        lambda xp, x, y: xp.isinf(y) * x + 1,
        lambda xp, x, y: x * y,
        lambda xp, x, y: (x * (y ^ y)).real,
    ]
    for number, function in enumerate(functions):
        with np.errstate(all="ignore"):
            expected = function(np, a, n)
        found = function(kp, kp.array(a), kp.array(n)).numpy()
        parts = expected.real.dtype
        np.testing.assert_array_equal(found.view(parts), expected.view(parts), str(number))


def test_ranges_of_floats_fit_the_integers_they_become() -> None:
    for arguments in ((-2, 2, 0.5), (5, -3, -0.75)):
        with pytest.raises(OverflowError):
            kp.arange(*arguments, dtype=np.uint32)
    with pytest.raises(OverflowError):
        kp.arange(0.0, 300.0, 100.0, dtype=np.int8)
    assert kp.arange(0.0, 300.0, 100.0, dtype=np.uint8).tolist() == [0, 100, 200]
    assert kp.arange(-0.5, 2, dtype=np.uint8).tolist() == [0, 0, 1]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_uniform_numbers_have_the_widest_limits(dtype: Any) -> None:
    most = float(np.finfo(dtype).max) * 0.9
    generator = kp.random.default_rng(3)
    x = generator.uniform(-most, most, 1000, dtype=dtype).numpy()
    assert x.dtype == dtype and np.isfinite(x).all()
    assert x.min() < -0.9 * most and x.max() > 0.9 * most and abs(np.median(x)) < 0.2 * most
    if dtype is not np.float16:  # which is computed in float32
        with pytest.raises(OverflowError, match="nearer"):
            generator.uniform(np.array([-most]), most, dtype=dtype)


@pytest.mark.parametrize("wrong", [[0, 5, 3, 10], [0, 11], [-1, 5], [11]])
def test_offsets_in_device_memory_are_checked(wrong: list[int]) -> None:
    x = kp.arange(10, dtype=np.float32)
    manager = x.manager
    for offsets in (np.array(wrong, np.int32), kp.array(wrong), kp.array(wrong).tensor()):
        for given in (x, manager.tensor(np.arange(10, dtype=np.float32))):
            with pytest.raises(ValueError, match="ascending order from 0 to 10"):
                kp.reduce(given, "sum", segments=offsets)
            with pytest.raises(ValueError, match="ascending order from 0 to 10"):
                kp.scan(given, "sum", segments=offsets)
