# SPDX-License-Identifier: Apache-2.0
"""Launchers: kernels with their arguments, host functions and copies, alone and in lists.

step = KernelListLauncher("step")
step += ParametrizedKernelLauncher("decay", shader, {"dt": "dt"}, {"v": field, "rate": 0.5},
                                   default_global_work_size=field.size())
step.push_copy_device_to_host("field", field, result)
event = step(queue=mgr.queue(), dt=0.1)

The names are those of HySoP's OpenCL launchers, and so are the rules.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from ._kp import (
    CopyLauncher,
    Event,
    FillLauncher,
    FunctionProfiler,
    HostLauncher,
    IterativeKernelLauncher,
    Kernel,
    KernelLauncher,
    KernelListLauncher,
    KernelStatistics,
    Launcher,
    ParametrizedKernelLauncher,
    Queue,
    TimingSink,
    TraceOptions,
    TunedAlgorithm,
    TuningArguments,
    set_trace_options,
    set_trace_output,
    should_profile_kernel,
    should_trace_kernel,
    to_table,
    trace_kernel,
    trace_options,
    trace_options_from_environment,
)

__all__ = [
    "CopyLauncher",
    "FillLauncher",
    "FunctionProfiler",
    "HostLauncher",
    "IterativeKernelLauncher",
    "Kernel",
    "KernelLauncher",
    "KernelListLauncher",
    "KernelStatistics",
    "Launcher",
    "ParameterGenerator",
    "ParameterYielder",
    "ParametrizedKernelLauncher",
    "TimingSink",
    "TraceOptions",
    "TunedKernelLauncher",
    "profile_kernel",
    "set_trace_options",
    "set_trace_output",
    "should_profile_kernel",
    "should_trace_kernel",
    "to_table",
    "trace_kernel",
    "trace_options",
    "trace_options_from_environment",
]


class ParameterGenerator(ABC):
    """Yields the values of an iterated parameter."""

    @abstractmethod
    def new_generator(self) -> Iterator[Any]:
        """A fresh run through the values; called for each launch."""


class ParameterYielder(ParameterGenerator):
    """A generator made of a function that gives an iterator, or something iterable, upon call."""

    def __init__(self, fn: Callable[[], Iterable[Any]]) -> None:
        if not callable(fn):
            raise TypeError(f"fn is something to call, not a {type(fn).__name__}")
        self._fn = fn

    def new_generator(self) -> Iterator[Any]:
        """What the function gives."""
        return iter(self._fn())


class TunedKernelLauncher(Launcher):
    """A kernel that tunes itself at its first call and is a KernelLauncher from then on.

    The first call waits for the events it is given and for its queue, because tuning runs the kernel
    on the same memory. Call tune() before to have that behind you.
    """

    def __init__(
        self,
        name: str,
        tuned: TunedAlgorithm,
        arguments: TuningArguments,
        default_global_work_size: int | tuple[int, ...],
        default_queue: Queue | None = None,
        profiler: TimingSink | None = None,
    ) -> None:
        """`default_global_work_size` counts work items: those of the arguments."""
        super().__init__(name, profiler)
        self._tuned = tuned
        self._arguments = arguments
        self._size = default_global_work_size
        self._queue = default_queue
        self._profiler = profiler
        self._launcher: KernelLauncher | None = None

    def tune(self) -> KernelLauncher:
        """The launcher of the fastest configuration; tunes where that is not known yet."""
        if self._launcher is None:
            self._launcher = KernelLauncher(
                self.name,
                self._tuned.algorithm(self._arguments),
                default_global_work_size=self._size,
                default_queue=self._queue,
                profiler=self._profiler,
                round_up=True,
            )
        return self._launcher

    def __call__(
        self, queue: Queue | None = None, wait_for: Iterable[Event] | None = None
    ) -> Event:
        """Launches on `queue` or the default queue."""
        waits = list(wait_for or ())
        if self._launcher is None:
            for event in waits:
                event.wait()
            line = queue or self._queue
            if line is not None:
                line.barrier().wait()
        return self.tune()(queue=queue, wait_for=waits)

    def global_size_configured(self) -> bool:
        """Always."""
        return True

    @property
    def events(self) -> list[Event]:
        """Profiled launches since `statistics` was read last, and those unfinished then."""
        return self._launcher.events if self._launcher else []

    @property
    def statistics(self) -> KernelStatistics:
        """Of all finished launches so far. Never waits."""
        return self._launcher.statistics if self._launcher else KernelStatistics()


def _fresh(generator: Any) -> Iterator[Any]:
    """Accepts functions and what can be iterated again and again, too."""
    if hasattr(generator, "new_generator"):
        return iter(generator.new_generator())
    return iter(generator() if callable(generator) else generator)


def _combinations(iterated: Mapping[str, Any], zipped: bool) -> Iterator[tuple[Any, ...]]:
    runs = [_fresh(generator) for generator in iterated.values()]
    if not runs:
        return iter(())
    return zip(*runs, strict=True) if zipped else itertools.product(*runs)


def profile_kernel(
    kernel: Any, evt: Event, kernel_msg: str | None = None, fprofiler: Any = None
) -> None:
    """Waits for the event and adds its time in seconds to `fprofiler`.

    Nothing where should_profile_kernel() says no, the profiler is None or the event has no times.
    `kernel` is a launcher or a name. Launchers do not call this: their statistics never wait.
    """
    message = kernel_msg or (kernel if isinstance(kernel, str) else str(kernel.name))
    if fprofiler is None or not should_profile_kernel(message):
        return
    evt.wait()
    times = evt.profile
    if times is not None:
        fprofiler += times.duration * 1e-9


for _name in __all__:
    if isinstance(globals()[_name], type):
        globals()[_name].__module__ = __name__
set_trace_output(print)
