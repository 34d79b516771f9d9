#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Stable fluids: two streams that glide past each other and roll up into vortices.

    python stable_fluids.py
    python stable_fluids.py fluid.png --size 512 --steps 600

The method comes from J. Stam, "Stable Fluids", SIGGRAPH 1999, on a torus. In each step, the fluid
carries itself along (`advect`, a Python function that runs on the device), viscosity smooths it, and
a projection removes its divergence. The last two are products in Fourier space, as arrays. NumPy
computes the first steps, too, and the results are compared. So are the divergence before and after the
projection, and the amount of dye before and after all steps.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import kp

Field = NDArray[np.float32]

#: The most steps that NumPy computes, too.
CHECKED = 50


@kp.jit
def carried(
    field: "float[:, :]",  # noqa: F722
    u: "float[:, :]",  # noqa: F722
    v: "float[:, :]",  # noqa: F722
    out: "float[:, :]",  # noqa: F722
    dt: float,
):
    """What flows to each cell: the field where the fluid was a step ago, between four cells."""
    x, y = kp.global_id(0), kp.global_id(1)
    rows, columns = field.shape
    from_x, from_y = x - dt * columns * u[y, x], y - dt * rows * v[y, x]
    left, top = math.floor(from_x), math.floor(from_y)
    across, down = from_x - left, from_y - top
    x0, x1 = left % columns, (left + 1) % columns
    y0, y1 = top % rows, (top + 1) % rows
    upper = field[y0, x0] * (1 - across) + field[y0, x1] * across
    lower = field[y1, x0] * (1 - across) + field[y1, x1] * across
    out[y, x] = upper * (1 - down) + lower * down


def advect(field: kp.Array, u: kp.Array, v: kp.Array, dt: float) -> kp.Array:
    return kp.asarray(carried(field, u, v, dt=dt))


def advect_in_numpy(field: Field, u: Field, v: Field, dt: float) -> Field:
    rows, columns = field.shape
    from_x = np.arange(columns, dtype=np.float32) - np.float32(dt * columns) * u
    from_y = np.arange(rows, dtype=np.float32)[:, None] - np.float32(dt * rows) * v
    left, top = np.floor(from_x).astype(int), np.floor(from_y).astype(int)
    across, down = (from_x - left).astype(np.float32), (from_y - top).astype(np.float32)
    x0, x1, y0, y1 = left % columns, (left + 1) % columns, top % rows, (top + 1) % rows
    upper = field[y0, x0] * (1 - across) + field[y0, x1] * across
    lower = field[y1, x0] * (1 - across) + field[y1, x1] * across
    return upper * (1 - down) + lower * down


class Waves(NamedTuple):
    """The wave numbers of a spectrum, 1 / their squares, and what viscosity leaves of each wave."""

    x: Any
    y: Any
    inverse: Any
    kept: Any


def waves(xp: Any, size: int, decay: float) -> Waves:
    """Return the waves of a square with sides of 1. `decay` is viscosity times time of a step."""
    y, x = np.fft.fftfreq(size, 1 / size)[:, None], np.fft.rfftfreq(size, 1 / size)[None]
    x, y = (2 * np.pi * np.where(np.abs(each) < size / 2, each, 0) for each in (x, y))
    square = x * x + y * y
    inverse = np.divide(1, square, out=np.zeros_like(square), where=square > 0)
    parts = (x, y, inverse, np.exp(-decay * square))
    return Waves(*(xp.asarray(part.astype(np.float32)) for part in parts))


def divergence(xp: Any, u: Any, v: Any, wave: Waves) -> float:
    """Return the root of the mean square of what flows out of each point."""
    spectrum = xp.fft.rfft2(u) * wave.x + xp.fft.rfft2(v) * wave.y
    outflow = xp.fft.irfft2(spectrum * 1j, s=u.shape)
    return float(xp.mean(outflow * outflow)) ** 0.5


def project(xp: Any, u: Any, v: Any, wave: Waves) -> tuple[Any, Any]:
    """Smooth a flow by viscosity, and remove its divergence."""
    along_x, along_y = xp.fft.rfft2(u) * wave.kept, xp.fft.rfft2(v) * wave.kept
    outwards = (along_x * wave.x + along_y * wave.y) * wave.inverse
    u = xp.fft.irfft2(along_x - outwards * wave.x, s=u.shape)
    v = xp.fft.irfft2(along_y - outwards * wave.y, s=v.shape)
    return u.astype(np.float32), v.astype(np.float32)


