# SPDX-License-Identifier: Apache-2.0
"""What runs a shader on one block after another: algorithm, sequence and tensors."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .._errors import InvalidArgument
from .._kp import Algorithm, Manager, MemoryTypes, OpAlgoDispatch, Tensor
from ._types import Shape, check_dtype, native, native_dtype

if TYPE_CHECKING:
    from ._kernel import BlockKernel

#: Binding, number of elements and their dtype.
Plan = dict[int, tuple[int, np.dtype[Any]]]


class KernelLane:
    """Runs a kernel for one thread at a time. Its tensors stay for blocks of the same sizes."""

    def __init__(self, manager: Manager, kernel: BlockKernel) -> None:
        self.manager = manager
        self._kernel = kernel
        self._used = [binding.binding for binding in kernel.reflection.bindings]
        self._sequence = manager.sequence()
        self._algorithm: Algorithm | None = None
        self._plan: Plan = {}
        self._tensors: dict[int, Tensor] = {}

    @property
    def nbytes(self) -> int:
        """Device memory that its tensors take."""
        return sum(tensor.nbytes for tensor in self._tensors.values())

    def needs(self, blocks: Sequence[NDArray[Any]], shape: Shape, dtype: np.dtype[Any]) -> int:
        """Device memory for these blocks and a result of this shape."""
        plan = self._plan_of(blocks, shape, dtype)
        return sum(size * kind.itemsize for size, kind in plan.values())

    def release(self) -> None:
        """Gives its tensors up. The pipeline stays."""
        self._sequence = self.manager.sequence()
        self._algorithm = None  # it holds them
        self._tensors, self._plan = {}, {}

    def run(
        self,
        blocks: Sequence[NDArray[Any]],
        shape: Shape,
        dtype: np.dtype[Any],
        push: Mapping[str, Any],
    ) -> NDArray[Any]:
        """The block of the result, which has an element or more."""
        places, output = self._kernel.bindings(len(blocks))
        for position, (place, block) in enumerate(zip(places, blocks, strict=True)):
            check_dtype(block.dtype, self._kernel.binding(place), f"block {position}")
            if place in self._used and block.size == 0:
                raise InvalidArgument(
                    f"block {position} has the shape {block.shape} and no element, but the result "
                    f"has the shape {shape}"
                )
        self._prepare(self._plan_of(blocks, shape, dtype), shape, push)
        for place, block in zip(places, blocks, strict=True):
            if place in self._tensors:
                self._tensors[place].write(native(block).reshape(-1))
        assert self._algorithm is not None
        if push:
            self._sequence.eval(OpAlgoDispatch(self._algorithm, push))
        else:
            self._sequence.eval(OpAlgoDispatch(self._algorithm))
        return self._tensors[output].read().reshape(shape)

    def _plan_of(self, blocks: Sequence[NDArray[Any]], shape: Shape, dtype: np.dtype[Any]) -> Plan:
        places, output = self._kernel.bindings(len(blocks))
        plan = {
            place: (block.size, native_dtype(block.dtype))
            for place, block in zip(places, blocks, strict=True)
            if place in self._used
        }
        result = (math.prod(shape), dtype)
        if plan.get(output, result) != result:
            raise InvalidArgument(
                f"binding {output} is changed in place, so its block and the result have the same "
                f"size and dtype; they have {plan[output]} and {result}"
            )
        plan[output] = result
        return plan

    def _prepare(self, plan: Plan, shape: Shape, push: Mapping[str, Any]) -> None:
        """Makes what the plan asks for and is not there yet."""
        if plan != self._plan:
            kept = {
                place: self._tensors[place]
                for place, wanted in self._plan.items()
                if plan.get(place) == wanted
            }
            self.release()
            for place, (size, dtype) in plan.items():
                if place not in kept:
                    kept[place] = self.manager.tensor(
                        shape=size, dtype=dtype, memory_type=MemoryTypes.storage
                    )
            self._tensors = kept
            self._plan = plan
        extent = (*self._kernel.extent(shape), 1, 1)[:3]
        if self._algorithm is None:
            self._algorithm = self.manager.algorithm(
                [self._tensors[place] for place in sorted(self._used)],
                self._kernel.spirv,
                spec_consts=self._kernel.spec or (),
                push_consts=push or (),
                thread_count=extent,
            )
        else:
            self._algorithm.set_thread_count(*extent)
