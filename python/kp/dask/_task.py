# SPDX-License-Identifier: Apache-2.0
"""The task that Dask calls for each block."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._errors import DeviceLost, InvalidArgument, OutOfMemory
from .._kp import Manager
from . import _cache, _managers
from ._kernel import BlockKernel
from ._location import Halo, push_constants, whole_numbers
from ._managers import Device
from ._prepared import Prepared
from ._types import Shape, native, own

Function = BlockKernel | Prepared | Callable[..., Any]


@dataclass(frozen=True)
class BlockTask:
    """A function of blocks, with everything that it needs on another machine."""

    function: Function
    dtype: np.dtype[Any]
    #: For each argument, whether it is split into blocks. Others are passed as a whole.
    split: tuple[bool, ...]
    #: Which of "block_info" and "block_id" Dask passes.
    wanted: tuple[str, ...]
    #: Whether the result has the shape that Dask planned, instead of the blocks' shape.
    planned: bool
    device: Device | None
    halo: Halo | None

    @property
    def __name__(self) -> str:
        return str(getattr(self.function, "__name__", type(self.function).__name__))

    @property
    def __signature__(self) -> inspect.Signature:
        """The signature, from which Dask takes the keyword arguments to pass."""
        kinds = inspect.Parameter
        return inspect.Signature(
            [
                kinds("blocks", kinds.VAR_POSITIONAL),
                *(kinds(name, kinds.KEYWORD_ONLY, default=None) for name in self.wanted),
                kinds("arguments", kinds.VAR_KEYWORD),
            ]
        )

    def __call__(self, *blocks: Any, **arguments: Any) -> NDArray[Any]:
        """Compute a block of the result."""
        manager = _managers.manager(self.device)
        try:
            try:
                result = self._run(manager, blocks, arguments)
            except OutOfMemory:
                # Idle lanes hold memory that may be enough.
                _cache.drop_idle()
                result = self._run(manager, blocks, arguments)
        except DeviceLost:
            # Dask's next attempt gets a new Manager.
            _cache.drop_idle()
            _managers.drop(manager)
            raise
        _cache.count_block()
        return result

    def _run(
        self, manager: Manager, blocks: tuple[Any, ...], arguments: Mapping[str, Any]
    ) -> NDArray[Any]:
        if isinstance(self.function, BlockKernel):
            return self._run_kernel(self.function, manager, blocks, dict(arguments))
        if isinstance(self.function, Prepared):
            with _cache.lease(self.function, manager) as lease:
                result = lease.lane.function(*blocks, **arguments)
                # A copy, because the next block may overwrite the function's memory.
                return np.array(self._checked(result, blocks))
        function: Callable[..., Any] = self.function
        return own(self._checked(function(manager, *blocks, **arguments), blocks))

    def _run_kernel(
        self,
        kernel: BlockKernel,
        manager: Manager,
        blocks: tuple[Any, ...],
        arguments: dict[str, Any],
    ) -> NDArray[Any]:
        info = arguments.pop("block_info", None)
        shape = self._shape(blocks, info)
        if math.prod(shape) == 0:
            return np.empty(shape, self.dtype)
        arrays = [
            np.broadcast_to(block, shape) if split and not self.planned else np.asarray(block)
            for block, split in zip(blocks, self.split, strict=True)
        ]
        first = arrays[0].shape if arrays else ()
        push = {
            **kernel.push,
            **arguments,
            **push_constants(kernel.members(), shape, first, info, self.halo),
        }
        with _cache.lease(kernel, manager) as lease:
            lease.reserve(lease.lane.needs(arrays, shape, self.dtype))
            return lease.lane.run(arrays, shape, self.dtype, push)

    def _shape(self, blocks: tuple[Any, ...], info: Mapping[Any, Any] | None) -> Shape:
        """Return the shape of the block of the result."""
        if self.planned and info is not None:
            return whole_numbers(info[None]["chunk-shape"], "the shape of a block")
        shapes = [np.shape(block) for block, split in zip(blocks, self.split, strict=True) if split]
        return np.broadcast_shapes(*shapes)

    def _checked(self, result: Any, blocks: tuple[Any, ...]) -> NDArray[Any]:
        array = native(result)
        if array.dtype != self.dtype:
            raise InvalidArgument(
                f"{self.__name__} returned dtype {array.dtype}, but {self.dtype} is expected; give "
                "dtype to map_blocks(), or convert the result"
            )
        if not self.planned and array.shape != (wanted := self._shape(blocks, None)):
            raise InvalidArgument(
                f"{self.__name__} returned a block of shape {array.shape}, but {wanted} is "
                "expected; give chunks, drop_axis or new_axis if the function changes the shape"
            )
        return array
