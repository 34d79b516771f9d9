# SPDX-License-Identifier: Apache-2.0
"""Decompositions of matrices: by the device, and by NumPy on the host, with NumPy's conventions."""

import numpy as np
import pytest

import kp
from kp.arrays.matrices import dense_rules

RANDOM = np.random.default_rng(5)
SHAPES = [(1, 1), (5, 3), (3, 5), (2, 4, 3), (2, 20, 70)]


@pytest.fixture(params=["device", "host"], autouse=True)
def place(request, monkeypatch):
    """Let the device compute everything, the faster of the two, or NumPy."""
    types = ("float32", "float64") if request.param == "device" else ()
    for kind in dense_rules.ON_DEVICE:
        monkeypatch.setitem(dense_rules.ON_DEVICE, kind, types)
    return request.param


def matrices(shape, dtype):
    return RANDOM.standard_normal(shape).astype(dtype)


def bound(a, factor=20):
    return factor * max(a.shape[-2:]) * np.finfo(a.dtype).eps


def check(found, expected, tolerance):
    assert isinstance(found, kp.Array)
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    scale = np.abs(expected).max(initial=0) or 1
    np.testing.assert_allclose(found.numpy(), expected, rtol=0, atol=tolerance * scale)


def adjoint(a):
    return np.swapaxes(a, -1, -2)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("mode", ["reduced", "complete"])
def test_qr_has_the_factors_of_numpy(shape, dtype, mode):
    a = matrices(shape, dtype)
    q, r = kp.linalg.qr(kp.array(a), mode)
    expected = np.linalg.qr(a, mode)
    check(r, expected.R, bound(a))
    count = min(shape[-2:])
    check(q[..., :count], expected.Q[..., :count], bound(a, 200))
    basis = q.numpy()
    np.testing.assert_allclose(
        adjoint(basis) @ basis,
        np.broadcast_to(np.eye(basis.shape[-1]), basis.shape[:-2] + (basis.shape[-1],) * 2),
        atol=bound(a),
    )
    check(kp.linalg.qr(kp.array(a), "r"), np.linalg.qr(a, "r"), bound(a))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("size", [1, 15, 66])
def test_eigh_diagonalizes_symmetric_matrices(size, dtype):
    a = matrices((2, size, size), dtype)
    a = a + adjoint(a)
    for uplo in "LU":
        given = (np.tril if uplo == "L" else np.triu)(a)
        values, vectors = kp.linalg.eigh(kp.array(given), uplo)
        check(values, np.linalg.eigvalsh(a), bound(a))
        check(kp.linalg.eigvalsh(kp.array(given), UPLO=uplo), np.linalg.eigvalsh(a), bound(a))
        found = vectors.numpy()
        left = a @ found - found * values.numpy()[:, None, :]
        assert np.abs(left).max() <= bound(a) * np.abs(a).max() * size


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("full", [False, True])
def test_svd_decomposes_matrices(shape, dtype, full):
    a = matrices(shape, dtype)
    u, s, vh = kp.linalg.svd(kp.array(a), full_matrices=full)
    expected = np.linalg.svd(a, full_matrices=full)
    check(s, expected.S, bound(a))
    check(kp.linalg.svdvals(kp.array(a)), expected.S, bound(a))
    assert u.shape == expected.U.shape and vh.shape == expected.Vh.shape
    count = min(shape[-2:])
    left, right = u.numpy(), vh.numpy()
    product = (left[..., :count] * s.numpy()[..., None, :]) @ right[..., :count, :]
    np.testing.assert_allclose(product, a, rtol=0, atol=bound(a) * np.abs(a).max() * 4)
    for basis in (left, adjoint(right)):
        size = basis.shape[-1]
        unit = np.broadcast_to(np.eye(size), basis.shape[:-2] + (size, size))
        np.testing.assert_allclose(adjoint(basis) @ basis, unit, atol=bound(a))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_functions_of_singular_values(dtype):
    a = matrices((3, 8, 6), dtype)
    a[1, :, 3] = a[1, :, 2]  # of rank 5
    x = kp.array(a)
    check(kp.linalg.matrix_rank(x), np.linalg.matrix_rank(a), 0)
    check(kp.linalg.matrix_rank(x[0]), np.asarray(np.linalg.matrix_rank(a[0])), 0)
    check(kp.linalg.matrix_rank(x, tol=2.5), np.linalg.matrix_rank(a, tol=2.5), 0)
    limits = np.asarray([0.1, 0.5, 0.9], dtype)
    check(kp.linalg.matrix_rank(x, rtol=limits), np.linalg.matrix_rank(a, rtol=limits), 0)
    check(kp.linalg.pinv(x, rcond=1e-5), np.linalg.pinv(a, rcond=1e-5), bound(a, 100))
    check(kp.linalg.pinv(x[0], rtol=None), np.linalg.pinv(a[0], rtol=None), bound(a, 100))
    for p in (None, 2, -2):
        check(kp.linalg.cond(x[::2], p), np.linalg.cond(a[::2], p), bound(a, 100))
    assert kp.linalg.cond(kp.array(np.zeros((2, 2), dtype))).item() == np.inf
    for order in (2, -2, "nuc"):
        expected = np.linalg.norm(a, order, (1, 2))
        check(kp.linalg.norm(x, order, (1, 2)), expected, bound(a))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(9, 4), (4, 9)])
