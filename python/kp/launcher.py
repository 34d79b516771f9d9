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
    TimingSink,
    TraceOptions,
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
