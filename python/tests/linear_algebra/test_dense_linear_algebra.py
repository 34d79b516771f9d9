# SPDX-License-Identifier: Apache-2.0
"""Linear equations, inverses, determinants and Cholesky factors beside NumPy's, on the device and the host."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kp
from kp.arrays.matrices import dense_rules

RANDOM = np.random.default_rng(3)
LINALG, REFERENCE = kp.linalg, np.linalg
SIZES = (0, 1, 2, 16, 17, 33, 65, 100)


@pytest.fixture(params=["device", "host"], autouse=True)
def where(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Let the device compute everything it can, or nothing."""
    dtypes = ("float32", "float64") if request.param == "device" else ()
    for kind in ("cpu", "gpu", "without doubles"):
        monkeypatch.setitem(dense_rules.ON_DEVICE, kind, dtypes)
    return str(request.param)


def matrices(dtype: str, *shape: int) -> np.ndarray:
    """Return matrices whose results are not too sensitive to rounding."""
    values = RANDOM.standard_normal(shape) * 3 + 16 * np.eye(shape[-1])
    return values.astype(dtype)


def wide(values: np.ndarray) -> np.ndarray:
    return values.astype(np.float32) if values.dtype == np.float16 else values


def check(found: kp.Array, expected: Any, tolerance: float = 1) -> None:
    expected = np.asarray(expected)
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    close = tolerance * {4: 1e-3, 8: 1e-9}[expected.dtype.itemsize]
    largest = np.abs(expected).max(initial=0)
    np.testing.assert_allclose(found.numpy(), expected, rtol=close, atol=close * largest)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i4"])
@pytest.mark.parametrize("stack", [(), (2,), (2, 3), (0,)])
def test_results_are_numpys(dtype: str, stack: tuple[int, ...]) -> None:
    for size in SIZES:
        a = matrices(dtype, *stack, size, size)
        x = kp.array(a)
        check(LINALG.inv(x), REFERENCE.inv(wide(a)))
        found, expected = LINALG.slogdet(x), REFERENCE.slogdet(wide(a))
        check(found.sign, expected.sign)
        check(found.logabsdet, expected.logabsdet)
        if size <= 17:
            check(LINALG.det(x), REFERENCE.det(wide(a)), 10)
        for sides in ((size,), (*stack, size, 3), (size, 2)):
            b = RANDOM.standard_normal(sides).astype(dtype)
            check(LINALG.solve(x, kp.array(b)), REFERENCE.solve(wide(a), wide(b)))


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4"])
def test_cholesky_reads_one_triangle_as_numpy(dtype: str) -> None:
    for size in SIZES:
        a = matrices(dtype, 2, size, size)
        a = (a @ np.swapaxes(a, -1, -2) + 9 * np.eye(size)).astype(dtype)
        lower = np.tril(a) + np.triu(np.ones_like(a), 1)  # no symmetric matrix
        check(LINALG.cholesky(kp.array(lower)), REFERENCE.cholesky(lower), 5)
        upper = np.swapaxes(lower, -1, -2)
        expected = np.swapaxes(REFERENCE.cholesky(lower), -1, -2)
        if size and hasattr(np, "matvec"):  # NumPy from 2.2 on has `upper`
            check(LINALG.cholesky(kp.array(upper), upper=True), expected, 5)


def test_views_are_taken_as_they_are() -> None:
    a = matrices("f4", 40, 40)
    x = kp.array(a)
    check(LINALG.inv(x.T), REFERENCE.inv(a.T))
    check(LINALG.inv(x[::2, ::2]), REFERENCE.inv(a[::2, ::2]))
    check(LINALG.solve(x[5:25, 5:25], x[:20, ::3]), REFERENCE.solve(a[5:25, 5:25], a[:20, ::3]))
    check(LINALG.det(x[3:7, 3:7].T), REFERENCE.det(a[3:7, 3:7].T))


def test_stacks_broadcast() -> None:
    a, b = matrices("f4", 3, 1, 5, 5), matrices("f4", 4, 5, 5)
    check(LINALG.solve(kp.array(a), kp.array(b)), REFERENCE.solve(a, b))


def test_dtypes_promote() -> None:
    a, b = kp.eye(3, dtype="float32"), kp.ones((3, 2), dtype="float64")
    assert LINALG.solve(a, b).dtype == np.float64
    assert LINALG.solve(b[:2, :2] + kp.eye(2), a[:2]).dtype == np.float64
    assert LINALG.solve(a, kp.ones(3, dtype="int32")).dtype == kp.default_float()


def test_complex_matrices_are_numpys() -> None:
    a = matrices("f8", 4, 4) + 1j
    check(LINALG.inv(kp.array(a)).real, REFERENCE.inv(a).real)
    check(LINALG.solve(kp.eye(4), kp.array(a)).imag, a.imag)


