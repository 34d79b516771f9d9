# SPDX-License-Identifier: Apache-2.0
"""The package itself, for functions that look up its public names when they are called."""

from __future__ import annotations

import sys
from types import ModuleType


def package() -> ModuleType:
    """Return the module kp. An import of it would make a circle of all files below it."""
    return sys.modules[__package__]
