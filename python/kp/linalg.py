# SPDX-License-Identifier: Apache-2.0
"""Linear algebra, with the names of numpy.linalg and of the array API standard."""

from __future__ import annotations

from .arrays.matrices import linear_algebra
from .arrays.matrices.linear_algebra import *  # noqa: F403

__all__ = []
__all__ += linear_algebra.__all__


def __dir__() -> list[str]:
    return sorted(__all__)
