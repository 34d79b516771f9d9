# SPDX-License-Identifier: Apache-2.0
"""Waiting under asyncio: the event loop continues while a thread waits for the device."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._kp import Event, Sequence


async def wait_event(event: Event) -> None:
    """Wait for an event. Raise its error if it failed."""
    loop = asyncio.get_running_loop()
    if not event.done and event.value == 0:
        # The event is not submitted yet: it depends on the host. A wait in a thread of the executor
        # could take the thread that the host code needs to complete the event.
        finished = loop.create_future()

        def finish() -> None:
            if not finished.done():
                finished.set_result(None)

        event._call_when_over(lambda: loop.call_soon_threadsafe(finish))
        await finished
    if event.done:
        event.wait()  # raises the error of a failed event
    else:
        await loop.run_in_executor(None, event.wait)


async def wait_sequence(sequence: Sequence) -> Sequence:
    """Wait for a running sequence and finish its evaluation, as ``eval_await`` does."""
    if sequence.is_running():
        event = sequence.event()
        try:
            await wait_event(event)
        except Exception:
            # The evaluation is over; the sequence can be used again.
            if event.status.name in ("complete", "error") and sequence.is_running():
                sequence.eval_await()
            raise
        if sequence.is_running():
            sequence.eval_await()
    return sequence