@pytest.mark.parametrize("sides", [(), (3,)])
def test_lstsq_solves_as_numpy(shape, dtype, sides):
    a, b = matrices(shape, dtype), matrices((shape[0], *sides), dtype)
    expected = np.linalg.lstsq(a, b)
    for found, wanted in zip(kp.linalg.lstsq(kp.array(a), kp.array(b)), expected):
        check(found, np.asarray(wanted), bound(a, 100))
    a[:, -1] = a[:, 0]
    for found, wanted in zip(
        kp.linalg.lstsq(kp.array(a), kp.array(b), rcond=1e-3), np.linalg.lstsq(a, b, rcond=1e-3)
    ):
        check(found, np.asarray(wanted), bound(a, 100))


def test_integers_and_half_precision_are_decomposed_as_floats():
    a = np.arange(12).reshape(4, 3) % 5
    check(kp.linalg.svdvals(kp.array(a)), np.linalg.svdvals(a), 1e-14)
    check(kp.linalg.qr(kp.array(a)).R, np.linalg.qr(a).R, 1e-14)
    check(kp.linalg.eigvalsh(kp.array(a[:3])), np.linalg.eigvalsh(a[:3]), 1e-14)
    half = a.astype(np.float16)
    check(kp.linalg.svdvals(kp.array(half)), np.linalg.svdvals(half.astype(np.float32)), 1e-6)
    mixed = kp.linalg.lstsq(kp.array(a), kp.array(half.astype(np.float32)[:, 0]))
    check(mixed[0], np.linalg.lstsq(a, half.astype(np.float32)[:, 0])[0], 1e-13)


def test_complex_matrices_are_decomposed():
    a = matrices((4, 4), np.float64) + 1j * matrices((4, 4), np.float64)
    check(kp.linalg.svdvals(kp.array(a)), np.linalg.svdvals(a), 1e-13)
    check(kp.linalg.eigvalsh(kp.array(a)), np.linalg.eigvalsh(a), 1e-13)
    check(kp.linalg.qr(kp.array(a)).R, np.linalg.qr(a).R, 1e-13)


def test_views_are_decomposed():
    a = matrices((20, 14), np.float64)
    x = kp.array(a)
    for view in (lambda m: m.T, lambda m: m[::2, 1:9], lambda m: m[::-1, ::-3]):
        check(kp.linalg.svdvals(view(x)), np.linalg.svdvals(view(a)), 1e-13)
        check(kp.linalg.qr(view(x)).R, np.linalg.qr(view(a)).R, 1e-13)
    check(kp.linalg.eigvalsh(x[:14].T), np.linalg.eigvalsh(a[:14].T), 1e-13)


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0), (0, 2, 2), (2, 0, 3)])
def test_matrices_without_elements(shape):
    a = np.zeros(shape, np.float32)
    x = kp.array(a)
    for full in (False, True):
        for found, wanted in zip(kp.linalg.svd(x, full), np.linalg.svd(a, full)):
            check(found, wanted, 0)
    for mode in ("reduced", "complete"):
        for found, wanted in zip(kp.linalg.qr(x, mode), np.linalg.qr(a, mode)):
            check(found, wanted, 0)
    if shape[-1] == shape[-2]:
        check(kp.linalg.eigvalsh(x), np.linalg.eigvalsh(a), 0)


def test_what_numpy_refuses_is_refused():
    vector, oblong, square = kp.ones(3), kp.ones((2, 3)), kp.ones((2, 2))
    for call in (
        lambda: kp.linalg.qr(vector),
        lambda: kp.linalg.svd(vector),
        lambda: kp.linalg.eigh(vector),
        lambda: kp.linalg.eigh(oblong),
        lambda: kp.linalg.eigvalsh(oblong),
        lambda: kp.linalg.pinv(vector),
        lambda: kp.linalg.lstsq(oblong, vector),
        lambda: kp.linalg.lstsq(vector, vector),
    ):
        with pytest.raises(np.linalg.LinAlgError):
            call()
    for refused in (
        lambda: kp.linalg.qr(square, "economy"),
        lambda: kp.linalg.eigh(square, "X"),
        lambda: kp.linalg.matrix_rank(square, tol=1, rtol=1),
        lambda: kp.linalg.pinv(square, rcond=1, rtol=1),
    ):
        with pytest.raises(ValueError):
            refused()


def test_nans_give_nans_on_the_device(place):
    a = np.eye(4, dtype=np.float32)
    a[2, 1] = np.nan
    if place == "host":
        with pytest.raises(np.linalg.LinAlgError):
            kp.linalg.svdvals(kp.array(a))
        return
    assert kp.isnan(kp.linalg.svdvals(kp.array(a))).all()
    assert kp.isnan(kp.linalg.eigvalsh(kp.array(a))).all()
    assert kp.isnan(kp.linalg.norm(kp.array(a), 2))
