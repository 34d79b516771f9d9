# SPDX-License-Identifier: Apache-2.0
"""Elementwise functions against NumPy: all functions, all dtypes, all special values."""

from __future__ import annotations

import operator
import warnings
from typing import Any

import numpy as np
import pytest

import kp
from kp.arrays.elementwise import apply
from kp.arrays.functions import FUNCTIONS
from kp.arrays.types import NUMBERS

RANDOM = np.random.default_rng(7)
DTYPES = list(NUMBERS)
COUNT = 300

#: Units in the last place by which functions may differ from NumPy's; all others are exact.
ULPS = dict.fromkeys(
    "exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh "
    "cbrt erf erfc gamma lgamma i0 atan2 pow float_power hypot sqrt divide reciprocal deg2rad rad2deg".split(),
    4,
)
ULPS["logaddexp"] = ULPS["logaddexp2"] = 10_000  # their sums may cancel, in NumPy, too
# Python's gamma() is off by several units, and its lgamma() has few digits near its zeros.
ULPS["gamma"], ULPS["lgamma"] = 20, 10_000


def values(dtype: np.dtype[Any], count: int) -> np.ndarray[Any, Any]:
    """Return random numbers: small, large and special ones."""
    if dtype.kind == "b":
        return RANDOM.integers(0, 2, count).astype(np.bool_)
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        wide = RANDOM.integers(limits.min, limits.max, count, dtype, endpoint=True)
        small = RANDOM.integers(-5 if dtype.kind == "i" else 0, 9, count).astype(dtype)
        mixed = np.where(RANDOM.random(count) < 0.7, small, wide)
        mixed[:4] = [limits.min, limits.max, 0, 1]
        return mixed
    if dtype.kind == "f":
        real = RANDOM.normal(size=count) * 4
        real = np.where(RANDOM.random(count) < 0.3, np.round(real), real)
        special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 0.5, 2.5, -2.5]
        chosen = RANDOM.random(count) < 0.3
        real[chosen] = RANDOM.choice(special, chosen.sum())
        return real.astype(dtype)
    pairs = RANDOM.normal(size=(2, count)).round(2) * 3
    return (pairs[0] + 1j * pairs[1]).astype(dtype)


