#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two vortices that merge, as a time loop in the style of HySoP.

    python vortex_launchers.py vortex.png
    python vortex_launchers.py vortex.png --size 256 --steps 400 --sweeps 30

The vorticity of a flow on a periodic square is advected and diffuses. The stream function solves a
Poisson equation, with Jacobi sweeps that start from the previous step. A step is a list of
launchers: the sweeps, the transport with a parameter dt, and a copy on the device. Every few steps,
a second list copies the field to the host and calls a Python function. NumPy computes the same
steps, and the fields are compared. If Pillow is installed, it writes the picture.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import kp
from kp import launcher as kl

HEAD = """#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) readonly buffer A { float a[]; };
layout(binding = 1) readonly buffer B { float b[]; };
layout(binding = 2) writeonly buffer C { float c[]; };
layout(push_constant) uniform Push { uint n; float viscosity; float dt; };
uint at(uint x, uint y) { return y % n * n + x % n; }
void main() {
    uvec2 p = gl_GlobalInvocationID.xy;
    if (p.x >= n || p.y >= n)
        return;
    uint here = at(p.x, p.y);
    uint left = at(p.x + n - 1, p.y), right = at(p.x + 1, p.y);
    uint below = at(p.x, p.y + n - 1), above = at(p.x, p.y + 1);
    float h = 1.0 / float(n);
"""
# a: stream function, b: vorticity, c: the next stream function
SWEEP = f"""{HEAD}
    c[here] = 0.25 * (a[left] + a[right] + a[below] + a[above] + h * h * b[here]);
}}
"""
# a: stream function, b: vorticity, c: the next vorticity
TRANSPORT = f"""{HEAD}
    float u = (a[above] - a[below]) / (2.0 * h), v = (a[left] - a[right]) / (2.0 * h);
    float dx = (u > 0.0 ? b[here] - b[left] : b[right] - b[here]) / h;
    float dy = (v > 0.0 ? b[here] - b[below] : b[above] - b[here]) / h;
    float around = b[left] + b[right] + b[below] + b[above] - 4.0 * b[here];
    c[here] = b[here] + dt * (viscosity / (h * h) * around - u * dx - v * dy);
}}
"""
VISCOSITY = 2e-5

Field = NDArray[np.float32]


def two_vortices(n: int) -> Field:
    y, x = (np.mgrid[0:n, 0:n] + 0.5) / n
    field = np.zeros((n, n))
    for centre_x, centre_y in ((0.42, 0.5), (0.58, 0.5)):
        field += 20 * np.exp(-((x - centre_x) ** 2 + (y - centre_y) ** 2) / 0.05**2)
    return (field - field.mean()).astype(np.float32)


def time_steps(steps: int, n: int) -> Field:
    """Return the time steps, which are small at first."""
    ramp = np.minimum(1, np.arange(1, steps + 1) / 10)
    return np.asarray(0.4 / n * ramp, np.float32)


