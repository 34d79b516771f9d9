# SPDX-License-Identifier: Apache-2.0
"""Programs: shaders with named parameters, which kp.kernel and kp.jit make and calls launch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ._kp import Kernel as LauncherKernel
from ._kp import Manager
from ._reflection import Reflection
from ._wording import counted, nearest

#: Keywords of every call. Shaders must not have arguments of these names.
KEYWORDS = ("threads", "mgr", "queue", "wait_for", "target")

#: An array and, of each of its indices, the axis of the work items that it is, or None. A single
#: index counts the elements of the whole array.
IndexedAccess = tuple[str, tuple[int | None, ...]]

#: Keywords of Kernel.tune().
TUNING_KEYWORDS = (
    "local_size",
    "constants",
    "defines",
    "threads",
    "mgr",
    "expect",
    "cache_folder",
    "effort",
    "budget",
    "progress",
)


@dataclass(frozen=True)
class Parameter:
    """An argument of a kernel.

    - ``index``: its index among the arguments of a launcher; -1 for an array of which the shader
      uses the shape alone.
    - ``kind``: "buffer", "image", "value" (of the push constants) or "constant" (a specialization
      constant, which may be left out).
    - ``components``: numbers in an element of the shader's array, or in the value.
    - ``stride``: bytes of an element of the shader's array; 0 if the buffer has no such array.
    - ``ndim``: the number of dimensions that an array must have, without that of the components;
      None for any.
    - ``default``: the value if a call gives none, or ``...`` if it must.
    """

    name: str
    index: int
    kind: str
    dtype: np.dtype[Any] | None
    components: int = 1
    stride: int = 0
    reads: bool = False
    writes: bool = False
    ndim: int | None = None
    default: Any = ...
    aliases: tuple[str, ...] = ()

    @property
    def is_array(self) -> bool:
        return self.kind in ("buffer", "image")

    @property
    def is_output(self) -> bool:
        """Whether the shader writes every element that it accesses, so that calls may leave it out."""
        return self.kind == "buffer" and self.writes and not self.reads and self.dtype is not None


@dataclass(frozen=True)
class Extent:
    """A hidden argument: an extent of a parameter's array."""

    index: int
    name: str
    axis: int


@dataclass(frozen=True)
class Plan:
    """What calls with arrays of the same types and shapes have in common.

    - ``local_size``: what launchers are given; None if the shader fixes it.
    - ``arguments``: those of the launcher, by index, with None in place of what a call gives.
    - ``slots``: of each argument that a call may give, its parameter, index, whether it is an
      array, and whether the kernel writes it.
    """

    size: tuple[int, ...]
    local_size: tuple[int, ...] | None
    arguments: list[Any]
    slots: tuple[tuple[Parameter, int, bool, bool], ...]


@dataclass(frozen=True)
class Tuned:
    """What Kernel.tune() found for a device: a shader, its local size in x, and constants by index.

    - ``launched_with``: the local size that launchers are given, if the shader does not fix it.
    """

    manager: Manager
    spirv: bytes
    local_size: int
    constants: dict[int, Any]
    launched_with: tuple[int, ...] | None = None


