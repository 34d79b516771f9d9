# SPDX-License-Identifier: Apache-2.0
"""Reductions, scans, sorts, sets and products of arrays, against NumPy."""

from __future__ import annotations

import functools
import itertools
import re
from typing import Any

import numpy as np
import pytest

import kp

RANDOM = np.random.default_rng(9)


def numbers(shape: Any, dtype: Any) -> np.ndarray[Any, Any]:
    wanted = np.dtype(dtype)
    if wanted.kind == "b":
        return RANDOM.integers(0, 2, shape).astype(np.bool_)
    if wanted.kind in "iu":
        return RANDOM.integers(0, 100, shape).astype(wanted)
    if wanted.kind == "c":
        return (RANDOM.normal(size=shape) + 1j * RANDOM.normal(size=shape)).astype(wanted)
    return RANDOM.uniform(-1, 1, shape).astype(wanted)


def check(found: kp.Array, expected: Any, rtol: float = 0, atol: float = 0) -> None:
    wanted = np.asarray(expected)
    assert found.shape == wanted.shape
    assert found.dtype == wanted.dtype
    if rtol and wanted.dtype.kind in "fc":
        np.testing.assert_allclose(found.numpy(), wanted, rtol=rtol, atol=atol or rtol)
    else:
        np.testing.assert_array_equal(found.numpy(), wanted)


@pytest.mark.parametrize("name", ["sum", "prod", "min", "max", "mean", "any", "all", "var", "std"])
def test_reductions_along_any_axes_agree_with_numpy(name: str) -> None:
    """Few combinations per function, because compiling kernels takes most of the time."""
    ours, theirs = getattr(kp, name), getattr(np, name)
    a = numbers((5, 6, 70), np.float32)
    x = kp.array(a)
    for axes in (None, 0, (0, 2)):
        check(ours(x, axis=axes), theirs(a, axis=axes), 3e-5)
    check(ours(x.T[::2], axis=0, keepdims=True), theirs(a.T[::2], axis=0, keepdims=True), 3e-5)
    if name in ("sum", "min", "mean"):
        b = numbers((5, 6, 70), np.int16)
        y = kp.array(b)
        check(
            ours(kp.where(y > 50, y, 1), axis=2),
            theirs(np.where(b > 50, b, np.int16(1)), axis=2),
            3e-5,
        )
        check(ours(y.astype(np.uint8), axis=-1), theirs(b.astype(np.uint8), axis=-1), 3e-5)


def test_reductions_of_other_types_and_many_elements_agree_with_numpy() -> None:
    for dtype in (np.float16, np.int64, np.complex64):
        a = numbers((3, 40), dtype)
        x = kp.array(a)
        tolerance = 2e-3 if dtype == np.float16 else 1e-5
        check(x.sum(), a.sum(), tolerance, 2e-2 if dtype == np.float16 else 0)
        check(kp.count_nonzero(x, axis=1), np.count_nonzero(a, axis=1))
    check(kp.array(numbers(9, np.complex64)).prod().real.reshape(1) * 0, np.zeros(1, np.float32))
    for count in (9000, 200_000):
        a = numbers(count, np.float32)
        x = kp.array(a)
        check(x.sum(), np.float32(a.astype(np.float64).sum()), 1e-4, 1e-2)
        check((x * x).mean(), (a * a).mean(), 1e-5)
        check(x.max(), a.max())
        check((x + 1).min(), (a + 1).min())
    with_nan = np.array([[1, np.nan, 2], [3, 4, 5]], np.float32)
    check(kp.max(kp.array(with_nan), axis=1), with_nan.max(1))
    check(kp.array([1, 2, 4]).std(correction=1), np.std([1, 2, 4], ddof=1), 1e-12)
    out = kp.zeros(3)
    assert kp.sum(kp.ones((2, 3)), axis=0, out=out) is out
    assert out.tolist() == [2, 2, 2]


