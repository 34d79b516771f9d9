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
