# SPDX-License-Identifier: Apache-2.0
"""The libraries that are compared: how each takes arrays, waits, and gives them back."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any

import numpy as np

import kp

from .cases import Case
from .inputs import Kept, axis_of, key_of, made, side_of

#: A call of a library with its inputs.
Run = Callable[[], Any]

_host = Kept()


def host_input(name: str, case: Case, n: int) -> np.ndarray:
    """Return an input as an array of the host, which must not be changed."""
    found: np.ndarray = _host.get(key_of(name, case, n), lambda: made(name, case, n))
    return found


class Library:
    """NumPy, and the base of the others."""

    title = "NumPy"

    def __init__(self, namespace: Any) -> None:
        self.namespace = namespace
        self._inputs = Kept()
        self._generator: Any = None

    def array(self, values: np.ndarray) -> Any:
        return values

    def copy(self, array: Any) -> Any:
        return array.copy()

    def start(self, result: Any) -> None:
        """Have the arrays of a result computed. Returns at once."""

    def wait(self) -> None:
        """Wait for all work."""

    def values(self, array: Any) -> np.ndarray:
        return np.asarray(array)

    def is_array(self, value: Any) -> bool:
        return isinstance(value, np.ndarray)

    def input(self, name: str, case: Case, n: int, fresh: bool = False) -> Any:
        """Return the value of a name in a text. A fresh array may be changed."""
        if name in ("n", "side", "axis"):
            return {"n": n, "side": side_of(n), "axis": axis_of(case.form)}[name]
        if name == "rng":
            if self._generator is None:
                self._generator = self.namespace.random.default_rng(1)
            return self._generator
        if name == "manager":
            return kp.default_manager()
        if name == "given":
            return host_input(name, case, n)
        values = self._inputs.get(
            key_of(name, case, n), lambda: self.array(host_input(name, case, n))
        )
        return self.copy(values) if fresh else values

    def forget(self) -> None:
        """Free the inputs that are kept."""
        self._inputs.clear()
        _host.clear()


def _are_numbers(values: Any) -> bool:
    return len(values) > 0 and isinstance(values[0], (int, float))


class Kompute(Library):
    """Arrays of kp. Expressions are computed before the time ends."""

    title = "kp"

    def __init__(self) -> None:
        super().__init__(kp)
        # Cheaper than reading a result, and it waits for work whose result was dropped, too.
        self.wait = kp.default_manager().default_queue.finish

    def array(self, values: np.ndarray) -> Any:
        return kp.array(values).evaluate()

    def copy(self, array: Any) -> Any:
        return array.copy().evaluate()

    def start(self, result: Any) -> None:
        if type(result) is kp.Array:
            result.evaluate()
        elif isinstance(result, (tuple, list)) and not _are_numbers(result):
            for each in result:
                self.start(each)

    def values(self, array: Any) -> np.ndarray:
        return np.asarray(kp.asarray(array).numpy())

    def is_array(self, value: Any) -> bool:
        return isinstance(value, (kp.Array, kp.Tensor))


class CuPy(Library):
    """Arrays of CuPy on its current device."""

    title = "CuPy"

    def __init__(self, cupy: Any) -> None:
        super().__init__(cupy)
        self.wait = cupy.cuda.Stream.null.synchronize

    def array(self, values: np.ndarray) -> Any:
        return self.namespace.asarray(values)

    def values(self, array: Any) -> np.ndarray:
        found: np.ndarray = self.namespace.asnumpy(array)
        return found

    def is_array(self, value: Any) -> bool:
        return isinstance(value, self.namespace.ndarray)

    def forget(self) -> None:
        super().forget()
        self.namespace.get_default_memory_pool().free_all_blocks()


def other_library(name: str) -> Library:
    """Return the library beside kp: CuPy if it is installed and has a device, else NumPy."""
    if name != "numpy" and importlib.util.find_spec("cupy") is not None:
        import cupy

        try:
            cupy.zeros(1)
        except Exception:  # any exception: it cannot be measured
            if name == "cupy":
                raise
        else:
            return CuPy(cupy)
    if name == "cupy":
        raise SystemExit("CuPy is not installed")
    return Library(np)


def flattened(library: Library, result: Any) -> list[np.ndarray]:
    """Return the arrays and numbers of a result on the host, in order."""
    if library.is_array(result):
        return [library.values(result)]
    if isinstance(result, (tuple, list)):
        return [each for part in result for each in flattened(library, part)]
    if isinstance(result, bytes):
        return [np.frombuffer(result, np.uint8)]
    return [] if result is None else [np.asarray(result)]
