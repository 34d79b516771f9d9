# SPDX-License-Identifier: Apache-2.0
"""Kernel.tune(): the autotuner for kernels that are called with arrays."""

from __future__ import annotations

import hashlib
import math
import operator
import os
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from .._shaders.constants import pack_members
from .._wording import counted
from .._kp import Autotuner, Manager, TunableKernel, TuningArguments, TuningResult
from .call import Call, manager_of
from .shader import KernelShader, Tuned

#: Makes a shader of a local size (None: the shader's) and values of macros.
Maker = Callable[[int | None, Mapping[str, Any]], KernelShader]

_LOCAL_SIZES = (32, 64, 128, 256, 512)


def _push_constants(shader: KernelShader, values: Mapping[int, Any]) -> bytes:
    """Return the push constant block."""
    reflection = shader.reflection
    members = sorted(reflection.push_constants, key=lambda each: each.offset)
    named = {
        member.name: values[index] for index, member in enumerate(members, len(reflection.bindings))
    }
    where = f"kernel '{shader.name}'"
    return pack_members(members, reflection.push_constant_size, named, where)


def _sizes(where: str, local_size: Iterable[int] | None, limit: int) -> list[int]:
    """Return the local sizes to try: the given ones, or the usual ones that the device supports."""
    if local_size is None:
        return [each for each in _LOCAL_SIZES if each <= limit]
    try:
        sizes = [operator.index(each) for each in local_size]
    except TypeError:
        raise TypeError(
            f"{where}: local_size must be a list of integers, not {local_size!r}"
        ) from None
    if not sizes or min(sizes) < 1 or max(sizes) > limit:
        raise ValueError(
            f"{where}: local sizes must be from 1 to {limit} on this device, but are {sizes}"
        )
    return sizes


def _space(
    shader: KernelShader,
    source: str,
    local_size: Iterable[int] | None,
    constants: Mapping[str, Iterable[Any]],
    defines: Mapping[str, Iterable[Any]],
    limit: int,
) -> tuple[list[int], dict[str, list[Any]], dict[str, list[Any]]]:
    where = f"kernel '{shader.name}'"
    own = shader.folds or shader.reflection.local_size_ids[0] is not None
    if local_size is not None and not own:
        raise ValueError(
            f"{where} fixes its local size; declare layout(local_size_x_id = ...) to tune it, or use "
            "the short form"
        )
    sizes = _sizes(where, local_size, limit) if own else []
    known = {each.name: each for each in shader.parameters if each.kind == "constant"}
    for name in constants:
        if name not in known:
            raise TypeError(
                f"{where} has no specialization constant '{name}' (it has {', '.join(known) or 'none'})"
            )
    for name in defines:
        if not re.search(rf"\b{re.escape(name)}\b", source):
            raise ValueError(f"the source of {where} does not use the macro '{name}'")
    values = {name: list(each) for name, each in constants.items()}
    macros = {name: list(each) for name, each in defines.items()}
    for name, each in {**values, **macros}.items():
        if not each:
            raise ValueError(f"{where}: there are no values to try for '{name}'")
    if not own and not values and not macros:
        raise TypeError(
            f"{where} has nothing to tune: give constants= or defines=, or use the short form, whose "
            "local size is tuned"
        )
    return sizes, values, macros


