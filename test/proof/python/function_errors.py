# SPDX-License-Identifier: Apache-2.0
"""Measures the errors of elementwise functions, in units in the last place, and prints the worst first.

    python function_errors.py [--count N] [--seed N | --seed date] [--only NAME,...] [--plant result]

The reference is mpmath's, with 40 digits more. Arguments are random over the whole range, or hard: near zeros, poles,
multiples of pi / 2, and the places where formulas change. Sums that cancel (logaddexp) may be off by as much as their
parts. --plant result changes the first result of each function.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
from numpy.typing import NDArray
from options import number
from options import seed as seed_option

import kp
from kp.arrays.functions import FUNCTIONS

#: Names in mpmath, where they differ.
_MP: dict[str, Callable[..., Any]] = {
    "exp2": lambda x: mpmath.mpf(2) ** x,
    "log2": lambda x: mpmath.log(x) / mpmath.log(2),
    "log1p": lambda x: mpmath.log1p(x) if isinstance(x, mpmath.mpf) else mpmath.log(1 + x),
    "cbrt": lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)),
    "pow": lambda x, y: x**y,
    "i0": lambda x: mpmath.besseli(0, x),
    "lgamma": lambda x: mpmath.log(abs(mpmath.gamma(x))) if x < 100 else mpmath.loggamma(x),
    "logaddexp": lambda x, y: max(x, y) + mpmath.log1p(mpmath.exp(-abs(x - y))),
    "logaddexp2": lambda x, y: (
        max(x, y) + mpmath.log1p(mpmath.mpf(2) ** -abs(x - y)) / mpmath.log(2)
    ),
}
_SUMS = ("logaddexp", "logaddexp2")

#: Multiples of pi / 2 that doubles come closest to, and numbers around which logarithms vanish.
_HARD = [
    6381956970095103.0 * 2.0**797,
    6381956970095103.0 * 2.0**796,
    5319372648326541.0 * 2.0**-51,
    3.1415926535897931,
    1.5707963267948966,
    710.99999,
    1e22,
    2.0**1023,
]

Sampler = Callable[[np.random.Generator, int], NDArray[np.float64]]


def uniform(low: float, high: float) -> Sampler:
    return lambda rng, n: rng.uniform(low, high, n)


def powers(low: float, high: float, signed: bool = False) -> Sampler:
    """Numbers whose exponents are uniform, between 2^low and 2^high."""

    def sample(rng: np.random.Generator, n: int) -> NDArray[np.float64]:
        x = np.exp2(rng.uniform(low, high, n))
        return x * rng.choice([-1.0, 1.0], n) if signed else x

    return sample


def near(*values: float) -> Sampler:
    """Numbers near some others, at distances of all sizes."""

    def sample(rng: np.random.Generator, n: int) -> NDArray[np.float64]:
        middle = rng.choice(values, n)
        x: NDArray[np.float64] = middle * (1 + rng.normal(size=n) * np.exp2(-rng.uniform(0, 52, n)))
        return x

    return sample


def hard(rng: np.random.Generator, n: int) -> NDArray[np.float64]:
    """Numbers near multiples of pi / 2."""
    k = np.floor(np.exp2(rng.uniform(0, 40, n - len(_HARD))))
    return np.concatenate([_HARD, k * (np.pi / 2)])


_TRIGONOMETRIC = [[uniform(-10, 10)], [powers(-30, 1024, True)], [powers(-5, 21, True)], [hard]]
#: Function -> samples of its arguments.
CASES: dict[str, list[list[Sampler]]] = {
    "exp": [[uniform(-708, 709.78)], [uniform(-2, 2)], [powers(-60, 0, True)]],
    "exp2": [[uniform(-1021, 1024)], [uniform(-2, 2)], [powers(-60, 0, True)]],
    "expm1": [[uniform(-40, 709.78)], [uniform(-2, 2)], [powers(-60, 0, True)]],
    "log": [[powers(-1022, 1024)], [near(1.0)], [uniform(0.5, 2)]],
    "log2": [[powers(-1022, 1024)], [near(1.0)], [uniform(0.5, 2)], [near(0.5, 2, 1024)]],
    "log10": [[powers(-1022, 1024)], [near(1.0)], [uniform(0.5, 2)], [near(10, 0.1, 1000)]],
    "log1p": [[powers(-60, 1024)], [uniform(-0.9999, 2)], [powers(-60, 0, True)]],
    "sin": _TRIGONOMETRIC,
    "cos": _TRIGONOMETRIC,
    "tan": _TRIGONOMETRIC,
    "asin": [[uniform(-1, 1)], [powers(-30, 0, True)], [near(0.5, -0.5)]],
    "acos": [[uniform(-1, 1)], [powers(-30, 0, True)], [near(0.5, -0.5)]],
    "atan": [[uniform(-3, 3)], [powers(-30, 70, True)], [near(1.0, 0.41421356, 2.4142136)]],
    "sinh": [[uniform(-710, 710)], [uniform(-2, 2)], [powers(-30, 0, True)]],
    "cosh": [[uniform(-710, 710)], [uniform(-2, 2)], [powers(-30, 0, True)]],
    "tanh": [[uniform(-22, 22)], [uniform(-2, 2)], [powers(-30, 0, True)]],
    "asinh": [[uniform(-4, 4)], [powers(-40, 1024, True)], [uniform(-1, 1)]],
    "acosh": [[uniform(1, 4)], [powers(0, 1024)], [near(1.0)]],
    "atanh": [[uniform(-1, 1)], [powers(-40, 0, True)], [near(0.17, 0.5, 0.9999)]],
    "cbrt": [[powers(-1022, 1024, True)], [uniform(-8, 8)]],
    "hypot": [
        [powers(-1022, 1022, True), powers(-1022, 1022, True)],
        [uniform(-2, 2), uniform(-2, 2)],
    ],
    "atan2": [
        [powers(-1022, 1024, True), powers(-1022, 1024, True)],
        [uniform(-2, 2), uniform(-2, 2)],
        [powers(-5, 5, True), powers(-5, 5, True)],
    ],
    "pow": [
        [powers(-10, 10), uniform(-100, 100)],
        [powers(-1022, 1024), uniform(-1, 1)],
        [near(1.0), powers(0, 52, True)],
        [uniform(0, 20), uniform(-20, 20)],
    ],
    "erf": [[uniform(-6, 6)], [uniform(-1.2, 1.2)], [powers(-30, 2, True)]],
    "erfc": [[uniform(-2, 26.5)], [uniform(-1, 1.5)], [uniform(0.4, 6)]],
    "gamma": [[uniform(-30, 171)], [uniform(-5, 11)], [powers(-60, 7, True)], [uniform(-170, -9)]],
    "i0": [[uniform(-20, 20)], [powers(-60, 9, True)], [near(8.0)], [uniform(90, 713)]],
    "lgamma": [[uniform(0, 20)], [powers(-60, 1000)], [near(1.0, 2.0)], [uniform(0.8, 2.3)]],
    "logaddexp": [[uniform(-50, 50), uniform(-50, 50)], [uniform(-2, 2), uniform(-2, 2)]],
    "logaddexp2": [[uniform(-50, 50), uniform(-50, 50)], [uniform(-2, 2), uniform(-2, 2)]],
}

_PLANE = [
    [uniform(-3, 3), uniform(-3, 3)],
    [powers(-30, 4, True), powers(-30, 4, True)],
    [near(1.0, -1.0, 0.5), powers(-30, 1, True)],
]
_WIDE = [*_PLANE, [powers(-300, 300, True), powers(-300, 300, True)]]
#: Function of complex numbers -> samples of the parts of its arguments.
COMPLEX_CASES: dict[str, list[list[Sampler]]] = {
    **{
        name: _PLANE
        for name in ("exp", "sin", "cos", "tan", "sinh", "cosh", "tanh", "expm1", "exp2")
    },
    **{name: _WIDE for name in ("log", "sqrt", "asin", "acos", "atan", "asinh", "acosh", "atanh")},
    **{name: _WIDE for name in ("log2", "log10", "log1p")},
    "pow": [[uniform(-3, 3), uniform(-3, 3), uniform(-3, 3), uniform(-3, 3)]],
}

#: The largest error of doubles that the documentation allows, in units in the last place.
LIMIT = 2.0
#: The same of complex numbers, in units of their size.
COMPLEX_LIMIT = 4.0


def reference(name: str) -> Callable[..., Any]:
    """Return mpmath's function."""
    return _MP.get(name) or getattr(mpmath, name)


