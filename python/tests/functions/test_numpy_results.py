# SPDX-License-Identifier: Apache-2.0
"""What functions of NumPy return: types, views, places, and arrays of groups."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kp

A = np.random.default_rng(11).normal(size=(4, 5)).astype(np.float32)
WITH_NANS = np.array([[1.0, np.nan, 3], [np.nan, np.nan, np.nan], [5, -2, np.inf]], np.float32)


def test_comparisons_of_whole_arrays_are_numbers_of_python() -> None:
    a = A
    x = kp.array(a)
    assert kp.allclose(x, a) is True
    assert np.allclose(x, a + 1e-7) is True
    assert kp.allclose(x, a + 1) is False
    assert kp.allclose(WITH_NANS, WITH_NANS) is False
    assert kp.allclose(kp.array(WITH_NANS), WITH_NANS, equal_nan=True) is True
    assert kp.array_equal(x, a) is True
    assert kp.array_equal(x, a[:2]) is False
    assert kp.array_equal([1, 2], [1, 2]) is True
    n = kp.array(WITH_NANS)
    assert kp.array_equal(n, n) is False
    assert kp.array_equal(n, n, equal_nan=True) is True
    assert kp.array_equiv(x, x[None]) is True
    assert kp.array_equiv([1, 2], [[1, 2], [1, 3]]) is False
    assert kp.array_equiv([1, 2], [1, 2, 3]) is False
    assert kp.iscomplexobj(kp.array([1j])) is True
    assert kp.isrealobj(x) is True


@pytest.mark.parametrize("dtype", "?bBhHiIlLefdF")
def test_functions_of_whole_numbers_have_numpys_types(dtype: str) -> None:
    a = np.array([-3, 0, 1, 5]).astype(dtype)
    for call in (
        lambda xp, x: xp.angle(x),
        lambda xp, x: xp.angle(x, deg=True),
        lambda xp, x: xp.modf(x)[0],
        lambda xp, x: xp.modf(x)[1],
    ):
        if dtype == "F" and "modf" in call.__code__.co_names:
            continue
        found, expected = call(kp, kp.array(a)), call(np, a)
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found.numpy(), expected, rtol=2e-3 if dtype in "?bBe" else 1e-6)


def test_functions_that_write_set_what_numpy_sets() -> None:
    def both(function: Any, start: Any) -> None:
        a, x = np.array(start), kp.array(start)
        function(np, a)
        function(kp, x)
        np.testing.assert_array_equal(x.numpy(), a)

    a = A
    both(lambda xp, x: xp.copyto(x, 3), a)
    both(lambda xp, x: xp.copyto(x, [1, 2, 3, 4, 5], where=a > 0), a)
    both(lambda xp, x: xp.putmask(x, a > 0, [1, 2, 3]), a)
    both(lambda xp, x: xp.place(x, a > 0, [1, 2, 3]), a)
    both(lambda xp, x: xp.fill_diagonal(x, 7), a)
    both(lambda xp, x: xp.fill_diagonal(x, [1, 2, 3], wrap=True), np.zeros((8, 3), np.int32))
    both(lambda xp, x: xp.fill_diagonal(x, 2), np.zeros((3, 3, 3)))
    both(lambda xp, x: xp.put(x, [1, -1], [8, 9]), a)
    both(lambda xp, x: xp.put(x.T, [1, 4], 5), a)
    both(lambda xp, x: xp.put_along_axis(x, xp.argmax(x, axis=1, keepdims=True), 99, axis=1), a)
    both(lambda xp, x: xp.nan_to_num(x, copy=False), WITH_NANS)
    with pytest.raises(TypeError, match="do not fit an array of int32"):
        kp.copyto(kp.zeros(3, np.int32), kp.ones(3))
    with pytest.raises(TypeError, match="writes into a kp.Array, not a numpy.ndarray"):
        kp.putmask(np.zeros(3), [True, False, True], 1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="the mask has the shape"):
        kp.place(kp.zeros(3), [True], 1)


def test_functions_compute_where_their_arrays_are(mgr: kp.Manager) -> None:
    a = A
    x = kp.array(a, device=mgr)
    for call in (
        lambda: kp.isclose(a, x),
        lambda: kp.vstack([a, x]),
        lambda: kp.dot(a.T, x),
        lambda: kp.average(x, weights=a * a),
        lambda: kp.interp([0.5], x[0], [1, 2, 3, 4, 5]),
        lambda: kp.select([a > 0], [x], a),
        lambda: kp.digitize(x, [0, 1]),
        lambda: kp.cov(x),
        lambda: kp.pad(x, 1),
        lambda: kp.einsum("ij,kj", a, x),
        lambda: kp.union1d(a, x),
    ):
        assert call().manager is mgr
    assert kp.array_equal(a, x)
    assert kp.array_equiv(a[None], x)


def test_views_share_their_memory() -> None:
    x = kp.zeros((4, 4))
    kp.hsplit(x, 2)[1][...] = 1
    kp.rot90(x)[0, 0] = 5
    kp.diagonal(x)[...] = 9
    kp.fliplr(x)[3, 0] = 7
    kp.atleast_3d(x)[0, 1, 0] = 3
    assert x.tolist() == [[9, 3, 1, 5], [0, 9, 1, 1], [0, 0, 9, 1], [0, 0, 1, 7]]


def test_numpys_own_functions_take_arrays() -> None:
    a = A
    x = kp.array(a)
    for call in (
        lambda v: np.median(v, axis=0),
        lambda v: np.vstack([v, a]),
        lambda v: np.pad(v, 1),
        lambda v: np.einsum("ij,kj", v, a),
        lambda v: np.where(v > 0)[0],
        lambda v: np.degrees(v),
        lambda v: np.divmod(v, 2)[1],
        lambda v: np.modf(v)[0],
        lambda v: np.gradient(v)[0],
        lambda v: np.isclose(v, a),
        lambda v: np.clip(v, a_min=-1, a_max=1),
        lambda v: np.sort(v, kind="stable"),
    ):
        found = call(x)
        assert isinstance(found, kp.Array)
        np.testing.assert_allclose(found.numpy(), call(a), rtol=2e-6, atol=2e-6)


def test_elementwise_functions_stay_lazy() -> None:
    x = kp.array(A)
    for lazy in (
        kp.isclose(x, 1.0),
        kp.nan_to_num(x * 2),
        kp.select([x > 1, x < -1], [x, -x]),
        kp.sinc(x),
        kp.fix(x),
        kp.heaviside(x, 0.5),
        kp.polyval([1, 2, 3], x),
    ):
        assert not lazy._is_evaluated


def test_functions_take_arrays_of_groups() -> None:
    group = kp.DeviceGroup(device_ids=[0, 0])
    a = A
    x = kp.array(a, group=group)
    for call in (
        lambda xp, v: xp.isclose(v, 0, atol=0.5),
        lambda xp, v: xp.nan_to_num(v),
        lambda xp, v: xp.median(v, axis=1),
        lambda xp, v: xp.median(v, axis=0),
        lambda xp, v: xp.quantile(v, [0.2, 0.5], axis=1),
        lambda xp, v: xp.vstack([v, v]),
        lambda xp, v: xp.pad(v, 1),
        lambda xp, v: xp.where(v > 0)[1],
        lambda xp, v: xp.where(v > 0, v, 0),
        lambda xp, v: xp.modf(v)[0],
        lambda xp, v: xp.dot(v, v.T),
        lambda xp, v: xp.einsum("ij,kj->ik", v, v),
        lambda xp, v: xp.split(v, 2)[1],
        lambda xp, v: xp.rot90(v),
        lambda xp, v: xp.select([v > 0], [v], 1),
        lambda xp, v: xp.unique(xp.sign(v)),
        lambda xp, v: v.reshape(5, 4, order="F"),
        lambda xp, v: v.ravel("F"),
    ):
        found = call(kp, x)
        assert isinstance(found, kp.GroupArray)
        np.testing.assert_allclose(found.numpy(), call(np, a), rtol=2e-6, atol=2e-6)
    assert kp.allclose(x, a)
    assert kp.array_equal(x, a)
    with pytest.raises(TypeError, match="writes into a kp.Array, not a kp.GroupArray"):
        kp.putmask(x, a > 0, 1)


@pytest.mark.parametrize("dtype", [int, np.uint8, np.int16])
def test_numbers_of_linspace_are_rounded_down_to_integers(dtype: Any) -> None:
    for start, stop, num in ((5, -5, 5), (0, 7, 4), (9, 2, 6), (1, 2, 9)):
        if stop < 0 and dtype is np.uint8:
            continue
        made = kp.linspace(start, stop, num, dtype=dtype)
        assert made.tolist() == np.linspace(start, stop, num, dtype=dtype).tolist()


def test_arrays_without_axes_have_running_sums_of_one_element() -> None:
    for name in ("cumulative_sum", "cumulative_prod"):
        if not hasattr(np, name):  # NumPy before 2.1
            continue
        for options in ({}, {"axis": 0}, {"include_initial": True}):
            made = getattr(kp, name)(kp.asarray(3.0), **options)
            assert made.tolist() == getattr(np, name)(np.asarray(3.0), **options).tolist()


def test_results_of_repeated_calls_are_their_own() -> None:
    x = kp.array(A.ravel())
    for _ in range(2):
        counts, edges = kp.histogram(x, 4, (-1, 1))
        expected = np.histogram(A.ravel(), 4, (-1, 1))
        np.testing.assert_array_equal(counts.numpy(), expected[0])
        np.testing.assert_array_equal(edges.numpy(), expected[1])
        edges[:] = 7
        for q in (30, [30, 70], np.linspace(0, 100, 50)):
            found = kp.percentile(x, q)
            np.testing.assert_allclose(found.numpy(), np.percentile(A.ravel(), q), rtol=1e-6)
            found[...] = 7
    large = kp.histogram(x, 2000, (-1, 1))[1]
    np.testing.assert_array_equal(large.numpy(), np.histogram(A.ravel(), 2000, (-1, 1))[1])
    assert kp.histogram(kp.array([1, 2]), 4, (-1, 1))[1].dtype == np.float64
