# SPDX-License-Identifier: Apache-2.0
"""Measures copies between host and device by CUDA's engines, beside a kernel on Vulkan's queue.

  PYTHONPATH=<build>/python python3 copy_engines.py

Needs PyTorch with CUDA and an NVIDIA GPU. docs/guides/interop.md draws conclusions from the
figures.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np
import torch

import kp

BYTES = 256 << 20
COPIES = 2
PIECES = 16
PIECE = BYTES // 8

SPIN = """#version 450
layout(local_size_x = 256) in;
layout(binding = 0) buffer Values { float values[]; };
layout(push_constant) uniform Push { uint rounds; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    float a = values[i], b = a * 0.5 + 0.25;
    for (uint k = 0; k < rounds; ++k) {
        a = fma(a, b, 0.25);
        b = fma(b, a, 0.125);
    }
    values[i] = a + b;
}
"""
HALVE = """#version 450
layout(local_size_x = 256) in;
layout(binding = 0) readonly buffer A { vec4 a[]; };
layout(binding = 1) buffer B { vec4 b[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    b[i] = a[i] * 0.5;
}
"""


def best(function: Callable[[], None], rounds: int = 5) -> float:
    """Return the least seconds of a call."""
    times = []
    for _ in range(rounds):
        start = perf_counter()
        function()
        times.append(perf_counter() - start)
    return min(times)


def rate(seconds: float, copies: int) -> str:
    return f"{copies * BYTES / seconds / 1e9:5.1f}"


class Cuda:
    """Copies by CUDA, through torch, between pinned memory and shared tensors."""

    def __init__(self, mgr: kp.Manager) -> None:
        self.device = [torch.from_dlpack(mgr.shared_tensor(BYTES, "u1")) for _ in range(2)]
        self.host = [torch.ones(BYTES, dtype=torch.uint8, pin_memory=True) for _ in range(2)]
        self.up_stream, self.down_stream = torch.cuda.Stream(), torch.cuda.Stream()

    def up(self, copies: int = COPIES) -> None:
        with torch.cuda.stream(self.up_stream):
            for _ in range(copies):
                self.device[0].copy_(self.host[0], non_blocking=True)

    def down(self, copies: int = COPIES) -> None:
        with torch.cuda.stream(self.down_stream):
            for _ in range(copies):
                self.host[1].copy_(self.device[1], non_blocking=True)

    def wait(self) -> None:
        self.up_stream.synchronize()
        self.down_stream.synchronize()

    def timed(self, *parts: Callable[[int], None], copies: int = COPIES) -> float:
        def run() -> None:
            for part in parts:
                part(copies)
            self.wait()

        return best(run)


def by_vulkan(mgr: kp.Manager) -> None:
    device = [mgr.tensor(shape=(BYTES,), dtype="u1", memory_type="storage") for _ in range(2)]
    host = [mgr.pinned_array(BYTES, "u1") for _ in range(2)]
    for each in host:
        each[:] = 1

    def up() -> None:
        device[0].write(host[0])
        device[0].read(0, 1)  # write() may return before

    def down() -> None:
        device[1].read(out=host[1])

    def both() -> None:
        thread = threading.Thread(target=up)
        thread.start()
        down()
        thread.join()

    figures = [rate(best(up), 1), rate(best(down), 1), rate(best(both), 2)]
    print(f"Vulkan, pinned: up {figures[0]}, down {figures[1]}, both {figures[2]} GB/s")


def beside_a_kernel(mgr: kp.Manager, cuda: Cuda) -> None:
    for groups, rounds in ((64, 400_000), (100_000, 4_000)):
        values = mgr.tensor(shape=(groups * 256,), memory_type="storage")
        algorithm = mgr.algorithm(
            [values],
            kp.compile(SPIN),
            workgroup=[groups, 1, 1],
            push_consts=np.array([rounds], np.uint32),
        )
        sequence = mgr.sequence().record(kp.OpAlgoDispatch(algorithm))
        alone = best(lambda: (sequence.eval(), None)[1])  # noqa: B023
        copies = max(1, round(alone / (BYTES / 50e9)))
        only_copies = cuda.timed(cuda.up, cuda.down, copies=copies)
        kernel = together = 1e9
        for _ in range(5):
            start = perf_counter()
            sequence.eval_async()
            cuda.up(copies)
            cuda.down(copies)
            sequence.eval_await()
            kernel = min(kernel, perf_counter() - start)
            cuda.wait()
            together = min(together, perf_counter() - start)
        print(
            f"kernel of {groups} groups: alone {alone * 1e3:.2f} ms; {copies} copies each way alone "
            f"{only_copies * 1e3:.2f} ms; together: kernel {kernel * 1e3:.2f}, all {together * 1e3:.2f} ms"
        )


def pipeline(mgr: kp.Manager, cuda: Cuda) -> None:
    """Upload, compute and download in pieces, with a hop to Vulkan and back for each."""
    count = PIECE // 4
    sources = [mgr.shared_tensor(count) for _ in range(4)]
    results = [mgr.shared_tensor(count) for _ in range(4)]
    kernel = kp.compile(HALVE)
    sequences = [
        mgr.sequence().record(
            kp.OpAlgoDispatch(mgr.algorithm([a, b], kernel, workgroup=[count // 1024, 1, 1]))
        )
        for a, b in zip(sources, results, strict=True)
    ]
    up = [torch.from_dlpack(each) for each in sources]
    down = [torch.from_dlpack(each) for each in results]
    host = [each.view(torch.float32) for each in cuda.host]

    def piece(of: Any, i: int) -> Any:
        return of[(i % 8) * count : (i % 8 + 1) * count]

    def run(computes: bool) -> None:
        computed: list[kp.Event] = []
        downloaded: list[kp.Event] = []
        for i in range(PIECES):
            if computes and i >= 4:
                computed[i - 4].cuda_wait(
                    cuda.up_stream
                )  # has read the memory that is overwritten now
            with torch.cuda.stream(cuda.up_stream):
                up[i % 4].copy_(piece(host[0], i), non_blocking=True)
            if computes:
                sequence = sequences[i % 4]
                earlier = [downloaded[i - 4]] if i >= 4 else []
                sequence.eval_async(wait_for=[cuda.up_stream, *earlier])
                computed.append(sequence.event())
                computed[i].cuda_wait(cuda.down_stream)
                sequence.eval_await(0)
            with torch.cuda.stream(cuda.down_stream):
                piece(host[1], i).copy_(down[i % 4], non_blocking=True)
            if computes:
                downloaded.append(mgr.cuda_event(cuda.down_stream))
        cuda.wait()

    def uploads() -> None:
        with torch.cuda.stream(cuda.up_stream):
            for i in range(PIECES):
                up[i % 4].copy_(piece(host[0], i), non_blocking=True)
        cuda.wait()

    slowest = best(uploads)
    copies = best(lambda: run(False))
    whole = best(lambda: run(True))
    print(
        f"{PIECES} pieces of {PIECE >> 20} MiB: uploads {slowest * 1e3:.2f} ms, with downloads "
        f"{copies * 1e3:.2f}, with kernels and hops {whole * 1e3:.2f}: {whole / slowest:.2f} of the "
        "slowest stage"
    )


def main() -> None:
    mgr = kp.Manager(device_type="gpu")
    cuda = Cuda(mgr)
    figures = [
        rate(cuda.timed(cuda.up), COPIES),
        rate(cuda.timed(cuda.down), COPIES),
        rate(cuda.timed(cuda.up, cuda.down), 2 * COPIES),
    ]
    print(f"CUDA, pinned: up {figures[0]}, down {figures[1]}, both {figures[2]} GB/s")
    by_vulkan(mgr)
    beside_a_kernel(mgr, cuda)
    pipeline(mgr, cuda)


main()
