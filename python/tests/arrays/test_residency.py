# SPDX-License-Identifier: Apache-2.0
"""The host's data reaches the device, and back, without sync operations."""

from __future__ import annotations

import logging
from collections.abc import Callable

import numpy as np
import pytest
from conftest import INCREMENT

import kp

DOUBLE = """#version 450
layout(local_size_x = 1) in;
layout(binding = 0) readonly buffer A { float a[]; };
layout(binding = 1) writeonly buffer B { float b[]; };
void main() { b[gl_GlobalInvocationID.x] = 2 * a[gl_GlobalInvocationID.x]; }"""


def test_a_new_tensor_can_be_read(mgr: kp.Manager) -> None:
    assert mgr.tensor([1, 2, 3]).read().tolist() == [1, 2, 3]
    image = mgr.image_t(np.arange(6, dtype=np.uint8).reshape(2, 3))
    assert image.read().ravel().tolist() == list(range(6))


def test_dispatches_find_data_and_views_show_results(mgr: kp.Manager) -> None:
    a, b = mgr.tensor([1, 2, 3]), mgr.tensor([0, 0, 0])
    sequence = mgr.sequence().record(kp.OpAlgoDispatch(mgr.algorithm([a, b], DOUBLE)))
    sequence.eval()
    assert b.data().tolist() == [2, 4, 6]
    a.data()[:] = 5
    sequence.eval()
    assert b.numpy().tolist() == [10, 10, 10]
    a[1:] = 7
    sequence.eval_async()
    sequence.eval_await()
    assert np.asarray(b).tolist() == [10, 14, 14]
    a.write([1, 1, 1])
    sequence.eval()
    assert list(b) == [2, 2, 2]


def test_an_assignment_counts_even_if_the_program_keeps_a_view(mgr: kp.Manager) -> None:
    a, b = mgr.tensor([1, 2, 3]), mgr.tensor([0, 0, 0])
    sequence = mgr.sequence().record(kp.OpAlgoDispatch(mgr.algorithm([a, b], DOUBLE)))
    view = a.data()
    sequence.eval()
    a[0] = 4
    sequence.eval()
    assert view[0] == 4
    assert b.data().tolist() == [8, 4, 6]


def test_launchers_find_data(mgr: kp.Manager) -> None:
    a, b = mgr.tensor([1, 2, 3]), mgr.tensor([0, 0, 0])
    double = kp.launcher.KernelLauncher("double", DOUBLE, [a, b], default_global_work_size=3)
    double().wait()
    assert b.data().tolist() == [2, 4, 6]
    for value in range(5):
        a[:] = value
        double()
        assert b.data().tolist() == [2 * value] * 3


def test_sync_device_keeps_its_meaning(mgr: kp.Manager, caplog) -> None:
    a = mgr.tensor([1, 2, 3])
    sequence = mgr.sequence().record(kp.OpSyncDevice([a]))
    sequence.record(kp.OpAlgoDispatch(mgr.algorithm([a], INCREMENT)))
    for _ in range(3):
        sequence.eval()  # copies the host view each time
    assert a.read().tolist() == [2, 3, 4]
    a[:] = 10
    with caplog.at_level(logging.WARNING, "kp"):
        assert a.read().tolist() == [2, 3, 4]
        mgr.sequence().eval(kp.OpAlgoDispatch(mgr.algorithm([a], INCREMENT)))
    assert caplog.text.count("OpSyncDevice") == 2  # one message names it twice
    sequence.eval()
    assert a.data().tolist() == [11, 11, 11]


def put_last(tensor: kp.Tensor) -> None:
    kp.put(tensor, [3], [7])


def assign_slice(tensor: kp.Tensor) -> None:
    kp.asarray(tensor)[3:] = 7


def assign_indices(tensor: kp.Tensor) -> None:
    kp.asarray(tensor)[[3]] = 7


def assign_mask(tensor: kp.Tensor) -> None:
    array = kp.asarray(tensor)
    array[array == 4] = 7


def reduce_into_part(tensor: kp.Tensor) -> None:
    mgr = tensor.manager
    mgr.sequence().eval(kp.OpReduce(mgr.tensor([3, 4]), (tensor, 3, 1), "sum"))


@pytest.mark.parametrize(
    "write", [put_last, assign_slice, assign_indices, assign_mask, reduce_into_part]
)
def test_what_was_written_through_a_view_stays_if_the_work_writes_other_elements(
    mgr: kp.Manager, write: Callable[[kp.Tensor], None]
) -> None:
    tensor = mgr.tensor([1, 2, 3, 4])
    mgr.sequence().eval(kp.OpCopy([tensor, mgr.tensor([0, 0, 0, 0])]))
    tensor.data()[0] = 90
    write(tensor)
    assert tensor.data().tolist() == [90, 2, 3, 7]
