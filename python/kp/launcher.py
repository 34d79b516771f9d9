# SPDX-License-Identifier: Apache-2.0
"""Launchers: kernels with their arguments, host functions and copies, alone or in lists.

```python
step = KernelListLauncher("step")
step += ParametrizedKernelLauncher("decay", shader, {"dt": "dt"}, {"v": field, "rate": 0.5},
                                   default_global_work_size=field.size())
step.push_copy_device_to_host("field", field, result)
event = step(queue=mgr.queue(), dt=0.1)
```

Names and rules follow HySoP's OpenCL launchers.
"""

from __future__ import annotations

from typing import Any

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
    RepeatLauncher,
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
from ._kernels.iterated import ParameterGenerator, ParameterYielder
from .compat import hysop as _hysop
from .compat.hysop import *  # noqa: F403

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
    "OpenClKernelLauncherI",
    "ParameterGenerator",
    "ParameterYielder",
    "ParametrizedKernelLauncher",
    "PrimitiveLauncher",
    "RepeatLauncher",
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
__all__ += _hysop.__all__


def profile_kernel(
    kernel: Any, evt: Event, kernel_msg: str | None = None, fprofiler: Any = None
) -> None:
    """Wait for an event and add its duration, in seconds, to a profiler.

    - `kernel`: a launcher, a list of launchers or a name.
    - `evt`: the event of the launch.
    - `kernel_msg`: the name to filter by; by default, the name of `kernel`.
    - `fprofiler`: the profiler; by default `kernel`'s, which gets each launch once.

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


for _name in __all__:
    if isinstance(globals()[_name], type):
        globals()[_name].__module__ = __name__
set_trace_output(print)
