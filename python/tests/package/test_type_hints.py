# SPDX-License-Identifier: Apache-2.0
"""What type checkers know: each public name, and the types that calls have when they run."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from inspect import isclass, ismodule
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kp

MODULES = {"kp": kp, "kp.linalg": kp.linalg, "kp.random": kp.random, "kp.fft": kp.fft}

#: What `import kp` imports. dir() shows others once something has imported them.
OWN = {"fft", "launcher", "linalg", "random"}

#: Arguments that are tried for functions without an entry in CALLS.
ARGUMENTS = ("x", "m", "x, x", "m, m", "x, 1", "i", "i, i", "3", "x, i", "[x, x]", "i, (9,)", "")

#: The arguments of functions for which none of those make sense.
CALLS = {
    "polyfit": "x, x, 1",
    "apply_along_axis": "np.sum, 0, m",
    "astype": "x, np.int32",
    "broadcast_to": "x, (2, 4)",
    "can_cast": "np.int8, np.int16",
    "choose": "i, [x, x, x, x]",
    "clip": "x, 1, 2",
    "compress": "x > 1, x",
    "cross": "x[:3], x[:3]",
    "diag_indices": "3",
    "dsplit": "m.reshape(1, 1, 4), 2",
    "einsum": "'i,i', x, x",
    "elementwise": "'T x', 'T y', 'y = x'",
    "extract": "x > 1, x",
    "from_dlpack": "np.ones(3)",
    "fromfunction": "lambda a: a * 2, (3,)",
    "full": "3, 1",
    "full_like": "x, 1",
    "geomspace": "1, 8",
    "insert": "x, 1, 5",
    "interp": "x, x, x",
    "isdtype": "np.dtype(np.int8), 'integral'",
    "kaiser": "3, 1.0",
    "kernel": "'kernel void k(inout float x[]) { x[i] *= 2; }'",
    "linspace": "0, 1",
    "log_level": "2",
    "logspace": "0, 1",
    "matrix_power": "m, 2",
    "moveaxis": "m, 0, 1",
    "multi_dot": "[m, m]",
    "partition": "x, 1",
    "permute_dims": "m, (1, 0)",
    "piecewise": "x, [x > 1], [2.0]",
    "place": "x, x > 1, [1.0]",
    "put": "x, i, 1",
    "put_along_axis": "x, i, 1, 0",
    "putmask": "x, x > 1, x",
    "quantile": "x, 0.5",
    "ravel_multi_index": "(i,), (9,)",
    "reduce": "x, 'sum'",
    "reduction": "'T x', 'T y', 'x', 'a + b', 'y = a', 0",
    "reflect": "'#version 450\\nlayout(local_size_x = 1) in; void main() {}'",
    "repeat": "x, 2",
    "reshape": "x, (2, 2)",
    "rollaxis": "m, 1",
    "scan": "x, 'sum'",
    "select": "[x > 1], [x]",
    "solve": "m, m",
    "stable_partition": "x > 1, x",
    "swapaxes": "m, 0, 1",
    "take_along_axis": "x, i",
    "to_vector": "np.float32, 3",
    "top_k": "x, 2",
    "vsplit": "m, 2",
    "where": "x > 1, x, 0",
    "while_loop": "lambda s: s.max() < 1, lambda s: s + 1, x, 1",
    **dict.fromkeys("column_stack concat concatenate dstack hstack stack vstack".split(), "[x, x]"),
}

#: Functions that are not called: for kernels alone, or they change what others rely on, or need more.
UNCALLED = {
    *(name for name in dir(kp) if name.startswith(("atomic_", "subgroup_", "buffer_"))),
    *"barrier check global_id global_size group_count group_id local_array local_id local_size".split(),
    *"memory_barrier shared_array set_default_group set_default_manager torch_pool".split(),
    *"compile eval_all wait_all wait_any jit function asbuffer copy default_group tensorinv".split(),
    *"repeat_until tensorsolve".split(),
}

#: What returns one array or several, what a function returned, or lists of any depth.
UNKNOWN = {"gradient", "fromfunction", "polyfit", "tolist"}

METHODS = {
    "choose": "i.choose([x, x, x, x])",
    "astype": "x.astype(np.int32)",
    "clip": "x.clip(1, 2)",
    "compress": "x.compress(x > 1)",
    "diagonal": "m.diagonal()",
    "dot": "x.dot(x)",
    "fill": "x.fill(1)",
    "item": "x.item(0)",
    "mT": "m.mT",
    "partition": "x.partition(1)",
    "put": "x.put(i, 1)",
    "repeat": "x.repeat(2)",
    "reshape": "x.reshape(2, 2)",
    "searchsorted": "x.searchsorted(x)",
    "swapaxes": "m.swapaxes(0, 1)",
    "take": "x.take(i)",
    "to_device": "x.to_device(x.device)",
    "trace": "m.trace()",
}


def given() -> dict[str, Any]:
    """The names that calls use."""
    return {
        "kp": kp,
        "np": np,
        "x": kp.array([4.0, 1, 3, 2], dtype=np.float32),
        "m": kp.array([[2.0, 1], [1, 3]], dtype=np.float32),
        "i": kp.array([0, 1, 2, 3], dtype=np.int32),
        "manager": kp.default_manager(),
    }


def names_of(module: Any) -> list[str]:
    return [name for name in dir(module) if not name.startswith("_")]


def found(texts: Iterator[str]) -> tuple[str, Any]:
    """Return the first of some calls that works, and its result."""
    for text in texts:
        try:
            return text, eval(text, given())
        except (TypeError, ValueError, IndexError, AttributeError, kp.Error):
            continue
    return "", None


def calls() -> Iterator[tuple[str, Any]]:
    """Yield a call of each public function and method of arrays, and its result."""
    for module_name, module in MODULES.items():
        for name in names_of(module):
            thing = getattr(module, name)
            is_type = isclass(thing) or isinstance(thing, kp.DataTypes)
            if is_type or not callable(thing) or name in UNCALLED:
                continue
            tried = (CALLS[name],) if name in CALLS else ARGUMENTS
            if module is kp.random and name != "default_rng":
                tried = ("manager, 3", "manager, 3, 0, 9", "manager.tensor([1.0, 2.0])")
            text, value = found(f"{module_name}.{name}({each})" for each in tried)
            assert (
                text
            ), f"CALLS has no arguments for {module_name}.{name}, and none that are tried work"
            if name not in UNKNOWN:
                yield text, value
    for name in names_of(kp.Array):
        called = callable(getattr(kp.Array, name))
        text, value = found(iter([METHODS.get(name, f"x.{name}()" if called else f"x.{name}")]))
        assert text, f"METHODS has no arguments for {name}"
        if name not in UNKNOWN:
            yield text, value


def program(texts: list[str]) -> str:
    """Return a program with each public name, and the types of calls, a line for each."""
    lines = ["import numpy as np", "import kp", "from typing import Any"]
    for module_name, module in MODULES.items():
        for name in dir(module):
            if ismodule(getattr(module, name)) and name not in OWN:
                continue
            lines.append(f"print({module_name}.{name})")
            lines.append(f"from {module_name} import {name} as its_{name}_{len(lines)}")
    lines += [
        "from kp import *",
        "def types(x: kp.Array, m: kp.Array, i: kp.Array, manager: kp.Manager) -> None:",
        *(f"    reveal_type({text})" for text in texts),
    ]
    return "\n".join(lines) + "\n"


def fits(revealed: str, value: Any) -> bool:
    """Return whether a checker's text of a type fits a value."""
    outer = re.split(r"[\[(]", revealed)[0].rpartition(".")[2]
    if value is None:
        return outer == "None"
    classes = {each.__name__ for each in type(value).__mro__} - {"object"}
    if isinstance(value, (bool, int, float, np.generic)):
        return bool({*re.split(r" \| ", revealed)} & {*classes, type(value).__name__})
    if isinstance(value, (tuple, list)) and value and type(value[0]) is kp.Array:
        return outer in classes and (hasattr(value, "_fields") or "Array" in revealed)
    return outer in classes or outer in ("TypeAlias", "def")


