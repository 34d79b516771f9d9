# SPDX-License-Identifier: Apache-2.0
"""The primitives as operations and as plain functions, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kp

RANDOM = np.random.default_rng(5)


@pytest.fixture(scope="module")
def mgr() -> kp.Manager:
    return kp.Manager()


def values(shape: int | tuple[int, ...], dtype: Any) -> np.ndarray:
    wanted = np.dtype(dtype)
    if wanted.kind == "b":
        return RANDOM.integers(0, 2, shape).astype(np.bool_)
    if wanted.kind in "iu":
        limits = np.iinfo(wanted)
        return RANDOM.integers(limits.min, limits.max, shape, wanted, endpoint=True)
    return RANDOM.uniform(-1, 1, shape).astype(wanted)


REDUCTIONS = [
    (kp.sum, np.sum),
    (kp.prod, np.prod),
    (kp.mean, np.mean),
    (kp.min, np.min),
    (kp.max, np.max),
    (kp.argmin, np.argmin),
    (kp.argmax, np.argmax),
    (kp.any, np.any),
    (kp.all, np.all),
    (kp.count_nonzero, np.count_nonzero),
]


@pytest.mark.parametrize("ours, theirs", REDUCTIONS, ids=lambda each: each.__name__)
@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.uint8])
def test_reductions_agree_with_numpy(mgr, ours, theirs, dtype) -> None:
    for shape in [(1,), (1000,), (7, 30), (3, 5, 11), (2, 3, 4, 5, 6)]:
        array = values(shape, dtype)
        tensor = mgr.tensor_t(array)
        for axis in [None, *range(-len(shape), len(shape))]:
            given = ours(tensor, axis)
            expected = np.asarray(theirs(array, axis))
            assert given.shape == expected.shape
            assert given.dtype == expected.dtype
            if np.dtype(dtype).kind == "f":
                np.testing.assert_allclose(given.numpy(), expected, rtol=2e-5, atol=2e-5)
            else:
                np.testing.assert_array_equal(given.numpy(), expected)


@pytest.mark.parametrize(
    "dtype",
    [
        np.bool_,
        np.int8,
        np.int16,
        np.uint16,
        np.uint32,
        np.int64,
        np.uint64,
        np.float16,
        np.float64,
    ],
)
def test_sums_and_extremes_of_every_type_agree_with_numpy(mgr, dtype) -> None:
    array = values(5000, dtype)
    tensor = mgr.tensor_t(array)
    total = kp.sum(tensor)
    assert total.dtype == np.sum(array).dtype
    exact = np.sum(array, dtype=np.float64 if np.dtype(dtype).kind == "f" else None)
    np.testing.assert_allclose(np.float64(total.item()), np.float64(exact), rtol=2e-3)
    assert kp.min(tensor).item() == array.min()
    assert kp.max(tensor).item() == array.max()
    assert kp.argmax(tensor).item() == array.argmax()


def test_functions_take_an_output_and_keep_dimensions(mgr) -> None:
    array = values((4, 6), np.float32)
    tensor = mgr.tensor_t(array)
    assert kp.sum(tensor, 1, keepdims=True).shape == (4, 1)
    assert kp.sum(tensor, keepdims=True).shape == (1, 1)
    out = mgr.tensor(shape=(4,), dtype=np.float64)
    assert kp.sum(tensor, axis=1, out=out) is out
    np.testing.assert_allclose(out.numpy(), array.sum(1, dtype=np.float64), rtol=1e-12)
    with pytest.raises(ValueError, match=r"a result of shape \(6,\), but out has \(4,\)"):
        kp.sum(tensor, axis=0, out=out)
    assert kp.sum(tensor, dtype=np.float64).dtype == np.float64


def test_reduce_takes_an_operator_in_glsl(mgr) -> None:
    array = values(3000, np.float32)
    largest = kp.reduce(mgr.tensor_t(array), ("max(abs(a), abs(b))", "0"))
    assert largest.item() == np.abs(array).max()
    with pytest.raises(kp.ShaderError, match="operator:1:5: error: 'q' : undeclared"):
        kp.reduce(mgr.tensor_t(array), ("a + q", "0"))


@pytest.mark.parametrize("combine", [kp.reduce, kp.scan])
def test_an_operator_that_ends_early_is_shown(mgr, combine) -> None:
    with pytest.raises(
        kp.ShaderError, match=r"operator:1:4: .* after the end .*\n 1 \| a \+\n"
    ) as e:
        combine(mgr.tensor([1, 2, 3]), ("a +", "0"))
    assert (e.value.file, e.value.line) == ("operator", 1)
    with pytest.raises(kp.ShaderError, match="identity:1:1: error"):
        combine(mgr.tensor([1, 2, 3]), ("a + b", ""))


def test_functions_find_what_the_host_has_newer(mgr) -> None:
    tensor = mgr.tensor([1, 2, 3])
    assert not tensor.device_has_contents()
    assert kp.sum(tensor).item() == 6
    assert tensor.device_has_contents()
    tensor.data()[:] = 10
    assert kp.sum(tensor).item() == 30
    tensor[0] = 20
    assert kp.sum(tensor).item() == 40
    tensor.write([1, 1, 1])
    assert kp.sum(tensor).item() == 3
    written = mgr.tensor([5, 5])
    written.write([1, 2])
    assert kp.sum(written).item() == 3
    filled = mgr.tensor(shape=(4,))
    mgr.sequence().eval(kp.OpFill([filled], 2.0))
    assert kp.sum(filled).item() == 8
    for place in (kp.MemoryTypes.host, kp.MemoryTypes.storage, kp.MemoryTypes.deviceAndHost):
        assert kp.sum(mgr.tensor([1, 2], place)).item() == 3


def test_reduction_in_a_sequence_uses_parts_of_tensors(mgr) -> None:
    array = values(1000, np.int32)
    tensor = mgr.tensor_t(array)
    sums = mgr.tensor(shape=(3,), dtype=np.int64)
    sequence = mgr.sequence().record(kp.OpSyncDevice([tensor]))
    sequence.record(kp.OpReduce((tensor, 10), (sums, 0, 1)))
    sequence.record(kp.OpReduce((tensor, 10, 5), (sums, 1, 1)))
    sequence.record(kp.OpReduce(tensor, (sums, 2), "sum"))
    for _ in range(2):
        sequence.eval()
        wide = array.astype(np.int64)
        assert list(sums) == [wide[10:].sum(), wide[10:15].sum(), wide.sum()]
        array = values(1000, np.int32)
        tensor.data()[:] = array


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "uint8", "uint16"])
def test_extremes_of_no_elements_are_those_of_their_type(mgr, dtype) -> None:
    values = mgr.tensor_t(np.array([1], dtype))
    offsets = mgr.tensor_t(np.array([0, 0, 1], "uint32"))
    for op, none in (("min", np.iinfo(dtype).max), ("max", np.iinfo(dtype).min)):
        out = mgr.tensor_t(np.zeros(2, dtype))
        mgr.sequence().record(kp.OpReduce(values, out, op, segments=offsets)).eval()
        assert out.data().tolist() == [none, 1], op
    scanned = kp.scan(mgr.tensor_t(np.array([3, 3], dtype)), "max", exclusive=True)
    assert scanned.data().tolist() == [np.iinfo(dtype).min, 3]


@pytest.mark.parametrize("name", ["min", "max", "argmin", "argmax"])
def test_extremes_of_empty_tensors_are_those_of_numpy(mgr, name) -> None:
    empty, function = mgr.tensor(shape=(0, 3)), getattr(kp, name)
    for axis in (None, 0):
        with pytest.raises(ValueError, match=f"kp.{name} of no elements does not exist"):
            function(empty, axis=axis)
    assert function(empty, axis=1).shape == (0,)
    assert kp.sum(empty, axis=0).data().tolist() == [0, 0, 0]


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int32", "uint64"])
def test_all_of_no_elements_is_one(mgr, dtype) -> None:
    values = mgr.tensor_t(np.array([1, 0], "int32"))
    offsets = mgr.tensor_t(np.array([0, 0, 1, 2], "uint32"))
    out = mgr.tensor_t(np.zeros(3, dtype))
    mgr.sequence().record(kp.OpReduce(values, out, "all", segments=offsets)).eval()
    assert out.data().tolist() == [1, 1, 0]


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_segments_may_begin_before_the_input(mgr, dtype) -> None:
    values = mgr.tensor_t(np.array([5, 4, 3, 2, 1], "int32"))
    offsets = mgr.tensor_t(np.array([-7, -3, 2, 9], dtype))
    out, sums = mgr.tensor_t(np.zeros(3, "int32")), mgr.tensor_t(np.zeros(5, "int32"))
    sequence = mgr.sequence()
    sequence.record(kp.OpReduce(values, out, "sum", segments=offsets))
    sequence.record(kp.OpScan(values, sums, segments=offsets))
    sequence.record(kp.OpSort(values, segments=offsets)).eval()
    assert out.data().tolist() == [0, 9, 6]
    assert sums.data().tolist() == [5, 9, 3, 5, 6]
    assert values.data().tolist() == [4, 5, 1, 2, 3]


def test_segments_are_given_by_offsets(mgr) -> None:
    array = values(100, np.float32)
    offsets = np.array([0, 3, 3, 50, 100], np.uint32)
    out = mgr.tensor(shape=(4,))
    sequence = mgr.sequence()
    tensors = [mgr.tensor_t(array), mgr.tensor_t(offsets)]
    sequence.record(kp.OpSyncDevice(tensors))
    sequence.record(kp.OpReduce(tensors[0], out, "max", segments=tensors[1])).eval()
    expected = [array[:3].max(), -np.inf, array[3:50].max(), array[50:].max()]
    np.testing.assert_array_equal(out.numpy(), np.array(expected, np.float32))


@pytest.mark.parametrize("dtype", [np.float32, np.int16, np.uint64, np.bool_])
def test_scans_agree_with_numpy(mgr, dtype) -> None:
    for shape in [(1,), (9000,), (7, 300), (3, 5, 11), (2, 3, 4, 5, 6)]:
        array = values(shape, dtype)
        tensor = mgr.tensor_t(array)
        for axis in [None, *range(-len(shape), len(shape))]:
            given = kp.cumsum(tensor, axis)
            expected = np.cumsum(array, axis)
            assert given.shape == expected.shape
            assert given.dtype == expected.dtype
            if np.dtype(dtype).kind == "f":
                np.testing.assert_allclose(given.numpy(), expected, rtol=1e-4, atol=1e-4)
            else:
                np.testing.assert_array_equal(given.numpy(), expected)


def test_scans_take_operators_and_outputs(mgr) -> None:
    array = values(5000, np.int32)
    tensor = mgr.tensor_t(array)
    np.testing.assert_array_equal(kp.scan(tensor, "max").numpy(), np.maximum.accumulate(array))
    expected = np.concatenate([[0], np.bitwise_xor.accumulate(array)[:-1]])
    np.testing.assert_array_equal(kp.scan(tensor, ("a ^ b", "0"), exclusive=True), expected)
    np.testing.assert_array_equal(
        kp.cumprod(tensor, dtype=np.int32).numpy(), np.cumprod(array, dtype=np.int32)
    )
    for empty in (mgr.tensor(shape=(0, 3)), kp.array(np.zeros((0, 3)))):
        assert kp.cumsum(empty, axis=1).shape == (0, 3)
        with pytest.raises(ValueError, match="axis 5 is out of bounds"):
            kp.cumsum(empty, axis=5)
    assert kp.scan(tensor, "min", out=tensor) is tensor
    np.testing.assert_array_equal(tensor.numpy(), np.minimum.accumulate(array))
    with pytest.raises(ValueError, match=r"a result of shape \(5000,\), but out has \(1,\)"):
        kp.cumsum(tensor, out=mgr.tensor([0]))
    with pytest.raises(kp.InvalidArgument, match="mean does not combine two elements"):
        kp.scan(tensor, "mean")


def test_scan_in_a_sequence_starts_again_at_offsets(mgr) -> None:
    array = values(1000, np.uint32)
    tensor, out = mgr.tensor_t(array), mgr.tensor(shape=(1000,), dtype=np.uint32)
    offsets = mgr.tensor_t(np.array([10, 500], np.int64))
    sequence = mgr.sequence().record(kp.OpSyncDevice([tensor, offsets]))
    sequence.record(kp.OpScan(tensor, out, segments=offsets, deterministic=False)).eval()
    parts = [np.cumsum(part, dtype=np.uint32) for part in np.split(array, [10, 500])]
    np.testing.assert_array_equal(out.numpy(), np.concatenate(parts))


def test_wrong_arguments_raise(mgr) -> None:
    tensor = mgr.tensor([1, 2, 3])
    one = mgr.tensor([0])
    with pytest.raises(
        TypeError, match="kp.sum takes a kp.Array, a list or a kp.Tensor, not a dict"
    ):
        kp.sum({1: 2})
    with pytest.raises(ValueError, match="axis 1 is out of bounds"):
        kp.sum(tensor, axis=1)
    with pytest.raises(TypeError, match="axis is a whole number, not 0.0"):
        kp.sum(tensor, axis=0.0)
    with pytest.raises(kp.InvalidArgument, match='op is one of "sum"'):
        kp.OpReduce(tensor, one, "avg")
    with pytest.raises(TypeError, match="op is a name or a pair of GLSL texts"):
        kp.OpReduce(tensor, one, 3)
    with pytest.raises(TypeError, match="input is a tensor, or"):
        kp.OpReduce((tensor,), one)
    with pytest.raises(TypeError, match="input"):
        kp.OpReduce(None, one)
    with pytest.raises(ValueError, match="begins at element 4 of a tensor that has 3"):
        kp.OpReduce((tensor, 4), one)
    with pytest.raises(ValueError, match="input is .* first is a whole number from 0 on, not -1"):
        kp.OpReduce((tensor, -1, 2), one)
    with pytest.raises(kp.InvalidArgument, match="the result has 1 element, but the output 3"):
        kp.OpReduce(one, tensor)
    with pytest.raises(ValueError, match="item"):
        tensor.item()


def test_star_import_hides_no_built_in_function() -> None:
    names: dict[str, Any] = {}
    exec("from kp import *", names)
    assert not {"sum", "min", "max", "any", "all", "bool", "int", "float"} & set(names)


def test_lists_of_launchers_contain_primitives() -> None:
    mgr = kp.Manager()
    values, total = mgr.tensor_t(np.arange(8, dtype=np.float32)), mgr.tensor_t(shape=1)
    launcher = kp.launcher.PrimitiveLauncher("sum", kp.OpReduce(values, total, "sum"))
    listed = kp.launcher.KernelListLauncher("list")
    listed += kp.launcher.FillLauncher("fill", values, 3.0)
    listed += launcher
    listed(queue=mgr.queue()).wait()
    assert total.read().tolist() == [24]
    values.write(np.ones(8, np.float32))
    launcher(queue=mgr.queue()).wait()
    assert total.read().tolist() == [8]
    with pytest.raises(TypeError, match="a primitive, such as kp.OpReduce"):
        kp.launcher.PrimitiveLauncher("sync", kp.OpSyncDevice([values]))


def test_empty_operators_are_refused(mgr: kp.Manager) -> None:
    tensor, out = mgr.tensor([1, 2, 4]), mgr.tensor([0, 0, 0])
    for call in (
        lambda: kp.reduce(tensor, ("", "1")),
        lambda: kp.OpScan(tensor, out, ("", "0")),
    ):
        with pytest.raises(
            kp.InvalidArgument, match="the operator is empty; give a GLSL expression"
        ):
            call()


def test_the_index_in_an_empty_segment_has_all_bits(mgr: kp.Manager) -> None:
    offsets, values = mgr.tensor_t([0, 2, 2, 3], dtype="uint32"), mgr.tensor([1, 5, 3])
    for dtype, none in (("int64", -1), ("int32", -1), ("uint32", 2**32 - 1)):
        found = mgr.tensor_t(shape=3, dtype=dtype)
        mgr.sequence().eval(kp.OpReduce(values, found, "argmax", segments=offsets))
        assert found.data().tolist() == [1, none, 0]


def test_messages_name_operations_and_axes_as_python_does(mgr: kp.Manager) -> None:
    table = mgr.tensor_t(np.ones((2, 3), np.float32))
    with pytest.raises(
        TypeError, match=r"axis is a whole number, not \(0, 1\); arrays take several"
    ):
        kp.sum(table, axis=(0, 1))
    with pytest.raises(TypeError, match="dtype is 'foo', which NumPy does not know"):
        mgr.tensor_t([1], dtype="foo")
    with pytest.raises(kp.InvalidArgument, match="argmax of float"):
        kp.OpReduce(table, mgr.tensor_t(shape=2, dtype="float32"), "argmax", axis=1)


LARGEST = ("max(abs(a), abs(b))", "0")


@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.uint8, np.float16])
def test_operators_reduce_and_scan_arrays_along_any_axis(mgr, dtype) -> None:
    data = values((6, 5, 7), dtype)
    strided = kp.array(data, device=mgr)[::2, :, 1:]
    expected = data[::2, :, 1:]
    for axis in [None, 0, 1, -1]:
        for keepdims in [False, True]:
            found = kp.reduce(strided, "max", axis, keepdims=keepdims)
            assert isinstance(found, kp.Array)
            wanted = np.max(expected, axis, keepdims=keepdims)
            assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
            np.testing.assert_array_equal(found.numpy(), wanted)
        scanned = kp.scan(strided, "min", axis)
        flat = expected.reshape(-1) if axis is None else expected
        np.testing.assert_array_equal(
            scanned.numpy(), np.minimum.accumulate(flat, 0 if axis is None else axis)
        )


def test_operators_take_lists_expressions_and_results(mgr) -> None:
    assert kp.reduce([3, -7, 2], LARGEST).item() == 7
    assert kp.scan([2, 0, 3], "sum", exclusive=True).tolist() == [0, 2, 2]
    x = kp.array([1.0, 2, 3], device=mgr)
    out = kp.zeros(3, dtype=x.dtype, device=mgr)
    assert kp.scan(x * 2, "sum", out=out) is out
    assert out.tolist() == [2, 6, 12]
    total = kp.zeros((), dtype=x.dtype, device=mgr)
    assert kp.reduce(x, "sum", out=total) is total
    assert total.item() == 6
    assert kp.scan(x[:0], "sum").shape == (0,)
    assert kp.reduce(x[:0], LARGEST).item() == 0
    with pytest.raises(ValueError, match="kp.reduce by max of no elements"):
        kp.reduce(kp.array(np.float32([]), device=mgr).tensor(), "max")
    with pytest.raises(ValueError, match="max of no elements"):
        kp.reduce(x[:0], "max")
    with pytest.raises(TypeError, match="kp.reduce.. has no argument 'axes'; did you mean 'axis'"):
        kp.reduce(x, "max", axes=0)


@pytest.mark.parametrize("kind", ["list", "array", "tensor"])
def test_operators_reduce_and_scan_segments(mgr, kind) -> None:
    data = np.array([1, 7, 3, 4, 5, 6], np.float32)
    offsets = [0, 2, 2, 6]
    x: Any = data.tolist()
    if kind == "array":
        x = kp.array(data, device=mgr)
    elif kind == "tensor":
        x = mgr.tensor_t(data)
    for segments in (offsets, np.array(offsets, np.uint64), kp.array(offsets, device=mgr)):
        if kind == "list" and isinstance(segments, kp.Array):
            continue
        for op, wanted in (("sum", [8, 0, 18]), ("max", [7, -np.inf, 6]), ("argmax", [1, -1, 3])):
            found = kp.reduce(x, op, segments=segments)
            np.testing.assert_array_equal(np.asarray(found), wanted)
        scanned = kp.scan(x, "sum", segments=segments, exclusive=True)
        np.testing.assert_array_equal(np.asarray(scanned), [0, 1, 0, 3, 7, 12])
    assert kp.reduce(x, "sum", segments=[0]).shape == (0,)
    for wrong in ([0, 3, 2], [0, 7], [-1, 2]):
        with pytest.raises(ValueError, match="ascending order from 0 to 6"):
            kp.reduce(x, "sum", segments=wrong)
    with pytest.raises(ValueError, match="leave out axis"):
        kp.reduce(x, "sum", axis=0, segments=offsets)
    with pytest.raises(ValueError, match="leave out axis"):
        kp.scan(x, "sum", axis=0, segments=offsets)
    with pytest.raises(ValueError, match=r"n \+ 1 offsets"):
        kp.reduce(x, "sum", segments=[])
    with pytest.raises(TypeError, match="offsets, which are integers"):
        kp.reduce(x, "sum", segments=[0.5, 1])


def test_operators_have_the_types_of_their_functions(mgr) -> None:
    data = np.array([1, 2, 4, 0], np.int32)
    for x in (kp.array(data, device=mgr), mgr.tensor_t(data)):
        for op in ("mean", "argmin", "argmax", "any", "all", "count_nonzero"):
            expected = np.asarray(getattr(np, op)(data))
            found = kp.reduce(x, op)
            assert (found.dtype, found.item()) == (expected.dtype, expected.item())
