# SPDX-License-Identifier: Apache-2.0
"""The old spelling: the Python API of Kompute's releases before 0.7, built on today's.

It has tensors without a manager, named sequences and one method per operation::

    mgr = kp.Manager()
    tensor = kp.Tensor([2, 4, 3])  # in host memory
    mgr.eval_tensor_create_def([tensor])  # creates it and copies it to the device
    mgr.eval_algo_data_def([tensor], shader)
    mgr.eval_tensor_sync_local_def([tensor])
    assert tensor.data() == [3.0, 5.0, 4.0]

    sequence = mgr.create_sequence("SHADERS")
    sequence.begin()
    sequence.record_algo_data([tensor], shader)
    sequence.record_tensor_sync_local([tensor])
    sequence.end()
    sequence.eval()

The operations are ``tensor_create``, ``tensor_copy``, ``tensor_sync_device``,
``tensor_sync_local``, ``algo_mult``, ``algo_lro``, ``algo_file``, ``algo_str`` and ``algo_data``.
Each has these methods:

- ``Sequence.record_<op>(tensors, ...)`` records it.
- ``Manager.eval_<op>(tensors, sequence_name, ...)`` evaluates it in a named sequence.
- ``Manager.eval_<op>_def(tensors, ...)`` evaluates it in a new anonymous sequence.
- ``Manager.eval_async_<op>`` and ``eval_async_<op>_def`` do the same without waiting.
  ``eval_await(name)`` and ``eval_await_def()`` wait.

A tensor of ``kp.Tensor(data)`` or ``Manager.build_tensor`` is flat and float32. Its ``data()`` is a
list, and ``numpy()`` a new array; both are copies. ``tensor[i] = x`` and ``set_data`` change it.

Arguments have the names of all of these releases: ``queueIndex``, ``sequenceName``, ``waitFor``,
``tensorType``, ``bytes``, ``file_path``, ``work_group``.

New programs do not need any of this, so completion does not show it.
"""

from __future__ import annotations

import inspect
import logging
import os
from collections.abc import Callable, Iterator
from collections.abc import Sequence as Items
from functools import wraps
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from .. import _kp
from .._errors import InvalidArgument
from .._kp import (
    Manager,
    Memory,
    MemoryTypes,
    OpAlgoDispatch,
    OpBase,
    OpCopy,
    OpMult,
    OpSyncDevice,
    OpSyncLocal,
    Sequence,
    Tensor,
)
from .._wording import counted, kind_of
from . import early_sequences as sequences
from .early_sequences import Maker

Workgroup = Items[int]
#: A shader: SPIR-V, or its source as text, as the bytes of the text, or as a list of characters.
Code = bytes | str | Items[str] | Items[int]

_log = logging.getLogger("kp")

#: Today's names of arguments, by the releases' names.
_ARGUMENTS = {
    "bytes": "data",
    "file_path": "data",
    "queueIndex": "queue_index",
    "sequenceName": "sequence_name",
    "syncDataToGPU": "sync",
    "tensorType": "tensor_type",
    "waitFor": "wait",
    "work_group": "workgroup",
}
_SPIRV_MAGIC = (0x07230203).to_bytes(4, "little")


def _with_old_arguments(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let a function also be called with the releases' names of its arguments."""

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **{_ARGUMENTS.get(name, name): kwargs[name] for name in kwargs})

    return call


# --- Tensors --------------------------------------------------------------------------------------


class Values(list[float]):
    """The elements of a tensor of the old spelling: a list, and a copy."""

    def tolist(self) -> list[float]:
        """Return a list, as NumPy's arrays do."""
        return list(self)


def _flat(data: ArrayLike) -> NDArray[np.float32]:
    """Return a new flat float32 array."""
    return np.array(data, np.float32).ravel()


