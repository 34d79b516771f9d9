# SPDX-License-Identifier: Apache-2.0
"""Calls with wrong arguments, and numbers of NumPy for shaders: nothing goes wrong in silence."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import INCREMENT
from group_support import make_group

import kp
import kp.launcher as kl


@pytest.fixture(scope="module")
def mgr() -> kp.Manager:
    return kp.Manager()


def test_star_import_hides_no_builtin_function() -> None:
    import builtins

    names: dict[str, Any] = {}
    exec("from kp import *", names)
    hidden = {n for n in names if not n.startswith("_") and hasattr(builtins, n)}
    assert hidden == set()


def refusal(call: Any) -> str:
    """Return the message of a TypeError."""
    with pytest.raises(TypeError) as caught:
        call()
    return str(caught.value)


def test_unknown_keywords_are_named_with_the_nearest(mgr: kp.Manager) -> None:
    tensor = mgr.tensor([1])
    message = refusal(lambda: mgr.algorithm([tensor], INCREMENT, workgroups=(1, 1, 1)))  # type: ignore[call-arg]
    assert message == (
        "kp.Manager.algorithm() has no argument 'workgroups'; did you mean 'workgroup'? Its "
        "arguments are tensors, spirv, workgroup, spec_consts, push_consts, thread_count, "
        "reinterpret, subgroup_size, full_subgroups, addressed, samplers, robust_access, "
        "max_private_bytes, emulate_types, check"
    )
    message = refusal(lambda: mgr.tensor([1], type="int32"))  # type: ignore[call-arg]
    assert "kp.Manager.tensor() has no argument 'type'" in message
    message = refusal(lambda: kp.Manager(devise=0))  # type: ignore[call-arg]
    assert "kp.Manager() has no argument 'devise'; did you mean 'device'?" in message
    message = refusal(lambda: kp.compile(INCREMENT, define={}))  # type: ignore[call-arg]
    assert "kp.compile() has no argument 'define'; did you mean 'defines'?" in message
    assert "kp.Tensor() has no argument" in refusal(lambda: kp.Tensor([1], kind=2))  # type: ignore[call-arg]


def test_wrong_calls_say_what_is_wrong(mgr: kp.Manager) -> None:
    message = refusal(lambda: kp.OpFill([mgr.tensor([1])]))  # type: ignore[call-arg]
    assert message.startswith("kp.OpFill() lacks value. Its signature is ")
    message = refusal(lambda: mgr.image([1], "wide"))  # type: ignore[arg-type]
    assert message == "kp.Manager.image(): width is a whole number, not 'wide'"
    message = refusal(lambda: mgr.queue(in_order=[]))  # type: ignore[arg-type]
    assert message == "kp.Manager.queue(): in_order is True or False, not []"
    message = refusal(lambda: kp.Manager(desired_extensions=3))  # type: ignore[arg-type]
    assert "does not take arguments of these types: desired_extensions: int" in message
    message = refusal(lambda: mgr.algorithm([], INCREMENT, 1, 2, 3, 4))  # type: ignore[call-arg,misc]
    assert "takes at most 5 arguments by position" in message and "void main" not in message
    message = refusal(lambda: mgr.tensor([1], data=[1]))  # type: ignore[misc]
    assert "got the argument 'data' twice" in message


def test_whole_numbers_that_do_not_fit_are_named(mgr: kp.Manager) -> None:
    tensor = mgr.tensor([1])
    label = "kp.Manager.algorithm(): subgroup_size is "
    for value, rest in (
        (-1, "-1, which is too small"),
        (2**40, "1099511627776, which is too large"),
        ("a", "a whole number, not 'a'"),
        (1.5, "a whole number, not 1.5"),
    ):
        given: Any = value
        assert (
            refusal(lambda: mgr.algorithm([tensor], INCREMENT, subgroup_size=given)) == label + rest
        )
    assert "kp.Manager(): device is -1, which is too small" == refusal(
        lambda: kp.Manager(device=-1)
    )
    assert "index is -1, which is too small" in refusal(lambda: mgr.queue(-1))


def test_errors_from_inside_of_a_call_are_left_alone(mgr: kp.Manager) -> None:
    class Broken:
        def __array__(self, *args: Any, **kwargs: Any) -> Any:
            raise TypeError("this one")

    with pytest.raises(TypeError) as caught:
        mgr.tensor(Broken())
    assert "this one" in repr(caught.value) + repr(caught.value.__cause__)


def test_work_is_counted_in_groups_or_in_threads(mgr: kp.Manager) -> None:
    tensor = mgr.tensor([1, 2])
    with pytest.raises(ValueError, match="give one of them"):
        mgr.algorithm([tensor], INCREMENT, (2, 1, 1), thread_count=2)
    assert mgr.algorithm([tensor], INCREMENT, thread_count=200).workgroup == (4, 1, 1)


def test_a_gpu_is_asked_for_by_type() -> None:
    gpus = [each for each in kp.list_devices() if each["type"] != "cpu"]
    if gpus:
        assert kp.Manager(device_type="gpu").get_device_properties()["type"] != "cpu"
    else:
        with pytest.raises(kp.InvalidArgument, match="no device is a GPU.*cpu"):
            kp.Manager(device_type="gpu")
    with pytest.raises(kp.InvalidArgument, match="no device is a GPU"):
        kp.Manager(device_type="gpu", name="no such name")


def test_launchers_are_described_by_their_class_and_name(mgr: kp.Manager) -> None:
    launcher = kl.KernelLauncher("add", INCREMENT, (mgr.tensor([1]),))
    assert repr(launcher) == "<kp.launcher.KernelLauncher 'add'>"

    class Mine(kl.KernelLauncher):
        pass

    assert repr(Mine("own", INCREMENT, (mgr.tensor([1]),))) == "<kp.launcher.Mine 'own'>"


SCALE = """#version 450
layout(local_size_x = 1) in;
layout(binding = 0) buffer Values { float values[]; };
layout(push_constant) uniform Push { float factor; uint first; ivec2 more; };
layout(constant_id = 0) const uint COUNT = 1;
layout(constant_id = 1) const float SHIFT = 0.0;
void main() {
    for (uint i = first; i < first + COUNT; ++i)
        values[i] = values[i] * factor + SHIFT + more.x - more.y;
}
"""


def scaled(mgr: kp.Manager, push: Any, constants: Any) -> list[float]:
    tensor = mgr.tensor([1, 2, 3, 4], "host")
    algorithm = mgr.algorithm([tensor], SCALE, (1, 1, 1), constants, push)
    mgr.sequence().eval(kp.OpAlgoDispatch(algorithm))
    for _ in range(2):
        mgr.sequence().eval(kp.OpAlgoDispatch(algorithm, push))
    algorithm.set_push_constants(push)
    result: list[float] = tensor.data().tolist()
    return result


def test_numbers_in_lists_have_the_types_of_the_shader(mgr: kp.Manager) -> None:
    assert scaled(mgr, [2.0, 1, 7, 7], [2, 0.5]) == [1, 19.5, 27.5, 4]
    assert scaled(mgr, (2.0, 1, [7, 7]), [2]) == [1, 16, 24, 4]
    with pytest.raises(TypeError, match="'first'] is declared as uint32, but 1.5 was given"):
        scaled(mgr, [2.0, 1.5, 7, 7], [2])
    with pytest.raises(ValueError, match="'first'] is -1, which uint32 cannot hold"):
        scaled(mgr, [2.0, -1, 7, 7], [2])
    with pytest.raises(ValueError, match=r"has 3 numbers, .* are factor \(float32\), first \(uint"):
        scaled(mgr, [2.0, 1, 7], [2])
    with pytest.raises(TypeError, match="'0'] is declared as uint32, but 2.5 was given"):
        scaled(mgr, [2.0, 1, 7, 7], [2.5])


def test_launchers_take_numbers_of_numpy_of_the_same_kind(mgr: kp.Manager) -> None:
    tensor = mgr.tensor([1, 2, 3, 4], "host")
    launcher = kl.ParametrizedKernelLauncher(
        "scale",
        SCALE,
        {"factor": "factor", "first": "first"},
        {0: tensor, "more": [0, 0], "COUNT": np.int64(3), "SHIFT": np.float64(0.5)},
        1,
    )
    launcher(mgr.queue(), factor=np.float64(2), first=np.int64(1)).wait()
    assert tensor.data().tolist() == [1, 4.5, 6.5, 8.5]
    launcher(mgr.queue(), factor=np.float16(1), first=np.array(1, np.uint8)).wait()
    with pytest.raises(kp.InvalidArgument, match="'first' is a uint, but was given .*cannot hold"):
        launcher(mgr.queue(), factor=1.0, first=np.int64(-1))
    with pytest.raises(kp.InvalidArgument, match="'first' is a uint, but was given double"):
        launcher(mgr.queue(), factor=1.0, first=np.float64(1))
    with pytest.raises(kp.InvalidArgument, match="'factor' is a float, but was given"):
        launcher(mgr.queue(), factor=np.int32(1), first=1)


def test_missing_and_misfitting_push_constants_are_noticed_when_they_are_given(
    mgr: kp.Manager,
) -> None:
    tensor = mgr.tensor([1, 2, 3, 4])
    algorithm = mgr.algorithm([tensor], SCALE, (1, 1, 1))
    with pytest.raises(kp.InvalidArgument, match=r"constants \(factor, first, more\) have no val"):
        kp.OpAlgoDispatch(algorithm)
    small, large = np.zeros(3, np.float32), np.zeros(12, np.float32)
    for push in (small, large):
        message = rf"push_consts has {push.nbytes} bytes, but .*\(factor, first, more\) have 16"
        with pytest.raises(kp.InvalidArgument, match=message):
            mgr.algorithm([tensor], SCALE, (1, 1, 1), push_consts=push)
        with pytest.raises(kp.InvalidArgument, match=message):
            kp.OpAlgoDispatch(algorithm, push)
        with pytest.raises(kp.InvalidArgument, match=message):
            algorithm.set_push_constants(push)
    kp.OpAlgoDispatch(mgr.algorithm([tensor], SCALE, (1, 1, 1), (), [1.0, 0, 0, 0]))
    mgr.algorithm([tensor], INCREMENT, push_consts=[1.0])  # does no harm, as in Kompute


PARTICLES = """#version 450
struct Particle { vec3 position; uint id; vec2 speed; };
layout(local_size_x = 1) in;
layout(binding = 0) buffer Particles { Particle particles[]; };
layout(binding = 1) buffer Points { vec3 points[]; };
layout(binding = 2) buffer Words { uint words[]; };
void main() { particles[0].id += words[0]; points[0] += 1.0; }
"""


def test_structs_have_the_size_of_those_of_the_shader(mgr: kp.Manager) -> None:
    packed = np.dtype([("position", "f4", 3), ("id", "u4"), ("speed", "f4", 2)])
    padded = np.dtype([*[(n, packed[n]) for n in packed.names or ()], ("padding", "f4", 2)])
    point = np.dtype([("x", "f4", 4)])
    short = np.dtype([("x", "f4", 3)])

    def bind(particle: Any, of_points: Any) -> kp.Algorithm:
        dtypes = (particle, of_points, packed)
        return mgr.algorithm([mgr.tensor_t(np.zeros(4, each)) for each in dtypes], PARTICLES)

    algorithm = bind(padded, point)
    with pytest.raises(
        kp.ShaderError,
        match=r"'Particles' .* 32 bytes each \('position' at 0, 'id' .*24 bytes each",
    ):
        bind(packed, point)
    message = r"'Points' .* 3 x float, 16 bytes each, but was given .* of 12 bytes each.*scalar"
    with pytest.raises(kp.ShaderError, match=message):
        bind(padded, short)
    for numbers in (np.float32, np.uint32):  # without the gaps of the shader
        with pytest.raises(kp.ShaderError, match="'Particles' is declared as"):
            bind(numbers, point)
    with pytest.raises(kp.ShaderError, match="'Points' is declared as .*reinterpret=True"):
        bind(padded, np.float32)
    memory = algorithm.get_mem_objects()
    with pytest.raises(kp.ShaderError, match=message):
        algorithm.set_mem_objects([memory[0], mgr.tensor_t(np.zeros(4, short)), memory[2]])


def test_numbers_of_structs_have_the_places_of_those_of_the_shader(mgr: kp.Manager) -> None:
    source = """#version 450
        struct Body { vec3 position; vec3 speed; };
        layout(local_size_x = 1) in;
        layout(binding = 0) buffer Bodies { Body bodies[]; };
        void main() { bodies[gl_GlobalInvocationID.x].position += bodies[gl_GlobalInvocationID.x].speed; }
    """
    right = np.dtype({"names": ["position", "speed"], "formats": ["3f4", "3f4"],
                      "offsets": [0, 16], "itemsize": 32})  # fmt: skip
    named = np.dtype([("p", "f4", 3), ("gap", "f4"), ("v", "f4", 3), ("mass", "f4")])
    shifted = np.dtype([("position", "f4", 3), ("speed", "f4", 3), ("more", "f4", 2)])
    nowhere = np.dtype({"names": ["position", "speed"], "formats": ["3f4", "3f4"],
                        "offsets": [0, 12], "itemsize": 32})  # fmt: skip
    integers = np.dtype([("position", "i4", 4), ("speed", "i4", 4)])
    group = make_group()
    for good in (right, named, np.dtype("V32")):
        tensor = mgr.tensor_t(np.zeros(4, good))
        mgr.algorithm([tensor], source)
        kl.KernelLauncher("x", source, [tensor], 1)
        kp.kernel(source)(tensor, threads=1)
        if good.fields:
            group.kernel(source, [kp.asbuffer(np.zeros(4, good), group)], 1)
    algorithm = mgr.algorithm([mgr.tensor_t(np.zeros(4, right))], source)
    for bad in (shifted, nowhere, integers):
        tensor = mgr.tensor_t(np.zeros(4, bad))
        what = "position" if bad is integers else "'speed' is at 16 in the shader, but at 12"
        calls = [
            lambda tensor=tensor: mgr.algorithm([tensor], source),
            lambda tensor=tensor: algorithm.set_mem_objects([tensor]),
            lambda tensor=tensor: kl.KernelLauncher("x", source, [tensor], 1),
            lambda tensor=tensor: kp.kernel(source)(tensor, threads=1),
            lambda bad=bad: group.kernel(source, [kp.asbuffer(np.zeros(4, bad), group)], 1),
        ]
        for call in calls:
            with pytest.raises((kp.ShaderError, kp.InvalidArgument), match=what):
                call()
        mgr.algorithm([tensor], source, reinterpret=True).set_mem_objects([tensor])
        kl.KernelLauncher("x", source, [tensor], 1, reinterpret=True)


def test_messages_name_functions_of_python(mgr: kp.Manager) -> None:
    tensor = mgr.tensor([1])
    calls = [
        lambda: mgr.algorithm([tensor], INCREMENT).set_thread_count((1 << 30, 1 << 30, 1 << 30)),
        lambda: kp.OpCopy([tensor]),
        lambda: mgr.sequence().get_timestamps(),
        lambda: mgr.sequence(7),
    ]
    for call in calls:
        with pytest.raises(kp.Error) as caught:
            call()
        message = str(caught.value)
        assert "::" not in message
        for word in ("setThreadCount", "getTimestamps", "evalAsync"):
            assert word not in message
