# SPDX-License-Identifier: Apache-2.0
"""The creation functions with `group`: arrays of a group."""

from __future__ import annotations

import functools
import inspect

from collections.abc import Callable
from typing import Any, ParamSpec, Protocol, overload

import numpy as np

from ..._kp import DeviceGroup
from . import exchange
from ..array import Array
from .array import GroupArray

_P = ParamSpec("_P")


class Creation(Protocol[_P]):
    """A function that creates an array of a device, or with `group` one of a group."""

    __name__: str

    @overload
    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> Array: ...
    @overload
    def __call__(self, *args: Any, group: DeviceGroup, **kwargs: Any) -> GroupArray: ...


def on_groups_too(function: Callable[_P, Array]) -> Creation[_P]:
    """Return a creation function that takes `group`, or a group as `device`."""

    @functools.wraps(function)
    def created(*args: Any, group: DeviceGroup | None = None, **kwargs: Any) -> Any:
        device = kwargs.get("device")
        if group is None and not isinstance(device, DeviceGroup):
            if args and isinstance(args[0], GroupArray):
                return _of_array(created, args[0], kwargs)
            return function(*args, **kwargs)
        if group is not None and device is not None and device is not group:
            raise ValueError("group and device were given; a group has several devices")
        home = group if group is not None else device
        if not isinstance(home, DeviceGroup):
            raise TypeError(f"group must be a kp.DeviceGroup, not {type(home).__name__}")
        kwargs.pop("device", None)
        return _RULES[function.__name__](function, home, *args, **kwargs)

    signature = inspect.signature(function)
    extra = inspect.Parameter(
        "group", inspect.Parameter.KEYWORD_ONLY, default=None, annotation="DeviceGroup | None"
    )
    setattr(  # noqa: B010, mypy does not know it
        created,
        "__signature__",
        signature.replace(parameters=[*signature.parameters.values(), extra]),
    )
    created.__kp_varies__ = "group"  # type: ignore[attr-defined]  # for type stubs
    return created  # type: ignore[return-value]


def _of_array(created: Any, x: GroupArray, kwargs: dict[str, Any]) -> Any:
    """Create an array of one of a group: there, or on the device that is given."""
    device = kwargs.pop("device", None)
    if device is None:
        return created(x, group=x._group, **kwargs)
    return created(x.to_device(device), device=device, **kwargs)


def _asarray(
    function: Any,
    group: DeviceGroup,
    obj: Any,
    /,
    dtype: Any = None,
    *,
    copy: bool | None = None,
) -> GroupArray:
    if isinstance(obj, GroupArray):
        if obj._group is not group:
            if copy is False:
                raise ValueError("the array is of another group, which copy=False forbids")
            obj = obj.numpy()
        else:
            parts = [function(part, dtype=dtype, copy=copy) for part in obj._parts]
            return GroupArray._of(group, parts, obj._rows)
    if isinstance(obj, Array):
        if copy is False:
            raise ValueError("the array is on one device, which copy=False forbids")
        obj = obj.numpy()
    values = obj if isinstance(obj, np.ndarray) else np.asarray(obj)
    if not values.ndim:
        parts = [function(obj, dtype=dtype, device=manager, copy=copy) for manager in group]
        return GroupArray._of(group, parts, None)
    if not isinstance(obj, np.ndarray):  # numbers are checked like numbers in lists
        dtype = function(obj, dtype=dtype, device=group[0])._dtype
    rows = exchange.even_rows(values.shape[0], len(group))
    starts = exchange.offsets(rows)
    parts = [
        function(values[start : start + count], dtype=dtype, device=manager, copy=copy)
        for manager, start, count in zip(group, starts, rows, strict=True)
    ]
    return GroupArray._of(group, parts, rows)


def _filled(
    function: Any, group: DeviceGroup, shape: Any, /, *args: Any, **kwargs: Any
) -> GroupArray:
    from ..creation import extents

    wanted = extents(shape)
    args = tuple(each.numpy() if isinstance(each, (Array, GroupArray)) else each for each in args)
    if not wanted:
        parts = [function(wanted, *args, device=manager, **kwargs) for manager in group]
        return GroupArray._of(group, parts, None)
    rows = exchange.even_rows(wanted[0], len(group))
    parts = [
        function((count, *wanted[1:]), *args, device=manager, **kwargs)
        for manager, count in zip(group, rows, strict=True)
    ]
    return GroupArray._of(group, parts, rows)


def _arange(
    function: Any,
    group: DeviceGroup,
    start: Any,
    /,
    stop: Any = None,
    step: Any = 1,
    dtype: Any = None,
) -> GroupArray:
    from ..creation import all_integers

    if not all_integers(*[each for each in (start, stop, step) if each is not None]):
        whole = function(start, stop, step, dtype=dtype, device=group[0])
        return _asarray(_creation("asarray"), group, whole.numpy())
    if stop is None:
        start, stop = 0, start
    count = len(range(start, stop, step)) if step else 0
    rows = exchange.even_rows(count, len(group))
    parts = []
    for manager, first, own in zip(group, exchange.offsets(rows), rows, strict=True):
        begin = start + first * step
        parts.append(function(begin, begin + own * step, step, dtype=dtype, device=manager))
    return GroupArray._of(group, parts, rows)


def _linspace(function: Any, group: DeviceGroup, *args: Any, **kwargs: Any) -> GroupArray:
    whole = function(*args, device=group[0], **kwargs)
    if not isinstance(whole, tuple):
        return _asarray(_creation("asarray"), group, whole.numpy())
    points: Any = (_asarray(_creation("asarray"), group, whole[0].numpy()), whole[1])  # retstep
    made: GroupArray = points
    return made


def _creation(name: str) -> Any:
    from .. import creation

    return getattr(creation, name).__wrapped__


_RULES: dict[str, Callable[..., GroupArray]] = {
    "array": _asarray,
    "asarray": _asarray,
    "zeros": _filled,
    "ones": _filled,
    "full": _filled,
    "empty": _filled,
    "arange": _arange,
    "linspace": _linspace,
}
