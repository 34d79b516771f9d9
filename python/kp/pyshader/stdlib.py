# SPDX-License-Identifier: Apache-2.0
"""The functions of pyshader's standard library, for functions with python2shader."""

from __future__ import annotations

from ..compat.pyshader import stdlib as _names
from ..compat.pyshader.stdlib import *  # noqa: F403

__all__ = []
__all__ += _names.__all__
