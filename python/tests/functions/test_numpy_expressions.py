# SPDX-License-Identifier: Apache-2.0
"""Expressions that NumPy and this package evaluate to the same values, shapes and dtypes, or both refuse."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import kp

inf, nan = np.inf, np.nan

#: What the expressions may name, beside np, xp (one of the packages), inf and nan.
OPERANDS: dict[str, Any] = {
    "b": np.array([True, False, True]),
    "c": np.array([1 + 2j, 3 - 1j, 0j], np.complex64),
    "d": np.array([0.5, -1.5, nan, inf, -inf, -0.0]),
    "e": np.zeros((2, 0, 3), np.float32),
    "f": np.array([[3.5, -1, 2], [4, -6, 5.25]], np.float32),
    "h": np.array([1.5, -2, 65504], np.float16),
    "i": np.array([[3, 1, 2], [4, 6, 5]], np.int32),
    "i8": np.array([-128, 3, 127], np.int8),
    "l": np.array([2**62, -(2**62), 5], np.int64),
    "m": np.array([[2.0, 1], [1, 3]], np.float32),
    "n": np.array([1, nan, nan, 2], np.float32),
    "o": np.array([5, 1, 4, 1, 3], np.int32),
    "t": np.arange(24, dtype=np.float32).reshape(2, 3, 4),
    "u8": np.array([250, 3, 7], np.uint8),
    "z": np.array(3.5, np.float32),
}

EQUAL = """
l / 3
3 / l
l / 0
l // -3
l % -3
l * 2.0
i == None
(i != None).shape
i == "a"
i != "a"
i == object()
xp.setxor1d([1, nan, 2], [nan, 2])
xp.setxor1d([1, nan, nan], [nan, 2, 2, 3])
xp.setxor1d(n, [1.0, nan])
xp.setxor1d(c, [0j])
xp.setxor1d([], [])
xp.union1d([1, nan], [nan, 3])
xp.intersect1d([1, nan], [nan, 1.0])
xp.setdiff1d([1, nan, 2.0], [nan])
xp.isin([1, nan], [nan, 1.0])
xp.isclose([complex(nan, 0)], [complex(0, nan)], equal_nan=True)
xp.isclose(d, d)
xp.isclose(d, d, equal_nan=True)
xp.isclose([1, inf, -inf], [inf, inf, inf])
xp.isclose([2**62], [2**62 + 1], rtol=0, atol=0)
xp.isclose([1.0, 2], [1.1, 2.2], rtol=[0.2, 0.01])
xp.array_equal([1, nan], [1, nan], equal_nan=True)
xp.array_equal([1, nan], [nan, 1], equal_nan=True)
xp.array_equal([complex(nan, 1)], [complex(1, nan)], equal_nan=True)
xp.array_equal(i, "abc")
xp.array_equal(None, None)
xp.argsort(z)
xp.sort(z, axis=None)
xp.sort(e, axis=None)
xp.argsort(e, axis=None)
xp.unique([[1, 2], [1, 2], [0, 1]], axis=0)
xp.unique([[1, 2], [1, 2], [0, 1]], axis=1, return_index=True)
xp.unique([[1, 2], [1, 2], [0, 1]], axis=0, return_inverse=True)
xp.round(b)
xp.var(f, axis=0, mean=xp.mean(f, axis=0, keepdims=True))
xp.std(u8, mean=xp.mean(u8))
xp.nansum(n, initial=3)
xp.nansum(n, where=[True, True, False, False])
xp.nansum(i, where=i > 2)
xp.nanmean(n, where=[True, True, False, False])
xp.nanvar(n, where=[True, True, False, True])
xp.nanmax(n, initial=30)
xp.nanmin(n, where=[True, True, False, False], initial=7)
xp.nanargmax(n, out=xp.zeros((), np.int64))
xp.polyval([], i)
xp.polyval([1, 2, 3], u8)
xp.polyval(np.float32([1, 2]), f)
xp.unwrap([0, 1, 5, 8], period=4)
xp.unwrap([0, 1, 5, 8], period=5)
xp.unwrap(i, period=3)
xp.unwrap(h)
xp.histogram(f, bins=[-10, 0, 10])
xp.histogram(o, np.array([0, 3, 9], np.int8))
xp.histogram2d(o, o, [[0, 2, 6], [0, 3, 6]])
xp.histogramdd([o, o], [np.array([0, 2, 6]), 3])
xp.bincount([])
xp.bincount(b)
xp.bincount([1, 2, 1], np.float32([0.5, 1, 2]))
xp.bincount([1, 2, 1], np.float16([0.5, 1, 2]))
xp.bincount([1, 2, 1], [True, False, True], 5)
xp.histogram([1, 2, 1], 3, weights=[1, 2, 3])
xp.histogram([1, 2, 1], 3, weights=np.float16([1, 2, 3]))
xp.histogram([1, 2, 1], 3, weights=np.int8([1, 2, 3]))
xp.vander(f[0])
b ** 2
d ** 2
d ** 1
d ** 0.5
d ** -1
c ** 2
i ** 2
h ** 2.0
f.astype(dtype=np.float64)
f.astype(np.float64, casting="safe")
changed(c, lambda x: setattr(x, "real", 7))
changed(c, lambda x: setattr(x, "imag", [1, 2, 3]))
changed(f, lambda x: setattr(x, "real", 7))
changed(o, lambda x: x.put([0, 1], [5, 6]))
o.compress([True, False, True])
i.compress([True, False, True], axis=1)
changed(o, lambda x: x.partition(2))[2]
xp.median(e)
xp.quantile(e, 0.5, axis=0)
xp.nanquantile(e, 0.5)
xp.nanmedian(e, axis=1)
xp.quantile(f, 0.3, method="inverted_cdf")
xp.quantile(np.arange(4.0), [0, 0.125, 0.25, 0.375, 0.5, 0.75, 1], method="closest_observation")
xp.quantile(np.arange(4.0), [0, 0.125, 0.25, 0.375, 0.5, 0.75, 1], method="averaged_inverted_cdf")
xp.average(t, axis=(1, 0), weights=np.arange(6.0).reshape(3, 2))
xp.average(t, axis=(2, 0), weights=np.arange(8.0).reshape(4, 2))
xp.average(i, axis=0, weights=[1, 2])
xp.take(o, [0, 7, -1, -9], mode="wrap")
xp.take(o, [0, 7, -1], mode="clip")
xp.take(i, [0, 7], axis=1, mode="wrap")
xp.take(i, [0, 1], out=xp.zeros(2, np.int32))
o.take([0, 9], mode="clip")
xp.compress([True, False, True], o)
xp.compress([True, False], i, axis=0)
xp.compress([0, 1, 1], i, axis=1)
xp.concatenate([i, f], dtype=np.float32)
xp.concatenate([i, f], dtype=np.int32, casting="unsafe")
xp.stack([o, o], out=xp.zeros((2, 5), np.int32))
xp.vstack([o, o], dtype=np.int64)
xp.fft.fft([1, 2, 3, 4])
xp.fft.ifft([1, 2j, 3])
xp.fft.rfft(np.float32([1, 2, 3]))
xp.fft.irfft([1, 2, 3], 5)
xp.fft.hfft([1, 2, 3], norm="ortho", out=xp.zeros(4, np.float64))
xp.fft.ihfft([1, 2, 3])
xp.fft.fftshift([1, 2, 3])
xp.linalg.vector_norm(u8, ord=0)
xp.linalg.vector_norm(i8, ord=inf)
xp.linalg.multi_dot([m, m, f])
xp.linalg.multi_dot([f[0], np.ones((3, 4), np.float32), np.ones(4, np.float32)])
xp.linalg.cond(m)
xp.sort(a=[3, 1], axis=0)
xp.sum(a=i, axis=0)
xp.tile(A=o, reps=2)
xp.tril(m=f)
xp.isin(element=o, test_elements=[1, 3])
xp.tensordot(a=i, b=f, axes=2)
xp.searchsorted([1, 2, 3], v=2)
xp.unique(ar=o)
xp.flip(m=o)
xp.clip(a=o, a_min=2, a_max=3)
xp.full_like(a=o, fill_value=2)
xp.array(object=[1, 2])
xp.arange(start=3, stop=5)
xp.arange(stop=5)
xp.real(val=c)
xp.full((2, 2), [1, 2])
xp.full((2, 3), o[:3])
xp.array([[1.5, 2]], dtype=int)
xp.array(np.array([300]), dtype=np.uint8)
xp.insert(i, 0, 1.7, axis=1)
xp.pad(i, 1, constant_values=1.5)
xp.arange(0, 2, dtype=bool)
xp.shape([1, 2])
xp.size(i, 1)
xp.ndim(t)
np.size(i, 0)
xp.float_power(i, 2)
xp.ldexp(f, i)
xp.logaddexp2(d, 1)
xp.spacing(f)
xp.lexsort((o, [1, 1, 2, 2, 1]))
xp.lexsort((i, i), axis=0)
xp.histogram_bin_edges(o, 3)
xp.histogram_bin_edges(f, "auto")
xp.matvec(t, np.ones(4, np.float32))
xp.vecmat(c, np.ones((3, 2), np.complex64))
xp.diag_indices_from(m)
xp.triu_indices_from(i)
xp.concatenate(i)
xp.fft.fft(a=o)
xp.linalg.inv(a=m)
xp.linalg.solve(a=m, b=m)
""".strip().splitlines()

#: What NumPy refuses as well, and words of the message here.
REFUSED = {
    "xp.quantile([], 0.5)": "no quantiles of no elements; the array has the shape .0,.",
    "xp.percentile(e, [20, 50])": "no percentiles of no elements",
    "xp.quantile(e, 0.5, axis=1)": "no quantiles of no elements",
    "xp.bincount([1, 2], [1j, 2])": "weights that are real numbers, not complex128",
    "xp.bincount([1, 2], [1.0])": "weights have the shape .1,., but the elements .2,.",
    "changed(f, lambda x: setattr(x, 'imag', 1))": "float32 has no imaginary parts",
    "f.astype(np.int32, casting='safe')": "float32 does not become int32 by the rule 'safe'",
    "f + np.ones(2, np.float32)": "could not be broadcast together with shapes .2, 3. .2,.",
    "xp.maximum(f, o)": "could not be broadcast together with shapes .2, 3. .5,.",
    "xp.array([300], np.uint8)": "300 out of bounds for uint8",
    "xp.array([300.0], dtype=np.uint8)": "300 out of bounds for uint8",
    "xp.array([nan], dtype=int)": "NaN to integer",
    "xp.array([inf, 1], dtype=np.int32)": "infinity to integer",
    "u8.copy().__setitem__(slice(None), [1, 2, 300])": "300 out of bounds for uint8",
    "u8.copy().__setitem__([0, 1], [300, 2])": "300 out of bounds",
    "u8.copy().__setitem__(u8 > 5, [300, 2])": "300 out of bounds",
    "u8.copy().__setitem__(0, 300.0)": "300 out of bounds",
    "u8.copy().__setitem__(slice(None), [nan, 1, 2])": "NaN to integer",
    "i.copy().__setitem__(0, [inf, 1, 2])": "infinity to integer",
    "xp.insert(u8, 0, 300)": "300 out of bounds",
    "xp.insert(u8, 0, [300])": "300 out of bounds",
    "xp.put(u8.copy(), [0], [-1])": "-1 out of bounds",
    "xp.put(u8.copy(), [0], 300)": "300 out of bounds",
    "xp.place(u8.copy(), u8 > 5, [300])": "300 out of bounds",
    "xp.putmask(u8.copy(), u8 > 5, [300])": "300 out of bounds",
    "xp.copyto(u8.copy(), 300)": "300 out of bounds",
    "xp.fill_diagonal(i.copy(), 2**40)": "out of bounds for int32",
    "xp.piecewise(u8, [u8 > 5], [300])": "300",
    "xp.arange(-3, 3, dtype=np.uint8)": "-3 out of bounds",
    "xp.arange(0, 600, 300, dtype=np.uint8)": "300 out of bounds",
    "xp.arange(0, 3, dtype=bool)": "does not fit bool",
    "xp.sort(z)": "axis -1",
    "xp.argsort(z, axis=3)": "axis 3",
    "xp.partition(o, 9)": "kth is 9, but the axis has 5",
    "xp.var(f, correction=1, ddof=2)": "give one of them",
    "xp.nanmin(n, where=[True, True, False, False])": "needs initial=",
    "xp.unwrap(u8, period=255)": "-127",
    "xp.histogram(o, 2.5)": "bins is a number of bins, .* not 2.5",
    "xp.average(i, axis=1, weights=[1, 2])": "along axis 1, .3,., not .2,.",
    "xp.take(o, [0, 7], mode='up')": "mode is 'raise', 'wrap' or 'clip', not 'up'",
    "xp.take(o, [0, 7])": "7",
    "xp.compress([[True]], o)": "row of flags",
    "xp.concatenate([i, f], dtype=np.int32)": "float32 does not become int32 by the rule 'same_kind'",
    "xp.linalg.multi_dot([m])": "at least 2 arrays",
    "xp.linalg.multi_dot([m, t, m])": "array 1 has 3 axes",
    "xp.fft.fft([1, 2], n=0)": "at least 1 is needed",
    "xp.fft.fft(3)": "rows of numbers",
    "xp.sort(o, a=o)": "'a'",
    "xp.sort(b=o)": "'b'",
    "xp.arange()": "needs stop",
    "xp.fft.fft(f, n=2.5)": "a whole number, not 2.5",
    "xp.fft.fft(f, axis='a')": "axis is a whole number, not 'a'",
    "xp.stack(3)": "sequence of arrays, not an int",
    "xp.concatenate(3)": "sequence of arrays, not an int",
    "xp.size(i, 5)": "axis 5",
    "xp.lexsort(())": "at least one key",
    "xp.triu_indices_from(o)": "2 axes",
}


def names(xp: Any) -> dict[str, Any]:
    own = {name: kp.array(value) if xp is kp else value for name, value in OPERANDS.items()}
    return {**own, "xp": xp, "np": np, "inf": inf, "nan": nan, "changed": changed}


def changed(x: Any, change: Any) -> Any:
    """Return a copy of an array after a change."""
    copied = x.copy()
    change(copied)
    return copied


def on_host(found: Any) -> Any:
    if isinstance(found, (tuple, list)):
        return [on_host(each) for each in found]
    return found.numpy() if isinstance(found, kp.Array) else found


def compare(expected: Any, found: Any) -> None:
    if isinstance(expected, list):
        assert len(expected) == len(found)
        for one, other in zip(expected, found, strict=True):
            compare(one, other)
        return
    assert np.shape(found) == np.shape(expected)
    assert np.asarray(found).dtype == np.asarray(expected).dtype
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("expression", EQUAL)
def test_expressions_are_equal(expression: str) -> None:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        compare(on_host(eval(expression, names(np))), on_host(eval(expression, names(kp))))


@pytest.mark.parametrize(("expression", "message"), REFUSED.items())
def test_nonsense_is_refused_by_both(expression: str, message: str) -> None:
    with pytest.raises((ValueError, TypeError, IndexError, OverflowError)):
        eval(expression, names(np))
    with pytest.raises((ValueError, TypeError, IndexError, OverflowError), match=message):
        eval(expression, names(kp))


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("xp.mean(e)", "Mean of empty slice"),
        ("xp.median(e, axis=1)", "Mean of empty slice"),
        ("xp.nanmean(e)", "Mean of empty slice"),
        ("xp.nanmedian(e)", "Mean of empty slice"),
        ("xp.nanpercentile(e, 50)", "Mean of empty slice"),
        ("xp.nanquantile([[nan], [1.0]], 0.5, axis=1)", "All-NaN slice encountered"),
        ("xp.var(e)", "Degrees of freedom <= 0 for slice"),
        ("xp.std([1.0], ddof=1)", "Degrees of freedom <= 0 for slice"),
        ("xp.cov([1.0])", "Degrees of freedom <= 0 for slice"),
    ],
)
def test_results_of_nothing_warn_at_the_line_of_the_caller(expression: str, message: str) -> None:
    for xp in (np, kp):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            eval(expression, names(xp))
        found = [each for each in caught if message in str(each.message)]
        assert found and found[0].category is RuntimeWarning
    assert len(caught) == 1 and caught[0].filename == "<string>"


def test_functions_that_do_not_exist_here_say_what_to_do() -> None:
    x = kp.array([1.0, 2])
    for call in (np.frexp, np.packbits, np.subtract.accumulate):
        with pytest.raises(
            TypeError, match=r"numpy\.\w+(\.accumulate)? does not take kp.Array.*x.numpy"
        ):
            call(x)


def test_sums_of_weights_need_doubles() -> None:
    manager = kp.Manager()
    x = kp.array([1, 2], device=manager)
    kp._kp._pretend_lack(manager, np.dtype(np.float64), "It lacks shaderFloat64.")
    weights = kp.array([1, 2], dtype=np.float32, device=manager)
    with pytest.raises(kp.Unsupported, match="kp.bincount adds weights of float32 in float64"):
        kp.bincount(x, weights)
    assert kp.bincount(x.tensor(), weights.tensor()).dtype == np.float32
    assert kp.histogram(x.astype(np.float32), 3, weights=weights)[0].dtype == np.float32
