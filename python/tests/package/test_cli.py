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
from cli_support import ADD_RUN, HLSL, Fails, python

import kp
from kp.cli import entry, files, main
from kp.cli.bindings import suit_channels
from kp.cli.devices import find_device
from kp.cli.progress import Progress
from kp.cli.table import format_bytes, format_table, format_time

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
