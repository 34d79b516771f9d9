# SPDX-License-Identifier: Apache-2.0
"""kp.jit: arithmetic and statements mean what they mean in Python."""

from __future__ import annotations

import math

import numpy as np
from jit_support import SIZE, elementwise, floats, integers, same

import kp

FACTORS = (2, 3, 5)
STEP = 3


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

    def turned(a):
        b, c = a + 1, a + 2
        b, (a, c) = a, (b, b * c)
        return a + 10 * b + 100 * c

    same(turned, integers(), out=np.int32)


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


def test_doubles_are_rounded_over_their_whole_range() -> None:
    @kp.jit
    def rounded(x, down, near, rest, number):  # type: ignore[no-untyped-def]
        i = kp.global_id()
        down[i] = np.trunc(x[i])
        near[i] = np.rint(x[i])
        rest[i] = np.fmod(x[i], 1.0)
        number[i] = round(max(min(x[i], 1000.0), -1000.0))

    x = np.array(
        [0.5, 1.5, 2.5, -1.5, -2.5, 0.3, 2.0**33 + 0.5, -(2.0**40) - 0.75, 2.0**52 + 1, np.inf]
    )
    results = rounded(x, *[np.zeros(10) for _ in range(3)], np.zeros(10, np.int32))
    np.testing.assert_array_equal(results[0], np.trunc(x))
    np.testing.assert_array_equal(results[1], np.rint(x))
    np.testing.assert_array_equal(results[2][:-1], np.fmod(x[:-1], 1))
    assert results[3].tolist() == [round(each) for each in np.clip(x, -1000, 1000)]


SPECIAL = np.array([0.0, -0.0, 1.0, -2.5, np.inf, -np.inf, np.nan], np.float32)


@kp.jit
def special_pairs(x, y, found):
    i = kp.global_id()
    found[i, 0] = np.maximum(x[i], y[i])
    found[i, 1] = np.minimum(x[i], y[i])
    found[i, 2] = np.fmax(x[i], y[i])
    found[i, 3] = np.fmin(x[i], y[i])
    found[i, 4] = np.copysign(x[i], y[i])
    found[i, 5] = np.hypot(x[i], y[i])
    found[i, 6] = np.arctan2(x[i], y[i])
    found[i, 7] = np.sign(x[i])
    found[i, 8] = np.clip(x[i], -1.0, y[i])
    found[i, 9] = np.fmod(x[i], y[i])
    found[i, 10] = x[i] % y[i]


def test_functions_have_numpys_results_for_special_values() -> None:
    x, y = (np.ascontiguousarray(each.ravel()) for each in np.meshgrid(SPECIAL, SPECIAL))
    found = np.zeros((x.size, 11), np.float32)
    special_pairs(x, y, found, threads=x.size)
    with np.errstate(all="ignore"):
        expected = [
            np.maximum(x, y),
            np.minimum(x, y),
            np.fmax(x, y),
            np.fmin(x, y),
            np.copysign(x, y),
            np.hypot(x, y),
            np.arctan2(x, y),
            np.sign(x),
            np.clip(x, np.float32(-1), y),
            np.fmod(x, y),
            x % y,
        ]
    for column, wanted in enumerate(expected):
        np.testing.assert_allclose(found[:, column], wanted, rtol=1e-5, err_msg=f"column {column}")
    assert (np.signbit(found[:, 4]) == np.signbit(expected[4]))[~np.isnan(x)].all()


def test_unsigned_integers_fit_wider_signed_ones() -> None:
    @kp.jit
    def add(x, y, both, copied):
        i = kp.global_id()
        both[i] = x[i] + y[i]
        copied[i] = x[i]

    both, copied = np.zeros(1, np.int32), np.zeros(1, np.int16)
    add(np.array([200], np.uint8), np.array([-300], np.int32), both, copied)
    assert (both[0], copied[0]) == (-100, 200)
