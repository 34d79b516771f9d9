# SPDX-License-Identifier: Apache-2.0
"""kp.sparse.linalg: linear operators and iterative solvers."""

import kp
import numpy as np
import pytest

from kp import sparse
from kp.sparse import linalg

SOLVERS = [linalg.cg, linalg.bicgstab, linalg.gmres, linalg.minres]


def poisson(size, dtype=np.float64):
    return sparse.diags_array([-1, 2.5, -1], offsets=[-1, 0, 1], shape=(size, size), dtype=dtype)


def side(size, dtype=np.float64):
    return np.random.default_rng(1).random(size).astype(dtype)


def expect_solved(a, x, b, rtol=1e-5):
    a = a.toarray().numpy() if isinstance(a, sparse.SparseMatrix) else a
    assert np.linalg.norm(b - a @ x.numpy()) <= 1.01 * rtol * np.linalg.norm(b)


@pytest.mark.parametrize("solver", SOLVERS)
def test_solvers_take_matrices_arrays_and_functions(solver):
    a, b = poisson(80), side(80)
    dense = a.toarray()
    operator = linalg.LinearOperator((80, 80), lambda x: a @ x, dtype=np.float64)
    for given in (a, a.tocsc(), dense, dense.numpy(), operator):
        x, info = solver(given, b, rtol=1e-8)
        assert info == 0 and isinstance(x, kp.Array) and x.dtype == np.float64
        expect_solved(a, x, b, 1e-8)


@pytest.mark.parametrize("solver", SOLVERS)
def test_preconditioners_and_starts(solver):
    a, b = poisson(60) + sparse.diags_array(np.arange(60.0)), side(60)
    for m in (linalg.jacobi(a), sparse.diags_array(1 / a.diagonal().numpy())):
        x, info = solver(a, kp.asarray(b), x0=np.ones(60), M=m)
        assert info == 0
        expect_solved(a, x, b)
    exact = np.linalg.solve(a.toarray().numpy(), b)
    assert np.array_equal(solver(a, b, x0=exact)[0].numpy(), exact)


def test_complex_equations():
    a = poisson(40, np.complex128) + 0.3j * sparse.eye_array(40, dtype=np.complex128)
    b = side(40) * (1 + 2j)
    for solver in (linalg.bicgstab, linalg.gmres):
        x, info = solver(a, b)
        assert info == 0
        expect_solved(a, x, b)


def test_indefinite_equations():
    diagonal = np.where(np.arange(90) % 3 == 0, -2.0, 3.0) + np.linspace(0, 0.1, 90)
    a = sparse.diags_array([0.3, diagonal, 0.3], offsets=[-1, 0, 1], shape=(90, 90))
    b = side(90)
    m = sparse.diags_array(1 / abs(diagonal))
    for given in (None, m):
        x, info = linalg.minres(a, b, M=given, rtol=1e-9)
        assert info == 0
        expect_solved(a, x, b, 1e-9)
    turned = a + 0.2j * sparse.eye_array(90, k=1) - 0.2j * sparse.eye_array(90, k=-1)
    x, info = linalg.minres(turned, b * (1 + 1j))
    assert info == 0
    expect_solved(turned, x, b * (1 + 1j))


@pytest.mark.parametrize("solver", SOLVERS)
def test_steps_are_counted_and_shown(solver):
    a, b = poisson(200), side(200)
    seen = []
    x, info = solver(a, b, callback=lambda x: seen.append(x.copy()))
    assert info == 0 and np.array_equal(seen[-1].numpy(), x.numpy())
    more = {"restart": 2} if solver is linalg.gmres else {}
    assert solver(a, b, rtol=1e-12, maxiter=3, **more)[1] == 3
    with pytest.raises(ZeroDivisionError):
        solver(a, b, callback=lambda x: 1 / 0)


def test_wrong_arguments_of_solvers_are_named():
    a = poisson(5)
    with pytest.raises(ValueError, match="do not fit"):
        linalg.cg(a, np.ones(4))
    with pytest.raises(ValueError, match="square"):
        linalg.cg(a[:3], np.ones(3))
    with pytest.raises(ValueError, match="maxiter is at least 1"):
        linalg.cg(a, np.ones(5), maxiter=0)
    with pytest.raises(ValueError, match="A and M"):
        linalg.cg(a, np.ones(5), M=poisson(4))


