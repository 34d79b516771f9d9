# SPDX-License-Identifier: Apache-2.0
"""Selections, partitions, runs and unique values, as operations and functions, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kp

RANDOM = np.random.default_rng(7)
SIZES = [1, 31, 1000, 5003]


@pytest.fixture(scope="module")
def mgr() -> kp.Manager:
    return kp.Manager()


def same(given: kp.Tensor, expected: Any) -> None:
    """Check values, dtype and shape."""
    wanted = np.asarray(expected)
    assert (given.dtype, given.shape) == (wanted.dtype, wanted.shape)
    np.testing.assert_array_equal(given.numpy(), wanted)


@pytest.mark.parametrize("dtype", ["float32", "int16", "bool"])
def test_compress_takes_flags_and_predicates(mgr: kp.Manager, dtype: str) -> None:
    for size in SIZES:
        array = RANDOM.integers(0, 5, size).astype(dtype)
        flags = RANDOM.integers(0, 2, size).astype(np.bool_)
        tensor = mgr.tensor_t(array)
        same(kp.compress(mgr.tensor_t(flags), tensor), np.compress(flags, array))
        same(kp.compress(tensor, tensor), array[array != 0])
        if dtype != "bool":
            same(kp.compress("x > 2", tensor), array[array > 2])


def test_selections_of_nothing_are_empty(mgr: kp.Manager) -> None:
    tensor = mgr.tensor_t(np.arange(10, dtype=np.int32))
    nothing = kp.compress("x < 0", tensor)
    same(nothing, np.zeros(0, np.int32))
    same(kp.compress("x < 0", nothing), np.zeros(0, np.int32))
    same(kp.flatnonzero(mgr.tensor_t(np.zeros(9, np.uint8))), np.zeros(0, np.int64))
    same(kp.unique(nothing), np.zeros(0, np.int32))
    values, inverse, counts = kp.unique(nothing, return_inverse=True, return_counts=True)
    assert values.size() == inverse.size() == counts.size() == 0
    assert [part.size() for part in kp.run_lengths(nothing)] == [0, 0]
    parts, chosen = kp.stable_partition("x > 1", nothing)
    assert (parts.size(), chosen) == (0, 0)


def test_stable_partition_keeps_the_order_of_both_parts(mgr: kp.Manager) -> None:
    array = RANDOM.integers(-50, 50, 3001).astype(np.int32)
    tensor = mgr.tensor_t(array)
    parts, chosen = kp.stable_partition("x % 2 == 0", tensor)
    even = array % 2 == 0
    assert chosen == even.sum()
    same(parts, np.concatenate([array[even], array[~even]]))
    parts, chosen = kp.stable_partition(mgr.tensor_t(~even), tensor)
    assert chosen == (~even).sum()
    same(parts, np.concatenate([array[~even], array[even]]))


def test_partitions_and_runs_of_arrays_are_arrays(mgr: kp.Manager) -> None:
    data = RANDOM.integers(0, 3, (40, 30)).astype(np.int16)
    array = kp.array(data, device=mgr)[:, ::3]
    flat = data[:, ::3].ravel()
    for condition in ["x == 1", array == 1, data[:, ::3] == 1]:
        parts, chosen = kp.stable_partition(condition, array)
        assert isinstance(parts, kp.Array)
        assert chosen == (flat == 1).sum()
        same(parts, np.concatenate([flat[flat == 1], flat[flat != 1]]))
    values, lengths = kp.run_lengths(array)
    assert isinstance(values, kp.Array)
    assert isinstance(lengths, kp.Array)
    np.testing.assert_array_equal(np.repeat(values.numpy(), lengths.numpy()), flat)
    assert (np.diff(values.numpy()) != 0).all()
    assert [part.tolist() for part in kp.run_lengths([5, 5, 6])] == [[5, 6], [2, 1]]
    assert kp.stable_partition("x > 1", [1, 2, 3])[0].tolist() == [2, 3, 1]


def test_flatnonzero_agrees_with_numpy(mgr: kp.Manager) -> None:
    for shape in [(1,), (40, 50), (4097,)]:
        array = RANDOM.integers(0, 2, shape).astype(np.float32)
        same(kp.flatnonzero(mgr.tensor_t(array)), np.flatnonzero(array))


def test_run_lengths_encode_an_array(mgr: kp.Manager) -> None:
    array = np.repeat(RANDOM.integers(0, 3, 900), RANDOM.integers(1, 9, 900)).astype(np.uint8)
    values, lengths = kp.run_lengths(mgr.tensor_t(array))
    starts = np.flatnonzero(np.concatenate([[True], array[1:] != array[:-1]]))
    same(values, array[starts])
    same(lengths, np.diff(np.append(starts, array.size)))


@pytest.mark.parametrize("dtype", ["int32", "uint8", "float64"])
def test_unique_agrees_with_numpy(mgr: kp.Manager, dtype: str) -> None:
    for shape in [(1,), (77,), (40, 30), (5000,)]:
        array = RANDOM.integers(0, 60, shape).astype(dtype)
        tensor = mgr.tensor_t(array)
        same(kp.unique(tensor), np.unique(array))
        given = kp.unique(tensor, return_index=True, return_inverse=True, return_counts=True)
        values, index, inverse, counts = np.unique(array, True, True, True)
        for ours, theirs in zip(given, [values, index, inverse.reshape(shape), counts]):
            same(ours, theirs)
        np.testing.assert_array_equal(given[0].numpy()[given[2].numpy()], array)
    values, counts = kp.unique(tensor, return_counts=True)
    assert kp.sum(counts).item() == 5000


def test_unique_has_one_nan_unless_told_otherwise(mgr: kp.Manager) -> None:
    array = np.array([np.nan, 2, 1, np.nan, 2, np.nan], np.float32)
    tensor = mgr.tensor_t(array)
    values, index, inverse, counts = kp.unique(tensor, True, True, True)
    same(values, np.unique(array))
    assert index.data().tolist() == [2, 1, 0]
    assert inverse.data().tolist() == [2, 1, 0, 2, 1, 2]
    assert counts.data().tolist() == [1, 2, 3]
    same(kp.unique(tensor, equal_nan=False), np.unique(array, equal_nan=False))
    one = np.array([3, np.nan], np.float64)
    same(kp.unique(mgr.tensor_t(one)), np.unique(one))


DOUBLE = """#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer Values { int values[]; };
layout(binding = 1) readonly buffer Count { uint count; };
layout(binding = 2) buffer Groups { uint groups[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (gl_LocalInvocationID.x == 0)
        atomicAdd(groups[0], 1);
    if (i < count)
        values[i] *= 2;
}
"""


@pytest.mark.parametrize("kind", ["select", "partition", "unique", "run_length"])
def test_counts_start_an_indirect_dispatch(mgr: kp.Manager, kind: str) -> None:
    array = np.sort(RANDOM.integers(0, 3000, 2000)).astype(np.int32)
    tensor = mgr.tensor_t(array)
    chosen = mgr.tensor_t(shape=array.shape, dtype=np.int32)
    lengths = mgr.tensor_t(shape=array.shape, dtype=np.uint32)
    count, dispatch = (mgr.tensor_t(shape=n, dtype=np.uint32) for n in (1, 3))
    groups = mgr.tensor_t(np.zeros(1, np.uint32))
    where = {"dispatch": dispatch, "group_size": 64}
    operation: kp.OpBase
    if kind == "select":
        operation = kp.OpSelect(tensor, "x > 1000", chosen, count, **where)
        expected = array[array > 1000]
    elif kind == "partition":
        operation = kp.OpPartition(tensor, "x > 1000", chosen, count, **where)
        expected = array[array > 1000]
    elif kind == "unique":
        operation = kp.OpUnique(tensor, chosen, count, counts=lengths, **where)
        expected = np.unique(array)
    else:
        operation = kp.OpRunLength(tensor, chosen, lengths, count, **where)
        expected = np.unique(array)
    algorithm = mgr.algorithm([chosen, count, groups], DOUBLE)
    sequence = mgr.sequence().record(kp.OpSyncDevice([tensor, groups])).record(operation)
    sequence.record(kp.OpAlgoDispatch(algorithm, group_counts=dispatch))
    sequence.record(kp.OpSyncLocal([chosen, groups])).eval()
    assert count.item() == expected.size
    np.testing.assert_array_equal(chosen.numpy()[: expected.size], expected * 2)
    assert groups.item() == -(-expected.size // 64)
    if kind in ("unique", "run_length"):
        np.testing.assert_array_equal(
            lengths.numpy()[: expected.size], np.unique(array, return_counts=True)[1]
        )


def test_operations_take_parts_of_tensors(mgr: kp.Manager) -> None:
    array = RANDOM.integers(0, 9, 100).astype(np.int32)
    tensor, out = mgr.tensor_t(array), mgr.tensor_t(np.full(100, -1, np.int32))
    counts = mgr.tensor_t(shape=3, dtype=np.uint32)
    sequence = mgr.sequence().record(kp.OpSyncDevice([tensor, out]))
    sequence.record(kp.OpSelect((tensor, 3, 50), "x > 4", (out, 7, 2), (counts, 1, 1))).eval()
    expected = array[3:53][array[3:53] > 4]
    assert counts.read(1, 1)[0] == expected.size
    assert out.read(7, 3).tolist() == [*expected[:2], -1]
    inverse = mgr.tensor_t(shape=100, dtype=np.int64)
    mgr.sequence().eval(kp.OpUnique((tensor, 50), out, (counts, 0, 1), inverse=(inverse, 50)))
    heads = np.concatenate([[True], array[51:] != array[50:-1]])
    np.testing.assert_array_equal(out.numpy()[: heads.sum()], array[50:][heads])
    np.testing.assert_array_equal(inverse.read(50), np.cumsum(heads) - 1)


@pytest.mark.parametrize("text", ["x = 2", "x + 2", "x", "x += 1", "(x = 2) > 1"])
def test_a_predicate_that_is_no_condition_is_refused(mgr: kp.Manager, text: str) -> None:
    tensor = mgr.tensor([1, 2, 3])
    hint = "; with '=', did you mean '=='?"
    for choose in (kp.compress, kp.stable_partition):
        with pytest.raises(kp.ShaderError, match="true or false") as caught:
            choose(text, tensor)
        assert (hint in str(caught.value)) == ("=" in text)


def test_a_predicate_of_flags_is_over_true_and_false(mgr: kp.Manager) -> None:
    flags = mgr.tensor_t(np.array([True, False, True]))
    assert kp.compress("x", flags).numpy().tolist() == [True, True]
    assert kp.compress("!x", flags).numpy().tolist() == [False]
    with pytest.raises(kp.ShaderError, match="predicate:1: error: 'assign'"):
        kp.compress("x = true", flags)


def test_faults_of_selections_are_named(mgr: kp.Manager) -> None:
    tensor = mgr.tensor_t(np.arange(6, dtype=np.int32))
    with pytest.raises(
        TypeError, match="kp.compress takes a kp.Array, a list or a kp.Tensor, not None"
    ):
        kp.compress("x > 0", None)  # type: ignore[type-var]
    with pytest.raises(
        TypeError, match="GLSL expression over x or a kp.Tensor of flags, not a numpy.ndarray"
    ):
        kp.compress(np.ones(6), tensor)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="5 flags for 6 elements"):
        kp.compress(mgr.tensor_t(np.ones(5, np.uint8)), tensor)
    with pytest.raises(kp.ShaderError, match="'q' : undeclared"):
        kp.compress("q > 0", tensor)
    with pytest.raises(kp.ShaderError, match="predicate:1:4: error: .* after the end"):
        kp.compress("x >", tensor)
    with pytest.raises(TypeError, match="condition is a GLSL expression over x, or a tensor"):
        kp.OpSelect(tensor, 3, tensor)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="group_size is a number of elements from 1"):
        kp.OpSelect(tensor, "x > 0", mgr.tensor_t(shape=6, dtype=np.int32), group_size=0)
    with pytest.raises(kp.InvalidArgument, match="OpPartition: the input has 6 elements, but the"):
        kp.OpPartition(tensor, "x > 0", mgr.tensor_t(shape=5, dtype=np.int32))
    with pytest.raises(kp.InvalidArgument, match="three elements of uint"):
        count = mgr.tensor_t(shape=3, dtype=np.int32)
        kp.OpUnique(tensor, mgr.tensor_t(shape=6, dtype=np.int32), dispatch=count)
