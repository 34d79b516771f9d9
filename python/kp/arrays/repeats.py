# SPDX-License-Identifier: Apache-2.0
"""Calls of elementwise kernels that are as earlier ones: only their memory and their numbers are new.

Calls are alike if their arrays have the same dtypes, shapes and strides and share memory in the same way, and
their numbers the same types. Nothing about types and shapes has to be found out again then.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import launching
from .array import Array
from .expressions import before_write, lock
from .plans import Plan, Signature
from .storage import DType, Shape, Storage, View
from .types import require_held, words_of

_MAX_CALLS = 256

_FLOAT = struct.Struct("=f")
_SINGLE = np.dtype(np.float32)


class Call:
    """What a kernel was called with: `inputs` arguments that it reads, and arrays that it writes.

    `key` is equal for calls that are alike. It is None if not all arguments are arrays in memory and numbers,
    or if the kernel writes memory that it also reads.
    """

    __slots__ = ("key", "manager", "numbers", "storages", "targets")

    def __init__(self, args: Sequence[Any], inputs: int) -> None:
        self.key: tuple[Any, ...] | None = None
        self.storages: list[Storage] = []
        self.numbers: list[Any] = []
        self.targets: list[Array] = []
        self.manager: Any = None
        storages = self.storages
        key: list[Any] = []
        for value in args:
            kind = type(value)
            if kind is Array:
                view = value._view
                if view is None:
                    return
                storage = view.storage
                if self.manager is None:
                    self.manager = storage.manager
                elif self.manager is not storage.manager:
                    return
                if storage in storages:
                    if inputs <= 0:
                        return
                    index = storages.index(storage)
                else:
                    index = len(storages)
                    storages.append(storage)
                key += (storage.dtype, index, view.offset, view.shape, view.strides)
                if inputs <= 0:
                    key.append(view.writable)
                    self.targets.append(value)
            elif inputs <= 0:
                return
            elif kind is float or kind is int:
                key.append(kind)
                self.numbers.append(value)
            elif isinstance(value, np.generic):
                key.append(value.dtype)
                self.numbers.append(value)
            else:
                return
            inputs -= 1
        if self.manager is not None:
            self.key = tuple(key)


class Repeat:
    """How to repeat a call.

    - `memory`: for each binding, the index of a storage of the call, or of a new result, from -1 downwards.
    - `numbers`: for each number of the call, its dtype, its place among the parameters, and its name if it has
      to fit.
    - `source`: the shader.
    """

    __slots__ = ("_groups", "_memory", "_numbers", "_parameters", "_results", "_shape", "source")

    def __init__(
        self,
        plan: Plan,
        memory: list[int],
        numbers: list[tuple[DType, int, int, str | None]],
        shape: Shape,
        results: list[DType],
    ) -> None:
        self.source = plan.source
        self._parameters = plan.parameters
        self._groups = plan.groups
        self._memory = memory
        self._numbers = numbers
        self._shape = shape
        self._results = results

    def __call__(self, call: Call) -> Any:
        """Launch with the memory and the numbers of a call. Returns the results: one, or a tuple."""
        targets, storages, results = call.targets, call.storages, self._results
        manager = call.manager
        made: Any
        if targets:
            made = targets[0] if len(targets) == 1 else tuple(targets)
        elif len(results) == 1:
            view = View.new(manager, self._shape, results[0])
            storages.append(view.storage)
            made = Array._of_view(view)
        else:
            views = [View.new(manager, self._shape, dtype) for dtype in results]
            storages += [view.storage for view in reversed(views)]
            made = tuple([Array._of_view(view) for view in views])
        parameters = self._parameters
        if self._numbers:
            parameters = parameters.copy()
            for value, (dtype, place, count, name) in zip(call.numbers, self._numbers, strict=True):
                if dtype is _SINGLE and type(value) is float and -3.4e38 < value < 3.4e38:
                    _FLOAT.pack_into(parameters, 4 * place, value)
                else:
                    if name is not None and not isinstance(value, np.generic):
                        require_held(value, dtype, name)
                    parameters[place : place + count] = words_of(value, dtype)
        with lock:
            for target in targets:
                before_write(target._evaluated().storage)
            memory = [storages[i].tensor for i in self._memory]
            launching.launch(manager, self.source, memory, parameters, self._groups)
        return made


class Repeats:
    """The calls of one kernel that can be repeated."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[tuple[Any, ...], Repeat] = {}

    def find(self, call: Call) -> Repeat | None:
        """Return how to repeat an earlier call that is like this one."""
        return None if call.key is None else self._known.get(call.key)

    def keep(
        self,
        call: Call,
        plan: Plan,
        sign: Signature,
        shape: Shape,
        results: Sequence[View],
        names: Sequence[str | None],
    ) -> None:
        """Keep how to repeat a call that was planned, if it used no other memory than that given.

        `names` has the name of each parameter that is a number; None if NumPy's rules of numbers hold for it.
        """
        if call.key is None or len(sign.constants) != len(call.numbers):
            return
        made = [] if call.targets else [view.storage for view in results]
        storages = [*call.storages, *reversed(made)]
        if [each for each in sign.storages if each not in storages]:
            return
        places = {index: (place, count) for index, place, count in plan.numbers}
        if len(places) != len(call.numbers):
            return
        numbers = [
            (node.dtype, *places[index], names[index]) for index, node in enumerate(sign.constants)
        ]
        memory = [storages.index(sign.storages[i]) for i in plan.memory]
        count = len(storages)
        memory = [i - count if i >= len(call.storages) else i for i in memory]
        if len(self._known) >= _MAX_CALLS:
            self._known.clear()
        dtypes = [view.storage.dtype for view in results]
        self._known[call.key] = Repeat(plan, memory, numbers, shape, dtypes)
