#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the polynomials of shaders/lib: minimax fits by Remez's exchange algorithm. Needs mpmath.

    scripts/shaders/library_polynomials.py [NAME...]

For each polynomial: its largest error, relative to the function that it is a part of, and its coefficients, lowest
power first, as they stand in the files.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import mpmath as mp

Function = Callable[[Any], Any]

GRID = 600


def minimax(function: Function, low: Any, high: Any, degree: int, weight: Function) -> Any:
    """Return the coefficients with the least largest error times `weight`, and that error."""
    middle, half = (low + high) / 2, (high - low) / 2
    xs = [middle - half * mp.cos(mp.pi * (i + mp.mpf("0.01")) / GRID) for i in range(GRID)]
    values, weights = [function(x) for x in xs], [weight(x) for x in xs]
    chosen = [round(i * (GRID - 1) / (degree + 1)) for i in range(degree + 2)]
    coefficients: list[Any] = []
    errors: list[Any] = []
    for _ in range(12):
        system = mp.matrix(degree + 2, degree + 2)
        for row, at in enumerate(chosen):
            for power in range(degree + 1):
                system[row, power] = xs[at] ** power
            system[row, degree + 1] = (-1) ** row / weights[at]
        solved = mp.lu_solve(system, mp.matrix([values[at] for at in chosen]))
        coefficients = [solved[power] for power in range(degree + 1)]
        errors = [
            (mp.polyval(coefficients[::-1], x) - value) * each
            for x, value, each in zip(xs, values, weights, strict=True)
        ]
        extremes = extremes_of(errors)
        while len(extremes) > degree + 2:
            smaller_first = abs(errors[extremes[0]]) < abs(errors[extremes[-1]])
            extremes.pop(0 if smaller_first else -1)
        if len(extremes) < degree + 2 or extremes == chosen:
            break
        chosen = extremes
    return coefficients, max(abs(each) for each in errors)


def extremes_of(errors: list[Any]) -> list[int]:
    """Return where the errors of each run of one sign are largest."""
    found: list[int] = []
    for at, error in enumerate(errors):
        if at == 0 or (error > 0) != (errors[at - 1] > 0):
            found.append(at)
        elif abs(error) > abs(errors[found[-1]]):
            found[-1] = at
    return found


def of_root(function: Function) -> Function:
    """Return f(x) / x as a function of z = x^2."""
    return lambda z: function(mp.sqrt(z)) / mp.sqrt(z)


def scaled_erfc(q: Any) -> Any:
    """(1 + 2 x) exp(x^2) erfc(x) of q = (x - 4) / (x + 4) (Shepherd and Laframboise, 1981)."""
    x = 4 * (1 + q) / (1 - q)
    return (1 + 2 * x) * mp.exp(x * x) * mp.erfc(x)


def stirling(w: Any) -> Any:
    """What Stirling's formula lacks, times x, of w = 1 / x^2."""
    x = 1 / mp.sqrt(w)
    return (mp.loggamma(x) - (x - mp.mpf(1) / 2) * mp.log(x) + x - mp.log(2 * mp.pi) / 2) * x


def scaled_i0(q: Any) -> Any:
    """exp(-x) sqrt(x) I0(x) of q = 16 / x - 1."""
    x = 16 / (1 + q)
    return mp.exp(-x) * mp.sqrt(x) * mp.besseli(0, x)


def main() -> None:
    mp.mp.prec = 500  # differences of nearly equal numbers lose digits
    wider = mp.mpf("1.0001")
    ln2, root = mp.log(2) / 2 * wider, (mp.sqrt(2) - 1) * wider
    log = ((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1) * wider) ** 2
    quarter = (mp.pi / 4 * wider) ** 2
    eighth, hundredth = mp.mpf(1) / 8, mp.mpf(1) / 100
    fits: dict[str, tuple[Function, Any, Any, int, Function]] = {
        "exp": (lambda r: (mp.exp(r) - 1 - r) / r**2, -ln2, ln2, 9, lambda r: r * r),
        "log": (lambda z: (2 * of_root(mp.atanh)(z) - 2) / z, 0, log, 6, lambda z: z / 2),
        "log of powers": (
            lambda z: (of_root(mp.atanh)(z) - 1 - z / 3) / z**2,
            *(0, log, 7),
            lambda z: z * z,
        ),
        "sin": (lambda z: (of_root(mp.sin)(z) - 1) / z, 0, quarter, 5, lambda z: z),
        "cos": (
            lambda z: (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2,
            *(0, quarter, 5),
            lambda z: z * z,
        ),
        "atan": (lambda z: (of_root(mp.atan)(z) - 1) / z, 0, root**2, 11, lambda z: z),
        "asin": (lambda z: (of_root(mp.asin)(z) - 1) / z, 0, mp.mpf("0.2501"), 11, lambda z: z),
        "sinh": (lambda z: (of_root(mp.sinh)(z) - 1) / z, 0, 1, 6, lambda z: z),
        "tanh": (lambda z: (of_root(mp.tanh)(z) - 1) / z, 0, mp.mpf("0.3026"), 10, lambda z: z),
        "erf": (lambda z: of_root(mp.erf)(z) - 1, 0, 1, 12, lambda z: 1),
        "erfc": (
            scaled_erfc,
            *(mp.mpf("-0.78"), mp.mpf("0.75"), 22),
            lambda q: 1 / scaled_erfc(q),
        ),
        "stirling": (stirling, mp.mpf("1e-9"), hundredth, 6, lambda w: 1),
        "lgamma1": (lambda d: mp.loggamma(1 + d) / d, -eighth, eighth, 13, lambda d: 1),
        "lgamma2": (lambda d: mp.loggamma(2 + d) / d, -eighth, eighth, 11, lambda d: 1),
        "i0": (
            lambda z: (mp.besseli(0, 2 * mp.sqrt(z)) - 1) / z,
            *(mp.mpf("1e-9"), 16, 14),
            lambda z: z / mp.besseli(0, 2 * mp.sqrt(z)),
        ),
        "i0 beyond 8": (
            scaled_i0,
            *(mp.mpf("-0.9999999"), 1, 23),
            lambda q: 1 / scaled_i0(q),
        ),
    }
    for name, (function, low, high, degree, weight) in fits.items():
        if len(sys.argv) > 1 and name not in sys.argv[1:]:
            continue
        coefficients, error = minimax(function, mp.mpf(low), mp.mpf(high), degree, weight)
        print(f"{name}: 2^{float(mp.log(error, 2)):.1f}")
        for each in coefficients:
            print(f"    {float(each)!r}")


if __name__ == "__main__":
    main()
