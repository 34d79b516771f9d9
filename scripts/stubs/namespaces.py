# SPDX-License-Identifier: Apache-2.0
"""The stubs of kp, kp.fft and kp.linalg, and of the methods of arrays, from the package itself.

A stub has each public name of a module (what dir() shows). Most are imported from where they are
defined. Functions of arrays are written, because decorators change their arguments: wrappers say by
an attribute `__kp_varies__` how.

- "Array": arrays of a group in place of arrays give such, too.
- "Tensor": tensors, arrays and arrays of a group give the same kind. So do functions of arrays with an
  attribute `__kp_tensors__`, which says which argument is such, and which ones belong to a type variable _T.
- "group": with a group, they create arrays of it.
"""

from __future__ import annotations

import ast
import copy
import inspect
import types
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from .signatures import KINDS, Signature, expression, from_runtime, renamed, signatures, variants
from .sources import find, is_own, module_of
from .text import WIDTH, Failure, defined

#: The modules with a stub, and their stubs in the package.
STUBS = {
    "kp": "__init__.pyi",
    "kp.fft": "fft.pyi",
    "kp.linalg": "linalg.pyi",
    "kp.arrays.operators": "arrays/operators.pyi",
}

HEADER = """\
# SPDX-License-Identifier: Apache-2.0
# Written by scripts/python_stubs.py. Do not edit it: change the functions.
# What NumPy takes as an array includes tensors and arrays of groups, which come first.
# pyright: reportOverlappingOverload=false
"""


# --- types ----------------------------------------------------------------------------------------


class Types(ast.NodeTransformer):
    """Writes types of the package's files as a stub has them, and remembers the imports they need."""

    #: Names of other packages that stubs import by themselves.
    IMPORTED = {"typing", "numpy.typing", "typing_extensions", "types"}

    def __init__(self, stub: str, names: set[str]) -> None:
        self.stub = stub
        self.names = names  # that the stub defines
        self.imports: set[tuple[str, str]] = set()
        self.modules: set[str] = set()
        self.variables: dict[str, str] = {}
        self.module = ""

    def of(self, type_: ast.expr, module: str) -> str:
        self.module = module
        return ast.unparse(self.visit(copy.deepcopy(type_)))

    def _of_origin(self, name: str, module: str) -> ast.expr:
        origin = find(module, name)
        if origin.module == "builtins":
            if name in self.names:
                self.modules.add("builtins")
                return expression(f"builtins.{name}")
            return expression(name)
        if not is_own(origin.module):
            return self._foreign(origin.module, origin.name)
        if isinstance(origin.node, ast.ClassDef) or origin.module == "kp._kp":
            public = self.stub == "kp" and origin.name in self.names
            if not public and origin.module != self.stub:
                self.imports.add((origin.module, origin.name))
            return expression(origin.name)
        value = origin.value
        if value is None:
            raise Failure(f"{origin.module}.{origin.name} is not a type")
        if isinstance(value, ast.Call):  # a type variable
            self.imports.add(("typing", "TypeVar"))
            self.variables[origin.name] = ast.unparse(value).replace("'", '"')
            return expression(origin.name)
        before, self.module = self.module, origin.module
        made: ast.expr = self.visit(copy.deepcopy(value))
        self.module = before
        if isinstance(origin.node, ast.AnnAssign):  # a TypeAlias keeps its name
            self.imports.add(("typing", "TypeAlias"))
            self.variables[f"{origin.name}: TypeAlias"] = ast.unparse(made)
            return expression(origin.name)
        return made

    def _foreign(self, module: str, name: str) -> ast.expr:
        if module in self.IMPORTED:
            self.imports.add((module, name))
            return expression(name)
        self.modules.add(module)
        return expression(f"{'np' if module == 'numpy' else module}.{name}")

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id in ("Self", "ArrayLike", "GroupArray", "DeviceGroup", "Tensor", "Array"):
            return self._chosen(node.id)
        return self._of_origin(node.id, self.module)

    def _chosen(self, name: str) -> ast.expr:
        """Return a type that this script chose, regardless of the module's names."""
        homes = {
            "Self": "typing_extensions",
            "ArrayLike": "numpy.typing",
            "GroupArray": "kp.arrays.groups.array",
            "DeviceGroup": "kp._kp",
            "Tensor": "kp._kp",
            "Array": "kp.arrays.array",
        }
        if not (self.stub == "kp" and name in self.names):
            self.imports.add((homes[name], name))
        return expression(name)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if not isinstance(node.value, ast.Name):
            raise Failure(f"a type is too long: {ast.unparse(node)}")
        module = find(self.module, node.value.id).module
        if is_own(module):
            return self._of_origin(node.attr, module)
        return self._foreign(module, node.attr)

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        if isinstance(node.value, str):
            made: ast.expr = self.visit(expression(node.value))
            return made
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        text = ast.unparse(node.value)
        inner = node.slice if text.endswith("Literal") else self.visit(node.slice)
        return ast.Subscript(self.visit(node.value), inner, ast.Load())


