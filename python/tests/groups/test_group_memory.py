# SPDX-License-Identifier: Apache-2.0
"""The memory of buffers: attributes, lifetimes, tensors over arrays, and external memory."""

from __future__ import annotations

import gc
import os
import time
import weakref
from typing import Any

import numpy as np
import pytest
from conftest import skip_if_unsupported
from group_support import make_group

import kp

STRUCT = np.dtype([("position", np.float32, 3), ("id", np.uint16), ("weight", np.float64)])

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


def aligned_zeros(count: int) -> Any:
    """Return zeros at a multiple of 256 bytes, the largest alignment that devices may ask for."""
    memory = np.zeros(count + 64, np.float32)
    start = -memory.ctypes.data // 4 % 64
    return memory[start : start + count]


def test_tensor_over_an_array_shares_its_memory(mgr: kp.Manager) -> None:
    array = aligned_zeros(1 << 20)
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
    array = aligned_zeros(1 << 20)
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
