# SPDX-License-Identifier: Apache-2.0
"""Queues, events, statistics and the trace of launchers."""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from launcher_support import SCALE, fixed, parametrized

import kp
from kp import launcher as kl


@pytest.fixture
def lines() -> Iterator[list[str]]:
    """The traced lines. The fixture restores the trace options."""
    options, collected = kl.trace_options(), []
    kl.set_trace_output(collected.append)
    yield collected
    kl.set_trace_output(print)
    kl.set_trace_options(options)


def test_queues_report_their_properties(mgr: kp.Manager) -> None:
    plain, free = mgr.queue(), mgr.queue(index=5, in_order=False)
    assert plain.in_order
    assert not plain.profiling
    assert not plain.is_virtual
    assert plain.index == 0
    assert not free.in_order
    assert free.is_virtual
    assert "virtual" in free.name
    assert plain.device_name == mgr.get_device_properties()["device_name"]
    plain.set_profiling(True)
    assert plain.profiling == mgr.get_device_properties()["timestamps_supported"]
    assert "queue 5" in repr(free)
    plain.barrier().wait()
    plain.finish()
    with pytest.raises(TypeError, match="an entry of wait_for is a"):
        plain.barrier([3])  # type: ignore[list-item]


def test_user_events_complete_or_fail_once() -> None:
    gate = kp.UserEvent()
    assert gate.status == kp.EventStatus.queued
    assert not gate.done
    assert gate.profile is None
    assert gate.wait(0) is False
    assert kp.wait_all([kp.Event(), gate], 0.001) is False
    assert kp.wait_any([gate, gate], timeout=0) is None
    assert kp.wait_any([gate, kp.Event()]) == 1
    gate.set()
    assert gate.wait()
    assert gate.done
    assert gate.status == kp.EventStatus.complete
    with pytest.raises(kp.InvalidArgument, match="once only"):
        gate.set()
    failed = kp.UserEvent()
    failed.fail(KeyError("lost"))
    for wait in (failed.wait, lambda: kp.wait_all([failed, gate]), lambda: kp.wait_any([failed])):
        with pytest.raises(KeyError, match="lost"):
            wait()
    with pytest.raises(TypeError, match="error is an exception"):
        kp.UserEvent().fail("text")  # type: ignore[arg-type]
    with pytest.raises(kp.InvalidArgument, match="no events"):
        kp.wait_any([])


