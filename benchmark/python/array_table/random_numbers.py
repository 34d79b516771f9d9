# SPDX-License-Identifier: Apache-2.0
"""Random numbers. Each library has its own: their means and deviations are compared."""

from __future__ import annotations

from collections.abc import Iterator

from .cases import Case, cases


DISTRIBUTIONS = (
    "beta(2.0, 3.0, n)",
    "binomial(20, 0.3, n)",
    "chisquare(3.0, n)",
    "dirichlet([1.0, 2.0, 3.0, 4.0], n // 4)",
    "f(3.0, 8.0, n)",
    "gamma(2.0, 1.5, n)",
    "geometric(0.3, n)",
    "gumbel(0.0, 1.0, n)",
    "laplace(0.0, 1.0, n)",
    "logistic(0.0, 1.0, n)",
    "lognormal(0.0, 0.5, n)",
    "multinomial(20, [0.1, 0.2, 0.3, 0.4], n // 4)",
    "multivariate_normal([0.0, 1.0], [[1.0, 0.3], [0.3, 2.0]], n // 2)",
    "negative_binomial(5, 0.4, n)",
    "pareto(3.0, n)",
    "poisson(4.0, n)",
    "power(2.0, n)",
    "rayleigh(1.0, n)",
    "standard_cauchy(n)",
    "standard_gamma(2.0, n)",
    "standard_t(5.0, n)",
    "triangular(0.0, 1.0, 3.0, n)",
    "weibull(2.0, n)",
)


def table() -> Iterator[Case]:
    """Yield all of them."""
    family = "random numbers"
    same = {"check": "moments", "other_types": True}
    for dtype in ("float32", "float64"):
        for name in ("random", "standard_normal", "standard_exponential"):
            yield from cases(family, f"rng.{name}(n, dtype=xp.{dtype})", dtype, **same)
    for call in ("uniform(2, 3, n)", "exponential(2.0, n)"):
        yield from cases(family, f"rng.{call}", "float64", others=(f"xp.random.{call}",), **same)
    yield from cases(
        family, "rng.normal(1, 2, n)", "float64", others=("xp.random.normal(1, 2, n)",), **same
    )
    yield from cases(
        family,
        ("rng.integers(0, 100, n)", "rng.integers(0, 100, n, dtype=xp.int32)"),
        "int64",
        **same,
    )
    yield from cases(
        family, "rng.permutation(n)", "int64", others=("xp.random.permutation(n)",), **same
    )
    yield from cases(
        family, "rng.permutation(x)", "float32", others=("xp.random.permutation(x)",), **same
    )
    yield from cases(
        family, "rng.permuted(x)", "float32", others=("xp.random.permutation(x)",), **same
    )
    yield from cases(
        family,
        "rng.shuffle(x); x",
        "float32",
        others=("xp.random.shuffle(x); x",),
        changes=True,
        **same,
    )
    yield from cases(
        family, "rng.choice(x, n // 4)", "float32", others=("xp.random.choice(x, n // 4)",), **same
    )
    yield from cases(family, "rng.choice(n, n // 4, replace=False)", "int64",
                     others=("xp.random.choice(n, n // 4, replace=False)",), **same)  # fmt: skip
    yield from cases(family, ("(rng.random(n, dtype=xp.float32) ** 2 + rng.random(n, dtype=xp.float32) ** 2 < 1).sum()",),
                     tolerance=0.1, **same)  # fmt: skip
    for call in DISTRIBUTIONS:
        yield from cases(
            family,
            f"rng.{call}",
            "float64",
            check="",  # the tests compare the distributions
            other_types=True,
            others=(f"xp.random.{call}",),
        )
    yield from cases(family, "xp.random.default_rng(1).random(4)", check="")
    family = "random tensors"
    yield from cases(
        family, "xp.random.uniform(manager, n)", others=("rng.random(n, dtype=xp.float32)",), **same
    )
    yield from cases(
        family,
        "xp.random.normal(manager, n)",
        others=("rng.standard_normal(n, dtype=xp.float32)",),
        **same,
    )
    yield from cases(
        family,
        "xp.random.exponential(manager, n)",
        others=("rng.standard_exponential(n, dtype=xp.float32)",),
        **same,
    )
    yield from cases(
        family,
        "xp.random.integers(manager, n, 0, 100)",
        others=("rng.integers(0, 100, n, dtype=xp.int32)",),
        **same,
    )
    yield from cases(
        family,
        "xp.random.bits(manager, n)",
        others=("rng.integers(0, 1 << 32, n, dtype=xp.uint32)",),
        **same,
    )
    yield from cases(
        family, "xp.random.permutation(manager, n)", others=("xp.random.permutation(n)",), **same
    )
    yield from cases(
        family,
        "xp.random.shuffle(x.tensor()); x",
        others=("xp.random.shuffle(x); x",),
        changes=True,
        **same,
    )
