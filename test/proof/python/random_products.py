# SPDX-License-Identifier: Apache-2.0
"""Random calls of matrix products, Fourier transforms and convolutions, for random_primitives.py."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from random_cases import Case, rounding

import kp


def product(case: Case) -> None:
    """Compare matrix products."""
    dtype = case.choose(["float32", "float64", "float16"])
    sizes = [1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 64, 65, 100, 129]
    m, n, k = (int(case.choose(sizes)) for _ in range(3))
    batch = case.choose([(), (), (1,), (3,), (2, 3)])
    flips = [case.maybe(0.4), case.maybe(0.4)]
    a = case.values(batch + ((k, m) if flips[0] else (m, k)), dtype)
    b = case.values(batch + ((n, k) if flips[1] else (k, n)), dtype)
    case.text += f" {dtype} {batch} m={m} n={n} k={k} transposed={flips}"
    left, right = (x.swapaxes(-1, -2) if t else x for x, t in zip((a, b), flips))
    wide = left.astype(np.float64) @ right.astype(np.float64)
    scale = np.abs(left).astype(np.float64) @ np.abs(right).astype(np.float64)
    given = [kp.array(each) for each in (a, b)]
    x, y = (kp.swapaxes(g, -1, -2) if t else g for g, t in zip(given, flips))
    step = rounding("float32" if dtype == "float16" else dtype)
    tolerance = step * (k + 4) * scale + rounding(dtype) * np.abs(wide)
    case.near(kp.matmul(x, y), wide.astype(dtype), tolerance)
    if not any(flips):
        ours = kp.matmul(case.manager.tensor_t(a), case.manager.tensor_t(b))
        case.near(ours, wide.astype(dtype), tolerance)


def fourier(case: Case) -> None:
    """Compare Fourier transforms."""
    real = case.choose(["float32", "float64"])
    name = case.choose("fft ifft rfft irfft fft2 ifft2 fftn rfftn irfftn rfft2 irfft2".split())
    axes = int(case.rng.integers(2 if name[-1] == "2" else 1, 4))
    lengths = [1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 16, 17, 25, 27, 32, 49, 60, 64]
    shape = tuple(int(case.choose(lengths)) for _ in range(axes))
    if name in ("fft", "ifft", "rfft", "irfft") and case.maybe():
        shape = (
            int(case.choose([1, 2, 3])),
            int(case.choose([100, 121, 128, 210, 256, 1000, 1024, 2310, 4096])),
        )
    norm = case.choose([None, "ortho", "forward", "backward"])
    array = case.values(shape, real)
    if not name.startswith("rfft") and (case.maybe(0.7) or name.startswith("irfft")):
        array = (array + 1j * case.values(shape, real)).astype(
            "complex64" if real == "float32" else "complex128"
        )
    options: dict[str, Any] = {"norm": norm}
    if name in ("fft", "ifft", "rfft", "irfft"):
        options["axis"] = int(case.rng.integers(-len(shape), len(shape)))
        if case.maybe(0.4):
            options["n"] = int(case.choose(lengths))
        length = options.get("n", shape[options["axis"]])
        if name == "irfft" and options.get("n", 2 * (length - 1)) < 1:
            options["n"] = 2
    elif name.startswith("irfft") and shape[-1] < 2:
        return
    case.text += f" {name} {options} {array.dtype}{list(shape)}"
    theirs = getattr(np.fft, name)(array, **options)
    kinds = {"float32": ("float32", "complex64"), "float64": ("float64", "complex128")}[real]
    theirs = np.asarray(theirs).astype(kinds[theirs.dtype.kind == "c"])
    given = case.manager.tensor_t(array) if case.maybe() else kp.array(array)
    scale = float(np.sqrt((np.abs(theirs.astype(np.complex128)) ** 2).mean())) + float(
        np.abs(array).max()
    )
    case.near(
        getattr(kp.fft, name)(given, **options),
        theirs,
        40 * rounding(real) * scale * math.log2(array.size + 2),
    )


def convolution(case: Case) -> None:
    """Compare convolutions."""
    dtype = case.choose(["float32", "float64"])
    mode = case.choose(["full", "same", "valid"])
    first, second = int(case.choose([1, 2, 5, 64, 100, 1000])), int(
        case.choose([1, 2, 3, 17, 64, 500])
    )
    a, b = case.values((first,), dtype), case.values((second,), dtype)
    case.text += f" {mode} {dtype} {first} * {second}"
    theirs = np.convolve(a.astype(np.float64), b.astype(np.float64), mode).astype(dtype)
    scale = float(np.abs(a).sum() * np.abs(b).max() + np.abs(b).sum() * np.abs(a).max())
    case.near(kp.convolve(kp.array(a), kp.array(b), mode), theirs, 40 * rounding(dtype) * scale)
