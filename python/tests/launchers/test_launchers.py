# SPDX-License-Identifier: Apache-2.0
"""kp.launcher: launchers, lists, copies and host functions."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from conftest import run_in_threads, run_python
from launcher_support import INTEGERS, SCALE, fixed, parametrized

import kp
from kp import launcher as kl


@pytest.fixture
def queue(mgr: kp.Manager) -> kp.Queue:
    return mgr.queue()


def test_call_arguments_override_the_defaults(mgr: kp.Manager, tensor: kp.Tensor) -> None:
    default, other = mgr.queue(profiling=True), mgr.queue()
    launcher = fixed("k", tensor, 2, 0, default_queue=default, default_global_work_size=1)
    assert launcher.queue_configured()
    assert launcher.global_size_configured()
    assert launcher.default_queue is default
    assert launcher.default_global_work_size == (1, 1, 1)
    launcher().wait()
    assert tensor.data().tolist() == [2, 2, 3, 4]
    launcher(queue=other, global_work_size=(4,), local_work_size=2).wait()
    assert tensor.data().tolist() == [4, 4, 6, 8]
    assert len(launcher.events) == 1


def test_runs_on_the_default_queue_of_its_manager(mgr: kp.Manager, tensor: kp.Tensor) -> None:
    gate = kp.UserEvent()
    launcher = parametrized("k", tensor)
    assert launcher(wait_for=gate, scale=2, offset=0).queue_name == mgr.default_queue.name
    assert not launcher.queue_configured()
    assert launcher.default_queue is None
    step = kl.KernelListLauncher("step")
    step += fixed("+1", tensor, 1, 1)
    behind = step()
    assert behind.status == kp.EventStatus.queued
    gate.set()
    behind.wait()
    assert tensor.data().tolist() == [3, 5, 7, 9]
    target = np.zeros(4, np.float32)
    kl.CopyLauncher("c", tensor, target)().wait()
    assert target.tolist() == [3, 5, 7, 9]
    kl.FillLauncher("f", tensor, 4)().wait()
    algorithm = mgr.algorithm([tensor], SCALE, (4,), push_consts=[3, 0])
    kl.KernelLauncher("a", algorithm, default_global_work_size=4)().wait()
    assert tensor.data().tolist() == [12] * 4
    mgr.default_queue.finish()
    with pytest.raises(kp.InvalidArgument, match=r"no queue was given.*give it one of Manager"):
        kl.HostLauncher("h", lambda: None)()


def test_thousands_of_launches_before_one_wait(mgr: kp.Manager, tensor: kp.Tensor) -> None:
    plain, given = fixed("+1", tensor, 1, 1), parametrized("k", tensor)
    for i in range(2000):
        plain()
        last = given(scale=1, offset=i % 2)
    last.wait()
    assert tensor.data().tolist() == [3001, 3002, 3003, 3004]


def test_each_object_is_called_as_its_class_defines(mgr: kp.Manager, tensor: kp.Tensor) -> None:
    class Twice(kl.KernelLauncher):
        def __call__(self, *args: Any, **kwargs: Any) -> kp.Event:
            super().__call__(*args, **kwargs)
            return super().__call__(*args, **kwargs)

    class Renamed(kl.KernelLauncher):
        pass

    for kind, expected in ((kl.KernelLauncher, 2), (Twice, 8), (Renamed, 16)):
        launcher = kind("x2", SCALE, (tensor, 2.0, 0.0), 4)
        launcher().wait()
        assert tensor.data()[0] == expected
    launcher.__call__().wait()
    kl.KernelLauncher.__call__(launcher, mgr.queue()).wait()
    assert tensor.data()[0] == 64
    iterative = kl.IterativeKernelLauncher(
        "i", SCALE, {"scale": 1}, {0: tensor, 2: 0.0}, {"scale": [0.5, 0.25]}, 4
    )
    kl.KernelLauncher.__call__(iterative).wait()
    assert iterative(enqueue_barrier=False) is None
    mgr.default_queue.finish()
    assert tensor.data()[0] == 1
    with pytest.raises(TypeError):
        kl.KernelLauncher.__new__(kl.KernelLauncher)()
    with pytest.raises(TypeError, match="at most 4 arguments by position"):
        fixed("k", tensor, 1, 0)(None, None, 4, 1, 1)
    with pytest.raises(TypeError, match="'queue' twice"):
        fixed("k", tensor, 1, 0)(None, queue=None)


def test_rejects_invalid_sizes(mgr: kp.Manager, tensor: kp.Tensor, queue: kp.Queue) -> None:
    launcher = kl.KernelLauncher("bare", SCALE, (tensor, 2.0, 0.0))
    assert not launcher.queue_configured()
    assert not launcher.global_size_configured()
    with pytest.raises(kp.InvalidArgument, match="launcher 'bare': no global size"):
        launcher()
    with pytest.raises(kp.InvalidArgument, match="multiple"):
        launcher(queue, global_work_size=3, local_work_size=2)
    with pytest.raises(kp.InvalidArgument, match="maxComputeWorkGroup"):
        launcher(queue, global_work_size=1 << 20, local_work_size=1 << 20)
    with pytest.raises(ValueError, match="one to three"):
        launcher(queue, global_work_size=(1, 1, 1, 1))
    integers = mgr.tensor_t(np.ones(4, np.int32))
    shader = kl.KernelLauncher("fixed", INTEGERS, (integers, 2))
    with pytest.raises(kp.InvalidArgument, match="the shader fixes it to 1"):
        shader(queue, global_work_size=4, local_work_size=2)
    rounding = fixed("r", tensor, 2, 0, round_up=True, default_global_work_size=3)
    rounding(queue, local_work_size=2).wait()
    launcher(queue, global_work_size=4).wait()
    assert tensor.data().tolist() == [4, 8, 12, 16]


def test_takes_arguments_by_position_index_and_name(tensor: kp.Tensor, queue: kp.Queue) -> None:
    for arguments in (
        (tensor, 2.0, np.float32(1)),
        [(0, tensor), (2, 1), (1, 2.0)],
        [("offset", 1.0), (0, tensor), ("scale", 2.0)],
        {0: tensor, "scale": 2.0, "offset": 1.0},
    ):
        before = tensor.data().copy()
        launcher = kl.KernelLauncher("k", SCALE, arguments, default_global_work_size=4)
        launcher(queue).wait()
        np.testing.assert_array_equal(tensor.data(), before * 2 + 1)
        assert launcher.args_list is arguments
    names = [name for _, name, _ in launcher.signature]
    assert names[1:] == ["scale", "offset"]


@pytest.mark.parametrize("kind", ["tensor", "array", "text", "bytes", "number", "endless"])
def test_refuses_one_argument_instead_of_a_list(tensor: kp.Tensor, kind: str) -> None:
    given: Any = {
        "tensor": tensor,
        "array": np.zeros(1 << 20, np.float32),
        "text": "tensor",
        "bytes": b"tensor",
        "number": 2,
        "endless": itertools.repeat(1),
    }[kind]
    with pytest.raises(TypeError, match="args_list is a list, a tuple or a dict of arguments"):
        kl.KernelLauncher("k", SCALE, given)


def test_takes_arguments_from_an_iterator(tensor: kp.Tensor, queue: kp.Queue) -> None:
    launcher = kl.KernelLauncher(
        "k",
        SCALE,
        (each for each in [tensor, 2, 1]),
        default_queue=queue,
        default_global_work_size=4,
    )
    launcher(local_work_size=4).wait()
    assert tensor.data().tolist() == [3, 5, 7, 9]


def test_messages_name_the_wrong_argument(
    mgr: kp.Manager, tensor: kp.Tensor, queue: kp.Queue
) -> None:
    def make(arguments: Any, **parameters: Any) -> Any:
        if parameters:
            return kl.ParametrizedKernelLauncher("k", SCALE, parameters, arguments)
        return kl.KernelLauncher("k", SCALE, arguments, manager=mgr)

    invalid = kp.InvalidArgument
    with pytest.raises(invalid, match=r"launcher 'k': argument 2 'offset' \(float\) is missing"):
        make((tensor, 1.0))
    with pytest.raises(invalid, match="4 arguments were given, but the kernel has 3"):
        make((tensor, 1.0, 1.0, 1.0))
    with pytest.raises(invalid, match=r"argument 1 'scale' is a float, but was given uint64_t"):
        make((tensor, np.uint64(1), 1.0))
    with pytest.raises(invalid, match=r"argument 1 'scale' is a float, but was given int"):
        make((tensor, np.int32(1), 1.0))
    with pytest.raises(invalid, match=r"argument 1 'scale' is a float, but was given str 'one'"):
        make((tensor, "one", 1.0))
    with pytest.raises(invalid, match=r"argument 1 'scale' is a float, but was given tensor of 4"):
        make((tensor, tensor, 1.0))
    with pytest.raises(
        invalid, match=r"argument 1 'scale' is a float, but was given .*cannot hold"
    ):
        make((tensor, 1e300, 1.0))
    with pytest.raises(invalid, match=r"a buffer of float, but was given a kp.Array"):
        make((kp.arange(4.0), 1.0, 1.0))
    with pytest.raises(invalid, match=r"argument 0 .*is a buffer of float, but was given float"):
        make((1.0, 1.0, 1.0))
    with pytest.raises(invalid, match=r"argument 0 .*is a buffer of float, but was given image"):
        make((mgr.image(None, 2, 2, 1), 1.0, 1.0))
    with pytest.raises(invalid, match=r"argument 1 'scale' \(float\) was given, but parameter 's'"):
        make(((0, tensor), (1, 1.0), (2, 1.0)), s=1)
    with pytest.raises(invalid, match="both stand for argument 1"):
        make(((0, tensor), (2, 1.0)), s=1, t="scale")
    with pytest.raises(invalid, match="no argument 'speed'"):
        make({0: tensor, "speed": 1.0})
    with pytest.raises(invalid, match="expected to be a int"):
        kl.ParametrizedKernelLauncher("k", SCALE, {"s": (1, np.int32)}, {0: tensor, 2: 1.0})
    integers = kl.ParametrizedKernelLauncher(
        "i", INTEGERS, {"n": 1}, ((0, mgr.tensor_t(np.ones(1, np.int32))),), 1
    )
    with pytest.raises(invalid, match=r"launcher 'i': argument 1 'n' is a int, .*cannot hold"):
        integers(queue, n=1 << 40)
    with pytest.raises(invalid, match="argument 1 'n' is a int, but was given double"):
        integers(queue, n=1.5)
    launcher = parametrized("step", tensor)
    with pytest.raises(invalid, match="launcher 'step': parameter 'offset' is missing"):
        launcher(queue, scale=1.0)
    with pytest.raises(invalid, match="parameter 'dt' is unknown; it takes offset, scale"):
        launcher(queue, scale=1.0, offset=1.0, dt=1.0)
    with pytest.raises(TypeError, match="twice"):
        launcher(queue, queue=queue, scale=1.0, offset=1.0)
    with pytest.raises(invalid, match="needs to know its manager"):
        kl.KernelLauncher("lost", SCALE)
    launcher(queue, scale=np.float32(2), offset=1).wait()
    assert tensor.data().tolist() == [3, 5, 7, 9]
    assert launcher.parameters() == {"offset": "float", "scale": "float"}


def test_check_kernel_arg_can_be_overridden(tensor: kp.Tensor, queue: kp.Queue) -> None:
    launcher = parametrized("step", tensor)
    launcher.check_kernel_arg(1.0, 1, "scale", "float")
    launcher.check_kernel_arg(np.float32(1), 1)
    with pytest.raises(kp.InvalidArgument, match="launcher 'step': argument 1 'scale' is a float"):
        launcher.check_kernel_arg(np.int32(1), 1)
    with pytest.raises(kp.InvalidArgument, match="no argument 3"):
        launcher.check_kernel_arg(1.0, 3)

    class Positive(kl.ParametrizedKernelLauncher):
        def check_kernel_arg(
            self, arg: Any, arg_id: int, arg_name: Any = None, arg_type: Any = None
        ) -> None:
            if arg <= 0:
                raise ValueError(f"{arg_name} ({arg_type}, {arg_id}) is not positive")
            super().check_kernel_arg(arg, arg_id, arg_name, arg_type)

    own = Positive("own", SCALE, {"scale": 1}, {0: tensor, "offset": 0.0}, 4)
    listed = own.as_list_launcher("list")
    for launch in (own, listed):
        with pytest.raises(ValueError, match=r"scale \(float, 1\) is not positive"):
            launch(queue, scale=-1.0)
        launch(queue, scale=2.0).wait()
    assert tensor.data().tolist() == [4, 8, 12, 16]


@pytest.mark.parametrize("mode", ["product", "zip"])
def test_iterative_launcher_equals_a_list(mgr: kp.Manager, queue: kp.Queue, mode: str) -> None:
    a, b = mgr.tensor([1], kp.MemoryTypes.host), mgr.tensor([1], kp.MemoryTypes.host)
    made = itertools.count()

    def scales() -> Any:
        next(made)
        yield from (2.0, np.float32(3))

    iterative = kl.IterativeKernelLauncher(
        "i",
        SCALE,
        {"scale": 1, "offset": 2},
        ((0, a),),
        {"offset": kl.ParameterYielder(lambda: range(1, 3)), "scale": kl.ParameterYielder(scales)},
        default_global_work_size=1,
        mode=mode,
    )
    pairs = [(1, 2.0), (2, 3.0)] if mode == "zip" else list(itertools.product((1, 2), (2.0, 3.0)))
    assert list(iterative.iter_parameters()) == pairs
    by_hand = kl.KernelListLauncher("list")
    for offset, scale in pairs:
        by_hand += fixed("k", b, scale, offset)
    for _ in range(2):
        iterative(queue).wait()
        by_hand(queue).wait()
        assert a.data().tolist() == b.data().tolist()
    assert next(made) == 3
    assert iterative.parameters() == {}


def test_iterative_launcher_takes_generators_and_reports_their_errors(
    tensor: kp.Tensor, queue: kp.Queue
) -> None:
    def make(generator: Any, **more: Any) -> Any:
        return kl.IterativeKernelLauncher(
            "i", SCALE, {"scale": 1, **more}, {0: tensor, 2: 0.0}, {"scale": generator}, 4
        )

    make(kl.ParameterYielder(lambda: ()))(queue).wait()
    assert tensor.data().tolist() == [1, 2, 3, 4]

    def broken() -> Any:
        yield 2.0
        raise KeyError("planted")

    with pytest.raises(KeyError, match="planted"):
        make(kl.ParameterYielder(broken))(queue)
    with pytest.raises(kp.InvalidArgument, match="launcher 'i': argument 1 'scale' is a float"):
        make(["two"])(queue)
    with pytest.raises(TypeError):
        kl.ParameterYielder(3)  # type: ignore[arg-type]
    with pytest.raises(kp.InvalidArgument, match="'speed' is not in the parameters map"):
        kl.IterativeKernelLauncher("i", SCALE, {"scale": 1}, {0: tensor, 2: 0.0}, {"speed": [1]}, 4)
    uneven = kl.IterativeKernelLauncher(
        "u", SCALE, {"scale": 1, "offset": 2}, {0: tensor}, {"scale": [1.0], "offset": [1.0, 2.0]},
        4, mode="zip",
    )  # fmt: skip
    with pytest.raises(kp.InvalidArgument, match="'scale' ends early: it gave 1"):
        uneven(queue)
    reentrant: Any = make(lambda: [reentrant(queue)])
    with pytest.raises(kp.InvalidArgument, match="in a call already"):
        reentrant(queue)
    make([2.0, 5.0])(queue).wait()
    assert tensor.data().tolist() == [10, 20, 30, 40]


def test_barrier_of_an_iterative_launcher_covers_earlier_work(
    mgr: kp.Manager, tensor: kp.Tensor
) -> None:
    iterative = kl.IterativeKernelLauncher(
        "i", SCALE, {"scale": 1}, {0: tensor, 2: 0.0}, {"scale": [2.0, 5.0]}, 4
    )
    free = mgr.queue(in_order=False)
    gate = kp.UserEvent()
    held = fixed("held", mgr.tensor([1]), 2, 0)(free, [gate])
    event = iterative(free)
    assert event is not None
    assert not event.done  # it covers earlier work
    gate.set()
    event.wait()
    assert held.done
    for queue in (free, mgr.queue()):
        assert iterative(queue, enqueue_barrier=False) is None
        queue.finish()


def test_launchers_share_an_algorithm(mgr: kp.Manager, queue: kp.Queue) -> None:
    a, b = mgr.tensor([1], kp.MemoryTypes.host), mgr.tensor([1], kp.MemoryTypes.host)
    algorithm = mgr.algorithm([a], SCALE, (1,), push_consts=[2.0, 0.0])
    first = kl.KernelLauncher("a", algorithm, (a, 2.0, 0.0), 1)
    second = kl.KernelLauncher("b", algorithm, (b, 5.0, 1.0), 1)
    own = kl.KernelLauncher("own", algorithm, default_global_work_size=1)
    gate = kp.UserEvent()
    events = [first(queue, [gate]), second(queue), first(queue), own(queue)]
    gate.set()
    kp.wait_all(events)
    assert (a.data()[0], b.data()[0]) == (8, 6)
    kernel = kl.Kernel(mgr, SCALE)
    kl.KernelLauncher("c", kernel, (b, 2.0, 0.0), 1)(queue).wait()
    assert b.data()[0] == 12


def test_as_list_launcher_wraps_the_launcher(tensor: kp.Tensor, queue: kp.Queue) -> None:
    launcher = parametrized("k", tensor)
    listed = launcher.as_list_launcher("list")
    assert listed.name == "list"
    assert listed.launchers == [launcher]
    listed(queue, scale=2.0, offset=0.0).wait()
    assert tensor.data()[0] == 2


def test_derived_launcher_runs_in_a_list(tensor: kp.Tensor, queue: kp.Queue) -> None:
    class Twice(kl.Launcher):
        def __init__(self, inner: Any) -> None:
            super().__init__("twice")
            self.inner = inner

        def parameters(self) -> dict[str, str]:
            return {"factor": "float"}

        def __call__(self, queue: Any = None, wait_for: Any = None, **more: Any) -> Any:
            first = self.inner(queue, wait_for, scale=more["factor"], offset=0)
            return self.inner(queue, [first], scale=more["factor"], offset=0)

    step = kl.KernelListLauncher("step")
    step += fixed("+1", tensor, 1, 1)
    step += Twice(parametrized("k", tensor))
    step += fixed("+1", tensor, 1, 1)
    step(queue, factor=3).wait()
    assert tensor.data().tolist() == [19, 28, 37, 46]
    with pytest.raises(NotImplementedError, match="must define __call__"):
        kl.Launcher("plain")(queue)


def test_failed_launch_does_not_affect_later_ones(tensor: kp.Tensor, queue: kp.Queue) -> None:
    step, other = parametrized("step", tensor), fixed("other", tensor, 2, 0)
    for _ in range(3):
        with pytest.raises(kp.InvalidArgument):
            step(queue, scale="x", offset=0)
        other(queue).wait()
        step(queue, scale=1, offset=1).wait()
    assert tensor.data()[0] == 15


def test_many_calls_can_be_in_flight(tensor: kp.Tensor, queue: kp.Queue) -> None:
    step = parametrized("k", tensor).as_list_launcher("list")
    gate = kp.UserEvent()
    events = [step(queue, [gate], scale=1, offset=1) for _ in range(100)]
    gate.set()
    events += [step(queue, scale=1, offset=1) for _ in range(100)]
    kp.wait_all(events)
    assert tensor.data()[0] == 201


def test_threads_launch_on_queues_of_their_own(mgr: kp.Manager) -> None:
    results: list[float] = []
    log: list[int] = []

    def work(number: int) -> None:
        own, queue = mgr.tensor([0], kp.MemoryTypes.host), mgr.queue()
        step = kl.KernelListLauncher(f"list {number}")
        step += parametrized("k", own)
        step += kl.HostLauncher("h", lambda: log.append(number))
        event = kp.Event()
        for i in range(40):
            event = step(queue, [event], scale=1, offset=float(i % 3))
        event.wait()
        results.append(float(own.data()[0]))

    run_in_threads(work, [(number,) for number in range(4)])
    assert results == [sum(i % 3 for i in range(40))] * 4
    assert len(log) == 160


END = """
import threading, time, kp
from kp import launcher as kl
mgr = kp.Manager()
queue = mgr.queue()
gate = kp.UserEvent()
def host():
    {host}
step = kl.KernelListLauncher("step")
step += kl.HostLauncher("h", host)
event = step(queue{waits})
{more}
print("end")
"""


@pytest.mark.parametrize(
    ("host", "waits", "more"),
    [
        ("pass", "", ""),
        ("pass", ", [gate]", ""),
        ("time.sleep(0.2)", "", "time.sleep(0.05)"),
        ("gate.wait()", "", "time.sleep(0.05)"),
        ("raise ValueError", "", "time.sleep(0.05)"),
    ],
)
def test_interpreter_exits_with_host_launchers_in_flight(host: str, waits: str, more: str) -> None:
    code = END.format(host=host, waits=waits, more=more)
    assert "end\n" in run_python(code, timeout=60)
