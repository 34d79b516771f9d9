#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Clusters of points by k-means, with arrays.

    python k_means.py --points 50000 --clusters 8

The distances of all points to all centres are fused with their reductions, so they are never stored.
The same function runs with NumPy, which checks the result.
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

import kp


def step(xp: Any, points: Any, centres: Any) -> tuple[Any, Any]:
    """Assign each point to its nearest centre; return the assignment and the new centres."""
    offset = points[:, None, :] - centres[None, :, :]
    nearest = xp.argmin(xp.sum(offset * offset, axis=2), axis=1)
    is_own = nearest[:, None] == xp.arange(centres.shape[0])[None, :]
    belongs = xp.where(is_own, np.float32(1), np.float32(0))
    counts = xp.sum(belongs, axis=0)
    sums = belongs.T @ points
    moved = xp.where(counts[:, None] > 0, sums / xp.maximum(counts, 1)[:, None], centres)
    return nearest, moved


def blobs(count: int, clusters: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return points around random centres, and first centres."""
    rng = np.random.default_rng(4)
    middles = rng.uniform(-10, 10, (clusters, 2))
    points = middles[rng.integers(0, clusters, count)] + rng.normal(size=(count, 2))
    return points.astype(np.float32), points[:clusters].astype(np.float32)


def main(arguments: list[str] | None = None) -> int:
    """Cluster random points, and compare with NumPy."""
    parser = argparse.ArgumentParser(description="k-means on random points.")
    parser.add_argument("--points", type=int, default=50_000)
    parser.add_argument("--clusters", type=int, default=8)
    parser.add_argument("--steps", type=int, default=10)
    given = parser.parse_args(arguments)
    if given.clusters < 1 or given.points < given.clusters:
        print("k_means.py: there must be at least as many points as clusters", file=sys.stderr)
        return 2

    points, first = blobs(given.points, given.clusters)
    x, centres = kp.array(points), kp.array(first)
    start = time.perf_counter()
    for _ in range(given.steps):
        nearest, centres = step(kp, x, centres)
    found = centres.numpy()
    print(f"{given.steps} steps: {1000 * (time.perf_counter() - start):.1f} ms")

    expected = first
    start = time.perf_counter()
    for _ in range(given.steps):
        assigned, expected = step(np, points, expected)
    print(f"NumPy:    {1000 * (time.perf_counter() - start):.1f} ms")

    same = float(np.mean(assigned == nearest.numpy()))
    error = float(np.abs(found - expected).max())
    print(
        f"{100 * same:.3f} % of the points are in the same cluster; centres differ by {error:.1e}"
    )
    for centre, count in zip(
        found, np.bincount(nearest.numpy(), minlength=len(found)), strict=True
    ):
        print(f"  {count:8d} points around ({centre[0]:6.2f}, {centre[1]:6.2f})")
    return 0 if same > 0.99 and error < 0.05 else 1


if __name__ == "__main__":
    sys.exit(main())
