# SPDX-License-Identifier: Apache-2.0
"""Measures the host's time for calls of array functions that use primitives.

For each function: microseconds until the call returns, with a wait for its result, and how many waits,
submissions and launches it makes. The worst first.

    python benchmark/python/primitive_calls.py [--size 4096] [--repeat 200] [--only sort,fft]
"""

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import kp


def functions(size: int) -> dict[str, Callable[[], Any]]:
    """Return calls by name. Their arrays are on the device, and computed."""
    rng = np.random.default_rng(1)
    x = kp.asarray(rng.random(size, np.float32))
    side = int(size**0.5)
    square = kp.asarray(rng.random((side, side), np.float32))
    stack = kp.asarray(rng.random((size // 256, 16, 16), np.float32))
    spectrum = kp.fft.fft(x)
    numbers = kp.asarray(rng.integers(0, 256, size, np.int32))
    flags = kp.asarray(rng.random(size) < 0.5)
    indices = kp.asarray(rng.permutation(size).astype(np.int32))
    places = rng.permutation(size).astype(np.int32)
    edges = kp.asarray(np.linspace(0, 1, 17, dtype=np.float32))
    offsets = kp.asarray(np.arange(0, size + 1, 64, dtype=np.int32))
    ordered = kp.sort(x)
    generator = kp.random.default_rng(1)
    for each in (x, square, stack, spectrum, numbers, flags, indices, edges, offsets, ordered):
        each.evaluate()
    return {
        "x + x": lambda: (x + x).evaluate(),
        "sort": lambda: kp.sort(x),
        "sort rows": lambda: kp.sort(square),
        "sort columns": lambda: kp.sort(square, axis=0),
        "argsort": lambda: kp.argsort(x),
        "cumsum": lambda: kp.cumsum(x),
        "cumsum rows": lambda: kp.cumsum(square, axis=1),
        "cumprod": lambda: kp.cumprod(x),
        "scan of segments": lambda: kp.scan(x, "sum", segments=offsets),
        "reduce of segments": lambda: kp.reduce(x, "sum", segments=offsets),
        "argmax": lambda: kp.argmax(x),
        "argmax rows": lambda: kp.argmax(square, axis=1),
        "matmul": lambda: square @ square,
        "matmul stack": lambda: stack @ stack,
        "matvec": lambda: square @ square[0],
        "dot": lambda: kp.dot(x, x),
        "fft": lambda: kp.fft.fft(x),
        "fft rows": lambda: kp.fft.fft(square),
        "ifft": lambda: kp.fft.ifft(spectrum),
        "rfft": lambda: kp.fft.rfft(x),
        "irfft": lambda: kp.fft.irfft(spectrum),
        "fft2": lambda: kp.fft.fft2(square),
        "convolve": lambda: kp.fft.convolve(x, edges),
        "take": lambda: kp.take(x, indices).evaluate(),
        "take of host": lambda: kp.take(x, places).evaluate(),
        "x[mask]": lambda: x[flags],
        "compress": lambda: kp.compress("x > 0.5", x),
        "nonzero": lambda: kp.nonzero(flags),
        "unique": lambda: kp.unique(numbers),
        "unique counts": lambda: kp.unique(numbers, return_counts=True),
        "run_lengths": lambda: kp.run_lengths(numbers),
        "searchsorted": lambda: kp.searchsorted(ordered, x),
        "histogram": lambda: kp.histogram(x, 16, (0.0, 1.0)),
        "histogram edges": lambda: kp.histogram(x, edges),
        "bincount": lambda: kp.bincount(numbers),
        "top_k": lambda: kp.top_k(x, 16),
        "partition": lambda: kp.partition(x, 16),
        "median": lambda: kp.median(x).evaluate(),
        "percentile": lambda: kp.percentile(x, [10, 90]).evaluate(),
        "concatenate": lambda: kp.concatenate([x, x]).evaluate(),
        "transpose copy": lambda: square.T.copy().evaluate(),
        "flip": lambda: kp.flip(x).copy().evaluate(),
        "random": lambda: generator.random(size, np.float32),
        "normal": lambda: generator.normal(size=size, dtype=np.float32),
        "integers": lambda: generator.integers(0, 10, size),
        "permutation": lambda: generator.permutation(size),
    }


def measure(manager: kp.Manager, call: Callable[[], Any], repeat: int) -> dict[str, float]:
    """Return the medians of a call, in microseconds, and the device's work for it."""
    queue = manager.default_queue
    for _ in range(5):
        call()
    queue.finish()
    before = manager.activity()
    call()
    after = manager.activity()
    queue.finish()
    returned, waited = [], []
    for _ in range(repeat):
        start = time.perf_counter()
        result = call()
        end = time.perf_counter()
        queue.finish()
        waited.append(time.perf_counter() - start)
        returned.append(end - start)
        del result
    counts = {name: after[name] - before[name] for name in after}
    return {"returned": np.median(returned) * 1e6, "waited": np.median(waited) * 1e6, **counts}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=4096)
    parser.add_argument("--repeat", type=int, default=200)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    manager = kp.default_manager()
    found = {}
    for name, call in functions(options.size).items():
        if not options.only or any(each in name for each in options.only.split(",")):
            try:
                found[name] = measure(manager, call, options.repeat)
            except Exception as error:  # a device may lack a type
                print(f"{name}: {type(error).__name__}: {error}")
    print(f"{manager.get_device_properties()['device_name']}, {options.size} elements")
    print(f"{'function':20} {'returns':>9} {'waits for':>9}  waits submissions launches")
    for name, each in sorted(found.items(), key=lambda item: -item[1]["returned"]):
        print(
            f"{name:20} {each['returned']:9.1f} {each['waited']:9.1f}  {each['waits']:5} "
            f"{each['submissions']:11} {each['launches']:8}"
        )


if __name__ == "__main__":
    main()
