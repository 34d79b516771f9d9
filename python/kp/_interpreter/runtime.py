# SPDX-License-Identifier: Apache-2.0
"""The runtime of a kernel's rewritten functions."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._jit import intrinsics
from .._jit.calls import name_of
from .._jit.function import Function
from .._jit.source import Source
from .._jit.types import Array, ArrayType
from .._jit.unit import Unit
from .arithmetic import Arithmetic
from .elements import Elements
from .functions import Functions, item
from .rewriting import rewritten
from .vectors import Vector
from .work_items import ATOMICS, Request, WorkItem

#: Initial contents of shared arrays, which expose programs that read them.
_UNDEFINED = {"f": np.nan, "c": np.nan, "i": -85, "u": 85, "b": True}


@dataclass(frozen=True)
class Known:
    """A function that kernels know.

    - ``waits``: whether work items meet there. Then it makes a Request.
    - ``arguments``: of an atomic, with an array and an index.
    """

    run: Callable[..., Any]
    waits: bool = False
    is_atomic: bool = False
    arguments: int = 0


class Runtime:
    """One run of a kernel by Python.

    - `item`: the work item that runs.
    - `shared`: the shared arrays of its group.
    """

    def __init__(self, unit: Unit, item: WorkItem) -> None:
        self.unit = unit
        self.arithmetic = Arithmetic(unit)
        self.item_now = item
        self.shared: dict[str, Elements] = {}
        self._functions = Functions(self.arithmetic)
        self._made: dict[int, Callable[..., Any]] = {}
        self._waits: dict[int, bool] = {}
        self.binary = self.arithmetic.binary
        self.unary = self.arithmetic.unary
        self.compare = self.arithmetic.compare

    # --- for rewritten functions
    # --------------------------------------------------------------------

    def as_type(self, value: Any, own: Any) -> Any:
        """Return a value, or a tuple of them, in the types of variables."""
        if isinstance(own, tuple):
            return tuple(self.as_type(*each) for each in zip(value, own, strict=True))
        return value if own is None else self.arithmetic.convert(value, own)

    def item(self, base: Any, index: Any) -> Any:
        return item(self.arithmetic, base, index)

    @staticmethod
    def ref(base: Any, index: Any) -> Any:
        """Return an element for assigning its components."""
        return base.ref(index) if isinstance(base, Elements) else base[index]

    def update(self, base: Any, index: Any, symbol: str, value: Any) -> None:
        """Change an element by an operator."""
        base[index] = self.binary(symbol, self.item(base, index), value)

    def with_part(self, value: Any, name: str, part: Any) -> Any:
        """Return a complex number with another part."""
        real, imag = (part, value.imag) if name == "real" else (value.real, part)
        return np.complex64(complex(real, imag))

    def array(self, array: Array, values: Any) -> Elements:
        """Return a shared or a local array. `values` is None, or a local array's."""
        if array.storage == "shared" and array.name in self.shared:
            return self.shared[array.name]
        own = array.element
        shape = (*array.extents, *((own.rows,) if not own.is_scalar else ()))
        shape = (*shape, own.columns) if own.is_matrix else shape
        dtype = np.dtype(own.scalar)
        start = _UNDEFINED[dtype.kind] if array.storage == "shared" else 0
        made = Elements(self.arithmetic, array.name, own, np.full(shape, start, dtype))
        if array.storage == "shared":
            self.shared[array.name] = made
        for place, each in enumerate(values or ()):
            made[place] = each
        return made

    # --- for rewriting
    # ------------------------------------------------------------------------------

    def waits(self, function: Function | None) -> bool:
        """Return whether a function meets other work items."""
        if function is None:
            return False
        if id(function) not in self._waits:
            things = (self.known(each) for each in function.things.values())
            self._waits[id(function)] = any(each is not None and each.waits for each in things) or (
                any(self.waits(each) for each in function.calls.values())
            )
        return self._waits[id(function)]

    def known(self, thing: Any) -> Known | None:
        """Return the kernel function for a Python object; None if there is none."""
        name = name_of(thing)
        if getattr(intrinsics, name, None) is not None and name in intrinsics.__all__:
            return self._intrinsic(name)
        function = self._functions.named(thing)
        if function is None and inspect.isfunction(getattr(thing, "__kp_function__", thing)):
            source = Source(getattr(thing, "__kp_function__", thing))
            function = rewritten(self, source, None)
        return None if function is None else Known(function)

    def _intrinsic(self, name: str) -> Known | None:
        if name in ATOMICS:
            count = 4 if name == "atomic_compare_exchange" else 3
            return Known(
                lambda array, index, *values: self._atomic(name, array, index, values),
                is_atomic=True,
                arguments=count,
            )
        if name == "barrier" or (
            name.startswith("subgroup_") and name not in ("subgroup_size", "subgroup_lane")
        ):
            return Known(lambda key, *args: Request(name, key, self._operands(name, args)), True)
        if name == "memory_barrier":
            return Known(lambda: None)
        if name == "check":
            return Known(_check)
        return Known(lambda axis=0: self._of_item(name, axis))

    def _of_item(self, name: str, axis: int) -> Any:
        value = self.item_now.value(name, axis)
        return (
            value
            if name == "local_size"
            else self.arithmetic.convert(value, self.arithmetic.default_int)
        )

    def _operands(self, name: str, args: tuple[Any, ...]) -> tuple[Any, ...]:
        if not args:
            return ()
        if name in ("subgroup_all", "subgroup_any"):
            return (bool(args[0]),)
        own = self.arithmetic.strong_type_of(args[0])
        if own.kind == "bool":
            own = self.arithmetic.default_int
        return (self.arithmetic.convert(args[0], own), *(int(each) for each in args[1:]))

    def _atomic(self, name: str, array: Elements, index: Any, values: tuple[Any, ...]) -> Any:
        old = array[index]
        own = self.arithmetic.type_of(old)
        given = [self.arithmetic.convert(each, own) for each in values]
        array[index] = ATOMICS[name](old, *given)
        return old

    def helper(self, callee: Function) -> Callable[..., Any]:
        """Return a function of the program that converts its arguments and its result."""
        made = self._made.get(id(callee))
        if made is None:
            body = rewritten(self, callee.source, callee)
            made = self._made[id(callee)] = (
                self._waiting(callee, body) if self.waits(callee) else self._called(callee, body)
            )
        return made

    def arguments(self, callee: Function, args: Any, keywords: dict[str, Any]) -> dict[str, Any]:
        """Return the arguments of a call by name, in the types of the parameters."""
        bound = inspect.signature(callee.source.function).bind(*args, **keywords)
        bound.apply_defaults()
        given: dict[str, Any] = dict(bound.arguments)
        for name, value in given.items():
            own = callee.types.get(name) or callee.parameters[name].type
            if own is not None:
                given[name] = self.as_type(value, own)
        return given

    def _called(self, callee: Function, body: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any, **keywords: Any) -> Any:
            result = body(**self.arguments(callee, args, keywords))
            return self.as_type(result, callee.returned)

        return run

    def _waiting(self, callee: Function, body: Callable[..., Any]) -> Callable[..., Any]:
        def run(key: Any, *args: Any, **keywords: Any) -> Generator[Request, Any, Any]:
            inner = body(**self.arguments(callee, args, keywords))
            answer = None
            while True:
                try:
                    request = inner.send(answer)
                except StopIteration as ended:
                    return self.as_type(ended.value, callee.returned)
                answer = yield Request(request.name, (*key, *request.key), request.operands)

        return run

    def kernel(self) -> Callable[..., Any]:
        """Return the kernel, which is a generator function if it waits."""
        return rewritten(self, self.unit.kernel.source, self.unit.kernel)

    def parameters(self, values: dict[str, Any]) -> dict[str, Any]:
        """Return the kernel's arguments: elements of NumPy arrays, and numbers in their types."""
        given: dict[str, Any] = {}
        for name, spec in self.unit.specs.items():
            value = values[name]
            if isinstance(spec, ArrayType):
                given[name] = Elements(
                    self.arithmetic, name, spec.element, value, self.arithmetic.default_int
                )
                continue
            wide = spec.weak and self.unit.wide and spec.is_integer
            own = self.unit.kernel.types.get(name) or (
                self.arithmetic.default_int if wide else spec.strong
            )
            if isinstance(value, (tuple, np.ndarray)) and not isinstance(value, Vector):
                value = np.asarray(value).view(Vector)
            given[name] = bool(value) if own.kind == "bool" else self.as_type(value, own)
        return given


def _check(condition: Any, text: str = "", value: Any = 0) -> None:
    if not condition:
        raise AssertionError(f"{text} (value {value})" if text else f"value {value}")