def test_operators_are_composed_added_and_scaled():
    a, b = (np.random.default_rng(i).random((6, 6)) + 1j * i for i in range(2))
    x = np.random.default_rng(3).random((6, 2))
    s, t = linalg.aslinearoperator(a), linalg.aslinearoperator(sparse.csr_array(b))
    for made, expected in (
        (s @ t, a @ b),
        (s + t, a + b),
        (s - t, a - b),
        (s * 2j, a * 2j),
        (-t, -b),
        ((s @ t).H, (a @ b).conj().T),
        ((2j * t).H, (b * 2j).conj().T),
    ):
        for found, wanted in (
            (made.matvec(x[:, 0]), expected @ x[:, 0]),
            (made @ kp.asarray(x), expected @ x),
            (made.matmat(x), expected @ x),
            (made.matvec(x[:, :1]), expected @ x[:, :1]),
        ):
            found = found if isinstance(found, np.ndarray) else found.numpy()
            np.testing.assert_allclose(found, wanted, rtol=1e-10)
    one = linalg.LinearOperator((3, 6), lambda v: v[:3])
    np.testing.assert_array_equal(one.matmat(x), x[:3])
    with pytest.raises(NotImplementedError, match="without rmatvec"):
        one.rmatvec(np.ones(3))
    with pytest.raises(ValueError, match="takes 6 rows in 1 axis"):
        one.matvec(np.ones(3))
    with pytest.raises(ValueError, match="cannot be composed"):
        one @ one


@pytest.mark.parametrize("which", ["LM", "SM", "LA", "SA", "BE"])
def test_eigenvalues_of_symmetric_matrices(which):
    n = 30
    a = poisson(n) - sparse.diags_array(np.arange(n) % 5 * 1.0)
    dense = a.toarray().numpy()
    everything = np.linalg.eigvalsh(dense)
    order = {"LM": -abs(everything), "SM": abs(everything), "LA": -everything, "SA": everything}
    k = 3
    if which == "BE":
        expected = np.r_[everything[:1], everything[-2:]]
    else:
        expected = np.sort(everything[np.argsort(order[which])[:k]])
    values, vectors = linalg.eigsh(a, k, which=which, ncv=20)
    np.testing.assert_allclose(values.numpy(), expected, rtol=1e-9, atol=1e-9)
    x = vectors.numpy()
    np.testing.assert_allclose(dense @ x, x * values.numpy(), atol=1e-8)
    np.testing.assert_allclose(x.T @ x, np.eye(k), atol=1e-8)


def test_eigenvalues_that_are_equal():
    values = linalg.eigsh(sparse.eye_array(50, dtype=np.float64), 3, return_eigenvectors=False)
    np.testing.assert_allclose(values.numpy(), np.ones(3))
    twice = sparse.diags_array(np.repeat(np.arange(20.0), 2))
    values = linalg.eigsh(twice, 4, return_eigenvectors=False, ncv=15)
    np.testing.assert_allclose(values.numpy(), [18, 18, 19, 19], rtol=1e-9)


def test_eigenvalues_of_other_types_and_operators():
    a = poisson(40, np.complex128) + sparse.diags_array([1j, -1j], offsets=[1, -1], shape=(40, 40))
    expected = np.linalg.eigvalsh(a.toarray().numpy())[-2:]
    np.testing.assert_allclose(linalg.eigsh(a, 2, which="LA")[0].numpy(), expected, rtol=1e-9)
    f = poisson(40, np.float32)
    values = linalg.eigsh(linalg.aslinearoperator(f), 2, which="LA", return_eigenvectors=False)
    assert values.dtype == np.float32
    np.testing.assert_allclose(values, np.linalg.eigvalsh(f.toarray().numpy())[-2:], rtol=1e-5)


@pytest.mark.parametrize("shape", [(60, 25), (25, 60), (30, 30)])
def test_least_squares(shape):
    rng = np.random.default_rng(1)
    dense = np.where(rng.random(shape) < 0.3, rng.random(shape), 0) + np.eye(*shape)
    b = rng.random(shape[0])
    for a in (sparse.csr_array(dense), dense + 0.2j * dense):
        values = dense if isinstance(a, sparse.SparseMatrix) else a
        x, why, steps, *norms = linalg.lsqr(a, b, atol=1e-11, btol=1e-11)
        expected = np.linalg.lstsq(values, b, rcond=None)[0]
        np.testing.assert_allclose(x.numpy(), expected, rtol=1e-6, atol=1e-7)
        assert why in (1, 2) and 0 < steps < 200
        np.testing.assert_allclose(norms[0], np.linalg.norm(b - values @ expected), atol=1e-7)
        np.testing.assert_allclose(norms[5], np.linalg.norm(expected), rtol=1e-6)


def test_least_squares_with_damping_and_a_start():
    rng = np.random.default_rng(2)
    a, b, start = rng.random((40, 15)), rng.random(40), rng.random(15)
    x, why, *_ = linalg.lsqr(sparse.csr_array(a), b, damp=0.5, x0=start, atol=1e-12, btol=1e-12)
    larger = np.vstack([a, 0.5 * np.eye(15)])
    expected = np.linalg.lstsq(larger, np.r_[b, 0.5 * start], rcond=None)[0]
    np.testing.assert_allclose(x.numpy(), expected, rtol=1e-7)
    found = linalg.lsqr(sparse.csr_array(a), np.zeros(40))
    assert found[1] == 0 and not found[0].numpy().any()
    assert linalg.lsqr(sparse.csr_array(a), b, iter_lim=2)[1:3] == (7, 2)


