# SPDX-License-Identifier: Apache-2.0
"""A whole shader: a kernel, the functions that it calls, and their declarations."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Mapping
from types import FunctionType
from typing import Any

import numpy as np

from .._kp import _LibraryText, _checks
from .expressions import Expressions
from .function import Function
from .names import glsl_name
from .numbers import Numbers
from .source import Source
from .types import FLOAT, INT, Array, ArrayType, Type, annotation_of, of_dtype
from .values import NOTHING, Value
from .work_items import WORK_ITEMS

#: Bytes of a constant array. Larger ones take compilers a long time.
MAX_TABLE_BYTES = 16384

_ARITHMETIC = "GL_EXT_shader_explicit_arithmetic_types"


class Unit:
    """Compiles a kernel for arguments of certain types to GLSL.

    - `specs`: the type of each parameter, in the order of the function's.
    - `names`: further names that the function may use.
    - `values`: parameters that have a value in the shader instead of an argument.
    - `slots`: the bindings of arrays, if given.
    - `plain`: no bounds are checked, and work items are GLSL's.
    - `interpreted`: Python runs the function, so that it may print and stop in a debugger.

    In checked mode, the text has the lines of the Python function, and its assertions.
    """

    def __init__(
        self,
        source: Source,
        specs: Mapping[str, ArrayType | Type],
        local_size: tuple[int, int, int],
        names: Mapping[str, Any] | None = None,
        values: Mapping[str, Value] | None = None,
        slots: Mapping[str, int] | None = None,
        plain: bool = False,
        interpreted: bool = False,
    ) -> None:
        self.source = source
        self.specs = dict(specs)
        self.local_size = local_size
        self.names = dict(names or {})
        self.slots = slots
        self.plain = plain
        self.interpreted = interpreted
        self.checked = interpreted or bool(_checks())
        self.captured: dict[tuple[Source, str], Any] = {}
        elements = [
            each.element if isinstance(each, ArrayType) else each for each in specs.values()
        ]
        doubles = any(each.scalar == "float64" for each in elements)
        self.default_float = Type("float64") if doubles else FLOAT
        self._identifiers: dict[str, str] = {}
        self._sources: dict[Any, Source] = {}
        self.taken: set[str] = set()
        self.axes, self.grouped, self.wide = 1, False, False
        #: Float types whose numbers are compared or become numbers of another type.
        self.observed: set[str] = set()
        for each in elements:
            self.meet(each)
        self._values = dict(values or {})
        self._translate()

    def _parameter(self, name: str, spec: ArrayType | Type) -> Value:
        text = self.identifier(name)
        self.taken.add(text)
        if isinstance(spec, ArrayType):
            return Value(text, array=Array(text, spec.element, spec.ndim or 1, "parameter", name))
        if spec.kind == "bool":
            return Value(f"{text} != 0u", spec, 6, invariant=True)
        if spec.weak and self.wide:
            return Value(f"{self.default_int.glsl}({text})", self.default_int, invariant=True)
        return Value(text, spec.strong, invariant=True)

    def _translate(self) -> None:
        """Translate until the facts about the whole kernel no longer change."""
        while True:
            before = (self.axes, self.grouped, self.wide, set(self.observed))
            self.parameters = {
                **{name: self._parameter(name, each) for name, each in self.specs.items()},
                **self._values,
            }
            self._functions: dict[tuple[Any, ...], Function] = {}
            self._function_names: set[str] = set()
            self._stack: list[Any] = []
            self._final = 0
            self._forget()
            self.kernel = Function(self, self.source, self.parameters)
            self.kernel.translate()
            self._final += 1
            self._forget()
            self.kernel.run()
            if before == (self.axes, self.grouped, self.wide, self.observed):
                return

    def _forget(self) -> None:
        """Reset the functions' needs before a pass that finds them again."""
        self.extensions: set[str] = set()
        self.library = _LibraryText()
        self.work_items: set[str] = set()
        self.extents: dict[tuple[str, int], None] = {}
        self.used: set[str] = set()
        self.by_index: dict[tuple[str, tuple[int | None, ...]], None] = {}
        #: The last constant index that every work item uses, by parameter and axis (None for .flat).
        self.places: dict[tuple[str, int | None], int] = {}
        self.shared_arrays: dict[str, str] = {}
        self.tables: dict[tuple[str, str], str] = {}
        self.index_functions: dict[str, None] = {}  # texts
        self.needs_global_size = False

    @property
    def guards(self) -> bool:
        """Whether work items beyond the requested number do nothing."""
        return not self.grouped and not self.plain

    # --- for functions
    # ------------------------------------------------------------------------------

    def identifier(self, name: str) -> str:
        """Return a name of Python as one that GLSL accepts."""
        known = self._identifiers.get(name)
        if known is not None:
            return known
        text = glsl_name(name)
        while text in self._identifiers.values():
            text += "1"
        self._identifiers[name] = text
        return text

    def extent(self, parameter: str, axis: int) -> str:
        """Return the text of an extent of a parameter."""
        self.extents[parameter, axis] = None
        return f"{self.identifier(parameter)}_shape{axis}"

    def use_array(self, array: Array) -> None:
        if array.storage == "parameter":
            self.used.add(array.parameter)

    @property
    def default_int(self) -> Type:
        """The type of Python's integers: int64 if the kernel has integers of 64 bits, else int32."""
        return Type("int64") if self.wide else INT

    def meet(self, own: Type) -> None:
        """Note that the kernel has numbers of a type."""
        self.wide = self.wide or own.scalar in ("int64", "uint64")

    def observe(self, own: Type) -> None:
        """Note that numbers of a type are compared, or become numbers of another type."""
        if own.is_float:
            self.observed.add(own.scalar)

    def need(self, name: str, own: Type) -> None:
        """Define a function of the library for operands of a type."""
        if own.is_vector:
            is_test = name in ("kp_isnan", "kp_isinf", "kp_isfinite")
            result = f"bvec{own.rows}" if is_test else own.glsl
            self.library.use_by_part(name, own.number.glsl, own.glsl, result, own.rows)
        else:
            self.library.use(name, own.glsl)

    def need_rounding(self, name: str, own: Type, to: Type) -> None:
        """Define a conversion of the library from a type to another of the same shape."""
        number = own.number.glsl
        self.library.use(name, number)
        if own.rows > 1:
            column = own.rows if own.is_vector else own.columns
            whole, result = Type(own.scalar, column).glsl, Type(to.scalar, column).glsl
            self.library.use_by_part(name, number, whole, result, column)
        if own.is_matrix:
            self.library.use_by_part(name, number, own.glsl, to.glsl, own.rows)

    def index_function(self, name: str, text: str) -> str:
        """Define a function through which checked mode sees an index, and return its name."""
        self.index_functions[text] = None
        return name

    def global_size(self) -> str:
        self.needs_global_size = True
        return "kp_global_size"

    def is_folded(self, axis: int) -> bool:
        """Note that an axis is used. Return whether its index is computed from x and y."""
        self.axes = max(self.axes, axis + 1)
        return self.axes == 1 and not self.plain

    def shared(self, owner: str, name: str, own: Type, sizes: str) -> str:
        """Declare a shared array of a function and return its name."""
        self.grouped = True
        text = self.identifier(name)
        if owner:
            text = f"{owner}_{text}"
        self.shared_arrays[text] = f"shared {own.glsl} {text}{sizes};\n"
        return text

    def table(self, thing: Any, numbers: Numbers, node: ast.AST) -> Array:
        """Declare a list or an array of numbers of the program as a constant."""
        table = np.array(thing)
        own = self.default_int if table.dtype.kind in "iu" else self.default_float
        if isinstance(thing, np.ndarray) or table.dtype.kind == "b":
            own = of_dtype(table.dtype)
        if table.nbytes > MAX_TABLE_BYTES:
            numbers.fail(
                node,
                f"a constant array has {MAX_TABLE_BYTES} bytes at most, but this one {table.nbytes}; give it "
                "as an argument",
            )
        self.meet(own)
        texts = [numbers.literal(each.item(), own, node).text for each in table.ravel()]
        for extent in reversed(table.shape):
            parts = [texts[i : i + extent] for i in range(0, len(texts), extent)]
            texts = [f"{{{', '.join(part)}}}" for part in parts]
        sizes = "".join(f"[{extent}]" for extent in table.shape)
        key = (own.glsl, f"{sizes} = {texts[0]};\n")
        found = self.tables.setdefault(key, f"kp_table{len(self.tables)}")
        return Array(found, own, table.ndim, "constant", extents=table.shape)

    def function(
        self, caller: Expressions, function: FunctionType, values: list[Value], node: ast.Call
    ) -> tuple[Function, list[str]]:
        """Return a function for arguments, and their texts in a call."""
        source = self._sources.get(function)
        if source is None:
            source = self._sources[function] = Source(function)
        numbers = caller.numbers
        given = self._arguments(caller, function, values, node)
        key: list[Any] = [function]
        texts: list[str] = []
        parameters: dict[str, Value] = {}
        for name, value in given.items():
            if value.array is not None:
                if value.array.storage == "local":
                    caller.fail(
                        node, "local arrays cannot be given to functions; pass their elements"
                    )
                parameters[name] = value
                key.append((value.array.name, value.array.ndim))
            elif value.object is not NOTHING:
                parameters[name] = value
                key.append(value.object)
            else:
                own = numbers.strong(numbers.typed(value, node))
                annotated = source.annotation(name)
                if isinstance(annotated, Type):
                    annotated = numbers.named(annotation_of(function, name), annotated)
                    value = numbers.store(value, annotated, f"'{name}'", node)
                    own = annotated
                texts.append(numbers.convert(value, own, node).text)
                parameters[name] = Value(self._argument(name), own)
                key.append(own)
        made = self._functions.get(tuple(key))
        if made is not None and made not in self._stack:
            if made.final != self._final:
                self._again(made)
            return made, texts
        if made is not None:
            caller.fail(node, f"{source.name}() calls itself, which shaders cannot do")
        made = Function(self, source, parameters, self._unique(source.name))
        self._functions[tuple(key)] = made
        self._stack.append(made)
        made.translate()
        self._stack.pop()
        made.final = self._final
        return made, texts

    def _again(self, made: Function) -> None:
        """Translate a function once more, to find the needs of the final text."""
        made.final = self._final
        self._stack.append(made)
        made.run()
        self._stack.pop()

    def _argument(self, name: str) -> str:
        text = self.identifier(name)
        return f"{text.rstrip('_')}_own" if text in self.taken else text

    def _unique(self, name: str) -> str:
        text = base = self.identifier(name)
        number = 2
        while text in self._function_names or text in self.taken:
            text = f"{base}{number}"
            number += 1
        self._function_names.add(text)
        return text

    @staticmethod
    def _arguments(
        caller: Expressions, function: FunctionType, values: list[Value], node: ast.Call
    ) -> dict[str, Value]:
        given: dict[str, Any] = {
            each.arg or "": caller.evaluate(each.value) for each in node.keywords
        }
        try:
            bound = inspect.signature(function).bind(*values, **given)
        except TypeError as error:
            caller.fail(node, f"{function.__name__}(): {error}")
        bound.apply_defaults()
        return {name: caller.wrap(value) for name, value in bound.arguments.items()}

    # --- text -------------------------------------------------------------------------------------

    def _called(self) -> list[Function]:
        """Return the functions that the kernel calls, callees first."""
        order: list[Function] = []

        def visit(function: Function) -> None:
            for each in function.calls.values():
                if each not in order:
                    visit(each)
                    if each not in order:
                        order.append(each)

        visit(self.kernel)
        return order

    @property
    def bindings(self) -> dict[str, int]:
        """The bindings of the parameters that are buffers."""
        used = [name for name in self.specs if name in self.used]
        return {name: self.slots[name] if self.slots else i for i, name in enumerate(used)}

    def _buffer(self, binding: int, name: str) -> str:
        spec = self.specs[name]
        assert isinstance(spec, ArrayType)
        element = spec.element
        scalar = element.rows == 3 or element.is_matrix
        if scalar:
            self.extensions.add("GL_EXT_scalar_block_layout")
        text = "uint8_t" if element.kind == "bool" else element.glsl
        if text == "uint8_t":
            self.extensions.add(_ARITHMETIC)
        array = self.identifier(name)
        layout = f"{'scalar, ' if scalar else ''}binding = {binding}"
        return f"layout({layout}) buffer kp_buffer{binding} {{ {text} {array}[]; }};\n"

    @property
    def values(self) -> list[str]:
        """The parameters that are push constants."""
        return [name for name, spec in self.specs.items() if isinstance(spec, Type)]

    def _constants(self) -> str:
        members = ["    uvec3 kp_global_size;\n"] if self.has_global_size else []
        for name in self.values:
            spec = self.specs[name]
            assert isinstance(spec, Type)
            text = "uint" if spec.kind == "bool" else spec.glsl
            members.append(f"    {text} {self.identifier(name)};\n")
        members += [f"    int {self.extent(*each)};\n" for each in self.extents]
        if not members:
            return ""
        return f"layout(push_constant) uniform kp_arguments {{\n{''.join(members)}}};\n"

    @property
    def has_global_size(self) -> bool:
        return self.guards or self.needs_global_size

    def _guard(self) -> str:
        if not self.guards:
            return ""
        if self.axes == 1:
            self.work_items.add("kp_index")
            test = "kp_index() >= int(kp_global_size.x)"
        else:
            test = "any(greaterThanEqual(gl_GlobalInvocationID, kp_global_size))"
        return f"    if ({test})\n        return;\n"

    @property
    def glsl(self) -> str:
        """The text of the shader."""
        guard = self._guard()
        functions = [_definition(each) + "\n".join(each.lines) + "\n}\n" for each in self._called()]
        buffers = [self._buffer(i, name) for name, i in self.bindings.items()]
        main = "void main() {\n" + guard + "\n".join(self.kernel.lines) + "\n}\n"
        body = "".join(
            [
                *buffers,
                self._constants(),
                *self.shared_arrays.values(),
                *(f"const {own} {name}{rest}" for (own, rest), name in self.tables.items()),
                *(f"\n{WORK_ITEMS[each]}" for each in sorted(self.work_items)),
                f"\n{self.library.text}" if self.library.text else "",
                *(f"\n{each}" for each in self.index_functions),
                *(f"\n{each}" for each in functions),
                f"\n{main}",
            ]
        )
        if any(
            word in body
            for word in ("int8_t", "int16_t", "int64_t", "float16_t", "f16", "i64", "i8", "i16")
        ):
            self.extensions.add(_ARITHMETIC)
        if self.checked:
            self.extensions.add("GL_GOOGLE_cpp_style_line_directive")
        size = [f"local_size_{axis} = {n}" for axis, n in zip("xyz", self.local_size, strict=True)]
        used = 3 if self.local_size[2] > 1 else 2 if self.local_size[1] > 1 else 1
        types = ", ".join(f"{name}: {each}" for name, each in self.specs.items())
        header = ["#version 450"]
        header += [f"#extension {each} : require" for each in sorted(self.extensions)]
        header += [f"// {self.source.name}({types})", f"layout({', '.join(size[:used])}) in;"]
        return "\n".join(header) + "\n" + body


def _definition(function: Function) -> str:
    returned = function.returned
    struct = ""
    if isinstance(returned, tuple):
        members = " ".join(f"{each.glsl} v{i};" for i, each in enumerate(returned))
        struct = f"struct {function.glsl_name}_result {{ {members} }};\n"
        kind = f"{function.glsl_name}_result"
    else:
        kind = returned.glsl if returned is not None else "void"
    arguments = ", ".join(
        f"{value.type.glsl} {value.text}"
        for value in function.parameters.values()
        if value.type is not None
    )
    return f"{struct}{kind} {function.glsl_name}({arguments}) {{\n"
