# SPDX-License-Identifier: Apache-2.0
"""Compiled Python functions give the numbers of Python and NumPy."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from jit_support import elementwise

import kp

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

NAN, INF = math.nan, math.inf
SPECIAL = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    INF,
    -INF,
    NAN,
    0.5,
    -0.5,
    2.0,
    -2.0,
    3.0,
    -3.0,
    1e30,
    -1e30,
    1e-30,
]


def pairs(values: list[float]) -> tuple[Any, Any]:
    x, y = np.meshgrid(np.float32(values), np.float32(values))
    return x.ravel(), y.ravel()


#: The smallest normal number of float32. Devices may treat smaller ones as 0.
NORMAL = 2.0**-126


def close(given: Any, expected: Any, ulp: int, what: str) -> None:
    """Check numbers to some units in the last place, and the signs of zeros."""
    __tracebackhide__ = True
    flushed = (given == 0) & (np.abs(expected) < NORMAL)
    expected = np.where(flushed, np.copysign(0, expected), expected)
    single = expected.astype(np.float32)
    np.testing.assert_array_equal(np.isnan(given), np.isnan(single), err_msg=what)
    finite = np.isfinite(single)
    np.testing.assert_array_equal(given[~finite], single[~finite], err_msg=what)
    zero = single == 0
    np.testing.assert_array_equal(np.signbit(given[zero]), np.signbit(single[zero]), err_msg=what)
    error = np.abs(given[finite].astype(np.float64) - expected[finite])
    worst = (error / np.spacing(np.maximum(np.abs(single[finite]), 1e-37))).max(initial=0)
    assert worst <= ulp, f"{what}: {worst:.1f} ulp"


def to_the_power(a, b):
    return a**b


def test_powers() -> None:
    x, y = pairs(SPECIAL)
    given = elementwise(to_the_power, x, y)
    close(given, np.power(x.astype(np.float64), y.astype(np.float64)), 4, "**")
    rng = np.random.default_rng(1)
    x, y = rng.uniform(0.1, 20, 500).astype("f4"), rng.uniform(-20, 20, 500).astype("f4")
    close(elementwise(to_the_power, x, y), np.power(x.astype("f8"), y.astype("f8")), 4, "**")


def root(a):
    return a**0.5


def inverse_root(a):
    return a**-0.5


def inverse(a):
    return a**-1


def square(a):
    return a**2.0


def fifth(a):
    return a**5


@pytest.mark.parametrize(
    "function, power",
    [(root, 0.5), (inverse_root, -0.5), (inverse, -1.0), (square, 2.0), (fifth, 5.0)],
)
def test_constant_powers(function: Callable[..., Any], power: float) -> None:
    x = np.float32([*SPECIAL, 7, 1.5, 1e10, 1e-10])
    expected = np.power(x.astype("f8"), np.full(len(x), power))  # NumPy's ** 0.5 is sqrt()
    close(elementwise(function, x), expected, 4, f"** {power}")


@kp.jit
def roots(out):
    n = kp.global_id()
    out[n] = int((n * n) ** 0.5)


@kp.jit
def math_roots(out):
    n = kp.global_id()
    out[n] = int(math.sqrt(n * n))


@pytest.mark.parametrize("kernel", [roots, math_roots])
def test_roots_of_squares_are_whole(kernel: Any) -> None:
    given = kernel(np.zeros(4096, np.int32))
    np.testing.assert_array_equal(given, np.arange(4096))


def remainder(a, b):
    return math.remainder(a, b)


def modulo(a, b):
    return a % b


def fmod(a, b):
    return math.fmod(a, b)


def floored(a, b):
    return a // b


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_remainders(dtype: str) -> None:
    rng = np.random.default_rng(2)
    x, y = pairs(SPECIAL)
    big = rng.normal(size=3000) * 10.0 ** rng.integers(-3, 20, 3000)
    small = rng.normal(size=3000) * 10.0 ** rng.integers(-3, 4, 3000)
    near = np.round(small, 1)
    x = np.concatenate([x, big, small * np.round(big), near]).astype(dtype)
    y = np.concatenate([y, small, small, np.full(3000, 0.1)]).astype(dtype)
    for function, numpys in ((modulo, np.remainder), (fmod, np.fmod), (floored, np.floor_divide)):
        given = elementwise(function, x, y, out=dtype)
        expected = numpys(x, y)
        if numpys is np.floor_divide:  # devices may divide with an error of 2.5 units
            large = np.abs(expected) > 2.0**20
            close_enough = np.isclose(given, expected, rtol=4 * np.finfo(dtype).eps, atol=0)
            given = np.where(large & close_enough, expected, given)
        np.testing.assert_array_equal(given, expected, err_msg=function.__name__)
        signs = np.signbit(given) ^ np.signbit(expected)
        assert not signs[~np.isnan(expected)].any(), function.__name__
    given = elementwise(remainder, x, y, out=dtype)
    possible = np.isfinite(x) & (y != 0) & ~np.isnan(y)
    expected = [math.remainder(float(a), float(b)) for a, b in zip(x[possible], y[possible])]
    np.testing.assert_array_equal(given[possible], np.array(expected, dtype))
    assert np.isnan(given[~possible]).all()


SMALL = [0.0, -0.0, 1e-30, -1e-30, 1e-8, -1e-8, 1e-4, -1e-4, 0.01, 0.3, -0.3, 0.9, 1.0, -1.0, NAN]
LARGE = [1.5, -1.5, 5.0, 12.0, -30.0, 80.0, 100.0, 1e5, 1e10, 1e30, -1e30, INF, -INF]


@pytest.mark.parametrize(
    "name",
    "sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh "
    "exp exp2 expm1 log log2 log10 log1p cbrt sqrt".split(),
)
def test_functions(name: str) -> None:
    function = getattr(np, name)

    def applied(a):
        return function(a)

    x = np.float32(SMALL + LARGE)
    close(elementwise(applied, x), function(x.astype(np.float64)), 4, name)


@pytest.mark.parametrize("name", ["arctan2", "hypot", "copysign", "maximum", "fmin", "fmod"])
def test_functions_of_two(name: str) -> None:
    function = numpys = getattr(np, name)

    def applied(a, b):
        return function(a, b)

    x, y = pairs([*SPECIAL, 1e-8, 1e20])
    close(elementwise(applied, x, y), numpys(x.astype("f8"), y.astype("f8")), 4, name)


@kp.jit
def of_vectors(x, y):
    i = kp.global_id()
    v = kp.vec3(x[i], x[i] + 1, -x[i])
    w = np.sin(v) + v % 0.7 + np.maximum(v, 0.5)
    y[i] = w.x + w.y * 2 + w.z * 3


def test_functions_of_vectors_are_those_of_their_components() -> None:
    x = np.linspace(-20, 20, 100).astype(np.float32)
    v = np.stack([x, x + 1, -x])
    w = np.sin(v) + v % np.float32(0.7) + np.maximum(v, 0.5)
    given = of_vectors(x, np.zeros(100, np.float32))
    np.testing.assert_allclose(given, w[0] + w[1] * 2 + w[2] * 3, atol=2e-5)


def rounded_to_tenths(a):
    return round(a, 1)


def rounded_to_hundreds(a):
    return round(a, -2)


def test_rounding_to_decimals() -> None:
    x = np.float32([0.25, 0.349, -1.05, 12345.678, 1e30, -0.04, INF, 150, 250, -49])
    # Devices may divide with an error of 2.5 units.
    np.testing.assert_allclose(elementwise(rounded_to_tenths, x), np.round(x, 1), rtol=4e-7)
    np.testing.assert_allclose(elementwise(rounded_to_hundreds, x), np.round(x, -2), rtol=4e-7)


@pytest.mark.unchecked
@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64", "uint8", "int16"])
def test_integer_division(dtype: str) -> None:
    limits = np.iinfo(dtype)
    values = [v for v in (0, 1, 2, 3, 7, -1, -2, -7, limits.max, limits.min) if limits.min <= v]
    x, y = (each.ravel() for each in np.meshgrid(np.array(values, dtype), np.array(values, dtype)))
    kept = ~((x == limits.min) & (y.astype(np.int64) == -1)) | (limits.min == 0)
    x, y = x[kept], y[kept]
    np.testing.assert_array_equal(elementwise(floored, x, y, out=dtype), x // y)
    np.testing.assert_array_equal(elementwise(modulo, x, y, out=dtype), x % y)


# --- conversions ----------------------------------------------------------------------------------


@kp.jit
def there_and_back(d, n, out, whole, equal):
    i = kp.global_id()
    out[i] = kp.float64(kp.float32(d[i]))
    whole[i] = int(kp.float32(n[i]))
    equal[i] = kp.float32(d[i]) == kp.float32(n[i])


def test_conversions_round() -> None:
    rng = np.random.default_rng(3)
    d = rng.normal(size=300) * 2.0 ** rng.integers(-110, 120, 300)
    n = np.concatenate([rng.integers(-(2**31), 2**31, 200), 2**24 + np.arange(100)]).astype("i4")
    out, whole, equal = there_and_back(
        d, n, np.zeros(300), np.zeros(300, np.int64), np.zeros(300, bool)
    )
    np.testing.assert_array_equal(out, d.astype("f4").astype("f8"))
    np.testing.assert_array_equal(whole, n.astype("f4").astype("i8"))


@kp.jit
def of_half(d, n, out, whole):
    i = kp.global_id()
    out[i] = kp.float64(kp.float16(d[i]))
    whole[i] = kp.int64(kp.float64(n[i])) - n[i]


def test_conversions_to_half_round_once() -> None:
    d = np.array([65519.999, 2049.0000001, 0.1, 6e-8, 1e-5, 1 / 3])
    n = np.array([2**53 + 1, -(2**60) - 3, 2**62 - 1, 5, 2**53 + 3, 0])
    try:
        out, whole = of_half(d, n, np.zeros(6), np.zeros(6, np.int64))
    except kp.Unsupported as error:
        pytest.skip(str(error))
    np.testing.assert_array_equal(out, d.astype("f2").astype("f8"))
    np.testing.assert_array_equal(whole, n.astype("f8").astype("i8") - n)


@kp.jit
def by_memory(d, f, out):
    i = kp.global_id()
    f[i] = d[i]
    out[i] = f[i]


def test_numbers_that_pass_through_memory_are_rounded() -> None:
    d = np.linspace(0.1, 1, 50)
    _, out = by_memory(d, np.zeros(50, np.float32), np.zeros(50))
    np.testing.assert_array_equal(out, d.astype("f4").astype("f8"))


@kp.jit
def of_vector_parts(d, out):
    i = kp.global_id()
    v = kp.dvec3(d[i], d[i] / 3, d[i] * 1e9)
    w = kp.dvec3(kp.vec3(v))
    out[i] = w.x + w.y + w.z


@kp.jit
def of_mixed_vectors(n, d, out):
    i = kp.global_id()
    v = kp.vec3(1, 1, 1) * n[i] + kp.vec3(kp.float32(d[i]))
    w = kp.ivec3(v)
    out[i] = kp.float64(v.x) + w.y


def test_numbers_that_become_vectors_are_rounded() -> None:
    n, d = np.array([16777217, -5], np.int32), np.array([0.1, 1 / 3])
    v = n.astype("f4") + d.astype("f4")
    expected = v.astype("f8") + v.astype("i4")
    np.testing.assert_array_equal(of_mixed_vectors(n, d, np.zeros(2)), expected)


def test_vectors_are_rounded_by_component() -> None:
    d = np.linspace(0.1, 1, 50)
    v = np.stack([d, d / 3, d * 1e9]).astype("f4").astype("f8")
    np.testing.assert_array_equal(of_vector_parts(d, np.zeros(50)), (v[0] + v[1]) + v[2])


# --- integers of 64 bits --------------------------------------------------------------------------


@kp.jit
def products(o):
    t = kp.global_id()
    o[t] = t * 1000000


@kp.jit
def sums(o, count):
    i = kp.global_id()
    total = 0
    for k in range(count):
        total += (k + i) * 100_000_000
    o[i] = total


@kp.jit
def widened(o):
    i = kp.global_id()
    n = len(o)
    big = kp.int64(0)
    for k in range(n):
        big += k * 2_000_000_000
    o[i] = float(big)


@kp.jit
def two_axes(x, out):
    j, i = kp.global_id(0), kp.global_id(1)
    out[i, j] = x[i, j] * 3_000_000_000 + i * x.shape[1] + j


def test_integers_beside_int64_are_int64() -> None:
    n = np.arange(5000, dtype=np.int64)
    np.testing.assert_array_equal(products(np.zeros(5000, np.int64)), n * 1000000)
    expected = [sum((k + i) * 100_000_000 for k in range(50)) for i in range(10)]
    np.testing.assert_array_equal(sums(np.zeros(10, np.int64), 50), expected)
    given = widened(np.zeros(5, np.float32))
    np.testing.assert_array_equal(given, np.float32(2_000_000_000 * sum(range(5))))
    x = np.arange(12, dtype=np.int64).reshape(3, 4)
    np.testing.assert_array_equal(two_axes(x, np.zeros_like(x)), x * 3_000_000_000 + x)
    assert "int64" not in products.specialize(np.zeros(3, np.int32))


@kp.jit
def plus(x, n, out):
    i = kp.global_id()
    out[i] = x[i] + n


def test_python_integers_over_32_bits_are_int64() -> None:
    x = np.arange(4, dtype=np.int32)
    for number in (3_000_000_000, -(2**40), 7):
        given = plus(x, number, np.zeros(4, np.int64))
        np.testing.assert_array_equal(given, x.astype(np.int64) + number)


@kp.jit
def cut(n, out):
    i = kp.global_id()
    out[i] = n[i]


@pytest.mark.parametrize("dtype", ["uint8", "int8", "uint16", "uint32", "int64", "uint64"])
def test_elements_cut_integers(dtype: str) -> None:
    n = np.array([0, 1, -1, 255, 256, -300, 70000, 2**31 - 1], np.int32)
    np.testing.assert_array_equal(cut(n, np.zeros(8, dtype)), n.astype(dtype))
