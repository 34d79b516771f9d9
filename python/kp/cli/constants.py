# SPDX-License-Identifier: Apache-2.0
"""Push constants and specialization constants from text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import kp
from kp._shaders.constants import pack_members
from kp.cli.errors import CommandError

TRUTH = {"true": 1, "false": 0}


def push_constants(options: Sequence[str], reflection: kp.Reflection) -> bytes | None:
    """Return the push-constant block.

    ``options`` are ``name=value`` (``name=1,2,3,4`` for a vector), or lists of all values in the
    order of the block. Returns None if the shader has no push constants.
    """
    members = list(reflection.push_constants)
    if not options:
        if members:
            raise CommandError(
                f"the shader has push constants; give them with --push: {listed(members)}"
            )
        return None
    if not members:
        raise CommandError(f"--push {options[0]}: the shader has no push constants")
    for member in members:
        if member.dtype is None:
            raise CommandError(
                f"push constant '{member.name}' is a struct; --push supports only numbers, vectors, "
                "matrices and arrays of them"
            )
    values = {}
    for member, texts in zip(members, split_values(options, members), strict=True):
        what = f"push constant '{member.name}'"
        numbers = [parse_number(text, member.dtype, what) for text in texts]
        values[member.name] = numbers if member.components > 1 else numbers[0]
    try:
        return pack_members(members, reflection.push_constant_size, values, "--push")
    except ValueError as error:
        raise CommandError(str(error)) from None


def split_values(options: Sequence[str], members: Sequence[kp.PushConstant]) -> list[list[str]]:
    """Return the texts of the values of each member."""
    named = ["=" in option for option in options]
    if not all(named) and any(named):
        raise CommandError("--push takes either name=value or a list of all values, not both")
    if all(named):
        return named_values(options, members)
    texts = [text for option in options for text in option.split(",")]
    wanted = sum(member.components for member in members)
    if len(texts) != wanted:
        raise CommandError(
            f"--push has {len(texts)} values, but {wanted} are needed: {listed(members)}"
        )
    values = iter(texts)
    return [[next(values) for _ in range(member.components)] for member in members]


def named_values(options: Sequence[str], members: Sequence[kp.PushConstant]) -> list[list[str]]:
    names = [member.name for member in members]
    given: dict[str, list[str]] = {}
    for option in options:
        name, _, value = option.partition("=")
        if name not in names:
            raise CommandError(
                f"--push {option}: the shader has no '{name}'; it has {listed(members)}"
            )
        if name in given:
            raise CommandError(f"--push {option}: '{name}' is given twice")
        given[name] = value.split(",")
    for member in members:
        if member.name not in given:
            raise CommandError(
                f"push constant '{member.name}' has no value; give all with --push: "
                f"{listed(members)}"
            )
        if len(given[member.name]) != member.components:
            raise CommandError(
                f"push constant '{member.name}' takes {member.components} values, "
                f"not {len(given[member.name])}"
            )
    return [given[name] for name in names]


def spec_constants(
    options: Sequence[tuple[str, str]], reflection: kp.Reflection
) -> dict[Any, float]:
    """Return values by constant_id. Omitted constants keep the shader's default."""
    constants = list(reflection.spec_constants)
    values: dict[Any, float] = {}
    for name, text in options:
        found = next((each for each in constants if name in (each.name, str(each.id))), None)
        if found is None:
            known = ", ".join(f"{each.name} (id {each.id})".strip() for each in constants)
            raise CommandError(
                f"--spec {name}={text}: the shader has no such specialization constant; "
                f"it has {known or 'none'}"
            )
        if found.id in values:
            raise CommandError(f"--spec {name}={text}: '{name}' is given twice")
        values[found.id] = parse_number(text, found.dtype, f"specialization constant '{name}'")
    return values


def parse_number(text: str, dtype: np.dtype[Any] | None, what: str) -> float:
    """Parse a number. Raise CommandError if the type cannot hold it."""
    if dtype is None:
        raise CommandError(f"{what} is neither a number nor a vector and cannot be given here")
    try:
        if dtype.kind == "f":
            return float(text)
        value = TRUTH[text.lower()] if text.lower() in TRUTH else int(text, 0)
    except ValueError:
        raise CommandError(f"{what} is {dtype}, but '{text}' was given") from None
    limits = np.iinfo(dtype)
    low, high = int(limits.min), int(limits.max)
    if not low <= value <= high:
        raise CommandError(f"{what} is {dtype}, from {low} to {high}, but {text} was given")
    return value


def listed(members: Sequence[kp.PushConstant]) -> str:
    """List the members: ``factor (float32), offset (4 float32)``."""
    return ", ".join(
        f"{member.name or '?'} ({f'{member.components} ' if member.components > 1 else ''}"
        f"{member.dtype or 'struct'})"
        for member in members
    )
