# SPDX-License-Identifier: Apache-2.0
"""Elements of arrays, vectors and matrices, and their attributes."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Callable

from .._wording import counted
from .emitter import Emitter
from .operators import Operators
from .scope import Scope
from .types import INT, UINT, WEAK_INT, Array, Type
from .values import ATOM, Named, Value

#: The index of 64 bits as one of 32: beyond every array if it is not one. Checked mode reports the
#: argument.
_NARROW = {
    "int64_t": """uint kp_narrow(const int64_t i) {
    return i < int64_t(0) || i > int64_t(0xffffffffu) ? 0xffffffffu : uint(i);
}
""",
    "uint64_t": """uint kp_narrow(const uint64_t i) {
    return i > uint64_t(0xffffffffu) ? 0xffffffffu : uint(i);
}
""",
}

_SWIZZLES = ("xyzw", "rgba")


class Elements:
    """Elements of arrays and components of vectors and matrices.

    - `number`: returns the value of an expression that is an index.
    """

    def __init__(
        self,
        scope: Scope,
        emitter: Emitter,
        operators: Operators,
        number: Callable[[ast.expr], Value],
    ) -> None:
        self._numbers = scope.numbers
        self._unit = scope.numbers.unit
        self._fail = scope.numbers.fail
        self._parameters = scope.parameters
        self._emitter = emitter
        self._operators = operators
        self._number = number

    def attribute(self, array: Array, name: str, node: ast.AST) -> Value:
        """Return an attribute of an array."""
        if name == "shape":
            return Value(items=[self.extent(array, axis) for axis in range(array.ndim)])
        if name == "ndim":
            return Value(type=WEAK_INT, constant=array.ndim, invariant=True)
        if name == "size":
            size = self.extent(array, 0)
            for axis in range(1, array.ndim):
                size = self._operators.apply("*", size, self.extent(array, axis), node)
            size.invariant = True
            return size
        if name == "flat":
            flat = Array(
                array.name, array.element, -1, array.storage, array.parameter, array.extents
            )
            return Value(array.name, array=flat)
        self._fail(node, f"arrays of kernels have shape, size, ndim and flat, but no '{name}'")

    def extent(self, array: Array, axis: int) -> Value:
        """Return an extent of an array."""
        if array.storage == "parameter":
            extent = Value(self._unit.extent(array.parameter, axis), INT, invariant=True)
            return self._numbers.python_int(extent)
        return Value(type=WEAK_INT, constant=array.extents[axis], invariant=True)

    def component(self, base: Value, name: str, node: ast.AST) -> Value:
        """Return an attribute of a number, a vector or a matrix."""
        own = self._numbers.typed(base, node)
        if own.kind == "complex" and name in ("real", "imag"):
            return Value(f"{base.within(ATOM)}.{'x' if name == 'real' else 'y'}", Type("float32"))
        if own.kind == "complex" and name == "conjugate":
            return Value(object=Named("conjugate"), receiver=base)
        if own.is_matrix and name in ("T", "transpose"):
            turned = Type(own.scalar, own.columns, own.rows)
            value = Value(f"transpose({base.text})", turned, pure=base.pure)
            return value if name == "T" else Value(object=Named("self"), receiver=value)
        if own.is_vector and self.is_swizzle(own, name):
            rows = len(name)
            return Value(f"{base.within(ATOM)}.{name}", Type(own.scalar, rows), pure=base.pure)
        what = "components x, y, z and w" if own.is_vector else "no attributes"
        self._fail(node, f"{own.said} has {what}, but no '{name}'")

    @staticmethod
    def is_swizzle(own: Type, name: str) -> bool:
        return 1 <= len(name) <= 4 and any(
            all(letter in letters[: own.rows] for letter in name) for letters in _SWIZZLES
        )

    def entry(self, array: Array, node: ast.Subscript) -> Value:
        """Return an element of an array, or an array of the last axes of a constant one."""
        indices = _indices(node)
        if array.storage != "constant" or len(indices) >= array.ndim:
            return self.loaded(array, *self.element(array, node))
        places = [self.index(*each) for each in zip(indices, array.extents, strict=False)]
        rest = dataclasses.replace(
            array,
            name=array.name + "".join(f"[{each.text}]" for each in places),
            ndim=array.ndim - len(places),
            extents=array.extents[len(places) :],
        )
        return Value(rest.name, array=rest)

    def loaded(self, array: Array, text: str, pure: bool) -> Value:
        """Return an element of an array, whose place is given as text."""
        self._unit.use_array(array)
        own = array.element
        if own.kind == "bool" and array.storage == "parameter":
            return Value(f"{text} != uint8_t(0)", own, 6, pure=pure)
        return Value(text, own, pure=pure)

    def part(self, base: Value, node: ast.Subscript) -> Value:
        """Return a component of a vector or a matrix, or a row of a matrix."""
        own = self._numbers.typed(base, node.value)
        if own.is_scalar:
            self.require_elements(base, node.value)
            self._fail(node, f"{own.said} has no elements")
        limits = (own.rows, own.columns) if own.is_matrix else (own.rows,)
        indices = _indices(node)
        if len(indices) > len(limits):
            self._fail(
                node,
                f"{own.said} has {counted(len(limits), 'index')}, but was given {len(indices)}",
            )
        text = base.within(ATOM)
        for index, limit in zip(indices, limits, strict=False):
            text += f"[{self.index(index, limit).text}]"
        kept = (own.rows, own.columns)[len(indices) :] if own.is_matrix else ()
        result = Type(own.scalar, kept[0]) if kept else Type(own.scalar)
        return Value(text, result, pure=base.pure)

    def require_elements(self, base: Value, node: ast.expr) -> None:
        """Fail if a parameter that is used as an array was given a number."""
        if not isinstance(node, ast.Name) or node.id not in self._parameters:
            return
        if base.type is not None and base.type.is_scalar:
            self._fail(
                node,
                f"'{node.id}' is an array here, but was given a number ({base.type.strong}); give it an "
                "array",
            )

    def index(self, node: ast.expr, limit: int | None = None) -> Value:
        """Return an index: an integer that is not known to be negative or over the limit."""
        numbers = self._numbers
        if isinstance(node, (ast.Slice, ast.Starred)):
            self._fail(node, "slices cannot be used in kernels; index single elements")
        value = self._number(node)
        own = numbers.typed(value, node)
        if not own.is_scalar or not own.is_integer:
            self._fail(node, f"an index is an integer, but {own.said} was given")
        if value.is_constant:
            if value.constant < 0:
                self._fail(node, f"the index {value.constant} is negative; count from the start")
            if limit is not None and value.constant >= limit:
                self._fail(node, f"the index {value.constant} is over the last one, {limit - 1}")
            made = numbers.literal(value.constant, INT if value.constant < 2**31 else UINT, node)
            made.place = int(value.constant)
            return made
        made = numbers.convert(value, own, node)
        if numbers.strong(own).bits == 64:
            convert = "uint"
            if self._unit.checked:
                convert = self._unit.index_function("kp_narrow", _NARROW[numbers.strong(own).glsl])
            made = Value(f"{convert}({made.text})", UINT, pure=made.pure)
        made.work_item = value.work_item
        return made

    def element(self, array: Array, node: ast.Subscript) -> tuple[str, bool]:
        """Return the text of an array's element, and whether it may be evaluated twice."""
        numbers = self._numbers
        indices = _indices(node)
        what = array.parameter or array.name
        if array.ndim == -1:  # array.flat
            if array.storage != "parameter" and len(array.extents) > 1:
                self._fail(node, "only arrays that are parameters have .flat")
            if len(indices) != 1:
                self._fail(node, f"{what}.flat has 1 index, but was given {len(indices)}")
            value = self.index(indices[0])
            self._use(array, [value])
            return f"{array.name}[{value.text}]", value.pure
        if len(indices) != array.ndim:
            hint = f"; {what}.flat[i] takes one" if len(indices) == 1 else ""
            self._fail(
                node,
                f"{what} has {counted(array.ndim, 'dimension')}, but was given "
                f"{counted(len(indices), 'index')}{hint}",
            )
        limits = array.extents or (None,) * array.ndim
        values = [self.index(each, limit) for each, limit in zip(indices, limits, strict=True)]
        pure = all(value.pure for value in values)
        self._use(array, values)
        if array.storage != "parameter":
            return array.name + "".join(f"[{value.text}]" for value in values), pure
        if self._unit.checked and array.ndim > 1:
            return f"{array.name}[{self._checked_index(array.parameter, values)}]", pure
        flat = values[0]
        for axis, value in enumerate(values[1:], 1):
            size = Value(self._unit.extent(array.parameter, axis), INT)
            extent = numbers.convert(size, numbers.typed(flat, node), node)
            row = self._operators.apply("*", flat, extent, node)
            flat = self._operators.apply(
                "+", row, numbers.convert(value, numbers.typed(row, node), node), node
            )
        return f"{array.name}[{flat.text}]", pure

    def _checked_index(self, parameter: str, indices: list[Value]) -> str:
        """Return a flat index as a call that checked mode compares with the shape."""
        types: list[str] = []
        texts: list[str] = []
        for axis, index in enumerate(indices):
            own = index.type
            assert own is not None
            word = UINT if own.kind == "uint" else INT
            types.append(word.glsl)
            texts.append(index.text if own.bits == 32 else f"{word.glsl}({index.text})")
            texts.append(f"uint({self._unit.extent(parameter, axis)})")
        flat = "uint(i0)"
        for axis in range(1, len(indices)):
            flat = f"{flat} * e{axis} + uint(i{axis})"
            if axis + 1 < len(indices):
                flat = f"({flat})"
        made = [f"const {each} i{axis}, const uint e{axis}" for axis, each in enumerate(types)]
        name = self._unit.index_function(
            "kp_element", f"uint kp_element({', '.join(made)}) {{\n    return {flat};\n}}\n"
        )
        return f"{name}({', '.join(texts)})"

    def _use(self, array: Array, indices: list[Value]) -> None:
        self._unit.use_array(array)
        if array.storage != "parameter" or not self._emitter.is_certain:
            return
        items = tuple(index.work_item for index in indices)
        if any(item is not None for item in items):
            self._unit.by_index[array.parameter, items] = None
        places = self._unit.places
        for axis, index in enumerate(indices):
            if index.place is not None:
                key = array.parameter, axis if len(indices) > 1 or array.ndim == 1 else None
                places[key] = max(places.get(key, 0), index.place)


def _indices(node: ast.Subscript) -> list[ast.expr]:
    return node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
