# SPDX-License-Identifier: Apache-2.0
"""What this process keeps from one block to the next, and how much memory that may take."""

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

#: Lanes that wait for work are at most this many, and take at most this much device memory.
MOST_IDLE = 64
MOST_IDLE_BYTES = 512 << 20


class Lane(Protocol):
    """What one thread at a time runs a function with."""

    manager: Manager

    @property
    def nbytes(self) -> int: ...

    def release(self) -> None: ...


L = TypeVar("L", bound=Lane)
Made = TypeVar("Made", bound=Lane, covariant=True)


class Source(Protocol[Made]):
    """A function that lanes are made for."""

    token: str

    def open(self, manager: Manager) -> Made: ...


@dataclass(frozen=True)
class Statistics:
    """What happened in this process so far.

    ``managers`` there are now, ``prepared`` counts how often something was made ready for a thread (a
    pipeline with its tensors, or what Prepared makes), ``blocks`` the blocks computed. ``bytes`` of
    device memory are in use by the tensors of kernels now, ``peak_bytes`` were at most since
    set_memory_limit() was called last.
    """

    managers: int = 0
    prepared: int = 0
    blocks: int = 0
    bytes: int = 0
    peak_bytes: int = 0


_changed = threading.Condition()
_idle: OrderedDict[int, tuple[str, Lane]] = OrderedDict()  # those used last at the end
_busy_bytes = 0
_limit: int | None = None
_counts = Statistics()


def statistics() -> Statistics:
    """What happened in this process so far; client.run(kp.dask.statistics) asks all workers."""
    with _changed:
        return replace(_counts, managers=_managers.count(), bytes=_busy_bytes + _idle_bytes())


def set_memory_limit(limit: int | None) -> None:
    """Bytes of device memory that the kernels of this process may take together; None: no limit.

    A block that would exceed it waits until others are done; one that exceeds it alone is a
    kp.OutOfMemory. Prepared and plain functions, which make tensors of their own, are not counted.
    setup() sets it for all workers.
    """
    global _limit
    if limit is not None and limit <= 0:
        raise ValueError(f"the limit is a positive number of bytes or None, not {limit}")
    with _changed:
        _limit = limit
        _shrink()
        _count(peak_bytes=_busy_bytes + _idle_bytes() - _counts.peak_bytes)
        _changed.notify_all()


def release() -> None:
    """Lets go of what this process keeps for later blocks, Managers included."""
    drop_idle()
    _managers.drop()


def drop_idle() -> None:
    """Lets go of lanes that wait for work."""
    with _changed:
        _idle.clear()
        _changed.notify_all()


class Lease(Generic[L]):
    """A lane while one thread uses it, and the memory that it may take."""

    def __init__(self, lane: L) -> None:
        self.lane = lane
        self.bytes = lane.nbytes

    def reserve(self, nbytes: int) -> None:
        """Waits until the lane may take that much device memory."""
        global _busy_bytes
        if nbytes == self.bytes:
            return
        with _changed:
            _require_possible(nbytes)
            # What it has goes first: two that wait would otherwise wait for each other.
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
    """Something to run `source` with. It is kept for later, unless the block raises."""
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
    """One more block is done."""
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


# --- with the lock held -----------------------------------------------------------------------------


def _count(**more: int) -> None:
    global _counts
    sums = {name: getattr(_counts, name) + number for name, number in more.items()}
    _counts = replace(_counts, **sums)


def _require_possible(nbytes: int) -> None:
    if _limit is not None and nbytes > _limit:
        raise OutOfMemory(
            f"a block needs {nbytes} bytes of device memory, but set_memory_limit() allows {_limit}; "
            "use smaller chunks"
        )


def _idle_bytes() -> int:
    return sum(lane.nbytes for _, lane in _idle.values())


def _fits(more: int) -> bool:
    return _limit is None or _busy_bytes + _idle_bytes() + more <= _limit


def _shrink() -> None:
    """Lets go of the lanes that were used longest ago, down to what may stay."""
    while _idle and (len(_idle) > MOST_IDLE or _idle_bytes() > MOST_IDLE_BYTES or not _fits(0)):
        _idle.popitem(last=False)
