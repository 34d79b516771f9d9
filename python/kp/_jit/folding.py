# SPDX-License-Identifier: Apache-2.0
"""Limits on what is computed while a function is compiled."""

from __future__ import annotations

from typing import Any

#: Bits of integers that are known while compiling. Kernels have 64; more are left for what is cut afterwards.
MAX_BITS = 4096


def too_large(symbol: str, a: Any, b: Any) -> str:
    """Return why an operator of two constants is not evaluated, or "" if it can be.

    Python's integers have any size, so a short expression can take all time and memory there is.
    """
    if type(a) not in (int, bool) or type(b) not in (int, bool):
        return ""
    bits = 0
    if symbol == "**" and b > 0 and abs(a) > 1:
        bits = (abs(a).bit_length() - 1) * b
    elif symbol == "<<" and b > 0 and a:
        bits = abs(a).bit_length() + b
    elif symbol == "*":
        bits = abs(a).bit_length() + abs(b).bit_length() - 1
    if bits <= MAX_BITS:
        return ""
    return f"{_short(a)} {symbol} {_short(b)} has over {MAX_BITS} bits; kernels compute with 64"


def _short(number: int) -> str:
    return str(number) if abs(number) < 10**20 else f"an integer of {abs(number).bit_length()} bits"
