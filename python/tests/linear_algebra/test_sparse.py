# SPDX-License-Identifier: Apache-2.0
"""Sparse matrices: their formats, conversions and operators."""

import kp
import numpy as np
import pytest

from kp import sparse

DTYPES = [np.float32, np.float64, np.complex64, np.complex128]


def dense(rows, columns, dtype=np.float32, seed=1, density=0.2):
    """A NumPy matrix that is mostly zeros."""
    rng = np.random.default_rng(seed)
    values = rng.integers(-9, 10, (rows, columns)).astype(dtype)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * rng.integers(-9, 10, (rows, columns)).astype(dtype)
    return np.where(rng.random((rows, columns)) < density, values, 0).astype(dtype)


def check(found, expected):
    found = found.toarray() if isinstance(found, sparse.SparseMatrix) else found
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_array, sparse.coo_array])
def test_a_matrix_multiplies_from_both_sides(kind, dtype):
    a = dense(37, 23, dtype)
    x, y = dense(23, 5, dtype, 2, 1), dense(4, 37, dtype, 3, 1)
    s = kind(a)
    check(s, a)
    check(s @ kp.asarray(x), a @ x)
    check(s @ x[:, 0], a @ x[:, 0])
    check(kp.asarray(y) @ s, y @ a)
    check(y @ s, y @ a)
    check(y[0] @ s, y[0] @ a)
    check(s.T @ y.T, a.T @ y.T)
    check(s.dot(x[:, 1]), a @ x[:, 1])


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_array, sparse.coo_array])
def test_formats_convert_into_each_other(kind):
    a = dense(30, 41)
    s = kind(a)
    assert s.shape == (30, 41) and s.nnz == np.count_nonzero(a) and s.dtype == np.float32
    for name in ("csr", "csc", "coo"):
        made = s.asformat(name)
        assert made.format == name and type(made) is getattr(sparse, f"{name}_array")
        check(made, a)
        check(made.T, a.T)
    with pytest.raises(ValueError, match="bsr"):
        s.asformat("bsr")


def test_constructors_take_scipys_forms():
    data, indices, indptr = [1.0, 2.0, 3.0], [0, 2, 1], [0, 2, 2, 3]
    expected = np.array([[1, 0, 2], [0, 0, 0], [0, 3, 0]], np.float64)
    a = sparse.csr_array((data, indices, indptr), dtype=np.float64)
    check(a, expected)
    check(sparse.csc_array((data, indices, indptr), shape=(3, 3), dtype=np.float64), expected.T)
    pairs = sparse.coo_array((data, ([0, 0, 2], [0, 2, 1])), shape=(3, 4), dtype=np.float64)
    check(pairs, np.pad(expected, ((0, 0), (0, 1))))
    check(sparse.csr_array((2, 3), dtype=np.float64), np.zeros((2, 3)))
    check(sparse.csr_array(a, dtype=np.float32), expected.astype(np.float32))
    check(sparse.csr_array([[1, 0], [0, 2]], dtype=np.float64), np.diag([1.0, 2.0]))
    assert sparse.csr_array([[1, 0], [0, 2]]).dtype == kp.default_float()
    assert np.array_equal(a.indices.numpy(), indices) and np.array_equal(a.indptr.numpy(), indptr)


def test_wrong_arguments_are_named():
    with pytest.raises(ValueError, match="element 1 of a sparse matrix has column 7"):
        sparse.csr_array(([1.0, 2.0], [0, 7], [0, 1, 2]), shape=(2, 3))
    with pytest.raises(ValueError, match="has row -1"):
        sparse.coo_array(([1.0], ([-1], [0])), shape=(2, 3))
    with pytest.raises(ValueError, match="offset 1 is 2 and offset 2 is 1"):
        sparse.csr_array(([1.0], [0], [0, 2, 1]), shape=(2, 3))
    with pytest.raises(TypeError, match="not int64; give a dtype"):
        sparse.csr_array(np.eye(3, dtype=np.int64))
    with pytest.raises(ValueError, match="two axes"):
        sparse.csr_array(np.zeros(3))
    with pytest.raises(ValueError, match="inner extents differ, 3 and 2"):
        sparse.csr_array(np.eye(3)) @ np.ones(2)
    with pytest.raises(TypeError, match="cannot be changed by parts"):
        sparse.csr_array(np.eye(3))[0, 0] = 1
    with pytest.raises(TypeError, match="compared as arrays"):
        assert sparse.csr_array(np.eye(3)) == sparse.csr_array(np.eye(3))
    with pytest.raises(TypeError, match=r"toarray\(\)"):
        np.asarray(sparse.csr_array(np.eye(3)))