def streams(size: int) -> tuple[Field, Field, Field]:
    """Return two streams with a small disturbance, and dye in one of them."""
    at = (np.arange(size) + 0.5) / size
    profile = np.tanh((np.abs(at - 0.5) - 0.25) * 40)[:, None]
    u = np.broadcast_to(0.5 * profile, (size, size))
    v = np.broadcast_to(0.02 * (np.sin(4 * np.pi * at) + np.sin(6 * np.pi * at + 1)), (size, size))
    dye = np.broadcast_to((1 - profile) / 2, (size, size))
    return u.astype(np.float32), v.astype(np.float32), dye.astype(np.float32)


def simulate(
    xp: Any, flow: Any, first: tuple[Field, Field, Field], steps: int, dt: float, wave: Waves
) -> tuple[Any, Any, Any, tuple[float, float]]:
    """Return the flow, the dye, and the divergence before and after the last projection.

    `flow` is advect() for arrays of `xp`.
    """
    u, v, dye = (xp.asarray(each) for each in first)
    before = 0.0
    for step in range(steps):
        u, v = flow(u, u, v, dt), flow(v, u, v, dt)
        if step == steps - 1:
            before = divergence(xp, u, v, wave)
        u, v = project(xp, u, v, wave)
        dye = flow(dye, u, v, dt)
    return u, v, dye, (before, divergence(xp, u, v, wave))


def save(path: Path, dye: Field) -> None:
    try:
        from PIL import Image
    except ImportError:
        print("no picture, because Pillow is not installed (pip install Pillow)")
        return
    colours = np.array([(13, 27, 62), (46, 110, 160), (240, 190, 110), (255, 250, 235)])
    levels = np.linspace(0, 1, len(colours))
    channels = [np.interp(dye, levels, colours[:, channel]) for channel in range(3)]
    Image.fromarray(np.stack(channels, axis=-1).astype(np.uint8)).save(path)
    print(f"saved      {path}")


def arguments_of(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Two streams that roll up into vortices.")
    parser.add_argument("picture", type=Path, nargs="?", help="the .png file to write")
    parser.add_argument("--size", type=int, default=128, help="cells in each direction")
    parser.add_argument("--steps", type=int, default=200, help="number of steps")
    parser.add_argument("--dt", type=float, default=0.01, help="time of a step")
    parser.add_argument("--viscosity", type=float, default=1e-5)
    options = parser.parse_args(arguments)
    if options.size < 16 or options.steps < 1 or options.dt <= 0 or options.viscosity < 0:
        parser.error("--size must be 16 or more, --steps 1 or more, and no number negative")
    return options


def main(arguments: list[str] | None = None) -> int:
    options = arguments_of(arguments)
    size, steps, dt = options.size, options.steps, options.dt
    decay = options.viscosity * dt
    first = streams(size)

    on_device = waves(kp, size, decay)
    simulate(kp, advect, first, 1, dt, on_device)  # compiles
    start = time.perf_counter()
    _, _, dye, (before, after) = simulate(kp, advect, first, steps, dt, on_device)
    found = dye.numpy()
    seconds = time.perf_counter() - start
    print(f"device     {kp.default_manager().get_device_properties()['device_name']}")
    print(f"cells      {size} x {size}, {steps} steps")
    print(f"steps      {1e3 * seconds:9.2f} ms   {1e6 * seconds / steps:.1f} us per step")

    amount = float(found.mean() / first[2].mean())
    print(f"divergence {before:.1e} before the last projection, {after:.1e} after it")
    print(
        f"dye        {100 * amount:.2f} % of what there was, from {found.min():.3f} to {found.max():.3f}"
    )
    checked = min(steps, CHECKED)
    result = simulate(kp, advect, first, checked, dt, on_device)
    expected = simulate(np, advect_in_numpy, first, checked, dt, waves(np, size, decay))
    difference = max(
        float(np.abs(each.numpy() - other).max())
        for each, other in zip(result[:3], expected[:3], strict=True)
    )
    print(f"check      {checked} steps differ from NumPy's by at most {difference:.1e}")
    if not (difference < 1e-3 and after < 1e-3 * before and abs(amount - 1) < 0.02):
        print("WRONG: expected the results of NumPy, no divergence, and all of the dye")
        return 1
    if options.picture:
        save(options.picture, found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
