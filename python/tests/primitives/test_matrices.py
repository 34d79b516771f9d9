# SPDX-License-Identifier: Apache-2.0
"""Products of matrices and random numbers, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import kp

RANDOM = np.random.default_rng(7)


@pytest.fixture(scope="module")
def mgr() -> kp.Manager:
    return kp.Manager()


def matrix(*shape: int, dtype: str = "f4") -> np.ndarray:
    return RANDOM.uniform(-1, 1, shape).astype(dtype)


@pytest.mark.parametrize(
    "a, b",
    [
        ((3, 4), (4, 5)),
        ((4,), (4, 5)),
        ((3, 4), (4,)),
        ((4,), (4,)),
        ((2, 3, 4), (2, 4, 5)),
        ((2, 3, 4), (4, 5)),
        ((3, 4), (6, 4, 5)),
        ((2, 2, 3, 4), (2, 2, 4, 1)),
        ((1, 3, 4), (5, 4, 2)),
        ((1, 1, 3, 4), (5, 4, 2)),
        ((5, 3, 4), (1, 1, 4, 2)),
    ],
)
def test_matmul_agrees_with_numpy(mgr, a, b) -> None:
    left, right = matrix(*a), matrix(*b)
    product = kp.matmul(mgr.tensor_t(left), mgr.tensor_t(right))
    expected = left @ right
    assert product.shape == expected.shape
    np.testing.assert_allclose(product.numpy(), expected, rtol=1e-5, atol=1e-6)


def test_matmul_of_half_sums_in_float(mgr) -> None:
    a, b = matrix(40, 300, dtype="f2"), matrix(300, 30, dtype="f2")
    exact = a.astype("f8") @ b.astype("f8")
    product = kp.matmul(mgr.tensor_t(a), mgr.tensor_t(b), dtype=np.float32)
    assert product.dtype == np.float32
    np.testing.assert_allclose(product.numpy(), exact, atol=1e-4)
    product = kp.matmul(mgr.tensor_t(a), mgr.tensor_t(b))
    assert product.dtype == np.float16
    np.testing.assert_allclose(product.numpy().astype("f8"), exact, atol=1e-2)


def test_matmul_takes_factors_transposes_bias_and_epilogue(mgr) -> None:
    a, b, c, bias = matrix(7, 6), matrix(9, 7), matrix(6, 9), matrix(9)
    out = mgr.tensor_t(c)
    result = kp.matmul(
        mgr.tensor_t(a),
        mgr.tensor_t(b),
        out,
        transpose_a=True,
        transpose_b=True,
        alpha=2,
        beta=-1,
        bias=mgr.tensor_t(bias),
        epilogue="max(c + bias, 0.0)",
    )
    assert result is out
    expected = np.maximum(2 * a.T @ b.T - c + bias, 0)
    np.testing.assert_allclose(out.numpy(), expected, rtol=1e-5, atol=1e-5)


def test_op_matmul_takes_parts_with_extents_and_strides(mgr) -> None:
    a, b = matrix(100), matrix(100)
    tensors = mgr.tensor_t(a), mgr.tensor_t(b), mgr.tensor(np.zeros(60, "f4"))
    sequence = mgr.sequence()
    sequence.record(kp.OpSyncDevice(list(tensors)))
    sequence.record(
        kp.OpMatMul(
            (tensors[0], 4),
            tensors[1],
            tensors[2],
            extents=(3, 4, 5),
            strides=(8, None, None),
            batches=2,
            batch_strides=(30, 0, 20),
        )
    )
    sequence.eval()
    for batch in range(2):
        left = np.lib.stride_tricks.as_strided(a[4 + 30 * batch :], (3, 5), (32, 4))
        expected = left @ b[:20].reshape(5, 4)
        given = tensors[2].numpy()[20 * batch :][:12].reshape(3, 4)
        np.testing.assert_allclose(given, expected, rtol=1e-5, atol=1e-6)


def test_matmul_refuses_what_does_not_match(mgr) -> None:
    a, b = mgr.tensor_t(matrix(3, 4)), mgr.tensor_t(matrix(5, 6))
    with pytest.raises(ValueError, match="rows of a have 4 elements, but the columns of b have 5"):
        kp.matmul(a, b)
    with pytest.raises(ValueError, match="a has 2 matrices and b has 3"):
        stacks = mgr.tensor_t(matrix(2, 3, 4)), mgr.tensor_t(matrix(3, 4, 5))
        kp.OpMatMul(*stacks, mgr.tensor_t(matrix(3, 3, 5)))
    with pytest.raises(ValueError, match="needs out"):
        kp.matmul(a, a, transpose_b=True, beta=1)
    with pytest.raises(TypeError, match="takes b as a kp.Tensor, not a numpy.ndarray"):
        kp.matmul(a, matrix(4, 4))
    with pytest.raises(ValueError, match=r"shape \(3, 3\), but out has \(5, 6\)"):
        kp.matmul(a, a, b, transpose_b=True)
    with pytest.raises(ValueError, match="need extents"):
        kp.OpMatMul(a, a, b, batches=2)


@pytest.mark.parametrize("stacks", [((2, 1), (1, 2)), ((6,), (2, 3)), ((4,), (2, 2)), ((2,), (3,))])
def test_matmul_refuses_stacks_of_other_shapes(mgr, stacks) -> None:
    a, b = (mgr.tensor_t(np.ones((*stack, 2, 2), np.float32)) for stack in stacks)
    with pytest.raises(ValueError, match=r"or one, not stacks of the shapes .*kp\.asarray"):
        kp.matmul(a, b)


def test_matmul_refuses_what_would_be_ignored_or_rounded(mgr) -> None:
    a = mgr.tensor_t(np.ones((2, 2), np.float32))
    for epilogue in ("c + bias", "max(bias, c)", "c*bias"):
        with pytest.raises(kp.InvalidArgument, match="has a bias, but none was given"):
            kp.matmul(a, a, epilogue=epilogue)
    whole = mgr.tensor_t([[1]], dtype="int64")
    with pytest.raises(ValueError, match="alpha is a float64, which cannot hold 9007199254740993"):
        kp.matmul(whole, whole, alpha=2**53 + 1)
    with pytest.raises(ValueError, match="beta is a float64, which cannot hold 1000"):
        kp.OpMatMul(whole, whole, whole, beta=10**400)
    with pytest.raises(TypeError, match="alpha is a number, not a str"):
        kp.OpMatMul(whole, whole, whole, alpha="2")
    assert kp.matmul(whole, whole, alpha=np.float32(3)).item() == 3
    assert kp.matmul(whole, whole, alpha=2**60).item() == 2**60


@pytest.mark.parametrize(
    "dtype, low, high",
    [
        ("float16", 1, 2),
        ("float16", 10, 11),
        ("float16", -0.01, 0),
        ("float32", 1000, 1001),
        ("float32", -1, 0),
        ("float64", 1, 1 + 2**-40),
    ],
)
def test_uniform_numbers_are_below_the_upper_limit(
    mgr, dtype: str, low: float, high: float
) -> None:
    numbers = kp.random.uniform(mgr, 100_000, low, high, dtype=dtype, seed=1).numpy()
    assert (numbers.astype(np.float64) < high).all()
    assert (numbers >= np.dtype(dtype).type(low)).all()
    assert abs(numbers.mean(dtype=np.float64) - (low + high) / 2) < (high - low) / 200


def test_uniform_numbers_between_equal_limits_are_the_limit(mgr) -> None:
    assert (kp.random.uniform(mgr, 10, 5, 5).numpy() == 5).all()


def test_random_names_the_argument_that_is_wrong(mgr) -> None:
    wrong = {
        "shape is a whole number, not 3.0": lambda: kp.random.uniform(mgr, 3.0),
        "low is a whole number, not 0.5": lambda: kp.random.integers(mgr, 3, 0.5, 2),
        "x is a whole number, not 2.5": lambda: kp.random.permutation(mgr, 2.5),
        "seed is an integer, not None": lambda: kp.random.uniform(mgr, 3, seed=None),
    }
    for text, call in wrong.items():
        with pytest.raises(TypeError, match=text):
            call()
    with pytest.raises(ValueError, match=r"seed is an integer from 0 to 2\^64 - 1, not -1"):
        kp.random.uniform(mgr, 3, seed=-1)


def test_random_numbers_continue_where_the_counter_is(mgr) -> None:
    whole = kp.random.normal(mgr, 1000, seed=5).numpy()
    parts = [
        kp.random.normal(mgr, 333, seed=5).numpy(),
        kp.random.normal(mgr, (23, 29), seed=5, counter=333).numpy().ravel(),
    ]
    np.testing.assert_array_equal(whole, np.concatenate(parts))
    assert abs(whole.mean()) < 0.2
    assert not np.array_equal(whole, kp.random.normal(mgr, 1000, seed=5, stream=1).numpy())


def test_random_words_are_the_known_ones(mgr) -> None:
    words = kp.random.bits(mgr, 4).numpy()
    assert [hex(word) for word in words] == ["0x6627e8d5", "0xe169c58d", "0xbc57ac4c", "0x9b00dbd8"]


def test_random_distributions_have_their_limits_and_means(mgr) -> None:
    dice = kp.random.integers(mgr, 6000, 1, 7, np.uint8, seed=1).numpy()
    assert set(dice) == {1, 2, 3, 4, 5, 6}
    uniform = kp.random.uniform(mgr, (50, 100), -2, 4, np.float64).numpy()
    assert uniform.min() >= -2 and uniform.max() < 4
    assert abs(uniform.mean() - 1) < 0.2
    exponential = kp.random.exponential(mgr, 5000, 3).numpy()
    assert exponential.min() > 0 and abs(exponential.mean() - 3) < 0.3
    whole = kp.random.integers(mgr, 100, -(2**63), 2**63, np.int64).numpy()
    assert whole.min() < 0 < whole.max()


def test_random_refuses_distributions_that_do_not_exist(mgr) -> None:
    tensor = mgr.tensor(np.zeros(4, "f4"))
    with pytest.raises(TypeError, match="distribution"):
        kp.OpRandom(tensor, 3)
    with pytest.raises(TypeError, match="distribution"):
        kp.OpRandom(tensor, ("normal", 1, 2, 3))
    with pytest.raises(kp.InvalidArgument, match="integers need an output of an integer type"):
        kp.OpRandom(tensor, "bits")
    with pytest.raises(kp.InvalidArgument, match="no numbers from 2 up to 1"):
        kp.OpRandom(tensor, ("uniform", 2, 1))
    with pytest.raises(
        ValueError, match="high must be greater than low, but low is 5 and high is 5"
    ):
        kp.random.integers(mgr, 3, 5, 5)
    with pytest.raises(OverflowError):
        kp.random.integers(mgr, 4, 0, 2**65, np.uint64)
