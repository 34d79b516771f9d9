# SPDX-License-Identifier: Apache-2.0
"""Functions of tensors and of arrays with the same names: a tensor gives a tensor, at once.

Lists, numbers and NumPy arrays count as arrays.
"""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import DTypeLike

from . import _matrices, _movement, _primitives, _selection, _sorting
from ._kp import Tensor
from ._primitives import Operator
from .arrays import (
    choosing,
    keywords,
    linear_algebra,
    manipulation,
    reductions,
    scans,
    searching,
)
from .arrays.array import Array
from .arrays.creation import asarray
from .arrays.elementwise import into
from .arrays.group_array import GroupArray
from .arrays.group_functions import call, takes_groups
from .arrays.primitives import offsets_of, shaped

_T = TypeVar("_T", Tensor, Array, GroupArray)
Axes = int | Sequence[int] | None

__all__ = [
    "all",
    "amax",
    "amin",
    "any",
    "argmax",
    "argmin",
    "argsort",
    "concat",
    "concatenate",
    "count_nonzero",
    "cumprod",
    "cumsum",
    "flatnonzero",
    "flip",
    "matmul",
    "max",
    "mean",
    "min",
    "prod",
    "put",
    "reduce",
    "scan",
    "sort",
    "sum",
    "take",
    "transpose",
]


def _given(x: Any, **options: Any) -> dict[str, Any]:
    """Return the options that differ from None, which only arrays take."""
    given = {name: value for name, value in options.items() if value is not None}
    if given and isinstance(x, Tensor):
        raise TypeError(f"{', '.join(given)}: only for arrays; kp.asarray(tensor) is one")
    return given


def sum(
    x: _T,
    /,
    axis: Axes = None,
    dtype: DTypeLike | None = None,
    out: _T | None = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = None,
) -> _T:
    """Return the sum of all elements, or along an axis (arrays: or several).

    As in NumPy, integers are summed in 64 bits unless `dtype` says otherwise; a device without such
    integers raises Unsupported. float16 is summed in float32 and rounded once. For arrays, `initial` is
    added, and elements where the mask `where` is false are left out.
    """
    more = _given(x, initial=initial, where=where)
    return _call("sum", x, axis=axis, dtype=dtype, out=out, keepdims=keepdims, **more)


def prod(
    x: _T,
    /,
    axis: Axes = None,
    dtype: DTypeLike | None = None,
    out: _T | None = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = None,
) -> _T:
    """Return the product of all elements, or along an axis. For the types, see sum()."""
    more = _given(x, initial=initial, where=where)
    return _call("prod", x, axis=axis, dtype=dtype, out=out, keepdims=keepdims, **more)


def mean(
    x: _T,
    /,
    axis: Axes = None,
    dtype: DTypeLike | None = None,
    out: _T | None = None,
    keepdims: bool = False,
    where: Any = None,
) -> _T:
    """Return the mean of all elements, or along an axis. The mean of integers is the default float."""
    more = _given(x, where=where)
    return _call("mean", x, axis=axis, dtype=dtype, out=out, keepdims=keepdims, **more)


def min(
    x: _T,
    /,
    axis: Axes = None,
    out: _T | None = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = None,
) -> _T:
    """Return the smallest element, or NaN if any element is, of all or along an axis."""
    more = _given(x, initial=initial, where=where)
    return _call("min", x, axis=axis, out=out, keepdims=keepdims, **more)


def max(
    x: _T,
    /,
    axis: Axes = None,
    out: _T | None = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = None,
) -> _T:
    """Return the largest element, or NaN if any element is, of all or along an axis."""
    more = _given(x, initial=initial, where=where)
    return _call("max", x, axis=axis, out=out, keepdims=keepdims, **more)


amin, amax = min, max


def argmin(x: _T, /, axis: int | None = None, out: _T | None = None, keepdims: bool = False) -> _T:
    """Return the index (int64) of the first smallest element, or of the first NaN.

    Without an axis, it is the index among the elements in C order.
    """
    return _call("argmin", x, axis=axis, out=out, keepdims=keepdims)


def argmax(x: _T, /, axis: int | None = None, out: _T | None = None, keepdims: bool = False) -> _T:
    """Return the index (int64) of the first largest element, or of the first NaN."""
    return _call("argmax", x, axis=axis, out=out, keepdims=keepdims)


def any(
    x: _T,
    /,
    axis: Axes = None,
    out: _T | None = None,
    keepdims: bool = False,
    where: Any = None,
) -> _T:
    """Return whether any element is not 0. NaN is not 0."""
    more = _given(x, where=where)
    return _call("any", x, axis=axis, out=out, keepdims=keepdims, **more)


def all(
    x: _T,
    /,
    axis: Axes = None,
    out: _T | None = None,
    keepdims: bool = False,
    where: Any = None,
) -> _T:
    """Return whether no element is 0."""
    more = _given(x, where=where)
    return _call("all", x, axis=axis, out=out, keepdims=keepdims, **more)


