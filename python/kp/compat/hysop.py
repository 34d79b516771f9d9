# SPDX-License-Identifier: Apache-2.0
"""HySoP's names of launchers, and its order of arguments. They are in kp.launcher."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, cast

from .._kp import (
    IterativeKernelLauncher,
    KernelLauncher,
    KernelListLauncher,
    KernelStatistics,
    Launcher,
    ParametrizedKernelLauncher,
)
from .._kernels.iterated import ParameterGenerator, ParameterYielder
from .._wording import counted

__all__ = [
    "LauncherI",
    "OpenClIterativeKernelLauncher",
    "OpenClKernelLauncher",
    "OpenClKernelListLauncher",
    "OpenClKernelParameterGenerator",
    "OpenClKernelParameterYielder",
    "OpenClKernelStatistics",
    "OpenClParametrizedKernelLauncher",
]


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
