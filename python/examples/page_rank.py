#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""PageRank: a sparse matrix times a vector, until the ranks no longer change.

    python page_rank.py --pages 100000 --links 1000000 --tolerance 1e-6

Each page gives its rank in equal parts to the pages that it links to: a product with a sparse matrix,
made of the links in any order. The device repeats the step, and ends the loop once the ranks
change by less than the tolerance in all; the host waits once.
(Page et al., "The PageRank citation ranking", 1999.) NumPy checks the result.
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

import kp

DAMPING = 0.85


def random_links(pages: int, links: int) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Return the source and the target of each link; a few pages get most of them."""
    rng = np.random.default_rng(8)
    source = rng.integers(0, pages, links)
    target = (pages * rng.random(links) ** 3).astype(np.uint32)
    # Each page links to itself, so that none has no links.
    own = np.arange(pages)
    order = rng.permutation(links + pages)
    return (
        np.concatenate([source, own]).astype(np.uint32)[order],
        np.concatenate([target, own]).astype(np.uint32)[order],
    )


def rank_pages(
    source: NDArray[Any], target: NDArray[Any], pages: int, tolerance: float, most: int
) -> tuple[NDArray[Any], int]:
    """Return the ranks, and the number of steps."""
    start = time.perf_counter()
    parts = (1 / np.bincount(source, minlength=pages)[source]).astype(np.float32)
    follow = kp.sparse.csr_array((parts, (target, source)), shape=(pages, pages))
    print(f"a matrix of {len(source)} links: {1000 * (time.perf_counter() - start):.1f} ms")

    def changes(state: Any) -> kp.Array:
        _, change, _ = state
        return change > tolerance

    def step(state: Any) -> Any:
        rank, _, steps = state
        after = (1 - DAMPING) / pages + DAMPING * (follow @ rank)
        return after, abs(after - rank).sum(), steps + 1

    start = time.perf_counter()
    first = kp.full(pages, 1 / pages, dtype=np.float32)
    one, none = kp.asarray(np.float32(1)), kp.asarray(np.int32(0))
    rank, _, steps = kp.while_loop(changes, step, (first, one, none), most)
    found = rank.numpy()
    print(f"{int(steps)} steps: {1000 * (time.perf_counter() - start):.1f} ms")
    return found, int(steps)


def expected_ranks(
    source: NDArray[Any], target: NDArray[Any], pages: int, steps: int
) -> NDArray[Any]:
    """Return the ranks that NumPy computes in double."""
    degree = np.bincount(source, minlength=pages)
    rank = np.full(pages, 1 / pages)
    for _ in range(steps):
        received = np.bincount(target, rank[source] / degree[source], pages)
        rank = (1 - DAMPING) / pages + DAMPING * received
    return rank


def main(arguments: list[str] | None = None) -> int:
    """Rank the pages of a random graph, and compare with NumPy."""
    parser = argparse.ArgumentParser(description="PageRank of a random graph.")
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--links", type=int, default=1_000_000)
    parser.add_argument("--tolerance", type=float, default=1e-6)
    parser.add_argument("--steps", type=int, default=100, help="at most")
    given = parser.parse_args(arguments)
    if given.pages < 1 or given.links < 0 or given.steps < 1:
        print("page_rank.py: there must be pages and steps", file=sys.stderr)
        return 2

    source, target = random_links(given.pages, given.links)
    found, steps = rank_pages(source, target, given.pages, given.tolerance, given.steps)
    expected = expected_ranks(source, target, given.pages, steps)
    error = float((np.abs(found - expected) / expected).max())
    for page in np.argsort(-expected, kind="stable")[:3]:
        print(f"  page {page:6d} has the rank {found[page]:.6f}")
    print(f"relative difference from NumPy: {error:.1e}")
    return 0 if error < 1e-4 and abs(found.sum() - 1) < 1e-3 else 1


if __name__ == "__main__":
    sys.exit(main())
