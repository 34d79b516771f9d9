# SPDX-License-Identifier: Apache-2.0
"""Functions of blocks that keep something on the device from one block to the next."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

from .._kp import Manager


class PreparedLane:
    """What a Prepared made, for one thread at a time."""

    def __init__(self, manager: Manager, function: Callable[..., Any]) -> None:
        self.manager = manager
        self.function = function

    @property
    def nbytes(self) -> int:
        """Unknown, so it does not count."""
        return 0

    def release(self) -> None:
        """What the function holds is its own affair."""


class Prepared:
    """A function of blocks that `prepare(manager)` makes, with launchers, tensors and sequences.

    prepare() is called in each process, once for each thread that runs blocks at the same time, and
    gives `function(*blocks, **arguments)`, which makes a block of the result out of others. Only one
    thread at a time calls what it gave, so that may use the same sequence each time. With
    `block_info` it is also given Dask's block_info, by that name.
    """

    def __init__(
        self, prepare: Callable[[Manager], Callable[..., Any]], *, block_info: bool = False
    ) -> None:
        if not callable(prepare):
            raise TypeError(f"prepare is a function of a Manager, not a {type(prepare).__name__}")
        self.prepare = prepare
        self.block_info = block_info
        self.__name__ = getattr(prepare, "__name__", "prepared")
        self.token = uuid.uuid4().hex

    def __dask_tokenize__(self) -> tuple[str, str]:
        return ("kp.dask.Prepared", self.token)

    def open(self, manager: Manager) -> PreparedLane:
        """Calls prepare()."""
        function = self.prepare(manager)
        if not callable(function):
            raise TypeError(
                f"{self.__name__} gives a function of blocks, not a {type(function).__name__}"
            )
        return PreparedLane(manager, function)
