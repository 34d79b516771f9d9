# SPDX-License-Identifier: Apache-2.0
"""Conversions round when they are part of a larger expression just as they do alone."""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import numpy as np
import pytest
from device_support import skip_on_swiftshader

import kp

INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
FLOATS = ["float16", "float32", "float64"]
ROUNDS_TWICE = "rounds twice if it converts unsigned integers from 2^31 on to floats"
TYPES = ["bool", *INTEGERS, *FLOATS, "complex64", "complex128"]


def samples(dtype: str) -> Any:
    """Return numbers of a type that other types round or cannot hold."""
    rng = np.random.default_rng(5)
    kind = np.dtype(dtype)
    if kind.kind == "b":
        return np.array([False, True])
    if kind.kind in "iu":
        limits = np.iinfo(kind)
        near = [2**bits + more for bits in range(65) for more in (-1, 0, 1, 3)]
        ties = [(2 * n + 1) << bits for n in (2**23, 2**24 - 1, 2**52) for bits in range(40)]
        every = near + ties + [tie + 1 for tie in ties] + [limits.max]
        values = [x for x in every + [-x for x in every] if limits.min <= x <= limits.max]
        many = rng.integers(limits.min, limits.max, 300, dtype=kind, endpoint=True)
        return np.concatenate([np.array(values, kind), many])
    if kind.kind == "c":
        real = samples("float32" if kind == np.complex64 else "float64")
        return (real + 1j * real[::-1]).astype(kind)
    exact = [1 + n * 2.0**-bits for bits in range(8, 54) for n in (-1, 1, 3)]
    large = [65504, 65519.999, 65520, 3.4028235e38, 3.4028235677973366e38, 3.5e38, 1e300, np.inf]
    small = [0.0, 0.1, 6e-8, 2.9802322387695312e-8, 2.98023224e-8, 1e-5, 6.1e-5]
    values = np.array([*exact, *large, *small, 16777217, 2**53 + 2, 1e15 + 0.3, 2049, 2051])
    many = rng.normal(size=300) * 2.0 ** rng.integers(-20, 60, 300)
    values = np.concatenate([values, -values, many, [np.nan]])
    with np.errstate(over="ignore"):
        return values.astype(kind)


def held(values: Any, *types: str) -> Any:
    """Return the values that integers among types hold: NumPy leaves others to the processor."""
    limits = [np.iinfo(each) for each in types if np.dtype(each).kind in "iu"]
    if values.dtype.kind in "fc":
        for each in limits:
            real = values.real.astype(np.float64)
            # Values that round to the limit of a float type would not fit, either.
            size = float(each.max) * (1 - 2.0**-9)
            inside = np.isfinite(real) & (real < size) & (real > max(float(each.min), -size))
            values = values[inside]
    return values


def same(given: Any, expected: Any, what: str) -> None:
    __tracebackhide__ = True
    np.testing.assert_array_equal(given, expected, err_msg=what, strict=True)


@pytest.fixture(autouse=True)
def _quiet() -> Any:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


@pytest.mark.parametrize("first", TYPES)
def test_there_and_back_is_numpys_for_all_pairs_of_types(first: str) -> None:
    if first == "uint32":
        skip_on_swiftshader(ROUNDS_TWICE)
    for second in TYPES:
        values = held(samples(first), first, second)
        x = kp.array(values)
        there = values.astype(second)
        same(x.astype(second).numpy(), there, f"{first} -> {second}")
        back = held(there, first)
        if back.size == there.size:
            same(x.astype(second).astype(first).numpy(), there.astype(first), f"and back: {second}")
        if np.dtype(first).kind != "c" or np.dtype(second).kind == "c":
            same((x.astype(second) == x).numpy(), there == values, f"{first} == {second}")


@pytest.mark.parametrize("first", ["int32", "uint32", "int64", "uint64", "float64"])
def test_three_conversions_fused_and_apart(first: str) -> None:
    if first == "uint32":
        skip_on_swiftshader(ROUNDS_TWICE)
    for second, third in itertools.product(FLOATS, [*INTEGERS[4:], *FLOATS]):
        values = held(samples(first), second, third)
        x = kp.array(values)
        values = values.astype(second)
        if held(values, third).size != values.size:
            continue
        apart = x.astype(second).evaluate().astype(third).numpy()
        fused = x.astype(second).astype(third).numpy()
        same(apart, values.astype(third), f"{first} -> {second} -> {third}, apart")
        same(fused, apart, f"{first} -> {second} -> {third}")


D = np.array([0.1, 1e300, -2.5000000001, 1 / 3, 16777217.0])


def test_functions_of_rounded_numbers() -> None:
    x = kp.array(D)
    single = D.astype(np.float32)
    for name in ("floor", "round", "ceil", "trunc", "negative", "abs", "square", "sqrt"):
        fused = getattr(kp, name)(x.astype("float32")).astype("float64").numpy()
        same(fused, getattr(np, name)(single).astype(np.float64), name)
    same((x - x.astype("float32")).numpy(), D - single, "difference")
    same(kp.where(x > 0, x.astype("float32"), x).numpy(), np.where(D > 0, single, D), "where")
    same((x.astype("float32") > x).numpy(), single > D, "comparison")
    n = np.array([16777217, -16777219, 5], np.int32)
    same(kp.array(n).astype("float32").astype("int32").numpy(), n.astype("f4").astype("i4"), "int")


