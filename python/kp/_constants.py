# SPDX-License-Identifier: Apache-2.0
"""Push and specialization constants by name, packed into the shader's layout."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ._wording import counted


def _value(name: str, value: Any, dtype: np.dtype[Any], components: int, argument: str) -> bytes:
    """Return the bytes of one member. Raise if its dtype cannot hold the value."""
    given = np.asarray(value)
    if given.size != components:
        raise ValueError(
            f"{argument}[{name!r}] takes {counted(components, 'value')}, not {given.size}"
        )
    if given.dtype.kind not in "biuf":
        raise TypeError(f"{argument}[{name!r}] must be a number, but {value!r} was given")
    if given.dtype.kind == "f" and dtype.kind != "f":
        raise TypeError(f"{argument}[{name!r}] is declared as {dtype}, but {value!r} was given")
    if dtype.kind != "f" and given.dtype.kind in "iu":
        limits = np.iinfo(dtype)
        if given.min() < limits.min or given.max() > limits.max:
            raise ValueError(f"{argument}[{name!r}] is {value!r}, which {dtype} cannot hold")
    return np.ascontiguousarray(given.astype(dtype)).tobytes()


def _unknown(name: object, known: list[str], argument: str, what: str) -> ValueError:
    names = ", ".join(known) if known else "none"
    return ValueError(f"{argument} names {name!r}, but the shader's {what} are: {names}")


def _flattened(values: Any) -> list[Any]:
    """Return the numbers of nested lists and tuples, or of a single number."""
    if not isinstance(values, (list, tuple)):
        return [values]
    return [number for value in values for number in _flattened(value)]


def _by_name(shader: Mapping[str, Any], values: Any, argument: str) -> dict[str, Any] | None:
    """Return numbers in the order of the push constants by name.

    None if the shader declares structs or arrays, whose types are not known.
    """
    members = shader["push_constants"]
    if any(member["dtype"] is None for member in members):
        return None
    numbers = _flattened(values)
    if len(numbers) != sum(member["components"] for member in members):
        kinds = ", ".join(
            f"{member['name']} ({member['dtype']}"
            + (f" x {member['components']})" if member["components"] > 1 else ")")
            for member in members
        )
        raise ValueError(
            f"{argument} has {counted(len(numbers), 'number')}, but the shader's push constants are {kinds}"
        )
    named = {}
    for member in members:
        count = member["components"]
        named[member["name"]] = numbers[0] if count == 1 else numbers[:count]
        del numbers[:count]
    return named


def pack_push_constants(
    shader: Mapping[str, Any], values: Any, previous: bytes, argument: str
) -> bytes | None:
    """Return the push-constant block with `values` by member name, or as a list in their order.

    None for a list, if the shader declares more than numbers, vectors and matrices.

    - `shader`: the reflection, as kp._kp._reflect() returns it.
    - `previous`: the current block. Members without a value keep their bytes in it. If it is
      shorter than the block, every member needs a value.
    - `argument`: the name of the argument, for messages.

    Raises ValueError or TypeError if a name is unknown or missing, or a value does not fit.
    """
    members = {member["name"]: member for member in shader["push_constants"]}
    if not isinstance(values, Mapping):
        values = _by_name(shader, values, argument)
        if values is None:
            return None
    for name in values:
        if name not in members:
            raise _unknown(name, list(members), argument, "push constants")
    size = int(shader["push_constant_size"])
    missing = [name for name in members if name not in values]
    if missing and len(previous) < size:
        raise ValueError(
            f"{argument} lacks {', '.join(missing)}; give a value for each push constant"
        )
    block = bytearray(previous) if len(previous) >= size else bytearray((size + 3) // 4 * 4)
    for name, value in values.items():
        member = members[name]
        if member["dtype"] is None:
            raise TypeError(
                f"{argument}[{name!r}] is a struct or an array in the shader and cannot be given "
                "by name; give all push constants as one structured NumPy array"
            )
        packed = _value(name, value, member["dtype"], member["components"], argument)
        if len(packed) > member["size"]:
            raise TypeError(
                f"{argument}[{name!r}] has padding in the shader and cannot be given by name; give "
                "all push constants as one structured NumPy array"
            )
        block[member["offset"] : member["offset"] + len(packed)] = packed
    return bytes(block)


def pack_specialization_constants(shader: Mapping[str, Any], values: Any) -> dict[int, bytes]:
    """Return the bytes of each specialization constant by constant_id.

    `values` are by name or by constant_id, or a list by constant_id. Numbers of a list that the shader
    has no constant for are float32.

    Raises ValueError or TypeError if a constant is unknown or its type cannot hold the value.
    """
    by_name = {constant["name"]: constant for constant in shader["spec_constants"]}
    by_id = {constant["id"]: constant for constant in shader["spec_constants"]}
    packed: dict[int, bytes] = {}
    if not isinstance(values, Mapping):
        numbers = dict(enumerate(_flattened(values)))
        single = np.dtype(np.float32)
        packed = {
            key: _value(str(key), value, single, 1, "spec_consts")
            for key, value in numbers.items()
            if key not in by_id
        }
        values = {key: value for key, value in numbers.items() if key in by_id}
    for key, value in values.items():
        constant = by_name.get(key) if isinstance(key, str) else by_id.get(key)
        if constant is None:
            known = [f"{c['name']} ({c['id']})" for c in shader["spec_constants"]]
            raise _unknown(key, known, "spec_consts", "specialization constants")
        packed[constant["id"]] = _value(str(key), value, constant["dtype"], 1, "spec_consts")
    return packed
