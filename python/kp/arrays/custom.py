# SPDX-License-Identifier: Apache-2.0
"""User-defined elementwise kernels and reductions, from lines of GLSL."""

from __future__ import annotations

import functools
import re
from typing import Any

import numpy as np

from .._axes import normalized_axes
from .. import _kp
from .._kp import DeviceGroup, Tensor
from .._wording import counted, explains_methods
from .array import Array, converted
from .elementwise import Operand, as_array, broadcast, into, manager_of
from .groups.array import GroupArray
from .groups.placing import (
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
from .parameters import (
    LineParameter,
    in_order,
    letters_of,
    parse,
    require_input,
    require_expression,
    require_set,
    type_of,
)
from .storage import DType, Shape, blank
from .types import number

__all__ = [
    "ElementwiseKernel",
    "ReductionKernel",
    "elementwise",
    "reduction",
]


def _bare(part: Any, dtype: DType) -> Any:
    """Return a part of an expression in a dtype."""
    return converted(part, dtype) if isinstance(part, Array) else (part[0], dtype)


@functools.lru_cache(maxsize=256)
def _kernel_of(
    in_params: str, out_params: str, operation: str, name: str, preamble: str
) -> tuple[tuple[LineParameter, ...], tuple[LineParameter, ...], Any]:
    """Return the inputs, the results and the kernel of a text, cached for programs that repeat
    it."""
    inputs, outputs = parse(in_params, "in_params"), parse(out_params, "out_params")
    if not outputs:
        raise ValueError("out_params must name at least one result")
    if [each for each in outputs if each.raw]:
        raise ValueError("results cannot be raw")
    taken = {each.name for each in inputs} & {each.name for each in outputs}
    if taken:
        raise ValueError(
            f"{taken.pop()!r} is an input and a result; pass the array as a result, too"
        )
    require_set(outputs, operation, preamble)
    described = [_described(each) for each in inputs], [_described(each) for each in outputs]
    return inputs, outputs, _kp._ElementwiseKernel(*described, operation, name, preamble)


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
        self._operation = operation.strip().rstrip(";")
        self._inputs, self._outputs, self._kernel = _kernel_of(
            in_params, out_params, self._operation, name, preamble
        )
        self.name = name
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
        parts = []
        for parameter, operand in zip(self._inputs, operands, strict=True):
            dtype = type_of(parameter, letters)
            require_input(parameter, operand, dtype)
            if parameter.raw and operand.array is None:
                raise TypeError(f"{parameter.name} is raw, so it must be an array, not a number")
            parts.append(_bare(operand.part(dtype), dtype))
        types = [type_of(each, letters) for each in self._outputs]
        results = targets or [blank(manager, shape, dtype) for dtype in types]
        for target, dtype, parameter in zip(results, types, self._outputs, strict=True):
            if target.dtype != dtype:
                raise TypeError(f"{parameter.name} is of {dtype}, but the array of {target.dtype}")
            if target.shape != shape:
                raise ValueError(f"{parameter.name} has the shape {shape}, not {target.shape}")
        for target in targets:
            if not target._writable:
                raise ValueError("a result is read-only: it repeats elements; give a copy")
        self._run(shape, parts, results)
        return results[0] if len(results) == 1 else tuple(results)

    def _run(self, shape: Shape, parts: list[Any], results: list[Array]) -> None:
        """Compute results of a shape from parts of expressions, whose types and shapes fit."""
        self.glsl = self._kernel.run(shape, parts, results) or self.glsl

    def _on_group(self, group: DeviceGroup, args: tuple[Any, ...], size: int | None) -> Any:
        """Compute its rows on each device; all of them if the GLSL uses indices."""
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
                raise ValueError("size is only for kernels whose inputs are all raw or numbers")
            return (size,)
        if not shapes:
            raise ValueError("give size: no input determines the number of elements")
        return broadcast(*shapes, names=[name for name, _ in named])


def _described(parameter: LineParameter) -> tuple[str, str, bool]:
    """Return name, letter of the type and whether it is raw."""
    letter = parameter.kind if isinstance(parameter.kind, str) else ""
    return parameter.name, letter, parameter.raw


def _shown(parameter: LineParameter) -> str:
    return f"{'raw ' if parameter.raw else ''}{parameter.kind} {parameter.name}"


def _target(value: Any) -> Array:
    if isinstance(value, (Array, Tensor)):
        return as_array(value, manager_of(value))
    raise TypeError(f"a result must be a kp.Array or a kp.Tensor, not {type(value).__name__}")


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

    - `in_params`, `out_params`: types and names. A type is NumPy's name (float32) or a capital
      letter, which stands for any type: equal letters are equal types, named so in the GLSL.
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
        require_expression("map_expr", map_expr, "x * x")
        require_expression("reduce_expr", reduce_expr, "a + b")
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
        parts = []
        for parameter, operand in zip(self._inputs, operands, strict=True):
            kind = type_of(parameter, letters)
            require_input(parameter, operand, kind)
            parts.append(_bare(operand.part(kind), kind))
        if not [each for each in parts if isinstance(each, Array)]:
            raise TypeError(f"{self.name} reduces arrays, but only numbers were given")
        shapes = [operand.shape for operand in operands]
        shape = broadcast(*shapes, names=[each.name for each in self._inputs])
        accumulated = np.dtype(np.float32) if dtype == np.float16 else dtype
        total = number(accumulated)
        mapped = _named(self._map, [each.name for each in self._inputs])
        value = _kp._expression(f"{total.computed}({mapped})", accumulated, shape, parts)
        result = _kp._reduce_text(
            value,
            normalized_axes(axis, len(shape)),
            dtype,
            _named(self._reduce, ["a", "b"]),
            f"{total.computed}({_literal(self._identity)})",
            _named(self._post, ["a"]),
            keepdims,
            self.name,
        )
        return into(out, result)

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
    - `map_expr`: the expression to reduce, over the inputs of an element.
    - `reduce_expr`: combines `a` and `b`; associative and commutative.
    - `post_map_expr`: sets the result from the total `a`.
    - `identity`: the result without elements, as GLSL or a number.

    Everything is computed in the type of the result; half in float.
    """
    return ReductionKernel(
        in_params, out_params, map_expr, reduce_expr, post_map_expr, identity, name
    )
