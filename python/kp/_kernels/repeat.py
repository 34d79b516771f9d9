# SPDX-License-Identifier: Apache-2.0
"""Loops on the device."""

from __future__ import annotations

import operator
from collections.abc import Iterable

from .. import _kp
from .._kp import OpBase, OpRepeat, Tensor

# Steps of a submission. Those after the last one still take the device a little.
_BLOCK = 64


def repeat_until(operations: Iterable[OpBase], flag: Tensor, most: int, element: int = 0) -> bool:
    """Repeat operations on the device until an element of `flag` is not 0, and wait for that.

    At most `most` steps run. Returns whether the flag is set. Steps are recorded once, up to 64 to a
    submission; the host looks at the flag between submissions alone. kp.OpRepeat is one of them, as a
    part of a sequence.
    """
    step = list(operations)
    left = operator.index(most)
    blocks: dict[int, _kp.Sequence] = {}
    while True:
        size = min(left, _BLOCK)
        if size not in blocks:
            blocks[size] = flag.manager.sequence().record(OpRepeat(step, flag, size, element))
        blocks[size].eval()
        left -= size
        if flag.read(element, 1)[0] != 0:
            return True
        if left == 0:
            return False
