# SPDX-License-Identifier: Apache-2.0
"""kernel.python(): arguments, work items and results."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any

import numpy as np

from .._default import default_manager
from .._jit.types import ArrayType
from .._jit.unit import Unit
from .._kernels.call import describe, element_shape, manager_of, number_of
from .._kernels.parameters import KernelParameter
from .._kernels.shader import KernelShader
from .._kernels.sizes import items_of, largest_of, output_shape
from .._kp import Image, Memory
from .runtime import Runtime
from .work_items import Group, WorkItem

_PACKAGE = os.path.dirname(__file__)


def run(unit: Unit, shader: KernelShader, values: Mapping[str, Any], threads: Any) -> Any:
    """Let Python run a kernel, and return its outputs: None, an array, or a tuple of arrays."""
    if len(values) < len(shader.parameters):
        missing = shader.missing(values)
        if missing:
            raise TypeError(f"kernel '{shader.name}' needs {', '.join(map(repr, missing))}")
    arrays = _Arrays(unit, shader, values)
    items = items_of(shader, threads, arrays.given, largest_of(arrays.shapes.items()))
    arrays.make_outputs(items)

    def subgroup_size() -> int:
        manager = manager_of(shader, values, None) if values else default_manager()
        size: int = manager.get_device_properties()["subgroup_size"]
        return size

    item = WorkItem(items, unit.local_size, unit.grouped, subgroup_size)
    runtime = Runtime(unit, item)
    kernel = runtime.kernel()
    numbers = {name: number_of(value) for name, value in values.items() if name not in arrays.data}
    arguments = {**numbers, **arrays.data}
    if math.prod(items):
        with np.errstate(all="ignore"):
            _run_groups(runtime, kernel, arguments)
    return arrays.results()


def _run_groups(runtime: Runtime, kernel: Callable[..., Any], arguments: dict[str, Any]) -> None:
    unit, item = runtime.unit, runtime.item_now
    waits = runtime.waits(unit.kernel)
    places = WorkItem.places(unit.local_size)
    try:
        for item.group in WorkItem.places(item.groups):
            runtime.shared.clear()
            runs = {}
            for item.local in places:
                if not item.exists():
                    continue
                made = kernel(**runtime.parameters(arguments))
                if waits:
                    runs[item.local] = made
            if waits:
                Group(item, unit.source.name, runs).run()
    except Exception as error:
        _end_in_kernel(error.__traceback__)
        raise


def _end_in_kernel(traceback: TracebackType | None) -> None:
    """Remove this package's frames after the program's last line from a traceback."""
    last = None
    at = traceback
    while at is not None:
        if not at.tb_frame.f_code.co_filename.startswith(_PACKAGE):
            last = at
        at = at.tb_next
    if last is not None:
        last.tb_next = None


class _Arrays:
    """The arrays of a run.

    - `data`: NumPy's arrays that the kernel works with, by name.
    - `shapes`: of each, in elements of the kernel.
    - `given`: the call's arguments, or the results for arrays that it omits.
    """

    def __init__(self, unit: Unit, shader: KernelShader, values: Mapping[str, Any]) -> None:
        self.data: dict[str, Any] = {}
        self.shapes: dict[str, tuple[int, ...]] = {}
        self.given: dict[str, Any] = {}
        self._unit = unit
        self._shader = shader
        self._after: list[Callable[[], None]] = []
        for parameter in shader.parameters:
            if parameter.is_array and parameter.name in values:
                self._take(parameter, values[parameter.name])

    def _take(self, parameter: KernelParameter, value: Any) -> None:
        where = f"kernel '{self._shader.name}': {parameter.name}"
        own = getattr(value, "__kp_tensor__", None)
        if own is not None:
            tensor, after = own(parameter.writes)
            shape = tuple(getattr(value, "shape", tensor.shape))
        elif isinstance(value, Memory) and not isinstance(value, Image):
            tensor, after, shape = value, None, tuple(value.shape)
        elif isinstance(value, np.ndarray):
            if parameter.writes and not value.flags.writeable:
                raise ValueError(f"{where} is written, but the array is read-only")
            self._place(parameter, value, value, value.shape)
            return
        else:
            raise TypeError(
                f"{where} is an array, but was given {describe(value)}; Python runs kernels with "
                "NumPy arrays, tensors and kp.Array"
            )
        data = np.array(tensor.read())
        self._place(parameter, value, data, shape)

        def write_back() -> None:
            tensor.write(data.reshape(-1).view(tensor.dtype.base))
            if after is not None:
                after()

        if parameter.writes:
            self._after.append(write_back)

    def _place(
        self, parameter: KernelParameter, value: Any, array: Any, shape: tuple[int, ...]
    ) -> None:
        name = parameter.name
        self.given[name] = value
        self.shapes[name] = element_shape(self._shader, parameter, value.dtype, shape)
        spec = self._unit.specs[name]
        assert isinstance(spec, ArrayType)
        element = spec.element
        full = (*self.shapes[name], *((element.rows,) if not element.is_scalar else ()))
        full = (*full, element.columns) if element.is_matrix else full
        data = array.view() if full == array.shape else np.ascontiguousarray(array).reshape(full)
        self.data[name] = data
        if parameter.writes and not np.may_share_memory(data, array):
            self._after.insert(0, lambda: np.copyto(array, data.reshape(array.shape)))

    def make_outputs(self, items: tuple[int, ...]) -> None:
        """Create the arrays that the call omits."""
        largest, name = largest_of(self.shapes.items())
        rows = tuple(reversed(items))
        for parameter in self._shader.parameters:
            if not parameter.is_array or parameter.name in self.data:
                continue
            shape = output_shape(self._shader, parameter, rows, largest if name else rows)
            full = (*shape, parameter.components) if parameter.components > 1 else shape
            made = np.zeros(full, parameter.dtype)
            self._place(parameter, made, made, full)

    def results(self) -> Any:
        """Write the kernel's outputs back, and return them."""
        for each in self._after:
            each()
        written = [
            self.given[each.name]
            for each in self._shader.parameters
            if each.is_array and each.writes
        ]
        return written[0] if len(written) == 1 else tuple(written) or None
