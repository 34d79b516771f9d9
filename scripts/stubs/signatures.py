# SPDX-License-Identifier: Apache-2.0
"""Signatures of the package's functions, and their overloads for tensors, arrays and arrays of a group."""

from __future__ import annotations

import ast
import copy
import inspect
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from .sources import overloads
from .text import Failure

#: What stands for tensors, arrays and arrays of a group.
KINDS = "_T"


@dataclass(frozen=True)
class Parameter:
    name: str
    kind: Any  # of inspect.Parameter
    type: ast.expr
    default: str | None = None

    @property
    def is_required(self) -> bool:
        variadic = self.kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
        return self.default is None and not variadic


@dataclass(frozen=True)
class Signature:
    parameters: tuple[Parameter, ...]
    result: ast.expr

    def types(self) -> Iterator[ast.expr]:
        yield from (each.type for each in self.parameters)
        yield self.result

    def mentions(self, name: str) -> bool:
        return any(mentions(each, name) for each in self.types())


def expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def mentions(type_: ast.expr, name: str) -> bool:
    return any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(type_))


class _Renamed(ast.NodeTransformer):
    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return expression(self.names[node.id]) if node.id in self.names else node


def renamed(type_: ast.expr, names: dict[str, str]) -> ast.expr:
    made: ast.expr = _Renamed(names).visit(copy.deepcopy(type_))
    return made


# --- signatures -----------------------------------------------------------------------------------


def literal(value: object) -> str:
    """Return a default as a stub has it."""
    if isinstance(value, str):
        return '"' + value.replace('"', '\\"') + '"'
    if value is None or isinstance(value, (bool, int)):
        return repr(value)
    if isinstance(value, float) and abs(value) < 1e300:
        return repr(value)
    if isinstance(value, tuple) and all(isinstance(each, int) for each in value):
        return repr(value)
    return "..."


def from_runtime(path: str, function: Any) -> Signature:
    found = inspect.signature(function)

    def type_of(annotation: object, where: str) -> ast.expr:
        if not isinstance(annotation, str):
            raise Failure(f"{where} has no annotation")
        return expression(annotation)

    parameters = []
    for each in found.parameters.values():
        type_ = type_of("Any" if each.name == "self" else each.annotation, f"{path}.{each.name}")
        default = None if each.default is each.empty else literal(each.default)
        parameters.append(Parameter(each.name, each.kind, type_, default))
    return Signature(tuple(parameters), type_of(found.return_annotation, f"the result of {path}"))


def from_text(node: ast.FunctionDef) -> Signature:
    kinds = inspect.Parameter
    given = node.args
    parameters = []

    def add(kind: Any, argument: ast.arg, default: ast.expr | None) -> None:
        assert argument.annotation is not None
        text = None
        if default is not None:
            constant = isinstance(default, (ast.Constant, ast.UnaryOp))
            text = literal(ast.literal_eval(default)) if constant else "..."
        parameters.append(Parameter(argument.arg, kind, argument.annotation, text))

    positional = [*given.posonlyargs, *given.args]
    missing: list[ast.expr | None] = [None] * (len(positional) - len(given.defaults))
    for place, argument in enumerate(positional):
        first = place < len(given.posonlyargs)
        kind = kinds.POSITIONAL_ONLY if first else kinds.POSITIONAL_OR_KEYWORD
        add(kind, argument, [*missing, *given.defaults][place])
    if given.vararg:
        add(kinds.VAR_POSITIONAL, given.vararg, None)
    for argument, default in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        add(kinds.KEYWORD_ONLY, argument, default)
    if given.kwarg:
        add(kinds.VAR_KEYWORD, given.kwarg, None)
    assert node.returns is not None
    return Signature(tuple(parameters), node.returns)


def signatures(path: str, function: Any) -> tuple[str, list[Signature]]:
    """Return the signatures of a function as it is defined, and the module whose names they have."""
    inner = inspect.unwrap(function)
    own = overloads(inner.__module__, inner.__name__)
    found = [from_text(node) for node in own] or [from_runtime(path, inner)]
    return inner.__module__, found


