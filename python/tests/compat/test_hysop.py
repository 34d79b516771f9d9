# SPDX-License-Identifier: Apache-2.0
"""Programs written for HySoP's OpenCL launchers: names, argument orders and rules of its page."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from launcher_support import SCALE, fixed, parametrized

import kp
from kp import launcher as kl


@pytest.fixture
def profiling() -> Iterator[None]:
    """Switches profile_kernel() on."""
    options = kl.trace_options()
    kl.set_trace_options(profile_kernels=True)
    yield
    kl.set_trace_options(options)


# --- names and positional orders ------------------------------------------------------------------


def test_classes_have_the_names_and_bases_of_hysop(tensor: kp.Tensor) -> None:
    for name in ("Kernel", "ParametrizedKernel", "IterativeKernel", "KernelList"):
        assert getattr(kl, f"OpenCl{name}Launcher") is getattr(kl, f"{name}Launcher")
    assert kl.OpenClKernelParameterGenerator is kl.ParameterGenerator
    assert kl.OpenClKernelParameterYielder is kl.ParameterYielder
    assert kl.OpenClKernelStatistics is kl.KernelStatistics
    assert kl.LauncherI is kl.Launcher
    bases = [
        *(kl.OpenClIterativeKernelLauncher, kl.OpenClParametrizedKernelLauncher),
        *(kl.OpenClKernelLauncher, kl.OpenClKernelLauncherI, kl.LauncherI),
    ]
    assert all(issubclass(derived, base) for derived, base in itertools.pairwise(bases))
    assert issubclass(kl.HostLauncher, kl.HostLauncherI)
    assert issubclass(kl.HostLauncherI, kl.LauncherI)
    assert not issubclass(kl.OpenClKernelListLauncher, kl.LauncherI)


def test_kernel_launcher_takes_its_arguments_by_position(
    mgr: kp.Manager, tensor: kp.Tensor
) -> None:
    launcher = kl.OpenClKernelLauncher("k", SCALE, (tensor, 2.0, 0.0), (4,), (2,), mgr.queue())
    launcher().wait()
    assert tensor.data().tolist() == [2, 4, 6, 8]
    assert launcher.as_list_launcher("list").name == "list"


def test_parametrized_launcher_takes_map_and_arguments_by_position(
    mgr: kp.Manager, tensor: kp.Tensor
) -> None:
    launcher = kl.OpenClParametrizedKernelLauncher(
        {"scale": (1, np.float32)},
        ((0, tensor), (2, 1.0)),
        name="k",
        kernel=SCALE,
        default_global_work_size=4,
    )
    launcher(queue=mgr.queue(), scale=2).wait()
    assert tensor.data().tolist() == [3, 5, 7, 9]
    assert launcher.name == "k"
    with pytest.raises(TypeError, match="args_list"):
        kl.OpenClParametrizedKernelLauncher({}, (), args_list=(), name="k", kernel=SCALE)
    with pytest.raises(TypeError, match="at most 2"):
        kl.OpenClParametrizedKernelLauncher({}, (), "k", SCALE)


def test_iterative_launcher_takes_map_arguments_and_iterated_by_position(
    mgr: kp.Manager, tensor: kp.Tensor
) -> None:
    launcher = kl.OpenClIterativeKernelLauncher(
        {"scale": (1, np.float32), "offset": (2, np.float32)},
        ((0, tensor),),
        {"offset": kl.OpenClKernelParameterYielder(lambda: range(3))},
        name="k",
        kernel=SCALE,
        default_global_work_size=4,
    )
    for _ in range(2):
        launcher(mgr.queue(), None, True, (4,), scale=1.0).wait()
    assert tensor.data().tolist() == [7, 8, 9, 10]
    assert list(launcher.iter_parameters()) == [(0,), (1,), (2,)]


def test_derived_host_launcher_runs_in_a_list(mgr: kp.Manager, tensor: kp.Tensor) -> None:
    class Exchange(kl.HostLauncherI):
        def __init__(self, name: str, **kwds: Any) -> None:
            super().__init__(name, **kwds)
            self.seen: list[float] = []

        def __call__(self, queue: Any = None, wait_for: Any = None, **kwds: Any) -> kp.Event:
            return queue.host_function(lambda: self.seen.append(tensor.data()[0]), wait_for)

    host = Exchange("exchange", profiler=kl.FunctionProfiler("exchange"))
    assert host.global_size_configured()
    assert host.parameters() == {}
    step = kl.OpenClKernelListLauncher("step")
    step.push_kernels(fixed("k", tensor, 2, 0), host, None)
    step += fixed("k", tensor, 2, 0)
    step(queue=mgr.queue()).wait()
    assert host.seen == [2]
    assert tensor.data()[0] == 4


def test_derived_kernel_launcher_checks_arguments_by_type(
    mgr: kp.Manager, tensor: kp.Tensor
) -> None:
    class Own(kl.OpenClKernelLauncherI):
        def __call__(self, queue: Any = None, wait_for: Any = None, **kwds: Any) -> kp.Event:
            self.check_kernel_arg(kwds["scale"], 1, "scale", np.float32)
            return fixed("k", tensor, kwds["scale"], 0)(queue, wait_for)

    launcher = Own("own")
    launcher(mgr.queue(), scale=np.float32(2)).wait()
    launcher.check_kernel_arg(tensor, 0, "v", kp.Tensor)
    launcher.check_kernel_arg(3, 0)
    for value, kind in ((np.float64(2), np.float32), ("text", np.int32), (1.5, np.int32)):
        with pytest.raises(kp.InvalidArgument, match=r"launcher 'own': argument 1 'scale' is a"):
            launcher.check_kernel_arg(value, 1, "scale", kind)
    for value, kind in ((tensor, np.float32), (2.0, kp.Tensor), (tensor, kp.Image)):
        with pytest.raises(kp.InvalidArgument, match=r"launcher 'own': argument 0 'v' is a"):
            launcher.check_kernel_arg(value, 0, "v", kind)
    assert tensor.data()[0] == 2


@pytest.mark.parametrize("make", [np.array, list, tuple], ids=["array", "list", "tuple"])
def test_sizes_are_numpy_arrays_and_integers_too(
    mgr: kp.Manager, tensor: kp.Tensor, make: Any
) -> None:
    queue = mgr.queue()
    size, group = make([np.int64(4), 1, 1]), make([np.int32(2)])
    launcher = fixed(
        "k", tensor, 2, 0, default_global_work_size=size, default_local_work_size=group
    )
    assert launcher.default_global_work_size == (4, 1, 1)
    launcher(queue).wait()
    launcher(queue, global_work_size=size, local_work_size=group).wait()
    launcher(queue, global_work_size=np.int64(4), local_work_size=np.array(2)).wait()
    launcher(queue, global_work_size=np.array([4], np.uint32)).wait()
    assert tensor.data().tolist() == [16, 32, 48, 64]
    for wrong in (np.array([4.0]), np.array([-4]), np.array([[4, 1]]), np.float32(4)):
        with pytest.raises((TypeError, ValueError), match="global_work_size"):
            launcher(queue, global_work_size=wrong)
    with pytest.raises(ValueError, match="one to three"):
        launcher(queue, global_work_size=np.ones(4, int))


# --- trace and profile ----------------------------------------------------------------------------


def test_trace_options_change_at_run_time() -> None:
    before = kl.trace_options()
    try:
        options = kl.TraceOptions()
        options.trace_kernels = True
        options.filter = "advec*"
        kl.set_trace_options(options)
        assert kl.should_trace_kernel("advec_x")
        assert not kl.should_trace_kernel("other")
        assert not kl.should_profile_kernel("advec_x")
        kl.set_trace_options(profile_kernels=True, filter="")
        assert kl.should_trace_kernel("other")
        assert kl.should_profile_kernel("other")
        options.no_copy = options.no_accumulate = True
        kl.set_trace_options(options, trace_kernels=False)
        now = kl.trace_options()
        assert (now.trace_kernels, now.no_copy, now.no_accumulate) == (False, True, True)
        assert now.filter == "advec*"
    finally:
        kl.set_trace_options(before)


def test_launchers_profile_their_kernels(
    profiling: None, tensor: kp.Tensor, queue: kp.Queue
) -> None:
    """A launch waits for its end and adds its time to the profiler, once."""
    profiler = kl.FunctionProfiler("all")
    launcher = parametrized("k", tensor, profiler=profiler)
    event = launcher(queue, scale=1, offset=1)
    assert event.done
    assert profiler.nb_calls == 1
    assert event.profile
    assert profiler.total_time == pytest.approx(event.profile.duration * 1e-9)
    assert len(launcher.events) == 1
    assert launcher.statistics.count == 1
    assert profiler.nb_calls == 1
    kl.profile_kernel(launcher, event)
    assert profiler.nb_calls == 1
    kl.set_trace_options(filter="!k*")
    launcher(queue, scale=1, offset=1).wait()
    assert profiler.nb_calls == 1
    assert launcher.statistics.count == 2
    assert profiler.nb_calls == 2


def test_profiling_calls_the_function_of_the_module(
    profiling: None, tensor: kp.Tensor, queue: kp.Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    monkeypatch.setattr(kl, "profile_kernel", lambda kernel, evt: calls.append(kernel.name))
    step = kl.KernelListLauncher("step")
    step.push_kernels(fixed("a", tensor, 1, 1), fixed("b", tensor, 1, 1))
    step.push_copy_device_to_host("out", tensor, np.zeros(4, np.float32))
    fixed("c", tensor, 1, 1)(queue)
    step(queue).wait()
    assert calls == ["c", "a", "b", "out", "step"]
    calls.clear()
    kl.set_trace_options(profile_kernels=False)
    step(queue).wait()
    assert calls == []


def test_lists_profile_what_they_run(profiling: None, tensor: kp.Tensor, queue: kp.Queue) -> None:
    of_list, of_kernel = kl.FunctionProfiler("list"), kl.FunctionProfiler("kernel")
    step = kl.KernelListLauncher("step", of_list)
    step.push_kernels(fixed("a", tensor, 1, 1, profiler=of_kernel), fixed("b", tensor, 1, 1))
    assert step(queue).done
    assert (of_list.nb_calls, of_kernel.nb_calls) == (2, 1)
    assert {name: one.count for name, one in step.statistics.items()} == {"a": 1, "b": 1}
    assert (of_list.nb_calls, of_kernel.nb_calls) == (2, 1)


def test_profiled_iterations_without_a_barrier_are_timed(
    profiling: None, mgr: kp.Manager, tensor: kp.Tensor
) -> None:
    queue = mgr.queue(in_order=False, profiling=True)
    if not queue.profiling:
        pytest.skip("the device has no timestamps")
    profiler = kl.FunctionProfiler("all")
    launcher = kl.IterativeKernelLauncher(
        "k",
        SCALE,
        {"offset": 2},
        ((0, tensor), (1, 1.0)),
        {"offset": range(3)},
        default_global_work_size=4,
        profiler=profiler,
    )
    assert launcher(queue, enqueue_barrier=False) is None
    assert profiler.nb_calls == len(launcher.events) > 0


def test_other_threads_run_while_a_launch_is_profiled(
    profiling: None, tensor: kp.Tensor, queue: kp.Queue
) -> None:
    """The wait of a profiled launch releases the GIL: this gate is opened by another thread."""
    gate = kp.UserEvent()
    timer = threading.Timer(0.05, gate.set)
    timer.start()
    assert fixed("k", tensor, 1, 1)(queue, [gate]).done
    timer.join()


def test_profiled_launch_raises_the_failure_of_its_work(
    profiling: None, tensor: kp.Tensor, queue: kp.Queue
) -> None:
    def fail() -> None:
        raise KeyError("lost")

    with pytest.raises(KeyError, match="lost"):
        kl.HostLauncher("host", fail)(queue)
    assert fixed("k", tensor, 1, 1)(queue).done
