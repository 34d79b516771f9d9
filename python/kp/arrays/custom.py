# SPDX-License-Identifier: Apache-2.0
"""Elementwise kernels and reductions of the user's own, from lines of GLSL."""

from __future__ import annotations

import functools
import re
from typing import Any

import numpy as np

from .._axes import normalized_axes
from .._kp import DeviceGroup, Manager, Tensor
from .._wording import counted, explains_methods, kind_of
from . import launching
from .array import Array, converted
from .codegen import LOCAL_SIZE, Layout, Program, Writer
from .elements import GLOBAL_INDEX
from .elementwise import Operand, as_array, broadcast, manager_of
from .expressions import Node, before_write, limited, lock
from .group_array import GroupArray
from .group_functions import (
    aligned,
    assign_parts,
    common_shape,
    everywhere,
    group_of,
    joined,
    mapped,
    replicas,
    rows_of,
)
from .parameters import Parameter, in_order, letters_of, parse, require_input, require_set, type_of
from .plans import Plan, Signature, keep, known
from .repeats import Call, Repeats
from .reducing import Reduction, reduce_node
from .storage import DType, Shape, View, home_of
from .types import number


def _bare(node: Node, dtype: DType) -> Node:
    return node if node.dtype == dtype else limited("cast", dtype, node.shape, (node,))


#: The number of each kernel, which is the same for equal ones.
_contents: dict[tuple[Any, ...], int] = {}


