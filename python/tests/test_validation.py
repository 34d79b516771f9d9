# SPDX-License-Identifier: Apache-2.0
"""A planted fault, so that a validation pass that notices nothing is noticed."""

from __future__ import annotations

import os

import pytest

import kp


@pytest.mark.skipif(
    os.environ.get("KOMPUTE_VALIDATION") != "core", reason="for the pass with core validation"
)
def test_planted_fault_is_noticed(mgr: kp.Manager, validation: list[str]) -> None:
    tensor = mgr.tensor([1.0])
    mgr.sequence().record(
        kp.OpMemoryBarrier(
            [tensor],
            kp.AccessFlags.shader_write,
            kp.AccessFlags.shader_read,
            kp.PipelineStageFlags.transfer,  # a stage that has no shader accesses
            kp.PipelineStageFlags.compute_shader,
        )
    )
    assert tensor.is_init()
    assert any("VUID" in message for message in validation), validation
    validation.clear()