#: Not empty if results are to be changed.
planted: list[bool] = []


def compute(name: str, given: list[NDArray[Any]]) -> NDArray[Any]:
    """Return the device's results."""
    result: NDArray[Any] = getattr(kp, name)(*[kp.array(each) for each in given]).numpy()
    if planted:
        result[0] *= 1 + 1e-14
    return result


def errors_of(
    name: str, given: list[NDArray[np.float64]], found: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the errors in units in the last place of the exact results that are normal numbers."""
    function = reference(name)
    errors = np.zeros(len(found))
    with mpmath.workprec(200):
        for index, (*values, result) in enumerate(zip(*given, found, strict=True)):
            exact = function(*[mpmath.mpf(float(each)) for each in values])
            rounded = float(exact)
            if not np.isfinite(rounded) or abs(rounded) < np.finfo(np.float64).tiny:
                fits = result == rounded or (rounded == 0 and abs(result) < 1e-307)
                near_limit = np.isinf(rounded) or abs(rounded) < 2e-308
                errors[index] = 0.0 if fits or near_limit else np.inf
            elif not np.isfinite(result):
                errors[index] = np.inf
            else:
                # Sums that cancel are as exact as their parts.
                size = abs(max(values)) if name in _SUMS else 0.0
                unit = float(np.spacing(abs(rounded) + size))
                errors[index] = float(abs(mpmath.mpf(float(result)) - exact) / unit)
    return errors


def complex_errors_of(
    name: str, given: list[NDArray[np.complex128]], found: NDArray[np.complex128]
) -> NDArray[np.float64]:
    """Return the errors of finite results, in units in the last place of their size."""
    function = reference(name)
    errors = np.zeros(len(found))
    with mpmath.workprec(600):
        for index, (*values, result) in enumerate(zip(*given, found, strict=True)):
            exact = function(*[mpmath.mpc(each) for each in values])
            unit = float(np.spacing(float(abs(exact))))
            errors[index] = float(abs(mpmath.mpc(complex(result)) - exact) / unit)
    return errors


def measure(name: str, count: int, seed: int) -> tuple[float, float, tuple[float, ...]]:
    """Return the largest error of a function, the mean, and where the largest one is."""
    worst, total, place = -1.0, 0.0, (0.0,)
    rng = np.random.default_rng(seed)
    for samplers in CASES[name]:
        given = [sampler(rng, count) for sampler in samplers]
        with np.errstate(all="ignore"):
            defined = np.isfinite(FUNCTIONS[name].ufunc(*given))
        given = [each[defined] for each in given]
        errors = errors_of(name, given, compute(name, given))
        at = int(np.argmax(errors))
        total += float(np.mean(errors)) / len(CASES[name])
        if errors[at] > worst:
            worst, place = float(errors[at]), tuple(float(each[at]) for each in given)
    return worst, total, place


def measure_complex(name: str, count: int, seed: int) -> tuple[float, float, tuple[complex, ...]]:
    """Return what measure() does, of complex numbers."""
    worst, total, place = -1.0, 0.0, (0j,)
    rng = np.random.default_rng(seed)
    for samplers in COMPLEX_CASES[name]:
        parts = [sampler(rng, count) for sampler in samplers]
        given = [x + 1j * y for x, y in zip(parts[::2], parts[1::2], strict=True)]
        found = compute(name, given)
        errors = complex_errors_of(name, given, found)
        at = int(np.argmax(errors))
        total += float(np.mean(errors)) / len(COMPLEX_CASES[name])
        if errors[at] > worst:
            worst, place = float(errors[at]), tuple(complex(each[at]) for each in given)
    return worst, total, place


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=number(20), default=2000, help="arguments of each kind")
    parser.add_argument("--seed", type=seed_option, default=1)
    parser.add_argument("--only", default="", help="names of functions, with commas")
    parser.add_argument("--plant", choices=["result"], help="change results, which must be found")
    options = parser.parse_args()
    if options.plant:
        planted.append(True)
    only = options.only.split(",") if options.only else None
    bad = False
    for cases, measured, limit in (
        (CASES, measure, LIMIT),
        (COMPLEX_CASES, measure_complex, COMPLEX_LIMIT),
    ):
        names = [name for name in cases if not only or name in only]
        rows = sorted(
            ((measured(each, options.count, options.seed), each) for each in names),
            key=lambda row: row[0][:2],
        )
        print(f"{'complex128' if cases is COMPLEX_CASES else 'float64':12}    worst     mean")
        for (worst, mean, place), name in reversed(rows):
            print(f"{name:12} {worst:8.3f} {mean:8.3f}   at {', '.join(map(repr, place))}")
            bad = bad or worst > limit
    return int(bad)


if __name__ == "__main__":
    sys.exit(main())
