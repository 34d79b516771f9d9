# SPDX-License-Identifier: Apache-2.0
"""Distributions of kp.random.default_rng() against NumPy's, and what their parameters may be."""

from __future__ import annotations

import inspect
import math
from typing import Any

import numpy as np
import pytest

import kp

COUNT = 10_000

#: Methods and arguments; the same ones of NumPy's generator.
CALLS: list[tuple[str, tuple[Any, ...]]] = [
    ("standard_gamma", (0.3,)),
    ("standard_gamma", (1,)),
    ("gamma", (2.5, 3.0)),
    ("gamma", (1e6, 0.5)),
    ("chisquare", (3,)),
    ("f", (3, 7)),
    ("standard_t", (4,)),
    ("beta", (0.5, 0.3)),
    ("beta", (20, 3)),
    ("beta", (2, 0.4)),
    ("beta", (0.6, 5)),
    ("lognormal", (1, 0.5)),
    ("laplace", (1, 2)),
    ("logistic", (1, 2)),
    ("gumbel", (1, 2)),
    ("rayleigh", (2,)),
    ("weibull", (2.5,)),
    ("pareto", (3,)),
    ("power", (3,)),
    ("standard_cauchy", ()),
    ("triangular", (-1, 0.5, 2)),
    ("poisson", (0.1,)),
    ("poisson", (3,)),
    ("poisson", (10,)),
    ("poisson", (1e3,)),
    ("poisson", (1e9,)),
    ("binomial", (5, 0.3)),
    ("binomial", (100, 0.05)),
    ("binomial", (40, 0.5)),
    ("binomial", (1000, 0.9)),
    ("binomial", (10**9, 0.3)),
    ("geometric", (0.2,)),
    ("negative_binomial", (3.5, 0.3)),
]


def distance(a: Any, b: Any) -> float:
    """The Kolmogorov-Smirnov statistic of two samples."""
    a, b = np.sort(a), np.sort(b)
    points = np.concatenate([a, b])
    gaps = (
        np.searchsorted(a, points, "right") / a.size - np.searchsorted(b, points, "right") / b.size
    )
    return float(np.abs(gaps).max())


def test_uniform_numbers_come_from_philox() -> None:
    pair = kp.elementwise(
        "uint32 a, uint32 b, uint32 key",
        "uint32 x, uint32 y",
        "uvec2 bits = kp_philox_pair(uvec2(a, b), key); x = bits.x; y = bits.y",
    )
    same = np.array([0, 0xFFFFFFFF], np.uint32)
    x, y = pair(kp.array(same), same, same)
    # The known answers of Random123 for philox2x32, 10 rounds.
    assert x.tolist() == [0xFF1DAE59, 0x2C3F628B] and y.tolist() == [0x6CD10DF2, 0xAB4FD7AD]


@pytest.mark.parametrize(("name", "arguments"), CALLS)
def test_distributions_are_numpys(name: str, arguments: tuple[Any, ...]) -> None:
    rng = kp.random.default_rng(7)
    found = getattr(rng, name)(*arguments, size=COUNT)
    wanted = getattr(np.random.default_rng(8), name)(*arguments, size=5 * COUNT)
    assert found.shape == (COUNT,) and found.dtype == wanted.dtype
    assert np.isfinite(found.numpy()).all()
    limit = 2.2 * math.sqrt((1 + 1 / 5) / COUNT)  # one in 8,000 equal distributions is beyond it
    assert distance(found.numpy(), wanted) < limit


@pytest.mark.parametrize(("name", "arguments"), CALLS[::3])
def test_parameters_may_be_arrays(name: str, arguments: tuple[Any, ...]) -> None:
    rng = kp.random.default_rng(9)
    many = [np.full((2, 1), each) for each in arguments]
    found = getattr(rng, name)(*many, size=(2, COUNT))
    wanted = getattr(np.random.default_rng(8), name)(*arguments, size=5 * COUNT)
    for row in found.numpy():
        assert distance(row, wanted) < 2.2 * math.sqrt((1 + 1 / 5) / COUNT)
    alone = getattr(rng, name)(*[kp.array(each) for each in many])
    assert alone.shape == (2, 1) and alone.dtype == wanted.dtype


