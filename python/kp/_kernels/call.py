# SPDX-License-Identifier: Apache-2.0
"""One call of a kernel: its arguments become memory, numbers, sizes and outputs."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._shaders.constants import listed
from .._default import default_manager
from .._errors import InvalidArgument
from .._kp import (
    DeviceGroup,
    Event,
    Image,
    KernelLauncher,
    Manager,
    Memory,
    MemoryTypes,
    Queue,
    _is_capturing,
)
from .._kp import Kernel as LauncherKernel
from .parameters import KernelParameter
from .shader import KernelShader
from .sizes import items_of, largest_of, output_shape
from .._wording import counted, kind_of

#: Groups in x that every device takes.
LEAST_LIMIT = 65535

Events = Iterable[Any] | Any  # events, CUDA streams, or None


@dataclass
class Bound:
    """An array of a call, and its memory on the device."""

    given: Any
    memory: Memory | None
    shape: tuple[int, ...]
    after: Callable[[], None] | None = None
    download: bool = False


def number_of(value: Any) -> Any:
    """Return an array without axes as a number, and anything else unchanged."""
    if getattr(value, "shape", None) != () or isinstance(value, np.generic):
        return value
    return (value.numpy() if hasattr(value, "numpy") else np.asarray(value))[()]


def refuse_common(shader: KernelShader, written: list[tuple[str, Any]]) -> None:
    """Raise ValueError if arrays that a kernel writes, some of them as copies, have common elements."""
    from ..arrays.comparing import shares_memory

    for index, (name, value) in enumerate(written):
        for other, earlier in written[:index]:
            if shares_memory(value, earlier):
                raise ValueError(
                    f"kernel '{shader.name}': {name} shares memory with {other}, and the kernel "
                    "writes both; give a copy of one"
                )


def write_back(
    manager: Manager, queue: Queue | None, launched: Event | None, after: list[Callable[[], None]]
) -> None:
    """Call the arrays' callbacks after a launch on a queue. They use the default one."""
    if after and launched is not None and queue is not None and queue is not manager.default_queue:
        manager.default_queue.barrier([launched])
    for each in after:
        each()


def number(parameter: KernelParameter, value: Any) -> Any:
    """Return a number as launchers take it. They do not convert integers of NumPy to floats."""
    value = number_of(value)
    kind = "" if parameter.dtype is None else parameter.dtype.kind
    if isinstance(value, (complex, np.complexfloating)):
        return [float(value.real), float(value.imag)]
    if isinstance(value, (bool, np.bool_)):
        return int(value) if kind in ("b", "u") else value
    if isinstance(value, np.integer) and kind == "f":
        return int(value)
    return value


def describe(value: Any) -> str:
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        return f"{kind_of(value)} of {value.dtype}, shape {tuple(value.shape)}"
    return f"{type(value).__name__} {value!r:.60}"