def test_elements_of_one_place_are_added():
    pairs = ([1.0, 2.0, 4.0, 8.0], ([1, 0, 1, 1], [1, 0, 1, 0]))
    a = sparse.coo_array(pairs, shape=(2, 2), dtype=np.float32)
    expected = np.array([[2, 0], [8, 5]], np.float32)
    assert a.nnz == 4
    check(a, expected)
    check(a @ np.ones(2, np.float32), expected.sum(1))
    a.sum_duplicates()
    assert a.nnz == 3
    check(a, expected)
    assert a.row.tolist() == [0, 1, 1] and a.col.tolist() == [0, 0, 1]
    b = sparse.csr_array((pairs[0], [1, 0, 1, 0], [0, 4, 4]), shape=(2, 2), dtype=np.float32)
    assert not b.has_canonical_format
    b.sort_indices()
    assert b.has_canonical_format and b.data.tolist() == [10, 5]


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_array, sparse.coo_array])
def test_operators_follow_dense_matrices(kind):
    a, b = dense(20, 15), dense(20, 15, seed=2)
    s, t = kind(a), kind(b)
    check(s + t, a + b)
    check(s - t, a - b)
    check(-s, -a)
    check(abs(s), abs(a))
    check(s * 3, a * 3)
    check(2.5 * s, 2.5 * a)
    check(s / 4, a / 4)
    check((s * 2j), a.astype(np.complex64) * 2j)
    check(s * t, a * b)
    row, column = b[3], b[:, 2:3]
    check(s * row, a * row)
    check(s.multiply(column), a * column)
    check(row * s, a * row)
    check(s + kp.asarray(b), a + b)
    check(kp.asarray(b) - s, b - a)
    check(s + 0, a)
    check(s @ t.T, a @ b.T)
    with pytest.raises(NotImplementedError, match="toarray"):
        s + 1


def test_matrices_multiply_by_their_star():
    a = dense(6, 6)
    m = sparse.csr_matrix(a)
    check(m * m, a @ a)
    check(m * np.ones(6, np.float32), a.sum(1))
    check(m * 2, a * 2)
    assert type(m.T) is sparse.csc_matrix and sparse.issparse(m) and not sparse.issparse(a)
    check(m[2], a[2:3])
    with pytest.raises(IndexError, match=r"A\[2:3\]"):
        sparse.csr_array(a)[2]


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_array])
def test_parts_are_selected_as_in_numpy(kind):
    a = dense(12, 9, density=0.5)
    s = kind(a)
    assert float(s[3, -2]) == a[3, -2]
    check(s[2:7], a[2:7])
    check(s[:, 3:], a[:, 3:])
    check(s[::-2, 1:4], a[::-2, 1:4])
    check(s[[3, 0, 3]], a[[3, 0, 3]])
    check(s[:, [-1, 2]], a[:, [-1, 2]])
    mask = a[:, 0] != 0
    check(s[mask], a[mask])
    assert s[2:7].format == kind.format
    for wrong in ((12,), (0, 9), ([12],), (slice(None), [9])):
        with pytest.raises(IndexError):
            s[wrong if len(wrong) > 1 else wrong[0]]
    with pytest.raises(IndexError, match="mask"):
        s[np.ones(3, bool)]


def test_sums_and_diagonals():
    a = dense(8, 11, density=0.6)
    s = sparse.csr_array(a)
    assert float(s.sum()) == a.sum()
    check(s.sum(0), a.sum(0))
    check(s.sum(axis=1), a.sum(1))
    check(s.mean(0), a.mean(0))
    for k in (-9, -7, -1, 0, 3, 10, 12):
        check(s.diagonal(k), np.diagonal(a, k) if -8 < k < 11 else np.zeros(0, np.float32))
    assert float(s.trace()) == np.trace(a)


def test_a_matrix_stays_as_it_is():
    data = kp.asarray(np.array([1, 2], np.float32))
    a = sparse.csr_array((data, [0, 1], [0, 1, 2]))
    data[0] = 100
    assert a.data.tolist() == [1, 2]
    with pytest.raises(ValueError, match="read-only"):
        a.data[0] = 5
    check(a.T @ np.ones(2, np.float32), np.array([1, 2], np.float32))
    a.data = np.array([3, 4], np.float32)
    check(a.T @ np.ones(2, np.float32), np.array([3, 4], np.float32))
    a.data = np.array([0, 4], np.float32)
    a.eliminate_zeros()
    assert a.nnz == 1
    with pytest.raises(ValueError, match="has 1 elements"):
        a.data = np.zeros(3, np.float32)


def test_matrices_of_several_managers():
    a = dense(9, 7)
    other = kp.Manager()
    for kind in (sparse.csr_array, sparse.csc_array, sparse.coo_array):
        made = kind(sparse.csr_array(a), device=other)
        assert made.manager is other
        check(made, a)
        check(made @ np.ones(7, np.float32), a.sum(1))
        with pytest.raises(ValueError, match="manager"):
            made @ kp.ones(7, dtype=np.float32)
    assert sparse.eye_array(3, device=other).manager is other


