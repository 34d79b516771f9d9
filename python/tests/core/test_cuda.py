# SPDX-License-Identifier: Apache-2.0
"""Shared tensors against a stand-in for CUDA, whose memory is the host's and whose streams are
threads. test_cuda_libraries.py has the tests with torch, CuPy and others on a GPU."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from conftest import INCREMENT
from cuda_support import DeviceArray, InterfaceArray, host_view, read_capsule

import kp
from kp.launcher import KernelLauncher

FOREIGN = 0xBAD  # a stream of "another device"


@pytest.fixture
def mgr(monkeypatch: pytest.MonkeyPatch) -> Iterator[kp.Manager]:
    """A manager whose device shares memory with the stand-in."""
    if os.environ.get("KOMPUTE_VALIDATION"):
        pytest.skip("older layers lose signals of other threads, such as the stand-in's")
    manager = kp.Manager()
    if "NVIDIA" in manager.get_device_properties()["device_name"]:
        pytest.skip("this device has CUDA itself")
    monkeypatch.setenv("KOMPUTE_CUDA", "host")
    try:
        manager.shared_tensor(1)
    except kp.Unsupported as error:
        pytest.skip(str(error))
    yield manager
    manager.destroy()


def increment(mgr: kp.Manager, tensor: kp.Tensor) -> kp.Sequence:
    algorithm = mgr.algorithm([tensor], kp.compile(INCREMENT), workgroup=[1, 1, 1])
    return mgr.sequence().record(kp.OpAlgoDispatch(algorithm))


def test_shared_tensors_have_one_address_for_both(mgr: kp.Manager) -> None:
    t = mgr.shared_tensor((2, 3), np.float32)
    assert t.is_shared
    assert t.shape == (2, 3)
    assert t.__dlpack_device__() == (2, mgr.cuda_device)
    values = host_view(t.cuda_address, 6)
    values[:] = np.arange(6)
    increment(mgr, t).eval()
    np.testing.assert_array_equal(values, np.arange(6) + 1)
    np.testing.assert_array_equal(t.read(), (np.arange(6) + 1).reshape(2, 3))
    assert not mgr.tensor([1.0]).is_shared


def test_capsules_describe_the_memory(mgr: kp.Manager) -> None:
    t = mgr.shared_tensor((2, 3), np.int16)
    for versions in (None, (0, 8), (1, 0), (1, 1)):
        capsule = t.__dlpack__(max_version=versions)
        assert read_capsule(capsule) == (t.cuda_address, (2, 0), 0, 16, (2, 3), (3, 1), False)
        named = "dltensor_versioned" if versions and versions[0] == 1 else '"dltensor"'
        assert named in repr(capsule)
    for dtype, code, bits in [("f8", 2, 64), ("u1", 1, 8), ("?", 6, 8), ("c8", 5, 64)]:
        made = mgr.shared_tensor(4, np.dtype(dtype))
        assert read_capsule(made.__dlpack__())[2:4] == (code, bits)
    with pytest.raises(BufferError, match="no dtype"):
        mgr.shared_tensor(4, np.dtype([("a", "f4"), ("b", "i4")])).__dlpack__()


def test_capsules_keep_the_memory_of_destroyed_tensors(mgr: kp.Manager) -> None:
    t = mgr.shared_tensor(4)
    capsule = t.__dlpack__()
    address = t.cuda_address
    t.destroy()
    with pytest.raises(kp.InvalidArgument, match="destroyed"):
        t.__dlpack__()
    assert mgr.shared_tensor(4).cuda_address != address
    host_view(read_capsule(capsule)[0], 4)[:] = 1
    del capsule
    gc.collect()
    mgr.clear()
    assert mgr.shared_tensor(4).cuda_address == address


def test_dlpack_options(mgr: kp.Manager) -> None:
    t = mgr.shared_tensor((2, 2))
    t.write([[1, 2], [3, 4]])
    np.testing.assert_array_equal(np.from_dlpack(t, device="cpu"), [[1, 2], [3, 4]])
    with pytest.raises(BufferError, match="must be copied"):
        t.__dlpack__(dl_device=(1, 0), copy=False)
    with pytest.raises(BufferError, match="CUDA device 0"):
        t.__dlpack__(dl_device=(2, 7))
    with pytest.raises(ValueError, match="ambiguous"):
        t.__dlpack__(stream=0)
    with pytest.raises(kp.InvalidArgument, match="another device"):
        t.__dlpack__(stream=FOREIGN)
    for stream in (None, -1, 1, 2, 12345):
        assert read_capsule(t.__dlpack__(stream=stream))[0] == t.cuda_address
    copied = t.__dlpack__(copy=True)
    address = read_capsule(copied)[0]
    assert address != t.cuda_address
    mgr.cuda_event(mgr.cuda_stream).wait()
    np.testing.assert_array_equal(host_view(address, 4), [1, 2, 3, 4])


def test_cuda_array_interface(mgr: kp.Manager) -> None:
    t = mgr.shared_tensor((2, 3))
    given = t.__cuda_array_interface__
    assert given["shape"] == (2, 3)
    assert given["typestr"] == "<f4"
    assert given["data"] == (t.cuda_address, False)
    assert given["version"] == 3
    assert given["stream"] == mgr.cuda_stream
    assert not hasattr(mgr.tensor([1.0]), "__cuda_array_interface__")


def test_arrays_over_shared_tensors(mgr: kp.Manager) -> None:
    t = mgr.shared_tensor((4, 4))
    t.write(np.arange(16).reshape(4, 4))
    x = kp.asarray(t)[1:, ::2]
    assert x.__dlpack_device__() == (2, 0)
    address, _, _, _, shape, strides, _ = read_capsule(x.__dlpack__())
    assert (address, shape, strides) == (t.cuda_address + 16, (3, 2), (4, 2))
    np.testing.assert_array_equal(
        np.from_dlpack(x, device="cpu"), np.arange(16).reshape(4, 4)[1:, ::2]
    )
    assert x.__cuda_array_interface__["strides"] == (16, 8)
    assert (x + 1).__dlpack_device__() == (1, 0)


def test_from_dlpack_takes_shared_memory_in_place(mgr: kp.Manager) -> None:
    t = mgr.shared_tensor((3, 4))
    t.write(np.arange(12).reshape(3, 4))

    class Other:
        """A view of it in another library."""

        __dlpack_device__ = staticmethod(t.__dlpack_device__)
        __dlpack__ = staticmethod(t.__dlpack__)

    same = mgr.from_dlpack(Other(), copy=False)
    assert same.cuda_address == t.cuda_address
    assert same.shape == (3, 4)
    increment(mgr, same).eval()
    np.testing.assert_array_equal(t.read(), np.arange(12).reshape(3, 4) + 1)
    array = kp.from_dlpack(Other(), device=mgr, copy=False)
    np.testing.assert_array_equal(array.numpy(), t.read())
    part = kp.from_dlpack(kp.from_dlpack(Other(), device=mgr)[:, 1], device=mgr)
    np.testing.assert_array_equal(part.numpy(), t.read()[:, 1])


def test_from_dlpack_copies_other_memory_on_the_device(mgr: kp.Manager) -> None:
    other = DeviceArray(np.arange(6, dtype=np.float32).reshape(2, 3))
    with pytest.raises(BufferError, match="not shared with Vulkan"):
        mgr.from_dlpack(other, copy=False)
    made = mgr.from_dlpack(other)
    np.testing.assert_array_equal(made.read(), other.values)
    assert made.is_shared
    assert made.cuda_address != other.values.ctypes.data
    assert other.streams[-1] == mgr.cuda_stream
    np.testing.assert_array_equal(kp.from_dlpack(other, device=mgr).numpy(), other.values)
    given = InterfaceArray(np.arange(5, dtype=np.int32))
    np.testing.assert_array_equal(mgr.from_dlpack(given).read(), given.values)


def test_from_dlpack_takes_host_arrays_in_place_if_told_so(mgr: kp.Manager) -> None:
    values = np.arange(1 << 18, dtype=np.float32)
    try:
        tensor = mgr.from_dlpack(values, copy=False)
    except BufferError as error:
        pytest.skip(str(error))
    values[3] = 42
    assert tensor.read()[3] == 42
    assert kp.from_dlpack(values, device=mgr, copy=False)[3].item() == 42
    values.flags.writeable = False
    with pytest.raises(BufferError, match="in place"):
        mgr.from_dlpack(values, copy=False)


def test_from_dlpack_refuses_what_it_cannot_take(mgr: kp.Manager) -> None:
    values = np.zeros((4, 4), np.float32)
    with pytest.raises(kp.InvalidArgument, match="CUDA device 5"):
        mgr.from_dlpack(DeviceArray(values, device=5))
    with pytest.raises(BufferError, match="contiguous"):
        mgr.from_dlpack(DeviceArray(values[:, ::2]))
    with pytest.raises(BufferError, match="negative strides"):
        mgr.from_dlpack(DeviceArray(values[::-1]))
    with pytest.raises(BufferError, match="type code 9"):
        mgr.from_dlpack(DeviceArray(values, code=9))
    vectors = DeviceArray(values)
    vectors.lanes = 4
    with pytest.raises(BufferError, match="vectors of 4"):
        mgr.from_dlpack(vectors)
    newer = DeviceArray(values)
    newer.major = 2
    with pytest.raises(BufferError, match=r"DLPack 2\.0"):
        mgr.from_dlpack(newer)
    read_only = DeviceArray(values)
    read_only.flags = 1
    with pytest.raises(BufferError, match="read-only"):
        mgr.from_dlpack(read_only, copy=False)
    uneven = InterfaceArray(values)
    uneven.__cuda_array_interface__["strides"] = (18, 4)
    with pytest.raises(BufferError, match="not whole elements"):
        mgr.from_dlpack(uneven)
    with pytest.raises(kp.InvalidArgument, match="without elements"):
        mgr.from_dlpack(DeviceArray(np.zeros((0, 3), np.float32)))


class Stream:
    """Streams as libraries spell them."""

    def __init__(self, member: str, handle: Any) -> None:
        setattr(self, member, handle)


class ProtocolStream:
    def __cuda_stream__(self) -> tuple[int, int]:
        return (0, 77)


@pytest.mark.parametrize(
    "stream", [0, 9, Stream("cuda_stream", 9), Stream("ptr", 9), ProtocolStream()]
)
def test_streams_order_work(mgr: kp.Manager, stream: Any) -> None:
    t = mgr.shared_tensor(8)
    t.write(np.zeros(8))
    sequence = increment(mgr, t)
    sequence.eval_async(cuda_stream=stream).eval_await()
    event = mgr.cuda_event(stream)
    wait: Any = event if isinstance(stream, int) else stream
    sequence.eval_async(wait_for=[wait, None]).eval_await()
    sequence.eval_async(wait_for=wait).eval_await()
    sequence.event().cuda_wait(stream)
    t.cuda_wait(stream)
    t.wait_for_cuda(stream)
    event.wait()
    mgr.default_queue.barrier(wait_for=wait).wait()
    np.testing.assert_array_equal(t.read(), np.full(8, 3))


def test_launchers_take_streams(mgr: kp.Manager) -> None:
    t = mgr.shared_tensor(64)
    t.write(np.zeros(64))
    kernel = kp.kernel(INCREMENT)
    for _ in range(3):  # the second and third are launched as the first
        kernel(t, wait_for=[Stream("ptr", 4)])
        t.cuda_wait(4)
    launcher = KernelLauncher("increment", INCREMENT, [t], default_global_work_size=64, manager=mgr)
    launcher(queue=mgr.default_queue, wait_for=[Stream("ptr", 4), None]).cuda_wait(4)
    with pytest.raises(TypeError, match="cuda_event"):
        launcher(wait_for=[Stream("ptr", 4)])
    launcher(wait_for=mgr.cuda_event(4))
    np.testing.assert_array_equal(t.read(), np.full(64, 5))


def test_bad_streams_are_errors(mgr: kp.Manager) -> None:
    t = mgr.shared_tensor(4)
    sequence = increment(mgr, t)
    with pytest.raises(kp.InvalidArgument, match="another device"):
        sequence.eval_async(cuda_stream=FOREIGN)
    with pytest.raises(TypeError, match="cuda_stream"):
        sequence.eval_async(cuda_stream="default")
    with pytest.raises(TypeError, match="stream"):
        mgr.cuda_event(1.5)
    with pytest.raises(kp.InvalidArgument, match="shared_tensor"):
        mgr.tensor([1.0]).cuda_wait(0)
    later = kp.UserEvent()
    sequence.eval_async(wait_for=[later])
    with pytest.raises(kp.InvalidArgument, match="not submitted"):
        sequence.event().cuda_wait(4)
    later.set()
    sequence.eval_await()


def test_torch_pool_names_what_is_missing(mgr: kp.Manager, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "torch", None)
    with pytest.raises(kp.Unsupported, match="PyTorch"), kp.torch_pool(mgr):
        pass


def test_without_cuda_the_reason_is_named() -> None:
    mgr = kp.Manager(timeline_semaphores=False)
    if "NVIDIA" in mgr.get_device_properties()["device_name"]:
        pytest.skip("this device has CUDA")
    with pytest.raises(kp.Unsupported, match=r"timeline semaphores|not an NVIDIA GPU"):
        mgr.shared_tensor(4)
