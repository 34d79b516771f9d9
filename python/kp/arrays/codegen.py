# SPDX-License-Identifier: Apache-2.0
"""Kernels for expressions: the instructions of an expression, and their GLSL.

A kernel depends on functions, types and the way memory is walked through, never on sizes or
constants: those are parameters. So a program needs few kernels, and `Program.key` finds them again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._kp import _LibraryText
from .expressions import Node
from .functions import FUNCTIONS
from .storage import Shape, Storage, View, broadcast_strides, collapse, require_countable
from .types import Number, convert, number

#: Parameters that fit into the push constants of every device, in words.
PUSHED_WORDS = 32

#: Invocations of a work group. Every device has 128.
LOCAL_SIZE = 128

#: Elements that an invocation of a small kernel computes, and the instructions of such a kernel.
EACH = 4
SMALL_PROGRAM = 10

#: Elements of a wide access.
WIDE = 4

#: The vectors of a wide access, in memory and in registers, by the type of an element in memory.
_VECTORS = {
    "float": ("vec4", "vec4"),
    "double": ("dvec4", "dvec4"),
    "int": ("ivec4", "ivec4"),
    "uint": ("uvec4", "uvec4"),
    "int64_t": ("i64vec4", "i64vec4"),
    "uint64_t": ("u64vec4", "u64vec4"),
    "int16_t": ("i16vec4", "ivec4"),
    "uint16_t": ("u16vec4", "uvec4"),
    "int8_t": ("i8vec4", "ivec4"),
    "uint8_t": ("u8vec4", "uvec4"),
    "float16_t": ("f16vec4", "vec4"),
}

#: Names in statements that are repeated: values, and the coordinates that are repeated with them.
_NAMES = {
    "kept": re.compile(r"\b(?:v\d+|kept\d+|rest_kept)\b"),
    "reduced": re.compile(r"\b(?:v\d+|reduced\d+|rest_reduced)\b"),
}


@dataclass(frozen=True)
class Write:
    """A result: where it goes, further by `indices` (nodes with pairs of extent and stride)."""

    view: View
    value: Node
    indices: tuple[Node, ...] = ()
    steps: tuple[tuple[int, int], ...] = ()
    mask: Node | None = None


class Program:
    """The instructions that compute some values of a shape, and the parameters of one run.

    `axes` are reduced: they come last among the extents.
    """

    def __init__(self, shape: Shape, axes: Sequence[int] = ()) -> None:
        require_countable(shape)
        kept = [axis for axis in range(len(shape)) if axis not in axes]
        self._order = (*kept, *axes)
        self._kept = len(kept)
        self.shape = shape
        self.instructions: list[tuple[Any, ...]] = []
        self.storages: list[Storage] = []
        self._bindings: dict[int, int] = {}
        self._values: dict[int, int] = {}
        self._places: list[tuple[int, list[int]]] = []
        self._known: dict[tuple[Any, ...], int] = {}
        self._constants: list[NDArray[np.uint32]] = []
        self.constant_words = 0
        #: Position of each constant among the words of constants, by the id of its node.
        self.constants: dict[int, int] = {}
        self._nodes: list[Node] = []  # keeps ids alive

    def binding(self, storage: Storage) -> int:
        """Return the binding of a storage."""
        found = self._bindings.get(id(storage))
        if found is None:
            found = self._bindings[id(storage)] = len(self.storages)
            self.storages.append(storage)
        return found

    def place(self, offset: int, shape: Shape, strides: Shape) -> int:
        """Return the number of an address: of a view, broadcast to the shape of the program."""
        same = shape == self.shape
        row = list(strides) if same else broadcast_strides(shape, strides, self.shape)
        if self._kept != len(row):
            row = [row[axis] for axis in self._order]
        key = (offset, *row)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = len(self._places)
            self._places.append((offset, row))
        return found

    def words(self, values: NDArray[np.uint32]) -> int:
        """Add constants; return the position of the first among all."""
        position = self.constant_words
        self._constants.append(values)
        self.constant_words += len(values)
        return position

    def _steps(self, steps: Sequence[tuple[int, int]]) -> int:
        flat = [value for pair in steps for value in pair]
        return self.words(np.array(flat, np.int64).astype(np.uint32))

    def value(self, node: Node) -> int:
        """Add the instructions of a node; return the number of its value."""
        found = self._values.get(id(node))
        if found is not None:
            return found
        instruction = self._instruction(node)
        number_ = len(self.instructions)
        self.instructions.append(instruction)
        self._values[id(node)] = number_
        self._nodes.append(node)
        return number_

    def _instruction(self, node: Node) -> tuple[Any, ...]:
        if node.op == "leaf":
            view = node.view
            assert view is not None
            place = self.place(view.offset, view.shape, view.strides)
            return ("leaf", node.dtype.char, self.binding(view.storage), place)
        if node.op == "const":
            position = self.constants[id(node)] = self.words(node.extra)
            return ("const", node.dtype.char, position)
        if node.op == "address":
            offset, strides = node.extra
            return ("address", node.dtype.char, self.place(offset, node.shape, strides))
        if node.op == "take":
            base, *indices = node.args
            view = base.view
            assert view is not None
            values = tuple(self.value(index) for index in indices)
            place = self.place(view.offset, view.shape, view.strides)
            position = self._steps(node.extra)
            return ("take", node.dtype.char, self.binding(view.storage), place, values, position)
        arguments = tuple(self.value(arg) for arg in node.args)
        kinds = tuple(arg.dtype.char for arg in node.args)
        return (node.op, node.dtype.char, node.extra, arguments, kinds)

    def write(self, write: Write) -> None:
        """Add the storing of a result."""
        value = self.value(write.value)
        indices = tuple(self.value(index) for index in write.indices)
        mask = -1 if write.mask is None else self.value(write.mask)
        view = write.view
        place = self.place(view.offset, view.shape, view.strides)
        position = self._steps(write.steps) if indices else -1
        self.instructions.append(
            (
                "store",
                view.storage.dtype.char,
                self.binding(view.storage),
                place,
                value,
                indices,
                position,
                mask,
            )
        )

    def finish(self) -> tuple[Layout, NDArray[np.uint32]]:
        """Return how memory is walked through, and the parameters of this run."""
        key = (self.shape, self._order, self._kept, tuple(self._known))
        found = _walks.get(key)
        if found is None:
            if len(_walks) >= _MAX_WALKS:
                _walks.clear()
            found = _walks[key] = self._walk()
        layout, words = found
        return layout, np.concatenate([words, *self._constants]) if self._constants else words

    def wide(self, layout: Layout, part: str) -> frozenset[int]:
        """Return the bindings that a kernel may access in vectors of neighbouring elements along a part."""
        classes = layout.kept_classes if part == "kept" else layout.reduced_classes
        others = layout.reduced_classes if part == "kept" else layout.kept_classes
        offsets = [offset for offset, _ in self._places]
        found = {
            binding
            for binding, storage in enumerate(self.storages)
            if number(storage.dtype).stored in _VECTORS and storage.tensor.size() % WIDE == 0
        }
        for op, _, *rest in self.instructions:
            if op == "take" or (op == "store" and (rest[3] or rest[5] >= 0)):
                found.discard(rest[0])
            elif op in ("leaf", "store"):
                binding, place = rest[:2]
                along = classes[place] == "c" and offsets[place] % WIDE == 0
                # Rows begin at multiples of WIDE, too.
                steps = self._places[place][1][: self._kept] if part == "reduced" else []
                if not along or any(step % WIDE for step in steps):
                    found.discard(binding)
        return frozenset(found)

    def _walk(self) -> tuple[Layout, NDArray[np.uint32]]:
        rows = [row for _, row in self._places]
        extents = [self.shape[axis] for axis in self._order]
        kept, kept_rows = collapse(extents[: self._kept], [row[: self._kept] for row in rows])
        reduced, reduced_rows = collapse(extents[self._kept :], [row[self._kept :] for row in rows])
        kept, kept_rows, kept_classes = _classes(kept, kept_rows)
        reduced, reduced_rows, reduced_classes = _classes(reduced, reduced_rows)
        layout = Layout(len(kept), len(reduced), tuple(kept_classes), tuple(reduced_classes))
        numbers: list[int] = [*kept, *reduced]
        for place, (offset, _) in enumerate(self._places):
            numbers.append(offset)
            if kept_classes[place] == "g":
                numbers += kept_rows[place]
            if reduced_classes[place] == "g":
                numbers += reduced_rows[place]
        return layout, np.array(numbers, np.int64).astype(np.uint32)


#: Layouts and parameters of recent runs, by shapes, strides and offsets.
_walks: dict[tuple[Any, ...], tuple[Layout, NDArray[np.uint32]]] = {}
_MAX_WALKS = 4096


def _classes(
    dims: list[int], rows: list[list[int]]
) -> tuple[list[int], list[list[int]], list[str]]:
    """Return how each view walks: "c" along with the index, "s" not at all, "g" with strides.

    Without a view that walks with strides, there is nothing to know about extents.
    """
    classes = []
    for row in rows:
        if not any(row):
            classes.append("s")
        elif len(row) == 1 and row[0] == 1:
            classes.append("c")
        else:
            classes.append("g")
    if "g" not in classes:
        return [], [[] for _ in rows], classes
    return dims, rows, classes


@dataclass(frozen=True)
class Layout:
    """How a kernel walks through memory. See Program.finish()."""

    kept: int
    reduced: int
    kept_classes: tuple[str, ...]
    reduced_classes: tuple[str, ...]


#: dtype.char -> Number
_OF_CHAR: dict[str, Number] = {}


def of_char(char: str) -> Number:
    """Return the type of an instruction."""
    found = _OF_CHAR.get(char)
    if found is None:
        found = _OF_CHAR[char] = number(np.dtype(char))
    return found


def _observed(instructions: Sequence[tuple[Any, ...]], used: Sequence[int]) -> set[int]:
    """Return the values that another type is made of, directly or by way of functions of their own type.

    A compiler may find that a conversion to another type undoes an earlier one, which must have rounded.
    """
    found = set(used)
    for index in reversed(range(len(instructions))):
        op, char, *rest = instructions[index]
        if op == "store":
            found.update(rest[3])
        elif op == "take":
            found.update(rest[2])
        elif op in ("call", "cast", "text"):
            _, arguments, kinds = rest
            for argument, kind in zip(arguments, kinds, strict=True):
                if index in found or op == "text" or kind != char:
                    found.add(argument)
    return found


def _computed_with(instructions: Sequence[tuple[Any, ...]], used: Sequence[int]) -> set[int]:
    """Return the values that others are computed of, not only stored."""
    found = set(used)
    for op, _, *rest in instructions:
        if op in ("call", "cast", "text"):
            found.update(rest[1])
    return found


#: The bits of 0, which no compiler knows: the first parameter is a number of elements.
_ZERO = "(p[0] >> 31)"

#: Type of registers -> a number that no compiler knows, if it is in these brackets.
_UNKNOWN = {
    "float": f"uintBitsToFloat(floatBitsToUint({{}}) | {_ZERO})",
    "double": f"packDouble2x32(unpackDouble2x32({{}}) | uvec2({_ZERO}))",
    "vec2": f"uintBitsToFloat(floatBitsToUint({{}}) | uvec2({_ZERO}))",
    "dvec2": "dvec2({})".format(
        ", ".join(
            f"packDouble2x32(unpackDouble2x32({{0}}.{part}) | uvec2({_ZERO}))" for part in "xy"
        )
    ),
}


class Writer:
    """Writes the GLSL of a program.

    - `header`: number of parameter words before those of the program.
    - `used`: values with uses that the program does not know.
    - `wide`: bindings that are accessed in vectors of neighbouring elements.
    """

    def __init__(
        self,
        program: Program,
        layout: Layout,
        header: int,
        used: Sequence[int] = (),
        wide: frozenset[int] = frozenset(),
    ) -> None:
        self._program = program
        self._observed = _observed(program.instructions, used)
        self._computed_with = _computed_with(program.instructions, used)
        self.layout = layout
        self._header = header
        self._wide = wide
        self._library = _LibraryText()
        #: Further functions, which may call those of the library.
        self.functions = ""
        self.extensions: dict[str, None] = {}
        self._positions: list[int] = []
        position = header + layout.kept + layout.reduced
        for kept, reduced in zip(layout.kept_classes, layout.reduced_classes, strict=True):
            self._positions.append(position)
            position += 1
            position += layout.kept if kept == "g" else 0
            position += layout.reduced if reduced == "g" else 0
        self._constants = position
        self.words = position + program.constant_words

    def use(self, of: Number) -> None:
        """Note a type's extension."""
        if of.extension:
            self.extensions[of.extension] = None

    def helper(self, text: str, computed: str) -> str:
        """Note the library's functions in a text, which it returns."""
        self._library.use(text, computed)
        return text

    def buffers(self) -> str:
        """Return the declarations of the memory."""
        lines = []
        for binding, storage in enumerate(self._program.storages):
            of = number(storage.dtype)
            self.use(of)
            stored = _VECTORS[of.stored][0] if binding in self._wide else of.stored
            lines.append(
                f"layout(set = 0, binding = {binding}) buffer Memory{binding} "
                f"{{ {stored} memory{binding}[]; }};\n"
            )
        return "".join(lines)

    def coordinates(self, index: str, part: str, indent: str) -> str:
        """Return the statements that split an index into one per axis: kept0, kept1, ..."""
        count = self.layout.kept if part == "kept" else self.layout.reduced
        if not count:
            return ""
        first = self._header + (0 if part == "kept" else self.layout.kept)
        lines = [f"{indent}uint rest_{part} = {index};\n"] if count > 1 else []
        for axis in reversed(range(1, count)):
            lines.append(
                f"{indent}uint {part}{axis} = rest_{part} % p[{first + axis}];\n"
                f"{indent}rest_{part} /= p[{first + axis}];\n"
            )
        rest = f"rest_{part}" if count > 1 else index
        lines.append(f"{indent}uint {part}0 = {rest};\n")
        return "".join(lines)

    def place(self, place: int, kept: str, reduced: str) -> str:
        """Return the expression of an address."""
        position = self._positions[place]
        terms = [f"p[{position}]"]
        position += 1
        layout = self.layout
        parts = (
            (layout.kept_classes[place], "kept", layout.kept, kept),
            (layout.reduced_classes[place], "reduced", layout.reduced, reduced),
        )
        for kind, part, count, index in parts:
            if kind == "c":
                terms.append(index)
            elif kind == "g":
                terms += [f"{part}{axis} * p[{position + axis}]" for axis in range(count)]
                position += count
        return " + ".join(terms)

    def _index(self, values: tuple[int, ...], position: int) -> str:
        terms = []
        for i, value in enumerate(values):
            extent = self._constants + position + 2 * i
            terms.append(
                f" + uint(int(v{value}) < 0 ? int(v{value}) + int(p[{extent}]) : int(v{value}))"
                f" * p[{extent + 1}]"
            )
        return "".join(terms)

    def statement(self, index: int, kept: str, reduced: str) -> str:
        """Return the statement of one instruction."""
        op, char, *rest = self._program.instructions[index]
        of = of_char(char)
        self.use(of)
        if op == "store":
            binding, place, value, indices, position, mask = rest
            where = self.place(place, kept, reduced) + self._index(indices, position)
            condition = f"if (v{mask}) " if mask >= 0 else ""
            return f"{condition}memory{binding}[{where}] = {of.store.format(f'v{value}')};"
        precise = "precise " if of.family in "fc" else ""
        value = self._value(op, of, rest, kept, reduced, index in self._observed)
        if op == "cast" and of.family in "fc" and index in self._computed_with:
            # Compilers take the product of x and 0 for 0, even if x may be NaN, in spite of `precise`. An
            # integer, a bool or the imaginary part of a real number may be 0 without the memory being read.
            if of.family == "c" or of_char(rest[2][0]).family in "biu":
                value = _UNKNOWN[of.computed].format(value)
        return f"{precise}{of.computed} v{index} = {value};"

    def neighbours(self, index: str, part: str, indent: str) -> tuple[str, str]:
        """Return the statements that compute WIDE elements from an index on, and those that store them.

        Their values end with _0, _1, ...
        """
        loads = stores = computed = ""
        instructions = self._program.instructions

        def memory_of(at: int) -> str:
            binding, place = instructions[at][2:4]
            kept, reduced = (index, "0u") if part == "kept" else ("i", index)
            return f"memory{binding}[({self.place(place, kept, reduced)}) / {WIDE}u]"

        wide = [
            at
            for at, (op, _, *rest) in enumerate(instructions)
            if op in ("leaf", "store") and rest[0] in self._wide
        ]
        for at in wide:
            op, char, _, _, *rest = instructions[at]
            memory, registers = _VECTORS[of_char(char).stored]
            if op == "leaf":
                loads += f"{indent}{registers} block{at} = {registers}({memory_of(at)});\n"
            else:
                values = ", ".join(f"v{rest[0]}_{element}" for element in range(WIDE))
                stores += f"{indent}{memory_of(at)} = {memory}({registers}({values}));\n"
        for element in range(WIDE):
            own = f"({index} + {element}u)"
            kept, reduced = (own, "0u") if part == "kept" else ("i", own)
            text = self.coordinates(own, part, indent)
            for at, (op, char, *_) in enumerate(instructions):
                if at in wide:
                    if op == "leaf":
                        of = of_char(char)
                        loaded = of.load.format(f"block{at}[{element}]")
                        text += f"{indent}{of.computed} v{at} = {loaded};\n"
                else:
                    line = f"{indent}{self.statement(at, kept, reduced)}\n"
                    if op == "store":
                        stores += renamed(line, part, f"_{element}")
                    else:
                        text += line
            computed += renamed(text, part, f"_{element}")
        return loads + computed, stores

    def _value(
        self, op: str, of: Number, rest: list[Any], kept: str, reduced: str, observed: bool
    ) -> str:
        if op == "leaf":
            binding, place = rest
            return of.load.format(f"memory{binding}[{self.place(place, kept, reduced)}]")
        if op == "const":
            position = self._constants + rest[0]
            return of.constant.format(*(f"p[{position + i}]" for i in range(of.words)))
        if op == "address":
            place_ = f"int({self.place(rest[0], kept, reduced)})"
            return self.helper(convert(place_, number(np.int32), of, observed), "float")
        if op == "take":
            binding, place, values, position = rest
            where = self.place(place, kept, reduced) + self._index(values, position)
            return of.load.format(f"memory{binding}[{where}]")
        extra, arguments, kinds = rest
        names = [f"v{argument}" for argument in arguments]
        first = of_char(kinds[0])
        if op == "cast":
            self.use(first)
            return self.helper(convert(names[0], first, of, observed), "float")
        if op == "text":
            return self.helper(extra.format(*names), first.computed)
        text = FUNCTIONS[extra].text(first)
        assert text is not None
        text = self.helper(text.format(*names), first.computed)
        self.helper(of.wrap, "float")
        return of.wrap.format(text) if of.wrap else text

    def source(self, name: str, body: str, declarations: str = "") -> str:
        """Return the whole shader. `body` and `declarations` are complete already."""
        buffers = self.buffers()
        extensions = "".join(f"#extension {each} : require\n" for each in self.extensions)
        if self.words <= PUSHED_WORDS:
            parameters = f"layout(push_constant) uniform Parameters {{ uint p[{self.words}]; }};\n"
        else:
            binding = len(self._program.storages)
            parameters = f"layout(set = 0, binding = {binding}) readonly buffer Parameters {{ uint p[]; }};\n"
        return (
            f"#version 450\n// {name}\n{extensions}"
            f"layout(local_size_x = {LOCAL_SIZE}) in;\n{buffers}{parameters}{declarations}\n"
            f"{self._library.text}{self.functions}\nvoid main() {{\n{body}}}\n"
        )


def each_of(instructions: int) -> int:
    """Return how many elements an invocation computes.

    Small kernels wait for memory. With several loads on the way at once, an invocation waits less often.
    """
    if instructions > 2 * SMALL_PROGRAM:
        return 1
    return EACH if instructions <= SMALL_PROGRAM else -(-EACH // 2)


def renamed(statements: str, part: str, suffix: str) -> str:
    """Return statements with a suffix at the names of values and of the coordinates of a part."""
    return _NAMES[part].sub(lambda match: match[0] + suffix, statements) if suffix else statements
