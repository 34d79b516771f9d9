# SPDX-License-Identifier: Apache-2.0
"""Lists of launchers, with copies and functions of the host among them."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
from conftest import COUNT
from launcher_support import INTEGERS, SCALE, fixed, parametrized

import kp
from kp import launcher as kl


@pytest.fixture
def queue(mgr: kp.Manager) -> kp.Queue:
    return mgr.queue()


def test_list_launches_its_members_in_order(
    mgr: kp.Manager, tensor: kp.Tensor, queue: kp.Queue
) -> None:
    profiled = mgr.queue(profiling=True)
    step = kl.KernelListLauncher("step")
    nested = kl.KernelListLauncher("nested")
    nested.push_kernels(fixed("x3", tensor, 3, 0), None)
    same = step
    step += fixed("+1", tensor, 1, 1, default_queue=profiled)
    step += None
    assert step is same
    assert step.push_kernels(nested, fixed("+5", tensor, 1, 5), None) is step
    step += nested
    assert len(step) == 4
    assert [member.name for member in step.launchers] == ["+1", "x3", "+5", "x3"]
    for wrong in (3, "k", object(), fixed):
        with pytest.raises(TypeError, match="list 'step' takes launchers"):
            step += wrong  # type: ignore[arg-type]
    with pytest.raises(kp.InvalidArgument, match="launcher 'bare' has no default global size"):
        step += kl.KernelLauncher("bare", SCALE, (tensor, 1.0, 1.0))
    step(queue).wait()
    assert tensor.data()[0] == ((1 + 1) * 3 + 5) * 3
    assert not step.launchers[0].events  # its default queue is not used
    gate = kp.UserEvent()
    event = step(queue, wait_for=[gate, None])
    assert event.status == kp.EventStatus.queued
    assert tensor.data()[0] == 33
    gate.set()
    event.wait()
    assert tensor.data()[0] == ((33 + 1) * 3 + 5) * 3


def test_empty_list_waits_on_the_host(queue: kp.Queue) -> None:
    gate, order = kp.UserEvent(), []

    def later() -> None:
        order.append("set")
        gate.set()

    timer = threading.Timer(0.01, later)
    timer.start()
    event = kl.KernelListLauncher("empty")(queue, wait_for=[gate])
    order.append("returned")
    timer.join()
    assert order == ["set", "returned"]
    assert event.done


def test_list_collects_the_parameters_of_its_members(
    mgr: kp.Manager, tensor: kp.Tensor, queue: kp.Queue
) -> None:
    seen: list[Any] = []
    step = kl.KernelListLauncher("step")
    step.push_kernels(parametrized("a", tensor), parametrized("b", tensor))
    step += kl.HostLauncher("h", lambda scale: seen.append(scale), ["scale"])
    assert step.parameters == {"offset": ("float", ["a", "b"]), "scale": ("float", ["a", "b", "h"])}
    values = mgr.tensor_t(np.ones(4, np.int32))
    other = kl.ParametrizedKernelLauncher("c", INTEGERS, {"scale": 1}, {0: values}, 4)
    with pytest.raises(kp.InvalidArgument, match="'scale' is a float for 'a', but a int for 'c'"):
        step += other
    with pytest.raises(kp.InvalidArgument, match="parameter 'offset' is missing"):
        step(queue, scale=2.0)
    with pytest.raises(kp.InvalidArgument, match="parameter 'dt' is unknown"):
        step(queue, scale=2.0, offset=0.0, dt=1)
    with pytest.raises(kp.InvalidArgument, match="launcher 'a': argument 1 'scale' is a float"):
        step(queue, scale="2", offset=0.0)
    step(queue, scale=2, offset=0.0).wait()
    assert tensor.data().tolist() == [4, 8, 12, 16]
    assert seen == [2]
    assert type(seen[0]) is int


def test_list_copies_between_host_and_device(mgr: kp.Manager, queue: kp.Queue) -> None:
    storage = kp.MemoryTypes.storage
    a, b = (mgr.tensor_t(np.zeros(4, np.uint32), storage) for _ in range(2))
    b.write(np.zeros(4, np.uint32))
    a.write(np.array([1, 2, 3, 4], np.uint32))
    out = np.full(4, 99, np.uint32)
    step = kl.KernelListLauncher("copies")
    step.push_copy_host_to_device("in", np.array([7, 8], np.uint32), a, dst_device_offset=4)
    step.push_copy_device_to_device(
        varname="middle", src=a, dst=b, src_device_offset=4, dst_device_offset=0, byte_count=8
    )
    step.push_copy_device_to_host("out", b, out).push_copy_host_device("back", b, a, 0, 8, 4)
    step(queue).wait()
    assert a.read().tolist() == [1, 7, 7, 4]
    assert out.tolist() == [7, 8, 0, 0]
    for arguments, message in (
        (("x", a, b, 17), "launcher 'x': the source offset 17 is past its 16 bytes"),
        (("x", a, b, 0, 4, 16), "a copy of 16 bytes was asked for, but the destination has 12"),
        (("x", a, b, 16), "a copy of 0 bytes"),
        (("x", a, a, 0, 4, 8), "overlap in one tensor"),
        (("x", out, out), "both ends are host memory"),
    ):
        with pytest.raises(kp.InvalidArgument, match=message):
            step.push_copy_host_device(*arguments)
    with pytest.raises(kp.InvalidArgument, match="a tensor on both ends"):
        step.push_copy_device_to_device("x", out, a)
    with pytest.raises(kp.InvalidArgument, match="from an array to a tensor"):
        step.push_copy_host_to_device("x", a, b)
    with pytest.raises(kp.InvalidArgument, match="from a tensor to an array"):
        step.push_copy_device_to_host("x", out, a)
    with pytest.raises(TypeError, match="src is a tensor, an image or an array"):
        step.push_copy_host_to_device("x", [1, 2], a)
    with pytest.raises(ValueError, match="dst is read-only"):
        step.push_copy_device_to_host("x", a, bytes(16))
    with pytest.raises(ValueError, match="not contiguous"):
        step.push_copy_device_to_host("x", a, np.zeros((4, 2), np.uint32)[:, 0])
    assert len(step) == 4
    fill = kl.FillLauncher("f", a, 9, dst_device_offset=4, byte_count=8, default_queue=queue)
    fill().wait()
    assert a.read().tolist() == [1, 9, 9, 4]
    with pytest.raises(kp.InvalidArgument, match="launcher 'f'"):
        kl.FillLauncher("f", a, 1.5)


def test_arrays_live_until_the_copy_is_done(mgr: kp.Manager, queue: kp.Queue) -> None:
    tensor = mgr.tensor_t(np.zeros(1000, np.float32), kp.MemoryTypes.storage)
    gate = kp.UserEvent()
    event = kl.CopyLauncher("in", np.arange(1000, dtype=np.float32), tensor)(queue, [gate])
    junk = [np.full(1000, 7, np.float32) for _ in range(20)]
    gate.set()
    event.wait()
    assert junk
    assert tensor.read().tolist() == list(range(1000))


def test_host_function_runs_between_kernels(
    mgr: kp.Manager, tensor: kp.Tensor, queue: kp.Queue
) -> None:
    seen: list[Any] = []

    def exchange(shift: Any) -> None:
        seen.append((tensor.data().tolist(), threading.current_thread()))
        tensor.data()[:] += shift["by"]

    step = kl.KernelListLauncher("step")
    host = kl.HostLauncher("exchange", exchange, parameters=["shift"])
    step.push_kernels(fixed("x2", tensor, 2, 0), host, fixed("x10", tensor, 10, 0))
    assert host.global_size_configured()
    assert host.parameters() == {"shift": "anything"}
    with pytest.raises(kp.InvalidArgument, match="parameter 'shift' is missing"):
        step(queue)
    step(queue, shift={"by": 100}).wait()
    assert seen[0][0] == [2, 4, 6, 8]
    assert seen[0][1] is not threading.current_thread()
    assert tensor.data().tolist() == [1020, 1040, 1060, 1080]
    with pytest.raises(TypeError, match="launcher 'h': function is a function"):
        kl.HostLauncher("h", 3)  # type: ignore[arg-type]


def test_the_call_returns_while_a_host_launcher_runs(tensor: kp.Tensor, queue: kp.Queue) -> None:
    gate, started = threading.Event(), threading.Event()

    def slow() -> None:
        started.set()
        assert gate.wait(30)

    step = kl.KernelListLauncher("step")
    step.push_kernels(kl.HostLauncher("slow", slow), fixed("x2", tensor, 2, 0))
    event = step(queue)
    assert started.wait(30)
    assert not event.done
    assert tensor.data()[0] == 1
    gate.set()
    event.wait()
    assert tensor.data()[0] == 2


class Planted(Exception):
    pass


def test_exception_of_a_host_function_fails_dependent_launches(
    tensor: kp.Tensor, queue: kp.Queue
) -> None:
    fails = True

    def throws() -> None:
        if fails:
            raise Planted("planted")

    step = kl.KernelListLauncher("step")
    step.push_kernels(fixed("x2", tensor, 2, 0), kl.HostLauncher("t", throws))
    step += fixed("x10", tensor, 10, 0)
    event = step(queue)
    dependent = fixed("x7", tensor, 7, 0)(queue, [event])
    for failed in (event, dependent):
        with pytest.raises(Planted, match="planted") as caught:
            failed.wait()
        assert any(entry.name == "throws" for entry in caught.traceback)
        assert failed.status == kp.EventStatus.error
        assert failed.done
    assert tensor.data()[0] == 2
    fails = False
    step(queue).wait()
    assert tensor.data()[0] == 40


def test_launchers_are_repeated_in_lists_with_their_parameters(mgr: kp.Manager) -> None:
    count, flag = mgr.tensor_t([0], dtype="uint32"), mgr.tensor_t([0], dtype="uint32")
    kernel = kl.ParametrizedKernelLauncher(
        "count", COUNT, {"last": "last"}, {"A": count, "B": flag}, default_global_work_size=1
    )
    step = kl.KernelListLauncher("step")
    step += kernel
    repeat = kl.RepeatLauncher("repeat", step, flag, 10)
    step += kl.HostLauncher("host", lambda: None, [])
    work = kl.KernelListLauncher("work")
    work += kl.FillLauncher("reset", flag, 0)
    work += kl.FillLauncher("zero", count, 0)
    work += repeat
    for last in (4, 7, 4):
        work(queue=mgr.queue(), last=last).wait()
        assert count.read().tolist() == [last]
    repeat(queue=mgr.queue(), last=100).wait()
    assert count.read().tolist() == [4], "the flag is still set"
    with pytest.raises(kp.InvalidArgument, match="runs on the host"):
        kl.RepeatLauncher("host", step, flag, 2)(queue=mgr.queue(), last=1)
    with pytest.raises(kp.InvalidArgument, match="is empty"):
        kl.RepeatLauncher("empty", kl.KernelListLauncher("none"), flag, 2)
    with pytest.raises(kp.InvalidArgument, match="unknown"):
        repeat(queue=mgr.queue(), first=1)
