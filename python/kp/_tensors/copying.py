# SPDX-License-Identifier: Apache-2.0
"""Copies of tensors and images, and pickling, through host memory."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._default import default_manager
from .._kp import Image, Manager, Memory


def _made(
    manager: Manager, image: tuple[str, str] | None, contents: NDArray[Any], place: str
) -> Memory:
    """Return memory with these contents, on the device and on the host."""
    if image is not None:
        kind, form = image
        made: Memory = manager.image_t(contents, memory_type=place, image_type=kind, format=form)
    else:
        made = manager.tensor_t(contents, memory_type=place)
    if contents.size:
        made.write(contents)
    return made


def _image(memory: Memory) -> tuple[str, str] | None:
    """Return the type and the format of an image."""
    return (memory.image_type, memory.format) if isinstance(memory, Image) else None


def _unpickled(image: tuple[str, str] | None, contents: NDArray[Any], place: str) -> Memory:
    """Return memory on the device of default_manager()."""
    return _made(default_manager(), image, contents, place)


def reduce_ex(self: Memory, protocol: Any) -> tuple[Any, ...]:
    """Pickle the elements. They are unpickled to the device of kp.default_manager()."""
    return _unpickled, (_image(self), self.read(), self.memory_type().name)


def copied(self: Memory) -> Memory:
    """Return new memory of the same manager with the same elements."""
    place = self.memory_type().name
    return _made(self.manager, _image(self), self.read(), place)


def deep_copied(self: Memory, memo: Any) -> Memory:
    """Return new memory of the same manager with the same elements."""
    copy = copied(self)
    memo[id(self)] = copy
    return copy


def install() -> None:
    """Add the methods to Memory."""
    for name, method in (
        ("__reduce_ex__", reduce_ex),
        ("__copy__", copied),
        ("__deepcopy__", deep_copied),
    ):
        method.__name__ = name
        method.__qualname__ = f"Memory.{name}"
        setattr(Memory, name, method)
