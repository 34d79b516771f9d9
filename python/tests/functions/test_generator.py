# SPDX-License-Identifier: Apache-2.0
"""kp.random.default_rng(): samples, orders, parameters that are arrays, and refusals."""

from __future__ import annotations

import copy
import pickle
from collections import Counter
from typing import Any

import numpy as np
import pytest

import kp


@pytest.fixture
def rng() -> kp.random.Generator:
    return kp.random.default_rng(1)


def test_seeds_and_streams_are_integers() -> None:
    for seed in ("a", 1.5, object()):
        with pytest.raises(TypeError):
            kp.random.default_rng(seed)  # type: ignore[arg-type]
    for seed in (-1, 2**64):
        with pytest.raises(
            ValueError, match=f"seed is an integer from 0 to 2\\^64 - 1, not {seed}"
        ):
            kp.random.default_rng(seed)
    with pytest.raises(TypeError, match="stream is an integer, not 'a'"):
        kp.random.default_rng(1, stream="a")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="device must be a kp.Manager or None, not int"):
        kp.random.default_rng(1, device=3)  # type: ignore[arg-type]
    assert kp.random.default_rng(2**64 - 1).random() < 1
    assert kp.random.default_rng([1, 2]).random().item() == kp.random.default_rng((1, 2)).random()
    rng = kp.random.default_rng(3)
    assert kp.random.default_rng(rng) is rng


def test_sizes_are_lists_tuples_and_numbers(rng: kp.random.Generator) -> None:
    assert rng.random([2, 3]).shape == rng.random((2, 3)).shape == (2, 3)
    assert rng.random().shape == ()
    assert rng.random(0).shape == (0,)
    with pytest.raises(ValueError, match="no negative extents"):
        rng.random(-1)


