# SPDX-License-Identifier: Apache-2.0
"""The API that programs written for Kompute 0.9.0 and its master branch rely on."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import INCREMENT, MULTIPLY

import kp


def test_runs_a_program_written_for_kompute(mgr: kp.Manager) -> None:
    tensor_in_a = mgr.tensor([2, 2, 2])
    tensor_in_b = mgr.tensor(np.array([1, 2, 3]))
    tensor_out_a = mgr.tensor_t(np.array([0, 0, 0], dtype=np.uint32))
    tensor_out_b = mgr.tensor_t(np.array([0, 0, 0], dtype=np.uint32))
    params = [tensor_in_a, tensor_in_b, tensor_out_a, tensor_out_b]
    shader = """
        #version 450
        layout(local_size_x = 1) in;
        layout(set = 0, binding = 0) buffer buf_in_a { float in_a[]; };
        layout(set = 0, binding = 1) buffer buf_in_b { float in_b[]; };
        layout(set = 0, binding = 2) buffer buf_out_a { uint out_a[]; };
        layout(set = 0, binding = 3) buffer buf_out_b { uint out_b[]; };
        layout(push_constant) uniform PushConstants { float val; } push_const;
        layout(constant_id = 0) const float const_one = 0;
        void main() {
            uint index = gl_GlobalInvocationID.x;
            out_a[index] += uint(in_a[index] * in_b[index]);
            out_b[index] += uint(const_one * push_const.val);
        }
    """
    algo = mgr.algorithm(params, kp.compile(shader), (3, 1, 1), [2], [2])
    (
        mgr.sequence()
        .record(kp.OpTensorSyncDevice(params))
        .record(kp.OpAlgoDispatch(algo))
        .record(kp.OpAlgoDispatch(algo, [3]))
        .eval()
    )
    sq = mgr.sequence()
    sq.eval_async(kp.OpTensorSyncLocal(params))
    sq.eval_await()
    assert tensor_out_a.data().tolist() == [4, 8, 12]
    assert tensor_out_b.data().tolist() == [10, 10, 10]


def test_op_mult_builds_its_algorithm(mgr: kp.Manager) -> None:
    tensors = [mgr.tensor([2, 2, 2]), mgr.tensor([1, 2, 3]), mgr.tensor([0, 0, 0])]
    algo = mgr.algorithm()
    assert not algo.is_init()
    (
        mgr.sequence()
        .record(kp.OpSyncDevice(tensors))
        .record(kp.OpMult(tensors, algo))
        .record(kp.OpSyncLocal(tensors))
        .eval()
    )
    assert algo.is_init()
    assert algo.get_mem_objects() == tensors
    assert np.all(tensors[2].data() == [2, 4, 6])


def test_view_is_writable_and_owned_by_the_tensor(mgr: kp.Manager) -> None:
    tensor = mgr.tensor(np.arange(4))
    view = tensor.data()
    assert type(view) is np.ndarray
    assert view.base is tensor
    assert view.flags.writeable
    view[0] = 7
    view -= 1
    assert tensor.data().tolist() == [6, 0, 1, 2]
    del tensor
    assert view.base is not None
    assert view.base.is_init()
    view[:] = 3
    assert view.base.data().tolist() == [3, 3, 3, 3]


def test_view_outlives_the_manager() -> None:
    mgr = kp.Manager()
    views = [
        mgr.tensor(np.arange(100), memory_type).data()
        for memory_type in (
            kp.MemoryTypes.device,
            kp.MemoryTypes.host,
            kp.MemoryTypes.deviceAndHost,
        )
    ]
    mgr.destroy()
    for view in views:
        assert not view.base.is_init()
        assert view.sum() == 4950
        view[:] = 1
        assert view.sum() == 100
        with pytest.raises(kp.InvalidArgument, match="destroyed"):
            view.base.data()


def test_names_of_both_versions_exist() -> None:
    assert kp.TensorTypes is kp.MemoryTypes
    assert kp.OpTensorSyncDevice is kp.OpSyncDevice
    assert kp.OpTensorSyncLocal is kp.OpSyncLocal
    assert kp.OpTensorCopy is kp.OpCopy
    assert kp.device is kp.MemoryTypes.device
    assert kp.deviceAndHost is kp.MemoryTypes.deviceAndHost
    assert kp.float is kp.DataTypes.float
    assert kp.bool is kp.DataTypes.bool
    assert int(kp.DataTypes.uchar) == 9
    assert {"int", "float", "bool"}.isdisjoint(kp.__all__)


def test_accepts_the_tensor_type_keyword(mgr: kp.Manager) -> None:
    tensor = mgr.tensor([1.0], tensor_type=kp.TensorTypes.host)
    assert tensor.tensor_type() == kp.TensorTypes.host
    assert tensor.memory_type() == kp.MemoryTypes.host


def test_tensor_reports_its_size_and_types(mgr: kp.Manager) -> None:
    tensor = mgr.tensor([1, 2, 3])
    assert tensor.size() == len(tensor) == 3
    assert tensor.data_type() == kp.DataTypes.float
    assert tensor.memory_type() == kp.MemoryTypes.device
    assert tensor.data().dtype == np.float32
    tensor.destroy()
    tensor.destroy()
    assert not tensor.is_init()
    assert tensor.size() == 0


def test_two_dimensions_are_flat_in_data(mgr: kp.Manager) -> None:
    tensor = mgr.tensor([[1.0, 2.0], [3.0, 4.0]])
    assert tensor.data().shape == (4,)
    assert tensor.shape == (2, 2)


def test_eval_takes_one_operation(mgr: kp.Manager) -> None:
    tensor = mgr.tensor([1, 2, 3])
    algo = mgr.algorithm([tensor], kp.compile(INCREMENT))
    sequence = mgr.sequence()
    assert sequence.eval(kp.OpSyncDevice([tensor])) is sequence
    sequence.eval(kp.OpAlgoDispatch(algo)).eval(kp.OpSyncLocal([tensor]))
    assert tensor.data().tolist() == [2, 3, 4]


def test_evaluates_a_recording_repeatedly(mgr: kp.Manager) -> None:
    tensor = mgr.tensor([0.0])
    algo = mgr.algorithm([tensor], kp.compile(INCREMENT))
    sequence = mgr.sequence()
    sequence.eval(kp.OpSyncDevice([tensor]))
    sequence.clear()
    sequence.record(kp.OpAlgoDispatch(algo)).record(kp.OpSyncLocal([tensor]))
    for _ in range(10):
        sequence.eval()
    assert tensor.data()[0] == 10


def test_sequence_reports_its_state(mgr: kp.Manager) -> None:
    sequence = mgr.sequence()
    assert sequence.is_init()
    assert not sequence.is_recording()
    assert not sequence.is_running()
    tensor = mgr.tensor([0.0])
    sequence.record(kp.OpSyncDevice([tensor]))
    assert sequence.is_recording()
    sequence.eval_async()
    assert not sequence.is_recording()
    assert sequence.is_running()
    assert sequence.eval_await() is sequence
    assert not sequence.is_running()
    sequence.destroy()
    sequence.destroy()
    assert not sequence.is_init()
    assert tensor.is_init()


def test_rerecord_uses_a_rebuilt_algorithm(mgr: kp.Manager) -> None:
    tensor = mgr.tensor([0.0])
    algo = mgr.algorithm([tensor], kp.compile(INCREMENT))
    sequence = mgr.sequence()
    assert sequence.begin() is sequence
    sequence.record(kp.OpSyncDevice([tensor]))
    sequence.record(kp.OpAlgoDispatch(algo)).record(kp.OpSyncLocal([tensor]))
    assert sequence.end() is sequence
    sequence.eval()
    assert tensor.data()[0] == 1
    algo.rebuild([tensor], kp.compile(INCREMENT.replace("1.0", "5.0")))
    sequence.rerecord().eval()
    assert tensor.data()[0] == 6


@pytest.mark.usefixtures("needs_timestamps")
def test_timestamps_are_in_order(mgr: kp.Manager) -> None:
    tensor = mgr.tensor([0.0])
    algo = mgr.algorithm([tensor], kp.compile(INCREMENT))
    sequence = mgr.sequence(0, 100)
    sequence.record(kp.OpSyncDevice([tensor]))
    for _ in range(3):
        sequence.record(kp.OpAlgoDispatch(algo))
    sequence.record(kp.OpSyncLocal([tensor])).eval()
    ticks = sequence.get_timestamps()
    assert len(ticks) == 6
    assert sorted(ticks) == ticks
    nanoseconds = sequence.get_timestamps_ns()
    assert len(nanoseconds) == 6


def test_dispatch_overrides_push_constants(mgr: kp.Manager) -> None:
    tensor = mgr.tensor([0, 0, 0])
    shader = """#version 450
        layout(push_constant) uniform Push { float x; float y; float z; };
        layout(local_size_x = 1) in;
        layout(binding = 0) buffer A { float a[]; };
        void main() { a[0] += x; a[1] += y; a[2] += z; }
    """
    algo = mgr.algorithm([tensor], kp.compile(shader), (1, 1, 1), [], [0.1, 0.2, 0.3])
    (
        mgr.sequence()
        .record(kp.OpSyncDevice([tensor]))
        .record(kp.OpAlgoDispatch(algo))
        .record(kp.OpAlgoDispatch(algo, [0.3, 0.2, 0.1]))
        .record(kp.OpAlgoDispatch(algo, np.array([0.3, 0.2, 0.1], dtype=np.float32)))
        .record(kp.OpSyncLocal([tensor]))
        .eval()
    )
    assert np.allclose(tensor.data(), [0.7, 0.6, 0.5])
    with pytest.raises(kp.Error):
        mgr.sequence().record(kp.OpAlgoDispatch(algo, [1.0]))


def test_copies_through_storage_memory(mgr: kp.Manager) -> None:
    source = mgr.tensor([1, 2, 3])
    storage = mgr.tensor(shape=3, memory_type=kp.MemoryTypes.storage)
    target = mgr.tensor([0, 0, 0])
    (
        mgr.sequence()
        .record(kp.OpSyncDevice([source]))
        .record(kp.OpCopy([source, storage]))
        .record(kp.OpCopy([storage, target]))
        .eval()
    )
    assert target.data().tolist() == [1, 2, 3]
    with pytest.raises(ValueError, match="no host view"):
        storage.data()


def test_workgroup_sets_the_dispatch_size(mgr: kp.Manager) -> None:
    shader = """#version 450
        layout(local_size_x = 1) in;
        layout(binding = 0) buffer A { float x[]; };
        layout(binding = 1) buffer B { float y[]; };
        void main() {
            uint i = gl_WorkGroupID.x * gl_NumWorkGroups.y + gl_WorkGroupID.y;
            x[i] = float(gl_WorkGroupID.x);
            y[i] = float(gl_WorkGroupID.y);
        }
    """
    x, y = mgr.tensor(np.zeros(16 * 8)), mgr.tensor(np.zeros(16 * 8))
    algo = mgr.algorithm([x, y], kp.compile(shader), (16, 8, 1))
    assert algo.workgroup == (16, 8, 1)
    mgr.sequence().record(kp.OpAlgoDispatch(algo)).record(kp.OpSyncLocal([x, y])).eval()
    assert np.all(x.data() == np.repeat(np.arange(16), 8))
    assert np.all(y.data() == np.tile(np.arange(8), 16))


def test_reports_device_properties(mgr: kp.Manager) -> None:
    properties = mgr.get_device_properties()
    for key, kind in {
        "device_name": str,
        "max_work_group_count": tuple,
        "max_work_group_invocations": int,
        "max_storage_buffer_range": int,
        "max_work_group_size": tuple,
        "timestamps_supported": bool,
    }.items():
        assert type(properties[key]) is kind
    devices = mgr.list_devices()
    assert devices == kp.list_devices()
    assert properties["device_name"] in [device["device_name"] for device in devices]
    assert kp.Manager(0).get_device_properties()["device_name"] == devices[0]["device_name"]
    assert kp.Manager(device=0, family_queue_indices=[0], desired_extensions=[]).queue_count == 1


@pytest.mark.parametrize("coalesce, reorder", [(True, True), (True, False), (False, True)])
def test_gathers_evaluations_of_a_busy_queue_or_submits_each_at_once(
    coalesce: bool, reorder: bool
) -> None:
    with kp.Manager(coalesce=coalesce, reorder=reorder) as mgr:
        tensor = mgr.tensor([0.0], kp.MemoryTypes.host)
        algorithm = mgr.algorithm([tensor], kp.compile(INCREMENT))
        sequences = [mgr.sequence().record(kp.OpAlgoDispatch(algorithm)) for _ in range(100)]
        for sequence in sequences:
            sequence.eval_async()
        for sequence in sequences:
            sequence.eval_await()
        assert tensor.data() == 100


def test_destroyed_manager_destroys_its_objects(mgr: kp.Manager) -> None:
    tensor = mgr.tensor([1.0])
    algo = mgr.algorithm([tensor], kp.compile(INCREMENT))
    sequence = mgr.sequence()
    mgr.destroy()
    mgr.destroy()
    assert not mgr.is_init()
    assert not tensor.is_init()
    assert not algo.is_init()
    assert not sequence.is_init()
    with pytest.raises(kp.InvalidArgument, match="destroyed"):
        mgr.tensor([1.0])


def test_objects_keep_their_manager_alive() -> None:
    tensor = kp.Manager().tensor([1.0, 2.0])
    assert tensor.is_init()
    tensor.write([3.0, 4.0])
    assert tensor.read().tolist() == [3, 4]


def test_multiplies_tensors_created_from_lists(mgr: kp.Manager) -> None:
    a, b, c = (mgr.tensor(values) for values in ([1, 2, 3], [4, 5, 6], [0, 0, 0]))
    algo = mgr.algorithm([a, b, c], MULTIPLY)
    mgr.sequence().record(kp.OpSyncDevice([a, b, c])).record(kp.OpAlgoDispatch(algo)).record(
        kp.OpSyncLocal([c])
    ).eval()
    assert c.data().tolist() == [4, 10, 18]
