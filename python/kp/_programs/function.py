# SPDX-License-Identifier: Apache-2.0
"""Functions of arrays that are traced once and replayed."""

from __future__ import annotations

import functools
import gc
import inspect
import operator
import os
import threading
import time
import traceback
from collections.abc import Callable, Hashable
from pathlib import Path
from types import FunctionType
from typing import Any, Generic, ParamSpec, TypeVar

import numpy as np

from .. import _kp
from .._errors import InvalidArgument
from ..arrays.array import Array
from ..arrays.creation import asarray
from .program import Program, add_array, named_parts

P = ParamSpec("P")
R = TypeVar("R")

_PACKAGE = str(Path(__file__).parent.parent)
_ARRAY = object()
_NO_TRACE = -1

# Milliseconds that a call waits for the one that makes its trace.
_WAITS = 10_000

# Combinations of constant arguments whose traces are kept.
_MOST = 64

# Numbers and texts that a function refers to by name are part of its traces.
_CONSTANTS = (bool, int, float, complex, str, bytes, type(None), Array)


def _flat(value: Any, arrays: list[Array]) -> Hashable:
    """Return what a value is but for its arrays, which are appended to a list.

    Two values with arrays of equal kinds are alike if the results are equal.
    """
    if isinstance(value, Array):
        arrays.append(value)
        return _ARRAY
    kind = type(value)
    if kind in (tuple, list):
        return (kind, tuple(_flat(item, arrays) for item in value))
    if kind is dict:
        return (kind, tuple((key, _flat(item, arrays)) for key, item in value.items()))
    # -0.0 equals 0.0, and NaN does not equal itself.
    if isinstance(value, float | complex):
        return (kind, None, repr(value))
    try:
        hash(value)
    except TypeError:
        raise TypeError(
            f"a captured function takes arrays, and values that can be hashed, for which it is traced once; "
            f"{kind.__name__} is neither. Pass NumPy arrays as kp.asarray(x)"
        ) from None
    return (kind, value)


class _Shape:
    """How a value is made of arrays and of other values, which stay as they are."""

    def __init__(self, value: Any, arrays: list[Array], given: list[Array] | None = None) -> None:
        given = given or []
        self._kind = type(value)
        self._parts: list[Any] = []
        self._value = None
        self._place: tuple[bool, int] | None = None
        if isinstance(value, Array):
            for number, argument in enumerate(given):
                if value is argument:
                    self._place = (True, number)
                    return
            self._place = (False, len(arrays))
            arrays.append(value)
        elif self._kind in (tuple, list):
            self._parts = [_Shape(item, arrays, given) for item in value]
        elif self._kind is dict:
            self._parts = [(key, _Shape(item, arrays, given)) for key, item in value.items()]
        else:
            self._value = value

    def fill(self, arrays: list[Array], given: list[Array] | tuple[Array, ...] = ()) -> Any:
        """Return the value with other arrays."""
        if self._place is not None:
            is_given, number = self._place
            return given[number] if is_given else arrays[number]
        if self._kind is dict:
            return {key: part.fill(arrays, given) for key, part in self._parts}
        if self._kind in (tuple, list):
            return self._kind(part.fill(arrays, given) for part in self._parts)
        return self._value

    def quick(self) -> Callable[[list[Array]], Any] | None:
        """Return a fast function from arrays to the value, for an array or a tuple of arrays."""
        places = [part._place if isinstance(part, _Shape) else None for part in self._parts]
        if self._place is not None and not self._place[0]:
            return operator.itemgetter(0)
        if self._kind is tuple and places == [(False, number) for number in range(len(places))]:
            return tuple
        return None


