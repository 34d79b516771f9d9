#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Logistic regression with the rows of the table distributed over several devices.

    python all_reduce.py
    python all_reduce.py --rows 1000000 --features 64 --steps 50 --devices 0 1

Each device has some rows of the table and all weights. In each step, a device computes the gradient
over its own rows. all_reduce() sums the gradients on every device, and every device takes the same
step. The host waits only at the end.

Without --devices, the program uses every GPU. If there is only one device, it uses that twice.
"""

from __future__ import annotations

import argparse
import sys
import time

import numpy as np
from numpy.typing import NDArray

import kp

HEAD = """#version 450
layout(local_size_x = 64) in;
"""

#: The error of the model in each row.
RESIDUAL = (
    HEAD
    + """
layout(binding = 0) readonly buffer Table { float table[]; };
layout(binding = 1) readonly buffer Labels { float labels[]; };
layout(binding = 2) readonly buffer Weights { float weights[]; };
layout(binding = 3) writeonly buffer Residuals { float residuals[]; };
layout(push_constant) uniform Push { uvec2 kp_shard_shape; };
void main() {
    uint row = gl_GlobalInvocationID.x;
    uint features = kp_shard_shape.x;
    if (row >= kp_shard_shape.y)
        return;
    float sum = 0.0;
    for (uint f = 0; f < features; ++f)
        sum += table[row * features + f] * weights[f];
    residuals[row] = 1.0 / (1.0 + exp(-sum)) - labels[row];
}
"""
)

#: The gradient over the rows of this device.
GRADIENT = (
    HEAD
    + """
layout(binding = 0) readonly buffer Table { float table[]; };
layout(binding = 1) readonly buffer Residuals { float residuals[]; };
layout(binding = 2) writeonly buffer Gradient { float gradient[]; };
layout(push_constant) uniform Push { uvec2 kp_shard_shape; };
void main() {
    uint f = gl_GlobalInvocationID.x;
    uint features = kp_shard_shape.x;
    if (f >= features)
        return;
    float sum = 0.0;
    for (uint row = 0; row < kp_shard_shape.y; ++row)
        sum += residuals[row] * table[row * features + f];
    gradient[f] = sum;
}
"""
)

#: A step against the gradient over all rows.
UPDATE = (
    HEAD
    + """
layout(binding = 0) buffer Weights { float weights[]; };
layout(binding = 1) readonly buffer Gradient { float gradient[]; };
layout(push_constant) uniform Push { float rate; };
void main() {
    uint f = gl_GlobalInvocationID.x;
    if (f < weights.length())
        weights[f] -= rate * gradient[f];
}
"""
)

Floats = NDArray[np.float32]


def table_of(rows: int, features: int) -> tuple[Floats, Floats]:
    """Return rows, and labels that a plane nearly separates."""
    rng = np.random.default_rng(1)
    table = rng.normal(size=(rows, features)).astype(np.float32)
    scores = table @ rng.normal(size=features) + rng.normal(size=rows)
    return table, (scores > 0).astype(np.float32)


def train_in_numpy(table: Floats, labels: Floats, steps: int, rate: float) -> NDArray[np.float64]:
    weights = np.zeros(table.shape[1])
    for _ in range(steps):
        residuals = 1 / (1 + np.exp(-(table @ weights))) - labels
        weights -= rate * (residuals @ table)
    return weights


def make_group(devices: list[int] | None) -> kp.DeviceGroup:
    """Create a group of the given devices, of all GPUs, or of the only device twice."""
    if devices:
        return kp.DeviceGroup(devices)
    group = kp.DeviceGroup()
    if len(group) > 1:
        return group
    index = group.device_ids[0]
    group.destroy()
    return kp.DeviceGroup([index, index])


def arguments_of(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Trains logistic regression on several devices.")
    parser.add_argument("--devices", type=int, nargs="+", help="indices into kp.list_devices()")
    parser.add_argument("--rows", type=int, default=4000, help="rows of the table")
    parser.add_argument("--features", type=int, default=16, help="columns of the table")
    parser.add_argument("--steps", type=int, default=30, help="training steps")
    options = parser.parse_args(arguments)
    if min(options.rows, options.features, options.steps) < 1:
        parser.error("--rows, --features and --steps must be 1 or more")
    return options


def main(arguments: list[str] | None = None) -> int:
    options = arguments_of(arguments)
    table, labels = table_of(options.rows, options.features)
    rate = 1.0 / options.rows
    with make_group(options.devices) as group:
        if options.rows < len(group):
            print(
                f"all_reduce: --rows {options.rows} is too few for {len(group)} devices",
                file=sys.stderr,
            )
            return 2
        for i, manager in enumerate(group):
            print(f"device {i}   {manager.get_device_properties()['device_name']}")

        rows = kp.asbuffer(table, group, "sharded")
        truth = kp.asbuffer(labels, group, "sharded")
        residuals = kp.Buffer(options.rows, np.float32, group=group, placement="sharded")
        weights = kp.asbuffer(np.zeros(options.features, np.float32), group)
        gradient = kp.Buffer(options.features, np.float32, group=group)

        residual = group.kernel(
            RESIDUAL, [rows, truth, weights, residuals], lambda shard: shard.shape[0]
        )
        part = group.kernel(GRADIENT, [rows, residuals, gradient], options.features)
        update = group.kernel(UPDATE, [weights, gradient, rate])

        start = time.perf_counter()
        for _ in range(options.steps):
            residual()
            part()
            gradient.all_reduce()
            events = update()
        kp.wait_all(events)
        seconds = time.perf_counter() - start
        found = weights.read()
        print(f"train      {1e3 * seconds:9.3f} ms   {options.steps} steps, host clock")

    expected = train_in_numpy(table, labels, options.steps, rate)
    right = np.mean((table @ found[0] > 0) == (labels > 0))
    same = all(copy.tobytes() == found[0].tobytes() for copy in found)
    error = float(np.abs(found - expected).max() / np.abs(expected).max())
    print(f"accuracy   {100 * right:.1f} % of the rows")
    print(f"check      weights differ from NumPy's by at most {error:.1e} of the largest")
    print(f"           and are {'the same' if same else 'NOT the same'} on all devices")
    if not (error < 1e-3 and same):
        print("WRONG: expected less than 1e-3, and the same weights on all devices")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
