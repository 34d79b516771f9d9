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

import functools
import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, cast

from ._wording import counted
from ._kp import (
    CopyLauncher,
    Event,
    FillLauncher,
    FunctionProfiler,
    HostLauncher,
    HostLauncherI,
    IterativeKernelLauncher,
    Kernel,
    KernelLauncher,
    KernelListLauncher,
    KernelStatistics,
    Launcher,
    OpenClKernelLauncherI,
    ParametrizedKernelLauncher,
    PrimitiveLauncher,
    TimingSink,
    TraceOptions,
    TunedKernelLauncher,
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
    "HostLauncherI",
    "IterativeKernelLauncher",
    "Kernel",
    "KernelLauncher",
    "KernelListLauncher",
    "KernelStatistics",
    "Launcher",
    "LauncherI",
    "OpenClIterativeKernelLauncher",
    "OpenClKernelLauncher",
    "OpenClKernelLauncherI",
    "OpenClKernelListLauncher",
    "OpenClKernelParameterGenerator",
    "OpenClKernelParameterYielder",
    "OpenClKernelStatistics",
    "OpenClParametrizedKernelLauncher",
    "ParameterGenerator",
    "ParameterYielder",
    "ParametrizedKernelLauncher",
    "PrimitiveLauncher",
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

    - `kernel`: a launcher, a list of launchers or a name.
    - `evt`: the event of the launch.
    - `kernel_msg`: the name to filter by; by default, that of `kernel`.
    - `fprofiler`: the profiler; by default that of `kernel`, which gets each launch once.

    It does nothing if should_profile_kernel() is False for the name, and adds nothing if the event
    has no profile. Otherwise each call of a launcher or a list calls it.
    """
    message = kernel_msg or (kernel if isinstance(kernel, str) else str(kernel.name))
    if not should_profile_kernel(message):
        return
    evt.wait()
    if fprofiler is None:
        if isinstance(kernel, (Launcher, KernelListLauncher)):
            kernel._notify_profiler()
    elif (times := evt.profile) is not None:
        fprofiler += times.duration * 1e-9


def _take_the_order_of_hysop(launcher: type[ParametrizedKernelLauncher], *first: str) -> None:
    """Let a class take HySoP's positional arguments, too. These begin with the parameters map."""
    initialize = cast("Callable[..., None]", launcher.__init__)

    @functools.wraps(initialize)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        if args and isinstance(args[0], Mapping):
            if len(args) > len(first):
                raise TypeError(
                    f"{launcher.__name__} takes at most {counted(len(first), 'argument')} by position after a "
                    f"parameters map, not {len(args)}; give name=..., kernel=... by name"
                )
            for name, value in zip(first, args, strict=False):
                if name in kwargs:
                    raise TypeError(f"{launcher.__name__} got {name} by position and by name")
                kwargs[name] = value
            args = ()
        initialize(self, *args, **kwargs)

    setattr(launcher, "__init__", __init__)  # noqa: B010, mypy takes it for a method


LauncherI = Launcher
OpenClKernelLauncher = KernelLauncher
OpenClParametrizedKernelLauncher = ParametrizedKernelLauncher
OpenClIterativeKernelLauncher = IterativeKernelLauncher
OpenClKernelListLauncher = KernelListLauncher
OpenClKernelParameterGenerator = ParameterGenerator
OpenClKernelParameterYielder = ParameterYielder
OpenClKernelStatistics = KernelStatistics
_take_the_order_of_hysop(ParametrizedKernelLauncher, "parameters_map", "args_list")
_take_the_order_of_hysop(
    IterativeKernelLauncher, "parameters_map", "args_list", "iterated_parameters"
)


for _name in __all__:
    if isinstance(globals()[_name], type):
        globals()[_name].__module__ = __name__
set_trace_output(print)
