# SPDX-License-Identifier: Apache-2.0
"""Functions of arrays, called with arrays of a group.

Each is one of four kinds: it runs on each device with its own rows (`mapped`, `_along`), combines what
the devices computed (`reduced`, `_matmul`), has a rule of its own, or, if nothing else is known, gathers its
arrays and runs on every device (`everywhere`).
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from .._axes import normalized, normalized_axes
from .._kp import DeviceGroup, Tensor
from .._wording import inner_extents_differ, kind_of
from . import exchange
from .array import Array
from .exchange import Rows
from .functions import FUNCTIONS
from .group_array import GroupArray
from .keywords import in_places
from .storage import Shape, broadcast

Function = Callable[..., Any]
F = TypeVar("F", bound=Function)

#: Functions that are made of others that know groups, or refuse them.
_NATIVE = frozenset(FUNCTIONS) | frozenset(
    "sum prod mean min max any all var std count_nonzero vecdot vector_norm "
    "nansum nanprod nanmean nanvar nanstd nanmin nanmax nanargmin nanargmax "
    "nancumsum nancumprod allclose put array_equal array_equiv may_share_memory shares_memory".split()
)

#: Functions of elements that are not in FUNCTIONS.
_MAPPED = frozenset(
    "where clip round real imag astype isclose nan_to_num angle sinc around rint fix modf divmod "
    "isposinf isneginf isreal iscomplex".split()
)

#: Functions along an axis. Along the first one they need all rows.
_ALONG = frozenset(
    "sort argsort cumsum cumprod cumulative_sum cumulative_prod diff flip roll take repeat top_k "
    "squeeze fft ifft rfft irfft hfft ihfft argmin argmax median nanmedian ptp reduce scan".split()
)


#: Functions whose results are views of one array in NumPy. If the rows have to move between devices,
#: the results are copies, to which nobody may write in vain.
_VIEWS = frozenset(
    "transpose transpose_method permute_dims matrix_transpose swapaxes moveaxis rollaxis flip reshape ravel squeeze "
    "expand_dims broadcast_to broadcast_arrays diagonal unstack rot90 fliplr flipud atleast_1d "
    "atleast_2d atleast_3d array_split split hsplit vsplit dsplit".split()
)


def group_of(values: Any) -> DeviceGroup | None:
    """Return the group of the first array of a group among arguments, or None."""
    for value in values:
        if type(value) is GroupArray:
            return value._group
        if isinstance(value, (list, tuple)) and (found := group_of(value)) is not None:
            return found
    return None


def call(function: Function, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a function of arrays, some of which are those of a group."""
    name = function.__name__
    if name in _NATIVE:
        return function(*args, **kwargs)
    args, out = _without_out(function, args, kwargs)
    if name in _MAPPED:
        bound = inspect.signature(function).bind(*args, **kwargs)
        result = mapped(lambda *values: function(*values, **bound.kwargs), *bound.args)
    elif name in _RULES:
        result = _RULES[name](function, *args, **kwargs)
    elif name in _ALONG:
        result = _along(function, args, kwargs)
    else:
        result = everywhere(function, *args, **kwargs)
    from .elementwise import broadcast_into, into

    return (broadcast_into if name in _MAPPED else into)(out, result)


@functools.lru_cache(maxsize=None)
def _place_of_out(function: Function) -> int | None:
    """Return the place of the parameter `out`, or None if it has none."""
    for place, (name, each) in enumerate(inspect.signature(function).parameters.items()):
        if name == "out" and each.kind is each.POSITIONAL_OR_KEYWORD:
            return place
    return None


def _without_out(
    function: Function, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], Any]:
    """Take the argument `out` of a call away. Returns the other arguments by position, and it."""
    place = _place_of_out(function)
    if place is None or place >= len(args):
        return args, kwargs.pop("out", None)
    rest = args[place + 1 :]
    return (*args[:place], *((None, *rest) if rest else ())), args[place]


_LISTS = (list, tuple)


def takes_groups(function: F) -> F:
    """Return a function of arrays in its public form.

    It also takes arrays of groups, NumPy's names, and tensors if in_kind() marks it.
    """
    of_tensors = getattr(function, "__kp_tensors__", None)

    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        try:
            if of_tensors is not None:
                if of_tensors.decides(args):
                    return of_tensors(args, kwargs)
                if of_tensors.strict:
                    of_tensors.require(args)
            for value in args:
                kind = type(value)
                if kind is GroupArray or (kind in _LISTS and group_of(value) is not None):
                    return call(function, args, kwargs)
            for value in kwargs.values():
                if type(value) is GroupArray:
                    return call(function, args, kwargs)
            return function(*args, **kwargs)
        except TypeError:
            args, kwargs = in_places(function, args, kwargs)
        return called(*args, **kwargs)

    made: Any = called
    made.__kp_varies__ = "Array"  # for type stubs: the class in whose place it takes others
    typed: F = made
    return typed


# --- on each device -------------------------------------------------------------------------------


