# SPDX-License-Identifier: Apache-2.0
"""Measures data that goes from torch through a kernel of kp and back, and the cost of a hop.

  PYTHONPATH=<build>/python python3 interop.py [--quick] [--turns NUMBER]

--turns  only the turns of a kernel of torch and one of kp, so many

Needs PyTorch with CUDA and an NVIDIA GPU. If slangpy is installed, its Vulkan device gets the same work.
docs/guides/interop.md quotes the figures.
"""

from __future__ import annotations

import argparse
import resource
from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
import torch

import kp

try:
    import slangpy
except ImportError:
    slangpy = None

SHADER = """#version 450
layout(local_size_x = 256) in;
layout(binding = 0) buffer A { vec4 a[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < a.length())
        a[i] = a[i] * 0.5 + 1.0;
}
"""
STEP = """#version 450
layout(local_size_x = 1) in;
layout(binding = 0) buffer Values { uint values[]; };
void main() { values[0] = values[0] * 5u + 7u; }
"""
SLANG = """
float halved(float x) { return x * 0.5 + 1; }
void update(int at, RWStructuredBuffer<float4> values) { values[at] = values[at] * 0.5 + 1; }
"""

parser = argparse.ArgumentParser()
parser.add_argument("--quick", action="store_true")
parser.add_argument("--turns", type=int)
options = parser.parse_args()
QUICK = options.quick


