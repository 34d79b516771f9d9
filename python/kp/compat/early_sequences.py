# SPDX-License-Identifier: Apache-2.0
"""Sequences of the old spelling: by name, or anonymous and waited for. See kp.compat.early."""

from __future__ import annotations

import logging
from collections.abc import Callable
from collections.abc import Sequence as Items
from typing import Any
from weakref import WeakKeyDictionary

from .._errors import InvalidArgument
from .._kp import Manager, Memory, OpBase, Sequence

#: Creates the operation of a method of the old spelling.
Maker = Callable[..., OpBase]
#: An object that Manager.destroy() takes, or the name of a sequence.
Destroyed = Memory | Sequence | str

_log = logging.getLogger("kp")


class _Sequences:
    """The sequences that the old spelling created for one manager."""

    def __init__(self) -> None:
        self.named: dict[str, Sequence] = {}
        self.anonymous: list[Sequence] = []  # running, from eval_async_<op>_def


_sequences: WeakKeyDictionary[Manager, _Sequences] = WeakKeyDictionary()


def _of(manager: Manager) -> _Sequences:
    return _sequences.setdefault(manager, _Sequences())


def create_sequence(self: Manager, name: str = "", queue_index: int = 0) -> Sequence:
    """Return the sequence with that name. Create it if there is none, or if no name is given."""
    if not name:
        return self.sequence(queue_index)
    named = _of(self).named
    if name not in named or not named[name].is_init():
        named[name] = self.sequence(queue_index)
    return named[name]


def destroy(manager: Manager, objects: Destroyed | Items[Destroyed]) -> None:
    """Destroy a tensor, a sequence, the sequence of a name, or several of these."""
    several = [objects] if isinstance(objects, (str, Memory, Sequence)) else list(objects)
    for item in several:
        found = _of(manager).named.pop(item, None) if isinstance(item, str) else item
        if found is None:
            raise InvalidArgument(f"there is no sequence named {item!r} to destroy")
        found.destroy()


def recording(maker: Maker) -> Callable[..., Sequence]:
    def record(self: Sequence, tensors: Items[Memory], *args: Any, **kwargs: Any) -> Sequence:
        return self.record(maker(self._manager, tensors, *args, **kwargs))

    return record


def evaluating(maker: Maker) -> Callable[..., None]:
    def evaluate(
        self: Manager, tensors: Items[Memory], sequence_name: str, *args: Any, **kwargs: Any
    ) -> None:
        sequence = create_sequence(self, sequence_name)
        sequence.eval(maker(self, tensors, *args, **kwargs))

    return evaluate


def evaluating_def(maker: Maker) -> Callable[..., None]:
    def evaluate(self: Manager, tensors: Items[Memory], *args: Any, **kwargs: Any) -> None:
        self.sequence().eval(maker(self, tensors, *args, **kwargs))

    return evaluate


def evaluating_async(maker: Maker) -> Callable[..., None]:
    def evaluate(
        self: Manager, tensors: Items[Memory], sequence_name: str, *args: Any, **kwargs: Any
    ) -> None:
        sequence = create_sequence(self, sequence_name)
        sequence.eval_async(maker(self, tensors, *args, **kwargs))

    return evaluate


def evaluating_async_def(maker: Maker) -> Callable[..., None]:
    def evaluate(self: Manager, tensors: Items[Memory], *args: Any, **kwargs: Any) -> None:
        sequence = self.sequence()
        sequence.eval_async(maker(self, tensors, *args, **kwargs))
        _of(self).anonymous.append(sequence)

    return evaluate


def eval_await(self: Manager, sequence_name: str, wait: int | None = None) -> None:
    """Wait for eval_async_<op> in a named sequence, at most `wait` nanoseconds."""
    sequence = _of(self).named.get(sequence_name)
    if sequence is None:
        _log.error("eval_await: there is no sequence named %r", sequence_name)
    elif sequence.is_running():
        sequence.eval_await(wait)


def eval_await_def(self: Manager, wait: int | None = None) -> None:
    """Wait for every eval_async_<op>_def, at most `wait` nanoseconds for each."""
    waiting = _of(self).anonymous
    while waiting:
        waiting.pop(0).eval_await(wait)


def is_rec(self: Sequence) -> bool:
    """Return is_recording()."""
    return self.is_recording()


def init_sequence(self: Sequence) -> None:
    """Do nothing: sequences are ready from the start."""
