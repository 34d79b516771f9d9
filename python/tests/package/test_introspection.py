# SPDX-License-Identifier: Apache-2.0
"""What interpreters, editors and notebooks show: signatures, completion, values, images, progress."""

from __future__ import annotations

import importlib
import inspect
import io
import pickle
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

import kp
import kp.fft
import kp.launcher
import kp.pyshader
import kp.random
from kp._messages.notebook import SHOWN, TABLE
from kp._messages.progress import TuningBar

MODULES = [kp, kp.launcher, kp.fft, kp.linalg, kp.pyshader, kp.random]


def described(module: Any) -> Iterator[tuple[str, Any]]:
    """Yield the public functions and classes of a module, and the methods of these classes."""
    for name in {*getattr(module, "__all__", ()), *dir(module)}:
        thing = getattr(module, name)
        own = getattr(thing, "__module__", None) or "kp"
        if name.startswith("_") or not callable(thing) or own.partition(".")[0] != "kp":
            continue
        yield name, thing
        if not inspect.isclass(thing):
            continue
        for base in thing.__mro__:
            # Without the methods of Python's own bases: some have no signature there.
            if base.__module__.partition(".")[0] == "kp":
                for key, member in vars(base).items():
                    shown = not key.startswith("_") or key in ("__init__", "__call__")
                    if shown and callable(getattr(thing, key)):
                        yield f"{name}.{key}", getattr(thing, key)


def test_every_public_function_and_class_has_a_signature() -> None:
    missing, count = [], 0
    modules = [*MODULES, importlib.import_module("kp.dask")] if find_spec("dask") else MODULES
    for module in modules:
        for name, thing in described(module):
            count += 1
            try:
                inspect.signature(thing)
            except (TypeError, ValueError) as error:
                missing.append(f"{module.__name__}.{name}: {error}")
    assert not missing, missing
    assert count > 700


@pytest.mark.parametrize(
    ("function", "signature"),
    [
        (kp.Manager.sequence, "(self, queue_index=0, total_timestamps=0)"),
        (kp.Manager.is_init, "(self)"),
        (kp.Sequence.record, "(self, /, op)"),
        (kp.Sequence.eval_async, "(self, /, op=None, wait_for=(), cuda_stream=None)"),
        (kp.eval_all, "(sequences)"),
        (kp.OpFill, "(tensors, value)"),
        (kp.Algorithm, "()"),
    ],
)
def test_signatures_have_names_and_defaults(function: Any, signature: str) -> None:
    assert str(inspect.signature(function)) == signature


def test_bound_methods_have_signatures_without_the_object(mgr: kp.Manager) -> None:
    sequence = mgr.sequence()
    assert str(inspect.signature(sequence.record)) == "(op)"
    assert str(inspect.signature(sequence.clear)) == "()"
    parameters = inspect.signature(mgr.tensor).parameters
    assert list(parameters)[:2] == ["data", "memory_type"]
    assert parameters["memory_type"].default is kp.MemoryTypes.device
    assert parameters["shape"].kind is inspect.Parameter.KEYWORD_ONLY
    assert list(inspect.signature(kp.Tensor).parameters) == ["data", "tensor_type", "old"]


def test_signatures_leave_documentation_as_it_was() -> None:
    assert (kp.Sequence.record.__doc__ or "").startswith("record(self: kp._kp.Sequence, op: kp._kp")
    assert (kp.Manager.is_init.__doc__ or "").startswith("is_init(self: object) -> bool")
    assert (kp.Algorithm.__doc__ or "").strip().startswith("A compute shader with its memory")
    assert kp.Manager.tensor.__qualname__ == "Manager.tensor"


def test_completion_leaves_out_the_early_names(mgr: kp.Manager) -> None:
    tensor, sequence = mgr.tensor([1, 2]), mgr.sequence()
    shown = {name for name in dir(mgr) if not name.startswith("_")}
    assert shown >= {"tensor", "algorithm", "sequence", "queue", "destroy", "compile"}
    assert len(shown) < 40
    for thing, old in (
        (mgr, ("eval_tensor_create_def", "build_tensor", "create_sequence", "eval_await_def")),
        (sequence, ("record_algo_data", "is_rec", "init")),
        (tensor, ("map_data_from_host", "set_data")),
        (mgr.image(width=1, height=1, num_channels=1), ("set_data",)),
    ):
        for name in old:
            assert name not in dir(thing)
            assert callable(getattr(thing, name))
    assert {"record", "eval"} <= set(dir(sequence))
    assert {"data", "numpy", "read", "__len__"} <= set(dir(tensor))
    assert "set_data" in dir(kp.Tensor([1.0]))  # an early tensor has the early names


def test_notebooks_show_the_values_of_tensors(mgr: kp.Manager) -> None:
    shown: str = mgr.tensor([[1, 2], [3, 4.5]])._repr_html_()  # type: ignore[attr-defined]
    assert shown.count("<tr>") == 2
    assert "<td>4.5</td>" in shown
    assert "kp.Tensor" in shown
    storage = mgr.tensor(shape=3, memory_type="storage")
    storage.write([7, 8, 9])
    assert "<td>8.0</td>" in storage._repr_html_()  # type: ignore[attr-defined]
    long: str = mgr.tensor(shape=TABLE + 1)._repr_html_()  # type: ignore[attr-defined]
    assert "<pre>" in long
    structs = mgr.tensor_t(np.zeros(2, [("a", "f4"), ("b", "f4")]))
    assert "<pre>" in structs._repr_html_()  # type: ignore[attr-defined]


