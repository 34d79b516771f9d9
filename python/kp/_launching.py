# SPDX-License-Identifier: Apache-2.0
"""Calls of kernels: arrays and numbers by name become launches.

launch() binds what a call gives to the parameters of a Program.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ._kernel_call import Call, Events, describe, element_shape, manager_of
from ._cuda import events_of, has_streams
from ._kp import Buffer, DeviceGroup, Event, Manager, Queue
from ._program import Program
from ._kernel_plans import key_of, remember, repeat


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
        wait_for = events_of(manager_of(program, values, mgr), wait_for)
    last = program.last
    if last is not None and mgr is None and target == "all" and last.fits(values, threads):
        last.launcher(queue, wait_for)
        return last.written
    key = key_of(program, values, threads, mgr) if target == "all" else None
    if key is not None and (plan := program.plans.get(key)) is not None:
        return repeat(program, plan, values, threads, queue, wait_for)
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
    call = Call(program, values, manager_of(program, values, mgr))
    call.make_outputs(threads)
    launched = call.run(queue, wait_for, threads)
    if key is not None:
        remember(call, key, threads)
    return call.outputs(launched, queue)


def _group_of(program: Program, values: Mapping[str, Any]) -> DeviceGroup:
    group: DeviceGroup | None = None
    for parameter in program.parameters:
        value = values.get(parameter.name)
        if not parameter.is_array:
            continue
        if not isinstance(value, Buffer):
            what = "is missing" if value is None else f"is {describe(value)}"
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
        call = Call(program, shards, manager, shapes, sharded)
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
                f"{where}: {parameter.name} is {describe(value)}; if one array is of a group, give "
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
