# SPDX-License-Identifier: Apache-2.0
"""Functions of arrays, called with tensors: a tensor gives a tensor, at once.

Functions that are marked by in_kind() are called with an array that shares the memory of a tensor.
Their results become tensors, and the device has computed them when a call returns. Other functions of
arrays take tensors as operands, and return arrays.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from .. import _kp
from .._kp import MemoryTypes, Tensor
from .._wording import kind_of
from .array import Array, share
from .groups.array import GroupArray
from .operands import results
from .types import NUMBERS

F = TypeVar("F", bound=Callable[..., Any])

_OPERANDS = (Array, GroupArray, Tensor, list, tuple, np.ndarray, np.generic, complex, int, float)

#: Returns whether the arguments of a call are tensors, so that its results are.
Decides = Callable[[tuple[Any, ...]], bool]


def _at(place: int) -> Decides:
    def decides(args: tuple[Any, ...]) -> bool:
        return len(args) > place and isinstance(args[place], Tensor)

    return decides


class OfTensors:
    """How a function of arrays is called with tensors. Takes the arguments of a call."""

    def __init__(
        self,
        function: Callable[..., Any],
        place: int,
        decides: Decides,
        arrays_only: tuple[str, ...],
        check: Callable[..., None] | None,
        moves: Callable[..., Any] | bool,
        strict: bool,
    ) -> None:
        self.function = function
        self.strict = strict
        self.place = place
        self.decides = decides
        self.check = check
        self.moves = moves
        parameters = list(inspect.signature(function).parameters.values())
        names = [each.name for each in parameters]
        self.out = names.index("out") if "out" in names else None
        self.arrays_only = {
            name: (names.index(name), parameters[names.index(name)].default) for name in arrays_only
        }
        self.most = min([place for place, _ in self.arrays_only.values()], default=len(names))

    def __call__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if len(args) > self.most or not self.arrays_only.keys().isdisjoint(kwargs):
            self._refuse(args, kwargs)
        if self.check is not None:
            self.check(*args, **kwargs)
        out = kwargs.get("out")
        if self.out is not None and len(args) > self.out:
            out = args[self.out]
        if out is not None and not isinstance(out, Tensor):
            raise TypeError(f"out must be a kp.Tensor, not {kind_of(out)}")
        x = args[self.place]
        first = x if isinstance(x, Tensor) else x[0]
        if self.moves and first.dtype not in NUMBERS:
            if callable(self.moves):
                return self.moves(*args, **kwargs)
            return self._moved(args, kwargs, first, out)
        manager = first.manager
        outer = results.tensors, results.given
        made: list[tuple[Array, Tensor]] = []
        given: list[tuple[Array, Tensor]] = []
        args = tuple([_shared(each, given) for each in args])
        if kwargs:
            kwargs = {name: _shared(each, given) for name, each in kwargs.items()}
        results.tensors, results.given = made, given
        try:
            found = self.function(*args, **kwargs)
        finally:
            results.tensors, results.given = outer
        result = _as_tensors(found, made) if out is None else out
        manager.default_queue.finish()
        return result

    def _moved(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], first: Tensor, out: Tensor | None
    ) -> Any:
        """Call for elements that arrays cannot hold, such as structs, by their indices, which give
        the order."""
        from .creation import arange
        from .shapes.joining import concatenate
        from .selection.searching import take

        if self.place and isinstance(args[0], str):
            raise TypeError(f"a GLSL expression over x takes numbers, but x is of {first.dtype}")
        x = args[self.place]
        manager, parts = first.manager, [x] if x is first else list(x)
        numbers, rows, start = [], [], 0
        for each in parts:
            end = start + each.size()
            numbers.append(arange(start, end, device=manager).reshape(each.shape))
            rows.append(words(each))
            start = end
        moved = numbers[0] if x is first else numbers
        given = (*args[: self.place], moved, *args[self.place + 1 :])
        named = {name: each for name, each in kwargs.items() if name != "out"}
        found = self.function(*[_shared(each, []) for each in given[: self.out]], **named)
        order, *others = found if isinstance(found, tuple) else (found,)
        if out is None:
            shape = order._shape
            out = manager.tensor(shape=shape, dtype=first.dtype, memory_type=MemoryTypes.device)
        elif out.shape != order._shape or out.dtype != first.dtype:
            raise ValueError(
                f"the function has a result of shape {order._shape} of {first.dtype}, but out has "
                f"{out.shape} of {out.dtype}"
            )
        if order.size:
            words(out)[...] = take(concatenate(rows), order.reshape(-1), axis=0)
        manager.default_queue.finish()
        return (out, *others) if others else out

    def _refuse(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Raise TypeError if an argument is given that tensors do not have."""
        for name, (place, default) in self.arrays_only.items():
            value = args[place] if len(args) > place else kwargs.get(name, default)
            if value is not default and (default is None or value != default):
                raise TypeError(f"{name}: only for arrays; kp.asarray(tensor) is one")

    def require(self, args: tuple[Any, ...]) -> None:
        """Raise TypeError if the argument that may be a tensor has no elements."""
        if len(args) > self.place and not isinstance(args[self.place], _OPERANDS):
            name, given = self.function.__name__, kind_of(args[self.place])
            raise TypeError(f"kp.{name} takes a kp.Array, a list or a kp.Tensor, not {given}")


