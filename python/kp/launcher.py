# SPDX-License-Identifier: Apache-2.0
"""Launchers: kernels with their arguments, host functions and copies, alone or in lists.

```python
step = KernelListLauncher("step")
step += ParametrizedKernelLauncher("decay", shader, {"dt": "dt"}, {"v": field, "rate": 0.5},
                                   default_global_work_size=field.size())
step.push_copy_device_to_host("field", field, result)
event = step(queue=mgr.queue(), dt=0.1)
```

Names and rules are those of HySoP's OpenCL launchers.
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
    """Base class of generators for the values of an iterated parameter."""

    @abstractmethod
    def new_generator(self) -> Iterator[Any]:
        """Return a new iterator over the values. Called for each launch."""


class ParameterYielder(ParameterGenerator):
    """A generator from a function that returns an iterable."""

    def __init__(self, fn: Callable[[], Iterable[Any]]) -> None:
        if not callable(fn):
            raise TypeError(f"fn must be callable, not {type(fn).__name__}")
        self._fn = fn

    def new_generator(self) -> Iterator[Any]:
        """Call the function and return an iterator over its result."""
        return iter(self._fn())


class TunedKernelLauncher(Launcher):
    """A launcher that tunes its kernel at the first call, and then works as a KernelLauncher.

    Tuning runs the kernel on the same memory, so the first call waits for `wait_for` and for its
    queue. Call tune() beforehand to keep that wait out of the first launch.
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
        """Create the launcher. `default_global_work_size` counts invocations."""
        super().__init__(name, profiler)
        self._tuned = tuned
        self._arguments = arguments
        self._size = default_global_work_size
        self._queue = default_queue
        self._profiler = profiler
        self._launcher: KernelLauncher | None = None

    def tune(self) -> KernelLauncher:
        """Return the launcher of the fastest configuration. Tune if it is not known yet."""
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
        """Launch on `queue`, or on the default queue. Return the event of the launch."""
        waits = list(wait_for or ())
        if self._launcher is None:
            for event in waits:
                event.wait()
            used = queue or self._queue
            if used is not None:
                used.barrier().wait()
        return self.tune()(queue=queue, wait_for=waits)

    def global_size_configured(self) -> bool:
        """True: the constructor requires a global size."""
        return True

    @property
    def events(self) -> list[Event]:
        """Profiled launches that `statistics` has not counted yet."""
        return self._launcher.events if self._launcher else []

    @property
    def statistics(self) -> KernelStatistics:
        """Times of all finished profiled launches. Reading it never waits."""
        return self._launcher.statistics if self._launcher else KernelStatistics()


def _fresh(generator: Any) -> Iterator[Any]:
    """Return a new iterator from a ParameterGenerator, a function or an iterable."""
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
    """Wait for an event and add its duration, in seconds, to a profiler.

    - `kernel`: a launcher or a name.
    - `evt`: the event of the launch.
    - `kernel_msg`: the name to filter by; by default, that of `kernel`.
    - `fprofiler`: the profiler. None does nothing.

    It does nothing if should_profile_kernel() is False for the name, and adds nothing if the event
    has no profile. Launchers do not call it, because their statistics never wait.
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
