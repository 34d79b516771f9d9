# SPDX-License-Identifier: Apache-2.0
"""Waiting under asyncio: the event loop goes on while a thread waits for the device."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._kp import Event, Sequence


async def wait_event(event: Event) -> None:
    """Waits for an event."""
    if not event.done:
        await asyncio.get_running_loop().run_in_executor(None, event.wait)


async def wait_sequence(sequence: Sequence) -> Sequence:
    """Waits for a running sequence and finishes its evaluation, as ``eval_await`` does."""
    if sequence.is_running():
        await wait_event(sequence.event())
        if sequence.is_running():
            sequence.eval_await()
    return sequence
