#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The heat equation on an array that is larger than the device's memory.

    python dask_stencil.py
    python dask_stencil.py --size 16384 --chunk 2048 --budget 256
    python dask_stencil.py --workers 2

Dask splits the array into blocks that overlap by a row and a column. kp.dask computes a few blocks
at a time on the device and never uses more of its memory than the budget. The whole array is never
in one place: its maximum error and its mean are also computed block by block. The initial state is
a wave. Each step scales it by a known factor, so the exact result is known for arrays of any size.

With --workers, the processes of a local cluster share the work and the GPUs.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import time
from typing import Any

import numpy as np

SHADER = """#version 450
layout(local_size_x = 16, local_size_y = 16) in;
layout(binding = 0) readonly buffer Before { float before[]; };
layout(binding = 1) writeonly buffer After { float after[]; };
layout(push_constant) uniform Push {
    float rate;
    uvec2 kp_block_shape;  // rows and columns including the overlap; kp.dask fills it in
};

void main() {
    uint width = kp_block_shape.y, height = kp_block_shape.x;
    uint x = gl_GlobalInvocationID.x, y = gl_GlobalInvocationID.y;
    if (x >= width || y >= height) return;
    uint i = y * width + x;
    // The outermost points are the overlap. They are only read, and are cut off afterwards.
    if (x == 0 || y == 0 || x == width - 1 || y == height - 1) {
        after[i] = before[i];
        return;
    }
    float around = before[i - 1] + before[i + 1] + before[i - width] + before[i + width];
    after[i] = before[i] + rate * (around - 4.0 * before[i]);
}
"""
RATE = 0.24
WAVES = (3, 2)  # over the rows and over the columns


def wave(size: int, chunk: int) -> Any:
    """Return the initial array. Its blocks are computed when they are needed."""
    import dask.array as da

    rows, columns = (
        da.cos(2 * np.pi * waves / size * da.arange(size, chunks=chunk)) for waves in WAVES
    )
    return rows[:, None] * columns[None, :]


def flattening(size: int) -> float:
    """Return the factor by which a step scales the wave."""
    return float(1 - RATE * sum(2 - 2 * np.cos(2 * np.pi * waves / size) for waves in WAVES))


def arguments_of(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description="The heat equation on an array larger than the device's memory."
    )
    parser.add_argument("--size", type=int, default=4096, help="points in each direction")
    parser.add_argument("--chunk", type=int, default=512, help="points of a block per direction")
    parser.add_argument("--steps", type=int, default=4, help="time steps")
    parser.add_argument("--budget", type=float, default=16, help="MiB of device memory to use")
    parser.add_argument(
        "--workers", type=int, default=0, help="worker processes; 0 uses threads of this process"
    )
    options = parser.parse_args(arguments)
    if options.size < 8 or not 1 <= options.chunk <= options.size:
        parser.error("--size must be 8 or more, and --chunk from 1 to --size")
    if options.steps < 0 or options.workers < 0 or options.budget <= 0:
        parser.error("--steps and --workers must be 0 or more, and --budget more than 0")
    return options


@contextlib.contextmanager
def cluster(workers: int, budget: int) -> Any:
    """Start the workers, if any. Yield a function that returns the statistics of all processes."""
    import kp.dask

    if workers == 0:
        kp.dask.set_memory_limit(budget)
        yield lambda: [kp.dask.statistics()]
        kp.dask.set_memory_limit(None)
        return
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=workers, threads_per_worker=2, dashboard_address=":0") as processes,
        Client(processes) as client,
    ):
        devices = kp.dask.setup(client, memory_limit=budget // workers)
        print(f"workers    {len(devices)}, on the devices {sorted(map(str, devices.values()))}")
        yield lambda: client.run(kp.dask.statistics).values()


def main(arguments: list[str] | None = None) -> int:
    options = arguments_of(arguments)
    try:
        import dask

        import kp.dask
    except ImportError as error:
        print(f"dask_stencil.py: {error}", file=sys.stderr)
        return 2

    budget = int(options.budget * 2**20)
    start = wave(options.size, options.chunk)
    field = start.astype(np.float32)
    kernel = kp.dask.BlockKernel(SHADER, push={"rate": RATE}, threads="axes", name="step")
    for _ in range(options.steps):
        field = kp.dask.map_overlap(kernel, field, depth=1, boundary="periodic")
    expected = flattening(options.size) ** options.steps * start
    results = abs(field - expected).max(), field.mean()

    print(f"array      {options.size} x {options.size}, {field.nbytes / 2**20:.1f} MiB")
    print(f"budget     {options.budget:.1f} MiB of device memory")
    with cluster(options.workers, budget) as statistics:
        blocks = -sum(found.blocks for found in statistics())
        begin = time.perf_counter()
        difference, mean = (float(value) for value in dask.compute(*results))
        seconds = time.perf_counter() - begin
        processes = list(statistics())
    peak = sum(found.peak_bytes for found in processes)
    blocks += sum(found.blocks for found in processes)

    print(f"used       at most {peak / 2**20:.1f} MiB, for {blocks} blocks")
    print(f"time       {seconds:.2f} s for {options.steps} steps")
    print(f"check      differs from the exact wave by at most {difference:.1e}, mean {mean:.1e}")
    if peak > budget or not difference < 1e-5:
        print("WRONG: expected less than 1e-5, within the budget")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
