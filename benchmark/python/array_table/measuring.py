# SPDX-License-Identifier: Apache-2.0
"""Times of two libraries that take turns, and whether they return the same."""

from __future__ import annotations

import gc
import warnings
from statistics import median
from time import perf_counter, process_time

import numpy as np

from .libraries import Library, Run, flattened
from .reporting import Entry
from .subjects import Subject, reason_of

#: The turns of each library, and the most calls of all of them.
TURNS = 6
MOST_CALLS = 600

#: A second call that took so many seconds is the only one that counts; or the first one, if it took very long.
LONG = 0.25
VERY_LONG = 1.0

#: The clock of each measure.
CLOCKS = {"wait": perf_counter, "call": perf_counter, "processor": process_time}


class Timer:
    """Times the calls of one library.

    `measure` is "wait" for the time with the wait, "call" for the time until the call returns, or "processor" for
    the time of all processors with the wait.
    """

    def __init__(self, library: Library, run: Run, measure: str) -> None:
        self._library = library
        self._run = run
        self._clock = CLOCKS[measure]
        self._waits = measure != "call"
        self.times: list[float] = []

    def call(self) -> float:
        library, run, clock = self._library, self._run, self._clock
        library.wait()
        start = clock()
        result = run()
        library.start(result)
        if self._waits:
            library.wait()
        took = clock() - start
        library.wait()
        del result
        self.times.append(took)
        return took


def times(timers: list[Timer], seconds: float) -> list[float]:
    """Return the median time of each, which take turns. Each gets about `seconds`, one call at least."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        turns = {timer: _warmed_up(timer, seconds) for timer in timers}
        for turn in range(TURNS):
            for timer in timers:
                spent, calls = 0.0, 0
                while (
                    turn < turns[timer] and spent < seconds / TURNS and calls < MOST_CALLS // TURNS
                ):
                    spent += timer.call()
                    calls += 1
    finally:
        if collecting:
            gc.enable()
    return [median(timer.times) for timer in timers]


def _warmed_up(timer: Timer, seconds: float) -> int:
    """Call until nothing is left to compile. Returns how many turns the timer gets."""
    if timer.call() >= VERY_LONG:
        return 0
    timer.times.clear()
    took = timer.call()
    if took >= LONG:
        return 0
    return TURNS if took < seconds else TURNS // 2


def _result(library: Library, run: Run) -> list[np.ndarray]:
    """Return the result of a call on the host."""
    result = run()
    library.start(result)
    library.wait()
    return flattened(library, result)


class Sides:
    """kp and another library, and how long each is measured."""

    def __init__(self, ours: Library, theirs: Library, seconds: float, measure: str) -> None:
        self.ours = ours
        self.theirs = theirs
        self._seconds = seconds
        self._what = measure

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
        timers = [Timer(self.ours, own(), self._what)]
        if other is not None:
            timers.append(Timer(self.theirs, other(), self._what))
        try:
            entry.ours, *rest = times(timers, self._seconds)
            entry.theirs = rest[0] if rest else None
        except Exception as error:
            entry.failure = f"raises when it is called again: {reason_of(error)}"
