# SPDX-License-Identifier: Apache-2.0
"""Distributions of kp.random.Generator that are made of uniform and normal numbers.

A distribution that rejects proposals takes its numbers from a sequence of its own, whose key is made of the
generator's place. So each call moves the generator on by the number of its results, however many were
rejected. Whole numbers are computed in float64.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import DTypeLike

from ._floats import default_float
from ._kp import Manager
from ._proposals import (
    DOUBLE,
    binomial_proposal,
    gamma_proposal,
    inversion,
    poisson_proposal,
    rejection,
)
from ._random_parameters import Size, real, refuse_negative, size_of, within
from ._warning import warn
from ._wording import explains_methods
from .arrays.array import Array
from .arrays.creation import extents
from .arrays.elementwise import (
    as_array,
    ceil,
    exp,
    expm1,
    floor,
    log,
    log1p,
    logaddexp,
    maximum,
    minimum,
    sqrt,
    tan,
    where,
)
from .arrays.linear_algebra import matmul
from .arrays.manipulation import broadcast_to, reshape, stack
from .arrays.reductions import sum
from .arrays.types import number

if TYPE_CHECKING:
    from .random import Generator

#: Up to here, whole numbers of float64 are exact.
_LARGEST = 2.0**53


@explains_methods
class Distributions:
    """The methods of kp.random.Generator for these distributions."""

    _seed: int
    _stream: int
    _counter: int
    _manager: Manager
    # Methods of Generator.
    _next: Callable[..., Array]
    normal: Callable[..., Array]
    standard_normal: Callable[..., Array]

    # --- numbers that others are made of ----------------------------------------------------------

    def _own(self, count: int) -> Generator:
        """Return a generator with a sequence of its own, and go on by `count` numbers."""
        place = np.random.SeedSequence([self._seed, self._stream, self._counter])
        self._counter += max(count, 1)
        kind: Any = type(self)
        made: Generator = kind(int(place.generate_state(1, np.uint64)[0]), 1, self._manager)
        return made

    def _open(self, size: Size, kind: Any) -> Array:
        """Return numbers uniformly distributed in (0, 1), without 0 and 1."""
        double = kind == DOUBLE
        bits = self._next(size, np.uint64 if double else np.uint32, "bits")
        kept = 52 if double else 23
        made: Array = (bits >> (64 - kept if double else 32 - kept)).astype(kind)
        made = (made + 0.5) * 2.0**-kept
        return made

    def _kind(self, name: str, dtype: DTypeLike | None) -> Any:
        """Return the dtype of results. Raises TypeError if they are not floats."""
        kind = number(default_float(self._manager) if dtype is None else dtype).dtype
        if kind.kind != "f":
            raise TypeError(f"{name} numbers are floats, not {kind}")
        return kind

    def _given(self, value: Any, kind: Any) -> Any:
        """Return a parameter as a float, or as an array of a dtype."""
        if isinstance(value, float):
            return value
        return as_array(value, self._manager).astype(kind, copy=False)

    def _of_uniform(
        self,
        name: str,
        size: Size,
        dtype: DTypeLike | None,
        formula: Callable[..., Array],
        *given: Any,
    ) -> Array:
        """Return ``formula(u, *parameters)`` of numbers u in (0, 1)."""
        kind = self._kind(name, dtype)
        computed = np.promote_types(kind, np.float32)
        u = self._open(size_of(size, *given), computed)
        made: Array = formula(u, *(self._given(each, computed) for each in given))
        return made.astype(kind, copy=False)

    def _log_gamma(self, size: tuple[int, ...], shape: Any, kind: Any) -> Array:
        """Return logarithms of gamma numbers, which are finite however small the numbers are."""
        rng = self._own(math.prod(size))
        raised = shape + 1.0
        made = rejection(
            rng, size, lambda rng, count, a: gamma_proposal(rng, count, a, kind), raised
        )
        logarithms: Array = log(made) + log(rng._open(size, kind)) / shape
        return logarithms

    # --- gamma and relatives ----------------------------------------------------------------------

    def standard_gamma(
        self, shape: Any, size: Size = None, dtype: DTypeLike | None = None
    ) -> Array:
        """Return gamma numbers of a shape of 0 or more, and of scale 1."""
        shape = within("shape", shape, 0, math.inf)
        kind = self._kind("standard_gamma", dtype)
        computed = np.promote_types(kind, np.float32)
        wanted = size_of(size, shape)
        shape = self._given(shape, computed)
        rng = self._own(math.prod(wanted))
        large = shape if isinstance(shape, float) and shape >= 1 else None
        raised = large or (
            shape + 1.0 if isinstance(shape, float) else where(shape < 1, shape + 1, shape)
        )
        made = rejection(
            rng, wanted, lambda rng, count, a: gamma_proposal(rng, count, a, computed), raised
        )
        if large is None:
            small = exp(log(rng._open(wanted, computed)) / shape)  # 0 for a shape of 0
            made = made * (small if isinstance(shape, float) else where(shape < 1, small, 1))
        return made.astype(kind, copy=False)

    def gamma(
        self, shape: Any, scale: Any = 1.0, size: Size = None, dtype: DTypeLike | None = None
    ) -> Array:
        """Return gamma numbers of a shape and a scale of 0 or more. Their mean is the product."""
        scale = within("scale", scale, 0, math.inf)
        wanted = size_of(size, real("shape", shape), scale)
        made = self.standard_gamma(shape, wanted, dtype)
        scaled: Array = made * self._given(scale, made.dtype)
        return scaled

    def chisquare(self, df: Any, size: Size = None, dtype: DTypeLike | None = None) -> Array:
        """Return chi-square numbers of more than 0 degrees of freedom."""
        df = within("df", df, 0, math.inf, open_low=True)
        made: Array = 2 * self.standard_gamma(df / 2, size, dtype)
        return made

    def f(self, dfnum: Any, dfden: Any, size: Size = None, dtype: DTypeLike | None = None) -> Array:
        """Return F numbers: the ratio of two chi-square numbers over their degrees of freedom."""
        dfnum = within("dfnum", dfnum, 0, math.inf, open_low=True)
        dfden = within("dfden", dfden, 0, math.inf, open_low=True)
        wanted = size_of(size, dfnum, dfden)
        above, below = (self.chisquare(each, wanted, dtype) for each in (dfnum, dfden))
        by = self._given(dfden, above.dtype) / self._given(dfnum, above.dtype)
        ratio: Array = above / below * by
        return ratio

    def standard_t(self, df: Any, size: Size = None, dtype: DTypeLike | None = None) -> Array:
        """Return numbers of Student's t distribution of more than 0 degrees of freedom."""
        df = within("df", df, 0, math.inf, open_low=True)
        square = self.chisquare(df, size, dtype)
        made: Array = self.standard_normal(square.shape, square.dtype) * sqrt(
            self._given(df, square.dtype) / square
        )
        return made

    def beta(self, a: Any, b: Any, size: Size = None, dtype: DTypeLike | None = None) -> Array:
        """Return beta numbers, from 0 to 1, of `a` and `b` above 0."""
        a = within("a", a, 0, math.inf, open_low=True)
        b = within("b", b, 0, math.inf, open_low=True)
        kind = self._kind("beta", dtype)
        computed = np.promote_types(kind, np.float32)
        wanted = size_of(size, a, b)
        first, second = (
            self._log_gamma(wanted, self._given(each, computed), computed) for each in (a, b)
        )
        return exp(first - logaddexp(first, second)).astype(kind, copy=False)

    def dirichlet(self, alpha: Any, size: Size = None, dtype: DTypeLike | None = None) -> Array:
        """Return rows of positive numbers that add up to 1, of concentrations `alpha` above 0."""
        alpha = within("alpha", alpha, 0, math.inf, open_low=True)
        if np.ndim(alpha) != 1 or alpha.size == 0:
            raise ValueError(
                f"alpha is a list of at least one number, not of shape {np.shape(alpha)}"
            )
        kind = self._kind("dirichlet", dtype)
        computed = np.promote_types(kind, np.float32)
        rows = () if size is None else extents(size)
        logs = self._log_gamma((*rows, alpha.size), self._given(alpha, computed), computed)
        parts = exp(logs - logs.max(axis=-1, keepdims=True)) if logs.size else logs
        made: Array = (parts / sum(parts, axis=-1, keepdims=True)).astype(kind, copy=False)
        return made

    # --- transformed uniform and normal numbers ---------------------------------------------------

    def lognormal(
        self, mean: Any = 0.0, sigma: Any = 1.0, size: Size = None, dtype: DTypeLike | None = None
    ) -> Array:
        """Return numbers whose logarithms are normal, of that mean and standard deviation."""
        return exp(self.normal(mean, within("sigma", sigma, 0, math.inf), size, dtype))

    def laplace(
        self, loc: Any = 0.0, scale: Any = 1.0, size: Size = None, dtype: DTypeLike | None = None
    ) -> Array:
        """Return numbers of the double exponential distribution around `loc`."""
        loc, scale = real("loc", loc), within("scale", scale, 0, math.inf)

        def formula(u: Array, loc: Any, scale: Any) -> Array:
            tail = log(2 * minimum(u, 1 - u))
            made: Array = loc + scale * where(u < 0.5, tail, -tail)
            return made

        return self._of_uniform("laplace", size, dtype, formula, loc, scale)

    def logistic(
        self, loc: Any = 0.0, scale: Any = 1.0, size: Size = None, dtype: DTypeLike | None = None
    ) -> Array:
        """Return numbers of the logistic distribution around `loc`."""
        loc, scale = real("loc", loc), within("scale", scale, 0, math.inf)
        return self._of_uniform(
            "logistic", size, dtype, lambda u, at, by: at + by * (log(u) - log1p(-u)), loc, scale
        )

    def gumbel(
        self, loc: Any = 0.0, scale: Any = 1.0, size: Size = None, dtype: DTypeLike | None = None
    ) -> Array:
        """Return numbers of the Gumbel distribution, of the mode `loc`."""
        loc, scale = real("loc", loc), within("scale", scale, 0, math.inf)
        return self._of_uniform(
            "gumbel", size, dtype, lambda u, at, by: at - by * log(-log(u)), loc, scale
        )

    def rayleigh(
        self, scale: Any = 1.0, size: Size = None, dtype: DTypeLike | None = None
    ) -> Array:
        """Return lengths of vectors of two normal numbers of the standard deviation `scale`."""
        scale = within("scale", scale, 0, math.inf)
        return self._of_uniform(
            "rayleigh", size, dtype, lambda u, by: by * sqrt(-2 * log(u)), scale
        )

    def weibull(self, a: Any, size: Size = None, dtype: DTypeLike | None = None) -> Array:
        """Return numbers of the Weibull distribution of a shape above 0, and of scale 1."""
        a = within("a", a, 0, math.inf, open_low=True)
        return self._of_uniform("weibull", size, dtype, lambda u, a: (-log(u)) ** (1 / a), a)

    def pareto(self, a: Any, size: Size = None, dtype: DTypeLike | None = None) -> Array:
        """Return numbers of the Pareto II (Lomax) distribution of a shape above 0."""
        a = within("a", a, 0, math.inf, open_low=True)
        return self._of_uniform("pareto", size, dtype, lambda u, a: expm1(-log(u) / a), a)

    def power(self, a: Any, size: Size = None, dtype: DTypeLike | None = None) -> Array:
        """Return numbers from 0 to 1 of the density a x^(a - 1), of `a` above 0."""
        a = within("a", a, 0, math.inf, open_low=True)
        return self._of_uniform("power", size, dtype, lambda u, a: exp(log(u) / a), a)

    def standard_cauchy(self, size: Size = None, dtype: DTypeLike | None = None) -> Array:
        """Return numbers of the Cauchy distribution around 0."""
        return self._of_uniform("standard_cauchy", size, dtype, lambda u: tan(math.pi * (u - 0.5)))

    def triangular(
        self, left: Any, mode: Any, right: Any, size: Size = None, dtype: DTypeLike | None = None
    ) -> Array:
        """Return numbers from `left` to `right` whose density is highest at `mode`."""
        left, mode, right = real("left", left), real("mode", mode), real("right", right)
        ends = [as_array(each, self._manager) for each in (left, mode, right)]
        refuse_negative(ends[1] - ends[0], "mode is below left")
        refuse_negative(ends[2] - ends[1], "right is below mode")
        if not bool((ends[0] < ends[2]).all()):
            raise ValueError("left is right in some elements; the distribution has no width")

        def formula(u: Array, left: Any, mode: Any, right: Any) -> Array:
            width = right - left
            below = left + sqrt(u * width * (mode - left))
            return where(
                u * width <= mode - left, below, right - sqrt((1 - u) * width * (right - mode))
            )

        return self._of_uniform("triangular", size, dtype, formula, left, mode, right)

    def multivariate_normal(
        self,
        mean: Any,
        cov: Any,
        size: Size = None,
        check_valid: str = "warn",
        tol: float = 1e-8,
        *,
        method: str = "svd",
        dtype: DTypeLike | None = None,
    ) -> Array:
        """Return vectors of normal numbers of a mean and a covariance matrix, which is factored on the host.

        - `check_valid`: "warn", "raise" or "ignore" what is not symmetric and positive semidefinite
          within `tol`.
        - `method`: the factorization: "svd", "eigh" or "cholesky".
        """
        if check_valid not in ("warn", "raise", "ignore"):
            raise ValueError(f"check_valid is 'warn', 'raise' or 'ignore', not {check_valid!r}")
        if method not in ("svd", "eigh", "cholesky"):
            raise ValueError(f"method is 'svd', 'eigh' or 'cholesky', not {method!r}")
        kind = self._kind("multivariate_normal", dtype)
        center, matrix = (
            np.asarray(each.numpy() if isinstance(each, Array) else each, np.float64)
            for each in (mean, cov)
        )
        if center.ndim != 1 or matrix.shape != (center.size, center.size):
            raise ValueError(
                "mean is a vector and cov a square matrix of its size, not of the shapes "
                f"{center.shape} and {matrix.shape}"
            )
        if not (np.isfinite(center).all() and np.isfinite(matrix).all()):
            raise ValueError("mean and cov are finite")
        factor = _factor(matrix, check_valid, tol, method)
        rows = () if size is None else extents(size)
        computed = np.promote_types(kind, np.float32)
        normals = self.standard_normal((*rows, center.size), computed)
        device = self._manager
        turned = matmul(normals, as_array(factor.astype(computed), device))
        made: Array = (turned + as_array(center.astype(computed), device)).astype(kind, copy=False)
        return made

    # --- whole numbers ----------------------------------------------------------------------------

    def poisson(self, lam: Any = 1.0, size: Size = None) -> Array:
        """Return counts (int64) of events of the mean `lam`, from 0 to 2^53."""
        lam = within("lam", lam, 0, _LARGEST)
        wanted = size_of(size, lam)
        lam = self._given(lam, DOUBLE)
        rng = self._own(math.prod(wanted))
        if isinstance(lam, float):
            made = (
                self._few(rng, wanted, lam)
                if lam < 10
                else rejection(rng, wanted, poisson_proposal, lam)
            )
        else:
            few = self._few(rng, wanted, minimum(lam, 10))
            many = rejection(rng, wanted, poisson_proposal, maximum(lam, 10))
            made = where(lam < 10, few, many)
        return made.astype(np.int64)

    @staticmethod
    def _few(rng: Generator, shape: tuple[int, ...], lam: Any) -> Array:
        """Return Poisson numbers of a mean of at most 10."""
        first = math.exp(-lam) if isinstance(lam, float) else exp(-lam)
        made: Array = inversion(rng._open(shape, DOUBLE), first, lam, 0.0, 1000.0)
        return made

    def binomial(self, n: Any, p: Any, size: Size = None) -> Array:
        """Return numbers of successes (int64) in `n` trials, up to 2^53, of the probability `p`."""
        n = within("n", n, 0, _LARGEST)
        p = within("p", p, 0, 1)
        wanted = size_of(size, n, p)
        n, p = self._given(n, DOUBLE), self._given(p, DOUBLE)
        if not bool(np.all(np.floor(n) == n) if isinstance(n, float) else (floor(n) == n).all()):
            raise ValueError("n is a whole number of trials")
        rng = self._own(math.prod(wanted))
        scalar = isinstance(n, float) and isinstance(p, float)
        rare = min(p, 1 - p) if isinstance(p, float) else minimum(p, 1 - p)
        mean = n * rare
        made: Any
        if scalar and mean < 10:
            made = self._few_of(rng, wanted, n, rare)
        elif scalar:
            made = rejection(rng, wanted, binomial_proposal, n, rare)
        else:
            small = mean < 10
            trials = self._given(n, DOUBLE) if not isinstance(n, float) else n
            few = self._few_of(rng, wanted, trials, where(small, rare, 0.0))
            # Where there are few, any mean that the other method takes.
            many = rejection(
                rng, wanted, binomial_proposal, where(small, 100.0, trials), where(small, 0.5, rare)
            )
            made = where(small, few, many)
        flipped = p > 0.5
        return where(flipped, n - made, made).astype(np.int64)

    @staticmethod
    def _few_of(rng: Generator, shape: tuple[int, ...], n: Any, p: Any) -> Array:
        """Return binomial numbers of a mean of at most 10 and a p of at most 1/2."""
        first: Any
        if isinstance(n, float) and isinstance(p, float):
            first = math.exp(n * math.log1p(-p))
        else:
            p = as_array(p, rng._manager).astype(DOUBLE, copy=False)
            first = exp(n * log1p(-p))
        odds = p / (1 - p)
        made: Array = inversion(rng._open(shape, DOUBLE), first, (n + 1) * odds, -odds, n)
        return made

    def geometric(self, p: Any, size: Size = None) -> Array:
        """Return numbers of trials (int64) up to the first success, of the probability `p` above 0."""
        p = within("p", p, 0, 1, open_low=True)

        def formula(u: Array, p: Any) -> Array:
            trials = ceil(log(u) / log1p(-minimum(as_array(p, self._manager), 1 - 2.0**-53)))
            return minimum(maximum(trials, 1), 2.0**63 - 1024)

        return self._of_uniform("geometric", size, DOUBLE, formula, p).astype(np.int64)

    def negative_binomial(self, n: Any, p: Any, size: Size = None) -> Array:
        """Return numbers of failures (int64) before `n` successes of the probability `p`, both above 0."""
        n = within("n", n, 0, math.inf, open_low=True)
        p = within("p", p, 0, 1, open_low=True)
        wanted = size_of(size, n, p)
        p = self._given(p, DOUBLE)
        return self.poisson(self.gamma(n, 1.0, wanted, DOUBLE) * ((1 - p) / p))

    def multinomial(self, n: Any, pvals: Any, size: Size = None) -> Array:
        """Return how often (int64) each of several outcomes comes in `n` trials, along the last axis.

        - `pvals`: their probabilities, one list of them. What they lack to 1 is the last one's.
        """
        chances = np.asarray(pvals.numpy() if isinstance(pvals, Array) else pvals, np.float64)
        if chances.ndim != 1 or chances.size == 0:
            raise ValueError(f"pvals is a list of probabilities, not of the shape {chances.shape}")
        if not (chances >= 0).all() or chances[:-1].sum() > 1 + 1e-12:
            raise ValueError(
                "pvals has probabilities of at least 0 that add up to 1 at most, without the last one"
            )
        trials = within("n", n, 0, _LARGEST)
        wanted = size_of(size, trials)
        left = broadcast_to(as_array(trials, self._manager), wanted).astype(np.int64)
        remaining = 1.0
        found: list[Array] = []
        for chance in chances[:-1]:
            share = min(chance / remaining, 1.0) if remaining > 0 else 0.0
            drawn = self.binomial(left, float(share), wanted)
            found.append(drawn)
            left = left - drawn
            remaining -= chance
        return stack([*found, left], axis=-1)


def _factor(matrix: Any, check_valid: str, tol: float, method: str) -> Any:
    """Return the matrix whose product with normal numbers has a covariance matrix."""
    if method == "cholesky":
        if check_valid != "ignore" and not np.allclose(matrix, matrix.T, rtol=tol, atol=tol):
            _invalid(check_valid)
        return np.linalg.cholesky(matrix).T
    if method == "eigh":
        values, vectors = np.linalg.eigh(matrix)
        if check_valid != "ignore" and (
            not np.allclose(matrix, matrix.T, rtol=tol, atol=tol) or (values < -tol).any()
        ):
            _invalid(check_valid)
        return (vectors * np.sqrt(np.maximum(values, 0))).T
    _, values, right = np.linalg.svd(matrix)
    if check_valid != "ignore" and not np.allclose(
        (right.T * values) @ right, matrix, rtol=tol, atol=tol
    ):
        _invalid(check_valid)
    return np.sqrt(values)[:, None] * right


def _invalid(check_valid: str) -> None:
    message = "cov is not symmetric and positive semidefinite"
    if check_valid == "raise":
        raise ValueError(message)
    warn(message)
