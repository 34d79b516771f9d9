# SPDX-License-Identifier: Apache-2.0
"""Measures every kind of primitive for several types, as a share of the rate of a copy of as many bytes.

  env PYTHONPATH=<build>/python python3 benchmark/python/rates.py [bytes]

Most primitives wait for memory alone. A line that is far below its neighbours shows a kernel that does not. Sorts
make several passes, so compare them among themselves. The best of several runs counts.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Any

import numpy as np

import kp

#: Of the input of a call. A power of 2.
BYTES = int(sys.argv[1]) if len(sys.argv) > 1 else 1 << 28
TYPES = ["uint8", "int16", "float16", "int32", "float32", "int64", "float64"]
#: Of each line. A GPU that was idle takes a while to reach its clock.
SECONDS = 0.2

Call = tuple[str, Callable[[], Any], int]

mgr = kp.Manager()
rng = np.random.default_rng(1)


def empty(shape: Any, dtype: Any) -> kp.Tensor:
    """Return a tensor without a host view."""
    return mgr.tensor_t(shape=shape, dtype=dtype, memory_type="storage")


def given(values: Any) -> kp.Tensor:
    """Return a tensor with values, on the device."""
    tensor = mgr.tensor_t(values)
    mgr.sequence().eval(kp.OpSyncDevice([tensor]))
    return tensor


def calls(name: str) -> Iterator[Call]:
    """Yield what to measure with a type: its name, what makes the operation, and the bytes it moves."""
    dtype = np.dtype(name)
    size = dtype.itemsize
    count = BYTES // size
    values = rng.integers(0, 100, count).astype(dtype)
    one, out = given(values), empty(count, dtype)
    number = empty(1, "uint32")
    total = empty(
        (), "float64" if name == "float64" else "float32" if dtype.kind == "f" else "int64"
    )
    index, least = empty((), "uint32"), empty((), dtype)
    yield "sum", lambda: kp.OpReduce(one, total), BYTES
    yield "max", lambda: kp.OpReduce(one, least, "max"), BYTES
    yield "argmin", lambda: kp.OpReduce(one, index, "argmin"), BYTES
    yield "count_nonzero", lambda: kp.OpReduce(one, index, "count_nonzero"), BYTES
    rows = 1 << (count.bit_length() // 2)
    table = given(values.reshape(rows, -1))
    for axis in (0, 1):
        result = empty(table.shape[1 - axis], dtype)
        yield f"max, axis {axis}", lambda r=result, a=axis: kp.OpReduce(
            table, r, "max", axis=a
        ), BYTES
    parts = given(np.arange(0, count + 1, 1000, dtype=np.uint32))
    pieces = empty(parts.size() - 1, dtype)
    yield "max of 1,000 each", lambda: kp.OpReduce(one, pieces, "max", segments=parts), BYTES
    for op in ("sum", "max"):
        yield f"scan, {op}", lambda o=op: kp.OpScan(one, out, o), 2 * BYTES
    yield "scan, a + b", lambda: kp.OpScan(one, out, ("a + b", "0")), 2 * BYTES
    yield "scan, segments", lambda: kp.OpScan(one, out, segments=parts), 2 * BYTES
    grid = empty(table.shape, dtype)
    for axis in (0, 1):
        yield f"scan, axis {axis}", lambda a=axis: kp.OpScan(table, grid, axis=a), 2 * BYTES
    for length in (100, 1_000, 1_024, 8_192, 20_000, 65_536):
        each, sums = (empty((count // length, length), dtype) for _ in range(2))
        yield f"scan, {length:,} each", lambda e=each, s=sums: kp.OpScan(
            e, s, axis=1
        ), 2 * size * each.size()
    flags = given(rng.integers(0, 2, count).astype(np.uint8))
    half = BYTES * 3 // 2
    yield "select, flags", lambda: kp.OpSelect(one, flags, out, number), half + count
    yield "select, x > 49", lambda: kp.OpSelect(one, f"x > {glsl(dtype)}(49)", out, number), half
    yield "partition, flags", lambda: kp.OpPartition(one, flags, out, number), 2 * BYTES + count
    yield "unique", lambda: kp.OpUnique(one, out, number), 2 * BYTES
    bins = empty(100, "uint32")
    yield "histogram", lambda: kp.OpHistogram(one, bins, (0, 100)), BYTES
    places = given(rng.permutation(count).astype(np.uint32))
    yield "gather", lambda: kp.OpGather(one, places, out), 2 * BYTES + 4 * count
    yield "scatter", lambda: kp.OpScatter(one, places, out), 2 * BYTES + 4 * count
    turned = empty(table.shape[::-1], dtype)
    yield "transpose", lambda: kp.OpTranspose(table, turned), 2 * BYTES
    yield "reverse", lambda: kp.OpReverse(one, out), 2 * BYTES
    top = empty(100, dtype)
    yield "top 100", lambda: kp.OpTopK(one, 100, top), BYTES
    order = empty(count, "uint32")
    yield "sort", lambda: kp.OpSort(one, sorted_keys=out), 2 * BYTES
    yield "sort with values", lambda: kp.OpSort(
        one, places, sorted_keys=out, sorted_values=order
    ), 2 * (BYTES + 4 * count)


def glsl(dtype: np.dtype) -> str:
    """Return the type of GLSL that a condition computes in."""
    return {"i8": "int64_t", "f8": "double", "f4": "float", "f2": "float", "u1": "uint"}.get(
        dtype.str[1:], "int"
    )


def rate(make: Callable[[], Any], moved: int) -> float:
    """Return GB/s. The device takes the times: waits of the host do not count."""
    sequence = mgr.sequence(total_timestamps=1).record(make())
    sequence.eval()  # compiles
    best = float("inf")
    until = perf_counter() + SECONDS
    while perf_counter() < until:
        start, end = sequence.eval().get_timestamps_ns()
        best = min(best, end - start)
    return moved / best


def main() -> None:
    """Print a table: a line per primitive, a column per type."""
    a, b = empty(BYTES // 4, "uint32"), empty(BYTES // 4, "uint32")
    mgr.sequence().eval(kp.OpFill([a], 1))
    copy = rate(lambda: kp.OpCopy([a, b]), 2 * BYTES)
    print(
        f"{mgr.get_device_properties()['device_name']}: a copy of {BYTES} bytes moves {copy:.0f} GB/s"
    )
    print(" " * 20 + "".join(f"{name:>9}" for name in TYPES))
    table: dict[str, dict[str, str]] = {}
    for name in TYPES:
        try:
            for what, make, moved in calls(name):
                table.setdefault(what, {})
                try:
                    table[what][name] = f"{rate(make, moved) / copy:.2f}"
                except kp.Unsupported:
                    table[what][name] = "-"
        except kp.Unsupported:  # no such numbers on this device
            continue
    for what, columns in table.items():
        print(f"{what:20}" + "".join(f"{columns.get(name, '-'):>9}" for name in TYPES))


if __name__ == "__main__":
    main()
