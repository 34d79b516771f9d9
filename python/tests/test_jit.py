# SPDX-License-Identifier: Apache-2.0
"""kp.jit: Python functions that run on the device. Most tests compare with the function in Python."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kp

SIZE = 40
FACTORS = (2, 3, 5)
STEP = 3


def floats(count: int = SIZE) -> Any:
    return np.linspace(-3.7, 4.1, count).astype(np.float32)


def integers(count: int = SIZE) -> Any:
    return np.arange(count, dtype=np.int32) - count // 2


def elementwise(function: Callable[..., Any], *arrays: Any, out: Any = np.float32) -> Any:
    """Run `function(x, ...) -> value` for each element on the device, through a kernel that calls it."""

    @kp.jit
    def kernel1(x, result):
        i = kp.global_id()
        result[i] = function(x[i])

    @kp.jit
    def kernel2(x, y, result):
        i = kp.global_id()
        result[i] = function(x[i], y[i])

    result = np.zeros(len(arrays[0]), out)
    return (kernel1 if len(arrays) == 1 else kernel2)(*arrays, result)


def same(
    function: Callable[..., Any], *arrays: Any, out: Any = np.float32, rtol: float = 1e-5
) -> None:
    """Check that a function gives the same on the device and in Python."""
    expected = [function(*(each.item() for each in values)) for values in zip(*arrays, strict=True)]
    given = elementwise(function, *arrays, out=out)
    np.testing.assert_allclose(given, np.array(expected, dtype=out), rtol=rtol, atol=1e-6)


# --- kernels --------------------------------------------------------------------------------------


@kp.jit
def saxpy(a, x, y):
    i = kp.global_id()
    y[i] += a * x[i]


def test_runs_a_function_once_for_each_element() -> None:
    x, y = floats(1000), np.ones(1000, np.float32)
    assert saxpy(2.0, x, y) is y
    np.testing.assert_allclose(y, 1 + 2 * x, rtol=1e-6)


def test_is_compiled_for_each_type() -> None:
    for dtype in (np.float32, np.float64, np.int32, np.uint32, np.int64, np.float16, np.int8):
        x, y = np.arange(5).astype(dtype), np.ones(5, dtype)
        np.testing.assert_array_equal(saxpy(dtype(3), x, y), 1 + 3 * np.arange(5))
    assert "int8_t y[]" in saxpy.glsl


def test_tensors_and_buffers_of_groups_are_arguments() -> None:
    mgr = kp.Manager()
    y = mgr.tensor([1, 1])
    saxpy(2.0, mgr.tensor([1, 2]), y)
    np.testing.assert_array_equal(y.read(), [3, 5])
    with kp.DeviceGroup(device_ids=[0, 0]) as group:
        x = kp.asbuffer(np.arange(7, dtype=np.float32), group, "sharded")
        z = kp.asbuffer(np.zeros(7, np.float32), group, "sharded")

        @kp.jit
        def sizes(x, z):
            i = kp.global_id()
            z[i] = x.size

        sizes(x, z)
        np.testing.assert_array_equal(z.read(), [4, 4, 4, 4, 3, 3, 3])


def test_work_items_past_the_size_do_nothing() -> None:
    y = np.zeros(100, np.float32)
    saxpy[70](1.0, np.ones(100, np.float32), y)
    np.testing.assert_array_equal(y, [1] * 70 + [0] * 30)


def test_two_axes_follow_the_shape() -> None:
    @kp.jit
    def index(out):
        x, y = kp.global_id(0), kp.global_id(1)
        height, width = out.shape
        out[y, x] = y * 1000 + x + width / 100 + height / 1000

    out = index(np.zeros((5, 9), np.float32))
    y, x = np.mgrid[:5, :9]
    np.testing.assert_allclose(out, y * 1000 + x + 0.09 + 0.005)
    assert "local_size_x = 8, local_size_y = 8" in index.glsl


def test_three_axes_follow_the_shape() -> None:
    @kp.jit
    def index(out):
        x, y, z = kp.global_id(0), kp.global_id(1), kp.global_id(2)
        out[z, y, x] = (z * 100 + y) * 100 + x

    z, y, x = np.mgrid[:3, :5, :6]
    np.testing.assert_array_equal(index(np.zeros((3, 5, 6), np.int32)), (z * 100 + y) * 100 + x)


def test_flat_indexes_arrays_of_any_shape() -> None:
    @kp.jit
    def count(out):
        i = kp.global_id()
        out.flat[i] = i + out.size + out.ndim

    np.testing.assert_array_equal(count(np.zeros((2, 3), np.int32)).ravel(), np.arange(6) + 6 + 2)


def test_annotated_outputs_can_be_left_out() -> None:
    @kp.jit
    def double(x, out: "float[:]"):
        i = kp.global_id()
        out[i] = 2 * x[i]

    np.testing.assert_array_equal(double(np.arange(3, dtype=np.int32)), [0, 2, 4])
    assert double(np.arange(3, dtype=np.int32)).dtype == np.float32


def test_annotated_functions_have_glsl_before_the_first_call() -> None:
    @kp.jit
    def fill(out: kp.Buffer[kp.float32], value: float = 2.5):
        out[kp.global_id()] = value

    assert "float value;" in fill.glsl
    np.testing.assert_array_equal(fill(np.zeros(2, np.float32)), [2.5, 2.5])
    np.testing.assert_array_equal(fill(np.zeros(2, np.float32), value=1), [1, 1])

    @kp.jit
    def bare(out):
        out[kp.global_id()] = 1

    with pytest.raises(kp.ShaderError, match="annotate out"):
        bare.glsl  # noqa: B018
    assert "float out_[]" in bare.specialize(np.zeros(1, np.float32))


def test_constants_outside_are_compiled_in_and_watched() -> None:
    scale = 2.0

    @kp.jit
    def scaled(out):
        out[kp.global_id()] = scale * math.pi + FACTORS[2]

    np.testing.assert_allclose(scaled(np.zeros(1, np.float32)), 2 * math.pi + 5, rtol=1e-6)
    scale = 3.0
    np.testing.assert_allclose(scaled(np.zeros(1, np.float32)), 3 * math.pi + 5, rtol=1e-6)


def test_kernels_are_shaders_of_algorithms() -> None:
    @kp.jit
    def double(x: "float[:]"):
        x[kp.global_id()] *= 2

    mgr = kp.Manager()
    x = mgr.tensor([1, 2])
    launcher = kp.launcher.KernelLauncher("double", double, [x], 2, round_up=True)
    mgr.sequence().record(kp.OpSyncDevice([x])).eval()
    launcher().wait()
    np.testing.assert_array_equal(x.read(), [2, 4])


# --- arithmetic -----------------------------------------------------------------------------------


def test_integer_division_and_remainder_are_pythons() -> None:
    x = np.repeat(integers(), 6)
    y = np.tile(np.array([-7, -2, -1, 1, 2, 7], np.int32), SIZE)
    same(lambda_floordiv, x, y, out=np.int32)
    same(lambda_mod, x, y, out=np.int32)
    same(lambda_divmod, x, y, out=np.int32)


def lambda_floordiv(a, b):
    return a // b


def lambda_mod(a, b):
    return a % b


def lambda_divmod(a, b):
    q, r = divmod(a, b)
    return q * 100 + r


def test_float_division_and_remainder_are_pythons() -> None:
    def floordiv(a):
        return a // 0.75 + (a % 0.75) + a // -1.25 + (a % -1.25)

    same(floordiv, floats())


def test_division_of_integers_is_a_float() -> None:
    def divide(a, b):
        return a / b

    same(divide, integers(), np.full(SIZE, 7, np.int32))


def test_powers_are_pythons() -> None:
    def squares(a):
        return a**2 + a**3 - 2 * a**5 + a**0

    same(squares, floats())
    same(squares, integers(), out=np.int32)

    def inverse(a):
        return a**-2

    same(inverse, floats())

    def odd(a, b):
        return a**b

    same(odd, floats(), np.resize(np.array([-3, -2, 0, 1, 2, 5], np.float32), SIZE))
    positive = np.abs(floats())
    same(odd, positive, floats(), rtol=1e-4)
    assert np.isnan(elementwise(odd, floats(1), np.array([0.5], np.float32))[0])


def test_precedence_and_signs_are_pythons() -> None:
    def mixed(a, b):
        return -(a**2) - -b * (a - (b - 1)) / (2 / (b + 90)) - (a - b) % 5 + (a + b) * -3

    same(mixed, integers(), integers()[::-1].copy())


def test_bits_are_pythons() -> None:
    def bits(a, b):
        return ((a & b) | (a ^ 5)) + (~a << 2) - (b >> 1) + (a & 6 == 6) + (1 | 2 ^ 3)

    same(bits, integers(), integers()[::-1].copy(), out=np.int32)


def test_comparisons_chain() -> None:
    def between(a, b):
        return 1 if -2 < a <= b < 9 != a else 0

    same(between, integers(), integers()[::-1].copy(), out=np.int32)


def test_conditions_are_pythons_truth() -> None:
    def truth(a, b):
        if a and not b:
            return 1
        elif a or (b and a > b):
            return 2
        return 3

    same(
        truth,
        np.resize(np.array([0, 1, 5], np.int32), 9),
        np.repeat(np.array([0, 1, -1], np.int32), 3),
        out=np.int32,
    )


def test_and_does_not_evaluate_its_right_side_in_vain() -> None:
    @kp.jit
    def bump(x, count):
        i = kp.global_id()
        if x[i] > 0 and kp.atomic_add(count[0], 1) >= 0:
            x[i] = 100

    count = np.zeros(1, np.int32)
    bump(np.array([1, -1, 2, 0, 3], np.int32), count)
    assert count[0] == 3


def test_booleans_are_numbers_where_python_has_them_so() -> None:
    def count(a):
        positive = a > 0
        even = a % 2 == 0
        return positive + even + (positive & even) + (not positive)

    same(count, integers(), out=np.int32)


def test_boolean_arrays_have_one_byte() -> None:
    @kp.jit
    def negate(x, y):
        i = kp.global_id()
        y[i] = not x[i]

    x = np.array([True, False, True])
    np.testing.assert_array_equal(negate(x, np.zeros(3, bool)), ~x)


def test_functions_of_math_and_numpy() -> None:
    def unary(a):
        b = abs(a) + 0.5
        return (
            math.sqrt(b) + np.sin(a) + math.exp(a) + np.log(b) + math.floor(a) + np.ceil(a)
            + math.atan2(a, b) + np.hypot(a, b) + math.log(b, 3) + math.log10(b) + np.log1p(b)
            + math.fmod(a, 1.5) + math.copysign(b, a) + np.cbrt(a) + round(a) + math.radians(a)
            + math.tanh(a) + min(a, b, 1.0) + max(a, 2) + np.clip(a, -1, 1) + np.sign(a)
        )  # fmt: skip

    same(unary, floats(), rtol=1e-4)


def test_small_arguments_keep_their_precision() -> None:
    def small(a):
        return np.expm1(a) + np.log1p(a)

    x = np.array([1e-6, -1e-6, 0, 1e-3], np.float32)
    np.testing.assert_allclose(elementwise(small, x), np.expm1(x) + np.log1p(x), rtol=1e-5)


def test_conversions_are_explicit() -> None:
    def convert(a):
        return int(a) + float(int(a)) + kp.uint32(abs(a)) * kp.uint32(2) + np.float32(1) + bool(a)  # type: ignore[operator]

    expected = [int(a) * 2 + 2 * int(abs(a)) + 1 + (a != 0) for a in floats()]
    np.testing.assert_allclose(elementwise(convert, floats()), expected)


def test_integers_wrap() -> None:
    def grow(a):
        return a * kp.int32(2147483647) + 5  # type: ignore[operator]

    given = elementwise(grow, integers(), out=np.int32)
    np.testing.assert_array_equal(given, integers() * np.int32(2147483647) + np.int32(5))


def test_doubles_stay_doubles() -> None:
    def tenth(a):
        third = 1 / 3
        return a * 0.1 + third

    x = np.linspace(0, 1, 9)
    np.testing.assert_allclose(elementwise(tenth, x, out=np.float64), x * 0.1 + 1 / 3, rtol=1e-15)


def test_complex_numbers() -> None:
    @kp.jit
    def rotate(x, y, factor: "complex64"):
        i = kp.global_id()
        z = x[i] * factor + x[i].conjugate() / (x[i] + 1j)
        y[i] = z * 2 - 1
        if abs(z) > 3:
            y[i].real = z.imag

    x = (floats() + 1j * floats()[::-1]).astype(np.complex64)
    expected = x * (1 + 2j) + x.conj() / (x + 1j)
    bent = (expected * 2 - 1).astype(np.complex64)
    large = np.abs(expected) > 3
    bent.real[large] = expected.imag[large]
    np.testing.assert_allclose(rotate(x, np.zeros_like(x), 1 + 2j), bent, rtol=1e-4)


# --- statements -----------------------------------------------------------------------------------


def test_loops_count_as_range_does() -> None:
    def loops(a):
        total = 0
        for k in range(a):
            total += k
        for k in range(a, 10):
            total += 2 * k
        for k in range(10, a, -3):
            total += 3 * k
        for k in range(-5, 12, 4):
            if k == 7:
                continue
            total += k
            if total > 100:
                break
        return total

    same(loops, integers(), out=np.int32)


def test_steps_of_either_sign() -> None:
    def stepped(a, b):
        total = 0
        for k in range(a, 9, b):
            total = 2 * total + k
        return total

    same(
        stepped,
        np.array([0, 5, 20, 9, 3], np.int32),
        np.array([2, 4, -3, -1, 7], np.int32),
        out=np.int32,
    )


def test_loops_neither_change_their_bounds_nor_mind_their_counter() -> None:
    def odd(a):
        stop = a
        last = -1
        count = 0
        for k in range(stop):
            stop = 2
            last = k
            k = k + 10
            count += k
        return count * 100 + last + stop

    same(odd, np.arange(6, dtype=np.int32), out=np.int32)


def test_while_break_and_continue() -> None:
    def collatz(a):
        n = abs(a) + 1
        steps = 0
        while True:
            if n == 1:
                break
            steps += 1
            if n % 2 == 0:
                n //= 2
                continue
            n = 3 * n + 1
        while steps > 20:
            steps -= 7
        return steps

    same(collatz, integers(), out=np.int32)


def test_variables_take_the_type_that_holds_all_they_are_given() -> None:
    def joined(a):
        total = 0
        for k in range(4):
            half = total / 2
            total = total + half + k * a
        return total

    same(joined, floats())

    def unsigned(a):
        total = 0
        total += a
        return total * 2

    np.testing.assert_array_equal(
        elementwise(unsigned, np.arange(5, dtype=np.uint32), out=np.uint32), np.arange(5) * 2
    )


def test_tuples_are_assigned_at_once() -> None:
    def fibonacci(n):
        a, b = 0, 1
        for _ in range(abs(n)):
            a, b = b, a + b
        (c, d), e = (a, b), 1
        return c + d * e

    same(fibonacci, integers(), out=np.int32)


def test_parameters_can_be_changed() -> None:
    def changed(a, b):
        if a < 0:
            a = -a
            b += 0.5
        a = a + b
        return a * b

    same(changed, floats(), floats()[::-1].copy())

    @kp.jit
    def scaled(out, n):
        n = n / 2
        out[kp.global_id()] = n

    np.testing.assert_array_equal(scaled(np.zeros(1, np.float32), 3), [1.5])


def test_functions_call_functions() -> None:
    def square(v):
        return v * v

    def norm(a, b=2.0, *, scale=1.0):
        return math.sqrt(square(a) + square(b)) * scale

    def sort2(a, b):
        if a > b:
            return b, a
        return a, b

    def use(a):
        low, high = sort2(a, 1.0)
        return norm(a, scale=3.0) + norm(a, low) - high

    same(use, floats())


def test_functions_take_arrays_and_functions() -> None:
    def at(array, i):
        return array[i] + array.size

    def twice(function, v):
        return function(function(v))

    def third(v):
        return v / 3

    @kp.jit
    def use(x, y, out):
        i = kp.global_id()
        size = at(y, i)
        out[i] = at(x, i) + twice(third, size)

    x, y = floats(), np.arange(SIZE, dtype=np.float32)
    expected = x + SIZE + (y + SIZE) / 9
    np.testing.assert_allclose(use(x, y, np.zeros_like(x)), expected, rtol=1e-5)


def test_jit_functions_call_each_other() -> None:
    @kp.jit
    def cube(v: float) -> float:
        return v * v * v

    def use(a):
        return cube(a)

    np.testing.assert_allclose(elementwise(use, floats()), floats() ** 3, rtol=1e-5)


def test_names_of_glsl_are_free() -> None:
    def names(sample, float2):
        input = sample + 1
        buffer = input * float2
        mod, discard, gl_x, a__b, größe = buffer % 3, 1, 2, 3, 4
        return mod + discard + gl_x + a__b + größe

    same(names, integers(), integers(), out=np.int32)


def test_compile_time_conditions_choose_code() -> None:
    wide = False

    @kp.jit
    def choose(out):
        i = kp.global_id()
        if wide:
            out[i, i] = 1
        elif STEP == 3 and FACTORS[0] < 3:
            out[i] = len(FACTORS)
        else:
            out[i] = 0

    np.testing.assert_array_equal(choose(np.zeros(2, np.int32)), [3, 3])
    assert "if (false" not in choose.glsl


# --- arrays, vectors, groups ----------------------------------------------------------------------


def test_local_arrays() -> None:
    def median(a, b):
        window = [a, b, a + b, 1.0, 0.5]
        zeros = [0] * 3
        for k in range(len(window)):
            for j in range(len(window) - 1 - k):
                if window[j] > window[j + 1]:
                    window[j], window[j + 1] = window[j + 1], window[j]
            zeros[k % 3] += k
        return window[2] + zeros[1]

    same(median, floats(), floats()[::-1].copy())

    @kp.jit
    def matrix(out):
        i = kp.global_id()
        table = kp.local_array((2, 3), kp.int32)
        table[1, i % 3] = 7
        out[i] = table[1, i % 3] + table[0, 0] + table.shape[1] + table.size

    np.testing.assert_array_equal(matrix(np.zeros(4, np.int32)), [16] * 4)


@kp.jit(local_size=32)
def group_sums(x, sums, total):
    tile = kp.shared_array(kp.local_size(), kp.float32)
    t, i = kp.local_id(), kp.global_id()
    tile[t] = x[i] if i < x.size else 0.0
    kp.barrier()
    step = kp.local_size() // 2
    while step > 0:
        if t < step:
            tile[t] += tile[t + step]
        kp.barrier()
        step //= 2
    if t == 0:
        sums[kp.group_id()] = tile[0]
        kp.atomic_add(total, 0, tile[0])


def test_shared_arrays_barriers_and_atomics() -> None:
    x, sums, total = floats(100), np.zeros(4, np.float32), np.zeros(1, np.float32)
    group_sums(x, sums, total)
    np.testing.assert_allclose(
        sums, [x[k : k + 32].sum() for k in range(0, 100, 32)], rtol=1e-4, atol=1e-4
    )
    np.testing.assert_allclose(total[0], x.sum(), rtol=1e-4)


def test_atomics_of_integers() -> None:
    @kp.jit
    def all_of_them(x, out):
        v = x[kp.global_id()]
        kp.atomic_add(out[0], v)
        kp.atomic_sub(out[1], v)
        kp.atomic_min(out[2], v)
        kp.atomic_max(out, 3, v)
        kp.atomic_and(out[4], v)
        kp.atomic_or(out[5], v)
        kp.atomic_xor(out[6], v)
        kp.atomic_exchange(out[7], 5)
        kp.atomic_compare_exchange(out[8], 0, 6)

    for dtype in (np.int32, np.uint32):
        x = np.arange(1, 8, dtype=dtype)
        out = np.array([0, 100, 50, 0, 7, 0, 0, 0, 0], dtype)
        all_of_them[x.size](x, out)
        np.testing.assert_array_equal(out, [28, 72, 1, 7, 0, 7, 0, 5, 6])


def test_a_histogram() -> None:
    @kp.jit
    def histogram(x, bins):
        kp.atomic_add(bins[x[kp.global_id()] % 10], 1)

    x = np.random.default_rng(1).integers(0, 1000, 3000, np.int32)
    bins = histogram(x, np.zeros(10, np.uint32))
    np.testing.assert_array_equal(bins, np.bincount(x % 10, minlength=10))


def test_subgroups_reduce() -> None:
    @kp.jit
    def sums(x, out):
        i = kp.global_id()
        s = kp.subgroup_add(x[i])
        top = kp.subgroup_max(x[i])
        before = kp.subgroup_exclusive_add(1)
        if kp.subgroup_elect():
            kp.atomic_add(out[0], s)
        if before != kp.subgroup_lane() or top < x[i] or kp.subgroup_any(x[i] < 0):
            kp.atomic_add(out[1], 1)

    out = np.zeros(2, np.int32)
    sums(np.arange(128, dtype=np.int32), out)
    np.testing.assert_array_equal(out, [128 * 127 // 2, 0])


def test_global_size_strides_loops() -> None:
    @kp.jit
    def stride(x, out):
        i = kp.global_id()
        total = 0.0
        for k in range(i, x.size, kp.global_size()):
            total += x[k]
        out[i] = total

    x = np.arange(100, dtype=np.float32)
    out = stride[7](x, np.zeros(7, np.float32))
    np.testing.assert_array_equal(out, [x[k::7].sum() for k in range(7)])


def test_vectors() -> None:
    @kp.jit
    def turn(p: "vec3[:]", q: "vec3[:]", axis: "vec3"):
        i = kp.global_id()
        v = p[i]
        w = np.cross(axis, v) * 2 + kp.vec3(1, v.xy) + kp.vec3(0.5)
        w.y = v.x
        w[2] -= kp.normalize(v) @ axis + kp.length(v.zx) + np.dot(v, v)
        q[i] = w
        q[i].x *= 3

    rng = np.random.default_rng(3)
    p = rng.normal(size=(9, 3)).astype(np.float32)
    axis = np.array([1, 2, 3], np.float32)
    w = np.cross(axis, p) * 2 + np.column_stack([np.ones(9), p[:, :2]]) + 0.5
    w[:, 1] = p[:, 0]
    length = np.sqrt((p * p).sum(1))
    w[:, 2] -= p @ axis / length + np.hypot(p[:, 2], p[:, 0]) + length**2
    w[:, 0] *= 3
    np.testing.assert_allclose(turn(p, np.zeros_like(p), (1.0, 2.0, 3.0)), w, rtol=1e-4, atol=1e-5)


def test_matrices_are_numpys() -> None:
    @kp.jit
    def products(m: "mat2x3[:]", v: "vec3[:]", out: "vec2[:]"):
        i = kp.global_id()
        turn = kp.mat2((0, -1), (1, 0))
        a = turn @ m[i]
        a[0, 1] += 5
        scaled = a * 2 + m[i] * m[i]
        out[i] = scaled @ v[i] + v[i] @ scaled.T + scaled[1].xy

    rng = np.random.default_rng(4)
    m = rng.normal(size=(5, 2, 3)).astype(np.float32)
    v = rng.normal(size=(5, 3)).astype(np.float32)
    a = np.array([[0, -1], [1, 0]]) @ m
    a[:, 0, 1] += 5
    scaled = a * 2 + m * m
    expected = 2 * np.einsum("kij,kj->ki", scaled, v) + scaled[:, 1, :2]
    np.testing.assert_allclose(
        products(m, v, np.zeros((5, 2), np.float32)), expected, rtol=1e-4, atol=1e-5
    )


def test_more_work_items_than_the_device_takes_in_x() -> None:
    @kp.jit(local_size=1)
    def count(out):
        out[kp.global_id()] += kp.global_id()

    out = count(np.zeros(70000, np.int32))
    np.testing.assert_array_equal(out, np.arange(70000))


# --- errors ---------------------------------------------------------------------------------------


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
    for v in x:  # HERE
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


def bad_chain(n):
    if 0 < kp.atomic_add(n[0], 1) < 3:  # HERE
        n[0] = 1


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
    kp.atomic_min(x[0], 1.0)  # HERE


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


MESSAGES = {
    bad_negative: "the index -1 is negative",
    bad_slice: "slices cannot be used",
    bad_dimensions: "x has 1 dimensions, but 2 indices",
    bad_float_index: "an index is an integer, but a float32",
    bad_name: "'unknown' is not known",
    bad_unassigned: "'y' may have no value here",
    bad_loop_value: "'y' may have no value here",
    bad_store: r"an element of n is a int32, but a float32 is assigned; convert it with int\(",
    bad_mix: "uint32 and int32 do not mix|int32 and uint32 do not mix",
    bad_negative_uint: "-1 does not fit uint32",
    bad_return: "a kernel returns nothing",
    bad_range: r"range\(\) takes integers",
    bad_step: r"the step of range\(\) is 0",
    bad_loop: r"loops are over range\(",
    bad_with: "with cannot be used",
    bad_comprehension: "a list comprehension cannot be used",
    bad_call: "'open' cannot be called",
    bad_arguments: r"sqrt\(\) takes 1 arguments",
    bad_attribute: "no 'strides'",
    bad_module: "math has no 'sqroot'",
    bad_power: "may be a float",
    bad_or: "'or' of a float32 gives one of its operands",
    bad_is: "is and is not cannot be used",
    bad_chain: "evaluated twice",
    bad_shape: "'v' is a vec2, but a float32 is assigned",
    bad_vectors: "vec2 and vec3 have different shapes",
    bad_components: "a vec3 has 3 numbers, but 2 were given",
    bad_swizzle: "no 'z'",
    bad_array_size: "made of constants",
    bad_array_index: "the index 2 is over the last one, 1",
    bad_array_copy: r"not x \(an array\)",
    bad_print: r"print\(\) cannot be used",
    bad_string: "'text' is no number",
    bad_axis: "the axis is a constant",
    bad_atomic: "atomics of float32 do not exist",
    bad_literal: "5000000000 does not fit int32",
    bad_effect: "this has no effect",
    bad_try: "try cannot be used",
    bad_zero: "division by zero|by zero",
    bad_recursion: "calls itself",
    bad_end: "may end without a value",
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


def test_errors_mark_the_place() -> None:
    def wrong(x):
        x[0] = abs(unknown)  # type: ignore[name-defined]  # noqa: F821

    with pytest.raises(kp.ShaderError) as caught:
        kp.jit(wrong)(np.zeros(1, np.float32))
    marked = str(caught.value).splitlines()[-1]
    text = str(caught.value).splitlines()[-2]
    assert text[marked.index("^") : marked.rindex("~") + 1] == "unknown"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: saxpy(1.0, floats()), "needs 'y'; it takes a, x, y"),
        (lambda: saxpy(1.0, floats(), floats(), 2), "takes 3 arguments"),
        (lambda: saxpy(1.0, floats(), z=floats()), "no argument 'z'"),
        (lambda: saxpy(1.0, floats(), floats(), x=1), "got its argument 'x' twice"),
        (lambda: saxpy("a", floats(), floats()), "a was given str 'a'"),
        (lambda: saxpy(1.0, np.zeros(2, "U3"), floats()), "is no type of kernels"),
    ],
)
def test_wrong_arguments_are_named(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        call()


def test_what_is_only_in_kernels_says_so_elsewhere() -> None:
    for name in kp._jit.intrinsics.__all__:
        function = getattr(kp, name)
        with pytest.raises(TypeError, match="is for functions with @kp.jit"):
            function(*[1] * function.__code__.co_argcount)


def test_parameters_have_other_names_than_keywords() -> None:
    def wrong(threads):
        pass

    with pytest.raises(kp.ShaderError, match="'threads' is a keyword"):
        kp.jit(wrong)


def test_functions_without_source_are_refused() -> None:
    names: dict[str, Any] = {}
    exec("def f(x): x[0] = 1", names)
    with pytest.raises(kp.ShaderError, match="source of f was not found"):
        kp.jit(names["f"])


# --- more -----------------------------------------------------------------------------------------


def test_choices_of_numbers_take_the_type_that_they_meet() -> None:
    @kp.jit
    def positive(x, out):
        i = kp.global_id()
        out[i] = (1 if x[i] > 2 else 0) if x[i] > 0 else 7

    for dtype in (np.uint8, np.uint32, np.float32, np.int64):
        out = positive(np.array([-1, 1, 3], np.float32), np.zeros(3, dtype))
        np.testing.assert_array_equal(out, [7, 0, 1])


def test_or_of_numbers_is_refused_inside_of_conditions_too() -> None:
    def twice(v):
        return 2 * v

    def wrong(x):
        if twice(x[0] or 5.0) > 3:
            x[0] = 1

    with pytest.raises(kp.ShaderError, match="'or' of a float32"):
        kp.jit(wrong)(np.zeros(1, np.float32))


class Settings:
    size = 2


def test_replaced_functions_and_attributes_are_noticed() -> None:
    def change(v):
        return v + 1

    @kp.jit
    def kernel(out):
        out[kp.global_id()] = change(Settings.size)

    assert kernel(np.zeros(1, np.int32))[0] == 3
    Settings.size = 5
    assert kernel(np.zeros(1, np.int32))[0] == 6

    def change(v):  # type: ignore[no-redef]  # noqa: F811
        return v * 100

    assert kernel(np.zeros(1, np.int32))[0] == 500
    Settings.size = 2


def test_matrices_and_vectors_are_numbers_of_calls() -> None:
    @kp.jit
    def transform(p: "vec4[:]", m: "mat4", offset: "vec4"):
        i = kp.global_id()
        p[i] = m @ p[i] + offset

    m = np.arange(16, dtype=np.float32).reshape(4, 4)
    p = np.array([[1, 0, 2, 0], [0, 1, 0, 3]], np.float32)
    expected = p @ m.T + [1, 2, 3, 4]
    np.testing.assert_array_equal(transform(p, m, np.array([1, 2, 3, 4], np.float32)), expected)
    with pytest.raises(TypeError, match=r"m is a mat4, but was given an array of shape \(2, 4\)"):
        transform(p, p, (1.0, 2.0, 3.0, 4.0))


def test_vectors_in_buffers_of_groups() -> None:
    @kp.jit
    def swap(p):
        i = kp.global_id()
        p[i] = p[i].zyx

    with kp.DeviceGroup(device_ids=[0, 0]) as group:
        points = np.arange(15, dtype=np.float32).reshape(5, 3)
        p = kp.asbuffer(points, group, "sharded", dtype=kp.vec3)
        swap(p)
        np.testing.assert_array_equal(p.read(), points[:, ::-1])


def test_counting_down_in_unsigned_integers_stops_at_0() -> None:
    def wrong(u):
        for k in range(u[0], 0, -3):
            u[1] = k

    with pytest.raises(kp.ShaderError, match="would pass 0"):
        kp.jit(wrong)(np.array([4, 0], np.uint32))


def test_no_work_items_do_nothing() -> None:
    y = np.zeros(2, np.float32)
    saxpy(1.0, np.ones(2, np.float32), y, threads=0)
    np.testing.assert_array_equal(y, 0)
    saxpy(np.array(2.0, np.float32), np.ones(2, np.float32), y)
    np.testing.assert_array_equal(y, 2)


def test_arrays_that_overlap_are_not_written_apart() -> None:
    x = np.arange(6, dtype=np.float32)
    saxpy(1.0, x, x)
    np.testing.assert_array_equal(x, 2 * np.arange(6))
    with pytest.raises(ValueError, match="y shares memory with x"):
        saxpy(1.0, x[:4], x[1:5])


def test_kernels_take_arrays_and_views() -> None:
    x = kp.asarray(np.arange(6, dtype=np.float32).reshape(2, 3))
    saxpy(1.0, kp.ones(2, dtype=kp.float32), x[:, 0])
    np.testing.assert_array_equal(x.numpy(), [[1, 1, 2], [4, 4, 5]])


def test_flags_are_numbers_of_calls() -> None:
    @kp.jit
    def flagged(x, flag):
        i = kp.global_id()
        if flag:
            x[i] = 1
        first = flag and i == 0
        x[i] += first

    np.testing.assert_array_equal(flagged(np.zeros(2, np.float32), True), [2, 1])
    np.testing.assert_array_equal(flagged(np.zeros(2, np.float32), np.False_), [0, 0])
