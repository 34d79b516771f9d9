# SPDX-License-Identifier: Apache-2.0
"""kp.jit: local and shared arrays, atomics, subgroups, vectors and matrices."""

from __future__ import annotations


import numpy as np
from group_support import make_group
from jit_support import floats, same

import kp


def test_local_arrays() -> None:
    def median(a, b):
        window = [a, b, a + b, 1.0, 0.5]
        zeros = [0] * 3
        for k in range(len(window)):
            for j in range(len(window) - 1 - k):
                if window[j] > window[j + 1]:
                    window[j], window[j + 1] = window[j + 1], window[j]
            zeros[k % 3] += k
        return window[2] + zeros[1]

    same(median, floats(), floats()[::-1].copy())

    @kp.jit
    def matrix(out):
        i = kp.global_id()
        table = kp.local_array((2, 3), kp.int32)
        table[1, i % 3] = 7
        out[i] = table[1, i % 3] + table[0, 0] + table.shape[1] + table.size

    np.testing.assert_array_equal(matrix(np.zeros(4, np.int32)), [16] * 4)


@kp.jit(local_size=32)
def group_sums(x, sums, total):
    tile = kp.shared_array(kp.local_size(), kp.float32)
    t, i = kp.local_id(), kp.global_id()
    tile[t] = x[i] if i < x.size else 0.0
    kp.barrier()
    step = kp.local_size() // 2
    while step > 0:
        if t < step:
            tile[t] += tile[t + step]
        kp.barrier()
        step //= 2
    if t == 0:
        sums[kp.group_id()] = tile[0]
        kp.atomic_add(total, 0, tile[0])


def test_shared_arrays_barriers_and_atomics() -> None:
    x, sums, total = floats(100), np.zeros(4, np.float32), np.zeros(1, np.float32)
    group_sums(x, sums, total)
    np.testing.assert_allclose(
        sums, [x[k : k + 32].sum() for k in range(0, 100, 32)], rtol=1e-4, atol=1e-4
    )
    np.testing.assert_allclose(total[0], x.sum(), rtol=1e-4)


def test_atomics_of_integers() -> None:
    @kp.jit
    def all_of_them(x, out):
        v = x[kp.global_id()]
        kp.atomic_add(out[0], v)
        kp.atomic_sub(out[1], v)
        kp.atomic_min(out[2], v)
        kp.atomic_max(out, 3, v)
        kp.atomic_and(out[4], v)
        kp.atomic_or(out[5], v)
        kp.atomic_xor(out[6], v)
        kp.atomic_exchange(out[7], 5)
        kp.atomic_compare_exchange(out[8], 0, 6)

    for dtype in (np.int32, np.uint32):
        x = np.arange(1, 8, dtype=dtype)
        out = np.array([0, 100, 50, 0, 7, 0, 0, 0, 0], dtype)
        all_of_them[x.size](x, out)
        np.testing.assert_array_equal(out, [28, 72, 1, 7, 0, 7, 0, 5, 6])


def test_atomics_of_floats() -> None:
    @kp.jit
    def all_of_them(x, out):
        v = x[kp.global_id()]
        low = kp.shared_array(1, kp.float32)
        low[0] = 100.0
        kp.barrier()
        kp.atomic_min(low[0], v)
        kp.barrier()
        kp.atomic_add(out[0], v)
        kp.atomic_sub(out[1], v)
        kp.atomic_min(out[2], low[0])
        kp.atomic_max(out, 3, v)
        kp.atomic_exchange(out[4], 5)

    x = np.arange(1, 65, dtype=np.float32) / 2
    given = np.array([0, 100, 50, np.nan, 0], np.float32)
    for out in (all_of_them[64](x, given.copy()), all_of_them.python(x, given.copy(), threads=64)):
        np.testing.assert_array_equal(out, [1040, -940, 0.5, 32, 5])


def test_a_histogram() -> None:
    @kp.jit
    def histogram(x, bins):
        kp.atomic_add(bins[x[kp.global_id()] % 10], 1)

    x = np.random.default_rng(1).integers(0, 1000, 3000, np.int32)
    bins = histogram(x, np.zeros(10, np.uint32))
    np.testing.assert_array_equal(bins, np.bincount(x % 10, minlength=10))


