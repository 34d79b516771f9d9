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


class Source:
    """A Python function as a syntax tree, with the values of the names that it uses."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.name = function.__name__
        self.file = inspect.getsourcefile(function) or "<unknown>"
        try:
            lines, first = inspect.getsourcelines(function)
        except (OSError, TypeError) as error:
            raise ShaderError(
                f"the source of {self.name} was not found, so it cannot be compiled; kernels have to "
                "be in a file or in a notebook's cell"
            ) from error
        text = textwrap.dedent("".join(lines))
        self.indent = len(lines[0]) - len(lines[0].lstrip())
        tree = ast.parse(text)
        ast.increment_lineno(tree, first - 1)
        node = tree.body[0]
        if not isinstance(node, ast.FunctionDef):
            raise ShaderError(f"{self.name} is no function with a def")
        self.node: ast.FunctionDef = node
        closure = inspect.getclosurevars(function)
        self.names: dict[str, Any] = {**closure.builtins, **closure.globals, **closure.nonlocals}

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
