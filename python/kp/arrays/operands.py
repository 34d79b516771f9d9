# SPDX-License-Identifier: Apache-2.0
"""Memory of arrays as the tensors that primitives take, without copies, and how primitives are launched.

A primitive of an array is launched on the default queue of its manager, after all earlier launches there,
and nothing waits for it: reads do.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from .._kp import Manager, MemoryTypes, OpBase, Tensor
from .._wording import kind_of
from . import storage
from .array import Array
from .elementwise import into, misfit
from .storage import DType, Shape


class _Results(threading.local):
    """The kind of results that a thread's functions create."""

    #: For tensors: results, with the tensors that have their elements. None for arrays.
    tensors: list[tuple[Array, Tensor]] | None = None
    #: The arrays that a function of tensors is called with, and their tensors.
    given: Sequence[tuple[Array, Tensor]] = ()


results = _Results()


def in_tensors() -> bool:
    """Return whether results become tensors, into whose memory primitives write at once."""
    return results.tensors is not None


@contextmanager
def for_arrays() -> Iterator[None]:
    """Let functions work for arrays, while one works for tensors."""
    before, results.tensors = results.tensors, None
    try:
        yield
    finally:
        results.tensors = before


def launch(manager: Manager, *operations: OpBase) -> None:
    """Launch operations, one after the other, and return at once."""
    manager._launch(*operations)


def operand(x: Array, shape: Shape) -> Tensor:
    """Return elements in C order as a tensor of a shape: their memory, or a copy if it holds
    others, too.

    The memory is not reused before the tensor is destroyed.
    """
    tensor = _given(x)
    if tensor is not None and tensor.shape == shape:
        return tensor
    return x._whole()._tensor(shape)


def blank(manager: Manager, shape: Shape, dtype: DType) -> Tensor:
    """Return new memory for a result as a tensor, with undefined contents."""
    made = results.tensors
    if made is None:
        return storage.blank(manager, shape, dtype)._tensor(shape)
    if 0 in shape:
        return manager.tensor(shape=shape, dtype=dtype, memory_type=MemoryTypes.device)
    array, tensor = Array._new_tensor(manager, shape, dtype)
    made.append((array, tensor))
    return tensor


def result_in(memory: Tensor) -> Array:
    """Return the array whose elements are in memory of blank()."""
    made = results.tensors
    if made is None:
        return Array._from_tensor(memory)
    for array, tensor in made:
        if tensor is memory:
            return array
    made.append((Array._from_tensor(memory), memory))
    return made[-1][0]


def uploaded(manager: Manager, values: NDArray[Any]) -> Array:
    """Return a result from the host."""
    if results.tensors is None:
        return storage.upload(manager, values)
    return result_in(manager.tensor_t(values))


def written(
    out: Any,
    source: Array,
    shape: Shape,
    dtype: DType,
    operation: Callable[[Tensor], OpBase],
    in_place: bool = False,
) -> Array:
    """Return the result of a primitive: `out`, or a new array if there is none.

    `operation` makes the primitive for the memory of the result. This is the memory of `out` if all
    of it has the shape and dtype, and differs from the memory of `source` or the primitive works
    `in_place`.
    """
    if type(out) is Array:
        if out._shape != shape:
            raise _misfit(out, shape)
        target = _target(out, source, dtype, in_place) if 0 not in shape else None
        if target is not None:
            launch(source._manager, operation(target))
            return out
    manager = source._manager
    memory = blank(manager, shape, dtype)
    if 0 not in shape:
        launch(manager, operation(memory))
    return into(out, result_in(memory))


def _target(out: Array, source: Array, dtype: DType, in_place: bool) -> Tensor | None:
    """Return the memory of `out` if a primitive can write there, or None."""
    if out._dtype != dtype:
        return None
    own, read = _given(out), _given(source)
    if own is not None and (in_place or (read is not None and read is not own)):
        return own
    if not (out._is_evaluated and out._writable and out._is_whole()):
        return None
    if not in_place and out._memory_id == source._memory_id:
        return None
    out._before_write()
    return operand(out, out._shape)


def _given(x: Array) -> Tensor | None:
    """Return the tensor that was passed to a function as an array."""
    for array, tensor in results.given:
        if array is x:
            return tensor
    return None


def _misfit(out: Array, shape: Shape) -> ValueError:
    if results.tensors is None:
        return misfit(out, shape)
    return ValueError(f"there is a result of shape {shape}, but out has {out._shape}")


def computed_type(out: Any, dtype: DType) -> DType:
    """Return the dtype in which a result is computed: the dtype of `out`, if it is of the same
    kind."""
    own: DType | None = getattr(out, "_dtype", None)
    if own is None:
        return dtype
    return own if own.kind == dtype.kind or own.kind + dtype.kind in ("iu", "ui") else dtype


# --- functions of tensors that arrays call with their memory ----------------------------------------


def blank_like(like: Tensor, shape: Shape, dtype: DTypeLike) -> Tensor:
    """Return a new tensor on the device of another one, as memory of an array if the other is."""
    if like._owner is not None:
        return blank(like.manager, shape, np.dtype(dtype))
    return like.manager.tensor(shape=shape, dtype=dtype, memory_type=MemoryTypes.device)


def run(like: Tensor, *operations: OpBase) -> None:
    """Evaluate operations at once. For memory of an array, they are launched without waiting."""
    if like._owner is not None:
        launch(like.manager, *operations)
        return
    sequence = like.manager.sequence()
    for operation in operations:
        sequence.record(operation)
    sequence.eval()


def output(name: str, like: Tensor, shape: Shape, dtype: DTypeLike, out: Tensor | None) -> Tensor:
    """Return `out`, or a new tensor on the device of `like`."""
    if out is None:
        return blank_like(like, shape, dtype)
    if not isinstance(out, Tensor):
        raise TypeError(f"out must be a kp.Tensor, not {kind_of(out)}")
    if out.shape != shape:
        raise ValueError(f"kp.{name} has a result of shape {shape}, but out has {out.shape}")
    return out
