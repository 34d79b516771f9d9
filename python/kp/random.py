# SPDX-License-Identifier: Apache-2.0
"""Random numbers of the generator Philox 4x32-10, as tensors.

Element i is number ``counter + i`` of the sequence of `seed` and `stream`. It is the same on every
device, and however a sequence is cut into tensors: add a tensor's size to `counter` for the numbers
after it. NumPy's Philox is another variant (4x64), with other numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from ._kp import Manager, MemoryTypes, OpRandom, Tensor

__all__ = ["bits", "exponential", "integers", "normal", "uniform"]


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
