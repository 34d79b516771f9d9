# SPDX-License-Identifier: Apache-2.0
"""Functions of blocks that keep objects on the device from one block to the next."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

from .._kp import Manager


class PreparedLane:
    """The function that a Prepared returned, for one thread at a time."""

    def __init__(self, manager: Manager, function: Callable[..., Any]) -> None:
        self.manager = manager
        self.function = function

    @property
    def nbytes(self) -> int:
        """0: the memory of the function is unknown and does not count."""
        return 0

    def release(self) -> None:
        """Do nothing: the function owns its memory."""


class Prepared:
    """A function of blocks that prepares its launchers, tensors and sequences once.

    - `prepare`: a function of a Manager. It returns `function(*blocks, **arguments)`, which
      computes a block of the result. It is called in each process, once for each thread that
      computes blocks at the same time. Only one thread at a time calls the returned function, so it
      may reuse one sequence.
    - `block_info`: whether the function also gets Dask's block_info, as a keyword argument.
    """

    def __init__(
        self, prepare: Callable[[Manager], Callable[..., Any]], *, block_info: bool = False
    ) -> None:
        if not callable(prepare):
            raise TypeError(
                f"prepare must be a function of a Manager, not {type(prepare).__name__}"
            )
        self.prepare = prepare
        self.block_info = block_info
        self.__name__ = getattr(prepare, "__name__", "prepared")
        self.token = uuid.uuid4().hex

    def __dask_tokenize__(self) -> tuple[str, str]:
        return ("kp.dask.Prepared", self.token)

    def open(self, manager: Manager) -> PreparedLane:
        """Call prepare() and return a lane with its result."""
        function = self.prepare(manager)
        if not callable(function):
            raise TypeError(
                f"{self.__name__} must return a function of blocks, not {type(function).__name__}"
            )
        return PreparedLane(manager, function)
