# SPDX-License-Identifier: Apache-2.0
"""Dtypes and channel counts of SPIR-V image formats."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import numpy.typing as npt

import kp

# ImageFormat of the SPIR-V specification, section 3.11, by the names of kp.Manager.image_t().
FORMATS = {
    1: "rgba32float", 2: "rgba16float", 3: "r32float", 4: "rgba8unorm", 5: "rgba8snorm",
    6: "rg32float", 7: "rg16float", 9: "r16float",
    10: "rgba16unorm", 12: "rg16unorm", 13: "rg8unorm", 14: "r16unorm", 15: "r8unorm",
    16: "rgba16snorm", 17: "rg16snorm", 18: "rg8snorm", 19: "r16snorm", 20: "r8snorm",
    21: "rgba32sint", 22: "rgba16sint", 23: "rgba8sint", 24: "r32sint", 25: "rg32sint",
    26: "rg16sint", 27: "rg8sint", 28: "r16sint", 29: "r8sint",
    30: "rgba32uint", 31: "rgba16uint", 32: "rgba8uint", 33: "r32uint", 35: "rg32uint",
    36: "rg16uint", 37: "rg8uint", 38: "r16uint", 39: "r8uint",
}  # fmt: skip

_NAME = re.compile(r"([rgba]+)(\d+)(\w+)")
_KINDS = {"float": "float", "sint": "int", "snorm": "int", "uint": "uint", "unorm": "uint"}


def format_name(binding: kp.Binding) -> str:
    """Return the name of the shader's image format, or "" if it has none that is known."""
    return FORMATS.get(binding.image_format, "")


def element_type(binding: kp.Binding) -> np.dtype[Any] | None:
    """Return the dtype that the binding's memory must have, or None if the shader sets none."""
    if binding.kind != "storage_image":
        return binding.dtype
    match = _NAME.fullmatch(format_name(binding))
    return np.dtype(_KINDS[match[3]] + match[2]) if match else None


def channels(binding: kp.Binding) -> int:
    """Return the number of channels in the shader's image format, or 0 if it has no format."""
    match = _NAME.fullmatch(format_name(binding))
    return len(match[1]) if match else 0


def is_normalised(binding: kp.Binding) -> bool:
    """Return whether the image holds integers that are numbers from 0 or -1 to 1 in the shader."""
    return format_name(binding).endswith("norm")


def to_normalised(values: npt.NDArray[Any], dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """Return floats from 0 or -1 to 1 as the integers of a normalised format."""
    most = np.iinfo(dtype).max
    least = -1.0 if dtype.kind == "i" else 0.0
    return np.asarray(np.rint(np.clip(np.nan_to_num(values), least, 1.0) * most).astype(dtype))
