# SPDX-License-Identifier: Apache-2.0
"""Constants whose numbers do not follow each other: matrices and arrays, by every way in."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from device_support import skip_without
from group_support import make_group

import kp
from kp import launcher as kl
from kp.cli.constants import push_constants


def shader(declaration: str, numbers: list[str], layout: str = "") -> str:
    stores = "\n".join(f"result[{i}] = float({each});" for i, each in enumerate(numbers))
    return f"""#version 450
        #extension GL_EXT_scalar_block_layout : enable
        layout(local_size_x = 1) in;
        layout(binding = 0) writeonly buffer Result {{ float result[]; }};
        layout(push_constant{layout}) uniform Push {{ float before; {declaration}; float after; }};
        void main() {{ {stores} result[{len(numbers)}] = before; result[{len(numbers) + 1}] = after; }}
    """


def columns(count: int, rows: int, name: str = "m") -> list[str]:
    return [f"{name}[{i}][{j}]" for i in range(count) for j in range(rows)]


#: The declaration of x, its shape, the numbers as the shader reads them, the layout.
LAYOUTS = {
    "mat2": ("mat2 m", (2, 2), columns(2, 2), ""),
    "mat3": ("mat3 m", (3, 3), columns(3, 3), ""),
    "mat4": ("mat4 m", (4, 4), columns(4, 4), ""),
    "mat2x3": ("mat2x3 m", (2, 3), columns(2, 3), ""),
    "mat4x3": ("mat4x3 m", (4, 3), columns(4, 3), ""),
    "mat3x2": ("mat3x2 m", (3, 2), columns(3, 2), ""),
    "row major": ("layout(row_major) mat2x3 m", (2, 3), columns(2, 3), ""),
    "scalar mat3": ("mat3 m", (3, 3), columns(3, 3), ", scalar"),
    "vec3[]": ("vec3 m[3]", (3, 3), columns(3, 3), ""),
    "ivec3[]": ("ivec3 m[2]", (2, 3), columns(2, 3), ""),
    "float[]": ("float m[4]", (4,), [f"m[{i}]" for i in range(4)], ""),
    "std140 mat2": ("mat2 m", (2, 2), columns(2, 2), ", std140"),
    "std140 float[]": ("float m[3]", (3,), [f"m[{i}]" for i in range(3)], ", std140"),
    "std140 float[][]": ("float m[2][3]", (2, 3), columns(2, 3), ", std140"),
    "mat3[]": (
        "mat3 m[2]",
        (2, 3, 3),
        [f"m[{k}][{i}][{j}]" for k in range(2) for i in range(3) for j in range(3)],
        "",
    ),
}


def run(mgr: kp.Manager, *operations: kp.OpBase) -> None:
    sequence = mgr.sequence()
    for operation in operations:
        sequence.record(operation)
    sequence.eval()


class Case:
    def __init__(self, mgr: kp.Manager, name: str) -> None:
        declaration, self.shape, numbers, layout = LAYOUTS[name]
        self.mgr = mgr
        self.source = shader(declaration, numbers, layout)
        self.dtype = np.int32 if "ivec" in declaration else np.float32
        self.count = len(numbers)
        self.values = np.arange(1, self.count + 1, dtype=self.dtype).reshape(self.shape)
        self.tensor = mgr.tensor_t(np.zeros(self.count + 2, np.float32))

    def expect(self, values: Any, before: float = -1, after: float = -2) -> None:
        run(self.mgr, kp.OpSyncLocal([self.tensor]))
        wanted = [*np.asarray(values, np.float32).ravel(), before, after]
        assert self.tensor.data().tolist() == wanted

    def named(self, values: Any) -> dict[str, Any]:
        return {"m": values, "after": -2, "before": -1}


@pytest.fixture(params=LAYOUTS)
def case(mgr: kp.Manager, request: pytest.FixtureRequest) -> Case:
    return Case(mgr, request.param)


def test_algorithms_lay_out_constants_by_name(case: Case) -> None:
    algorithm = case.mgr.algorithm(
        [case.tensor], case.source, (1,), push_consts=case.named(case.values.tolist())
    )
    run(case.mgr, kp.OpAlgoDispatch(algorithm))
    case.expect(case.values)
    algorithm.set_push_constants({"m": case.values * 2})
    run(case.mgr, kp.OpAlgoDispatch(algorithm))
    case.expect(case.values * 2)
    run(case.mgr, kp.OpAlgoDispatch(algorithm, {"m": case.values.ravel() * 3}))
    case.expect(case.values * 3)
    flat = [7, *(case.values.ravel() * 4).tolist(), 8]
    run(case.mgr, kp.OpAlgoDispatch(algorithm, flat))
    case.expect(case.values * 4, 7, 8)
    nested = [7, (case.values * 5).tolist(), 8]
    run(case.mgr, kp.OpAlgoDispatch(algorithm, nested))
    case.expect(case.values * 5, 7, 8)
    if case.dtype == np.float32:
        run(case.mgr, kp.OpAlgoDispatch(algorithm, np.array(flat, np.float32)))
        case.expect(case.values * 4, 7, 8)


def test_launchers_lay_out_constants(case: Case) -> None:
    kernel = case.source
    arguments = {"Result": case.tensor, "m": case.values, "before": -1.0, "after": -2.0}
    kl.KernelLauncher("fixed", kernel, arguments, 1)().wait()
    case.expect(case.values)
    launcher = kl.ParametrizedKernelLauncher(
        "named", kernel, {"m": "m"}, {"Result": case.tensor, "before": -1.0, "after": -2.0}, 1
    )
    launcher(m=(case.values * 2).tolist()).wait()
    case.expect(case.values * 2)
    launcher(m=(case.values * 3).ravel()).wait()
    case.expect(case.values * 3)


def test_kernels_lay_out_constants(case: Case) -> None:
    kernel = kp.kernel(case.source)
    kernel(case.tensor, **case.named(case.values), threads=1)
    case.expect(case.values)
    kernel(case.tensor, **case.named((case.values * 2).tolist()), threads=1)
    case.expect(case.values * 2)


def test_tuning_lays_out_constants(mgr: kp.Manager) -> None:
    kernel = kp.kernel(
        """#version 450
        layout(local_size_x_id = 0) in;
        layout(binding = 0) buffer Points { vec4 p[]; };
        layout(push_constant) uniform Push { float before; mat3 m; };
        void main() { p[gl_GlobalInvocationID.x].xyz = before * m[2]; }"""
    )
    points = mgr.tensor_t(np.zeros((64, 4), np.float32))
    wanted = np.zeros((64, 4), np.float32)
    wanted[:, :3] = [14, 16, 18]
    turn = np.arange(1, 10, dtype=np.float32).reshape(3, 3)
    kernel.tune(points, before=2, m=turn, local_size=[32], expect={"p": wanted}, cache_folder="off")


def test_groups_lay_out_constants(case: Case) -> None:
    group = make_group()
    buffer = kp.asbuffer(np.zeros(case.count + 2, np.float32), group)
    arguments = [("Result", buffer), ("before", -1.0), ("after", -2.0)]
    kp.wait_all(group.kernel(case.source, [*arguments, ("m", case.values)], 1)())
    assert buffer.tensor(1).read()[: case.count].tolist() == case.values.ravel().tolist()
    named = group.kernel(case.source, arguments, 1, parameters_map=["m"])
    kp.wait_all(named(m=(case.values * 2).tolist()))
    assert buffer.tensor(1).read()[: case.count].tolist() == (case.values * 2).ravel().tolist()


def test_the_command_line_lays_out_constants(case: Case) -> None:
    values = ",".join(map(str, case.values.ravel().tolist()))
    reflection = kp.reflect(case.source)
    block = push_constants(["after=-2", f"m={values}", "before=-1"], reflection)
    algorithm = case.mgr.algorithm([case.tensor], case.source, (1,), push_consts=block)
    run(case.mgr, kp.OpAlgoDispatch(algorithm))
    case.expect(case.values)


def test_wrong_shapes_are_refused(mgr: kp.Manager) -> None:
    case = Case(mgr, "mat2x3")
    wrong = np.zeros((3, 2), np.float32)
    for value in (wrong, wrong.tolist()):
        with pytest.raises(ValueError, match=r"m.*shape \(3, 2\).*\(2, 3\)"):
            mgr.algorithm([case.tensor], case.source, (1,), push_consts=case.named(value))
        with pytest.raises(ValueError, match=r"m.*shape \(3, 2\).*\(2, 3\)"):
            kl.KernelLauncher(
                "x",
                case.source,
                {"Result": case.tensor, "m": value, "before": 0.0, "after": 0.0},
                1,
            )
        with pytest.raises(ValueError, match=r"m.*shape \(3, 2\).*\(2, 3\)"):
            kp.kernel(case.source)(case.tensor, **case.named(value), threads=1)


def test_reflection_tells_where_numbers_lie() -> None:
    [_, member, _] = kp.reflect(shader("mat2x3 m", ["m[1][2]"])).push_constants
    assert (member.offset, member.size, member.components) == (16, 32, 6)
    assert member.axes == ((2, 16), (3, 4))


SCALARS = """#version 450
    #extension GL_ARB_gpu_shader_int64 : enable
    layout(local_size_x = 1) in;
    layout(binding = 0) writeonly buffer Result {{ float result[]; }};
    layout(push_constant) uniform Push {{ {}; }};
    layout(constant_id = 0) const float constant = 0.0;
    layout(constant_id = 1) const bool flag = false;
    void main() {{ result[0] = float(a); result[1] = float(b); result[2] = constant; result[3] = float(flag); }}
