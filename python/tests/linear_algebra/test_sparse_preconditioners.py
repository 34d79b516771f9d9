# SPDX-License-Identifier: Apache-2.0
"""Preconditioners of kp.sparse.linalg."""

import kp
import numpy as np
import pytest

from sparse_support import poisson, scipy_sparse, side, steps_of

from kp import sparse
from kp.sparse import linalg

theirs = pytest.importorskip("scipy.sparse.linalg")


PRECONDITIONERS = {
    "jacobi": linalg.jacobi,
    "block_jacobi": lambda a: linalg.block_jacobi(a, 8),
    "incomplete_cholesky": linalg.incomplete_cholesky,
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", PRECONDITIONERS)
def test_preconditioners_approximate_the_inverse(name, dtype):
    scaled = scipy_sparse.diags_array(np.linspace(1, 30, 64))
    a = (scaled @ poisson(8) @ scaled).tocsr().astype(dtype)
    matrix = sparse.csr_array(a)
    m = PRECONDITIONERS[name](matrix)
    x = side(64).astype(dtype)
    assert isinstance(m, linalg.LinearOperator) and m.shape == (64, 64)
    assert m.matvec(x).dtype == dtype
    np.testing.assert_allclose(m.matmat(np.stack([x, x], 1))[:, 1], m @ x, rtol=1e-5)
    plain, _ = steps_of(linalg.cg, matrix, a @ x)
    ours, info = steps_of(linalg.cg, matrix, a @ x, M=m)
    assert info == 0 and len(ours) < 0.7 * len(plain)
    for solver in (linalg.cg, linalg.bicgstab, linalg.gmres, linalg.minres):
        found, info = solver(matrix, a @ x, M=m)
        assert info == 0, solver
        left = np.linalg.norm(a @ found.numpy().astype(np.float64) - a @ x)
        assert left < 1.1e-5 * np.linalg.norm(a @ x)
    wanted, info = steps_of(theirs.cg, a, a @ x, M=theirs.aslinearoperator(m))
    assert info == 0 and abs(len(ours) - len(wanted)) <= 1


def test_a_factor_without_fill_is_choleskys():
    line = np.diag(np.full(6, 4.0)) + np.diag(np.full(5, -1.5), 1) + np.diag(np.full(5, -1.5), -1)
    turned = line + 1j * np.triu(line, 1) - 1j * np.tril(line, -1)
    for a in (line, turned * (1 + 0j)):
        m = linalg.incomplete_cholesky(a)
        x = side(6)
        np.testing.assert_allclose(m @ (a @ x), x, rtol=1e-8, atol=1e-12)
        np.testing.assert_allclose(m.rmatvec(a @ x), x, rtol=1e-8, atol=1e-12)


def test_blocks_are_divided_by() -> None:
    dense = np.random.default_rng(2).random((7, 7)) + 4 * np.eye(7)
    blocks = np.zeros((7, 7))
    for first in (0, 3, 6):
        blocks[first : first + 3, first : first + 3] = dense[first : first + 3, first : first + 3]
    x = side(7)
    np.testing.assert_allclose(linalg.block_jacobi(dense, 3) @ x, np.linalg.solve(blocks, x))
    np.testing.assert_allclose(linalg.block_jacobi(dense, 9) @ x, np.linalg.solve(dense, x))


def test_wrong_preconditioners_are_named():
    a = sparse.csr_array(np.array([[1.0, 2, 0], [2, 1, 0], [0, 0, 1]]))
    with pytest.raises(kp.linalg.LinAlgError, match="pivot of row 1 is -3, not positive"):
        linalg.incomplete_cholesky(a)
    assert linalg.incomplete_cholesky(a, shift=2).shape == (3, 3)
    with pytest.raises(ValueError, match="at least 0, not -1"):
        linalg.incomplete_cholesky(a, -1)
    with pytest.raises(kp.linalg.LinAlgError, match="rows from 0 to 1 is singular"):
        linalg.block_jacobi(np.diag([1.0, 0.0, 2.0]), 2)
    with pytest.raises(ValueError, match="size is at least 1, not 0"):
        linalg.block_jacobi(a, 0)
    with pytest.raises(TypeError, match="real matrices, not of complex128"):
        linalg.block_jacobi(a * 1j, 2)
    for make in (linalg.jacobi, linalg.incomplete_cholesky, lambda x: linalg.block_jacobi(x, 2)):
        with pytest.raises(ValueError, match=r"square matrix, not of the shape \(2, 3\)"):
            make(a[:2])
