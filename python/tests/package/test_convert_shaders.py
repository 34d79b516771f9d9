# SPDX-License-Identifier: Apache-2.0
"""The command convert_shaders, which turns a folder of shaders into C++ headers."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from cli_support import ADD, BROKEN, HLSL

from kp.cli.convert_shaders import main, to_original_header

#: Prints the bytes of an array, in a program that knows Kompute's original headers.
PROGRAM = """
#include <cstdio>
#include <type_traits>
#include "shaderadd.hpp"
#include "shaderadd.hpp"

namespace data = kp::shader_data;
static_assert(std::is_same<decltype(data::NAME), const unsigned char[sizeof(data::NAME)]>::value, "");
static_assert(std::is_same<decltype(data::NAME_len), const unsigned int>::value, "");
#ifndef SHADEROP_SHADERADD_HPP
#error "the include guard has another name"
#endif

int main() {
    return std::fwrite(data::NAME, 1, data::NAME_len, stdout) == data::NAME_len ? 0 : 1;
}
"""


@pytest.fixture
def shaders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with shaders in `in`; the compilers exist."""
    for tool in ("glslangValidator", "g++"):
        if shutil.which(tool) is None:
            pytest.skip(f"needs {tool}")
    for name in ("SHADER_PATH", "SHADER_BINARY", "HEADER_PATH"):
        monkeypatch.delenv(f"KOMPUTE_{name}", raising=False)
    (tmp_path / "in/deep").mkdir(parents=True)
    (tmp_path / "in/add.comp").write_text(ADD)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def output_of(program: str) -> bytes:
    """Compile a program with every warning an error, and return what it prints."""
    Path("program.cpp").write_text(program)
    flags = ["-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Iout"]
    subprocess.run(["g++", *flags, "program.cpp", "-o", "program"], check=True)
    return subprocess.run(["./program"], check=True, capture_output=True).stdout


def test_original_headers_compile_and_hold_the_shader(shaders: Path) -> None:
    assert main(["--original", "-p", "in", "-s", "glslangValidator", "-c", "out"]) == 0
    spirv = (shaders / "in/add.comp.spv").read_bytes()
    assert output_of(PROGRAM.replace("NAME", "in_add_comp_spv")) == spirv
    assert spirv[4:8] == bytes([0, 0, 1, 0]), "SPIR-V 1.0, for Vulkan 1.0"


def test_original_mode_takes_its_arguments_from_the_environment(
    shaders: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (shaders / "in/deep/times.comp.hlsl").write_text(HLSL)  # the original takes GLSL only
    monkeypatch.setenv("KOMPUTE_SHADER_PATH", f"{shaders}/in")
    monkeypatch.setenv("KOMPUTE_SHADER_BINARY", shutil.which("glslangValidator") or "")
    monkeypatch.setenv("KOMPUTE_HEADER_PATH", "out")
    assert main(["--original"]) == 0
    assert capsys.readouterr().out == ""
    assert [path.name for path in Path("out").iterdir()] == ["shaderadd.hpp"]
    array = "".join(c if c.isalnum() else "_" for c in f"{shaders}/in/add.comp.spv")
    assert output_of(PROGRAM.replace("NAME", array)) == Path("in/add.comp.spv").read_bytes()
    assert main(["--original", "-v"]) == 0
    assert "shaderadd.hpp" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["deep/a-b.comp.spv", "2d.comp.spv", "./x_1.comp.spv"])
def test_original_headers_list_the_bytes_as_xxd_does(tmp_path: Path, name: str) -> None:
    if shutil.which("xxd") is None:
        pytest.skip("needs xxd")
    data = bytes(range(40))
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_bytes(data)
    listed = subprocess.run(
        ["xxd", "-i", name], cwd=tmp_path, check=True, capture_output=True, text=True
    ).stdout.replace("unsigned", "static unsigned const")
    assert listed in to_original_header(data, name, "shader.hpp")


def test_headers_hold_words_by_default(shaders: Path) -> None:
    (shaders / "in/deep/times.comp.hlsl").write_text(HLSL.replace("FACTOR", "2.0"))
    assert main(["-p", "in", "-c", "out", "-n", "my::shaders"]) == 0
    program = """
        #include <cstdio>
        #include "add.hpp"
        #include "times.comp.hpp"
        static_assert(sizeof(my::shaders::TIMES_COMP_HLSL_SPV[0]) == 4, "");
        int main() {
            const auto& words = my::shaders::ADD_COMP_SPV;
            return std::fwrite(words.data(), 4, words.size(), stdout) == words.size() ? 0 : 1;
        }"""
    assert output_of(program) == Path("in/add.comp.spv").read_bytes()


def test_a_failing_shader_stops_no_other(shaders: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (shaders / "in/broken.comp").write_text(BROKEN)
    assert main(["--original", "-p", "in", "-c", "out"]) == 1
    errors = capsys.readouterr().err
    assert "broken.comp:4" in errors
    assert "1 of 2 shaders failed" in errors
    assert Path("out/shaderadd.hpp").exists()
    assert not Path("out/shaderbroken.hpp").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "no shader folder: give -p DIR or set KOMPUTE_SHADER_PATH"),
        (["-p", "absent"], "absent is not a folder"),
        (["-p", "in", "-n", "1x"], "'1x' is not a C++ namespace"),
        (["-p", "in", "--original", "-n", "x"], "kp::shader_data"),
    ],
)
def test_wrong_arguments_are_explained(
    shaders: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    with pytest.raises(SystemExit) as raised:
        main(words)
    assert raised.value.code == 2
    assert message in capsys.readouterr().err


def test_missing_compilers_and_shaders_are_errors(
    shaders: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["-p", "in", "-s", "no-such-compiler"]) == 1
    assert "no-such-compiler was not found" in capsys.readouterr().err
    assert main(["-p", "in/deep"]) == 1
    assert "there is no *.comp or *.comp.hlsl file below in/deep" in capsys.readouterr().err