def tune(
    shader: KernelShader,
    make: Maker,
    source: str,
    values: Mapping[str, Any],
    local_size: Iterable[int] | None,
    constants: Mapping[str, Iterable[Any]],
    defines: Mapping[str, Iterable[Any]],
    threads: Any,
    mgr: Manager | None,
    expect: Mapping[str, Any],
    cache_folder: str | os.PathLike[str],
    options: Mapping[str, Any],
) -> TuningResult:
    """Find the fastest configuration for the arguments of a call. See Kernel.tune()."""
    where = f"kernel '{shader.name}'"
    manager = manager_of(shader, values, mgr)
    if any(
        hasattr(value, "__kp_parts__") or hasattr(value, "copy_count") for value in values.values()
    ):
        raise TypeError(
            f"{where} is tuned on one device: give tensors or arrays of group[0], then of the others"
        )
    limit = int(manager.get_device_properties()["max_work_group_invocations"])
    sizes, chosen, macros = _space(shader, source, local_size, constants, defines, limit)
    untuned = make(None, {name: each[0] for name, each in macros.items()})
    call = Call(untuned, values, manager)
    call.make_outputs(threads)
    size = call.size(threads)
    if not math.prod(size):
        raise ValueError(f"{where}: there are no work items to tune with")
    by_index = {
        untuned.by_name[name].index: bound.memory
        for name, bound in call.bound.items()
        if bound.memory is not None
    }
    bindings = sorted(
        each.argument for each in untuned.reflection.bindings if each.argument is not None
    )
    if bindings != list(range(len(bindings))) or len(by_index) != len(bindings):
        raise TypeError(f"{where}: bindings must be 0, 1, ... to be tuned, but are {bindings}")
    if untuned.global_size is not None:
        call.values[untuned.global_size] = [*size, 1, 1][:3]
    arguments = TuningArguments(
        [by_index[index] for index in range(len(bindings))],
        size,
        _push_constants(untuned, call.values),
    )
    for name, expected in expect.items():
        memory = call.bound[name].memory if name in call.bound else None
        if memory is None:
            raise TypeError(f"{where} has no array '{name}' to expect values of")
        wanted = np.asarray(expected).reshape(-1)
        if wanted.size != memory.size():
            raise ValueError(
                f"{where}: '{name}' has {counted(memory.size(), 'element')}, but {wanted.size} "
                "values of it are expected"
            )
        arguments.expect(memory, wanted)
    ids = {each.name: each.id for each in untuned.reflection.spec_constants}
    kernel = TunableKernel(shader.name)
    for name, each in chosen.items():
        kernel.specialization(ids[name], name, each)
    for name, each in macros.items():
        kernel.parameter(name, each)
    short = untuned.folds
    if sizes and short:
        kernel.parameter("local_size", sizes)
    elif sizes:
        kernel.local_size(sizes)

    def configured(configuration: Mapping[str, Any]) -> KernelShader:
        local = int(configuration["local_size"]) if sizes and short else None
        made = make(local, {name: configuration[name] for name in macros})
        if [each.name for each in made.parameters] != [each.name for each in shader.parameters]:
            raise ValueError(f"{where}: with {dict(configuration)} it has other arguments")
        return made

    key = hashlib.sha256(source.encode()).hexdigest()
    kernel.factory(configured, key)

    def groups(configuration: Mapping[str, Any]) -> tuple[int, ...]:
        local = list(untuned.reflection.local_size)
        if sizes:
            local[0] = int(configuration["local_size" if short else "local_size_x"])
        folded = _folded(size, local[0], manager) if short else size
        return tuple(-(-extent // each) for extent, each in zip(folded, local, strict=False))

    kernel.workgroups(groups)
    tuner = Autotuner(manager, cache_folder=cache_folder, **options)
    result = tuner.tune(kernel, arguments)
    best = result.configuration
    local = shader.reflection.local_size[0]
    if sizes:
        local = int(best["local_size" if short else "local_size_x"])
    fixed = {shader.by_name[name].index: best[name] for name in chosen}
    launched_with = None
    if sizes and not short:
        launched_with = (local, *shader.reflection.local_size[1:])[: len(size)]
    shader.use(Tuned(manager, result.spirv, local, fixed, launched_with))
    return result


def _folded(size: tuple[int, ...], local: int, manager: Manager) -> tuple[int, ...]:
    limit = int(manager.get_device_properties()["max_work_group_count"][0])
    groups = -(-size[0] // local)
    if groups <= limit or math.prod(size[1:]) != 1:
        return size
    rows = -(-groups // limit)
    return (-(-groups // rows) * local, rows)