def test_extremes_have_indices() -> None:
    a = numbers((4, 5, 6), np.float32)
    x = kp.array(a)
    for axis in (None, 1):
        check(kp.argmin(x, axis=axis), np.argmin(a, axis=axis))
        check((x * -1).argmax(axis=axis, keepdims=True), np.argmax(-a, axis=axis, keepdims=True))


def test_scans_sorts_and_searches_agree_with_numpy() -> None:
    """One dtype: the tests of primitives have the others."""
    a = numbers((4, 5, 6), np.float32)
    x = kp.array(a)
    for axis in (1, -1):
        check(kp.cumulative_sum(x, axis=axis), np.cumsum(a, axis=axis), 1e-5)
        check(kp.sort(x, axis=axis), np.sort(a, axis=axis))
        check(kp.argsort(x, axis=axis), np.argsort(a, axis=axis, kind="stable"))
    check(kp.sort(x, axis=0, descending=True), np.sort(a, axis=0)[::-1])
    check(kp.cumsum(x), np.cumsum(a), 1e-5)
    check(kp.cumprod(x[0, 0]), np.cumprod(a[0, 0]), 1e-5)
    first = kp.cumulative_sum(kp.array([1, 2]), include_initial=True)
    assert first.tolist() == [0, 1, 3]
    edges = np.sort(numbers(50, np.float32))
    wanted = np.concatenate([numbers(30, np.float32), edges[:5], [np.nan, np.inf]])
    for side in ("left", "right"):
        found = kp.searchsorted(kp.array(edges), kp.array(wanted), side=side)
        check(found, np.searchsorted(edges, wanted, side=side))
    y = kp.array([3, 0, 5])
    y.sort()
    assert y.tolist() == [0, 3, 5]
    with pytest.raises(TypeError, match="no order"):
        kp.sort(kp.array([1j]))


def test_nonzero_and_sets_agree_with_numpy() -> None:
    a = RANDOM.integers(0, 4, (7, 9, 5)).astype(np.int32)
    x = kp.array(a)
    for ours, theirs in zip(kp.nonzero(x), np.nonzero(a), strict=True):
        check(ours, theirs)
    check(kp.argwhere(x > 2), np.argwhere(a > 2))
    b = RANDOM.integers(-3, 3, (4, 10)).astype(np.float32)
    y = kp.array(b)
    values, index, inverse, counts = np.unique(
        b, return_index=True, return_inverse=True, return_counts=True
    )
    result = kp.unique_all(y)
    check(result.values, values)
    check(result.indices, index)
    check(result.inverse_indices, inverse.reshape(b.shape))
    check(result.counts, counts)
    check(kp.unique_values(y), values)
    check(kp.unique_counts(y).counts, counts)
    check(kp.unique_inverse(y).inverse_indices, inverse.reshape(b.shape))
    assert kp.unique_values(kp.zeros(0)).shape == (0,)


def test_products_of_matrices_agree_with_numpy() -> None:
    shapes = [((3, 4), (4, 5)), ((4,), (4, 5)), ((3, 4), (4,)), ((2, 1, 3, 4), (6, 4, 5))]
    for first, second in shapes:
        a, b = numbers(first, np.float32), numbers(second, np.float32)
        check(kp.matmul(kp.array(a), kp.array(b)), a @ b, 1e-5)
    for dtype in (np.float32, np.complex64, np.bool_):
        a, b = numbers((5, 6), dtype), numbers((7, 6), dtype)
        check(kp.array(a) @ kp.array(b).T, a @ b.T, 1e-5)
    a, b = numbers((5, 6), np.float32), numbers((7, 6), np.float32)
    x, y = kp.array(a), kp.array(b)
    check(x[::2, ::-1] @ y.T[::-1, 1:], a[::2, ::-1] @ b.T[::-1, 1:], 1e-5)
    p, q = numbers((2, 3, 4), np.float32), numbers((4, 3, 5), np.float32)
    check(
        kp.tensordot(kp.array(p), kp.array(q), axes=([1, 2], [1, 0])),
        np.tensordot(p, q, ([1, 2], [1, 0])),
        1e-5,
    )
    check(kp.vecdot(kp.array(p), kp.array(p[0])), np.sum(p * p[0], -1), 1e-5)
    check(kp.linalg.outer(kp.arange(3), kp.arange(4)), np.outer(np.arange(3), np.arange(4)))
    check(kp.linalg.vector_norm(kp.array(p), axis=(0, 2)), np.sqrt((p * p).sum((0, 2))), 1e-5)
    check(
        kp.linalg.trace(kp.arange(12).reshape(3, 4), offset=1),
        np.trace(np.arange(12).reshape(3, 4), 1),
    )
    check(
        kp.linalg.diagonal(kp.arange(12).reshape(3, 4), offset=-1),
        np.arange(12).reshape(3, 4).diagonal(-1),
    )
    check(
        kp.linalg.cross(kp.array(q[:, :, 0]), kp.array(q[:, :, 1])),
        np.cross(q[:, :, 0], q[:, :, 1]),
        1e-5,
    )
    with pytest.raises(ValueError, match="inner extents differ, "):
        kp.ones((2, 3)) @ kp.ones((2, 3))


