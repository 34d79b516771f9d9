# SPDX-License-Identifier: Apache-2.0
"""The API of Kompute's first releases. See kp._early."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from conftest import INCREMENT, MULTIPLY

import kp

SUM = MULTIPLY.replace("a[i] * b[i]", "a[i] + b[i]")


def test_runs_shaders_in_separate_sequences(
    mgr: kp.Manager, capsys: pytest.CaptureFixture[str]
) -> None:
    mult_shader, sum_shader = kp.compile(MULTIPLY), kp.compile(SUM)

    t1 = mgr.build_tensor([2, 2, 2])
    t2 = mgr.build_tensor([1, 2, 3])
    t3 = mgr.build_tensor([1, 2, 3])

    sq_mult = mgr.create_sequence("SQ_MULT")
    sq_sum = mgr.create_sequence("SQ_SUM")
    sq_sync = mgr.create_sequence("SQ_SYNC")

    sq_mult.begin()
    sq_mult.record_algo_data([t1, t2, t3], mult_shader)
    sq_mult.end()

    sq_sum.begin()
    sq_sum.record_algo_data([t3, t2, t1], sum_shader)
    sq_sum.end()

    sq_sync.begin()
    sq_sync.record_tensor_sync_local([t1, t3])
    sq_sync.end()

    for _ in range(10):
        sq_mult.eval()
        sq_sum.eval()
    sq_sync.eval()

    first, second, third = np.full(3, 2.0), np.array([1.0, 2.0, 3.0]), np.zeros(3)
    for _ in range(10):
        third = first * second
        first = third + second
    print(t1.data(), t2.data(), t3.data())
    assert capsys.readouterr().out == f"{t1.data()} {t2.data()} {t3.data()}\n"
    assert np.allclose(t1.data(), first)
    assert np.allclose(t3.data(), third)


def test_evaluates_operations_in_anonymous_sequences(mgr: kp.Manager, tmp_path: Path) -> None:
    a, b, c = mgr.build_tensor([2, 2, 2]), mgr.build_tensor([1, 2, 3]), mgr.build_tensor([0, 0, 0])
    mgr.eval_algo_mult_def([a, b, c])
    mgr.eval_tensor_sync_local_def([c])
    assert c.data().tolist() == [2, 4, 6]

    source = tmp_path / "sum.comp"
    source.write_text(SUM)
    mgr.eval_algo_file_def([a, b, c], str(source))
    mgr.eval_tensor_sync_local_def([c])
    assert c.data().tolist() == [3, 4, 5]

    binary = tmp_path / "multiply.spv"
    binary.write_bytes(kp.compile(MULTIPLY))
    mgr.eval_algo_file_def([a, b, c], binary)
    mgr.eval_tensor_copy_def([c, a])
    assert a.data().tolist() == [2, 4, 6]


def test_evaluates_operations_in_named_sequences(mgr: kp.Manager) -> None:
    tensor = mgr.build_tensor([1.0])
    sequence = mgr.create_sequence("NAME")
    assert mgr.create_sequence("NAME") is sequence
    mgr.eval_algo_data([tensor], "NAME", INCREMENT)
    mgr.eval_tensor_sync_local([tensor], "NAME")
    assert tensor.data().tolist() == [2]
    tensor.set_data([5.0])
    mgr.eval_tensor_sync_device([tensor], "NAME")
    mgr.eval_async_algo_data([tensor], "NAME", INCREMENT)
    mgr.eval_await("NAME")
    mgr.eval_tensor_sync_local([tensor], "NAME")
    assert tensor[0] == 6
    with pytest.raises(kp.InvalidArgument, match=r"'OTHER'.*'NAME'"):
        mgr.eval_tensor_sync_local([tensor], "OTHER")


def test_waits_for_all_anonymous_sequences(mgr: kp.Manager) -> None:
    tensors = [mgr.build_tensor([float(i)]) for i in range(4)]
    for tensor in tensors:
        mgr.eval_async_algo_data_def([tensor], INCREMENT)
    mgr.eval_await_def()
    mgr.eval_await_def()
    mgr.eval_tensor_sync_local_def(tensors)
    assert [tensor[0] for tensor in tensors] == [1, 2, 3, 4]


def test_records_every_operation(mgr: kp.Manager, tmp_path: Path) -> None:
    a, b, c = mgr.build_tensor([2.0]), mgr.build_tensor([3.0]), mgr.build_tensor([0.0])
    source = tmp_path / "sum.comp"
    source.write_text(SUM)
    sequence = mgr.create_sequence()
    sequence.begin()
    sequence.record_tensor_create([a, b])
    sequence.record_tensor_sync_device([a])
    sequence.record_algo_mult([a, b, c])  # c = 6
    sequence.record_tensor_copy([c, a])  # a = 6
    sequence.record_algo_file([a, b, c], str(source))  # c = 9
    sequence.record_algo_data([c, c, a], kp.compile(MULTIPLY), (1, 1, 1))  # a = 81
    sequence.record_tensor_sync_local([a, c])
    sequence.end()
    sequence.eval()
    assert a[0] == 81
    assert c[0] == 9


def test_passes_specialization_constants(mgr: kp.Manager) -> None:
    tensor = mgr.build_tensor([1.0])
    shader = INCREMENT.replace(
        "void main", "layout(constant_id = 0) const float step = 1.0;\nvoid main"
    )
    mgr.eval_algo_data_def([tensor], shader.replace("+= 1.0", "+= step"), (1, 1, 1), [4.0])
    mgr.eval_tensor_sync_local_def([tensor])
    assert tensor[0] == 5


def test_tensors_are_sequences_of_numbers(mgr: kp.Manager) -> None:
    tensor = mgr.build_tensor([1, 2, 3])
    assert len(tensor) == 3
    assert list(tensor) == [1, 2, 3]
    assert [tensor[i] for i in range(3)] == [1, 2, 3]
    tensor[1] = 7
    assert tensor.data().tolist() == [1, 7, 3]
    assert repr(tensor) == "<kp.Tensor shape=(3,) dtype=float32 memory_type=device>"
