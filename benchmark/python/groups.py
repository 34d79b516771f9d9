# SPDX-License-Identifier: Apache-2.0
"""Measures functions of arrays on a group of devices beside one device of it.

  PYTHONPATH=<build>/python python3 groups.py                         # all GPUs, 2^27 numbers
  ... groups.py --size 2**20 --devices 0,0                            # one device twice, as tests do
  ... groups.py --only 'sort|sum' --json groups.json

A time is the best of several calls, until all devices are done and small results are read. `times`
is one device's time divided by the time of the group: 2 is the best of two devices. The worst ones
come first. Results are compared; what differs or raises is a failure, and the program ends with 1.
Some cases have a target for two devices.
"""

from __future__ import annotations

import argparse
import gc
import json
import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from math import isqrt
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

import kp

#: Elements of results that are compared.
COMPARED = 1 << 16
#: Results with no more elements are read in each call.
READ = 1 << 16


@dataclass
class Case:
    """A function of the inputs, and how many times as fast two devices should be."""

    name: str
    call: Callable[[dict[str, Any]], Any]
    target: float | None = None


CASES = [
    Case("x + 2 * x", lambda a: a["x"] + 2 * a["x"], 1.9),
    Case("sqrt(x) * y - x", lambda a: kp.sqrt(a["x"]) * a["y"] - a["x"], 1.9),
    Case("x > y", lambda a: a["x"] > a["y"], 1.9),
    Case("sum(m, axis=1)", lambda a: a["m"].sum(axis=1), 1.9),
    Case("sum(x)", lambda a: a["x"].sum(), 1.8),
    Case("sum(m, axis=0)", lambda a: a["m"].sum(axis=0), 1.8),
    Case("max(x)", lambda a: a["x"].max(), 1.8),
    Case("argmin(x)", lambda a: a["x"].argmin(), 1.8),
    Case("mean(x)", lambda a: a["x"].mean(), 1.8),
    Case("var(x)", lambda a: a["x"].var(), 1.8),
    Case("std(m, axis=0)", lambda a: a["m"].std(axis=0), 1.8),
    Case("cumsum(x)", lambda a: kp.cumsum(a["x"]), 1.7),
    Case("2 * cumsum(x)", lambda a: 2 * kp.cumsum(a["x"]), 1.7),
    Case("cumsum(m, axis=1)", lambda a: kp.cumsum(a["m"], axis=1), 1.9),
    Case("sort(x)", lambda a: kp.sort(a["x"]), 1.4),
    Case("argsort(x)", lambda a: kp.argsort(a["x"]), 1.4),
    Case("sort(m, axis=1)", lambda a: kp.sort(a["m"], axis=1), 1.9),
    Case("sort(m, axis=0)", lambda a: kp.sort(a["m"], axis=0)),
    Case("unique(k)", lambda a: kp.unique(a["k"]), 1.3),
    Case("x[x > 0.5]", lambda a: a["x"][a["x"] > 0.5], 1.3),
    Case("x[mask]", lambda a: a["x"][a["mask"]], 1.3),
    Case("nonzero(mask)", lambda a: kp.nonzero(a["mask"])[0], 1.3),
    Case("m.T", lambda a: a["m"].T.copy()),
    Case("m @ m", lambda a: a["square"] @ a["square"], 1.9),
    Case("fft(z)", lambda a: kp.fft.fft(a["z"]), 1.9),
    Case("fft(z, axis=0)", lambda a: kp.fft.fft(a["z"], axis=0)),
    Case("concatenate([x, y])", lambda a: kp.concatenate([a["x"], a["y"]])),
    Case("roll(x, n // 3)", lambda a: kp.roll(a["x"], a["x"].size // 3)),
    Case("flip(x)", lambda a: kp.flip(a["x"]).copy()),
    Case("x[1:] - x[:-1]", lambda a: a["x"][1:] - a["x"][:-1]),
    Case("take(x, few)", lambda a: kp.take(a["x"], a["few"])),
    Case("take(x, many)", lambda a: kp.take(a["x"], a["many"])),
]


@dataclass
class Found:
    """Seconds of a case, or what is wrong with it."""

    name: str
    one: float = 0.0
    group: float = 0.0
    times: float = 0.0
    target: float | None = None
    error: str = ""


def inputs(size: int, square: int, like: dict[str, Any]) -> dict[str, Any]:
    """Return the inputs of the cases."""
    rng = np.random.default_rng(1)
    columns = max(1, 1 << (isqrt(size).bit_length() - 1))
    rows = max(1, size // columns)
    x = rng.random(size, np.float32)
    numbers = rng.integers(0, max(2, size // 64), size, np.int32)
    side = min(square, max(8, isqrt(size) // 8 * 8))
    half = x[: rows // 2 * columns * 2 or 2]
    host = {
        "x": x,
        "y": rng.random(size, np.float32),
        "m": x[: rows * columns].reshape(rows, columns),
        "k": numbers,
        "mask": numbers % 3 == 0,
        "square": x[: side * side].reshape(side, side) - np.float32(0.5),
        "z": half.view(np.complex64).reshape(-1, min(columns, half.size // 2)),
        "few": rng.integers(0, size, max(1, size // 64), np.int64),
        "many": rng.integers(0, size, max(1, size // 2), np.int64),
    }
    return {name: kp.asarray(values, **like).evaluate() for name, values in host.items()}


def evaluated(result: Any) -> Any:
    """Start computing a result."""
    return result.evaluate()


def wait(managers: Iterable[kp.Manager]) -> None:
    """Wait for all work of devices."""
    for manager in managers:
        manager.default_queue.finish()


def time_of(
    call: Callable[[], Any], managers: list[kp.Manager], seconds: float, wanted: bool
) -> tuple[float, Any]:
    """Return the shortest time of a call and of the wait, and the result if it is wanted."""
    result = evaluated(call())  # compiles
    wait(managers)
    kept = result if wanted else None
    del result
    best, start, calls = float("inf"), perf_counter(), 0
    while calls < 3 or (perf_counter() - start < seconds and calls < 1000):
        begin = perf_counter()
        result = evaluated(call())
        if result.size <= READ:  # the devices' partial results are combined when they are read
            result.numpy()
        wait(managers)
        best = min(best, perf_counter() - begin)
        del result
        calls += 1
    return best, kept


def sample(result: Any) -> Any:
    """Return some elements of a result on the host."""
    values = result.numpy().ravel()
    return values[:: max(1, values.size // COMPARED)]


def difference(name: str, one: Any, group: Any) -> str:
    """Return how the result of a group differs from one device's; empty if it does not."""
    if one.shape != group.shape or one.dtype != group.dtype:
        return f"{group.dtype}{list(group.shape)} instead of {one.dtype}{list(one.shape)}"
    expected, found = sample(one), sample(group)
    if expected.dtype.kind not in "fc":
        return "" if np.array_equal(expected, found) else "other elements"
    scale = float(np.abs(expected).max()) if expected.size else 0.0
    close = np.allclose(found, expected, rtol=1e-3, atol=1e-4 * scale, equal_nan=True)
    return "" if close else f"{name} differs by {np.abs(found - expected).max():.3g}"


def measured(
    case: Case, group: kp.DeviceGroup, one: Any, all_of_them: Any, seconds: float
) -> Found:
    """Measure a case on one device and on the group."""
    found = Found(case.name, target=case.target)
    try:
        first = [group[0]]
        found.one, expected = time_of(lambda: case.call(one), first, seconds, True)
        found.group, result = time_of(lambda: case.call(all_of_them), list(group), seconds, True)
        found.times = found.one / found.group
        found.error = difference(case.name, expected, result)
    except Exception as error:  # noqa: BLE001, the others are measured
        found.error = f"{type(error).__name__}: {error}".splitlines()[0]
    gc.collect()
    return found


def report(found: list[Found], devices: int) -> None:
    """Print failures, and then the cases, the worst first."""
    for each in found:
        if each.error:
            print(f"FAILED {each.name}: {each.error}")
    print(f"\n{'':24}{'one':>12}{str(devices) + ' devices':>12}{'times':>8}{'target':>8}")
    for each in sorted(found, key=lambda each: each.times):
        if each.times:
            target = "" if each.target is None else f"{each.target:8.1f}"
            missed = "  missed" if each.target and devices == 2 and each.times < each.target else ""
            print(
                f"{each.name:24}{each.one * 1e3:9.3f} ms{each.group * 1e3:9.3f} ms"
                f"{each.times:8.2f}{target:>8}{missed}"
            )


def main() -> None:
    """Measure the cases that the command line chooses."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--size", default="2**27", help="numbers in an input, such as 2**20")
    add(
        "--square", type=int, default=8192, help="rows of the matrices that are multiplied, at most"
    )
    add("--devices", default="", help="indices of the devices, by commas; by default all GPUs")
    add("--seconds", type=float, default=0.4, help="for each case, on one device and on the group")
    add("--only", default="", metavar="REGEX", help="cases whose name it matches")
    add("--json", type=Path, metavar="FILE", help="write all numbers")
    given = parser.parse_args()
    base, _, power = given.size.partition("**")
    size = int(base) ** int(power or 1)
    ids = [int(each) for each in given.devices.split(",") if each]
    with kp.DeviceGroup(device_ids=ids) if ids else kp.DeviceGroup() as group:
        names = {manager.get_device_properties()["device_name"] for manager in group}
        print(f"{len(group)} devices: {', '.join(sorted(names))}; {size} numbers")
        paths = {group.exchange_path(0, each) for each in range(1, len(group))}
        print(f"data moves through: {', '.join(map(str, paths))}")
        one = inputs(size, given.square, {"device": group[0]})
        all_of_them = inputs(size, given.square, {"group": group})
        found = []
        for case in CASES:
            if not re.search(given.only, case.name):
                continue
            found.append(measured(case, group, one, all_of_them, given.seconds))
            print(f"\r{case.name:30}", end="", file=sys.stderr, flush=True)
        print(file=sys.stderr)
        report(found, len(group))
        if given.json:
            given.json.write_text(json.dumps([asdict(each) for each in found], indent=1))
        failures = [each for each in found if each.error]
        del one, all_of_them
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