class _Captured:
    """The traces of a function for arguments that differ in arrays alone."""

    def __init__(self, function: Callable[..., Any], arguments: _Shape) -> None:
        self._function = function
        self._arguments = arguments
        self._made = threading.local()
        self._shapes: dict[int, _Shape] = {}
        self.quick: dict[int, Callable[[list[Array]], Any]] = {}
        self.call = _kp._CapturedFunction(self._run)

    def _run(self, given: list[Array]) -> list[Array]:
        arrays: list[Array] = []
        args, kwargs = self._arguments.fill(given)
        try:
            self._made.shape = _Shape(self._function(*args, **kwargs), arrays, given)
        except InvalidArgument as error:
            raise _located(error) from error
        del args, kwargs
        gc.collect()  # cycles with arrays, which would seem to outlive the function
        return arrays

    def results(self, found: list[Array], trace: int, given: Any) -> Any:
        made: _Shape | None = getattr(self._made, "shape", None)
        self.forget()
        if trace == _NO_TRACE:
            assert made is not None
            return made.fill(found, given)
        if made is not None:  # this call made the trace
            quick = made.quick()
            if quick is not None:
                self.quick[trace] = quick
            self._shapes[trace] = made
        return self._shape_of(trace).fill(found, given)

    def forget(self) -> None:
        """Forget what a call of this thread has traced, because it failed."""
        self._made.shape = None

    def _shape_of(self, trace: int) -> _Shape:
        # The thread that made the trace may not have come to note its shape.
        for _ in range(_WAITS):
            shape = self._shapes.get(trace)
            if shape is not None:
                return shape
            time.sleep(0.001)
        raise InvalidArgument(
            "the call that traced the function failed in another thread; call it again"
        )


class _Traced:
    """A function of arrays by their names, which is traced for a program."""

    def __init__(self, function: Callable[..., Any], arguments: _Shape, names: list[str]) -> None:
        self._function = function
        self._arguments = arguments
        self._names = names
        #: The names of results that are arguments, and of these. A dict's names are the caller's.
        self.returned: dict[str, str] = {}
        #: Results that the program does not give.
        self.left_out: set[str] = set()

    def __call__(self, given: dict[str, Array]) -> dict[str, Array]:
        args, kwargs = self._arguments.fill([given[name] for name in self._names])
        results = self._named(self._function(*args, **kwargs), given)
        del args, kwargs
        gc.collect()  # cycles with arrays, which would seem to outlive the function
        return results

    def _named(self, value: Any, given: dict[str, Array]) -> dict[str, Array]:
        """Return the arrays that the function returned by their names."""
        results: dict[str, Array] = {}
        is_dict = isinstance(value, dict)
        for name, part in () if value is None else named_parts(value, "" if is_dict else "result"):
            if not isinstance(part, Array):
                where = "" if name == "result" else f" as {name!r}"
                raise TypeError(
                    f"a program's function returns arrays, not {type(part).__name__}{where}"
                )
            if name not in self.left_out:
                add_array(name, part, results)
            if not is_dict:
                self.returned.update((name, own) for own in given if given[own] is part)
        return results


def _with_arrays(value: Any) -> Any:
    """Return a value with arrays in place of NumPy's, in tuples, lists and dicts."""
    if isinstance(value, np.ndarray):
        return asarray(value)
    if type(value) in (tuple, list):
        return type(value)(_with_arrays(item) for item in value)
    if type(value) is dict:
        return {key: _with_arrays(item) for key, item in value.items()}
    return value


def _located(error: InvalidArgument) -> InvalidArgument:
    """Return an error that names the line of the program from which it came."""
    if "cannot be captured" not in str(error) or " (line " in str(error):
        return error
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if not frame.filename.startswith(_PACKAGE):
            return InvalidArgument(
                f"{error} (line {frame.lineno} of {frame.filename}, in {frame.name})"
            )
    return error


