# SPDX-License-Identifier: Apache-2.0
"""Random numbers of the generator Philox 4x32-10, as tensors or arrays.

The functions take a manager and return tensors; default_rng() is a generator of arrays.

Element i is number ``counter + i`` of the sequence of `seed` and `stream`. It is the same on every
device, and however a sequence is cut into tensors: add a tensor's size to `counter` for the numbers
after it. NumPy's Philox is another variant (4x64), with other numbers.
"""

from __future__ import annotations

import operator
import secrets
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from . import _default
from ._kp import Manager, MemoryTypes, OpCopy, OpGather, OpPermutation, OpRandom, Tensor
from ._primitives import _new, _require_tensor, _run, _run_all
from .arrays.array import Array

__all__ = [
    "Generator",
    "bits",
    "default_rng",
    "exponential",
    "integers",
    "normal",
    "permutation",
    "shuffle",
    "uniform",
]


def _filled(
    manager: Manager,
    shape: int | tuple[int, ...],
    dtype: DTypeLike,
    distribution: str | tuple[Any, ...],
    seed: int,
    counter: int,
    stream: int,
) -> Tensor:
    extents = (shape,) if isinstance(shape, int) else tuple(shape)
    tensor = manager.tensor(shape=extents, dtype=dtype, memory_type=MemoryTypes.device)
    operation = OpRandom(tensor, distribution, seed=seed, counter=counter, stream=stream)
    manager.sequence().eval(operation)
    return tensor


def bits(
    manager: Manager,
    shape: int | tuple[int, ...],
    dtype: DTypeLike = np.uint32,
    *,
    seed: int = 0,
    counter: int = 0,
    stream: int = 0,
) -> Tensor:
    """Return integers with random bits."""
    return _filled(manager, shape, dtype, "bits", seed, counter, stream)


def integers(
    manager: Manager,
    shape: int | tuple[int, ...],
    low: int,
    high: int,
    dtype: DTypeLike = np.int32,
    *,
    seed: int = 0,
    counter: int = 0,
    stream: int = 0,
) -> Tensor:
    """Return integers from `low` up to, but without, `high`, all equally likely."""
    distribution = ("integers", low, high - 1)
    return _filled(manager, shape, dtype, distribution, seed, counter, stream)


def uniform(
    manager: Manager,
    shape: int | tuple[int, ...],
    low: float = 0,
    high: float = 1,
    dtype: DTypeLike = np.float32,
    *,
    seed: int = 0,
    counter: int = 0,
    stream: int = 0,
) -> Tensor:
    """Return numbers uniformly distributed in [low, high)."""
    return _filled(manager, shape, dtype, ("uniform", low, high), seed, counter, stream)


def normal(
    manager: Manager,
    shape: int | tuple[int, ...],
    mean: float = 0,
    deviation: float = 1,
    dtype: DTypeLike = np.float32,
    *,
    seed: int = 0,
    counter: int = 0,
    stream: int = 0,
) -> Tensor:
    """Return normally distributed numbers."""
    return _filled(manager, shape, dtype, ("normal", mean, deviation), seed, counter, stream)


def exponential(
    manager: Manager,
    shape: int | tuple[int, ...],
    mean: float = 1,
    dtype: DTypeLike = np.float32,
    *,
    seed: int = 0,
    counter: int = 0,
    stream: int = 0,
) -> Tensor:
    """Return exponentially distributed numbers."""
    return _filled(manager, shape, dtype, ("exponential", mean), seed, counter, stream)


def _order(manager: Manager, count: int, seed: int, counter: int, stream: int) -> Tensor:
    order = manager.tensor(shape=(count,), dtype=np.int64, memory_type=MemoryTypes.device)
    if count:
        operation = OpPermutation(order, seed=seed, counter=counter, stream=stream)
        manager.sequence().eval(operation)
    return order


def permutation(
    manager: Manager, x: int | Tensor, *, seed: int = 0, counter: int = 0, stream: int = 0
) -> Tensor:
    """Return the integers (int64) below a number in random order, or a tensor with its rows so.

    Rows are along the first axis. Every order is equally likely. It depends on the number of rows,
    `seed`, `counter` and `stream`. Of n rows, take a counter that is larger by 2 n for the next one.
    """
    if isinstance(x, Tensor):
        rows = x.shape[0] if x.shape else 0
        if not x.shape:
            raise ValueError("x has no axis along which its rows could change places")
        order = _order(manager, rows, seed, counter, stream)
        mixed = _new(x, x.shape, x.dtype)
        if mixed.size():
            _run(OpGather(x, order, mixed, axis=0), x)
        return mixed
    if x < 0:
        raise ValueError(f"x is the number of integers, 0 or more, not {x}")
    return _order(manager, x, seed, counter, stream)