def count_nonzero(x: _T, /, axis: Axes = None, out: _T | None = None, keepdims: bool = False) -> _T:
    """Return the number (int64) of elements that are not 0."""
    return _call("count_nonzero", x, axis=axis, out=out, keepdims=keepdims)


def cumsum(
    x: _T, /, axis: int | None = None, dtype: DTypeLike | None = None, out: _T | None = None
) -> _T:
    """Return the sums of the elements up to each one, along an axis or of all in C order.

    For the types, see sum().
    """
    return _call("cumsum", x, axis=axis, dtype=dtype, out=out)


def cumprod(
    x: _T, /, axis: int | None = None, dtype: DTypeLike | None = None, out: _T | None = None
) -> _T:
    """Return the products of the elements up to each one. For the types, see sum()."""
    return _call("cumprod", x, axis=axis, dtype=dtype, out=out)


def reduce(
    x: _T,
    /,
    op: Operator,
    axis: int | None = None,
    out: _T | None = None,
    keepdims: bool = False,
    segments: Any = None,
) -> _T:
    """Return a reduction by an operator of all elements, along an axis or of segments.

    `op` is a name that OpReduce knows, or a pair of GLSL texts: an associative and commutative
    expression over a and b, and its identity, as in ``("max(abs(a), abs(b))", "0")``. The result has
    the type of x, unless the name says another: int64 for indices and counts, bool for "any" and
    "all". `segments` has n + 1 ascending offsets for n results, as the rows of a sparse matrix have:
    the first is of the elements from ``segments[0]`` to before ``segments[1]`` in C order. Indices
    are those within the segment.
    """
    within = offsets_of(x, segments)
    return _call("reduce", x, op, axis=axis, out=out, keepdims=keepdims, segments=within)


def scan(
    x: _T,
    /,
    op: Operator,
    axis: int | None = None,
    out: _T | None = None,
    exclusive: bool = False,
    segments: Any = None,
) -> _T:
    """Return the reductions of the elements up to each one, along an axis or of all in C order.

    They have the type of x. `op` is a name that OpScan knows, or a pair of GLSL texts: an associative
    expression over a and b, and its identity. An exclusive scan leaves out the element itself. It
    starts again at each offset in `segments`, which are those of reduce().
    """
    within = offsets_of(x, segments)
    return _call("scan", x, op, axis=axis, out=out, exclusive=exclusive, segments=within)


def _check_order(kind: str | None, order: None) -> None:
    """Raise ValueError unless all orders that NumPy's arguments allow are ours."""
    if kind not in (None, "stable", "quicksort", "mergesort", "heapsort"):
        raise ValueError(
            f"kind is None, 'stable', 'quicksort', 'mergesort' or 'heapsort', not {kind!r}"
        )
    if order is not None:
        raise ValueError(f"order names fields, and arrays here have none; leave out {order!r}")


def sort(
    x: _T,
    /,
    axis: int | None = -1,
    kind: str | None = None,
    order: None = None,
    *,
    descending: bool = False,
    out: _T | None = None,
    stable: bool | None = True,
) -> _T:
    """Return a sorted copy, along the last axis (arrays: any), or with `axis` None of all elements.

    NaNs are the largest elements, so they are first if `descending`. -0 is before +0. Every sort is
    stable, whatever `kind` and `stable` ask for. There are no fields for `order` to name.
    """
    _check_order(kind, order)
    return _call("sort", x, axis=axis, descending=descending, out=out)


def argsort(
    x: _T,
    /,
    axis: int | None = -1,
    kind: str | None = None,
    order: None = None,
    *,
    descending: bool = False,
    out: _T | None = None,
    stable: bool | None = True,
) -> _T:
    """Return the indices (int64) that sort the elements, in a stable way. See sort()."""
    _check_order(kind, order)
    return _call("argsort", x, axis=axis, descending=descending, out=out)


@takes_groups
def matmul(a: _T, b: Any, /, out: _T | None = None, **options: Any) -> _T:
    """Return the product of matrices, as NumPy's matmul.

    The last two axes are matrices. Stacks of arrays broadcast; tensors have as many matrices, or
    one of them a single one. For tensors, the options are those of OpMatMul: `transpose_a`,
    `transpose_b`, `alpha`, `beta` (with `out`: alpha a b + beta out), `epilogue`, a GLSL
    expression over c, row, column, batch and bias, as in ``"max(c + bias, 0.0)"``, `bias` (one
    element per column), and `dtype`: that of `a`, or that of the sums (float32 for float16, int32
    for int8).
    """
    product: Any
    pair: tuple[Any, Any] = (a, b)
    kinds = {type(each) for each in pair}
    if Tensor in kinds and Array not in kinds:
        product = getattr(_matrices, "matmul")(a, b, out, **options)  # noqa: B009, of tensors
    elif options:
        raise TypeError(f"{', '.join(options)}: only for tensors; use array.tensor()")
    else:
        product = into(out, linear_algebra.matmul(a, b))
    result: _T = product
    return result


