# SPDX-License-Identifier: Apache-2.0
"""All cases."""

from __future__ import annotations

from . import (
    creating,
    elementwise,
    indexing,
    methods,
    moving,
    ordering,
    products,
    random_numbers,
    reducing,
    statistics,
    transforms,
)
from .cases import Case

MODULES = (elementwise, reducing, moving, indexing, ordering, statistics, products, transforms, creating,
           random_numbers, methods)  # fmt: skip

#: In the order in which they are measured.
CASES: tuple[Case, ...] = tuple(case for module in MODULES for case in module.table())
