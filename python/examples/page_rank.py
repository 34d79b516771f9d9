#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""PageRank: a sparse matrix times a vector, again and again.

    python page_rank.py --pages 100000 --links 1000000 --steps 30

The links are pairs of pages in no order. A sort by target brings those to one page together, and a
search finds where each page's links begin. A step then is three operations of one recorded
sequence: a shader that gathers and multiplies, a reduction by segments, and the new ranks.
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

#: The value of each link: a part of its source's rank.
CARRY = """#version 450
layout(local_size_x = 256) in;
layout(binding = 0) readonly buffer Source { uint source[]; };
layout(binding = 1) readonly buffer Degree { uint degree[]; };
layout(binding = 2) readonly buffer Rank { float rank[]; };
layout(binding = 3) writeonly buffer Carried { float carried[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < source.length())
        carried[i] = rank[source[i]] / float(degree[source[i]]);
}"""

#: The new rank of each page.
UPDATE = """#version 450
layout(local_size_x = 256) in;
layout(constant_id = 0) const float damping = 0;
layout(binding = 0) readonly buffer Received { float received[]; };
layout(binding = 1) writeonly buffer Rank { float rank[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < rank.length())
        rank[i] = (1 - damping) / float(rank.length()) + damping * received[i];
}"""


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
    mgr: kp.Manager, source: NDArray[Any], target: NDArray[Any], pages: int, steps: int
) -> NDArray[Any]:
    """Return the ranks after some steps."""
    storage = kp.MemoryTypes.storage
    by_target = mgr.tensor_t(target)
    sources = mgr.tensor_t(source)
    begins = mgr.tensor_t(shape=pages + 1, dtype="uint32", memory_type=storage)
    degree = mgr.tensor_t(shape=pages, dtype="uint32", memory_type=storage)
    carried = mgr.tensor(shape=len(source), memory_type=storage)
    received = mgr.tensor(shape=pages, memory_type=storage)
    rank = mgr.tensor(np.full(pages, 1 / pages))

    matrix = mgr.sequence().record(kp.OpSyncDevice([by_target, sources, rank]))
    matrix.record(kp.OpHistogram(sources, degree))
    matrix.record(kp.OpSort(by_target, sources, bits=(0, int(pages).bit_length())))
    matrix.record(
        kp.OpSearchSorted(by_target, mgr.tensor_t(np.arange(pages + 1, dtype=np.uint32)), begins)
    )

    groups = ((len(source) + 255) // 256, 1, 1)
    carry = mgr.algorithm([sources, degree, rank, carried], CARRY, groups)
    update = mgr.algorithm([received, rank], UPDATE, ((pages + 255) // 256, 1, 1), [DAMPING])
    step = mgr.sequence().record(kp.OpAlgoDispatch(carry))
    step.record(kp.OpReduce(carried, received, "sum", segments=begins))
    step.record(kp.OpAlgoDispatch(update))

    start = time.perf_counter()
    matrix.eval()
    print(f"{len(source)} links sorted: {1000 * (time.perf_counter() - start):.1f} ms")
    start = time.perf_counter()
    for _ in range(steps):
        step.eval_async().eval_await()
    print(f"{steps} steps: {1000 * (time.perf_counter() - start):.1f} ms")
    return rank.read()


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
    parser.add_argument("--steps", type=int, default=30)
    given = parser.parse_args(arguments)
    if given.pages < 1 or given.links < 0 or given.steps < 1:
        print("page_rank.py: there must be pages and steps", file=sys.stderr)
        return 2

    source, target = random_links(given.pages, given.links)
    found = rank_pages(kp.Manager(), source, target, given.pages, given.steps)
    expected = expected_ranks(source, target, given.pages, given.steps)
    error = float((np.abs(found - expected) / expected).max())
    for page in np.argsort(-expected, kind="stable")[:3]:
        print(f"  page {page:6d} has the rank {found[page]:.6f}")
    print(f"relative difference from NumPy: {error:.1e}")
    return 0 if error < 1e-4 and abs(found.sum() - 1) < 1e-3 else 1


if __name__ == "__main__":
    sys.exit(main())
