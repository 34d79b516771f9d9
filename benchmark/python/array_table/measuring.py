# SPDX-License-Identifier: Apache-2.0
"""Times of two libraries that take turns, and whether they return the same."""

from __future__ import annotations

import gc
import warnings
from statistics import median
from time import perf_counter

import numpy as np

from .libraries import Library, Run, flattened
from .reporting import Entry
from .subjects import Subject, reason_of

#: The turns of each library, and the most calls of all of them.
TURNS = 6
MOST_CALLS = 600

#: A first call that took so many seconds is measured once more at most.
LONG = 1.0


class Timer:
    """Times the calls of one library: with the wait, or until the call returns."""

    def __init__(self, library: Library, run: Run, host: bool) -> None:
        self._library = library
        self._run = run
        self._host = host
        self.times: list[float] = []

    def call(self) -> float:
        library, run = self._library, self._run
        library.wait()
        start = perf_counter()
        result = run()
        library.start(result)
        if not self._host:
            library.wait()
        took = perf_counter() - start
        library.wait()
        del result
        self.times.append(took)
        return took


def times(timers: list[Timer], seconds: float) -> list[float]:
    """Return the median time of each, which take turns. Each gets about `seconds`, one call at least."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        calls = []
        for timer in timers:
            took = timer.call()  # memory of its size is there now, and everything is compiled
            timer.times.clear()
            if took < LONG:
                timer.call()
                timer.times.clear()
            took = timer.call()
            calls.append(min(MOST_CALLS, int(seconds / took)))
        for turn in range(TURNS):
            for timer, wanted in zip(timers, calls, strict=True):
                for _ in range(wanted * (turn + 1) // TURNS - wanted * turn // TURNS):
                    timer.call()
    finally:
        if collecting:
            gc.enable()
    return [median(timer.times) for timer in timers]


def _result(library: Library, run: Run) -> list[np.ndarray]:
    """Return the result of a call on the host."""
    result = run()
    library.start(result)
    library.wait()
    return flattened(library, result)


class Sides:
    """kp and another library, and how long each is measured."""

    def __init__(self, ours: Library, theirs: Library, seconds: float, host: bool) -> None:
        self.ours = ours
        self.theirs = theirs
        self._seconds = seconds
        self._host = host

    def measure(self, subject: Subject, n: int) -> Entry:
        """Compare and measure something at a size."""
        entry = subject.entry(n)
        entry.asked = n
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            self._measure(subject, n, entry)
        return entry

    def _measure(self, subject: Subject, n: int, entry: Entry) -> None:
        (own,) = subject.prepare(self.ours, n, True)
        ours: list[np.ndarray] = []
        try:
            ours = _result(self.ours, own())
        except Exception as error:
            entry.failure = f"raises {reason_of(error)}"
        other = None
        for way in subject.prepare(self.theirs, n, False):
            try:
                theirs = _result(self.theirs, way())
            except Exception as error:
                entry.note = f"{self.theirs.title} raises {reason_of(error)}"
            else:
                other, entry.note = way, ""
                break
        if entry.failure:
            entry.failure += f"; {entry.note}" if entry.note else ""
            return
        if other is not None:
            try:
                found = subject.difference(n, ours, theirs)
            except Exception as error:
                found = f"cannot be compared: {reason_of(error)}"
            entry.failure = f"differs: {found}" if found else ""
            del theirs
        del ours
        timers = [Timer(self.ours, own(), self._host)]
        if other is not None:
            timers.append(Timer(self.theirs, other(), self._host))
        try:
            entry.ours, *rest = times(timers, self._seconds)
            entry.theirs = rest[0] if rest else None
        except Exception as error:
            entry.failure = f"raises when it is called again: {reason_of(error)}"
