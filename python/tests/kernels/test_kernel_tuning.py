# SPDX-License-Identifier: Apache-2.0
"""Kernel.tune(): kernels that are called with arrays find and keep their fastest configuration."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from group_support import make_group

import kp

SHORT = """
kernel void wasteful(float a, in float x[], inout float y[]) {
    uint v = i;
    for (uint step = 0u; step < WASTE * 100u; ++step) v = v * 1664525u ^ (v >> 7);
    y[i] += a * x[i] + (v == 3141592653u ? 1.0 : 0.0) + WRONG;
}
"""
FULL = """#version 450
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint each = 1;
layout(binding = 0) buffer V { float v[]; };
layout(push_constant) uniform P { float factor; uvec3 kp_global_size; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    uint x = i;
    for (uint step = 0u; step < each * 100u; ++step) x = x * 1664525u ^ (x >> 7);
    if (i < kp_global_size.x) v[i] = v[i] * factor + (x == 3141592653u ? 1.0 : 0.0);
}
"""


def wasteful() -> kp.Kernel:
    return kp.kernel(SHORT, defines={"WASTE": 1, "WRONG": 0})


def test_the_fastest_variant_is_used_from_then_on(mgr: kp.Manager, tmp_path: Path) -> None:
    kernel = wasteful()
    x, y = mgr.tensor(np.ones(3000, np.float32)), mgr.tensor(np.full(3000, 5, np.float32))
    options: dict[str, Any] = {"local_size": [32, 64], "defines": {"WASTE": [60, 1]}}
    result = kernel.tune(2.0, x, y, cache_folder=tmp_path, **options)
    assert result.configuration["WASTE"] == 1
    assert result.configuration["local_size"] in (32, 64)
    assert result.benchmarks > 0
    assert (y.read() == 5).all()
    for expected in (7, 9, 11):
        assert kernel(2.0, x, y) is y
        assert (y.read() == expected).all()
    again = wasteful().tune(2.0, x, y, cache_folder=tmp_path, **options)
    assert again.benchmarks == 0
    assert again.configuration == result.configuration
    with kp.Manager() as other:
        z = other.tensor(np.zeros(3000, np.float32))
        kernel(3.0, other.tensor(np.ones(3000, np.float32)), z)
        assert (z.read() == 3).all()


def test_configurations_with_wrong_results_are_not_chosen(mgr: kp.Manager) -> None:
    kernel = wasteful()
    y = np.zeros(500, np.float32)
    result = kernel.tune(
        1.0,
        np.ones(500, np.float32),
        y,
        mgr=mgr,
        local_size=[64],
        defines={"WRONG": [1, 0], "WASTE": [1]},
        expect={"y": np.ones(500, np.float32)},
        cache_folder="off",
    )
    assert result.configuration["WRONG"] == 0
    assert (y == 0).all()
    assert (kernel(1.0, np.ones(500, np.float32), y, mgr=mgr) == 1).all()


def test_full_shaders_tune_their_constants(mgr: kp.Manager) -> None:
    kernel = kp.kernel(FULL, name="full")
    x = kp.ones(1000, np.float32, device=mgr)
    result = kernel.tune(
        x, 3.0, constants={"each": [80, 1]}, local_size=[32, 64], cache_folder="off"
    )
    assert result.configuration["each"] == 1
    for expected in (3, 9, 27):
        kernel(x, 3.0)
        assert (x == expected).all()
    kernel(x, 1.0, each=2)
    assert (x == 27).all()


def test_groups_use_what_was_tuned_on_their_devices() -> None:
    kernel = wasteful()
    with make_group() as group:
        for manager in group:
            x = kp.ones(100, np.float32, device=manager)
            kernel.tune(1.0, x, x.copy(), local_size=[32], cache_folder="off")
        x = kp.ones(999, np.float32, group=group)
        y = kp.zeros(999, np.float32, group=group)
        kernel(2.0, x, y)
        assert (y == 2).all()
        with pytest.raises(TypeError, match="tuned on one device"):
            kernel.tune(1.0, x, y)


def test_what_cannot_be_tuned_is_named(mgr: kp.Manager) -> None:
    x = mgr.tensor([1, 2, 3])
    fixed = kp.kernel(FULL.replace("local_size_x_id = 0", "local_size_x = 32"), name="fixed")
    with pytest.raises(ValueError, match="fixes its local size"):
        fixed.tune(x, 2.0, local_size=[32])
    with pytest.raises(TypeError, match="nothing to tune"):
        fixed.tune(x, 2.0)
    with pytest.raises(TypeError, match="no specialization constant 'every'"):
        fixed.tune(x, 2.0, constants={"every": [1]})
    with pytest.raises(ValueError, match="no values to try for 'each'"):
        fixed.tune(x, 2.0, constants={"each": []})
    with pytest.raises(TypeError, match="made from SPIR-V"):
        kp.kernel(fixed.spirv).tune(x, 2.0)


def test_a_wrong_expectation_does_not_spoil_later_tuning(mgr: kp.Manager, tmp_path: Path) -> None:
    text = "kernel void sums(in float x[], in float y[], out float s[]) { s[i] = x[i] + y[i]; }"
    x = mgr.tensor(np.ones(100, np.float32))
    s = mgr.tensor(np.zeros(100, np.float32))
    options: dict[str, Any] = {"local_size": [32, 64], "cache_folder": tmp_path}
    with pytest.raises(kp.ShaderError, match="instead of 7"):
        kp.kernel(text).tune(x, x, s, expect={"s": np.full(100, 7, np.float32)}, **options)
    kp.kernel(text).tune(x, x, s, **options)
    kp.kernel(text).tune(x, x, s, expect={"s": np.full(100, 2, np.float32)}, **options)


def test_choices_that_cannot_be_meant_are_refused(mgr: kp.Manager) -> None:
    kernel = kp.kernel("kernel void more(inout float x[]) { x[i] += 1.0; }")
    x = mgr.tensor(np.ones(100, np.float32))
    with pytest.raises(ValueError, match="from 1 to"):
        kernel.tune(x, local_size=[1 << 20])
    with pytest.raises(ValueError, match="from 1 to"):
        kernel.tune(x, local_size=[0])
    with pytest.raises(TypeError, match="list of integers"):
        kernel.tune(x, local_size=32)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="does not use the macro 'NOPE'"):
        kernel.tune(x, defines={"NOPE": [1, 2]})
    with pytest.raises(ValueError, match="'x' has 100 elements, but 3 values of it are expected"):
        kernel.tune(x, expect={"x": np.ones(3, np.float32)})
