# SPDX-License-Identifier: Apache-2.0
"""The lanes that this process keeps from one block to the next, and their memory limit."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Generic, Protocol, TypeVar

from .._errors import OutOfMemory
from .._kp import Manager
from . import _managers

#: Bounds for idle lanes: their number, and the device memory that they take together.
MAX_IDLE = 64
MAX_IDLE_BYTES = 512 << 20


class Lane(Protocol):
    """The objects that one thread at a time runs a function with."""

    manager: Manager

    @property
    def nbytes(self) -> int: ...

    def release(self) -> None: ...


L = TypeVar("L", bound=Lane)
Made = TypeVar("Made", bound=Lane, covariant=True)


class Source(Protocol[Made]):
    """A function that opens lanes."""

    token: str

    def open(self, manager: Manager) -> Made: ...


@dataclass(frozen=True)
class Statistics:
    """Counters of this process.

    - ``managers``: existing Managers.
    - ``prepared``: how often a function was prepared for a thread: a pipeline was created with its
      tensors, or `prepare` of a Prepared was called.
    - ``blocks``: computed blocks.
    - ``bytes``: device memory that the tensors of kernels use now.
    - ``peak_bytes``: the largest value of ``bytes`` since the last call of set_memory_limit().
    """

    managers: int = 0
    prepared: int = 0
    blocks: int = 0
    bytes: int = 0
    peak_bytes: int = 0


_changed = threading.Condition()
_idle: OrderedDict[int, tuple[str, Lane]] = OrderedDict()  # least recently used first
_busy_bytes = 0
_limit: int | None = None
_counts = Statistics()


def statistics() -> Statistics:
    """Return the counters of this process. `client.run(kp.dask.statistics)` asks all workers."""
    with _changed:
        return replace(_counts, managers=_managers.count(), bytes=_busy_bytes + _idle_bytes())


def set_memory_limit(limit: int | None) -> None:
    """Limit the device memory that the kernels of this process use together.

    `limit` is in bytes. None removes the limit.

    A block that would exceed the limit waits until other blocks are done. A block that exceeds it
    alone raises kp.OutOfMemory. Prepared and plain functions create their own tensors, which do not
    count. On a cluster, setup() sets the limit for each worker.

    Raises ValueError if the limit is not positive.
    """
    global _limit
    if limit is not None and limit <= 0:
        raise ValueError(
            f"the limit must be a positive number of bytes or None, but {limit} was given"
        )
    with _changed:
        _limit = limit
        _shrink()
        _count(peak_bytes=_busy_bytes + _idle_bytes() - _counts.peak_bytes)
        _changed.notify_all()


def release() -> None:
    """Release everything that this process keeps for later blocks, including its Managers."""
    drop_idle()
    _managers.drop()


def drop_idle() -> None:
    """Release the idle lanes."""
    with _changed:
        _idle.clear()
        _changed.notify_all()


class Lease(Generic[L]):
    """A lane in use by one thread, and the memory reserved for it."""

    def __init__(self, lane: L) -> None:
        self.lane = lane
        self.bytes = lane.nbytes

    def reserve(self, nbytes: int) -> None:
        """Wait until the lane may use that many bytes of device memory."""
        global _busy_bytes
        if nbytes == self.bytes:
            return
        with _changed:
            _require_possible(nbytes)
            # Release its own memory first. Otherwise two waiting lanes could wait for each other.
            if not _fits(nbytes - self.bytes):
                self.lane.release()
                _busy_bytes -= self.bytes
                self.bytes = 0
                _changed.notify_all()
            while not _fits(nbytes - self.bytes):
                if _idle:
                    _idle.popitem(last=False)
                else:
                    _changed.wait()
                    _require_possible(nbytes)
            _busy_bytes += nbytes - self.bytes
            self.bytes = nbytes
            _count(peak_bytes=max(0, _busy_bytes + _idle_bytes() - _counts.peak_bytes))


@contextmanager
def lease(source: Source[L], manager: Manager) -> Iterator[Lease[L]]:
    """Lend a lane of `source`. The lane is kept for later, unless the `with` block raises."""
    global _busy_bytes
    taken = _take(source, manager)
    try:
        yield taken
    except BaseException:
        taken.lane.release()
        with _changed:
            _busy_bytes -= taken.bytes
            _changed.notify_all()
        raise
    with _changed:
        _busy_bytes -= taken.bytes
        _idle[id(taken.lane)] = (source.token, taken.lane)
        _shrink()
        _changed.notify_all()


def count_block() -> None:
    """Count a computed block."""
    with _changed:
        _count(blocks=1)


def _take(source: Source[L], manager: Manager) -> Lease[L]:
    global _busy_bytes
    with _changed:
        for key, (token, lane) in reversed(_idle.items()):
            if token == source.token and lane.manager is manager:
                del _idle[key]
                _busy_bytes += lane.nbytes
                return Lease(lane)  # type: ignore[arg-type]  # equal sources make equal lanes
    made = source.open(manager)
    with _changed:
        _count(prepared=1)
    return Lease(made)


# --- with the lock held ---------------------------------------------------------------------------


def _count(**more: int) -> None:
    global _counts
    sums = {name: getattr(_counts, name) + number for name, number in more.items()}
    _counts = replace(_counts, **sums)


def _require_possible(nbytes: int) -> None:
    if _limit is not None and nbytes > _limit:
        raise OutOfMemory(
            f"a block needs {nbytes} bytes of device memory, but set_memory_limit() allows "
            f"{_limit}; use smaller chunks or a higher limit"
        )


def _idle_bytes() -> int:
    return sum(lane.nbytes for _, lane in _idle.values())


def _fits(more: int) -> bool:
    return _limit is None or _busy_bytes + _idle_bytes() + more <= _limit


def _shrink() -> None:
    """Release the least recently used idle lanes until the others are within the bounds."""
    while _idle and (len(_idle) > MAX_IDLE or _idle_bytes() > MAX_IDLE_BYTES or not _fits(0)):
        _idle.popitem(last=False)
