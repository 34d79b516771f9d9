# SPDX-License-Identifier: Apache-2.0
"""Calls of elementwise kernels that are as earlier ones: only their memory and their numbers are new.

Calls are alike if their arrays have the same dtypes, shapes and strides and share memory in the same way, and
their numbers the same types. Nothing about types and shapes has to be found out again then.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from . import launching
from .array import Array
from .expressions import before_write, lock
from .plans import Plan, Signature
from .storage import DType, Form, Storage, View
from .types import require_held, words_of

_MAX_CALLS = 256

_FLOAT = struct.Struct("=f")
_SINGLE = np.dtype(np.float32)


#: What a kernel was called with: a key that is equal for calls that are alike, storages, and numbers.
Call = tuple[tuple[Any, ...], list[Storage], list[Any]]


class Repeat(NamedTuple):
    """How to repeat a call.

    - `memory`: what the plan binds, as indices into the storages of the call, with those of new results after them.
    - `numbers`: the dtype of each number, and its name if it has to fit.
    - `results`: the forms of new results.
    """

    plan: Plan
    memory: list[int]
    numbers: list[tuple[DType, str | None]]
    results: list[Form]


class Repeats:
    """The calls of one kernel that can be repeated. `inputs` is how many arguments it reads."""

    __slots__ = ("_inputs", "_known")

    def __init__(self, inputs: int) -> None:
        self._inputs = inputs
        self._known: dict[tuple[Any, ...], Repeat] = {}

    def call(self, args: Sequence[Any]) -> Call | None:
        """Return what a call is like.

        Returns None if not all arguments are arrays in memory and numbers, or if the kernel writes memory that it
        also reads.
        """
        storages: list[Storage] = []
        numbers: list[Any] = []
        key: list[Any] = []
        home = None
        remaining = self._inputs
        for value in args:
            kind = type(value)
            if kind is Array:
                view = value._view
                if view is None:
                    return None
                storage = view.storage
                if home is not storage.home:
                    if home is not None:
                        return None
                    home = storage.home
                key.append(view._form or view.form())
                if storage not in storages:
                    storages.append(storage)
                elif remaining > 0:
                    key.append(storages.index(storage))
                else:
                    return None
                if remaining <= 0 and not view.writable:
                    return None
            elif remaining <= 0:
                return None
            elif kind is float or kind is int:
                key.append(kind)
                numbers.append(value)
            elif isinstance(value, np.generic):
                key.append(value.dtype)
                numbers.append(value)
            else:
                return None
            remaining -= 1
        return (tuple(key), storages, numbers) if storages else None

    def repeat(self, call: Call, args: Sequence[Any]) -> tuple[Plan, Any] | None:
        """Launch as an earlier call that was alike. Returns the plan and the results, or None if there was none."""
        key, storages, numbers = call
        found = self._known.get(key)
        if found is None:
            return None
        plan, order, kinds, results = found
        words = []
        for value, (dtype, name) in zip(numbers, kinds, strict=True):
            if dtype is _SINGLE and type(value) is float and -3.4e38 < value < 3.4e38:
                words.append(_FLOAT.pack(value))
            else:
                if name is not None and not isinstance(value, np.generic):
                    require_held(value, dtype, name)
                words.append(words_of(value, dtype).tobytes())
        first = storages[0]
        manager, home = first.manager, first.home
        made: Any = args[self._inputs :]
        if not made:
            made = []
            for form in results:
                view = View.blank(manager, home, form)
                storages.append(view.storage)
                made.append(Array._of_view(view))
        with lock:
            for target in args[self._inputs :]:
                before_write(target._evaluated().storage)
            memory = [storages[i].tensor for i in order]
            launching.launch_plan(manager, home, plan, memory, words)
        return plan, made[0] if len(made) == 1 else tuple(made)

    def keep(
        self,
        call: Call,
        plan: Plan,
        sign: Signature,
        results: Sequence[View],
        names: Sequence[str | None],
    ) -> None:
        """Keep how to repeat a call that was planned, if it used no other memory than that given.

        `names` has the name of each parameter that is a number; None if NumPy's rules of numbers hold for it.
        """
        key, storages, numbers = call
        if len(sign.constants) != len(numbers):
            return
        storages = storages.copy()
        storages += [view.storage for view in results if view.storage not in storages]
        if [each for each in sign.storages if each not in storages]:
            return
        if len(self._known) >= _MAX_CALLS:
            self._known.clear()
        self._known[key] = Repeat(
            plan,
            [storages.index(sign.storages[i]) for i in plan.memory],
            [(node.dtype, name) for node, name in zip(sign.constants, names, strict=True)],
            [view.form() for view in results],
        )
