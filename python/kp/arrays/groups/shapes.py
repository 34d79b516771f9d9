# SPDX-License-Identifier: Apache-2.0
"""Shapes and orders of a group's arrays: rows stay in place, or move only if they must."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._axes import normalized_axes
from . import exchange
from .array import GroupArray
from .placing import Function, everywhere
from .traits import trait_of


def reshape(
    function: Function,
    x: GroupArray,
    /,
    *shape: Any,
    order: str | None = "C",
    copy: bool | None = None,
) -> Any:
    from ..shapes.manipulation import _resolved
    from ..shapes.manipulation import reshape as shaped

    if len(shape) == 2 and (shape[-1] is None or isinstance(shape[-1], str)):
        *shape, order = shape  # type: ignore[assignment]
    wanted = shape[0] if len(shape) == 1 else shape
    if order not in ("C", "A", "K", None):
        return everywhere(shaped, x, wanted, order, copy=copy)
    extents = _resolved(wanted, x.size)
    if x._rows is None:
        parts = [shaped(part, extents, copy=copy) for part in x._parts]
        return GroupArray._of(x._group, parts, None)
    if not extents or x.size == 0:
        return everywhere(shaped, x, extents)
    inner, row = x.size // extents[0], x.size // x._shape[0]
    source = x._parts
    rows = x._rows
    moved = any(count * row % inner for count in rows)
    if moved:
        if copy is False:
            raise ValueError("the rows must move between the devices, which copy=False forbids")
        even = exchange.even_rows(extents[0], len(rows))
        flat = [shaped(part, (-1,) if part.size else (0,)) for part in source]
        source = tuple(
            exchange.redistributed(x._group, flat, tuple(count * inner for count in even))
        )
        rows = even
    else:
        rows = tuple(count * row // inner for count in rows)
    parts = [
        shaped(part, (count, *extents[1:]), copy=copy)
        for part, count in zip(source, rows, strict=True)
    ]
    result = GroupArray._of(x._group, parts, rows)
    return result._read_only() if moved and trait_of(function).view else result


def flat(function: Function, x: GroupArray, /, order: str | None = "C") -> Any:
    flat = (-1,) if x.size else (0,)
    copied = function.__name__ == "flatten" or None
    return reshape(function, x, flat, order=order, copy=copied)


def permuted(function: Function, x: GroupArray, /, *args: Any, **kwargs: Any) -> Any:
    """Permute axes: on each device if the first one stays."""
    marks = np.broadcast_to(False, tuple(range(2, 2 + len(x._shape))))
    permute: dict[str, Function] = {
        "transpose_method": lambda y, *axes: _transposed(y, axes),
        "permute_dims": np.transpose,
    }
    permute["matrix_transpose"] = lambda y: np.swapaxes(y, -1, -2)
    rule = permute.get(function.__name__) or getattr(np, function.__name__)
    order = [extent - 2 for extent in rule(marks, *args, **kwargs).shape]
    if x._rows is not None and order and order[0] != 0:
        parts = exchange.shared_along(x._group, x._parts, x._rows, order[0])
        turned = [function(part, *args, **kwargs) for part in parts]
        rows = tuple(part.shape[0] for part in turned)
        return GroupArray._of(x._group, turned, rows)._read_only()
    parts = [function(part, *args, **kwargs) for part in x._parts]
    return GroupArray._of(x._group, parts, x._rows)


def _transposed(marks: Any, axes: tuple[Any, ...]) -> Any:
    return marks.transpose(*axes)


def expand_dims(function: Function, x: GroupArray, /, axis: Any = 0) -> Any:
    count = len(axis) if isinstance(axis, (tuple, list)) else 1
    if x._rows is not None and 0 in normalized_axes(axis, len(x._shape) + count):
        return GroupArray._of(x._group, [function(part, axis=axis) for part in x._replicas()], None)
    parts = [function(part, axis=axis) for part in x._parts]
    return GroupArray._of(x._group, parts, x._rows)


def broadcast_to(function: Function, x: GroupArray, /, shape: Any) -> Any:
    wanted = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    if x._rows is not None and len(wanted) == len(x._shape) and wanted[0] == x._shape[0]:
        parts = [
            function(part, (count, *wanted[1:]))
            for part, count in zip(x._parts, x._rows, strict=True)
        ]
        return GroupArray._of(x._group, parts, x._rows)
    return GroupArray._of(x._group, [function(part, wanted) for part in x._replicas()], None)


def like(function: Function, x: GroupArray, /, *args: Any, shape: Any = None, **kwargs: Any) -> Any:
    if shape is not None:
        from .. import creation

        kwargs["dtype"] = x._dtype if kwargs.get("dtype") is None else kwargs["dtype"]
        create = getattr(creation, function.__name__.removesuffix("_like"))
        return create(shape, *args, group=x._group, **kwargs)
    parts = [function(part, *args, **kwargs) for part in x._parts]
    return GroupArray._of(x._group, parts, x._rows)
