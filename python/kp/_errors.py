# SPDX-License-Identifier: Apache-2.0
"""The exceptions that the library raises."""

from __future__ import annotations

import contextlib
import traceback
from types import GetSetDescriptorType, MemberDescriptorType, TracebackType


class Error(RuntimeError):
    """Base class of the library's exceptions.

    - ``code``: the kind of failure: ``"invalid_argument"``, ``"shader"``, ``"out_of_memory"``,
      ``"device_lost"``, ``"unsupported"``, ``"cancelled"`` or ``"vulkan"``.
    - ``vk_result``: the VkResult that caused it, or 0.
    - ``reasons``: details, for example why each device was rejected.
    """

    code: str = "vulkan"
    vk_result: int = 0
    reasons: list[str]

    def __init__(self, *args: object) -> None:
        super().__init__(*args)
        self.reasons = []


class InvalidArgument(Error, ValueError):
    """An argument is not valid. Nothing was changed."""


class ShaderError(Error):
    """A shader does not compile, is not valid, or does not match its arguments.

    The message shows the source line and marks the column.

    - ``file``: the file name, or empty.
    - ``line``, ``column``: the position, counted from 1. 0 if it is unknown.
    - ``log``: the compiler's full output.
    """

    file: str = ""
    line: int = 0
    column: int = 0
    log: str = ""


class OutOfMemory(Error, MemoryError):
    """Device or host memory is exhausted. Existing objects still work."""


class DeviceLost(Error):
    """The device was lost. ``reasons`` holds the driver's fault report, if there is one."""


class Cancelled(Error):
    """The work was cancelled before it started: its sequence or manager was destroyed."""


class Unsupported(Error):
    """The driver or the device does not support the operation."""


def clear_frames(error: BaseException | None, trace: TracebackType | None) -> None:
    """Empty the frames of a function that has failed, and of what it handled."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        traceback.clear_frames(trace if trace is not None else error.__traceback__)
        error, trace = error.__cause__ or error.__context__, None


def copied(error: BaseException) -> BaseException:
    """Return a copy of an exception, without calling its __init__; itself if that is impossible."""
    kind = type(error)
    try:
        copy = kind.__new__(kind, *error.args)
        if type(copy) is not kind:
            return error
        for base in reversed(kind.__mro__):
            for name, member in vars(base).items():
                if name in ("__dict__", "__class__", "__weakref__"):
                    continue
                if isinstance(member, (MemberDescriptorType, GetSetDescriptorType)):
                    with contextlib.suppress(AttributeError, TypeError):
                        # Not even None for None: OSError tells them from what was never set.
                        if getattr(copy, name) is not getattr(error, name):
                            setattr(copy, name, getattr(error, name))
        vars(copy).update(vars(error))
    except Exception:
        return error
    return copy
