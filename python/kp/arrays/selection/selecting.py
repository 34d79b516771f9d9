# SPDX-License-Identifier: Apache-2.0
"""Elements that fulfil a condition, and runs of equal ones.

These functions wait for the device to count the results, and return arrays of exactly that size.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import _kp
from ..._kp import Manager, OpConcatenate, OpPartition, OpRunLength, OpSelect, Tensor
from ..._wording import counted, kind_of
from ..array import Array
from ..elementwise import as_array, into
from ..operands import blank, in_tensors, launch, operand, result_in
from ..shapes.manipulation import given
from ..tensors import in_kind
from .searching import flatnonzero, take

__all__ = ["compress", "run_lengths", "stable_partition"]


def counter(manager: Manager, size: int) -> Tensor:
    """Return one number in host memory, for a count up to a size that is read at once."""
    dtype = np.uint32 if size <= np.iinfo(np.uint32).max else np.uint64  # all devices have 32 bits
    return _kp._host_number(manager, np.dtype(dtype))._tensor(())


def first(memory: Tensor, count: int) -> Array:
    """Return the first elements of a result, in memory of their number."""
    if count != memory.size():
        kept = blank(memory.manager, (count,), memory.dtype)
        if count:
            launch(memory.manager, OpConcatenate([(memory, 0, count)], kept))
        memory = kept
    return result_in(memory)


def _condition(name: str, condition: Any, x: Array) -> Any:
    """Return a condition as OpSelect takes it, with a flag for each element of x."""
    if isinstance(condition, str):
        return condition
    if in_tensors() and not isinstance(condition, Array):
        raise TypeError(
            f"kp.{name} takes the condition as a GLSL expression over x or a kp.Tensor of flags, "
            f"not {kind_of(condition)}"
        )
    flags = as_array(condition, x._manager)
    if flags.size != x.size:
        raise ValueError(
            f"kp.{name} takes a flag per element, but was given {counted(flags.size, 'flag')} for "
            f"{counted(x.size, 'element')}"
        )
    return operand(flags, (flags.size,))


@in_kind(1, moves=True, arrays_only=("axis", "out"))
def compress(condition: Any, x: Any, /, axis: int | None = None, out: Array | None = None) -> Array:
    """Return the elements that fulfil a condition, flat and in their order.

    `condition` has a flag per element, or is a GLSL expression over an element x, as in ``"x >
    0"``. It must be a bool, not a number: write ``"(x & 1) != 0"``. For arrays, a row of flags may
    be shorter; with `axis`, it chooses slices along it.
    """
    array = given(x)
    if isinstance(condition, str) and axis is not None:
        raise TypeError("axis takes flags, not a GLSL expression")
    if not isinstance(condition, str) and not in_tensors():
        flags = as_array(condition, array._manager).astype(np.bool_)
        if axis is not None or flags.shape != array.shape:
            if flags.ndim != 1:
                raise ValueError(f"condition is a row of flags, not of the shape {flags.shape}")
            return into(out, take(array, flatnonzero(flags), axis=axis))
        condition = flags
    chosen = _condition("compress", condition, array)
    memory = blank(array._manager, (array.size,), array._dtype)
    if array.size == 0:
        return into(out, result_in(memory))
    count = counter(array._manager, array.size)
    launch(array._manager, OpSelect(operand(array, (array.size,)), chosen, memory, count))
    return into(out, first(memory, int(count.item())))


@in_kind(1, moves=True)
def stable_partition(condition: Any, x: Any, /) -> tuple[Array, int]:
    """Return the elements that fulfil a condition, followed by the others, and the number of the first.

    Both are flat and in their order. `condition` has a flag per element, or is a GLSL expression, as
    for compress(). NumPy's partition() is a different function, which orders elements.
    """
    array = given(x)
    chosen = _condition("stable_partition", condition, array)
    memory = blank(array._manager, (array.size,), array._dtype)
    if array.size == 0:
        return result_in(memory), 0
    count = counter(array._manager, array.size)
    launch(array._manager, OpPartition(operand(array, (array.size,)), chosen, memory, count))
    return result_in(memory), int(count.item())


@in_kind()
def run_lengths(x: Any, /) -> tuple[Array, Array]:
    """Return the values and lengths (int64) of the runs of equal elements, of all in C order.

    NaN differs from NaN.
    """
    array = given(x)
    shape, manager = (array.size,), array._manager
    values, lengths = blank(manager, shape, array._dtype), blank(manager, shape, np.dtype(np.int64))
    if array.size == 0:
        return result_in(values), result_in(lengths)
    count = counter(manager, array.size)
    launch(manager, OpRunLength(operand(array, shape), values, lengths, count))
    runs = int(count.item())
    return first(values, runs), first(lengths, runs)
