# SPDX-License-Identifier: Apache-2.0
"""Functions of tensors and of arrays that choose and count elements: a tensor gives a tensor, at once."""

from __future__ import annotations

import builtins
from typing import Any, Literal, overload

import numpy as np

from . import _selection, _statistics
from ._errors import Unsupported
from ._kp import Tensor
from ._polymorphic import _T, _given, _operand, _row
from .arrays import keywords, searching, sets
from .arrays.array import Array
from .arrays.creation import asarray
from .arrays.elementwise import as_array, into
from .arrays.group_functions import takes_groups
from .arrays.primitives import cast, from_rows, rows_along
from .arrays.storage import unsupported_reason

__all__ = [
    "bincount",
    "compress",
    "histogram",
    "run_lengths",
    "searchsorted",
    "stable_partition",
    "top_k",
    "unique",
]


@overload
def unique(
    x: _T,
    /,
    return_index: Literal[False] = False,
    return_inverse: Literal[False] = False,
    return_counts: Literal[False] = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> _T: ...
@overload
def unique(
    x: _T,
    /,
    return_index: Literal[True],
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> tuple[_T, ...]: ...
@overload
def unique(
    x: _T,
    /,
    return_index: bool = False,
    *,
    return_inverse: Literal[True],
    return_counts: bool = False,
    axis: int | None = None,
    equal_nan: bool = True,
    sorted: bool = True,
) -> tuple[_T, ...]: ...
@overload
def unique(
    x: _T,
    /,
    return_index: bool = False,
    return_inverse: bool = False,
    *,
    return_counts: Literal[True],
    axis: int | None = None,
    equal_nan: bool = True,
    sorted: bool = True,
) -> tuple[_T, ...]: ...
@overload
def unique(
    x: _T,
    /,
    return_index: bool,
    return_inverse: bool,
    return_counts: bool = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> _T | tuple[_T, ...]: ...
@takes_groups
def unique(
    x: _T,
    /,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> _T | tuple[_T, ...]:
    """Return the different elements, sorted, whatever `sorted` is.

    With one of the other arguments, they are the first of a tuple. The others (int64) are the index
    of the first such element among the flat elements, for each element the index of its value, in
    the shape of x, and how many elements have the value. NaNs are one value, or with
    ``equal_nan=False`` different ones. With `axis`, for arrays, they are the different slices along it,
    which NumPy finds on the host.
    """
    x = _operand(x)
    options: dict[str, Any] = {"equal_nan": equal_nan, **_given(x, axis=axis)}
    array: Any = x
    of_tensors = _selection if isinstance(array, Tensor) else sets
    asked = (return_index, return_inverse, return_counts)
    found: Any = getattr(of_tensors, "unique")(array, *asked, **options)  # noqa: B009
    result: _T | tuple[_T, ...] = found
    return result


@takes_groups
def searchsorted(x: _T, values: Any, /, side: str = "left", sorter: _T | None = None) -> _T:
    """Return where to insert values among sorted elements so that they stay sorted (int64).

    `side` is "left" for the place before all equal elements, or "right" for that after them. NaNs
    are the largest elements. `sorter`, for arrays, has the indices that sort x.
    """
    if isinstance(x, Tensor):
        if sorter is not None:
            raise TypeError("sorter is for arrays; take(x, sorter) is a sorted tensor")
        return _statistics.searchsorted(x, values, side)
    found: Any = searching.searchsorted(x, values, side=side, sorter=sorter)
    result: _T = found
    return result


@takes_groups
def histogram(
    x: _T,
    /,
    bins: Any = 10,
    range: tuple[float, float] | None = None,
    density: bool | None = None,
    weights: Any = None,
) -> tuple[_T, _T]:
    """Return how many elements are in each bin (int64), or the sums of their weights, and the edges.

    `bins` is a number of bins of equal width over `range`, by default from the smallest to the
    largest element, or their edges in ascending order. Each bin has its lower edge, the last one its
    upper edge, too. Elements outside of all bins and NaNs are skipped. With `density`, for arrays, counts
    are divided by their sum and the widths of the bins, so that the integral is 1.
    """
    if density is not None and not isinstance(density, (builtins.bool, np.bool_)):
        raise TypeError("density is True or False; give weights by name, as weights=...")
    x = _operand(x)
    if isinstance(x, Tensor):
        _given(x, density=density or None)
        return _statistics.histogram(x, bins, range, weights)
    array: Any = x
    if isinstance(bins, str):  # the rules for a number of bins look at the values on the host
        places = np.histogram_bin_edges(array.numpy(), bins, range, _on_host(weights))
        bins, range = places.size - 1, (places[0].item(), places[-1].item())
    if array.dtype.kind == "c":
        raise TypeError("complex numbers have no order, so there is no histogram of them")
    own: Any = None
    if not isinstance(bins, (int, np.integer)):
        if np.ndim(bins) == 0:
            raise TypeError(f"bins is a number of bins, their edges or a rule's name, not {bins!r}")
        edged = bins if isinstance(bins, Array) else np.asarray(bins)
        own = asarray(edged, device=array.device)
        array = array.astype(np.result_type(array.dtype, edged.dtype))
        bins = asarray(edged.astype(array.dtype), device=array.device)
    by = _weights("histogram", weights, x)
    sums = (
        None
        if by is None
        else _row(
            by if by.dtype.kind == "f" and by.dtype.itemsize > 2 else _in_double("histogram", by)
        )
    )
    counts, edges = _statistics.histogram(_row(array), _row(bins), range, sums)
    own = Array._from_tensor(edges) if own is None else own
    found: Any = Array._from_tensor(counts)
    if by is not None:
        found = found.astype(by.dtype, copy=False)
    if density:
        found = found.astype(np.result_type(own.dtype, np.float32))
        found = found / (found.sum() * (own[1:] - own[:-1]))
    result: tuple[_T, _T] = (found, own)
    return result


@takes_groups
def bincount(x: _T, /, weights: _T | None = None, minlength: int = 0) -> _T:
    """Return how often each integer from 0 on occurs (int64), or the sum of its weights.

    There are as many results as the largest integer needs, and at least `minlength`. Sums are float64,
    or for tensors of the type of the weights.
    """
    x = _operand(x)
    if isinstance(x, Tensor):
        of_tensor: Any = x
        if x.dtype == np.bool_:
            of_tensor = cast(of_tensor, np.dtype(np.uint8))
        return _statistics.bincount(of_tensor, weights, minlength)
    if x.ndim != 1:
        raise ValueError(f"kp.bincount takes a row of integers, not the shape {x.shape}")
    if x.dtype.kind == "b" or x.size == 0:
        x = x.astype(np.uint8 if x.dtype.kind == "b" else np.int64)
    by = _weights("bincount", weights, x)
    sums = None if by is None else _row(_in_double("bincount", by))
    found: Any = Array._from_tensor(_statistics.bincount(_row(x), sums, minlength))
    result: _T = found
    return result


@takes_groups
def top_k(x: _T, k: int, axis: int | None = -1, smallest: bool = False) -> tuple[_T, _T]:
    """Return the k largest (or smallest) elements in order, and their indices (int64).

    They are found along an axis, or with `axis` None among all elements. Of equal elements, the one
    with the smallest index is first. NaNs are the largest elements, and -0 is smaller than 0.
    """
    x = _operand(x)
    if isinstance(x, Tensor):
        return _statistics.top_k(x, k, axis, smallest)
    array: Any = x
    rows, kept = rows_along(array, axis)
    values, indices = _statistics.top_k(rows, k, -1, smallest)
    found: Any = (from_rows(values, kept, array, axis), from_rows(indices, kept, array, axis))
    result: tuple[_T, _T] = found
    return result


def _weights(name: str, weights: Any, x: Any) -> Any:
    """Return weights of the elements of x as an array."""
    if weights is None:
        return None
    by = asarray(weights, device=x.device)
    if by.dtype.kind == "c":
        raise TypeError(f"kp.{name} takes weights that are real numbers, not {by.dtype}")
    if by.shape != x.shape:
        raise ValueError(
            f"kp.{name} takes a weight per element: weights have the shape {by.shape}, but the "
            f"elements {x.shape}"
        )
    return by


def _in_double(name: str, weights: Any) -> Any:
    """Return weights as float64, in which NumPy adds them."""
    double = np.dtype(np.float64)
    if reason := unsupported_reason(weights.device, double):
        raise Unsupported(
            f"kp.{name} adds weights of {weights.dtype} in float64, as NumPy, which the device does not "
            f"have; with tensors, kp.{name}(x.tensor(), weights=y.tensor()) adds float32. {reason}"
        )
    return weights.astype(double, copy=False)


def _on_host(x: Any) -> Any:
    return x.numpy() if isinstance(x, Array) else x


@takes_groups
def compress(condition: Any, x: _T, /, axis: int | None = None, out: _T | None = None) -> _T:
    """Return the elements that fulfil a condition, flat and in their order.

    `condition` has a flag per element, or is a GLSL expression over an element x, as in ``"x > 0"``. For
    arrays, a row of flags may be shorter; with `axis`, it chooses slices along it.
    """
    x = _operand(x)
    array: Any = x
    if isinstance(array, Array) and not isinstance(condition, str):
        flags = as_array(condition, array.device).astype(np.bool_)
        if axis is not None or flags.shape != array.shape:
            if flags.ndim != 1:
                raise ValueError(f"condition is a row of flags, not of the shape {flags.shape}")
            kept: Any = searching.take(array, searching.flatnonzero(flags), axis=axis)
            slices: _T = into(out, kept)
            return slices
    _given(x, axis=axis, out=out)
    if axis is not None:
        raise TypeError("axis takes flags, not a GLSL expression")
    if not isinstance(array, Array):
        of_tensor: Any = _selection.compress(condition, array)
        chosen: _T = of_tensor
        return chosen
    is_text = isinstance(condition, str)
    flags = condition if is_text else _row(as_array(condition, array.device))
    found: Any = Array._from_tensor(_selection.compress(flags, _row(array)))
    result: _T = into(out, found)
    return result


@takes_groups
def stable_partition(condition: Any, x: _T, /) -> tuple[_T, int]:
    """Return the elements that fulfil a condition, followed by the others, and the number of the first.

    Both are flat and in their order. `condition` has a flag per element, or is a GLSL expression, as
    for compress(). NumPy's partition() is another function: it is about the order of elements.
    """
    array: Any = _operand(x)
    if not isinstance(array, Array):
        of_tensor: Any = _selection.stable_partition(condition, array)
        return of_tensor[0], of_tensor[1]
    if not isinstance(condition, str):
        condition = _row(as_array(condition, array.device).astype(np.bool_))
    parts, count = _selection.stable_partition(condition, _row(array))
    found: Any = Array._from_tensor(parts)
    return found, count


@takes_groups
def run_lengths(x: _T, /) -> tuple[_T, _T]:
    """Return the values and lengths (int64) of the runs of equal elements, of all in C order.

    NaN differs from NaN.
    """
    array: Any = _operand(x)
    if not isinstance(array, Array):
        of_tensor: Any = _selection.run_lengths(array)
        return of_tensor[0], of_tensor[1]
    values, lengths = map(Array._from_tensor, _selection.run_lengths(_row(array)))
    found: Any = (values, lengths)
    return found[0], found[1]


keywords.install(globals(), __all__)
