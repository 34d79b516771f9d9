# SPDX-License-Identifier: Apache-2.0
"""The library's primitives, applied to arrays: their arguments as tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._kp import Manager, MemoryTypes, Tensor
from .array import Array, converted, share
from .elementwise import assign_all
from .operands import for_arrays, operand
from .storage import DType


def cast(tensor: Tensor, dtype: DType) -> Tensor:
    """Return a copy of a tensor in another dtype, as memory of an array if the tensor is."""
    if tensor._owner is not None:
        return operand(converted(Array._from_tensor(tensor), dtype), tensor.shape)
    copy = tensor.manager.tensor(shape=tensor.shape, dtype=dtype, memory_type=MemoryTypes.device)
    assign_all(share(copy), converted(share(tensor), dtype))
    return copy


def offsets_of(x: Array, segments: Any) -> Any:
    """Return the checked offsets of segments of x. Offsets on a device wait for it."""
    if isinstance(segments, Tensor):
        segments = share(segments)
    if isinstance(segments, Array):
        if segments.ndim == 1 and segments._dtype.kind in "iu":
            with for_arrays():
                _require_ascending(segments, x.size)
        return segments
    if not isinstance(segments, (list, tuple, np.ndarray)):
        return segments
    offsets = np.asarray(segments)
    if offsets.dtype.kind not in "iu" and offsets.size:
        raise TypeError(f"segments are offsets, which are integers, not '{offsets.dtype}'")
    if offsets.ndim == 1:
        _require_ascending(offsets, x.size)
    return offsets.astype(np.int32 if x.size < 2**31 else np.int64)


def _require_ascending(offsets: Any, size: int) -> None:
    """Raise ValueError unless offsets of segments are in ascending order and within a size."""
    if offsets.shape[0] < 2:
        wrong = offsets.shape[0] == 1 and not 0 <= int(offsets[0]) <= size
    else:
        before, after = offsets[:-1], offsets[1:]
        wrong = bool(((after < before) | (before < 0) | (after > size)).any())
    if wrong:
        raise ValueError(f"segments are offsets in ascending order from 0 to {size}, not {offsets}")


def on_device(segments: Any, manager: Manager) -> Tensor:
    """Return offsets of segments as a tensor."""
    return segments.tensor() if isinstance(segments, Array) else manager.tensor_t(segments)
