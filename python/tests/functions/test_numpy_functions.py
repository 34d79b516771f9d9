# SPDX-License-Identifier: Apache-2.0
"""Functions of NumPy that the array API standard does not have, against NumPy's results."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import kp

RANDOM = np.random.default_rng(11)
ARRAYS: dict[str, Any] = {
    "a": RANDOM.normal(size=(4, 5)).astype(np.float32),
    "b": RANDOM.normal(size=(5, 3)).astype(np.float32),
    "t": RANDOM.normal(size=(2, 3, 4)).astype(np.float32),
    "i": RANDOM.integers(-5, 6, (4, 3)).astype(np.int32),
    "u": RANDOM.integers(0, 4, 6).astype(np.uint8),
    "v": RANDOM.normal(size=7),
    "w": np.array([0.5, 1.5, 2.0, 4.0, 4.5, 7.0, 9.0]),
    "n": np.array([[1.0, np.nan, 3], [np.nan, np.nan, np.nan], [5, -2, np.inf]], np.float32),
    "z": (RANDOM.normal(size=(3, 4)) + 1j * RANDOM.normal(size=(3, 4))).astype(np.complex64),
    "h": RANDOM.normal(size=(3, 4)).astype(np.float16),
    "e": np.zeros((0, 3), np.float32),
    "s": np.float32(2.5).reshape(()),
    "q": np.array([[True, False], [True, True]]),
}

#: Expressions of the namespace xp and the arrays.
SAME = """
xp.isclose(a, a + 1e-7)
xp.isclose(n, n, equal_nan=True)
xp.isclose(n, [1, 2, 3], rtol=0.5)
xp.isclose(i, 3)
xp.isclose(i, i + 1, atol=1)
xp.isclose(u, u[::-1])
xp.isclose(z, z * 1.000001)
xp.isclose(n, np.inf)
xp.isclose(2.0, v)
xp.atleast_1d(s)
xp.atleast_2d(v)
xp.atleast_2d(s, v)[1]
xp.atleast_3d(v)
xp.atleast_3d(a)
xp.vstack([v, w])
xp.vstack((a, a[:1]))
xp.vstack([i, i.astype(np.float32)])
xp.hstack([v, w])
xp.hstack([s, v])
xp.hstack([a, a[:, :2]])
xp.dstack([v, w])
xp.dstack([a, a])
xp.column_stack([v, w])
xp.column_stack([a, a[:, 0]])
xp.block([[a, a], [a, a]])
xp.block([[a[:, :2], a], [v]])
xp.block([v, 1.0])
xp.array_split(v, 3)[1]
xp.array_split(a, [1, 3], axis=1)[1]
xp.array_split(v, [2, 20])[2]
xp.split(a, 2)[1]
xp.hsplit(a, [2])[1]
xp.hsplit(u, 3)[2]
xp.vsplit(a, 2)[0]
xp.dsplit(t, 2)[1]
xp.append(a, v)
xp.append(a, a, axis=0)
xp.append([1, 2], [[3], [4]])
xp.delete(a, 1, 0)
xp.delete(a, [0, -1], axis=1)
xp.delete(v, slice(1, 4))
xp.delete(v, v > 0)
xp.insert(v, 2, 9.0)
xp.insert(v, [1, 3], [8.0, 9.0])
xp.insert(a, 1, 5, axis=1)
xp.insert(a, 1, v[:4], axis=1)
xp.insert(i, [0, 2], 7, axis=0)
xp.insert(i, 2, [[1, 2, 3], [4, 5, 6]], axis=0)
xp.insert(i, -1, 300)
xp.pad(a, 1)
xp.pad(a, (1, 2), constant_values=(3, 4))
xp.pad(a, ((0, 1), (2, 0)), mode="edge")
xp.pad(v, 3, mode="reflect")
xp.pad(v, (2, 3), "symmetric")
xp.pad(a, 6, mode="wrap")
xp.pad(t, ((1, 0), (0, 2), (1, 1)), constant_values=((1, 2), (3, 4), (5, 6)))
xp.pad(e, 1)
xp.fliplr(a)
xp.flipud(v)
xp.rot90(a)
xp.rot90(a, 2)
xp.rot90(t, -1, axes=(0, 2))
xp.rot90(a, 4)
xp.rollaxis(t, 2)
xp.rollaxis(t, 0, 3)
xp.rollaxis(t, 1, -1)
xp.resize(v, (3, 4))
xp.resize(a, 3)
xp.resize(e, (2, 2))
xp.median(a)
xp.median(a, axis=0)
xp.median(i, axis=(0, 1), keepdims=True)
xp.median(n, axis=1)
xp.median(h, axis=0)
xp.median(u)
xp.median(e, axis=0)
xp.nanmedian(n, axis=1)
xp.nanmedian(n)
xp.percentile(a, 30)
xp.percentile(a, [0, 25, 100], axis=1).astype(np.float32)
xp.percentile(v, 50, keepdims=True)
xp.quantile(t, [[0.1, 0.9], [0.5, 0.2]], axis=(0, 2)).astype(np.float32)
xp.quantile(a, 0.37, axis=0, method="lower")
xp.quantile(a, 0.37, axis=0, method="higher")
xp.quantile(a, 0.37, method="midpoint")
xp.quantile(a, 0.37, method="nearest")
xp.quantile(a, 0.37, method="hazen")
xp.quantile(a, [0.01, 0.99], method="weibull").astype(np.float32)
xp.quantile(a, 0.37, method="median_unbiased")
xp.quantile(v, 0.95, method="normal_unbiased")
xp.quantile(v, 0.95, method="interpolated_inverted_cdf")
xp.quantile(n, 0.5, axis=0)
xp.quantile(i, 0.3)
xp.nanquantile(n, 0.3, axis=1)
xp.nanpercentile(n, [10, 90], axis=0).astype(np.float32)
xp.ptp(a)
xp.ptp(i, axis=1, keepdims=True)
xp.average(a)
xp.average(a, axis=0, weights=[1, 2, 3, 4])
xp.average(a, weights=a * a)
xp.average(i, axis=1, weights=[1, 0, 3])
xp.average(i, axis=0, returned=True)[1]
xp.average(v, weights=w, returned=True)[1]
xp.cov(a)
xp.cov(a, rowvar=False, bias=True)
xp.cov(v, w)
xp.cov(v)
xp.cov(v, w, fweights=[1, 2, 3, 1, 1, 1, 2], ddof=0)
xp.cov(v, w, aweights=[1.0, 2, 3, 1, 1, 0.5, 2])
xp.cov(z)
xp.corrcoef(a)
xp.corrcoef(v, w)
xp.digitize(a, [-1, 0, 1])
xp.digitize(w, [0.5, 2, 4.5], right=True)
xp.digitize(w, [9, 4, 1.5])
xp.digitize(w, [9, 4, 1.5], right=True)
xp.digitize(i, [-2, 0, 3])
xp.trapezoid(v)
xp.trapezoid(v, w)
xp.trapezoid(a, dx=0.5, axis=0)
xp.trapezoid(i)
xp.trapezoid(a, x=[0, 1, 3, 4, 7])
xp.gradient(v)
xp.gradient(v, 0.5)
xp.gradient(v, w)
xp.gradient(v, w, edge_order=2)
xp.gradient(v, 2.0, edge_order=2)
xp.gradient(a)[1]
xp.gradient(a, 2.0, [0, 1, 3, 4, 7])[1]
xp.gradient(i, axis=0)
xp.gradient(z, axis=1)
xp.interp(v, w, v)
xp.interp([-1, 0.5, 3, 9, 10, np.nan], w, v)
xp.interp([-1, 0.5, 3, 9, 10], w, v, left=-7, right=8)
xp.interp([-1.0, 100, 3], [2.0, 0, 1], [3.0, 5, 7], period=4)
xp.interp(2.5, w, v)
xp.interp([0.0, 2, 3], [2.0], [7.0])
xp.interp([1, 2, 3], [0, 2, 4], [10, 20, 40])
xp.convolve(v, [1.0, 2, 3])
xp.convolve(v, [1.0, 2, 3, 4], "same")
xp.convolve(v, w, "valid")
xp.convolve([1, 2], [3, 4, 5, 6], mode="same")
xp.convolve(z[0], z[1])
xp.convolve(u, u)
xp.correlate(v, [1.0, 2, 3])
xp.correlate([1, 2], [3, 4, 5, 6], "full")
xp.correlate([1, 2], [3, 4, 5, 6], "same")
xp.correlate(z[0], z[1][:3], "full")
xp.correlate(v, [1.0, 2], mode="same")
xp.ediff1d(a)
xp.ediff1d(i, to_begin=[-9, 8], to_end=7)
xp.polyval([1.5, -2, 3], v)
xp.polyval([2, 1], i)
xp.nan_to_num(n)
xp.nan_to_num(n, nan=7, posinf=5, neginf=-5)
xp.nan_to_num(i)
xp.select([a < -0.5, a > 0.5], [a, a * 2], 7)
xp.select([i < 0, i < 3], [0, i])
xp.choose(u, [u, u + 10, [1, 2, 3, 4, 5, 6], 300])
xp.choose([0, 5, -1], [[1, 2, 3], [4, 5, 6]], mode="clip")
xp.choose([0, 5, -1], [[1, 2, 3], [4, 5, 6]], mode="wrap")
xp.piecewise(v, [v < 0, v > 1], [lambda x: -x, 5])
xp.piecewise(v, [v < 0], [lambda x, k: k * x, lambda x, k: x], 3)
xp.piecewise(v, v < 0, [-1, 1])
xp.extract(a > 0, a)
xp.where(a > 0)[1]
xp.identity(3, np.int32)
xp.tri(3, 4, 1, dtype=np.int8)
xp.indices((2, 3))
xp.indices((2, 3), sparse=True)[1]
xp.fromfunction(lambda x, y: x * 10 + y, (3, 4), dtype=np.float32)
xp.logspace(0, 2, 5, dtype=np.float64)
xp.logspace(0, 3, 4, base=2, dtype=np.int64)
xp.geomspace(1, 1000, 4, dtype=np.float64)
xp.vander(w)
xp.vander([1, 2, 3], 4)
xp.vander(w, 3, increasing=True)
xp.diag(v, -1)
xp.diag(a, 1)
xp.diag(i)
xp.diagflat(i, 2)
xp.diag_indices(4)[1]
xp.tril_indices(3, -1)[0]
xp.triu_indices(3, 1, 4)[1]
a[xp.ix_([0, 2], [1, 3])]
a[xp.ix_([True, False, True, False], [4, 0])]
xp.unravel_index([3, 19], (4, 5))[0]
xp.unravel_index([3, 19], (4, 5), order="F")[0]
xp.dot(a, b)
xp.dot(v, w)
xp.dot(t, v[:4])
xp.dot(t, xp.swapaxes(t, 1, 2))
xp.dot(s, a)
xp.inner(a, a)
xp.inner(t, t)
xp.inner(v, w)
xp.vdot(z, z * 2j)
xp.vdot(i, i)
xp.kron(a, i)
xp.kron(v, i)
xp.cross(i, i[:, ::-1])
xp.cross(t, t * t, axis=1)
xp.diagonal(t)
xp.diagonal(t, 1, 1, 2)
xp.trace(t)
xp.trace(a, offset=-1)
xp.trace(i)
xp.trace(t, 0, 0, 2)
xp.einsum("ij,jk->ik", a, b)
xp.einsum("ij,jk", a, b)
xp.einsum("ij->ji", a)
xp.einsum("ij->", a)
xp.einsum("ii->i", a[:, :4])
xp.einsum("ii", a[:, :4])
xp.einsum("i,j->ij", v, w)
xp.einsum("ijk,ljk->il", t, t)
xp.einsum("bij,bjk->bik", t, xp.swapaxes(t, 1, 2))
xp.einsum("ij,jk,lk->il", a, b, i)
xp.einsum("ij,ij->i", a, a)
xp.einsum("...j,jk->...k", t, a[:, :4].T)
xp.einsum("...ij->...ji", t)
xp.einsum("i,i,i->i", v, w, v)
xp.einsum("ij,k->j", a, v)
xp.einsum("ij,jk", i.T, i)
xp.einsum("ijk->k", t)
xp.einsum("ij,ij->ij", i, i.astype(np.float32))
xp.union1d(u, [7, 1])
xp.intersect1d(i, [1, 2, 9])
xp.intersect1d(u, [3, 1, 1], return_indices=True)[2]
xp.setdiff1d(i, [1, 2])
xp.setdiff1d(u, [1, 2], assume_unique=True)
xp.setxor1d(u, [1, 9])
xp.union1d(n, n)
xp.deg2rad(a)
xp.rad2deg(v)
xp.degrees(v)
xp.radians(i)
xp.heaviside(a, 0.5)
xp.lcm(i, 4)
xp.fabs(i)
xp.angle(z)
xp.angle(z, deg=True)
xp.angle(v)
xp.sinc(a)
xp.sinc(0.0)
xp.around(v, 1)
xp.rint(v)
xp.fix(v)
xp.modf(n)[0]
xp.modf(v)[1]
xp.divmod(i, 3)[1]
divmod(i, 3)[0]
divmod(17, i + 10)[1]
xp.isposinf(n)
xp.isneginf(-n)
xp.isposinf(i)
xp.isreal(z)
xp.iscomplex(z)
xp.amax(a, 0)
xp.amin(a)
a.dot(b)
t.trace()
t.diagonal(1)
t.swapaxes(0, 2)
z.conjugate()
w.searchsorted([1, 5])
xp.nanargmax(n[::2], axis=1)
xp.nanargmin(n[::2])
xp.nancumsum(n, axis=0)
xp.nancumprod(n)
xp.trim_zeros([0, 0, 1, 2, 0])
xp.histogram2d(v, w, 3)[0]
xp.histogram2d(v, w, [2, 3], range=[[-1, 1], [0, 9]])[2]
xp.histogram2d(v, w, [[-1, 0, 1], [0, 4, 9]], weights=w)[0]
xp.histogram2d(v, w, 3, density=True)[0]
xp.histogramdd([v, w, w], 2)[0]
xp.histogramdd(i, (2, 3, 4))[0]
xp.histogramdd(i, 3, density=True)[1][2]
xp.ravel_multi_index(([1, 3], [0, 4]), (4, 5))
xp.ravel_multi_index(([1, 9], [0, -1]), (4, 5), mode="clip", order="F")
xp.ravel_multi_index(([1, 9], [0, -1]), (4, 5), mode="wrap")
xp.einsum("ij,jk", i.T, i, dtype=np.float64)
xp.quantile(a=v, q=0.5)
xp.select(condlist=[a < 0], choicelist=[a], default=1)
xp.unwrap(w * 3)
xp.unwrap(a * 9, axis=0)
"""


def evaluated(xp: Any, text: str) -> Any:
    arrays = {name: xp.asarray(values) for name, values in ARRAYS.items()}
    return eval(text, {"xp": xp, "np": np, **arrays})


@pytest.mark.parametrize("text", SAME.strip().splitlines())
def test_results_are_numpys(text: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = np.asarray(evaluated(np, text))
        found = evaluated(kp, text)
    assert isinstance(found, kp.Array)
    assert found.shape == expected.shape
    assert found.dtype == expected.dtype
    tolerance = 2e-3 if expected.dtype == np.float16 else 2e-6
    np.testing.assert_allclose(found.numpy(), expected, rtol=tolerance, atol=tolerance)


#: Expressions that are errors, in NumPy as well.
WRONG = """
xp.vstack([])
xp.hstack([a, v])
xp.split(v, 3)
xp.array_split(v, 0)
xp.vsplit(v, 2)
xp.dsplit(a, 2)
xp.hsplit(s, 1)
xp.delete(v, 9)
xp.insert(v, 9, 1)
xp.block([[a], [[a]]])
xp.block([[], [a]])
xp.pad(a, -1)
xp.pad(a, 1.5)
xp.pad(a, ((1, 2), (1, 2), (1, 2)))
xp.pad(e, 1, mode="edge")
xp.pad(a, 1, mode="round")
xp.fliplr(v)
xp.rot90(a, axes=(0, 0))
xp.rollaxis(a, 5)
xp.quantile(v, 1.1)
xp.percentile(v, -1)
xp.quantile(v, 0.5, method="guess")
xp.average(v, weights=v - v)
xp.average(a, weights=[1, 2])
xp.cov(v, w, fweights=[1])
xp.cov(t)
xp.digitize(v, [1, 3, 2])
xp.gradient(v, 1, 2)
xp.gradient([1.0])
xp.gradient(v, edge_order=3)
xp.interp(v, [], [])
xp.interp(v, w, v[:3])
xp.convolve(a, v)
xp.convolve(v, [])
xp.convolve(v, w, "half")
xp.select([], [])
xp.select([a], [a])
xp.choose([0, 5], [[1, 2], [3, 4]])
xp.piecewise(v, [v > 0], [1, 2, 3])
xp.diag(t)
xp.diagonal(v)
xp.trace(v)
xp.unravel_index([20], (4, 5))
xp.ravel_multi_index(([4], [0]), (4, 5))
xp.histogramdd([v, w[:3]])
xp.ix_(a)
xp.cross(v, v)
xp.vdot(v, a)
xp.einsum("ij,jk", a)
xp.einsum("ij,jk", a, a)
xp.einsum("ijk", a)
xp.einsum("ij->ik", a)
xp.einsum("ii", a)
xp.where(a > 0, a)
xp.isposinf(z)
xp.vander(a)
xp.lcm(v, 2)
xp.identity(-1)
"""


@pytest.mark.parametrize("text", WRONG.strip().splitlines())
def test_errors_are_numpys(text: str) -> None:
    with pytest.raises((ValueError, TypeError, IndexError, ZeroDivisionError, RuntimeError)):
        evaluated(np, text) if text != "xp.identity(-1)" else np.zeros(-1)
    with pytest.raises((ValueError, TypeError, IndexError, ZeroDivisionError)):
        evaluated(kp, text)


def test_comparisons_of_whole_arrays_are_numbers_of_python() -> None:
    a = ARRAYS["a"]
    x = kp.array(a)
    assert kp.allclose(x, a) is True
    assert np.allclose(x, a + 1e-7) is True
    assert kp.allclose(x, a + 1) is False
    assert kp.allclose(ARRAYS["n"], ARRAYS["n"]) is False
    assert kp.allclose(kp.array(ARRAYS["n"]), ARRAYS["n"], equal_nan=True) is True
    assert kp.array_equal(x, a) is True
    assert kp.array_equal(x, a[:2]) is False
    assert kp.array_equal([1, 2], [1, 2]) is True
    n = kp.array(ARRAYS["n"])
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


@pytest.mark.parametrize("dtype", "?bilefdF")
def test_long_rows_are_convolved_part_by_part(dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kp.arrays.numerics._PRODUCTS", 1000)
    rng = np.random.default_rng(5)
    a, v = (rng.integers(-2, 3, n).astype(dtype) for n in (97, 61))
    for mode in ("full", "same", "valid"):
        for first, second in ((a, v), (v, a)):
            for name in ("convolve", "correlate"):
                found = getattr(kp, name)(kp.array(first), kp.array(second), mode)
                expected = getattr(np, name)(first, second, mode)
                assert found.dtype == expected.dtype
                np.testing.assert_allclose(found.numpy(), expected, rtol=1e-5, atol=1e-5)
    # Fewer sums than products: each part is one element of the shorter row.
    monkeypatch.setattr("kp.arrays.numerics._PRODUCTS", 1)
    np.testing.assert_allclose(
        kp.convolve(kp.array(a), v[:5]).numpy(), np.convolve(a, v[:5]), rtol=1e-5
    )


def test_functions_that_write_set_what_numpy_sets() -> None:
    def both(function: Any, start: Any) -> None:
        a, x = np.array(start), kp.array(start)
        function(np, a)
        function(kp, x)
        np.testing.assert_array_equal(x.numpy(), a)

    a = ARRAYS["a"]
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
    both(lambda xp, x: xp.nan_to_num(x, copy=False), ARRAYS["n"])
    with pytest.raises(TypeError, match="do not fit an array of int32"):
        kp.copyto(kp.zeros(3, np.int32), kp.ones(3))
    with pytest.raises(TypeError, match="writes into a kp.Array, not a numpy.ndarray"):
        kp.putmask(np.zeros(3), [True, False, True], 1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="the mask has the shape"):
        kp.place(kp.zeros(3), [True], 1)


def test_functions_compute_where_their_arrays_are(mgr: kp.Manager) -> None:
    a = ARRAYS["a"]
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
    a = ARRAYS["a"]
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
    x = kp.array(ARRAYS["a"])
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
    a = ARRAYS["a"]
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