def take(
    x: _T, /, indices: Any, axis: int | None = None, out: _T | None = None, mode: str = "raise"
) -> _T:
    """Return the elements, or slices along an axis, with given indices.

    Without an axis, indices are those of the flat elements. The result has the shape of the indices
    in place of that axis. Negative indices count from the end. Others raise IndexError: for that,
    the smallest and largest index are computed first. For arrays, `mode` "wrap" lets them begin again
    at the other end, and "clip" takes the nearest element (there, negative ones are the first).
    """
    more = _given(x, mode=None if mode == "raise" else mode)
    return _call("take", x, indices, axis=axis, out=out, **more)


def put(x: _T, /, ind: Any, v: Any, mode: str = "raise") -> None:
    """Set the elements with given indices among all in C order.

    Negative indices count from the end; others out of range raise IndexError, or for arrays with
    `mode` "wrap" around or are the nearest one ("clip"). There is a value per index, or one for all;
    for arrays, fewer are repeated. Of equal indices, any may win.
    """
    if not isinstance(x, Tensor):
        of_array: Any = x
        choosing.put(of_array, ind, v, mode)
    elif mode != "raise":
        raise TypeError("mode: only for arrays; kp.asarray(tensor) is one")
    else:
        _movement.put(x, ind, v)


def flip(x: _T, /, axis: Axes = None, out: _T | None = None) -> _T:
    """Return the elements in reverse order along one axis, several or all.

    Of an array this is a view, of a tensor a copy.
    """
    return _call("flip", x, axis=axis, out=out)


def transpose(x: _T, /, axes: Sequence[int] | None = None, out: _T | None = None) -> _T:
    """Return the axes in another order: axis i is axis ``axes[i]`` of x. Without axes, reversed.

    Of an array this is a view, of a tensor a copy.
    """
    return _call("transpose", x, axes, out=out)


def flatnonzero(x: _T, /) -> _T:
    """Return the indices (int64) of the flat elements that are not 0."""
    return _call("flatnonzero", x)


@takes_groups
def concatenate(
    parts: Sequence[_T],
    /,
    axis: int | None = 0,
    out: _T | None = None,
    *,
    dtype: DTypeLike | None = None,
    casting: manipulation.Casting = "same_kind",
) -> _T:
    """Return tensors or arrays joined along an axis, or with `axis` None all of their elements.

    Arrays are converted to `dtype`, by default the one that holds all of their elements. `casting` is
    that of numpy.can_cast.
    """
    result: Any
    given: Any = parts
    of_tensors = isinstance(given, (list, tuple)) and builtins.all(
        isinstance(each, Tensor) for each in given
    )
    if of_tensors and given:
        _given(given[0], dtype=dtype)
        target: Any = out
        result = _movement.concatenate(list(given), axis, target)
    else:
        result = into(out, manipulation.concat(parts, axis=axis, dtype=dtype, casting=casting))
    joined: _T = result
    return joined


concat = concatenate


def _operand(x: Any) -> Any:
    """Return lists, numbers and NumPy arrays as an array, anything else as it is."""
    of_host = isinstance(x, (list, tuple, np.ndarray, np.generic, *_NUMBERS))
    return asarray(x) if of_host else x


_NUMBERS = (builtins.bool, builtins.int, builtins.float, builtins.complex)


def _row(x: Any) -> Any:
    """Return the elements of an array as a tensor of one axis, anything else as it is."""
    return shaped(x, (x.size,)) if isinstance(x, Array) else x


_OF_ARRAYS: dict[str, Any] = {
    "take": searching.take,
    "flip": manipulation.flip,
    "transpose": manipulation.transpose,
    "flatnonzero": searching.flatnonzero,
    "sum": reductions.sum,
    "prod": reductions.prod,
    "mean": reductions.mean,
    "min": reductions.min,
    "max": reductions.max,
    "argmin": reductions.argmin,
    "argmax": reductions.argmax,
    "any": reductions.any,
    "all": reductions.all,
    "count_nonzero": reductions.count_nonzero,
    "reduce": reductions.reduce,
    "scan": scans.scan,
    "cumsum": scans.cumsum,
    "cumprod": scans.cumprod,
    "sort": searching.sort,
    "argsort": searching.argsort,
}


_OF_TENSORS = {
    "argsort": _sorting,
    "flatnonzero": _selection,
    "flip": _movement,
    "sort": _sorting,
    "take": _movement,
    "transpose": _movement,
}


def _call(name: str, x: _T, *arguments: Any, **options: Any) -> _T:
    result: Any
    x = _operand(x)
    if isinstance(x, GroupArray):
        result = call(_OF_ARRAYS[name], (x, *arguments), options)
    elif isinstance(x, Array):
        out = options.pop("out", None)
        result = into(out, _OF_ARRAYS[name](x, *arguments, **options))
    else:
        result = getattr(_OF_TENSORS.get(name, _primitives), name)(x, *arguments, **options)
    called: _T = result
    return called


keywords.install(globals(), __all__)
