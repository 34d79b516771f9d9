# SPDX-License-Identifier: Apache-2.0
"""Devices that lack what a test's own shader needs."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator

import pytest

import kp

#: Features that shaders with buffers of these types need.
FEATURES = {
    "int8": "storageBuffer8BitAccess",
    "uint8": "storageBuffer8BitAccess",
    "bool": "storageBuffer8BitAccess",
    "int16": "storageBuffer16BitAccess",
    "uint16": "storageBuffer16BitAccess",
    "float16": "storageBuffer16BitAccess",
    "int64": "shaderInt64",
    "uint64": "shaderInt64",
    "float64": "shaderFloat64",
}


def skip_without(manager: kp.Manager, dtype: str) -> None:
    """Skip the test if the device lacks a type."""
    feature = FEATURES.get(dtype)
    if feature and feature not in manager._facts()["enabled_features"]:
        pytest.skip(f"the device has no {feature}")


#: Errors of shaders that need more than the device has. The library has replacements for types, but not for
#: everything that users write.
LACKS = r"the shader needs .* does not have the feature"


@contextlib.contextmanager
def skipping_what_the_device_lacks() -> Iterator[None]:
    """Skip the test if a shader of its own needs what the device lacks."""
    try:
        yield
    except kp.ShaderError as error:
        if not re.search(LACKS, str(error)):
            raise
        pytest.skip(str(error))


def skip_on_swiftshader(defect: str) -> None:
    """Skip the test on a driver that does not compute as Vulkan says."""
    if "SwiftShader" in kp.default_manager().get_device_properties()["device_name"]:
        pytest.skip(f"SwiftShader {defect}")
