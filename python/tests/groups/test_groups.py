# SPDX-License-Identifier: Apache-2.0
"""Device groups: their properties, launches, and order between devices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import INCREMENT, run_in_threads
from group_support import AFFINE, COUNT, affine, make_group

import kp
from kp.launcher import KernelLauncher, KernelListLauncher, ParametrizedKernelLauncher

# --- properties -----------------------------------------------------------------------------------


def test_a_group_is_a_sequence_of_managers(group: kp.DeviceGroup) -> None:
    assert len(group) == 2
    assert all(isinstance(manager, kp.Manager) for manager in group)
    assert group[0] is next(iter(group))
    assert group[-1] is group[1]
    assert group[0] is not group[1]
    assert group[:] == (group[0], group[1])
    for index in (2, -3):
        with pytest.raises(IndexError):
            group[index]
    assert group[1].tensor([1, 2, 3]).data().tolist() == [1, 2, 3]
    assert len(group.device_ids) == 2
    assert "2 devices and 2 queues" in repr(group)


def test_queues_are_numbered_over_all_devices() -> None:
    with make_group(3, queue_counts=[1, 3, 2]) as group:
        assert group.queue_count == 6
        assert len(group.queues) == 6
        assert group.queue(3) is group.queues[3]
        assert [group.device_of_queue(i) for i in range(6)] == [0, 1, 1, 1, 2, 2]
        assert [group.first_queue_of(i) for i in range(3)] == [0, 1, 4]
        assert all(isinstance(queue, kp.Queue) and queue.in_order for queue in group.queues)
        buffer = kp.Buffer(4, np.int32, group=group)
        assert buffer.copy_count == 3
        assert [buffer.copy_of(i) for i in range(6)] == [0, 1, 1, 1, 2, 2]
        by_queue = kp.Buffer(4, np.int32, group=group, placement="replicated_by_queue")
        assert by_queue.read().shape == (6, 4)
    with make_group(2, queue_counts=2) as group:
        assert group.queue_count == 4


def test_queue_families_select_the_queues() -> None:
    family = kp.Manager().queue().queue_family
    with make_group(2, queue_families=[[family], [family]]) as group:
        assert [queue.queue_family for queue in group.queues] == [family, family]


def test_reports_limits_and_exchange_paths(group: kp.DeviceGroup) -> None:
    properties = group[0].get_device_properties()
    limits = group.limits
    assert limits.max_work_group_count == properties["max_work_group_count"]
    assert limits.max_work_group_size == properties["max_work_group_size"]
    assert limits.max_work_group_invocations == properties["max_work_group_invocations"]
    assert limits.memory_bytes == properties["memory_bytes"]
    assert limits.timestamps_supported == properties["timestamps_supported"]
    assert group.exchange_path(0, 0) is None
    assert group.exchange_path(0, 1) in ("shared", "peer", "host", "staging")
    with pytest.raises(ValueError, match="from 0 to 1"):
        group.exchange_path(0, 2)


def test_rejects_invalid_groups() -> None:
    for keywords, message in (
        ({"device_ids": [99]}, "99"),
        ({"device_ids": [-1]}, "from 0 on"),
        ({"device_ids": ["0"]}, "from 0 on"),
        ({"device_ids": [0, 0], "queue_counts": [1, 2, 3]}, "3 entries for 2"),
        ({"device_ids": [0], "queue_counts": 0}, "no queue"),
        ({"device_ids": [0], "queue_counts": 1, "queue_families": [[0]]}, "not both"),
        ({"device_ids": [0, 0], "exchange": "carrier pigeon"}, "exchange"),
        ({"wait": "never"}, "wait is"),
    ):
        with pytest.raises(ValueError, match=message):
            kp.DeviceGroup(**keywords)  # type: ignore[arg-type]


def test_group_without_arguments_has_every_gpu() -> None:
    with kp.DeviceGroup() as group:
        assert len(group) >= 1
        types = {manager.get_device_properties()["type"] for manager in group}
        assert types == {"cpu"} or "cpu" not in types


def test_destroyed_group_rejects_every_use() -> None:
    group = make_group()
    buffer = kp.Buffer(3, group=group)
    manager = group[0]
    assert group.is_init()
    group.destroy()
    group.destroy()
    assert not group.is_init()
    assert not manager.is_init()
    assert "destroyed" in repr(group)
    for use in (
        buffer.read,
        lambda: kp.Buffer(3, group=group),
        lambda: group.kernel(COUNT, [buffer]),
        lambda: group.limits,
        group.wait_idle,
    ):
        with pytest.raises(kp.InvalidArgument, match="destroy"):
            use()


def test_buffers_and_kernels_keep_the_group_alive() -> None:
    buffer = kp.asbuffer(np.zeros(3, np.uint32), make_group())
    kernel = affine(buffer.group, buffer)
    del buffer
    kp.wait_all(kernel(a=1, b=2))


# --- launching ------------------------------------------------------------------------------------


def test_kernels_run_on_every_device_or_on_one(group: kp.DeviceGroup) -> None:
    buffer = kp.asbuffer(np.arange(100, dtype=np.uint32), group)
    kernel = affine(group, buffer)
    assert kernel.name == "affine"
    assert kernel.group is group
    events = kernel(a=2, b=1)
    assert len(events) == 2
    kp.wait_all(events)
    assert len(kernel(target=1, a=1, b=100)) == 1
    assert len(kernel(target="any", a=1, b=0)) == 1
    assert np.array_equal(buffer.read(0), np.arange(100) * 2 + 1)
    assert np.array_equal(buffer.read(1), np.arange(100) * 2 + 101)
    for target in ("some", 2, -1, True, None):
        with pytest.raises(kp.InvalidArgument):
            kernel(target=target, a=1, b=1)
    with pytest.raises(kp.InvalidArgument, match="'b'"):
        kernel(a=1)
    with pytest.raises(kp.InvalidArgument, match="which it cannot hold"):
        kernel(a=-1, b=0)


def test_kernels_take_arguments_by_position_pair_and_name(group: kp.DeviceGroup) -> None:
    for arguments in (
        lambda b: [b, 3, 4],
        lambda b: [(0, b), ("a", 3), (2, 4)],
        lambda b: {"a": np.uint32(3), "b": 4, 0: b},
    ):
        buffer = kp.asbuffer(np.ones(5, np.uint32), group)
        kp.wait_all(group.kernel(AFFINE, arguments(buffer))())
        assert np.all(buffer.read() == 7)
    buffer = kp.asbuffer(np.ones(5, np.uint32), group)
    named = group.kernel(AFFINE, [(0, buffer)], parameters_map={"factor": "a", "more": 2})
    kp.wait_all(named(factor=2, more=3))
    assert np.all(buffer.read() == 5)
    with pytest.raises(kp.InvalidArgument):
        group.kernel(AFFINE, [buffer, 1])
    with pytest.raises(kp.InvalidArgument):
        group.kernel(AFFINE, [buffer, 1.5, 2])
    with pytest.raises(kp.ShaderError):
        group.kernel("#version 450\nvoid main() { nonsense; }", [buffer])
    with make_group() as strange, pytest.raises(kp.InvalidArgument, match="another device group"):
        strange.kernel(AFFINE, [buffer, 1, 1])


def test_global_work_size_can_depend_on_the_shard(group: kp.DeviceGroup) -> None:
    seen = []

    def half(shard: kp.Shard) -> int:
        seen.append((shard.index, shard.shape))
        return shard.size // 2

    for size, done in ((None, 6), (3, 3), ((2, 1, 1), 2), (half, 3)):
        buffer = kp.asbuffer(np.zeros(12, np.float32), group, "sharded")
        one = INCREMENT.replace("local_size_x = 64", "local_size_x = 1")
        kp.wait_all(group.kernel(one, [buffer], size)())
        assert np.array_equal(buffer.read(0), np.arange(6) < done)
        assert np.array_equal(buffer.read(1), np.arange(6) < done)
    assert seen == [(0, (6,)), (1, (6,))]
    buffer = kp.Buffer(100, np.float32, group=group)
    with pytest.raises(kp.InvalidArgument, match="multiple"):
        group.kernel(INCREMENT, [buffer], 100, round_up=False)()

    def broken(shard: kp.Shard) -> int:
        raise ZeroDivisionError(shard.index)

    with pytest.raises(ZeroDivisionError):
        group.kernel(INCREMENT, [buffer], broken)
    with pytest.raises(TypeError, match="None"):
        group.kernel(INCREMENT, [buffer], lambda shard: None)  # type: ignore[arg-type, return-value]


def test_launches_algorithms_launchers_and_lists_on_each_device(group: kp.DeviceGroup) -> None:
    buffer = kp.asbuffer(np.ones(64, np.uint32), group)
    tensors = [buffer.tensor(i) for i in range(2)]
    algorithms = [
        manager.algorithm(
            [tensor], AFFINE, push_consts=np.array([3, 1], np.uint32), thread_count=64
        )
        for manager, tensor in zip(group, tensors, strict=True)
    ]
    kp.wait_all(group.launch(algorithms))
    assert np.all(buffer.read() == 4)
    launchers = [
        ParametrizedKernelLauncher(
            "step", AFFINE, {"b": "b"}, {0: tensor, "a": 1}, default_global_work_size=64
        )
        for tensor in tensors
    ]
    kp.wait_all(group.launch(launchers, b=6))
    assert np.all(buffer.read() == 10)
    lists: list[Any] = []
    for tensor in tensors:
        steps = KernelListLauncher("steps")
        steps += KernelLauncher("one", AFFINE, [tensor, 2, 0], default_global_work_size=64)
        steps += KernelLauncher("two", AFFINE, [tensor, 1, 5], default_global_work_size=64)
        lists.append(steps)
    kp.wait_all(group.launch(lists, target=1))
    assert np.all(buffer.read(0) == 10)
    assert np.all(buffer.read(1) == 25)
    lists[1] += launchers[1]
    kp.wait_all(group.launch([launchers[0], lists[1]], wait_for=kp.Event(), b=1))
    assert np.all(buffer.read(1) == 25 * 2 + 5 + 1)
    kp.wait_all(group.launch(affine(group, buffer), a=0, b=2, target=1))
    assert np.all(buffer.read(0) == 11)
    assert np.all(buffer.read(1) == 2)
    for wrong in (
        launchers[:1],
        launchers * 2,
        launchers[0],
        [3, 4],
        [launchers[0], algorithms[1]],
    ):
        with pytest.raises((TypeError, ValueError)):
            group.launch(wrong, b=1)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="no parameters"):
        group.launch(algorithms, b=1)


def test_for_each_calls_a_function_per_device(group: kp.DeviceGroup) -> None:
    calls = []

    def function(
        manager: kp.Manager, queue: int, wait_for: list[kp.Event], **more: int
    ) -> kp.Event | None:
        calls.append((manager, queue, len(wait_for), more))
        return group.queue(queue).barrier() if queue else None

    gate = kp.UserEvent()
    gate.set()
    kp.wait_all(group.for_each(function, wait_for=[gate, None]))
    assert calls == [(group[0], 0, 1, {}), (group[1], 1, 1, {})]
    calls.clear()
    kp.wait_all(group.launch(function, target=1, more=5))
    assert calls == [(group[1], 1, 0, {"more": 5})]
    for target in ("any", "any"):
        assert len(group.for_each(function, target)) == 1
    assert {call[1] for call in calls[1:]} == {0, 1}  # the least busy device, so both in turn


def test_for_each_reports_failures_of_functions(group: kp.DeviceGroup) -> None:
    def fails(at: int) -> Any:
        def function(manager: kp.Manager, queue: int, wait_for: list[kp.Event]) -> None:
            if queue == at:
                raise KeyError("nothing here")

        return function

    with pytest.raises(KeyError, match="nothing here"):
        group.for_each(fails(0))
    first, second = group.for_each(fails(1))
    first.wait()
    with pytest.raises(KeyError, match="nothing here"):
        second.wait()
    with pytest.raises(TypeError, match="the result of function is a"):
        group.for_each(lambda *_: 3)  # type: ignore[arg-type, return-value]
    with pytest.raises(TypeError, match="function is a function"):
        group.for_each(3)  # type: ignore[arg-type]

    def destroys(manager: kp.Manager, queue: int, wait_for: list[kp.Event]) -> None:
        group.destroy()

    with pytest.raises(kp.InvalidArgument, match="called by a function"):
        group.for_each(destroys)


# --- memory ---------------------------------------------------------------------------------------


def test_failed_allocation_leaves_the_group_as_it_was(group: kp.DeviceGroup) -> None:
    def exhaust_memory(placement: str, hoard: list[kp.Buffer]) -> None:
        while len(hoard) < 64:
            hoard.append(kp.Buffer(2**30, "dmat4", group=group, placement=placement))

    before = [manager.allocated_bytes for manager in group]
    for placement in ("replicated", "sharded"):
        hoard: list[kp.Buffer] = []  # 128 GiB each; large devices may have room for one or two
        with pytest.raises(kp.Error):
            exhaust_memory(placement, hoard)
        hoard.clear()
    after = [manager.allocated_bytes for manager in group]  # less if idle memory was freed
    assert all(now <= then for now, then in zip(after, before, strict=True))
    buffer = kp.asbuffer(np.ones(8, np.uint32), group)
    kp.wait_all(affine(group, buffer)(a=2, b=2))
    assert np.all(buffer.read() == 4)


def test_queues_of_one_device_share_its_copy() -> None:
    with make_group(1, queue_counts=4) as group:
        bytes_of_one = 1 << 26

        def taken(placement: str) -> tuple[int, kp.Buffer]:
            before = group[0].allocated_bytes
            buffer = kp.Buffer(bytes_of_one, np.uint8, group=group, placement=placement)
            return group[0].allocated_bytes - before, buffer

        # The allocator asks the driver for larger blocks than it needs, and may have some left.
        shared, buffer = taken("replicated")
        assert shared <= 2 * bytes_of_one
        assert buffer.copy_count == 1
        buffer.write(np.ones(4, np.uint8), 3, start=10)
        for queue in range(4):
            assert np.all(buffer.read(queue, start=10, stop=14) == 1)
        own, other = taken("replicated_by_queue")
        assert own > 2 * bytes_of_one
        assert other.copy_count == 4


# --- threads --------------------------------------------------------------------------------------


def test_threads_use_different_devices_at_once() -> None:
    with make_group(3) as group:
        buffer = kp.asbuffer(np.zeros(500, np.uint32), group)
        shared = affine(group, buffer)
        failures: list[BaseException] = []

        def work(device: int) -> None:
            try:
                own = affine(group, buffer)
                expected = np.zeros(500, np.uint32)
                rng = np.random.default_rng(device)
                for step in range(30):
                    a, b = (int(n) for n in rng.integers(0, 1000, 2))
                    if step % 5 == 0:
                        expected = rng.integers(0, 2**32, 500, np.uint32)
                        buffer.write(expected, device)
                    (own if step % 2 else shared)(target=device, a=a, b=b)
                    expected = expected * np.uint32(a) + np.uint32(b)
                    assert np.array_equal(buffer.read(device), expected)
            except BaseException as error:
                failures.append(error)

        run_in_threads(work, [(i,) for i in range(3)])
        assert not failures, failures
