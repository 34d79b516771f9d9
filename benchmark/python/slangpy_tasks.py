#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the tasks of docs/computing/arrays.md with slangpy, checks the results, and counts the lines.

    pip install slangpy numpy
    python3 benchmark/python/slangpy_tasks.py

A task's lines are the lines of its Slang and its Python. Imports, the device and the input do not
count. Sorts and Fourier transforms are missing, because slangpy has no function for them.
"""

from __future__ import annotations

import sys

import numpy as np
import slangpy as spy

#: A task's Slang, its Python, and an expression that says whether the result is right.
TASKS = {
    "saxpy": (
        "float saxpy(float a, float x, float y) { return a * x + y; }",
        """
m = module(slang)
z = m.saxpy(2.0, x, y, _result="numpy")
""",
        "np.allclose(z, 2 * x + y)",
    ),
    "sum": (
        "void add(float x, RWByteAddressBuffer t) { float old; t.InterlockedAddF32(0, x, old); }",
        """
m = module(slang)
t = device.create_buffer(data=np.zeros(1, np.float32), usage=spy.BufferUsage.unordered_access)
m.add(x, t)
""",
        "np.allclose(t.to_numpy().view(np.float32), x.sum(), atol=1e-2)",
    ),
    "histogram": (
        """
void count(float x, RWByteAddressBuffer bins) {
    int bin = int(floor(x + 4));
    if (bin >= 0 && bin < 8)
        bins.InterlockedAdd(4 * bin, 1);
}
""",
        """
m = module(slang)
bins = device.create_buffer(data=np.zeros(8, np.uint32), usage=spy.BufferUsage.unordered_access)
m.count(x, bins)
""",
        "np.array_equal(bins.to_numpy().view(np.uint32), np.histogram(x, 8, (-4, 4))[0])",
    ),
    "blur": (
        """
import slangpy;
float3 blur(int2 at, Tensor<float3, 2> photo) {
    float3 sum = 0;
    for (int i = 0; i < 9; ++i)
        sum += photo[at.y + i / 3, at.x + i % 3];
    return sum / 9;
}
""",
        """
m = module(slang)
blurred = m.blur(spy.grid((18, 28)), photo, _result="numpy")
""",
        "np.allclose(blurred, expected_blur, atol=1e-5)",
    ),
    "product of matrices": (
        """
import slangpy;
float product(int2 at, Tensor<float, 2> a, Tensor<float, 2> b, int n) {
    float sum = 0;
    for (int k = 0; k < n; ++k)
        sum += a[at.y, k] * b[k, at.x];
    return sum;
}
""",
        """
m = module(slang)
c = m.product(spy.grid((64, 8)), a, b, 32, _result="numpy")
""",
        "np.allclose(c, a.to_numpy() @ b.to_numpy(), atol=1e-4)",
    ),
    "random numbers": (
        "float normal(float2 u) { return sqrt(-2 * log(1 - u.x)) * cos(6.2831853 * u.y); }",
        """
m = module(slang)
r = spy.Tensor.empty(device, shape=(100000,), dtype="float")
m.normal(spy.rand_float(0, 1, dim=2, seed=7), _result=r)
""",
        "abs(r.to_numpy().mean()) < 0.02 and abs(r.to_numpy().std() - 1) < 0.02",
    ),
}


def main() -> int:
    device = spy.create_device(type=spy.DeviceType.vulkan)
    rng = np.random.default_rng(1)
    pixels = rng.random((20, 30, 3)).astype(np.float32)
    photo = spy.Tensor.empty(device, shape=(20, 30), dtype="float3")
    photo.copy_from_numpy(pixels)
    given = {
        "np": np,
        "spy": spy,
        "device": device,
        "x": rng.normal(size=1000).astype(np.float32),
        "y": rng.normal(size=1000).astype(np.float32),
        "photo": photo,
        "expected_blur": sum(pixels[i // 3 : 18 + i // 3, i % 3 : 28 + i % 3] for i in range(9))
        / 9,
        "a": spy.Tensor.from_numpy(device, rng.random((64, 32)).astype(np.float32)),
        "b": spy.Tensor.from_numpy(device, rng.random((32, 8)).astype(np.float32)),
    }
    wrong = 0
    for name, (slang, python, is_right) in TASKS.items():

        def module(source: str) -> spy.Module:
            return spy.Module(device.load_module_from_source(name.split()[0], source))

        names = {**given, "slang": slang, "module": module}
        exec(python, names)
        right = eval(is_right, names)
        wrong += not right
        lines = len(slang.strip().splitlines()) + len(python.strip().splitlines())
        print(f"{name:20} {lines:3} lines{'' if right else '   WRONG'}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