def test_sums_of_rounded_numbers() -> None:
    values = np.full(1000, 0.1)
    x = kp.array(values)
    expected = values.astype(np.float32).sum(dtype=np.float64)
    assert x.astype("float32").sum(dtype="float64").item() == pytest.approx(expected, rel=1e-14)
    assert x.astype("float16").sum(dtype="float64").item() == pytest.approx(
        values.astype(np.float16).sum(dtype=np.float64), rel=1e-14
    )


def test_parameters_of_kernels_are_rounded() -> None:
    wide = kp.elementwise("float32 x", "float64 y", "y = double(x)")
    same(wide(kp.array(D).astype("float32")).numpy(), D.astype("f4").astype("f8"), "elementwise")
    total = kp.reduction("float32 x", "float64 y", "double(x)", "a + b", "y = a", "0")
    expected = D[:1].astype(np.float32).astype(np.float64)
    same(total(kp.array(D[:1]).astype("float32")).numpy(), expected[0], "reduction")


def test_only_conversions_that_are_converted_again_cost_more() -> None:
    x = kp.array(D)
    assert "kp_float_of_double" not in (x.astype("float32") * 2).glsl()
    assert "kp_float_of_double" in (x.astype("float32") * 2).astype("float64").glsl()


#: Doubles that float16 rounds otherwise from the nearest float32.
ONCE = np.array(
    [
        65519.999,
        1 + 2**-11 + 2**-40,
        1 + 2**-11 - 2**-40,
        2**-25 + 2**-60,
        3 * 2**-25 - 2**-60,
        6e-8,
    ]
)


def assigned(key: Any) -> Any:
    def assign(xp: Any, number: float) -> Any:
        x = xp.zeros(3, dtype=np.float16)
        x[key(xp)] = number
        return x

    return assign


def filled(xp: Any, number: float) -> Any:
    x = xp.zeros(3, dtype=np.float16)
    x.fill(number)
    return x


HALF = np.dtype(np.float16)
#: How a number becomes a half.
INTO_HALVES = {
    "element": assigned(lambda xp: 0),
    "slice": assigned(lambda xp: slice(None)),
    "mask": assigned(lambda xp: xp.asarray([True, False, True])),
    "indices": assigned(lambda xp: [0, 1]),
    "fill": filled,
    "full": lambda xp, number: xp.full(2, number, dtype=HALF),
    "full_like": lambda xp, number: xp.full_like(xp.zeros(2, dtype=HALF), number),
    "add": lambda xp, number: xp.zeros(2, dtype=HALF) + number,
    "maximum": lambda xp, number: xp.maximum(xp.zeros(2, dtype=HALF), number),
    "clip": lambda xp, number: xp.clip(xp.full(2, 65504, dtype=HALF), number, None),
    "where": lambda xp, number: xp.where(xp.asarray([False]), xp.zeros(1, dtype=HALF), number),
    "sum": lambda xp, number: xp.asarray([number]).sum(dtype=HALF),
    "prod": lambda xp, number: xp.asarray([number]).prod(dtype=HALF),
    "mean": lambda xp, number: xp.asarray([number]).mean(dtype=HALF),
    "cumsum": lambda xp, number: xp.cumsum(xp.asarray([number]), dtype=HALF),
    "nansum": lambda xp, number: xp.nansum(xp.asarray([number]), dtype=HALF),
}


@pytest.mark.parametrize("door", INTO_HALVES)
def test_doubles_become_halves_in_one_rounding(door: str) -> None:
    for number in [*ONCE.tolist(), *(-ONCE).tolist()]:
        given = np.asarray(INTO_HALVES[door](kp, number))
        same(given, np.asarray(INTO_HALVES[door](np, number)), f"{number!r}")


def test_doubles_added_at_indices_become_halves_in_one_rounding() -> None:
    given, expected = kp.zeros(6, dtype=HALF), np.zeros(6, HALF)
    np.add.at(given, [0, 1, 2, 3, 4, 5], kp.array(ONCE))
    np.add.at(expected, [0, 1, 2, 3, 4, 5], ONCE)
    same(given.numpy(), expected, "add.at")


@kp.jit
def stores(x: Any, y: Any) -> None:
    i = kp.global_id()
    y[i] = x[i]


@kp.jit
def converts(x: Any, y: Any) -> None:
    i = kp.global_id()
    y[i] = kp.float16(x[i])


@kp.jit
def converts_back(x: Any, y: Any) -> None:
    i = kp.global_id()
    y[i] = kp.float64(kp.float16(x[i]))


@kp.jit
def stores_literals(y: Any) -> None:
    y[0] = 65519.999
    y[1] = kp.float16(1 + 2.0**-11 + 2.0**-40)


def test_doubles_become_halves_in_one_rounding_in_jit_functions() -> None:
    expected = ONCE.astype(HALF)
    for function, dtype in ((stores, "f2"), (converts, "f2"), (converts_back, "f8")):
        y = kp.zeros(6, dtype=dtype)
        function(kp.array(ONCE), y)
        same(y.numpy(), expected.astype(dtype), function.__name__)
    y = kp.zeros(2, dtype=HALF)
    stores_literals(y)
    same(y.numpy(), expected[:2], "literals")
