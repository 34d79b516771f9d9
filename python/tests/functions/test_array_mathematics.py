# SPDX-License-Identifier: Apache-2.0
"""Elementary functions of float64, float16 and complex numbers: errors, special values, and where they run."""

from __future__ import annotations

import importlib.util
import itertools
import math
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import kp
from kp.arrays.functions import FUNCTIONS

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

_PROOF = Path(__file__).resolve().parents[3] / "test" / "proof" / "python"

OF_ONE = "exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh".split()
SPECIAL = [
    *(0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -3.0, math.inf, -math.inf, math.nan, 3e-308, -3e-308),
    *(1.7e308, -1.7e308, 1e300, 709.7, 709.9, -708.0, -800.0, 1e-20, 1e22, 1023.5, 1024.0, -0.3),
    *(1 - 2.0**-53, 1 + 2.0**-52),
]


@pytest.fixture(scope="module")
def errors() -> ModuleType:
    """The program that measures errors."""
    pytest.importorskip("mpmath")
    sys.path.insert(0, str(_PROOF))
    try:
        spec = importlib.util.spec_from_file_location(
            "function_errors", _PROOF / "function_errors.py"
        )
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        sys.path.pop(0)
    return module


def nextafter(x: Any, y: Any) -> Any:
    """Return C's result, which some versions of NumPy miss for equal halves: the sign of y."""
    return np.where(x == y, y, np.nextafter(x, y))


def compare(name: str, found: Any, expected: Any, ulps: float = 4) -> None:
    """Check numbers to some units in the last place of normal numbers, signs and NaN.

    A device may return 0 for a float32 that is too small for a normal number.
    """
    __tracebackhide__ = True
    if expected.dtype == np.float32:
        small = (found == 0) & (np.abs(expected) < np.finfo(np.float32).tiny)
        expected = np.where(small, np.copysign(np.float32(0), expected), expected)
    assert found.dtype == expected.dtype, name
    np.testing.assert_array_equal(np.isnan(found), np.isnan(expected), err_msg=name)
    known = ~np.isnan(expected)
    found, expected = found[known], expected[known]
    infinite = np.isinf(expected) | np.isinf(found)
    np.testing.assert_array_equal(found[infinite], expected[infinite], err_msg=name)
    np.testing.assert_array_equal(np.signbit(found), np.signbit(expected), err_msg=name)
    found, expected = found[~infinite], expected[~infinite]
    unit = np.spacing(np.maximum(np.abs(expected), np.finfo(expected.dtype).tiny))
    assert (np.abs(found - expected) / unit).max(initial=0) <= ulps, name


def test_doubles_are_within_two_units_of_the_exact_results(errors: ModuleType) -> None:
    for name in errors.CASES:
        worst, _, place = errors.measure(name, 100, seed=5)
        assert worst <= errors.LIMIT, f"{name} at {place}: {worst} units in the last place"


def test_complex_numbers_are_close_to_the_exact_results(errors: ModuleType) -> None:
    for name in errors.COMPLEX_CASES:
        worst, _, place = errors.measure_complex(name, 40, seed=5)
        assert worst <= errors.COMPLEX_LIMIT, f"{name} at {place}: {worst} units"


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_special_values_are_numpys(dtype: Any) -> None:
    x = np.array(SPECIAL).astype(dtype)
    for name in [*OF_ONE, "cbrt", "spacing", "erf", "erfc", "gamma"]:
        compare(name, getattr(kp, name)(kp.array(x)).numpy(), FUNCTIONS[name].ufunc(x))
    far = x[~(np.abs(x - 1) < 0.1)]  # near 1, Python's has few digits
    compare("lgamma", kp.lgamma(kp.array(far)).numpy(), FUNCTIONS["lgamma"].ufunc(far))
    first, second = (np.array(each, dtype) for each in zip(*itertools.product(SPECIAL, SPECIAL)))
    for name in ("pow", "atan2", "hypot", "logaddexp", "logaddexp2", "nextafter", "float_power"):
        found = getattr(kp, name)(kp.array(first), kp.array(second)).numpy()
        wanted = nextafter if name == "nextafter" else FUNCTIONS[name].ufunc
        compare(name, found, wanted(first, second))


@pytest.mark.parametrize("dtype", [np.complex128, np.complex64])
def test_special_complex_values_are_numpys(dtype: Any) -> None:
    parts = [0.0, -0.0, 1.0, -1.0, 0.5, math.inf, -math.inf, math.nan, 2.5]
    z = np.array([complex(x, y) for x in parts for y in parts], dtype)
    for name in [*OF_ONE, "sqrt"]:
        found, expected = getattr(kp, name)(kp.array(z)).numpy(), FUNCTIONS[name].ufunc(z)
        assert found.dtype == expected.dtype
        # C leaves the sign of a part open where the other part is NaN, or an argument's.
        signed = np.isfinite(z) & np.isfinite(expected)
        for part in (np.real, np.imag):
            compare(name, part(found)[signed], part(expected)[signed], ulps=16)
            np.testing.assert_allclose(
                np.abs(part(found)), np.abs(part(expected)), rtol=1e-5, atol=1e-6, err_msg=name
            )


