# SPDX-License-Identifier: Apache-2.0
"""A case: Python text that is measured with several libraries, and the arrays it needs."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

#: Forms of the arrays x, y and z, and the text that each adds behind their names.
FORMS = {
    "flat": "",
    "rows": "",  # a square, along its rows
    "columns": "",  # a square, along its columns
    "cube": "",  # three axes, along the middle one
    "narrow": "",  # rows of 64
    "tall": "",  # columns beside 63 others
    "strided": "[::2]",
    "transposed": ".T",
    "row": "",  # y is one row of x
    "column": "",  # y is one column of x
    "pencil": "",  # y has only the middle one of three axes
}

#: Names that a text may use without arrays: they are numbers.
NUMBERS = ("n", "side", "axis")


@dataclass(frozen=True)
class Case:
    """One line of the table.

    The text is an expression, or statements that change an array; `xp` is the library. Where another
    library lacks a name, the first of `others` that works is its text.
    """

    family: str
    text: str
    dtype: str = "float32"
    form: str = "flat"
    others: tuple[str, ...] = ()
    #: Smallest and largest values of x, y and z.
    low: float = 0.0
    high: float = 1.0
    #: A host expression of the result `r` (and the inputs) that is compared instead of r;
    #: "moments" compares means and deviations, "" nothing but shapes and types.
    check: str = "r"
    #: The relative error that counts as equal; 0 has it depend on the type.
    tolerance: float = 0.0
    #: Whether types of results differ on purpose.
    other_types: bool = False
    #: The most elements that are measured; cases of cubic work stay below the sizes asked for.
    most: int = 1 << 30
    #: Whether kp refuses it on purpose: a failure that does not make the program end with 1.
    refused: bool = False
    #: Whether the text changes its inputs; statements do.
    changes: bool = False

    @cached_property
    def shown(self) -> str:
        """The text with the form's additions."""
        return self._with_form(self.text)

    @property
    def name(self) -> str:
        return f"{self.shown} | {self.dtype} {self.form}"

    def _with_form(self, text: str) -> str:
        added = FORMS[self.form]
        if not added:
            return text
        names = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)]
        letters = "y" if added == ".T" and any(node.id == "y" for node in names) else "xyz"
        ends = {node.end_col_offset for node in names if node.id in letters}
        return "".join(
            each + (added if place + 1 in ends else "") for place, each in enumerate(text)
        )

    def texts(self) -> tuple[str, ...]:
        """Return the texts for the other library, in the order in which they are tried."""
        return self.shown, *(self._with_form(each) for each in self.others)

    @cached_property
    def changing(self) -> bool:
        return self.changes or not isinstance(ast.parse(self.shown).body[-1], ast.Expr)


def work_of(text: str) -> tuple[Callable[..., Any], list[str]]:
    """Return the text as a function of the library and its inputs, and the names of these.

    The function returns the expression's value, or the array that the last statement changed.
    """
    tree = ast.parse(text)
    bound = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    stored = {node.id for node in ast.walk(tree) if _is_stored(node)}
    names = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id not in bound | stored | {"xp", "np", *names}:
            if not hasattr(builtins, node.id):
                names.append(node.id)
    changed = _changed(tree.body[-1])
    if changed in stored and _reads_first(tree, changed):
        names.append(changed)
    lines = [ast.unparse(each) for each in tree.body]
    if isinstance(tree.body[-1], ast.Expr):
        lines[-1] = f"return {lines[-1]}"
    else:
        lines.append(f"return {changed}")
    source = f"def work({', '.join(['xp', *names])}):\n" + "".join(
        f"    {each}\n" for each in lines
    )
    space: dict[str, Any] = {}
    exec(compile(source, f"<{text}>", "exec"), space)
    return space["work"], names


def _is_stored(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def _changed(statement: ast.stmt) -> str:
    """Return the name of the array that a statement changes."""
    target: Any = statement
    if isinstance(statement, ast.AugAssign):
        target = statement.target
    elif isinstance(statement, ast.Assign):
        target = statement.targets[0]
    while isinstance(target, (ast.Subscript, ast.Attribute)):
        target = target.value
    return target.id if isinstance(target, ast.Name) else ""


def _reads_first(tree: ast.Module, name: str) -> bool:
    """Return whether an augmented assignment is the first use of a name, which is an input then."""
    first = tree.body[0]
    return isinstance(first, ast.AugAssign) and _changed(first) == name


def cases(
    family: str,
    texts: str | tuple[str, ...],
    dtypes: str = "float32",
    forms: str = "flat",
    **more: Any,
) -> Iterator[Case]:
    """Yield a case for each text, dtype and form. Dtypes and forms are words."""
    for text in (texts,) if isinstance(texts, str) else texts:
        for dtype in dtypes.split():
            for form in forms.split():
                yield Case(family, text, dtype, form, **more)


#: The special methods of Python's operators, without underlines.
_OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "truediv",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.MatMult: "matmul",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
    ast.LShift: "lshift",
    ast.RShift: "rshift",
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.USub: "neg",
    ast.UAdd: "pos",
    ast.Invert: "invert",
}


def _special(node: ast.AST) -> str:
    """Return the special method that a node of the syntax calls, or ""."""
    if isinstance(node, ast.BinOp):
        reflected = "r" if isinstance(node.left, ast.Constant) else ""
        return reflected + _OPERATORS[type(node.op)]
    if isinstance(node, ast.AugAssign):
        return "i" + _OPERATORS[type(node.op)]
    if isinstance(node, ast.UnaryOp):
        return _OPERATORS.get(type(node.op), "")
    if isinstance(node, ast.Compare):
        return _OPERATORS.get(type(node.ops[0]), "")
    if isinstance(node, ast.Subscript):
        return "setitem" if isinstance(node.ctx, ast.Store) else "getitem"
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        first = node.args[0] if node.args else None
        return ("r" if isinstance(first, ast.Constant) else "") + node.func.id
    return ""


def mentioned(case: Case) -> set[str]:
    """Return the names that a case measures: kp.sum, kp.fft.fft, Array.sum, Array.__add__, Generator.random."""
    found = set()
    for node in ast.walk(ast.parse(case.text)):
        special = _special(node)
        if special:
            found.add(f"Array.__{special}__")
        if not isinstance(node, ast.Attribute):
            continue
        path = ast.unparse(node)
        if re.fullmatch(r"xp(\.\w+)+", path):
            found.add(f"kp{path[2:]}")
        else:
            found.add(("Generator." if path.startswith("rng.") else "Array.") + node.attr)
    return found