def _shared(value: Any, given: list[tuple[Array, Tensor]]) -> Any:
    """Return a tensor as an array in its memory, and lists with those. Notes them in `given`."""
    if isinstance(value, Tensor):
        array = share(value)
        given.append((array, value))
        return array
    if isinstance(value, (list, tuple)) and value and isinstance(value[0], Tensor):
        return [_shared(each, given) for each in value]
    return value


def _as_tensors(result: Any, made: list[tuple[Array, Tensor]]) -> Any:
    """Return results as the tensors created for them, or as copies."""
    if isinstance(result, tuple):
        return tuple([_as_tensors(each, made) for each in result])
    if type(result) is not Array:
        return result
    for array, tensor in made:
        if array is result:
            return tensor
    shape, manager = result._shape, result._manager
    tensor = manager.tensor(shape=shape, dtype=result._dtype, memory_type=MemoryTypes.device)
    if 0 not in shape:
        _kp._put(share(tensor), result, (), ())
    return tensor


def words(tensor: Tensor) -> Array:
    """Return the memory of a tensor as an array with a row of integers for each element."""
    size = tensor.dtype.itemsize
    word = next(each for each in (4, 2, 1) if size % each == 0)
    shape = (tensor.size(), size // word)
    return Array._in(tensor, np.dtype(f"u{word}"), True, shape)


def in_kind(
    place: int = 0,
    *,
    moves: Callable[..., Any] | bool = False,
    arrays_only: tuple[str, ...] = (),
    check: Callable[..., None] | None = None,
    decides: Decides | None = None,
    strict: bool = True,
) -> Callable[[F], F]:
    """Mark a function of arrays as one that gives tensors for tensors, in its public form.

    - `place`: of the argument that is the tensor, or the list of tensors.
    - `moves`: whether it moves elements without looking at them, so that they may be of any dtype;
      or the function for dtypes that arrays cannot hold.
    - `arrays_only`: parameters that tensors do not have.
    - `check`: raises for arguments that tensors do not take.
    - `decides`: whether arguments are tensors, if others than the one at `place` matter.
    - `strict`: whether to refuse anything but arrays, tensors, lists and numbers.
    """

    def marked(function: F) -> F:
        made: Any = function
        made.__kp_tensors__ = OfTensors(
            function, place, decides or _at(place), arrays_only, check, moves, strict
        )
        return function

    return marked


def of_one_dtype(name: str, values: Any, like: Array) -> Array:
    """Return values as an array of the dtype of the elements, which holds them all."""
    if isinstance(values, Array):
        if values._dtype != like._dtype:
            raise TypeError(
                f"kp.{name} takes tensors of one dtype, but there are '{like._dtype}' and "
                f"'{values._dtype}'"
            )
        return values
    given = np.asarray(values).dtype
    if like._dtype.kind == "b" != given.kind:
        raise TypeError(
            f"kp.{name} compares elements of '{like._dtype}' with numbers of '{given}'; convert "
            "the elements first, with kp.asarray(tensor).astype"
        )
    try:
        return share(like._manager.tensor_t(values, dtype=like._dtype))
    except TypeError as error:
        raise TypeError(f"kp.{name} takes numbers of the elements' dtype, but {error}") from None
