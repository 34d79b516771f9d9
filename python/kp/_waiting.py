# SPDX-License-Identifier: Apache-2.0
"""Waiting under asyncio: the event loop goes on while a thread waits for the device."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._kp import Event, Sequence


async def wait_event(event: Event) -> None:
    """Waits for an event."""
    loop = asyncio.get_running_loop()
    if not event.done and event.value == 0:
        # It waits for the host. A thread of the executor that waits along might keep the one away
        # that it waits for.
        over = loop.create_future()

        def end() -> None:
            if not over.done():
                over.set_result(None)

        event._call_when_over(lambda: loop.call_soon_threadsafe(end))
        await over
    if event.done:
        event.wait()  # raises where it failed
    else:
        await loop.run_in_executor(None, event.wait)


async def wait_sequence(sequence: Sequence) -> Sequence:
    """Waits for a running sequence and finishes its evaluation, as ``eval_await`` does."""
    if sequence.is_running():
        await wait_event(sequence.event())
        if sequence.is_running():
            sequence.eval_await()
    return sequence
