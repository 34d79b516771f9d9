#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the Mandelbrot set.

    python mandelbrot.py mandelbrot.png
    python mandelbrot.py spiral.png --centre -0.7463 0.1102 --span 0.01 --rounds 1000

The shader writes an image and a tensor. The counts of every 8th row and column are compared with
NumPy's and must be equal. If Pillow is installed, it writes the picture.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import kp

SHADER = Path(__file__).resolve().parent / "shaders" / "mandelbrot.comp"

Counts = NDArray[np.uint32]


def counts_in_numpy(
    columns: NDArray[np.int64],
    lines: NDArray[np.int64],
    corner: tuple[float, float],
    pixel: float,
    rounds: int,
) -> Counts:
    """Return the shader's counts, with the same order of operations and the same precision."""
    f = np.float32
    cx = np.broadcast_to(f(corner[0]) + columns.astype(f) * f(pixel), (len(lines), len(columns)))
    cy = np.broadcast_to(f(corner[1]) - lines.astype(f)[:, None] * f(pixel), cx.shape)
    inside = np.arange(cx.size)
    cx, cy = cx.ravel(), cy.ravel()
    x, y = np.zeros(cx.size, f), np.zeros(cx.size, f)
    counts = np.zeros(cx.size, np.uint32)
    for _ in range(rounds):
        counts[inside] += 1
        product = x * y
        x, y = x * x - y * y + cx, product + product + cy
        stays = x * x + y * y <= 256
        inside, x, y, cx, cy = inside[stays], x[stays], y[stays], cx[stays], cy[stays]
    return counts.reshape(len(lines), len(columns))


def arguments_of(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Draws the Mandelbrot set.")
    parser.add_argument("picture", type=Path, help="the image file to write")
    parser.add_argument(
        "--size",
        type=int,
        nargs=2,
        default=(960, 640),
        metavar=("W", "H"),
        help="width and height in pixels",
    )
    parser.add_argument(
        "--centre",
        type=float,
        nargs=2,
        default=(-0.6, 0.0),
        metavar=("X", "Y"),
        help="the point in the middle of the picture",
    )
    parser.add_argument("--span", type=float, default=3.2, help="width of the drawn area")
    parser.add_argument("--rounds", type=int, default=200, help="maximum iterations per pixel")
    options = parser.parse_args(arguments)
    if min(options.size) < 1:
        parser.error("--size must be 1 or more in each direction")
    if not 1 <= options.rounds <= 65_000:
        parser.error("--rounds must be from 1 to 65000")
    if not options.span > 0:
        parser.error("--span must be more than 0")
    return options


def main(arguments: list[str] | None = None) -> int:
    options = arguments_of(arguments)
    width, height = options.size
    pixel = options.span / width
    corner = (
        options.centre[0] - 0.5 * (width - 1) * pixel,
        options.centre[1] + 0.5 * (height - 1) * pixel,
    )

    with kp.Manager() as mgr:
        properties = mgr.get_device_properties()
        counts = mgr.tensor(shape=(height, width), dtype=np.uint32)
        image = mgr.image(width=width, height=height, num_channels=4, dtype=np.uint8)
        algorithm = mgr.algorithm(
            [counts, image],
            SHADER,
            push_consts={"corner": corner, "pixel": pixel, "rounds": options.rounds},
            thread_count=(width, height),
        )
        device_clock = properties["timestamps_supported"]
        sequence = mgr.sequence(total_timestamps=2 if device_clock else 0)
        sequence.record(kp.OpAlgoDispatch(algorithm)).record(kp.OpSyncLocal([counts, image]))
        sequence.eval()
        start = time.perf_counter()
        sequence.eval()
        seconds = time.perf_counter() - start
        print(f"device     {properties['device_name']}")
        print(f"picture    {width} x {height}, up to {options.rounds} rounds per pixel")
        if device_clock:
            begin, end, _ = sequence.get_timestamps_ns()
            rate = counts.numpy().sum(dtype=np.float64) / max(end - begin, 1)
            print(f"draw       {1e-6 * (end - begin):9.3f} ms   device clock")
            print(f"           {rate:9.3f} rounds per nanosecond")
        print(f"with copy  {1e3 * seconds:9.3f} ms   host clock")

        columns, lines = np.arange(0, width, 8), np.arange(0, height, 8)
        expected = counts_in_numpy(columns, lines, corner, pixel, options.rounds)
        wrong = np.count_nonzero(counts.numpy()[::8, ::8] != expected)
        print(f"check      {wrong} of {expected.size} counts differ from NumPy's")
        if wrong:
            print("WRONG: expected equal counts")
            return 1
        pixels = image.numpy().copy()

    try:
        from PIL import Image
    except ImportError:
        print("no picture, because Pillow is not installed (pip install Pillow)")
        return 0
    Image.fromarray(pixels[..., :3]).save(options.picture)
    print(f"saved      {options.picture}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
