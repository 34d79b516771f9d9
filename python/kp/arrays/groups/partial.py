# SPDX-License-Identifier: Apache-2.0
"""Partial results of the devices of a group, which the host combines when they are read.

A sum of all elements, for example, is a number on each device. The devices do not wait for each other:
they compute at the same time, and reading the sum adds the numbers.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ... import _kp
from ..._kp import Manager
from ..array import Array
from ..storage import DType


#: Partial results of more bytes are combined by the devices.
MOST_BYTES = 1 << 20

#: Managers whose memory the host cannot read without a copy.
_FAR: weakref.WeakKeyDictionary[Manager, bool] = weakref.WeakKeyDictionary()


def _is_far(manager: Manager) -> bool:
    far = _FAR.get(manager)
    if far is None:
        far = _FAR[manager] = manager.get_device_properties()["type"] == "discrete"
    return far


def _readable(part: Array) -> Array:
    """Return a number in memory that the host reads at once: a copy from the device would be a submission."""
    if part.size != 1 or not _is_far(part._manager):
        return part
    number = _kp._host_number(part._manager, part.dtype)
    _kp._put(number, part.reshape(()), [], (), None)
    readable: Array = number.reshape(part.shape)
    return readable


class Partial:
    """Results of several devices, each the same number of arrays, and the rule to combine them.

    `combine` takes for each of these arrays the elements of all devices, stacked along a new first axis.
    """

    __slots__ = ("_combine", "_known", "_parts")

    def __init__(
        self, parts: Sequence[Sequence[Array]], combine: Callable[..., NDArray[Any]]
    ) -> None:
        self._combine = combine
        self._known: NDArray[Any] | None = None
        for part in parts:  # on all devices, before anything else is launched
            for each in part:
                each.evaluate()
        self._parts = [[_readable(each) for each in part] for part in parts]

    def combined(self) -> NDArray[Any]:
        """Wait for the devices, and combine their results. Later calls return the same."""
        if self._known is None:
            found = [[each.numpy() for each in part] for part in self._parts]
            with np.errstate(all="ignore"):
                self._known = self._combine(*[np.stack(each) for each in zip(*found, strict=True)])
        return self._known

    def then(self, dtype: DType, function: Callable[[Any], Any]) -> Partial:
        """Return partial results whose combination, in a dtype, is an argument of a function."""
        combine = self._combine

        def both(*stacked: NDArray[Any]) -> NDArray[Any]:
            made: NDArray[Any] = np.asarray(function(combine(*stacked).astype(dtype, copy=False)))
            return made

        made = object.__new__(Partial)
        made._parts, made._combine, made._known = self._parts, both, None
        return made