def sequence_for(mgr: kp.Manager, tensor: kp.Tensor) -> kp.Sequence:
    groups = -(-tensor.size() // 1024)
    algorithm = mgr.algorithm([tensor], kp.compile(SHADER), workgroup=[groups, 1, 1])
    return mgr.sequence().record(kp.OpAlgoDispatch(algorithm))


def timed(function: Callable[[], Any], rounds: int) -> float:
    """Return the median milliseconds of calls, until torch's stream is done."""
    function()
    torch.cuda.synchronize()
    times = []
    for _ in range(rounds):
        start = perf_counter()
        function()
        torch.cuda.synchronize()
        times.append((perf_counter() - start) * 1e3)
    return median(times)


def through_the_host(x: Any, tensor: kp.Tensor, sequence: kp.Sequence) -> None:
    tensor.write(x.cpu().numpy())
    sequence.eval()
    x.copy_(torch.from_numpy(tensor.read()))


def with_slangpy(x: Any) -> list[tuple[str, Callable[[], None]]]:
    """Return the ways from torch through a kernel of slangpy's Vulkan device and back."""
    device = slangpy.create_device(type=slangpy.DeviceType.vulkan, enable_cuda_interop=True)
    module = slangpy.Module.load_from_source(device, "interop", SLANG)
    update = module.require_function("update")
    usage = slangpy.BufferUsage
    buffer = device.create_buffer(
        element_count=x.numel() // 4,
        struct_size=16,
        usage=usage.shared | usage.unordered_access | usage.shader_resource,
    )
    inside = buffer.to_torch(type=slangpy.DataType.float32)
    halved = slangpy.TorchModule(module).halved
    assert torch.equal(halved(torch.ones(64, device="cuda")).cpu(), torch.full((64,), 1.5))

    def by_arguments() -> None:
        x.mul_(1.0)
        halved(x, _result=x)
        x.mul_(1.0)

    def in_place() -> None:
        stream = torch.cuda.current_stream().cuda_stream
        inside.mul_(1.0)
        device.sync_to_cuda(stream)
        update(slangpy.grid((x.numel() // 4,)), buffer)
        device.sync_to_device(stream)
        inside.mul_(1.0)

    inside.fill_(1)
    in_place()
    torch.cuda.synchronize()
    assert bool((inside == 1.5).all())
    return [("slangpy, torch's tensors", by_arguments), ("slangpy, its shared buffer", in_place)]


def large_blocks(mgr: kp.Manager, megabytes: int) -> None:
    count = megabytes << 18
    stream = torch.cuda.current_stream()
    shared = mgr.shared_tensor(count)
    x = torch.from_dlpack(shared)
    assert x.data_ptr() == shared.cuda_address
    x.fill_(1)
    in_place = sequence_for(mgr, shared)

    def evaluate() -> None:
        x.mul_(1.0)
        in_place.eval_async(cuda_stream=stream)
        x.mul_(1.0)
        in_place.eval_await(0)

    with kp.torch_pool(mgr):
        y = torch.ones(count, device="cuda")

    def pooled() -> None:
        y.mul_(1.0)
        tensor = mgr.from_dlpack(y, copy=False)
        sequence_for(mgr, tensor).eval_async(cuda_stream=stream)
        y.mul_(1.0)

    z = torch.ones(count, device="cuda")

    def copied() -> None:
        z.mul_(1.0)
        tensor = mgr.from_dlpack(z)
        sequence_for(mgr, tensor).eval_async(cuda_stream=stream)
        z.copy_(torch.from_dlpack(tensor))

    host = mgr.tensor(shape=(count,), memory_type="storage")
    host_sequence = sequence_for(mgr, host)

    def by_host() -> None:
        z.mul_(1.0)
        through_the_host(z, host, host_sequence)
        z.mul_(1.0)

    def torch_alone() -> None:
        z.mul_(1.0)
        z.mul_(0.5).add_(1.0)
        z.mul_(1.0)

    ways = [
        ("in place, shared tensor", evaluate),
        ("in place, torch_pool", pooled),
        ("one device copy each way", copied),
        ("through the host", by_host),
        ("the same by torch alone", torch_alone),
    ]
    if slangpy:
        ways += with_slangpy(z)
    rounds = 5 if QUICK else 15
    in_place_ms = 0.0
    for name, function in ways:
        milliseconds = timed(function, rounds)
        in_place_ms = in_place_ms or milliseconds
        print(f"{megabytes:4} MiB {name:26} {milliseconds:9.3f} ms, "
              f"{milliseconds / in_place_ms:6.1f} x the first")  # fmt: skip


def turns(mgr: kp.Manager, rounds: int) -> None:
    value = mgr.shared_tensor(1, np.int32)
    number = torch.from_dlpack(value).fill_(1)
    step = mgr.sequence().record(
        kp.OpAlgoDispatch(mgr.algorithm([value], kp.compile(STEP), workgroup=[1, 1, 1]))
    )
    stream = torch.cuda.current_stream()
    calls = []
    expected = 1
    torch.cuda.synchronize()
    start = perf_counter()
    for _ in range(rounds):
        number.mul_(3)
        before = perf_counter()
        step.eval_async(cuda_stream=stream)
        calls.append(perf_counter() - before)
        step.eval_await(0)
        expected = (expected * 15 + 7) % 2**32
    torch.cuda.synchronize()
    each = (perf_counter() - start) / rounds * 1e6
    right = int(number) % 2**32 == expected
    print(f"torch kernel, kp kernel, {rounds} times in turns: {each:.0f} us a pair of hops, "
          f"{'right' if right else 'WRONG'}; eval_async(cuda_stream=) takes "
          f"{median(calls) * 1e6:.1f} us")  # fmt: skip


def hops(mgr: kp.Manager) -> None:
    stream = torch.cuda.current_stream()
    shared = mgr.shared_tensor(1024)
    x = torch.from_dlpack(shared).fill_(1)
    sequence = sequence_for(mgr, shared)
    times = []
    for _ in range(30):
        torch.cuda.synchronize()
        torch.cuda._sleep(20_000_000)  # some 10 ms
        before = perf_counter()
        sequence.eval_async(cuda_stream=stream)
        times.append(perf_counter() - before)
        assert not sequence.event().done
        sequence.eval_await()
    print(f"eval_async behind a long kernel of torch: median {median(times) * 1e6:.1f} us, "
          f"max {max(times) * 1e6:.1f} us")  # fmt: skip
    times = []
    for _ in range(200):
        torch.cuda.synchronize()
        before = perf_counter()
        sequence.eval_async(cuda_stream=stream).eval_await()
        times.append(perf_counter() - before)
    print(f"eval_async(cuda_stream=) of an idle stream and the wait: {median(times) * 1e6:.1f} us")
    for name, function in (
        ("torch.from_dlpack(shared tensor)", lambda: torch.from_dlpack(shared)),
        ("Manager.from_dlpack(shared memory)", lambda: mgr.from_dlpack(x)),
        ("Manager.shared_tensor(1024)", lambda: mgr.shared_tensor(1024)),
    ):
        before = perf_counter()
        for _ in range(500):
            function()
        print(f"{name}: {(perf_counter() - before) / 500 * 1e6:.1f} us")


def flatness(mgr: kp.Manager) -> None:
    def exchange() -> None:
        tensor = mgr.shared_tensor(256)
        mgr.from_dlpack(torch.from_dlpack(tensor))

    def resident() -> int:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * resource.getpagesize() >> 10

    rounds = 2000 if QUICK else 100_000
    for _ in range(2000):
        exchange()
    before = resident()
    start = perf_counter()
    for _ in range(rounds):
        exchange()
    print(f"{rounds} exchanges: resident memory grew by {resident() - before} KiB, "
          f"{(perf_counter() - start) / rounds * 1e6:.1f} us each")  # fmt: skip


def main() -> None:
    mgr = kp.Manager(device_type="gpu")
    print(torch.cuda.get_device_name(), "torch", torch.__version__, "numpy", np.__version__)
    if options.turns:
        turns(mgr, options.turns)
        return
    for megabytes in (4, 64, 256):
        large_blocks(mgr, megabytes)
    turns(mgr, 300 if QUICK else 30_000)
    hops(mgr)
    flatness(mgr)


main()
