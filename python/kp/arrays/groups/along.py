# SPDX-License-Identifier: Apache-2.0
"""Functions along an axis: on each device with its rows, or, along the first axis, with its part of
another axis."""

from __future__ import annotations

from typing import Any

from ..._axes import normalized_axes
from ..array import Array
from . import exchange
from .array import GroupArray
from .placing import Function, everywhere, joined, read_only, rebuilt, replicas
from .traits import signature_of, trait_of


def along(function: Function, *args: Any, **kwargs: Any) -> Any:
    """Call a function along an axis, or axes."""
    bound = signature_of(function).bind(*args, **kwargs)
    bound.apply_defaults()
    x, *others = bound.args
    axis = bound.arguments.get("axis")
    if not isinstance(x, GroupArray) or x._rows is None or axis is None:
        return everywhere(function, *args, **kwargs)
    axes = normalized_axes(axis, len(x._shape))
    group, parts, own = x._group, x._parts, 0
    if 0 in axes:
        free = [place for place in range(1, len(x._shape)) if place not in axes and x._shape[place]]
        if not free or len(axes) != 1 or not x._shape[0]:
            return everywhere(function, *args, **kwargs)
        own = max(free, key=lambda place: x._shape[place])
        own = free[0] if x._shape[free[0]] >= len(parts) else own
        parts = tuple(exchange.shared_along(group, parts, x._rows, own))
    given = [replicas(value, group) for value in others]
    results = [
        function(part, *[each[i] for each in given], **bound.kwargs) for i, part in enumerate(parts)
    ]
    if not own:
        return joined(group, results, x._rows)
    found = _by_rows(x, results, own)
    return read_only(found) if trait_of(function).view else found


def _by_rows(x: GroupArray, results: list[Any], own: int) -> Any:
    """Return results, of which devices have parts of an axis, as arrays of the group."""
    first = results[0]
    if isinstance(first, (tuple, list)):
        found = [_by_rows(x, list(each), own) for each in zip(*results, strict=True)]
        return rebuilt(first, found)
    if not isinstance(first, Array):
        return first
    if len(first.shape) < len(x._shape):
        if own == 1:
            return GroupArray._of(x._group, results, tuple(part.shape[0] for part in results))
        own -= 1
    rows = x._rows if first.shape[0] == x._shape[0] else None
    wanted = rows or exchange.even_rows(first.shape[0], len(results))
    return GroupArray._of(x._group, exchange.shared_by_rows(x._group, results, own, wanted), wanted)
