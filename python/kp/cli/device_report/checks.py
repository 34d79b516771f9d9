# SPDX-License-Identifier: Apache-2.0
"""Small checks of the library on a device, each against NumPy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import kp

#: Types of arrays, from types that every device has to types that many lack.
TYPES = (
    *("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"),
    *("float16", "float32", "float64", "complex64", "complex128"),
)

PASSED, FAILED, UNSUPPORTED = "passed", "FAILED", "not supported"

DOUBLE = """#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer Values { float values[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < values.length())
        values[i] *= 2.0;
}
"""


@dataclass(frozen=True)
class Outcome:
    """The result of a check."""

    group: str
    name: str
    result: str  #: PASSED, FAILED or UNSUPPORTED
    reason: str = ""


Check = Callable[[kp.Manager], tuple[Any, Any]]  #: returns the result and the expected one

_FLOATS = np.linspace(-4, 4, 10007, dtype=np.float32)
_INTEGERS = (np.arange(10007, dtype=np.int64) * 7919 % 10007 - 5000).astype(np.int32)


def _of(values: Any, manager: kp.Manager) -> Any:
    return kp.array(values, device=manager)


def _on_floats(function: Callable[[Any], Any], expected: Callable[[Any], Any]) -> Check:
    return lambda manager: (function(_of(_FLOATS, manager)), expected(_FLOATS.astype(np.float64)))


def _on_integers(function: Callable[[Any], Any], expected: Callable[[Any], Any]) -> Check:
    return lambda manager: (function(_of(_INTEGERS, manager)), expected(_INTEGERS))


def _product(manager: kp.Manager) -> tuple[Any, Any]:
    a, b = (np.resize(_INTEGERS % 9, (97, 97)).astype(np.float32) for _ in range(2))
    return kp.matmul(_of(a, manager), _of(b.T.copy(), manager)), a @ b.T


def _shader(manager: kp.Manager) -> tuple[Any, Any]:
    tensor = manager.tensor_t(_FLOATS.copy())
    algorithm = manager.algorithm([tensor], DOUBLE, ((_FLOATS.size + 63) // 64, 1, 1))
    sequence = manager.sequence().record(kp.OpSyncDevice([tensor]))
    sequence.record(kp.OpAlgoDispatch(algorithm)).record(kp.OpSyncLocal([tensor])).eval()
    return np.array(tensor.data()), _FLOATS * 2


def _primitive(operation: Callable[[Any, Any], Any], expected: Any, like: Any) -> Check:
    def check(manager: kp.Manager) -> tuple[Any, Any]:
        source = manager.tensor_t(_INTEGERS.copy(), kp.MemoryTypes.storage)
        target = manager.tensor_t(np.zeros_like(like), kp.MemoryTypes.storage)
        manager.sequence().eval(operation(source, target))
        return target.read(), expected

    return check


def _sort(manager: kp.Manager) -> tuple[Any, Any]:
    keys = manager.tensor_t(_INTEGERS.copy(), kp.MemoryTypes.storage)
    manager.sequence().eval(kp.OpSort(keys))
    return keys.read(), np.sort(_INTEGERS)


def _type(name: str) -> Check:
    def check(manager: kp.Manager) -> tuple[Any, Any]:
        values = (np.arange(1001) % 5).astype(name)
        return _of(values, manager) + _of(values[::-1].copy(), manager), values + values[::-1]

    return check


_ONE = np.zeros(1, np.int32)

CHECKS: tuple[tuple[str, str, Check], ...] = (
    ("shaders", "GLSL", _shader),
    ("arrays", "arithmetic", _on_floats(lambda x: x * x + 1, lambda x: x * x + 1)),
    ("arrays", "sqrt", _on_floats(lambda x: kp.sqrt(x * x), np.abs)),
    ("arrays", "exp", _on_floats(kp.exp, np.exp)),
    ("arrays", "sin", _on_floats(kp.sin, np.sin)),
    ("arrays", "comparison", _on_floats(lambda x: x > 1, lambda x: x > 1)),
    ("arrays", "sum", _on_floats(lambda x: kp.sum(x * x), lambda x: np.sum(x * x))),
    ("arrays", "max", _on_floats(kp.max, np.max)),
    ("arrays", "slices", _on_floats(lambda x: x[::-3] + 1, lambda x: x[::-3] + 1)),
    (
        "arrays",
        "broadcasting",
        _on_floats(lambda x: x[:50, None] * x[:60], lambda x: x[:50, None] * x[:60]),
    ),
    (
        "arrays",
        "sort",
        _on_floats(lambda x: kp.sort(kp.sin(x * 9)), lambda x: np.sort(np.sin(x * 9))),
    ),
    ("arrays", "cumulative sum", _on_floats(kp.cumulative_sum, np.cumsum)),
    ("arrays", "clip", _on_floats(lambda x: kp.clip(x, -1, 2), lambda x: np.clip(x, -1, 2))),
    ("arrays", "masks", _on_floats(lambda x: x[x > 0], lambda x: x[x > 0])),
    ("arrays", "argmax", _on_integers(kp.argmax, np.argmax)),
    ("arrays", "unique", _on_integers(lambda x: kp.unique(x // 7), lambda x: np.unique(x // 7))),
    ("arrays", "matrix product", _product),
    (
        "arrays",
        "Fourier transform",
        _on_floats(
            lambda x: kp.abs(kp.fft.rfft(x[:4096])), lambda x: np.abs(np.fft.rfft(x[:4096]))
        ),
    ),
    (
        "primitives",
        "reduce",
        _primitive(lambda x, y: kp.OpReduce(x, y, "sum"), [_INTEGERS.sum()], _ONE),
    ),
    (
        "primitives",
        "scan",
        _primitive(lambda x, y: kp.OpScan(x, y, "sum"), np.cumsum(_INTEGERS), _INTEGERS),
    ),
    ("primitives", "sort", _sort),
    *(("types", name, _type(name)) for name in TYPES),
)


def run_checks(manager: kp.Manager) -> list[Outcome]:
    """Run every check. One that fails does not keep the others from running."""
    return [run_check(manager, *check) for check in CHECKS]


def run_check(manager: kp.Manager, group: str, name: str, check: Check) -> Outcome:
    try:
        found, expected = check(manager)
        fault = difference(np.asarray(found), np.asarray(expected))
    except (kp.Unsupported, kp.ShaderError) as error:
        return Outcome(group, name, UNSUPPORTED, str(error))
    except Exception as error:  # the report includes any failure
        return Outcome(group, name, FAILED, f"{type(error).__name__}: {error}")
    return Outcome(group, name, FAILED if fault else PASSED, fault)


def difference(found: Any, expected: Any) -> str:
    """Describe how far two arrays are apart. The text is empty if they agree."""
    if found.shape != expected.shape:
        return f"the shape is {found.shape}, not {expected.shape}"
    if found.dtype.kind not in "fc" or expected.dtype.kind not in "fc":
        wrong = int(np.count_nonzero(found != expected))
    else:
        scale = float(np.max(np.abs(expected), initial=1))
        tolerance = {2: 4e-3, 4: 2e-6}.get(found.real.dtype.itemsize, 1e-14) * scale
        wrong = int(np.count_nonzero(~(np.abs(found - expected) <= tolerance)))
    return f"{wrong} of {expected.size} elements are wrong" if wrong else ""