def test_negative_powers_are_those_of_inverses() -> None:
    a = matrices("f8", 20, 20)
    check(LINALG.matrix_power(kp.array(a), -2), REFERENCE.matrix_power(a, -2))


@pytest.mark.parametrize("size", [3, 50])
def test_singular_and_indefinite_matrices_raise(size: int) -> None:
    ones, one = kp.ones((2, size, size)), kp.eye(size)
    with pytest.raises(LINALG.LinAlgError, match="Singular matrix"):
        LINALG.inv(ones)
    with pytest.raises(LINALG.LinAlgError, match="Singular matrix"):
        LINALG.solve(ones, kp.ones(size))
    with pytest.raises(LINALG.LinAlgError, match="not positive definite"):
        LINALG.cholesky(kp.stack([one, -one]))
    assert LINALG.det(ones).tolist() == [0, 0]
    assert LINALG.slogdet(ones).logabsdet.tolist() == [-np.inf, -np.inf]


def test_what_are_no_systems_raises() -> None:
    for function in (LINALG.inv, LINALG.det, LINALG.slogdet, LINALG.cholesky):
        with pytest.raises(LINALG.LinAlgError, match="square"):
            function(kp.ones((3, 2)))
        with pytest.raises(LINALG.LinAlgError, match="two-dimensional"):
            function(kp.ones(3))
    with pytest.raises(ValueError, match=r"as many rows of b as a has, 3, but b .* \(2, 2\)"):
        LINALG.solve(kp.eye(3), kp.ones((2, 2)))


def test_tensors_are_solved_and_inverted_as_matrices() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=(4, 6, 8, 3)), rng.normal(size=(4, 6))
    for ours, expected in (
        (kp.linalg.tensorinv(kp.array(a)), np.linalg.tensorinv(a)),
        (kp.linalg.tensorsolve(kp.array(a), kp.array(b)), np.linalg.tensorsolve(a, b)),
        (
            kp.linalg.tensorsolve(kp.array(a.transpose(2, 0, 3, 1)), kp.array(b), (0, 2)),
            np.linalg.tensorsolve(a.transpose(2, 0, 3, 1), b, (0, 2)),
        ),
    ):
        assert ours.shape == expected.shape
        np.testing.assert_allclose(ours.numpy(), expected, rtol=1e-9, atol=1e-9)
    with pytest.raises(ValueError, match="ind is the number"):
        kp.linalg.tensorinv(kp.array(a), 0)
    with pytest.raises(np.linalg.LinAlgError):
        kp.linalg.tensorinv(kp.array(a), 1)
    with pytest.raises(np.linalg.LinAlgError):
        kp.linalg.tensorsolve(kp.array(a), kp.array(b[0]))


def test_results_are_equal_from_run_to_run() -> None:
    x = kp.array(matrices("f4", 150, 150))
    assert LINALG.inv(x).numpy().tobytes() == LINALG.inv(x).numpy().tobytes()


def test_primitives_are_those_of_cpp() -> None:
    mgr = kp.default_manager()
    a = matrices("f4", 3, 5, 5)
    tensor, info = mgr.tensor_t(a), mgr.tensor_t(np.zeros(3, np.int32))
    lu, pivots = mgr.tensor_t(np.zeros_like(a)), mgr.tensor_t(np.zeros((3, 5), np.uint32))
    sides = mgr.tensor_t(matrices("f4", 3, 5, 5))
    x, y = mgr.tensor_t(np.zeros_like(a)), mgr.tensor_t(np.zeros_like(a))
    sequence = mgr.sequence().record(kp.OpSyncDevice([tensor, sides]))
    sequence.record(kp.OpLu(tensor, lu, pivots, info))
    sequence.record(kp.OpSolve(tensor, sides, x, info))
    sequence.record(kp.OpTriangularSolve(lu, sides, y, unit_diagonal=True))
    sequence.eval()
    lower = np.tril(lu.numpy(), -1) + np.eye(5)
    upper = np.triu(lu.numpy())
    for i, matrix in enumerate(a):
        rows = np.arange(5)
        for step, pivot in enumerate(pivots.numpy()[i]):
            rows[[step, pivot]] = rows[[pivot, step]]
        np.testing.assert_allclose(lower[i] @ upper[i], matrix[rows], rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(a @ x.numpy(), sides.numpy(), rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(lower @ y.numpy(), sides.numpy(), rtol=1e-3, atol=1e-3)
    with pytest.raises(ValueError, match="a has matrices of 5 x 4, but they must be square"):
        kp.OpCholesky(mgr.tensor_t(np.ones((5, 4), np.float32)), lu, info)
    with pytest.raises(ValueError, match="a has fewer than two dimensions, which matrices need"):
        kp.OpLu(info, lu, pivots, info)
