#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Multiplies matrices with two shaders and compares them with NumPy.

    python matrix_multiplication.py --sizes 256 512 1024 2048 --plot gflops.png

The simple shader reads every number from memory many times. The tiled shader shares the numbers
that it reads within a work group. The matrices are float32. They are square unless a size is given
as 300x200x100 (rows, inner extent, columns).
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import kp

SHADERS = Path(__file__).resolve().parent / "shaders"

Matrix = NDArray[np.float32]


@dataclass(frozen=True)
class Extents:
    rows: int
    inner: int
    columns: int

    @classmethod
    def parse(cls, text: str) -> Extents:
        parts = [int(part) for part in text.split("x")]
        if len(parts) == 1:
            parts *= 3
        if len(parts) != 3 or min(parts) < 1:
            raise argparse.ArgumentTypeError(f"{text!r} is neither N nor ROWSxINNERxCOLUMNS")
        return cls(*parts)

    def __str__(self) -> str:
        return f"{self.rows}x{self.inner}x{self.columns}"

    @property
    def operations(self) -> int:
        return 2 * self.rows * self.inner * self.columns


@dataclass(frozen=True)
class Kernel:
    name: str
    spirv: bytes
    block: int  # rows and columns of the product per work group


class Multiplication:
    """The matrices of one size on the device."""

    def __init__(self, mgr: kp.Manager, a: Matrix, b: Matrix) -> None:
        self.mgr = mgr
        self.extents = Extents(a.shape[0], a.shape[1], b.shape[1])
        self.a, self.b = mgr.tensor(shape=a.shape), mgr.tensor(shape=b.shape)
        self.product = mgr.tensor(shape=(a.shape[0], b.shape[1]))
        self.a.write(a)
        self.b.write(b)

    def run(self, kernel: Kernel, repeat: int) -> tuple[Matrix, float]:
        """Return the product, and the median time of several evaluations in seconds."""
        extents = self.extents
        algorithm = self.mgr.algorithm(
            [self.a, self.b, self.product],
            kernel.spirv,
            (-(-extents.columns // kernel.block), -(-extents.rows // kernel.block), 1),
            push_consts=np.array([extents.rows, extents.inner, extents.columns], np.uint32),
        )
        device_clock = self.mgr.get_device_properties()["timestamps_supported"]
        sequence = self.mgr.sequence(total_timestamps=1 if device_clock else 0)
        sequence.record(kp.OpAlgoDispatch(algorithm)).eval()  # the first evaluation is slower

        def evaluate() -> float:
            start = time.perf_counter()
            sequence.eval()
            if not device_clock:
                return time.perf_counter() - start
            begin, end = sequence.get_timestamps_ns()
            return (end - begin) * 1e-9

        seconds = statistics.median(evaluate() for _ in range(repeat))
        return self.product.read(), seconds


def time_of(function: Callable[[], object], repeat: int) -> float:
    def once() -> float:
        start = time.perf_counter()
        function()
        return time.perf_counter() - start

    return statistics.median(once() for _ in range(repeat))


def largest_error(product: Matrix, a: Matrix, b: Matrix) -> float:
    """Return the largest error as a fraction of the error that rounding allows.

    A float32 sum of n products is off by at most n roundings of the sum of their absolute values.
    """
    exact = a.astype(np.float64) @ b.astype(np.float64)
    limit = a.shape[1] * np.finfo(np.float32).eps * (np.abs(a) @ np.abs(b)).astype(np.float64)
    return float((np.abs(product - exact) / np.maximum(limit, 1e-30)).max())


def plot(path: Path, sizes: list[Extents], rates: dict[str, list[float]], device: str) -> None:
    try:
        import matplotlib
    except ImportError:
        print("no plot, because matplotlib is not installed (pip install matplotlib)")
        return
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 4))
    for name, values in rates.items():
        axes.plot(range(len(sizes)), values, marker="o", label=name)
    axes.set_xticks(range(len(sizes)), [str(size).replace("x", " x ") for size in sizes])
    axes.tick_params(axis="x", labelrotation=20)
    axes.set_ylabel("GFLOP/s")
    axes.set_yscale("log")
    axes.set_title(f"Matrix multiplication on {device}")
    axes.grid(alpha=0.3, which="both")
    axes.legend()
    figure.tight_layout()
    figure.savefig(path)
    pyplot.close(figure)
    print(f"saved {path}")


def arguments_of(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Multiplies matrices and measures the rates.")
    parser.add_argument(
        "--sizes",
        type=Extents.parse,
        nargs="+",
        default=[Extents(n, n, n) for n in (128, 256, 512, 1024)],
        metavar="N",
        help="sizes of the matrices: N, or ROWSxINNERxCOLUMNS",
    )
    parser.add_argument("--repeat", type=int, default=5, help="number of timed evaluations")
    parser.add_argument("--plot", type=Path, help="plot the rates to this file (needs matplotlib)")
    options = parser.parse_args(arguments)
    if options.repeat < 1:
        parser.error("--repeat must be 1 or more")
    return options


def main(arguments: list[str] | None = None) -> int:
    options = arguments_of(arguments)
    rng = np.random.default_rng(1)
    rates: dict[str, list[float]] = {"simple": [], "tiled": [], "NumPy": []}
    worst = 0.0
    with kp.Manager() as mgr:
        properties = mgr.get_device_properties()
        clock = "device clock" if properties["timestamps_supported"] else "host clock"
        print(f"device: {properties['device_name']}")
        print(f"GFLOP/s, shaders without copies by the {clock}, median of {options.repeat}")
        print(f"{'size':>16} {'simple':>10} {'tiled':>10} {'NumPy':>10}   error of tiled")
        kernels = [
            Kernel("simple", kp.compile(SHADERS / "multiply_simple.comp"), 16),
            Kernel("tiled", kp.compile(SHADERS / "multiply_tiled.comp"), 64),
        ]
        for size in options.sizes:
            a = rng.uniform(-1, 1, (size.rows, size.inner)).astype(np.float32)
            b = rng.uniform(-1, 1, (size.inner, size.columns)).astype(np.float32)
            multiplication = Multiplication(mgr, a, b)
            for kernel in kernels:
                product, seconds = multiplication.run(kernel, options.repeat)
                rates[kernel.name].append(1e-9 * size.operations / max(seconds, 1e-9))
                error = largest_error(product, a, b)
                worst = max(worst, error)
            seconds = time_of(partial(np.matmul, a, b), options.repeat)
            rates["NumPy"].append(1e-9 * size.operations / seconds)
            row = " ".join(f"{values[-1]:10.2f}" for values in rates.values())
            print(f"{size!s:>16} {row}   {100 * error:.2f} % of the error that rounding allows")
    if not worst <= 1:
        print("WRONG: the error is larger than rounding allows")
        return 1
    if options.plot:
        plot(options.plot, options.sizes, rates, properties["device_name"])
    return 0


if __name__ == "__main__":
    sys.exit(main())
