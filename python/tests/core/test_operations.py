# SPDX-License-Identifier: Apache-2.0
"""Operations: the library's, and classes that programs derive from them."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import numpy as np
import pytest
from conftest import COUNT, INCREMENT

import kp

SCALE = """#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer Values { float values[]; };
layout(push_constant) uniform Push { float factor; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < values.length())
        values[i] *= factor;
}
"""


class IncrementAndScale(kp.OpBase):
    """A composed operation that notes the calls of its hooks."""

    def __init__(self, mgr: kp.Manager, tensor: kp.Tensor, factor: float) -> None:
        super().__init__()
        self.increment = mgr.algorithm([tensor], INCREMENT)
        self.scale = mgr.algorithm([tensor], SCALE, push_consts=[factor])
        self.factor = factor
        self.calls: list[str] = []

    def record(self) -> Iterator[kp.OpBase]:
        self.calls.append("record")
        yield kp.OpAlgoDispatch(self.increment)
        yield kp.OpAlgoDispatch(self.scale, [self.factor])

    def pre_eval(self) -> None:
        self.calls.append("pre")

    def post_eval(self) -> None:
        self.calls.append("post")


def test_composed_operation_records_its_parts_and_calls_its_hooks(mgr: kp.Manager) -> None:
    tensor = mgr.tensor(np.arange(100))
    op = IncrementAndScale(mgr, tensor, 2)
    sequence = mgr.sequence().record(kp.OpSyncDevice([tensor])).record(op)
    sequence.record(kp.OpSyncLocal([tensor]))
    sequence.eval()
    assert np.all(tensor.data() == (np.arange(100) + 1) * 2)
    sequence.eval()
    assert op.calls == ["record", "pre", "post", "pre", "post"]
    op.factor = 10
    tensor.data()[:] = np.arange(100)
    sequence.rerecord().eval()
    assert np.all(tensor.data() == (np.arange(100) + 1) * 10)
    assert op.calls[-3:] == ["record", "pre", "post"]


def test_composed_operations_run_in_order(mgr: kp.Manager) -> None:
    tensor = mgr.tensor(np.zeros(1000))
    ops = [IncrementAndScale(mgr, tensor, 1) for _ in range(20)]
    sequence = mgr.sequence().record(kp.OpSyncDevice([tensor]))
    for op in ops:
        sequence.record(op)
    sequence.record(kp.OpSyncLocal([tensor])).eval()
    assert np.all(tensor.data() == 20)


def test_composed_operations_nest(mgr: kp.Manager) -> None:
    tensor = mgr.tensor([1.0])

    class Twice(kp.OpBase):
        def __init__(self, inner: kp.OpBase) -> None:
            super().__init__()
            self.inner = inner

        def record(self) -> list[kp.OpBase]:
            return [self.inner, self.inner]

    inner = IncrementAndScale(mgr, tensor, 3)
    mgr.sequence().record(kp.OpSyncDevice([tensor])).record(Twice(Twice(inner))).record(
        kp.OpSyncLocal([tensor])
    ).eval()
    value = 1.0
    for _ in range(4):
        value = (value + 1) * 3
    assert tensor[0] == value
    assert inner.calls == ["record"] * 4 + ["pre"] * 4 + ["post"] * 4


def test_parts_of_a_composed_operation_update_the_host_view(mgr: kp.Manager) -> None:
    source, target = mgr.tensor([1.0, 2.0]), mgr.tensor([0.0, 0.0])

    class CopyOnce(kp.OpBase):
        def record(self) -> list[kp.OpBase]:
            return [kp.OpSyncDevice([source]), kp.OpCopy([source, target])]

    mgr.sequence().eval(CopyOnce())
    assert target.data().tolist() == [1, 2]


class CountedDispatch(kp.OpAlgoDispatch):
    """A dispatch that counts its evaluations."""

    def __init__(self, algorithm: kp.Algorithm, push_consts: list[float]) -> None:
        super().__init__(algorithm, push_consts)
        self.count = 0

    def post_eval(self) -> None:
        self.count += 1


def test_derived_dispatch_calls_its_hook_at_each_evaluation(mgr: kp.Manager) -> None:
    tensor = mgr.tensor([1.0])
    op = CountedDispatch(mgr.algorithm([tensor], SCALE, push_consts=[1.0]), [2.0])
    sequence = mgr.sequence().record(kp.OpSyncDevice([tensor])).record(op)
    sequence.record(kp.OpSyncLocal([tensor])).eval().eval()
    assert op.count == 2
    assert tensor[0] == 4


def test_derived_dispatch_can_record_more_operations(mgr: kp.Manager) -> None:
    tensor = mgr.tensor([1.0])

    class AndBack(kp.OpAlgoDispatch):
        def record(self) -> Iterator[kp.OpBase]:
            yield kp.OpSyncDevice([tensor])
            yield from super().record()
            yield kp.OpSyncLocal([tensor])

    mgr.sequence().eval(AndBack(mgr.algorithm([tensor], INCREMENT)))
    assert tensor[0] == 2


def test_accepts_valid_accesses_and_rejects_others(mgr: kp.Manager) -> None:
    a, b = mgr.tensor([1.0]), mgr.tensor([2.0])

    class Claims(kp.OpBase):
        def __init__(self, claims: object) -> None:
            super().__init__()
            self.claims = claims

        def accesses(self) -> object:
            return self.claims

        def record(self) -> tuple[()]:
            return ()

    mgr.sequence().eval(Claims([(a, "r"), (b, "rw"), (a, "w")]))
    mgr.sequence().eval(Claims(None))
    for claims, error in (
        ([a], TypeError),
        ([(a, "x")], ValueError),
        ([(1, "r")], TypeError),
        (5, TypeError),
    ):
        with pytest.raises(error):
            mgr.sequence().record(Claims(claims))


def test_exceptions_of_hooks_reach_the_caller(mgr: kp.Manager) -> None:
    tensor = mgr.tensor([1.0])

    class Fails(kp.OpBase):
        where = ""

        def record(self) -> list[kp.OpBase]:
            if self.where == "record":
                raise KeyError("record")
            return [kp.OpSyncDevice([tensor])]

        def pre_eval(self) -> None:
            if self.where == "pre_eval":
                raise KeyError("pre_eval")

        def post_eval(self) -> None:
            if self.where == "post_eval":
                raise KeyError("post_eval")

    op = Fails()
    op.where = "record"
    sequence = mgr.sequence()
    with pytest.raises(KeyError, match="record"):
        sequence.record(op)
    op.where = ""
    sequence.record(op)
    for where in ("pre_eval", "post_eval"):
        op.where = where
        with pytest.raises(KeyError, match=where):
            sequence.eval()
        assert not sequence.is_running()
    op.where = ""
    sequence.eval()


def test_hooks_cannot_change_their_sequence(mgr: kp.Manager) -> None:
    tensor = mgr.tensor([1.0])
    sequence = mgr.sequence()

    class Meddles(kp.OpBase):
        def record(self) -> list[kp.OpBase]:
            return [kp.OpSyncDevice([tensor])]

        def pre_eval(self) -> None:
            sequence.clear()

    sequence.record(Meddles())
    with pytest.raises(kp.InvalidArgument, match="cannot change it"):
        sequence.eval()
    mgr.sequence().eval(kp.OpSyncDevice([tensor]))


def test_record_rejects_everything_but_operations(mgr: kp.Manager) -> None:
    sequence = mgr.sequence()
    for wrong in (None, 1, "OpSyncDevice", kp.OpSyncDevice, mgr.tensor([1.0])):
        with pytest.raises(TypeError, match="op is (a|the class) "):
            sequence.record(wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="derive"):
        sequence.record(kp.OpBase())

    class WithoutRecord(kp.OpBase):
        pass

    with pytest.raises(NotImplementedError, match="WithoutRecord"):
        sequence.record(WithoutRecord())

    class Itself(kp.OpBase):
        def record(self) -> list[kp.OpBase]:
            return [self]

    with pytest.raises(ValueError, match="itself"):
        sequence.record(Itself())

    class NoParts(kp.OpBase):
        def record(self) -> list[int]:
            return [1]

    with pytest.raises(TypeError, match="op is a"):
        sequence.record(NoParts())
    with pytest.raises(TypeError):
        sequence.record()  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        sequence.record(kp.OpSyncDevice([mgr.tensor([1])]), 2)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        sequence.record(operation=kp.OpSyncDevice([mgr.tensor([1])]))  # type: ignore[call-arg]


def test_objects_without_init_raise_type_errors(mgr: kp.Manager) -> None:
    for cls in (kp.OpBase, kp.OpSyncDevice, kp.OpAlgoDispatch):
        derived = type("Derived", (cls,), {"__init__": lambda self: None})
        with pytest.raises(TypeError):
            derived()
        with pytest.raises(TypeError, match="never initialised"):
            mgr.sequence().record(cls.__new__(cls))
    for cls, method in (
        (kp.Tensor, "data"),
        (kp.Tensor, "size"),
        (kp.Sequence, "eval"),
        (kp.Sequence, "is_running"),
        (kp.Algorithm, "is_init"),
        (kp.Manager, "is_init"),
        (kp.Event, "wait"),
    ):
        with pytest.raises(TypeError):
            getattr(cls.__new__(cls), method)()
        with pytest.raises(TypeError):
            getattr(cls, method)(5)


def test_sequences_keep_their_operations_alive(mgr: kp.Manager) -> None:
    tensor = mgr.tensor([1.0])
    op = IncrementAndScale(mgr, tensor, 2)
    reference = weakref.ref(op)
    sequence = mgr.sequence().record(op)
    del op
    gc.collect()
    assert reference() is not None
    sequence.eval()
    sequence.clear()
    gc.collect()
    assert reference() is None


def test_fills_with_what_rounds_to_the_largest_number(mgr: kp.Manager) -> None:
    for dtype, number, beyond in (("f2", 65519.999, 65520), ("f4", 3.4028235e38, 3.4028236e38)):
        tensor = mgr.tensor_t(np.zeros(2, dtype))
        mgr.sequence().record(kp.OpFill([tensor], number)).record(kp.OpSyncLocal([tensor])).eval()
        assert tensor.data().tolist() == [float(np.finfo(dtype).max)] * 2
        with pytest.raises(kp.InvalidArgument, match="largest finite"):
            kp.OpFill([tensor], -beyond)


def test_fills_tensors_of_every_element_size(mgr: kp.Manager) -> None:
    for dtype in ("int8", "uint16", "float16", "float32", "int64", "float64"):
        tensors = [mgr.tensor_t(np.zeros(7, dtype)) for _ in range(2)]
        mgr.sequence().eval(kp.OpFill(tensors, 3))
        for tensor in tensors:
            assert tensor.data().tolist() == [3] * 7
    with pytest.raises(TypeError, match="value"):
        kp.OpFill([mgr.tensor([1.0])], "a")
    with pytest.raises(ValueError, match="one number"):
        kp.OpFill([mgr.tensor([1.0])], [1, 2])
    with pytest.raises(ValueError, match="OpFill"):
        kp.OpFill([], 1)
    with pytest.raises(TypeError, match="1, 2, 4 or 8"):
        kp.OpFill([mgr.tensor_t(np.zeros(2, "V12"))], np.zeros(1, "V12"))


def test_explicit_memory_barrier_orders_dispatches(mgr: kp.Manager) -> None:
    tensor = mgr.tensor([1.0])
    algorithm = mgr.algorithm([tensor], INCREMENT)
    barrier = kp.OpMemoryBarrier(
        [tensor],
        kp.AccessFlags.shader_write,
        kp.AccessFlags.shader_read,
        kp.PipelineStageFlags.compute_shader,
        kp.PipelineStageFlags.compute_shader,
        barrier_on_primary=True,
    )
    sequence = mgr.sequence().record(kp.OpSyncDevice([tensor]))
    sequence.record(kp.OpAlgoDispatch(algorithm)).record(barrier)
    sequence.record(kp.OpAlgoDispatch(algorithm)).record(kp.OpSyncLocal([tensor])).eval()
    assert tensor[0] == 3
    with pytest.raises(TypeError, match="src_access"):
        kp.OpMemoryBarrier([tensor], "all", 1, 1, 1)


def test_dispatches_group_counts_from_a_tensor(mgr: kp.Manager) -> None:
    tensor = mgr.tensor_t(np.zeros(1, np.uint32))
    groups = mgr.tensor_t(np.array([9, 9, 3, 2, 1], np.uint32))
    shader = """#version 450
        layout(local_size_x = 4) in;
        layout(binding = 0) buffer Count { uint count; };
        void main() { atomicAdd(count, 1); }
    """
    algorithm = mgr.algorithm([tensor], shader)
    mgr.sequence().record(kp.OpSyncDevice([tensor, groups])).record(
        kp.OpAlgoDispatch(algorithm, group_counts=groups, offset=8)
    ).record(kp.OpSyncLocal([tensor])).eval()
    assert tensor[0] == 4 * 3 * 2 * 1
    with pytest.raises(TypeError, match="group_counts"):
        kp.OpAlgoDispatch(algorithm, group_counts=[1, 1, 1])
    floats = kp.OpAlgoDispatch(algorithm, group_counts=mgr.tensor([1, 1, 1]))
    with pytest.raises(ValueError, match="are three uint32, not float32"):
        mgr.sequence().record(floats)


def test_operations_take_any_iterable_of_memory(mgr: kp.Manager) -> None:
    tensor = mgr.tensor([1.0])
    for make in (kp.OpSyncDevice, kp.OpSyncLocal, kp.OpCopy):
        with pytest.raises(TypeError, match=r"tensors\[1\]"):
            make([tensor, 3])
        with pytest.raises(TypeError, match="tensors is a list"):
            make(tensor.size)
        with pytest.raises(kp.InvalidArgument):
            make([])
    kp.OpSyncDevice((tensor,))
    other = mgr.tensor([0.0])
    mgr.sequence().eval(kp.OpFill((memory for memory in (tensor, other)), 4))
    assert (tensor[0], other[0]) == (4, 4)
    product = mgr.tensor([0.0])
    multiplied = kp.OpMult((memory for memory in (tensor, other, product)), mgr.algorithm())
    mgr.sequence().record(multiplied).record(kp.OpSyncLocal([product])).eval()
    assert product[0] == 16
    for wrong in (5, tensor.size):
        with pytest.raises(TypeError, match="tensors is a list"):
            mgr.algorithm(wrong, INCREMENT)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="tensors is a list"):
            kp.OpMult(wrong, mgr.algorithm())  # type: ignore[arg-type]
    with pytest.raises(kp.InvalidArgument):
        kp.OpCopy([tensor])
    with pytest.raises(kp.InvalidArgument, match="data types"):
        mgr.sequence().record(kp.OpCopy([tensor, mgr.tensor_t(np.zeros(1, np.int32))]))


def test_rebinds_the_memory_of_an_algorithm(mgr: kp.Manager) -> None:
    a, b = mgr.tensor([1.0]), mgr.tensor([10.0])
    algorithm = mgr.algorithm([a], INCREMENT)
    assert algorithm.get_tensors() == [a]
    algorithm.set_mem_objects([b])
    assert algorithm.get_mem_objects() == [b]
    mgr.sequence().record(kp.OpSyncDevice([a, b])).record(kp.OpAlgoDispatch(algorithm)).record(
        kp.OpSyncLocal([a, b])
    ).eval()
    assert (a[0], b[0]) == (1, 11)
    algorithm.destroy()
    assert not algorithm.is_init()


def test_thread_count_sets_the_number_of_work_groups(mgr: kp.Manager) -> None:
    tensor = mgr.tensor(np.zeros(1000))
    algorithm = mgr.algorithm([tensor], INCREMENT, thread_count=1000)
    assert algorithm.local_size == (64, 1, 1)
    assert algorithm.workgroup == (16, 1, 1)
    algorithm.set_thread_count(65)
    assert algorithm.workgroup == (2, 1, 1)
    algorithm.set_workgroup((3,))
    assert algorithm.workgroup == (3, 1, 1)
    assert mgr.algorithm([tensor], INCREMENT, thread_count=(64, 2)).workgroup == (1, 2, 1)
    with pytest.raises(kp.InvalidArgument):
        algorithm.set_thread_count(0)
    for wrong in ((1, 2, 3, 4), (-1,), ("a",), (1.5,)):
        with pytest.raises((TypeError, ValueError), match="workgroup"):
            algorithm.set_workgroup(wrong)
    with pytest.raises(TypeError, match="workgroup"):
        mgr.algorithm([tensor], INCREMENT, "abc")


def test_eval_all_evaluates_each_sequence_once(mgr: kp.Manager) -> None:
    tensor = mgr.tensor([0.0])
    algorithm = mgr.algorithm([tensor], INCREMENT)
    mgr.sequence().eval(kp.OpSyncDevice([tensor]))
    sequences = [mgr.sequence().record(kp.OpAlgoDispatch(algorithm)) for _ in range(5)]
    kp.eval_all(sequences)
    kp.eval_all(iter(sequences))
    assert tensor.read()[0] == 10
    with pytest.raises(kp.InvalidArgument, match="twice"):
        kp.eval_all([sequences[0], sequences[0]])
    with pytest.raises(TypeError):
        kp.eval_all([1])


def counters(mgr: kp.Manager) -> tuple[kp.Tensor, kp.Tensor]:
    return mgr.tensor_t([0], dtype="uint32"), mgr.tensor_t([0], dtype="uint32")


def counting(mgr: kp.Manager, count: kp.Tensor, flag: kp.Tensor, last: int) -> kp.OpAlgoDispatch:
    algorithm = mgr.algorithm(
        [count, flag], COUNT, workgroup=(1, 1, 1), push_consts=np.uint32([last])
    )
    return kp.OpAlgoDispatch(algorithm)


def test_a_loop_stops_after_the_step_that_sets_the_flag(mgr: kp.Manager) -> None:
    count, flag = counters(mgr)
    values, copied = mgr.tensor([1, 2]), mgr.tensor([0, 0])
    step = [kp.OpCopy([values, copied]), counting(mgr, count, flag, 5)]
    sequence = mgr.sequence().record(kp.OpRepeat(step, flag, 3))
    for expected in (3, 5, 5):
        sequence.eval()
        assert count.read().tolist() == [expected]
    assert copied.read().tolist() == [1, 2]


def test_a_loop_repeats_in_several_submissions(mgr: kp.Manager) -> None:
    for last, most, expected, found in (
        (200, 1000, 200, True),
        (200, 150, 150, False),
        (3, 5, 3, True),
    ):
        count, flag = counters(mgr)
        assert kp.repeat_until([counting(mgr, count, flag, last)], flag, most) is found
        assert count.read().tolist() == [expected]


def test_a_loop_looks_at_an_element_of_the_flag(mgr: kp.Manager) -> None:
    count, flag = counters(mgr)
    flags = mgr.tensor_t([True, False, True])
    for element, expected in ((0, 0), (1, 2), (2, 2)):
        mgr.sequence().eval(kp.OpRepeat([counting(mgr, count, flag, 9)], flags, 2, element))
        assert count.read().tolist() == [expected]


def test_a_loop_refuses_what_the_device_cannot_skip(mgr: kp.Manager) -> None:
    count, flag = counters(mgr)
    step = counting(mgr, count, flag, 2)
    with pytest.raises(kp.InvalidArgument, match="cannot skip kp.OpSyncLocal"):
        mgr.sequence().record(kp.OpRepeat([step, kp.OpSyncLocal([count])], flag, 2))

    with pytest.raises(TypeError, match="classes derived in Python"):
        kp.OpRepeat(IncrementAndScale(mgr, mgr.tensor([1]), 2), flag, 2)
    with pytest.raises(kp.InvalidArgument, match="no operations"):
        kp.OpRepeat([], flag, 2)
    with pytest.raises(kp.InvalidArgument, match="integers, not float32"):
        kp.OpRepeat([step], mgr.tensor([0]), 2)
    with pytest.raises(kp.InvalidArgument, match="at least 1"):
        kp.repeat_until([step], flag, 0)
    with pytest.raises(TypeError):
        kp.OpRepeat([step], "flag", 1)  # type: ignore[arg-type]