def test_subgroups_reduce() -> None:
    @kp.jit
    def sums(x, out):
        i = kp.global_id()
        s = kp.subgroup_add(x[i])
        top = kp.subgroup_max(x[i])
        before = kp.subgroup_exclusive_add(1)
        if kp.subgroup_elect():
            kp.atomic_add(out[0], s)
        if before != kp.subgroup_lane() or top < x[i] or kp.subgroup_any(x[i] < 0):
            kp.atomic_add(out[1], 1)

    out = np.zeros(2, np.int32)
    sums(np.arange(128, dtype=np.int32), out)
    np.testing.assert_array_equal(out, [128 * 127 // 2, 0])


def test_global_size_strides_loops() -> None:
    @kp.jit
    def stride(x, out):
        i = kp.global_id()
        total = 0.0
        for k in range(i, x.size, kp.global_size()):
            total += x[k]
        out[i] = total

    x = np.arange(100, dtype=np.float32)
    out = stride[7](x, np.zeros(7, np.float32))
    np.testing.assert_array_equal(out, [x[k::7].sum() for k in range(7)])


def test_vectors() -> None:
    @kp.jit
    def turn(p: "vec3[:]", q: "vec3[:]", axis: "vec3"):
        i = kp.global_id()
        v = p[i]
        w = np.cross(axis, v) * 2 + kp.vec3(1, v.xy) + kp.vec3(0.5)
        w.y = v.x
        w[2] -= kp.normalize(v) @ axis + kp.length(v.zx) + np.dot(v, v)
        q[i] = w
        q[i].x *= 3

    rng = np.random.default_rng(3)
    p = rng.normal(size=(9, 3)).astype(np.float32)
    axis = np.array([1, 2, 3], np.float32)
    w = np.cross(axis, p) * 2 + np.column_stack([np.ones(9), p[:, :2]]) + 0.5
    w[:, 1] = p[:, 0]
    length = np.sqrt((p * p).sum(1))
    w[:, 2] -= p @ axis / length + np.hypot(p[:, 2], p[:, 0]) + length**2
    w[:, 0] *= 3
    np.testing.assert_allclose(turn(p, np.zeros_like(p), (1.0, 2.0, 3.0)), w, rtol=1e-4, atol=1e-5)


def test_matrices_are_numpys() -> None:
    @kp.jit
    def products(m: "mat2x3[:]", v: "vec3[:]", out: "vec2[:]"):
        i = kp.global_id()
        turn = kp.mat2((0, -1), (1, 0))
        a = turn @ m[i]
        a[0, 1] += 5
        scaled = a * 2 + m[i] * m[i]
        out[i] = scaled @ v[i] + v[i] @ scaled.T + scaled[1].xy

    rng = np.random.default_rng(4)
    m = rng.normal(size=(5, 2, 3)).astype(np.float32)
    v = rng.normal(size=(5, 3)).astype(np.float32)
    a = np.array([[0, -1], [1, 0]]) @ m
    a[:, 0, 1] += 5
    scaled = a * 2 + m * m
    expected = 2 * np.einsum("kij,kj->ki", scaled, v) + scaled[:, 1, :2]
    np.testing.assert_allclose(
        products(m, v, np.zeros((5, 2), np.float32)), expected, rtol=1e-4, atol=1e-5
    )


def test_more_work_items_than_the_device_takes_in_x() -> None:
    @kp.jit(local_size=1)
    def count(out):
        out[kp.global_id()] += kp.global_id()

    out = count(np.zeros(70000, np.int32))
    np.testing.assert_array_equal(out, np.arange(70000))


def test_arrays_of_groups_are_arguments() -> None:
    @kp.jit
    def add(a, x, y):
        i = kp.global_id()
        y[i] += a * x[i]

    with make_group() as group:
        x = kp.array(np.arange(7, dtype=np.float32), group=group)
        y = kp.ones(7, group=group)
        assert add(2.0, x, y) is y
        np.testing.assert_array_equal(y.numpy(), 2 * np.arange(7) + 1)
