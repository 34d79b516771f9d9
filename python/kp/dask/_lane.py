# SPDX-License-Identifier: Apache-2.0
"""The algorithm, sequence and tensors that run a kernel on one block after another."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from .._errors import InvalidArgument
from .._kp import Algorithm, Manager, MemoryTypes, OpAlgoDispatch, Tensor
from .._shaders.reflection import Binding, Reflection
from ._types import Shape, check_dtype, native, native_dtype

#: The number of elements and the dtype of each binding.
Layout = dict[int, tuple[int, np.dtype[Any]]]


class LaneKernel(Protocol):
    """The part of a BlockKernel that a lane uses."""

    spirv: bytes
    spec: dict[str | int, Any]

    @property
    def reflection(self) -> Reflection: ...

    def bindings(self, inputs: int) -> tuple[tuple[int, ...], int]: ...

    def binding(self, number: int) -> Binding | None: ...

    def extent(self, shape: Shape) -> tuple[int, ...]: ...


class KernelLane:
    """Runs a kernel for one thread at a time. Keeps its tensors for blocks of the same size."""

    def __init__(self, manager: Manager, kernel: LaneKernel) -> None:
        self.manager = manager
        self._kernel = kernel
        found = [binding.argument for binding in kernel.reflection.bindings]
        self._used = [argument for argument in found if argument is not None]
        self._sequence = manager.sequence()
        self._algorithm: Algorithm | None = None
        self._plan: Layout = {}
        self._tensors: dict[int, Tensor] = {}

    @property
    def nbytes(self) -> int:
        """The device memory that its tensors use."""
        return sum(tensor.nbytes for tensor in self._tensors.values())

    def needs(self, blocks: Sequence[NDArray[Any]], shape: Shape, dtype: np.dtype[Any]) -> int:
        """Return the bytes of device memory for these blocks and a result of this shape."""
        plan = self._plan_of(blocks, shape, dtype)
        return sum(size * kind.itemsize for size, kind in plan.values())

    def release(self) -> None:
        """Release the tensors. The manager keeps the pipeline."""
        self._sequence = self.manager.sequence()
        self._algorithm = None  # it holds the tensors
        self._tensors, self._plan = {}, {}

    def run(
        self,
        blocks: Sequence[NDArray[Any]],
        shape: Shape,
        dtype: np.dtype[Any],
        push: Mapping[str, Any],
    ) -> NDArray[Any]:
        """Compute a block of the result. It must have at least one element."""
        places, output = self._kernel.bindings(len(blocks))
        for position, (place, block) in enumerate(zip(places, blocks, strict=True)):
            check_dtype(block.dtype, self._kernel.binding(place), f"block {position}")
            if place in self._used and block.size == 0:
                raise InvalidArgument(
                    f"block {position} has the shape {block.shape} and no elements, but the result "
                    f"has the shape {shape}; give an array that is not empty"
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

    def _plan_of(
        self, blocks: Sequence[NDArray[Any]], shape: Shape, dtype: np.dtype[Any]
    ) -> Layout:
        places, output = self._kernel.bindings(len(blocks))
        plan = {
            place: (block.size, native_dtype(block.dtype))
            for place, block in zip(places, blocks, strict=True)
            if place in self._used
        }
        result = (math.prod(shape), dtype)
        if plan.get(output, result) != result:
            raise InvalidArgument(
                f"binding {output} is changed in place, so its block and the result must have the "
                f"same size and dtype, but they have {plan[output]} and {result}"
            )
        plan[output] = result
        return plan

    def _prepare(self, plan: Layout, shape: Shape, push: Mapping[str, Any]) -> None:
        """Create the tensors of the plan that do not exist yet, and the algorithm."""
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
