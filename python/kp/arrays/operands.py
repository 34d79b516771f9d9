# SPDX-License-Identifier: Apache-2.0
"""Memory of arrays as the tensors that primitives take, without copies, and how primitives are launched.

A primitive of an array is launched on the default queue of its manager, after all earlier launches there,
and nothing waits for it: reads do.
"""

from __future__ import annotations

from .._kp import Manager, OpBase, Tensor
from . import storage
from .array import Array
from .storage import DType, Shape


def launch(manager: Manager, *operations: OpBase) -> None:
    """Launch operations, one after the other, and return at once."""
    manager._launch(*operations)


def operand(x: Array, shape: Shape) -> Tensor:
    """Return elements in C order as a tensor of a shape: their memory, or a copy if it has others, too.

    The memory is not given to new arrays before the tensor is gone.
    """
    return x._whole()._tensor(shape)


def blank(manager: Manager, shape: Shape, dtype: DType) -> Tensor:
    """Return new memory for an array as a tensor, with undefined contents."""
    return storage.blank(manager, shape, dtype)._tensor(shape)
