# SPDX-License-Identifier: Apache-2.0
"""Compilation, reflection and rejection of shaders."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

import numpy as np
import pytest
from conftest import INCREMENT

import kp

HLSL = """
RWStructuredBuffer<float> values : register(u0);
[numthreads(1, 1, 1)]
void increment(uint3 id : SV_DispatchThreadID) { values[id.x] += 1.0; }
"""


def test_compile_returns_spirv() -> None:
    spirv = kp.compile(INCREMENT)
    assert type(spirv) is bytes
    assert spirv[:4] == b"\x03\x02\x23\x07"
    assert kp.compile(INCREMENT) == spirv


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="names of files are Unicode there")
def test_paths_need_not_be_utf_8(tmp_path: Path) -> None:
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/names\xe9"))
    (folder / "inc").mkdir(parents=True)
    (folder / "inc" / "step.glsl").write_text("const float kStep = 1.0;\n")
    source = folder / "shader.comp"
    source.write_text(
        INCREMENT.replace("layout(local", "#include <step.glsl>\nlayout(local").replace(
            "1.0", "kStep"
        )
    )
    spirv = kp.compile(source, includes=[folder / "inc"])
    assert kp.compile(str(source), includes=[folder / "inc"]) == spirv
    (folder / "shader.spv").write_bytes(spirv)
    assert kp.compile(folder / "shader.spv") == spirv
    with kp.Manager(cache_folder=folder / "cache") as mgr:
        mgr.algorithm([mgr.tensor([1.0])], source.parent / "shader.spv")
        assert os.fsencode(kp.Autotuner(mgr).cache_folder).endswith(b"/names\xe9/cache/tuning")
    source.write_text("void main() { nonsense }")
    with pytest.raises(kp.ShaderError, match=r"names\\xe9/shader.comp:1"):
        kp.compile(source)


def test_lone_surrogates_in_sources_are_unicode_errors() -> None:
    for source in ("void main() {}\n// \ud800", "void main() {} // \ud800"):
        with pytest.raises(UnicodeEncodeError):
            kp.compile(source)


def test_errors_show_the_position() -> None:
    with pytest.raises(kp.ShaderError) as caught:
        kp.compile("#version 450\nvoid main() {\n    floot x = 1;\n}\n")
    error = caught.value
    assert error.line == 3
    assert error.code == "shader"
    assert "floot" in error.log
    lines = str(error).splitlines()
    place = next(i for i, line in enumerate(lines) if "floot x = 1;" in line)
    assert lines[place + 1].strip(" |").startswith("^")
    assert isinstance(error, kp.Error)
    assert isinstance(error, RuntimeError)


def test_compiles_files_with_includes_and_defines(tmp_path: Path) -> None:
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "step.glsl").write_text("const float kStep = STEP;\n")
    source = tmp_path / "shader.comp"
    source.write_text(
        INCREMENT.replace(
            "layout(local",
            '#extension GL_GOOGLE_include_directive : require\n#include "step.glsl"\nlayout(local',
        ).replace("1.0", "kStep")
    )
    options = {"includes": [tmp_path / "inc"], "defines": {"STEP": 2.5}}
    spirv = kp.compile(source, **options)  # type: ignore[arg-type]
    assert kp.compile(str(source), **options) == spirv  # type: ignore[arg-type]
    with kp.Manager() as mgr:
        tensor = mgr.tensor([1.0])
        mgr.sequence().record(kp.OpSyncDevice([tensor])).record(
            kp.OpAlgoDispatch(mgr.algorithm([tensor], spirv))
        ).record(kp.OpSyncLocal([tensor])).eval()
        assert tensor[0] == 3.5
    with pytest.raises(kp.ShaderError, match=r"step.glsl"):
        kp.compile(source, defines={"STEP": 1})
    with pytest.raises(FileNotFoundError):
        kp.compile(tmp_path / "missing.comp")
    with pytest.raises(FileNotFoundError):
        kp.compile("missing.comp")


def test_compiles_hlsl(tmp_path: Path) -> None:
    spirv = kp.compile(HLSL, language="hlsl", entry_point="increment")
    assert kp.reflect(spirv, "increment").local_size == (1, 1, 1)
    path = tmp_path / "shader.hlsl"
    path.write_text(HLSL)
    assert kp.reflect(kp.compile(path, entry_point="increment"), "increment").bindings


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ((5,), TypeError),
        ((None,), TypeError),
        ((b"abcd",), TypeError),
    ],
)
def test_rejects_sources_of_the_wrong_type(
    arguments: tuple[object, ...], error: type[Exception]
) -> None:
    with pytest.raises(error, match="source_or_path"):
        kp.compile(*arguments)  # type: ignore[arg-type]


def test_rejects_invalid_options() -> None:
    with pytest.raises(ValueError, match="language"):
        kp.compile(INCREMENT, language="cuda")
    with pytest.raises(TypeError, match="includes"):
        kp.compile(INCREMENT, includes="folder")
    with pytest.raises(TypeError, match="defines"):
        kp.compile(INCREMENT, defines=["A"])  # type: ignore[arg-type]
    with pytest.raises(kp.ShaderError):
        kp.compile("")


def test_reflects_bindings_and_constants() -> None:
    shader = """#version 450
        layout(local_size_x = 8, local_size_y_id = 4) in;
        layout(binding = 0) readonly buffer In { vec4 points[]; };
        layout(binding = 1) writeonly buffer Out { uint count; double sums[]; };
        layout(binding = 2, rgba8ui) uniform uimage2D picture;
        layout(push_constant) uniform Push { int a; vec3 b; };
        layout(constant_id = 2) const float scale = 0.5;
        layout(constant_id = 3) const bool flag = true;
        void main() {
            sums[0] = points[0].x * scale + b.x + (flag ? a : 0);
            imageStore(picture, ivec2(0), imageLoad(picture, ivec2(1)));
        }
    """
    for given in (shader, kp.compile(shader), bytearray(kp.compile(shader))):
        found = kp.reflect(given)
        assert found.entry_point == "main"
        assert found.local_size == (8, 1, 1)
        assert found.local_size_ids == (None, 4, None)
        points, out, picture = found.bindings
        assert (points.name, points.kind, points.reads, points.writes) == (
            "In",
            "storage_buffer",
            True,
            False,
        )
        assert (points.dtype, points.components, points.array_stride) == (np.float32, 4, 16)
        assert (out.reads, out.writes, out.fixed_size, out.dtype) == (False, True, 8, np.float64)
        assert (picture.kind, picture.dtype) == ("storage_image", np.uint32)
        assert [(m.name, m.offset, m.components) for m in found.push_constants] == [
            ("a", 0, 1),
            ("b", 16, 3),
        ]
        assert found.push_constant_size == 28
        assert [(c.id, c.name, c.default) for c in found.spec_constants if c.name] == [
            (2, "scale", 0.5),
            (3, "flag", True),
        ]
        assert "Shader" in found.capabilities
    with pytest.raises(kp.ShaderError, match="other"):
        kp.reflect(shader, "other")
    with pytest.raises(TypeError, match="spirv"):
        kp.reflect(7)  # type: ignore[arg-type]


def test_algorithms_take_every_form_of_shader(mgr: kp.Manager, tmp_path: Path) -> None:
    spirv = kp.compile(INCREMENT)
    binary, source = tmp_path / "a.spv", tmp_path / "a.comp"
    binary.write_bytes(spirv)
    source.write_text(INCREMENT)
    words = np.frombuffer(spirv, np.uint32)
    for shader in (
        spirv,
        bytearray(spirv),
        memoryview(spirv),
        words,
        INCREMENT,
        binary,
        source,
        str(binary),
        str(source),
    ):
        tensor = mgr.tensor([1.0])
        mgr.sequence().record(kp.OpSyncDevice([tensor])).record(
            kp.OpAlgoDispatch(mgr.algorithm([tensor], shader))
        ).record(kp.OpSyncLocal([tensor])).eval()
        assert tensor[0] == 2


def test_algorithms_reject_invalid_shaders(mgr: kp.Manager) -> None:
    tensor = mgr.tensor([1.0])
    spirv = kp.compile(INCREMENT)
    rng = np.random.default_rng(5)
    with pytest.raises(ValueError, match=r"no multiple|words of four"):
        mgr.algorithm([tensor], spirv[:-1])
    with pytest.raises(TypeError, match="spirv"):
        mgr.algorithm([tensor], [1, 2, 3])  # type: ignore[arg-type]
    with pytest.raises(kp.ShaderError):
        mgr.algorithm([tensor], rng.bytes(400))
    for _ in range(200):
        broken = bytearray(spirv)
        for place in rng.integers(0, len(broken), 3):
            broken[place] = rng.integers(256)
        with contextlib.suppress(kp.Error):
            mgr.algorithm([tensor], bytes(broken))
    with pytest.raises(kp.ShaderError, match="binding"):
        mgr.algorithm([], spirv)
    with pytest.raises(TypeError, match=r"tensors\[0\]"):
        mgr.algorithm([1], spirv)  # type: ignore[list-item]


def test_manager_compiles_with_defines(mgr: kp.Manager) -> None:
    assert mgr.compile(INCREMENT, defines={"UNUSED": None})[:4] == b"\x03\x02\x23\x07"
