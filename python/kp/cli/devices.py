# SPDX-License-Identifier: Apache-2.0
"""Selection of the device by --device."""

from __future__ import annotations

from typing import Any

import kp
from kp.cli.errors import CommandError

TYPES = ("discrete", "integrated", "virtual", "cpu")
GPU_TYPES = TYPES[:3]


def open_manager(wanted: str) -> kp.Manager:
    """Create a manager of the device. The empty string selects the default device."""
    return kp.Manager(device=find_device(wanted, kp.list_devices())) if wanted else kp.Manager()


def find_device(wanted: str, devices: list[dict[str, Any]]) -> int:
    """Return the index of the best device that matches an index, UUID, type or part of a name."""
    if wanted.isdecimal():
        found = [device for device in devices if device["index"] == int(wanted)]
    else:
        found = [device for device in devices if matches(device, wanted.lower())]
    if not found:
        known = "; ".join(f"{each['index']} {each['device_name']}" for each in devices)
        raise CommandError(f"no device matches '{wanted}'; devices: {known or 'none'}")
    return int(min(found, key=rank)["index"])


def matches(device: dict[str, Any], wanted: str) -> bool:
    if wanted == "gpu":
        return device["type"] in GPU_TYPES
    if wanted in TYPES:
        return bool(device["type"] == wanted)
    if device["uuid"] and same_uuid(device["uuid"], wanted):
        return True
    return wanted in device["device_name"].lower()


def same_uuid(one: str, other: str) -> bool:
    return one.lower().replace("-", "") == other.replace("-", "")


def rank(device: dict[str, Any]) -> int:
    kind = device["type"]
    return TYPES.index(kind) if kind in TYPES else len(TYPES)