def mypy_of(folder: Path) -> tuple[list[str], str]:
    home = str(Path(kp.__file__).parent.parent)
    environment = dict(os.environ)
    if not home.endswith("site-packages"):
        environment["MYPYPATH"] = home
    options = ["--strict", "--config-file=", "--follow-imports=silent", "--no-error-summary"]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *options, "program.py"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    lines = (done.stdout + done.stderr).splitlines()
    notes = [line for line in lines if ": note: Revealed type is " in line]
    types = [note.split(' type is "', 1)[1][:-1] for note in notes]
    return types, "\n".join(line for line in lines if line not in notes)


def pyright_of(folder: Path) -> tuple[list[str], str]:
    """Run basedpyright, which is pyright with a Node.js of its own, or pyright."""
    module = "basedpyright" if importlib.util.find_spec("basedpyright") else "pyright"
    home = str(Path(kp.__file__).parent.parent)
    settings = {
        "include": ["program.py"],
        "extraPaths": [home],
        "reportWildcardImportFromLibrary": False,
        "typeCheckingMode": "standard",
    }
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    done = subprocess.run(
        [sys.executable, "-m", module, "--outputjson", "--pythonpath", sys.executable],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    try:
        found = json.loads(done.stdout)["generalDiagnostics"]
    except ValueError:
        pytest.skip(f"pyright does not run here: {done.stdout[-200:]}{done.stderr[-200:]}")
    types = [
        each["message"].split('" is "', 1)[1][:-1]
        for each in found
        if each["severity"] == "information" and each["message"].startswith("Type of ")
    ]
    return types, "\n".join(each["message"] for each in found if each["severity"] == "error")


@pytest.fixture(scope="module")
def called() -> list[tuple[str, Any]]:
    return list(calls())


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_checkers_know_every_public_name_and_what_calls_return(
    checker: str, called: list[tuple[str, Any]], tmp_path: Path
) -> None:
    names = ["mypy"] if checker == "mypy" else ["basedpyright", "pyright"]
    if not any(importlib.util.find_spec(name) for name in names):
        pytest.skip(f"{checker} is not installed")
    (tmp_path / "program.py").write_text(program([text for text, _ in called]))
    run: Callable[[Path], tuple[list[str], str]] = mypy_of if checker == "mypy" else pyright_of
    types, errors = run(tmp_path)
    assert not errors
    assert len(types) == len(called) > 300
    wrong = [
        f"{text} is {type(value).__name__}, but {checker} says {revealed}"
        for (text, value), revealed in zip(called, types, strict=True)
        if not fits(revealed, value)
    ]
    assert not wrong, "\n".join(wrong)


def test_completion_shows_public_names_alone() -> None:
    assert set(dir(kp)) >= set(kp.__all__) | {
        "abs",
        "all",
        "bool",
        "sum",
        "fft",
        "random",
        "linalg",
    }
    assert not set(dir(kp)) & {"annotations", "arrays", "intrinsics", "cli"}
    assert not [name for name in dir(kp) if name.startswith("_") and name not in kp.__all__]
    for module in (kp.linalg, kp.random, kp.fft):
        assert dir(module) == sorted(module.__all__)
