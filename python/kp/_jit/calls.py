# SPDX-License-Identifier: Apache-2.0
"""Calls in kernels: of types, known functions, and functions of the program."""

from __future__ import annotations

import ast
import types
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np

from .._wording import counted
from .call import Call, called
from .functions import ALIASES, HANDLERS
from .operators import too_large
from .types import BOOL, Type, of_dtype
from .values import Named, Value

if TYPE_CHECKING:
    from .expressions import Expressions
    from .numbers import Numbers

_BUILTINS = {abs, min, max, round, pow, divmod, len}


def translate(expressions: Expressions, function: Value, node: ast.Call) -> Value:
    """Return the value of a call."""
    thing = function.object
    if (made := type_of(expressions.numbers, thing)) is not None:
        return _constructed(made, Call(expressions, _arguments(expressions, node), node))
    name = name_of(thing)
    if name in HANDLERS:
        handler, least, most = HANDLERS[name]
        is_atomic = name.startswith("atomic_")
        with expressions.emitter.perhaps() if name == "where" else nullcontext():
            args = [] if is_atomic else _arguments(expressions, node)
        if function.receiver is not None:
            args.insert(0, function.receiver)
        call = Call(expressions, args, node)
        count = len(node.args) if is_atomic else len(args)
        if node.keywords or not least <= count <= most:
            takes = f"{least} to " * (least != most) + counted(most, "argument")
            call.fail(f"{name}() takes {takes} by position, but was given {count}")
        return _folded(thing, call) or handler(call)
    if name in ("shared_array", "local_array"):
        expressions.fail(node, f"assign it to a name: tile = kp.{name}(...)")
    own = getattr(thing, "__kp_function__", thing)
    if isinstance(own, types.FunctionType) and not name:
        return expressions.call_function(own, _arguments(expressions, node), node)
    if thing is range:
        expressions.fail(node, "range() is for loops: for i in range(...)")
    if thing is print:
        expressions.fail(node, "print() cannot be used in kernels; write to an array")
    what = expressions.numbers.describe(function)
    expressions.fail(node, f"{what} cannot be called in kernels")


def _arguments(expressions: Expressions, node: ast.Call) -> list[Value]:
    return [expressions.listed(each) for each in node.args]


def type_of(numbers: Numbers, thing: Any) -> Type | None:
    """Return the type that a callable constructs, or None."""
    if thing in (int, float):
        return numbers.named(thing, BOOL)
    if thing in (bool, complex):
        return BOOL if thing is bool else Type("complex64")
    if isinstance(thing, (np.dtype, type)):
        try:
            return of_dtype(thing)
        except TypeError:
            return None
    return thing if isinstance(thing, Type) else None


def name_of(thing: Any) -> str:
    """Return the canonical name of a function known to kernels, or ""."""
    name = _own_name(thing)
    return ALIASES.get(name, name)


def _own_name(thing: Any) -> str:
    if isinstance(thing, Named):
        return thing.name
    if isinstance(thing, types.BuiltinFunctionType) and thing in _BUILTINS:
        return str(thing.__name__)
    if isinstance(thing, np.ufunc):
        return str(thing.__name__)
    module = str(getattr(thing, "__module__", "") or "")
    name = str(getattr(thing, "__name__", ""))
    if module == "math" and f"math.{name}" in HANDLERS:
        return f"math.{name}"
    if module.split(".")[0] in ("math", "numpy") or module.startswith("kp._jit"):
        return name
    return ""


def _constructed(own: Type, call: Call) -> Value:
    """Return a number, a vector or a matrix from its parts."""
    numbers, args = call.numbers, call.args
    if not args:
        return call.convert(call.expressions.wrap(0), own)
    if own.kind == "complex" and len(args) == 2:
        return called("vec2", own, [call.convert(each, Type("float32")) for each in args])
    if own.is_scalar:
        return _number(own, call)
    parts = [part for each in args for part in _parts(each, call)]
    types = [numbers.typed(each, call.node) for each in parts]
    count = sum(each.components for each in types)
    if len(parts) == 1 and count == 1 and own.is_vector:
        return call.convert(parts[0], own)
    if count != own.components:
        call.fail(f"{own.said} has {counted(own.components, 'number')}, but was given {count}")
    own_parts = [
        call.convert(each, kind.of(own.scalar)) for each, kind in zip(parts, types, strict=True)
    ]
    return called(own.glsl, own, own_parts)


def _number(own: Type, call: Call) -> Value:
    if len(call.args) != 1:
        call.fail(f"{own}() takes one number, but was given {len(call.args)}")
    value, given = call.args[0], call.typed()
    if not given.is_scalar:
        call.fail(f"{given.said} is no {own}")
    if own.kind == "bool":
        return call.numbers.truth(value, call.node)
    if not value.is_constant:
        return call.convert(value, own)
    constant = int(value.constant) if own.is_integer else value.constant
    if own.kind != "complex":
        constant = np.dtype(own.scalar).type(constant)
    return Value(type=own, constant=constant, invariant=True)


def _parts(value: Value, call: Call) -> list[Value]:
    if value.items is not None:
        return [part for each in value.items for part in _parts(each, call)]
    if call.numbers.typed(value, call.node).is_matrix:
        call.fail("a matrix is made from rows or numbers, not from another matrix")
    return [value]


def _folded(thing: Any, call: Call) -> Value | None:
    """Return the result of a function of Python whose arguments are all constants, or None."""
    if not call.args or not callable(thing) or isinstance(thing, Named):
        return None
    if not all(each.is_constant for each in call.args):
        return None
    given = [each.constant for each in call.args]
    is_power = getattr(thing, "__name__", "") in ("pow", "power") and len(given) == 2
    if message := too_large("**" if is_power else "", given[0], given[-1]):
        call.fail(message)
    if thing is round and len(given) == 2 and not abs(given[1]) <= 300:
        return None  # a power of 10
    try:
        result = thing(*given)
    except (ArithmeticError, TypeError, ValueError) as error:
        call.fail(str(error))
    of_python = not any(isinstance(each, np.generic) for each in given)
    if isinstance(result, (np.float64, np.int64)) and of_python:
        result = result.item()
    return call.expressions.wrap(result)
