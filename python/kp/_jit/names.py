# SPDX-License-Identifier: Apache-2.0
"""Which names a function assigns, and in which blocks they occur."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

Path = tuple[int, ...]

#: Words that GLSL reserves, and names of its functions and types that Python programs use.
RESERVED = frozenset(
    [
        "active",
        "asm",
        "atomic_uint",
        "attribute",
        "bool",
        "bvec2",
        "bvec3",
        "bvec4",
        "buffer",
        "case",
        "cast",
        "centroid",
        "class",
        "coherent",
        "common",
        "const",
        "default",
        "discard",
        "dmat2",
        "dmat3",
        "dmat4",
        "do",
        "double",
        "dvec2",
        "dvec3",
        "dvec4",
        "enum",
        "extern",
        "external",
        "filter",
        "fixed",
        "flat",
        "float",
        "for",
        "fvec2",
        "goto",
        "half",
        "highp",
        "hvec2",
        "if",
        "image1D",
        "image2D",
        "in",
        "inline",
        "inout",
        "input",
        "int",
        "interface",
        "invariant",
        "isampler2D",
        "ivec2",
        "ivec3",
        "ivec4",
        "layout",
        "long",
        "lowp",
        "main",
        "mat2",
        "mat3",
        "mat4",
        "mediump",
        "namespace",
        "noinline",
        "noperspective",
        "out",
        "output",
        "partition",
        "patch",
        "precise",
        "precision",
        "public",
        "readonly",
        "resource",
        "restrict",
        "return",
        "sample",
        "sampler",
        "sampler1D",
        "sampler2D",
        "shared",
        "short",
        "sizeof",
        "smooth",
        "static",
        "struct",
        "subroutine",
        "superp",
        "switch",
        "template",
        "this",
        "true",
        "false",
        "typedef",
        "uint",
        "uniform",
        "union",
        "unsigned",
        "using",
        "uvec2",
        "uvec3",
        "uvec4",
        "varying",
        "vec2",
        "vec3",
        "vec4",
        "void",
        "volatile",
        "while",
        "writeonly",
        "abs",
        "acos",
        "all",
        "any",
        "asin",
        "atan",
        "barrier",
        "ceil",
        "clamp",
        "cos",
        "cross",
        "degrees",
        "determinant",
        "distance",
        "dot",
        "equal",
        "exp",
        "exp2",
        "faceforward",
        "floor",
        "fma",
        "fract",
        "inverse",
        "inversesqrt",
        "isinf",
        "isnan",
        "length",
        "lessThan",
        "log",
        "log2",
        "max",
        "min",
        "mix",
        "mod",
        "modf",
        "normalize",
        "not",
        "outerProduct",
        "pow",
        "radians",
        "reflect",
        "refract",
        "round",
        "roundEven",
        "sign",
        "sin",
        "sinh",
        "smoothstep",
        "sqrt",
        "step",
        "tan",
        "tanh",
        "transpose",
        "trunc",
    ]
)


@dataclass
class Name:
    """Where a name occurs.

    - ``declared``: the assignment that can declare it, because it comes first and its block has all
      occurrences.
    - ``loops``: the loops that count with it.
    """

    occurrences: list[Path] = field(default_factory=list)
    first: ast.stmt | None = None
    first_path: Path | None = None
    loops: list[tuple[ast.For, Path]] = field(default_factory=list)
    stores: int = 0


class Names(ast.NodeVisitor):
    """Collects the names that a function assigns."""

    def __init__(self, function: ast.FunctionDef) -> None:
        self.found: dict[str, Name] = {}
        self._path: Path = ()
        self._count = 0
        self._block(function.body)
        self.locals = {name for name, each in self.found.items() if each.stores}

    def _block(self, body: list[ast.stmt]) -> Path:
        self._count += 1
        path = (*self._path, self._count)
        before, self._path = self._path, path
        for statement in body:
            self.visit(statement)
        self._path = before
        return path

    def _name(self, name: str) -> Name:
        return self.found.setdefault(name, Name())

    def visit_Name(self, node: ast.Name) -> None:
        entry = self._name(node.id)
        entry.occurrences.append(self._path)
        if not isinstance(node.ctx, ast.Load):
            entry.stores += 1

    def visit_Assign(self, node: ast.Assign) -> None:
        self.visit(node.value)
        targets = node.targets
        if len(targets) == 1 and isinstance(targets[0], ast.Tuple):
            targets = targets[0].elts
        for target in targets:
            self._target(node, target)
        for target in node.targets:
            self.visit(target)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)
        self._target(node, node.target)
        self.visit(node.target)

    def _target(self, node: ast.stmt, target: ast.expr | None) -> None:
        if isinstance(target, ast.Name):
            entry = self._name(target.id)
            if not entry.occurrences:
                entry.first, entry.first_path = node, self._path

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.visit(node.value)
        self.visit(node.target)

    def visit_If(self, node: ast.If) -> None:
        self.visit(node.test)
        self._block(node.body)
        self._block(node.orelse)

    def visit_While(self, node: ast.While) -> None:
        self.visit(node.test)
        self._block(node.body)
        self._block(node.orelse)

    def visit_For(self, node: ast.For) -> None:
        self.visit(node.iter)
        if isinstance(node.target, ast.Name):
            entry = self._name(node.target.id)
            place = len(entry.loops)
            entry.loops.append((node, ()))
            entry.stores += 1
            entry.loops[place] = (node, self._block(node.body))
        else:
            self.visit(node.target)
            self._block(node.body)
        self._block(node.orelse)

    def is_declared_at(self, name: str, statement: ast.stmt) -> bool:
        """Return whether an assignment is the first occurrence of a name, in a block with all others."""
        entry = self.found[name]
        if entry.first is not statement or entry.first_path is None or entry.loops:
            return False
        return all(_within(path, entry.first_path) for path in entry.occurrences)

    def counts_only(self, name: str) -> bool:
        """Return whether a name is only the counter of loops, which they alone use and change."""
        entry = self.found[name]
        paths = [path for _, path in entry.loops]
        return entry.stores == len(entry.loops) and all(
            any(_within(path, loop) for loop in paths) for path in entry.occurrences
        )


def _within(path: Path, outer: Path) -> bool:
    return path[: len(outer)] == outer