def test_wait_takes_one_timeout_by_position_or_name(mgr: kp.Manager) -> None:
    gate = kp.UserEvent()
    for timeout in (0, 0.001, np.float32(0.001), np.int64(0)):
        assert gate.wait(timeout) is False
    done = mgr.queue().barrier()
    assert done.wait(timeout=10) is True
    assert done.wait(None) is True
    assert kp.Event.wait(done) is True
    for wrong in ("1", [1], object()):
        with pytest.raises(TypeError):
            gate.wait(wrong)  # type: ignore[arg-type]
    for negative in (-1, float("nan")):
        with pytest.raises(ValueError, match="0 or more"):
            gate.wait(negative)
    with pytest.raises(TypeError, match="wait"):
        gate.wait(1, 2)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="wait"):
        gate.wait(seconds=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        kp.Event.wait(3)  # type: ignore[arg-type]
    gate.set()


def test_events_of_launches_live_like_other_objects(tensor: kp.Tensor, queue: kp.Queue) -> None:
    launcher = fixed("live", tensor, 2.0, 0.0)
    event = launcher(queue=queue)
    gone: list[bool] = []
    reference = weakref.ref(event, lambda _: gone.append(True))
    assert reference() is event
    assert event.wait()
    del event
    assert gone == [True]
    again = launcher(queue=queue)
    again.__init__()  # type: ignore[misc]
    assert again.done
    assert type(launcher(queue=queue)) is kp.Event
    queue.finish()


def test_deleted_user_event_fails_waiting_work(tensor: kp.Tensor, mgr: kp.Manager) -> None:
    gate = kp.UserEvent()
    event = fixed("k", tensor, 2, 0)(mgr.queue(), [gate])
    del gate
    with pytest.raises(kp.InvalidArgument, match="given up"):
        event.wait()
    assert tensor.data()[0] == 1


def test_wait_any_returns_the_index_of_a_completed_event(mgr: kp.Manager) -> None:
    gates = [kp.UserEvent() for _ in range(3)]
    timer = threading.Timer(0.02, gates[2].set)
    timer.start()
    assert kp.wait_any(gates, 30) == 2
    timer.join()
    assert kp.wait_any(gates[:2], 0.01) is None


def test_sequences_wait_for_events(mgr: kp.Manager, tensor: kp.Tensor) -> None:
    gate = kp.UserEvent()
    algorithm = mgr.algorithm([tensor], SCALE, (4,), push_consts=[2.0, 1.0])
    sequence = mgr.sequence().record(kp.OpAlgoDispatch(algorithm))
    sequence.eval_async(wait_for=[gate, None])
    seen: list[float] = []
    event = mgr.queue().host_function(lambda: seen.append(tensor.data()[0]), [sequence.event()])
    assert not event.done
    assert tensor.data()[0] == 1
    gate.set()
    event.wait()
    assert seen == [3]
    sequence.eval_await()


@pytest.mark.parametrize("fails", [False, True])
def test_waiting_sequence_runs_its_hooks_once(
    mgr: kp.Manager, tensor: kp.Tensor, fails: bool
) -> None:
    calls: list[str] = []

    class Hooked(kp.OpBase):
        def record(self) -> list[kp.OpBase]:
            return [kp.OpAlgoDispatch(algorithm)]

        def pre_eval(self) -> None:
            calls.append(threading.current_thread().name)
            if fails:
                raise KeyError("planted")

    algorithm = mgr.algorithm([tensor], SCALE, (4,), push_consts=[2.0, 1.0])
    gate, behind = kp.UserEvent(), threading.Event()
    mgr.queue().host_function(lambda: behind.wait(30))
    slow = mgr.queue(1).host_function(lambda: behind.wait(30))
    sequence = mgr.sequence().record(Hooked()).eval_async(wait_for=[gate, slow])
    gate.set()
    behind.set()
    if fails:
        with pytest.raises(KeyError, match="planted"):
            sequence.eval_await()
        assert tensor.data()[0] == 1
    else:
        sequence.eval_await()
        assert tensor.data()[0] == 3
    assert len(calls) == 1


def test_host_functions_run_in_queue_order(mgr: kp.Manager) -> None:
    queue, order = mgr.queue(), []
    queue.host_function(lambda: order.append(1))
    queue.host_function(lambda: order.append(2)).wait()
    assert order == [1, 2]
    with pytest.raises(ZeroDivisionError):
        queue.host_function(lambda: order.append(1 / 0)).wait()
    with pytest.raises(TypeError, match="function is a function"):
        queue.host_function(3)  # type: ignore[arg-type]


def test_awaits_more_events_than_the_executor_has_threads(
    tensor: kp.Tensor, mgr: kp.Manager
) -> None:
    async def main() -> list[Any]:
        queue = mgr.queue()
        gates = [kp.UserEvent() for _ in range(50)]
        loop = asyncio.get_running_loop()

        async def one(gate: kp.UserEvent) -> None:
            await fixed("k", tensor, 1, 1)(queue, [gate])

        tasks = [asyncio.create_task(one(gate)) for gate in gates]
        await asyncio.sleep(0)
        for gate in gates:  # the executor has fewer threads than there are waiting tasks
            loop.run_in_executor(None, gate.set)
        await asyncio.gather(*tasks)

        failing = kp.UserEvent()
        waiting = asyncio.create_task(one(failing))
        await asyncio.sleep(0)
        failing.fail(KeyError("lost"))
        with pytest.raises(KeyError, match="lost"):
            await waiting
        gate = kp.UserEvent()
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(one(gate), 0.01)
        gate.set()
        await kp.Event()
        return tensor.data().tolist()

    values = asyncio.run(main())
    assert values[0] in (51, 52)


def test_unprofiled_launches_record_nothing(mgr: kp.Manager, tensor: kp.Tensor) -> None:
    launcher = fixed("k", tensor, 1, 1)
    event = launcher(mgr.queue())
    event.wait()
    assert event.profile is None
    assert launcher.events == []
    assert launcher.statistics.count == 0


def test_statistics_never_wait(tensor: kp.Tensor, queue: kp.Queue) -> None:
    launcher = fixed("k", tensor, 1, 1)
    for _ in range(3):
        launcher(queue).wait()
    gate = kp.UserEvent()
    held = launcher(queue, [gate])
    assert len(launcher.events) == 4
    assert launcher.statistics.count == 3
    assert len(launcher.events) == 1
    assert launcher.statistics.count == 3
    assert held.profile is None
    gate.set()
    held.wait()
    assert launcher.statistics.nruns == 4
    assert launcher.events == []
    launcher.clear_statistics()
    assert launcher.statistics.count == 0


def test_statistics_match_the_event_profiles(tensor: kp.Tensor, queue: kp.Queue) -> None:
    launcher = fixed("k", tensor, 1, 1)
    events = [launcher(queue) for _ in range(10)]
    kp.wait_all(events)
    profiles = [event.profile for event in events]
    times = np.array([profile.duration for profile in profiles if profile], np.float64)
    assert len(times) == 10
    for profile in profiles:
        assert profile
        assert profile.end - profile.start == profile.duration
        assert 0 < profile.queued <= profile.submitted
    statistics = launcher.statistics
    assert statistics.total == times.sum()
    assert statistics.count == 10
    assert (statistics.min, statistics.max) == (times.min(), times.max())
    for given, expected in (
        (statistics.mean, times.mean()),
        (statistics.variance, times.var()),
        (statistics.stddev, times.std()),
        (statistics.median, np.median(times)),
        (statistics.percentile(25), np.percentile(times, 25)),
    ):
        assert given == pytest.approx(expected, rel=1e-9, abs=1e-6)
    with pytest.raises(kp.InvalidArgument):
        statistics.percentile(101)


def test_merging_statistics_is_associative() -> None:
    def of(*values: int) -> kl.KernelStatistics:
        statistics = kl.KernelStatistics()
        for value in values:
            statistics.add(value, 8)
        return statistics

    a, b, c = of(1, 2), of(30, 4, 5), of(6)
    left, right, whole = (a + b) + c, a + (b + c), of(1, 2, 30, 4, 5, 6)
    for name in ("count", "total", "min", "max", "mean", "variance", "median", "bytes"):
        for merged in (left, right):
            assert getattr(merged, name) == pytest.approx(getattr(whole, name))
    same = a
    a += b
    assert a is same
    assert a.count == 5
    assert c < b
    assert max(a, b, c).mean == b.mean
    assert whole.bytes_per_second == pytest.approx(48 / 48e-9)
    assert "6" in str(whole)


def test_list_groups_statistics_by_launcher(tensor: kp.Tensor, queue: kp.Queue) -> None:
    out = np.zeros(4, np.float32)
    step = kl.KernelListLauncher("step")
    step.push_kernels(fixed("a", tensor, 1, 1), fixed("b", tensor, 1, 1), fixed("a", tensor, 1, 1))
    step.push_copy_device_to_host("out", tensor, out)
    step += kl.HostLauncher("host", lambda: None)
    for _ in range(2):
        step(queue).wait()
    assert len(step.events) == 10
    statistics = step.statistics
    counts = {name: one.count for name, one in statistics.items()}
    assert counts == {"a": 4, "b": 2, "out": 2, "host": 2}
    assert statistics["out"].bytes == 32
    assert step.events == []
    table = kl.to_table(statistics)
    assert len(table.splitlines()) >= 5
    assert "out" in table


def test_trace_options_filter_the_trace(
    lines: list[str], tensor: kp.Tensor, mgr: kp.Manager
) -> None:
    queue = mgr.queue()
    step = kl.KernelListLauncher("step")
    step.push_kernels(fixed("add<1>", tensor, 1, 1), fixed("scale", tensor, 2, 0))
    step.push_copy_device_to_host("out", tensor, np.zeros(4, np.float32))
    step(queue).wait()
    assert lines == []
    names = {"add<1>", "scale", "enqueue_copy out"}

    def traced(**options: Any) -> set[str]:
        kl.set_trace_options(kl.TraceOptions(**options))
        lines.clear()
        step(queue).wait()
        return {name for name in names for line in lines if line.startswith(name)}

    assert traced(trace_kernels=True) == names
    assert traced(trace_kernels=True, no_copy=True) == {"add<1>", "scale"}
    assert traced(trace_kernels=True, no_accumulate=True) == {"scale", "enqueue_copy out"}
    assert traced(trace_kernels=True, filter="*e*,!scale*") == {"enqueue_copy out"}
    assert kl.should_trace_kernel("enqueue_copy x")
    assert not kl.should_trace_kernel("scale")
    lines.clear()
    kl.trace_kernel("enqueue_copy by hand")
    kl.trace_kernel("scale")
    assert lines == ["enqueue_copy by hand"]
    assert kl.trace_options().filter == "*e*,!scale*"


def test_reads_trace_options_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("KP_TRACE_KERNELS", "KP_TRACE_NOCOPY", "KP_PROFILE_KERNELS"):
        monkeypatch.setenv(name, "1")
    monkeypatch.setenv("KP_TRACE_FILTER", "a*")
    options = kl.trace_options_from_environment()
    assert options.trace_kernels
    assert options.no_copy
    assert options.profile_kernels
    assert options.filter == "a*"
    assert not options.no_accumulate


def test_profile_kernel_adds_times_of_matching_names(
    lines: list[str], tensor: kp.Tensor, queue: kp.Queue
) -> None:
    launcher, profiler = fixed("k", tensor, 1, 1), kl.FunctionProfiler("k")
    kl.set_trace_options(kl.TraceOptions())
    kl.profile_kernel(launcher, launcher(queue), fprofiler=profiler)
    assert profiler.nb_calls == 0
    kl.set_trace_options(kl.TraceOptions(profile_kernels=True, filter="!no*"))
    events = [launcher(queue) for _ in range(3)]
    for event in events:
        kl.profile_kernel(launcher, event, fprofiler=profiler)
    kl.profile_kernel("other", events[0], "no message", profiler)
    kl.profile_kernel("other", events[0])
    assert profiler.nb_calls == 3
    seconds = sum(event.profile.duration for event in events if event.profile) * 1e-9
    assert profiler.total_time == pytest.approx(seconds)
    assert str(profiler).startswith("- k : ")


def test_launcher_reports_times_to_its_sink(tensor: kp.Tensor, queue: kp.Queue) -> None:
    profiler = kl.FunctionProfiler("all")
    launcher = parametrized("k", tensor, profiler=profiler)
    launcher(queue, scale=1, offset=1).wait()
    assert launcher.statistics.count == profiler.nb_calls == 1
    assert profiler.total_time == pytest.approx(launcher.statistics.total * 1e-9)
