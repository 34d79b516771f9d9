# SPDX-License-Identifier: Apache-2.0
"""kp report: its contents, and the private data that it leaves out."""

from __future__ import annotations

import getpass
import os
import platform
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_support import Fails

import kp
from kp.cli import main
from kp.cli.device_report import checks, command, text


def _report(tmp_path: Path, *words: str) -> tuple[int, str]:
    path = tmp_path / "report.txt"
    code = main(["report", "--quick", "-o", str(path), *words])
    return code, path.read_text()


def test_it_describes_the_device_and_what_works_there(tmp_path: Path) -> None:
    code, found = _report(tmp_path)
    device = kp.Manager().get_device_properties()
    assert code == 0, found
    assert found.startswith(f"Kompute {kp.__version__} device report")
    for part in (device["device_name"], device["driver"], device["api_version"]):
        assert str(part) in found
    for part in ("maxStorageBufferRange", "maxComputeSharedMemorySize", "subgroup operations"):
        assert part in found
    assert "\n  heap 0" in found and "\n  type 0" in found
    for group, name, _ in checks.CHECKS:
        assert any(line.split()[:1] == [group] and name in line for line in found.splitlines())
    assert "FAILED" not in found
    for speed in ("copy of", "launch,", "product of", "sort of", "sum of"):
        assert f"\n  {speed}" in found
    assert "not measured" not in found


def test_it_names_no_user_host_or_folder(tmp_path: Path) -> None:
    _, found = _report(tmp_path)
    names = [str(Path.home()), os.getcwd(), str(tmp_path), str(Path(kp.__file__).parent)]
    for name in (getpass.getuser(), platform.node()):
        names += [name] if len(name) > 3 else []
    for name in names:
        assert name not in found


def test_folders_and_names_are_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "_user", lambda: "roberta")
    monkeypatch.setattr(platform, "node", lambda: "tower.home.example")
    given = (
        f"error in {os.getcwd()}/a.comp and /srv/data/roberta/x.json and C:\\Users\\roberta\\y, "
        "by roberta on tower.home.example (tower), 12.5 GB/s, 0x10de/0x2330, sqrt"
    )
    found = text.without_names(given)
    assert found == (
        "error in <folder>/a.comp and <path> and <path>, by <name> on <name> (<name>), 12.5 GB/s, "
        "0x10de/0x2330, sqrt"
    )


def test_a_wrong_result_is_named_and_sets_the_exit_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(_: kp.Manager) -> tuple[Any, Any]:
        return np.array([1, 2, 3]), np.array([1, 2, 4])

    def raises(_: kp.Manager) -> tuple[Any, Any]:
        raise RuntimeError("broken")

    def lacks(_: kp.Manager) -> tuple[Any, Any]:
        raise kp.Unsupported("there is none here")

    planted = (("types", "wrong", wrong), ("types", "raises", raises), ("types", "lacks", lacks))
    monkeypatch.setattr(checks, "CHECKS", planted)
    monkeypatch.setattr(command, "run_speeds", lambda *_: [])
    code, found = _report(tmp_path)
    assert code == 1
    assert "FAILED: 1 of 3 elements are wrong" in found
    assert "FAILED: RuntimeError: broken" in found
    assert "not supported: there is none here" in found
    assert "checks: 1 not supported, 2 FAILED" in found


def test_nan_and_other_shapes_are_differences() -> None:
    ones = np.ones(3, np.float32)
    assert checks.difference(ones, ones) == ""
    assert checks.difference(ones * (1 + 1e-7), ones) == ""
    assert checks.difference(ones * 1.001, ones) == "3 of 3 elements are wrong"
    assert checks.difference(ones * np.float32("nan"), ones) == "3 of 3 elements are wrong"
    assert checks.difference(ones[:2], ones) == "the shape is (2,), not (3,)"


def test_it_writes_to_standard_output(capsys: pytest.CaptureFixture[str], monkeypatch: Any) -> None:
    monkeypatch.setattr(checks, "CHECKS", ())
    monkeypatch.setattr(command, "run_speeds", lambda *_: [])
    assert main(["report"]) == 0
    found = capsys.readouterr().out
    assert "\n| " + str(kp.Manager().get_device_properties()["device_name"]) in found


def test_files_that_cannot_be_written_are_refused_first(fails: Fails) -> None:
    fails(1, "report", "-o", "nowhere/report.txt")
