# SPDX-License-Identifier: Apache-2.0
"""The exceptions that the library raises."""

from __future__ import annotations

import contextlib
import linecache
import traceback
from dataclasses import dataclass, replace
from types import GetSetDescriptorType, MemberDescriptorType, TracebackType


class Error(RuntimeError):
    """Base class of the library's exceptions.

    - ``code``: the kind of failure: ``"invalid_argument"``, ``"shader"``, ``"out_of_memory"``,
      ``"device_lost"``, ``"unsupported"``, ``"cancelled"``, ``"check_failed"``
      or ``"vulkan"``.
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
    """The device was lost.

    ``reasons`` holds the driver's fault report, if there is one, and the operations that were under way, with
    ``Manager(breadcrumbs=True)`` or ``KOMPUTE_BREADCRUMBS=1``.
    """


class Cancelled(Error):
    """The work was cancelled before it started: its sequence was cancelled, or it or the manager was destroyed."""


@dataclass(frozen=True)
class CheckFault:
    """A mistake of a shader that checked mode found.

    - ``kind``: ``"read"``, ``"write"``, ``"atomic"`` or ``"index"`` for an index out of bounds;
      ``"division"``, ``"shift"``, ``"overflow"``, ``"nan"``, ``"steps"``, ``"race"``,
      ``"uninitialised"`` or ``"assert"``.
    - ``file``, ``line``, ``text``: the place in the source; empty and 0 if they are unknown.
    - ``message``: the text of an assertion, the non-finite result, or both accesses of a race.
    - ``target``: the shader's name of the indexed array; ``memory``: the memory bound to it.
    - ``index``, ``extent``: the index and the number of elements.
    - ``indices``, ``shape``: all indices of an array of ``@kp.jit`` with several axes, and its
      shape; else empty. ``index`` is the first that is out of bounds.
    - ``value``: the value that should have been written, as text.
    - ``global_invocation``, ``local_invocation``: in x, y and z.
    - ``algorithm``: the name of the kernel, or as given to ``Algorithm.set_name()``; else empty.
    """

    kind: str
    file: str
    line: int
    text: str
    message: str
    target: str
    memory: str
    index: int
    extent: int
    value: str
    global_invocation: tuple[int, int, int]
    local_invocation: tuple[int, int, int]
    algorithm: str = ""
    indices: tuple[int, ...] = ()
    shape: tuple[int, ...] = ()


class CheckFailed(Error):
    """A shader made a mistake that checked mode found. Its access was skipped.

    - ``faults``: a CheckFault for each of the first mistakes, preferring different places.
    - ``count``: the number of all mistakes.
    """

    faults: list[CheckFault]
    count: int = 0

    def __init__(self, *args: object) -> None:
        super().__init__(*args)
        self.faults = []


def point_at(error: CheckFailed) -> None:
    """Let the traceback of an error end at the line of a Python function that was a kernel."""
    for i, each in enumerate(error.faults):
        if not each.text:  # of a notebook's cell
            text = linecache.getline(each.file, each.line).strip()
            error.faults[i] = replace(each, text=text)
    fault = error.faults[0]
    if not fault.file.endswith(".py") and not linecache.getline(fault.file, fault.line):
        return
    code = compile("\n" * (fault.line - 1) + "raise error", fault.file, "exec")
    try:
        exec(code.replace(co_name="kernel"), {"error": error})
    except CheckFailed as raised:
        assert raised.__traceback__ is not None
        error.__traceback__ = raised.__traceback__.tb_next


class Unsupported(Error):
    """The driver or the device does not support the operation."""


def clear_frames(error: BaseException | None, trace: TracebackType | None) -> None:
    """Empty the frames of a function that has failed, and of the exceptions that it handled."""
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
                        # Not even None for None: OSError distinguishes None from unset.
                        if getattr(copy, name) is not getattr(error, name):
                            setattr(copy, name, getattr(error, name))
        vars(copy).update(vars(error))
    except Exception:
        return error
    return copy