def test_notebooks_neither_fetch_large_tensors_nor_show_destroyed_ones(mgr: kp.Manager) -> None:
    large = mgr.tensor(shape=SHOWN + 1, memory_type="storage", dtype=np.uint8)
    assert large._repr_html_() is None  # type: ignore[attr-defined]
    large.destroy()
    assert large._repr_html_() is None  # type: ignore[attr-defined]
    assert kp.Tensor([1.0])._repr_html_() is None  # type: ignore[attr-defined]


def test_showing_a_tensor_does_not_count_as_a_change(mgr: kp.Manager) -> None:
    tensor = mgr.tensor([1, 2, 3])
    mgr.sequence().eval(kp.OpFill([tensor], 5))
    assert "<td>5.0</td>" in tensor._repr_html_()  # type: ignore[attr-defined]
    mgr.sequence().eval(kp.OpFill([tensor], 6))
    assert tensor.data().tolist() == [6, 6, 6]


def test_notebooks_show_the_values_of_arrays() -> None:
    shown = kp.array([[1, 2], [3, 4]])._repr_html_()
    assert shown.count("<tr>") == 2
    assert "kp.Array, shape (2, 2), int64" in shown
    assert "&lt;" not in shown


@pytest.mark.parametrize(
    ("pixels", "expected"),
    [
        (np.array([[[10, 20, 30, 40], [50, 60, 70, 255]]], np.uint8), [10, 20, 30, 40]),
        (np.array([[0.5, 2.0, np.nan]], np.float32), 128),
        (np.array([[[1, 0.25]]], np.float32), (255, 64)),
    ],
)
def test_notebooks_show_images(mgr: kp.Manager, pixels: Any, expected: Any) -> None:
    pillow = pytest.importorskip("PIL.Image")
    image = mgr.image_t(pixels)
    assert image._repr_html_() is None, "notebooks prefer HTML"  # type: ignore[attr-defined]
    png = image._repr_png_()  # type: ignore[attr-defined]
    picture = pillow.open(io.BytesIO(png))
    assert picture.size == pixels.shape[1::-1]
    assert np.array_equal(np.array(picture)[0, 0], expected)


def test_images_that_have_no_colours_are_not_shown(
    mgr: kp.Manager, monkeypatch: pytest.MonkeyPatch
) -> None:
    image = mgr.image_t(np.zeros((2, 2), np.int32))
    assert image._repr_png_() is None  # type: ignore[attr-defined]
    assert "<pre>" in image._repr_html_()  # type: ignore[attr-defined]
    image.destroy()
    assert image._repr_png_() is None  # type: ignore[attr-defined]
    grey = mgr.image_t(np.zeros((2, 2), np.uint8))
    monkeypatch.setitem(sys.modules, "PIL", None)  # makes its import fail
    assert grey._repr_png_() is None  # type: ignore[attr-defined]
    assert pickle.loads(pickle.dumps(grey)).shape == (2, 2, 1)


class Console(io.StringIO):
    def __init__(self, terminal: bool) -> None:
        super().__init__()
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal


class State:
    """As kp.TuningProgress."""

    def __init__(self, done: int, best: float = 0) -> None:
        self.kernel, self.round, self.rounds, self.done, self.total = "blur", 1, 2, done, 2
        self.best, self.best_ns, self.elapsed, self.budget = {"x": 8}, best, 0.5, 0.0


def drawn(console: Console) -> str:
    bar = TuningBar(console)
    for state in (State(0), State(1, 1500), State(2, 1500)):
        bar(state)  # type: ignore[arg-type]
    return console.getvalue()


def test_the_bar_of_tuning_is_one_line_on_terminals_and_in_notebooks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lines = drawn(Console(terminal=True)).split("\r")
    assert len(lines) == 4
    assert lines[-1].startswith("blur round 1/2 [" + "=" * 30 + "] 2/2 best 1.50 us: x=8")
    assert lines[-1].endswith("\n")
    monkeypatch.setitem(sys.modules, "ipykernel", sys)
    assert drawn(Console(terminal=False)).split("\r") == lines


def test_the_bar_of_tuning_is_a_line_for_each_round_elsewhere() -> None:
    text = drawn(Console(terminal=False))
    assert text.count("\n") == 1
    assert "\r" not in text


def test_tuning_shows_a_bar_on_standard_error_of_python(
    mgr: kp.Manager, capsys: pytest.CaptureFixture[str]
) -> None:
    tensor = mgr.tensor(shape=64)
    kernel = kp.TunableKernel(
        "tiny",
        """#version 450
        layout(local_size_x_id = 0) in;
        layout(binding = 0) writeonly buffer X { float x[]; };
        void main() { if (gl_GlobalInvocationID.x < 64) x[gl_GlobalInvocationID.x] = 1; }""",
    ).local_size([8, 16])
    tuner = kp.Autotuner(mgr, progress=True, cache_folder="off", runs=2)
    tuner.tune(kernel, kp.TuningArguments([tensor], 64))
    assert "tiny round 1/" in capsys.readouterr().err
