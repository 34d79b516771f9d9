# SPDX-License-Identifier: Apache-2.0
"""Dtypes and channel counts of SPIR-V image formats."""

from __future__ import annotations

from typing import Any

import numpy as np

import kp

# ImageFormat of the SPIR-V specification, section 3.11: element type and channels.
FORMATS = {
    1: ("float32", 4), 2: ("float16", 4), 3: ("float32", 1), 6: ("float32", 2),
    7: ("float16", 2), 9: ("float16", 1),
    21: ("int32", 4), 22: ("int16", 4), 23: ("int8", 4), 24: ("int32", 1), 25: ("int32", 2),
    26: ("int16", 2), 27: ("int8", 2), 28: ("int16", 1), 29: ("int8", 1),
    30: ("uint32", 4), 31: ("uint16", 4), 32: ("uint8", 4), 33: ("uint32", 1), 35: ("uint32", 2),
    36: ("uint16", 2), 37: ("uint8", 2), 38: ("uint16", 1), 39: ("uint8", 1),
}  # fmt: skip


def element_type(binding: kp.Binding) -> np.dtype[Any] | None:
    """Return the dtype that the binding's memory must have, or None if the shader sets none."""
    if binding.kind != "storage_image":
        return binding.dtype
    known = FORMATS.get(binding.image_format)
    return np.dtype(known[0]) if known else None


def channels(binding: kp.Binding) -> int:
    """Return the number of channels in the shader's image format, or 0 if it has no format."""
    known = FORMATS.get(binding.image_format)
    return known[1] if known else 0
