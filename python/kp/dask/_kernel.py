# SPDX-License-Identifier: Apache-2.0
"""A compute shader as a function of blocks."""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from .. import _kp
from .._constants import pack_push_constants
from .._errors import InvalidArgument
from .._kp import Manager
from .._reflection import Binding, Reflection, reflect
from ._lane import KernelLane
from ._location import LOCATED, MEMBERS
from ._types import Shape, check_dtype

Extent = int | tuple[int, ...]
#: How many invocations: "elements", "axes", numbers, or a function of the shape of the result.
Threads = str | Extent | Callable[[Shape], Extent]


@lru_cache(maxsize=256)
def _reflected(spirv: bytes) -> tuple[Reflection, dict[str, Any]]:
    """What a shader says about itself: for this module, and for packing constants."""
    return reflect(spirv), _kp._reflect(spirv, "main")


class BlockKernel:
    """A compute shader that makes one block of the result out of one block of each array.

    `shader` is SPIR-V, source text or a path; it is compiled here, and travels as SPIR-V. The blocks
    go to `inputs`, by default the bindings 0, 1, ... in order, and the result comes from `output`, by
    default the binding after them. A binding in both is changed in place. All are flat, in C order.

    `threads` counts invocations: "elements" starts one in x for each element of the result, "axes"
    one in x for each along the last axis, in y for the one before, in z for all others together.
    Numbers, or a function of the shape of the block, say anything else.

    `push` and `spec` are push and specialization constants by name; calls can give more push
    constants. `local_size` is for shaders that leave it open (local_size_x_id). Push constants with
    these names are filled in, as far as the shader declares them:

    - kp_block_size: number of elements of the block that the shader writes
    - kp_block_shape, kp_block_offset, kp_block_index: its shape, where its first element lies in the
      whole array, and which block it is
    - kp_input_shape, kp_array_shape: the shapes of the first input block and of the whole array

    Vectors have the axes in NumPy's order; those past the last axis are 1 in shapes and 0 elsewhere.
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
            self._set_local_size((local_size,) if isinstance(local_size, int) else local_size)
        self.check_push({})
        if isinstance(threads, str) and threads not in ("elements", "axes"):
            raise InvalidArgument(
                f'threads is "elements", "axes", numbers or a function, not {threads!r}'
            )
        self.token = self._token()

    def __repr__(self) -> str:
        return f"<kp.dask.BlockKernel {self.__name__!r}, {len(self.spirv)} bytes of SPIR-V>"

    def __dask_tokenize__(self) -> tuple[str, str]:
        return ("kp.dask.BlockKernel", self.token)

    # --- what it is made of -----------------------------------------------------------------------

    @property
    def reflection(self) -> Reflection:
        """What the shader says about itself."""
        return _reflected(self.spirv)[0]

    def bindings(self, inputs: int) -> tuple[tuple[int, ...], int]:
        """The bindings of that many input blocks, and that of the result."""
        places = tuple(range(inputs)) if self.inputs is None else self.inputs
        if len(places) != inputs:
            raise InvalidArgument(
                f"the kernel has inputs={list(places)}, but {inputs} arrays are given"
            )
        output = max(places, default=-1) + 1 if self.output is None else self.output
        used = [binding.binding for binding in self.reflection.bindings]
        if output not in used or not set(used) <= {*places, output}:
            hint = "; a kernel that changes its block in place has inputs=[0], output=0"
            raise InvalidArgument(
                f"the shader uses the bindings {used}, but the {inputs} arrays are bound to "
                f"{list(places)} and the result to {output}{hint if len(used) <= inputs else ''}"
            )
        return places, output

    def binding(self, number: int) -> Binding | None:
        """What the shader says about a binding; None where it does not use it."""
        return next((found for found in self.reflection.bindings if found.binding == number), None)

    def output_dtype(self, inputs: int) -> np.dtype[Any]:
        """What the shader says that the result consists of."""
        output = self.binding(self.bindings(inputs)[1])
        if output is None or output.dtype is None:
            raise InvalidArgument("the result consists of structs; say its dtype")
        return output.dtype

    @property
    def located(self) -> bool:
        """Whether the shader asks for more than the shapes of its blocks."""
        return any(member.name in LOCATED for member in self.reflection.push_constants)

    def members(self) -> dict[str, int]:
        """The push constants that are filled in, with the number of their components."""
        return {
            member.name: member.components
            for member in self.reflection.push_constants
            if member.name in MEMBERS
        }

    # --- checks before anything runs --------------------------------------------------------------

    def check(self, inputs: list[np.dtype[Any]], output: np.dtype[Any], ndim: int) -> None:
        """InvalidArgument where arrays of these dtypes do not fit the shader."""
        places, last = self.bindings(len(inputs))
        for position, (place, dtype) in enumerate(zip(places, inputs, strict=True)):
            check_dtype(dtype, self.binding(place), f"array {position}")
        check_dtype(output, self.binding(last), "the result")
        for name, components in self.members().items():
            if name != "kp_block_size" and components < ndim:
                raise InvalidArgument(
                    f"{name} has {components} components in the shader, but there are {ndim} axes"
                )

    def check_push(self, values: Mapping[str, Any], complete: bool = False) -> None:
        """Raises where values do not fit the push constants; `complete`: or where one is missing."""
        given = {**self.push, **values}
        for name in given:
            if name in MEMBERS:
                raise InvalidArgument(f"{name} is filled in and cannot be given")
        blank = bytes((self.reflection.push_constant_size + 3) // 4 * 4)
        pack_push_constants(_reflected(self.spirv)[1], given, blank, "push")
        declared = [member.name for member in self.reflection.push_constants]
        missing = [name for name in declared if name not in given and name not in MEMBERS]
        if complete and missing:
            raise InvalidArgument(f"the push constants {', '.join(missing)} are not given")

    # --- running ----------------------------------------------------------------------------------

    def extent(self, shape: Shape) -> tuple[int, ...]:
        """Invocations in x, y and z for a result of this shape."""
        threads = self.threads
        if threads == "elements":
            return (math.prod(shape),)
        if threads == "axes":
            last = shape[::-1]
            return (*last[:2], math.prod(last[2:]))
        counts: Any = threads(shape) if callable(threads) else threads
        return (int(counts),) if np.ndim(counts) == 0 else tuple(int(count) for count in counts)

    def open(self, manager: Manager) -> KernelLane:
        """What one thread needs to run this on a device."""
        return KernelLane(manager, self)

    def _check_bindings(self) -> None:
        for binding in self.reflection.bindings:
            if binding.kind not in ("storage_buffer", "uniform_buffer") or binding.count != 1:
                raise InvalidArgument(
                    f"binding {binding.binding} ({binding.name}) is a {binding.kind}"
                    f"{f' [{binding.count}]' if binding.count != 1 else ''}; blocks are given as "
                    "single buffers"
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
                    f"local_size is {sizes}, but the shader fixes it to {fixed} in {axis}; declare "
                    f"local_size_{axis}_id to leave it open"
                )

    def _token(self) -> str:
        """The same for equal kernels, in every process."""
        from dask.base import tokenize

        code = hashlib.sha256(self.spirv).hexdigest()
        return str(tokenize(code, self.inputs, self.output, self.push, self.spec, self.threads))