def _same_type(given: np.dtype[Any], parameter: KernelParameter) -> bool:
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
    shader: KernelShader, parameter: KernelParameter, dtype: np.dtype[Any], shape: tuple[int, ...]
) -> tuple[int, ...]:
    """Check the type and the shape of an array, and return its shape in elements of the shader.

    Raises TypeError or ValueError.
    """
    where = f"kernel '{shader.name}': {parameter.name}"
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
                f"{where}: the shader's elements have {counted(count, 'number')}, but take up "
                f"{counted(parameter.stride, 'byte')} each; declare the buffer with layout(scalar), or as an "
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
                f"{where}: the shader's elements have {counted(count, 'number')}, so the last axis has "
                f"{count}, but the array's shape is {shape}"
            )
    elif parameter.dtype is None and parameter.stride:
        size = math.prod(shape) * dtype.itemsize
        if size % parameter.stride:
            raise ValueError(
                f"{where}: the shader's elements have {counted(parameter.stride, 'byte')}, but the array has "
                f"{size}"
            )
        if dtype.itemsize != parameter.stride:
            shape = (size // parameter.stride,)
    if parameter.ndim is not None and len(shape) != parameter.ndim:
        raise ValueError(
            f"{where} has {counted(parameter.ndim, 'dimension')} in the kernel, but the array's shape is "
            f"{shape}"
        )
    return shape


class Call:
    """The arguments of one call on one device."""

    def __init__(
        self,
        shader: KernelShader,
        values: Mapping[str, Any],
        manager: Manager | None,
        shapes: Mapping[str, tuple[int, ...]] | None = None,
        sharded: frozenset[str] = frozenset(),
    ) -> None:
        """`shapes`: the shapes of tensors that are parts of something else.

        `sharded`: the arrays that are distributed over devices. They alone set the size.
        """
        self.shader = shader
        self.shapes = shapes
        self.sharded = sharded
        self.manager = manager or default_manager()
        self.bound: dict[str, Bound] = {}
        self.values: dict[int, Any] = dict(shader.fixed)
        self.local_size: tuple[int, ...] | None = None
        if (tuned := shader.tuned_for(self.manager)) is not None:
            self.values.update(tuned.constants)
            self.local_size = tuned.launched_with
        self.numpy = True
        for parameter in shader.parameters:
            if parameter.name not in values:
                continue
            value = values[parameter.name]
            if parameter.is_array:
                self.bound[parameter.name] = self._bind(parameter, value)
            else:
                self.values[parameter.index] = number(parameter, value)

    def _bind(self, parameter: KernelParameter, value: Any) -> Bound:
        shader = self.shader
        if parameter.index < 0:  # the shader uses its shape alone
            self.numpy &= isinstance(value, np.ndarray)
            if self.shapes is not None:
                return Bound(value, None, self.shapes[parameter.name])
            return Bound(value, None, element_shape(shader, parameter, value.dtype, value.shape))
        if isinstance(value, Memory):
            self.numpy = False
            if isinstance(value, Image) != (parameter.kind == "image"):
                raise TypeError(
                    f"kernel '{shader.name}': {parameter.name} is "
                    f"{'an image' if parameter.kind == 'image' else 'a buffer'} in the shader, but "
                    f"was given {describe(value)}"
                )
            if parameter.kind == "image":
                return Bound(value, value, value.shape[:-1])  # without the channels
            if self.shapes is not None:
                return Bound(value, value, self.shapes[parameter.name])
            return Bound(value, value, element_shape(shader, parameter, value.dtype, value.shape))
        if parameter.kind == "image":
            raise TypeError(
                f"kernel '{shader.name}': {parameter.name} is an image in the shader, but was "
                f"given {describe(value)}; make one with mgr.image_t(array)"
            )
        own = getattr(value, "__kp_tensor__", None)
        if own is not None:
            self.numpy = False
            tensor, after = own(parameter.writes)
            own_shape = tuple(getattr(value, "shape", tensor.shape))
            shape = element_shape(shader, parameter, tensor.dtype, own_shape)
            return Bound(value, tensor, shape, after)
        return self._upload(parameter, value)

    def _upload(self, parameter: KernelParameter, value: Any) -> Bound:
        where = f"kernel '{self.shader.name}': {parameter.name}"
        if isinstance(value, (list, tuple)) and not parameter.writes:
            value = listed(where, value, parameter.dtype)
        elif isinstance(value, np.generic) and not parameter.writes:
            value = np.asarray(value)
        if not isinstance(value, np.ndarray):
            raise TypeError(
                f"{where} is an array, but was given {describe(value)}; give a kp tensor or a "
                "NumPy array"
            )
        if parameter.writes and not value.flags.writeable:
            raise ValueError(f"{where} is written, but the array is read-only")
        shape = element_shape(self.shader, parameter, value.dtype, value.shape)
        if value.size == 0:
            return Bound(value, None, shape)
        for name, bound in self.bound.items():
            if bound.given is value and bound.memory is not None:
                bound.download |= parameter.writes
                return Bound(value, bound.memory, shape)
            writes = parameter.writes or self.shader.by_name[name].writes
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
        return largest_of(
            (name, bound.shape)
            for name, bound in self.bound.items()
            if not self.sharded or name in self.sharded
        )

    def size(self, threads: Any) -> tuple[int, ...]:
        """Return the work items in x, y and z."""
        given = {name: bound.given for name, bound in self.bound.items()}
        return items_of(self.shader, threads, given, self.elements())

    def make_outputs(self, threads: Any) -> None:
        """Create the arrays that the call omits, with the shape of the largest one given.

        Arrays that each work item accesses at its own index get the shape of the work items if
        their number differs.
        """
        left_out = [
            each
            for each in self.shader.parameters
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
            shape = output_shape(self.shader, parameter, items, largest)
            full = (*shape, parameter.components) if parameter.components > 1 else shape
            if not math.prod(full):
                empty = np.empty(full, parameter.dtype)
                self.bound[parameter.name] = Bound(empty, None, shape)
                continue
            if _is_capturing():  # later calls give each output new memory
                array = _empty(full, parameter.dtype, self.manager)
                self.bound[parameter.name] = Bound(array, array._memory(), shape)
                continue
            place = MemoryTypes.storage if self.numpy else MemoryTypes.device
            tensor = self.manager.tensor_t(shape=full, dtype=parameter.dtype, memory_type=place)
            given: Any = tensor
            if self.numpy:
                given = np.empty(full, parameter.dtype)
            elif owner is not None:
                given = type(owner.given)._from_tensor(tensor)
            self.bound[parameter.name] = Bound(given, tensor, shape, download=self.numpy)

    def outputs(self, launched: Event | None, queue: Queue | None) -> Any:
        """Return the kernel's outputs: None, an array, or a tuple of arrays.

        `launched`: the result of run() for the queue.
        """
        bounds = self.bound.values()
        after = [bound.after for bound in bounds if bound.after is not None]
        write_back(self.manager, queue, launched, after)
        downloads = [bound for bound in bounds if bound.download and bound.memory is not None]
        if downloads and launched is not None:
            launched.wait()  # reading waits only for submitted work, and this may not be submitted yet
        for bound in downloads:
            _download(bound)
        written = [
            self.bound[each.name].given
            for each in self.shader.parameters
            if each.is_array and each.writes
        ]
        return written[0] if len(written) == 1 else tuple(written) or None

    def run(self, queue: Queue | None, wait_for: Events, threads: Any) -> Event | None:
        """Launch. Returns None if there is nothing to do."""
        shader = self.shader
        size = self.size(threads)
        if not math.prod(size):
            return None
        empty = [name for name, bound in self.bound.items() if not math.prod(bound.shape)]
        if empty:
            raise ValueError(
                f"kernel '{shader.name}': {empty[0]} has no elements, but there are "
                f"{' x '.join(map(str, size))} work items"
            )
        self._check_indices(size)
        written = [
            (name, bound)
            for name, bound in self.bound.items()
            if shader.by_name[name].writes and bound.memory is not None
        ]
        if len(written) > 1 and [name for name, bound in written if bound.after is not None]:
            refuse_common(shader, [(name, bound.given) for name, bound in written])
        for name, bound in self.bound.items():
            if bound.memory is not None:
                self.values[shader.by_name[name].index] = bound.memory
        for extent in shader.extents:
            self.values[extent.index] = self.bound[extent.name].shape[extent.axis]
        folded = self._folded(size)
        if folded is not size and shader.global_size is not None:  # else the launcher gives it
            self.values[shader.global_size] = [size[0], 1, 1]
        kernel = shader.kernel(self.manager)
        launcher = launcher_of(shader, kernel, self.values, folded, self.local_size)
        return launcher(queue, wait_for)

    def _check_indices(self, size: tuple[int, ...]) -> None:
        """Raise ValueError if an array has fewer elements than all work items access."""
        for name, place, index in self.shader.places:
            shape = self.bound[name].shape
            if index >= (math.prod(shape) if place is None else shape[place]):
                what = (
                    f"axis {place} of the shape"
                    if len(shape) > 1 and place is not None
                    else "the shape"
                )
                raise ValueError(
                    f"kernel '{self.shader.name}': {name} is accessed at the index {index}, which {what} "
                    f"{shape} does not have"
                )
        for name, items in self.shader.by_index:
            shape = self.bound[name].shape
            extents = shape if len(items) > 1 else (math.prod(shape),)
            for axis, (extent, item) in enumerate(zip(extents, items, strict=True)):
                if item is None or item >= len(size) or extent >= size[item]:
                    continue
                what = f"shape {shape}" if len(items) > 1 else counted(extent, "element")
                indices = ", ".join("i" if each == axis else ":" for each in range(len(items)))
                raise ValueError(
                    f"kernel '{self.shader.name}': {name} has {what}, but {name}[{indices}] is "
                    f"accessed for {counted(size[item], 'work item')}; give arrays of one size, or "
                    "threads=, or compare the index with the array's size in the kernel"
                )

    def _folded(self, size: tuple[int, ...]) -> tuple[int, ...]:
        """Return the sizes of a launch: work items over the limit in x are moved to y."""
        local = self.shader.local_size(self.manager)
        if not self.shader.folds or size[0] <= LEAST_LIMIT * local or math.prod(size[1:]) != 1:
            return size
        limit: int = self.manager.get_device_properties()["max_work_group_count"][0]
        groups = -(-size[0] // local)
        if groups <= limit:
            return size
        rows = -(-groups // limit)
        return (-(-groups // rows) * local, rows)


def launcher_of(
    shader: KernelShader,
    kernel: LauncherKernel,
    values: Any,
    size: tuple[int, ...],
    local_size: tuple[int, ...] | None,
) -> KernelLauncher:
    """Return the launcher of a call. Its errors name the kernel and the argument."""
    try:
        return KernelLauncher(shader.name, kernel, values, size, local_size, round_up=True)
    except InvalidArgument as error:
        start = f"launcher '{shader.name}': "
        text = str(error)
        if text.startswith(start):
            rest = text.removeprefix(start)
            if found := re.match(r"argument (\d+) '(\w+)'", rest):
                index, own = int(found[1]), found[2]
                names = [each.name for each in shader.parameters if each.index == index]
                name = names[0] if names else own
                rest = name + rest[found.end() :].replace(f"'{own}'", f"'{name}'")
            error.args = (f"kernel '{shader.name}': {rest}",)
        raise


def _empty(shape: tuple[int, ...], dtype: np.dtype[Any], manager: Manager) -> Any:
    from ..arrays.creation import empty

    return empty(shape, dtype, device=manager)


def _makes_arrays(given: Any) -> bool:
    return hasattr(given, "__kp_tensor__") and hasattr(type(given), "_from_tensor")


def _download(bound: Bound) -> None:
    array = bound.given
    assert bound.memory is not None
    if array.flags.c_contiguous:
        bound.memory.read(out=array.reshape(-1).view(array.dtype.base))
    else:
        array[...] = bound.memory.read().reshape(array.shape)


def manager_of(shader: KernelShader, values: Mapping[str, Any], manager: Manager | None) -> Manager:
    """Return the manager of a call: the one given, its tensors', or the default one."""
    found, owner = manager, "mgr"
    for parameter in shader.parameters:
        value = values.get(parameter.name)
        if not parameter.is_array or value is None:
            continue
        own = value.manager if isinstance(value, Memory) else getattr(value, "manager", None)
        if own is None or own is found or not isinstance(own, Manager):
            continue
        if found is not None:
            raise ValueError(
                f"kernel '{shader.name}': {parameter.name} belongs to another manager than {owner}"
            )
        found, owner = own, parameter.name
    return found or default_manager()


def checks_of(values: Mapping[str, Any], manager: Manager | None) -> str:
    """Return the checks of the manager of a call, for which its shader is compiled; "" if the
    manager has none of its own."""
    for value in values.values():
        if isinstance(manager, Manager):
            break
        group = getattr(value, "group", None)
        manager = group[0] if isinstance(group, DeviceGroup) else getattr(value, "manager", None)
    return (manager if isinstance(manager, Manager) else default_manager())._check()
