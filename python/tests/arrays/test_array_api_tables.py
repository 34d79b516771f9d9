# SPDX-License-Identifier: Apache-2.0
"""The standard's tables: names, parameters and defaults of all functions, and dtypes of results."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import kp

strict: Any = pytest.importorskip("array_api_strict")

DTYPES = (
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128"
).split()

#: Defaults that differ.
OTHER_DEFAULTS = {
    ("fftfreq", "dtype"),  # float32, as of other functions without data
    ("rfftfreq", "dtype"),
}


def functions() -> Iterator[tuple[str, Any, Any]]:
    for ours, theirs in ((kp, strict), (kp.linalg, strict.linalg), (kp.fft, strict.fft)):
        for name in theirs.__all__:
            function = getattr(theirs, name)
            if inspect.isfunction(function) and "flags" not in name and name != "__getattr__":
                yield f"{theirs.__name__}.{name}", getattr(ours, name), function


CASES = {name: (ours, theirs) for name, ours, theirs in functions()}


@pytest.mark.parametrize("name", CASES)
def test_parameters_have_the_names_and_defaults_of_the_standard(name: str) -> None:
    ours, theirs = (inspect.signature(each).parameters for each in CASES[name])
    missing = inspect.Parameter.empty
    for parameter in theirs.values():
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.VAR_POSITIONAL):
            continue
        assert parameter.name in ours, f"{name} has no {parameter.name}"
        default = parameter.default
        given = ours[parameter.name].default
        if (given, default) == (None, "backward") or type(default).__name__ == "Undef":
            continue  # what None stands for
        if (
            type(given).__name__ == "_NoValueType"
            or default is missing
            or (name.rpartition(".")[2], parameter.name) in OTHER_DEFAULTS
        ):
            continue
        assert given is not missing, f"{name} needs {parameter.name}"
        assert given == default, f"{name} has {parameter.name}={given!r}, not {default!r}"
    count = sum(p.kind is p.POSITIONAL_ONLY for p in theirs.values())
    by_place = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    assert sum(p.kind in by_place for p in ours.values()) >= count


def test_the_extensions_are_all_here() -> None:
    assert sum(name.startswith("array_api_strict._linalg") for name in CASES) > 20
    assert sum(name.startswith("array_api_strict._fft") for name in CASES) == 14
    for name in ("e", "inf", "nan", "newaxis", "pi", *DTYPES):
        assert hasattr(kp, name)


def strict_name(function: Any) -> str | None:
    """Return the dtype of a result, or None if the standard does not have it."""
    try:
        with np.errstate(all="ignore"):
            found = function()
    except TypeError:
        return None
    return str(getattr(found, "dtype", found)).rpartition(".")[2]


def test_promotion_is_that_of_the_standard() -> None:
    ones = {name: kp.ones(1, dtype=name) for name in DTYPES}
    compared = 0
    for a, b in itertools.product(DTYPES, DTYPES):
        expected = strict_name(lambda: strict.result_type(getattr(strict, a), getattr(strict, b)))
        if expected is None:
            continue  # the standard leaves it open, and ours is NumPy's
        compared += 1
        assert str(kp.result_type(a, b)) == expected, (a, b)
        if expected != "bool":
            assert str(kp.add(ones[a], ones[b]).dtype) == expected, (a, b)
            assert str((ones[a] * ones[b]).dtype) == expected, (a, b)
        assert kp.equal(ones[a], ones[b]).dtype == np.bool_
        assert str(kp.concat([ones[a], ones[b]]).dtype) == expected, (a, b)
    assert compared > 70


#: Functions of one array.
UNARY = (
    "abs acos acosh asin asinh atan atanh bitwise_invert ceil conj cos cosh exp expm1 floor imag isfinite "
    "isinf isnan log log10 log1p log2 logical_not negative positive real reciprocal round sign signbit sin "
    "sinh sqrt square tan tanh trunc sum prod mean std var min max argmin argmax any all count_nonzero "
    "cumulative_sum cumulative_prod sort argsort unique_values nonzero flip triu"
).split()


@pytest.mark.parametrize("name", UNARY)
def test_results_have_the_dtypes_of_the_standard(name: str) -> None:
    for dtype in DTYPES:
        shape = (1, 1) if name == "triu" else (1,)
        expected = strict_name(
            lambda: _first(getattr(strict, name)(strict.ones(shape, dtype=getattr(strict, dtype))))
        )
        if expected is None or expected == "None":
            continue
        found = _first(getattr(kp, name)(kp.ones(shape, dtype=dtype)))
        assert str(found.dtype) == expected, f"{name} of {dtype}"


def _first(result: Any) -> Any:
    return result[0] if isinstance(result, tuple) else result
