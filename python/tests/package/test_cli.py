# SPDX-License-Identifier: Apache-2.0
"""The command line: its output, its files and its exit codes."""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from cli_support import ADD, ADD_RUN, COPY, HLSL, PUSH, SCALE_RUN, Fails, python

import kp
from kp.cli import entry, files, main
from kp.cli.bindings import suit_channels
from kp.cli.devices import find_device
from kp.cli.progress import Progress
from kp.cli.table import format_bytes, format_table, format_time

# --- kp run ---------------------------------------------------------------------------------------


def test_run_adds_two_files(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*ADD_RUN, "--out", "100xf32", "--save", "sum.npy"]) == 0
    expected = np.arange(100, dtype=np.float32) + 0.5
    found = np.load("sum.npy")
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, expected)
    text = capsys.readouterr().out
    assert "2x1x1 work groups of 64x1x1" in text
    assert "min 0.5, max 99.5, mean 50" in text
    assert "saved to sum.npy" in text
    for step in ("compile", "build", "upload", "dispatch", "download"):
        assert f"\n{step} " in text


def test_run_keeps_shapes_and_numbers_the_files(folder: Path) -> None:
    np.save("a.npy", np.ones((5, 20), np.float32))
    assert main([*ADD_RUN, "--out", "5x20xf32", "--save", "out%d.npy"]) == 0
    assert np.load("out0.npy").shape == (5, 20)


def test_run_repeats_the_dispatch(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SCALE_RUN, *PUSH, "--repeat", "3", "--save", "o.npy"]) == 0
    np.testing.assert_array_equal(np.load("o.npy"), np.arange(10) * 27 + 5 * (1 + 3 + 9))
    assert "median of 3" in capsys.readouterr().out


def test_run_takes_constants_by_name_list_and_id(folder: Path) -> None:
    words = [*SCALE_RUN, "--push", "2,1.0,3,4", "--spec", "kBias=-7", "--spec", "0=8"]
    assert main([*words, "--save", "o.npy"]) == 0
    np.testing.assert_array_equal(np.load("o.npy"), np.arange(10) * 2 - 7 + 8)


def test_spec_constants_that_are_not_given_keep_their_default(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*SCALE_RUN, *PUSH, "--spec", "kBias=1"]) == 0
    assert "work groups of 32x1x1" in capsys.readouterr().out


