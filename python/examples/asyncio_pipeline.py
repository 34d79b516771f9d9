#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Filters a stream of signals under asyncio.

    python asyncio_pipeline.py --signals 40 --workers 3

Each worker has its own tensors and sequence. It takes the next signal from a queue and awaits its
evaluation. The event loop continues meanwhile: a task that ticks every few milliseconds shows this.
The results are compared with NumPy's, and the time with a single worker's.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

import kp

Signal = NDArray[np.float32]

TICK = 0.002  # seconds

CONVOLVE = """#version 450
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Signal { float signal_[]; };
layout(binding = 1) readonly buffer Taps { float taps[]; };
layout(binding = 2) writeonly buffer Filtered { float filtered[]; };

void main()
{
    const uint i = gl_GlobalInvocationID.x;
    if (i >= filtered.length())
        return;
    float sum = 0.0;
    for (uint k = 0u; k < taps.length(); ++k)
        sum += taps[k] * signal_[i + k];
    filtered[i] = sum;
}
"""


class Filter:
    """The tensors and the sequence of one worker."""

    def __init__(self, mgr: kp.Manager, spirv: bytes, length: int, taps: kp.Tensor) -> None:
        self.signal = mgr.tensor(shape=length)
        self.filtered = mgr.tensor(shape=length - taps.size() + 1)
        algorithm = mgr.algorithm(
            [self.signal, taps, self.filtered], spirv, thread_count=self.filtered.size()
        )
        self.sequence = (
            mgr.sequence()
            .record(kp.OpSyncDevice([self.signal]))
            .record(kp.OpAlgoDispatch(algorithm))
            .record(kp.OpSyncLocal([self.filtered]))
        )

    async def run(self, signal: Signal) -> Signal:
        self.signal.data()[:] = signal
        await self.sequence.eval_async()
        return np.array(self.filtered)


@dataclass
class Ticker:
    """Counts its turns in the event loop, and measures the longest pause between them."""

    ticks: int = 0
    longest: float = 0.0
    _task: asyncio.Task[None] | None = field(default=None, repr=False)

    async def _tick(self) -> None:
        last = time.perf_counter()
        while True:
            await asyncio.sleep(TICK)
            now = time.perf_counter()
            self.ticks += 1
            self.longest = max(self.longest, now - last)
            last = now

    def start(self) -> None:
        self._task = asyncio.create_task(self._tick())

    def stop(self) -> None:
        if self._task:
            self._task.cancel()


async def pipeline(filters: list[Filter], signals: list[Signal]) -> list[Signal]:
    """Filter the signals, each with the first free worker."""
    waiting: asyncio.Queue[int] = asyncio.Queue()
    for index in range(len(signals)):
        waiting.put_nowait(index)
    results = [np.empty(0, np.float32)] * len(signals)

    async def work(worker: Filter) -> None:
        while not waiting.empty():
            index = waiting.get_nowait()
            results[index] = await worker.run(signals[index])

    await asyncio.gather(*(work(worker) for worker in filters))
    return results


async def timed(filters: list[Filter], signals: list[Signal]) -> tuple[list[Signal], float, Ticker]:
    ticker = Ticker()
    ticker.start()
    start = time.perf_counter()
    results = await pipeline(filters, signals)
    seconds = time.perf_counter() - start
    ticker.stop()
    return results, seconds, ticker


def arguments_of(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Filters signals under asyncio.")
    parser.add_argument("--signals", type=int, default=30, help="number of signals")
    parser.add_argument("--length", type=int, default=200_000, help="values per signal")
    parser.add_argument("--taps", type=int, default=127, help="coefficients of the filter")
    parser.add_argument("--workers", type=int, default=3, help="signals in flight at a time")
    options = parser.parse_args(arguments)
    if min(options.signals, options.taps, options.workers) < 1 or options.length < options.taps:
        parser.error("all numbers must be 1 or more, and --length must not be less than --taps")
    return options


def main(arguments: list[str] | None = None) -> int:
    options = arguments_of(arguments)
    rng = np.random.default_rng(1)
    signals = [rng.normal(size=options.length).astype(np.float32) for _ in range(options.signals)]
    window = np.hanning(options.taps + 2)[1:-1]
    taps = (window / window.sum()).astype(np.float32)

    with kp.Manager() as mgr:
        spirv = mgr.compile(CONVOLVE)
        taps_tensor = mgr.tensor(taps, kp.MemoryTypes.storage)
        filters = [Filter(mgr, spirv, options.length, taps_tensor) for _ in range(options.workers)]
        asyncio.run(pipeline(filters, signals[:1]))  # the first evaluation is slower
        one_by_one, alone, _ = asyncio.run(timed(filters[:1], signals))
        results, together, ticker = asyncio.run(timed(filters, signals))
        name = mgr.get_device_properties()["device_name"]

    print(f"device      {name}")
    print(f"signals     {options.signals} of {options.length} values, {options.taps} taps")
    print(f"1 worker    {1e3 * alone:9.2f} ms   host clock, with all copies")
    print(f"{options.workers} workers   {1e3 * together:9.2f} ms")
    print(
        f"event loop  {ticker.ticks} ticks meanwhile, at most {1e3 * ticker.longest:.1f} ms apart"
        f" (expected {1e3 * TICK:.0f} ms)"
    )
    worst = 0.0
    for signal, first, second in zip(signals, one_by_one, results, strict=True):
        expected = np.convolve(signal.astype(np.float64), taps[::-1], mode="valid")
        for result in (first, second):
            worst = max(worst, float(np.abs(result - expected).max()))
    print(f"check       differs from NumPy by at most {worst:.1e}")
    if not worst < 1e-4:
        print("WRONG: expected less than 1e-4")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
