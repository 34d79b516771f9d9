#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One array on several devices.

    python multi_device_buffer.py
    python multi_device_buffer.py --devices 0 1 --elements 1000000

The program writes an array to all devices and reads it back from each. It distributes another array
over the devices, and each device computes its own part.

Without --devices, the program uses every GPU. If there is only one device, it uses that twice: two
logical devices of one physical device behave like two.
"""

from __future__ import annotations

import argparse
import sys
import time

import numpy as np

import kp

#: Each device squares its part and writes the index of the part.
SHADER = """#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer Values { float values[]; };
layout(binding = 1) writeonly buffer Owners { uint owners[]; };
layout(push_constant) uniform Push { uint kp_shard_index; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i >= values.length())
        return;
    values[i] = values[i] * values[i];
    owners[i] = kp_shard_index;
}
"""


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
    parser = argparse.ArgumentParser(description="One array on several devices.")
    parser.add_argument("--devices", type=int, nargs="+", help="indices into kp.list_devices()")
    parser.add_argument("--elements", type=int, default=1 << 20, help="elements of the array")
    options = parser.parse_args(arguments)
    if not 1 <= options.elements <= 2**24:
        parser.error("--elements must be from 1 to 2**24")
    return options


def main(arguments: list[str] | None = None) -> int:
    options = arguments_of(arguments)
    count = options.elements
    values = np.arange(count, dtype=np.float32)
    wrong = 0
    with make_group(options.devices) as group:
        for i, manager in enumerate(group):
            print(f"device {i}   {manager.get_device_properties()['device_name']}")

        # A whole copy on each device.
        copies = kp.Buffer(count, np.float32, group=group)
        start = time.perf_counter()
        copies.write(values)
        written = time.perf_counter()
        stacked = copies.read()
        read = time.perf_counter()
        print(f"write      {1e3 * (written - start):9.3f} ms   to {len(group)} copies")
        print(f"read       {1e3 * (read - written):9.3f} ms   all copies: {stacked.shape}")
        wrong += np.count_nonzero(stacked != values)

        # A part on each device. The kernel runs on all devices at the same time.
        parts = kp.asbuffer(values, group, "sharded")
        owners = kp.Buffer(count, np.uint32, group=group, placement="sharded")
        square = group.kernel(SHADER, [parts, owners], name="square")
        kp.wait_all(square())
        for shard in owners.shards:
            print(f"shard {shard.index}    rows {shard.offset} to {shard.offset + shard.shape[0]}")
        expected = np.repeat(
            np.arange(len(group), dtype=np.uint32), [shard.shape[0] for shard in owners.shards]
        )
        wrong += np.count_nonzero(parts.read() != values * values)
        wrong += np.count_nonzero(owners.read() != expected)

        # Gather the parts in the copies on all devices.
        kp.wait_all(parts.all_gather(copies))
        wrong += np.count_nonzero(copies.read() != values * values)
    print(f"check      {wrong} of the elements differ from NumPy's")
    if wrong:
        print("WRONG: expected equal elements")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