def test_small_and_large_parameters_mix() -> None:
    rng = kp.random.default_rng(3)
    counts = rng.poisson([0, 1, 9.9, 10, 1000], size=(COUNT, 5)).numpy()
    assert np.allclose(counts.mean(axis=0), [0, 1, 9.9, 10, 1000], rtol=0.03)
    assert np.allclose(counts.var(axis=0), [0, 1, 9.9, 10, 1000], rtol=0.08)
    n, p = np.array([0, 5, 50, 1000, 7]), np.array([0.5, 0, 0.4, 0.99, 1])
    counts = rng.binomial(n, p, size=(COUNT, 5)).numpy()
    assert np.allclose(counts.mean(axis=0), n * p, rtol=0.03)
    assert np.allclose(counts.var(axis=0), n * p * (1 - p), rtol=0.08)
    sizes = rng.gamma([0, 0.1, 1, 100], [1, 2, 3, 4], size=(COUNT, 4)).numpy()
    assert np.allclose(sizes.mean(axis=0), [0, 0.2, 3, 400], rtol=0.08)


@pytest.mark.parametrize("name", ["standard_gamma", "weibull", "pareto", "chisquare"])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_floats_have_the_dtype_that_is_asked_for(name: str, dtype: Any) -> None:
    found = getattr(kp.random.default_rng(1), name)(3, size=COUNT, dtype=dtype)
    assert found.dtype == dtype
    wanted = getattr(np.random.default_rng(8), name)(3, size=5 * COUNT)
    assert distance(found.numpy().astype(float), wanted) < 2.2 * math.sqrt(1.2 / COUNT)


def test_rows_add_up() -> None:
    rng = kp.random.default_rng(4)
    parts = rng.dirichlet([0.5, 1, 3], COUNT).numpy()
    assert np.allclose(parts.sum(axis=1), 1) and np.allclose(
        parts.mean(axis=0), np.array([0.5, 1, 3]) / 4.5, atol=0.01
    )
    tiny = rng.dirichlet([0.001, 0.001], (5, 3)).numpy()  # gamma numbers themselves would be 0 / 0
    assert tiny.shape == (5, 3, 2) and np.allclose(tiny.sum(axis=-1), 1)
    assert np.isfinite(rng.beta(0.001, 0.001, 1000).numpy()).all()
    counts = rng.multinomial(20, [0.2, 0.3, 0.5], COUNT).numpy()
    assert counts.dtype == np.int64 and (counts.sum(axis=1) == 20).all()
    assert np.allclose(counts.mean(axis=0), [4, 6, 10], rtol=0.03)
    assert np.allclose(np.cov(counts.T)[0], [3.2, -1.2, -2], atol=0.1)
    assert rng.multinomial([3, 5], [1 / 3] * 3).numpy().sum(axis=1).tolist() == [3, 5]
    assert rng.multinomial(4, [0, 1, 0]).tolist() == [0, 4, 0]


@pytest.mark.parametrize("method", ["svd", "eigh", "cholesky"])
def test_multivariate_normal(method: str) -> None:
    mean, cov = [1, -2], np.array([[2, 0.6], [0.6, 1]])
    rng = kp.random.default_rng(5)
    found = rng.multivariate_normal(mean, cov, COUNT, method=method).numpy()
    assert np.allclose(found.mean(axis=0), mean, atol=0.08)
    assert np.allclose(np.cov(found.T), cov, atol=0.1)
    assert rng.multivariate_normal(mean, kp.array(cov)).shape == (2,)
    bad = [[1, 2], [2, 1]]
    with pytest.raises(ValueError, match="cov is not symmetric and positive semidefinite"):
        rng.multivariate_normal(mean, bad, check_valid="raise")
    with pytest.warns(RuntimeWarning, match="cov is not symmetric and positive semidefinite"):
        rng.multivariate_normal(mean, bad)
    with pytest.raises(ValueError, match=r"shapes \(2,\) and \(3, 3\)"):
        rng.multivariate_normal(mean, np.eye(3))
    with pytest.raises(ValueError, match="method is 'svd', 'eigh' or 'cholesky', not 'qr'"):
        rng.multivariate_normal(mean, cov, method="qr")


