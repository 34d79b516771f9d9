# SPDX-License-Identifier: Apache-2.0
"""Work items in their groups and subgroups, which wait for each other by turns."""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

import numpy as np

#: The new values of atomics, from the old value and the operands.
ATOMICS: dict[str, Callable[..., Any]] = {
    "atomic_add": operator.add,
    "atomic_sub": operator.sub,
    "atomic_min": np.fmin,
    "atomic_max": np.fmax,
    "atomic_and": operator.and_,
    "atomic_or": operator.or_,
    "atomic_xor": operator.xor,
    "atomic_exchange": lambda old, new: new,
    "atomic_compare_exchange": lambda old, expected, new: new if old == expected else old,
}
_REDUCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "subgroup_add": operator.add,
    "subgroup_mul": operator.mul,
    "subgroup_min": np.minimum,
    "subgroup_max": np.maximum,
    "subgroup_and": operator.and_,
    "subgroup_or": operator.or_,
    "subgroup_xor": operator.xor,
}


@dataclass(frozen=True)
class Request:
    """An operation on which a work item waits: a barrier, or one of its subgroup.

    - ``key``: its place in the program; smaller keys come first.
    """

    name: str
    key: tuple[int, ...]
    operands: tuple[Any, ...]


class WorkItem:
    """The work item that runs.

    - `subgroup_size`: returns the work items of a subgroup.
    """

    def __init__(
        self,
        size: tuple[int, ...],
        local_size: tuple[int, int, int],
        whole_groups: bool,
        subgroup_size: Callable[[], int],
    ) -> None:
        self.local_size = local_size
        self.groups = tuple(
            -(-extent // own) for extent, own in zip((*size, 1, 1), local_size, strict=False)
        )
        self.size = (
            tuple(g * own for g, own in zip(self.groups, local_size, strict=True))
            if whole_groups
            else (*size, 1, 1)[:3]
        )
        self.subgroup_size = functools.cache(subgroup_size)
        self.group = (0, 0, 0)
        self.local = (0, 0, 0)

    def value(self, name: str, axis: int) -> int:
        """Return the results of kp.global_id() and similar functions."""
        if name == "subgroup_size":
            return self.subgroup_size()
        if name == "subgroup_lane":
            return self.index() % self.subgroup_size()
        return {
            "global_id": lambda: self.group[axis] * self.local_size[axis] + self.local[axis],
            "global_size": lambda: self.size[axis],
            "local_id": lambda: self.local[axis],
            "local_size": lambda: self.local_size[axis],
            "group_id": lambda: self.group[axis],
            "group_count": lambda: self.groups[axis],
        }[name]()

    def index(self) -> int:
        """Return the index of the work item in its group."""
        x, y, z = self.local
        return x + self.local_size[0] * (y + self.local_size[1] * z)

    def exists(self) -> bool:
        """Return whether the work item is within the requested range."""
        return all(self.value("global_id", axis) < self.size[axis] for axis in range(3))

    @staticmethod
    def places(extents: tuple[int, ...]) -> list[tuple[int, int, int]]:
        """Return all indices of a grid, x first."""
        x, y, z = (range(each) for each in extents)
        return [(i, j, k) for k, j, i in itertools.product(z, y, x)]


class Group:
    """The work items of a group that wait for each other."""

    def __init__(self, item: WorkItem, kernel: str, runs: dict[tuple[int, int, int], Any]) -> None:
        self._item = item
        self._kernel = kernel
        self._runs: dict[tuple[int, int, int], Generator[Request, Any, None]] = runs
        self._waiting: dict[tuple[int, int, int], Request] = {}
        self._has_ended = False

    def run(self) -> None:
        """Run all work items to their end."""
        for local in list(self._runs):
            self._resume(local, None)
        while self._waiting:
            if not self._answer_subgroups():
                self._pass_barrier()

    def _resume(self, local: tuple[int, int, int], answer: Any) -> None:
        self._item.local = local
        try:
            self._waiting[local] = self._runs[local].send(answer)
        except StopIteration:
            del self._runs[local]
            self._has_ended = True

    def _answer_subgroups(self) -> bool:
        """Answer the first operation of each subgroup. Return whether there was any."""
        size = 0
        subgroups: dict[int, dict[tuple[int, int, int], Request]] = {}
        for local, request in self._waiting.items():
            if request.name != "barrier":
                size = size or self._item.subgroup_size()
                self._item.local = local
                subgroups.setdefault(self._item.index() // size, {})[local] = request
        for requests in subgroups.values():
            first = min(each.key for each in requests.values())
            active = {local: each for local, each in requests.items() if each.key == first}
            lanes = {}
            for local in active:
                self._item.local = local
                lanes[self._item.index() % size] = local
            order = sorted(lanes)
            operands = {lane: active[lanes[lane]].operands for lane in order}
            name = active[lanes[order[0]]].name
            answers = _answers(name, order, operands)
            for lane in order:
                del self._waiting[lanes[lane]]
            for lane in order:
                self._resume(lanes[lane], answers[lane])
        return bool(subgroups)

    def _pass_barrier(self) -> None:
        lines = sorted({each.key for each in self._waiting.values()})
        if self._has_ended or len(lines) > 1:
            where = "another barrier" if len(lines) > 1 else "the end of the kernel"
            raise RuntimeError(
                f"kernel '{self._kernel}': some work items of group {self._item.group} wait at the "
                f"barrier in line {lines[0][-2]}, and others are at {where}; all must reach it"
            )
        waiting = list(self._waiting)
        self._waiting.clear()
        for local in waiting:
            self._resume(local, None)


def _answers(name: str, lanes: list[int], operands: dict[int, tuple[Any, ...]]) -> dict[int, Any]:
    """Return the result of a subgroup operation for each work item."""
    if name == "subgroup_elect":
        return {lane: lane == lanes[0] for lane in lanes}
    values = [operands[lane][0] for lane in lanes]
    if name in ("subgroup_all", "subgroup_any"):
        result = (all if name == "subgroup_all" else any)(values)
        return dict.fromkeys(lanes, result)
    if name in _REDUCTIONS:
        return dict.fromkeys(lanes, functools.reduce(_REDUCTIONS[name], values))
    if name == "subgroup_broadcast_first":
        return dict.fromkeys(lanes, values[0])
    if name in ("subgroup_inclusive_add", "subgroup_exclusive_add"):
        sums = list(itertools.accumulate(values))
        if name == "subgroup_exclusive_add":
            sums = [np.zeros_like(values[0])[()], *sums[:-1]]
        return dict(zip(lanes, sums, strict=True))
    known = dict(zip(lanes, values, strict=True))
    answers = {}
    for lane in lanes:
        other = operands[lane][1]
        source = other if name == "subgroup_shuffle" else lane ^ other
        if source not in known:
            raise IndexError(
                f"kp.{name}() reads work item {source} of the subgroup, which is not here"
            )
        answers[lane] = known[source]
    return answers
