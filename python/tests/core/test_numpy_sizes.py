# SPDX-License-Identifier: Apache-2.0
"""Sizes, counts and indices as NumPy arrays and NumPy integers, in every call that takes them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import INCREMENT
from group_support import AFFINE, make_group
from launcher_support import SCALE, fixed

import kp
from kp import launcher as kl

SIZES = [
    np.array([3, 1, 1]),
    np.array([3, 1], np.uint8),
    np.array([3], np.int32),
    np.array(3, np.uint64),
    [np.int64(3), np.uint16(1)],
    (np.int8(3),),
    np.int64(3),
    range(3, 4),
]


@pytest.mark.parametrize("size", SIZES, ids=repr)
def test_work_groups_and_threads(mgr: kp.Manager, tensor: kp.Tensor, size: Any) -> None:
    algorithm = mgr.algorithm([tensor], INCREMENT, workgroup=size)
    assert algorithm.workgroup == (3, 1, 1)
    algorithm.set_workgroup(1)
    algorithm.set_workgroup(size)
    assert algorithm.workgroup == (3, 1, 1)
    algorithm.rebuild([tensor], INCREMENT, size)
    assert algorithm.workgroup == (3, 1, 1)
    assert mgr.algorithm([tensor], INCREMENT, thread_count=size).workgroup == (1, 1, 1)
    algorithm.set_thread_count(size)
    assert algorithm.workgroup == (1, 1, 1)


def test_thread_counts_are_given_once(mgr: kp.Manager, tensor: kp.Tensor) -> None:
    algorithm = mgr.algorithm([tensor], INCREMENT)
    algorithm.set_thread_count(np.int64(65), np.uint8(2), np.array(3))
    assert algorithm.workgroup == (2, 2, 3)
    algorithm.set_thread_count(np.array([65, 2, 3]))
    assert algorithm.workgroup == (2, 2, 3)
    with pytest.raises(ValueError, match="x has the counts of y and z"):
        algorithm.set_thread_count(np.array([65, 2]), 3)


@pytest.mark.parametrize("size", SIZES, ids=repr)
def test_shapes(mgr: kp.Manager, size: Any) -> None:
    assert mgr.tensor(shape=size).size() == 3
    assert mgr.tensor_t(np.arange(3), shape=size).size() == 3
    assert mgr.pinned_array(size).size == 3
    with make_group(1) as group:
        assert kp.Buffer(size, np.float32, group=group).size == 3


@pytest.mark.parametrize("size", [np.array([1.5]), np.array([[3]]), np.array([-1]), "3", 3.0])
def test_other_sizes_are_errors(mgr: kp.Manager, tensor: kp.Tensor, size: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="workgroup"):
        mgr.algorithm([tensor], INCREMENT, workgroup=size)
    with pytest.raises((TypeError, ValueError)):
        mgr.tensor(shape=size)


def test_waits_counts_and_indices(mgr: kp.Manager, tensor: kp.Tensor) -> None:
    sequence = mgr.sequence(np.int64(0), np.uint8(4))
    operation = kp.OpAlgoDispatch(mgr.algorithm([tensor], INCREMENT))
    for wait in (np.int64(10**10), np.uint64(10**10), np.array(10**10)):
        sequence.eval_async(operation).eval_await(wait)
    assert tensor.data().tolist() == [4, 5, 6, 7]
    sequence.eval_async(operation).eval_await(wait=np.uint64(10**10))
    with pytest.raises(ValueError, match=r"wait is a whole number.*-1"):
        sequence.eval_await(np.int64(-1))  # type: ignore[arg-type]
    assert tensor.read(np.int64(1), np.uint8(2)).tolist() == [6, 7]
    tensor.write([1], np.int16(2))
    assert tensor[np.int64(2)] == 1
    assert mgr.queue(np.uint8(0)) is not None
    assert sequence.event().wait(np.float64(1)) is not None


def test_devices_and_queue_families(mgr: kp.Manager) -> None:
    index = mgr.get_device_properties()["index"]
    assert kp.Manager(np.int64(index)).is_init()
    assert kp.Manager(np.uint32(index), np.array([0])).queue_count == 1
    assert kp.Manager(index, [np.int64(0)]).queue_count == 1


def test_images(mgr: kp.Manager) -> None:
    image = mgr.image(np.zeros(6), np.int64(3), np.uint8(2), np.array(1))
    assert image.shape == (2, 3, 1)
    assert mgr.image(width=np.int64(3), height=np.int32(2), num_channels=np.int8(1)).width == 3


@pytest.mark.parametrize("value", [np.float32(3), np.int64(3), np.array(3)])
def test_fill_values(mgr: kp.Manager, tensor: kp.Tensor, value: Any) -> None:
    mgr.sequence().eval(kp.OpFill([tensor], value))
    assert tensor.data().tolist() == [3, 3, 3, 3]


def test_offsets_of_indirect_dispatches(mgr: kp.Manager, tensor: kp.Tensor) -> None:
    counts = mgr.tensor_t(np.array([9, 1, 1, 1], np.uint32), kp.MemoryTypes.host)
    operation = kp.OpAlgoDispatch(
        mgr.algorithm([tensor], INCREMENT), group_counts=counts, offset=np.int64(4)
    )
    mgr.sequence().eval(operation)
    assert tensor.data().tolist() == [2, 3, 4, 5]


@pytest.mark.parametrize("size", [np.array([4, 1, 1]), np.array([4]), np.array(4), np.int64(4)])
def test_launchers(mgr: kp.Manager, tensor: kp.Tensor, size: Any) -> None:
    queue = mgr.queue()
    launcher = fixed("k", tensor, 2, 0, default_global_work_size=size, default_queue=queue)
    assert launcher.default_global_work_size == (4, 1, 1)
    launcher().wait()
    launcher(global_work_size=size, local_work_size=np.array([2, 1, 1])).wait()
    assert tensor.data().tolist() == [4, 8, 12, 16]
    local = kl.KernelLauncher("l", SCALE, (tensor, 1, 1), default_local_work_size=np.int64(2))
    local(queue, global_work_size=size).wait()
    assert tensor.data().tolist() == [5, 9, 13, 17]


def test_copies_and_fills(mgr: kp.Manager, tensor: kp.Tensor) -> None:
    queue = mgr.queue()
    kl.FillLauncher(
        "f", tensor, np.float32(7), dst_device_offset=np.int64(4), byte_count=np.uint8(8)
    )(queue).wait()
    assert tensor.data().tolist() == [1, 7, 7, 4]


def test_groups_and_buffers() -> None:
    with make_group(2, queue_counts=np.array([1, 1])) as group:
        assert group[np.int64(1)] is group[1]
        assert group.queue(np.uint8(1)) is not None
        buffer = kp.Buffer(
            np.array([4]), np.uint32, group=group, placement="sharded", shard_rows=np.array([1, 3])
        )
        buffer.write([0, 1, 2, 3])
        kernel = group.kernel(
            AFFINE,
            [buffer],
            parameters_map=["a", "b"],
            global_work_size=lambda shard: np.array(shard.shape) * 32,
            local_work_size=np.array([32]),
        )
        kernel(a=2, b=1)
        assert buffer.read().tolist() == [1, 3, 5, 7]
        assert buffer.shard(np.int64(1)).shape == (3,)


def test_tuning(mgr: kp.Manager, tensor: kp.Tensor) -> None:
    arguments = kp.TuningArguments([tensor], np.array([4]), push_consts=[1.0, 0.0])
    arguments.problem(np.array([4, 1]))
    kernel = kp.TunableKernel("sizes", SCALE).local_size(np.array([1, 2]), np.int64(1))
    assert kernel.workgroups(lambda configuration: np.array([4, 1, 1])) is kernel


def test_ids_of_specialization_constants(mgr: kp.Manager, tensor: kp.Tensor) -> None:
    shader = INCREMENT.replace(
        "void main", "layout(constant_id = 3) const float step = 1.0;\nvoid main"
    ).replace("+= 1.0", "+= step")
    algorithm = mgr.algorithm([tensor], shader, spec_consts={np.int64(3): 2.0})
    mgr.sequence().eval(kp.OpAlgoDispatch(algorithm))
    assert tensor.data().tolist() == [3, 4, 5, 6]


def test_dask(mgr: kp.Manager) -> None:
    pytest.importorskip("dask")
    import kp.dask

    shader = INCREMENT.replace("local_size_x = 64", "local_size_x_id = 0")
    for size in (np.int64(16), np.array(16), np.array([16])):
        kernel = kp.dask.BlockKernel(shader, inputs=[0], output=0, local_size=size)
        assert kernel.spec == {0: 16}
    for threads in (np.int64(4), np.array([4, 1])):
        kernel = kp.dask.BlockKernel(INCREMENT, inputs=[0], output=0, threads=threads)
        assert kernel.extent((9,))[0] == 4
    index = mgr.get_device_properties()["index"]
    assert kp.dask.manager(np.int64(index)) is kp.dask.manager(index)