def test_parameters_broadcast(rng: kp.random.Generator) -> None:
    found = rng.normal(loc=[0, 100, 1000], scale=[1, 1, 0]).numpy()
    assert found[2] == 1000 and abs(found[1] - 100) < 10 and found.dtype == np.float64
    assert rng.normal(kp.array([0.0, 100]), 1, size=(3, 2)).shape == (3, 2)
    many = rng.normal(np.arange(3.0)[:, None], 1, size=(3, 10000)).numpy()
    assert np.allclose(many.mean(axis=1), [0, 1, 2], atol=0.1)
    spread = rng.uniform([0, 10], [1, 30], (5000, 2)).numpy()
    assert (spread >= [0, 10]).all() and (spread < [1, 30]).all()
    assert np.allclose(spread.mean(axis=0), [0.5, 20], atol=1)
    waits = rng.exponential([1, 1000], (20000, 2), np.float64)
    assert waits.dtype == np.float64
    assert np.allclose(waits.numpy().mean(axis=0), [1, 1000], rtol=0.1)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda r: r.normal([0, 1], 1, size=3), ValueError, "shape"),
        (lambda r: r.normal("a"), TypeError, "loc is a number or an array of them, not 'a'"),
        (lambda r: r.normal(np.nan), ValueError, "loc is finite"),
        (lambda r: r.normal([0, 1], [1, -1]), ValueError, "scale is negative in some elements"),
        (lambda r: r.exponential([1, -1]), ValueError, "scale is negative"),
        (lambda r: r.uniform([0, 10], [1, 1]), ValueError, "high is below low"),
        (lambda r: r.normal([0j]), TypeError, "real numbers, not complex128"),
        (lambda r: r.normal([0], dtype=int), TypeError, "floats, not int64"),
        (
            lambda r: r.integers(0),
            ValueError,
            "no integers from low=0 to high=0, which is left out",
        ),
        (lambda r: r.integers(5, 2, endpoint=True), ValueError, "no integers from low=5 to high=2"),
        (lambda r: r.integers(0, 300, dtype=np.uint8), ValueError, "0 to 299 do not all fit uint8"),
        (lambda r: r.integers(0, 3, dtype=np.float32), TypeError, "dtype must be an integer type"),
        (lambda r: r.integers([0, 5], [5, 5]), ValueError, "left out in some elements"),
        (
            lambda r: r.integers([3], 2, endpoint=True),
            ValueError,
            "no integers from low to high in",
        ),
        (lambda r: r.integers([0, 0.5], 9), TypeError, "low has whole numbers, not float64"),
        (lambda r: r.integers([0], 300, dtype=np.uint8), ValueError, "0 to 299 do not all fit"),
        (lambda r: r.integers([0, 1], 9, size=3), ValueError, "shapes .2,. .3,."),
        (lambda r: r.integers([0, 1], 9, dtype=float), TypeError, "dtype must be an integer type"),
        (lambda r: r.choice(5, 6, replace=False), ValueError, "6 of 5 cannot be chosen"),
        (lambda r: r.choice(0, 2), ValueError, "nothing to choose from"),
        (lambda r: r.choice(3, 2, p=[0.5, 0.6, 0.5]), ValueError, "add up to 1, not to 1.6"),
        (lambda r: r.choice(3, 2, p=[-0.5, 1, 0.5]), ValueError, "at least 0, not -0.5"),
        (lambda r: r.choice(3, 2, p=[np.nan, 1, 0]), ValueError, "at least 0"),
        (lambda r: r.choice(3, 2, p=[1.0]), ValueError, "there are 3 to choose from"),
        (lambda r: r.choice(3, 3, False, p=[0.5, 0, 0.5]), ValueError, "only 2 have a probability"),
        (lambda r: r.shuffle([1, 2]), TypeError, "permutation.. returns an array"),
        (lambda r: r.permutation(-1), ValueError, "0 or more, not -1"),
        (lambda r: kp.random.normal(0, 1, 3), TypeError, r"default_rng\(seed\)\.normal"),
    ],
)
def test_nonsense_is_refused(
    rng: kp.random.Generator, call: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        call(rng)


def test_choices_have_their_probabilities(rng: kp.random.Generator) -> None:
    p = [0.1, 0.0, 0.3, 0.6, 0.0]
    found = np.bincount(rng.choice(5, 50000, p=p).numpy(), minlength=5) / 50000
    assert np.allclose(found, p, atol=0.02) and found[1] == found[4] == 0
    even = np.bincount(rng.choice(4, 50000).numpy()) / 50000
    assert np.allclose(even, 0.25, atol=0.02)
    assert rng.choice(3, 4, p=[0, 1, 0]).tolist() == [1] * 4
    assert sorted(rng.choice([10, 20, 30], 3, replace=False).tolist()) == [10, 20, 30]
    grid = kp.arange(6).reshape(2, 3)
    assert rng.choice(grid, 4, axis=1).shape == (2, 4)
    assert rng.choice(grid).tolist() in grid.tolist()
    assert rng.choice(7).shape == ()


def test_choices_without_replacement_are_drawn_one_after_the_other(
    rng: kp.random.Generator,
) -> None:
    pairs = Counter(tuple(rng.choice(3, 2, False, [0.2, 0.3, 0.5]).tolist()) for _ in range(600))
    chances = {
        (0, 1): 0.075,
        (0, 2): 0.125,
        (1, 0): 0.6 / 7,
        (1, 2): 1.5 / 7,
        (2, 0): 0.2,
        (2, 1): 0.3,
    }
    for pair, chance in chances.items():
        assert abs(pairs[pair] / 600 - chance) < 0.08


def test_orders_are_those_of_all_elements(rng: kp.random.Generator) -> None:
    x = kp.arange(20)
    rng.shuffle(x)
    assert x.tolist() != list(range(20)) and sorted(x.tolist()) == list(range(20))
    rows = kp.arange(40).reshape(20, 2)
    rng.shuffle(rows)
    assert (rows[:, 1] - rows[:, 0]).tolist() == [1] * 20
    columns = rng.permutation([[1, 2, 3, 4], [5, 6, 7, 8]], axis=1)
    assert (columns[1] - columns[0]).tolist() == [4] * 4
    assert sorted(rng.permutation([3, 1, 2]).tolist()) == [1, 2, 3]
    assert sorted(rng.permutation(5).tolist()) == [0, 1, 2, 3, 4]
    mixed = rng.permuted(np.arange(40).reshape(2, 20), axis=1).numpy()
    assert np.array_equal(np.sort(mixed, axis=1), np.arange(40).reshape(2, 20))
    assert (mixed[0] + 20 != mixed[1]).any()
    assert sorted(rng.permuted(kp.arange(6).reshape(2, 3)).numpy().ravel()) == list(range(6))


def test_arguments_that_are_no_whole_numbers_are_named() -> None:
    rng = kp.random.default_rng(1)
    with pytest.raises(TypeError, match=r"^a is a whole number, not 4.5"):
        rng.choice(4.5, 3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^low is a whole number, not 0.5"):
        rng.integers(0.5, 12)
    with pytest.raises(TypeError, match="an extent of a shape is a whole number, not 2.5"):
        kp.ones((2, 2.5))  # type: ignore[arg-type]


def test_bounds_of_integers_are_arrays(rng: kp.random.Generator) -> None:
    x = rng.integers([0, 10], kp.array([5, 13]), size=(2000, 2))
    assert x.dtype == np.int64
    assert x.min(axis=0).tolist() == [0, 10] and x.max(axis=0).tolist() == [4, 12]
    counts = np.bincount(x[:, 0].numpy())
    assert np.allclose(counts / 2000, 0.2, atol=0.05)
    assert (rng.integers([1, 5, 9]) < kp.array([1, 5, 9])).all()
    closed = rng.integers(3, [[5], [3]], (2, 1000), np.int8, endpoint=True)
    assert closed.dtype == np.int8
    assert closed.max(axis=1).tolist() == [5, 3] and int(closed.min()) == 3
    assert rng.integers([255], 256, dtype=np.uint8).tolist() == [255]
    assert set(rng.integers([0] * 50, 2, dtype=bool).tolist()) == {False, True}
    assert rng.integers([], [5]).shape == (0,)
    everything = rng.integers([-(2**63)] * 64, 2**63 - 1, endpoint=True).numpy()
    assert (everything < 0).any() and (everything > 2**62).any()
    large = rng.integers(
        np.array([2**63], np.uint64), np.uint64(2**64 - 1), 64, np.uint64, endpoint=True
    )
    assert (large.numpy() >= 2**63).all()


def test_generators_are_copied_and_pickled_with_their_place() -> None:
    rng = kp.random.default_rng(7, stream=3)
    rng.random(10)
    twins = [copy.copy(rng), copy.deepcopy(rng), pickle.loads(pickle.dumps(rng))]
    expected = rng.random(5).tolist()
    for twin in twins:
        assert twin.random(5).tolist() == expected
