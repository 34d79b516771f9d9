#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Custom operations: softmax, composed of four dispatches, and a dispatch with a counter.

    python custom_operation.py --rows 1000 --columns 500

A class derived from kp.OpBase returns its parts from record(). It can then be recorded like any
other operation. Its hooks pre_eval() and post_eval() run on the host before and after each
evaluation. A class derived from kp.OpAlgoDispatch adds hooks to a dispatch.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

import kp

Matrix = NDArray[np.float32]

# One work group per row reduces the row to one number.
FOLD = """#version 450
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Values { float values[]; };
layout(binding = 1) writeonly buffer Folded { float folded[]; };
layout(push_constant) uniform Parameters { uint columns; };

shared float partial[64];

void main()
{
    const uint lane = gl_LocalInvocationID.x;
    const uint first = gl_WorkGroupID.x * columns;
    float all = START;
    for (uint i = lane; i < columns; i += 64u)
        all = FOLD(all, values[first + i]);
    partial[lane] = all;
    barrier();
    for (uint reach = 32u; reach > 0u; reach /= 2u) {
        if (lane < reach)
            partial[lane] = FOLD(partial[lane], partial[lane + reach]);
        barrier();
    }
    if (lane == 0u)
        folded[gl_WorkGroupID.x] = partial[0];
}
"""

# Combines each element of a row with the number of that row.
APPLY = """#version 450
layout(local_size_x = 16, local_size_y = 16) in;
layout(binding = 0) readonly buffer Values { float values[]; };
layout(binding = 1) readonly buffer OfRow { float ofRow[]; };
layout(binding = 2) writeonly buffer Results { float results[]; };
layout(push_constant) uniform Parameters { uint columns; };

void main()
{
    const uint column = gl_GlobalInvocationID.x;
    const uint row = gl_GlobalInvocationID.y;
    if (column < columns && row < ofRow.length())
        results[row * columns + column] = APPLY(values[row * columns + column], ofRow[row]);
}
"""


class Softmax(kp.OpBase):
    """Writes the softmax of each row of `values` to `results`.

    The maximum of each row is subtracted first, so that no exponential overflows.
    """

    def __init__(self, mgr: kp.Manager, values: kp.Tensor, results: kp.Tensor) -> None:
        super().__init__()
        rows, columns = values.shape
        scratch = [
            mgr.tensor(shape=shape, memory_type=kp.MemoryTypes.storage)
            for shape in (rows, (rows, columns), rows)
        ]
        largest, powers, sums = scratch
        push = {"columns": columns}

        def fold(source: kp.Tensor, target: kp.Tensor, start: str, function: str) -> kp.Algorithm:
            spirv = mgr.compile(FOLD, defines={"START": start, "FOLD(x, y)": function})
            return mgr.algorithm([source, target], spirv, (rows, 1, 1), push_consts=push)

        def apply(
            source: kp.Tensor, of_row: kp.Tensor, target: kp.Tensor, function: str
        ) -> kp.Algorithm:
            spirv = mgr.compile(APPLY, defines={"APPLY(x, y)": function})
            return mgr.algorithm(
                [source, of_row, target], spirv, push_consts=push, thread_count=(columns, rows)
            )

        self.algorithms = [
            fold(values, largest, "-3.4e38", "max(x, y)"),
            apply(values, largest, powers, "exp(x - y)"),
            fold(powers, sums, "0.0", "((x) + (y))"),
            apply(powers, sums, results, "x / y"),
        ]
        self.evaluations = 0
        self.seconds = 0.0
        self._start = 0.0

    def record(self) -> Iterator[kp.OpBase]:
        for algorithm in self.algorithms:
            yield kp.OpAlgoDispatch(algorithm)

    def pre_eval(self) -> None:
        self._start = time.perf_counter()

    def post_eval(self) -> None:
        self.seconds += time.perf_counter() - self._start
        self.evaluations += 1


class CountedDispatch(kp.OpAlgoDispatch):
    """A dispatch that counts its evaluations."""

    def __init__(self, algorithm: kp.Algorithm, push_consts: dict[str, float]) -> None:
        super().__init__(algorithm, push_consts)
        self.evaluations = 0

    def post_eval(self) -> None:
        self.evaluations += 1


SCALE = """#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer Values { float values[]; };
layout(push_constant) uniform Parameters { float factor; };
void main()
{
    const uint i = gl_GlobalInvocationID.x;
    if (i < values.length())
        values[i] *= factor;
}
"""


def softmax_in_numpy(values: NDArray[np.float64]) -> NDArray[np.float64]:
    powers = np.exp(values - values.max(axis=1, keepdims=True))
    result: NDArray[np.float64] = powers / powers.sum(axis=1, keepdims=True)
    return result


def arguments_of(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Softmax as a custom operation.")
    parser.add_argument("--rows", type=int, default=1000, help="rows of the matrix")
    parser.add_argument("--columns", type=int, default=500, help="columns of the matrix")
    parser.add_argument("--evaluations", type=int, default=4, help="evaluations of the sequence")
    options = parser.parse_args(arguments)
    if min(options.rows, options.columns, options.evaluations) < 1:
        parser.error("all numbers must be 1 or more")
    return options


def main(arguments: list[str] | None = None) -> int:
    options = arguments_of(arguments)
    shape = (options.rows, options.columns)
    values: Matrix = np.random.default_rng(1).normal(0, 3, shape).astype(np.float32)

    with kp.Manager() as mgr:
        print(f"device       {mgr.get_device_properties()['device_name']}")
        print(f"matrix       {options.rows} x {options.columns}")
        source = mgr.tensor(values)
        results = mgr.tensor(shape=shape)
        scale = mgr.algorithm([source], SCALE, thread_count=values.size, push_consts=[1.0])

        softmax = Softmax(mgr, source, results)
        doubled = CountedDispatch(scale, {"factor": 2.0})
        sequence = mgr.sequence().record(kp.OpSyncDevice([source]))
        sequence.record(doubled).record(softmax).record(kp.OpSyncLocal([results]))
        for _ in range(options.evaluations):
            sequence.eval()

        result = results.numpy().astype(np.float64)
    expected = softmax_in_numpy(2.0 * values.astype(np.float64))
    print(f"evaluations  {softmax.evaluations} of softmax, {doubled.evaluations} of the dispatch")
    print(
        f"time         {1e3 * softmax.seconds / softmax.evaluations:.2f} ms from pre_eval() to "
        "post_eval(), host clock"
    )
    error = float(np.abs(result - expected).max())
    sums = float(np.abs(result.sum(axis=1) - 1).max())
    print(
        f"check        differs from NumPy by at most {error:.1e}, sums of rows from 1 by {sums:.1e}"
    )
    counted = softmax.evaluations == doubled.evaluations == options.evaluations
    if not (error < 1e-5 and sums < 1e-4 and counted):
        print("WRONG: expected less than 1e-5 and 1e-4, and a count of all evaluations")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
