# SPDX-License-Identifier: Apache-2.0
"""The command line with invalid input: an exit code, one message and no traceback."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from cli_support import ADD, ADD_RUN, PUSH, SCALE_RUN, Fails

import kp
from kp.cli import main


def test_reports_a_missing_shader(fails: Fails) -> None:
    assert "none.comp: No such file" in fails(1, "run", "none.comp", "--out", "4xf32")
    assert "none.spv: No such file" in fails(1, "compile", "none.spv")


def test_reports_a_missing_input(fails: Fails) -> None:
    words = ("run", "add.comp", "--in", "none.npy", "--in", "b.npy", "--out", "4xf32")
    assert "none.npy: No such file" in fails(1, *words)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "not a .npy file"),
        (b"hello, this is text", "not a .npy file"),
        (b"\x93NUMPY", "damaged"),
        (b"\x93NUMPY\x01\x00\xff\xff garbage", "damaged"),
        (b"\x93NUMPY\x09\x00" + bytes(200), "damaged"),
    ],
)
def test_rejects_garbage_npy(folder: Path, fails: Fails, content: bytes, reason: str) -> None:
    (folder / "a.npy").write_bytes(content)
    message = fails(1, *ADD_RUN, "--out", "100xf32")
    assert "a.npy" in message
    assert reason in message


def test_rejects_truncated_npy(folder: Path, fails: Fails) -> None:
    content = (folder / "a.npy").read_bytes()
    (folder / "a.npy").write_bytes(content[:-9])
    assert "damaged" in fails(1, *ADD_RUN, "--out", "100xf32")


@pytest.mark.parametrize(
    "array",
    [np.array(["text"]), np.array([1j]), np.array([None, 1]), np.array(["2020"], "datetime64[Y]")],
)
def test_rejects_types_that_no_shader_has(fails: Fails, array: npt.NDArray[Any]) -> None:
    np.save("a.npy", array, allow_pickle=True)
    assert "a.npy" in fails(1, *ADD_RUN, "--out", "100xf32")


def test_rejects_an_empty_array(fails: Fails) -> None:
    np.save("a.npy", np.zeros((0, 3), np.float32))
    assert "a.npy: the array is empty (shape 0x3)" in fails(1, *ADD_RUN, "--out", "4xf32")


def test_rejects_a_garbage_image(folder: Path, fails: Fails) -> None:
    pytest.importorskip("PIL.Image")
    (folder / "in.png").write_bytes(b"\x89PNG\r\n\x1a\n garbage")
    words = ("run", "invert.comp", "--in", "in.png", "--out", "4x4x4xu8")
    assert "in.png: not a readable image" in fails(1, *words)


def test_images_need_pillow(folder: Path, fails: Fails, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "in.png").write_bytes(b"")
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    words = ("run", "invert.comp", "--in", "in.png", "--out", "4x4x4xu8")
    assert "in.png: images need Pillow: pip install pillow" in fails(1, *words)
    words = (*ADD_RUN, "--out", "10x10xf32", "--save", "out.png")
    assert "out.png: images need Pillow" in fails(1, *words)


def test_rejects_the_wrong_number_of_memory_arguments(fails: Fails) -> None:
    message = fails(1, *ADD_RUN)
    assert "the shader has 3 bindings, but 2 of --in" in message
    assert "binding 2 'Sum': storage buffer of float32, written" in message


@pytest.mark.parametrize("text", ["16", "f32", "xf32", "16xf33", "16*f32", "-4xf32", "4x0xf32", ""])
def test_rejects_malformed_out(fails: Fails, text: str) -> None:
    assert "--out" in fails(2, *ADD_RUN, f"--out={text}")


def test_rejects_an_output_of_the_wrong_type(fails: Fails) -> None:
    message = fails(1, *ADD_RUN, "--out", "100xf64")
    assert "binding 2 'Sum' holds float32, but --out 100xfloat64 was given" in message


def test_rejects_an_output_for_a_read_only_binding(fails: Fails) -> None:
    words = ("run", "add.comp", "--out", "100xf32", "--in", "a.npy", "--in", "b.npy")
    assert "binding 0 'A' is only read by the shader" in fails(1, *words)


def test_rejects_too_little_data(fails: Fails) -> None:
    np.save("v.npy", np.zeros(3, np.float32))
    words = ("run", "gaps.comp", "--in", "v.npy", "--out", "1xf32")
    assert "binding 1 'A' needs at least 16 bytes, but v.npy has 12 bytes" in fails(1, *words)


def test_warns_about_uneven_data(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.save("v.npy", np.zeros(7, np.float32))
    assert main(["run", "gaps.comp", "--in", "v.npy", "--out", "1xf32"]) == 0
    assert (
        "the last 12 bytes of v.npy are not used, because an element has 16 bytes"
        in capsys.readouterr().err
    )


def test_rejects_a_buffer_for_an_image_binding(fails: Fails) -> None:
    np.save("flat.npy", np.zeros(64, np.uint8))
    words = ("run", "invert.comp", "--in", "flat.npy", "--out", "4x4x4xu8")
    assert "binding 0 'source' is an image" in fails(1, *words)
    np.save("wide.npy", np.zeros((4, 4, 2), np.uint8))
    words = ("run", "invert.comp", "--in", "wide.npy", "--out", "4x4x4xu8")
    assert "binding 0 'source'" in fails(1, *words)
    np.save("floats.npy", np.zeros((4, 4, 4), np.float32))
    words = ("run", "invert.comp", "--in", "floats.npy", "--out", "4x4x4xu8")
    assert "binding 0 'source'" in fails(1, *words)


@pytest.mark.parametrize(
    ("push", "reason"),
    [
        ([], "give them with --push: factor (int32), unused (float32), pair (2 float32)"),
        (["nothing=1"], "the shader has no 'nothing'"),
        (["factor=1"], "push constant 'unused' has no value"),
        (["factor=1", "factor=2"], "'factor' is given twice"),
        (["factor=1.5", "unused=0", "pair=0,0"], "is int32, but '1.5' was given"),
        (["factor=3000000000", "unused=0", "pair=0,0"], "from -2147483648 to 2147483647"),
        (["factor=1", "unused=x", "pair=0,0"], "is float32, but 'x' was given"),
        (["factor=1", "unused=0", "pair=0"], "takes 2 values, not 1"),
        (["1,2,3"], "3 values, but 4 are needed"),
        (["1,2,3,4", "factor=1"], "not both"),
    ],
)
def test_rejects_invalid_push_constants(fails: Fails, push: list[str], reason: str) -> None:
    words = [word for each in push for word in ("--push", each)]
    assert reason in fails(1, *SCALE_RUN, *words)


def test_rejects_push_constants_if_the_shader_has_none(fails: Fails) -> None:
    message = fails(1, *ADD_RUN, "--out", "100xf32", "--push", "x=1")
    assert "the shader has no push constants" in message


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        (["nothing=1"], "it has (id 0), kBias (id 2)"),
        (["7=1"], "no such specialization constant"),
        (["kBias=1", "2=1"], "given twice"),
        (["0=-1"], "from 0 to 4294967295"),
        (["0=0"], "local size"),
    ],
)
def test_rejects_invalid_specialization_constants(
    fails: Fails, spec: list[str], reason: str
) -> None:
    words = [word for each in spec for word in ("--spec", each)]
    assert reason in fails(1, *SCALE_RUN, *PUSH, *words)


@pytest.mark.parametrize(
    "words",
    [
        ["--groups", "0"],
        ["--groups", "1,2,3,4"],
        ["--groups", "x"],
        ["--groups", "99999999999"],
        ["--threads", "-3"],
        ["--groups", "1", "--threads", "1"],
        ["--repeat", "0"],
        ["--spec", "kBias"],
        ["--define", "1A=2"],
        ["--tolerance", "-1"],
        ["--save", "a.npy", "--save", "b.npy"],
        ["--nonsense"],
        ["--in"],
    ],
)
def test_usage_errors_take_one_line(fails: Fails, words: list[str]) -> None:
    assert fails(2, *SCALE_RUN, *words).count("\n") == 1


def test_rejects_too_many_work_groups(fails: Fails) -> None:
    message = fails(1, *SCALE_RUN, *PUSH, "--groups", "1,1,4294967295")
    assert "maxComputeWorkGroupCount" in message


def test_glsl_errors_show_the_position(fails: Fails) -> None:
    for words in (("compile", "broken.comp"), ("run", "broken.comp", "--out", "4xf32")):
        message = fails(1, *words)
        assert "broken.comp:4:" in message
        assert "missing" in message
        assert "    float x = missing + 1.0;" in message
        assert "^" in message


@pytest.mark.parametrize(
    "content", [b"", b"abc", b"garbage garbage garbage!", b"\x03\x02\x23\x07" * 5, b"\x00" * 64]
)
def test_rejects_garbage_spirv(folder: Path, fails: Fails, content: bytes) -> None:
    (folder / "bad.spv").write_bytes(content)
    fails(1, "compile", "bad.spv", "--reflect")
    fails(1, "run", "bad.spv", "--in", "a.npy")


def test_rejects_binary_source(folder: Path, fails: Fails) -> None:
    (folder / "bad.comp").write_bytes(bytes(range(256)))
    fails(1, "compile", "bad.comp")


def test_rejects_source_options_for_spirv(folder: Path, fails: Fails) -> None:
    (folder / "add.spv").write_bytes(kp.compile(ADD))
    assert "are for source text" in fails(1, "compile", "add.spv", "-D", "A=1")


def test_rejects_a_missing_include_folder(fails: Fails) -> None:
    assert "--include nowhere" in fails(1, "compile", "add.comp", "-I", "nowhere")


def test_rejects_a_folder_as_shader(folder: Path, fails: Fails) -> None:
    assert "Is a directory" in fails(1, "compile", str(folder))


def test_rejects_an_unwritable_output(folder: Path, fails: Fails) -> None:
    words = (*ADD_RUN, "--out", "100xf32", "--save")
    assert "there is no folder none" in fails(1, *words, "none/sum.npy")
    assert "is a folder; give a file name" in fails(1, *words, str(folder))
    assert "No such file" in fails(1, "compile", "add.comp", "-o", "none/add.spv")
    assert "no folder" in fails(1, "bench", "--quick", "--json", "none/numbers.json")


def test_rejects_images_of_other_shapes(fails: Fails) -> None:
    pytest.importorskip("PIL.Image")
    words = (*ADD_RUN, "--out", "100xf32", "--save", "sum.png")
    message = fails(1, *words)
    assert "sum.png: an image needs the shape HEIGHTxWIDTH" in message
    assert "but the output has 100;" in message


def test_rejects_too_large_outputs(fails: Fails) -> None:
    fails(2, *ADD_RUN, "--out", "99999999999999999999xf32")
    fails(1, *ADD_RUN, "--out", "4000000000000xf32")


def test_rejects_an_unknown_device(fails: Fails) -> None:
    message = fails(1, *ADD_RUN, "--out", "4xf32", "--device", "no such thing")
    assert "no device matches 'no such thing'; devices: 0 " in message
    fails(1, "info", "--device", "99")
