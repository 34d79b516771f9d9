# SPDX-License-Identifier: Apache-2.0
"""Running sums and products along the rows of a group's arrays.

Each device scans its own rows. The totals of the rows before them are added when the results are used, in the
kernels that use them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._axes import normalized
from ..array import Array
from .along import along
from .array import GroupArray
from .placing import Function, everywhere

_COMBINED: dict[str, Any] = {"cumsum": (np.add, "add"), "cumprod": (np.multiply, "multiply")}


def cumulated(
    function: Function, x: Any, /, axis: Any = None, dtype: Any = None, out: None = None
) -> Any:
    """Return running sums or products along an axis, or of all elements in C order."""
    if not isinstance(x, GroupArray) or x._rows is None or not _is_real(x, dtype):
        return everywhere(function, x, axis, dtype)
    if axis is not None and normalized(axis, len(x._shape)) != 0:
        return GroupArray._of(x._group, [function(part, axis, dtype) for part in x._parts], x._rows)
    if axis is None and len(x._shape) != 1:
        rows = tuple(part.size for part in x._parts)
        flat = [part.reshape((part.size,)) for part in x._parts]
        x = GroupArray._of(x._group, flat, rows)
    parts = [function(part, 0, dtype) for part in x._parts]
    for part in parts:
        part.evaluate()
    return GroupArray._of(x._group, _continued(function.__name__, parts), x._rows)


def _is_real(x: GroupArray, dtype: Any) -> bool:
    return x._dtype.kind != "c" and (dtype is None or np.dtype(dtype).kind != "c")


def _continued(name: str, parts: list[Array]) -> list[Array]:
    """Return scans that continue where the preceding devices end."""
    from ..elementwise import apply

    combine, function = _COMBINED[name]
    last = max([device for device, part in enumerate(parts) if part.size], default=0)
    ends = [part[-1:].evaluate() if part.size else None for part in parts[:last]]
    carried: Any = None
    made = []
    for device, part in enumerate(parts):
        if carried is None or not part.size:
            made.append(part)
        else:  # a number becomes a part of the kernel
            value = carried.reshape(())[()] if carried.size == 1 else carried
            made.append(apply(function, part, value))
        end = ends[device] if device < len(ends) else None
        if end is not None:
            with np.errstate(all="ignore"):
                own = end.numpy()
                carried = own if carried is None else combine(carried, own).astype(own.dtype)
    return made


def cumulative(
    function: Function,
    x: Any,
    /,
    *,
    axis: int | None = None,
    dtype: Any = None,
    include_initial: bool = False,
) -> Any:
    """Return running sums or products, as in the array API."""
    from ..reducing import scans
    from .functions import takes_groups

    if not isinstance(x, GroupArray) or not x._shape or (axis is None and len(x._shape) != 1):
        return everywhere(function, x, axis=axis, dtype=dtype, include_initial=include_initial)
    place = 0 if axis is None else normalized(axis, len(x._shape))
    of_sums = function.__name__ == "cumulative_sum"
    running = takes_groups(scans.cumsum if of_sums else scans.cumprod)
    result = running(x, place, dtype)
    if not include_initial:
        return result
    from ..creation import full
    from ..shapes.joining import concatenate

    shape = tuple(1 if each == place else extent for each, extent in enumerate(x._shape))
    first = full(shape, 0 if of_sums else 1, dtype=result.dtype, group=x._group)
    return takes_groups(concatenate)([first, result], axis=place)


def differences(
    function: Function, x: Any, /, n: int = 1, axis: int = -1, *more: Any, **options: Any
) -> Any:
    """Return differences: of slices, unless others are put before or after them."""
    if more or [each for each in options.values() if each is not None]:
        return along(function, x, n, axis, *more, **options)
    return function(x, n, axis)
