# SPDX-License-Identifier: Apache-2.0
"""What kernels ask of work items, groups and subgroups, and atomics."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from .types import BOOL, INT, UINT, WEAK_INT, Array, Type
from .values import ATOM, NOTHING, Value

if TYPE_CHECKING:
    from .expressions import Expressions

Handler = Callable[["Expressions", list[Value], ast.Call], Value]


def _axis(self: Expressions, args: list[Value], node: ast.Call) -> int:
    if not args:
        return 0
    axis = args[0].constant
    if args[0].constant is NOTHING or axis not in (0, 1, 2):
        self.fail(node, "the axis is a constant: 0, 1 or 2")
    return int(axis)


def _global_id(self: Expressions, args: list[Value], node: ast.Call) -> Value:
    axis = _axis(self, args, node)
    if self.unit.is_folded(axis):
        self.unit.need_work_item("kp_index")
        value = Value("kp_index()", INT)
    else:
        value = Value(f"int(gl_GlobalInvocationID.{'xyz'[axis]})", INT)
    value.work_item = axis
    return self.python_int(value)


def _global_size(self: Expressions, args: list[Value], node: ast.Call) -> Value:
    axis = _axis(self, args, node)
    if not self.unit.guards:
        return self.arithmetic(
            "*", _group_count(self, args, node), _local_size(self, args, node), node
        )
    self.unit.is_folded(axis)
    size = Value(f"int({self.unit.global_size()}.{'xyz'[axis]})", INT, invariant=True)
    return self.python_int(size)


def _local_id(self: Expressions, args: list[Value], node: ast.Call) -> Value:
    lane = Value(f"int(gl_LocalInvocationID.{'xyz'[_axis(self, args, node)]})", INT)
    return self.python_int(lane)


def _local_size(self: Expressions, args: list[Value], node: ast.Call) -> Value:
    size = self.unit.local_size[_axis(self, args, node)]
    return Value(type=WEAK_INT, constant=size, invariant=True)


def _group_id(self: Expressions, args: list[Value], node: ast.Call) -> Value:
    axis = _axis(self, args, node)
    if self.unit.is_folded(axis):
        self.unit.need_work_item("kp_group")
        return self.python_int(Value("kp_group()", INT))
    return self.python_int(Value(f"int(gl_WorkGroupID.{'xyz'[axis]})", INT))


def _group_count(self: Expressions, args: list[Value], node: ast.Call) -> Value:
    axis = _axis(self, args, node)
    if self.unit.is_folded(axis):
        self.unit.global_size()
        self.unit.need_work_item("kp_groups")
        return self.python_int(Value("kp_groups()", INT))
    count = Value(f"int(gl_NumWorkGroups.{'xyz'[axis]})", INT, invariant=True)
    return self.python_int(count)


def _barrier(text: str) -> Handler:
    def handler(self: Expressions, args: list[Value], node: ast.Call) -> Value:
        self.unit.use_groups()
        return Value(text, Type("void"), pure=False)

    return handler


def _misplaced_check(self: Expressions, args: list[Value], node: ast.Call) -> Value:
    self.fail(node, "kp.check() has no value; write it as a statement")


# --- atomics and subgroups ------------------------------------------------------------------------


def _atomic(name: str, kinds: tuple[str, ...]) -> Handler:
    def handler(self: Expressions, args: list[Value], node: ast.Call) -> Value:
        target, rest = _target(self, node)
        array, text = target
        own = array.element
        if own.kind not in kinds or not own.is_scalar or (own.bits < 32):
            self.fail(
                node,
                f"atomics of {own} do not exist; {name} takes {', '.join(kinds)} of 32 or 64 bits",
            )
        if own.is_float:
            self.unit.extensions.add("GL_EXT_shader_atomic_float")
        if own.bits == 64 and not own.is_float:
            self.unit.extensions.add("GL_EXT_shader_atomic_int64")
        values = [self.store(self.number(each), own, "the element", each) for each in rest]
        if name == "atomicSub":
            zero = "" if own.is_float or own.kind == "int" else "~"
            value = values[0].within(ATOM)
            negative = f"-{value}" if not zero else f"{zero}{value} + 1u"
            return Value(f"atomicAdd({text}, {negative})", own, pure=False)
        texts = ", ".join([text, *(value.text for value in values)])
        return Value(f"{name}({texts})", own, pure=False)

    return handler


def _target(self: Expressions, node: ast.Call) -> tuple[tuple[Array, str], list[ast.expr]]:
    """Return the element that an atomic changes, and its other arguments.

    The element is x[i], or an array and an index.
    """
    first = node.args[0] if node.args else None
    wanted = {"atomic_compare_exchange": 2}.get(_name_of(node), 1)
    if isinstance(first, ast.Subscript) and len(node.args) == 1 + wanted:
        place, rest = first, node.args[1:]
    elif first is not None and len(node.args) == 2 + wanted:
        place = ast.copy_location(ast.Subscript(first, node.args[1], ast.Load()), first)
        rest = node.args[2:]
    else:
        self.fail(node, "an atomic takes an element x[i], or an array and an index, and its values")
    base = self.expression(place.value)
    if base.array is None or base.array.storage == "local":
        self.fail(place, "atomics change elements of parameters and of shared arrays")
    return (base.array, self.element(base.array, place)[0]), rest


def _name_of(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _subgroup(name: str, extension: str, kinds: str = "all") -> Handler:
    def handler(self: Expressions, args: list[Value], node: ast.Call) -> Value:
        self.unit.use_groups()
        self.unit.extensions.add(f"GL_KHR_shader_subgroup_{extension}")
        if not args:
            return Value(name if name.startswith("gl_") else f"{name}()", BOOL, pure=False)
        if kinds == "bool":
            return Value(f"{name}({self.truth(args[0], node).text})", BOOL, pure=False)
        own = self.strong(self.typed(args[0], node))
        if own.kind == "bool":
            own = self.default_int
        if kinds == "int" and not own.is_integer:
            self.fail(node, f"{name}() takes integers, not {own.said}")
        if own.kind in ("complex",) or own.is_matrix:
            self.fail(node, f"{name}() of {own.said} does not exist")
        texts = [self.convert(args[0], own, node).text]
        texts += [self.convert(each, UINT, node).text for each in args[1:]]
        return Value(f"{name}({', '.join(texts)})", own, pure=False)

    return handler


def _subgroup_value(text: str) -> Handler:
    def handler(self: Expressions, args: list[Value], node: ast.Call) -> Value:
        self.unit.extensions.add("GL_KHR_shader_subgroup_basic")
        return self.python_int(Value(f"int({text})", INT))

    return handler


_ANY = ("int", "uint", "float")
_WHOLE = ("int", "uint")

#: Handlers and the least and the greatest number of arguments.
HANDLERS: dict[str, tuple[Handler, int, int]] = {
    "global_id": (_global_id, 0, 1),
    "global_size": (_global_size, 0, 1),
    "local_id": (_local_id, 0, 1),
    "local_size": (_local_size, 0, 1),
    "group_id": (_group_id, 0, 1),
    "group_count": (_group_count, 0, 1),
    "barrier": (_barrier("barrier()"), 0, 0),
    "memory_barrier": (_barrier("memoryBarrier()"), 0, 0),
    "check": (_misplaced_check, 1, 3),
    "atomic_add": (_atomic("atomicAdd", _ANY), 2, 3),
    "atomic_sub": (_atomic("atomicSub", _ANY), 2, 3),
    "atomic_min": (_atomic("atomicMin", _WHOLE), 2, 3),
    "atomic_max": (_atomic("atomicMax", _WHOLE), 2, 3),
    "atomic_and": (_atomic("atomicAnd", _WHOLE), 2, 3),
    "atomic_or": (_atomic("atomicOr", _WHOLE), 2, 3),
    "atomic_xor": (_atomic("atomicXor", _WHOLE), 2, 3),
    "atomic_exchange": (_atomic("atomicExchange", _ANY), 2, 3),
    "atomic_compare_exchange": (_atomic("atomicCompSwap", _WHOLE), 3, 4),
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
    "subgroup_size": (_subgroup_value("gl_SubgroupSize"), 0, 0),
    "subgroup_lane": (_subgroup_value("gl_SubgroupInvocationID"), 0, 0),
}
