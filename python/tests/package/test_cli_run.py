# SPDX-License-Identifier: Apache-2.0
"""kp run: its arguments, buffers, images and files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from cli_support import ADD, ADD_RUN, COPY, PUSH, SCALE_RUN, Fails

import kp
from kp.cli import main


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
