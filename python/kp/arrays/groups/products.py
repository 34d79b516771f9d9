# SPDX-License-Identifier: Apache-2.0
"""Products of matrices on the devices of a group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..._kp import DeviceGroup
from ..._wording import inner_extents_differ
from ..array import Array
from . import exchange
from .array import GroupArray
from .partial import MOST_BYTES, Partial
from .placing import Function, aligned, everywhere, group_of, replicas, rows_of


def _summed(group: DeviceGroup, partial: Sequence[Array]) -> GroupArray:
    """Return the sum of the devices' results."""
    from ..reducing import reductions
    from ..shapes.manipulation import expand_dims

    dtype, shape = partial[0].dtype, partial[0].shape
    if partial[0].nbytes <= MOST_BYTES:
        add: Any = np.logical_or.reduce if dtype.kind == "b" else np.add.reduce
        few = Partial([(each,) for each in partial], lambda found: add(found, axis=0, dtype=dtype))
        return GroupArray._of_partial(group, few, shape, dtype)
    stacked = [expand_dims(each, axis=0) for each in partial]
    everything = exchange.gathered(group, stacked, tuple(1 for _ in partial))
    if dtype.kind == "b":
        return GroupArray._of(group, [reductions.any(each, axis=0) for each in everything], None)
    totals = [reductions.sum(each, axis=0, dtype=dtype) for each in everything]
    return GroupArray._of(group, totals, None)


def matmul(function: Function, a: Any, b: Any, /, **options: Any) -> Any:
    """Multiply: rows of a stay where they are; if b has rows, or both are vectors, sums are combined."""
    if options:  # options of tensors: it refuses them
        return function(a, b, **options)
    group = group_of((a, b))
    assert group is not None
    a, b = (np.asarray(each) if isinstance(each, (list, tuple)) else each for each in (a, b))
    first, second = np.shape(a), np.shape(b)
    if not first or not second or max(len(first), len(second)) > 2:
        return _stacked(function, a, b, group)
    left = a._rows if isinstance(a, GroupArray) else None
    right = b._rows if isinstance(b, GroupArray) else None
    if left is not None and len(first) == 2:
        others = replicas(b, group)
        parts = [function(part, other) for part, other in zip(a._parts, others, strict=True)]
        return GroupArray._of(group, parts, left)
    rows = left if left is not None else right
    if rows is None:
        parts = [
            function(x, y) for x, y in zip(replicas(a, group), replicas(b, group), strict=True)
        ]
        return GroupArray._of(group, parts, None)
    if first[-1] != second[0]:
        raise inner_extents_differ(first, second, (first[-1], second[0]))
    starts = exchange.offsets(rows)
    rights = aligned(b, second, rows, group)
    if left is not None:
        lefts: Sequence[Any] = a._parts
    else:
        lefts = [
            x[..., start : start + count]
            for x, start, count in zip(replicas(a, group), starts, rows, strict=True)
        ]
    partial = [function(x, y) for x, y in zip(lefts, rights, strict=True)]
    return _summed(group, partial)


def dot(function: Function, a: Any, b: Any, out: None = None) -> Any:
    """Multiply vectors and matrices as matmul() does."""
    from ..matrices.linear_algebra import matmul as product

    if {np.ndim(a), np.ndim(b)} <= {1, 2}:
        return matmul(product, a, b)
    return everywhere(function, a, b)


def _stacked(function: Function, a: Any, b: Any, group: DeviceGroup) -> Any:
    """Multiply stacks of matrices: each device its own, if the stacks have the same first axis."""
    shapes = [np.shape(x) for x in (a, b)]
    longest = max(shapes, key=len)
    rows = rows_of((a, b), longest)
    apart = [len(shape) < len(longest) or shape[0] == longest[0] for shape in shapes]
    if rows is None or len(longest) < 3 or not min(apart):
        return everywhere(function, a, b)
    pairs = zip(*[aligned(x, longest, rows, group) for x in (a, b)], strict=True)
    return GroupArray._of(group, [function(x, y) for x, y in pairs], rows)