def shuffle(tensor: Tensor, *, seed: int = 0, counter: int = 0, stream: int = 0) -> None:
    """Put the rows along the first axis of a tensor in random order. See permutation()."""
    _require_tensor("random.shuffle", tensor)
    if not tensor.shape:
        raise ValueError("the tensor has no axis along which its rows could change places")
    if tensor.size() == 0:
        return
    order = _order(tensor.manager, tensor.shape[0], seed, counter, stream)
    mixed = _new(tensor, tensor.shape, tensor.dtype)
    _run_all([OpGather(tensor, order, mixed, axis=0), OpCopy([mixed, tensor])], tensor)


_Size = int | tuple[int, ...] | None


class Generator:
    """Random numbers as arrays, with the methods of numpy.random.Generator.

    Each call takes the next numbers of the sequence of `seed` and `stream`. Equal calls in equal
    order give equal arrays on every device. Created by default_rng().
    """

    def __init__(self, seed: int, stream: int, manager: Manager) -> None:
        self._seed = seed
        self._stream = stream
        self._manager = manager
        self._counter = 0

    def __repr__(self) -> str:
        return f"<kp.random.Generator seed={self._seed} stream={self._stream}>"

    def _next(self, size: _Size, dtype: DTypeLike, distribution: Any) -> Array:
        shape = () if size is None else size
        extents = (operator.index(shape),) if not isinstance(shape, tuple) else shape
        count = int(np.prod(extents, dtype=np.int64))
        if count == 0:
            from .arrays.creation import empty

            return empty(extents, dtype=dtype, device=self._manager)
        tensor = _filled(
            self._manager, extents, dtype, distribution, self._seed, self._counter, self._stream
        )
        self._counter += count
        return Array._from_tensor(tensor)

    def random(self, size: _Size = None, dtype: DTypeLike = np.float32) -> Array:
        """Return numbers uniformly distributed in [0, 1)."""
        return self._next(size, dtype, ("uniform", 0, 1))

    def uniform(
        self,
        low: float = 0,
        high: float = 1,
        size: _Size = None,
        dtype: DTypeLike = np.float32,
    ) -> Array:
        """Return numbers uniformly distributed in [low, high)."""
        return self._next(size, dtype, ("uniform", low, high))

    def normal(
        self,
        loc: float = 0,
        scale: float = 1,
        size: _Size = None,
        dtype: DTypeLike = np.float32,
    ) -> Array:
        """Return normally distributed numbers of mean `loc` and standard deviation `scale`."""
        return self._next(size, dtype, ("normal", loc, scale))

    def standard_normal(self, size: _Size = None, dtype: DTypeLike = np.float32) -> Array:
        """Return normally distributed numbers of mean 0 and standard deviation 1."""
        return self._next(size, dtype, ("normal", 0, 1))

    def exponential(
        self, scale: float = 1, size: _Size = None, dtype: DTypeLike = np.float32
    ) -> Array:
        """Return exponentially distributed numbers of mean `scale`."""
        return self._next(size, dtype, ("exponential", scale))

    def integers(
        self,
        low: int,
        high: int | None = None,
        size: _Size = None,
        dtype: DTypeLike = np.int64,
        endpoint: bool = False,
    ) -> Array:
        """Return integers from `low` to `high`, which is left out unless `endpoint` is true.

        With one bound, they are from 0 on.
        """
        if high is None:
            low, high = 0, low
        return self._next(size, dtype, ("integers", low, high if endpoint else high - 1))

    def permutation(self, x: int | Array) -> Array:
        """Return the numbers below x, or the rows of an array, in random order."""
        from .arrays.searching import take

        count = x.shape[0] if isinstance(x, Array) else operator.index(x)
        tensor = _order(self._manager, count, self._seed, self._counter, self._stream)
        order = Array._from_tensor(tensor)
        self._counter += 2 * count
        return take(x, order, axis=0) if isinstance(x, Array) else order


def default_rng(
    seed: int | None = None, *, stream: int = 0, device: Manager | None = None
) -> Generator:
    """Return a generator of arrays. Without a seed, each generator has numbers of its own."""
    if seed is None:
        seed = secrets.randbits(63)
    return Generator(seed, stream, _default.default_manager() if device is None else device)