def aligned(value: Any, shape: Shape, rows: Rows | None, group: DeviceGroup) -> Sequence[Any]:
    """Return what each device needs of an operand to compute its rows of a shape, or all of it."""
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


def assign_parts(target: Any, result: Any) -> None:
    """Set all elements of an array of a group to those of another."""
    from .elementwise import assign_all

    if not isinstance(target, GroupArray):
        raise TypeError("out must be an array of the group: kp.zeros(shape, group=group)")
    if target._source is not None:
        from .group_indexing import write_back

        changed = target.copy()
        assign_parts(changed, result)
        write_back(target, changed)
        return
    values = aligned(result, target._shape, target._rows, target._group)
    for part, value in zip(target._parts, values, strict=True):
        assign_all(part, value)


def joined(group: DeviceGroup, results: Sequence[Any], rows: Rows | None) -> Any:
    """Return results of each device as arrays of the group; tuples as tuples of them."""
    if isinstance(results[0], Array):
        return GroupArray._of(group, results, rows)
    if isinstance(results[0], (tuple, list)):
        parts = [joined(group, each, rows) for each in zip(*results, strict=True)]
        kind = type(results[0])
        return kind(*parts) if hasattr(kind, "_fields") else kind(parts)
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
    return _read_only(result) if sharded and getattr(function, "__name__", "") in _VIEWS else result


def _read_only(result: Any) -> Any:
    if isinstance(result, GroupArray):
        return result._read_only()
    if isinstance(result, (tuple, list)):
        return type(result)(_read_only(each) for each in result)
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
    if isinstance(result, tuple) and hasattr(result, "_fields"):
        return type(result)(*[_kept(each, sharded) for each in result])
    if isinstance(result, (tuple, list)):
        return type(result)(_kept(each, sharded) for each in result)
    return result


