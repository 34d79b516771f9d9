# SPDX-License-Identifier: Apache-2.0
"""Measures array functions beside NumPy's by processor time, one thread each, and prints the slowest first.

  LP_NUM_THREADS=0 taskset -c 1 env PYTHONPATH=<build>/python python3 beside_numpy.py [-n elements] [words ...]

It is meant for drivers that compute on the processor (LP_NUM_THREADS is Mesa's), where both libraries have the same
hardware. Processor time does not depend on what else the machine does. With words, only the lines that contain one
of them are measured. The column "first" is the first call, which compiles: empty KOMPUTE_CACHE_DIR to see it.
"""

from __future__ import annotations

import argparse
import os

for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"

import warnings
from collections.abc import Callable, Iterator
from time import process_time
from typing import Any

import numpy as np

import kp

#: Of each library's part of a line.
SECONDS = 0.1
#: What NumPy's speed is multiplied by; products, sorts and transforms may be slower.
WANTED = 0.25
WANTED_OF_SLOW = 0.1
SLOW = ("sort", "partition", "fft", "matmul", "einsum product", "convolve", "median", "unique")

Work = Callable[..., Any]
Line = tuple[str, Work, list[np.ndarray]]


def reductions(x: np.ndarray, n: int) -> Iterator[Line]:
    """Yield reductions of several shapes."""
    names = ("sum", "max", "mean", "argmax", "any", "count_nonzero", "std", "prod", "median", "ptp")
    for name in names:
        yield f"{name}", lambda xp, a, f=name: getattr(xp, f)(a), [x]
    for width in (2, 7, 32, 33, 100, 256, 1000, 1024, 20_000):
        table = x[: n // width * width].reshape(-1, width)
        for name in ("sum", "max", "mean", "argmax") if width in (33, 256) else ("sum",):
            for axis in (0, 1):
                yield f"{name} axis {axis} of {table.shape}", lambda xp, a, f=name, i=axis: getattr(
                    xp, f
                )(a, axis=i), [table]
    cube = x[: n // 4096 * 4096].reshape(-1, 64, 64)
    for axes in (0, 1, 2, (0, 2), (0, 1), (1, 2)):
        yield f"sum axes {axes} of {cube.shape}", lambda xp, a, i=axes: xp.sum(a, axis=i), [cube]
    images = x[: n // 9 * 9].reshape(9, -1)
    for name in ("median", "sum", "std"):
        yield f"{name} axis 0 of {images.shape}", lambda xp, a, f=name: getattr(xp, f)(a, axis=0), [
            images
        ]
    yield "percentile 90", lambda xp, a: xp.percentile(a, 90), [x]
    yield "nansum", lambda xp, a: xp.nansum(a), [x]
    yield "var axis 1 (, 256)", lambda xp, a: xp.var(a, axis=1), [x.reshape(-1, 256)]
    for name in ("uint8", "int32", "int64", "float16", "float64"):
        typed = (x * 100).astype(name)
        yield f"sum of {name}", lambda xp, a: xp.sum(a), [typed]
        yield f"max axis 1 (, 64) of {name}", lambda xp, a: xp.max(a, axis=1), [
            typed.reshape(-1, 64)
        ]


def elementwise(x: np.ndarray, n: int) -> Iterator[Line]:
    """Yield functions of elements."""
    y = x[::-1].copy()
    for name in ("add", "multiply", "divide", "maximum", "power", "arctan2", "hypot", "fmod", "remainder",
                 "less", "copysign", "floor_divide"):  # fmt: skip
        yield name, lambda xp, a, b, f=name: getattr(xp, f)(a, b), [x, y]
    for name in ("sqrt", "exp", "log", "sin", "tan", "tanh", "arcsin", "cbrt", "expm1", "log1p", "floor",
                 "rint", "isnan", "sign", "abs", "square", "reciprocal", "signbit"):  # fmt: skip
        yield name, lambda xp, a, f=name: getattr(xp, f)(a), [x]
    table = x[: n // 256 * 256].reshape(-1, 256)
    yield "a + row", lambda xp, a, b: a + b, [table, table[0].copy()]
    yield "a + column", lambda xp, a, b: a + b, [table, table[:, :1].copy()]
    yield "a * b + c", lambda xp, a, b: a * b + a, [x, y]
    yield "where", lambda xp, a, b: xp.where(a > 0.5, a, b), [x, y]
    yield "clip", lambda xp, a: xp.clip(a, 0.2, 0.8), [x]
    for name in ("uint8", "int16", "int32", "int64", "float16", "float64", "complex64"):
        typed = (x * 100).astype(name)
        yield f"add {name}", lambda xp, a: a + a, [typed]
        yield f"astype {name}", lambda xp, a, t=name: a.astype(t), [x]
    integers = (x * 1000).astype("int32")
    yield "int % 7", lambda xp, a: a % 7, [integers]
    yield "int // 7", lambda xp, a: a // 7, [integers]
    yield "int ^", lambda xp, a: a ^ (a >> 3), [integers]
    yield "exp float64", lambda xp, a: xp.exp(a), [x.astype("float64")]


def movement(x: np.ndarray, n: int) -> Iterator[Line]:
    """Yield what moves elements without computing them."""
    side = 1 << (n.bit_length() // 2)
    table = x[: n // side * side].reshape(-1, side)
    places = np.random.default_rng(2).permutation(n)
    yield "copy", lambda xp, a: a.copy(), [x]
    yield "transpose", lambda xp, a: xp.ascontiguousarray(a.T), [table]
    yield "x[::2]", lambda xp, a: xp.ascontiguousarray(a[::2]), [x]
    yield "x[::-1]", lambda xp, a: xp.ascontiguousarray(a[::-1]), [x]
    yield "table[:, ::-1]", lambda xp, a: xp.ascontiguousarray(a[:, ::-1]), [table]
    yield "x[places]", lambda xp, a, i: a[i], [x, places]
    yield "x[mask]", lambda xp, a, m: a[m], [x, x > 0.5]
    yield "table[rows]", lambda xp, a, i: a[i], [table, places[: len(table)] % len(table)]
    yield "concatenate", lambda xp, a: xp.concatenate([a, a]), [x]
    yield "stack axis 1", lambda xp, a: xp.stack([a, a], axis=1), [x]
    yield "repeat 2", lambda xp, a: xp.repeat(a, 2), [x]
    yield "tile 2", lambda xp, a: xp.tile(a, 2), [x]
    yield "roll", lambda xp, a: xp.roll(a, 5), [x]
    yield "pad", lambda xp, a: xp.pad(a, 3), [table]
    yield "take axis 1", lambda xp, a, i: xp.take(a, i, axis=1), [table, places[:side] % side]
    yield "moveaxis", lambda xp, a: xp.ascontiguousarray(xp.moveaxis(a, 0, 2)), [
        x[: n // 4096 * 4096].reshape(-1, 64, 64)
    ]
    yield "zeros", lambda xp, a: xp.zeros(n, "float32") + a[0], [x]
    yield "arange", lambda xp: xp.arange(n), []
    yield "linspace", lambda xp: xp.linspace(0, 1, n), []
    yield "tril", lambda xp, a: xp.tril(a), [table]
    yield "nonzero", lambda xp, a: xp.nonzero(a), [x > 0.5]
    yield "diff", lambda xp, a: xp.diff(a), [x]


def orders(x: np.ndarray, n: int) -> Iterator[Line]:
    """Yield scans, sorts, searches and sets."""
    table = x[: n // 256 * 256].reshape(-1, 256)
    few = (x * 1000).astype("int32")
    for name in ("cumsum", "cumprod"):
        yield name, lambda xp, a, f=name: getattr(
            xp, {"cumsum": "cumulative_sum", "cumprod": "cumulative_prod"}[f]
        )(a), [x]
    yield "cumsum int32", lambda xp, a: xp.cumulative_sum(a), [few]
    for axis in (0, 1):
        yield f"cumsum axis {axis} (, 256)", lambda xp, a, i=axis: xp.cumulative_sum(a, axis=i), [
            table
        ]
        yield f"sort axis {axis} (, 256)", lambda xp, a, i=axis: xp.sort(a, axis=i), [table]
    yield "sort", lambda xp, a: xp.sort(a), [x]
    yield "sort int32 of 1000 values", lambda xp, a: xp.sort(a), [few]
    yield "sort float64", lambda xp, a: xp.sort(a), [x.astype("float64")]
    yield "argsort", lambda xp, a: xp.argsort(a), [x]
    yield "partition", lambda xp, a: xp.partition(a, 10), [x]
    yield "unique", lambda xp, a: xp.unique(a), [few]
    yield "unique floats", lambda xp, a: xp.unique(a), [x]
    yield "unique counts inverse", lambda xp, a: xp.unique(
        a, return_counts=True, return_inverse=True
    ), [few]
    yield "bincount", lambda xp, a: xp.bincount(a), [few]
    yield "bincount weights (group-by)", lambda xp, a, w: xp.bincount(a, w), [few, x]
    yield "histogram", lambda xp, a: xp.histogram(a, 100, (0, 1)), [x]
    yield "histogram2d", lambda xp, a, b: xp.histogram2d(a, b, 20, [[0, 1], [0, 1]])[0], [
        x,
        x[::-1].copy(),
    ]
    yield "searchsorted", lambda xp, a, v: xp.searchsorted(a, v), [np.sort(x), x]
    yield "digitize", lambda xp, a, v: xp.digitize(a, v), [x, np.linspace(0, 1, 50, dtype="f4")]
    yield "isin", lambda xp, a, v: xp.isin(a, v), [few, few[:100].copy()]
    yield "interp", lambda xp, a, b, c: xp.interp(a, b, c), [
        x,
        np.linspace(0, 1, 100, dtype="f4"),
        np.linspace(0, 5, 100, dtype="f4"),
    ]


def products(x: np.ndarray, n: int) -> Iterator[Line]:
    """Yield products, transforms and random numbers."""
    side = 1 << (n.bit_length() // 2)
    square = x[: side * side // 4].reshape(side // 2, side // 2)
    table = x[: n // 256 * 256].reshape(-1, 256)
    for name in ("float32", "float64"):
        yield f"matmul {square.shape} {name}", lambda xp, a: a @ a, [square.astype(name)]
    yield "matmul int32", lambda xp, a: a @ a, [(square[:256, :256] * 100).astype("int32")]
    yield "matmul complex64", lambda xp, a: a @ a, [square[:256, :256].astype("complex64")]
    yield "matmul tall", lambda xp, a: a.T @ a, [table]
    yield "matmul batch of 16 x 16", lambda xp, a: a @ a, [x[: n // 256 * 256].reshape(-1, 16, 16)]
    yield "matvec", lambda xp, a, v: a @ v, [table, table[0].copy()]
    yield "vecmat", lambda xp, a, v: v @ a, [table, table[:, 0].copy()]
    yield "dot", lambda xp, a: xp.dot(a, a), [x]
    yield "outer", lambda xp, a: xp.outer(a, a), [x[:side].copy()]
    yield "einsum ij,ij->i", lambda xp, a: xp.einsum("ij,ij->i", a, a), [table]
    yield "einsum ij->j", lambda xp, a: xp.einsum("ij->j", a), [table]
    yield "einsum ij->i", lambda xp, a: xp.einsum("ij->i", a), [table]
    yield "trace", lambda xp, a: xp.trace(a), [square]
    yield "convolve 31", lambda xp, a, w: xp.convolve(a, w), [x, x[:31].copy()]
    yield "linalg.norm", lambda xp, a: xp.linalg.norm(a), [x]
    yield "linalg.norm axis 1", lambda xp, a: xp.linalg.norm(a, axis=1), [table]
    complexes = x.astype("complex64")
    for length in (64, 1000, 1024, n):
        rows = complexes[: n // length * length].reshape(-1, length)
        yield f"fft rows of {length}", lambda xp, a: xp.fft.fft(a), [rows]
    yield "rfft", lambda xp, a: xp.fft.rfft(a), [x]
    yield "fft2", lambda xp, a: xp.fft.fft2(a), [
        complexes[: side * side // 4].reshape(square.shape)
    ]
    rngs: dict[Any, Any] = {np: np.random.default_rng(1), kp: kp.random.default_rng(1)}
    for name in ("random", "standard_normal", "standard_exponential"):
        yield f"rng.{name}", lambda xp, f=name: getattr(rngs[xp], f)(n, dtype="float32"), []
    yield "rng.integers", lambda xp: rngs[xp].integers(0, 100, n), []
    yield "rng.permutation", lambda xp: rngs[xp].permutation(n), []
    yield "cov", lambda xp, a: xp.cov(a), [x[: n // 64 * 64].reshape(64, -1)]


def finish(result: Any) -> None:
    """Have every array of a result computed."""
    for each in result if isinstance(result, (tuple, list)) else [result]:
        if isinstance(each, kp.Array):
            each.evaluate()
    kp.default_manager().default_queue.finish()


def seconds(work: Callable[[], Any]) -> float:
    """Return the processor time of a run, at best."""
    best, spent = float("inf"), 0.0
    while spent < SECONDS:
        start = process_time()
        work()
        took = process_time() - start
        best, spent = min(best, took), spent + max(took, 1e-4)
    return best


def measured(name: str, work: Work, inputs: list[np.ndarray]) -> tuple[float, float, float, str]:
    """Return NumPy's time, kp's, and the time of kp's first call."""
    theirs = seconds(lambda: work(np, *inputs))
    arrays = [kp.array(each).evaluate() for each in inputs]
    first = process_time()
    finish(work(kp, *arrays))
    first = process_time() - first
    return theirs, seconds(lambda: finish(work(kp, *arrays))), first, name


def main() -> None:
    """Print a table, the slowest lines first."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-n", type=int, default=1 << 20, help="elements")
    parser.add_argument("words", nargs="*")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    x = np.random.default_rng(1).random(given.n, "float32")
    table = []
    for part in (reductions, elementwise, movement, orders, products):
        for line in part(x, given.n):
            if given.words and not any(word in line[0] for word in given.words):
                continue
            try:
                table.append(measured(*line))
            except (kp.Error, TypeError, ValueError, NotImplementedError, AttributeError) as error:
                print(f"not measured: {line[0]}: {str(error).splitlines()[0]}")
    print(f"{'NumPy ms':>10}{'kp ms':>10}{'ratio':>8}{'first ms':>10}  {given.n} elements")
    for theirs, ours, first, name in sorted(table, key=lambda row: row[0] / row[1]):
        wanted = WANTED_OF_SLOW if any(word in name for word in SLOW) else WANTED
        mark = " " if theirs / ours >= wanted else "<"
        print(
            f"{theirs * 1e3:10.3f}{ours * 1e3:10.3f}{theirs / ours:8.3f}{first * 1e3:10.1f} {mark}{name}"
        )


if __name__ == "__main__":
    main()