def distance(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> int:
    """Return the largest number of steps from floats to expected ones.

    NaNs and infinities must agree. A device may return 0 for a float32 below the normal numbers.
    """
    np.testing.assert_array_equal(np.isnan(a), np.isnan(b))
    differ = ~(np.isnan(a) | (a == b))
    if a.dtype == np.float32:
        differ &= ~((a == 0) & (np.abs(b) < np.finfo(np.float32).tiny))
    if not differ.any():
        return 0
    whole = f"i{a.itemsize}"
    steps = [each[differ].view(whole).astype(object) for each in (a, b)]
    lowest = -(1 << (8 * a.itemsize - 1))
    ordered = [np.where(each < 0, lowest - each, each) for each in steps]
    return int(np.abs(ordered[0] - ordered[1]).max())


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_are_numpys_for_every_dtype(name: str) -> None:
    """All dtypes are computed in one kernel, because compiling takes most of the time."""
    ufunc = FUNCTIONS[name].ufunc
    cases = []
    for dtype in DTYPES:
        given = [values(dtype, COUNT) for _ in range(ufunc.nargs - 1)]
        if name == "pow" and dtype.kind == "i":
            given[1] = np.abs(given[1] % 7)
        if "shift" in name and dtype.kind in "iu":
            given[1] = np.abs(given[1] % 70)
        with np.errstate(all="ignore"):
            try:
                expected = ufunc(*given)
            except TypeError:
                with pytest.raises(TypeError):
                    apply(name, *[kp.array(each) for each in given])
                continue
        cases.append((given, expected, apply(name, *[kp.array(each) for each in given])))
    for _, expected, result in cases:
        assert result.dtype == expected.dtype
    for given, expected, result in cases:
        label = f"{name} of {given[0].dtype}"
        found = result.numpy()
        if expected.dtype.kind == "c":
            # NumPy's own error of powers grows with the exponent.
            limit = 1e-5 if name == "pow" else 2e-6
            np.testing.assert_allclose(found, expected, rtol=limit, atol=2e-6, err_msg=label)
        elif expected.dtype.kind == "f":
            steps = distance(found, expected)
            limit = 2 if given[0].dtype.kind == "c" else ULPS.get(name, 0)
            assert steps <= limit, f"{label}: {steps} units in the last place"
            if name not in ("minimum", "maximum", "fmin", "fmax"):
                known = ~np.isnan(expected)
                signs = np.signbit(found[known]), np.signbit(expected[known])
                np.testing.assert_array_equal(*signs, err_msg=label)
        else:
            np.testing.assert_array_equal(found, expected, err_msg=label)


def test_floats_are_accurate_over_their_whole_range() -> None:
    count = 20000
    wide = np.exp(RANDOM.uniform(-40, 88, count)).astype(np.float32)
    signed = wide * RANDOM.choice([-1, 1], count).astype(np.float32)
    unit = RANDOM.uniform(-1, 1, count).astype(np.float32)
    moderate = RANDOM.uniform(-87, 88, count).astype(np.float32)
    near_one = (1 + RANDOM.normal(size=count) * 0.01).astype(np.float32)
    large = (RANDOM.normal(size=count) * 1000).astype(np.float32)
    x = {
        "wide": wide,
        "signed": signed,
        "unit": unit,
        "moderate": moderate,
        "near_one": near_one,
        "large": large,
    }
    arrays = {name: kp.array(each) for name, each in x.items()}
    cases = [
        ("sin", "signed"),
        ("cos", "signed"),
        ("tan", "signed"),
        ("exp", "moderate"),
        ("expm1", "unit"),
        ("log", "near_one"),
        ("log2", "near_one"),
        ("log10", "wide"),
        ("log1p", "unit"),
        ("asin", "unit"),
        ("acos", "unit"),
        ("atanh", "unit"),
        ("tanh", "unit"),
        ("sinh", "moderate"),
        ("pow", "near_one", "large"),
        ("atan2", "signed", "unit"),
    ]
    for name, *operands in cases:
        with np.errstate(all="ignore"):
            exact = FUNCTIONS[name].ufunc(*[x[each].astype(np.float64) for each in operands])
            expected = exact.astype(np.float32)
            # A device may return 0 for a result below the normal numbers.
            least = np.finfo(np.float32).tiny
            spacing = np.spacing(np.maximum(np.abs(expected), least)).astype(np.float64)
            found = apply(name, *[arrays[each] for each in operands]).numpy()
            error = np.abs(found.astype(np.float64) - exact) / spacing
            error[(found == 0) & (np.abs(expected) < least)] = 0
        assert np.nanmax(error[np.isfinite(expected)]) < 4, name


def test_doubles_are_rounded_over_their_whole_range() -> None:
    whole = RANDOM.integers(-(2**52), 2**52, 20000)
    halves = np.array(
        [0.5, 1.5, 2.5, 2**31 + 0.5, 2**52 - 0.5, 0.49999999999999994, 2.0**60, np.inf]
    )
    x = np.concatenate([whole / 2.0 ** RANDOM.integers(0, 40, 20000), halves, -halves, [0.0, -0.0]])
    for name in ("round", "trunc", "floor", "ceil"):
        found, expected = apply(name, kp.array(x)).numpy(), FUNCTIONS[name].ufunc(x)
        np.testing.assert_array_equal(found, expected, err_msg=name)
        np.testing.assert_array_equal(np.signbit(found), np.signbit(expected), err_msg=name)


def outcome(function: Any, *operands: Any) -> Any:
    try:
        with np.errstate(all="ignore"):
            return np.asarray(function(*operands)).dtype
    except (TypeError, OverflowError, ValueError) as error:
        return type(error).__name__ in ("OverflowError", "ValueError")


def test_promotion_is_numpys_for_all_pairs() -> None:
    ones = {dtype: np.ones(1, dtype) for dtype in DTYPES}
    arrays = {dtype: kp.array(each) for dtype, each in ones.items()}
    others = [*ones, True, 3, 2.5, 1 + 2j, 300, -1]
    operators = (operator.add, operator.truediv, operator.and_, operator.pow, operator.lt)
    for dtype, array in arrays.items():
        for other in others:
            pair = arrays[other] if isinstance(other, np.dtype) else other
            given = ones[other] if isinstance(other, np.dtype) else other
            for function in operators:
                if function is operator.lt and "c" in (dtype.kind, getattr(other, "kind", "")):
                    continue  # compared on the host
                if isinstance(other, complex) and function is operator.lt:
                    continue
                expected = outcome(function, ones[dtype], given)
                try:
                    found: Any = function(array, pair).dtype
                except (TypeError, OverflowError, ValueError) as error:
                    found = type(error).__name__ in ("OverflowError", "ValueError")
                assert found == expected, f"{function.__name__} of {dtype} and {other!r}"


def test_comparisons_hold_for_numbers_that_the_dtype_cannot_hold() -> None:
    small = kp.array([0, 255], dtype=np.uint8)
    assert (small < 300).tolist() == [True, True]
    assert (small == -1).tolist() == [False, False]
    assert (-1 < small).tolist() == [True, True]
    signed = np.array([-1, 0, 2**62, -(2**63)])
    unsigned = np.array([2**64 - 1, 0, 2**62, 2**63], np.uint64)
    for name in ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"):
        function = getattr(kp, name)
        for a, b in ((signed, unsigned), (unsigned, signed)):
            expected = getattr(np, name)(a, b)
            assert function(kp.array(a), kp.array(b)).tolist() == expected.tolist(), name


def test_scalars_adapt_as_in_numpy() -> None:
    x = kp.array([1, 2], dtype=np.uint8)
    assert (x + 1).dtype == np.uint8
    with pytest.raises(OverflowError):
        x + 256
    assert (x + np.int16(1)).dtype == np.int16
    assert (kp.array([1], dtype=np.float16) * 2.5).dtype == np.float16
    with pytest.raises(ValueError, match="negative integer powers"):
        kp.array([2, 3]) ** -1
    with pytest.raises(ValueError, match="negative integer powers"):
        kp.array([2, 3]) ** kp.array([1, -1])


def test_where_clip_round_and_parts() -> None:
    a = values(np.dtype(np.float32), 100)
    x = kp.array(a)
    np.testing.assert_array_equal(kp.where(x > 0, x, 0), np.where(a > 0, a, np.float32(0)))
    np.testing.assert_array_equal(kp.clip(x, -1, 1.5), np.clip(a, -1, 1.5))
    np.testing.assert_array_equal(kp.clip(kp.array([1, 200], dtype=np.uint8), -5, 300), [1, 200])
    np.testing.assert_array_equal(kp.round(x), np.round(a))
    np.testing.assert_allclose(kp.round(x, 2), np.round(a, 2), rtol=1e-6)
    z = values(np.dtype(np.complex64), 100)
    y = kp.array(z)
    np.testing.assert_array_equal(y.real.numpy(), z.real)
    np.testing.assert_array_equal(kp.imag(y).numpy(), z.imag)
    np.testing.assert_array_equal(kp.imag(x[:3]).numpy(), np.zeros(3, np.float32))
    np.testing.assert_array_equal(kp.conj(y).numpy(), z.conj())


def test_conversions_are_numpys_for_all_pairs() -> None:
    given = np.array([0, 1, 2, 100, 127])
    for source in DTYPES:
        x = kp.array(given.astype(source))
        for target in DTYPES:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")  # complex numbers lose their imaginary parts
                found = x.astype(target).numpy()
                expected = given.astype(source).astype(target)
            np.testing.assert_array_equal(found, expected, err_msg=f"{source} to {target}")


def test_flat_views_of_shared_tensors_are_one_row(mgr: kp.Manager) -> None:
    tensor = mgr.tensor_t(np.array([[3, 1, 2], [9, 7, 8]], np.int32))
    flat = kp.asarray(tensor).reshape(-1)
    assert kp.sort(flat).tolist() == [1, 2, 3, 7, 8, 9]
    assert kp.cumsum(flat).tolist() == [3, 4, 6, 15, 22, 30]
    values, indices = kp.top_k(flat, 2)
    assert (values.tolist(), indices.tolist()) == ([9, 8], [3, 5])
    assert kp.histogram(flat, 2)[0].tolist() == [3, 3]
    assert kp.unique(flat, return_inverse=True)[1].tolist() == [2, 0, 1, 5, 3, 4]


def test_complex_quotients_keep_nan(mgr: kp.Manager) -> None:
    values = np.array([1 + 1j, 2j, 3])
    quotients = kp.array(values, device=mgr) / kp.array([np.nan] * 3, device=mgr)
    assert np.isnan(quotients.numpy()).all()


def test_signs_of_complex_zeros_are_numpys() -> None:
    zeros = np.array([complex(a, b) for a in (0.0, -0.0) for b in (0.0, -0.0)])
    found, expected = kp.sign(kp.array(zeros)).numpy(), np.sign(zeros)
    np.testing.assert_array_equal(found.view(np.uint64), expected.view(np.uint64))


def test_integers_are_rounded_to_tens(mgr: kp.Manager) -> None:
    values = np.array([15, 25, -15, 4])
    assert kp.round(kp.array(values, device=mgr), -1).tolist() == np.round(values, -1).tolist()


def test_flags_are_searched_and_multiplied(mgr: kp.Manager) -> None:
    flags = kp.array([False, True], device=mgr)
    assert kp.isin(flags, kp.array([True], device=mgr)).tolist() == [False, True]
    assert kp.searchsorted(flags, kp.array([True], device=mgr)).tolist() == [1]
    assert bool(kp.vecdot(flags, flags))
    assert kp.compress(flags, kp.array([3, 4], device=mgr)).tolist() == [4]


@pytest.mark.parametrize("among", [0, 1, 32, 33, 3000])
@pytest.mark.parametrize("dtype", ["float32", "int32", "uint8", "float64"])
def test_isin_compares_with_few_elements_and_searches_many(
    among: int, dtype: str, mgr: kp.Manager
) -> None:
    rng = np.random.default_rng(among)
    x = rng.integers(0, 200, (30, 40)).astype(dtype)
    y = rng.integers(0, 200, among).astype(dtype)
    if dtype == "float32" and among:
        x[0, :4] = [np.nan, 0.0, -0.0, np.inf]
        y[0] = -0.0
        y[-1] = np.nan if among > 1 else -0.0
    ours, others = kp.array(x, device=mgr), kp.array(y, device=mgr)
    for invert in (False, True):
        assert np.array_equal(
            kp.isin(ours, others, invert=invert).numpy(), np.isin(x, y, invert=invert)
        )
    assert np.array_equal(kp.isin(ours[2, 3], others).numpy(), np.isin(x[2, 3], y))
    assert np.array_equal(kp.intersect1d(ours[1:], others).numpy(), np.intersect1d(x[1:], y))


def test_bins_of_integers_may_have_any_edges(mgr: kp.Manager) -> None:
    for values, edges in (([1, 2, 3], [0.5, 1.5, 3]), ([True, False], [0, 0.5, 3, 9])):
        counts, found = kp.histogram(kp.array(values, device=mgr), edges)
        assert counts.tolist() == np.histogram(np.uint8(values), edges)[0].tolist()
        assert found.tolist() == edges
    weights = kp.array([1, 2], device=mgr)
    assert kp.bincount(kp.array([1, 1], device=mgr), weights=weights).tolist() == [0.0, 3.0]
    with pytest.raises(TypeError, match="'bool' with numbers of 'float64'"):
        kp.histogram(mgr.tensor_t(np.array([True, False])), [0.5, 1.5])


def test_results_have_the_shape_of_out(mgr: kp.Manager) -> None:
    x = kp.array([1.0, 2, 3], device=mgr)
    with pytest.raises(
        ValueError, match=r"result has the shape \(\), .*\(out\) of the shape \(10,\)"
    ):
        kp.sum(x, out=kp.zeros(10, dtype=x.dtype, device=mgr))
    with pytest.raises(ValueError, match="does not fit an array"):
        x @= x
    assert x.tolist() == [1, 2, 3]
    table = kp.zeros((2, 3), dtype=x.dtype, device=mgr)
    assert kp.add(x, 1, out=table) is table  # functions of elements repeat them, as NumPy's
    assert table.tolist() == [[2, 3, 4], [2, 3, 4]]


def test_reductions_of_selections_without_elements(mgr: kp.Manager) -> None:
    x = kp.arange(3, device=mgr)
    for nothing in (x[x > 9], x[kp.flatnonzero(x > 9)], kp.unique(x[x > 9])):
        assert nothing.sum().item() == 0
        assert nothing.any().item() is False
        assert kp.count_nonzero(nothing).item() == 0
        assert kp.cumsum(nothing + 1).shape == (0,)


def test_extremes_accumulate(mgr: kp.Manager) -> None:
    data = np.array([[3.0, 1, 4], [1, np.nan, 9], [2, 6, 5]], np.float32)
    x = kp.array(data, device=mgr)
    for ufunc in (np.maximum, np.minimum):
        for axis in (0, 1):
            found = ufunc.accumulate(x, axis=axis)
            np.testing.assert_array_equal(found.numpy(), ufunc.accumulate(data, axis))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "uint32", "int64", "uint64"])
