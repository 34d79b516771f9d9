# SPDX-License-Identifier: Apache-2.0
"""Buffers over the devices of a group: contents, arguments and read-only memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from group_support import SET_ONE, make_group
from numpy.typing import NDArray

import kp

NUMBERS = [
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64", "complex64", "complex128"),
]
STRUCT = np.dtype([("position", np.float32, 3), ("id", np.uint16), ("weight", np.float64)])


def random_of(dtype: np.dtype[Any], shape: tuple[int, ...], seed: int = 1) -> NDArray[Any]:
    """Return random values of this shape, followed by the axes of the elements."""
    made = np.empty(shape, dtype)
    bits = np.random.default_rng(seed).integers(0, 256, made.nbytes, np.uint8)
    if dtype.base == np.bool_:
        bits &= 1
    made = np.frombuffer(bits.tobytes(), dtype.base).reshape(made.shape).copy()
    return np.nan_to_num(made) if dtype.base.kind in "fc" else made


def same(a: NDArray[Any], b: NDArray[Any]) -> bool:
    return a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes()


# --- round trips ----------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(1,), (33,), (7, 5), (3, 4, 5)], ids=str)
@pytest.mark.parametrize("placement", ["replicated", "sharded", "replicated_by_queue"])
def test_round_trips_in_one_two_and_three_dimensions(
    group: kp.DeviceGroup, shape: tuple[int, ...], placement: str
) -> None:
    buffer = kp.Buffer(shape, np.int32, group=group, placement=placement)
    values = random_of(np.dtype(np.int32), shape)
    buffer.write(values)
    whole = buffer.read()
    for copy in [whole] if placement == "sharded" else whole:
        assert same(copy, values)
    assert buffer.shape == shape
    assert buffer.size == values.size
    assert buffer.mem_size == values.nbytes
    assert buffer.placement == placement
    assert buffer.copy_count == 2
    assert buffer.group is group
    assert buffer.writable


@pytest.mark.parametrize("dtype", [*NUMBERS, STRUCT], ids=str)
def test_round_trips_every_dtype(group: kp.DeviceGroup, dtype: Any) -> None:
    buffer = kp.Buffer(9, dtype, group=group)
    values = random_of(np.dtype(dtype), (9,))
    buffer.write(values)
    assert buffer.dtype == np.dtype(dtype)
    assert same(buffer.read(0), values)
    assert same(buffer.read(1), values)


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        ("vec2", (np.float32, 2)),
        ("vec3", (np.float32, 3)),
        ("ivec2", (np.int32, 2)),
        ("uvec4", (np.uint32, 4)),
        ("dvec2", (np.float64, 2)),
        ("f16vec3", (np.float16, 3)),
        ("i8vec4", (np.int8, 4)),
        ("u64vec2", (np.uint64, 2)),
        ("mat4", (np.float32, (4, 4))),
        ("mat2x3", (np.float32, (2, 3))),
        ("dmat3x2", (np.float64, (3, 2))),
    ],
)
def test_round_trips_vectors_and_matrices(group: kp.DeviceGroup, name: str, dtype: Any) -> None:
    buffer = kp.Buffer((3, 5), name, group=group, placement="sharded")
    assert buffer.dtype == np.dtype(dtype)
    assert buffer.mem_size == 15 * np.dtype(dtype).itemsize
    values = random_of(np.dtype(dtype), (3, 5))
    assert values.shape == (3, 5, *np.dtype(dtype).shape)
    buffer.write(values)
    assert same(buffer.read(), values)
    assert same(kp.asbuffer(values, group, dtype=name).read(1), values)


def test_rejects_unknown_dtypes() -> None:
    for name in ("vec5", "mat5", "imat2", "bvec2", "vec", "xvec3", "mat2x5", object, "O"):
        with pytest.raises(TypeError):
            kp.Buffer(4, name, group=kp.default_group())


@pytest.mark.parametrize("shape", [0, (0,), (3, 0), (0, 3, 4)], ids=str)
def test_rejects_an_empty_axis(group: kp.DeviceGroup, shape: Any) -> None:
    with pytest.raises(ValueError, match="zero-sized"):
        kp.Buffer(shape, np.float32, group=group)


# --- copies and shards ----------------------------------------------------------------------------


def test_rejects_too_many_dimensions_or_elements(group: kp.DeviceGroup) -> None:
    before = [manager.allocated_bytes for manager in group]
    with pytest.raises(ValueError, match="dimensions, not 4"):
        kp.Buffer((2, 2, 2, 2), group=group)
    for shape in ((2**30 + 1,), (2**15, 2**15 + 1), (2**40, 2**40), 2**63, 2**70):
        with pytest.raises(ValueError, match=r"2\^30|whole number"):
            kp.Buffer(shape, np.uint8, group=group)
    for shape in (-1, (3, -2), True):
        with pytest.raises(ValueError, match="whole number"):
            kp.Buffer(shape, np.uint8, group=group)
    assert [manager.allocated_bytes for manager in group] == before


@pytest.mark.parametrize("devices", [1, 2, 3])
def test_reading_all_copies_stacks_them(devices: int) -> None:
    with make_group(devices) as group:
        buffer = kp.Buffer((4, 5), "vec2", group=group)
        for i in range(devices):
            buffer.write(np.full((4, 5, 2), i, np.float32), i)
        assert buffer.read().shape == (devices, 4, 5, 2)
        assert np.array_equal(
            buffer.read(),
            np.broadcast_to(
                np.arange(devices, dtype=np.float32)[:, None, None, None], (devices, 4, 5, 2)
            ),
        )


@pytest.mark.parametrize("target", [0, 1, 2])
def test_writing_one_copy_changes_no_other(target: int) -> None:
    with make_group(3) as group:
        buffer = kp.asbuffer(np.zeros(1000, np.float32), group)
        buffer.write(np.ones(1000, np.float32), target)
        for i in range(3):
            assert np.all(buffer.read(i) == (i == target))
        buffer.write(np.full(10, 7, np.float32), target, start=20)
        assert np.all(buffer.read(target, start=20, stop=30) == 7)
        assert buffer.read(target).sum() == 1000 - 10 + 70


def test_writing_without_an_index_broadcasts_or_scatters(group: kp.DeviceGroup) -> None:
    values = np.arange(11, dtype=np.uint16)
    replicated = kp.Buffer(11, np.uint16, group=group)
    replicated.write(values)
    assert np.array_equal(replicated.read(), [values, values])
    sharded = kp.Buffer(11, np.uint16, group=group, placement="sharded")
    sharded.write(values)
    assert np.array_equal(sharded.read(0), values[:6])
    assert np.array_equal(sharded.read(1), values[6:])
    replicated.write(values[:3], start=5)
    assert np.array_equal(replicated.read(start=5, stop=8), [values[:3], values[:3]])
    sharded.write(values[:4], start=4)  # on both sides of the boundary
    assert list(sharded.read()) == [0, 1, 2, 3, 0, 1, 2, 3, 8, 9, 10]
    assert list(sharded.read(start=3, stop=7)) == [3, 0, 1, 2]
    assert list(sharded.read(1, start=1, stop=3)) == [3, 8]


# --- arguments ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "index", [-2, 2, 2**70, 1.5, "0", True, False, np.float32(1), [0]], ids=repr
)
def test_rejects_invalid_indices(group: kp.DeviceGroup, index: Any) -> None:
    buffer = kp.Buffer(3, np.float32, group=group)
    calls = (
        lambda: buffer.read(index),
        lambda: buffer.write(np.zeros(3, np.float32), index),
        lambda: buffer.read_async(index),
        lambda: buffer.write_async(np.zeros(3, np.float32), index),
        lambda: buffer.tensor(index),
        lambda: buffer.shard(index),
        lambda: buffer.broadcast(index),
        lambda: buffer.copy(0, index),
        lambda: group.queue(index),
    )
    for call in calls:
        with pytest.raises(ValueError, match="from 0 to 1, but was given") as raised:
            call()
        assert repr(index) in str(raised.value)
        assert isinstance(raised.value, kp.InvalidArgument)


def test_numpy_integers_are_indices(group: kp.DeviceGroup) -> None:
    buffer = kp.asbuffer(np.arange(3, dtype=np.int64), group)
    for kind in (int, np.int8, np.uint64, np.int32):
        assert list(buffer.read(kind(1))) == [0, 1, 2]


def test_rejects_data_of_the_wrong_size_or_dtype(group: kp.DeviceGroup) -> None:
    buffer = kp.asbuffer(np.arange(4, dtype=np.float32), group)
    for array in (np.zeros(5, np.float32), np.zeros((2, 4), np.float32)):
        with pytest.raises(ValueError, match=f"{array.nbytes} bytes, but only 16 fit"):
            buffer.write(array)
    for dtype in (np.int32, np.float64, ">f4"):
        with pytest.raises(ValueError, match="float32") as raised:
            buffer.write(np.zeros(4, dtype))
        assert str(np.dtype(dtype)) in str(raised.value)
    for data in (b"x" * 17, bytearray(17), memoryview(b"x" * 17)):
        with pytest.raises(ValueError, match="17 bytes, but only 16 fit"):
            buffer.write(data)
    for nothing in (None, "text", object()):
        with pytest.raises((TypeError, ValueError)):
            buffer.write(nothing)
    with pytest.raises(ValueError, match="only 4 fit"):
        buffer.write(np.zeros(2, np.float32), start=3)
    for start, stop in ((5, None), (3, 2), (0, 5)):
        with pytest.raises(ValueError, match="not within the 4 rows"):
            buffer.read(0, start=start, stop=stop)
    assert np.array_equal(buffer.read(0), [0, 1, 2, 3])


def test_short_bytes_write_a_prefix(group: kp.DeviceGroup) -> None:
    buffer = kp.asbuffer(np.zeros(4, np.uint16), group)
    buffer.write(b"\x01\x00")
    buffer.write(bytearray(b"\x05"), 1)
    buffer.write(memoryview(b"\x07\x00\x08\x00"), 0, start=2)
    buffer.write(memoryview(b"\x09_\x00_")[::2], 1, start=3)
    buffer.write(b"")
    assert buffer.read().tolist() == [[1, 0, 7, 8], [5, 0, 0, 9]]


def test_lists_are_converted_if_no_value_changes(group: kp.DeviceGroup) -> None:
    buffer = kp.Buffer(3, np.uint8, group=group)
    buffer.write([1, 2, 255])
    assert buffer.read(1).tolist() == [1, 2, 255]
    for values, error in (
        ([1, 2, 256], ValueError),
        ([-1, 2, 3], ValueError),
        ([1.5, 2, 3], TypeError),
        (["a", "b", "c"], TypeError),
        ([1, 2], ValueError),
    ):
        with pytest.raises(error):
            buffer.write(values)
    floats = kp.Buffer((2, 2), np.float32, group=group)
    floats.write([[1, 2], [3, 4.5]])
    assert floats.read(0).tolist() == [[1, 2], [3, 4.5]]


# --- external, read-only and destroyed buffers ----------------------------------------------------


def test_read_only_buffer_rejects_every_write(group: kp.DeviceGroup) -> None:
    values = np.arange(8, dtype=np.float32)
    tensors = [manager.tensor(values) for manager in group]
    for manager, tensor in zip(group, tensors, strict=True):
        manager.sequence().eval(kp.OpSyncDevice([tensor]))
    buffer = kp.Buffer.from_tensors((2, 4), np.float32, tensors, group, writable=False)
    assert not buffer.writable
    assert np.array_equal(buffer.read(1), values.reshape(2, 4))
    other = kp.Buffer((2, 4), np.float32, group=group)
    changes = (
        lambda: buffer.write(values.reshape(2, 4)),
        lambda: buffer.write_async(values, 0),
        buffer.broadcast,
        buffer.all_reduce,
        lambda: buffer.copy(0, 1),
        lambda: other.copy_to(buffer),
        lambda: group.kernel(SET_ONE, [buffer]),
    )
    for change in changes:
        with pytest.raises(kp.InvalidArgument, match="read-only"):
            change()
    kp.wait_all(buffer.copy_to(other))
    assert np.array_equal(other.read(), [values.reshape(2, 4)] * 2)


def test_buffer_wraps_external_tensors(group: kp.DeviceGroup) -> None:
    tensors = [manager.tensor(shape=6, memory_type=kp.storage) for manager in group]
    buffer = kp.Buffer.from_tensors(6, np.float32, tensors, group)
    buffer.write(np.arange(6, dtype=np.float32))
    assert np.array_equal(tensors[1].read(), np.arange(6))
    for wrong in (tensors[:1], [tensors[1], tensors[0]], [None, tensors[1]]):
        with pytest.raises(kp.InvalidArgument):
            kp.Buffer.from_tensors(6, np.float32, wrong, group)
    with pytest.raises(kp.InvalidArgument, match="24 bytes, not 28"):
        kp.Buffer.from_tensors(7, np.float32, tensors, group)
    shards = kp.Buffer.from_tensors(
        6, np.float32, [tensors[0], None], group, "sharded", shard_rows=[6, 0]
    )
    assert np.array_equal(shards.read(), np.arange(6))


def test_writes_arrays_in_any_memory_order(group: kp.DeviceGroup) -> None:
    values = np.arange(24, dtype=np.int16).reshape(4, 6)
    buffer = kp.Buffer((4, 6), np.int16, group=group)
    for array in (np.asfortranarray(values), values[::-1], np.repeat(values, 2, 1)[:, ::2]):
        assert not array.flags.c_contiguous
        buffer.write(array)
        assert np.array_equal(buffer.read(1), array)
        kp.wait_all(buffer.write_async(array + 1))
        assert np.array_equal(buffer.read(0), array + 1)


def test_destroyed_buffer_rejects_every_use(group: kp.DeviceGroup) -> None:
    buffer = kp.asbuffer(np.zeros(4, np.float32), group)
    other = kp.Buffer(4, np.float32, group=group)
    tensor = buffer.tensor(0)
    kernel = group.kernel(SET_ONE, [buffer])
    assert buffer.is_init()
    buffer.destroy()
    buffer.destroy()
    assert not buffer.is_init()
    assert not tensor.is_init()
    assert "destroyed" in repr(buffer)
    uses = (
        buffer.read,
        lambda: buffer.read(0),
        buffer.read_async,
        lambda: buffer.write(np.zeros(4, np.float32)),
        lambda: buffer.write_async(b""),
        lambda: buffer.write(b""),
        lambda: buffer.tensor(1),
        buffer.all_reduce,
        lambda: buffer.copy(0, 1),
        lambda: buffer.copy_to(other),
        lambda: other.copy_to(buffer),
        lambda: group.kernel("#version 450\nvoid main() {}", [buffer]),
        lambda: kernel(target=0),
    )
    for use in uses:
        with pytest.raises(kp.InvalidArgument, match="destroyed"):
            use()
    with kp.Buffer(3, group=group) as scoped:
        pass
    assert not scoped.is_init()
