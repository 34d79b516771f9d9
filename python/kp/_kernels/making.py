# SPDX-License-Identifier: Apache-2.0
"""Shaders of kp.kernel: texts, paths and SPIR-V with the parameters that they declare."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .._kp import _compile_kernel, _keep_kernel
from .._shaders.reflection import Reflection, reflect
from .._wording import kind_of, readable
from .parameters import KernelParameter
from .shader import IndexedAccess, KernelShader
from .text import array_names, by_index, expand


def _parameters(
    reflection: Reflection, arrays: Mapping[int, str], order: list[str] | None
) -> tuple[tuple[KernelParameter, ...], int | None]:
    """Return the parameters of a shader, and the index of its kp_global_size."""
    found: list[KernelParameter] = []
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
            KernelParameter(
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
            found.append(
                KernelParameter(member.name, index, "value", member.dtype, member.components)
            )
    first = len(bindings) + len(members)
    constants = [c for c in reflection.spec_constants if c.id not in reflection.local_size_ids]
    for index, constant in enumerate(sorted(constants, key=lambda each: each.id), first):
        name = constant.name or f"constant{constant.id}"
        found.append(KernelParameter(name, index, "constant", constant.dtype))
    if order is not None:
        unused = set(order) - {each.name for each in found}
        if unused:
            raise ValueError(f"the kernel does not use its argument '{min(unused)}'; remove it")
        found.sort(key=lambda each: order.index(each.name))
    return tuple(found), global_size


def made(
    source: str | os.PathLike[str] | bytes,
    name: str,
    local_size: int | None,
    includes: Iterable[str | os.PathLike[str]],
    defines: Mapping[str, Any] | None,
) -> KernelShader:
    """Return the shader from a text, a path or SPIR-V."""
    text = source if isinstance(source, str) else ""
    order = None
    keep: Callable[[str], None] | None = None
    accesses: tuple[IndexedAccess, ...] = ()
    short = expand(text, local_size or 64) if text else None
    if short is not None:
        given, (text, found, order) = text, short
        accesses = by_index(given, order)
        source, name = text, name or found
    elif local_size is not None:
        raise ValueError(
            "local_size is for kernels in the short form; this shader declares its own"
        )
    if isinstance(source, (str, os.PathLike)):
        text_of = (source, includes, defines, name if short is not None else "", "folders")
        spirv = _compile_kernel(*text_of)
        keep = lambda folder: _keep_kernel(folder, *text_of)  # noqa: E731
        path = os.fspath(source)
        if "\n" not in path and "{" not in path:
            text, name = "", name or readable(os.path.basename(path)).split(".")[0]
    elif callable(source):
        raise TypeError(
            f"a kernel is made from a shader (text, a path or SPIR-V), not {kind_of(source)}; kp.jit "
            "compiles functions in Python"
        )
    else:
        spirv = bytes(source)
    reflection = reflect(spirv)
    parameters, global_size = _parameters(reflection, array_names(text), order)
    return KernelShader(
        name=name or "kernel",
        spirv=spirv,
        reflection=reflection,
        parameters=parameters,
        axes=max(axis for axis in range(1, 4) if axis == 1 or reflection.local_size[axis - 1] > 1),
        global_size=global_size,
        folds=short is not None,
        by_index=accesses,
        glsl=text,
        keep=keep,
    )
