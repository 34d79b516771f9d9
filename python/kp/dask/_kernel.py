# SPDX-License-Identifier: Apache-2.0
"""Compute shaders as functions of blocks."""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from .._wording import counted
from .. import _kp
from .._shaders.constants import pack_push_constants
from .._errors import InvalidArgument
from .._kp import Manager
from .._shaders.reflection import Binding, Reflection, reflect
from ._lane import KernelLane
from ._location import LOCATED, MEMBERS
from ._types import Shape, check_dtype

Extent = int | tuple[int, ...]
#: The invocation count: "elements", "axes", numbers, or a function of the shape of the result.
Threads = str | Extent | Callable[[Shape], Extent]


@lru_cache(maxsize=256)
def _reflected(spirv: bytes) -> tuple[Reflection, dict[str, Any]]:
    """Return the reflection of a shader, as an object and as the dict that packs constants."""
    return reflect(spirv), _kp._reflect(spirv, "main")


class BlockKernel:
    """A compute shader that computes a block of the result from one block of each array.

    - `shader`: SPIR-V, source text or a path. It is compiled here; workers get the SPIR-V.
    - `inputs`: the bindings of the blocks. The default is 0, 1, ... in order.
    - `output`: the binding of the result. The default is the one after the inputs. A binding that
      is also in `inputs` is changed in place.
    - `push`, `spec`: push and specialization constants by name. Calls can give more push constants.
    - `local_size`: the local size, for shaders that declare local_size_x_id.
    - `threads`: the number of invocations. "elements" starts one in x for each element of the
      result. "axes" starts them in x along the last axis, in y along the one before, and in z along
      all others together. Any other count is given as numbers, or as a function of the shape of the
      result.
    - `name`: the name in task graphs and messages.

    Every block is a flat buffer in C order. Push constants with these names are filled in if the
    shader declares them:

    - kp_block_size: the number of elements of the block that the shader writes
    - kp_block_shape: its shape
    - kp_block_offset: the position of its first element in the whole array
    - kp_block_index: the index of the block along each axis
    - kp_input_shape: the shape of the first input block
    - kp_array_shape: the shape of the whole array

    Vectors have the axes in NumPy's order. Components past the last axis are 1 in shapes and 0
    elsewhere.

    Raises ShaderError if the shader does not compile, and InvalidArgument or TypeError if an
    argument does not match it.
    """

    def __init__(
        self,
        shader: bytes | bytearray | memoryview | str | os.PathLike[str],
        *,
        inputs: Iterable[int] | None = None,
        output: int | None = None,
        push: Mapping[str, Any] | None = None,
        spec: Mapping[str | int, Any] | None = None,
        local_size: Extent | None = None,
        threads: Threads = "elements",
        name: str = "kernel",
    ) -> None:
        is_spirv = isinstance(shader, (bytes, bytearray, memoryview))
        self.spirv = bytes(shader) if is_spirv else _kp.compile(shader)  # type: ignore[arg-type]
        self.inputs = None if inputs is None else tuple(inputs)
        self.output = output
        self.push = dict(push or {})
        self.spec = dict(spec or {})
        self.threads = threads
        self.__name__ = name
        self._check_bindings()
        if local_size is not None:
            self._set_local_size(tuple(map(int, np.atleast_1d(local_size))))
        self.check_push({})
        if isinstance(threads, str) and threads not in ("elements", "axes"):
            raise InvalidArgument(
                f'threads must be "elements", "axes", numbers or a function, but {threads!r} was '
                "given"
            )
        self.token = self._token()

    def __repr__(self) -> str:
        return f"<kp.dask.BlockKernel {self.__name__!r}, {len(self.spirv)} bytes of SPIR-V>"

    def __dask_tokenize__(self) -> tuple[str, str]:
        return ("kp.dask.BlockKernel", self.token)

    # --- reflection -------------------------------------------------------------------------------

    @property
    def reflection(self) -> Reflection:
        """The reflection of the shader."""
        return _reflected(self.spirv)[0]

    def bindings(self, inputs: int) -> tuple[tuple[int, ...], int]:
        """Return the bindings of that many input blocks and the binding of the result."""
        places = tuple(range(inputs)) if self.inputs is None else self.inputs
        if len(places) != inputs:
            raise InvalidArgument(
                f"the kernel has {counted(len(places), 'input')} (bindings {list(places)}), but {inputs} "
                "arrays were given"
            )
        output = max(places, default=-1) + 1 if self.output is None else self.output
        found = [binding.argument for binding in self.reflection.bindings]
        used = [argument for argument in found if argument is not None]
        if output not in used or not set(used) <= {*places, output}:
            hint = "; to change a block in place, use BlockKernel(..., inputs=[0], output=0)"
            raise InvalidArgument(
                f"the shader uses the bindings {used}, but the {inputs} arrays are bound to "
                f"{list(places)} and the result to {output}{hint if len(used) <= inputs else ''}"
            )
        return places, output

    def binding(self, number: int) -> Binding | None:
        """Return the reflection of a binding, or None if the shader does not use it."""
        return next((found for found in self.reflection.bindings if found.argument == number), None)

    def output_dtype(self, inputs: int) -> np.dtype[Any]:
        """Return the dtype of the result's elements in the shader."""
        output = self.binding(self.bindings(inputs)[1])
        if output is None or output.dtype is None:
            raise InvalidArgument(
                "the result consists of structs, whose dtype the shader does not define; give dtype"
            )
        return output.dtype

    @property
    def located(self) -> bool:
        """Whether the shader uses the position of its block in the whole array."""
        return any(member.name in LOCATED for member in self.reflection.push_constants)

    def members(self) -> dict[str, int]:
        """Return the push constants that are filled in, with their numbers of components."""
        return {
            member.name: member.components
            for member in self.reflection.push_constants
            if member.name in MEMBERS
        }

    # --- checks before anything runs --------------------------------------------------------------

    def check(self, inputs: list[np.dtype[Any]], output: np.dtype[Any], ndim: int) -> None:
        """Raise InvalidArgument if arrays of these dtypes do not match the shader."""
        places, last = self.bindings(len(inputs))
        for position, (place, dtype) in enumerate(zip(places, inputs, strict=True)):
            check_dtype(dtype, self.binding(place), f"array {position}")
        check_dtype(output, self.binding(last), "the result")
        for name, components in self.members().items():
            if name != "kp_block_size" and components < ndim:
                raise InvalidArgument(
                    f"{name} has {counted(components, 'component')} in the shader, but the array has {ndim} "
                    "axes; declare it with as many components"
                )

    def check_push(self, values: Mapping[str, Any], complete: bool = False) -> None:
        """Raise if values do not match the push constants, or, with `complete`, one is missing."""
        given = {**self.push, **values}
        for name in given:
            if name in MEMBERS:
                raise InvalidArgument(f"{name} is filled in automatically; do not give it a value")
        blank = bytes((self.reflection.push_constant_size + 3) // 4 * 4)
        pack_push_constants(_reflected(self.spirv)[1], given, blank, "push")
        declared = [member.name for member in self.reflection.push_constants]
        missing = [name for name in declared if name not in given and name not in MEMBERS]
        if complete and missing:
            raise InvalidArgument(
                f"the push constants {', '.join(missing)} have no value; give them by name"
            )

    # --- running ----------------------------------------------------------------------------------

    def extent(self, shape: Shape) -> tuple[int, ...]:
        """Return the numbers of invocations, x first, for a result of this shape."""
        threads = self.threads
        if isinstance(threads, str):  # "axes" or "elements"
            last = shape[::-1]
            return (*last[:2], math.prod(last[2:])) if threads == "axes" else (math.prod(shape),)
        counts: Any = threads(shape) if callable(threads) else threads
        return (int(counts),) if np.ndim(counts) == 0 else tuple(int(count) for count in counts)

    def open(self, manager: Manager) -> KernelLane:
        """Create a lane: one thread at a time runs the kernel with it, on the manager's device."""
        return KernelLane(manager, self)

    def _check_bindings(self) -> None:
        for binding in self.reflection.bindings:
            if binding.kind not in ("storage_buffer", "uniform_buffer") or binding.count != 1:
                raise InvalidArgument(
                    f"binding {binding.binding} ({binding.name}) is a {binding.kind}"
                    f"{f' [{binding.count}]' if binding.count != 1 else ''}; blocks can only be "
                    "bound to single buffers"
                )

    def _set_local_size(self, sizes: tuple[int, ...]) -> None:
        found = self.reflection
        sizes = (*sizes, 1, 1)[:3]
        for axis, size, place, fixed in zip(
            "xyz", sizes, found.local_size_ids, found.local_size, strict=True
        ):
            if place is not None:
                self.spec[place] = size
            elif size != fixed:
                raise InvalidArgument(
                    f"local_size {sizes} was given, but the shader fixes it to {fixed} in {axis}; "
                    f"declare local_size_{axis}_id in the shader"
                )

    def _token(self) -> str:
        """Return a token that is the same for equal kernels in every process."""
        from dask.base import tokenize

        code = hashlib.sha256(self.spirv).hexdigest()
        return str(tokenize(code, self.inputs, self.output, self.push, self.spec, self.threads))
