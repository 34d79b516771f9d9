# SPDX-License-Identifier: Apache-2.0
"""Which names a function assigns, and in which blocks they occur."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field

Path = tuple[int, ...]

#: Words that GLSL reserves, and names of its functions.
RESERVED = frozenset(
    """
    abs acos acosh active all any asin asinh asm atan atanh atomicAdd atomicAnd atomicCompSwap atomicCounter
    atomicExchange atomicMax atomicMin atomicOr atomicXor atomic_uint attribute barrier bitCount
    bitfieldExtract bitfieldInsert bitfieldReverse bool buffer case cast ceil centroid clamp class coherent
    common const cos cosh cross default degrees demote determinant discard distance do dot double
    doubleBitsToInt64 doubleBitsToUint64 enum equal exp exp2 extern external faceforward false filter
    findLSB findMSB fixed flat float float16BitsToInt16 float16BitsToUint16 floatBitsToInt floatBitsToUint
    floor fma for fract frexp fvec2 goto greaterThan greaterThanEqual groupMemoryBarrier half highp hvec2 if
    iimage2D image1D image2D image3D imageBuffer imageLoad imageSize imageStore imulExtended in inline inout
    input int intBitsToFloat interface invariant inverse inversesqrt isampler2D isinf isnan layout ldexp
    length lessThan lessThanEqual log log2 long lowp main matrixCompMult max mediump memoryBarrier min mix
    mod modf namespace noinline noperspective normalize not notEqual out outerProduct output packDouble2x32
    packFloat2x16 packHalf2x16 packInt2x32 packUint2x32 partition patch pow precise precision public radians
    readonly reflect refract resource restrict return round roundEven sample sampler sampler1D sampler2D
    sampler3D samplerCube shared short sign sin sinh sizeof smooth smoothstep sqrt static step struct
    subgroupAdd subgroupAll subgroupAny subgroupBarrier subgroupElect subgroupMax subgroupMin subpassInput
    subroutine superp switch tan tanh template terminateInvocation texelFetch texture texture1D texture2D
    texture3D textureBuffer textureCube textureSize this transpose true trunc typedef uaddCarry uimage2D
    uint uintBitsToFloat umulExtended uniform union unpackDouble2x32 unpackFloat2x16 unpackHalf2x16
    unpackInt2x32 unpackUint2x32 unsigned using usubBorrow varying void volatile while writeonly
    """.split()
)

#: Names of GLSL's types, and names derived by the generator of GLSL.
_GENERATED = re.compile(
    r"(u?int(8|16|32|64)_t|float(16|32|64)_t|bfloat16_t|([biud]|f16|f32|f64|[iu](8|16|32|64))?vec[234]"
    r"|(d|f16|f32|f64)?mat[234](x[234])?|[iu]?(image|sampler|texture)(1D|2D|3D|Cube|Buffer)\w*|\w*_(shape\d+|now|own|at\d+|result)"
    r"|\w*_(stop|step)\d*|\w*_|(value|values|result)\d+_|k\d+_)"
)


def glsl_name(name: str) -> str:
    """Return a Python name as one that GLSL accepts and that is unique in a shader."""
    text = "".join(c if c.isascii() else f"u{ord(c):x}" for c in name)
    while "__" in text:
        text = text.replace("__", "_")
    if text.startswith(("gl_", "kp_")) or _GENERATED.fullmatch(text):
        return f"py_{text.rstrip('_')}"
    return f"{text}_" if text in RESERVED else text


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

    def visit_If(self, node: ast.If | ast.While) -> None:
        self.visit(node.test)
        self._block(node.body)
        self._block(node.orelse)

    visit_While = visit_If

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