@pytest.mark.parametrize("dtype", [np.complex128, np.complex64])
def test_complex_powers_are_numpys(dtype: Any) -> None:
    parts = [0.0, -0.0, 1.0, -1.0, 0.5, 2.5, 100.0, -300.5]
    z = np.array([complex(x, y) for x in parts for y in parts], dtype)
    first, second = np.repeat(z, len(z)), np.tile(z, len(z))
    known = first != 0  # NumPy's versions differ at 0
    first, second = first[known], second[known]
    found, expected = kp.pow(kp.array(first), kp.array(second)).numpy(), np.power(first, second)
    assert found.dtype == expected.dtype
    finite = np.isfinite(expected) & np.isfinite(found)
    assert np.isfinite(found)[np.isfinite(expected)].all()
    limits = {"rtol": 3e-3, "atol": 1e-38} if dtype == np.complex64 else {"rtol": 1e-9}
    np.testing.assert_allclose(found[finite], expected[finite], **limits)


def test_steps_of_all_halves_are_numpys() -> None:
    halves = np.arange(65536, dtype=np.uint16).view(np.float16)
    compare("spacing", kp.spacing(kp.array(halves)).numpy(), np.spacing(halves), ulps=0)
    for goal in (-np.inf, np.inf, 0, 1, np.nan):
        towards = np.full(65536, goal, np.float16)
        found = kp.nextafter(kp.array(halves), kp.array(towards)).numpy()
        compare("nextafter", found, nextafter(halves, towards), ulps=0)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_ldexp_is_exact(dtype: Any) -> None:
    limits = np.finfo(dtype)
    sizes = [0.0, -0.0, 1.0, -1.5, math.inf, math.nan, float(limits.max), float(limits.tiny), 1.7]
    powers = [0, 1, -1, 30, -30, 1000, -1000, 1023, 2000, -2000, 2**31 - 1, -(2**31), -126, -1022]
    x, k = (np.array(each) for each in zip(*itertools.product(sizes, powers)))
    for kind in (np.int32, np.int64):
        expected = np.ldexp(x.astype(dtype), k.astype(kind))
        found = kp.ldexp(kp.array(x.astype(dtype)), kp.array(k.astype(kind))).numpy()
        normal = (np.abs(expected) >= limits.tiny) | (expected == 0) | np.isnan(expected)
        compare("ldexp", found[normal], expected[normal], ulps=0)


def test_devices_compute_all_floats() -> None:
    """No function of floats is left to the host, nor one of complex numbers but comparisons."""
    ordered = {"less", "less_equal", "greater", "greater_equal", "minimum", "maximum"}
    ordered |= {"fmin", "fmax", "logical_and", "logical_or", "logical_xor", "logical_not"}
    for name, function in FUNCTIONS.items():
        kinds = {each[0] for each in function.ufunc.types}
        for dtype in (np.float16, np.float32, np.float64, np.complex64, np.complex128):
            char = np.dtype(dtype).char
            if char in kinds and name not in ordered:
                assert kp._kp._computes(name, np.dtype(dtype)), f"{name} of {np.dtype(dtype)}"


def test_jit_functions_of_doubles_are_numpys() -> None:
    @kp.jit
    def kernel(x, y, out):
        i = kp.global_id()
        out[i, 0] = math.exp(x[i]) + np.log(y[i])
        out[i, 1] = np.arctan2(x[i], y[i])
        out[i, 2] = y[i] ** x[i]
        out[i, 3] = np.hypot(x[i], y[i]) * np.cbrt(y[i])
        out[i, 4] = math.sin(x[i]) * math.tanh(y[i])
        out[i, 5] = math.erf(x[i]) + math.erfc(x[i]) + math.gamma(y[i]) * math.lgamma(y[i])

    rng = np.random.default_rng(3)
    x, y = rng.uniform(-3, 3, 200), rng.uniform(0.1, 5, 200)
    out = kp.empty((200, 6))
    kernel(kp.array(x), kp.array(y), out, threads=200)
    expected = [
        np.exp(x) + np.log(y),
        np.arctan2(x, y),
        y**x,
        np.hypot(x, y) * np.cbrt(y),
        np.sin(x) * np.tanh(y),
        [1 + math.gamma(each) * math.lgamma(each) for each in y],
    ]
    np.testing.assert_allclose(out.numpy(), np.stack(expected, 1), rtol=2e-15, atol=1e-15)


def test_functions_fuse_with_arithmetic() -> None:
    x = np.linspace(0.1, 2, 100)
    found = (kp.exp(-kp.array(x) ** 2) * kp.sin(kp.array(x)) + 1).numpy()
    np.testing.assert_allclose(found, np.exp(-(x**2)) * np.sin(x) + 1, rtol=1e-15)
