# SPDX-License-Identifier: Apache-2.0
"""Where the names of the package's files come from, by their text: what a type checker would find."""

from __future__ import annotations

import ast
import builtins
import functools
import importlib
import inspect
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType

from .text import Failure


@dataclass(frozen=True)
class Origin:
    """Where a name is defined: the module and the name there, and the statement if it is kp's."""

    module: str
    name: str
    node: ast.stmt | None = None
    value: ast.expr | None = None  # of an assignment


def module_of(name: str) -> ModuleType:
    return sys.modules.get(name) or importlib.import_module(name)


@functools.lru_cache(maxsize=None)
def tree_of(module: str) -> ast.Module:
    return ast.parse(inspect.getsource(module_of(module)))


def statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements of a module, also those under `if TYPE_CHECKING`."""
    for node in body:
        yield node
        if isinstance(node, ast.If):
            yield from statements(node.body)


def is_own(module: str) -> bool:
    return module.partition(".")[0] == "kp"


def _absolute(module: str, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    is_package = hasattr(module_of(module), "__path__")
    parts = module.split(".")[: None if is_package and node.level == 1 else -node.level]
    if is_package and node.level > 1:
        parts = module.split(".")[: 1 - node.level]
    return ".".join([*parts, *([node.module] if node.module else [])])


def _imported(module: str, name: str, node: ast.ImportFrom) -> Origin | None:
    source = _absolute(module, node)
    for alias in node.names:
        if alias.name == "*" and name in getattr(module_of(source), "__all__", ()):
            return find(source, name)
        if (alias.asname or alias.name) != name:
            continue
        if not is_own(source) or source == "kp._kp":
            return Origin(source, alias.name)
        submodule = f"{source}.{alias.name}"
        if getattr(module_of(source), alias.name, None) is sys.modules.get(submodule, sys):
            return Origin(submodule, "")
        return find(source, alias.name)
    return None


def _assigned(module: str, name: str, node: ast.stmt) -> Origin | None:
    if isinstance(node, ast.AnnAssign):
        targets, value = [node.target], node.value
    elif isinstance(node, ast.Assign):
        targets, value = node.targets, node.value
    else:
        return None
    for target in targets:
        found = value
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            names = [each.id if isinstance(each, ast.Name) else "" for each in target.elts]
            if name not in names:
                continue
            found = value.elts[names.index(name)]
        elif not (isinstance(target, ast.Name) and target.id == name):
            continue
        if isinstance(found, ast.Name):  # another name of the same
            return find(module, found.id)
        return Origin(module, name, node, found)
    return None


@functools.lru_cache(maxsize=None)
def find(module: str, name: str) -> Origin:
    """Return where a name of a module is defined. Raises Failure if its text does not say."""
    for node in reversed(list(statements(tree_of(module).body))):
        origin: Origin | None = None
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name == name:
            origin = Origin(module, name, node)
        elif isinstance(node, ast.ImportFrom):
            origin = _imported(module, name, node)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if (alias.asname or alias.name) == name:
                    origin = Origin(alias.name, "")
        else:
            origin = _assigned(module, name, node)
        if origin is not None:
            return origin
    if hasattr(builtins, name):
        return Origin("builtins", name)
    raise Failure(f"the text of {module} does not say what {name} is")


def overloads(module: str, name: str) -> list[ast.FunctionDef]:
    """Return the overloads of a function of a module."""
    return [
        node
        for node in statements(tree_of(module).body)
        if isinstance(node, ast.FunctionDef)
        and node.name == name
        and any(
            isinstance(each, ast.Name) and each.id == "overload" for each in node.decorator_list
        )
    ]