def test_run_takes_group_and_thread_counts(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [*ADD_RUN, "--out", "100xf32"]
    assert main([*words, "--groups", "1", "--save", "o.npy"]) == 0
    found = np.load("o.npy")
    assert found[63] == 63.5
    assert not found[64:].any(), "elements that the shader does not write are zero"
    assert main([*words, "--threads", "65,2"]) == 0
    assert "2x2x1 work groups" in capsys.readouterr().out


def test_run_binds_gaps_and_counts_vectors(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    np.save("v.npy", np.arange(24, dtype=np.float32).reshape(6, 4))
    words = ["run", "gaps.comp", "--in", "v.npy", "--out", "6xf32", "--save", "o.npy"]
    assert main(words) == 0
    np.testing.assert_array_equal(np.load("o.npy"), np.arange(24).reshape(6, 4).sum(axis=1))
    capsys.readouterr()
    padded = ["--in", "a.npy", "--in", "v.npy", "--in", "a.npy", "--out", "6xf32"]
    assert main(["run", "gaps.comp", *padded]) == 0
    assert "does not use binding 0" in capsys.readouterr().err


def test_run_takes_hlsl_defines_and_spirv(folder: Path) -> None:
    words = ["--in-out", "a.npy", "--threads", "100", "--save", "o.npy"]
    assert main(["run", "times.hlsl", "-DFACTOR=4.0", *words]) == 0
    np.testing.assert_array_equal(np.load("o.npy"), np.arange(100) * 4.0)
    assert main(["compile", "times.hlsl", "-D", "FACTOR=8.0", "-o", "times.spv"]) == 0
    assert main(["run", "times.spv", *words]) == 0
    np.testing.assert_array_equal(np.load("o.npy"), np.arange(100) * 8.0)


def test_run_takes_include_folders(folder: Path) -> None:
    (folder / "parts").mkdir()
    (folder / "parts" / "double.glsl").write_text("float twice(float x) { return 2.0 * x; }\n")
    text = ADD.replace("layout(local", '#include "double.glsl"\nlayout(local', 1)
    (folder / "inc.comp").write_text(text.replace("a[i] + b[i]", "twice(a[i])+0.0*b[i]"))
    words = ["--in", "a.npy", "--in", "b.npy", "--out", "100xf32", "--save", "o.npy"]
    assert main(["run", "inc.comp", "-I", "parts", *words]) == 0
    assert np.load("o.npy")[99] == 198


def test_run_casts_only_on_request(folder: Path, fails: Fails) -> None:
    np.save("b.npy", np.full(100, 0.5))
    words = [*ADD_RUN, "--out", "100xf32"]
    message = fails(1, *words)
    assert "binding 1 'B' holds float32, but b.npy holds float64; --cast" in message
    assert main([*words, "--cast", "--save", "o.npy"]) == 0
    assert np.load("o.npy")[1] == 1.5


def test_run_reads_any_memory_order(folder: Path) -> None:
    values = np.arange(100, dtype=">f4").reshape(10, 10)
    np.save("a.npy", np.asfortranarray(values))
    np.save("b.npy", np.zeros((10, 10), np.float32))
    assert main([*ADD_RUN, "--out", "10x10xf32", "--save", "o.npy"]) == 0
    np.testing.assert_array_equal(np.load("o.npy"), values)


def test_run_checks_results(folder: Path, fails: Fails) -> None:
    expected = np.arange(100, dtype=np.float32) + 0.5
    words = [*ADD_RUN, "--out", "100xf32", "--check", "expected.npy"]
    np.save("expected.npy", expected)
    assert main(words) == 0
    expected[7] += 1
    np.save("expected.npy", expected)
    message = "1 of 100 elements differ, the first at [7]: it is 7.5, but 8.5 is expected"
    assert message in fails(1, *words)
    assert main([*words, "--tolerance", "1"]) == 0
    np.save("expected.npy", expected[:50])
    assert "the shape is 100, but 50 is expected" in fails(1, *words)


def test_run_filters_an_image(folder: Path) -> None:
    pillow = pytest.importorskip("PIL.Image")
    pixels = np.random.default_rng(3).integers(0, 256, (5, 7, 3), np.uint8)
    pillow.fromarray(pixels).save("in.png")
    words = ["run", "invert.comp", "--in", "in.png", "--out", "5x7x4xu8", "--save", "out.png"]
    assert main(words) == 0
    found = np.asarray(pillow.open("out.png"))
    np.testing.assert_array_equal(found[:, :, :3], 255 - pixels)
    assert (found[:, :, 3] == 255).all()


def test_run_takes_images_as_arrays(folder: Path) -> None:
    pixels = np.random.default_rng(3).integers(0, 256, (9, 6, 4), np.uint8)
    np.save("in.npy", pixels)
    words = ["run", "invert.comp", "--in", "in.npy", "--out", "9x6x4xu8", "--save", "out.npy"]
    assert main(words) == 0
    np.testing.assert_array_equal(np.load("out.npy")[:, :, :3], 255 - pixels[:, :, :3])


def test_run_changes_an_image_in_place(folder: Path) -> None:
    values = np.arange(130, dtype=np.float32).reshape(10, 13)
    np.save("in.npy", values)
    assert main(["run", "halve.comp", "--in-out", "in.npy", "--save", "out.npy"]) == 0
    np.testing.assert_array_equal(np.load("out.npy"), values[:, :, np.newaxis] / 2)


@pytest.mark.parametrize("channels", [1, 4])
def test_run_takes_normalised_images_as_bytes(folder: Path, channels: int) -> None:
    pillow = pytest.importorskip("PIL.Image")
    pixels = np.random.default_rng(3).integers(0, 256, (5, 7, channels), np.uint8).squeeze()
    pillow.fromarray(pixels).save("in.png")
    (folder / "copy.comp").write_text(COPY.replace("FORMAT", f"{'rgba'[:channels]}8"))
    words = ["--in", "in.png", "--out", f"5x7x{channels}xu8", "--save", "out.png"]
    assert main(["run", "copy.comp", *words]) == 0
    np.testing.assert_array_equal(np.asarray(pillow.open("out.png")), pixels)


@pytest.mark.parametrize(
    ("name", "dtype", "expected"),
    [
        ("rgba8", "u8", [0, 128, 255, 255]),
        ("rgba16", "u16", [0, 32768, 65535, 65535]),
        ("rgba8_snorm", "i8", [-64, 64, 127, 127]),
        ("rgba16_snorm", "i16", [-16384, 16384, 32767, 32767]),
    ],
)
def test_run_casts_numbers_to_normalised_images(
    folder: Path, fails: Fails, name: str, dtype: str, expected: list[int]
) -> None:
    np.save("in.npy", np.broadcast_to(np.float32([-0.5, 0.5, 1.0, 2.0]), (5, 7, 4)))
    (folder / "copy.comp").write_text(COPY.replace("FORMAT", name))
    words = ["run", "copy.comp", "--in", "in.npy", "--out", f"5x7x4x{dtype}"]
    assert "but in.npy holds float32; --cast converts it" in fails(1, *words)
    assert main([*words, "--cast", "--save", "out.npy"]) == 0
    assert np.load("out.npy")[4, 6].tolist() == expected


def test_run_gives_pixels_of_bytes_to_wider_normalised_images(folder: Path) -> None:
    pillow = pytest.importorskip("PIL.Image")
    pillow.fromarray(np.full((5, 7), 51, np.uint8)).save("in.png")
    (folder / "copy.comp").write_text(COPY.replace("FORMAT", "r16"))
    words = ["--in", "in.png", "--out", "5x7x1xu16", "--save", "out.npy"]
    assert main(["run", "copy.comp", *words]) == 0
    assert (np.load("out.npy") == 51 * 257).all()


def test_run_without_device_timestamps(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    properties = kp.Manager.get_device_properties

    def without(manager: kp.Manager) -> dict[str, object]:
        return {**properties(manager), "timestamps_supported": False}

    monkeypatch.setattr(kp.Manager, "get_device_properties", without)
    assert main([*ADD_RUN, "--out", "100xf32"]) == 0
    assert "by the host's clock" in capsys.readouterr().out


def test_run_gives_pixels_to_float_buffers(folder: Path) -> None:
    pillow = pytest.importorskip("PIL.Image")
    pillow.fromarray(np.full((10, 10), 51, np.uint8)).save("grey.png")
    words = ["--in", "grey.png", "--in", "b.npy", "--out", "10x10xf32", "--save", "out.png"]
    assert main(["run", "add.comp", *words]) == 0
    assert (np.asarray(pillow.open("out.png")) == round(255 * 0.7)).all()


# --- kp compile -----------------------------------------------------------------------------------


def test_compile_writes_spirv(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compile", "add.comp"]) == 0
    spirv = (folder / "add.comp.spv").read_bytes()
    assert spirv[:4] == b"\x03\x02\x23\x07"
    assert len(kp.reflect(spirv).bindings) == 3
    assert main(["compile", "add.comp.spv"]) == 0
    assert "valid SPIR-V" in capsys.readouterr().out


def test_compile_reflects(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compile", "scale.comp", "--reflect"]) == 0
    text = capsys.readouterr().out
    assert "local size    32 (constant_id 0) x 1 x 1" in text
    assert "Values  storage buffer  int32  read and written" in text
    assert "factor         int32" in text
    assert "pair           float32 x 2       8      8" in text
    assert "kBias  int32   5" in text
    assert not (folder / "scale.comp.spv").exists()


def test_compile_writes_a_header(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compile", "add.comp", "--header", "add.hpp", "--namespace", "my::own"]) == 0
    text = (folder / "add.hpp").read_text()
    assert "namespace my::own {" in text
    assert "ADD_COMP_SPV = {{" in text
    assert "0x07230203," in text
    words = [
        int(word, 16) for word in text.split() if word.startswith("0x") for word in [word[:-1]]
    ]
    assert np.array(words, np.uint32).tobytes() == kp.compile(Path("add.comp"))
    assert main(["compile", "add.comp", "--header", "-"]) == 0
    assert "SPV" in capsys.readouterr().out


def test_compile_refuses_a_bad_namespace(fails: Fails) -> None:
    assert "--namespace" in fails(2, "compile", "add.comp", "--namespace", "a b")


def test_compile_writes_to_standard_output(folder: Path) -> None:
    done = python("compile", "add.comp", "-o", "-")
    assert done.returncode == 0
    assert done.stdout == kp.compile(Path("add.comp"))


def test_compile_uses_the_entry_point(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "e.hlsl").write_text(HLSL.replace("void main", "void other"))
    words = ["compile", "e.hlsl", "-D", "FACTOR=1.0", "--entry-point", "other", "--reflect"]
    assert main(words) == 0
    assert "entry point   other" in capsys.readouterr().out


# --- kp info --------------------------------------------------------------------------------------


def test_info_prints_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info"]) == 0
    text = capsys.readouterr().out
    for device in kp.list_devices():
        assert f"{device['index']}  {device['device_name']}" in text
    assert "work group size" in text
    assert "shaders can use" in text


def test_info_prints_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["version"] == kp.__version__
    assert [each["device_name"] for each in found["devices"]] == [
        each["device_name"] for each in kp.list_devices()
    ]
    usable = [each for each in found["devices"] if "features" in each]
    assert usable, "no device of this machine can be opened"
    assert all(isinstance(value, bool) for value in usable[0]["features"].values())


def test_info_tells_what_shaders_can_use(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", "--json"]) == 0
    device = json.loads(capsys.readouterr().out)["devices"][0]
    text = (
        "#version 450\nlayout(local_size_x = 1) in;\n"
        "layout(binding = 0) buffer V { double v[]; };\nvoid main() { v[0] *= 2.0LF; }\n"
    )
    manager = kp.Manager(device=0)
    memory = manager.tensor_t(np.ones(1))
    works = contextlib.nullcontext() if device["features"]["float64"] else pytest.raises(kp.Error)
    with works:
        manager.algorithm([memory], text)


def test_brief_info_opens_no_device(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a Manager was created")

    monkeypatch.setattr(kp, "Manager", refuse)
    assert main(["info", "--brief", "--json"]) == 0
    assert "features" not in json.loads(capsys.readouterr().out)["devices"][0]


def test_no_device_is_an_error(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kp, "list_devices", lambda: [])
    assert main(["info"]) == 1
    assert "no Vulkan device" in capsys.readouterr().err


DEVICES = [
    {"index": 0, "device_name": "Soft Driver", "type": "cpu", "uuid": "00ff-11"},
    {"index": 1, "device_name": "Maker GPU 1", "type": "integrated", "uuid": "00ff-22"},
    {"index": 2, "device_name": "Maker GPU 2", "type": "discrete", "uuid": "00ff-33"},
]


@pytest.mark.parametrize(
    ("wanted", "index"),
    [
        ("1", 1),
        ("gpu", 2),
        ("cpu", 0),
        ("integrated", 1),
        ("maker", 2),
        ("gpu 1", 1),
        ("00FF22", 1),
    ],
)
def test_devices_are_found(wanted: str, index: int) -> None:
    assert find_device(wanted, DEVICES) == index


# --- kp bench -------------------------------------------------------------------------------------


def test_bench_reports_all_measurements(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["bench", "--quick", "--json", "numbers.json"]) == 0
    captured = capsys.readouterr()
    assert "empty dispatch" in captured.out
    assert "matrix multiplication, 128 x 128" in captured.out
    assert captured.err == "", "the progress bar is for terminals"
    numbers = json.loads(Path("numbers.json").read_text())
    assert set(numbers["dispatch_seconds"]) == {"recorded", "record_and_evaluate", "in_a_batch"}
    assert all(0 < value < 1 for value in numbers["dispatch_seconds"].values())
    for row in numbers["copies_bytes_per_second"]:
        assert len(row) == 6
        assert all(value > 0 for value in row.values())
    assert numbers["saxpy"]["bytes_per_second"] > 0
    assert numbers["matmul"]["flops"] > 0


def test_bench_plot_needs_matplotlib(fails: Fails, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kp.cli.bench.plot.importlib.util.find_spec", lambda name: None)
    assert "--plot needs matplotlib" in fails(1, "bench", "--plot", "copies.png")


def test_bench_plots_copies(folder: Path) -> None:
    pytest.importorskip("matplotlib")
    from kp.cli.bench.command import COPY_NAMES
    from kp.cli.bench.plot import plot_copies

    rows = [{"bytes": size, **dict.fromkeys(COPY_NAMES, 1e9 * size)} for size in (1024, 2048)]
    plot_copies("copies.png", {"device": "d", "copies_bytes_per_second": rows}, COPY_NAMES)
    assert (folder / "copies.png").read_bytes().startswith(b"\x89PNG")


# --- the whole program ----------------------------------------------------------------------------


@pytest.mark.parametrize("words", [[], ["nonsense"], ["--nonsense"], ["run"], ["compile"]])
def test_no_command_is_a_usage_error(fails: Fails, words: list[str]) -> None:
    assert fails(2, *words).count("\n") == 1


@pytest.mark.parametrize("command", ["info", "run", "compile", "bench"])
def test_help_shows_an_example(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "--help"]) == 0
    assert f"example:\n  kp {command}" in capsys.readouterr().out


def test_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"kp {kp.__version__}\n"


def test_debug_shows_the_traceback(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["compile", "broken.comp", "--debug"]) == 1
    assert "Traceback" in capsys.readouterr().err
    monkeypatch.setenv("KOMPUTE_DEBUG", "1")
    assert main(["compile", "broken.comp"]) == 1
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("raised", "code", "text"),
    [
        (KeyboardInterrupt(), 130, "interrupted"),
        (MemoryError(), 1, "out of memory"),
        (RuntimeError("odd"), 1, "RuntimeError: odd"),
        (PermissionError(13, "Permission denied", "x.npy"), 1, "x.npy: Permission denied"),
    ],
)
def test_failures_become_exit_codes(
    raised: BaseException,
    code: int,
    text: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(_: object) -> int:
        raise raised

    monkeypatch.setattr(entry, "run_command", fail)
    monkeypatch.delenv("KOMPUTE_DEBUG", raising=False)
    assert main([]) == code
    message = capsys.readouterr().err
    assert text in message
    assert message.count("\n") == 1


def test_runs_as_a_process(folder: Path) -> None:
    done = python(*ADD_RUN, "--out", "100xf32", "--save", "sum.npy")
    assert (done.returncode, done.stderr) == (0, b"")
    assert np.load("sum.npy")[1] == 1.5
    done = python("run", "broken.comp")
    assert done.returncode == 1
    assert done.stderr.startswith(b"kp: error: ")
    assert b"Traceback" not in done.stderr
    assert python("run").returncode == 2


def test_closed_output_has_its_exit_code(folder: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as closed:
        done = subprocess.run(
            [sys.executable, "-m", "kp", "info", "--brief"],
            stdout=closed,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == 141
    assert done.stderr == b""


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
def test_interrupt_has_its_exit_code(folder: Path) -> None:
    words = [sys.executable, "-c", INTERRUPTIBLE]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    _, message = process.communicate(timeout=30)
    assert process.returncode == 130
    assert message == "kp: error: interrupted\n"


INTERRUPTIBLE = """import sys
from kp.cli import main
print("ready", flush=True)
sys.exit(main(["bench"]))
"""


# --- parts ----------------------------------------------------------------------------------------


def test_tables_are_aligned() -> None:
    text = format_table([["a", "1"], ["long", "100"]], ("name", "n"), right={1})
    assert text == "name    n\na       1\nlong  100"
    assert format_table([]) == ""


def test_numbers_get_units() -> None:
    assert [format_bytes(size) for size in (0, 1023, 1024, 3 << 20)] == [
        "0 bytes", "1023 bytes", "1 KiB", "3 MiB",
    ]  # fmt: skip
    assert [format_time(each) for each in (2.0, 0.0123, 4.56e-5, 7e-9)] == [
        "2 s", "12.3 ms", "45.6 us", "7 ns",
    ]  # fmt: skip


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_is_for_terminals() -> None:
    plain, terminal = io.StringIO(), Terminal()
    for stream in (plain, terminal):
        with Progress(2, stream) as progress:
            progress.start("first")
            progress.advance()
            progress.start("second")
    assert plain.getvalue() == ""
    text = terminal.getvalue()
    assert "0/2 first" in text
    assert f"[{'#' * 15}{'.' * 15}] 1/2 second" in text
    assert text.endswith("\r")


def test_floats_become_pixels() -> None:
    array = np.array([[-1.0, 0.5, 2.0, np.nan]], np.float32)
    assert files.to_pixels("x.png", array).tolist() == [[0, 128, 255, 0]]
    flags = np.array([[True, False]])
    assert files.to_pixels("x.png", flags).tolist() == [[255, 0]]


def test_channels_suit_the_image() -> None:
    grey = np.full((2, 3), 7, np.uint8)
    assert suit_channels(grey, 1).shape == (2, 3)
    assert suit_channels(grey, 4)[0, 0].tolist() == [7, 7, 7, 255]
    colour = np.full((2, 3, 3), 0.25, np.float32)
    assert suit_channels(colour, 4)[0, 0].tolist() == [0.25, 0.25, 0.25, 1.0]
    assert suit_channels(colour, 1).shape == (2, 3)
