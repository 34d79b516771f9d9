# SPDX-License-Identifier: Apache-2.0
"""A planted fault, which detects a validation pass that reports nothing."""

from __future__ import annotations

import os

import pytest

import kp


@pytest.mark.skipif(
    "core" not in os.environ.get("KOMPUTE_VALIDATION", ""), reason="only with core validation"
)
def test_validation_reports_a_planted_fault(mgr: kp.Manager, validation: list[str]) -> None:
    tensor = mgr.tensor([1.0])
    mgr.sequence().record(
        kp.OpMemoryBarrier(
            [tensor],
            kp.AccessFlags.shader_write,
            kp.AccessFlags.shader_read,
            kp.PipelineStageFlags.transfer,  # a stage without shader accesses
            kp.PipelineStageFlags.compute_shader,
        )
    )
    assert tensor.is_init()
    assert any("VUID" in message for message in validation), validation
    validation.clear()
