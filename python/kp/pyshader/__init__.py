# SPDX-License-Identifier: Apache-2.0
"""The decorator and the type names of pyshader; see kp.compat.pyshader."""

from __future__ import annotations

from ..compat import pyshader as _names
from ..compat.pyshader import *  # noqa: F403
from . import stdlib as stdlib  # type: ignore[no-redef]

__doc__ = _names.__doc__
__all__ = []
__all__ += _names.__all__