# --- stubs ----------------------------------------------------------------------------------------


def arguments(signature: Signature, types: Types, module: str) -> list[str]:
    made = []
    kinds = inspect.Parameter
    before: Any = None
    for each in signature.parameters:
        if before is kinds.POSITIONAL_ONLY and each.kind is not before:
            made.append("/")
        named = each.kind is kinds.KEYWORD_ONLY
        if named and before not in (kinds.KEYWORD_ONLY, kinds.VAR_POSITIONAL):
            made.append("*")
        stars = {kinds.VAR_POSITIONAL: "*", kinds.VAR_KEYWORD: "**"}.get(each.kind, "")
        text = f"{stars}{each.name}"
        if each.name != "self":
            text += f": {types.of(each.type, module)}"
        made.append(text if each.default is None else f"{text} = {each.default}")
        before = each.kind
    if before is kinds.POSITIONAL_ONLY:
        made.append("/")
    return made


def unique(found: Iterator[Signature], write: Callable[[Signature], tuple[Any, ...]]) -> list[Any]:
    """Return the written signatures, each once."""
    return list(dict.fromkeys(write(each) for each in found))


def write_function(
    path: str, name: str, module: str, function: Any, found: Iterator[Signature], types: Types
) -> Iterator[str]:
    def write(signature: Signature) -> tuple[Any, ...]:
        own = tuple(arguments(signature, types, module))
        return own, types.of(signature.result, module)

    indent = "    " if "." in path else ""
    written = unique(found, write)
    documentation = inspect.cleandoc(function.__doc__ or "")
    for place, (own, result) in enumerate(written):
        if len(written) > 1:
            types.imports.add(("typing", "overload"))
            yield f"{indent}@overload"
        yield from defined(name, own, result, "" if place else documentation, indent)


def is_written(function: Any) -> bool:
    """Whether a stub has a function itself, because its file does not declare its arguments."""
    if not isinstance(function, types.FunctionType):
        return False
    inner = inspect.unwrap(function)
    if hasattr(function, "__kp_varies__") or inner.__module__ in STUBS:
        return True
    if not isinstance(inner, types.FunctionType) or not is_own(inner.__module__):
        return False
    if inner.__module__ == "kp._kp":
        return False
    node = find(inner.__module__, inner.__name__).node
    if not isinstance(node, ast.FunctionDef):
        return True
    return KINDS in ast.unparse(node.args) or KINDS in ast.unparse(node.returns or node.args)


def imports_of(names: set[tuple[str, str]]) -> Iterator[str]:
    """Yield the imports of names from modules, sorted."""
    for module in sorted({module for module, _ in names}):
        own = sorted(name for each, name in names if each == module)
        line = f"from {module} import {', '.join(own)}"
        if len(line) <= WIDTH:
            yield line
        else:
            yield f"from {module} import ("
            yield from (f"    {name}," for name in own)
            yield ")"


