# SPDX-License-Identifier: Apache-2.0
"""Whole programs of simulation and finance. `xp` is the library."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .subjects import Program


def random_of(n: Any, dtype: Any = np.float32, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).random(n, np.float64).astype(dtype)


def square_of(n: int) -> tuple[int, int]:
    side = max(int(n**0.5), 16)
    return side, side


def options(n: int, dtype: Any) -> dict[str, Any]:
    x = random_of((3, n), np.float64)
    made = {"price": 10 + 90 * x[0], "strike": 10 + 90 * x[1], "years": 0.1 + 2 * x[2]}
    return {name: values.astype(dtype) for name, values in made.items()}


def black_scholes(xp: Any, price: Any, strike: Any, years: Any) -> Any:
    """Return the prices of calls and puts (Black and Scholes, 1973)."""
    rate, volatility = 0.02, 0.3

    def normal(x: Any) -> Any:
        # Abramowitz and Stegun, 26.2.17.
        t = 1 / (1 + 0.2316419 * xp.abs(x))
        series = t * (
            0.319381530
            + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429)))
        )
        tail = xp.exp(-x * x / 2) * 0.3989422804 * series
        return xp.where(x > 0, 1 - tail, tail)

    spread = volatility * xp.sqrt(years)
    d1 = (xp.log(price / strike) + (rate + volatility * volatility / 2) * years) / spread
    d2 = d1 - spread
    later = strike * xp.exp(-rate * years)
    call = price * normal(d1) - later * normal(d2)
    return call, call - price + later


def monte_carlo_pi(xp: Any, n: int) -> Any:
    rng = xp.random.default_rng(7)
    x, y = rng.random(n, dtype=xp.float32), rng.random(n, dtype=xp.float32)
    return 4 * xp.mean(x * x + y * y < 1)


def poisson(xp: Any, density: Any) -> Any:
    """Solve for the potential of a density on a periodic square."""
    side = density.shape[0]
    kx = xp.asarray(2 * np.pi * np.fft.fftfreq(side), dtype="float32")[:, None]
    ky = xp.asarray(2 * np.pi * np.fft.rfftfreq(side), dtype="float32")[None, :]
    waves = kx * kx + ky * ky
    waves[0, 0] = 1
    spectrum = xp.fft.rfft2(density) / waves
    spectrum[0, 0] = 0
    return xp.fft.irfft2(spectrum, s=density.shape)


def conjugate_gradients(xp: Any, b: Any, steps: int) -> Any:
    """Solve the five-point Laplacian plus one for b, without reading a number back."""

    def times(p: Any) -> Any:
        q = 5 * p
        q[1:] -= p[:-1]
        q[:-1] -= p[1:]
        q[:, 1:] -= p[:, :-1]
        q[:, :-1] -= p[:, 1:]
        return q

    x = xp.zeros_like(b)
    r, p = b.copy(), b.copy()
    square = (r * r).sum()
    for _ in range(steps):
        q = times(p)
        alpha = square / (p * q).sum()
        x = x + alpha * p
        r = r - alpha * q
        before, square = square, (r * r).sum()
        p = r + square / before * p
    return x


def gray_scott(xp: Any, u: Any, v: Any, steps: int) -> Any:
    def laplacian(a: Any) -> Any:
        return xp.roll(a, 1, 0) + xp.roll(a, -1, 0) + xp.roll(a, 1, 1) + xp.roll(a, -1, 1) - 4 * a

    for _ in range(steps):
        reaction = u * v * v
        u, v = (
            u + 0.16 * laplacian(u) - reaction + 0.035 * (1 - u),
            v + 0.08 * laplacian(v) + reaction - 0.1 * v,
        )
    return u, v


def bodies(xp: Any, place: Any, speed: Any, mass: Any, steps: int) -> Any:
    """Move bodies that attract each other, all pairs by broadcasting."""
    for _ in range(steps):
        apart = place[None, :, :] - place[:, None, :]
        square = (apart * apart).sum(axis=2) + 0.01
        weight = mass / (square * xp.sqrt(square))
        speed = speed + 0.001 * (apart * weight[:, :, None]).sum(axis=1)
        place = place + 0.001 * speed
    return place


def heat(xp: Any, t: Any, steps: int) -> Any:
    for _ in range(steps):
        t[1:-1, 1:-1] = t[1:-1, 1:-1] + 0.2 * (
            t[2:, 1:-1] + t[:-2, 1:-1] + t[1:-1, 2:] + t[1:-1, :-2] - 4 * t[1:-1, 1:-1]
        )
    return t


def life(xp: Any, cells: Any, steps: int) -> Any:
    for _ in range(steps):
        rows = cells + xp.roll(cells, 1, 0) + xp.roll(cells, -1, 0)
        around = rows + xp.roll(rows, 1, 1) + xp.roll(rows, -1, 1)
        cells = ((around == 3) | ((around == 4) & (cells == 1))).astype("uint8")
    return cells


def mandelbrot(xp: Any, side: int, steps: int) -> Any:
    x = xp.linspace(-2, 0.5, side, dtype="float32")[None, :]
    y = xp.linspace(-1.25, 1.25, side, dtype="float32")[:, None]
    a, b = x + 0 * y, y + 0 * x
    count = xp.zeros((side, side), dtype="int32")
    for _ in range(steps):
        inside = a * a + b * b < 4
        count += inside
        a, b = xp.where(inside, a * a - b * b + x, a), xp.where(inside, 2 * a * b + y, b)
    return count


def shortest_paths(xp: Any, distance: Any) -> Any:
    """Floyd's and Warshall's algorithm, a row and a column at a time."""
    for k in range(distance.shape[0]):
        distance = xp.minimum(distance, distance[:, k : k + 1] + distance[k : k + 1, :])
    return distance


def kalman(xp: Any, seen: Any) -> Any:
    """Filter the places of many bodies, whose state is a place and a speed."""
    steps, count = seen.shape
    step = xp.asarray(np.array([[1, 1], [0, 1]], np.float32))
    noise = xp.asarray(np.array([[0.01, 0], [0, 0.01]], np.float32))
    state = xp.zeros((count, 2, 1), dtype="float32")
    spread = xp.zeros((count, 2, 2), dtype="float32") + xp.eye(2, dtype="float32")
    for k in range(steps):
        state = step @ state
        spread = step @ spread @ step.T + noise
        gain = spread[:, :, :1] / (spread[:, :1, :1] + 0.5)
        state = state + gain * (seen[k][:, None, None] - state[:, :1])
        spread = spread - gain * spread[:, :1, :]
    return state[:, :, 0]


def wave(xp: Any, u: Any, steps: int) -> Any:
    """Move a wave by its spectrum: a transform there and back for each step."""
    k = xp.asarray(2j * np.pi * np.fft.fftfreq(u.shape[-1]), dtype="complex64")
    turn = xp.exp(k * 0.5)
    for _ in range(steps):
        u = xp.fft.ifft(xp.fft.fft(u) * turn)
    return u


def programs() -> Iterator[Program]:
    """Yield all of them."""
    family = "simulations"
    for dtype in ("float32", "float64"):
        yield Program("Black-Scholes", family, black_scholes, 1 << 22, dtype, lambda n, t=dtype: options(n, t),
                      tolerance=2e-3 if dtype == "float32" else 1e-8)  # fmt: skip
    yield Program("Monte-Carlo pi", family, monte_carlo_pi, 1 << 24, "float32", lambda n: {"n": n}, tolerance=0.1,
                  other_types=True)  # fmt: skip
    yield Program("Poisson by rfft2", family, poisson, 1 << 22, "float32", lambda n: {"density": random_of(square_of(n)) - 0.5},
                  tolerance=1e-3)  # fmt: skip
    yield Program("CG, 100 steps", family, conjugate_gradients, 1_000_000, "float64",
                  lambda n: {"b": random_of(square_of(n), np.float64), "steps": 100}, tolerance=1e-6)  # fmt: skip
    yield Program("Gray-Scott by roll, 50 steps", family, gray_scott, 1 << 20, "float32",
                  lambda n: {"u": random_of(square_of(n)), "v": random_of(square_of(n), seed=2) / 4, "steps": 50},
                  tolerance=1e-3)  # fmt: skip
    yield Program("N-body by broadcasting, 5 steps", family, bodies, 2048, "float32",
                  lambda n: {"place": random_of((n, 3)), "speed": random_of((n, 3), seed=2), "mass": random_of(n, seed=3), "steps": 5},
                  tolerance=1e-3)  # fmt: skip
    yield Program("heat by slices, 50 steps", family, heat, 1 << 22, "float32",
                  lambda n: {"t": random_of(square_of(n)), "steps": 50})  # fmt: skip
    yield Program("game of life, 50 steps", family, life, 1 << 22, "uint8",
                  lambda n: {"cells": (random_of(square_of(n)) < 0.3).astype(np.uint8), "steps": 50})  # fmt: skip
    yield Program("Mandelbrot, 50 steps", family, mandelbrot, 1 << 20, "float32",
                  lambda n: {"side": square_of(n)[0], "steps": 50}, most_different=0.01)  # fmt: skip
    yield Program(
        "Floyd-Warshall",
        family,
        shortest_paths,
        512,
        "float32",
        lambda n: {"distance": random_of((n, n))},
    )
    yield Program("Kalman filters, 20 steps", family, kalman, 1 << 18, "float32",
                  lambda n: {"seen": random_of((20, n))}, tolerance=2e-3)  # fmt: skip
    yield Program("waves by fft, 20 steps", family, wave, 1 << 22, "complex64",
                  lambda n: {"u": random_of((max(n >> 12, 1), 4096)).astype(np.complex64), "steps": 20},
                  tolerance=2e-3)  # fmt: skip
