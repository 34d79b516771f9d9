# SPDX-License-Identifier: Apache-2.0
"""Measures arrays: kp and, if they are installed, CuPy and PyTorch (for the largest elements).

  PYTHONPATH=<build>/python python3 arrays.py [elements]

Prints the best of several runs: expressions over many elements, copies from and to NumPy, calls with few
elements (until the call returns), and the first result of a process.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np

import kp

LARGE = int(sys.argv[1]) if len(sys.argv) > 1 else 1 << 28
COPIED = min(LARGE, 1 << 26)  # floats, 256 MiB
SMALL = 1000
CALLS = 200

try:
    import cupy
except ImportError:
    cupy = None
try:
    import torch
except ImportError:
    torch = None

FIRST = {
    "kp": "import kp; print(kp.array([1, 2, 3]).sum())",
    "CuPy": "import cupy; print(cupy.array([1, 2, 3]).sum())",
}


def wait_for_kp() -> None:
    kp.default_manager().default_queue.finish()


def wait_for_cupy() -> None:
    cupy.cuda.Device().synchronize()


def best(work: Callable[[], Any], wait: Callable[[], None], runs: int = 12) -> float:
    """Seconds of a run, with the wait for the device."""
    times = []
    for _ in range(runs):
        wait()
        start = perf_counter()
        result = work()
        wait()
        times.append(perf_counter() - start)
        del result
    return min(times)


def call(work: Callable[[], Any], wait: Callable[[], None]) -> float:
    """Seconds until a call returns, while the device keeps up."""
    times = []
    for _ in range(12):
        wait()
        start = perf_counter()
        for _ in range(CALLS):
            work()
        times.append((perf_counter() - start) / CALLS)
        wait()
    return min(times)


def row(label: str, ours: float, theirs: float | None, unit: float, name: str) -> None:
    other = f"{theirs * unit:10.3f}{theirs / ours:8.2f}" if theirs is not None else ""
    print(f"{label:44}{ours * unit:10.3f}{other}  {name}", flush=True)


def large() -> None:
    """Expressions over many elements."""
    host = [np.random.default_rng(i).random(LARGE, np.float32) for i in range(3)]
    a, b, c = (kp.array(each) for each in host)
    ours = best(lambda: (a * b + c).evaluate(), wait_for_kp)
    total = best(lambda: (a * b + c).sum().evaluate(), wait_for_kp)
    plain = best(lambda: a.sum().evaluate(), wait_for_kp)
    del a, b, c
    hand = apart = cupy_total = cupy_sum = None
    if cupy is not None:
        x, y, z = (cupy.asarray(each) for each in host)
        kernel = cupy.ElementwiseKernel("T x, T y, T z", "T w", "w = x * y + z", "madd")
        hand = best(lambda: kernel(x, y, z), wait_for_cupy)
        apart = best(lambda: x * y + z, wait_for_cupy)
        cupy_total = best(lambda: (x * y + z).sum(), wait_for_cupy)
        cupy_sum = best(lambda: x.sum(), wait_for_cupy)
        del x, y, z
        cupy.get_default_memory_pool().free_all_blocks()
    row(f"a * b + c, {LARGE} floats; ElementwiseKernel", ours, hand, 1e3, "ms")
    row("a * b + c; the expression", ours, apart, 1e3, "ms")
    row("(a * b + c).sum()", total, cupy_total, 1e3, "ms")
    row("a.sum()", plain, cupy_sum, 1e3, "ms")


def largest() -> None:
    """The largest of many elements."""
    host = np.random.default_rng(0).random(LARGE, np.float32)
    x = kp.default_manager().tensor(host)
    theirs = None
    if torch is not None and torch.cuda.is_available():
        y = torch.from_numpy(host).cuda()
        theirs = best(lambda: torch.topk(y, 100), torch.cuda.synchronize)
        del y
        torch.cuda.empty_cache()
    row(f"top_k, 100 of {LARGE} floats; torch.topk", best(lambda: kp.top_k(x, 100), wait_for_kp),
        theirs, 1e3, "ms")  # fmt: skip


def copies() -> None:
    """From NumPy and back."""
    host = np.random.default_rng(1).random(COPIED, np.float32)
    x = kp.array(host)
    to = best(lambda: kp.array(host), wait_for_kp, 6)
    back = best(x.numpy, wait_for_kp, 6)
    cupy_to = cupy_back = None
    if cupy is not None:
        y = cupy.asarray(host)
        cupy_to = best(lambda: cupy.asarray(host), wait_for_cupy, 6)
        cupy_back = best(lambda: cupy.asnumpy(y), wait_for_cupy, 6)
    row(f"array(numpy), {COPIED * 4 >> 20} MiB", to, cupy_to, 1e3, "ms")
    row("array.numpy()", back, cupy_back, 1e3, "ms")


def calls() -> None:
    """Calls with few elements."""
    source = "kernel void axpy(float a, in float x[], inout float y[]) { y[i] += a * x[i]; }"
    kernel = kp.kernel(source)
    line = kp.elementwise("T x, T y, T a", "T z", "z = a * x + y")
    a, b, c = (kp.ones(SMALL, np.float32).evaluate() for _ in range(3))
    manager = kp.default_manager()
    x, y = (manager.tensor(np.ones(SMALL, np.float32)) for _ in range(2))
    ours = {
        "kernel(a, tensor, tensor)": call(lambda: kernel(2.0, x, y), wait_for_kp),
        "kernel(a, array, array)": call(lambda: kernel(2.0, a, b), wait_for_kp),
        "elementwise(x, y, a)": call(lambda: line(a, b, 2.0), wait_for_kp),
        "(a * b + c).evaluate()": call(lambda: (a * b + c).evaluate(), wait_for_kp),
        "(2 * a + 1).evaluate()": call(lambda: (2 * a + 1).evaluate(), wait_for_kp),
        "a.sum()": call(lambda: a.sum(), wait_for_kp),
        "a + b, not computed": call(lambda: a + b, wait_for_kp),
    }
    theirs: dict[str, float] = {}
    if cupy is not None:
        u, v, w = (cupy.ones(SMALL, cupy.float32) for _ in range(3))
        raw = cupy.RawKernel(
            'extern "C" __global__ void axpy(float a, const float* x, float* y)'
            "{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < 1000) y[i] += a * x[i]; }",
            "axpy",
        )
        saxpy = cupy.ElementwiseKernel("T x, T y, T a", "T z", "z = a * x + y", "saxpy")
        factor = np.float32(2)
        theirs = {
            "kernel(a, tensor, tensor)": call(
                lambda: raw((16,), (64,), (factor, u, v)), wait_for_cupy
            ),
            "elementwise(x, y, a)": call(lambda: saxpy(u, v, factor), wait_for_cupy),
            "(a * b + c).evaluate()": call(lambda: u * v + w, wait_for_cupy),
            "(2 * a + 1).evaluate()": call(lambda: 2 * u + 1, wait_for_cupy),
            "a.sum()": call(lambda: u.sum(), wait_for_cupy),
        }
        theirs["kernel(a, array, array)"] = theirs["kernel(a, tensor, tensor)"]
        theirs["a + b, not computed"] = call(lambda: u + v, wait_for_cupy)
    for label, seconds in ours.items():
        row(label, seconds, theirs.get(label), 1e6, "us")


def first() -> None:
    """From the start of an interpreter to a printed sum, with warm caches."""
    times: dict[str, float] = {}
    for name, program in FIRST.items():
        if name == "CuPy" and cupy is None:
            continue
        for _ in range(4):
            start = perf_counter()
            subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.DEVNULL)
            times[name] = min(times.get(name, 1e9), perf_counter() - start)
    row("first result of a process", times["kp"], times.get("CuPy"), 1, "s")


def main() -> None:
    print(f"{'':44}{'kp':>10}{'CuPy':>10}{'ratio':>8}   (above 1: kp is faster)")
    calls()
    first()
    copies()
    large()
    largest()


if __name__ == "__main__":
    os.environ.setdefault("CUPY_CACHE_SAVE_CUDA_SOURCE", "0")
    main()