class EarlyTensor(Tensor):
    """A flat float32 tensor, in host memory until a manager creates it."""

    _manager: Manager | None = None
    #: The elements if the host view does not have them: before creation, after destruction and for
    #: storage memory.
    _held: NDArray[np.float32] | None = None

    def __new__(cls, *args: Any, **kwargs: Any) -> EarlyTensor:
        return Memory.__new__(cls)

    def __init__(
        self, data: ArrayLike, tensor_type: MemoryTypes = MemoryTypes.device, **old: Any
    ) -> None:
        self._type = MemoryTypes(old.pop("tensorType", tensor_type))
        if old:
            raise TypeError(f"kp.Tensor() has no argument {next(iter(old))!r}")
        super().__init__(data, self._type)
        self._held = _flat(data)
        if self._held.size == 0:
            raise InvalidArgument("data has no elements, but a tensor cannot be zero-sized")

    @property
    def _values(self) -> NDArray[np.float32]:
        values: NDArray[np.float32] = Tensor.data(self) if self._held is None else self._held
        return values

    def create(self, manager: Manager) -> None:
        """Give the tensor memory on the manager's device, with the tensor's contents."""
        if self.is_init() and self._manager is manager:
            return
        values = self._values.copy()
        self._create(manager, values, self._type)
        self._manager = manager
        self._held = values if self._type is MemoryTypes.storage else None

    def data(self) -> Values:  # type: ignore[override]
        """Return the elements as a list: a copy."""
        return Values(self._values.tolist())

    def numpy(self) -> NDArray[Any]:
        """Return the elements as a new array."""
        return np.array(self._values)

    def set_data(self, data: ArrayLike) -> None:
        """Replace the elements in host memory."""
        values = _flat(data)
        if values.size != len(self):
            raise InvalidArgument(
                f"data has {counted(values.size, 'element')}, but the tensor has {len(self)}; create another "
                "tensor for another size"
            )
        self._values[:] = values

    def is_init(self) -> bool:
        """Return whether the tensor has memory on a device."""
        return self._manager is not None and Tensor.is_init(self)

    def destroy(self) -> None:
        """Free the device memory. The elements remain, and the tensor can be created again."""
        if self.is_init():
            self._held = self._values.copy()
            Tensor.destroy(self)

    def memory_type(self) -> MemoryTypes:
        """Return the place of the memory."""
        return self._type

    def tensor_type(self) -> MemoryTypes:
        """Return the place of the memory."""
        return self._type

    def size(self) -> int:
        """Return the number of elements."""
        return self._values.size

    def __len__(self) -> int:
        return self._values.size

    def __getitem__(self, index: Any) -> Any:
        return self._values[index].tolist()

    def __setitem__(self, index: Any, value: Any) -> None:
        self._values[index] = value

    def __iter__(self) -> Iterator[float]:
        return iter(self.data())

    def __reversed__(self) -> list[float]:  # a list, as in these releases
        return self.data()[::-1]

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self._values, dtype)

    @property
    def __array_interface__(self) -> dict[str, Any]:
        raise AttributeError("NumPy calls __array__() instead, which needs no memory on a device")

    # In these releases, a tensor was equal only to itself.
    __eq__ = object.__eq__
    __ne__ = object.__ne__
    __hash__ = object.__hash__

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return EarlyTensor, (self._values.copy(), self._type)

    def __copy__(self) -> EarlyTensor:
        return EarlyTensor(self._values, self._type)

    def __deepcopy__(self, memo: dict[int, Any]) -> EarlyTensor:
        memo[id(self)] = copied = self.__copy__()
        return copied

    def __dir__(self) -> list[str]:
        return [*object.__dir__(self)]

    def __repr__(self) -> str:
        if self.is_init():
            return Tensor.__repr__(self)
        return f"<kp.Tensor shape=({len(self)},) dtype=float32 in host memory>"


def _new_tensor(cls: type[Tensor], *args: Any, **kwargs: Any) -> Tensor:
    """Return a new tensor for kp.Tensor(data)."""
    return Memory.__new__(EarlyTensor if cls is Tensor and (args or kwargs) else cls)


setattr(_new_tensor, "__signature__", inspect.signature(EarlyTensor.__init__))


