# SPDX-License-Identifier: Apache-2.0
"""Distributions of kp.random.Generator that are derived from uniform and normal numbers.

Each call uses its own sequence, keyed by the generator's position. The generator advances by the
number of results. Whole numbers are computed in float64.
"""

from __future__ import annotations

import hashlib
import math
import struct
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from .._floats import default_float
from .._kp import Manager, _refuse_captured_random
from .parameters import Size, real, refuse_negative, size_of, within
from .._messages.warning import warn
from .._wording import explains_methods
from ..arrays.array import Array, converted
from ..arrays.creation import extents
from ..arrays.custom import elementwise
from ..arrays.elementwise import (
    as_array,
    exp,
    floor,
    minimum,
)
from ..arrays.matrices.linear_algebra import matmul
from ..arrays.shapes.joining import stack
from ..arrays.shapes.manipulation import broadcast_to
from ..arrays.reducing.reductions import sum
from ..arrays.storage import blank
from ..arrays.types import number

DOUBLE: np.dtype[Any] = np.dtype(np.float64)
_WORD = np.dtype(np.uint32)
#: Up to here, whole numbers of float64 are exact.
_LARGEST = 2.0**53


def _kernel(name: str, parameters: str, value: str, result: str = "T") -> Any:
    """Return a function that draws numbers by GLSL, whose functions are in
    shaders/lib/Distributions.glsl.

    It may name `at`, the number of the element, and `key`.
    """
    named = parameters.split()
    return elementwise(
        ", ".join(["uint32 low", "uint32 high", *(f"T {each}" for each in named)]),
        f"{result} y",
        f"uint at = uint(i); uvec2 key = uvec2(low, high); {value}",
        name=f"kp.random.{name}",
    )


def _of_function(name: str, parameters: str, result: str = "T") -> Any:
    number = f"kp_random_{name}(at, key, {parameters.replace(' ', ', ')})"
    return _kernel(
        name, parameters, f"y = {'int64_t' if result == 'int64' else ''}({number})", result
    )


def _of_uniform(name: str, parameters: str, value: str, result: str = "T") -> Any:
    """Return a function that draws a number from `u`, which is in (0, 1)."""
    first = parameters.split()[0]
    return _kernel(name, parameters, f"T u = kp_random_open(at, key, {first}); {value}", result)


