# SPDX-License-Identifier: Apache-2.0
"""What the library raises."""

from __future__ import annotations


class Error(RuntimeError):
    """Base of everything the library raises by itself.

    ``code`` is the kind of failure (``"invalid_argument"``, ``"shader"``, ``"out_of_memory"``,
    ``"device_lost"``, ``"unsupported"``, ``"vulkan"``), ``vk_result`` the VkResult behind it (0 where
    there is none) and ``reasons`` the details, for instance why each device was refused.
    """

    code: str = "vulkan"
    vk_result: int = 0
    reasons: list[str]

    def __init__(self, *args: object) -> None:
        super().__init__(*args)
        self.reasons = []


class InvalidArgument(Error, ValueError):
    """The caller's arguments cannot work; nothing was changed."""


class ShaderError(Error):
    """A shader does not compile, is not valid, or does not fit its arguments.

    ``line`` and ``column`` count from 1 (0: unknown); ``log`` is the compiler's full output. The
    message shows the line of text and marks the column.
    """

    file: str = ""
    line: int = 0
    column: int = 0
    log: str = ""


class OutOfMemory(Error, MemoryError):
    """No device or host memory is left; everything that existed still works."""


class DeviceLost(Error):
    """The device stopped. ``reasons`` holds the driver's report, where it gives one."""


class Unsupported(Error):
    """The driver or the device cannot do what was asked."""
