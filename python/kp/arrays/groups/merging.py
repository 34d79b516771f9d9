# SPDX-License-Identifier: Apache-2.0
"""Merges of sorted rows on one device.

A kernel finds the origin of every 64th element of the result, and another one searches between
these (Green, McColl and Bader, "GPU Merge Path", 2012).
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..._kp import Manager
from ..array import Array
from ..storage import blank

#: Elements of the result between two places that are found first.
_STEP = 64

#: Searches for how many of the first k elements are of a: none of b is before an equal one of a.
_SEARCH = """
    while (low < high) {
        uint middle = (low + high) / 2;
        if (before(b(k - 1 - middle), a(middle)))
            high = middle;
        else
            low = middle + 1;
    }
"""

_PLACES = """
    uint k = min(i * STEP, na + nb);
    uint low = k > nb ? k - nb : 0;
    uint high = min(k, na);
    SEARCH
    place = low
"""

_MERGED = """
    uint k = i;
    uint low = places(k / STEP);
    uint high = min(min(places(k / STEP + 1), low + k % STEP), na);
    low = max(low, k > nb ? k - nb : 0);
    SEARCH
    uint j = k - low;
    bool ofA = low < na && (j >= nb || !before(b(j), a(low)));
    RESULT
"""

_NAN_OF_FLOAT = """
bool isUnordered(float x) { return (floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u; }"""
_NAN_OF_DOUBLE = """
bool isUnordered(double x) {
    uvec2 bits = unpackDouble2x32(x);
    uint high = bits.y & 0x7fffffffu;
    return high > 0x7ff00000u || (high == 0x7ff00000u && bits.x != 0u);
}"""
_BEFORE = """
bool before(float b, float a) { return b < a || (isUnordered(a) && !isUnordered(b)); }"""


@dataclass
class Sorted:
    """Keys in ascending order, NaNs last, and values that move with them."""

    keys: Array
    values: Array | None = None

    def arrays(self) -> list[Array]:
        return [self.keys] if self.values is None else [self.keys, self.values]

    def part(self, begin: int, end: int) -> Sorted:
        return Sorted(*[each[begin:end] for each in self.arrays()])


def _text(text: str) -> str:
    return text.replace("SEARCH", _SEARCH.strip()).replace("STEP", f"{_STEP}u").strip()


@functools.lru_cache(maxsize=None)
def _kernels(kind: str) -> tuple[Any, Any, Any]:
    """Return the kernels for keys of a type: to find places, merge, and find origins.

    None has more than four arrays, the limit of the smallest devices.
    """
    from ..custom import elementwise

    preamble = "#define before(B, A) ((B) < (A))"
    if kind == "float64":
        preamble = _NAN_OF_DOUBLE + _BEFORE.replace("float", "double")
    elif kind.startswith("float"):
        preamble = _NAN_OF_FLOAT + _BEFORE
    lists, sizes = f"raw {kind} a, raw {kind} b", "uint32 na, uint32 nb"
    places = elementwise(
        f"{lists}, {sizes}", "uint32 place", _text(_PLACES), "merge_places", preamble=preamble
    )
    inputs = f"{lists}, raw uint32 places, {sizes}"
    made = [
        elementwise(inputs, result, _text(_MERGED.replace("RESULT", text)), name, preamble=preamble)
        for result, text, name in (
            (f"{kind} key", "key = ofA ? a(low) : b(j)", "merge"),
            ("uint32 origin", "origin = ofA ? low : na + j", "merge_origins"),
        )
    ]
    return places, made[0], made[1]


@functools.lru_cache(maxsize=None)
def _chosen(kind: str) -> Any:
    """Return the kernel that takes elements of a type from two lists, of which the first has `na`."""
    from ..custom import elementwise

    return elementwise(
        f"raw {kind} a, raw {kind} b, uint32 origin, uint32 na",
        f"{kind} value",
        "value = origin < na ? a(origin) : b(origin - na)",
        "merge_values",
    )


def merged(manager: Manager, pieces: Sequence[Sorted], like: Sorted) -> Sorted:
    """Merge lists that are in order; of equal elements, the first list's come first."""
    lists = list(pieces)
    if not lists:
        return Sorted(*[blank(manager, (0,), each.dtype) for each in like.arrays()])
    while len(lists) > 1:
        pairs = zip(lists[::2], lists[1::2], strict=False)
        lists = [_pair(*pair) for pair in pairs] + lists[len(lists) // 2 * 2 :]
    return lists[0]


def _pair(first: Sorted, second: Sorted) -> Sorted:
    """Merge two lists."""
    na, nb = first.keys.shape[0], second.keys.shape[0]
    find, merge, origins = _kernels(first.keys.dtype.name)
    size = na + nb
    places = find(first.keys, second.keys, na, nb, size=-(-size // _STEP) + 1)
    given = (first.keys, second.keys, places, na, nb)
    if first.values is None or second.values is None:
        return Sorted(merge(*given, size=size))
    origin = origins(*given, size=size)
    keys = _chosen(first.keys.dtype.name)(first.keys, second.keys, origin, na)
    return Sorted(keys, _chosen(first.values.dtype.name)(first.values, second.values, origin, na))
