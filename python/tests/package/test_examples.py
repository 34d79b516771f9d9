# SPDX-License-Identifier: Apache-2.0
"""The examples check their own results. Here they run with small sizes."""

from __future__ import annotations

import json
import os
import re
import runpy
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[3]
EXAMPLES = ROOT / "python" / "examples"

# Wheels are tested in a folder without the examples.
needs_examples = pytest.mark.skipif(not EXAMPLES.is_dir(), reason="there are no examples here")
needs_dask = pytest.mark.skipif(find_spec("distributed") is None, reason="Dask is not installed")
needs_pillow = pytest.mark.skipif(find_spec("PIL") is None, reason="Pillow is not installed")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current folder, which programs write to."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run_example(name: str, *arguments: object) -> int:
    module = runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name=f"example_{name}")
    status = module["main"]([str(argument) for argument in arguments])
    assert isinstance(status, int)
    return status


@needs_examples
@needs_pillow
@pytest.mark.parametrize("arguments", [(), ("--filter", "blur", "--sigma", "1.5")])
def test_image_filter_matches_numpy(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]
) -> None:
    from PIL import Image

    values = np.random.default_rng(1).integers(0, 256, (37, 51, 3), np.uint8)
    values[10:20, 10:30] = 255
    Image.fromarray(values).save("in.png")
    assert run_example("image_filter", "in.png", "out.png", "--repeat", 2, *arguments) == 0
    assert "check" in capsys.readouterr().out
    with Image.open("out.png") as result:
        assert result.size == (51, 37)
        assert np.asarray(result).std() > 1


@needs_examples
@needs_pillow
def test_fft_denoising_matches_numpy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    image = pytest.importorskip("PIL.Image")
    monkeypatch.chdir(tmp_path)
    with image.open(EXAMPLES / "pictures" / "image_filter.png") as photo:
        photo.crop((100, 50, 164, 98)).save("in.png")
    assert run_example("fft_denoising", "in.png", "out.png", "--noise", 20) == 0
    assert "largest difference to NumPy 0.0" in capsys.readouterr().out
    assert run_example("fft_denoising", "none.png", "out.png") == 2


@needs_pillow
def test_image_filter_reports_unreadable_files(capsys: pytest.CaptureFixture[str]) -> None:
    Path("text.png").write_text("no picture")
    for name in ("missing.png", "text.png"):
        assert run_example("image_filter", name, "out.png") == 2
        assert name in capsys.readouterr().err


def write_table(path: str, rows: int, features: int) -> None:
    """Write a table of two classes that a plane nearly separates."""
    rng = np.random.default_rng(2)
    values = rng.normal(size=(rows, features)) * 3 + 5
    labels = (values @ np.arange(1, features + 1) + rng.normal(size=rows)).astype(int)
    labels = (labels > np.median(labels)).astype(int)
    lines = [f"{rows},{features},low,high"]
    for row, label in zip(values, labels, strict=True):
        lines.append(",".join([*(f"{value:.4f}" for value in row), str(label)]))
    Path(path).write_text("\n".join(lines) + "\n")


@needs_examples
def test_logistic_regression_learns(capsys: pytest.CaptureFixture[str]) -> None:
    write_table("table.csv", 200, 5)
    assert run_example("logistic_regression", "table.csv", "--steps", 60) == 0
    out = capsys.readouterr().out
    match = re.search(r"accuracy +([\d.]+) % of the training rows, ([\d.]+) %", out)
    assert match
    assert float(match[1]) > 90
    assert float(match[2]) > 85


@needs_examples
def test_logistic_regression_reports_invalid_tables(capsys: pytest.CaptureFixture[str]) -> None:
    Path("table.csv").write_text("3,2,a,b\n1,2,0\n")
    for name in ("missing.csv", "table.csv"):
        assert run_example("logistic_regression", name) == 2
        assert name in capsys.readouterr().err


@needs_examples
def test_matrix_multiplication_runs_every_size(capsys: pytest.CaptureFixture[str]) -> None:
    sizes = ("16", "70x33x129", "1x1x1")
    assert run_example("matrix_multiplication", "--repeat", 1, "--sizes", *sizes) == 0
    out = capsys.readouterr().out
    assert "70x33x129" in out
    assert "16x16x16" in out


