#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Bodies that attract each other, in Python that runs on the device.

    python n_body.py
    python n_body.py --bodies 16384 --steps 100

Each step is one call of a function with @kp.jit: the work items of a group load positions into shared
memory, wait for each other, and add up the attraction. NumPy computes the same steps, and the
positions are compared. So are the momentum and the energy before and after.
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

import kp

GROUP = 64
SOFTENING = 0.05

Bodies = NDArray[np.float32]


@kp.jit
def attraction(at, other):
    """The acceleration of a body at a point, by another one whose mass is its fourth component."""
    apart = other.xyz - at
    square = apart @ apart + SOFTENING**2
    return apart * (other.w / (square * np.sqrt(square)))


@kp.jit(local_size=GROUP)
def accelerate(bodies: "vec4[:]", speeds: "vec4[:]", dt: float):  # noqa: F821
    tile = kp.shared_array(GROUP, kp.vec4)
    i, lane = kp.global_id(), kp.local_id()
    at = kp.vec3(0)
    if i < len(bodies):
        at = bodies[i].xyz
    total = kp.vec3(0)
    for first in range(0, len(bodies), GROUP):
        tile[lane] = kp.vec4(0)
        if first + lane < len(bodies):
            tile[lane] = bodies[first + lane]
        kp.barrier()
        for k in range(GROUP):
            total += attraction(at, tile[k])
        kp.barrier()
    if i < len(bodies):
        speeds[i].xyz += total * dt


@kp.jit
def move(bodies: "vec4[:]", speeds: "vec4[:]", dt: float):  # noqa: F821
    i = kp.global_id()
    bodies[i].xyz += speeds[i].xyz * dt


def galaxy(count: int) -> tuple[Bodies, Bodies]:
    """Return a spinning disc: positions with masses, and speeds."""
    rng = np.random.default_rng(7)
    radius = np.sqrt(rng.uniform(0.05, 1, count))
    angle = rng.uniform(0, 2 * np.pi, count)
    bodies = np.zeros((count, 4), np.float32)
    bodies[:, 0], bodies[:, 1] = radius * np.cos(angle), radius * np.sin(angle)
    bodies[:, 2] = rng.normal(0, 0.02, count)
    bodies[:, 3] = 1 / count
    speeds = np.zeros((count, 4), np.float32)
    speeds[:, 0], speeds[:, 1] = -bodies[:, 1], bodies[:, 0]
    speeds[:, :3] *= (np.sqrt(radius) / radius)[:, None]
    return bodies, speeds


def steps_in_numpy(bodies: Bodies, speeds: Bodies, steps: int, dt: float) -> Bodies:
    at, moving = bodies[:, :3].astype(np.float64), speeds[:, :3].astype(np.float64)
    for _ in range(steps):
        apart = at[None] - at[:, None]
        square = (apart**2).sum(2) + SOFTENING**2
        moving += dt * (apart * (bodies[None, :, 3] / square**1.5)[..., None]).sum(1)
        at += dt * moving
    return at.astype(np.float32)


def energy(bodies: Bodies, speeds: Bodies) -> float:
    at, mass = bodies[:, :3].astype(np.float64), bodies[:, 3].astype(np.float64)
    square = ((at[None] - at[:, None]) ** 2).sum(2) + SOFTENING**2
    potential = mass[:, None] * mass / np.sqrt(square)
    np.fill_diagonal(potential, 0)
    return float((mass * (speeds[:, :3] ** 2).sum(1)).sum() / 2 - potential.sum() / 2)


def arguments_of(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Bodies that attract each other.")
    parser.add_argument("--bodies", type=int, default=1024, help="number of bodies")
    parser.add_argument("--steps", type=int, default=20, help="number of steps")
    parser.add_argument("--dt", type=float, default=0.005, help="time of a step")
    options = parser.parse_args(arguments)
    if options.bodies < 2 or options.steps < 1:
        parser.error("--bodies must be 2 or more, and --steps 1 or more")
    return options


def main(arguments: list[str] | None = None) -> int:
    options = arguments_of(arguments)
    bodies, speeds = galaxy(options.bodies)
    steps, dt = options.steps, options.dt
    before, momentum = energy(bodies, speeds), speeds[:, :3].sum(0) / options.bodies

    with kp.Manager() as mgr:
        at, moving = mgr.tensor(bodies), mgr.tensor(speeds)

        def advance(count: int) -> Any:
            for _ in range(count):
                accelerate(at, moving, dt)
                move(at, moving, dt)
            return at.read()

        advance(1)  # compiles
        start = time.perf_counter()
        result = advance(steps - 1)
        seconds = time.perf_counter() - start
        after, left = energy(result, moving.read()), moving.read()[:, :3].sum(0) / options.bodies
        print(f"device     {mgr.get_device_properties()['device_name']}")

    pairs = options.bodies**2 * max(steps - 1, 1)
    print(f"bodies     {options.bodies}, {steps} steps")
    print(f"steps      {1e3 * seconds:9.2f} ms   {1e-9 * pairs / seconds:.3f} pairs per nanosecond")
    start = time.perf_counter()
    expected = steps_in_numpy(bodies, speeds, steps, dt)
    numpy_seconds = (time.perf_counter() - start) * max(steps - 1, 1) / steps
    print(
        f"NumPy      {1e3 * numpy_seconds:9.2f} ms   the device is {numpy_seconds / seconds:.1f} times "
        "as fast"
    )
    print(f"energy     {before:.5f} before, {after:.5f} after")
    print(f"momentum   changed by {np.abs(left - momentum).max():.1e}")
    difference = float(np.abs(result[:, :3] - expected).max())
    print(f"check      differs from NumPy by at most {difference:.1e}")
    if not difference < 1e-3:
        print("WRONG: expected less than 1e-3")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
