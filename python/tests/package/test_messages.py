# SPDX-License-Identifier: Apache-2.0
"""Messages of the library name what Python calls things, not what C++ does."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import kp
from kp._wording import counted
from kp import _kp

SOURCES = Path(__file__).parents[3] / "src"

#: Calls whose strings are messages.
MESSAGE = re.compile(r"(?:fail<\w+>|throw \w+|throwFor|formatted)\s*\((.*?)\);", re.S)
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
#: Names as C++ spells them: qualified, or with a capital in the middle.
OF_CPP = re.compile(r"\b\w+::\w+|\b[a-z]+[A-Z]\w*")
#: Names of Vulkan, which are the same in all languages, or of host programs, which are not in Python.
VULKAN = re.compile(r"(?:compute|max|min|shader|storage|vk|timeline)[A-Z]\w*")
HOST = {"featureChain", "shareDevice", "vulkanVersion"}
#: Messages that only C++ programs can meet, and text that is not a message.
ONLY_CPP = {"WrapHostDevice.cpp", "ProfilerImpl.cpp"}


def messages() -> list[tuple[str, str]]:
    found = []
    for path in sorted(SOURCES.rglob("*.cpp")):
        if path.name in ONLY_CPP:
            continue
        for call in MESSAGE.finditer(path.read_text()):
            text = " ".join(part.replace("\\", "") for part in STRING.findall(call[1]))
            found.append((path.name, text))
    return found


@pytest.mark.skipif(not SOURCES.is_dir(), reason="the sources of the library are not here")
def test_every_message_of_the_library_has_pythons_names() -> None:
    everything = messages()
    assert len(everything) > 400
    wrong = []
    for file, text in everything:
        for name in OF_CPP.findall(_kp._python_spelling(text)):
            if not VULKAN.fullmatch(name) and name not in HOST and "HostDevice" not in text:
                wrong.append(f"{file}: {name} in {text!r}")
    assert not wrong, "\n".join(wrong)


def test_options_are_arguments_by_pythons_names() -> None:
    spelling = _kp._python_spelling
    assert spelling("add it to CompileOptions::includeFolders") == "add it to includes"
    assert (
        spelling("CompileOptions::includes is IncludePolicy::eNone") == "include_policy is 'none'"
    )
    assert spelling("choose another one, or roundUp (the") == "choose another one, or round_up (the"
    assert spelling("eUnsignedInt, call evalAwait() first") == "uint32, call eval_await() first"
    assert spelling("AutotunerOptions::budgetSeconds is -1") == "budget is -1"


def test_includes_that_are_not_read_name_the_argument(tmp_path: Path) -> None:
    (tmp_path / "secret.glsl").write_text("")
    (tmp_path / "shaders").mkdir()
    shader = tmp_path / "shaders" / "a.comp"
    shader.write_text('#version 450\n#include "../secret.glsl"\nvoid main() {}\n')
    with pytest.raises(kp.ShaderError, match="include_policy"):
        kp.compile(shader, include_policy="none")


def test_launchers_without_a_size_name_the_argument(mgr: kp.Manager) -> None:
    shader = "#version 450\nlayout(binding = 0) buffer X { float x[]; };\nvoid main() { x[0] = 1; }"
    kernel = kp.launcher.KernelLauncher("bare", shader, (mgr.tensor([1.0]),))
    with pytest.raises(
        kp.InvalidArgument, match=r"\(global_work_size\).*\(default_global_work_size\)"
    ):
        kernel()


@pytest.mark.parametrize("value", [1e39, -1e39, 10**39, np.float64(1e39), np.array([1e39])])
def test_fills_refuse_numbers_that_floats_round_to_infinity(mgr: kp.Manager, value: object) -> None:
    tensor = mgr.tensor([1.0, 2.0])
    with pytest.raises(
        kp.InvalidArgument, match="float32 with .*the largest finite one is 3[.]4028"
    ):
        kp.OpFill([tensor], value)  # type: ignore[arg-type]
    half = mgr.tensor_t(np.ones(2, np.float16))
    with pytest.raises(kp.InvalidArgument, match="the largest finite one is 65504"):
        kp.OpFill([half], 70000)


def test_fills_take_infinity_itself(mgr: kp.Manager) -> None:
    tensor = mgr.tensor([1.0, 2.0])
    for value in (np.inf, -np.inf, np.float64(np.inf), 3.4028234e38):
        mgr.sequence().eval(kp.OpFill([tensor], value))
        assert tensor.read()[0] == np.float32(value)


#: Names of C++ types that NumPy calls something else, and of enumerators and modules.
FOREIGN = re.compile(
    r"\b(uchar|ushort|uint|ulong|long|short|char|half|custom|double)\b|\be[1-3]D|_kp\b|\ba [aeiouAEIOU]\w*int"
    r"|\barg \d|\ba (int|Image|Array|object)\b"
)


def test_types_have_the_names_of_numpy(mgr: kp.Manager) -> None:
    spelling = _kp._python_spelling
    assert (
        spelling("4 eUnsignedChar, eLong, eCustom") == "4 uint8, int64, structs or complex numbers"
    )
    assert spelling("type e1D and e2DArray; eHalf") == "type '1d' and '2d_array'; float16"
    shader = "#version 450\nlayout(binding = 0) buffer X { float x[]; };\nvoid main() { x[0] = 1; }"
    image = mgr.image(np.zeros((4, 4)))
    tensors = [
        *(mgr.tensor_t(np.zeros(4, name)) for name in ("uint8", "int64", "float16", "complex64")),
        mgr.tensor_t(np.zeros(4, [("x", np.float32), ("id", np.int32)])),
        image,
    ]
    one = mgr.tensor([1, 2, 3, 4])
    for memory in tensors:
        calls = [
            lambda x: mgr.algorithm([x], shader),
            lambda x: kp.launcher.KernelLauncher("k", shader, (x,), manager=mgr)(),
            lambda x: kp.kernel(shader)(x),
            lambda x: kp.OpMult([x, x, x], mgr.algorithm()),
            lambda x: kp.OpRandom(x, ("normal", 0, 1)),
            lambda x: kp.histogram(one, weights=x),
            lambda x: kp.OpSort(x),
            lambda x: kp.OpMatMul(x, x, x),
            lambda x: mgr.sequence().record(x),
            lambda x: kp.compress("x > 0", x),
        ]
        for call in calls:
            try:
                call(memory)
            except (TypeError, ValueError, kp.Error) as error:
                assert not FOREIGN.search(str(error)), str(error)


def test_what_was_given_has_its_article_and_pythons_module(mgr: kp.Manager) -> None:
    image = mgr.image(np.zeros((4, 4)))
    with pytest.raises(TypeError, match="not a kp.Image$"):
        kp.sum(image)  # type: ignore[type-var]
    with pytest.raises(TypeError, match="keys is a kp.Tensor, not a kp.Image$"):
        kp.OpSort(image)  # type: ignore[arg-type]
    x = kp.arange(3.0)
    with pytest.raises(
        TypeError, match=r"keys is a kp.Tensor, not a kp.Array; use array.tensor\(\)"
    ):
        kp.OpSort(x)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"an image, not a kp.Array; use array.tensor\(\)"):
        kp.OpSyncDevice([x])  # type: ignore[list-item]
    with pytest.raises(TypeError, match=r"tensors\[0\] is a tensor or an image, not an int$"):
        kp.OpSyncDevice([3])  # type: ignore[list-item]
    with pytest.raises(TypeError, match=r"not a numpy.ndarray; make one with Manager.tensor_t\("):
        kp.OpSyncDevice([np.zeros(3)])  # type: ignore[list-item]
    with pytest.raises(TypeError, match=r"not a numpy.ndarray; make one with Manager.tensor_t\("):
        mgr.algorithm([np.zeros(3)], "void main() {}")  # type: ignore[list-item]
    with pytest.raises(TypeError, match="but was given a kp.Image of float32"):
        kp.kernel("kernel void f(inout float x[]) { x[i] = 1; }")(image)


COMPLETE = "#version 450\nvoid main() {}"


@pytest.mark.parametrize("kind", ["tensor", "image", "array"])
def test_one_object_in_place_of_a_list_has_a_hint(mgr: kp.Manager, kind: str) -> None:
    given = {"tensor": mgr.tensor([1]), "image": mgr.image(np.zeros((2, 2))), "array": kp.zeros(3)}
    alone = given[kind]
    wanted = "array.tensor()" if kind == "array" else kind
    hint = rf" is a list of tensors and images, not a kp\..*; write \[{re.escape(wanted)}\]$"
    calls = {
        "tensors": [mgr.algorithm, kp.OpSyncDevice, kp.OpCopy, lambda x: kp.OpFill(x, 1)],
        "addressed": [lambda x: mgr.algorithm([], COMPLETE, addressed=x)],
    }
    for argument, functions in calls.items():
        for function in functions:
            with pytest.raises(TypeError, match=f"^{argument}{hint}"):
                function(alone)


def test_arrays_in_place_of_tensors_have_a_hint(mgr: kp.Manager) -> None:
    with pytest.raises(
        TypeError, match=r"tensors\[0\] is .* not a kp.Array; use array.tensor\(\)$"
    ):
        kp.OpSyncDevice([kp.zeros(3)])  # type: ignore[list-item]


def test_a_tensor_that_should_compute_names_the_array_over_its_memory(mgr: kp.Manager) -> None:
    tensor = mgr.tensor([1, 2, 3])
    for compute in (
        lambda: tensor + 1,
        lambda: 2 * tensor,
        lambda: tensor @ tensor,
        lambda: -tensor,
        lambda: abs(tensor),
        lambda: tensor < 2,
    ):
        with pytest.raises(
            TypeError, match=r"has no operator .*; kp\.asarray\(tensor\) is an array"
        ):
            compute()
    with pytest.raises(
        AttributeError, match=r"no attribute 'sum'; kp\.asarray\(tensor\) .* has sum"
    ):
        tensor.sum()
    with pytest.raises(AttributeError, match=r"^a kp\.Tensor has no attribute 'total'$"):
        tensor.total
    assert not hasattr(tensor, "T")


def test_arrays_of_the_library_and_of_numpy_compute_with_tensors(mgr: kp.Manager) -> None:
    tensor = mgr.tensor([1, 2, 3])
    array, host = kp.asarray(tensor), np.ones(3, np.float32)
    for result in (tensor + array, array + tensor):
        assert isinstance(result, kp.Array)
        assert result.get().tolist() == [2, 4, 6]
    for result in (tensor + host, host + tensor, tensor + np.float32(1), np.float32(1) + tensor):
        assert isinstance(result, np.ndarray)
        assert result.tolist() == [2, 3, 4]


def test_extents_of_the_wrong_kind_are_named(mgr: kp.Manager) -> None:
    tensor, numbers = mgr.tensor([1, 2, 3]), mgr.tensor_t([1, 2], dtype="complex64")
    for extents in ((2, 2), (1, 1, "3"), 3):
        with pytest.raises(TypeError, match="extents is a tuple of 3 whole numbers, not "):
            kp.OpMatMul(tensor, tensor, tensor, extents=extents)
    with pytest.raises(TypeError, match="extents has -1, which is too small"):
        kp.OpMatMul(tensor, tensor, tensor, extents=(-1, 2, 3))
    with pytest.raises(TypeError, match="shape is a row of whole numbers, not 3"):
        kp.OpFFT(numbers, axes=(-1,), shape=3)


def test_what_is_no_operation_has_a_hint(mgr: kp.Manager) -> None:
    sequence = mgr.sequence()
    with pytest.raises(TypeError, match=r"kp.Algorithm; use kp.OpAlgoDispatch\(algorithm\)$"):
        sequence.record(mgr.algorithm())  # type: ignore[arg-type]
    with pytest.raises(
        TypeError,
        match=r"op is the class kp.OpAlgoDispatch; create an object of it: kp.OpAlgoDispatch\(",
    ):
        sequence.record(kp.OpAlgoDispatch)  # type: ignore[arg-type]


HLSL = "RWStructuredBuffer<float> x;\n[numthreads(1, 1, 1)]\nvoid main() { x[0] = 1; }"


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("nofile", "end it in .comp, .glsl, .hlsl, .slang or .spv, or give a pathlib.Path"),
        ("shaders/nofile.txt", "or give a pathlib.Path"),
        (HLSL, 'kp.compile(text, language="hlsl")'),
        ('[shader("compute")]\nvoid main() { }', 'kp.compile(text, language="hlsl")'),
    ],
)
def test_text_that_is_no_glsl_has_a_hint(mgr: kp.Manager, text: str, hint: str) -> None:
    for compile in (kp.compile, kp.kernel, lambda text: mgr.algorithm([], text)):
        with pytest.raises(kp.ShaderError) as caught:
            compile(text)
        assert hint in str(caught.value).splitlines()[-1]
        assert caught.value.line == 1


def test_errors_in_glsl_have_no_hint() -> None:
    with pytest.raises(kp.ShaderError) as caught:
        kp.compile("#version 450\nvoid main() { x = 1; }")
    assert "hint" not in str(caught.value)


def test_flags_and_text_of_other_types_are_refused_by_name(mgr: kp.Manager) -> None:
    with pytest.raises(TypeError, match=r"kp.Manager\(\): validation is text, not True$"):
        kp.Manager(validation=True)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="robust_access is True or False, not 'yes'$"):
        mgr.algorithm([], COMPLETE, robust_access="yes")  # type: ignore[call-overload]


def test_ragged_data_has_the_reason(mgr: kp.Manager) -> None:
    with pytest.raises(TypeError, match="data cannot be converted to an array: .*inhomogeneous"):
        mgr.tensor([[1, 2], [3]])  # type: ignore[list-item]


def test_calls_of_kernels_name_the_kernel_and_the_argument() -> None:
    scale = kp.kernel("kernel void f(in float x[], out float y[], float w) { y[i] = w * x[i]; }")
    for x in (np.ones(3, np.float32), kp.ones(3, np.float32)):
        scale(x, w=2.0)
        with pytest.raises(
            kp.InvalidArgument, match="^kernel 'f': w is a float, but was given str"
        ):
            scale(x, w="a")
        assert scale(x, w=2.0)[0] == 2


def test_kernels_of_a_line_take_inputs_by_name() -> None:
    scale = kp.elementwise("T x, T a", "T z", "z = a * x")
    out = kp.zeros(3)
    assert scale(kp.ones(3), a=2.0).tolist() == [2, 2, 2]
    assert scale(a=2.0, x=kp.ones(3), z=out) is out
    assert out.tolist() == [2, 2, 2]
    total = kp.reduction("T x, T a", "T z", "a * x", "a + b", "z = a", "0")
    assert total(kp.ones(3), a=2.0, axis=0).item() == 6
    for wrong, message in (
        (lambda: scale(kp.ones(3), b=2.0), "has no argument 'b'. Its arguments are x, a, z, size"),
        (lambda: scale(kp.ones(3), 1.0, a=2.0), "got its argument 'a' twice"),
        (lambda: scale(a=2.0), "lacks its argument 'x'"),
    ):
        with pytest.raises(TypeError, match=message):
            wrong()


def test_an_unknown_log_level_is_reported() -> None:
    code = "import kp; kp.Manager()"
    environment = {**os.environ, "KOMPUTE_LOG_LEVEL": "foo"}
    run = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert "KOMPUTE_LOG_LEVEL=foo is unknown; use one of: trace, debug" in run.stderr


def test_constants_that_the_shader_lacks_are_warned_of(
    mgr: kp.Manager, caplog: pytest.LogCaptureFixture
) -> None:
    mgr.algorithm([], COMPLETE, spec_consts=[1], push_consts=[1.0])
    assert "no specialization constants with the ids 0; their values are ignored" in caplog.text
    assert "no push constants; the 4 bytes given are ignored" in caplog.text


def test_kernels_name_the_arguments_whose_shapes_differ() -> None:
    add = kp.elementwise("T x, T y", "T z", "z = x + y")
    with pytest.raises(ValueError, match=r"together with shapes x \(3,\), y \(2,\)$"):
        add(np.ones(3), np.ones(2))
    dot = kp.reduction("T x, T y", "T z", "x * y", "a + b", "z = a", "0")
    with pytest.raises(ValueError, match=r"together with shapes x \(3,\), y \(2,\)$"):
        dot(np.ones(3), np.ones(2))


@pytest.mark.parametrize(
    ("count", "noun", "text"),
    [
        (1, "axis", "1 axis"),
        (2, "axis", "2 axes"),
        (1, "index", "1 index"),
        (0, "element", "0 elements"),
    ],
)
def test_messages_count_in_the_singular_and_the_plural(count: int, noun: str, text: str) -> None:
    assert counted(count, noun) == text


SHORT = "kernel void k(in float x[], out float y[], float a) { y[i] = a * x[i]; }"


def test_kernels_in_place_of_shaders_say_who_gives_their_size(mgr: kp.Manager) -> None:
    x, y = mgr.tensor([1, 2]), mgr.tensor([0, 0])
    kernel = kp.kernel(SHORT)
    reason = (
        r"This shader is a kernel: a call of it gives kp_global_size, .*'kp_global_size': \(1000"
    )
    for constants in ({"a": 2}, [2.0], {"b": 2}):
        with pytest.raises(ValueError, match=reason):
            mgr.algorithm([x, y], kernel, push_consts=constants)  # type: ignore[arg-type]
    algorithm = mgr.algorithm([x, y], kernel)
    with pytest.raises(
        kp.InvalidArgument, match=rf"\(kp_global_size, a\) have no values; .*{reason}"
    ):
        mgr.sequence().eval(kp.OpAlgoDispatch(algorithm))
    given = {"kp_global_size": (2, 1, 1), "a": 2}
    mgr.sequence().eval(kp.OpAlgoDispatch(mgr.algorithm([x, y], kernel, push_consts=given)))
    assert y.read().tolist() == [2, 4]
    bare = "#version 450\nlayout(push_constant) uniform P { float a; };\nvoid main() { }"
    with pytest.raises(ValueError, match="for each push constant$"):
        mgr.algorithm([x], bare, push_consts={})


def test_the_short_form_has_a_hint_where_shaders_are_expected(mgr: kp.Manager) -> None:
    for compile in (kp.compile, lambda text: mgr.algorithm([], text)):
        with pytest.raises(kp.ShaderError, match=r"hint: .*short form .*kp\.kernel\(text\) takes$"):
            compile(SHORT)


def test_numbers_in_place_of_memory_say_what_to_give(mgr: kp.Manager) -> None:
    shader = (
        "#version 450\nlayout(binding = 0) buffer X { float x[]; };\n"
        "layout(push_constant) uniform P { float a; };\nvoid main() { x[0] = a; }"
    )
    x = mgr.tensor([1])
    for wrong, kind in (([1.0, 2, 3, 4], r"float\[4\]"), (1.0, "float"), (b"x", "1 byte")):
        with pytest.raises(
            kp.InvalidArgument,
            match=f"given {kind}, which is not memory; give a tensor, which Manager.tensor",
        ):
            kp.launcher.KernelLauncher("k", shader, (wrong, 1.0), manager=mgr)
    with pytest.raises(kp.InvalidArgument, match="tensor of 1 float32; give the value itself"):
        kp.launcher.KernelLauncher("k", shader, (x, x), manager=mgr)


def test_functions_of_running_sequences_are_named(mgr: kp.Manager) -> None:
    slow = (
        "#version 450\nlayout(binding = 0) buffer X { float x[]; };\n"
        "void main() { float a = 0; for (int i = 0; i < 20000000; i++) a = sin(a + x[1]); x[0] = a; }"
    )
    dispatch = kp.OpAlgoDispatch(mgr.algorithm([mgr.tensor([1, 2])], slow, (1, 1, 1)))
    sequence = mgr.sequence().record(dispatch).eval_async()
    for name, call in (
        ("record", lambda: sequence.record(dispatch)),
        ("begin", sequence.begin),
        ("rerecord", sequence.rerecord),
        ("eval", sequence.eval),
        ("eval_async", sequence.eval_async),
        ("eval_async", lambda: sequence.eval_async(dispatch, wait_for=[])),
    ):
        with pytest.raises(
            kp.InvalidArgument,
            match=rf"^{name}\(\) was called while the sequence runs; call eval_await\(\) first, or use",
        ):
            call()
    sequence.eval_await()


HALF = "\udcff"


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("the shader", lambda mgr: kp.compile(HALF)),
        ("the shader", lambda mgr: kp.kernel(f"void main() {{ }} // {HALF}")),
        ("the shader", lambda mgr: mgr.algorithm([], HALF)),
        ("a name in defines", lambda mgr: kp.compile(COMPLETE, defines={HALF: 1})),
        ("a value in defines", lambda mgr: kp.compile(COMPLETE, defines={"A": HALF})),
        (r"entry_point of kp.compile\(\)", lambda mgr: kp.compile(COMPLETE, entry_point=HALF)),
        (r"name of kp.KernelLauncher\(\)", lambda mgr: kp.launcher.KernelLauncher(HALF, COMPLETE)),
        (r"name of kp.Manager\(\)", lambda mgr: kp.Manager(name=HALF)),
        ("operation of .*", lambda mgr: kp.elementwise("T x", "T y", f"y = x{HALF}")(kp.ones(1))),
        ("condition", lambda mgr: kp.compress(HALF, mgr.tensor([1]))),
        ("op", lambda mgr: kp.reduce(mgr.tensor([1]), op=(HALF, "0"))),
        ("address", lambda mgr: mgr.sampler(address=HALF)),
    ],
)
def test_text_without_utf8_is_named(
    mgr: kp.Manager, name: str, call: Callable[..., object]
) -> None:
    with pytest.raises(
        UnicodeEncodeError, match=f"surrogates not allowed. {name} is text; if it was"
    ):
        call(mgr)


@pytest.mark.parametrize(
    "operation", ["y = x; return", "return;", "return x", "if (x > 0) return; y = x;"]
)
def test_lines_that_return_are_refused(operation: str) -> None:
    with pytest.raises(
        ValueError, match=r"as 'y = \.\.\.', and does not return: every element needs"
    ):
        kp.elementwise("T x", "T y", operation)
    with pytest.raises(ValueError, match="post_map_expr sets the result, as 'y = a', not 'return"):
        kp.reduction("T x", "T y", "x", "a + b", "return", "0")
    for map_expr, reduce_expr in (("return x", "a + b"), ("x", "return a"), ("x;", "a + b")):
        with pytest.raises(ValueError, match="_expr is an expression, such as '.*', without"):
            kp.reduction("T x", "T y", map_expr, reduce_expr, "y = a", "0")
    double = kp.elementwise(
        "T x", "T y", "y = twice(x)", preamble="float twice(float x) { return 2 * x; }"
    )
    assert double(kp.ones(2, dtype=np.float32)).tolist() == [2, 2]


def test_the_extension_module_finds_what_it_calls_in_the_package() -> None:
    from kp._extension import _PLACES, find

    bindings = Path(__file__).parents[2] / "src"
    text = "".join(path.read_text() for path in bindings.rglob("*.cpp"))
    assert not re.findall(r'import\("kp', text), "functions come from kp/_extension.py"
    called = set(re.findall(r'ofPackage\("(\w+)"\)', text))
    errors = {name for name in _PLACES if isinstance(find(name), type)}
    assert called <= _PLACES.keys()
    assert _PLACES.keys() - called <= errors
    for name in _PLACES:
        assert find(name) is not None


def test_the_extension_module_needs_the_package() -> None:
    code = "import sys; sys.path.insert(0, sys.argv[1]); import _kp; _kp.compile('no shader')"
    folder = str(Path(_kp.__file__).parent)
    run = subprocess.run([sys.executable, "-c", code, folder], capture_output=True, text=True)
    assert run.returncode == 1 and "import kp, not kp._kp" in run.stderr, run.stderr
