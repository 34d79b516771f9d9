#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Multiplies matrices with a shader whose tile sizes are tuned.

    python autotuned_matrix_multiplication.py --size 512 --effort exhaustive --trace trace.json

The shader is generated from a configuration. Each work group loads tiles of both matrices into
shared memory, and each invocation computes several elements of the product. The best sizes depend
on the device. The autotuner tries them, checks their results against NumPy's, and stores the
fastest for the next run of the program.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import kp

SHADER = Path(__file__).resolve().parent / "shaders" / "multiply_tuned.comp"

Matrix = NDArray[np.float32]


def kernel_for(size: int) -> kp.TunableKernel:
    text = SHADER.read_text(encoding="utf-8")

    def source(configuration: dict[str, Any]) -> str:
        defines = "".join(f"#define {name} {n}u\n" for name, n in configuration.items())
        return text.replace("#version 450\n", f"#version 450\n{defines}", 1)

    def groups(configuration: dict[str, Any]) -> tuple[int, int]:
        count = -(-size // configuration["TILE"])
        return count, count

    return (
        kp.TunableKernel("python matmul")
        .parameter("TILE", [16, 8, 32, 64])  # rows and columns per work group
        .parameter("DEPTH", [16, 8, 32])  # depth of the strips in shared memory
        .parameter("EACH", [1, 2, 4, 8])  # elements per invocation in each direction
        .constraint("at least 16 invocations", lambda c: c["TILE"] // c["EACH"] >= 4)
        .workgroups(groups)
        .factory(source)
    )


def report(result: kp.TuningResult, size: int) -> None:
    count, runs = len(result.records), result.benchmarks
    print(f"{count} configurations, {runs} timed runs, {result.seconds:.2f} s")
    measured = [record for record in result.records if record.status == "measured"]
    shown = {id(record): record for record in [*measured[:3], *measured[-1:]]}
    for record in shown.values():
        rate = 2 * size**3 / record.nanoseconds
        values = ", ".join(f"{name}={value}" for name, value in record.configuration.items())
        cached = " (cached)" if record.from_cache else ""
        print(f"  {values:<28} {record.nanoseconds / 1e3:10.1f} us {rate:8.2f} GFLOP/s{cached}")


def largest_error(product: Matrix, a: Matrix, b: Matrix) -> float:
    """Return the largest error as a fraction of the error that rounding allows."""
    exact = a.astype(np.float64) @ b.astype(np.float64)
    limit = a.shape[1] * np.finfo(np.float32).eps * (np.abs(a) @ np.abs(b)).astype(np.float64)
    return float((np.abs(product - exact) / np.maximum(limit, 1e-30)).max())


def arguments_of(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Multiplies matrices with tuned tile sizes.")
    parser.add_argument("--size", type=int, default=256, help="rows and columns of the matrices")
    parser.add_argument(
        "--effort",
        choices=("estimate", "measure", "patient", "exhaustive"),
        default="measure",
        help="how thoroughly to search",
    )
    parser.add_argument(
        "--budget", type=float, default=10, help="seconds for tuning; 0 is unlimited"
    )
    parser.add_argument(
        "--cache", default="", help="the folder of stored times; 'off' stores nothing"
    )
    parser.add_argument("--trace", type=Path, help="write a trace for ui.perfetto.dev to this file")
    options = parser.parse_args(arguments)
    if options.size < 1:
        parser.error("--size must be 1 or more")
    return options


def main(arguments: list[str] | None = None) -> int:
    options = arguments_of(arguments)
    size = options.size
    rng = np.random.default_rng(1)
    a, b = rng.uniform(-1, 1, (2, size, size)).astype(np.float32)
    profiler = kp.Profiler("autotuned matrix multiplication")
    with kp.Manager() as mgr:
        print(f"device: {mgr.get_device_properties()['device_name']}")
        left, right = mgr.tensor(shape=a.shape), mgr.tensor(shape=b.shape)
        product = mgr.tensor(shape=a.shape)
        with profiler.scope("copy in"):
            left.write(a)
            right.write(b)
        with profiler.scope("NumPy"):
            reference = a @ b
        tuner = kp.Autotuner(
            mgr,
            effort=options.effort,
            budget=options.budget,
            cache_folder=options.cache,
            progress=True,
        )
        to_tune = (
            kp.TuningArguments([left, right, product], push_consts=np.uint32(size))
            .problem(size)
            .leave(product)
            .expect(product, reference, relative=1e-3, absolute=1e-3)
        )
        with profiler.scope("tuning"):
            result = tuner.tune(kernel_for(size), to_tune)
        report(result, size)
        assert result.algorithm is not None
        with profiler.scope("multiplication"):
            mgr.sequence().record(kp.OpAlgoDispatch(result.algorithm)).eval()
        with profiler.scope("copy out"):
            error = largest_error(product.read(), a, b)
    print(profiler.table(), end="")
    if options.trace:
        profiler.write_trace(options.trace)
        print(f"saved {options.trace}")
    print(f"check: {100 * error:.2f} % of the error that rounding allows")
    if not error <= 1:
        print("WRONG: the error is larger than rounding allows")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
