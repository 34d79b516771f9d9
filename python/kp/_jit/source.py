# SPDX-License-Identifier: Apache-2.0
"""The source of a Python function, and errors that point into it."""

from __future__ import annotations

import ast
import inspect
import linecache
import textwrap
from collections.abc import Callable
from typing import Any, NoReturn

from .._errors import ShaderError
from .types import ArrayType, Type, annotation_of, nearest_type, of_annotation

#: First and last line and column of an expression.
Place = tuple[int, int, int, int]


def place_of(node: ast.expr) -> Place:
    """Return the place of an expression in its function. It is unique among calls."""
    return node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0


class Source:
    """A Python function as a syntax tree, with the values of the names that it uses."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.name = function.__name__
        if self.name == "<lambda>":
            raise ShaderError("a lambda cannot be compiled; write a function with def")
        self.file = inspect.getsourcefile(function) or "<unknown>"
        try:
            lines, first = inspect.getsourcelines(function)
        except (OSError, TypeError):
            raise ShaderError(
                f"the source of {self.name} was not found, so it cannot be compiled; define it in a "
                "file or in a notebook's cell (Python keeps no source of the plain prompt, python -c "
                "and standard input)"
            ) from None
        text = textwrap.dedent("".join(lines))
        self.indent = len(lines[0]) - len(lines[0].lstrip())
        tree = ast.parse(text)
        ast.increment_lineno(tree, first - 1)
        node = tree.body[0]
        if not isinstance(node, ast.FunctionDef):
            raise ShaderError(
                f"{self.name} cannot be compiled; write it as a plain function with def"
            )
        self.node: ast.FunctionDef = node

    def lookup(self, name: str) -> Any:
        """Return the value of a global, a variable of an enclosing function or a builtin.

        `name` may have attributes, as in "config.size". Raises KeyError.
        """
        if "." in name:
            first, *attributes = name.split(".")
            thing = self.lookup(first)
            for attribute in attributes:
                if not hasattr(thing, attribute):
                    raise KeyError(name)
                thing = getattr(thing, attribute)
            return thing
        function = self.function
        code = function.__code__
        if function.__closure__ and name in code.co_freevars:
            cell = function.__closure__[code.co_freevars.index(name)]
            try:
                return cell.cell_contents
            except ValueError:
                raise KeyError(name) from None
        if name in function.__globals__:
            return function.__globals__[name]
        builtins = function.__globals__["__builtins__"]
        known = builtins if isinstance(builtins, dict) else vars(builtins)
        return known[name]

    def annotation(self, name: str) -> Type | ArrayType | None:
        """Return the type that a parameter is annotated with, or None. Refuses text that names no
        type."""
        annotation = annotation_of(self.function, name)
        found = of_annotation(annotation)
        if isinstance(annotation, str) and found is None:
            arguments = self.node.args
            every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
            self.fail(
                next(each for each in every if each.arg == name),
                f"{name} is annotated with '{annotation}', which is not a type in kernels, such as "
                f"'float[:]', 'vec3' and kp.int32{nearest_type(annotation)}",
            )
        return found

    def line_directive(self, node: ast.AST) -> str:
        """Return a line of GLSL that gives the next line the place of a statement."""
        file = self.file.replace("\\", "/").replace('"', "")
        return f'#line {getattr(node, "lineno", self.node.lineno)} "{file}"\n'

    def fail(self, node: ast.AST, message: str) -> NoReturn:
        """Raise a ShaderError that points at a place in the function."""
        line = getattr(node, "lineno", self.node.lineno)
        column = getattr(node, "col_offset", 0) + self.indent + 1
        text = linecache.getline(self.file, line).rstrip()
        shown = f"{self.file}:{line}:{column}: error: {message}"
        if text:
            end = getattr(node, "end_col_offset", None)
            same_line = getattr(node, "end_lineno", line) == line and end is not None
            width = end + self.indent + 1 - column if same_line and end is not None else 1
            margin = " " * len(str(line))
            shown += f"\n {line} | {text}\n {margin} | {' ' * (column - 1)}^{'~' * (width - 1)}"
        error = ShaderError(shown)
        error.code, error.file, error.line, error.column = "shader", self.file, line, column
        raise error
