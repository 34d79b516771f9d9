# SPDX-License-Identifier: Apache-2.0
"""kp.kernel: a compute shader that is called with arrays.

```python
saxpy = kp.kernel("kernel void saxpy(float a, in float x[], inout float y[]) { y[i] += a * x[i]; }")
saxpy(2.0, x, y)
```
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .._errors import InvalidArgument
from .._kp import Manager, Sampler, Tensor, TuningResult, _checks
from .._wording import explains_keywords
from .launching import Launchable
from .making import made
from .parameters import KEYWORDS, TUNING_KEYWORDS, KernelParameter, Signature
from .shader import KernelShader
from .tuning import Maker, tune


class Kernel(Launchable):
    """A compute shader that is called with arrays. Made by kp.kernel().

    Any thread may call it. It keeps the last managers that it ran on, with its compiled pipelines,
    until they are destroyed. Wherever a shader is expected, it stands for its shader.
    """

    def __init__(
        self,
        shader: KernelShader,
        make: Maker | None = None,
        threads: Any = None,
        again: Callable[[], KernelShader] | None = None,
    ) -> None:
        if not isinstance(shader, KernelShader):
            raise TypeError(
                f"kp.kernel() makes kernels, of a text, a path or SPIR-V; kp.Kernel was given "
                f"{type(shader).__name__}"
            )
        super().__init__(_signature(shader), threads)
        self._shader = shader
        self._make = make
        self._again = again  # compiles it with the checks of this thread
        self._is_checked = bool(_checks())
        self._other: KernelShader | None = None
        self.__name__ = shader.name

    @property
    def name(self) -> str:
        """Its name in messages, traces and statistics."""
        return self._shader.name

    @property
    def glsl(self) -> str:
        """The GLSL text, including the short form's additions. Empty if made from SPIR-V or a
        path."""
        return self._shader.glsl

    @property
    def spirv(self) -> bytes:
        """The compiled shader."""
        return self._shader.spirv

    @property
    def parameters(self) -> tuple[KernelParameter, ...]:
        """The arguments of calls, in their order."""
        return self._shader.parameters

    def _shader_for(self, values: Mapping[str, Any]) -> KernelShader:
        return self._known()

    def _known(self) -> KernelShader:
        if self._again is None or bool(_checks()) == self._is_checked:
            return self._shader
        if self._other is None:
            other = self._again()
            own, now = ([each.name for each in made.parameters] for made in (self._shader, other))
            if own != now:
                raise InvalidArgument(
                    f"kernel '{self.name}' has other arguments with the checks of this call "
                    f"({', '.join(now)}) than without ({', '.join(own)}), because its assertions "
                    "use them; make it with the same checks as its calls"
                )
            self._other = other
        return self._other

    def tune(
        self,
        *args: Any,
        local_size: Iterable[int] | None = None,
        constants: Mapping[str, Iterable[Any]] | None = None,
        defines: Mapping[str, Iterable[Any]] | None = None,
        threads: Any = None,
        mgr: Manager | None = None,
        expect: Mapping[str, Any] | None = None,
        cache_folder: str | os.PathLike[str] = "",
        effort: str = "measure",
        budget: float = 0.0,
        progress: Any = None,
        **kwargs: Any,
    ) -> TuningResult:
        """Find the fastest configuration for a call with these arguments, and use it afterwards.

        - `args`, `kwargs`, `threads`, `mgr`: as for a call. Arrays keep their contents.
        - `local_size`: the work items of a group to try: powers of two from 32 to 512 by default. Full
          shaders declare local_size_x_id.
        - `constants`, `defines`: values to try for specialization constants and for macros of the text,
          by name. With all of them, the kernel must compute the same.
        - `expect`: contents of arrays after a call, by name; configurations with other results are
          rejected.
        - `cache_folder`, `effort`, `budget` (seconds), `progress`: as for Autotuner. Times are kept on
          disk, so that the next process measures nothing.

        Calls with arrays of the same device use the configuration of the last tune() there,
        regardless of size.
        """
        if self._make is None:
            raise TypeError(
                f"kernel '{self.name}' was made from SPIR-V; tune kernels made from text"
            )
        if self._shader.options:
            raise TypeError(
                f"kernel '{self.name}' has {', '.join(self._shader.options)}, with which the "
                "autotuner cannot measure it"
            )
        values = self._signature.bind(args, kwargs, TUNING_KEYWORDS)
        shader = self._known()
        self._signature.refuse(shader.missing(values))
        result = tune(
            shader,
            self._make,
            self.glsl,
            values,
            local_size,
            constants or {},
            defines or {},
            self._threads if threads is None else threads,
            mgr,
            expect or {},
            cache_folder,
            {"effort": effort, "budget": budget, "progress": progress},
        )
        self._forget()
        return result

    def __repr__(self) -> str:
        names = ", ".join(each.name for each in self._shader.parameters)
        return f"<kp.Kernel {self.name}({names})>"


def _signature(shader: KernelShader) -> Signature:
    """Return the signature of a shader's calls. Raises ValueError if a parameter has the name of a
    keyword."""
    for each in shader.parameters:
        if each.name in KEYWORDS:
            raise ValueError(
                f"kernel '{shader.name}' has an argument '{each.name}', which is a keyword of its "
                "calls; rename it"
            )
    names = [each.name for each in shader.parameters if each.kind != "constant"]
    constants = [each.name for each in shader.parameters if each.kind == "constant"]
    aliases = {alias: each.name for each in shader.parameters for alias in each.aliases}
    return Signature(shader.name, names, constants, aliases)


def _listed(name: str, noun: str, given: Any) -> list[Any] | None:
    if given is None:
        return None
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise TypeError(f"{name} takes {noun}, not {given!r}")
    return list(given)


@explains_keywords
def kernel(
    shader: str | os.PathLike[str] | bytes,
    *,
    name: str = "",
    local_size: int | None = None,
    threads: Any = None,
    includes: Iterable[str | os.PathLike[str]] = (),
    defines: Mapping[str, Any] | None = None,
    samplers: Sampler | Iterable[Sampler] | None = None,
    subgroup_size: int | None = None,
    full_subgroups: bool | None = None,
    addressed: Iterable[Tensor] | None = None,
    robust_access: bool | None = None,
    max_private_bytes: int | None = None,
) -> Kernel:
    """Make a kernel from a compute shader, to be called with arrays.

    - `shader`: a full shader (GLSL or HLSL text, a path, or SPIR-V), or GLSL in the short form,
      which has a function `kernel void name(float a, in float x[], out float y[]) { ... }` instead
      of main(). Its body runs once for each index `i` below the number of work items. It must not
      use barriers.
    - `name`: its name in messages; by default the short form's or the file's.
    - `local_size`: work items of a group, for the short form; 64 by default.
    - `threads`: the default number of work items; a number, up to three, or a function of the
      arrays by name.
    - `includes`, `defines`: as for kp.compile().
    - `samplers`, `subgroup_size`, `full_subgroups`, `addressed`, `robust_access`,
      `max_private_bytes`: as for Manager.algorithm(). Samplers and tensors belong to a device, and
      the kernel then runs only there.

    Raises ShaderError if the shader does not compile.
    """
    options = {
        "samplers": (
            samplers if isinstance(samplers, Sampler) else _listed("samplers", "samplers", samplers)
        ),
        "subgroup_size": subgroup_size,
        "full_subgroups": full_subgroups,
        "robust_access": robust_access,
        "max_private_bytes": max_private_bytes,
        "addressed": _listed("addressed", "tensors", addressed),
    }
    for flag in ("full_subgroups", "robust_access"):
        if not isinstance(options[flag], bool | None):
            raise TypeError(f"{flag} is True or False, not {options[flag]!r}")
    options = {key: value for key, value in options.items() if value is not None}

    def make(size: int | None, more: Mapping[str, Any]) -> KernelShader:
        found = made(given, name, size or local_size, includes, {**(defines or {}), **more})
        found.options = options
        return found

    given, includes = shader, list(includes)
    own = make(None, {})
    again = functools.partial(make, None, {}) if isinstance(given, (str, os.PathLike)) else None
    return Kernel(own, make if own.glsl else None, threads, again)
