#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Filters a photograph: detects edges or blurs it.

    python image_filter.py photo.png edges.png
    python image_filter.py photo.jpg blurred.png --filter blur --sigma 4

The photograph is an image on the device. Every value of the result is compared with the same filter
in NumPy. The program needs Pillow.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import kp

SHADERS = Path(__file__).resolve().parent / "shaders"

Pixels = NDArray[np.uint8]


def edges_in_numpy(picture: Pixels) -> Pixels:
    r, g, b = (picture[..., channel].astype(np.int32) for channel in range(3))
    brightness = np.pad((77 * r + 150 * g + 29 * b) // 256, 1, mode="edge")
    across = brightness[:, 2:] - brightness[:, :-2]
    down = brightness[2:] - brightness[:-2]
    dx = across[:-2] + 2 * across[1:-1] + across[2:]
    dy = down[:, :-2] + 2 * down[:, 1:-1] + down[:, 2:]
    root: Pixels = np.minimum(np.sqrt(dx**2 + dy**2), 255).astype(np.uint8)
    return root


def blur_in_numpy(picture: Pixels, weights: NDArray[np.float32]) -> Pixels:
    values = picture.astype(np.float32)
    reach = len(weights) - 1
    for axis in (1, 0):
        padding = [(0, 0)] * 3
        padding[axis] = (reach, reach)
        padded = np.pad(values, padding, mode="edge")
        size = values.shape[axis]
        window = [slice(None)] * 3
        values = np.zeros_like(values)
        for offset in range(-reach, reach + 1):
            window[axis] = slice(reach + offset, reach + offset + size)
            values += weights[abs(offset)] * padded[tuple(window)]
    return np.asarray(np.rint(values), np.uint8)


def gaussian(sigma: float) -> NDArray[np.float32]:
    """Return the middle weight and one side's. All weights of both sides sum to 1."""
    offsets = np.arange(int(np.ceil(3 * sigma)) + 1)
    weights = np.exp(-0.5 * (offsets / sigma) ** 2)
    return np.asarray(weights / (weights[0] + 2 * weights[1:].sum()), np.float32)


class EdgeFilter:
    """An edge filter: one dispatch on 8-bit images."""

    def __init__(self, mgr: kp.Manager, height: int, width: int) -> None:
        self.input = mgr.image_t(
            width=width,
            height=height,
            num_channels=4,
            memory_type=kp.MemoryTypes.storage,
            dtype="u1",
        )
        self.output = mgr.image_t(
            width=width,
            height=height,
            num_channels=1,
            memory_type=kp.MemoryTypes.storage,
            dtype="u1",
        )
        algorithm = mgr.algorithm(
            [self.input, self.output], SHADERS / "edges.comp", thread_count=(width, height)
        )
        self.operations: list[kp.OpBase] = [kp.OpAlgoDispatch(algorithm)]

    def write(self, picture: Pixels) -> None:
        self.input.write(picture)

    def read(self) -> Pixels:
        return np.asarray(self.output.read()[..., 0])


class BlurFilter:
    """A blur: two dispatches of one shader on float images, along the rows and the columns."""

    def __init__(
        self, mgr: kp.Manager, height: int, width: int, weights: NDArray[np.float32]
    ) -> None:
        self.input, between, self.output = (
            mgr.image(
                width=width, height=height, num_channels=4, memory_type=kp.MemoryTypes.storage
            )
            for _ in range(3)
        )
        tensor = mgr.tensor(weights, kp.MemoryTypes.storage)
        spirv = kp.compile(SHADERS / "blur.comp")
        self.operations: list[kp.OpBase] = [
            kp.OpAlgoDispatch(
                mgr.algorithm(
                    [source, target, tensor],
                    spirv,
                    push_consts={"direction": direction},
                    thread_count=(width, height),
                )
            )
            for source, target, direction in (
                (self.input, between, (1, 0)),
                (between, self.output, (0, 1)),
            )
        ]

    def write(self, picture: Pixels) -> None:
        self.input.write(picture)

    def read(self) -> Pixels:
        return np.asarray(np.rint(self.output.read()), np.uint8)


def measure(mgr: kp.Manager, operations: list[kp.OpBase], repeat: int) -> tuple[float, str]:
    """Return the median milliseconds of an evaluation, and the clock that measured it."""
    device_clock = mgr.get_device_properties()["timestamps_supported"]
    sequence = mgr.sequence(total_timestamps=len(operations) if device_clock else 0)
    for operation in operations:
        sequence.record(operation)
    times = []
    for _ in range(repeat):
        start = time.perf_counter_ns()
        sequence.eval()
        if device_clock:
            stamps = sequence.get_timestamps_ns()
            times.append((stamps[-1] - stamps[0]) * 1e-6)
        else:
            times.append((time.perf_counter_ns() - start) * 1e-6)
    return statistics.median(times), "device clock" if device_clock else "host clock"


def arguments_of(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Filters a photograph.")
    parser.add_argument("photo", type=Path, help="the image file to filter")
    parser.add_argument("result", type=Path, help="the image file to write")
    parser.add_argument("--filter", choices=("edges", "blur"), default="edges", help="the filter")
    parser.add_argument(
        "--sigma", type=float, default=3.0, help="standard deviation of the blur in pixels"
    )
    parser.add_argument("--repeat", type=int, default=20, help="number of timed evaluations")
    options = parser.parse_args(arguments)
    if not 0.1 <= options.sigma <= 1000:
        parser.error("--sigma must be from 0.1 to 1000")
    if options.repeat < 1:
        parser.error("--repeat must be 1 or more")
    return options


def main(arguments: list[str] | None = None) -> int:
    options = arguments_of(arguments)
    try:
        from PIL import Image
    except ImportError:
        print("image_filter: Pillow is not installed; pip install Pillow", file=sys.stderr)
        return 2
    try:
        with Image.open(options.photo) as photo:
            picture = np.asarray(photo.convert("RGBA"))
    except OSError as error:
        print(f"image_filter: {error}", file=sys.stderr)
        return 2
    height, width, _ = picture.shape
    weights = gaussian(options.sigma)

    with kp.Manager() as mgr:
        print(f"device     {mgr.get_device_properties()['device_name']}")
        print(f"picture    {width} x {height}")
        chosen: EdgeFilter | BlurFilter
        if options.filter == "edges":
            chosen = EdgeFilter(mgr, height, width)
        else:
            chosen = BlurFilter(mgr, height, width, weights)

        start = time.perf_counter()
        chosen.write(picture)
        written = time.perf_counter()
        filter_ms, clock = measure(mgr, chosen.operations, options.repeat)
        before_reading = time.perf_counter()
        result = chosen.read()
        read = time.perf_counter()

    start_numpy = time.perf_counter()
    if options.filter == "edges":
        expected, tolerance = edges_in_numpy(picture), 0
    else:
        expected, tolerance = blur_in_numpy(picture, weights), 1
    numpy_ms = 1e3 * (time.perf_counter() - start_numpy)

    megapixels = 1e-6 * width * height
    print(f"write      {1e3 * (written - start):9.3f} ms")
    print(
        f"{options.filter:10} {filter_ms:9.3f} ms   {clock}, median of {options.repeat}; "
        f"{1e3 * megapixels / max(filter_ms, 1e-6):.0f} megapixels per second"
    )
    print(f"read       {1e3 * (read - before_reading):9.3f} ms")
    print(f"NumPy      {numpy_ms:9.3f} ms   the same filter in one thread")

    difference = np.abs(result.astype(int) - expected)
    print(
        f"check      {np.count_nonzero(difference)} of {difference.size} values differ from "
        f"NumPy's, by at most {difference.max()} of 255"
    )
    if difference.max() > tolerance:
        print(f"WRONG: expected differences of at most {tolerance}")
        return 1
    Image.fromarray(result).save(options.result)
    print(f"saved      {options.result}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