class Function(Generic[P, R]):
    """A function of arrays that is traced once for arguments that are alike, and then replayed."""

    def __init__(self, function: Callable[P, R]) -> None:
        if not callable(function):
            raise TypeError(f"kp.function takes a function, not {type(function).__name__}")
        functools.update_wrapper(self, function)
        self._function = function
        self._captured: dict[Hashable, _Captured] = {}
        self._plain: dict[int, _Captured] = {}
        self._constants: list[tuple[Callable[[], Any], Any]] = []

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        for current, value in self._constants:
            if current() is not value:
                self.clear()
                break
        if not kwargs:
            known = self._plain.get(len(args))
            if known is not None:
                try:
                    found = known.call(args)
                except BaseException:
                    known.forget()
                    raise
                if found is not None:
                    results, trace = found
                    quick = known.quick.get(trace)
                    made: R = quick(results) if quick else known.results(results, trace, args)
                    return made
        return self._call(args, kwargs)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> R:
        arrays: list[Array] = []
        key = _flat((args, kwargs), arrays)
        known = self._captured.get(key)
        if known is None:
            if len(self._captured) == _MOST:
                self.clear()
            self._constants = _constants_of(self._function)
            known = self._captured[key] = _Captured(self._function, _Shape((args, kwargs), []))
            if not kwargs and args and all(isinstance(each, Array) for each in args):
                self._plain[len(args)] = known
        given = tuple(arrays)
        try:
            results, trace = known.call(given)
        except BaseException:
            known.forget()
            raise
        made: R = known.results(results, trace, given)
        return made

    def program(self, *args: P.args, **kwargs: P.kwargs) -> Program:
        """Return a kp.Program of the function for arguments like these, which stay as they are.

        Its inputs have the names of the parameters, and its output is called "result". Arrays in a
        tuple, list or dict are called by their place: "state_0", "result_1", or "u" in a dict that
        the function returns. NumPy arrays are inputs, too. Other arguments and arrays become
        constants of the program.
        """
        args, kwargs = _with_arrays((args, kwargs))
        arrays: dict[str, Array] = {}
        for argument, value in self._named(args, kwargs):
            for name, part in named_parts(value, argument):
                if isinstance(part, Array):
                    add_array(name, part, arrays)
        if not arrays:
            raise TypeError("a program is made of a function of at least one array")
        traced = _Traced(self._function, _Shape((args, kwargs), []), list(arrays))
        manager = next(iter(arrays.values())).device
        try:
            program = Program._made(_kp._Program.captured(manager, traced, arrays))
            # Arguments that are changed in place are outputs already.
            changed = {each.name for each in program.tensors() if each.input and each.output}
            twice = {result for result, name in traced.returned.items() if name in changed}
            if twice:
                traced.left_out = twice
                program = Program._made(_kp._Program.captured(manager, traced, arrays))
        except InvalidArgument as error:
            raise _located(error) from error
        return program

    def save(self, path: str | os.PathLike[str], *args: P.args, **kwargs: P.kwargs) -> None:
        """Save program(*args, **kwargs) to a file."""
        self.program(*args, **kwargs).save(path)

    def _named(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[tuple[str, Any]]:
        """Return the arguments with the names of their parameters."""
        kinds = inspect.Parameter
        names = [
            name
            for name, parameter in inspect.signature(self._function).parameters.items()
            if parameter.kind in (kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD)
        ]
        more = [f"argument_{number}" for number in range(len(names), len(args))]
        return [*zip([*names, *more], args, strict=False), *kwargs.items()]

    def clear(self) -> None:
        """Forget all traces, and free their memory."""
        self._captured.clear()
        self._plain.clear()


def _constants_of(function: Callable[..., Any]) -> list[tuple[Callable[[], Any], Any]]:
    """Return how to look up the constants that a function refers to by name, and their values."""
    if not isinstance(function, FunctionType):
        return []
    found: list[tuple[Callable[[], Any], Any]] = []
    for cell in function.__closure__ or ():
        try:
            value = cell.cell_contents
        except ValueError:  # not set yet
            continue
        if isinstance(value, _CONSTANTS):
            found.append((functools.partial(getattr, cell, "cell_contents", None), value))
    names = function.__globals__
    for name in function.__code__.co_names:
        if isinstance(names.get(name), _CONSTANTS) and name in names:
            found.append((functools.partial(names.get, name), names[name]))
    return found


def function(function: Callable[P, R]) -> Function[P, R]:
    """Trace a function of arrays once, and replay it: a decorator.

    The first call with arguments of certain types, shapes and other values runs the function, and
    records its launches. Later calls submit the recording with the memory of their arguments, and
    return new arrays. Arguments and results may be in tuples, lists and dicts.

    While it is traced, the function sees no numbers: float(x), bool(x), and shapes that depend on data
    raise InvalidArgument. So do random numbers, of which each call has its own. A loop that depends on
    data is a kp.while_loop.
    """
    return Function(function)
