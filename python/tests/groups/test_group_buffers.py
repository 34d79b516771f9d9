# SPDX-License-Identifier: Apache-2.0
"""Buffers over the devices of a group: contents, transfers and external memory."""

from __future__ import annotations

import gc
import os
import time
import weakref
from typing import Any

import numpy as np
import pytest
from conftest import skip_if_unsupported
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


# --- attributes, tensors, memory ------------------------------------------------------------------


def test_shards_report_their_offset_and_shape(group: kp.DeviceGroup) -> None:
    buffer = kp.Buffer((5, 3), np.float32, group=group, placement="sharded")
    shards = buffer.shards
    assert [(s.index, s.count, s.offset, s.shape, s.whole_shape, s.size) for s in shards] == [
        (0, 2, 0, (3, 3), (5, 3), 9),
        (1, 2, 3, (2, 3), (5, 3), 6),
    ]
    assert buffer.shard(1).offset == 3
    assert "1 of 2" in repr(buffer.shard(1))
    with pytest.raises(ValueError, match="shard_rows"):
        kp.Buffer(4, group=group, shard_rows=[1, 3])
    for rows in ([1, 3], [5], [2, 2, 1], [6, 0]):
        with pytest.raises(ValueError, match=r"[sS]hard"):
            kp.Buffer(5, np.float32, group=group, placement="sharded", shard_rows=rows)
    with pytest.raises(ValueError, match="placement"):
        kp.Buffer(4, group=group, placement="somewhere")


def test_copies_are_ordinary_tensors(group: kp.DeviceGroup) -> None:
    buffer = kp.asbuffer(np.arange(12, dtype=np.float32).reshape(2, 2, 3), group, dtype="vec3")
    tensor = buffer.tensor(1)
    assert isinstance(tensor, kp.Tensor)
    assert tensor.shape == (2, 2, 3)
    assert np.array_equal(tensor.read(), np.arange(12).reshape(2, 2, 3))
    tensor.write(np.full(12, 5, np.float32))
    assert np.all(buffer.read(1) == 5)
    assert np.array_equal(buffer.read(0).ravel(), np.arange(12))
    assert kp.Buffer(4, np.complex64, group=group).tensor(0).shape == (4, 2)
    assert kp.Buffer(4, STRUCT, group=group).tensor(0).shape == (4, STRUCT.itemsize)
    with_view = kp.Buffer(4, np.float32, group=group, memory_type=kp.host)
    assert with_view.tensor(0).data().shape == (4,)
    empty = kp.Buffer(4, np.float32, group=group, placement="sharded", shard_rows=[4, 0])
    with pytest.raises(kp.InvalidArgument, match="no rows"):
        empty.tensor(1)
    assert empty.read(1).shape == (0,)


def test_reads_into_an_array(group: kp.DeviceGroup) -> None:
    buffer = kp.asbuffer(np.arange(6, dtype=np.float32), group)
    out = np.empty((2, 6), np.float32)
    assert buffer.read(out=out) is out
    assert np.array_equal(out, [np.arange(6)] * 2)
    row, events = buffer.read_async(1, start=2, stop=4, out=out[0, :2])
    kp.wait_all(events)
    assert np.array_equal(row, [2, 3])
    for wrong in (
        np.empty(5, np.float32),
        np.empty(6, np.int32),
        np.empty((6, 2), np.float32)[:, 0],
    ):
        with pytest.raises(ValueError, match="out"):
            buffer.read(0, out=wrong)


def test_asynchronous_transfers_keep_their_memory_alive(group: kp.DeviceGroup) -> None:
    gate = kp.UserEvent()
    values = np.arange(100_000, dtype=np.float64)
    buffer = kp.Buffer(values.size, np.float64, group=group)
    written = buffer.write_async(values * 2, wait_for=[gate])
    array, read = buffer.read_async(wait_for=written)
    assert not any(event.done for event in read)
    del buffer, values
    gc.collect()
    np.empty(100_000).fill(7)  # reuses memory that was freed too early
    gate.set()
    kp.wait_all(read)
    assert np.array_equal(array, [np.arange(100_000) * 2.0] * 2)


def test_written_array_is_released_after_the_transfer(group: kp.DeviceGroup) -> None:
    buffer = kp.Buffer(10, np.float32, group=group)
    values = np.zeros(10, np.float32)
    end = weakref.ref(values)
    events = buffer.write_async(values)
    del values
    kp.wait_all(events)
    for _ in range(1000):
        if end() is None:
            break
        time.sleep(0.01)  # a thread of the library releases it
    assert end() is None


