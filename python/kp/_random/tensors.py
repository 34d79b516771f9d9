# SPDX-License-Identifier: Apache-2.0
"""Random numbers of the generator Philox 4x32-10, as tensors.

Element i is number ``counter + i`` of the sequence of `seed` and `stream`. It is the same on every
device, and no matter how a sequence is cut into tensors: add a tensor's size to `counter` for the
numbers after it. NumPy's Philox is another variant (4x64), with other numbers.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import DTypeLike

from .._axes import whole
from .._floats import default_float
from .._kp import Manager, MemoryTypes, OpCopy, OpGather, OpPermutation, OpRandom, Tensor
from .._wording import explains_keywords, kind_of
from ..arrays.operands import blank_like, run

F = TypeVar("F", bound=Callable[..., Any])

__all__ = [
    "bits",
    "exponential",
    "integers",
    "normal",
    "permutation",
    "shuffle",
    "uniform",
]


def filled(
    manager: Manager,
    shape: int | tuple[int, ...],
    dtype: DTypeLike | None,
    distribution: str | tuple[Any, ...],
    seed: int,
    counter: int,
    stream: int,
) -> Tensor:
    """Return a tensor of random numbers: of the default float, or `dtype`; see OpRandom."""
    name = distribution if isinstance(distribution, str) else distribution[0]
    _require_keys(name, seed, counter, stream)
    each = shape if isinstance(shape, (tuple, list)) else (shape,)
    extents = tuple(whole(f"kp.random.{name}: shape", extent) for extent in each)
    wanted = default_float(manager) if dtype is None else dtype
    tensor = _made(manager, extents, wanted)
    run(tensor, OpRandom(tensor, distribution, seed=seed, counter=counter, stream=stream))
    return tensor


def _made(manager: Manager, shape: tuple[int, ...], dtype: DTypeLike) -> Tensor:
    return manager.tensor(shape=shape, dtype=dtype, memory_type=MemoryTypes.device)


def _of_manager(function: F) -> F:
    """Return a function with a helpful error for callers used to NumPy's signature."""
    explained = explains_keywords(function)
    name = function.__name__

    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        if args and not isinstance(args[0], Manager):
            raise TypeError(
                f"kp.random.{name} takes a kp.Manager first, not {kind_of(args[0])}, and returns a "
                f"tensor; for arrays, as NumPy has them: kp.random.default_rng(seed).{name}(...)"
            )
        return explained(*args, **kwargs)

    made: Any = called
    typed: F = made
    return typed


def key(name: str, value: Any) -> int:
    """Return a seed, counter or stream. Raises TypeError or ValueError with the argument's name."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is an integer, not {value!r}") from None
    if not 0 <= number < 2**64:
        raise ValueError(f"{name} is an integer from 0 to 2^64 - 1, not {number}")
    return number


def _require_keys(name: str, seed: int, counter: int, stream: int) -> None:
    for what, value in (("seed", seed), ("counter", counter), ("stream", stream)):
        key(f"kp.random.{name}: {what}", value)


@_of_manager
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
    return filled(manager, shape, dtype, "bits", seed, counter, stream)


@_of_manager
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
    low, high = whole("kp.random.integers: low", low), whole("kp.random.integers: high", high)
    if high <= low:
        raise ValueError(
            f"kp.random.integers: high must be greater than low, but low is {low} and high is {high}"
        )
    distribution = ("integers", low, high - 1)
    return filled(manager, shape, dtype, distribution, seed, counter, stream)


@_of_manager
def uniform(
    manager: Manager,
    shape: int | tuple[int, ...],
    low: float = 0,
    high: float = 1,
    dtype: DTypeLike | None = None,
    *,
    seed: int = 0,
    counter: int = 0,
    stream: int = 0,
) -> Tensor:
    """Return numbers uniformly distributed in [low, high)."""
    return filled(manager, shape, dtype, ("uniform", low, high), seed, counter, stream)


@_of_manager
def normal(
    manager: Manager,
    shape: int | tuple[int, ...],
    mean: float = 0,
    deviation: float = 1,
    dtype: DTypeLike | None = None,
    *,
    seed: int = 0,
    counter: int = 0,
    stream: int = 0,
) -> Tensor:
    """Return normally distributed numbers."""
    return filled(manager, shape, dtype, ("normal", mean, deviation), seed, counter, stream)


@_of_manager
def exponential(
    manager: Manager,
    shape: int | tuple[int, ...],
    mean: float = 1,
    dtype: DTypeLike | None = None,
    *,
    seed: int = 0,
    counter: int = 0,
    stream: int = 0,
) -> Tensor:
    """Return exponentially distributed numbers."""
    return filled(manager, shape, dtype, ("exponential", mean), seed, counter, stream)


def order_of(
    manager: Manager,
    count: int,
    seed: int,
    counter: int,
    stream: int,
) -> Tensor:
    """Return the integers below `count` in random order."""
    _require_keys("permutation", seed, counter, stream)
    order = _made(manager, (count,), np.int64)
    if count:
        run(order, OpPermutation(order, seed=seed, counter=counter, stream=stream))
    return order


@_of_manager
def permutation(
    manager: Manager,
    x: int | Tensor | None = None,
    *,
    seed: int = 0,
    counter: int = 0,
    stream: int = 0,
) -> Tensor:
    """Return the integers (int64) below a number in random order, or a tensor with its rows
    reordered.

    Rows are along the first axis. Every order is equally likely. It depends on the number of rows,
    `seed`, `counter` and `stream`. For the next permutation of n rows, add 2 n to the counter.
    """
    if isinstance(x, Tensor):
        rows = x.shape[0] if x.shape else 0
        if not x.shape:
            raise ValueError("x has no axis along which to permute rows")
        order = order_of(manager, rows, seed, counter, stream)
        mixed = blank_like(x, x.shape, x.dtype)
        if mixed.size():
            run(x, OpGather(x, order, mixed, axis=0))
        return mixed
    x = whole("kp.random.permutation: x", x)
    if x < 0:
        raise ValueError(f"x is the number of integers, 0 or more, not {x}")
    return order_of(manager, x, seed, counter, stream)


@explains_keywords
def shuffle(tensor: Tensor, *, seed: int = 0, counter: int = 0, stream: int = 0) -> None:
    """Put the rows along the first axis of a tensor in random order. See permutation()."""
    if not isinstance(tensor, Tensor):
        raise TypeError(
            f"kp.random.shuffle changes a kp.Tensor in place, not {kind_of(tensor)}; for arrays: "
            "kp.random.default_rng(seed).shuffle(...)"
        )
    if not tensor.shape:
        raise ValueError("the tensor has no axis along which to permute rows")
    if tensor.size() == 0:
        return
    order = order_of(tensor.manager, tensor.shape[0], seed, counter, stream)
    mixed = blank_like(tensor, tensor.shape, tensor.dtype)
    run(tensor, OpGather(tensor, order, mixed, axis=0), OpCopy([mixed, tensor]))
