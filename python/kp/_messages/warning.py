# SPDX-License-Identifier: Apache-2.0
"""Warnings, which name the line of the caller."""

from __future__ import annotations

import os
import sys
import warnings

#: The package's folder: files in it are never the caller.
_OWN = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def warn(message: str, category: type[Warning] = RuntimeWarning) -> None:
    """Warn, naming the calling line outside of this package."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_OWN):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level + 1)
