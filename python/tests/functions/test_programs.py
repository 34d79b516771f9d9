# SPDX-License-Identifier: Apache-2.0
"""Programs: functions of arrays and sequences that are saved and run elsewhere."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kp
from kp.cli import main

FILTER = Path(__file__).parents[3] / "examples" / "trained_filter"


@pytest.fixture
def mgr() -> kp.Manager:
    return kp.Manager()


def test_a_function_of_arrays_is_captured_without_checks() -> None:
    x = kp.arange(4.0)
    with kp.checked():
        program = kp.function(lambda x: x * 2).program(x)
    assert program(x=x).tolist() == [0, 2, 4, 6]


def reloaded(program: kp.Program) -> kp.Program:
    return kp.Program.parse(program.content(), device=program.device)


def values(*shape: int, dtype: str = "float32", seed: int = 0) -> np.ndarray[Any, Any]:
    random = np.random.default_rng(seed)
    numbers = random.integers(0, 100, shape)
    return (numbers + 1j * numbers[::-1] if dtype.startswith("complex") else numbers).astype(dtype)


FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "expression": lambda xp, x: xp.sqrt(x) * 2 + 1,
    "view": lambda xp, x: x[::-2, 1:],
    "argument": lambda xp, x: x,
    "several": lambda xp, x: (x + 1, xp.sum(x), x.T),
    "reductions": lambda xp, x: x.sum(axis=0) + x.max(axis=1).mean(),
    "scan": lambda xp, x: xp.cumsum(x, axis=1),
    "sort": lambda xp, x: xp.sort(x, axis=None),
    "argsort": lambda xp, x: xp.argsort(x, axis=1, kind="stable"),
    "matmul": lambda xp, x: x @ x.T,
    "fft": lambda xp, x: xp.fft.fft(x, axis=1),
    "roll": lambda xp, x: xp.roll(x, 2, axis=0) - xp.roll(x, -1, axis=1),
    "where": lambda xp, x: xp.where(x > 50, x, -x),
    "pad": lambda xp, x: xp.pad(x, 1),
    "einsum": lambda xp, x: xp.einsum("ij,ij->i", x, x),
    "median": lambda xp, x: xp.median(x, axis=0),
    "repeat": lambda xp, x: xp.repeat(x, 2, axis=1),
    "constant": lambda xp, x: x + xp.arange(6, dtype=x.dtype, device=x.device),
    "concatenate": lambda xp, x: xp.concatenate([x, x * 2]),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_a_program_computes_what_its_function_does(name: str, dtype: str, mgr: kp.Manager) -> None:
    function = FUNCTIONS[name]
    shown = kp.asarray(values(4, 6, dtype=dtype), device=mgr)
    program = reloaded(kp.function(lambda x: function(kp, x)).program(shown))
    for seed in (1, 2):
        given = values(4, 6, dtype=dtype, seed=seed)
        found = program(x=given)
        expected = function(kp, kp.asarray(given, device=mgr))
        if isinstance(expected, tuple):
            assert isinstance(found, dict)
            assert list(found) == [f"result_{i}" for i in range(len(expected))]
            for part, each in zip(expected, found.values(), strict=True):
                np.testing.assert_array_equal(each, part)
                assert each.dtype == part.dtype and each.shape == part.shape
        else:
            assert isinstance(found, kp.Array)
            assert found.dtype == expected.dtype and found.shape == expected.shape
            np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64", "float16", "complex64"])
def test_types_stay(dtype: str, mgr: kp.Manager) -> None:
    x = values(5, dtype=dtype)
    program = reloaded(kp.function(lambda x: x[::-1]).program(kp.asarray(x, device=mgr)))
    assert program.tensors()[0].dtype == dtype
    found = program(x=x)
    assert isinstance(found, kp.Array) and found.dtype == dtype
    np.testing.assert_array_equal(found, x[::-1])


def test_arguments_and_results_are_called_by_their_places(mgr: kp.Manager) -> None:
    @kp.function
    def step(state: Any, *more: Any, scale: float, field: Any) -> dict[str, Any]:
        u, v = state
        return {"u": u + scale * more[0], "rest": [v, field["a"]]}

    one = kp.ones(3, device=mgr)
    program = step.program((one, one * 2), one * 3, scale=2.0, field={"a": one * 4})
    names = [each.name for each in program.tensors()]
    assert names == ["argument_1", "field_a", "state_0", "state_1", "rest_0", "rest_1", "u"]
    found = program(argument_1=one, field_a=one * 7, state_0=one, state_1=one * 5)
    assert isinstance(found, dict)
    assert {name: array.tolist()[0] for name, array in found.items()} == {
        "u": 3, "rest_0": 5, "rest_1": 7
    }  # fmt: skip


def test_changed_arguments_are_results_and_stay_as_they_are(mgr: kp.Manager) -> None:
    @kp.function
    def double(x: Any) -> Any:
        x *= 2
        return x.sum()

    x = kp.asarray(np.arange(4.0), device=mgr)
    program = reloaded(double.program(x))
    np.testing.assert_array_equal(x, np.arange(4.0))
    found = program(x=x)
    assert isinstance(found, dict)
    np.testing.assert_array_equal(found["x"], np.arange(4.0) * 2)
    assert float(found["result"]) == 12
    np.testing.assert_array_equal(x, np.arange(4.0))

    @kp.function
    def smooth(u: Any) -> None:
        u[1:-1] = (u[:-2] + u[2:]) / 2

    (changed,) = reloaded(smooth.program(x)).tensors()
    assert changed.name == "u" and changed.input and changed.output
    np.testing.assert_array_equal(smooth.program(x)(u=[0.0, 1, 4, 9]), [0, 2, 5, 9])


def test_a_changed_argument_that_is_returned_is_one_output(mgr: kp.Manager) -> None:
    @kp.function
    def double(x: Any, y: Any) -> Any:
        x *= 2
        return x

    @kp.function
    def both(x: Any, y: Any) -> Any:
        x *= 2
        return x, y, x + y

    x = kp.asarray(np.arange(4.0), device=mgr)

    def mutate(x: Any) -> dict[str, Any]:
        x += 1
        return {"named": x}

    program = reloaded(both.program(x, x + 1))
    assert [each.name for each in program.tensors()] == ["x", "y", "result_1", "result_2"]
    found = program(x=[1, 2, 3, 4], y=[1, 1, 1, 1])
    assert isinstance(found, dict)
    assert {name: array.tolist() for name, array in found.items()} == {
        "x": [2, 4, 6, 8], "result_1": [1, 1, 1, 1], "result_2": [3, 5, 7, 9],
    }  # fmt: skip
    with pytest.raises(kp.InvalidArgument, match="uses the tensor 'y'"):
        double.program(x, x + 1)
    only = reloaded(kp.function(lambda x: double(x, x + 1)).program(x))
    assert [(each.name, each.input, each.output) for each in only.tensors()] == [("x", True, True)]
    np.testing.assert_array_equal(only(x=[1, 2, 3, 4]), [2, 4, 6, 8])
    assert set(kp.function(mutate).program(x)(x=x)) == {"x", "named"}


def test_examples_may_be_numpy_arrays() -> None:
    @kp.function
    def scaled(x: Any, parts: dict[str, Any]) -> Any:
        return x * parts["a"]

    program = scaled.program(np.ones(3, np.float32), {"a": np.float32([1, 2, 3])})
    assert [each.name for each in program.tensors() if each.input] == ["parts_a", "x"]
    np.testing.assert_array_equal(program(x=[1, 1, 2], parts_a=[1, 2, 3]), [1, 2, 6])


@pytest.mark.parametrize("dtype", ["int8", "uint16", "float64", "complex128"])
def test_elements_that_are_set_to_numbers_are_saved(dtype: str, mgr: kp.Manager) -> None:
    def numbered(x: Any) -> Any:
        x[3] = 1
        x[5:8] = 7
        return x

    program = reloaded(kp.function(numbered).program(kp.zeros(10, dtype=dtype, device=mgr)))
    np.testing.assert_array_equal(program(x=np.arange(10)), numbered(np.arange(10)))


def test_files_are_replaced_as_a_whole_and_named_in_errors(
    mgr: kp.Manager, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "step.kp"
    program = kp.function(lambda x: x + 1).program(kp.ones(3, device=mgr))
    program.save(path)
    before = path.read_bytes()

    def fails(self: Path, content: bytes) -> int:
        with self.open("wb") as file:
            file.write(content[:10])
        raise OSError("no space")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_bytes", fails)
        with pytest.raises(OSError, match="no space"):
            program.save(path)
    assert path.read_bytes() == before and list(tmp_path.iterdir()) == [path]
    path.write_bytes(before[:-1])
    with pytest.raises(kp.InvalidArgument, match=r"step\.kp: .*damaged"):
        kp.Program.load(path, device=mgr)


def test_programs_without_inputs_are_called(mgr: kp.Manager) -> None:
    y = mgr.tensor(np.zeros(2, np.float32))
    sequence = mgr.sequence().record(kp.OpFill([y], 5))
    program = reloaded(kp.Program.of(sequence, {}, {"y": y}))
    np.testing.assert_array_equal(program(), [5, 5])


def test_programs_of_several_sizes_are_joined(mgr: kp.Manager) -> None:
    total = kp.function(lambda x: x.sum())
    program = reloaded(
        kp.Program.join([total.program(kp.zeros(n, device=mgr)) for n in (10, 5000)])
    )
    assert program.variants == 2
    for n in (5000, 10):
        assert float(program(x=np.ones(n))) == n  # type: ignore[arg-type]
    with pytest.raises(kp.InvalidArgument, match=r"'x' \(10\), 'x' \(5000\), but 'x' \(3\)"):
        program(x=np.ones(3))


@pytest.mark.unchecked
def test_a_sequence_becomes_a_program(mgr: kp.Manager, tmp_path: Path) -> None:
    a, b, out = mgr.tensor([1, 2, 3]), mgr.tensor([10, 20, 30]), mgr.tensor([0, 0, 0])
    sequence = mgr.sequence()
    sequence.record(kp.OpSyncDevice([a, b])).record(kp.OpMult([a, b, out], mgr.algorithm()))
    path = tmp_path / "step.kp"
    kp.Program.of(sequence, {"a": a}, {"out": out}).save(path)
    program = kp.Program.load(path, device=mgr)
    x, y = mgr.tensor([4, 5, 6]), mgr.tensor([0, 0, 0])
    program.run(a=x, out=y)
    assert y.data().tolist() == [40, 100, 180]
    z = mgr.tensor([0, 0, 0])
    mgr.sequence().record(program.operation(a=y, out=z)).eval(kp.OpSyncLocal([z]))
    mgr.sequence().record(program.operation(a=y, out=z)).record(kp.OpSyncLocal([z])).eval()
    assert z.data().tolist() == [400, 2000, 5400]


def test_programs_run_from_the_command_line(
    mgr: kp.Manager, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "step.kp"
    kp.function(lambda u: u * 2).save(path, kp.zeros((2, 3), device=mgr))
    np.save(tmp_path / "u.npy", np.arange(6.0).reshape(2, 3))
    command = ["run", str(path), "--input", f"u={tmp_path / 'u.npy'}"]
    assert main([*command, "--output", f"result={tmp_path / 'r.npy'}"]) == 0
    assert "result: float64[2, 3]" in capsys.readouterr().out
    np.testing.assert_array_equal(np.load(tmp_path / "r.npy"), np.arange(0, 12, 2.0).reshape(2, 3))
    assert main([*command, "--output", f"v={tmp_path / 'r.npy'}"]) == 2
    assert "nothing called 'v' for --output; it has result" in capsys.readouterr().err
    assert main(["run", str(path)]) == 1
    assert "also takes 'u'" in capsys.readouterr().err
    assert main([*command, "--check", str(tmp_path / "u.npy")]) == 2
    assert "--check is for shaders" in capsys.readouterr().err
    number = tmp_path / "number.kp"
    kp.function(lambda s: s * 2 + 1).save(number, kp.asarray(1.5, device=mgr))
    np.save(tmp_path / "s.npy", np.float64(3))
    command = ["run", str(number), "--input", f"s={tmp_path / 's.npy'}"]
    assert main([*command, "--output", f"result={tmp_path / 'r.npy'}"]) == 0
    assert np.load(tmp_path / "r.npy") == 7
    command = ["run", str(path), "--input", f"u={tmp_path / 'u.npy'}"]
    path.write_bytes(path.read_bytes()[:-1])
    assert main(command) == 1
    assert "damaged" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("function", "error", "message"),
    [
        (lambda x: x * float(x[0]), kp.InvalidArgument, "cannot be captured.*test_programs.py"),
        (lambda x: x[x > 0], kp.InvalidArgument, "cannot be captured"),
        (lambda x: 3, TypeError, "returns arrays, not int"),
        (lambda x: (x + 1, [2]), TypeError, "not int as 'result_1_0'"),
        (lambda x: {"y": x + 1, "n": None}, TypeError, "not NoneType as 'n'"),
        (lambda x: x[kp.asarray([0], device=x.device)], kp.InvalidArgument, "use the indices in a kernel"),
        (lambda x: x.sum().evaluate().dtype and None, kp.InvalidArgument, "returns no array"),
        (lambda x: kp.ones(3, device=x.device), kp.InvalidArgument, "uses the tensor 'x'"),
        (lambda x: {"x": x + 1}, kp.InvalidArgument, "have the name 'x'"),
        (lambda x: x[:0], kp.InvalidArgument, "has no elements"),
    ],
)  # fmt: skip
def test_what_cannot_be_saved_says_why(
    function: Callable[[Any], Any], error: type[Exception], message: str, mgr: kp.Manager
) -> None:
    with pytest.raises(error, match=message):
        kp.function(function).program(kp.ones(3, device=mgr))


@pytest.mark.parametrize(
    ("dtype", "given"),
    [
        ("int32", [2.9]), ("int32", [np.nan]), ("int32", np.array([2**40])), ("uint8", [300]),
        ("uint8", np.array([-1])), ("float32", [1e300]), ("float64", [1j]), ("bool", [2]),
    ],
)  # fmt: skip
def test_values_that_a_type_does_not_hold_are_refused(
    dtype: str, given: Any, mgr: kp.Manager
) -> None:
    program = kp.function(lambda x: x[::1].copy()).program(kp.zeros(1, dtype=dtype, device=mgr))
    with pytest.raises(kp.InvalidArgument, match=f"type {dtype}, which does not hold"):
        program(x=given)
    assert program(x=[1]).dtype == dtype  # type: ignore[union-attr]


def test_what_is_made_can_be_read(mgr: kp.Manager) -> None:
    x = kp.asarray(np.arange(10.0), device=mgr)
    for function in (
        lambda x: kp.roll(x * 2, 1) + 1,
        lambda x: kp.concatenate([x, kp.roll(x, 1)]) * 2,
        lambda x: kp.stack([x[:8], x[1:9], x[2:]]).sum(axis=0),
        lambda x: kp.roll(kp.roll(x, 1), 1)[::-1].copy() + x,
    ):
        program = reloaded(kp.function(function).program(x))
        np.testing.assert_array_equal(program(x=np.arange(10.0) ** 2), function(x * x))


def test_wrong_inputs_say_what_is_expected(mgr: kp.Manager, tmp_path: Path) -> None:
    program = kp.function(lambda x: x + 1).program(kp.ones(3, dtype="float32", device=mgr))
    with pytest.raises(kp.InvalidArgument, match="no input 'y'"):
        program(x=np.ones(3, "float32"), y=1)
    with pytest.raises(kp.InvalidArgument, match="also takes 'x'"):
        program()
    with pytest.raises(kp.InvalidArgument, match="float32, but int64"):
        program(x=kp.asarray([1, 2, 3], device=mgr))
    with pytest.raises(TypeError, match=r"Program\.load"):
        kp.Program()
    with pytest.raises(FileNotFoundError):
        kp.Program.load(tmp_path / "nothing.kp")
    with pytest.raises(kp.InvalidArgument, match="KPROGRAM"):
        kp.Program.parse(b"nonsense")
    with pytest.raises(TypeError, match="at least one array"):
        kp.function(lambda: kp.ones(3)).program()
    assert repr(program) == "<kp.Program x: float32[3], result: float32[3] (output)>"


@pytest.mark.skipif(not FILTER.is_dir(), reason="there are no examples here")
def test_the_saved_filter_of_the_examples_is_what_its_training_makes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["train.py", str(tmp_path / "filter.kp")])
    runpy.run_path(str(FILTER / "train.py"), run_name="__main__")
    assert "after; saved to filter.kp" in capsys.readouterr().out
    made, kept = (kp.Program.load(folder / "filter.kp") for folder in (tmp_path, FILTER))
    assert made.tensors() == kept.tensors()
    noisy = values(4104)
    np.testing.assert_allclose(made(noisy=noisy), kept(noisy=noisy), rtol=1e-4)
