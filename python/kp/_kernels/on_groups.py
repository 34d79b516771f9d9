# SPDX-License-Identifier: Apache-2.0
"""Calls of kernels with arrays of a group of devices."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from .._kp import Buffer, DeviceGroup, Event, Manager, Queue
from .call import Call, Events, describe, element_shape
from .shader import KernelShader


def _group_of(shader: KernelShader, values: Mapping[str, Any]) -> DeviceGroup:
    group: DeviceGroup | None = None
    for parameter in shader.parameters:
        value = values.get(parameter.name)
        if not parameter.is_array:
            continue
        if not isinstance(value, Buffer):
            what = "is missing" if value is None else f"is {describe(value)}"
            raise TypeError(
                f"kernel '{shader.name}': {parameter.name} {what}; if one array is a kp.Buffer, "
                "give a kp.Buffer of the same group for each"
            )
        if group is not None and value.group is not group:
            raise ValueError(
                f"kernel '{shader.name}': {parameter.name} belongs to another group than the "
                "other buffers"
            )
        if parameter.writes and not value.writable:
            raise ValueError(
                f"kernel '{shader.name}' writes {parameter.name}, but that buffer is not writable"
            )
        group = value.group
    assert group is not None
    return group


def launch_on_group(
    shader: KernelShader,
    values: Mapping[str, Any],
    threads: Any,
    queue: Queue | None,
    mgr: Manager | None,
    wait_for: Events,
    target: str | int,
) -> Any:
    if queue is not None or mgr is not None:
        raise TypeError(
            f"kernel '{shader.name}': the buffers of a group select devices and queues; use "
            "target= instead of mgr= and queue="
        )
    group = _group_of(shader, values)
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
                shapes[name] = element_shape(shader, shader.by_name[name], value.dtype, shape)
        call = Call(shader, shards, manager, shapes, sharded)
        return call.run(group.queue(index), waits, threads)

    group.for_each(on_device, target, wait_for)
    written = [values[each.name] for each in shader.parameters if each.is_array and each.writes]
    return written[0] if len(written) == 1 else tuple(written) or None


def launch_on_parts(
    shader: KernelShader,
    values: Mapping[str, Any],
    queue: Queue | None,
    mgr: Manager | None,
    target: str | int,
    launch: Callable[[Mapping[str, Any], Manager], Any],
) -> Any:
    """Launch on each device with its parts of a group's arrays.

    `launch`: launches with the arguments of one device.
    """
    where = f"kernel '{shader.name}'"
    if queue is not None or mgr is not None or target != "all":
        raise TypeError(
            f"{where}: arrays of a group select devices and queues; leave out mgr=, queue= and target="
        )
    group: DeviceGroup | None = None
    rows: tuple[int, ...] | None = None
    parts: dict[str, Any] = {}
    for parameter in shader.parameters:
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
        written = launch(own_values, manager)
        results.append(written if isinstance(written, tuple) else (written,))
    outputs = []
    names = [each.name for each in shader.parameters if each.is_array and each.writes]
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
