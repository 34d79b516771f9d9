# SPDX-License-Identifier: Apache-2.0
"""Plans of kernel calls, which later calls with the same types and shapes reuse."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._kp import KernelLauncher, Manager, Queue, Tensor, _checks, _is_capturing
from .call import LEAST_LIMIT, Call, Events, launcher_of, number, refuse_common, write_back
from .parameters import KernelParameter, Signature
from .shader import KernelShader

#: Bytes of the arrays that a kernel keeps for a call with the same ones.
_KEPT_BYTES = 1 << 20

#: Types of numbers that cannot change.
_NUMBERS = (int, float, bool, complex, np.generic)


@dataclass(frozen=True)
class CallPlan:
    """The plan that calls with arguments of the same types and shapes share.

    - ``local_size``: for launchers; None if the shader fixes it.
    - ``arguments``: the launcher's, by index, with None in place of a call's.
    - ``slots``: for each argument of a call, its parameter, index, whether it is an array, and
      whether the kernel writes it.
    """

    shader: KernelShader
    size: tuple[int, ...]
    local_size: tuple[int, ...] | None
    arguments: list[Any]
    slots: tuple[tuple[KernelParameter, int, bool, bool], ...]


def number_key(value: Any) -> Any:
    """Return a key for the type of a number in a kernel."""
    if isinstance(value, (tuple, list)):
        return len(value), all(isinstance(each, int) for each in value)
    is_long = isinstance(value, int) and not -(2**31) <= value < 2**31
    return np.int64 if is_long else type(value)


def key_of(
    signature: Signature, values: Mapping[str, Any], threads: Any, mgr: Manager | None
) -> tuple[Any, ...] | None:
    """Return the key of a plan; None if not all arrays are on the device of one manager."""
    if threads is not None and type(threads) is not int:
        return None
    key: list[Any] = [threads]
    for name in signature.names:
        value: Any = values.get(name)
        kind = type(value)
        if kind is float:
            key.append(kind)
        elif kind is Tensor or hasattr(value, "__kp_tensor__"):
            try:
                manager, dtype, shape = value.manager, value.dtype, value.shape
            except AttributeError:
                return None  # a class of the caller's
            if manager is None or (mgr is not None and manager is not mgr):
                return None
            mgr = manager
            key += (dtype, shape)
        elif isinstance(value, np.ndarray) and value.size <= 16:  # perhaps a vector or a matrix
            key.append((value.dtype, value.ndim))
        elif isinstance(value, (*_NUMBERS, tuple, list)):
            key.append(number_key(value))
        elif value is None and name in signature.named:
            key.append(None)
        else:
            return None
    if mgr is None:
        return None
    key += (id(mgr), _checks())
    return tuple(key)


def plan_of(call: Call, threads: Any) -> CallPlan | None:
    """Return the plan of a call; None if it copies arrays or depends on the device."""
    shader = call.shader
    for each in call.bound.values():
        if type(each.given) is not Tensor and not hasattr(each.given, "__kp_tensor__"):
            return None
    size = call.size(threads)
    groups = size[0] // shader.local_size(call.manager)
    if not math.prod(size) or groups >= LEAST_LIMIT:
        return None
    known: dict[int, Any] = dict(shader.fixed)
    if (tuned := shader.tuned_for(call.manager)) is not None:
        known.update(tuned.constants)
    for extent in shader.extents:
        known[extent.index] = call.bound[extent.name].shape[extent.axis]
    if shader.global_size is not None:
        known[shader.global_size] = [*size, 1, 1][:3]
    slots = tuple((each, each.index, each.is_array, each.writes) for each in shader.parameters)
    count = max([*known, *[each.index for each in shader.parameters]], default=-1) + 1
    arguments = [known.get(index) for index in range(count)]
    return CallPlan(shader, size, call.local_size, arguments, slots)


class LastCall:
    """The launcher of the last call, for the next one with the same small arrays and numbers."""

    __slots__ = (
        *("_arrays", "_checks", "_numbers", "_thread", "_threads", "_unchanged"),
        *("launcher", "written"),
    )

    def __init__(
        self,
        shader: KernelShader,
        arrays: list[tuple[str, Any, bool, Any, Any]],
        numbers: list[tuple[str, Any]],
        threads: int | None,
        launcher: KernelLauncher,
        written: Any,
    ) -> None:
        self._unchanged = shader.unchanged
        self._arrays = arrays
        self._checks = _checks()
        self._numbers = numbers
        self._threads = threads
        self._thread = threading.get_ident()
        self.launcher = launcher
        self.written = written

    def fits(self, values: Mapping[str, Any], threads: Any) -> bool:
        """Return whether a call has the same arguments. Arrays are prepared for the launch then."""
        if threads is not self._threads or self._thread != threading.get_ident():
            return False
        if self._checks != _checks():
            return False
        if len(values) != len(self._arrays) + len(self._numbers):
            return False
        for name, value in self._numbers:
            if values.get(name) is not value:
                return False
        for name, array, writes, memory, shape in self._arrays:
            given: Any = values.get(name)
            if given is not array:
                return False
            if memory is not None:
                if given.__kp_memory__(writes) != memory or given.shape != shape:
                    return False
        return self._unchanged is None or self._unchanged()


def _last(
    shader: KernelShader,
    values: Mapping[str, Any],
    threads: int | None,
    launcher: KernelLauncher,
    written: Any,
) -> LastCall | None:
    """Return the launch for the next call to repeat; None if the arrays are large."""
    arrays: list[tuple[str, Any, bool, Any, Any]] = []
    numbers: list[tuple[str, Any]] = []
    size = 0
    value: Any
    for name, value in values.items():
        parameter = shader.by_name[name]
        if not parameter.is_array:
            if not isinstance(value, _NUMBERS):
                return None
            numbers.append((name, value))
            continue
        if type(value) is not Tensor and not hasattr(value, "__kp_memory__"):
            return None
        size += value.nbytes
        memory = None
        if type(value) is not Tensor:
            memory = value.__kp_memory__(parameter.writes)
            if memory is None:
                return None  # each call needs another copy
        arrays.append((name, value, parameter.writes, memory, value.shape))
    return (
        LastCall(shader, arrays, numbers, threads, launcher, written)
        if size <= _KEPT_BYTES
        else None
    )


def repeat(
    plan: CallPlan,
    values: Mapping[str, Any],
    threads: int | None,
    queue: Queue | None,
    wait_for: Events,
) -> tuple[Any, LastCall | None]:
    """Launch as an earlier call did, with other arrays and numbers.

    Return the kernel's outputs, and the call if the next one may repeat it.
    """
    shader = plan.shader
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
        refuse_common(shader, list(zip(names, written, strict=True)))
    manager: Manager = values[shader.arrays[0].name].manager
    kernel = shader.kernel(manager)
    arguments: Any = given
    if [
        each for each in given if each is None
    ]:  # specialization constants that keep their defaults
        arguments = {index: value for index, value in enumerate(given) if value is not None}
    launcher = launcher_of(shader, kernel, arguments, plan.size, plan.local_size)
    write_back(manager, queue, launcher(queue, wait_for), after)
    results = written[0] if len(written) == 1 else tuple(written) or None
    # A trace must not outlive its function.
    may_repeat = not after and not _is_capturing()
    return results, _last(shader, values, threads, launcher, results) if may_repeat else None