@dataclass
class Program:
    """A shader and what its calls may give.

    - ``axes``: the number of axes of the work items.
    - ``global_size``: the index of a push constant uvec3 with the number of work items, or None.
    - ``by_index``: the accesses that every work item makes at its own index.
    - ``places``: the last constant index that every work item uses, by array and axis; None is the flat array.
    - ``folds``: whether the shader computes a one-dimensional index from x and y, so that there may
      be more work items than the device takes in x.
    - ``options``: keywords of the launcher's kernel, such as samplers.
    - ``keep``: keeps the compiled shader in a cache folder.
    """

    name: str
    spirv: bytes
    reflection: Reflection
    parameters: tuple[Parameter, ...]
    axes: int = 1
    extents: tuple[Extent, ...] = ()
    by_index: tuple[IndexedAccess, ...] = ()
    places: tuple[tuple[str, int | None, int], ...] = ()
    global_size: int | None = None
    folds: bool = False
    fixed: dict[int, Any] = field(default_factory=dict)
    threads: Any = None
    options: dict[str, Any] = field(default_factory=dict)
    keep: Callable[[str], None] | None = None

    def __post_init__(self) -> None:
        self.by_name = {parameter.name: parameter for parameter in self.parameters}
        for parameter in self.parameters:
            for alias in parameter.aliases:
                self.by_name.setdefault(alias, parameter)
            if parameter.name in KEYWORDS:
                raise ValueError(
                    f"kernel '{self.name}' has an argument '{parameter.name}', which is a keyword "
                    "of its calls; rename it"
                )
        self.arrays = [each for each in self.parameters if each.is_array]
        self.array_names = [each.name for each in self.arrays]
        self.positional = [each.name for each in self.parameters if each.kind != "constant"]
        self.plans: dict[tuple[Any, ...], Plan] = {}
        self.last: Any = None  # what launch() keeps of the last call
        self._tuned: list[Tuned] = []
        self._kernels: list[tuple[Manager, LauncherKernel]] = []

    def __kp_shader__(self) -> bytes:
        return self.spirv

    def _keep(self, folder: str) -> None:
        if self.keep is not None:
            self.keep(folder)

    def kernel(self, manager: Manager) -> LauncherKernel:
        """Return the launcher's kernel on a device, which is made at the first call."""
        for known, kernel in self._kernels:
            if known is manager:
                return kernel
        kept = [each for each in self._kernels[-7:] if each[0].is_init()]
        found = self.tuned_for(manager)
        spirv = self.spirv if found is None else found.spirv
        self._keep(manager._cache_folder())
        kernel = LauncherKernel(manager, spirv, emulate_types=True, **self.options)
        self._kernels = [*kept, (manager, kernel)]
        return kernel

    @property
    def is_tuned(self) -> bool:
        """Whether tuning found something for any device."""
        return bool(self._tuned)

    def tuned_for(self, manager: Manager) -> Tuned | None:
        """Return what tuning found for a device."""
        for tuned in self._tuned:
            if tuned.manager is manager:
                return tuned
        return None

    def use(self, tuned: Tuned) -> None:
        """Launch with what tuning found from now on."""
        others = [each for each in self._tuned[-7:] if each.manager is not tuned.manager]
        self._tuned = [*[each for each in others if each.manager.is_init()], tuned]
        self._kernels = [each for each in self._kernels if each[0] is not tuned.manager]
        self.plans.clear()
        self.last = None

    def local_size(self, manager: Manager) -> int:
        """Return the work items of a group in x on a device."""
        found = self.tuned_for(manager)
        return self.reflection.local_size[0] if found is None else found.local_size


def arguments(
    program: Program,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    keywords: tuple[str, ...] = KEYWORDS,
) -> dict[str, Any]:
    """Return the arguments of a call by the names of their parameters.

    `keywords` are the other keywords of the call, for messages.
    """
    if not kwargs and len(args) == len(program.positional):
        for value in args:
            if value is None:
                break
        else:
            return dict(zip(program.positional, args, strict=True))
    positional = [each for each in program.parameters if each.kind != "constant"]
    if len(args) > len(positional):
        raise TypeError(
            f"kernel '{program.name}' takes {counted(len(positional), 'argument')} "
            f"({', '.join(each.name for each in positional)}), but was given {len(args)}"
        )
    values = {each.name: value for each, value in zip(positional, args, strict=False)}
    for name, value in kwargs.items():
        parameter = program.by_name.get(name)
        if parameter is None:
            known = [*(each.name for each in program.parameters), *keywords]
            raise TypeError(
                f"kernel '{program.name}' has no argument '{name}'{nearest(name, known)}"
            )
        if parameter.name in values:
            raise TypeError(f"kernel '{program.name}' got its argument '{name}' twice")
        values[parameter.name] = value
    missing = []
    for parameter in program.parameters:
        if values.get(parameter.name) is None:
            values.pop(parameter.name, None)
            if parameter.default is not ... and parameter.default is not None:
                values[parameter.name] = parameter.default
            elif parameter.kind != "constant" and not parameter.is_output:
                missing.append(parameter.name)
    if missing:
        raise TypeError(
            f"kernel '{program.name}' needs {', '.join(repr(name) for name in missing)}; it takes "
            f"{', '.join(each.name for each in positional)}"
        )
    return values