def test_elementwise_kernels_broadcast_and_write_in_place() -> None:
    a, b = numbers((3, 4), np.float32), numbers(4, np.float32)
    x, y = kp.array(a), kp.array(b)
    fused = kp.elementwise("T x, T y, T a", "T z, bool big", "z = a * x + y; big = z > T(0.5)")
    z, big = fused(x, y, 2.0)
    check(z, a * 2 + b)
    check(big, a * 2 + b > 0.5)
    check(fused(x.T, 0, 1)[0], a.T.copy())
    check(fused(a, b, 3)[0], a * 3 + b, 1e-6)  # may be one multiply-add
    target = kp.zeros((4, 6), np.float32)
    scale = kp.elementwise("T x, float32 by", "T y", "y = x * T(by)")
    assert scale(x.T, 2, target[:, ::2]) is not target
    check(target[:, ::2], a.T * 2)
    pending = x + 1
    scale(x, 0.5, x)
    check(pending, a + 1)
    check(x, a * np.float32(0.5))
    whole = scale(kp.array([1, 2, 300], dtype=np.int32), 2)
    assert whole.dtype == np.int32
    halves = kp.elementwise("T x", "T y", "y = x * x")(kp.array([3.14159], dtype=np.float16))
    check(halves, np.array([3.14159], np.float16) ** 2)
    gather = kp.elementwise("raw T x, int32 step", "T y", "y = x((i * uint(step)) % n)", "gather")
    check(gather(kp.arange(5), 2, size=5), np.array([0, 2, 4, 1, 3]))
    assert "gather" in repr(gather)
    assert "uint n = p[0]" in gather.glsl
    twice = kp.elementwise(
        "T x", "T y", "y = twice(x)", preamble="float twice(float x) { return x + x; }"
    )
    check(twice(kp.ones(2, np.float32)), np.full(2, 2, np.float32))
    accurate = kp.elementwise("T x", "T y", "y = kp_sin(x)")
    check(accurate(x), kp.sin(x).numpy())
    tensor = kp.default_manager().tensor([1, 2, 3])
    check(scale(tensor, 2), np.array([2, 4, 6], np.float32))


def test_an_expression_may_be_a_raw_input_and_another_one() -> None:
    kernel = kp.elementwise("T x, raw T a", "T y", "y = x + a(n - 1u - i)")
    x = kp.ones(3) * 2 + kp.arange(3)
    check(kernel(x, x), np.full(3, 6.0))


