# SPDX-License-Identifier: Apache-2.0
"""Shaders with named parameters, which kp.kernel and kp.jit make and calls launch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .._kp import Kernel as LauncherKernel
from .._kp import Manager
from .._shaders.reflection import Reflection
from .parameters import Extent, KernelParameter

#: An array and, for each of its indices, the matching axis of the work items, or None. A single
#: index counts the elements of the whole array.
IndexedAccess = tuple[str, tuple[int | None, ...]]


@dataclass(frozen=True)
class Tuned:
    """The result of Kernel.tune() for a device: a shader, its local size in x, and constants by
    index.

    - ``launched_with``: the local size for launchers, if the shader does not fix it.
    """

    manager: Manager
    spirv: bytes
    local_size: int
    constants: dict[int, Any]
    launched_with: tuple[int, ...] | None = None


@dataclass
class KernelShader:
    """A shader and the signature of its calls.

    - ``axes``: the number of axes of the work items.
    - ``global_size``: the index of a push constant uvec3 with the number of work items, or None.
    - ``by_index``: the accesses that every work item makes at its own index.
    - ``places``: the last constant index that every work item uses, by array and axis; None is the flat array.
    - ``folds``: whether the shader computes a one-dimensional index from x and y, so that there may
      be more work items than the device takes in x.
    - ``options``: keywords of the launcher's kernel, such as samplers.
    - ``glsl``: its text; "" for SPIR-V and paths.
    - ``keep``: keeps the compiled shader in a cache folder; None if it was not compiled here.
    - ``unchanged``: returns whether its sources are unchanged; None if they cannot change.
    """

    name: str
    spirv: bytes
    reflection: Reflection
    parameters: tuple[KernelParameter, ...]
    axes: int = 1
    extents: tuple[Extent, ...] = ()
    by_index: tuple[IndexedAccess, ...] = ()
    places: tuple[tuple[str, int | None, int], ...] = ()
    global_size: int | None = None
    folds: bool = False
    fixed: dict[int, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    glsl: str = ""
    unchanged: Callable[[], bool] | None = None
    keep: Callable[[str], None] | None = None

    def __post_init__(self) -> None:
        self.by_name = {parameter.name: parameter for parameter in self.parameters}
        self.arrays = [each for each in self.parameters if each.is_array]
        self._tuned: list[Tuned] = []
        self._kernels: list[tuple[Manager, LauncherKernel]] = []

    def is_current(self) -> bool:
        """Return whether its sources are unchanged."""
        return self.unchanged is None or self.unchanged()

    def missing(self, values: Mapping[str, Any]) -> list[str]:
        """Return the required arguments that a call lacks."""
        return [
            each.name
            for each in self.parameters
            if each.name not in values and each.kind != "constant" and not each.is_output
        ]

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

    def tuned_for(self, manager: Manager) -> Tuned | None:
        """Return the result of tuning for a device."""
        for tuned in self._tuned:
            if tuned.manager is manager:
                return tuned
        return None

    def use(self, tuned: Tuned) -> None:
        """Use the result of tuning for later launches."""
        others = [each for each in self._tuned[-7:] if each.manager is not tuned.manager]
        self._tuned = [*[each for each in others if each.manager.is_init()], tuned]
        self._kernels = [each for each in self._kernels if each[0] is not tuned.manager]

    def local_size(self, manager: Manager) -> int:
        """Return the work items of a group in x on a device."""
        found = self.tuned_for(manager)
        return self.reflection.local_size[0] if found is None else found.local_size
