# SPDX-License-Identifier: Apache-2.0
"""Measures kp.sparse beside CuPy (cuSPARSE), or else SciPy, worst ratio first.

  env PYTHONPATH=<build>/python python3 benchmark/python/sparse_matrices.py [--float64] [--size N] [--methods] [matrix ...]

Matrices: "poisson2d" and "poisson3d" (5 and 7 elements a row), "powerlaw" (a graph whose degrees have a long tail),
"dense_row" (one row with all columns) and "random" (32 elements a row). N is about the number of rows. The times are
calls whose results stay on the device; a wait ends several of them. A ratio is the other library's
time through ours: above 1, kp is faster. --methods times the methods of OpSparseMatMul, too.
"""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Any

import numpy as np

import kp
from kp.arrays.operands import launch, operand

#: Seconds of each measurement; the best round of calls counts.
SECONDS = 0.2
COLUMNS = 32
STEPS = 100

Triplets = tuple[np.ndarray, np.ndarray, int]


def grid(extent: int, axes: int) -> Triplets:
    """Return the places of a Poisson matrix on a grid."""
    size = extent**axes
    numbers = np.arange(size)
    rows, columns = [numbers], [numbers]
    for axis in range(axes):
        step = extent**axis
        inner = numbers[numbers // step % extent < extent - 1]
        rows += [inner, inner + step]
        columns += [inner + step, inner]
    return np.concatenate(rows), np.concatenate(columns), size


def power_law(size: int) -> Triplets:
    """Return the places of a graph whose degrees fall as a power."""
    rng = np.random.default_rng(1)
    count = 16 * size
    ends = [(size * rng.random(count) ** power).astype(np.int64) for power in (4, 2)]
    places = np.unique(ends[0] * size + ends[1])
    order = rng.permutation(size)
    return order[places // size], order[places % size], size


def dense_row(size: int) -> Triplets:
    """Return the places of a diagonal and one full row."""
    numbers = np.arange(size)
    others = np.delete(numbers, size // 2)
    return np.r_[numbers, np.full(size - 1, size // 2)], np.r_[numbers, others], size


def even(size: int) -> Triplets:
    """Return random places, 32 in each row."""
    rng = np.random.default_rng(1)
    places = np.unique(np.repeat(np.arange(size), 32) * size + rng.integers(0, size, 32 * size))
    return places // size, places % size, size


MATRICES: dict[str, Callable[[int], Triplets]] = {
    "poisson2d": lambda n: grid(round(n**0.5), 2),
    "poisson3d": lambda n: grid(round(n ** (1 / 3)), 3),
    "powerlaw": power_law,
    "dense_row": dense_row,
    "random": lambda n: even(n // 4),
}


class Library:
    """kp, CuPy or SciPy."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.wait: Callable[[], Any] = lambda: None
        if name == "kp":
            self.xp: Any = kp
            self.sparse: Any = kp.sparse
            self.wait = kp.synchronize
        elif name == "CuPy":
            self.xp = importlib.import_module("cupy")
            self.sparse = importlib.import_module("cupyx.scipy.sparse")
            self.wait = self.xp.cuda.Device().synchronize
        else:
            self.xp = np
            self.sparse = importlib.import_module("scipy.sparse")

    def started(self, result: Any) -> Any:
        """Start computing a call's result."""
        if self.name == "kp":
            arrays = [result] if isinstance(result, kp.Array) else [result.data, result.indices]
            for array in arrays:
                array.evaluate()
        return result

    def time(self, call: Callable[[], Any]) -> float:
        """Return the seconds of a call."""
        for _ in range(3):
            self.started(call())
        self.wait()
        best, rounds, until = float("inf"), 1, perf_counter() + SECONDS
        while perf_counter() < until:
            start = perf_counter()
            for _ in range(rounds):
                self.started(call())
            self.wait()
            took = perf_counter() - start
            best = min(best, took / rounds)
            if took < SECONDS / 8:
                rounds *= 2
        return best

    def steps(self, a: Any, b: Any) -> Any:
        """Return what conjugate gradients have after some steps."""
        solving = importlib.import_module(f"{self.sparse.__name__}.linalg")
        try:
            return solving.cg(a, b, rtol=1e-30, maxiter=STEPS)[0]
        except TypeError:  # older versions
            return solving.cg(a, b, tol=1e-30, maxiter=STEPS)[0]

    def calls(self, triplets: Triplets, dtype: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
        """Yield what to measure of a matrix."""
        rows, columns, size = triplets
        order = np.random.default_rng(2).permutation(rows.size)
        data = np.where(rows == columns, np.bincount(rows).max() - 0.999, -1).astype(dtype)
        given = [
            self.xp.asarray(each)
            for each in (data[order], rows[order].astype("i4"), columns[order].astype("i4"))
        ]
        make = self.sparse.coo_matrix

        def coo() -> Any:
            return make((given[0], (given[1], given[2])), shape=(size, size))

        a = coo().tocsr()
        x = self.xp.asarray(np.random.default_rng(3).random((size, COLUMNS)).astype(dtype))
        vector = self.xp.asarray(np.random.default_rng(3).random(size).astype(dtype))
        yield "A @ x", lambda: a @ vector
        yield f"A @ X ({COLUMNS})", lambda: a @ x
        yield "coo to csr", lambda: coo().tocsr()
        arrays = (a.data, a.indices, a.indptr)
        if self.name == "kp":  # each call converts a matrix that keeps nothing yet
            yield "csr to csc", lambda: self.sparse.csr_matrix._of(a.shape, a._rows()).tocsc()
        else:
            yield "csr to csc", lambda: self.sparse.csr_matrix(arrays, shape=a.shape).tocsc()
        if np.array_equal(np.sort(rows * size + columns), np.sort(columns * size + rows)):
            yield f"{STEPS} of cg", lambda: self.steps(a, vector)


def methods(triplets: Triplets, dtype: Any) -> None:
    """Print the times of the methods of OpSparseMatMul."""
    rows, columns, size = triplets
    pairs = (np.ones(rows.size, dtype), (rows, columns))
    a = kp.sparse.csr_matrix(pairs, shape=(size, size))
    x, y = kp.ones(size, dtype=dtype), kp.empty(size, dtype=dtype)
    arrays = [a.indptr.copy(), a.indices.copy(), a.data.copy(), x, y]
    tensors = [operand(each, each.shape) for each in arrays]
    mgr = kp.default_manager()
    library = Library("kp")
    moved = sum(each.size * each.dtype.itemsize for each in arrays)
    for method in ("rows", "balanced"):

        def call() -> kp.Array:
            launch(mgr, kp.OpSparseMatMul(*tensors, method=method))
            return y

        seconds = library.time(call)
        print(f"    {method:9} {seconds * 1e6:9.1f} us  {moved / seconds / 1e9:7.0f} GB/s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--float64", action="store_true")
    parser.add_argument("--size", type=int, default=1 << 20)
    parser.add_argument("--methods", action="store_true")
    parser.add_argument("matrices", nargs="*", default=list(MATRICES))
    options = parser.parse_args()
    dtype = np.float64 if options.float64 else np.float32
    other = None
    for name in ("CuPy", "SciPy"):
        try:
            other = Library(name)
            break
        except ImportError:
            continue
    lines = []
    for name in options.matrices:
        triplets = MATRICES[name](options.size)
        print(f"{name}: {triplets[2]} rows, {triplets[0].size} elements", flush=True)
        ours = [
            (what, Library("kp").time(call)) for what, call in Library("kp").calls(triplets, dtype)
        ]
        theirs = [other.time(call) for _, call in other.calls(triplets, dtype)] if other else []
        for i, (what, seconds) in enumerate(ours):
            ratio = theirs[i] / seconds if theirs else float("nan")
            lines.append((ratio, f"{name:10} {what:12}", seconds, theirs[i] if theirs else None))
        if options.methods:
            methods(triplets, dtype)
    device = kp.default_manager().get_device_properties()["device_name"]
    print(f"\n{np.dtype(dtype)}, {device}, kp {kp.__version__} beside {other and other.name}")
    for ratio, what, seconds, their in sorted(lines, key=lambda line: line[0]):
        beside = f"{their * 1e6:10.1f} us" if their is not None else ""
        print(f"{ratio:7.2f}  {what} {seconds * 1e6:10.1f} us {beside}")


if __name__ == "__main__":
    main()
