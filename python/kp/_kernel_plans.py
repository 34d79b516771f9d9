# SPDX-License-Identifier: Apache-2.0
"""Calls of kernels that are as earlier ones: what was found out about those is used again."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ._kernel_call import LEAST_LIMIT, Call, Events, launcher_of, number, refuse_common, write_back
from ._kp import KernelLauncher, Manager, Queue, Tensor
from ._program import Plan, Program

_MOST_PLANS = 64


def key_of(
    program: Program, values: Mapping[str, Any], threads: Any, mgr: Manager | None
) -> tuple[Any, ...] | None:
    """Return what a plan is for. None if not all arrays are on the device of one manager."""
    if threads is not None and type(threads) is not int:
        return None
    key: list[Any] = [threads]
    for name in program.array_names:
        value = values.get(name)
        if type(value) is not Tensor and not hasattr(value, "__kp_tensor__"):
            return None
        manager = getattr(value, "manager", None)
        if manager is None or not hasattr(value, "dtype") or not hasattr(value, "shape"):
            return None  # a class of the caller's
        assert value is not None
        if mgr is None:
            mgr = manager
        elif manager is not mgr:
            return None
        key.append(value.dtype)
        key.append(value.shape)
    if mgr is None:
        return None
    if program.is_tuned:
        key.append(id(program.tuned_for(mgr)))
    return tuple(key)


def remember(call: Call, key: tuple[Any, ...], threads: Any) -> None:
    """Keep the plan of a call, unless it depends on the device."""
    program = call.program
    size = call.size(threads)
    groups = size[0] // program.local_size(call.manager)
    if not math.prod(size) or groups >= LEAST_LIMIT:
        return
    if len(program.plans) >= _MOST_PLANS:
        program.plans.clear()
    known: dict[int, Any] = dict(program.fixed)
    if (tuned := program.tuned_for(call.manager)) is not None:
        known.update(tuned.constants)
    for extent in program.extents:
        known[extent.index] = call.bound[extent.name].shape[extent.axis]
    if program.global_size is not None:
        known[program.global_size] = [*size, 1, 1][:3]
    slots = tuple((each, each.index, each.is_array, each.writes) for each in program.parameters)
    count = max([*known, *[each.index for each in program.parameters]], default=-1) + 1
    arguments = [known.get(index) for index in range(count)]
    program.plans[key] = Plan(size, call.local_size, arguments, slots)


#: Bytes of the arrays that a kernel keeps for a call with the same ones.
_KEPT_BYTES = 1 << 20

#: Types of numbers that cannot change.
_NUMBERS = (int, float, bool, np.generic)


class _Last:
    """The launcher of the last call, for the next one with the same small arrays and numbers."""

    __slots__ = ("_arrays", "_numbers", "_thread", "_threads", "launcher", "written")

    def __init__(
        self,
        arrays: list[tuple[str, Any, bool, Any, Any]],
        numbers: list[tuple[str, Any]],
        threads: int | None,
        launcher: KernelLauncher,
        written: Any,
    ) -> None:
        self._arrays = arrays
        self._numbers = numbers
        self._threads = threads
        self._thread = threading.get_ident()
        self.launcher = launcher
        self.written = written

    def fits(self, values: Mapping[str, Any], threads: Any) -> bool:
        """Return whether a call has the same arguments. Arrays are prepared for the launch then."""
        if threads is not self._threads or self._thread != threading.get_ident():
            return False
        if len(values) != len(self._arrays) + len(self._numbers):
            return False
        for name, value in self._numbers:
            if values.get(name) is not value:
                return False
        for name, array, writes, tensor, shape in self._arrays:
            same = values.get(name) is array
            if not same:
                return False
            if tensor is not None:
                now, after = array.__kp_tensor__(writes)
                if now is not tensor or after is not None or array.shape != shape:
                    return False
        return True


def _last(
    program: Program,
    values: Mapping[str, Any],
    threads: int | None,
    launcher: KernelLauncher,
    written: Any,
) -> _Last | None:
    """Return what the next call may launch again; None if the arrays are large."""
    if not all(
        type(value) is Tensor or hasattr(value, "__kp_whole__") or isinstance(value, _NUMBERS)
        for value in values.values()
    ):
        return None
    arrays: list[tuple[str, Any, bool, Any, Any]] = []
    numbers: list[tuple[str, Any]] = []
    size = 0
    value: Any
    for name, value in values.items():
        parameter = program.by_name[name]
        if not parameter.is_array:
            if not isinstance(value, _NUMBERS):
                return None
            numbers.append((name, value))
            continue
        size += value.nbytes
        tensor = None
        if type(value) is not Tensor:
            if not value.__kp_whole__():
                return None  # each call needs another copy
            tensor = value.__kp_tensor__(parameter.writes)[0]
        arrays.append((name, value, parameter.writes, tensor, value.shape))
    return _Last(arrays, numbers, threads, launcher, written) if size <= _KEPT_BYTES else None


def repeat(
    program: Program,
    plan: Plan,
    values: Mapping[str, Any],
    threads: int | None,
    queue: Queue | None,
    wait_for: Events,
) -> Any:
    """Launch as an earlier call did, with other arrays and numbers."""
    given = plan.arguments.copy()
    written = []
    after: list[Callable[[], None]] = []
    for parameter, index, is_array, writes in plan.slots:
        value: Any = values.get(parameter.name)
        if is_array:
            if writes:
                written.append(value)
            if index < 0:
                continue
            if type(value) is not Tensor:
                value, finish = value.__kp_tensor__(writes)
                if finish is not None:
                    after.append(finish)
        elif type(value) is not float and value is not None:
            value = number(parameter, value)
        if index >= 0 and value is not None:
            given[index] = value
    if after and len(written) > 1:
        names = [each.name for each, _, is_array, writes in plan.slots if is_array and writes]
        refuse_common(program, list(zip(names, written, strict=True)))
    manager: Manager = values[program.array_names[0]].manager
    kernel = program.kernel(manager)
    arguments: Any = given
    if [
        each for each in given if each is None
    ]:  # specialization constants that keep their defaults
        arguments = {index: value for index, value in enumerate(given) if value is not None}
    launcher = launcher_of(program, kernel, arguments, plan.size, plan.local_size)
    write_back(manager, queue, launcher(queue, wait_for), after)
    results = written[0] if len(written) == 1 else tuple(written) or None
    program.last = None if after else _last(program, values, threads, launcher, results)
    return results