class Simulation:
    def __init__(self, mgr: kp.Manager, field: Field, sweeps: int) -> None:
        n = field.shape[0]
        self.queue = mgr.queue(profiling=True)
        self.result = np.empty_like(field)
        self.spins: list[float] = []
        psi, psi2, omega, omega2 = (
            mgr.tensor_t(values, kp.MemoryTypes.storage)
            for values in (np.zeros_like(field), np.zeros_like(field), field, field)
        )
        for tensor, values in ((psi, 0 * field), (psi2, 0 * field), (omega, field)):
            tensor.write(values)
        common: dict[str, Any] = {"default_global_work_size": (n, n), "round_up": True}
        numbers: dict[int | str, Any] = {"n": n, "viscosity": VISCOSITY}
        sweep = kl.Kernel(mgr, SWEEP)

        def sweep_between(source: kp.Tensor, target: kp.Tensor) -> kl.KernelLauncher:
            arguments: dict[int | str, Any] = {0: source, 1: omega, 2: target, **numbers, "dt": 0.0}
            return kl.KernelLauncher("sweep", sweep, arguments, **common)

        forth, back = sweep_between(psi, psi2), sweep_between(psi2, psi)
        transport = kl.ParametrizedKernelLauncher(
            name="transport",
            kernel=TRANSPORT,
            parameters_map={"dt": ("dt", np.float32)},
            args_list={0: psi, 1: omega, 2: omega2, **numbers},
            **common,
        )
        self.step = kl.KernelListLauncher("step")
        for _ in range(sweeps // 2):
            self.step.push_kernels(forth, back)
        self.step += transport
        self.step.push_copy_device_to_device("vorticity", omega2, omega)

        self.report = kl.KernelListLauncher("report")
        self.report.push_copy_device_to_host("result", omega, self.result)
        self.report += kl.HostLauncher("spin", self.note_spin)

    def note_spin(self) -> None:
        self.spins.append(float(np.square(self.result, dtype=np.float64).mean()))

    def run(self, dts: Field, every: int) -> None:
        for i, dt in enumerate(dts, 1):
            event = self.step(queue=self.queue, dt=dt)
            if i % every == 0 or i == len(dts):
                event = self.report(queue=self.queue, wait_for=[event])
        event.wait()


def steps_in_numpy(omega: Field, dts: Field, sweeps: int) -> Field:
    n = omega.shape[0]
    h = np.float32(1 / n)
    psi = np.zeros_like(omega)

    def neighbours(a: Field) -> tuple[Field, Field, Field, Field]:
        return np.roll(a, 1, 1), np.roll(a, -1, 1), np.roll(a, 1, 0), np.roll(a, -1, 0)

    for dt in dts:
        for _ in range(sweeps):
            left, right, below, above = neighbours(psi)
            psi = np.float32(0.25) * (left + right + below + above + h * h * omega)
        left, right, below, above = neighbours(psi)
        u, v = (above - below) / (2 * h), (left - right) / (2 * h)
        left, right, below, above = neighbours(omega)
        dx = np.where(u > 0, omega - left, right - omega) / h
        dy = np.where(v > 0, omega - below, above - omega) / h
        around = left + right + below + above - 4 * omega
        omega = omega + dt * (np.float32(VISCOSITY) / (h * h) * around - u * dx - v * dy)
    return omega


def save(path: Path, field: Field) -> None:
    try:
        from PIL import Image
    except ImportError:
        print("no picture, because Pillow is not installed (pip install Pillow)")
        return
    levels = np.clip(3 * (field - field.min()) / np.ptp(field), 0, 3)
    channels = [np.clip(levels - offset, 0, 1) for offset in (2, 1, 0)]  # black, blue, cyan, white
    Image.fromarray(np.rint(255 * np.stack(channels, axis=2)).astype(np.uint8)).save(path)
    print(f"saved      {path}")


def arguments_of(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Two vortices that merge.")
    parser.add_argument("picture", type=Path, help="the .png file to write")
    parser.add_argument("--size", type=int, default=192, help="points in each direction")
    parser.add_argument("--steps", type=int, default=500, help="time steps")
    parser.add_argument(
        "--sweeps", type=int, default=20, help="Jacobi sweeps per step, an even number"
    )
    parser.add_argument("--every", type=int, default=50, help="steps between two reports")
    options = parser.parse_args(arguments)
    if options.size < 4 or options.steps < 1 or options.every < 1:
        parser.error("--size must be 4 or more, and --steps and --every 1 or more")
    if options.sweeps < 2 or options.sweeps % 2:
        parser.error("--sweeps must be an even number of 2 or more")
    return options


def main(arguments: list[str] | None = None) -> int:
    options = arguments_of(arguments)
    field = two_vortices(options.size)
    dts = time_steps(options.steps, options.size)
    with kp.Manager() as mgr:
        print(f"device     {mgr.get_device_properties()['device_name']}")
        simulation = Simulation(mgr, field, options.sweeps)
        start = time.perf_counter()
        simulation.run(dts, options.every)
        seconds = time.perf_counter() - start
        statistics = {**simulation.step.statistics, **simulation.report.statistics}
        result, spins = simulation.result, simulation.spins
        del simulation
    print(f"steps      {1e3 * seconds:9.2f} ms   {1e6 * seconds / options.steps:.1f} us per step")
    if statistics:
        print(kl.to_table(statistics))
    print(f"enstrophy  {spins[0]:.4f} after {min(options.every, options.steps)} steps,", end=" ")
    print(f"{spins[-1]:.4f} at the end")
    expected = steps_in_numpy(field, dts, options.sweeps)
    difference = float(np.abs(result - expected).max() / np.abs(expected).max())
    print(f"check      differs from NumPy by at most {difference:.1e} of the largest value")
    if not difference < 1e-3:
        print("WRONG: expected less than 1e-3")
        return 1
    save(options.picture, result)
    return 0


if __name__ == "__main__":
    sys.exit(main())
