# SPDX-License-Identifier: Apache-2.0
"""Memory of arrays as the tensors that primitives take, without copies, and how primitives are launched.

A primitive of an array is launched on the default queue of its manager, after all earlier launches there,
and nothing waits for it: reads do.
"""

from __future__ import annotations

from .._kp import Manager, OpBase, Tensor
from . import launching
from .storage import DType, Shape, Storage, View, home_of, whole_form


def launch(manager: Manager, *operations: OpBase) -> None:
    """Launch operations, one after the other, and return at once."""
    manager._launch(*operations)


def operand(view: View, shape: Shape) -> Tensor:
    """Return elements in C order as a tensor of a shape: their memory, or a copy if it has others, too.

    The memory is not given to new arrays before the tensor is gone.
    """
    storage = launching.whole(view).storage
    return storage.tensor._view(shape, storage)


def blank(manager: Manager, shape: Shape, dtype: DType) -> Tensor:
    """Return new memory for an array as a tensor, with undefined contents."""
    storage = Storage(manager, home_of(manager), whole_form(dtype, shape))
    return storage.tensor._view(shape, storage)