def test_asbuffer_takes_any_array_like(group: kp.DeviceGroup) -> None:
    assert kp.asbuffer([[1, 2], [3, 4]], group).dtype == np.int64
    sharded = kp.asbuffer(np.arange(5), group, "sharded", shard_rows=[1, 4])
    assert np.array_equal(sharded.read(1), [1, 2, 3, 4])
    with pytest.raises(ValueError, match="last axes"):
        kp.asbuffer(np.zeros((4, 2), np.float32), group, dtype="vec3")


def test_default_group_is_created_once_and_again_after_destruction() -> None:
    kp.set_default_group(None)
    first = kp.default_group()
    assert kp.default_group() is first
    assert kp.Buffer(3).group is first
    with make_group() as group:
        kp.set_default_group(group)
        assert kp.asbuffer([1.0]).copy_count == 2
    assert kp.default_group() is not group  # which was destroyed
    kp.set_default_group(None)
    with pytest.raises(TypeError, match="DeviceGroup"):
        kp.set_default_group(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="DeviceGroup"):
        kp.Buffer(3, group=3)  # type: ignore[arg-type]
    first.destroy()


def test_runs_the_first_example_of_vkdispatch() -> None:
    """The first example of its documentation: write to all queues, read from one."""
    buffer = kp.Buffer((1024,), np.float32, group=make_group())
    buffer.write(np.arange(1024, dtype=np.float32))
    assert np.array_equal(buffer.read(0), np.arange(1024, dtype=np.float32))


# --- host and external memory ---------------------------------------------------------------------


def test_tensor_over_an_array_shares_its_memory(mgr: kp.Manager) -> None:
    array = np.zeros(1 << 20, np.float32)
    with skip_if_unsupported():
        tensor = mgr.tensor_over(array)
    assert tensor.shape == (1 << 20,)
    assert tensor.memory_type() == kp.MemoryTypes.host
    mgr.sequence().eval(kp.OpFill([tensor], 3.0))
    assert np.all(array == 3)  # in place
    array[:] = 4
    assert np.all(tensor.read() == 4)
    view = tensor.data()
    del array
    gc.collect()
    assert view.sum() == 4 << 20
    for wrong in (np.zeros((4, 4))[:, 0], np.broadcast_to(np.zeros(1), 8)):
        with pytest.raises(ValueError, match="array must be"):
            mgr.tensor_over(wrong)
    with pytest.raises(TypeError, match="array is"):
        mgr.tensor_over([1, 2, 3])


def test_tensor_over_an_array_keeps_it_alive_until_the_work_is_done(mgr: kp.Manager) -> None:
    array = np.zeros(1 << 20, np.float32)
    end = weakref.ref(array)
    with skip_if_unsupported():
        tensor = mgr.tensor_over(array)
    sequence = mgr.sequence().record(kp.OpFill([tensor], 1.0))
    sequence.eval_async()
    del tensor, array
    gc.collect()
    assert end() is not None  # the sequence may be evaluated again
    sequence.eval_await()
    del sequence
    for _ in range(1000):
        mgr.clear()
        mgr.sequence().eval()
        if end() is None:
            break
        time.sleep(0.01)
    assert end() is None


def test_exports_memory_to_another_logical_device(group: kp.DeviceGroup) -> None:
    if group.device_ids[0] != group.device_ids[1]:
        pytest.skip("needs two logical devices of one physical device")
    with skip_if_unsupported():
        exported = group[0].exportable_tensor((512, 1024), np.int32)
    values = np.arange(1 << 19, dtype=np.int32).reshape(512, 1024)
    exported.write(values)
    group.wait_idle()  # the program orders the two devices
    with exported.export_memory() as memory:
        assert memory.fd >= 0
        assert memory.fileno() == memory.fd
        assert memory.allocation_bytes >= values.nbytes
        fd = memory.fd
        imported = group[1].import_memory(memory, (512, 1024), np.int32)
        again = kp.ExternalMemory(
            os.dup(fd), memory.allocation_bytes, memory.memory_type, memory.offset
        )
    assert memory.fd == -1
    memory.close()
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(fd)
    assert np.array_equal(imported.read(), values)
    imported.write(np.full(1 << 19, 9, np.int32))
    group.wait_idle()
    assert np.all(exported.read() == 9)
    given = again.detach()
    os.close(given)
    with pytest.raises(kp.InvalidArgument, match="closed or detached"):
        group[1].import_memory(again, 4)
    with pytest.raises(kp.InvalidArgument, match="cannot be exported"):
        group[0].tensor([1.0]).export_memory()
    with pytest.raises(kp.InvalidArgument, match="do not fit"), exported.export_memory() as memory:
        group[1].import_memory(memory, 1 << 24)
