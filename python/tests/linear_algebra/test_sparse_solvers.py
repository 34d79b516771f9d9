# SPDX-License-Identifier: Apache-2.0
"""Solvers of kp.sparse.linalg beside SciPy's."""

import kp
import numpy as np
import pytest

from sparse_support import poisson, scipy_sparse, side, steps_of

from kp import sparse
from kp.sparse import linalg

theirs = pytest.importorskip("scipy.sparse.linalg")


def unsymmetric(size=80):
    return scipy_sparse.diags_array(
        [-1.4, 3.0, -0.6], offsets=[-1, 0, 1], shape=(size, size)
    ).tocsr()


def indefinite(size=80):
    main = np.where(np.arange(size) % 3 == 0, -2.0, 3.0) + np.linspace(0, 0.5, size)
    return scipy_sparse.diags_array(
        [0.7, main, 0.7], offsets=[-1, 0, 1], shape=(size, size)
    ).tocsr()


@pytest.mark.parametrize(
    "name, matrix",
    [("cg", poisson(8)), ("bicgstab", unsymmetric()), ("minres", indefinite())],
)
def test_steps_are_scipys(name, matrix):
    b = side(matrix.shape[0])
    ours, info = steps_of(getattr(linalg, name), sparse.csr_array(matrix), b, rtol=1e-9)
    wanted, _ = steps_of(getattr(theirs, name), matrix, b, rtol=1e-12)
    assert info == 0 and len(ours) <= len(wanted)
    for found, expected in zip(ours[:12], wanted, strict=False):
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)
    x, info = getattr(linalg, name)(sparse.csr_array(matrix), b, rtol=1e-9)
    assert info == 0
    np.testing.assert_allclose(x.numpy(), ours[-1], rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("restart", [3, 20, 200])
@pytest.mark.parametrize(
    "matrix", [unsymmetric(30), poisson(6), indefinite(30), unsymmetric(30) * 1j]
)
def test_restarts_are_scipys(matrix, restart):
    b = side(matrix.shape[0]) * (1 + (2j if matrix.dtype.kind == "c" else 0))
    options = {"restart": restart, "rtol": 1e-8, "maxiter": 200}
    ours, info = steps_of(linalg.gmres, sparse.csr_array(matrix), b, **options)
    wanted, _ = steps_of(theirs.gmres, matrix, b, callback_type="x", **options)
    assert info == 0 and abs(len(ours) - len(wanted)) <= 1
    for found, expected in zip(ours[:-1], wanted, strict=False):
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-8)
    x, info = linalg.gmres(sparse.csr_array(matrix), b, **options)
    assert info == 0
    assert np.linalg.norm(matrix @ x.numpy() - b) <= 1.01e-8 * np.linalg.norm(b)


@pytest.mark.parametrize("name", ["cg", "bicgstab", "gmres", "minres"])
def test_exit_codes_are_scipys(name):
    ours, scipys = getattr(linalg, name), getattr(theirs, name)
    a, b = poisson(6), side(36)
    matrix = sparse.csr_array(a)
    for solver, given in ((ours, matrix), (scipys, a)):
        x, info = solver(given, np.zeros(36))
        assert info == 0 and not np.array(x).any()
        start = np.linalg.solve(a.toarray(), b)
        x, info = solver(given, b, x0=start)
        assert info == 0
        np.testing.assert_allclose(np.array(x), start, rtol=1e-8)
        more = {"restart": 2} if name == "gmres" else {}
        assert solver(given, b, rtol=1e-12, maxiter=2, **more)[1] == 2
    singular = sparse.csr_array(np.diag([1.0, 2.0, 0.0]))
    x, info = ours(singular, np.ones(3))
    assert info > 0
    x, info = ours(matrix * np.nan, b)
    assert info > 0


def test_complex_matrices_and_preconditioners_of_real_sides():
    a, b = poisson(5), side(25)
    turned = a + 0.3j * scipy_sparse.eye_array(25)
    x, info = linalg.gmres(sparse.csr_array(turned), b, rtol=1e-8)
    assert info == 0 and x.dtype == np.complex128
    np.testing.assert_allclose(turned @ x.numpy(), b, atol=1e-6)
    m = sparse.diags_array(np.full(25, 0.25 + 0j))
    x, info = linalg.bicgstab(sparse.csr_array(a), b, M=m, rtol=1e-8)
    assert info == 0
    np.testing.assert_allclose(a @ x.numpy(), b, atol=1e-6)


def test_minres_refuses_indefinite_preconditioners():
    a = sparse.csr_array(indefinite(3))
    with pytest.raises(kp.InvalidArgument, match="positive definite preconditioner"):
        linalg.minres(a, np.ones(3), M=sparse.diags_array([-1.0, -1.0, -1.0]))
