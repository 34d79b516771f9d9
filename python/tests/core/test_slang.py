# SPDX-License-Identifier: Apache-2.0
"""Shaders in Slang. Needs Slang's library, from KOMPUTE_SLANG_LIBRARY, the system or slangpy."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from conftest import run_python

import kp
from kp._shaders.slang import library
from kp.cli import main

SCALE = """struct Settings { float factor; uint count; };
RWStructuredBuffer<float> values;
[[vk::push_constant]] ConstantBuffer<Settings> settings;
[[vk::constant_id(0)]] const uint steps = 1;

[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    for (uint step = 0; id.x < settings.count && step < steps; ++step)
        values[id.x] *= settings.factor;
}
"""


@pytest.fixture
def slang() -> None:
    try:
        kp.compile(SCALE, language="slang")
    except kp.Unsupported as error:
        pytest.skip(str(error))


@pytest.mark.usefixtures("slang")
def test_runs_with_constants_by_name(tmp_path: Path) -> None:
    path = tmp_path / "scale.slang"
    path.write_text(SCALE)
    with kp.Manager() as mgr:
        values = mgr.tensor([1.0, 2.0, 3.0])
        algorithm = mgr.algorithm(
            [values],
            path,
            thread_count=3,
            spec_consts={"steps": 2},
            push_consts={"factor": 3, "count": 2},
        )
        mgr.sequence().eval(kp.OpAlgoDispatch(algorithm))
        np.testing.assert_array_equal(values[:], [9, 18, 3])
    reflection = kp.reflect(str(path))
    assert [binding.name for binding in reflection.bindings] == ["values"]
    assert [member.name for member in reflection.push_constants] == ["factor", "count"]


@pytest.mark.usefixtures("slang")
def test_errors_show_the_position() -> None:
    with pytest.raises(kp.ShaderError) as caught:
        kp.compile(SCALE.replace("= 1", "= one"), language="slang", file_name="scale.slang")
    error = caught.value
    assert (error.file, error.line, error.column) == ("scale.slang", 4, 43)
    assert "'one'" in str(error)


@pytest.mark.usefixtures("slang")
def test_the_command_compiles_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("scale.slang").write_text(SCALE)
    assert main(["compile", "scale.slang", "-o", "scale.spv", "--reflect"]) == 0
    assert "values" in capsys.readouterr().out
    assert Path("scale.spv").read_bytes() == kp.compile("scale.slang")


def test_a_missing_library_is_unsupported() -> None:
    program = (
        "import kp\n"
        "try:\n"
        "    kp.compile('[numthreads(1, 1, 1)] void main() {}', language='slang')\n"
        "except kp.Unsupported as error:\n"
        "    print(error)\n"
    )
    text = run_python(program, KOMPUTE_SLANG_LIBRARY="/no/such/library")
    assert "/no/such/library: " in text
    assert "pip install slangpy" in text


def test_the_library_of_slangpy_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = {"win32": "slang-compiler.dll", "darwin": "libslang-compiler.0.dylib"}.get(
        sys.platform, "libslang-compiler.so.0.2026.12"
    )
    package = tmp_path / "slangpy"
    package.mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('imported')")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "slangpy", raising=False)
    assert library() == ""
    (package / name).touch()
    assert library() == str(package / name)
