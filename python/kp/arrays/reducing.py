# SPDX-License-Identifier: Apache-2.0
"""Kernels that compute an expression and reduce it along axes in the same dispatch."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .._kp import Manager
from .codegen import LOCAL_SIZE, WIDE, Layout, Program, Writer, each_of, renamed
from .elements import wide_bindings
from .expressions import Node, leaf, lock
from .launching import launch_plan, sources, store
from .plans import Plan, Signature, keep, known
from .storage import DType, Form, Storage, View, home_of
from .types import convert, number
from .windows import any_large, halves, local, longest_axis, part_of

#: Elements that a work group reduces at least, if there are work groups for all of the device.
_CHUNK = 8192


@dataclass(frozen=True)
class Reduction:
    """`combine` is GLSL over {0} and {1}, `identity` GLSL, and `finish` GLSL over {0} and n.

    The first two are of the type of what is reduced. n is the number of reduced elements.
    """

    combine: str
    identity: str
    finish: str = "{0}"


def _wide_loop(writer: Writer, program: Program, start: str, end: str) -> str:
    """Combine neighbouring elements in their order, from one multiple of WIDE to another."""
    text, _ = writer.neighbours("j", "reduced", "        ")
    last = f"v{len(program.instructions) - 1}"
    pairs = [f"combine({last}_{first}, {last}_{first + 1})" for first in range(0, WIDE, 2)]
    text += f"        total = combine(total, combine({', '.join(pairs)}));\n"
    return f"    for (uint j = {start}; j < {end}; j += {WIDE}u) {{\n{text}    }}\n"


def _loop(writer: Writer, program: Program, start: str, end: str, step: str) -> str:
    """Combine elements in their order. Of small programs, several are loaded before the first is used."""

    def element(index: str, part: str) -> tuple[str, str]:
        text = writer.coordinates(index, "reduced", "        ")
        for at in range(len(program.instructions)):
            text += f"        {writer.statement(at, 'i', index)}\n"
        text = renamed(text, "reduced", part)
        last = f"v{len(program.instructions) - 1}{part}"
        return text, f"        total = combine(total, {last});\n"

    loads, combining = element("j", "")
    single = f"{{\n{loads}{combining}    }}\n"
    each = each_of(len(program.instructions) + 1)
    if each == 1:
        return f"    for (uint j = {start}; j < {end}; j += {step}) {single}"
    body = f"    uint j = {start};\n"
    body += f"    for (; j + {each - 1}u * {step} < {end}; j += {each}u * {step}) {{\n"
    pairs = [element(f"(j + {part}u * {step})", f"_{part}") for part in range(each)]
    body += "".join(text for text, _ in pairs) + "".join(text for _, text in pairs)
    return f"{body}    }}\n    for (; j < {end}; j += {step}) {single}"


def _serial(writer: Writer, program: Program, wide: bool) -> str:
    """One invocation per part of a result. Parts of one result are all results apart."""
    return (
        "    uint result = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * "
        f"{LOCAL_SIZE}u + gl_LocalInvocationIndex;\n"
        "    if (result >= p[0] * p[2]) return;\n"
        "    uint i = result % p[0];\n"
        "    uint first = (result / p[0]) * p[3];\n"
        "    uint end = min(p[1], first + p[3]);\n"
        + writer.coordinates("i", "kept", "    ")
        + (
            _wide_loop(writer, program, "first", "end")
            if wide
            else _loop(writer, program, "first", "end", "1u")
        )
    )


def _grouped(writer: Writer, program: Program) -> str:
    """One work group per part of a result."""
    return (
        "    uint result = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;\n"
        "    if (result >= p[0] * p[2]) return;\n"
        "    uint i = result / p[2];\n"
        "    uint first = (result % p[2]) * p[3];\n"
        "    uint end = min(p[1], first + p[3]);\n"
        + writer.coordinates("i", "kept", "    ")
        + _loop(writer, program, "first + gl_LocalInvocationIndex", "end", f"{LOCAL_SIZE}u")
        + "    partial[gl_LocalInvocationIndex] = total;\n"
        f"    for (uint span = {LOCAL_SIZE // 2}u; span > 0u; span >>= 1) {{\n"
        "        barrier();\n"
        "        if (gl_LocalInvocationIndex < span)\n"
        "            partial[gl_LocalInvocationIndex] = combine(\n"
        "                partial[gl_LocalInvocationIndex], partial[gl_LocalInvocationIndex + span]"
        ");\n    }\n"
        "    if (gl_LocalInvocationIndex != 0u) return;\n"
        "    total = partial[0];\n"
    )


def source_of(
    program: Program,
    layout: Layout,
    accumulated: DType,
    results: DType,
    binding: int,
    reduction: Reduction,
    grouped: bool,
    wide: frozenset[int],
) -> str:
    """Return the shader. Parameters: results, length, parts of a result, length of a part."""
    total, target = number(accumulated), number(results)
    again = total.dtype != target.dtype or reduction.finish != "{0}"
    used = [len(program.instructions) - 1] if again else ()
    writer = Writer(program, layout, 4, used, wide)
    writer.use(total)
    writer.use(target)
    text = _grouped(writer, program) if grouped else _serial(writer, program, bool(wide))
    finished = writer.helper(reduction.finish, total.computed).format("total").replace("n_", "p[1]")
    writer.helper(target.wrap, "float")
    finished = writer.helper(convert(f"({finished})", total, target), "float")
    body = (
        f"    {total.computed} total = {reduction.identity};\n"
        f"{text}    memory{binding}[result] = {target.store.format(finished)};\n"
    )
    combine = writer.helper(reduction.combine, total.computed).format("a", "b")
    if total.wrap and total.family != "f":
        combine = total.wrap.format(f"({combine})")
    precise = "precise " if total.family in "fc" else ""
    writer.functions = (
        f"{total.computed} combine({total.computed} a, {total.computed} b) {{\n"
        f"    {precise}{total.computed} c = {combine};\n    return c;\n}}\n"
    )
    shared = f"shared {total.computed} partial[{LOCAL_SIZE}];\n" if grouped else ""
    return writer.source("reduction", body, shared)


def _run(
    node: Node,
    axes: tuple[int, ...],
    out: View,
    reduction: Reduction,
    parts: int = 1,
    grouped: bool = True,
) -> Plan:
    """Launch one reduction, of which a work group (or an invocation) computes a part of a result."""
    with lock:
        rules = out.storage.home.rules
        sign = Signature((node,), axes, out.storage.dtype, reduction, parts, grouped, rules)
        plan = known(sign) or keep(sign, _planned(sign, node, axes, out, reduction, parts, grouped))
        _launch(plan, sign, out)
        return plan


def _launch(plan: Plan, sign: Signature, out: View) -> None:
    """Launch a reduction into `out`."""
    storage = out.storage
    memory = plan.bound([*sign.storages, storage])
    launch_plan(storage.manager, storage.home, plan, memory, sign.numbers())


class Repeat(NamedTuple):
    """How to repeat a reduction of one dispatch: its plan, and the forms of its memory and of the result."""

    plan: Plan
    whole: Form
    result: Form


_repeats: dict[tuple[Any, ...], Repeat] = {}

_MAX_REPEATS = 4096


def repeated(
    key: tuple[Any, ...], manager: Manager, storages: list[Storage], numbers: list[bytes]
) -> View | None:
    """Reduce like an earlier reduction of that key. Returns None if there was none."""
    found = _repeats.get(key)
    if found is None or [each for each in storages if each.large]:
        return None
    plan, whole, form = found
    home = home_of(manager)
    out = View.blank(manager, home, whole)
    storages.append(out.storage)
    with lock:
        launch_plan(manager, home, plan, plan.bound(storages), numbers)
    return out if form is whole else View(out.storage, 0, form.shape, form.strides)


def keep_repeat(key: tuple[Any, ...], plan: Plan, out: View, result: View) -> None:
    """Keep the plan of a reduction for those of the same key."""
    if len(_repeats) >= _MAX_REPEATS:
        _repeats.clear()
    _repeats[key] = Repeat(plan, out.form(), result.form())


def _planned(
    sign: Signature,
    node: Node,
    axes: tuple[int, ...],
    out: View,
    reduction: Reduction,
    parts: int,
    grouped: bool,
) -> Plan:
    length = math.prod(node.shape[axis] for axis in axes)
    count = math.prod(e for axis, e in enumerate(node.shape) if axis not in axes)
    program = Program(node.shape, axes)
    program.value(node)
    binding = program.binding(out.storage)
    layout, words = program.finish()
    types = tuple(storage.dtype.char for storage in program.storages)
    wide = wide_bindings(program, layout, out.storage.home.rules, length, "reduced")
    wide -= {binding}
    each = -(-length // parts)
    if wide:
        each = -(-each // WIDE) * WIDE
    key: tuple[Any, ...] = (tuple(program.instructions), layout, types, reduction, grouped, wide)
    source = sources.get(key)
    if source is None:
        source = sources[key] = source_of(
            program, layout, node.dtype, out.storage.dtype, binding, reduction, grouped, wide
        )
    header = np.array([count, length, parts, each], np.uint32)
    groups = count * parts if grouped else -(-count * parts // LOCAL_SIZE)
    return Plan(source, program, sign, out.storage, np.concatenate([header, words]), groups)


def _of_parts(reduction: Reduction, length: int) -> tuple[Reduction, Reduction]:
    """Return the reductions of parts of so many elements in all, and of what they give."""
    first = Reduction(reduction.combine, reduction.identity)
    # `n_` in the last text would be the number of parts.
    finish = reduction.finish.replace("n_", f"{length}u")
    return first, Reduction(reduction.combine, reduction.identity, finish)


def _reduce_halves(node: Node, axes: tuple[int, ...], out: View, reduction: Reduction) -> None:
    """Reduce an expression in two parts, if its memory or that of the results is too large for a kernel."""
    assert node.manager is not None
    kept = [axis for axis in range(len(node.shape)) if axis not in axes]
    longest = max(kept, key=lambda axis: node.shape[axis]) if kept else -1
    of_both = 2 * math.prod(out.shape) * node.dtype.itemsize
    by_kept = out.storage.large or of_both > out.storage.home.range
    axis = longest if by_kept and math.prod(out.shape) > 1 else longest_axis(node)
    parts = halves(node, axis)
    if axis not in axes:
        place = kept.index(axis)
        for start, count, part in parts:
            found, _ = reduce_node(part, axes, out.storage.dtype, reduction)
            store(part_of(out, place, start, count), leaf(found))
        return
    first, last = _of_parts(reduction, math.prod(node.shape[each] for each in axes))
    partial = View.new(node.manager, (2, *out.shape), node.dtype)
    for index, (_, _, part) in enumerate(parts):
        found, _ = reduce_node(part, axes, node.dtype, first)
        store(part_of(partial, 0, index, 1), leaf(found))
    _run(leaf(partial), (0,), out, last, grouped=False)


def reduce_node(
    node: Node, axes: tuple[int, ...], dtype: DType, reduction: Reduction
) -> tuple[View, Plan | None]:
    """Reduce an expression along axes, in its own type; return results of another type.

    It is one dispatch, whose plan is returned as well, or two if there are fewer results than the device
    computes at once.
    """
    assert node.manager is not None
    kept = tuple(e for axis, e in enumerate(node.shape) if axis not in axes)
    length = math.prod(node.shape[axis] for axis in axes)
    count = math.prod(kept)
    out = View.new(node.manager, kept, dtype)
    if count == 0:
        return out, None
    if out.storage.large or any_large([node]):
        small = None if out.storage.large else local(node)
        if small is None:
            _reduce_halves(node, axes, out, reduction)
            return out, None
        node = small
    rules = out.storage.home.rules
    if length <= rules.serial or (count >= rules.invocations and length <= 8 * rules.serial):
        return out, _run(node, axes, out, reduction, grouped=False)
    # Neighbouring invocations should read neighbouring elements: of the last axis, kept or not.
    along = len(node.shape) - 1 in axes or node.shape[-1] < rules.serial
    grouped = rules.trees and along
    if grouped:
        groups = rules.invocations // LOCAL_SIZE
        parts = sorted((1, -(-length // _CHUNK), -(-groups // count)))[1]
    else:
        parts = sorted((1, -(-length // rules.serial), -(-rules.invocations // count)))[1]
        parts = max(parts, length // rules.longest)
    fitting = out.storage.home.range // (count * node.dtype.itemsize)
    parts = max(1, min(parts, fitting))
    if parts == 1:
        return out, _run(node, axes, out, reduction, grouped=grouped)
    shape = (*kept, parts) if grouped else (parts, *kept)
    partial = View.new(out.storage.manager, shape, node.dtype)
    first, last = _of_parts(reduction, length)
    _run(node, axes, partial, first, parts, grouped)
    if grouped:
        _run(leaf(partial), (len(kept),), out, last, grouped=parts > rules.serial)
    else:
        _run(leaf(partial), (0,), out, last, grouped=False)
    return out, None