@needs_examples
def test_autotuned_matrix_multiplication_reuses_its_cache(
    capsys: pytest.CaptureFixture[str],
) -> None:
    arguments = ("--size", 70, "--budget", 0.5, "--cache", "tuned", "--trace", "trace.json")
    for effort in ("measure", "estimate"):  # the second one uses the cache
        assert run_example("autotuned_matrix_multiplication", *arguments, "--effort", effort) == 0
        assert "of the error that rounding allows" in capsys.readouterr().out
    names = {event["name"] for event in json.loads(Path("trace.json").read_text())["traceEvents"]}
    assert {"tuning", "multiplication"} <= names


@needs_examples
@pytest.mark.skipif(find_spec("matplotlib") is None, reason="matplotlib is not installed")
def test_examples_write_plots(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MPLCONFIGDIR", os.getcwd())
    arguments = ("--repeat", 1, "--sizes", "16", "--plot", "plot.png")
    assert run_example("matrix_multiplication", *arguments) == 0
    assert Path("plot.png").read_bytes().startswith(b"\x89PNG")
    write_table("table.csv", 50, 2)
    assert run_example("logistic_regression", "table.csv", "--steps", 5, "--plot", "loss.png") == 0
    assert Path("loss.png").read_bytes().startswith(b"\x89PNG")


@needs_examples
def test_mandelbrot_matches_numpy(capsys: pytest.CaptureFixture[str]) -> None:
    view = ("--centre", "-0.7463", "0.1102", "--span", "0.5")
    assert run_example("mandelbrot", "m.png", "--size", 90, 60, "--rounds", 120, *view) == 0
    assert "0 of 96 counts differ" in capsys.readouterr().out
    assert Path("m.png").exists() == (find_spec("PIL") is not None)


@needs_examples
def test_heat_equation_matches_numpy(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("--size", 33, "--frames", 3, "--steps", 4)
    assert run_example("heat_equation", "heat.gif", *arguments) == 0
    assert "differs from NumPy" in capsys.readouterr().out
    assert Path("heat.gif").exists() == (find_spec("PIL") is not None)


@needs_examples
def test_game_of_life_matches_numpy(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("--size", 37, "--frames", 5, "--steps", 2)
    assert run_example("game_of_life", "life.gif", *arguments) == 0
    assert "0 of 1369 cells differ" in capsys.readouterr().out
    assert Path("life.gif").exists() == (find_spec("PIL") is not None)


@needs_examples
def test_n_body_matches_numpy(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_example("n_body", "--bodies", 150, "--steps", 4) == 0
    out = capsys.readouterr().out
    assert "differs from NumPy" in out
    assert "momentum" in out


@needs_examples
def test_stable_fluids_keep_their_dye_and_lose_their_divergence(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run_example("stable_fluids", "fluid.png", "--size", 24, "--steps", 8) == 0
    out = capsys.readouterr().out
    before, after = map(float, re.findall(r"(\S+) (?:before|after) (?:the|it)", out))
    assert 0 < after < 1e-3 * before
    dye = re.search(r"dye +([\d.]+) %", out)
    assert dye
    assert abs(float(dye[1]) - 100) < 1
    assert Path("fluid.png").exists() == (find_spec("PIL") is not None)


@needs_examples
def test_vortex_launchers_match_numpy(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("--size", 20, "--steps", 12, "--sweeps", 4, "--every", 5)
    assert run_example("vortex_launchers", "vortex.png", *arguments) == 0
    out = capsys.readouterr().out
    assert "differs from NumPy" in out
    assert "transport" in out
    assert Path("vortex.png").exists() == (find_spec("PIL") is not None)


@needs_examples
def test_custom_operation_counts_evaluations(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("--rows", 13, "--columns", 77, "--evaluations", 2)
    assert run_example("custom_operation", *arguments) == 0
    assert "2 of softmax, 2 of the dispatch" in capsys.readouterr().out


@needs_examples
def test_black_scholes_prices_match_numpy(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_example("black_scholes", "--options", 3000) == 0
    assert "largest difference" in capsys.readouterr().out
    assert run_example("black_scholes", "--options", 0) == 2


@needs_examples
def test_k_means_finds_the_clusters_of_numpy(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_example("k_means", "--points", 3000, "--clusters", 5, "--steps", 4) == 0
    assert "of the points are in the same cluster" in capsys.readouterr().out
    assert run_example("k_means", "--points", 2, "--clusters", 5) == 2


@needs_examples
def test_page_rank_is_numpys(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_example("page_rank", "--pages", 500, "--links", 3000) == 0
    printed = capsys.readouterr().out
    steps = re.search(r"^(\d+) steps", printed, re.MULTILINE)
    assert steps is not None and 5 < int(steps[1]) < 100
    assert "relative difference from NumPy" in printed
    assert run_example("page_rank", "--pages", 500, "--links", 3000, "--steps", 8) == 0
    assert "\n8 steps" in capsys.readouterr().out
    assert run_example("page_rank", "--pages", 0) == 2


@needs_examples
def test_asyncio_pipeline_keeps_the_event_loop_running(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("--signals", 5, "--length", 3000, "--taps", 9, "--workers", 2)
    assert run_example("asyncio_pipeline", *arguments) == 0
    assert "ticks meanwhile" in capsys.readouterr().out


@needs_examples
def test_iris_clusters_are_those_that_numpy_finds(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_example("iris_clusters", "--starts", 4) == 0
    out = capsys.readouterr().out
    assert "150 rows, 3 clusters" in out
    assert "inertia 78.85" in out
    assert "0 labels differ from NumPy's" in out


@needs_examples
def test_multi_device_buffer_matches_numpy(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_example("groups/multi_device_buffer", "--elements", 1001) == 0
    out = capsys.readouterr().out
    assert "rows 501 to 1001" in out or "device 2" in out
    assert "0 of the elements differ" in out


@needs_examples
def test_sharded_image_filter_matches_numpy(capsys: pytest.CaptureFixture[str]) -> None:
    for size, radius, rounds in (((70, 45), 2, 3), ((33, 17), 1, 2)):
        arguments = ("--size", *size, "--radius", radius, "--rounds", rounds)
        assert run_example("groups/sharded_image_filter", *arguments) == 0
        assert "differs from NumPy's" in capsys.readouterr().out
    assert run_example("groups/sharded_image_filter", "--size", 5, 2, "--radius", 3) == 2
    assert "too few rows" in capsys.readouterr().err


@needs_examples
def test_all_reduce_trains_the_same_weights_on_all_devices(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run_example("groups/all_reduce", "--rows", 301, "--features", 5, "--steps", 20) == 0
    out = capsys.readouterr().out
    assert "are the same on all devices" in out
    match = re.search(r"accuracy +([\d.]+) %", out)
    assert match
    assert float(match[1]) > 80
    assert run_example("groups/all_reduce", "--rows", 1, "--devices", 0, 0) == 2


@needs_examples
@needs_dask
@pytest.mark.parametrize("workers", [0, 2])
def test_dask_stencil_stays_within_its_budget(
    capsys: pytest.CaptureFixture[str], workers: int
) -> None:
    arguments = ("--size", 150, "--chunk", 60, "--steps", 3, "--budget", 0.075)
    assert run_example("dask_stencil", *arguments, "--workers", workers) == 0
    out = capsys.readouterr().out
    assert "for 27 blocks" in out
    assert "differs from the exact wave" in out


@needs_examples
def test_dask_stencil_needs_dask(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "dask", None)
    assert run_example("dask_stencil") == 2
    assert "dask" in capsys.readouterr().err


@needs_examples
def test_examples_run_without_pillow(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)  # makes its import fail
    assert run_example("image_filter", "in.png", "out.png") == 2
    assert "pip install Pillow" in capsys.readouterr().err
    assert run_example("mandelbrot", "m.png", "--size", 8, 8, "--rounds", 5) == 0
    assert run_example("heat_equation", "h.gif", "--size", 8, "--frames", 1, "--steps", 2) == 0
    assert capsys.readouterr().out.count("pip install Pillow") == 2
    assert not list(Path().iterdir())


@needs_examples
def test_every_example_is_listed_and_tested() -> None:
    listed = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    tests = Path(__file__).read_text(encoding="utf-8")
    examples = sorted(EXAMPLES.glob("*.py"))
    assert examples
    for example in examples:
        assert f"({example.name})" in listed
        assert f'run_example("{example.stem}"' in tests
    for shader in sorted((EXAMPLES / "shaders").glob("*.comp")):
        assert any(f'"{shader.name}"' in example.read_text("utf-8") for example in examples)


@needs_examples
def test_torch_layer_trains_or_says_why_not(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_example("torch_layer", "--points", 256, "--steps", 20) == 0
    output = capsys.readouterr().out
    assert "ok" in output or "skipped: PyTorch" in output
