# SPDX-License-Identifier: Apache-2.0
"""Calls of kernels: arrays and numbers by name become launches.

launch() binds what a call gives to the parameters of a Program.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._cuda import events_of, has_streams
from ._default import default_manager
from ._kp import (
    Buffer,
    DeviceGroup,
    Event,
    Image,
    KernelLauncher,
    Manager,
    Memory,
    MemoryTypes,
    Queue,
    Tensor,
)
from ._program import Parameter, Plan, Program

#: Groups in x that every device takes.
_LEAST_LIMIT = 65535
_MOST_PLANS = 64

Events = Iterable[Any] | Any  # events, CUDA streams, or None


@dataclass
class Bound:
    """An array of a call, and the memory that stands for it on the device."""

    given: Any
    memory: Memory | None
    shape: tuple[int, ...]
    after: Callable[[], None] | None = None
    download: bool = False


def _number(parameter: Parameter, value: Any) -> Any:
    """Return a number as launchers take it."""
    if isinstance(value, (complex, np.complexfloating)):
        return [float(value.real), float(value.imag)]
    if isinstance(value, (bool, np.bool_)):
        is_flag = parameter.dtype is not None and parameter.dtype.kind in ("b", "u")
        return int(value) if is_flag else value
    return value


def _describe(value: Any) -> str:
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        return f"a {type(value).__name__} of {value.dtype}, shape {tuple(value.shape)}"
    return f"{type(value).__name__} {value!r:.60}"


def _same_type(given: np.dtype[Any], parameter: Parameter) -> bool:
    wanted = parameter.dtype
    if wanted is None:
        return True
    if given.subdtype is not None:
        given = given.base
    if given.kind == "b":
        return wanted.itemsize == 1
    if given.kind == "c":
        return parameter.components == 2 and given.itemsize == 2 * wanted.itemsize
    return bool(given == wanted)


def element_shape(
    program: Program, parameter: Parameter, dtype: np.dtype[Any], shape: tuple[int, ...]
) -> tuple[int, ...]:
    """Check the type and the shape of an array, and return its shape in elements of the shader.

    Raises TypeError or ValueError.
    """
    where = f"kernel '{program.name}': {parameter.name}"
    if not _same_type(dtype, parameter):
        wanted = parameter.dtype
        raise TypeError(
            f"{where} is an array of {dtype}, but the shader's elements are {wanted}; convert it "
            f"with astype('{wanted}')"
        )
    shape = (*shape, *(dtype.subdtype[1] if dtype.subdtype else ()))
    if dtype.kind != "c" and parameter.components > 1 and parameter.stride:
        count = parameter.components
        if parameter.dtype is not None and parameter.stride != count * parameter.dtype.itemsize:
            raise TypeError(
                f"{where}: the shader's elements have {count} numbers, but take up "
                f"{parameter.stride} bytes each; declare the buffer with layout(scalar), or as an "
                "array of single numbers"
            )
        if shape and shape[-1] == count:
            shape = shape[:-1]
        elif len(shape) == 2 and shape[0] * shape[1] and math.prod(shape[-2:]) == count:
            shape = ()
        elif len(shape) == 1 and shape[0] % count == 0 and parameter.ndim is None:
            shape = (shape[0] // count,)
        elif math.prod(shape[-2:]) == count and len(shape) > 2:
            shape = shape[:-2]
        else:
            raise ValueError(
                f"{where}: the shader's elements have {count} numbers, so the last axis has "
                f"{count}, but the array's shape is {shape}"
            )
    elif parameter.dtype is None and parameter.stride:
        size = math.prod(shape) * dtype.itemsize
        if size % parameter.stride:
            raise ValueError(
                f"{where}: the shader's elements have {parameter.stride} bytes, but the array has "
                f"{size}"
            )
        if dtype.itemsize != parameter.stride:
            shape = (size // parameter.stride,)
    if parameter.ndim is not None and len(shape) != parameter.ndim:
        raise ValueError(
            f"{where} has {parameter.ndim} dimensions in the kernel, but the array's shape is "
            f"{shape}"
        )
    return shape


class _Call:
    """The arguments of one call on one device."""

    def __init__(
        self,
        program: Program,
        values: Mapping[str, Any],
        manager: Manager | None,
        shapes: Mapping[str, tuple[int, ...]] | None = None,
        sharded: frozenset[str] = frozenset(),
    ) -> None:
        """`shapes` are those of tensors that are parts of something else.

        `sharded` are the arrays of which each device has a part. They alone set the size.
        """
        self.program = program
        self.shapes = shapes
        self.sharded = sharded
        self.manager = manager or default_manager()
        self.bound: dict[str, Bound] = {}
        self.values: dict[int, Any] = dict(program.fixed)
        self.local_size: tuple[int, ...] | None = None
        if (tuned := program.tuned_for(self.manager)) is not None:
            self.values.update(tuned.constants)
            self.local_size = tuned.launched_with
        self.numpy = True
        for parameter in program.parameters:
            if parameter.name not in values:
                continue
            value = values[parameter.name]
            if parameter.is_array:
                self.bound[parameter.name] = self._bind(parameter, value)
            else:
                self.values[parameter.index] = _number(parameter, value)

    def _bind(self, parameter: Parameter, value: Any) -> Bound:
        program = self.program
        if parameter.index < 0:  # the shader uses its shape alone
            self.numpy &= isinstance(value, np.ndarray)
            if self.shapes is not None:
                return Bound(value, None, self.shapes[parameter.name])
            return Bound(value, None, element_shape(program, parameter, value.dtype, value.shape))
        if isinstance(value, Memory):
            self.numpy = False
            if isinstance(value, Image) != (parameter.kind == "image"):
                raise TypeError(
                    f"kernel '{program.name}': {parameter.name} is "
                    f"{'an image' if parameter.kind == 'image' else 'a buffer'} in the shader, but "
                    f"was given {_describe(value)}"
                )
            if parameter.kind == "image":
                return Bound(value, value, value.shape[:2])
            if self.shapes is not None:
                return Bound(value, value, self.shapes[parameter.name])
            return Bound(value, value, element_shape(program, parameter, value.dtype, value.shape))
        if parameter.kind == "image":
            raise TypeError(
                f"kernel '{program.name}': {parameter.name} is an image in the shader, but was "
                f"given {_describe(value)}; make one with mgr.image_t(array)"
            )
        own = getattr(value, "__kp_tensor__", None)
        if own is not None:
            self.numpy = False
            tensor, after = own(parameter.writes)
            shape = element_shape(program, parameter, tensor.dtype, tuple(value.shape))
            return Bound(value, tensor, shape, after)
        return self._upload(parameter, value)

    def _upload(self, parameter: Parameter, value: Any) -> Bound:
        where = f"kernel '{self.program.name}': {parameter.name}"
        if isinstance(value, (list, tuple)) and not parameter.writes:
            value = np.asarray(value, parameter.dtype)
        elif isinstance(value, np.generic) and not parameter.writes:
            value = np.asarray(value)
        if not isinstance(value, np.ndarray):
            raise TypeError(
                f"{where} is an array, but was given {_describe(value)}; give a kp tensor or a "
                "NumPy array"
            )
        if parameter.writes and not value.flags.writeable:
            raise ValueError(f"{where} is written, but the array is read-only")
        shape = element_shape(self.program, parameter, value.dtype, value.shape)
        if value.size == 0:
            return Bound(value, None, shape)
        for name, bound in self.bound.items():
            if bound.given is value and bound.memory is not None:
                bound.download |= parameter.writes
                return Bound(value, bound.memory, shape)
            writes = parameter.writes or self.program.by_name[name].writes
            if writes and isinstance(bound.given, np.ndarray):
                if np.may_share_memory(bound.given, value):
                    raise ValueError(
                        f"{where} shares memory with {name}, and the kernel writes one of them; "
                        "give a copy"
                    )
        tensor = self.manager.tensor_t(
            shape=value.shape, dtype=value.dtype.base, memory_type=MemoryTypes.storage
        )
        tensor.write(value)
        return Bound(value, tensor, shape, download=parameter.writes)

    def elements(self) -> tuple[tuple[int, ...], str]:
        """Return the shape of the array with the most elements, and its name."""
        most: tuple[int, ...] = ()
        name = ""
        for each, bound in self.bound.items():
            if self.sharded and each not in self.sharded:
                continue
            if not name or math.prod(bound.shape) > math.prod(most):
                most, name = bound.shape, each
        return most, name

    def size(self, threads: Any) -> tuple[int, ...]:
        """Return the work items in x, y and z."""
        program = self.program
        if callable(threads):
            threads = threads(**{name: bound.given for name, bound in self.bound.items()})
        if threads is not None:
            given = tuple(threads) if isinstance(threads, (tuple, list)) else (threads,)
            if not 1 <= len(given) <= 3 or not all(
                isinstance(each, (int, np.integer)) and not isinstance(each, bool) and each >= 0
                for each in given
            ):
                raise ValueError(
                    f"kernel '{program.name}': threads is a number of work items, or up to three "
                    f"(x, y, z), but was given {threads!r}"
                )
            return tuple(int(each) for each in given)
        shape, name = self.elements()
        if not name:
            raise TypeError(
                f"kernel '{program.name}' has no array to take its size from; give threads=, or "
                f"call it as {program.name}[threads](...)"
            )
        is_image = program.by_name[name].kind == "image"
        axes = 2 if is_image else program.axes
        if axes == 1:
            return (math.prod(shape),)
        if len(shape) != axes:
            raise ValueError(
                f"kernel '{program.name}' has work items in {axes} dimensions, but its largest "
                f"array, {name}, has the shape {shape}; give threads=(x, y{', z' * (axes == 3)})"
            )
        return tuple(reversed(shape))

    def make_outputs(self, threads: Any) -> None:
        """Make the arrays that the call leaves out, with the shape of the largest one given.

        Those that each work item accesses at its own index have the shape of the work items if that
        is another number.
        """
        left_out = [
            each
            for each in self.program.parameters
            if each.is_output and each.name not in self.bound
        ]
        if not left_out:
            return
        largest, name = self.elements()
        items = tuple(reversed(self.size(threads)))
        if not name:
            largest = items
        owner = next((each for each in self.bound.values() if _makes_arrays(each.given)), None)
        for parameter in left_out:
            assert parameter.dtype is not None
            own = parameter.name in self.program.by_index
            shape = items if own and math.prod(items) != math.prod(largest) else largest
            if parameter.ndim is not None and parameter.ndim != len(shape):
                raise TypeError(
                    f"kernel '{self.program.name}' needs '{parameter.name}': its shape is not that "
                    f"of the largest array, {shape}"
                )
            full = (*shape, parameter.components) if parameter.components > 1 else shape
            if not math.prod(full):
                empty = np.empty(full, parameter.dtype)
                self.bound[parameter.name] = Bound(empty, None, shape)
                continue
            place = MemoryTypes.storage if self.numpy else MemoryTypes.device
            tensor = self.manager.tensor_t(shape=full, dtype=parameter.dtype, memory_type=place)
            given: Any = tensor
            if self.numpy:
                given = np.empty(full, parameter.dtype)
            elif owner is not None:
                given = type(owner.given)._from_tensor(tensor)
            self.bound[parameter.name] = Bound(given, tensor, shape, download=self.numpy)

    def outputs(self) -> Any:
        """Return what the kernel writes: None, an array, or a tuple of arrays."""
        for bound in self.bound.values():
            if bound.after is not None:
                bound.after()
            if bound.download and bound.memory is not None:
                _download(bound)
        written = [
            self.bound[each.name].given
            for each in self.program.parameters
            if each.is_array and each.writes
        ]
        return written[0] if len(written) == 1 else tuple(written) or None

    def run(self, queue: Queue | None, wait_for: Events, threads: Any) -> Event | None:
        """Launch. Returns None if there is nothing to do."""
        program = self.program
        size = self.size(threads)
        if not math.prod(size):
            return None
        empty = [name for name, bound in self.bound.items() if not math.prod(bound.shape)]
        if empty:
            raise ValueError(
                f"kernel '{program.name}': {empty[0]} has no elements, but there are "
                f"{' x '.join(map(str, size))} work items"
            )
        for name in program.by_index:
            if math.prod(self.bound[name].shape) < math.prod(size):
                raise ValueError(
                    f"kernel '{program.name}': {name} has {math.prod(self.bound[name].shape)} elements, "
                    f"but {name}[i] is accessed for {math.prod(size)} work items; give arrays of one "
                    f"size, or threads=, or test i against {name}.length() in the kernel"
                )
        for name, bound in self.bound.items():
            if bound.memory is not None:
                self.values[program.by_name[name].index] = bound.memory
        for extent in program.extents:
            self.values[extent.index] = self.bound[extent.name].shape[extent.axis]
        folded = self._folded(size)
        if folded is not size and program.global_size is not None:  # else the launcher gives it
            self.values[program.global_size] = [size[0], 1, 1]
        launcher = KernelLauncher(
            program.name,
            program.kernel(self.manager),
            self.values,
            folded,
            self.local_size,
            round_up=True,
        )
        return launcher(queue, wait_for)

    def _folded(self, size: tuple[int, ...]) -> tuple[int, ...]:
        """Return the sizes of a launch: work items over the limit in x are moved to y."""
        local = self.program.local_size(self.manager)
        if not self.program.folds or size[0] <= _LEAST_LIMIT * local or math.prod(size[1:]) != 1:
            return size
        limit: int = self.manager.get_device_properties()["max_work_group_count"][0]
        groups = -(-size[0] // local)
        if groups <= limit:
            return size
        rows = -(-groups // limit)
        return (-(-groups // rows) * local, rows)


def _makes_arrays(given: Any) -> bool:
    return hasattr(given, "__kp_tensor__") and hasattr(type(given), "_from_tensor")


def _download(bound: Bound) -> None:
    array = bound.given
    assert bound.memory is not None
    if array.flags.c_contiguous:
        bound.memory.read(out=array.reshape(-1).view(array.dtype.base))
    else:
        array[...] = bound.memory.read().reshape(array.shape)


def _manager_of(program: Program, values: Mapping[str, Any], manager: Manager | None) -> Manager:
    """Return the manager of a call: the one given, that of its tensors, or the default one."""
    found, owner = manager, "mgr"
    for parameter in program.parameters:
        value = values.get(parameter.name)
        if not parameter.is_array or value is None:
            continue
        own = value.manager if isinstance(value, Memory) else getattr(value, "manager", None)
        if own is None or own is found or not isinstance(own, Manager):
            continue
        if found is not None:
            raise ValueError(
                f"kernel '{program.name}': {parameter.name} belongs to another manager than {owner}"
            )
        found, owner = own, parameter.name
    return found or default_manager()


def launch(
    program: Program,
    values: Mapping[str, Any],
    threads: Any = None,
    mgr: Manager | None = None,
    queue: Queue | None = None,
    wait_for: Events = None,
    target: str | int = "all",
) -> Any:
    """Launch a program and return the arrays that it writes."""
    if threads is None:
        threads = program.threads
    if wait_for is not None and has_streams(wait_for):
        wait_for = events_of(_manager_of(program, values, mgr), wait_for)
    last = program.last
    if last is not None and mgr is None and target == "all" and last.fits(values, threads):
        last.launcher(queue, wait_for)
        return last.written
    key = _key_of(program, values, threads, mgr) if target == "all" else None
    if key is not None and (plan := program.plans.get(key)) is not None:
        return _repeat(program, plan, values, threads, queue, wait_for)
    if any(isinstance(value, Buffer) for value in values.values()):
        return _launch_on_group(program, values, threads, queue, mgr, wait_for, target)
    if any(hasattr(value, "__kp_parts__") for value in values.values()):
        return _launch_on_parts(program, values, threads, queue, mgr, wait_for, target)
    if target != "all":
        raise TypeError(
            f"kernel '{program.name}': target selects devices of a group, but no kp.Buffer was given"
        )
    if mgr is not None and not isinstance(mgr, Manager):
        raise TypeError(f"mgr must be a kp.Manager, not {type(mgr).__name__}")
    call = _Call(program, values, _manager_of(program, values, mgr))
    call.make_outputs(threads)
    call.run(queue, wait_for, threads)
    if key is not None:
        _remember(call, key, threads)
    return call.outputs()


def _key_of(
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
        assert value is not None
        manager = value.manager
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


def _remember(call: _Call, key: tuple[Any, ...], threads: Any) -> None:
    """Keep the plan of a call, unless it depends on the device."""
    program = call.program
    size = call.size(threads)
    groups = size[0] // program.local_size(call.manager)
    if not math.prod(size) or groups >= _LEAST_LIMIT:
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


def _repeat(
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
            value = _number(parameter, value)
        if index >= 0 and value is not None:
            given[index] = value
    kernel = program.kernel(values[program.array_names[0]].manager)
    arguments: Any = given
    if [
        each for each in given if each is None
    ]:  # specialization constants that keep their defaults
        arguments = {index: value for index, value in enumerate(given) if value is not None}
    launcher = KernelLauncher(
        program.name, kernel, arguments, plan.size, plan.local_size, round_up=True
    )
    launcher(queue, wait_for)
    for finish in after:
        finish()
    results = written[0] if len(written) == 1 else tuple(written) or None
    program.last = None if after else _last(program, values, threads, launcher, results)
    return results


def _group_of(program: Program, values: Mapping[str, Any]) -> DeviceGroup:
    group: DeviceGroup | None = None
    for parameter in program.parameters:
        value = values.get(parameter.name)
        if not parameter.is_array:
            continue
        if not isinstance(value, Buffer):
            what = "is missing" if value is None else f"is {_describe(value)}"
            raise TypeError(
                f"kernel '{program.name}': {parameter.name} {what}; if one array is a kp.Buffer, "
                "give a kp.Buffer of the same group for each"
            )
        if group is not None and value.group is not group:
            raise ValueError(
                f"kernel '{program.name}': {parameter.name} belongs to another group than the "
                "other buffers"
            )
        if parameter.writes and not value.writable:
            raise ValueError(
                f"kernel '{program.name}' writes {parameter.name}, but that buffer is not writable"
            )
        group = value.group
    assert group is not None
    return group


def _launch_on_group(
    program: Program,
    values: Mapping[str, Any],
    threads: Any,
    queue: Queue | None,
    mgr: Manager | None,
    wait_for: Events,
    target: str | int,
) -> Any:
    if queue is not None or mgr is not None:
        raise TypeError(
            f"kernel '{program.name}': the buffers of a group select devices and queues; use "
            "target= instead of mgr= and queue="
        )
    group = _group_of(program, values)
    sharded = frozenset(
        name
        for name, value in values.items()
        if isinstance(value, Buffer) and value.placement == "sharded"
    )

    def on_device(manager: Manager, index: int, waits: list[Event]) -> Event | None:
        shards: dict[str, Any] = dict(values)
        shapes: dict[str, tuple[int, ...]] = {}
        for name, value in values.items():
            if isinstance(value, Buffer):
                shape = value.shard(index).shape
                if not math.prod(shape):
                    return None
                shards[name] = value.tensor(index)
                shapes[name] = element_shape(program, program.by_name[name], value.dtype, shape)
        call = _Call(program, shards, manager, shapes, sharded)
        return call.run(group.queue(index), waits, threads)

    group.for_each(on_device, target, wait_for)
    written = [values[each.name] for each in program.parameters if each.is_array and each.writes]
    return written[0] if len(written) == 1 else tuple(written) or None


def _launch_on_parts(
    program: Program,
    values: Mapping[str, Any],
    threads: Any,
    queue: Queue | None,
    mgr: Manager | None,
    wait_for: Events,
    target: str | int,
) -> Any:
    """Launch on each device with its parts of a group's arrays."""
    where = f"kernel '{program.name}'"
    if queue is not None or mgr is not None or target != "all":
        raise TypeError(
            f"{where}: arrays of a group select devices and queues; leave out mgr=, queue= and target="
        )
    group: DeviceGroup | None = None
    rows: tuple[int, ...] | None = None
    parts: dict[str, Any] = {}
    for parameter in program.parameters:
        value = values.get(parameter.name)
        if value is None or not parameter.is_array:
            continue
        if not hasattr(value, "__kp_parts__"):
            raise TypeError(
                f"{where}: {parameter.name} is {_describe(value)}; if one array is of a group, give "
                "arrays of that group for all: kp.asarray(x, group=group)"
            )
        own, parts[parameter.name], own_rows = value.__kp_parts__()
        if group is not None and own is not group:
            raise ValueError(f"{where}: {parameter.name} belongs to another group")
        if None not in (rows, own_rows) and own_rows != rows:
            raise ValueError(
                f"{where}: {parameter.name} has the rows {own_rows} on the devices, others {rows}; "
                "bring it to theirs with shard()"
            )
        group, rows = own, rows if own_rows is None else own_rows
    assert group is not None
    results: list[tuple[Any, ...] | None] = []
    for index, manager in enumerate(group):
        if rows is not None and not rows[index]:
            results.append(None)
            continue
        own_values = {**values, **{name: each[index] for name, each in parts.items()}}
        written = launch(program, own_values, threads, manager, None, wait_for)
        results.append(written if isinstance(written, tuple) else (written,))
    outputs = []
    names = [each.name for each in program.parameters if each.is_array and each.writes]
    for place, name in enumerate(names):
        if values.get(name) is not None:
            outputs.append(values[name])
            continue
        made = [each[place] if each is not None else None for each in results]
        kind = type(next(value for value in values.values() if hasattr(value, "__kp_parts__")))
        outputs.append(
            kind._of_some(group, made) if rows is not None else kind._of(group, made, None)
        )
    return outputs[0] if len(outputs) == 1 else tuple(outputs) or None
