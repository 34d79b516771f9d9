# SPDX-License-Identifier: Apache-2.0
"""Partial results of the devices of a group, which the host combines when they are read.

A sum of all elements, for example, is a number on each device. The devices do not wait for each other:
they compute their numbers at the same time, and whoever reads the sum adds them up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..array import Array
from ..storage import DType


class Partial:
    """What some devices computed, each the same number of arrays, and how they are combined.

    `combine` takes for each of these arrays the elements of all devices, stacked along a new first axis.
    """

    __slots__ = ("_combine", "_parts")

    def __init__(
        self, parts: Sequence[Sequence[Array]], combine: Callable[..., NDArray[Any]]
    ) -> None:
        self._parts = tuple(parts)
        self._combine = combine
        for part in self._parts:  # they may share work, and later writes do not change them
            for each in part:
                each.evaluate()

    def combined(self) -> NDArray[Any]:
        """Wait for the devices, and combine what they computed."""
        found = [[each.numpy() for each in part] for part in self._parts]
        with np.errstate(all="ignore"):
            return self._combine(*[np.stack(each) for each in zip(*found, strict=True)])

    def then(self, dtype: DType, function: Callable[[Any], Any]) -> Partial:
        """Return partial results whose combination, in a dtype, is an argument of a function."""
        combine = self._combine

        def both(*stacked: NDArray[Any]) -> NDArray[Any]:
            made: NDArray[Any] = np.asarray(function(combine(*stacked).astype(dtype, copy=False)))
            return made

        return Partial(self._parts, both)
