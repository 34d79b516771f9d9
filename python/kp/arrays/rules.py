# SPDX-License-Identifier: Apache-2.0
"""How kernels of arrays divide their work: one rule per kind of device."""

from __future__ import annotations

from dataclasses import dataclass

from .._kp import Manager


@dataclass(frozen=True)
class Rules:
    """How work is divided.

    - `strip`: elements that an invocation computes one after the other; 0 if elementwise.each_of() says how many.
    - `serial`: up to this many elements are reduced by one invocation.
    - `longest`: parts that one invocation reduces have less than twice as many elements.
    - `trees`: whether work groups combine what their invocations have reduced.
    - `invocations`: of which reductions have at least as many, if they are long enough.
    """

    strip: int = 0
    serial: int = 32
    longest: int = 1 << 31
    trees: bool = True
    invocations: int = 1 << 17


#: Invocations are free, and a work group's memory is fast.
GPU = Rules()

#: A driver that computes on the processor spends 20 ns on the start of 8 invocations and 1 us on a barrier of a work
#: group, and goes through each access lane by lane. So an invocation does the work of many, with wide accesses, and
#: none waits for others. Longer serial sums would lose more digits than NumPy's.
CPU = Rules(strip=64, serial=1024, longest=4096, trees=False, invocations=1 << 10)


def rules_of(manager: Manager) -> Rules:
    """Return the rules for a manager's device."""
    return CPU if manager.get_device_properties()["type"] == "cpu" else GPU
