#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A blur of an image whose rows are distributed over several devices.

    python sharded_image_filter.py
    python sharded_image_filter.py --size 4096 4096 --radius 3 --rounds 10 --devices 0 1

Each device has some of the rows, and above and below them copies of its neighbours' border rows.
After each round, the devices exchange their new border rows.

Without --devices, the program uses every GPU. If there is only one device, it uses that twice.
"""

from __future__ import annotations

import argparse
import sys
import time

import numpy as np
from numpy.typing import NDArray

import kp

#: The mean over a square of pixels. Pixels outside the image are clamped to its edge.
SHADER = """#version 450
layout(local_size_x = 16, local_size_y = 16) in;
layout(binding = 0) readonly buffer Source { float source[]; };
layout(binding = 1) writeonly buffer Destination { float destination[]; };
layout(push_constant) uniform Push {
    uvec2 kp_shard_shape; // columns, and rows including those copied from neighbours
    uint kp_shard_index;
    uint kp_shard_count;
    int radius;
};
void main() {
    int width = int(kp_shard_shape.x);
    int rows = int(kp_shard_shape.y);
    int x = int(gl_GlobalInvocationID.x);
    int y = int(gl_GlobalInvocationID.y) + radius; // the first own row
    if (x >= width || y >= rows - radius)
        return;
    int top = kp_shard_index == 0 ? radius : 0;
    int bottom = kp_shard_index + 1 == kp_shard_count ? rows - radius - 1 : rows - 1;
    float sum = 0.0;
    for (int dy = -radius; dy <= radius; ++dy)
        for (int dx = -radius; dx <= radius; ++dx)
            sum += source[clamp(y + dy, top, bottom) * width + clamp(x + dx, 0, width - 1)];
    destination[y * width + x] = sum / float((2 * radius + 1) * (2 * radius + 1));
}
"""

Image = NDArray[np.float32]


def picture_of(width: int, height: int) -> Image:
    """Return an image of stripes, rings and noise."""
    y, x = np.mgrid[:height, :width].astype(np.float32)
    rings = np.sin(np.hypot(x - width / 2, y - height / 3) / 3)
    noise = np.random.default_rng(1).normal(size=(height, width)) / 4
    return (rings + (x // 7 % 2) + noise).astype(np.float32)


def blur_in_numpy(image: Image, radius: int) -> Image:
    padded = np.pad(image.astype(np.float64), radius, mode="edge")
    side = 2 * radius + 1
    height, width = image.shape
    total = sum(
        padded[dy : dy + height, dx : dx + width] for dy in range(side) for dx in range(side)
    )
    result: Image = (total / side**2).astype(np.float32)
    return result


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
    parser = argparse.ArgumentParser(description="A blur on several devices.")
    parser.add_argument("--devices", type=int, nargs="+", help="indices into kp.list_devices()")
    parser.add_argument(
        "--size",
        type=int,
        nargs=2,
        default=(1024, 768),
        metavar=("W", "H"),
        help="width and height in pixels",
    )
    parser.add_argument("--radius", type=int, default=2, help="radius of the blur in pixels")
    parser.add_argument("--rounds", type=int, default=5, help="number of blurs")
    options = parser.parse_args(arguments)
    if min(*options.size, options.radius, options.rounds) < 1:
        parser.error("--size, --radius and --rounds must be 1 or more")
    return options


class ShardedImage:
    """An image on the devices of a group, with `radius` extra rows above and below each part."""

    def __init__(self, group: kp.DeviceGroup, height: int, width: int, radius: int) -> None:
        self.radius = radius
        self.own = [len(part) for part in np.array_split(np.arange(height), len(group))]
        rows = [own + 2 * radius for own in self.own]
        self.buffer = kp.Buffer(
            (sum(rows), width), np.float32, group=group, placement="sharded", shard_rows=rows
        )

    def write(self, image: Image) -> None:
        """Write the own rows of each device. exchange() copies the others."""
        first = 0
        for device, own in enumerate(self.own):
            self.buffer.write(image[first : first + own], device, start=self.radius)
            first += own

    def read(self) -> Image:
        return np.concatenate(
            [
                self.buffer.read(device, start=self.radius, stop=self.radius + own)
                for device, own in enumerate(self.own)
            ]
        )

    def exchange(self) -> list[kp.Event]:
        """Copy border rows between neighbouring devices. Return the events without waiting."""
        radius = self.radius
        events = []
        for above, below in zip(range(len(self.own)), range(1, len(self.own)), strict=False):
            own = self.own[above]
            events.append(
                self.buffer.copy(above, below, source_start=own, destination_start=0, rows=radius)
            )
            events.append(
                self.buffer.copy(
                    below, above, source_start=radius, destination_start=own + radius, rows=radius
                )
            )
        return events


def main(arguments: list[str] | None = None) -> int:
    options = arguments_of(arguments)
    width, height = options.size
    radius = options.radius
    image = picture_of(width, height)
    with make_group(options.devices) as group:
        if height // len(group) < radius:
            print(
                f"sharded_image_filter: {height} are too few rows for {len(group)} devices and the "
                f"radius {radius}",
                file=sys.stderr,
            )
            return 2
        for i, manager in enumerate(group):
            print(f"device {i}   {manager.get_device_properties()['device_name']}")
        print(f"exchange   {group.exchange_path(0, 1) if len(group) > 1 else 'none'}")

        now, then = (ShardedImage(group, height, width, radius) for _ in range(2))
        kernels = [
            group.kernel(
                SHADER,
                {"Source": source.buffer, "Destination": destination.buffer, "radius": radius},
                global_work_size=lambda shard: (width, shard.shape[0] - 2 * radius),
                name="blur",
            )
            for source, destination in ((now, then), (then, now))
        ]
        now.write(image)
        events = now.exchange()
        kp.wait_all(events)
        start = time.perf_counter()
        for turn in range(options.rounds):
            events = kernels[turn % 2]()
            now, then = then, now
            events += now.exchange()
        kp.wait_all(events)
        seconds = time.perf_counter() - start
        result = now.read()
        rate = options.rounds * width * height / seconds
        print(f"blur       {1e3 * seconds:9.3f} ms   {options.rounds} rounds, host clock")
        print(f"           {1e-6 * rate:9.3f} million pixels per second")

    expected = image
    for _ in range(options.rounds):
        expected = blur_in_numpy(expected, radius)
    error = float(np.abs(result - expected).max())
    print(f"check      differs from NumPy's by at most {error:.1e}")
    if not error < 1e-5:
        print("WRONG: expected less than 1e-5")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
