# SPDX-License-Identifier: Apache-2.0
"""Measures primitives on a device beside NumPy on one core, for software drivers above all.

  LP_NUM_THREADS=0 OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 taskset -c 1 \
      env PYTHONPATH=<build>/python python3 benchmark/python/primitives.py [elements]

Both sides have their input in their own memory. The best of several runs counts, and both take turns.
docs/primitives.md quotes the ratios.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np

import kp

COUNT = int(sys.argv[1]) if len(sys.argv) > 1 else 1 << 22
SIDE = 512
ROUNDS = 7

mgr = kp.default_manager()
rng = np.random.default_rng(1)
floats = rng.standard_normal(COUNT, dtype=np.float32)
keys = rng.integers(0, 1 << 32, COUNT, dtype=np.uint32)
few = (keys >> 29).astype(np.uint32)
matrix = rng.standard_normal((SIDE, SIDE), dtype=np.float32)
signal = (floats + 0j).astype(np.complex64)
t_floats, t_keys, t_few = (mgr.tensor_t(values) for values in (floats, keys, few))
t_matrix, t_signal = mgr.tensor_t(matrix), mgr.tensor_t(signal)

TASKS: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
    "sum of floats": (lambda: kp.sum(t_floats), lambda: floats.sum()),
    "largest float": (lambda: kp.max(t_floats), lambda: floats.max()),
    "prefix sums of floats": (lambda: kp.cumsum(t_floats), lambda: np.cumsum(floats)),
    "uints sorted": (lambda: kp.sort(t_keys), lambda: np.sort(keys)),
    "uints, order of": (lambda: kp.argsort(t_keys), lambda: np.argsort(keys, kind="stable")),
    "half of the floats selected": (
        lambda: kp.compress("x > 0", t_floats),
        lambda: floats[floats > 0],
    ),
    "8 different uints, unique": (lambda: kp.unique(t_few), lambda: np.unique(few)),
    "histogram, 256 bins": (
        lambda: kp.histogram(t_floats, 256, (-4, 4)),
        lambda: np.histogram(floats, 256, (-4, 4)),
    ),
    f"product of matrices, {SIDE}": (
        lambda: kp.matmul(t_matrix, t_matrix),
        lambda: matrix @ matrix,
    ),
    "Fourier transform": (lambda: kp.fft.fft(t_signal), lambda: np.fft.fft(signal)),
    "normal floats": (
        lambda: kp.random.normal(mgr, COUNT, dtype=np.float32, seed=1),
        lambda: rng.standard_normal(COUNT, dtype=np.float32),
    ),
}


def seconds(work: Callable[[], Any]) -> float:
    start = perf_counter()
    result = work()
    mgr.default_queue.finish()
    elapsed = perf_counter() - start
    del result
    return elapsed


def main() -> None:
    print(
        f"{mgr.get_device_properties()['device_name']}; NumPy {np.__version__}; {COUNT} elements; milliseconds"
    )
    for name, (ours, theirs) in TASKS.items():
        seconds(ours)  # compiles
        times = [(seconds(ours), seconds(theirs)) for _ in range(ROUNDS)]
        mine, numpys = (min(side) * 1e3 for side in zip(*times, strict=True))
        print(
            f"{name:32}{mine:10.2f}{numpys:10.2f}   {numpys / mine:6.2f} times as fast", flush=True
        )


if __name__ == "__main__":
    main()
