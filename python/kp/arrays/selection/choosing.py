# SPDX-License-Identifier: Apache-2.0
"""Elements chosen from several arrays by conditions, and replaced in place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, overload

import numpy as np

from ... import _kp
from ..._axes import normalized
from ..._kp import Tensor
from ..._wording import counted, kind_of
from ..array import Array, converted
from ..creation import arange
from ..derived import clip
from ..elementwise import (
    apply,
    as_array,
    assign_all,
    broadcast,
    fitting,
    into,
    manager_of,
    result_dtype,
    where as chosen,
)
from ..groups.functions import takes_groups
from ..groups.traits import by_rows
from ..operands import in_tensors
from ..reducing import reductions, scans
from ..shapes.indexing import put_where
from ..shapes.manipulation import broadcast_to, given, ravel, reshape
from ..storage import contiguous_strides
from ..tensors import in_kind, words
from .searching import nonzero, take, take_within

__all__ = [
    "choose",
    "copyto",
    "extract",
    "fill_diagonal",
    "nan_to_num",
    "piecewise",
    "place",
    "put",
    "put_along_axis",
    "putmask",
    "select",
    "where",
]

_MISSING: Any = object()


@overload
def where(condition: Any, /) -> tuple[Array, ...]: ...
@overload
def where(condition: Any, x1: Any, x2: Any, /) -> Array: ...
@by_rows("made")
def where(condition: Any, x1: Any = _MISSING, x2: Any = _MISSING, /) -> Any:
    """Return elements of x1 where a condition is true, and of x2 elsewhere.

    With a condition alone, return nonzero(condition).
    """
    if x1 is _MISSING:
        return takes_groups(nonzero)(condition)
    if x2 is _MISSING:
        raise TypeError("where takes a condition alone, or a condition and two arrays")
    return takes_groups(chosen)(condition, x1, x2)


setattr(where, "__kp_varies__", "Array")  # noqa: B010, see takes_groups()


@by_rows("each")
def nan_to_num(
    x: Any, copy: bool = True, nan: float = 0.0, posinf: Any = None, neginf: Any = None
) -> Array:
    """Return the elements with numbers in place of NaN and infinities: 0, and the largest of the dtype.

    Without `copy`, the elements of `x` itself are replaced.
    """
    array = given(x)
    dtype = array._dtype
    if dtype.kind == "c":
        host = np.nan_to_num(array.numpy(), nan=nan, posinf=posinf, neginf=neginf)
        result = as_array(host, array._manager)
    elif dtype.kind == "f":
        limits = np.finfo(dtype)
        highest = dtype.type(limits.max if posinf is None else posinf)
        lowest = dtype.type(limits.min if neginf is None else neginf)
        infinite = apply("isinf", array)
        result = chosen(apply("isnan", array), dtype.type(nan), array)
        result = chosen(infinite, chosen(apply("signbit", array), lowest, highest), result)
    else:
        result = array.copy() if copy else array
    return result if copy or result is array else assign_all(array, result)


def select(condlist: Sequence[Any], choicelist: Sequence[Any], default: Any = 0) -> Array:
    """Return elements of the first choice whose condition is true, and `default` elsewhere."""
    if len(condlist) != len(choicelist) or not condlist:
        raise ValueError(
            f"select takes a choice per condition, but there are {len(condlist)} conditions and "
            f"{len(choicelist)} choices"
        )
    manager = manager_of(*condlist, *choicelist, default)
    for each in condlist:
        if (getattr(each, "dtype", None) or np.asarray(each).dtype) != np.bool_:
            raise TypeError("conditions are masks (bool)")
    dtype = result_dtype(*[_kind(each) for each in (*choicelist, default)], manager=manager)
    shapes = [np.shape(each) for each in (*condlist, *choicelist, default)]

    def part(value: Any) -> Any:
        """Return an array or a number, for a kernel."""
        if isinstance(value, (bool, int, float, complex, np.number)):
            return dtype.type(value)
        return converted(as_array(value, manager), dtype)

    result = part(default)
    for condition, choice in zip(reversed(condlist), reversed(choicelist), strict=True):
        result = chosen(as_array(condition, manager), part(choice), result)
    shape = broadcast(*shapes)
    return result if result.shape == shape else broadcast_to(result, shape)


def _kind(x: Any) -> Any:
    """Return an argument for result_dtype: a dtype, or a Python number."""
    if isinstance(x, (bool, int, float, complex)) and not isinstance(x, np.generic):
        return x
    return getattr(x, "dtype", None) or np.asarray(x).dtype


def choose(a: Any, choices: Sequence[Any], out: Array | None = None, mode: str = "raise") -> Array:
    """Return for each element i of a the element of ``choices[i]`` at its place.

    `mode` handles indices out of range: "raise" an error, which waits for the device, "wrap"
    around, or "clip" to the nearest one.
    """
    index = given(a)
    if index._dtype.kind not in "biu":
        raise TypeError(f"choose takes integers, not {index._dtype}")
    if index._dtype.kind == "b":
        index = converted(index, np.dtype(np.uint8))
    options = [as_array(each, index._manager) for each in choices]
    last = len(options) - 1
    if last < 0:
        raise ValueError("choose needs at least one choice")
    if mode == "raise":
        if index.size and not (
            0 <= reductions.min(index).item() <= reductions.max(index).item() <= last
        ):
            raise ValueError(
                f"choose takes indices from 0 to {last}; mode='clip' or 'wrap' allows others"
            )
    elif mode == "wrap":
        index = apply("remainder", index, last + 1)
    elif mode == "clip":
        index = apply("minimum", apply("maximum", index, 0), last)
    else:
        raise ValueError(f"mode is 'raise', 'wrap' or 'clip', not {mode!r}")
    dtype = result_dtype(*[each._dtype for each in options], manager=index._manager)
    shape = broadcast(index.shape, *[each.shape for each in options])
    result = broadcast_to(converted(options[0], dtype), shape)
    for number, each in enumerate(options[1:], 1):
        result = chosen(apply("equal", index, number), converted(each, dtype), result)
    return into(out, result)


def piecewise(
    x: Any, condlist: Any, funclist: Sequence[Any | Callable[..., Any]], *args: Any, **kw: Any
) -> Array:
    """Return a function of x that is different where each condition is true.

    `funclist` has a function of arrays or a number for each condition, and optionally a default,
    which is 0 otherwise. `args` and `kw` are passed on. Functions see all elements.
    """
    array = given(x)
    masks = list(condlist) if isinstance(condlist, (list, tuple)) else [condlist]
    if masks and np.ndim(masks[0]) == 0 and array.ndim:
        masks = [condlist]
    if len(funclist) not in (len(masks), len(masks) + 1):
        raise ValueError(
            f"piecewise takes a function per condition and perhaps one more, but there are "
            f"{len(masks)} conditions and {len(funclist)} functions"
        )
    rest: Any = funclist[-1] if len(funclist) > len(masks) else 0
    result = _values(rest, array, args, kw)
    for mask, function in zip(masks, funclist, strict=False):
        result = chosen(mask, _values(function, array, args, kw), result)
    return result


def _values(function: Any, x: Array, args: Any, kw: Any) -> Array:
    found = function(x, *args, **kw) if callable(function) else function
    return broadcast_to(fitting(found, x), x.shape)


def extract(condition: Any, arr: Any) -> Array:
    """Return the elements that a mask chooses, flat. Waits for the device."""
    array = given(arr)
    mask = ravel(as_array(condition, array._manager))
    return ravel(array)[converted(mask, np.dtype(np.bool_))]


# --- in place -------------------------------------------------------------------------------------


def copyto(dst: Array, src: Any, casting: str = "same_kind", where: Any = True) -> None:
    """Copy the elements of another array where a mask is true."""
    if not isinstance(dst, Array):
        raise TypeError(f"copyto writes into a kp.Array, not {kind_of(dst)}")
    python = isinstance(src, int) or (isinstance(src, float) and dst._dtype.kind in "fc")
    source = fitting(src, dst) if python else as_array(src, dst._manager)
    if not python and not np.can_cast(source._dtype, dst._dtype, casting):  # type: ignore[arg-type]
        raise TypeError(
            f"elements of {source._dtype} do not fit an array of {dst._dtype} with casting={casting!r}"
        )
    if where is not True:
        _replace(dst, where, source)
    else:
        dst[...] = source


def _replace(array: Array, mask: Any, values: Any) -> None:
    """Set the elements at which a mask, which broadcasts, is true to the elements of values."""
    flags = converted(as_array(mask, array._manager), np.dtype(np.bool_))
    if broadcast(flags._shape, array._shape) != array._shape:
        raise ValueError(f"a mask of shape {flags.shape} does not broadcast to {array.shape}")
    put_where(array, flags, converted(values, array._dtype))


def putmask(a: Array, mask: Any, values: Any) -> None:
    """Set the elements that a mask selects to the elements of `values` at the same positions;
    `values` repeats."""
    _require(a, "putmask")
    flags = as_array(mask, a._manager)
    if flags.shape != a.shape:
        raise ValueError(f"the mask has the shape {flags.shape}, and the array {a.shape}")
    row = ravel(fitting(values, a))
    if row.size and a.size:
        if row.size not in (1, a.size):
            row = take_within(row, apply("remainder", arange(a.size, device=a._manager), row.size))
        _replace(a, flags, row if row.size == 1 else reshape(row, a.shape))


def place(arr: Array, mask: Any, vals: Any) -> None:
    """Set the elements that a mask selects to `vals` in order; `vals` repeats."""
    _require(arr, "place")
    flags = converted(as_array(mask, arr._manager), np.dtype(np.bool_))
    if flags.shape != arr.shape:
        raise ValueError(f"the mask has the shape {flags.shape}, and the array {arr.shape}")
    row = ravel(fitting(vals, arr))
    if row.size:
        order = reshape(scans.cumsum(ravel(flags), dtype=np.int32) - 1, arr.shape)
        arr[...] = chosen(flags, take(row, order, mode="wrap"), arr)
    elif reductions.any(flags):
        raise ValueError("place needs at least one value")


def _of_tensor(x: Array, count: int, v: Any) -> Any:
    """Return the values that put() writes into a tensor, with stricter rules: one per index, or a
    single one."""
    given_values = v if isinstance(v, Array) else np.asarray(v)
    if given_values.dtype != x._dtype and not np.can_cast(
        given_values.dtype, x._dtype, "same_kind"
    ):
        raise TypeError(
            f"kp.put cannot put values of dtype '{given_values.dtype}' into a tensor of "
            f"'{x._dtype}'; convert them before"
        )
    size = int(given_values.size)
    if size not in (1, count):
        raise ValueError(
            f"kp.put takes a value per index, but was given {counted(size, 'value')} for "
            f"{counted(count, 'index')}"
        )
    if isinstance(v, Array):
        return v
    return as_array(given_values.astype(x._dtype), x._manager)


def _put_words(x: Tensor, ind: Any, v: Any, mode: str = "raise") -> None:
    """Put elements that arrays cannot hold, as structs, into a tensor."""
    values = v if isinstance(v, Tensor) else x.manager.tensor_t(np.asarray(v, x.dtype))
    if values.dtype != x.dtype:
        raise TypeError(f"kp.put cannot put values of {values.dtype} into a tensor of {x.dtype}")
    places = ravel(as_array(ind, x.manager))
    if values.size() not in (1, places.size):
        raise ValueError(
            f"kp.put takes a value per index, but was given {counted(values.size(), 'value')} for "
            f"{counted(places.size, 'index')}"
        )
    if places.size:
        words(x)[places] = words(values)
    x.manager.default_queue.finish()


@in_kind(moves=_put_words, arrays_only=("mode",), strict=False)
@by_rows("made")
def put(x: Any, /, ind: Any, v: Any, mode: str = "raise") -> None:
    """Set the elements with given indices among all in C order.

    Negative indices count from the end; others out of range raise IndexError; for arrays, `mode`
    "wrap" wraps them around, and "clip" takes the nearest index. There is a value per index, or one
    for all; for arrays, fewer values repeat. If indices repeat, any of the values may win.
    """
    _require(x, "put")
    if mode not in ("raise", "wrap", "clip"):
        raise ValueError(f"mode is 'raise', 'wrap' or 'clip', not {mode!r}")
    places = ravel(as_array(ind, x._manager))
    if in_tensors():
        v = _of_tensor(x, places.size, v)
    row = ravel(fitting(v, x))
    if not places.size or not row.size:
        return
    if places.dtype.kind not in "iu":
        raise TypeError(f"put takes indices of an integer type, not of {places.dtype}")
    if mode == "clip":
        places = clip(places, 0, x.size - 1)
    elif mode == "wrap":
        places = apply("remainder", places, x.size)
    if row.size not in (1, places.size):
        row = row[apply("remainder", arange(places.size, device=x._manager), row.size)]
    view = x.evaluate()
    if view._strides == contiguous_strides(x.shape):
        view._strided(view._offset, (x.size,), (1,))[places] = row
        return
    if mode == "raise":
        places = take(arange(x.size, device=x._manager), places)
    key: list[Array] = []
    for extent in reversed(x.shape):
        key.insert(0, apply("remainder", places, extent))
        places = apply("floor_divide", places, extent)
    _kp._together(key)
    x[tuple(key)] = row


def put_along_axis(arr: Array, indices: Any, values: Any, axis: int | None) -> None:
    """Set the elements at indices along an axis, an index for each place of the other axes."""
    _require(arr, "put_along_axis")
    index = as_array(indices, arr._manager)
    if axis is None:
        put(arr, index, values)
        return
    if index._dtype.kind not in "iu" or index.ndim != arr.ndim:
        raise ValueError(f"indices are integers with {counted(arr.ndim, 'axis')}")
    at = normalized(axis, arr.ndim)
    key: list[Any] = []
    for each, extent in enumerate(arr.shape):
        shape = (1,) * each + (-1,) + (1,) * (arr.ndim - 1 - each)
        key.append(index if each == at else np.arange(extent).reshape(shape))
    arr[tuple(key)] = values


def _require(x: Any, name: str) -> None:
    if not isinstance(x, Array):
        raise TypeError(f"{name} writes into a kp.Array, not {kind_of(x)}")


def fill_diagonal(a: Array, val: Any, wrap: bool = False) -> None:
    """Set the elements on the main diagonal; with `wrap`, continue it below in tall matrices."""
    _require(a, "fill_diagonal")
    if a.ndim < 2:
        raise ValueError(f"an array with a diagonal has at least 2 axes, not {a.ndim}")
    if a.ndim > 2 and len(set(a.shape)) > 1:
        raise ValueError(f"an array of more than 2 axes has equal ones here, not {a.shape}")
    is_number = isinstance(val, (bool, int, float, complex))
    values = np.asarray([val]) if is_number else fitting(val, a).numpy().ravel()
    if wrap and a.ndim == 2 and a.shape[0] > a.shape[1]:
        rows = np.arange(0, a.size, a.shape[1] + 1)
        a[np.unravel_index(rows, a.shape)] = np.resize(values, rows.size)
        return
    view = a.evaluate()
    count = sorted(a.shape)[0]
    diagonal = view._strided(view._offset, (count,), (sum(view._strides),))
    if is_number:
        diagonal[...] = val
    else:
        diagonal[...] = values[0] if values.size == 1 else np.resize(values, count)
