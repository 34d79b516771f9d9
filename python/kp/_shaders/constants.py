# SPDX-License-Identifier: Apache-2.0
"""Push and specialization constants by name, packed into the shader's layout."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np
import numpy.typing as npt

from .reflection import PushConstant
from .._wording import counted

#: A hint for messages about the push constant of kernels in the short form and @kp.jit.
OF_KERNELS = (
    ". This shader is a kernel: a call of it gives kp_global_size, the number of work items (x, y, z); "
    "algorithms need the value, as 'kp_global_size': (1000, 1, 1)"
)


def _hint(names: Iterable[str]) -> str:
    return OF_KERNELS if "kp_global_size" in names else ""


def shape_problem(shape: Sequence[int], axes: Sequence[tuple[int, int]]) -> str:
    """Return the error in the shape of a value for these axes; "" if there is none.

    A value has the shape that the shader declares, or its inner axes are flat. Axes of 1 do not count.
    """
    wanted = [count for count, _ in axes if count != 1]
    given = [count for count in shape if count != 1]
    flat = [[*wanted[:kept], math.prod(wanted[kept:])] for kept in range(len(wanted))]
    if given == wanted or given in flat:
        return ""
    declared = tuple(count for count, _ in axes)
    return (
        f"has the shape {tuple(shape)}, but the shader declares {declared}, which GLSL indexes as "
        "m[column][row]; transpose it"
    )


def _fitting(what: str, value: Any, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """Return a value as an array of a dtype. Raise if the dtype cannot hold it: fractions are
    rounded to a float, but integers are not, and finite values never become infinite."""
    given = np.asarray(value)
    numbers = _flattened(value if isinstance(value, (list, tuple)) else given)
    if given.dtype.kind not in "biufO" or not all(isinstance(each, Real) for each in numbers):
        raise TypeError(f"{what} must be a number, but {value!r:.60} was given")
    integers = [
        (place, int(each)) for place, each in enumerate(numbers) if isinstance(each, Integral)
    ]
    misfit = ValueError(f"{what} is {value!r:.60}, which {dtype} cannot hold")
    if dtype.kind == "f":
        try:
            with np.errstate(over="ignore"):
                fitted = given.astype(dtype)
        except OverflowError:  # an integer beyond float64
            raise misfit from None
        held = fitted.ravel()
        infinite = np.isinf(held)
        rounded = any(infinite[place] or int(held[place]) != each for place, each in integers)
        if rounded or any(
            not isinstance(numbers[place], Integral) and math.isfinite(numbers[place])
            for place in np.flatnonzero(infinite)
        ):
            raise misfit
        return fitted
    if len(integers) != len(numbers):
        raise TypeError(f"{what} is declared as {dtype}, but {value!r:.60} was given")
    limits = np.iinfo(dtype)
    if any(not limits.min <= each <= limits.max for _, each in integers):
        raise misfit
    return given.astype(dtype)


def listed(what: str, value: Any, dtype: np.dtype[Any] | None) -> npt.NDArray[Any]:
    """Return the numbers of nested lists as an array, by the rules of constants."""
    given = np.asarray(value)
    if dtype is None or given.size == 0:
        return np.asarray(value, dtype)
    if given.dtype.kind == "f" and dtype.kind == "f":
        with np.errstate(over="ignore", invalid="ignore"):
            held = given.astype(dtype)
            # NumPy has made floats of integers, which are not rounded, among fractions.
            doubtful = (given % 1 == 0) | np.isinf(held)
        if not ((held != given) & doubtful).any():
            return held
    elif given.dtype.kind in "biu":
        exact = 2 ** (np.finfo(dtype).nmant + 1) if dtype.kind == "f" else int(np.iinfo(dtype).max)
        least = int(np.iinfo(dtype).min) if dtype.kind != "f" else -exact
        if least <= int(given.min()) and int(given.max()) <= exact:
            return given.astype(dtype)
    return _fitting(what, value, dtype)


def _value(
    name: str,
    value: Any,
    dtype: np.dtype[Any],
    axes: Sequence[tuple[int, int]],
    argument: str,
) -> npt.NDArray[Any]:
    """Return the numbers of one member in the shape of its axes. Raise if it cannot hold them."""
    given = _fitting(f"{argument}[{name!r}]", value, dtype)
    count = math.prod(count for count, _ in axes)
    if given.size != count:
        raise ValueError(f"{argument}[{name!r}] takes {counted(count, 'value')}, not {given.size}")
    if problem := shape_problem(given.shape, axes):
        raise ValueError(f"{argument}[{name!r}] {problem}")
    return given.reshape([count for count, _ in axes])


def single_floats(values: Any, argument: str) -> bytes:
    """Return the numbers of nested lists as float32, the type where none is known."""
    single = np.dtype(np.float32)
    numbers = [
        _fitting(f"{argument}[{place}]", number, single).tobytes()
        for place, number in enumerate(_flattened(values))
    ]
    return b"".join(numbers)


def _unknown(name: object, known: list[str], argument: str, what: str) -> ValueError:
    names = ", ".join(known) if known else "none"
    return ValueError(
        f"{argument} names {name!r}, but the shader's {what} are: {names}{_hint(known)}"
    )


def _flattened(values: Any) -> list[Any]:
    """Return the numbers of nested lists, tuples and arrays, or of a single number."""
    if isinstance(values, (np.ndarray, np.generic)):
        return list(values.ravel().tolist())
    if not isinstance(values, (list, tuple)):
        return [values]
    return [number for value in values for number in _flattened(value)]


def _by_name(shader: Mapping[str, Any], values: Any, argument: str) -> dict[str, Any] | None:
    """Return numbers in the order of the push constants by name.

    None if the shader declares structs, whose types are not known.
    """
    members = shader["push_constants"]
    if any(member["dtype"] is None for member in members):
        return None
    if len(members) == 1:
        return {members[0]["name"]: values}
    items = list(values) if isinstance(values, (list, tuple)) else [values]
    if [np.size(item) for item in items] == [member["components"] for member in members]:
        return {member["name"]: item for member, item in zip(members, items, strict=True)}
    numbers = _flattened(values)
    if len(numbers) != sum(member["components"] for member in members):
        kinds = ", ".join(
            f"{member['name']} ({member['dtype']}"
            + (f" x {member['components']})" if member["components"] > 1 else ")")
            for member in members
        )
        raise ValueError(
            f"{argument} has {counted(len(numbers), 'number')}, but the shader's push constants are "
            f"{kinds}{_hint(member['name'] for member in members)}"
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

    None for a list, if the shader declares structs.

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
            + _hint(missing)
        )
    block = bytearray(previous) if len(previous) >= size else bytearray((size + 3) // 4 * 4)
    for name, value in values.items():
        member = members[name]
        if member["dtype"] is None:
            raise TypeError(
                f"{argument}[{name!r}] is a struct in the shader and cannot be given "
                "by name; give all push constants as one structured NumPy array"
            )
        numbers = _value(name, value, member["dtype"], member["axes"], argument)
        place = np.ndarray(
            numbers.shape,
            numbers.dtype,
            block,
            member["offset"],
            [stride for _, stride in member["axes"]],
        )
        place[...] = numbers
    return bytes(block)


def pack_members(
    members: Sequence[PushConstant], size: int, values: Mapping[str, Any], argument: str
) -> bytes:
    """Return the push constant block of these members of `size` bytes, as pack_push_constants().

    Structs are bytes, or arrays with the same layout.
    """
    structs = [member for member in members if member.dtype is None and member.name in values]
    shader = {
        "push_constants": [vars(each) for each in members if each not in structs],
        "push_constant_size": size,
    }
    names = {member.name for member in structs}
    named = {name: value for name, value in values.items() if name not in names}
    block = bytearray(pack_push_constants(shader, named, b"", argument) or b"")
    for member in structs:
        content = np.asarray(values[member.name]).tobytes()
        if len(content) != member.size:
            raise ValueError(
                f"{argument}[{member.name!r}] is a struct of {counted(member.size, 'byte')}, but has "
                f"{len(content)}"
            )
        block[member.offset : member.offset + member.size] = content
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
            key: _value(str(key), value, single, (), "spec_consts").tobytes()
            for key, value in numbers.items()
            if key not in by_id
        }
        values = {key: value for key, value in numbers.items() if key in by_id}
    for key, value in values.items():
        constant = by_name.get(key) if isinstance(key, str) else by_id.get(key)
        if constant is None:
            known = [f"{c['name']} ({c['id']})" for c in shader["spec_constants"]]
            raise _unknown(key, known, "spec_consts", "specialization constants")
        packed[constant["id"]] = _value(
            str(key), value, constant["dtype"], (), "spec_consts"
        ).tobytes()
    return packed