def _create(manager: Manager, tensors: Items[Memory]) -> list[Memory]:
    """Create the tensors of kp.Tensor(data); return all that were given."""
    given: list[Memory] = []
    for tensor in tensors:
        if not isinstance(tensor, Memory):  # the argument may be infinite
            raise TypeError(f"tensors[{len(given)}] is a tensor or an image, not {kind_of(tensor)}")
        given.append(tensor)
    for tensor in given:
        if isinstance(tensor, EarlyTensor):
            tensor.create(manager)
    return given


def _build_tensor(
    self: Manager, data: ArrayLike, tensor_type: MemoryTypes = MemoryTypes.device
) -> Tensor:
    """Create a flat float32 tensor and copy its contents to the device."""
    tensor = EarlyTensor(data, tensor_type)
    _rebuild(self, tensor)
    return tensor


def _rebuild(self: Manager, tensors: Items[Memory] | Memory, sync: bool = True) -> None:
    """Create the tensors of kp.Tensor(data), and copy their contents to the device."""
    given = _create(self, [tensors] if isinstance(tensors, Memory) else tensors)
    if sync:
        self.sequence().eval(OpSyncDevice(given))


def _set_data(self: Memory, data: ArrayLike) -> None:
    """Overwrite the host view."""
    self.data()[:] = data


def _map_data(self: Tensor) -> None:
    """Do nothing: the host view is the memory that transfers use."""


# --- Operations -----------------------------------------------------------------------------------


def _source(code: Code) -> bytes | str:
    """Return a shader as SPIR-V or as text."""
    if isinstance(code, (list, tuple)):  # a vector of characters
        code = "".join(code) if all(isinstance(c, str) for c in code) else bytes(code)
    if isinstance(code, bytes) and code[:4] != _SPIRV_MAGIC:
        try:
            return code.decode()
        except UnicodeDecodeError as error:
            raise InvalidArgument(
                "the shader is neither SPIR-V, whose first bytes are 03 02 23 07, nor text"
            ) from error
    return code  # type: ignore[return-value]


def _tensor_create(manager: Manager, tensors: Items[Memory]) -> OpBase:
    """Create the tensors of kp.Tensor(data), and copy them to the device."""
    return OpSyncDevice(_create(manager, tensors))


def _tensor_copy(manager: Manager, tensors: Items[Memory]) -> OpBase:
    """Copy the first tensor to the others."""
    return OpCopy(tensors)


def _tensor_sync_device(manager: Manager, tensors: Items[Memory]) -> OpBase:
    """Copy the host views of the tensors to the device."""
    return OpSyncDevice(tensors)


def _tensor_sync_local(manager: Manager, tensors: Items[Memory]) -> OpBase:
    """Copy the tensors from the device to their host views."""
    return OpSyncLocal(tensors)


def _algo_mult(manager: Manager, tensors: Items[Memory]) -> OpBase:
    """Write the product of the first two tensors to the third."""
    return OpMult(tensors, manager.algorithm())


def _algo_data(
    manager: Manager,
    tensors: Items[Memory],
    data: Code,
    workgroup: Workgroup = (0, 0, 0),
    constants: Items[float] = (),
) -> OpBase:
    """Run a shader, SPIR-V bytes or source text, with specialization constants."""
    return OpAlgoDispatch(manager.algorithm(tensors, _source(data), workgroup, constants))


def _algo_lro(
    manager: Manager,
    tensors: Items[Memory],
    data: Code | None = None,
    workgroup: Workgroup = (0, 0, 0),
    constants: Items[float] = (),
) -> OpBase:
    """Run a shader of two inputs and an output: as algo_data, with exactly three tensors."""
    if len(tensors) != 3:
        raise InvalidArgument(
            f"algo_lro takes a left, a right and an output tensor, not {len(tensors)} tensors"
        )
    if data is None:
        raise InvalidArgument(
            "algo_lro has no shader of its own; pass one after the tensors, or call algo_mult for "
            "the product"
        )
    return _algo_data(manager, tensors, data, workgroup, constants)