def namespace(stub: str) -> str:
    """Return the stub of a module of functions."""
    module = module_of(stub)
    names = [
        name for name in dir(module) if not (name.startswith("_") and name not in vars(module))
    ]
    types_ = Types(stub, set(names))
    values, functions = [], []
    for name in names:
        thing = getattr(module, name)
        if is_written(thing):
            own, found = signatures(name, thing)
            lines = write_function(name, name, own, thing, variants(thing, found), types_)
            functions.append("\n".join(lines))
            continue
        origin = find(stub, name)
        if origin.module == stub and origin.value is not None:
            types_.imports.add(("typing", "Final"))
            values.append(f"{name}: Final = {ast.unparse(origin.value)}")
        elif not origin.name:  # a module
            package, _, own = origin.module.rpartition(".")
            types_.imports.add((package, f"{own} as {name}"))
        else:
            types_.imports.add((origin.module, f"{origin.name} as {name}"))
    public = "\n".join(["__all__ = [", *(f'    "{name}",' for name in sorted(module.__all__)), "]"])
    return _assembled(types_, [public, "\n".join(values), *functions])


def methods(stub: str) -> str:
    """Return the stub of the base class of arrays."""
    module = module_of(stub)
    class_ = module.Operators
    types_ = Types(stub, {"Operators", *vars(class_)})
    lines = ["class Operators:", f'    """{class_.__doc__}"""']
    for name, member in vars(class_).items():
        path = f"Operators.{name}"
        if isinstance(member, property):
            lines += ["", *write_property(path, name, member, types_)]
        elif isinstance(member, types.FunctionType):
            found = from_runtime(path, member)
            first, *rest = found.parameters
            own = (replace(first, name="self"), *rest)
            if first.kind is inspect.Parameter.POSITIONAL_ONLY:
                own = (replace(own[0], kind=inspect.Parameter.POSITIONAL_OR_KEYWORD), *rest)
            signature = _self(Signature(own, found.result))
            written = [
                *write_function(path, name, member.__module__, member, iter([signature]), types_)
            ]
            if name in ("__eq__", "__ne__"):  # of elements
                written[0] += "  # type: ignore[override]"
            lines += ["", *written]
    return _assembled(types_, ["\n".join(lines)])


def _self(signature: Signature) -> Signature:
    names = {"Array": "Self"}
    parameters = (replace(each, type=renamed(each.type, names)) for each in signature.parameters)
    return Signature(tuple(parameters), renamed(signature.result, names))


def write_property(path: str, name: str, member: property, types_: Types) -> Iterator[str]:
    assert member.fget is not None
    own = member.fget.__module__
    signature = _self(from_runtime(path, member.fget))
    result = types_.of(signature.result, own)
    yield "    @property"
    yield from defined(name, ["self"], result, inspect.cleandoc(member.__doc__ or ""), "    ")
    if member.fset is not None:
        given = from_runtime(path, member.fset).parameters[1]
        yield ""
        yield f"    @{name}.setter"
        yield from defined(
            name, ["self", f"value: {types_.of(given.type, own)}"], "None", "", "    "
        )


def _assembled(types_: Types, parts: list[str]) -> str:
    modules = [
        "import numpy as np" if each == "numpy" else f"import {each}"
        for each in sorted(types_.modules)
    ]
    variables = [
        line if len(line := f"{name} = {value}") <= WIDTH else f"{name} = (\n    {value}\n)"
        for name, value in sorted(types_.variables.items())
    ]
    head = "\n".join([HEADER, *modules, *imports_of(types_.imports)])
    return "\n\n".join(filter(None, [head, *variables, *parts])) + "\n"


def generate() -> dict[str, str]:
    """Return the text of each stub by its path in the package, which is imported already."""
    return {
        path: methods(stub) if stub == "kp.arrays.operators" else namespace(stub)
        for stub, path in STUBS.items()
    }