# --- what functions take --------------------------------------------------------------------------


def _of_kind(signature: Signature, placeholder: str, kind: str) -> Signature:
    """Return a signature for one kind of what `placeholder` stands for."""
    given = {placeholder: "ArrayLike" if kind == "Array" else kind}
    parameters = tuple(
        replace(
            each,
            type=renamed(each.type, {placeholder: kind} if each.name == "out" else given),
            kind=(
                inspect.Parameter.POSITIONAL_ONLY
                if place == 0 and placeholder == "Tensor"
                else each.kind
            ),
        )
        for place, each in enumerate(signature.parameters)
    )
    return Signature(parameters, renamed(signature.result, {placeholder: kind}))


def _with_groups(signature: Signature) -> Iterator[Signature]:
    """Yield the signatures of a function of arrays that takes groups' arrays, too."""
    arrays = [
        place
        for place, each in enumerate(signature.parameters)
        if ast.unparse(each.type) in ("Any", "Sequence[Any]")
    ]
    kinds = [each.kind for each in signature.parameters]
    required = [place for place in arrays if signature.parameters[place].is_required]
    several = [place for place in arrays if kinds[place] is inspect.Parameter.VAR_POSITIONAL]
    if mentions(signature.result, "Array"):
        for place in required or several or [0]:
            parameters = tuple(
                replace(
                    each,
                    type=renamed(
                        each.type,
                        {"Array": "GroupArray", **({"Any": "GroupArray"} if i == place else {})},
                    ),
                )
                for i, each in enumerate(signature.parameters)
            )
            yield Signature(parameters, renamed(signature.result, {"Array": "GroupArray"}))
    yield signature


def _in_groups(signature: Signature) -> Iterator[Signature]:
    """Yield the signatures of a function that creates arrays, or with a group arrays of it."""
    by_group = renamed(signature.result, {"Array": "GroupArray"})
    keyword = inspect.Parameter.KEYWORD_ONLY
    first, *rest = signature.parameters
    alone = tuple(each for each in signature.parameters if each.name != "device")
    yield Signature((*alone, Parameter("group", keyword, expression("DeviceGroup"))), by_group)
    on = tuple(
        (
            replace(each, type=expression("DeviceGroup"), default=None)
            if each.name == "device"
            else each
        )
        for each in signature.parameters
    )
    yield Signature(on, by_group)
    none = Parameter("group", keyword, expression("None"), "None")
    if first.name == "obj":
        here = [replace(e, type=expression("None")) if e.name == "device" else e for e in rest]
        of_group = replace(first, type=expression("GroupArray"))
        yield Signature((of_group, *here, none), by_group)
    yield Signature((*signature.parameters, none), signature.result)


def _in_kind(signature: Signature, place: int) -> Signature:
    """Return the signature of a function of arrays as one of every kind, by its argument that has one."""
    parameters = tuple(
        replace(
            each,
            type=renamed(each.type, {"Array": KINDS, **({"Any": KINDS} if i == place else {})}),
        )
        for i, each in enumerate(signature.parameters)
    )
    return Signature(parameters, renamed(signature.result, {"Array": KINDS}))


def variants(function: Any, found: list[Signature]) -> Iterator[Signature]:
    """Yield the overloads of a function: for each signature and each kind of argument."""
    varies = getattr(function, "__kp_varies__", None)
    of_tensors = getattr(function, "__kp_tensors__", None)
    if any(each.mentions(KINDS) for each in found):
        varies = KINDS
    elif varies == "Array" and of_tensors is not None:
        varies = KINDS
        found = [_in_kind(signature, of_tensors.place) for signature in found]
    for signature in found:
        if varies in ("Tensor", KINDS):
            if not signature.mentions(varies):
                raise Failure(f"{function.__name__} takes no {varies}")
            for kind in ("Tensor", "GroupArray", "Array"):
                yield _of_kind(signature, varies, kind)
        elif varies == "Array":
            yield from _with_groups(signature)
        elif varies == "group":
            yield from _in_groups(signature)
        else:
            yield signature
