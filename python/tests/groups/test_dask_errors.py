# SPDX-License-Identifier: Apache-2.0
"""Errors of kp.dask, and what the package has without Dask."""

from __future__ import annotations

import inspect
import pickle
from typing import Any

import numpy as np
import pytest
from conftest import INCREMENT, MULTIPLY, run_python
from dask_support import PLACE, SCALE, STENCIL, numbers

import kp

dask = pytest.importorskip("dask")
import dask.array as da  # noqa: E402

import kp.dask  # noqa: E402

pytestmark = pytest.mark.usefixtures("scheduler")


# --- errors ---------------------------------------------------------------------------------------


def test_raises_errors_before_anything_runs() -> None:
    x = da.from_array(numbers(10), chunks=5)
    with pytest.raises(kp.ShaderError):
        kp.dask.map_blocks("#version 450\nvoid main() { x; }", x)
    faults: list[tuple[str, Any]] = [
        (r"uses the bindings \[0, 1, 2\]", lambda: kp.dask.map_blocks(MULTIPLY, x)),
        (r"in place, use BlockKernel\(..., inputs", lambda: kp.dask.map_blocks(INCREMENT, x)),
        ("array 1 has dtype float64", lambda: kp.dask.map_blocks(MULTIPLY, x, x.astype("f8"))),
        ("the result has dtype int32", lambda: kp.dask.map_blocks(MULTIPLY, x, x, dtype="i4")),
        ("factor have no value", lambda: kp.dask.map_blocks(SCALE, x)),
        ("'faktor'", lambda: kp.dask.map_blocks(SCALE, x, faktor=1)),
        ("is filled in", lambda: kp.dask.map_blocks(SCALE, x, factor=1, kp_block_size=1)),
        ("threads must be", lambda: kp.dask.BlockKernel(SCALE, threads="many")),
        ("fixes it to", lambda: kp.dask.BlockKernel(MULTIPLY, local_size=2)),
        ("has 2 components", lambda: kp.dask.map_blocks(STENCIL, x.reshape(2, 5, 1))),
    ]
    for message, call in faults:
        with pytest.raises(ValueError, match=message):
            call()
    with pytest.raises(TypeError, match="factor"):
        kp.dask.map_blocks(SCALE, x, factor="2")
    with pytest.raises(TypeError, match="function must be"):
        kp.dask.map_blocks(5, x)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="give chunks"):
        kp.dask.map_blocks(PLACE)
    with pytest.raises(TypeError, match="Dask arrays"):
        kp.dask.map_overlap(MULTIPLY, numbers(5), depth=1)
    assert kp.dask.statistics().managers == 0


def test_recovers_from_errors_while_running() -> None:
    x = da.from_array(numbers(10), chunks=5)
    large = kp.dask.BlockKernel(SCALE, push={"factor": 1}, local_size=1 << 20)
    with pytest.raises(kp.Error, match="local"):
        kp.dask.map_blocks(large, x).compute()
    # The failed block does not affect later ones.
    good = kp.dask.BlockKernel(SCALE, push={"factor": 1}, local_size=8)
    np.testing.assert_array_equal(kp.dask.map_blocks(good, x).compute(), numbers(10))


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_exceptions_can_be_pickled(protocol: int) -> None:
    with pytest.raises(kp.ShaderError) as caught:
        kp.compile("#version 450\nvoid main() {\n    floot x = 1;\n}\n", file_name="a.comp")
    with pytest.raises(kp.InvalidArgument) as refused:
        kp.Manager(name="no such device")
    made = [cls("text") for cls in (kp.Error, kp.OutOfMemory, kp.DeviceLost, kp.Unsupported)]
    for error in (caught.value, refused.value, *made):
        error.vk_result = -4
        copy = pickle.loads(pickle.dumps(error, protocol))
        assert type(copy) is type(error)
        assert str(copy) == str(error)
        assert vars(copy) == vars(error)
    copy = pickle.loads(pickle.dumps(caught.value, protocol))
    assert (copy.line, copy.file, copy.code) == (3, "a.comp", "shader")
    assert "floot" in copy.log


# --- the package ----------------------------------------------------------------------------------


def test_dask_is_optional() -> None:
    run_python("import sys, kp\nassert not {'dask', 'distributed', 'kp.dask'} & set(sys.modules)")
    output = run_python(
        """
import sys
sys.modules["dask"] = None
import kp
try:
    import kp.dask
except ImportError as error:
    print(error)
"""
    )
    assert "pip install 'kompute[dask]'" in output
    output = run_python(
        """
import sys
sys.modules["distributed"] = None
import kp.dask
try:
    kp.dask.setup(None)
except ImportError as error:
    print(error)
"""
    )
    assert "pip install 'kompute[dask]'" in output


def test_everything_public_has_a_docstring() -> None:
    assert kp.dask.__doc__
    for name in kp.dask.__all__:
        thing = getattr(kp.dask, name)
        assert inspect.getdoc(thing), name
        assert thing.__module__.startswith("kp.dask"), name
        if inspect.isclass(thing):
            for member, value in vars(thing).items():
                if callable(value) and not member.startswith("_"):
                    assert inspect.getdoc(value), f"{name}.{member}"
