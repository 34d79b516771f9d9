# SPDX-License-Identifier: Apache-2.0
"""Calls functions of kp.sparse with random matrices, and compares the results with NumPy's dense ones.

    python random_sparse.py [--count N] [--seed N | --seed date] [--only CALL] [--plant result]

Matrices have elements in random order, several at some places, empty rows and rows of very different lengths.
The seed and the number of the call are printed; --seed and --only make that call again. --plant result changes
one result of a hundred calls.
"""

from __future__ import annotations

import argparse
import faulthandler
import sys
import traceback
from typing import Any

import numpy as np
from options import number
from options import seed as seed_option
from random_cases import Case, rounding

import kp
from kp import sparse


def extent(case: Case) -> int:
    """Return a number of rows or columns, often small."""
    return int(case.rng.integers(1, case.choose([3, 40, 300, 2000])))


def matrix(case: Case, rows: int, columns: int, dtype: str) -> tuple[Any, np.ndarray]:
    """Return a random sparse matrix in a random form, and the dense one."""
    # More elements would add up to more than integers that floats hold.
    count = int(case.rng.integers(0, case.choose([2, 30, 1000, 20000])))
    row = case.rng.integers(0, rows, count)
    if case.maybe(0.4):  # a row with many of them
        row = np.where(case.rng.random(count) < 0.7, case.rng.integers(0, rows), row)
    column = case.rng.integers(0, columns, count)
    data = case.rng.integers(-4, 5, count).astype(dtype)
    if np.dtype(dtype).kind == "c":
        data = (data + 1j * case.rng.integers(-4, 5, count)).astype(dtype)
    dense = np.zeros((rows, columns), dtype)
    np.add.at(dense, (row, column), data)
    index = case.choose(["int32", "int64", "uint32"])
    case.text += f" {dtype}[{rows}, {columns}] of {count}"
    form = case.choose(["coo", "csr", "csc", "dense"])
    case.text += f" {form}"
    if form == "dense":
        return case.choose([sparse.csr_array, sparse.csc_array])(dense), dense
    if form == "coo":
        given = (data, (row.astype(index), column.astype(index)))
        kind = case.choose([sparse.coo_array, sparse.csr_array, sparse.csc_array])
        return kind(given, shape=(rows, columns)), dense
    along, across, size = (row, column, rows) if form == "csr" else (column, row, columns)
    order = np.argsort(along, kind="stable")
    offsets = np.searchsorted(along[order], np.arange(size + 1)).astype(index)
    kind = sparse.csr_array if form == "csr" else sparse.csc_array
    parts = (data[order], across[order].astype(index), offsets)
    return kind(parts, shape=(rows, columns)), dense


def vectors(case: Case, rows: int, dtype: str) -> np.ndarray:
    """Return a vector, or several as columns."""
    shape = (rows,) if case.maybe() else (rows, int(case.rng.integers(1, 70)))
    return case.rng.integers(-3, 4, shape).astype(dtype)


def compare(case: Case) -> None:
    """Make one matrix, and compare results made with it."""
    dtype = case.choose(["float32", "float64", "complex64", "complex128"])
    rows, columns = extent(case), extent(case)
    a, dense = matrix(case, rows, columns, dtype)
    wide = dense.astype(np.complex128 if dense.dtype.kind == "c" else np.float64)
    case.same(a.asformat(case.choose(["csr", "csc", "coo"])).toarray(), dense)
    for given, image in ((a, wide), (a.T, wide.T)):
        x = vectors(case, image.shape[1], dtype)
        case.near(given @ x, (image @ x).astype(dtype), products(image, x, dtype))
        y = vectors(case, image.shape[0], dtype).T
        case.near(y @ given, (y @ image).astype(dtype), products(image.T, y.T, dtype).T)
    b, other = matrix(case, rows, columns, dtype)
    case.same((a + b).toarray(), dense + other)
    case.same((a * b).toarray(), dense * other)
    if rows * columns <= 100_000 and a.nnz * b.nnz / columns < 1e6:
        product = (wide @ other.T).astype(dtype)
        case.near((a @ b.T).toarray(), product, products(wide, other.T, dtype))
    k = int(case.rng.integers(-rows + 1, columns))
    case.same(a.diagonal(k), np.diagonal(dense, k))
    begin, end = sorted(case.rng.integers(0, rows + 1, 2).tolist())
    case.same(a[begin:end].toarray(), dense[begin:end])
    chosen = case.rng.integers(-columns, columns, int(case.rng.integers(0, 20)))
    case.same(a[:, chosen].toarray(), dense[:, chosen])


def products(a: np.ndarray, b: np.ndarray, dtype: str) -> np.ndarray:
    """Return bounds of the errors of products."""
    found: np.ndarray = 100 * rounding(dtype) * (np.abs(a) @ np.abs(b) + 1)
    return found


def main() -> int:
    """Make the calls. Returns the exit status."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=number(1), default=500)
    parser.add_argument("--seed", type=seed_option, default=1)
    parser.add_argument("--only", type=number(0))
    parser.add_argument("--plant", choices=["", "result"], default="")
    options = parser.parse_args()
    faulthandler.enable()
    manager = kp.default_manager()
    numbers = range(options.count) if options.only is None else [options.only]
    failures = compared = 0
    for call in numbers:
        case = Case(manager, options.seed, call, options.plant != "", False)
        try:
            compare(case)
        except Exception as error:
            failures += 1
            what = str(error) if isinstance(error, AssertionError) else traceback.format_exc()
            print(f"seed {options.seed}, call {call}:{case.text}: {what}", flush=True)
        compared += case.compared
    if failures:
        return 1
    print(f"{len(numbers)} matrices, {compared} results, seed {options.seed}: as NumPy's")
    return 0


if __name__ == "__main__":
    sys.exit(main())
