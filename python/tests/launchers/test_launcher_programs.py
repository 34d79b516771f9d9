# SPDX-License-Identifier: Apache-2.0
"""Launchers and lists of them that become programs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kp
from kp import launcher as kl

SCALE = """#version 450
layout(local_size_x = 1) in;
layout(push_constant) uniform P { float scale; };
layout(binding = 0) readonly buffer A { float a[]; };
layout(binding = 1) writeonly buffer B { float b[]; };
void main() { uint i = gl_GlobalInvocationID.x; b[i] = scale * a[i]; }
"""


def tensor(mgr: kp.Manager, *numbers: float) -> kp.Tensor:
    return mgr.tensor(np.array(numbers, np.float32))


def scaling(a: kp.Tensor, b: kp.Tensor) -> Any:
    return kl.ParametrizedKernelLauncher(
        "scale", SCALE, {"scale": "scale"}, {"A": a, "B": b}, default_global_work_size=3
    )


def reloaded(program: kp.Program) -> kp.Program:
    return kp.Program.parse(program.content(), device=program.device)


@pytest.mark.unchecked
def test_a_launcher_becomes_a_program_with_the_parameters_of_a_call(mgr: kp.Manager) -> None:
    a, b = tensor(mgr, 1, 2, 3), tensor(mgr, 0, 0, 0)
    program = reloaded(kp.Program.of(scaling(a, b), {"a": a}, {"b": b}, scale=2.5))
    np.testing.assert_array_equal(program(a=[2, 4, 6]), [5, 10, 15])
    np.testing.assert_array_equal(b.data(), [0, 0, 0])


@pytest.mark.unchecked
def test_a_list_of_launchers_becomes_a_program(mgr: kp.Manager) -> None:
    a, b, c = tensor(mgr, 1, 2, 3), tensor(mgr, 0, 0, 0), tensor(mgr, 0, 0, 0)
    step = kl.KernelListLauncher("step")
    step += scaling(a, b)
    step += kl.CopyLauncher("copy", b, c)
    step += scaling(b, a)
    program = reloaded(kp.Program.of(step, {"a": a}, {"a": a, "c": c}, scale=2.0))
    found = program(a=[1, 2, 3])
    assert isinstance(found, dict)
    np.testing.assert_array_equal(found["c"], [2, 4, 6])
    np.testing.assert_array_equal(found["a"], [4, 8, 12])


def test_what_is_wrong_about_launchers_is_said(mgr: kp.Manager) -> None:
    a, b = tensor(mgr, 1, 2, 3), tensor(mgr, 0, 0, 0)
    launcher = scaling(a, b)
    with pytest.raises(kp.InvalidArgument, match="parameter 'scale' is missing"):
        kp.Program.of(launcher, {"a": a}, {"b": b})
    with pytest.raises(kp.InvalidArgument, match="parameter 'size' is unknown"):
        kp.Program.of(launcher, {"a": a}, {"b": b}, scale=1.0, size=2)
    with pytest.raises(kp.InvalidArgument, match="'scale' is a float"):
        kp.Program.of(launcher, {"a": a}, {"b": b}, scale="1")
    with pytest.raises(kp.InvalidArgument, match="at least one tensor"):
        kp.Program.of(launcher, {}, {}, scale=1.0)
    with pytest.raises(TypeError, match="a sequence, a launcher or a list of launchers"):
        kp.Program.of(3, {"a": a}, {"b": b})  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="parameters are for launchers"):
        kp.Program.of(mgr.sequence(), {"a": a}, {"b": b}, scale=1.0)
    step = kl.KernelListLauncher("step")
    step += launcher
    step += kl.HostLauncher("host", lambda: None, [])
    with pytest.raises(kp.Unsupported, match="'host' runs on the host"):
        kp.Program.of(step, {"a": a}, {"b": b}, scale=1.0)
