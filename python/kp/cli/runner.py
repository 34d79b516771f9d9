# SPDX-License-Identifier: Apache-2.0
"""One run of a shader, step by step, with the time of each step."""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

import kp
from kp.cli.bindings import Slot, placeholder
from kp.cli.files import Array
from kp.cli.image_formats import format_name
from kp.cli.shaders import compile_file


class Runner:
    """Compiles, binds, uploads, dispatches and downloads, in this order.

    - ``times``: the name and the seconds of each step.
    - ``dispatches``: the seconds of each dispatch.
    - ``on_device``: whether the device's clock times the dispatches, instead of the host's.
    """

    def __init__(self, manager: kp.Manager) -> None:
        self.manager = manager
        self.times: list[tuple[str, float]] = []
        self.dispatches: list[float] = []
        self.on_device = bool(manager.get_device_properties()["timestamps_supported"])

    @contextmanager
    def step(self, name: str) -> Generator[None, None, None]:
        start = time.perf_counter()
        yield
        self.times.append((name, time.perf_counter() - start))

    def compile(self, arguments: argparse.Namespace) -> None:
        with self.step("compile"):
            self.spirv = compile_file(arguments, self.manager)
            self.reflection = kp.reflect(self.spirv)

    def build(self, slots: Sequence[Slot], push: bytes | None, spec: dict[Any, float]) -> None:
        self.slots = list(slots)
        with self.step("build"):
            self.memory = [self.make_memory(slot) for slot in self.slots]
            self.algorithm = self.manager.algorithm(
                self.bound(),
                self.spirv,
                spec_consts=spec,
                push_consts=[] if push is None else push,
                reinterpret=True,  # suit_dtype() has compared the types
            )

    def make_memory(self, slot: Slot) -> kp.Memory:
        if slot.binding is not None and slot.is_image:
            height, width, channels = slot.shape
            return self.manager.image_t(
                None,
                width,
                height,
                channels,
                kp.MemoryTypes.storage,
                dtype=slot.dtype,
                format=format_name(slot.binding),
            )
        return self.manager.tensor_t(
            None, kp.MemoryTypes.storage, shape=slot.shape, dtype=slot.dtype
        )

    def bound(self) -> list[kp.Memory]:
        """Return a memory object for each binding number, including those that the shader skips."""
        by_number = {
            slot.index: memory for slot, memory in zip(self.slots, self.memory, strict=True)
        }
        highest = max(by_number, default=-1)
        return [
            by_number[number] if number in by_number else self.manager.tensor_t(placeholder())
            for number in range(highest + 1)
        ]

    def upload(self) -> None:
        with self.step("upload"):
            for slot, memory in zip(self.slots, self.memory, strict=True):
                if slot.data is not None:
                    memory.write(slot.data)
                else:
                    memory.write(np.zeros(slot.shape, slot.dtype))

    def dispatch(self, repeat: int) -> None:
        sequence = self.manager.sequence(total_timestamps=1 if self.on_device else 0)
        sequence.record(kp.OpAlgoDispatch(self.algorithm))
        for _ in range(repeat):
            start = time.perf_counter()
            sequence.eval()
            seconds = time.perf_counter() - start
            if self.on_device:
                first, last = sequence.get_timestamps_ns()[:2]
                seconds = (last - first) * 1e-9
            self.dispatches.append(seconds)
        self.times.append(("dispatch", statistics.median(self.dispatches)))

    def outputs(self) -> list[Slot]:
        return [slot for slot in self.slots if slot.role != "in"]

    def download(self) -> list[Any]:
        with self.step("download"):
            return [
                memory.read()
                for slot, memory in zip(self.slots, self.memory, strict=True)
                if slot.role != "in"
            ]
