#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Conway's game of life on a torus, as an animation.

    python game_of_life.py life.gif
    python game_of_life.py life.gif --size 512 --frames 200 --steps 2

The rules are a Python function with @kp.jit, which runs on the device. Cells that have just died fade.
NumPy computes the same generations, and the last ones must be equal. If Pillow is installed, it writes
the animation.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import kp

Cells = NDArray[np.uint8]

ALIVE = 255


@kp.jit
def step(cells, after):
    """One generation. A cell is alive if it is 255; others are the trace of one that was."""
    x, y = kp.global_id(0), kp.global_id(1)
    height, width = cells.shape
    neighbours = 0
    for dy in range(-1, 2):
        for dx in range(-1, 2):
            if dx != 0 or dy != 0:
                neighbours += cells[(y + dy) % height, (x + dx) % width] == ALIVE
    before = int(cells[y, x])
    if neighbours == 3 or (before == ALIVE and neighbours == 2):
        after[y, x] = ALIVE
    else:
        after[y, x] = np.uint8(before // 3)


def soup(size: int) -> Cells:
    """Return cells of which a third are alive, and a glider."""
    cells = np.random.default_rng(3).random((size, size)) < 0.33
    cells[:8, :8] = False
    cells[1:4, 1:4] = [[0, 1, 0], [0, 0, 1], [1, 1, 1]]
    return np.where(cells, np.uint8(ALIVE), np.uint8(0))


def steps_in_numpy(cells: Cells, steps: int) -> NDArray[np.bool_]:
    alive = cells == ALIVE
    for _ in range(steps):
        around = sum(
            np.roll(alive, (dy, dx), (0, 1)).astype(int)
            for dy in (-1, 0, 1)
            for dx in (-1, 0, 1)
            if dx or dy
        )
        alive = (around == 3) | (alive & (around == 2))
    return alive


def palette() -> list[int]:
    """Return the RGB values of 256 colours: from dark blue to violet, and yellow for the living."""
    colours = np.linspace((10, 12, 40), (150, 60, 160), 256)
    colours[ALIVE] = (255, 226, 120)
    return [int(value) for value in np.rint(colours).ravel()]


def save(path: Path, frames: list[Cells], zoom: int) -> None:
    try:
        from PIL import Image
    except ImportError:
        print("no animation, because Pillow is not installed (pip install Pillow)")
        return
    pictures = []
    for frame in frames:
        picture = Image.fromarray(np.kron(frame, np.ones((zoom, zoom), np.uint8)))
        picture.putpalette(palette())
        pictures.append(picture)
    pictures[0].save(path, save_all=True, append_images=pictures[1:], duration=80, loop=0)
    print(f"saved      {path}, {len(frames)} frames")


def arguments_of(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Conway's game of life.")
    parser.add_argument("animation", type=Path, help="the .gif file to write")
    parser.add_argument("--size", type=int, default=128, help="cells in each direction")
    parser.add_argument("--frames", type=int, default=60, help="frames of the animation")
    parser.add_argument("--steps", type=int, default=1, help="generations per frame")
    parser.add_argument("--zoom", type=int, default=2, help="pixels of a cell in each direction")
    options = parser.parse_args(arguments)
    if options.size < 8 or min(options.frames, options.steps, options.zoom) < 1:
        parser.error("--size must be 8 or more, and --frames, --steps and --zoom 1 or more")
    return options


def main(arguments: list[str] | None = None) -> int:
    options = arguments_of(arguments)
    first = soup(options.size)
    frames = [first]
    steps = options.frames * options.steps

    with kp.Manager() as mgr:
        now, then = mgr.tensor_t(first), mgr.tensor_t(first)
        step(now, then)  # compiles
        start = time.perf_counter()
        for _ in range(options.frames):
            for _ in range(options.steps):
                step(now, then)
                now, then = then, now
            frames.append(now.read())
        seconds = time.perf_counter() - start
        print(f"device     {mgr.get_device_properties()['device_name']}")

    print(f"cells      {options.size} x {options.size}, {steps} generations")
    print(f"steps      {1e3 * seconds:9.2f} ms   {1e6 * seconds / steps:.1f} us per generation")
    wrong = np.count_nonzero((frames[-1] == ALIVE) != steps_in_numpy(first, steps))
    print(f"check      {wrong} of {first.size} cells differ from NumPy's")
    if wrong:
        print("WRONG: expected equal cells")
        return 1
    save(options.animation, frames, options.zoom)
    return 0


if __name__ == "__main__":
    sys.exit(main())
