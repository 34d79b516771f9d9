# SPDX-License-Identifier: Apache-2.0
"""Functions of arrays that give tensors for tensors, and where functions are defined."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kp

PACKAGE = Path(kp.__file__).resolve().parent
POINT = np.dtype([("x", np.float32), ("id", np.int16), ("y", np.float64)], align=True)
VALUES = np.array([3, 1, 2, 1], np.float32)

#: Arguments after the first one, for functions that need some.
ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "matmul": (VALUES,),
    "put": ([0], [3]),
    "reduce": ("sum",),
    "scan": ("sum",),
    "searchsorted": (VALUES,),
    "take": ([0, 2],),
    "top_k": (2,),
}
IN_KIND = sorted(
    name for name in dir(kp) if hasattr(getattr(kp, name), "__kp_tensors__") and name != "put"
)


@pytest.fixture(scope="module")
def mgr() -> kp.Manager:
    return kp.Manager()


def call(name: str, make: Any) -> Any:
    """Call a function with data of a kind. Returns its results as a tuple."""
    function = getattr(kp, name)
    if name in ("compress", "stable_partition"):
        found = function("x > 1", make(VALUES))
    elif name in ("concat", "concatenate"):
        found = function([make(VALUES), make(VALUES)])
    elif name == "bincount":
        found = function(make(VALUES.astype(np.int32)))
    else:
        more = [make(v) if isinstance(v, np.ndarray) else v for v in ARGUMENTS.get(name, ())]
        found = function(make(VALUES), *more)
    return found if isinstance(found, tuple) else (found,)


@pytest.mark.parametrize("name", IN_KIND)
def test_a_tensor_gives_a_tensor_with_the_elements_that_an_array_gives(
    mgr: kp.Manager, name: str
) -> None:
    of_arrays = call(name, lambda values: kp.array(values, device=mgr))
    for result, expected in zip(call(name, mgr.tensor_t), of_arrays, strict=True):
        if isinstance(expected, int):
            assert result == expected
            continue
        assert isinstance(expected, kp.Array) and isinstance(result, kp.Tensor)
        assert result.memory_type() == kp.MemoryTypes.device
        assert (result.shape, result.dtype) == (expected.shape, expected.dtype)
        np.testing.assert_array_equal(result.numpy(), expected.numpy())


def test_results_share_no_memory_with_their_arguments(mgr: kp.Manager) -> None:
    for function in (kp.flip, kp.transpose, kp.sort, lambda x: kp.compress("x > 0", x)):
        tensor = mgr.tensor_t(VALUES)
        function(tensor).write(np.zeros(4, np.float32))
        np.testing.assert_array_equal(tensor.read(), VALUES)


def test_results_go_into_a_tensor_of_another_type(mgr: kp.Manager) -> None:
    tensor, wide = mgr.tensor_t(VALUES), mgr.tensor_t(shape=(4,), dtype=np.float64)
    assert kp.flip(tensor, out=wide) is wide
    assert wide.data().tolist() == [1, 2, 1, 3]
    order = mgr.tensor_t(shape=(4,), dtype=np.uint32)
    assert kp.argsort(tensor, out=order) is order
    assert order.data().tolist() == [1, 3, 2, 0]
    first = mgr.tensor_t(shape=(), dtype=np.uint32)
    assert kp.argmax(tensor, out=first).item() == 0
    with pytest.raises(TypeError, match="out must be a kp.Tensor, not a kp.Array"):
        kp.sum(tensor, out=kp.zeros(()))


def test_structs_are_selected_and_put(mgr: kp.Manager) -> None:
    structs = np.zeros(4, POINT)
    structs["x"], structs["id"] = VALUES, [5, 6, 7, 8]
    tensor = mgr.tensor_t(structs)
    flags = mgr.tensor_t(np.array([True, False, True, True]))
    np.testing.assert_array_equal(kp.compress(flags, tensor).numpy(), structs[[0, 2, 3]])
    parts, count = kp.stable_partition(flags, tensor)
    assert count == 3
    np.testing.assert_array_equal(parts.numpy(), structs[[0, 2, 3, 1]])
    out = mgr.tensor_t(structs)
    assert kp.flip(tensor, out=out) is out
    np.testing.assert_array_equal(out.numpy(), structs[::-1])
    kp.put(tensor, [-1], structs[:1])
    np.testing.assert_array_equal(tensor.numpy(), structs[[0, 1, 2, 0]])
    with pytest.raises(TypeError, match="takes numbers, but x is of"):
        kp.compress("x > 0", tensor)
    with pytest.raises(IndexError, match="out of bounds"):
        kp.take(tensor, [4])
    with pytest.raises(TypeError, match="arrays hold"):
        kp.sum(tensor)


def test_a_function_in_kind_is_defined_in_one_file() -> None:
    found: Counter[str] = Counter()
    files = [*PACKAGE.glob("*.py"), *(PACKAGE / "arrays").rglob("*.py")]
    assert len(files) > 60
    for file in files:
        # Methods of kp.DeviceGroup, and the rules of groups, are others of the same names.
        if file.name == "_group_primitives.py" or file.parent.name == "groups":
            continue
        body = ast.parse(file.read_text(encoding="utf-8")).body
        # An overload has no body but dots.
        found.update(
            node.name
            for node in body
            if isinstance(node, ast.FunctionDef) and ast.unparse(node.body[-1]) != "..."
        )
    aliases = {"amax", "amin", "concat"}
    assert {name: found[name] for name in IN_KIND} == {
        name: 0 if name in aliases else 1 for name in IN_KIND
    }