def test_rows_of_very_different_lengths():
    a = np.zeros((2000, 500), np.float32)
    a[:, 3] = 1
    a[1000] = np.arange(500)
    a[::3] = 0
    x = np.random.default_rng(1).random(500, dtype=np.float32)
    s = sparse.csr_array(a)
    check(s @ x, (a.astype(np.float64) @ x).astype(np.float32))
    xs = np.stack([x, x * 2], 1)
    check(s @ xs, (a.astype(np.float64) @ xs).astype(np.float32))


def test_matrices_are_constructed():
    check(sparse.eye_array(3, 5, k=1, dtype=np.float32), np.eye(3, 5, 1, np.float32))
    check(sparse.eye(4, k=-2, dtype=np.float64), np.eye(4, k=-2))
    check(sparse.identity(3, dtype=np.float64) * np.ones(3), np.ones(3))
    expected = np.diag(np.full(4, -2.0)) + np.diag(np.ones(3), 1) + np.diag(np.ones(3), -1)
    check(
        sparse.diags_array([1, -2, 1], offsets=[-1, 0, 1], shape=(4, 4), dtype=np.float64), expected
    )
    check(sparse.diags([[1.0, 2.0]], [1], dtype=np.float64), np.diag([1.0, 2.0], 1))
    check(sparse.diags(np.array([1.0, 2.0])), np.diag([1.0, 2.0]))
    with pytest.raises(ValueError, match="has 3 elements"):
        sparse.diags([[1.0, 2.0, 3.0]], [0], shape=(2, 2))
    r = sparse.random_array((50, 40), density=0.1, rng=5, dtype=np.float32)
    assert r.nnz == 200 and r.format == "coo"
    values = r.toarray().numpy()
    assert np.count_nonzero(values) == 200 and 0 < values.max() < 1
    assert np.array_equal(
        values, sparse.random_array((50, 40), density=0.1, rng=5, dtype=np.float32).toarray()
    )
    assert sparse.random(30, 20, 0.5, "csr").nnz == 300


def test_matrices_without_elements():
    for shape in ((0, 3), (3, 0), (4, 4)):
        s = sparse.csr_array(shape, dtype=np.float32)
        check(s @ np.ones(shape[1], np.float32), np.zeros(shape[0], np.float32))
        check(s.T, np.zeros(shape[::-1], np.float32))
        check(s @ s.T, np.zeros((shape[0], shape[0]), np.float32))
        check(s + s, np.zeros(shape, np.float32))


def test_scipys_matrices_convert_both_ways():
    scipy_sparse = pytest.importorskip("scipy.sparse")
    a = dense(30, 20, density=0.3)
    for name in ("csr", "csc", "coo", "bsr", "lil"):
        given = getattr(scipy_sparse, f"{name}_array")(a)
        for kind in (sparse.csr_array, sparse.csc_array, sparse.coo_array):
            made = kind(given)
            check(made, a)
            back = made.to_scipy()
            assert back.format == kind.format and np.array_equal(back.toarray(), a)
    assert isinstance(sparse.csr_matrix(a).to_scipy(), scipy_sparse.csr_matrix)


@pytest.mark.parametrize("name", ["csr", "csc"])
def test_the_device_converts_scipys_compressed_matrices(name, monkeypatch):
    scipy_sparse = pytest.importorskip("scipy.sparse")
    a = dense(30, 20, density=0.3)
    given = getattr(scipy_sparse, f"{name}_array")(a)
    for conversion in ("tocsr", "tocsc", "tocoo", "asformat", "copy"):
        monkeypatch.setattr(type(given), conversion, lambda *args, **more: pytest.fail("converted"))
    kinds = (
        sparse.csr_array,
        sparse.csc_array,
        sparse.coo_array,
        sparse.csr_matrix,
        sparse.csc_matrix,
    )
    made = [kind(given) for kind in kinds]
    monkeypatch.undo()
    for each in made:
        check(each, a)
        back = each.to_scipy()
        assert back.format == each.format and np.array_equal(back.toarray(), a)
        for other in ("csr", "csc", "coo"):
            check(each.asformat(other), a)
            found = each.asformat(other).to_scipy()
            expected = given.asformat(other)
            assert np.array_equal(found.toarray(), expected.toarray())
            assert found.nnz == expected.nnz


def test_a_primitive_multiplies_tensors():
    a = dense(50, 30)
    s = sparse.csr_array(a)
    x = np.random.default_rng(1).random((30, 4), dtype=np.float32)
    m = kp.default_manager()
    arrays = [s.indptr.numpy(), s.indices.numpy(), s.data.numpy(), x, np.zeros((50, 4), np.float32)]
    tensors = [m.tensor_t(each) for each in arrays]
    m.sequence().record(kp.OpSyncDevice(tensors)).record(kp.OpSparseMatMul(*tensors)).eval()
    np.testing.assert_allclose(tensors[-1].numpy(), a @ x, rtol=1e-5, atol=1e-5)
