# SPDX-License-Identifier: Apache-2.0
"""How numbers of a distribution are found: by rejection of proposals, or by inversion.

Sources: G. Marsaglia, W. W. Tsang, "A simple method for generating gamma variables", 2000.
W. Hormann, "The transformed rejection method for generating Poisson random variables", 1993, and "The
generation of binomial random variates", 1993. C. Loader, "Fast and accurate computation of binomial
probabilities", 2000.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .arrays.array import Array
from .arrays.custom import elementwise
from .arrays.elementwise import (
    abs,
    as_array,
    floor,
    log,
    log1p,
    logical_and,
    logical_not,
    logical_or,
    maximum,
    minimum,
    sqrt,
    where,
)
from .arrays.manipulation import broadcast_to, reshape
from .arrays.searching import flatnonzero, take

if TYPE_CHECKING:
    from .random import Generator

DOUBLE: np.dtype[Any] = np.dtype(np.float64)
#: Up to here, all elements get another proposal until the last one accepts: no kernels that select.
_FEW = 1 << 16
#: log(k!) - (k log(k) - k) of small k.
_REMAINDERS = [math.lgamma(k + 1) - (k * math.log(k) - k if k else 0) for k in range(16)]

#: The number of terms that add up to u: the sum of a distribution whose terms have the ratio a / k + b.
inversion = elementwise(
    "float64 u, float64 first, float64 a, float64 b, float64 last",
    "float64 y",
    """
    double term = first, rest = u - first, k = 0;
    while (rest > 0 && k < last && term > 1e-18) { // the sum may end just below u
        k += 1;
        term *= a / k + b;
        rest -= term;
    }
    y = k
    """,
    name="kp.random.inversion",
)

_Proposal = Callable[..., tuple[Array, Array]]


def rejection(rng: Generator, shape: tuple[int, ...], propose: _Proposal, *given: Any) -> Array:
    """Return the first accepted proposal of each element.

    `propose(rng, count, *parameters)` returns that many values, and whether each is accepted.
    """
    count = math.prod(shape)
    parameters = [
        each if isinstance(each, float) else reshape(broadcast_to(each, shape), (count,))
        for each in given
    ]
    values, accepted = propose(rng, count, *parameters)
    if count <= _FEW:
        while not bool(accepted.all()):
            again, also = propose(rng, count, *parameters)
            values, accepted = where(accepted, values, again), logical_or(accepted, also)
        return reshape(values, shape)
    values = values.copy()
    left = flatnonzero(logical_not(accepted))
    while left.size:
        chosen = [each if isinstance(each, float) else take(each, left) for each in parameters]
        again, accepted = propose(rng, left.size, *chosen)
        values[left] = again  # what is rejected now is replaced next
        left = take(left, flatnonzero(logical_not(accepted)))
    return reshape(values, shape)


def gamma_proposal(rng: Generator, count: int, shape: Any, kind: Any) -> tuple[Array, Array]:
    """Propose gamma numbers of a shape of at least 1."""
    d = shape - 1.0 / 3
    c = 1.0 / (3.0 * (math.sqrt(d) if isinstance(d, float) else sqrt(d)))
    x = rng.standard_normal(count, kind)
    step = c * x
    cube = (1 + step) ** 3
    # 1 - cube + log(cube), without the difference of numbers near 1
    excess = 3 * (log1p(maximum(step, -0.999999)) - step) - step * step * (3 + step)
    bound = 0.5 * x * x + d * excess
    return d * cube, logical_and(cube > 0, log(rng._open(count, kind)) < bound)


def _deviance(k: Array, mean: Any) -> Array:
    """Return ``k log(k / mean) + mean - k`` without cancellation."""
    t = (k - mean) / mean
    near = t * t * (0.5 - t * (1 / 6 - t * (1 / 12 - t * (1 / 20 - t * (1 / 30 - t / 42)))))
    far = (1 + t) * log1p(maximum(t, -1 + 2.0**-53)) - t
    made: Array = mean * where(k == 0, 1.0, where(abs(t) < 0.01, near, far))
    return made


def _remainder(k: Array) -> Array:
    """Return log(k!) - (k log(k) - k)."""
    table = as_array(np.array(_REMAINDERS), k.device)
    small = take(table, minimum(k, 15).astype(np.int32))
    large = maximum(k, 16)
    square = 1 / (large * large)
    series = (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square * (1 / 1680)))) / large
    return where(k < 16, small, 0.5 * log(2 * math.pi * large) + series)


def poisson_proposal(rng: Generator, count: int, mean: Any) -> tuple[Array, Array]:
    """Propose Poisson numbers of a mean of at least 10 by Hormann's PTRS."""
    b = 0.931 + 2.53 * mean**0.5
    a = -0.059 + 0.02483 * b
    u, v = rng.random(count, DOUBLE) - 0.5, rng._open(count, DOUBLE)
    us = 0.5 - abs(u)
    k = floor((2 * a / us + b) * u + mean + 0.43)
    quick = logical_and(us >= 0.07, v <= 0.9277 - 3.6224 / (b - 2))
    possible = logical_and(k >= 0, logical_or(us >= 0.013, v <= us))
    exact = maximum(k, 0)
    chance = log(v * (1.1239 + 1.1328 / (b - 3.4)) / (a / (us * us) + b))
    return exact, logical_or(
        quick,
        logical_and(possible, chance <= -_deviance(exact, mean) - _remainder(exact)),
    )


def binomial_proposal(rng: Generator, count: int, n: Any, p: Any) -> tuple[Array, Array]:
    """Propose binomial numbers of n p of at least 10 and p of at most 1/2 by Hormann's BTRS."""
    mean, rest = n * p, n * (1 - p)
    deviation = (mean * (1 - p)) ** 0.5
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * p
    u, v = rng.random(count, DOUBLE) - 0.5, rng._open(count, DOUBLE)
    us = 0.5 - abs(u)
    k = floor((2 * a / us + b) * u + mean + 0.5)
    quick = logical_and(us >= 0.07, v <= 0.92 - 4.2 / b)
    possible = logical_and(k >= 0, k <= n)
    exact = minimum(maximum(k, 0), n)
    mode = as_array((n + 1) * p, k.device)
    mode = floor(mode)

    def logarithm(k: Array) -> Array:
        other = n - k
        made: Array = -(
            _remainder(k) + _remainder(other) + _deviance(k, mean) + _deviance(other, rest)
        )
        return made

    chance = log(v * (2.83 + 5.1 / b) * deviation / (a / (us * us) + b))
    return exact, logical_or(
        quick, logical_and(possible, chance <= logarithm(exact) - logarithm(mode))
    )