def test_kernels_of_one_text_keep_their_own_glsl() -> None:
    first, second = (kp.elementwise("T x", "T y", "y = x") for _ in range(2))
    first(kp.ones(2, np.float32))
    assert first.glsl and not second.glsl


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("name", ["nanargmin", "nanargmax"])
def test_indices_of_extremes_skip_nans(name: str, dtype: Any) -> None:
    a = numbers((7, 5, 300), np.float32).astype(dtype)
    a[::2, ::2, ::3] = np.nan
    a[1, 2, 5] = np.inf if name == "nanargmax" else -np.inf
    function, expected = getattr(kp, name), getattr(np, name)
    for axis in (None, 0, 1, -1):
        check(function(kp.array(a), axis=axis), expected(a, axis=axis))
        check(
            function(kp.array(a), axis=axis, keepdims=True), expected(a, axis=axis, keepdims=True)
        )
    worst = dtype(-np.inf if name == "nanargmax" else np.inf)
    assert function(kp.array([np.nan, worst, worst], dtype=dtype)).item() == 1
    for wrong in (np.full(70000, np.nan, dtype), np.array([[1, 2], [np.nan] * 2], dtype)):
        with pytest.raises(ValueError, match="nothing but NaN"):
            function(kp.array(wrong), axis=-1)
    with pytest.raises(ValueError, match=f"kp.{name}"):
        function(kp.zeros((0, 3), dtype), axis=0)


def test_reduction_kernels_fuse_their_map() -> None:
    a, b = numbers((30, 41), np.float32), numbers(41, np.float32)
    norm = kp.reduction("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0")
    check(norm(kp.array(a)), np.sqrt((a * a).sum()), 1e-5)
    check(norm(kp.array(a), axis=0), np.sqrt((a * a).sum(0)), 1e-5)
    distance = kp.reduction("T x, T y", "float32 d", "abs(x - y)", "max(a, b)", "d = a", 0)
    check(
        distance(kp.array(a), kp.array(b), axis=1, keepdims=True),
        np.abs(a - b).max(1, keepdims=True),
    )
    assert "reduction" in repr(norm)


def test_mistakes_in_kernels_name_what_is_wrong() -> None:
    cases: list[tuple[Any, Any, str]] = [
        (lambda: kp.elementwise("T", "T y", "y = 1"), ValueError, "a type and a name"),
        (lambda: kp.elementwise("Q3 x", "T y", "y = 1"), ValueError, "has the type 'Q3'"),
        (lambda: kp.elementwise("T x", "", "x"), ValueError, "at least one result"),
        (lambda: kp.elementwise("T x", "T x", "x"), ValueError, "an input and a result"),
        (lambda: kp.elementwise("T i", "T y", "y = i"), ValueError, "kernels use themselves"),
        (lambda: kp.reduction("T x", "T y", "x", "a + b", "sqrt(a)", 0), ValueError, "y = a"),
    ]
    for make, error, text in cases:
        with pytest.raises(error, match=text):
            make()
    kernel = kp.elementwise("T x, T y", "T z", "z = x + y")
    with pytest.raises(TypeError, match="takes 2 inputs"):
        kernel(kp.ones(2))
    with pytest.raises(
        TypeError, match="the type T stands for several dtypes: x is float64, y is int64"
    ):
        kernel(kp.ones(2), kp.arange(2))
    with pytest.raises(ValueError, match="shape"):
        kernel(kp.ones(2), kp.ones(3))
    with pytest.raises(kp.ShaderError, match="undeclared"):
        kp.elementwise("T x", "T y", "y = nothing")(kp.ones(2))
    with pytest.raises(ValueError, match="give size"):
        kp.elementwise("raw T x", "T y", "y = x(i)")(kp.ones(2))


def test_kernels_refuse_complex_numbers() -> None:
    x = kp.array([1 + 1j])
    square = kp.elementwise("T x, T y", "T z", "z = x * y")
    for call, name in (
        (lambda: square(x, x), "complex128"),
        (lambda: kp.elementwise("T x", "T y", "y = abs(x)")(x.astype(np.complex64)), "complex64"),
        (lambda: kp.elementwise("raw T x", "T y", "y = x(i)")(x, size=1), "complex128"),
        (lambda: kp.elementwise("T x", "complex64 y", "y = x"), "complex64"),
        (lambda: kp.elementwise("float32 x", "T y", "y = T(x)")(kp.ones(1), x), "complex128"),
        (lambda: kp.reduction("T x", "T y", "x * x", "a + b", "y = a", 0)(x), "complex128"),
        (lambda: square(1j, 2j), "complex128"),
    ):
        with pytest.raises(TypeError, match=rf"is {name}, .* expression of arrays, .* @kp.jit"):
            call()
    assert (x * x).tolist() == [2j]