_DRAWN = {
    "gamma": _of_function("gamma", "a"),
    "log_gamma": _of_function("log_gamma", "a"),
    "beta": _kernel(
        "beta",
        "a b",
        # Gamma numbers of small shapes may be too small for T, so these are drawn as logarithms.
        """uvec2 other = key ^ uvec2(0x85ebca6bu, 0xc2b2ae35u);
        T first = kp_random_raised_gamma(at, key, a < T(1) ? a + T(1) : a);
        T second = kp_random_raised_gamma(at, other, b < T(1) ? b + T(1) : b);
        y = T(1) / (T(1) + second / first);
        if (a < T(1) || b < T(1)) {
            T ratio = kp_log(second) - kp_log(first);
            if (a < T(1)) ratio -= kp_log(kp_random_open(at, key, a)) / a;
            if (b < T(1)) ratio += kp_log(kp_random_open(at, other, b)) / b;
            y = T(1) / (T(1) + kp_exp(ratio));
        }""",
    ),
    "standard_t": _kernel(
        "standard_t",
        "df",
        """T half_of_square = kp_random_gamma(at, key, df / T(2));
        y = kp_random_normal(at, key, df) * sqrt(df / (T(2) * half_of_square))""",
    ),
    "poisson": _of_function("poisson", "lam", "int64"),
    "binomial": _of_function("binomial", "trials chance", "int64"),
    "laplace": _of_uniform(
        "laplace",
        "loc scale",
        "T tail = kp_log(T(2) * min(u, T(1) - u)); y = loc + scale * (u < T(0.5) ? tail : -tail)",
    ),
    "logistic": _of_uniform(
        "logistic", "loc scale", "y = loc + scale * (kp_log(u) - kp_log1p(-u))"
    ),
    "gumbel": _of_uniform("gumbel", "loc scale", "y = loc - scale * kp_log(-kp_log(u))"),
    "rayleigh": _of_uniform("rayleigh", "scale", "y = scale * sqrt(T(-2) * kp_log(u))"),
    "weibull": _of_uniform("weibull", "a", "y = kp_pow(-kp_log(u), T(1) / a)"),
    "pareto": _of_uniform("pareto", "a", "y = kp_expm1(-kp_log(u) / a)"),
    "power": _of_uniform("power", "a", "y = kp_exp(kp_log(u) / a)"),
    "standard_cauchy": _of_uniform(
        "standard_cauchy", "scale", "y = scale * kp_tan(T(3.141592653589793lf) * (u - T(0.5)))"
    ),
    "triangular": _of_uniform(
        "triangular",
        "left mode right",
        """T width = right - left;
        y = u * width <= mode - left ? left + sqrt(u * width * (mode - left))
                                     : right - sqrt((T(1) - u) * width * (right - mode))""",
    ),
    "geometric": _of_uniform(
        "geometric",
        "chance",
        """T trials = ceil(kp_log(u) / kp_log1p(-min(chance, T(1) - T(1.1102230246251565e-16lf))));
        y = int64_t(min(max(trials, T(1)), T(9223372036854774784.0lf)))""",
        "int64",
    ),
}


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

    # --- building blocks --------------------------------------------------------------------------

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

    def _floats(
        self, name: str, size: Size, dtype: DTypeLike | None, *given: Any, of: str = ""
    ) -> Array:
        """Return floats of a dtype, drawn as `of` or as `name`, with a size or the parameters'
        shape."""
        kind = self._kind(name, dtype)
        computed = np.promote_types(kind, np.float32)
        made = self._drawn(of or name, size_of(size, *given), computed, *given)
        return converted(made, kind)

    def _drawn(
        self, name: str, shape: tuple[int, ...], kind: Any, *given: Any, result: Any = None
    ) -> Array:
        """Return numbers of a distribution, by one kernel, without waiting.

        They are computed in the dtype `kind`, and have it, too, unless `result` is another.
        """
        _refuse_captured_random()
        place = f"{self._seed} {self._stream} {self._counter}".encode()
        self._counter += max(math.prod(shape), 1)
        low, high = struct.unpack("<II", hashlib.blake2b(place, digest_size=8).digest())
        made = blank(self._manager, shape, np.dtype(result or kind))
        if made.size:
            kind = np.dtype(kind)
            numbers = (
                (each, kind) if isinstance(each, float) else self._given(each, kind)
                for each in given
            )
            _DRAWN[name]._run(made._shape, [(low, _WORD), (high, _WORD), *numbers], [made])
        return made

    # --- gamma and relatives ----------------------------------------------------------------------

    def standard_gamma(
        self, shape: Any, size: Size = None, dtype: DTypeLike | None = None
    ) -> Array:
        """Return gamma numbers of a shape of 0 or more, and of scale 1."""
        shape = within("shape", shape, 0, math.inf)
        return self._floats("standard_gamma", size, dtype, shape, of="gamma")

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
        return self._floats("standard_t", size, dtype, df)

    def beta(self, a: Any, b: Any, size: Size = None, dtype: DTypeLike | None = None) -> Array:
        """Return beta numbers, from 0 to 1, of `a` and `b` above 0."""
        a = within("a", a, 0, math.inf, open_low=True)
        b = within("b", b, 0, math.inf, open_low=True)
        return self._floats("beta", size, dtype, a, b)

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
        logs = self._drawn("log_gamma", (*rows, alpha.size), computed, alpha)
        parts = exp(logs - logs.max(axis=-1, keepdims=True)) if logs.size else logs
        made: Array = (parts / sum(parts, axis=-1, keepdims=True)).astype(kind, copy=False)
        return made

    # --- transformed uniform and normal numbers ---------------------------------------------------

    def lognormal(
        self, mean: Any = 0.0, sigma: Any = 1.0, size: Size = None, dtype: DTypeLike | None = None
    ) -> Array:
        """Return numbers whose logarithms are normal, with this mean and standard deviation."""
        return exp(self.normal(mean, within("sigma", sigma, 0, math.inf), size, dtype))

    def laplace(
        self, loc: Any = 0.0, scale: Any = 1.0, size: Size = None, dtype: DTypeLike | None = None
    ) -> Array:
        """Return numbers of the double exponential distribution around `loc`."""
        loc, scale = real("loc", loc), within("scale", scale, 0, math.inf)
        return self._floats("laplace", size, dtype, loc, scale)

    def logistic(
        self, loc: Any = 0.0, scale: Any = 1.0, size: Size = None, dtype: DTypeLike | None = None
    ) -> Array:
        """Return numbers of the logistic distribution around `loc`."""
        loc, scale = real("loc", loc), within("scale", scale, 0, math.inf)
        return self._floats("logistic", size, dtype, loc, scale)

    def gumbel(
        self, loc: Any = 0.0, scale: Any = 1.0, size: Size = None, dtype: DTypeLike | None = None
    ) -> Array:
        """Return numbers of the Gumbel distribution, of the mode `loc`."""
        loc, scale = real("loc", loc), within("scale", scale, 0, math.inf)
        return self._floats("gumbel", size, dtype, loc, scale)

    def rayleigh(
        self, scale: Any = 1.0, size: Size = None, dtype: DTypeLike | None = None
    ) -> Array:
        """Return lengths of vectors of two normal numbers of the standard deviation `scale`."""
        return self._floats("rayleigh", size, dtype, within("scale", scale, 0, math.inf))

    def weibull(self, a: Any, size: Size = None, dtype: DTypeLike | None = None) -> Array:
        """Return numbers of the Weibull distribution of a shape above 0, and of scale 1."""
        a = within("a", a, 0, math.inf, open_low=True)
        return self._floats("weibull", size, dtype, a)

    def pareto(self, a: Any, size: Size = None, dtype: DTypeLike | None = None) -> Array:
        """Return numbers of the Pareto II (Lomax) distribution of a shape above 0."""
        a = within("a", a, 0, math.inf, open_low=True)
        return self._floats("pareto", size, dtype, a)

    def power(self, a: Any, size: Size = None, dtype: DTypeLike | None = None) -> Array:
        """Return numbers from 0 to 1 of the density a x^(a - 1), of `a` above 0."""
        a = within("a", a, 0, math.inf, open_low=True)
        return self._floats("power", size, dtype, a)

    def standard_cauchy(self, size: Size = None, dtype: DTypeLike | None = None) -> Array:
        """Return numbers of the Cauchy distribution around 0."""
        return self._floats("standard_cauchy", size, dtype, 1.0)

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

        return self._floats("triangular", size, dtype, left, mode, right)

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

        - `check_valid`: "warn", "raise" or "ignore" if `cov` is not symmetric and positive
          semidefinite within `tol`.
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
        return self._drawn("poisson", size_of(size, lam), DOUBLE, lam, result=np.int64)

    def binomial(self, n: Any, p: Any, size: Size = None) -> Array:
        """Return numbers of successes (int64) in `n` trials, up to 2^53, of the probability `p`."""
        n = within("n", n, 0, _LARGEST)
        p = within("p", p, 0, 1)
        if not bool(np.all(np.floor(n) == n) if isinstance(n, float) else (floor(n) == n).all()):
            raise ValueError("n is a whole number of trials")
        return self._drawn("binomial", size_of(size, n, p), DOUBLE, n, p, result=np.int64)

    def geometric(self, p: Any, size: Size = None) -> Array:
        """Return numbers of trials (int64) up to the first success, of the probability `p` above 0."""
        p = within("p", p, 0, 1, open_low=True)
        return self._drawn("geometric", size_of(size, p), DOUBLE, p, result=np.int64)

    def negative_binomial(self, n: Any, p: Any, size: Size = None) -> Array:
        """Return numbers of failures (int64) before `n` successes of the probability `p`, both above 0."""
        n = within("n", n, 0, math.inf, open_low=True)
        p = within("p", p, 0, 1, open_low=True)
        wanted = size_of(size, n, p)
        p = self._given(p, DOUBLE)
        lam = self._drawn("gamma", wanted, DOUBLE, n) * ((1 - p) / p)
        lam = minimum(lam, _LARGEST)
        return self._drawn("poisson", wanted, DOUBLE, lam, result=np.int64)

    def multinomial(self, n: Any, pvals: Any, size: Size = None) -> Array:
        """Return how often (int64) each of several outcomes comes in `n` trials, along the last axis.

        - `pvals`: their probabilities, one list of them. The last one gets the remainder to 1.
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
            successes = self._drawn("binomial", wanted, DOUBLE, left, float(share), result=np.int64)
            found.append(successes)
            left = left - successes
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
