# SPDX-License-Identifier: Apache-2.0
"""kp.kernel: a compute shader that is called with arrays.

```python
saxpy = kp.kernel("kernel void saxpy(float a, in float x[], inout float y[]) { y[i] += a * x[i]; }")
saxpy(2.0, x, y)
```
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ._kp import Manager, Queue, Sampler, Tensor, TuningResult, _compile_kernel, _keep_kernel
from ._kernel_call import Events
from ._launching import launch
from ._program import TUNING_KEYWORDS, IndexedAccess, Parameter, Program, arguments
from ._reflection import Reflection, reflect
from ._tuning import Maker, tune
from ._wording import explains_keywords, kind_of, readable

_COMMENTS = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
_SHORT = re.compile(r"\bkernel\s+void\s+(\w+)\s*\(([^)]*)\)\s*\{")
_MAIN = re.compile(r"\bvoid\s+main\s*\(")
_ARGUMENT = re.compile(r"(?:(in|out|inout)\s+)?(\w+)\s+(\w+)\s*(\[\s*\])?")
_BLOCK = re.compile(r"layout\s*\(([^)]*)\)[^;{}()]*?\b(?:buffer|uniform)\s+\w+\s*\{([^{}]*)\}")
_SMALL = re.compile(r"\b(?:u?int(?:8|16|64)_t|float16_t|[iu](?:8|16|64)vec[234]|f16\w+)\b")

#: What the short form declares.
_HEADER = """layout(local_size_x = {local_size}) in;
{buffers}layout(push_constant) uniform KpArguments {{
    uvec3 kp_global_size;
{values}}};
"""
_START = """void main() {
    const uint i = gl_GlobalInvocationID.x
        + gl_GlobalInvocationID.y * gl_NumWorkGroups.x * gl_WorkGroupSize.x;
    if (i >= kp_global_size.x)
        return;
   """


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])


def _declarations(name: str, text: str) -> tuple[list[str], str, str]:
    """Return the names, the buffers and the push constants of the arguments of the short form."""
    names, buffers, values = [], "", ""
    for each in text.split(",") if text.strip() else []:
        match = _ARGUMENT.fullmatch(each.strip())
        if match is None:
            raise ValueError(
                f"kernel '{name}': an argument is 'in float x[]' (in, out or inout) or 'float a', "
                f"but '{' '.join(each.split())}' was given"
            )
        access, kind, argument, is_array = match.groups()
        if argument in names or argument == "i":
            why = "is the index" if argument == "i" else "is there twice"
            raise ValueError(f"kernel '{name}': the argument '{argument}' {why}; rename it")
        names.append(argument)
        if not is_array:
            if access in ("out", "inout"):
                raise ValueError(
                    f"kernel '{name}': only arrays are written, but '{argument}' is none; declare "
                    f"'{access} {kind} {argument}[]'"
                )
            values += f"    {kind} {argument};\n"
            continue
        layout = "scalar, " if re.search(r"vec3|mat", kind) else ""
        limit = {"in": "readonly ", "out": "writeonly "}.get(access or "inout", "")
        buffers += (
            f"layout({layout}binding = {buffers.count(';;')}) {limit}buffer Kp_{argument} "
            f"{{ {kind} {argument}[]; }};;\n"
        )
    return names, buffers.replace(";;", ";"), values


def expand(source: str, local_size: int = 64) -> tuple[str, str, list[str]] | None:
    """Return the full shader of a text in the short form, its name and its arguments' names.

    Returns None if the text is not in the short form.
    """
    plain = _COMMENTS.sub(_blank, source)
    match = _SHORT.search(plain)
    if match is None or _MAIN.search(plain):
        return None
    if second := _SHORT.search(plain, match.end()):
        raise ValueError(
            f"a text has one kernel, but '{match[1]}' and '{second[1]}' were given; make one kernel "
            "of each"
        )
    names, buffers, values = _declarations(match[1], match[2])
    before = plain[: match.start()]
    directives = re.findall(r"^\s*#\s*(?:version|extension)\b[^\n]*$", before, re.M)
    version = [line.strip() for line in directives if "version" in line.split()[0] + line]
    version = [line for line in version if re.match(r"#\s*version", line)] or ["#version 450"]
    extensions = [line.strip() for line in directives if not re.match(r"\s*#\s*version", line)]
    if _SMALL.search(plain):
        extensions.append("#extension GL_EXT_shader_explicit_arithmetic_types : require")
    if "layout(scalar" in buffers:
        extensions.append("#extension GL_EXT_scalar_block_layout : require")
    for line in directives:
        before = before.replace(line.strip(), " " * len(line.strip()), 1)
    header = _HEADER.format(local_size=local_size, buffers=buffers, values=values)
    shader = "\n".join([version[0], *extensions, header]) + before.lstrip("\n") + _START
    return shader + source[match.end() :].rstrip() + "\n", match[1], names


def _by_index(source: str, names: list[str]) -> tuple[IndexedAccess, ...]:
    """Return the arrays of a short form that are accessed at [i] and whose length is not asked for."""
    plain = _COMMENTS.sub(_blank, source)
    return tuple(
        (name, (0,))
        for name in names
        if re.search(rf"\b{name}\s*\[\s*i\s*\]", plain)
        and not re.search(rf"\b{name}\s*\.\s*length\b", plain)
    )


def _array_names(source: str) -> dict[int, str]:
    """Return the names of the arrays in the blocks of a shader, by binding."""
    names = {}
    for match in _BLOCK.finditer(_COMMENTS.sub(_blank, source)):
        binding = re.search(r"\bbinding\s*=\s*(\d+)", match[1])
        members = [member.strip() for member in match[2].split(";") if member.strip()]
        if binding and members:
            last = re.fullmatch(r".*?(\w+)\s*(\[[^\[\]]*\])?", members[-1], re.S)
            if last and (last[2] or len(members) == 1):
                names[int(binding[1])] = last[1]
    return names


def _parameters(
    reflection: Reflection, arrays: Mapping[int, str], order: list[str] | None
) -> tuple[tuple[Parameter, ...], int | None]:
    """Return the parameters of a shader, and the index of its kp_global_size."""
    found: list[Parameter] = []
    global_size = None
    if any(binding.set != 0 for binding in reflection.bindings):
        arrays = {}  # by binding alone, which several sets share
    bindings = [
        (each, element)
        for each in reflection.bindings
        if each.argument is not None
        for element in range(each.count)
    ]
    for index, (binding, element) in enumerate(bindings):
        name = arrays.get(binding.binding) or binding.name or f"binding{binding.binding}"
        if binding.count > 1:
            name = f"{binding.name or name}_{element}"
        found.append(
            Parameter(
                name=name,
                index=index,
                kind="image" if "image" in binding.kind else "buffer",
                dtype=binding.dtype,
                components=binding.components,
                stride=binding.array_stride,
                reads=binding.reads,
                writes=binding.writes,
                aliases=(
                    (binding.name,) if binding.count == 1 and binding.name not in ("", name) else ()
                ),
            )
        )
    members = sorted(reflection.push_constants, key=lambda each: each.offset)
    for index, member in enumerate(members, len(bindings)):
        if member.name == "kp_global_size":
            global_size = index
        else:
            found.append(Parameter(member.name, index, "value", member.dtype, member.components))
    first = len(bindings) + len(members)
    constants = [c for c in reflection.spec_constants if c.id not in reflection.local_size_ids]
    for index, constant in enumerate(sorted(constants, key=lambda each: each.id), first):
        name = constant.name or f"constant{constant.id}"
        found.append(Parameter(name, index, "constant", constant.dtype))
    if order is not None:
        unused = set(order) - {each.name for each in found}
        if unused:
            raise ValueError(f"the kernel does not use its argument '{min(unused)}'; remove it")
        found.sort(key=lambda each: order.index(each.name))
    return tuple(found), global_size


class Kernel:
    """A compute shader that is called with arrays. Made by kp.kernel().

    Any thread may call it. It keeps the last managers that it ran on, with its compiled pipelines,
    until they are destroyed. Wherever a shader is expected, it stands for its shader.
    """

    def __init__(self, program: Program, glsl: str, make: Maker | None = None) -> None:
        self._program = program
        self._glsl = glsl
        self._make = make
        self.__name__ = program.name

    @property
    def name(self) -> str:
        """Its name in messages, traces and statistics."""
        return self._program.name

    @property
    def glsl(self) -> str:
        """The GLSL text, with what the short form adds. Empty if it was made of SPIR-V or a path."""
        return self._glsl

    @property
    def spirv(self) -> bytes:
        """The compiled shader."""
        return self._program.spirv

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The arguments of calls, in their order."""
        return self._program.parameters

    def __kp_shader__(self) -> bytes:
        return self._program.spirv

    def _keep(self, folder: str) -> None:
        self._program._keep(folder)

    def __getitem__(self, threads: Any) -> Sized:
        return Sized(self, threads)

    def __call__(
        self,
        *args: Any,
        threads: Any = None,
        mgr: Manager | None = None,
        queue: Queue | None = None,
        wait_for: Events = None,
        target: str | int = "all",
        **kwargs: Any,
    ) -> Any:
        """Launch it with arrays and numbers, and return the arrays that it writes.

        - `args`, `kwargs`: the arguments, by position or by name. Arrays that it only writes may be
          left out. They get the shape of the largest array given.
        - `threads`: the number of work items, or up to three (x, y, z). By default there is one for
          each element of the largest array.
        - `mgr`: the device for NumPy arrays; by default that of the tensors, or default_manager().
        - `queue`: by default the manager's default queue.
        - `wait_for`: the events to wait for.
        - `target`: the devices of a group that run it, if the arrays are kp.Buffers.

        Calls with NumPy arrays that are written wait for the result. Other calls return at once.
        """
        values = arguments(self._program, args, kwargs)
        return launch(self._program, values, threads, mgr, queue, wait_for, target)

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
        """Find the fastest configuration for a call with these arguments, and use it from now on.

        - `args`, `kwargs`, `threads`, `mgr`: as for a call. Arrays keep their contents.
        - `local_size`: the work items of a group to try: powers of two from 32 to 512 by default. Full
          shaders declare local_size_x_id.
        - `constants`, `defines`: values to try for specialization constants and for macros of the text,
          by name. With all of them, the kernel must compute the same.
        - `expect`: what arrays have after a call, by name; configurations with other results are not
          chosen.
        - `cache_folder`, `effort`, `budget` (seconds), `progress`: as for Autotuner. Times are kept on
          disk, so that the next process measures nothing.

        Calls with arrays of the same device use the configuration of the last tune() there, whatever
        their size.
        """
        if self._make is None:
            raise TypeError(f"kernel '{self.name}' was made of SPIR-V; tune kernels made of text")
        if self._program.options:
            raise TypeError(
                f"kernel '{self.name}' has {', '.join(self._program.options)}, with which the "
                "autotuner cannot measure it"
            )
        return tune(
            self._program,
            self._make,
            self._glsl,
            arguments(self._program, args, kwargs, TUNING_KEYWORDS),
            local_size,
            constants or {},
            defines or {},
            self._program.threads if threads is None else threads,
            mgr,
            expect or {},
            cache_folder,
            {"effort": effort, "budget": budget, "progress": progress},
        )

    def __repr__(self) -> str:
        names = ", ".join(each.name for each in self._program.parameters)
        return f"<kp.Kernel {self.name}({names})>"


class Sized:
    """A kernel with a number of work items: `kernel[threads]`."""

    def __init__(self, kernel: Any, threads: Any) -> None:
        self._kernel = kernel
        self._threads = threads

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the kernel with this number of work items."""
        if "threads" in kwargs:
            raise TypeError("the number of work items was given twice: in [] and as threads=")
        return self._kernel(*args, threads=self._threads, **kwargs)

    def __repr__(self) -> str:
        return f"{self._kernel!r}[{self._threads!r}]"


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
    """Make a kernel of a compute shader, to be called with arrays.

    - `shader`: a full shader (GLSL or HLSL text, a path, or SPIR-V), or GLSL in the short form,
      which has a function `kernel void name(float a, in float x[], out float y[]) { ... }` instead
      of main(). Its body runs once for each index `i` below the number of work items. It must not
      use barriers.
    - `name`: its name in messages; by default that of the short form or of the file.
    - `local_size`: work items of a group, for the short form; 64 by default.
    - `threads`: the work items of calls that do not say; a number, up to three, or a function of
      the arrays by name.
    - `includes`, `defines`: as for kp.compile().
    - `samplers`, `subgroup_size`, `full_subgroups`, `addressed`, `robust_access`,
      `max_private_bytes`: as for Manager.algorithm(). Samplers and tensors belong to a device, on
      which alone the kernel then runs.

    Raises ShaderError if the shader does not compile.
    """
    given = shader
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

    def make(size: int | None, more: Mapping[str, Any]) -> Program:
        program = _made(
            given, name, size or local_size, threads, includes, {**(defines or {}), **more}
        )[0]
        program.options = options
        return program

    includes = list(includes)
    program, text = _made(shader, name, local_size, threads, includes, defines)
    program.options = options
    return Kernel(program, text, make if text else None)


def _made(
    shader: str | os.PathLike[str] | bytes,
    name: str,
    local_size: int | None,
    threads: Any,
    includes: Iterable[str | os.PathLike[str]],
    defines: Mapping[str, Any] | None,
) -> tuple[Program, str]:
    """Return the program of a shader, and its GLSL if that is known."""
    text = shader if isinstance(shader, str) else ""
    order = None
    by_index: tuple[IndexedAccess, ...] = ()
    kept: Callable[[str], None] | None = None
    short = expand(text, local_size or 64) if text else None
    if short is not None:
        given, (text, found, order) = text, short
        by_index = _by_index(given, order)
        shader, name = text, name or found
    elif local_size is not None:
        raise ValueError(
            "local_size is for kernels in the short form; this shader declares its own"
        )
    if isinstance(shader, (str, os.PathLike)):
        source = (shader, includes, defines, name if short is not None else "", "folders")
        spirv = _compile_kernel(*source)

        def keep(folder: str) -> None:
            _keep_kernel(folder, *source)

        kept = keep
        path = os.fspath(shader)
        if "\n" not in path and "{" not in path:
            text, name = "", name or readable(os.path.basename(path)).split(".")[0]
    elif callable(shader):
        raise TypeError(
            f"a kernel is made of a shader (text, a path or SPIR-V), not of {kind_of(shader)}; kp.jit "
            "compiles functions in Python"
        )
    else:
        spirv = bytes(shader)
    reflection = reflect(spirv)
    parameters, global_size = _parameters(reflection, _array_names(text), order)
    program = Program(
        name=name or "kernel",
        spirv=spirv,
        reflection=reflection,
        parameters=parameters,
        axes=max(axis for axis in range(1, 4) if axis == 1 or reflection.local_size[axis - 1] > 1),
        global_size=global_size,
        folds=short is not None,
        by_index=by_index,
        threads=threads,
        keep=kept,
    )
    return program, text