@pytest.mark.parametrize(
    ("outputs", "operation", "missing"),
    [
        ("T y", "x*2", "y"),
        ("T y", "y == x", "y"),
        ("T y", "y <= x; x >= y", "y"),
        ("T y", "y += x", "y"),
        ("T y", "T yy = x; /* y = x */ // y = x", "y"),
        ("T y, T z", "y = x", "z"),
        ("T y, T z", "y = x; y = z", "z"),
    ],
)
def test_kernels_that_set_no_result_are_refused(outputs: str, operation: str, missing: str) -> None:
    with pytest.raises(ValueError, match=f"operation sets the result, as '{missing} = ...', not '"):
        kp.elementwise("T x", outputs, operation)
    with pytest.raises(ValueError, match="sets the result"):
        kp.reduction("T x", "T y", "x", "a + b", "y == a", 0)


@pytest.mark.parametrize(
    ("operation", "preamble"),
    [
        ("if (x > 1) y = x * 2; else y = x + x", ""),
        ("y = 0; for (int k = 0; k < 2; ++k) y += x", ""),
        ("for (y = 0; y < 2 * x; ++y);", ""),
        ("y\n= x * 2", ""),
        ("twice(x, y)", "void twice(float x, out float y) { y = 2 * x; }"),
        ("SET", "#define SET \\\n  y = 2 * x"),
        ("T z = y = x + x", ""),
    ],
)
def test_kernels_may_set_their_result_in_any_statement(operation: str, preamble: str) -> None:
    kernel = kp.elementwise("T x", "T y", operation, preamble=preamble)
    assert kernel(kp.array([0, 1, 2], dtype=np.float32)).tolist() == [0, 2, 4]


def test_kernels_refuse_arguments_that_a_named_type_cannot_take() -> None:
    def copy(dtype: str) -> kp.ElementwiseKernel:
        return kp.elementwise(f"{dtype} x", f"{dtype} z", "z = x")

    whole = kp.elementwise("raw int32 x", "int32 z", "z = x(i)")
    total = kp.reduction("int32 x", "int32 y", "x", "a + b", "y = a", 0)
    for kernel, value, given in (
        (copy("float32"), np.array([1 + 2j]), "complex128"),
        (copy("int32"), np.array([3.7]), "float64"),
        (copy("int32"), kp.array([3.7], dtype=np.float32), "float32"),
        (copy("uint8"), np.array([-1]), "int64"),
        (copy("int32"), np.float32(3.5), "float32"),
        (functools.partial(whole, size=1), kp.ones(1), "float64"),
        (total, kp.array([3.7], dtype=np.float32), "float32"),
    ):
        with pytest.raises(TypeError, match=rf"x is \w+, but {given} was given; .* astype\('"):
            kernel(value)
    x = kp.zeros(2)
    for dtype, value in (
        ("float32", 1e300),
        ("float32", 10**400),
        ("float16", 1e5),
        ("float32", 2j),
        ("int32", 3.7),
        ("int32", float("nan")),
        ("int32", 2**40 + 5),
        ("uint8", -1),
        ("uint8", [1, -1]),
        ("int32", [1, 2.5]),
        ("bool", 2),
    ):
        kernel = kp.elementwise(f"float32 a, {dtype} x", "float32 z", "z = a + float(x)")
        with pytest.raises(OverflowError, match=rf"x is {dtype}, which cannot hold"):
            kernel(x, value)
        with pytest.raises(OverflowError, match="x is"):
            copy(dtype)(value)


def test_kernels_refuse_numbers_that_do_not_fit_when_a_call_is_repeated() -> None:
    x = kp.zeros(2)
    for dtype, good, bad in (("int32", 3.0, 3.7), ("float32", 2.0, 1e300), ("uint8", 7, -1)):
        add = kp.elementwise(f"float32 a, {dtype} x", "float32 z", "z = a + float(x)")
        for _ in range(2):
            assert add(x, good).tolist() == [good, good]
        with pytest.raises(
            OverflowError, match=f"x is {dtype}, which cannot hold {re.escape(repr(bad))}"
        ):
            add(x, bad)
        assert add(x, good).tolist() == [good, good]


