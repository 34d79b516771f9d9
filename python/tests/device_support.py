# SPDX-License-Identifier: Apache-2.0
"""Devices that lack what a test's own shader needs."""

from __future__ import annotations

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
