# SPDX-License-Identifier: Apache-2.0
"""Display of tensors, arrays and images in notebooks."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._kp import Image, Memory

#: The maximum numbers of elements in a table, and fetched from a tensor for it.
TABLE, SHOWN = 400, 1_000_000
#: Pillow's names of pixels with 1 to 4 channels of 8 bits.
_MODES = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}


def values_as_html(title: str, values: NDArray[Any]) -> str:
    """Return a table for one or two axes, or NumPy's text for other or large arrays."""
    from html import escape  # here, because few programs need it

    title = escape(title)
    if values.ndim not in (1, 2) or values.size > TABLE or values.dtype.names:
        return f"<p>{title}</p><pre>{escape(str(values))}</pre>"
    rows = "".join(
        "<tr>" + "".join(f"<td>{escape(str(each))}</td>" for each in row) + "</tr>"
        for row in np.atleast_2d(values)
    )
    return f"<table><caption>{title}</caption>{rows}</table>"


def memory_as_html(self: Memory) -> str | None:
    """Return the elements as a table, or None if they are many, are a picture or were destroyed."""
    if not self.is_init() or self.size() > SHOWN or _is_picture(self):
        return None  # a notebook would prefer the table to the picture
    return values_as_html(repr(self).strip("<>"), self.read())


def _pillow() -> Any:
    """Return Pillow's module of images, or None if it is not installed."""
    try:
        from PIL import Image as pillow
    except ImportError:
        return None
    return pillow


def _is_picture(memory: Memory) -> bool:
    """Whether a notebook shows a picture: an image with a range of brightness, if it has Pillow."""
    if not isinstance(memory, Image):
        return False
    return (memory.dtype == np.uint8 or memory.dtype.kind == "f") and _pillow() is not None


def image_as_png(self: Image) -> bytes | None:
    """Return the image as PNG, or None if it has no range of brightness or Pillow is missing.

    Bytes are brightness from 0 to 255, floats from 0 to 1.
    """
    if not self.is_init() or not _is_picture(self):
        return None
    pixels = self.read()
    if pixels.dtype.kind == "f":
        pixels = np.rint(255 * np.clip(np.nan_to_num(pixels), 0, 1)).astype(np.uint8)
    size, mode = (self.width, self.height), _MODES[self.num_channels]
    file = io.BytesIO()
    _pillow().frombytes(mode, size, np.ascontiguousarray(pixels).tobytes()).save(file, "PNG")
    return file.getvalue()


def install() -> None:
    """Add the methods that notebooks call."""
    for cls, name, method in (
        (Memory, "_repr_html_", memory_as_html),
        (Image, "_repr_png_", image_as_png),
    ):
        method.__name__ = name
        method.__qualname__ = f"{cls.__name__}.{name}"
        setattr(cls, name, method)