def _along(function: Function, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a function along an axis: on each device with its rows, unless the axis is the first."""
    bound = inspect.signature(function).bind(*args, **kwargs)
    bound.apply_defaults()
    x, *others = bound.args
    axis = bound.arguments.get("axis")
    if not isinstance(x, GroupArray) or x._rows is None or axis is None:
        return everywhere(function, *args, **kwargs)
    if 0 in normalized_axes(axis, len(x._shape)):
        return everywhere(function, *args, **kwargs)
    group = x._group
    given = [replicas(value, group) for value in others]
    results = [
        function(part, *[each[i] for each in given], **bound.kwargs)
        for i, part in enumerate(x._parts)
    ]
    return joined(group, results, x._rows)


# --- reductions -----------------------------------------------------------------------------------


def combined(group: DeviceGroup, partial: Sequence[Array], function: Function) -> GroupArray:
    """Return function(x) of what the devices have, stacked along a new first axis, on each."""
    from .manipulation import expand_dims

    rows = tuple(1 for _ in partial)
    stacked = [expand_dims(each, axis=0) for each in partial]
    everything = exchange.gathered(group, stacked, rows)
    return GroupArray._of(group, [function(each) for each in everything], None)


def reduced(x: GroupArray, axes: Sequence[int], keepdims: bool, function: Function) -> GroupArray:
    """Reduce on each device, then across the devices.

    `function(part, axes, keepdims, first)` reduces; `first` says whether its result is reduced again.
    """
    group = x._group
    if x._rows is None or 0 not in axes:
        parts = [function(part, tuple(axes), keepdims, False) for part in x._parts]
        return GroupArray._of(group, parts, x._rows)
    some = [i for i, count in enumerate(x._rows) if count]
    if not some:
        parts = [function(part, tuple(axes), keepdims, False) for part in x._parts]
        return GroupArray._of(group, parts, None)
    partial = [
        function(part, tuple(axes), True, True) if count else None
        for part, count in zip(x._parts, x._rows, strict=True)
    ]
    stacked = GroupArray._of_some(group, partial)
    parts = []
    for whole in stacked._replicas():
        result = function(whole, (0,), True, False)
        if not keepdims:
            shape = tuple(e for axis, e in enumerate(x._shape) if axis not in axes)
            result = result.reshape(shape)
        parts.append(result)
    return GroupArray._of(group, parts, None)


# --- shapes ---------------------------------------------------------------------------------------


def _reshape(
    function: Function,
    x: GroupArray,
    /,
    *shape: Any,
    order: str | None = "C",
    copy: bool | None = None,
) -> Any:
    from .manipulation import _resolved, reshape

    if len(shape) == 2 and (shape[-1] is None or isinstance(shape[-1], str)):
        *shape, order = shape  # type: ignore[assignment]
    wanted = shape[0] if len(shape) == 1 else shape
    if order not in ("C", "A", "K", None):
        return everywhere(reshape, x, wanted, order, copy=copy)
    extents = _resolved(wanted, x.size)
    if x._rows is None:
        parts = [reshape(part, extents, copy=copy) for part in x._parts]
        return GroupArray._of(x._group, parts, None)
    if not extents or x.size == 0:
        return everywhere(reshape, x, extents)
    inner, row = x.size // extents[0], x.size // x._shape[0]
    source = x._parts
    rows = x._rows
    moved = any(count * row % inner for count in rows)
    if moved:
        if copy is False:
            raise ValueError("the rows must move between the devices, which copy=False forbids")
        even = exchange.even_rows(extents[0], len(rows))
        flat = [reshape(part, (-1,) if part.size else (0,)) for part in source]
        counts = tuple(count * row for count in rows)
        source = tuple(
            exchange.redistributed(x._group, flat, counts, tuple(count * inner for count in even))
        )
        rows = even
    else:
        rows = tuple(count * row // inner for count in rows)
    parts = [
        reshape(part, (count, *extents[1:]), copy=copy)
        for part, count in zip(source, rows, strict=True)
    ]
    result = GroupArray._of(x._group, parts, rows)
    return result._read_only() if moved and function.__name__ in _VIEWS else result


def _flat(function: Function, x: GroupArray, /, order: str | None = "C") -> Any:
    flat = (-1,) if x.size else (0,)
    copied = function.__name__ == "flatten" or None
    return _reshape(function, x, flat, order=order, copy=copied)


def _permuted(function: Function, x: GroupArray, /, *args: Any, **kwargs: Any) -> Any:
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
        return everywhere(function, x, *args, **kwargs)
    parts = [function(part, *args, **kwargs) for part in x._parts]
    return GroupArray._of(x._group, parts, x._rows)


def _transposed(marks: Any, axes: tuple[Any, ...]) -> Any:
    return marks.transpose(*axes)


def _expand_dims(function: Function, x: GroupArray, /, axis: Any = 0) -> Any:
    count = len(axis) if isinstance(axis, (tuple, list)) else 1
    if x._rows is not None and 0 in normalized_axes(axis, len(x._shape) + count):
        return GroupArray._of(x._group, [function(part, axis=axis) for part in x._replicas()], None)
    parts = [function(part, axis=axis) for part in x._parts]
    return GroupArray._of(x._group, parts, x._rows)


def _broadcast_to(function: Function, x: GroupArray, /, shape: Any) -> Any:
    wanted = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    if x._rows is not None and len(wanted) == len(x._shape) and wanted[0] == x._shape[0]:
        parts = [
            function(part, (count, *wanted[1:]))
            for part, count in zip(x._parts, x._rows, strict=True)
        ]
        return GroupArray._of(x._group, parts, x._rows)
    return GroupArray._of(x._group, [function(part, wanted) for part in x._replicas()], None)


def _concatenate(
    function: Function, arrays: Sequence[Any], /, axis: int | None = 0, **options: Any
) -> Any:
    """Join arrays: on each device if not along the first axis."""
    first = next(each for each in arrays if isinstance(each, GroupArray))
    if axis is None or not first._shape or normalized(axis, len(first._shape)) == 0:
        return everywhere(function, arrays, axis=axis, **options)
    rows = rows_of(arrays, first._shape)
    group = first._group
    parts = [aligned(each, first._shape, rows, group) for each in arrays]
    results = [function(list(each), axis=axis, **options) for each in zip(*parts, strict=True)]
    return joined(group, results, rows)


def _like(
    function: Function, x: GroupArray, /, *args: Any, shape: Any = None, **kwargs: Any
) -> Any:
    if shape is not None:
        from . import creation

        kwargs["dtype"] = x._dtype if kwargs.get("dtype") is None else kwargs["dtype"]
        create = getattr(creation, function.__name__.removesuffix("_like"))
        return create(shape, *args, group=x._group, **kwargs)
    parts = [function(part, *args, **kwargs) for part in x._parts]
    return GroupArray._of(x._group, parts, x._rows)


# --- products of matrices -------------------------------------------------------------------------


def _matmul(function: Function, a: Any, b: Any, /, **options: Any) -> Any:
    """Multiply: rows of a stay where they are; if b has rows, or both are vectors, sums are combined."""
    if options:  # of tensors: it refuses them
        return function(a, b, **options)
    group = group_of((a, b))
    assert group is not None
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
    from . import reductions

    if partial[0].dtype.kind == "b":
        return combined(group, partial, lambda x: reductions.any(x, axis=0))
    dtype = partial[0].dtype
    return combined(group, partial, lambda x: reductions.sum(x, axis=0, dtype=dtype))


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


_RULES: dict[str, Function] = {
    "reshape": _reshape,
    "reshape_method": _reshape,
    "flatten": _flat,
    "ravel": _flat,
    "transpose": _permuted,
    "transpose_method": _permuted,
    "permute_dims": _permuted,
    "matrix_transpose": _permuted,
    "swapaxes": _permuted,
    "moveaxis": _permuted,
    "expand_dims": _expand_dims,
    "broadcast_to": _broadcast_to,
    "concatenate": _concatenate,
    "zeros_like": _like,
    "ones_like": _like,
    "full_like": _like,
    "empty_like": _like,
    "matmul": _matmul,
}
