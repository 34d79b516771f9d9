# SPDX-License-Identifier: Apache-2.0
"""Placement of operands: the part that each device needs, and its part of results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ... import _kp
from ..._kp import DeviceGroup, Tensor
from ..._wording import kind_of
from ..array import Array
from ..storage import Shape, broadcast
from . import exchange
from .array import GroupArray
from .exchange import Rows
from .traits import trait_of

Function = Callable[..., Any]


def group_of(values: Any) -> DeviceGroup | None:
    """Return the group of the first array of a group among arguments, or None."""
    for value in values:
        if type(value) is GroupArray:
            return value._group
        if isinstance(value, (list, tuple)) and (found := group_of(value)) is not None:
            return found
    return None


def aligned(value: Any, shape: Shape, rows: Rows | None, group: DeviceGroup) -> Sequence[Any]:
    """Return each device's part of an operand for its rows of a shape, or all of it."""
    devices = len(group)
    if isinstance(value, GroupArray):
        if value._group is not group:
            raise ValueError(
                "the arrays belong to different groups; bring one to the other's with "
                "kp.asarray(x.numpy(), group=group)"
            )
        if rows is None or len(value._shape) < len(shape) or value._shape[0] != shape[0]:
            return value._replicas()
        return value._sharded(rows)
    if isinstance(value, (Array, Tensor)):
        raise ValueError(
            f"{kind_of(value)} of one device and an array of a group were given; bring both "
            "to one place, with kp.asarray(x, group=group) or x.to_device(manager)"
        )
    if isinstance(value, (list, tuple)):
        value = np.asarray(value)
    if rows is None or not isinstance(value, np.ndarray) or value.ndim < len(shape):
        return (value,) * devices
    if value.shape[0] != shape[0]:
        return (value,) * devices
    starts = exchange.offsets(rows)
    return [value[start : start + count] for start, count in zip(starts, rows, strict=True)]


def rows_of(values: Sequence[Any], shape: Shape) -> Rows | None:
    """Return the rows that each device has of a shape, as the first operand has them."""
    for value in values:
        if isinstance(value, GroupArray) and value._rows is not None:
            if len(value._shape) == len(shape) and value._shape[0] == shape[0]:
                return value._rows
    return None


def common_shape(values: Sequence[Any]) -> Shape:
    """Return the shape that operands broadcast to."""
    shapes = [np.shape(value) for value in values if value is not None]
    return broadcast(*shapes) if shapes else ()


def mapped(function: Function, *values: Any) -> Any:
    """Call a function of elements on each device, with its rows of all operands."""
    group = group_of(values)
    assert group is not None
    shape = common_shape(values)
    rows = rows_of(values, shape)
    operands = [aligned(value, shape, rows, group) for value in values]
    return joined(group, [function(*each) for each in zip(*operands, strict=True)], rows)


_NUMBERS = (bool, int, float, complex)


def in_place_of_each(name: str, values: Sequence[Any]) -> Any:
    """Return a function of elements whose operands have the same rows, or are numbers; else None."""
    first: Any = None
    for value in values:
        if type(value) is GroupArray:
            if first is None:
                first = value
            elif (
                value._rows != first._rows
                or value._shape != first._shape
                or value._group is not first._group
            ):
                return None
        elif type(value) not in _NUMBERS:
            return None
    operands = [
        value._parts if type(value) is GroupArray else (value,) * len(first._parts)
        for value in values
    ]
    parts = [_kp._apply(name, list(each)) for each in zip(*operands, strict=True)]
    if parts[0] is None:  # NumPy computes it
        return None
    return GroupArray._of(first._group, parts, first._rows)


def assign_parts(target: Any, result: Any) -> None:
    """Copy all elements of another array to an array of a group."""
    from ..elementwise import assign_all

    if not isinstance(target, GroupArray):
        raise TypeError("out must be an array of the group: kp.zeros(shape, group=group)")
    if target._source is not None:
        from .indexing import write_back

        changed = target.copy()
        assign_parts(changed, result)
        write_back(target, changed)
        return
    values = aligned(result, target._shape, target._rows, target._group)
    for part, value in zip(target._parts, values, strict=True):
        assign_all(part, value)


def rebuilt(like: Any, parts: list[Any]) -> Any:
    """Return a tuple, named tuple or list of the same kind with other parts."""
    kind = type(like)
    return kind(*parts) if hasattr(kind, "_fields") else kind(parts)


def joined(group: DeviceGroup, results: Sequence[Any], rows: Rows | None) -> Any:
    """Return results of each device as arrays of the group; tuples as tuples of them."""
    if isinstance(results[0], Array):
        return GroupArray._of(group, results, rows)
    if isinstance(results[0], (tuple, list)):
        parts = [joined(group, each, rows) for each in zip(*results, strict=True)]
        return rebuilt(results[0], parts)
    return results[0]


def replicas(value: Any, group: DeviceGroup) -> Sequence[Any]:
    """Return an argument as each device takes it: an array of the group as all of it."""
    if isinstance(value, (list, tuple)) and group_of(value) is not None:
        return [
            type(value)(each) for each in zip(*[replicas(v, group) for v in value], strict=True)
        ]
    if isinstance(value, (GroupArray, Array, Tensor)):
        return aligned(value, (), None, group)
    return (value,) * len(group)


def everywhere(function: Function, *args: Any, **kwargs: Any) -> Any:
    """Call a function on every device with all elements; each keeps its rows of the results."""
    values = [*args, *kwargs.values()]
    group = group_of(values)
    assert group is not None
    given = [replicas(value, group) for value in values]
    count = len(args)
    results = []
    for each in zip(*given, strict=True):
        named = dict(zip(kwargs, each[count:], strict=True))
        results.append(function(*each[:count], **named))
    sharded = _has_sharded(values)
    result = _kept(joined(group, results, None), sharded)
    return read_only(result) if sharded and trait_of(function).view else result


def read_only(result: Any) -> Any:
    if isinstance(result, GroupArray):
        return result._read_only()
    if isinstance(result, (tuple, list)):
        return rebuilt(result, [read_only(each) for each in result])
    return result


def _has_sharded(values: Any) -> bool:
    for value in values:
        if isinstance(value, GroupArray) and value._rows is not None:
            return True
        if isinstance(value, (list, tuple)) and _has_sharded(value):
            return True
    return False


def _kept(result: Any, sharded: bool) -> Any:
    if isinstance(result, GroupArray):
        return result.shard() if sharded and result._shape else result
    if isinstance(result, (tuple, list)):
        return rebuilt(result, [_kept(each, sharded) for each in result])
    return result