@explains_methods
class ElementwiseKernel:
    """A function of arrays that GLSL computes element by element. Created by elementwise()."""

    def __init__(
        self,
        in_params: str,
        out_params: str,
        operation: str,
        name: str = "elementwise",
        preamble: str = "",
    ) -> None:
        self._inputs = parse(in_params, "in_params")
        self._outputs = parse(out_params, "out_params")
        if not self._outputs:
            raise ValueError("out_params must name at least one result")
        if [each for each in self._outputs if each.raw]:
            raise ValueError("results cannot be raw")
        taken = {each.name for each in self._inputs} & {each.name for each in self._outputs}
        if taken:
            raise ValueError(
                f"{taken.pop()!r} is an input and a result; give the array as result, too"
            )
        self._operation = operation.strip().rstrip(";")
        require_set(self._outputs, self._operation, preamble)
        self.name = name
        self._preamble = preamble
        content = (self._inputs, self._outputs, self._operation, name, preamble)
        self._content = _contents.setdefault(content, len(_contents))
        self._reads_whole_arrays = bool([each for each in self._inputs if each.raw])
        self._repeats = Repeats(len(self._inputs))
        self.glsl = ""

    @property
    def in_params(self) -> str:
        """The inputs."""
        return ", ".join(_shown(each) for each in self._inputs)

    @property
    def out_params(self) -> str:
        """The results."""
        return ", ".join(_shown(each) for each in self._outputs)

    def __repr__(self) -> str:
        return f"<kp.elementwise {self.name}: ({self.in_params}) -> ({self.out_params})>"

    def __call__(self, *args: Any, size: int | None = None, **named: Any) -> Any:
        """Compute the results, and return them: one array, or a tuple.

        Arguments, by position or by name, are the inputs, then optionally all results, which are
        written in place and may be inputs as well. Inputs broadcast. `size` is the number of
        elements if all inputs are raw.
        """
        if named:
            args = in_order(self, self._inputs + self._outputs, args, named, ("size",))
        call = None
        if size is None and not self._reads_whole_arrays:
            call = self._repeats.call(args)
            if call is not None:
                again = self._repeats.repeat(call, args)
                if again is not None:
                    plan, made = again
                    self.glsl = plan.source
                    return made
        return self._first(args, size, call)

    def _first(self, args: tuple[Any, ...], size: int | None, call: Call | None) -> Any:
        """Compute the results of a call that is unlike all earlier ones."""
        given, wanted = len(self._inputs), len(self._outputs)
        if len(args) not in (given, given + wanted):
            raise TypeError(
                f"{self.name} takes {counted(given, 'input')}, or these and "
                f"{counted(wanted, 'result')}, not {counted(len(args), 'argument')}"
            )
        if (group := group_of(args)) is not None:
            return self._on_group(group, args, size)
        manager = manager_of(*args)
        operands = [Operand(value, manager) for value in args[:given]]
        targets = [_target(value) for value in args[given:]]
        letters = letters_of(self._inputs, operands)
        for parameter, target in zip(self._outputs, targets, strict=False):
            if isinstance(parameter.kind, str):
                letters.setdefault(parameter.kind, target.dtype)
        shape = self._shape(operands, targets, size)
        nodes = []
        for parameter, operand in zip(self._inputs, operands, strict=True):
            dtype = type_of(parameter, letters)
            require_input(parameter, operand, dtype)
            node = operand.node(dtype)
            if parameter.raw:
                node = _raw(parameter, operand, dtype)
            nodes.append(_bare(node, dtype))
        types = [type_of(each, letters) for each in self._outputs]
        results = targets or [Array._of_view(View.new(manager, shape, dtype)) for dtype in types]
        for target, dtype, parameter in zip(results, types, self._outputs, strict=True):
            if target.dtype != dtype:
                raise TypeError(f"{parameter.name} is of {dtype}, but the array of {target.dtype}")
            if target.shape != shape:
                raise ValueError(f"{parameter.name} has the shape {shape}, not {target.shape}")
        views = [each._evaluated() for each in results]
        with lock:
            planned = self._run(manager, shape, nodes, views, bool(targets))
        if planned is not None and call is not None:
            names = [
                None if isinstance(each.kind, str) else each.name
                for each, operand in zip(self._inputs, operands, strict=True)
                if operand.array is None
            ]
            self._repeats.keep(call, *planned, views, names)
        return results[0] if len(results) == 1 else tuple(results)

    def _on_group(self, group: DeviceGroup, args: tuple[Any, ...], size: int | None) -> Any:
        """Compute on each device its rows; all of them if the GLSL knows their indices."""
        given = len(self._inputs)
        inputs, targets = args[:given], args[given:]
        if re.search(r"\b[in]\b", self._operation):
            results = everywhere(functools.partial(self, size=size), *inputs)
            if not targets:
                return results
            made = results if isinstance(results, tuple) else (results,)
            for target, result in zip(targets, made, strict=True):
                assign_parts(target, result)
            return targets[0] if len(targets) == 1 else targets
        by_element = [
            value for each, value in zip(self._inputs, inputs, strict=True) if not each.raw
        ]
        shape = common_shape([*by_element, *targets])
        rows = rows_of([*targets, *by_element], shape)
        for parameter, target in zip(self._outputs, targets, strict=False):
            if not isinstance(target, GroupArray) or target._rows != rows:
                raise ValueError(
                    f"{parameter.name} must be an array of the group with the rows {rows}; shard() it"
                )
        operands = [
            replicas(value, group) if each.raw else aligned(value, shape, rows, group)
            for each, value in zip(self._inputs, inputs, strict=True)
        ]
        operands += [target._parts for target in targets]
        results = [self(*each, size=size) for each in zip(*operands, strict=True)]
        if targets:
            return targets[0] if len(targets) == 1 else targets
        return joined(group, results, rows)

    def _shape(self, operands: list[Operand], targets: list[Array], size: int | None) -> Shape:
        named = [
            (parameter.name, operand.shape)
            for parameter, operand in zip(self._inputs, operands, strict=True)
            if not parameter.raw
        ]
        named += [
            (parameter.name, target.shape)
            for parameter, target in zip(self._outputs, targets, strict=False)
        ]
        shapes = [shape for _, shape in named]
        if size is not None:
            if [shape for shape in shapes if shape]:
                raise ValueError("size is for kernels whose inputs are all raw or numbers")
            return (size,)
        if not shapes:
            raise ValueError("give size: nothing else says how many elements there are")
        return broadcast(*shapes, names=[name for name, _ in named])

    def _run(
        self, manager: Manager, shape: Shape, nodes: list[Node], views: list[View], given: bool
    ) -> tuple[Plan, Signature] | None:
        if given:
            for view in views:
                if not view.writable:
                    raise ValueError("a result is read-only: it repeats elements; give a copy")
                before_write(view.storage)
        if 0 in shape:
            return None
        raw = [
            launching.whole(launching.materialize(node))
            for parameter, node in zip(self._inputs, nodes, strict=True)
            if parameter.raw
        ]
        plain = [
            node for parameter, node in zip(self._inputs, nodes, strict=True) if not parameter.raw
        ]
        sign = Signature(plain, "elementwise", self._content, shape, views=(*raw, *views))
        plan = known(sign)
        if plan is None:
            plan = keep(sign, self._planned(sign, shape, nodes, raw, views))
        self.glsl = plan.source
        memory = plan.bound(sign.storages)
        launching.launch_plan(manager, home_of(manager), plan, memory, sign.numbers())
        return plan, sign

    def _planned(
        self,
        sign: Signature,
        shape: Shape,
        nodes: list[Node],
        raw_views: list[View],
        views: list[View],
    ) -> Plan:
        program = Program(shape)
        raw: dict[str, int] = {}
        remaining = iter(raw_views)
        for parameter, node in zip(self._inputs, nodes, strict=True):
            if parameter.raw:
                raw[parameter.name] = program.binding(next(remaining).storage)
            else:
                program.value(node)
        places = [program.place(view.offset, view.shape, view.strides) for view in views]
        bindings = [program.binding(view.storage) for view in views]
        values = [
            -1 if parameter.raw else program.value(node)
            for parameter, node in zip(self._inputs, nodes, strict=True)
        ]
        layout, words = program.finish()
        types = tuple(storage.dtype.char for storage in program.storages)
        key = (
            "elementwise",
            self._content,
            tuple(program.instructions),
            layout,
            types,
            tuple(places),
            tuple(bindings),
            tuple(values),
            tuple(raw.items()),
        )
        source = launching.sources.get(key)
        if source is None:
            source = self._source(program, layout, values, raw, places, bindings, views, nodes)
            launching.sources[key] = source
        count = np.array([np.prod(shape, dtype=np.int64)]).astype(np.uint32)
        parameters = np.concatenate([count, words])
        groups = -(-int(count[0]) // LOCAL_SIZE)
        return Plan(source, program, sign, None, parameters, groups)

    def _source(
        self,
        program: Program,
        layout: Layout,
        values: list[int],
        raw: dict[str, int],
        places: list[int],
        bindings: list[int],
        views: list[View],
        nodes: list[Node],
    ) -> str:
        writer = Writer(program, layout, 1, values)
        body = GLOBAL_INDEX + "    uint n = p[0];\n    if (i >= n) return;\n"
        body += writer.coordinates("i", "kept", "    ")
        for index in range(len(program.instructions)):
            body += f"    {writer.statement(index, 'i', '0u')}\n"
        declared = ""
        aliases: dict[str, str] = {}
        for parameter, value, node in zip(self._inputs, values, nodes, strict=True):
            of = number(node.dtype)
            writer.use(of)
            if isinstance(parameter.kind, str):
                aliases[parameter.kind] = of.computed
            if parameter.raw:
                load = of.load.format(f"memory{raw[parameter.name]}[k]")
                declared += f"{of.computed} {parameter.name}(uint k) {{ return {load}; }}\n"
            else:
                body += f"    {of.computed} {parameter.name} = v{value};\n"
        for parameter, view in zip(self._outputs, views, strict=True):
            of = number(view.storage.dtype)
            writer.use(of)
            if isinstance(parameter.kind, str):
                aliases[parameter.kind] = of.computed
            body += f"    {of.computed} {parameter.name};\n"
        text = writer.helper(self._operation, _computed(nodes, views))
        body += f"    {text};\n"
        for parameter, view, place, binding in zip(
            self._outputs, views, places, bindings, strict=True
        ):
            of = number(view.storage.dtype)
            result = of.wrap.format(parameter.name) if of.wrap else parameter.name
            writer.helper(of.wrap, "float")
            body += (
                f"    memory{binding}[{writer.place(place, 'i', '0u')}] = "
                f"{of.store.format(result)};\n"
            )
        defines = "".join(f"#define {letter} {name}\n" for letter, name in aliases.items())
        return writer.source(self.name, body, f"{defines}{declared}{self._preamble}\n")


def _computed(nodes: list[Node], views: list[View]) -> str:
    for dtype in (*[node.dtype for node in nodes], *[view.storage.dtype for view in views]):
        if dtype.kind == "f":
            return number(dtype).computed
    return number(views[0].storage.dtype).computed


def _shown(parameter: Parameter) -> str:
    return f"{'raw ' if parameter.raw else ''}{parameter.kind} {parameter.name}"


def _target(value: Any) -> Array:
    if isinstance(value, (Array, Tensor)):
        return as_array(value, manager_of(value))
    raise TypeError(f"a result must be a kp.Array or a kp.Tensor, not {type(value).__name__}")


def _raw(parameter: Parameter, operand: Operand, dtype: DType) -> Node:
    if operand.array is None:
        raise TypeError(f"{parameter.name} is raw, so it must be an array, not a number")
    return converted(operand.array, dtype)._node()


def elementwise(
    in_params: str,
    out_params: str,
    operation: str,
    name: str = "elementwise",
    *,
    preamble: str = "",
) -> ElementwiseKernel:
    """Return a function of arrays from GLSL that computes one element of each result.

        saxpy = kp.elementwise("T x, T y, T a", "T z", "z = a * x + y")
        z = saxpy(x, y, 2.0)

    - `in_params`, `out_params`: types and names. A type is NumPy's name (float32) or a capital letter, which
      stands for any: the same letter is the same type, and its name in the GLSL.
    - `operation`: statements that set each result. `i` is the index of the element, `n` the number
      of them. Half and 8- and 16-bit numbers are computed in 32 bits.
    - A parameter "raw T x" is a whole array, indexed as a function: x(i).
    - `preamble`: GLSL functions that the operation calls.

    Inputs broadcast; they are arrays, tensors, NumPy arrays and numbers. Arrays become a named type by
    NumPy's rule "same_kind", and numbers have to fit. Complex numbers are refused: expressions of arrays and
    @kp.jit compute them. The call takes the results after the inputs, to write them in place.
    """
    return ElementwiseKernel(in_params, out_params, operation, name, preamble)


@explains_methods
class ReductionKernel:
    """A reduction of arrays in GLSL. Created by reduction()."""

    def __init__(
        self,
        in_params: str,
        out_params: str,
        map_expr: str,
        reduce_expr: str,
        post_map_expr: str,
        identity: Any,
        name: str,
    ) -> None:
        self._inputs = parse(in_params, "in_params")
        outputs = parse(out_params, "out_params")
        if len(outputs) != 1 or outputs[0].raw or [each for each in self._inputs if each.raw]:
            raise ValueError("a reduction has one result, and no raw parameters")
        self._output = outputs[0]
        self._map = map_expr
        self._reduce = reduce_expr
        match = re.fullmatch(
            rf"\s*{self._output.name}\s*=(?!=)\s*(.*?)\s*;?\s*", post_map_expr, re.S
        )
        if match is None:
            raise ValueError(
                f"post_map_expr sets the result, as '{self._output.name} = a', not {post_map_expr!r}"
            )
        self._post = match[1]
        self._identity = identity
        self.name = name

    def __repr__(self) -> str:
        inputs = ", ".join(_shown(each) for each in self._inputs)
        return f"<kp.reduction {self.name}: ({inputs}) -> ({_shown(self._output)})>"

    def __call__(
        self, *args: Any, axis: Any = None, keepdims: bool = False, out: Any = None, **named: Any
    ) -> Array:
        """Map and reduce along axes, by default all. Inputs are given by position or by name."""
        if named:
            args = in_order(self, self._inputs, args, named, ("axis", "keepdims", "out"))
        if len(args) != len(self._inputs):
            raise TypeError(
                f"{self.name} takes {counted(len(self._inputs), 'input')}, not {len(args)}"
            )
        if group_of(args) is not None:
            by_group: Array = self._on_group(args, axis, keepdims, out)
            return by_group
        manager = manager_of(*args)
        operands = [Operand(value, manager) for value in args]
        letters = letters_of(self._inputs, operands)
        if out is not None and isinstance(self._output.kind, str):
            letters.setdefault(self._output.kind, out.dtype)
        dtype = type_of(self._output, letters)
        nodes = []
        for parameter, operand in zip(self._inputs, operands, strict=True):
            kind = type_of(parameter, letters)
            require_input(parameter, operand, kind)
            nodes.append(_bare(operand.node(kind), kind))
        shapes = [node.shape for node in nodes]
        shape = broadcast(*shapes, names=[each.name for each in self._inputs])
        accumulated = np.dtype(np.float32) if dtype == np.float16 else dtype
        total = number(accumulated)
        mapped = _named(self._map, [each.name for each in self._inputs])
        value = limited("text", accumulated, shape, tuple(nodes), f"{total.computed}({mapped})")
        if value.manager is None:
            raise TypeError(f"{self.name} reduces arrays, but only numbers were given")
        of = Reduction(
            _named(self._reduce, ["a", "b"]),
            f"{total.computed}({_literal(self._identity)})",
            _named(self._post, ["a"]),
        )
        axes = normalized_axes(axis, len(shape))
        view, _ = reduce_node(value, axes, dtype, of)
        from .reductions import _finished

        source = Array._of_node(value, manager)
        return _finished(view, source, axes, keepdims, out)

    def _on_group(self, args: tuple[Any, ...], axis: Any, keepdims: bool, out: Any) -> Any:
        """Reduce on each device, or, along the first axis, everywhere."""
        call = functools.partial(self, axis=axis, keepdims=keepdims)
        shape = common_shape(args)
        if 0 in normalized_axes(axis, len(shape)) or rows_of(args, shape) is None:
            result = everywhere(call, *args)
        else:
            result = mapped(call, *args)
        if out is not None:
            assign_parts(out, result)
        return result if out is None else out


def _literal(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _named(text: str, names: list[str]) -> str:
    """Return GLSL with {0}, {1}, ... in place of names, for a node."""
    text = text.replace("{", "{{").replace("}", "}}")
    for position, name in enumerate(names):
        text = re.sub(rf"\b{name}\b", f"{{{position}}}", text)
    return text


def reduction(
    in_params: str,
    out_params: str,
    map_expr: str,
    reduce_expr: str,
    post_map_expr: str,
    identity: Any,
    name: str = "reduction",
) -> ReductionKernel:
    """Return a reduction from GLSL expressions, which runs with its map in one kernel.

        norm = kp.reduction("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0")
        length = norm(x, axis=1)

    - `in_params`, `out_params`: as for elementwise(); there is one result.
    - `map_expr`: what is reduced, of the inputs of an element.
    - `reduce_expr`: combines `a` and `b`; associative and commutative.
    - `post_map_expr`: sets the result from the total `a`.
    - `identity`: the total of no elements, as GLSL or a number.

    Everything is computed in the type of the result; half in float.
    """
    return ReductionKernel(
        in_params, out_params, map_expr, reduce_expr, post_map_expr, identity, name
    )
