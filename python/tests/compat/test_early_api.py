# SPDX-License-Identifier: Apache-2.0
"""The API of Kompute's releases before 0.7, call by call. See kp.compat.early."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import INCREMENT, MULTIPLY, SPIN

import kp

SUM = MULTIPLY.replace("a[i] * b[i]", "a[i] + b[i]")

OPERATIONS = [
    "tensor_create",
    "tensor_copy",
    "tensor_sync_device",
    "tensor_sync_local",
    "algo_mult",
    "algo_file",
    "algo_str",
    "algo_data",
    "algo_lro",
]

#: Writes the indices of the work groups.
GROUPS = """#version 450
layout(local_size_x = 1) in;
layout(binding = 0) buffer X { float x[]; };
layout(binding = 1) buffer Y { float y[]; };
void main() {
    uint i = gl_WorkGroupID.x * gl_NumWorkGroups.y + gl_WorkGroupID.y;
    x[i] = gl_GlobalInvocationID.x;
    y[i] = gl_GlobalInvocationID.y;
}
"""


class Three:
    """Two inputs, an output, and the arguments of each operation that computes it."""

    def __init__(self, mgr: kp.Manager, folder: Path) -> None:
        self.mgr = mgr
        self.tensors = [kp.Tensor([2, 2, 2]), kp.Tensor([1, 2, 3]), kp.Tensor([0, 0, 0])]
        path = folder / "multiply.comp"
        path.write_text(MULTIPLY)
        self.arguments: dict[str, tuple[Any, ...]] = {
            "algo_file": (str(path),),
            "algo_str": (MULTIPLY,),
            "algo_data": (kp.compile(MULTIPLY),),
            "algo_lro": (kp.compile(MULTIPLY),),
        }

    def run(self, kind: str, op: str, name: str = "NAME") -> None:
        """Evaluate an operation by the method of a kind: "eval_{}_def", ..."""
        method = getattr(self.mgr, kind.format(op))
        arguments = self.arguments.get(op, ())
        if kind.endswith("_def"):
            method(self.tensors, *arguments)
        else:
            method(self.tensors, name, *arguments)
        if "async" not in kind:
            return
        if kind.endswith("_def"):
            self.mgr.eval_await_def()
        else:
            self.mgr.eval_await(name)

    def expected(self, op: str) -> list[float]:
        """Return the output after the operation."""
        if op == "tensor_copy":
            return [2.0, 2.0, 2.0]
        return [2.0, 4.0, 6.0] if op.startswith("algo") else [0.0, 0.0, 0.0]


@pytest.fixture
def three(mgr: kp.Manager, tmp_path: Path) -> Three:
    return Three(mgr, tmp_path)


# --- Operations -----------------------------------------------------------------------------------


@pytest.mark.parametrize("op", OPERATIONS)
@pytest.mark.parametrize("kind", ["eval_{}", "eval_{}_def", "eval_async_{}", "eval_async_{}_def"])
def test_evaluates_each_operation(three: Three, kind: str, op: str) -> None:
    if op != "tensor_create":
        three.mgr.eval_tensor_create_def(three.tensors)
    three.run(kind, op)
    three.mgr.eval_tensor_sync_local_def([three.tensors[2]])
    assert three.tensors[2].data() == three.expected(op)


@pytest.mark.parametrize("op", OPERATIONS)
def test_records_each_operation(three: Three, op: str) -> None:
    if op != "tensor_create":
        three.mgr.eval_tensor_create_def(three.tensors)
    sequence = three.mgr.create_sequence("op")
    sequence.init()
    assert not sequence.is_rec()
    assert sequence.begin()
    assert sequence.is_rec()
    assert getattr(sequence, f"record_{op}")(three.tensors, *three.arguments.get(op, ()))
    assert sequence.record_tensor_sync_local([three.tensors[2]])
    assert sequence.end()
    assert not sequence.is_rec()
    assert not sequence.is_running()
    assert sequence.is_init()
    assert sequence.eval()
    assert three.tensors[2].data() == three.expected(op)


@pytest.mark.parametrize(
    "code",
    [
        MULTIPLY,
        MULTIPLY.encode(),
        list(MULTIPLY),
        kp.compile(MULTIPLY),
        list(kp.compile(MULTIPLY)),
    ],
    ids=["text", "bytes of text", "characters", "spirv", "numbers"],
)
@pytest.mark.parametrize("op", ["algo_str", "algo_data"])
def test_a_shader_is_text_or_spirv(three: Three, op: str, code: Any) -> None:
    three.mgr.rebuild(three.tensors)
    getattr(three.mgr, f"eval_{op}_def")(three.tensors, code)
    three.mgr.eval_tensor_sync_local_def([three.tensors[2]])
    assert three.tensors[2].data() == [2.0, 4.0, 6.0]


def test_other_shaders_are_errors(three: Three) -> None:
    three.mgr.rebuild(three.tensors)
    with pytest.raises(kp.InvalidArgument, match="neither SPIR-V"):
        three.mgr.eval_algo_data_def(three.tensors, b"\xff\xfe")
    with pytest.raises(kp.InvalidArgument, match="no shader of its own"):
        three.mgr.eval_algo_lro_def(three.tensors)
    with pytest.raises(kp.InvalidArgument, match="not 2 tensors"):
        three.mgr.eval_algo_lro_def(three.tensors[:2], MULTIPLY)


def test_a_file_is_text_or_spirv(three: Three, tmp_path: Path) -> None:
    a, b, c = three.tensors
    three.mgr.rebuild(three.tensors)
    binary = tmp_path / "sum.comp.spv"
    binary.write_bytes(kp.compile(SUM))
    three.mgr.eval_algo_file_def([a, b, c], str(binary))
    three.mgr.eval_tensor_sync_local_def([c])
    assert c.data() == [3.0, 4.0, 5.0]
    sequence = three.mgr.create_sequence()
    sequence.begin()
    sequence.record_algo_file([c, b, a], file_path=binary, work_group=(3, 1, 1))
    sequence.record_tensor_sync_local([a])
    sequence.end()
    sequence.eval()
    assert a.data() == [4.0, 6.0, 8.0]


@pytest.mark.parametrize("name", ["work_group", "workgroup"])
@pytest.mark.parametrize("groups", [(16, 8, 1), [16, 8, 1], np.array([16, 8, 1])], ids=repr)
def test_work_groups(mgr: kp.Manager, name: str, groups: Any) -> None:
    x, y = kp.Tensor(np.zeros([16, 8])), kp.Tensor(np.zeros([16, 8]))
    mgr.eval_tensor_create_def([x, y])
    sequence = mgr.create_sequence("new")
    sequence.begin()
    sequence.record_algo_data([x, y], bytes=GROUPS.encode(), **{name: groups})
    sequence.end()
    sequence.eval()
    mgr.eval_tensor_sync_local_def([x, y])
    first, second = np.indices([16, 8])
    assert np.all(x.numpy() == first.ravel())
    assert np.all(y.numpy() == second.ravel())


def test_specialization_constants(mgr: kp.Manager) -> None:
    tensor = mgr.build_tensor([1.0])
    shader = INCREMENT.replace(
        "void main", "layout(constant_id = 0) const float step = 1.0;\nvoid main"
    ).replace("+= 1.0", "+= step")
    mgr.eval_algo_data_def([tensor], shader, (1, 1, 1), [4.0])
    mgr.eval_algo_data_def(tensors=[tensor], bytes=shader.encode(), constants=[2.0])
    mgr.eval_tensor_sync_local_def([tensor])
    assert tensor.data() == [7.0]


def test_arguments_have_the_names_of_the_releases(three: Three) -> None:
    a, b, c = three.tensors
    three.mgr.eval_tensor_create_def(tensors=[a, b, c])
    sequence = three.mgr.create_sequence(name="NAME", queueIndex=0)
    assert three.mgr.create_sequence("NAME", queueIndex=0) is sequence
    spirv = kp.compile(MULTIPLY)
    three.mgr.eval_algo_data(tensors=[a, b, c], sequence_name="NAME", bytes=spirv)
    three.mgr.eval_async_algo_data(tensors=[a, b, c], sequenceName="NAME", data=spirv)
    three.mgr.eval_await(sequenceName="NAME", waitFor=10**10)
    three.mgr.eval_async_algo_data_def(tensors=[a, b, c], bytes=spirv)
    three.mgr.eval_await_def(waitFor=10**10)
    three.mgr.eval_tensor_sync_local([c], "NAME")
    assert c.data() == [2.0, 4.0, 6.0]


# --- Sequences ------------------------------------------------------------------------------------


def test_sequences_have_names(mgr: kp.Manager) -> None:
    sequence = mgr.create_sequence("NAME")
    assert mgr.create_sequence("NAME") is sequence
    assert mgr.get_create_sequence("NAME") is sequence
    assert mgr.get_create_sequence("OTHER") is mgr.get_create_sequence("OTHER")
    assert mgr.get_create_sequence("OTHER") is not sequence
    sequence.destroy()
    assert mgr.get_create_sequence("NAME").is_init()


def test_the_manager_destroys_objects_and_named_sequences(mgr: kp.Manager) -> None:
    a, b, c = (mgr.build_tensor([1.0]) for _ in range(3))
    first = mgr.sequence("first")
    assert mgr.sequence("first", 0) is first
    assert mgr.create_sequence("first") is first
    second, third = mgr.sequence("second"), mgr.sequence()
    mgr.destroy("first")
    mgr.destroy(a)
    mgr.destroy([b, "second"])
    mgr.destroy(third)
    assert not any(item.is_init() for item in (a, b, first, second, third))
    assert mgr.sequence("first").is_init()
    assert c.is_init()
    assert mgr.is_init()
    with pytest.raises(kp.InvalidArgument, match="no sequence named 'other'"):
        mgr.destroy("other")


@pytest.mark.parametrize("index", [1.5, -1, None])
def test_the_index_of_a_queue_is_a_whole_number(mgr: kp.Manager, index: Any) -> None:
    with pytest.raises(TypeError, match="queue_index is a whole number from 0 on"):
        mgr.sequence(index)


def test_a_sequence_without_a_name_is_a_new_one(mgr: kp.Manager) -> None:
    tensors = [mgr.build_tensor([float(i)]) for i in range(3)]
    sequences = []
    for tensor in tensors:
        sequences.append(mgr.create_sequence())
        sequences[-1].begin()
        sequences[-1].record_algo_data([tensor], INCREMENT)
        sequences[-1].record_tensor_sync_local([tensor])
        sequences[-1].end()
    for sequence in sequences:
        sequence.eval()
    assert [tensor[0] for tensor in tensors] == [1.0, 2.0, 3.0]


def test_an_evaluation_creates_the_sequence(mgr: kp.Manager) -> None:
    tensor = mgr.build_tensor([1.0])
    mgr.eval_algo_data([tensor], "A", INCREMENT)
    mgr.eval_async_algo_data([tensor], "A", INCREMENT)
    mgr.eval_await("A")
    mgr.eval_await("A")
    mgr.eval_tensor_sync_local([tensor], "B")
    assert tensor.data() == [3.0]


def test_waiting_for_an_unknown_sequence_logs_an_error(
    mgr: kp.Manager, caplog: pytest.LogCaptureFixture
) -> None:
    mgr.eval_await("NONE")
    assert "no sequence named 'NONE'" in caplog.text


def test_begin_starts_a_new_recording(mgr: kp.Manager) -> None:
    tensor = mgr.build_tensor([0.0])
    sequence = mgr.create_sequence("s")
    for _ in range(3):
        sequence.begin()
        sequence.record_algo_data([tensor], INCREMENT)
        sequence.record_tensor_sync_local([tensor])
        sequence.end()
    sequence.eval()
    assert tensor.data() == [1.0]
    sequence.eval()
    assert tensor.data() == [2.0]
    sequence.begin()
    sequence.record_tensor_sync_local([tensor])
    sequence.end()
    sequence.eval()
    assert tensor.data() == [2.0]


@pytest.mark.unchecked
def test_a_sequence_runs_until_it_was_waited_for(mgr: kp.Manager) -> None:
    values = mgr.tensor_t(np.zeros(64, np.uint32))
    algorithm = mgr.algorithm([values], SPIN, push_consts=np.array([1000], np.uint32))
    sequence = mgr.create_sequence("s")
    sequence.begin()
    sequence.record(kp.OpAlgoDispatch(algorithm))
    sequence.end()
    assert sequence.eval_async()
    assert sequence.is_running()
    assert sequence.eval_await(10**10)
    assert not sequence.is_running()


def test_waits_for_all_anonymous_sequences(mgr: kp.Manager) -> None:
    tensors = [mgr.build_tensor([float(i)]) for i in range(4)]
    for tensor in tensors:
        mgr.eval_async_algo_data_def([tensor], INCREMENT)
    mgr.eval_await_def()
    mgr.eval_await_def()
    mgr.eval_tensor_sync_local_def(tensors)
    assert [tensor[0] for tensor in tensors] == [1, 2, 3, 4]


# --- The module -----------------------------------------------------------------------------------


@pytest.fixture
def log() -> Iterator[logging.Logger]:
    logger = logging.getLogger("kp")
    level = logger.level
    yield logger
    logger.setLevel(level)


def test_log_level(log: logging.Logger) -> None:
    levels = []
    for level in range(7):
        kp.log_level(level)
        levels.append(log.level)
    assert levels == [5, 10, 20, 30, 40, 50, 51]


def test_shaders_are_compiled_as_in_the_releases() -> None:
    shader = kp.Shader.compile_source(INCREMENT.replace("1.0", "STEP"), "main", [("STEP", "2.0")])
    assert kp.reflect(shader).local_size == (64, 1, 1)
    head, body = INCREMENT.split("void main")
    assert kp.Shader.compile_sources([head, "void main" + body], entryPoint="main")


# --- Programs -------------------------------------------------------------------------------------


def test_runs_shaders_in_separate_sequences(
    mgr: kp.Manager, capsys: pytest.CaptureFixture[str]
) -> None:
    mult_shader, sum_shader = kp.compile(MULTIPLY), kp.compile(SUM)
    t1 = mgr.build_tensor([2, 2, 2])
    t2 = mgr.build_tensor([1, 2, 3])
    t3 = mgr.build_tensor([1, 2, 3])
    sequences = {}
    for name, shader, tensors in [
        ("SQ_MULT", mult_shader, [t1, t2, t3]),
        ("SQ_SUM", sum_shader, [t3, t2, t1]),
    ]:
        sequences[name] = mgr.create_sequence(name)
        sequences[name].begin()
        sequences[name].record_algo_data(tensors, shader)
        sequences[name].end()
    sync = mgr.create_sequence("SQ_SYNC")
    sync.begin()
    sync.record_tensor_sync_local([t1, t3])
    sync.end()
    for _ in range(10):
        sequences["SQ_MULT"].eval()
        sequences["SQ_SUM"].eval()
    sync.eval()

    first, second, third = np.full(3, 2.0), np.array([1.0, 2.0, 3.0]), np.zeros(3)
    for _ in range(10):
        third = first * second
        first = third + second
    print(t1.data(), t3.data())
    assert capsys.readouterr().out == f"{first.tolist()} {third.tolist()}\n"


#: The gradients of a logistic regression with two weights and a bias.
GRADIENTS = """#version 450
layout(local_size_x = 1) in;
layout(binding = 0) buffer X { float x[]; };
layout(binding = 1) buffer Z { float z[]; };
layout(binding = 2) buffer Y { float y[]; };
layout(binding = 3) buffer W { float w[]; };
layout(binding = 4) buffer DW { float dw[]; };
layout(binding = 5) buffer DZ { float dz[]; };
layout(binding = 6) buffer B { float b[]; };
layout(binding = 7) buffer DB { float db[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    float d = 1.0 / (1.0 + exp(-(w[0] * x[i] + w[1] * z[i] + b[0]))) - y[i];
    dw[i] = d * x[i] / x.length();
    dz[i] = d * z[i] / x.length();
    db[i] = d / x.length();
}
"""


def test_trains_a_logistic_regression() -> None:
    x, z = kp.Tensor([0.0, 1.0, 1.0, 1.0, 1.0]), kp.Tensor([0.0, 0.0, 0.0, 1.0, 1.0])
    y = kp.Tensor([0.0, 0.0, 0.0, 1.0, 1.0])
    w, b = kp.Tensor([0.001, 0.001]), kp.Tensor([0.0])
    dw, dz, db = kp.Tensor(np.zeros(5)), kp.Tensor(np.zeros(5)), kp.Tensor(np.zeros(5))
    params = [x, z, y, w, dw, dz, b, db]
    mgr = kp.Manager(0)
    mgr.eval_tensor_create_def(params)
    sq = mgr.create_sequence()
    sq.begin()
    sq.record_tensor_sync_device([w, b])
    sq.record_algo_data(params, kp.compile(GRADIENTS))
    sq.record_tensor_sync_local([dw, dz, db])
    sq.end()
    for _ in range(50):
        sq.eval()
        w_x, w_z, bias = w.data()[0], w.data()[1], b.data()[0]
        for i in range(db.size()):
            w_x -= dw.data()[i]
            w_z -= dz.data()[i]
            bias -= db.data()[i]
        w.set_data([w_x, w_z])
        b.set_data([bias])
    chance = [1 / (1 + math.exp(-(w[0] * i + w[1] * k + b[0]))) for i, k in zip(x, z, strict=True)]
    assert [round(c) for c in chance] == y.data()
