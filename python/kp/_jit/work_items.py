# SPDX-License-Identifier: Apache-2.0
"""Functions of work items, groups and subgroups, and atomics."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping

from .call import Call, Handler, called
from .types import BOOL, INT, UINT, WEAK_INT, Array, Type
from .values import ATOM, Value

_INDEX = """int kp_index() {
    return int(gl_GlobalInvocationID.x
        + gl_GlobalInvocationID.y * gl_NumWorkGroups.x * gl_WorkGroupSize.x);
}
"""
_GROUP = """int kp_group() {
    return int(gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x);
}
"""
_GROUPS = """int kp_groups() {
    return int((kp_global_size.x + gl_WorkGroupSize.x - 1) / gl_WorkGroupSize.x);
}
"""

#: GLSL functions of work items. All others are in the library (shaders/lib).
WORK_ITEMS = {"kp_index": _INDEX, "kp_group": _GROUP, "kp_groups": _GROUPS}


def _axis(call: Call) -> int:
    axis = call.args[0].constant if call.args else 0
    if axis not in (0, 1, 2):
        call.fail("the axis is a constant: 0, 1 or 2")
    return int(axis)


def _int(call: Call, text: str, invariant: bool = False, work_item: int | None = None) -> Value:
    """Return an integer of GLSL as one of Python."""
    return call.numbers.python_int(Value(text, INT, invariant=invariant, work_item=work_item))


def _of_axis(name: str, folded: str = "", invariant: bool = False) -> Handler:
    """A vector of GLSL, and the function that computes it if the axes are folded."""

    def handler(call: Call) -> Value:
        axis = _axis(call)
        if folded and call.unit.is_folded(axis):
            call.unit.work_items.add(folded)
            return _int(call, f"{folded}()")
        return _int(call, f"int({name}.{'xyz'[axis]})", invariant)

    return handler


def _global_id(call: Call) -> Value:
    value = _of_axis("gl_GlobalInvocationID", "kp_index")(call)
    value.work_item = _axis(call)
    return value


def _global_size(call: Call) -> Value:
    axis = _axis(call)
    if not call.unit.guards:
        return call.apply("*", _group_count(call), _local_size(call))
    call.unit.is_folded(axis)
    return _int(call, f"int({call.unit.global_size()}.{'xyz'[axis]})", invariant=True)


def _local_size(call: Call) -> Value:
    return Value(type=WEAK_INT, constant=call.unit.local_size[_axis(call)], invariant=True)


def _group_count(call: Call) -> Value:
    if call.unit.is_folded(_axis(call)):
        call.unit.global_size()
    return _of_axis("gl_NumWorkGroups", "kp_groups", invariant=True)(call)


def _barrier(text: str) -> Handler:
    def handler(call: Call) -> Value:
        call.unit.grouped = True
        return Value(text, Type("void"), pure=False)

    return handler


def _misplaced_check(call: Call) -> Value:
    call.fail("kp.check() has no value; write it as a statement")


# --- atomics and subgroups ------------------------------------------------------------------------


def _atomic(name: str, kinds: Mapping[str, tuple[int, ...]], count: int = 1) -> Handler:
    """A function of GLSL that changes an element with a number of values.

    - `kinds`: the kinds of numbers that it takes, with their bits.
    """
    taken = ", ".join(f"{kind}{bits}" for kind, each in kinds.items() for bits in each)

    def handler(call: Call) -> Value:
        array, text, rest = _target(call, count)
        own = array.element
        if own.bits not in kinds.get(own.kind, ()) or not own.is_scalar:
            said = re.sub("[A-Z]", lambda letter: f"_{letter[0].lower()}", name)
            call.fail(f"{said} of {own} does not exist; it takes {taken}")
        if own.is_float:
            # Devices without these have loops instead.
            version = "2" if name in ("atomicMin", "atomicMax") else ""
            call.unit.extensions.add(f"GL_EXT_shader_atomic_float{version}")
        elif own.bits == 64:
            call.unit.extensions.add("GL_EXT_shader_atomic_int64")
        number, store = call.expressions.number, call.numbers.store
        values = [store(number(each), own, "the element", each) for each in rest]
        if name == "atomicSub":
            value = values[0].within(ATOM)
            negative = f"~{value} + 1u" if own.kind == "uint" else f"-{value}"
            return Value(f"atomicAdd({text}, {negative})", own, pure=False)
        texts = ", ".join([text, *(value.text for value in values)])
        return Value(f"{name}({texts})", own, pure=False)

    return handler


def _target(call: Call, count: int) -> tuple[Array, str, list[ast.expr]]:
    """Return the array and the element that an atomic changes, and its other arguments.

    The element is x[i], or an array and an index.
    """
    first, *rest = call.node.args
    if len(rest) == 1 + count:
        place = ast.copy_location(ast.Subscript(first, rest.pop(0), ast.Load()), first)
    elif len(rest) == count and isinstance(first, ast.Subscript):
        place = first
    else:
        call.fail("an atomic takes an element x[i], or an array and an index, and its values")
    array = call.expressions.evaluate(place.value).array
    if array is None or array.storage == "local":
        call.numbers.fail(place, "atomics change elements of parameters and of shared arrays")
    return array, call.expressions.elements.element(array, place)[0], rest


def _subgroup(name: str, extension: str, kinds: str = "all") -> Handler:
    def handler(call: Call) -> Value:
        call.unit.grouped = True
        call.unit.extensions.add(f"GL_KHR_shader_subgroup_{extension}")
        if not call.args:
            return Value(f"{name}()", BOOL, pure=False)
        value, *rest = call.args
        if kinds == "bool":
            return Value(f"{name}({call.numbers.truth(value, call.node).text})", BOOL, pure=False)
        own = call.numbers.strong(call.typed())
        if own.kind == "bool":
            own = call.numbers.default_int
        if kinds == "int" and not own.is_integer:
            call.fail(f"{name}() takes integers, not {own.said}")
        if own.kind == "complex" or own.is_matrix:
            call.fail(f"{name}() of {own.said} does not exist")
        made = called(
            name, own, [call.convert(value, own), *(call.convert(each, UINT) for each in rest)]
        )
        made.pure = False
        return made

    return handler


def _lane(text: str) -> Handler:
    def handler(call: Call) -> Value:
        call.unit.extensions.add("GL_KHR_shader_subgroup_basic")
        return _int(call, f"int({text})")

    return handler


_WHOLE = {"int": (32, 64), "uint": (32, 64)}
_ANY = _WHOLE | {"float": (32, 64)}
_ORDERED = _WHOLE | {"float": (32,)}

#: Handlers, with the minimum and maximum number of arguments.
HANDLERS: dict[str, tuple[Handler, int, int]] = {
    "global_id": (_global_id, 0, 1),
    "global_size": (_global_size, 0, 1),
    "local_id": (_of_axis("gl_LocalInvocationID"), 0, 1),
    "local_size": (_local_size, 0, 1),
    "group_id": (_of_axis("gl_WorkGroupID", "kp_group"), 0, 1),
    "group_count": (_group_count, 0, 1),
    "barrier": (_barrier("barrier()"), 0, 0),
    "memory_barrier": (_barrier("memoryBarrier()"), 0, 0),
    "check": (_misplaced_check, 1, 3),
    "atomic_add": (_atomic("atomicAdd", _ANY), 2, 3),
    "atomic_sub": (_atomic("atomicSub", _ANY), 2, 3),
    "atomic_min": (_atomic("atomicMin", _ORDERED), 2, 3),
    "atomic_max": (_atomic("atomicMax", _ORDERED), 2, 3),
    "atomic_and": (_atomic("atomicAnd", _WHOLE), 2, 3),
    "atomic_or": (_atomic("atomicOr", _WHOLE), 2, 3),
    "atomic_xor": (_atomic("atomicXor", _WHOLE), 2, 3),
    "atomic_exchange": (_atomic("atomicExchange", _ANY), 2, 3),
    "atomic_compare_exchange": (_atomic("atomicCompSwap", _WHOLE, 2), 3, 4),
    "subgroup_add": (_subgroup("subgroupAdd", "arithmetic"), 1, 1),
    "subgroup_mul": (_subgroup("subgroupMul", "arithmetic"), 1, 1),
    "subgroup_min": (_subgroup("subgroupMin", "arithmetic"), 1, 1),
    "subgroup_max": (_subgroup("subgroupMax", "arithmetic"), 1, 1),
    "subgroup_and": (_subgroup("subgroupAnd", "arithmetic", "int"), 1, 1),
    "subgroup_or": (_subgroup("subgroupOr", "arithmetic", "int"), 1, 1),
    "subgroup_xor": (_subgroup("subgroupXor", "arithmetic", "int"), 1, 1),
    "subgroup_inclusive_add": (_subgroup("subgroupInclusiveAdd", "arithmetic"), 1, 1),
    "subgroup_exclusive_add": (_subgroup("subgroupExclusiveAdd", "arithmetic"), 1, 1),
    "subgroup_broadcast_first": (_subgroup("subgroupBroadcastFirst", "ballot"), 1, 1),
    "subgroup_shuffle": (_subgroup("subgroupShuffle", "shuffle"), 2, 2),
    "subgroup_shuffle_xor": (_subgroup("subgroupShuffleXor", "shuffle"), 2, 2),
    "subgroup_all": (_subgroup("subgroupAll", "vote", "bool"), 1, 1),
    "subgroup_any": (_subgroup("subgroupAny", "vote", "bool"), 1, 1),
    "subgroup_elect": (_subgroup("subgroupElect", "basic"), 0, 0),
    "subgroup_size": (_lane("gl_SubgroupSize"), 0, 0),
    "subgroup_lane": (_lane("gl_SubgroupInvocationID"), 0, 0),
}