"""


@pytest.mark.parametrize("value", [1e300, -1e39, 4294967295, 2**24 + 1, 2**70 + 1, 2**2000])
def test_numbers_that_floats_cannot_hold_are_refused(mgr: kp.Manager, value: Any) -> None:
    tensor = mgr.tensor_t(np.zeros(4, np.float32))
    source = SCALARS.format("float a, b")
    good = mgr.algorithm([tensor], source, (1,), push_consts=[1, 2])

    def refuses(call: Any) -> None:
        with pytest.raises(ValueError, match="cannot hold"):
            call()

    for given in ({"a": value, "b": 0}, [value, 0], (0.0, value)):
        refuses(lambda given=given: mgr.algorithm([tensor], source, (1,), push_consts=given))
        refuses(lambda given=given: good.set_push_constants(given))
        refuses(lambda given=given: kp.OpAlgoDispatch(good, given))
    for given in ({"constant": value}, {0: value}, [value], value):
        refuses(lambda given=given: mgr.algorithm([tensor], source, (1,), given, [1, 2]))

    refuses(lambda: kl.KernelLauncher("x", source, [tensor, value, 1.0], 1))
    refuses(lambda: kp.kernel(source)(tensor, value, 1.0, threads=1))
    refuses(lambda: kp.kernel(source)(tensor, 1.0, 1.0, constant=value, threads=1))
    refuses(lambda: kp.TuningArguments([tensor], 1, [value]))


def test_numbers_that_floats_hold_are_taken(mgr: kp.Manager) -> None:
    tensor = mgr.tensor_t(np.zeros(4, np.float32))
    source = SCALARS.format("float a, b")
    for a, b in ((2**24, -(2**25)), (0.1, 3.4e38), (float("inf"), -float("inf")), (True, 2**100)):
        algorithm = mgr.algorithm([tensor], source, (1,), push_consts=[a, b])
        run(mgr, kp.OpAlgoDispatch(algorithm), kp.OpSyncLocal([tensor]))
        assert tensor.data()[:2].tolist() == np.array([a, b], np.float32).tolist()


@pytest.mark.parametrize("kind", ["float", "int", "uint", "bool", "int64_t", "double"])
@pytest.mark.parametrize("dtype", [np.bool_, np.uint8, np.int8])
def test_arrays_of_bytes_are_values(mgr: kp.Manager, kind: str, dtype: Any) -> None:
    skip_without(mgr, {"int64_t": "int64", "double": "float64"}.get(kind, kind))
    tensor = mgr.tensor_t(np.zeros(4, np.float32))
    source = SCALARS.format(f"{kind} a; {kind} b")
    given = np.array([0, 1], dtype)

    def expect(values: list[float]) -> None:
        run(mgr, kp.OpSyncLocal([tensor]))
        assert tensor.data().tolist()[: len(values)] == values

    algorithm = mgr.algorithm([tensor], source, (1,), np.array([1, 1], dtype), given)
    run(mgr, kp.OpAlgoDispatch(algorithm))
    expect([0, 1, 1, 1])
    run(mgr, kp.OpAlgoDispatch(algorithm, given[::-1].copy()))
    expect([1, 0])
    algorithm.set_push_constants({"a": given[1], "b": given[:1]})
    run(mgr, kp.OpAlgoDispatch(algorithm))
    expect([1, 0])

    kl.KernelLauncher("x", source, [tensor, given[1], given[:1]], 1)().wait()
    expect([1, 0])
    vector = SCALARS.format("ivec3 a").replace("float(a)", "float(a.y)").replace("float(b)", "a.z")
    kl.KernelLauncher("x", vector, [tensor, np.array([0, 1, 1], dtype)], 1)().wait()
    expect([1, 1])


def test_bytes_are_raw(mgr: kp.Manager) -> None:
    tensor = mgr.tensor_t(np.zeros(4, np.float32))
    source = SCALARS.format("float a, b")
    for given in (np.float32([1.5, 2.5]).tobytes(), bytearray(np.float32([1.5, 2.5]).tobytes())):
        algorithm = mgr.algorithm([tensor], source, (1,), push_consts=given)
        run(mgr, kp.OpAlgoDispatch(algorithm), kp.OpSyncLocal([tensor]))
        assert tensor.data()[:2].tolist() == [1.5, 2.5]


def test_algorithms_of_short_kernels_say_what_kp_global_size_is(mgr: kp.Manager) -> None:
    kernel = kp.kernel("kernel void twice(inout float x[]) { x[i] *= 2; }")
    tensor = mgr.tensor_t(np.ones(4, np.float32))
    algorithm = mgr.algorithm([tensor], kernel, thread_count=4)
    with pytest.raises(kp.InvalidArgument, match="a call of it gives kp_global_size"):
        kp.OpAlgoDispatch(algorithm)
    run(mgr, kp.OpAlgoDispatch(algorithm, {"kp_global_size": (4, 1, 1)}), kp.OpSyncLocal([tensor]))
    assert tensor.data().tolist() == [2] * 4