def test_kernels_convert_what_a_named_type_can_take() -> None:
    single = kp.elementwise("float32 x", "float32 z", "z = x")
    for value in (kp.arange(3), [0, 1, 2], np.arange(3.0), (0.0, 1, 2)):
        assert single(value).tolist() == [0, 1, 2]
    assert single(float("inf")).item() == np.inf
    assert single(True).item() == 1
    byte = kp.elementwise("uint8 x", "uint8 z", "z = x")
    assert byte([1, 255]).tolist() == [1, 255]
    assert byte(kp.array([1, 2], dtype=np.uint16)).tolist() == [1, 2]
    assert kp.elementwise("int32 x", "int32 z", "z = x")([True, 4.0]).tolist() == [1, 4]
    assert kp.elementwise("float32 x", "float32 z", "z = x")(2**70).item() == 2.0**70


def test_all_pairs_of_axes_can_be_reduced() -> None:
    a = numbers((2, 3, 4, 5), np.int32)
    x = kp.array(a)
    for axes in itertools.combinations(range(4), 2):
        check(kp.sum(x, axis=axes), a.sum(axes))


def test_random_arrays_continue_their_sequence() -> None:
    rng = kp.random.default_rng(5)
    first, second = rng.random(3), rng.random((2, 2))
    whole = kp.random.default_rng(5).random(7)
    assert [*first.tolist(), *second.reshape(4).tolist()] == whole.tolist()
    assert kp.random.default_rng(5, stream=1).random().item() != whole[0].item()
    assert kp.random.default_rng().random(2).tolist() != kp.random.default_rng().random(2).tolist()
    dice = rng.integers(1, 6, size=1000, endpoint=True)
    assert (int(dice.min()), int(dice.max())) == (1, 6)
    assert abs(float(rng.normal(3, 0.1, 2000).mean()) - 3) < 0.05
    assert rng.random((0, 3)).shape == (0, 3)
    shuffled = rng.permutation(kp.arange(6, dtype=np.float32).reshape(3, 2))
    assert sorted(shuffled.tolist()) == [[0, 1], [2, 3], [4, 5]]


@pytest.mark.parametrize("shape", [(40, 33), (1000, 64), (3, 500, 32), (65, 2, 40)])
def test_sums_over_leading_axes_agree_with_numpy(shape: tuple[int, ...]) -> None:
    a = np.random.default_rng(2).normal(size=shape).astype(np.float32)
    x = kp.array(a)
    for axis in (0, tuple(range(len(shape) - 1))):
        np.testing.assert_allclose(
            (x * 2 + 1).sum(axis).numpy(), (a * 2 + 1).sum(axis), rtol=1e-4, atol=1e-4
        )
        np.testing.assert_array_equal(x.max(axis).numpy(), a.max(axis))
    np.testing.assert_allclose(
        x[::2, ..., ::-1].sum(0).numpy(), a[::2, ..., ::-1].sum(0), rtol=1e-4, atol=1e-4
    )
    np.testing.assert_allclose(
        (x + x[:1]).mean(0).numpy(), (a + a[:1]).mean(0), rtol=1e-4, atol=1e-4
    )


@pytest.mark.parametrize("shape", [(0, 0), (3, 0), (0, 3), (2, 0, 3), (2, 3, 0)], ids=str)
def test_no_elements_have_the_sum_and_product_of_nothing(shape: tuple[int, ...]) -> None:
    x = np.zeros(shape, np.float32)
    for axis in [None, *range(len(shape)), tuple(range(len(shape)))]:
        for name in ("sum", "prod", "any", "all"):
            for part in (lambda x: x, lambda x: x.T, lambda x: x[..., ::2]):
                expected = getattr(np, name)(part(x), axis=axis)
                found = getattr(kp, name)(part(kp.array(x)), axis=axis)
                np.testing.assert_array_equal(found.numpy(), expected)
