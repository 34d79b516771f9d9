# SPDX-License-Identifier: Apache-2.0
"""kp.jit: Python functions as kernels, compiled from their syntax trees to GLSL."""

from __future__ import annotations

from . import intrinsics
from .decorator import JitFunction, jit

__all__ = ["JitFunction", "intrinsics", "jit"]