def test_rejected_proposals_do_not_move_the_generator_on() -> None:
    first, second = kp.random.default_rng(6), kp.random.default_rng(6)
    first.gamma(0.5, size=100)
    second.gamma(1000.0, size=100)
    assert first.random(3).tolist() == second.random(3).tolist()
    again = kp.random.default_rng(6)
    assert (
        again.gamma(0.5, size=100).tolist()
        == kp.random.default_rng(6).gamma(0.5, size=100).tolist()
    )
    assert (
        again.gamma(0.5, size=100).tolist()
        != kp.random.default_rng(6).gamma(0.5, size=100).tolist()
    )


def test_edges() -> None:
    rng = kp.random.default_rng(1)
    assert rng.poisson(0) == 0 and rng.gamma(0) == 0 and rng.geometric(1) == 1
    assert rng.binomial(0, 0.5) == 0 and rng.binomial(10, 0) == 0 and rng.binomial(10, 1) == 10
    assert rng.geometric(1e-300) > 2**62
    assert rng.poisson(3).shape == () and rng.poisson(3, 0).shape == (0,)
    assert rng.poisson([]).shape == (0,)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda r: r.poisson(-1), ValueError, "lam is at least 0 and at most 9.0072e.15, not -1"),
        (lambda r: r.poisson([1, -1]), ValueError, "lam is at least 0 .*, not -1"),
        (lambda r: r.poisson(kp.array([1, np.nan])), ValueError, "lam is at least 0"),
        (lambda r: r.poisson("a"), TypeError, "lam is a number or an array of them"),
        (lambda r: r.poisson(1e17), ValueError, "at most 9.0072e.15, not 1e.17"),
        (lambda r: r.binomial(2.5, 0.5), ValueError, "n is a whole number of trials"),
        (lambda r: r.binomial(2, 1.5), ValueError, "p is at least 0 and at most 1, not 1.5"),
        (lambda r: r.binomial([2, 3], [0.5] * 3), ValueError, "shape"),
        (lambda r: r.gamma(-1), ValueError, "shape is at least 0, not -1"),
        (lambda r: r.gamma(1, -1), ValueError, "scale is at least 0, not -1"),
        (lambda r: r.gamma([1, 2], size=3), ValueError, "shape"),
        (lambda r: r.beta(0, 1), ValueError, "a is above 0, not 0"),
        (lambda r: r.geometric(0), ValueError, "p is above 0 and at most 1, not 0"),
        (lambda r: r.dirichlet([1, 0]), ValueError, "alpha is above 0, not 0"),
        (lambda r: r.dirichlet(1), ValueError, r"not of shape \(\)"),
        (lambda r: r.multinomial(3, [0.9, 0.9, 0]), ValueError, "add up to 1 at most"),
        (lambda r: r.triangular(0, 2, 1), ValueError, "right is below mode"),
        (lambda r: r.triangular(1, 1, 1), ValueError, "has no width"),
        (lambda r: r.weibull(1, dtype=int), TypeError, "weibull numbers are floats, not int64"),
        (lambda r: r.poisson(1, lamm=2), TypeError, "no argument 'lamm'; did you mean 'lam'"),
    ],
)
def test_nonsense_is_refused(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call(kp.random.default_rng(1))


def test_parameters_have_numpys_names() -> None:
    for name in {name for name, _ in CALLS} | {"dirichlet", "multinomial", "multivariate_normal"}:
        ours = list(inspect.signature(getattr(kp.random.Generator, name)).parameters)
        numpys = list(inspect.signature(getattr(np.random.Generator, name)).parameters)
        assert [each for each in ours if each != "dtype"] == [
            each for each in numpys if each not in ("dtype", "out")
        ], name
