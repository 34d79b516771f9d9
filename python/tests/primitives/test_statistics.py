# SPDX-License-Identifier: Apache-2.0
"""Histograms, searches, the largest elements and permutations, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kp

RANDOM = np.random.default_rng(9)


@pytest.fixture(scope="module")
def mgr() -> kp.Manager:
    return kp.Manager()


def same(given: kp.Tensor, expected: Any) -> None:
    """Check values, dtype and shape."""
    wanted = np.asarray(expected)
    assert (given.dtype, given.shape) == (wanted.dtype, wanted.shape)
    np.testing.assert_array_equal(given.numpy(), wanted)


@pytest.mark.parametrize("dtype", ["float32", "int32", "uint8", "float64"])
def test_histograms_agree_with_numpy(mgr: kp.Manager, dtype: str) -> None:
    array = (RANDOM.normal(50, 20, (40, 50)).clip(0, 200)).astype(dtype)
    tensor = mgr.tensor_t(array)
    for bins, limits in [(10, None), (7, (20, 60)), (100, (0.0, 99.5)), (1, None)]:
        counts, edges = kp.histogram(tensor, bins, limits)
        expected, places = np.histogram(array, bins, limits)
        same(edges, places)
        same(counts, expected)
    given = np.array([0, 10, 20, 20, 55, 90]).astype(dtype)
    for edges_given in (given, given.tolist(), mgr.tensor_t(given)):
        counts, edges = kp.histogram(tensor, edges_given)
        same(counts, np.histogram(array, given)[0])
        same(edges, given)


def test_histograms_add_up_weights(mgr: kp.Manager) -> None:
    array = RANDOM.random(3000).astype(np.float32)
    weights = RANDOM.random(3000)
    counts, _ = kp.histogram(mgr.tensor_t(array), 12, (0, 1), weights=mgr.tensor_t(weights))
    expected, _ = np.histogram(array, 12, (0, 1), weights=weights)
    assert counts.dtype == np.float64
    np.testing.assert_allclose(counts.numpy(), expected, rtol=1e-12)


def test_histograms_of_nothing_and_of_one_value(mgr: kp.Manager) -> None:
    for array in (np.zeros(0, np.float32), np.full(5, 3, np.float32), np.full(4, -2, np.int32)):
        counts, edges = kp.histogram(mgr.tensor_t(array), 4)
        expected, places = np.histogram(array, 4)
        same(counts, expected)
        same(edges, places)


def test_bincount_agrees_with_numpy(mgr: kp.Manager) -> None:
    array = RANDOM.integers(0, 37, 5000)
    weights = RANDOM.random(5000).astype(np.float32)
    for dtype in ("int64", "uint8", "int32"):
        tensor = mgr.tensor_t(array.astype(dtype))
        same(kp.bincount(tensor), np.bincount(array))
        same(kp.bincount(tensor, minlength=50), np.bincount(array, minlength=50))
    sums = kp.bincount(tensor, mgr.tensor_t(weights))
    np.testing.assert_allclose(sums.numpy(), np.bincount(array, weights), rtol=1e-5)
    flags = np.array([True, False, True])
    same(kp.bincount(mgr.tensor_t(flags)), np.bincount(flags))
    nothing = mgr.tensor_t(np.zeros(0, np.int32))
    same(kp.bincount(nothing), np.zeros(0, np.int64))
    same(kp.bincount(nothing, minlength=2), np.zeros(2, np.int64))


@pytest.mark.parametrize("dtype", ["float32", "int16", "uint64"])
def test_searchsorted_agrees_with_numpy(mgr: kp.Manager, dtype: str) -> None:
    ordered = np.sort(RANDOM.integers(0, 300, 1000)).astype(dtype)
    tensor = mgr.tensor_t(ordered)
    for side in ("left", "right"):
        for shape in [(), (1,), (20, 30)]:
            needles = RANDOM.integers(0, 320, shape).astype(dtype)
            expected = np.searchsorted(ordered, needles, side)  # type: ignore[call-overload]
            same(kp.searchsorted(tensor, mgr.tensor_t(needles), side), np.asarray(expected))
            same(kp.searchsorted(tensor, needles, side), np.asarray(expected))
    same(kp.searchsorted(tensor, [], "left"), np.zeros(0, np.int64))
    nothing = mgr.tensor_t(np.zeros(0, dtype))
    same(kp.searchsorted(nothing, [1, 2]), np.zeros(2, np.int64))


@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_top_k_is_the_beginning_of_a_sort(mgr: kp.Manager, dtype: str) -> None:
    for shape in [(1,), (3000,), (7, 90), (3, 5, 11)]:
        array = RANDOM.integers(-40, 40, shape).astype(dtype)
        tensor = mgr.tensor_t(array)
        for axis in [None, *range(-len(shape), len(shape))]:
            rows = array.ravel() if axis is None else array
            along = -1 if axis is None else axis
            k = min(5, rows.shape[along])
            for smallest in (False, True):
                keys = rows if smallest else -rows
                order = np.argsort(keys, along, kind="stable").take(range(k), along)
                values, indices = kp.top_k(tensor, k, axis, smallest)
                same(indices, order)
                same(values, np.take_along_axis(rows, order, along))
    values, indices = kp.top_k(tensor, 0)
    assert values.shape == indices.shape == (3, 5, 0)


def test_permutations_are_permutations_and_repeatable(mgr: kp.Manager) -> None:
    for count in (0, 1, 2, 1000):
        order = kp.random.permutation(mgr, count, seed=4)
        assert order.dtype == np.int64
        assert sorted(order.numpy().tolist()) == list(range(count))
    again = kp.random.permutation(mgr, 1000, seed=4)
    assert np.array_equal(again.numpy(), order.numpy())
    for other in ({"seed": 5}, {"seed": 4, "counter": 2000}, {"seed": 4, "stream": 1}):
        assert not np.array_equal(kp.random.permutation(mgr, 1000, **other).numpy(), order.numpy())
    table = RANDOM.random((1000, 3)).astype(np.float32)
    tensor = mgr.tensor_t(table)
    same(kp.random.permutation(mgr, tensor, seed=4), table[order.numpy()])
    same(tensor, table)
    kp.random.shuffle(tensor, seed=4)
    np.testing.assert_array_equal(tensor.read(), table[order.numpy()])


def test_random_order_of_arrays_is_left_to_generators() -> None:
    for random_order in (kp.random.permutation, kp.random.shuffle):
        for rows in ([1, 2, 3], kp.array([1, 2, 3]), 5):
            with pytest.raises(TypeError, match=r"for arrays.*default_rng\(seed\)\."):
                random_order(rows)


def test_statistics_in_a_sequence(mgr: kp.Manager) -> None:
    array = RANDOM.random(500).astype(np.float32)
    tensor = mgr.tensor_t(array)
    counts = mgr.tensor_t(shape=10, dtype=np.uint32)
    best = mgr.tensor_t(shape=3)
    order = mgr.tensor_t(shape=500, dtype=np.uint32)
    edges = mgr.tensor_t(np.linspace(0, 1, 6, dtype=np.float32))
    places = mgr.tensor_t(shape=500, dtype=np.uint32)
    sequence = mgr.sequence().record(kp.OpSyncDevice([tensor, edges]))
    sequence.record(kp.OpHistogram(tensor, (counts, 0, 5), (0, 1)))
    sequence.record(kp.OpHistogram(tensor, (counts, 5), edges))
    sequence.record(kp.OpTopK((tensor, 0, 400), 3, best))
    sequence.record(kp.OpPermutation(order, seed=1))
    sequence.record(kp.OpSearchSorted(edges, tensor, places, side="right")).eval()
    expected = np.histogram(array, 5, (0, 1))[0]
    assert counts.data().tolist() == [*expected, *expected]
    assert best.data().tolist() == np.sort(array[:400])[:-4:-1].tolist()
    assert sorted(order.data().tolist()) == list(range(500))
    assert np.array_equal(places.data(), np.searchsorted(edges.data(), array, "right"))


def test_faults_of_statistics_are_named(mgr: kp.Manager) -> None:
    tensor = mgr.tensor_t(np.arange(6, dtype=np.int32))
    with pytest.raises(ValueError, match="at least 1 bin, not 0"):
        kp.histogram(tensor, 0)
    with pytest.raises(ValueError, match="low <= high"):
        kp.histogram(tensor, 3, (2, 1))
    with pytest.raises(ValueError, match="is finite, not"):
        kp.histogram(mgr.tensor([1, np.inf]))
    with pytest.raises(ValueError, match="ascending order"):
        kp.histogram(tensor, [3, 2, 5])
    with pytest.raises(TypeError, match="1.5, which 'int32' cannot hold"):
        kp.histogram(tensor, [0, 1.5])
    with pytest.raises(ValueError, match="5 weights for 6 elements"):
        kp.histogram(tensor, weights=mgr.tensor([1] * 5))
    with pytest.raises(ValueError, match="integers from 0 on, but there is -1"):
        kp.bincount(mgr.tensor_t(np.array([2, -1])))
    with pytest.raises(TypeError, match="takes integers, not 'float32'"):
        kp.bincount(mgr.tensor([1]))
    with pytest.raises(kp.InvalidArgument, match='side is one of "left", "right"'):
        kp.searchsorted(tensor, [1], "middle")
    with pytest.raises(TypeError, match="one dtype, but there are 'int32' and 'float32'"):
        kp.searchsorted(tensor, mgr.tensor([1]))
    with pytest.raises(ValueError, match="k from 0 to 6, the number of elements, not 7"):
        kp.top_k(tensor, 7)
    with pytest.raises(TypeError, match="bins is None for integers"):
        kp.OpHistogram(tensor, mgr.tensor_t(shape=2, dtype=np.uint32), 3)  # type: ignore[arg-type]


def test_histograms_of_large_integers_have_all_of_them(mgr: kp.Manager) -> None:
    """The outermost integers have no exact float64, but are within the outermost edges."""
    assert kp.histogram(mgr.tensor_t([-(2**53) - 1, 0, 10]), 2)[0].data().tolist() == [1, 2]
    for dtype in ("int64", "uint64"):
        limits = np.iinfo(dtype)
        values = RANDOM.integers(limits.min, limits.max, 2000, dtype, endpoint=True)
        assert kp.histogram(mgr.tensor_t(values), 7)[0].data().sum() == 2000


def test_histograms_say_what_bins_and_ranges_are(mgr: kp.Manager) -> None:
    tensor = mgr.tensor_t([1, 2, 3], dtype="int32")
    with pytest.raises(TypeError, match="number or their edges, not 'auto'"):
        kp.histogram(tensor, "auto")
    with pytest.raises(TypeError, match=r"range is \(low, high\), not \(0, 1, 2\)"):
        kp.histogram(tensor, 4, range=(0, 1, 2))
    with pytest.raises(TypeError, match="takes numbers of the elements' dtype, but data has"):
        kp.histogram(tensor, [0.5, 1.5])