def test_least_squares_returns_what_scipys_does():
    theirs = pytest.importorskip("scipy.sparse.linalg")
    rng = np.random.default_rng(3)
    a, b = rng.random((50, 20)), rng.random(50)
    limit = {"iter_lim": 12, "atol": 0, "btol": 0, "conlim": 0, "calc_var": True}
    for damp in (0.0, 0.3):
        ours = linalg.lsqr(sparse.csr_array(a), b, damp, **limit)
        wanted = theirs.lsqr(a, b, damp, **limit)
        for found, expected in zip(ours, wanted, strict=True):
            found = found.numpy() if isinstance(found, kp.Array) else found
            np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64])
def test_triangular_equations(dtype):
    rng = np.random.default_rng(1)
    dense = np.where(rng.random((200, 200)) < 0.03, rng.random((200, 200)), 0).astype(dtype)
    np.fill_diagonal(dense, 2 + rng.random(200))
    b = rng.random((200, 3)).astype(np.float32)
    for lower in (True, False):
        triangle = np.tril(dense) if lower else np.triu(dense)
        unit = triangle.copy()
        np.fill_diagonal(unit, 1)
        for made in (sparse.csr_array(triangle), sparse.csc_array(triangle)):
            for given in (b, b[:, 0]):
                x = linalg.spsolve_triangular(made, given, lower)
                assert x.dtype == dtype and x.shape == given.shape
                np.testing.assert_allclose(triangle @ x.numpy(), given, atol=1e-4)
                x = linalg.spsolve_triangular(made, given, lower, unit_diagonal=True)
                expected = np.linalg.solve(unit.astype(np.complex128), given)
                np.testing.assert_allclose(x.numpy(), expected, rtol=1e-3, atol=1e-3)


def test_triangles_of_many_and_of_one_level():
    chain = sparse.diags_array([-1.0, 1.0], offsets=[-1, 0], shape=(50, 50))
    x = linalg.spsolve_triangular(chain, np.ones(50))
    np.testing.assert_allclose(x.numpy(), np.arange(1, 51))
    assert linalg.spsolve_triangular(sparse.diags_array([2.0, 4.0]), [2.0, 2.0]).tolist() == [
        1,
        0.5,
    ]
    assert linalg.spsolve_triangular(sparse.csr_array((0, 0)), np.zeros(0)).size == 0


def test_matrices_that_are_no_triangles_are_refused():
    a = poisson(4)
    with pytest.raises(kp.linalg.LinAlgError, match=r"element \(0, 1\) is above"):
        linalg.spsolve_triangular(a, np.ones(4))
    with pytest.raises(kp.linalg.LinAlgError, match=r"element \(1, 0\) is below"):
        linalg.spsolve_triangular(a, np.ones(4), lower=False)
    with pytest.raises(kp.linalg.LinAlgError, match="0 in row 1"):
        linalg.spsolve_triangular(sparse.diags_array([1.0, 0.0, 2.0]), np.ones(3))
    with pytest.raises(ValueError, match="do not fit"):
        linalg.spsolve_triangular(poisson(4), np.ones(3))


def test_wrong_arguments_of_eigsh_are_named():
    a = poisson(30)
    for wrong, message in (
        ({"k": 30}, "n - 1 = 29"),
        ({"which": "XX"}, "LM, SM"),
        ({"k": 3, "ncv": 3}, "ncv is more than k"),
    ):
        with pytest.raises(ValueError, match=message):
            linalg.eigsh(a, **wrong)
    with pytest.raises(NotImplementedError, match="sigma"):
        linalg.eigsh(a, sigma=1)
    with pytest.raises(linalg.ArpackNoConvergence, match="raise ncv") as caught:
        linalg.eigsh(poisson(500), 3, which="SA", maxiter=1)
    assert caught.value.eigenvalues.size < 3


def test_functions_of_scipy_take_operators_and_matrices():
    theirs = pytest.importorskip("scipy.sparse.linalg")
    a, b = poisson(50), side(50)
    for given in (a, linalg.aslinearoperator(a)):
        x, info = theirs.cg(given, b)
        assert info == 0
        np.testing.assert_allclose(a.toarray().numpy() @ x, b, rtol=1e-3)
        values = theirs.eigsh(theirs.aslinearoperator(given), k=2, return_eigenvectors=False)
        np.testing.assert_allclose(values, np.linalg.eigvalsh(a.toarray().numpy())[-2:], rtol=1e-8)
    assert linalg.cg(theirs.aslinearoperator(a.to_scipy()), b)[1] == 0
    assert linalg.cg(a.to_scipy(), b)[1] == 0
