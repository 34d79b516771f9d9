# SPDX-License-Identifier: Apache-2.0
"""The position of a block in the whole array, as push constants with fixed names."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .._errors import InvalidArgument
from ._types import Shape

#: Push constants that are filled in, with their value in components past the last axis.
MEMBERS = {
    "kp_block_size": 1,
    "kp_block_shape": 1,
    "kp_input_shape": 1,
    "kp_array_shape": 1,
    "kp_block_offset": 0,
    "kp_block_index": 0,
}
#: Push constants that need Dask's block_info.
LOCATED = ("kp_array_shape", "kp_block_offset", "kp_block_index")


@dataclass(frozen=True)
class Halo:
    """The overlap that map_overlap() adds to the blocks of an array, for each axis."""

    array: int  # the position of the array among the arguments
    front: Shape  # elements in front of each block
    behind: Shape  # elements behind each block
    open_ends: tuple[bool, ...]  # boundary "none": the first and last block have no overlap there

    def location(self, info: Mapping[Any, Any]) -> tuple[Shape, Shape, Shape]:
        """Return the offset and index of the block and the shape of the array, without overlap."""
        info = info[self.array]
        index = tuple(info["chunk-location"])
        offset, shape = [], []
        for axis, (start, _) in enumerate(info["array-location"]):
            both = self.front[axis] + self.behind[axis]
            blocks = info["num-chunks"][axis]
            # Every earlier block is longer by its overlap, except at the open end of the first one.
            first = start - index[axis] * both
            offset.append(first if self.open_ends[axis] else first - self.front[axis])
            shape.append(
                info["shape"][axis] - (blocks - 1 if self.open_ends[axis] else blocks) * both
            )
        return tuple(offset), index, tuple(shape)


def whole_numbers(numbers: Shape, what: str) -> Shape:
    """Return the numbers as int. Raise InvalidArgument if Dask does not know them."""
    if any(number != number for number in numbers):
        raise InvalidArgument(
            f"{what} is unknown, because the array has chunks of unknown size; call its "
            "compute_chunk_sizes() first"
        )
    return tuple(int(number) for number in numbers)


def location(info: Mapping[Any, Any], halo: Halo | None) -> tuple[Shape, Shape, Shape]:
    """Return the offset and index of the block and the shape of the array, from block_info."""
    if halo is not None:
        return halo.location(info)
    result = info[None]
    offset = tuple(start for start, _ in result["array-location"])
    return offset, tuple(result["chunk-location"]), tuple(result["shape"])


def push_constants(
    members: Mapping[str, int],
    shape: Shape,
    first_input: Shape,
    info: Mapping[Any, Any] | None,
    halo: Halo | None,
) -> dict[str, Any]:
    """Return the values of the push constants `members`, which are names with component counts."""
    known: dict[str, Shape] = {"kp_block_shape": shape, "kp_input_shape": first_input}
    if info is not None:
        offset, index, whole = location(info, halo)
        known.update(kp_block_offset=offset, kp_block_index=index, kp_array_shape=whole)
    values: dict[str, Any] = {}
    for name, components in members.items():
        if name == "kp_block_size":
            values[name] = math.prod(shape)
        else:
            numbers = list(whole_numbers(known[name], name))
            numbers += [MEMBERS[name]] * (components - len(numbers))
            values[name] = numbers if components > 1 else numbers[0]
    return values
