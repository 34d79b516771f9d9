# SPDX-License-Identifier: Apache-2.0
"""Sorting as plain functions, which run at once and return tensors. See _primitives."""

from __future__ import annotations

import numpy as np

from ._kp import OpArgSort, OpSort, Tensor
from ._primitives import _output, _require_tensor, _run, _whole_shape


def sort(
    tensor: Tensor, axis: int | None = -1, descending: bool = False, out: Tensor | None = None
) -> Tensor:
    """Return a sorted copy, along the last axis or with `axis` None of all elements.

    NaNs are the largest elements, so they are first if `descending`. -0 is before +0.
    """
    _require_tensor("sort", tensor)
    result = _output("sort", tensor, _whole_shape(tensor, axis), tensor.dtype, out)
    _run(OpSort(tensor, axis=axis, descending=descending, sorted_keys=result), tensor)
    return result


def argsort(
    tensor: Tensor, axis: int | None = -1, descending: bool = False, out: Tensor | None = None
) -> Tensor:
    """Return the indices (int64) that sort a tensor, in a stable way.

    NaNs are the largest elements, so they are first if `descending`. -0 equals +0, as in NumPy.
    """
    _require_tensor("argsort", tensor)
    axis = axis if tensor.shape else None  # as NumPy does
    result = _output("argsort", tensor, _whole_shape(tensor, axis), np.int64, out)
    _run(OpArgSort(tensor, result, axis=axis, descending=descending, equal_zeros=True), tensor)
    return result
