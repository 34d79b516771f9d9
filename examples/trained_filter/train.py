# SPDX-License-Identifier: Apache-2.0
"""Trains a filter that takes noise out of a signal, and saves it as a program.

python3 train.py [FILE]     default: filter.kp beside this file

apply.cpp runs the program, without Python and without a shader compiler.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import kp

SAMPLES = 4096
TAPS = 9


def signals(seed: int) -> tuple[kp.Array, kp.Array]:
    """Return a smooth signal and the same with noise."""
    random = np.random.default_rng(seed)
    steps = np.linspace(0, 40, SAMPLES + TAPS - 1)
    smooth = np.sin(steps) + 0.5 * np.sin(2.3 * steps + 1)
    noisy = smooth + random.normal(0, 0.4, smooth.shape)
    return kp.asarray(smooth, dtype="float32"), kp.asarray(noisy, dtype="float32")


def shifted(x: kp.Array, tap: int) -> kp.Array:
    return x[tap : tap + SAMPLES]


@kp.function
def descend(weights: kp.Array, rows: kp.Array, wanted: kp.Array) -> kp.Array:
    """Return better weights: a step of least squares by gradient descent."""
    error = weights @ rows - wanted
    return weights - 0.1 / SAMPLES * (rows @ error)


def main() -> None:
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "filter.kp"
    smooth, noisy = signals(seed=1)
    rows = kp.stack([shifted(noisy, tap) for tap in range(TAPS)])
    wanted = shifted(smooth, TAPS // 2)
    weights = kp.zeros(TAPS, dtype="float32")
    for _ in range(400):
        weights = descend(weights, rows, wanted)

    taps = weights.tolist()  # numbers, which become constants of the program

    @kp.function
    def smoothed(noisy: kp.Array) -> kp.Array:
        return sum(tap * shifted(noisy, number) for number, tap in enumerate(taps))

    smoothed.save(path, noisy)
    found = kp.Program.load(path)(noisy=noisy)
    before = float(kp.abs(shifted(noisy, TAPS // 2) - wanted).mean())
    after = float(kp.abs(found - wanted).mean())
    print(f"mean error: {before:.3f} before, {after:.3f} after; saved to {path.name}")
    if after > before / 2:
        raise SystemExit("the filter was not trained")


if __name__ == "__main__":
    main()