def test_shifts_by_more_bits_than_there_are(mgr: kp.Manager, dtype: str) -> None:
    largest = np.iinfo(dtype).max
    counts = np.array([0, 1, 7, 8, 31, 32, 63, 64, 2**32, 2**32 + 1], np.uint64)
    counts = np.minimum(counts, largest).astype(dtype)
    values = np.full(counts.size, 5, dtype)
    for shift in (np.left_shift, np.right_shift):
        found = shift(kp.array(values, device=mgr), kp.array(counts, device=mgr))
        np.testing.assert_array_equal(found.numpy(), shift(values, counts))


def test_ranges_between_arrays_have_their_type(mgr: kp.Manager) -> None:
    ends = np.array([0.0, 1])
    assert kp.linspace(ends, ends + 1, 3, device=mgr).dtype == np.float64
    assert kp.logspace(kp.array(ends, device=mgr), 2, 3, device=mgr).dtype == np.float64
    assert kp.linspace(0, 1, 3, device=mgr).dtype == np.float64
    singles = ends.astype(np.float32)
    assert kp.linspace(singles, 1, 3, device=mgr).dtype == np.linspace(singles, 1, 3).dtype
    half = kp.array(np.float16([0, 0.5]), device=mgr)
    np.testing.assert_array_equal(kp.sinc(half).numpy(), np.sinc(np.float16([0, 0.5])))
