# SPDX-License-Identifier: Apache-2.0
"""A kernel of Triton, which reads the source of its kernels from a file."""

from __future__ import annotations


import triton  # type: ignore[import-not-found, unused-ignore]
import triton.language as tl  # type: ignore[import-not-found, unused-ignore]


@triton.jit  # type: ignore[untyped-decorator, unused-ignore]
def add_one(pointer, n: tl.constexpr):  # noqa: ANN201
    """Add one to each of n floats."""
    i = tl.arange(0, n)
    tl.store(pointer + i, tl.load(pointer + i) + 1.0)
