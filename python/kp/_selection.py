# SPDX-License-Identifier: Apache-2.0
"""Selections as plain functions, which run at once and return tensors. See _primitives.

How many elements a selection has is known once it has run. So these functions read that number from
the device, and return tensors of exactly that size.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import DTypeLike

from . import _kp
from ._kp import (
    OpArgSort,
    OpConcatenate,
    OpFill,
    OpGather,
    OpPartition,
    OpRunLength,
    OpScan,
    OpScatter,
    OpSelect,
    OpSort,
    OpUnique,
    Tensor,
)
from ._primitives import _new, _require_tensor, _run, _run_all
from ._wording import counted, kind_of

#: A GLSL expression over x, or a tensor with a flag per element.
Condition = str | Tensor


def _index_type(tensor: Tensor) -> DTypeLike:
    """Return the smallest type that numbers the elements: all devices have 32 bits."""
    return np.uint32 if tensor.size() <= np.iinfo(np.uint32).max else np.uint64


def _counter(tensor: Tensor) -> Tensor:
    """Return one number in host memory, for a count that is read at once."""
    return _kp._host_number(tensor.manager, np.dtype(_index_type(tensor)))._tensor(())


def _numbers(tensor: Tensor, count: int) -> Tensor:
    """Return the integers (int64) below `count`.

    As an array: a scan of ones takes longer, and the software driver 0.3 s to compile.
    """
    from .arrays.creation import arange

    numbers: Tensor = arange(count, dtype=np.int64, device=tensor.manager).tensor()
    return numbers


def _first(tensor: Tensor, count: int) -> Tensor:
    """Return the first elements, as a tensor of their number."""
    if count == tensor.size():
        return tensor
    result = _new(tensor, (count,), tensor.dtype)
    if count:
        _run(OpConcatenate([(tensor, 0, count)], result), tensor)
    return result


def _condition(name: str, condition: Condition, tensor: Tensor) -> list[Tensor]:
    """Check a condition. Return the tensors that it consists of."""
    _require_tensor(name, tensor)
    if isinstance(condition, str):
        return []
    if not isinstance(condition, Tensor):
        raise TypeError(
            f"kp.{name} takes the condition as a GLSL expression over x or a kp.Tensor of flags, "
            f"not {kind_of(condition)}"
        )
    if condition.size() != tensor.size():
        raise ValueError(
            f"kp.{name} takes a flag per element, but was given {counted(condition.size(), 'flag')} for "
            f"{counted(tensor.size(), 'element')}"
        )
    return [condition]


def compress(condition: Condition, tensor: Tensor) -> Tensor:
    """Return the elements that fulfil a condition, flat and in their order.

    `condition` is a tensor with a flag per element, or a GLSL condition over an element x, as in
    ``"x > 0"``. It is true or false: a number is none, so write ``"(x & 1) != 0"``.
    """
    flags = _condition("compress", condition, tensor)
    if tensor.size() == 0:
        return _new(tensor, (0,), tensor.dtype)
    chosen = _new(tensor, (tensor.size(),), tensor.dtype)
    count = _counter(tensor)
    _run(OpSelect(tensor, condition, chosen, count), tensor, *flags)
    return _first(chosen, int(count.item()))


def stable_partition(condition: Condition, tensor: Tensor) -> tuple[Tensor, int]:
    """Return the elements that fulfil a condition, followed by the others, and the number of the
    first. Both are in their order. For `condition`, see compress().
    """
    flags = _condition("stable_partition", condition, tensor)
    parts = _new(tensor, (tensor.size(),), tensor.dtype)
    if tensor.size() == 0:
        return parts, 0
    count = _counter(tensor)
    _run(OpPartition(tensor, condition, parts, count), tensor, *flags)
    return parts, int(count.item())


def flatnonzero(tensor: Tensor) -> Tensor:
    """Return the indices (int64) of the elements of the flattened tensor that are not 0."""
    _require_tensor("flatnonzero", tensor)
    size = tensor.size()
    if size == 0:
        return _new(tensor, (0,), np.int64)
    indices, chosen = _numbers(tensor, size), _new(tensor, (size,), np.int64)
    count = _counter(tensor)
    _run(OpSelect(indices, tensor, chosen, count), tensor, indices)
    return _first(chosen, int(count.item()))


def run_lengths(tensor: Tensor) -> tuple[Tensor, Tensor]:
    """Return the values and lengths (int64) of the runs of equal elements of the flattened tensor.

    NaN differs from NaN.
    """
    _require_tensor("run_lengths", tensor)
    size = tensor.size()
    values, lengths = _new(tensor, (size,), tensor.dtype), _new(tensor, (size,), np.int64)
    if size == 0:
        return values, lengths
    count = _counter(tensor)
    _run(OpRunLength(tensor, values, lengths, count), tensor)
    runs = int(count.item())
    return _first(values, runs), _first(lengths, runs)


def unique(
    tensor: Tensor,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    *,
    equal_nan: bool = True,
) -> Tensor | tuple[Tensor, ...]:
    """Return the different elements of a tensor, sorted.

    With one of the other arguments, it is the first of a tuple. The others (int64) are the index of
    the first such element of the flattened tensor, the index of its value for each element in the
    shape of the tensor, and how many elements have the value. NaNs are one value, or with
    ``equal_nan=False`` different ones.
    """
    _require_tensor("unique", tensor)
    size = tensor.size()
    found = _new(tensor, (size,), tensor.dtype)
    lengths = _new(tensor, (size,), np.int64)
    order = _new(tensor, (size,), np.int64) if return_index or return_inverse else None
    places = _new(tensor, (size,), np.int64) if return_inverse else None
    results = 0
    if size:
        ordered = _new(tensor, (size,), tensor.dtype)
        count = _counter(tensor)
        sort: OpSort | OpArgSort
        if order is None:
            sort = OpSort(tensor, axis=None, sorted_keys=ordered, equal_zeros=True)
        else:
            sort = OpArgSort(tensor, order, axis=None, sorted_keys=ordered, equal_zeros=True)
        heads = OpUnique(ordered, found, count, counts=lengths, inverse=places)
        _run_all([sort, heads], tensor)
        results = int(count.item())
        if equal_nan and tensor.dtype.kind == "f":
            results = _join_nans(ordered, results, lengths, places)
    values, lengths = _first(found, results), _first(lengths, results)
    parts = [values]
    if return_index:
        parts.append(_new(tensor, (results,), np.int64))
        if order is not None and results:
            starts = _new(tensor, (results,), np.int64)
            gather = OpGather(order, starts, parts[-1])
            _run_all([OpScan(lengths, starts, exclusive=True), gather], lengths)
    if return_inverse:
        parts.append(_new(tensor, tensor.shape, np.int64))
        if order is not None and places is not None and size:
            _run(OpScatter(places, order, parts[-1]), places)
    if return_counts:
        parts.append(lengths)
    return values if len(parts) == 1 else tuple(parts)


def _join_nans(ordered: Tensor, results: int, lengths: Tensor, places: Tensor | None) -> int:
    """Make one value of all NaNs, which are the last elements. Return the number of values."""
    size = ordered.size()
    if not np.isnan(ordered.read(size - 1, 1)[0]):
        return results
    count = _counter(ordered)
    _run(OpSelect(ordered, "isnan(x)", (_new(ordered, (1,), ordered.dtype), 0, 0), count), ordered)
    nans = int(count.item())
    last = results - nans
    lengths.write(np.array([nans]), last)
    if places is not None:
        places.write(np.full(nans, last), size - nans)
    return last + 1
