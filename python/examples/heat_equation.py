#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The heat equation on a plate, as an animation.

    python heat_equation.py heat.gif
    python heat_equation.py heat.gif --size 512 --frames 100 --steps 100

The steps between two frames are recorded once and evaluated for each frame. The temperatures
alternate between two tensors. NumPy computes the same steps, and the last frames are compared. If
Pillow is installed, it writes the animation.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import kp

SHADER = Path(__file__).resolve().parent / "shaders" / "heat.comp"
RATE = 0.24

Grid = NDArray[np.float32]


def plate(size: int) -> tuple[Grid, NDArray[np.uint32]]:
    """Return the initial temperatures from 0 to 1, and a mask of the points that keep theirs."""
    y, x = np.mgrid[0:size, 0:size] / (size - 1)
    grid = np.zeros((size, size), np.float32)
    held = np.zeros((size, size), np.uint32)

    def hold(where: NDArray[np.bool_], temperature: float) -> None:
        grid[where], held[where] = temperature, 1

    for centre_x, centre_y, temperature in ((0.28, 0.3, 1.0), (0.72, 0.62, 1.0), (0.68, 0.2, 0.6)):
        hold((x - centre_x) ** 2 + (y - centre_y) ** 2 < 0.06**2, temperature)
    hold((abs(x - 0.5) < 0.02) & (y > 0.25), 0.0)  # a cold wall
    return grid, held


def steps_in_numpy(grid: Grid, held: NDArray[np.uint32], steps: int) -> Grid:
    free = held == 0
    for _ in range(steps):
        padded = np.pad(grid, 1, mode="edge")
        around = padded[1:-1, :-2] + padded[1:-1, 2:] + padded[:-2, 1:-1] + padded[2:, 1:-1]
        grid = np.where(free, grid + np.float32(RATE) * (around - 4 * grid), grid)
    return grid


class Simulation:
    def __init__(
        self, mgr: kp.Manager, grid: Grid, held: NDArray[np.uint32], steps: int, device_clock: bool
    ) -> None:
        height, width = grid.shape
        first, second = mgr.tensor(grid), mgr.tensor(grid)
        fixed = mgr.tensor_t(held)
        self.temperatures = first
        mgr.sequence().eval(kp.OpSyncDevice([first, second, fixed]))

        forth, back = (
            mgr.algorithm(
                tensors,
                SHADER,
                push_consts={"width": width, "height": height, "rate": RATE},
                thread_count=(width, height),
            )
            for tensors in ([first, fixed, second], [second, fixed, first])
        )
        self.device_clock = device_clock
        self.frame = mgr.sequence(total_timestamps=steps + 1 if device_clock else 0)
        for _ in range(steps // 2):
            self.frame.record(kp.OpAlgoDispatch(forth)).record(kp.OpAlgoDispatch(back))
        self.frame.record(kp.OpSyncLocal([first]))

    def advance(self) -> int:
        """Compute the next frame. Return the time of its steps in nanoseconds."""
        start = time.perf_counter_ns()
        self.frame.eval()
        if not self.device_clock:
            return time.perf_counter_ns() - start
        stamps = self.frame.get_timestamps_ns()
        return stamps[-2] - stamps[0]


def palette() -> list[int]:
    """Return the RGB values of 256 colours from black over red and yellow to white."""
    levels = np.linspace(0, 3, 256)
    channels = [np.clip(levels - offset, 0, 1) for offset in range(3)]
    return [int(value) for value in np.rint(255 * np.stack(channels, axis=1)).ravel()]


def save(path: Path, frames: list[NDArray[np.uint8]]) -> None:
    try:
        from PIL import Image
    except ImportError:
        print("no animation, because Pillow is not installed (pip install Pillow)")
        return
    pictures = []
    for frame in frames:
        picture = Image.fromarray(frame)
        picture.putpalette(palette())
        pictures.append(picture)
    pictures[0].save(path, save_all=True, append_images=pictures[1:], duration=60, loop=0)
    print(f"saved      {path}, {len(frames)} frames")


def arguments_of(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="The heat equation on a plate.")
    parser.add_argument("animation", type=Path, help="the .gif file to write")
    parser.add_argument("--size", type=int, default=200, help="points in each direction")
    parser.add_argument("--frames", type=int, default=50, help="frames of the animation")
    parser.add_argument("--steps", type=int, default=40, help="steps per frame, an even number")
    options = parser.parse_args(arguments)
    if options.size < 2 or options.frames < 1:
        parser.error("--size must be 2 or more, and --frames 1 or more")
    if options.steps < 2 or options.steps % 2:
        parser.error("--steps must be an even number of 2 or more")
    return options


def main(arguments: list[str] | None = None) -> int:
    options = arguments_of(arguments)
    grid, held = plate(options.size)
    frames = [np.rint(255 * grid).astype(np.uint8)]
    nanoseconds = 0

    start = time.perf_counter()
    with kp.Manager() as mgr:
        properties = mgr.get_device_properties()
        device_clock = properties["timestamps_supported"]
        simulation = Simulation(mgr, grid, held, options.steps, device_clock)
        for _ in range(options.frames):
            nanoseconds += simulation.advance()
            now = simulation.temperatures.numpy()
            frames.append(np.rint(255 * np.clip(now, 0, 1)).astype(np.uint8))
        result = simulation.temperatures.numpy().copy()
    seconds = time.perf_counter() - start

    start = time.perf_counter()
    expected = steps_in_numpy(grid, held, options.frames * options.steps)
    numpy_seconds = time.perf_counter() - start

    steps = options.frames * options.steps
    print(f"device     {properties['device_name']}")
    print(
        f"plate      {options.size} x {options.size}, {options.frames} frames of "
        f"{options.steps} steps"
    )
    print(
        f"steps      {1e-6 * nanoseconds:9.2f} ms   {1e-3 * nanoseconds / steps:.1f} us per step, "
        f"{'device' if device_clock else 'host'} clock"
    )
    print(f"whole run  {1e3 * seconds:9.2f} ms   with setup and a copy for each frame")
    print(
        f"NumPy      {1e3 * numpy_seconds:9.2f} ms   {1e6 * numpy_seconds / steps:.1f} us per step"
    )
    difference = float(np.abs(result - expected).max())
    print(f"check      differs from NumPy by at most {difference:.1e}")
    if not difference < 1e-4:
        print("WRONG: expected less than 1e-4")
        return 1
    save(options.animation, frames)
    return 0


if __name__ == "__main__":
    sys.exit(main())
