# SPDX-License-Identifier: Apache-2.0
"""The old spelling: the Python API of Kompute's first releases, built on today's.

It has named sequences and one method per operation::

    mgr = kp.Manager()
    tensor = mgr.build_tensor([2, 4, 3])  # creates it and copies it to the device
    mgr.eval_algo_data_def([tensor], shader)
    mgr.eval_tensor_sync_local_def([tensor])

    sequence = mgr.create_sequence("SHADERS")
    sequence.begin()
    sequence.record_algo_data([tensor], shader)
    sequence.record_tensor_sync_local([tensor])
    sequence.end()
    sequence.eval()

The operations are ``tensor_create``, ``tensor_copy``, ``tensor_sync_device``,
``tensor_sync_local``, ``algo_mult``, ``algo_file`` and ``algo_data``. Each has these methods:

- ``Sequence.record_<op>(tensors, ...)`` records it.
- ``Manager.eval_<op>(tensors, sequence_name, ...)`` evaluates it in an existing named sequence.
- ``Manager.eval_<op>_def(tensors, ...)`` evaluates it in a new anonymous sequence.
- ``Manager.eval_async_<op>`` and ``eval_async_<op>_def`` do the same without waiting.
  ``eval_await(name)`` and ``eval_await_def()`` wait.

New programs do not need any of this.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from collections.abc import Sequence as Items
from typing import Any
from weakref import WeakKeyDictionary

from numpy.typing import ArrayLike

from ._errors import InvalidArgument
from ._kp import (
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

DEFAULT_NAME = "DEFAULT"

Workgroup = Items[int]
#: Creates the operation of a method of the old spelling.
Maker = Callable[..., OpBase]


class _Sequences:
    """The sequences that the old spelling created for one manager."""

    def __init__(self) -> None:
        self.named: dict[str, Sequence] = {}
        self.anonymous: list[Sequence] = []  # running, from eval_async_<op>_def

    def get(self, name: str) -> Sequence:
        if name not in self.named:
            known = ", ".join(repr(known) for known in self.named) or "none"
            raise InvalidArgument(
                f"there is no sequence named {name!r}, only: {known}; call create_sequence() first"
            )
        return self.named[name]


_sequences: WeakKeyDictionary[Manager, _Sequences] = WeakKeyDictionary()


def _of(manager: Manager) -> _Sequences:
    return _sequences.setdefault(manager, _Sequences())


def _tensor_create(manager: Manager, tensors: Items[Memory]) -> OpBase:
    """Copy the tensors to the device. Tensors are created by Manager.tensor() today."""
    return OpSyncDevice(tensors)


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
    data: bytes | str,
    workgroup: Workgroup = (0, 0, 0),
    constants: Items[float] = (),
) -> OpBase:
    """Run a shader, SPIR-V bytes or source text, with specialization constants."""
    return OpAlgoDispatch(manager.algorithm(tensors, data, workgroup, constants))


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
    "algo_file": _algo_file,
    "algo_data": _algo_data,
}


def _record(maker: Maker) -> Callable[..., Sequence]:
    def record(self: Sequence, tensors: Items[Memory], *args: Any, **kwargs: Any) -> Sequence:
        return self.record(maker(self._manager, tensors, *args, **kwargs))

    return record


def _eval(maker: Maker) -> Callable[..., None]:
    def evaluate(
        self: Manager, tensors: Items[Memory], sequence_name: str, *args: Any, **kwargs: Any
    ) -> None:
        sequence = _of(self).get(sequence_name)
        sequence.eval(maker(self, tensors, *args, **kwargs))

    return evaluate


def _eval_def(maker: Maker) -> Callable[..., None]:
    def evaluate(self: Manager, tensors: Items[Memory], *args: Any, **kwargs: Any) -> None:
        self.sequence().eval(maker(self, tensors, *args, **kwargs))

    return evaluate


def _eval_async(maker: Maker) -> Callable[..., None]:
    def evaluate(
        self: Manager, tensors: Items[Memory], sequence_name: str, *args: Any, **kwargs: Any
    ) -> None:
        sequence = _of(self).get(sequence_name)
        sequence.eval_async(maker(self, tensors, *args, **kwargs))

    return evaluate


def _eval_async_def(maker: Maker) -> Callable[..., None]:
    def evaluate(self: Manager, tensors: Items[Memory], *args: Any, **kwargs: Any) -> None:
        sequence = self.sequence()
        sequence.eval_async(maker(self, tensors, *args, **kwargs))
        _of(self).anonymous.append(sequence)

    return evaluate


def _build_tensor(
    self: Manager, data: ArrayLike, tensor_type: MemoryTypes = MemoryTypes.device
) -> Tensor:
    """Create a float32 tensor and copy its contents to the device."""
    tensor = self.tensor(data, tensor_type)
    self.sequence().eval(OpSyncDevice([tensor]))
    return tensor


def _create_sequence(self: Manager, name: str = DEFAULT_NAME, queue_index: int = 0) -> Sequence:
    """Return the sequence of that name. Create it if there is none."""
    named = _of(self).named
    if name not in named or not named[name].is_init():
        named[name] = self.sequence(queue_index)
    return named[name]


def _eval_await(self: Manager, sequence_name: str, wait: int | None = None) -> None:
    """Wait for eval_async_<op> in a named sequence, at most `wait` nanoseconds."""
    _of(self).get(sequence_name).eval_await(wait)


def _eval_await_def(self: Manager, wait: int | None = None) -> None:
    """Wait for every eval_async_<op>_def, at most `wait` nanoseconds for each."""
    waiting = _of(self).anonymous
    while waiting:
        waiting.pop(0).eval_await(wait)


def _set_data(self: Memory, data: ArrayLike) -> None:
    """Overwrite the host view."""
    self.data()[:] = data


def install() -> None:
    """Add the old methods to today's classes."""

    def add(cls: type, name: str, function: Callable[..., Any], doc: str | None = None) -> None:
        function.__name__ = name
        function.__qualname__ = f"{cls.__name__}.{name}"
        function.__doc__ = doc or function.__doc__
        setattr(cls, name, function)

    for op, maker in _MAKERS.items():
        doc = f"{maker.__doc__} The old spelling; see kp._early."
        add(Sequence, f"record_{op}", _record(maker), doc)
        add(Manager, f"eval_{op}", _eval(maker), doc)
        add(Manager, f"eval_{op}_def", _eval_def(maker), doc)
        add(Manager, f"eval_async_{op}", _eval_async(maker), doc)
        add(Manager, f"eval_async_{op}_def", _eval_async_def(maker), doc)
    add(Manager, "build_tensor", _build_tensor)
    add(Manager, "create_sequence", _create_sequence)
    add(Manager, "eval_await", _eval_await)
    add(Manager, "eval_await_def", _eval_await_def)
    add(Memory, "set_data", _set_data)
