# SPDX-License-Identifier: Apache-2.0
"""Keywords of NumPy's ufuncs and reductions: where, initial, dtype, out, density, and NaNs left out."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import kp

RANDOM = np.random.default_rng(3)
A = RANDOM.normal(size=(6, 5)).astype(np.float32)
N = np.where(A > 0.8, np.float32(np.nan), A)
N[:, 2] = np.nan
M = A > 0
I = RANDOM.integers(-9, 9, (6, 5)).astype(np.int32)  # noqa: E741

CALLS: dict[str, Callable[..., Any]] = {
    "sum": lambda xp, a, n, m, i: xp.sum(a, axis=0, where=m, initial=3),
    "sum of integers": lambda xp, a, n, m, i: xp.sum(i, where=m),
    "prod": lambda xp, a, n, m, i: xp.prod(a, axis=1, where=m, initial=2.0, keepdims=True),
    "min": lambda xp, a, n, m, i: xp.min(a, axis=0, where=m, initial=0.25),
    "max": lambda xp, a, n, m, i: xp.max(i, initial=100),
    "max of nothing": lambda xp, a, n, m, i: xp.max(a[:0], axis=0, initial=-1),
    "mean": lambda xp, a, n, m, i: xp.mean(a, where=m),
    "mean by a row": lambda xp, a, n, m, i: xp.mean(a, axis=0, where=m[:, :1]),
    "var": lambda xp, a, n, m, i: xp.var(a, axis=0, where=m, ddof=1),
    "std": lambda xp, a, n, m, i: xp.std(i, axis=1, where=m),
    "any": lambda xp, a, n, m, i: xp.any(i, axis=0, where=m),
    "all": lambda xp, a, n, m, i: xp.all(i > 0, axis=0, where=m),
    "nansum": lambda xp, a, n, m, i: xp.nansum(n, axis=0),
    "nanprod": lambda xp, a, n, m, i: xp.nanprod(n),
    "nanmean": lambda xp, a, n, m, i: xp.nanmean(n, axis=0),
    "nanvar": lambda xp, a, n, m, i: xp.nanvar(n, axis=1),
    "nanstd": lambda xp, a, n, m, i: xp.nanstd(n, axis=1, ddof=1),
    "nanmin": lambda xp, a, n, m, i: xp.nanmin(n, axis=0),
    "nanmax": lambda xp, a, n, m, i: xp.nanmax(n, axis=1, keepdims=True),
    "nanmax of integers": lambda xp, a, n, m, i: xp.nanmax(i),
    "density": lambda xp, a, n, m, i: xp.histogram(a, 4, range=(-2, 2), density=True)[0],
    "partition": lambda xp, a, n, m, i: xp.sort(xp.partition(a, 2, axis=0)[:2], axis=0),
    "reduce": lambda xp, a, n, m, i: np.add.reduce(a, axis=1, where=m, initial=1),
    "accumulate": lambda xp, a, n, m, i: np.add.accumulate(i, axis=1),
    "outer": lambda xp, a, n, m, i: np.multiply.outer(a[0], a[1]),
    "dtype of a ufunc": lambda xp, a, n, m, i: np.add(i, 1, dtype=np.float64),
    "dtype": lambda xp, a, n, m, i: xp.multiply(i, i, dtype=np.int16),
    "new shape": lambda xp, a, n, m, i: xp.full_like(a, 2, shape=(3,)) + xp.ones_like(i, shape=3),
    "ndmin": lambda xp, a, n, m, i: xp.array(a, ndmin=3),
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", CALLS)
def test_keywords_are_those_of_numpy(name: str) -> None:
    expected = np.asarray(CALLS[name](np, A, N, M, I))
    found = CALLS[name](kp, *[kp.array(each) for each in (A, N, M, I)])
    assert found.shape == expected.shape
    if name != "density":  # float32 here
        assert found.dtype == expected.dtype
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-5, atol=1e-6)


def test_results_go_into_out() -> None:
    a, mask = kp.array(A), kp.array(M)
    for function, expected in (
        (lambda out: kp.clip(a, -0.5, 0.5, out=out), A.clip(-0.5, 0.5)),
        (lambda out: kp.round(a, 1, out=out), A.round(1)),
        (lambda out: kp.add(a, 1, out=out), A + 1),
        (lambda out: np.sqrt(kp.abs(a), out=out), np.sqrt(np.abs(A))),
        (lambda out: kp.negative(a, out=out, where=mask), np.where(M, -A, 7)),
        (lambda out: np.add(a, a, out=out, where=M), np.where(M, A + A, 7)),
    ):
        out = kp.full((6, 5), 7.0)
        assert function(out) is out
        np.testing.assert_allclose(out.numpy(), expected, rtol=1e-6)
    row = kp.zeros(5)
    assert kp.var(a, 0, out=row) is row
    np.testing.assert_allclose(row.numpy(), A.var(0), rtol=1e-5)
    assert a.std(axis=0, out=row) is row
    np.testing.assert_allclose(row.numpy(), A.std(0), rtol=1e-5)


def test_wrong_keywords_name_the_alternative(mgr: kp.Manager) -> None:
    a = kp.array(A)
    with pytest.raises(TypeError, match=r"needs out=.*kp.where\(\)"):
        kp.add(a, 1, where=M)
    with pytest.raises(ValueError, match="needs initial="):
        kp.max(a, where=M)
    with pytest.raises(TypeError, match="must be a mask"):
        kp.sum(a, where=I)
    with pytest.raises(ValueError, match="could not be broadcast"):
        kp.sum(a, where=np.ones((2, 2), bool))
    with pytest.raises(TypeError, match="cannot take float32; use astype"):
        kp.add(a, 1, dtype=np.int32)
    with pytest.raises(TypeError, match=r"only for arrays; kp.asarray\(tensor\)"):
        kp.sum(mgr.tensor([1, 2]), initial=3)


def test_threads_may_read_one_array() -> None:
    x = kp.array(A)
    pending = x * 2 + 1

    def work(i: int) -> bool:
        column = x[:, i % 5]
        found = [pending.numpy(), kp.sort(column).numpy(), kp.argmax(column).numpy()]
        expected = [A * 2 + 1, np.sort(A[:, i % 5]), A[:, i % 5].argmax()]
        return all(np.allclose(f, e) for f, e in zip(found, expected, strict=True))

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(100)))


def test_threads_keep_converted_operands_until_they_are_read() -> None:
    values = np.random.default_rng(0).integers(-5, 6, (13, 7)).astype(np.int32)

    def work(i: int) -> bool:
        found = kp.searchsorted(kp.array([i, i + 1]), kp.array(values)).numpy()
        return np.array_equal(found, np.searchsorted([i, i + 1], values))

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, [0, 1, 2] * 30))


def test_imaginary_parts_of_real_numbers_are_zero() -> None:
    values = kp.array([np.nan, -1, np.inf])
    assert np.array_equal(values.imag.numpy(), [0, 0, 0])
    assert not np.signbit(values.imag.numpy()).any()


@pytest.mark.parametrize("name", ["sum", "cumsum", "sort", "sqrt"])
def test_out_of_another_library_is_refused(name: str) -> None:
    with pytest.raises(TypeError, match="out must be a kp.Array"):
        getattr(kp, name)(kp.ones(3), out=np.zeros(3, np.float32))


SQUARE = "kernel void square(inout float x[]) { x[i] *= x[i]; }"
COPY: Any = ("T x", "T y", "y = x")
TOTAL: Any = ("T x", "T y", "x", "a + b", "y = a", "0")

#: A call's function, its array or other arguments, the wrong keyword, who says so, and the nearest
#: one.
WRONG: list[tuple[Callable[[Any], Any], Any, str, str, str]] = [
    (lambda x: kp.sum, None, "axes", "kp.sum()", "axis"),
    (lambda x: x.sum, (), "axes", "kp.sum()", "axis"),
    (lambda x: kp.sqrt, None, "outs", "kp.sqrt()", "out"),
    (lambda x: kp.zeros, (3,), "dtypes", "kp.zeros()", "dtype"),
    (lambda x: kp.linalg.norm, None, "axes", "kp.linalg.norm()", "axis"),
    (lambda x: kp.fft.fft, None, "norms", "kp.fft.fft()", "norm"),
    (lambda x: x.astype, (), "dtypes", "kp.Array.astype()", "dtype"),
    (lambda x: kp.kernel, (SQUARE,), "names", "kp.kernel()", "name"),
    (lambda x: kp.kernel(SQUARE), None, "thread", "kernel 'square'", "threads"),
    (lambda x: kp.kernel(SQUARE).tune, None, "budgets", "kernel 'square'", "budget"),
    (lambda x: kp.jit, (), "thread", "kp.jit()", "threads"),
    (lambda x: kp.elementwise, COPY, "preambles", "kp.elementwise()", "preamble"),
    (lambda x: kp.elementwise(*COPY), None, "sizes", "a call of a kp.ElementwiseKernel", "size"),
    (lambda x: kp.reduction, TOTAL, "names", "kp.reduction()", "name"),
    (lambda x: kp.reduction(*TOTAL), None, "axes", "a call of a kp.ReductionKernel", "axis"),
    (lambda x: kp.random.default_rng, (), "seeds", "kp.random.default_rng()", "seed"),
    (
        lambda x: kp.random.default_rng(1).normal,
        (),
        "sizes",
        "kp.random.Generator.normal()",
        "size",
    ),
]


@pytest.mark.parametrize(("function", "args", "keyword", "label", "nearest"), WRONG)
def test_unknown_keywords_are_named_with_the_nearest(
    function: Callable[[Any], Any], args: Any, keyword: str, label: str, nearest: str
) -> None:
    x = kp.array([1.0, 2], dtype=np.float32)
    with pytest.raises(TypeError) as caught:
        function(x)(*((x,) if args is None else args), **{keyword: None})
    said = f"{label} has no argument '{keyword}'; did you mean '{nearest}'?"
    assert str(caught.value).startswith(said)


def test_keywords_of_numpy_that_were_given_twice_are_named() -> None:
    x = kp.array([1.0, 2])
    sort: Any = kp.sort
    with pytest.raises(TypeError, match=r"kp.sort\(\) got the argument 'a' twice"):
        sort(x, a=x)
    with pytest.raises(TypeError, match=r"kp.reshape\(\) has no argument 'shapes'"):
        x.reshape(2, 1, shapes="C")