def _algo_file(
    manager: Manager,
    tensors: Items[Memory],
    data: str | os.PathLike[str],
    workgroup: Workgroup = (0, 0, 0),
    constants: Items[float] = (),
) -> OpBase:
    """Run the shader in a file, SPIR-V (.spv) or source text."""
    path = _Path(data)
    return OpAlgoDispatch(manager.algorithm(tensors, path, workgroup, constants))


class _Path:
    """A path to a shader, with any file name extension."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = os.fspath(path)

    def __fspath__(self) -> str:
        return self._path


_MAKERS: dict[str, Maker] = {
    "tensor_create": _tensor_create,
    "tensor_copy": _tensor_copy,
    "tensor_sync_device": _tensor_sync_device,
    "tensor_sync_local": _tensor_sync_local,
    "algo_mult": _algo_mult,
    "algo_lro": _algo_lro,
    "algo_file": _algo_file,
    "algo_str": _algo_data,
    "algo_data": _algo_data,
}


# --- The module -----------------------------------------------------------------------------------


def log_level(level: int) -> None:
    """Set the lowest level of the logger `kp`.

    0 to 6 stand for trace, debug, info, warning, error, critical and off.
    """
    levels = (5, logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR, logging.CRITICAL)
    _log.setLevel(levels[level] if level < len(levels) else logging.CRITICAL + 1)


class Shader:
    """Compiles shaders, in the spelling of Kompute 0.7 and 0.8. Today's is `kp.compile`."""

    @staticmethod
    def compile_source(
        source: str, entryPoint: str = "main", definitions: Items[tuple[str, str]] = ()
    ) -> bytes:
        """Return the SPIR-V of GLSL text."""
        return _kp.compile(source, entry_point=entryPoint, defines=dict(definitions))

    @staticmethod
    def compile_sources(
        sources: Items[str],
        files: Items[str] = (),
        entryPoint: str = "main",
        definitions: Items[tuple[str, str]] = (),
    ) -> bytes:
        """Return the SPIR-V of the texts, one after the other. `files` names the first of them."""
        name = files[0] if files else ""
        return _kp.compile(
            "\n".join(sources),
            entry_point=entryPoint,
            defines=dict(definitions),
            file_name=name,
        )


#: The names of the old methods, which completion leaves out.
_hidden: set[str] = set()


def _dir(self: object) -> list[str]:
    """Return the names of the members, without the old spelling."""
    return [name for name in object.__dir__(self) if name not in _hidden]


def install() -> None:
    """Add the old methods to today's classes."""

    def add(cls: type, name: str, function: Callable[..., Any], doc: str | None = None) -> None:
        _hidden.add(name)
        function.__name__ = name
        function.__qualname__ = f"{cls.__name__}.{name}"
        function.__doc__ = doc or function.__doc__
        setattr(cls, name, _with_old_arguments(function))

    for op, maker in _MAKERS.items():
        doc = f"{maker.__doc__} The old spelling; see kp.compat.early."
        add(Sequence, f"record_{op}", sequences.recording(maker), doc)
        add(Manager, f"eval_{op}", sequences.evaluating(maker), doc)
        add(Manager, f"eval_{op}_def", sequences.evaluating_def(maker), doc)
        add(Manager, f"eval_async_{op}", sequences.evaluating_async(maker), doc)
        add(Manager, f"eval_async_{op}_def", sequences.evaluating_async_def(maker), doc)
    add(Manager, "build_tensor", _build_tensor)
    add(Manager, "rebuild", _rebuild)
    add(Manager, "create_sequence", sequences.create_sequence)
    add(Manager, "get_create_sequence", sequences.create_sequence)
    add(Manager, "eval_await", sequences.eval_await)
    add(Manager, "eval_await_def", sequences.eval_await_def)
    add(Memory, "set_data", _set_data)
    add(Tensor, "map_data_from_host", _map_data)
    add(Tensor, "map_data_into_host", _map_data)
    add(Sequence, "init", sequences.init_sequence)
    add(Sequence, "is_rec", sequences.is_rec)
    setattr(Tensor, "__new__", staticmethod(_new_tensor))
    for each in (Manager, Sequence, Memory):
        setattr(each, "__dir__", _dir)
