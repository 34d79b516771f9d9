# SPDX-License-Identifier: Apache-2.0
"""Semaphores shared by devices and processes."""

from __future__ import annotations

import os

import kp
import numpy as np
import pytest

ADD = """#version 450
layout(local_size_x = 1) in;
layout(binding = 0) buffer X { float x[]; };
void main() { x[gl_GlobalInvocationID.x] += 1.0; }
"""


@pytest.fixture
def semaphore(mgr: kp.Manager) -> kp.Semaphore:
    try:
        return mgr.exportable_semaphore()
    except kp.Unsupported as error:
        assert "VK_KHR_external_semaphore_fd" in str(error) or "timeline" in str(error)
        pytest.skip(str(error))


def test_work_waits_for_values_and_is_followed_by_them(
    mgr: kp.Manager, semaphore: kp.Semaphore
) -> None:
    tensor = mgr.tensor(np.zeros(3))
    sequence = mgr.sequence().record(kp.OpAlgoDispatch(mgr.algorithm([tensor], ADD)))
    sequence.eval_async(wait_for=[semaphore.at(2)])
    semaphore.signal_after(sequence.event(), 3)
    assert semaphore.value == 0
    semaphore.signal(2)
    assert semaphore.at(3).wait(10)
    sequence.eval_await()
    assert tensor.data().tolist() == [1, 1, 1]
    with pytest.raises(kp.InvalidArgument, match="only grows"):
        semaphore.signal(1)


def test_semaphores_are_opened_by_their_descriptor(
    mgr: kp.Manager, semaphore: kp.Semaphore
) -> None:
    fd = semaphore.export_handle()
    opened = mgr.import_semaphore(fd)
    os.close(fd)
    opened.signal(5)
    assert semaphore.value == 5
    with pytest.raises(kp.InvalidArgument, match="is not open"):
        mgr.import_semaphore(1 << 20)  # fd may be open again: drivers open files, too
