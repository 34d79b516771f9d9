# SPDX-License-Identifier: Apache-2.0
"""kp.jit: errors point at the line in Python."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from jit_support import floats

import kp


def bad_negative(x):
    x[-1] = 0  # HERE


def bad_slice(x):
    x[1:3] = 0  # HERE


def bad_dimensions(x):
    x[0, 1] = 0  # HERE


def bad_float_index(x):
    x[1.5] = 0  # HERE


def bad_name(x):
    x[0] = unknown  # type: ignore[name-defined]  # noqa: F821 HERE


def bad_unassigned(x):
    if x[0] > 0:
        y = 1
    x[0] = y  # HERE


def bad_loop_value(x):
    for k in range(x.size):
        y = k
    x[0] = y  # HERE


def bad_store(n):
    n[0] = 1.5  # HERE


def bad_mix(u):
    n = kp.int32(3)  # type: ignore[operator]
    u[0] = u[0] + n  # HERE


def bad_negative_uint(u):
    u[0] = u[0] + -1  # HERE


def bad_return(x):
    return x[0]  # HERE


def bad_range(x):
    for k in range(1.5):  # type: ignore[arg-type] # HERE
        x[k] = 0


def bad_step(x):
    for k in range(0, 5, 0):  # HERE
        x[k] = 0


def bad_loop(x):
    for v in x[0]:  # HERE
        x[0] = v


def bad_with(x):
    with x:  # HERE
        pass


def bad_comprehension(x):
    x[0] = [v for v in range(3)][0]  # HERE


def bad_call(x):
    x[0] = open(x[0])  # HERE


def bad_arguments(x):
    x[0] = math.sqrt(x[0], 2)  # type: ignore[call-arg] # HERE


def bad_attribute(x):
    x[0] = x.strides  # HERE


def bad_module(x):
    x[0] = math.sqroot(x[0])  # type: ignore[attr-defined] # HERE


def bad_power(n):
    n[0] = 2 ** n[0]  # HERE


def bad_or(x):
    x[0] = x[0] or 1.0  # HERE


def bad_is(x):
    if x[0] is not None:  # HERE
        x[0] = 1


def bad_shape(x):
    v = kp.vec2(1, 2)  # type: ignore[operator]
    v = 3.0  # HERE
    x[0] = v


def bad_vectors(x):
    x[0] = (kp.vec2(1, 2) + kp.vec3(1, 2, 3)).x  # type: ignore[operator] # HERE


def bad_components(x):
    x[0] = kp.vec3(1, 2).x  # type: ignore[operator] # HERE


def bad_swizzle(x):
    x[0] = kp.vec2(1, 2).z  # type: ignore[operator] # HERE


def bad_array_size(x):
    a = kp.local_array(x.size, kp.float32)  # HERE
    x[0] = a[0]


def bad_array_index(x):
    a = [1.0, 2.0]
    x[0] = a[2]  # HERE


def bad_array_copy(x):
    y = x  # HERE
    y[0] = 1


def bad_print(x):
    print(x[0])  # HERE


def bad_string(x):
    x[0] = "text"  # HERE


def bad_axis(x):
    x[kp.global_id(3)] = 1  # HERE


def bad_atomic(x):
    kp.atomic_or(x[0], 1.0)  # HERE


def bad_literal(n):
    n[0] = 5000000000  # HERE


def bad_effect(x):
    x[0]  # HERE


def bad_try(x):
    try:  # HERE
        x[0] = 1
    finally:
        pass


def bad_zero(n):
    n[0] = 1 // 0  # HERE


def recurse(v):
    return recurse(v - 1)  # HERE


def bad_recursion(x):
    x[0] = recurse(x[0])


def open_end(v):
    if v > 0:  # HERE
        return 1.0


def bad_end(x):
    x[0] = open_end(x[0])


def bad_uncalled_index(x):
    x[kp.global_id] = 0  # type: ignore[call-overload]  # HERE


def bad_uncalled_number(x):
    i = kp.global_id  # HERE
    x[0] = i


def bad_uncalled_sqrt(x):
    x[0] = np.sqrt  # HERE


def bad_array_change(x):
    i = kp.global_id()
    x += x[i]  # HERE


def bad_array_assignment(x):
    i = kp.global_id()
    x = i  # HERE


def bad_array_counter(x):
    for x in range(3):  # HERE
        pass


def bad_yield(x):
    yield x[0]  # HERE


def bad_yield_from(x):
    yield from x  # HERE


MESSAGES = {
    bad_negative: "the index -1 is negative",
    bad_slice: "slices cannot be used",
    bad_dimensions: "x has 1 dimension, but was given 2 indices",
    bad_float_index: "an index is an integer, but a float32",
    bad_name: "'unknown' is not known",
    bad_unassigned: "'y' may have no value here",
    bad_loop_value: "'y' may have no value here",
    bad_store: r"an element of n is an int32, but a float32 is assigned; convert it with int\(",
    bad_mix: "uint32 and int32 do not mix|int32 and uint32 do not mix",
    bad_negative_uint: "-1 does not fit uint32",
    bad_return: "a kernel returns nothing",
    bad_range: r"range\(\) takes integers",
    bad_step: r"the step of range\(\) is 0",
    bad_loop: r"loops are over range\(",
    bad_with: "with cannot be used",
    bad_comprehension: "a list comprehension cannot be used",
    bad_call: "'open' cannot be called",
    bad_arguments: r"sqrt\(\) takes 1 argument by position, but was given 2",
    bad_attribute: "no 'strides'",
    bad_module: "math has no 'sqroot'",
    bad_power: "may be a float",
    bad_or: "'or' of a float32 gives one of its operands",
    bad_is: "is and is not cannot be used",
    bad_shape: "'v' is a vec2, but a float32 is assigned",
    bad_vectors: "vec2 and vec3 have different shapes",
    bad_components: "a vec3 has 3 numbers, but was given 2",
    bad_swizzle: "no 'z'",
    bad_array_size: "consist of positive constants",
    bad_array_index: "the index 2 is over the last one, 1",
    bad_array_copy: r"not x \(an array\)",
    bad_print: r"print\(\) cannot be used",
    bad_string: "'text' is not a number",
    bad_axis: "the axis is a constant",
    bad_atomic: "atomic_or of float32 does not exist; it takes int32, int64, uint32, uint64",
    bad_literal: "5000000000 does not fit int32",
    bad_effect: "this has no effect",
    bad_try: "try cannot be used",
    bad_zero: "division by zero|by zero",
    bad_recursion: "calls itself",
    bad_end: "may end without a value",
    bad_uncalled_index: r"'global_id' is not a number; call it: kp.global_id\(\)",
    bad_uncalled_number: r"not 'global_id'; call it: kp.global_id\(\)",
    bad_uncalled_sqrt: r"'sqrt' is not a number; call it: np.sqrt\(\.\.\.\)",
    bad_array_change: r"'x' is an array and cannot be replaced; write x\[i\] \+= \.\.\.",
    bad_array_assignment: r"'x' is an array and cannot be replaced; write x\[i\] = \.\.\.",
    bad_array_counter: "'x' is an array and cannot be replaced; count with another name",
    bad_yield: "yield cannot be used in kernels",
    bad_yield_from: "yield cannot be used in kernels",
}


@pytest.mark.parametrize("function", MESSAGES, ids=lambda each: each.__name__)
def test_errors_point_at_the_line_in_python(function: Callable[..., Any]) -> None:
    name = function.__code__.co_varnames[0]
    dtype = {"x": np.float32, "n": np.int32, "u": np.uint32}[name]
    with pytest.raises(kp.ShaderError, match=MESSAGES[function]) as caught:
        kp.jit(function)(np.zeros(4, dtype))
    lines = Path(__file__).read_text("utf-8").splitlines()
    assert caught.value.file == __file__
    assert "HERE" in lines[caught.value.line - 1], lines[caught.value.line - 1]
    assert f"{__file__}:{caught.value.line}:{caught.value.column}: error: " in str(caught.value)
    assert lines[caught.value.line - 1] in str(caught.value)


@pytest.mark.parametrize("value", [2.5, np.float32(1), 3])
def test_a_number_for_an_array_is_refused_where_its_elements_are_used(value: Any) -> None:
    def reads(x, y):
        y[0] = x[0]

    def writes(x, y):
        x[0] = y[0]

    for function in (reads, writes):
        with pytest.raises(kp.ShaderError, match="'x' is an array here, but was given a number"):
            kp.jit(function)(value, floats())


def test_a_function_in_python_is_no_shader() -> None:
    with pytest.raises(TypeError, match="not a function; kp.jit compiles functions in Python"):
        kp.kernel(lambda x: x)  # type: ignore[arg-type]


def test_errors_mark_the_place() -> None:
    def wrong(x):
        x[0] = abs(unknown)  # type: ignore[name-defined]  # noqa: F821

    with pytest.raises(kp.ShaderError) as caught:
        kp.jit(wrong)(np.zeros(1, np.float32))
    marked = str(caught.value).splitlines()[-1]
    text = str(caught.value).splitlines()[-2]
    assert text[marked.index("^") : marked.rindex("~") + 1] == "unknown"
