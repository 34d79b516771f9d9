# SPDX-License-Identifier: Apache-2.0
"""Tensors as in Kompute's releases before 0.7. See kp.compat.early."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import INCREMENT

import kp


@pytest.mark.parametrize("data", [[1, 2, 3], (1.0, 2.0, 3.0), np.array([1, 2, 3]), range(1, 4)])
def test_a_tensor_needs_no_manager(data: Any) -> None:
    tensor = kp.Tensor(data)
    assert isinstance(tensor, kp.Tensor)
    assert not tensor.is_init()
    assert tensor.data() == [1.0, 2.0, 3.0]
    assert tensor.size() == len(tensor) == 3
    assert tensor.tensor_type() == kp.TensorTypes.device
    assert repr(tensor) == "<kp.Tensor shape=(3,) dtype=float32 in host memory>"


def test_a_tensor_is_a_sequence_of_numbers_before_and_after_its_creation(mgr: kp.Manager) -> None:
    tensor = kp.Tensor([1, 2, 3])
    for _ in range(2):
        assert [tensor[i] for i in range(3)] == [1.0, 2.0, 3.0]
        assert type(tensor[0]) is float
        assert list(tensor) == [1.0, 2.0, 3.0]
        assert reversed(tensor) == [3.0, 2.0, 1.0]
        assert 2.0 in tensor
        assert 4.0 not in tensor
        tensor[1] = 7
        assert tensor.data() == [1.0, 7.0, 3.0]
        tensor.set_data([1, 2, 3])
        assert tensor.data() == [1.0, 2.0, 3.0]
        assert np.array_equal(np.asarray(tensor), [1, 2, 3])
        assert tensor.numpy().dtype == np.float32
        with pytest.raises(kp.InvalidArgument, match="data has 2 elements, but the tensor has 3"):
            tensor.set_data([1, 2])
        with pytest.raises(IndexError):
            tensor[3]
        mgr.eval_tensor_create_def([tensor])
        assert tensor.is_init()
    assert repr(tensor) == "<kp.Tensor shape=(3,) dtype=float32 memory_type=device>"


def test_data_is_a_list_and_a_copy(mgr: kp.Manager) -> None:
    tensor = mgr.build_tensor([1, 2, 3])
    before, array = tensor.data(), tensor.numpy()
    assert isinstance(before, list)
    assert f"{before}" == "[1.0, 2.0, 3.0]"
    assert before.tolist() == [1.0, 2.0, 3.0]
    mgr.eval_algo_data_def([tensor], INCREMENT)
    mgr.eval_tensor_sync_local_def([tensor])
    assert (before, tensor.data()) == ([1.0, 2.0, 3.0], [2.0, 3.0, 4.0])
    assert array.tolist() == [1.0, 2.0, 3.0]
    assert tensor.data() == kp.Tensor([2, 3, 4]).data()


def test_data_of_todays_tensors_is_an_array(mgr: kp.Manager) -> None:
    tensor = mgr.tensor([1, 2, 3])
    assert type(tensor) is kp.Tensor
    assert type(tensor.data()) is np.ndarray
    assert (tensor.data() == [1, 0, 3]).tolist() == [True, False, True]
    tensor.set_data([4, 5, 6])
    assert tensor.data().tolist() == [4, 5, 6]


def test_arrays_become_flat(mgr: kp.Manager) -> None:
    built = mgr.build_tensor(np.ones((2, 3)))
    for tensor in (kp.Tensor(np.ones((2, 3), np.int64)), built):
        assert tensor.numpy().shape == (6,)
        assert tensor.data() == [1.0] * 6
    built.set_data(np.zeros((3, 2)))
    assert built.data() == [0.0] * 6


@pytest.mark.parametrize("name", ["device", "host", "staging", "storage"])
def test_a_tensor_of_each_type(mgr: kp.Manager, name: str) -> None:
    kind = kp.TensorTypes[name]
    assert getattr(kp, name) is kind
    for tensor in (
        kp.Tensor([1, 2, 3], kind),
        kp.Tensor([1, 2, 3], tensor_type=kind),
        kp.Tensor(data=[1, 2, 3], tensorType=kind),  # type: ignore[call-arg]
        mgr.build_tensor([1, 2, 3], kind),
        mgr.build_tensor(data=[1, 2, 3], tensorType=kind),
    ):
        mgr.eval_tensor_create_def([tensor])
        assert tensor.tensor_type() == tensor.memory_type() == kind
        assert tensor.data() == [1.0, 2.0, 3.0]


def test_invalid_tensors_are_errors() -> None:
    with pytest.raises(kp.InvalidArgument, match="zero-sized"):
        kp.Tensor([])
    with pytest.raises(TypeError, match="no argument 'place'"):
        kp.Tensor([1], place=1)  # type: ignore[call-arg]
    with pytest.raises((TypeError, ValueError)):
        kp.Tensor(["a"])


def test_mapping_keeps_the_data(mgr: kp.Manager) -> None:
    tensor = mgr.build_tensor([1, 2, 3], kp.staging)
    tensor[0] = 5
    tensor.map_data_from_host()
    mgr.eval_algo_data_def([tensor], INCREMENT)
    tensor.map_data_into_host()
    assert tensor.data() == [6.0, 3.0, 4.0]


def test_a_tensor_that_was_not_created_cannot_be_used(mgr: kp.Manager) -> None:
    tensor = kp.Tensor([1, 2, 3])
    message = "on no device until"
    for use in (
        lambda: mgr.eval_algo_data_def([tensor], INCREMENT),
        lambda: mgr.eval_tensor_sync_local_def([tensor]),
        lambda: mgr.algorithm([tensor], INCREMENT),
        lambda: kp.OpSyncDevice([tensor]),
        lambda: tensor.read(),
        lambda: tensor.write([1]),
        lambda: tensor.shape,
        lambda: kp.launcher.CopyLauncher("c", tensor, np.zeros(3)),
    ):
        with pytest.raises(kp.InvalidArgument, match=message):
            use()
    tensor.destroy()
    assert tensor.data() == [1.0, 2.0, 3.0]


def test_a_destroyed_tensor_keeps_its_data_and_can_be_created_again(mgr: kp.Manager) -> None:
    tensor = mgr.build_tensor([1, 2, 3])
    view = memoryview(tensor)  # type: ignore[arg-type]
    tensor.destroy()
    tensor.destroy()
    assert not tensor.is_init()
    assert tensor.data() == [1.0, 2.0, 3.0]
    tensor[0] = 4
    mgr.rebuild([tensor])
    assert tensor.is_init()
    mgr.eval_algo_data_def([tensor], INCREMENT)
    mgr.eval_tensor_sync_local_def([tensor])
    assert tensor.data() == [5.0, 3.0, 4.0]
    assert view.tolist() == [1.0, 2.0, 3.0]


def test_a_tensor_moves_to_another_manager(mgr: kp.Manager) -> None:
    tensor = mgr.build_tensor([1, 2, 3])
    with kp.Manager() as other:
        other.rebuild(tensor)
        other.eval_algo_data_def([tensor], INCREMENT)
        other.eval_tensor_sync_local_def([tensor])
        assert tensor.data() == [2.0, 3.0, 4.0]


def test_todays_operations_take_early_tensors(mgr: kp.Manager) -> None:
    tensor = mgr.build_tensor([1, 2, 3])
    algorithm = mgr.algorithm([tensor], INCREMENT)
    mgr.sequence().record(kp.OpAlgoDispatch(algorithm)).record(kp.OpSyncLocal([tensor])).eval()
    assert algorithm.get_tensors() == [tensor]
    assert tensor.data() == [2.0, 3.0, 4.0]
    assert tensor.read().tolist() == [2.0, 3.0, 4.0]
    tensor.write([9], 1)
    assert tensor.read().tolist() == [2.0, 9.0, 4.0]
    assert (tensor.shape, tensor.dtype, tensor.nbytes) == ((3,), np.float32, 12)
