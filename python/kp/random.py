# SPDX-License-Identifier: Apache-2.0
"""Random numbers of the generator Philox 4x32-10, as tensors or arrays.

The functions take a manager and return tensors; default_rng() is a generator of arrays.

Element i is number ``counter + i`` of the sequence of `seed` and `stream`. It is the same on every
device, and no matter how a sequence is cut into tensors: add a tensor's size to `counter` for the
numbers after it. NumPy's Philox is another variant (4x64), with other numbers.
"""

from __future__ import annotations

import inspect
import math
import secrets
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import DTypeLike

from ._axes import normalized, whole
from . import _default
from ._floats import default_float
from ._kp import Manager, _random_numbers, _random_order
from ._random.distributions import Distributions
from ._random.parameters import Size, real, refuse_negative, size_of
from ._random.tensors import (
    bits,
    exponential,
    integers,
    key,
    normal,
    permutation,
    shuffle,
    uniform,
)
from ._wording import (
    counted,
    explains_keywords,
    explains_methods,
    kind_of,
    no_function,
    suggestion,
)
from .arrays.array import Array
from .arrays.creation import asarray, extents
from .arrays.elementwise import apply, as_array, broadcast, into, where
from .arrays.shapes.manipulation import given, ravel, reshape
from .arrays.selection.searching import argsort, searchsorted, take, take_along_axis
from .arrays.types import number

__all__ = [
    "Generator",
    "bits",
    "default_rng",
    "exponential",
    "integers",
    "normal",
    "permutation",
    "shuffle",
    "uniform",
]


def _limits(kind: np.dtype[Any]) -> tuple[int, int]:
    """Return the smallest and the largest integer of a dtype. Raises TypeError for floats."""
    if kind.kind not in "biu":
        raise TypeError(f"dtype must be an integer type, not {kind}")
    return (0, 1) if kind.kind == "b" else (int(np.iinfo(kind).min), int(np.iinfo(kind).max))


def _whole_numbers(name: str, value: Any) -> Any:
    """Return a bound of integers on the host. Raises TypeError for floats."""
    array = np.asarray(value.numpy() if isinstance(value, Array) else value)
    if array.size and array.dtype.kind not in "biu":
        raise TypeError(f"{name} has whole numbers, not {array.dtype}")
    return array if array.dtype.kind in "iu" else array.astype(np.int64)


@explains_methods
class Generator(Distributions):
    """Random numbers as arrays, with the methods of numpy.random.Generator.

    Each call takes the next numbers of the sequence of `seed` and `stream`. Equal calls in equal
    order give equal arrays on every device. Parameters of distributions are numbers or arrays, which
    broadcast. Created by default_rng().
    """

    def __init__(self, seed: int, stream: int, manager: Manager) -> None:
        self._seed = seed
        self._stream = stream
        self._manager = manager
        self._counter = 0

    def __repr__(self) -> str:
        return f"<kp.random.Generator seed={self._seed} stream={self._stream}>"

    def __copy__(self) -> Generator:
        return _restored(self._seed, self._stream, self._counter, self._manager)

    def __deepcopy__(self, memo: Any) -> Generator:
        return self.__copy__()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the position in the sequence. It is unpickled to the device of
        kp.default_manager()."""
        return _restored, (self._seed, self._stream, self._counter)

    def __getattr__(self, name: str) -> Any:
        message = f"kp.random.Generator has no '{name}'"
        distribution = inspect.isroutine(getattr(np.random.Generator, name, None))
        if distribution and not name.startswith("_") and name != "spawn":
            message += f"; use numpy.random.default_rng(seed).{name}, and kp.array() of the result"
        else:
            message += suggestion(name, [each for each in dir(self) if not each.startswith("_")])
        raise AttributeError(message, name=name, obj=self)

    def _next(self, size: Size, dtype: DTypeLike | None, distribution: Any) -> Array:
        shape = () if size is None else extents(size)
        if dtype is None:
            dtype = default_float(self._manager)
        place = (self._seed, self._counter, self._stream)
        made: Array = _random_numbers(self._manager, shape, dtype, distribution, *place)
        self._counter += math.prod(shape)
        return made

    def _real(
        self, name: str, size: Size, dtype: DTypeLike | None, standard: Any, shift: Any, scale: Any
    ) -> Array:
        """Return ``shift + scale * x``, where x has the standard distribution and one of the two is an array."""
        dtype = number(default_float(self._manager) if dtype is None else dtype).dtype
        if dtype.kind != "f":
            raise TypeError(f"{name} numbers are floats, not {dtype}")
        made = self._next(size_of(size, shift, scale), dtype, standard)
        kind = made._dtype
        for step, value in (("multiply", scale), ("add", shift)):
            if not isinstance(value, float):
                value = as_array(value, self._manager).astype(kind, copy=False)
            made = apply(step, made, value)
        return made

    def random(self, size: Size = None, dtype: DTypeLike | None = None) -> Array:
        """Return numbers uniformly distributed in [0, 1)."""
        return self._next(size, dtype, ("uniform", 0, 1))

    def uniform(
        self,
        low: Any = 0.0,
        high: Any = 1.0,
        size: Size = None,
        dtype: DTypeLike | None = None,
    ) -> Array:
        """Return numbers uniformly distributed in [low, high)."""
        low, high = real("low", low), real("high", high)
        kind = number(dtype).dtype
        computed = np.promote_types(kind, np.float32) if kind.kind == "f" else np.float64
        if isinstance(low, float) and isinstance(high, float):
            if np.isfinite([low, high]).all() and high - low > float(np.finfo(computed).max):
                # Their distance is infinite; the distance of their halves is not.
                halves: Array = self._next(size, dtype, ("uniform", low / 2, high / 2))
                return apply("multiply", halves, 2)
            return self._next(size, dtype, ("uniform", low, high))
        span = apply("subtract", *(as_array(each, self._manager) for each in (high, low)))
        refuse_negative(span, "high is below low")
        if not bool(apply("isfinite", span.astype(computed)).all()):
            raise OverflowError(
                f"some distances of low and high are not finite numbers of {kind}; give limits that "
                "are nearer to each other, or a wider dtype"
            )
        return self._real("uniform", size, dtype, ("uniform", 0, 1), low, span)

    def normal(
        self,
        loc: Any = 0.0,
        scale: Any = 1.0,
        size: Size = None,
        dtype: DTypeLike | None = None,
    ) -> Array:
        """Return normally distributed numbers of mean `loc` and standard deviation `scale`."""
        loc, scale = real("loc", loc), real("scale", scale)
        if isinstance(loc, float) and isinstance(scale, float):
            return self._next(size, dtype, ("normal", loc, scale))
        refuse_negative(scale, "scale is negative")
        return self._real("normal", size, dtype, ("normal", 0, 1), loc, scale)

    def standard_normal(self, size: Size = None, dtype: DTypeLike | None = None) -> Array:
        """Return normally distributed numbers of mean 0 and standard deviation 1."""
        return self._next(size, dtype, ("normal", 0, 1))

    def exponential(
        self, scale: Any = 1.0, size: Size = None, dtype: DTypeLike | None = None
    ) -> Array:
        """Return exponentially distributed numbers of mean `scale`."""
        scale = real("scale", scale)
        if isinstance(scale, float):
            return self._next(size, dtype, ("exponential", scale))
        refuse_negative(scale, "scale is negative")
        return self._real("exponential", size, dtype, ("exponential", 1), 0.0, scale)

    def standard_exponential(self, size: Size = None, dtype: DTypeLike | None = None) -> Array:
        """Return exponentially distributed numbers of mean 1."""
        return self._next(size, dtype, ("exponential", 1))

    def integers(
        self,
        low: Any,
        high: Any = None,
        size: Size = None,
        dtype: DTypeLike = np.int64,
        endpoint: bool = False,
    ) -> Array:
        """Return integers from `low` to `high`, which is excluded unless `endpoint` is true.

        With one bound, they are from 0 on. The bounds are numbers, or arrays, which broadcast and are
        checked on the host. With arrays, the integers are the remainders of 64 random bits, so of a
        range of n some are likelier than others by up to n / 2^64 of their probability.
        """
        if high is None:
            low, high = 0, low
        if np.ndim(low) or np.ndim(high):
            return self._integers_between(low, high, size, dtype, endpoint)
        first, last = whole("low", low), whole("high", high) - (0 if endpoint else 1)
        kind = number(dtype).dtype
        limits = _limits(kind)
        if last < first:
            end = "" if endpoint else ", which is left out"
            raise ValueError(f"there are no integers from low={low} to high={high}{end}")
        if first < limits[0] or last > limits[1]:
            raise ValueError(f"integers from {first} to {last} do not all fit {kind}")
        return self._next(size, dtype, ("integers", first, last))

    def _integers_between(
        self, low: Any, high: Any, size: Size, dtype: DTypeLike, endpoint: bool
    ) -> Array:
        """Return integers between bounds of which one or both are arrays."""
        kind = number(dtype).dtype
        limits = _limits(kind)
        lows, highs = _whole_numbers("low", low), _whole_numbers("high", high)
        shape = size_of(size, lows, highs)
        if (highs < lows if endpoint else highs <= lows).any():
            end = "" if endpoint else ", which is left out"
            raise ValueError(f"there are no integers from low to high{end} in some elements")
        if lows.size and highs.size:
            lowest, highest = int(lows.min()), int(highs.max()) - (not endpoint)
            if lowest < limits[0] or highest > limits[1]:
                raise ValueError(f"integers from {lowest} to {highest} do not all fit {kind}")
        first = lows.astype(np.uint64)
        with np.errstate(over="ignore"):  # all of 64 bits are 0
            count = highs.astype(np.uint64) - first + np.uint64(endpoint)
        made = self._next(shape, np.uint64, "bits")
        if (count == 0).any():
            everything = where(count == 0, made, 0)
            made = apply("add", apply("remainder", made, count), everything)  # x % 0 is 0
        else:
            made = apply("remainder", made, count)
        return apply("add", made, first).astype(kind)

    def permutation(self, x: Any, axis: int = 0) -> Array:
        """Return the integers (int64) below x, or an array with its slices along an axis in random order."""
        if np.ndim(x) == 0:
            count = whole("x", x)
            if count < 0:
                raise ValueError(f"x is the number of integers, 0 or more, not {count}")
            return self._order(count)
        array = self._array(x)
        place = normalized(axis, array.ndim)
        return take(array, self._order(array.shape[place]), axis=place)

    def _order(self, count: int) -> Array:
        made: Array = _random_order(self._manager, count, self._seed, self._counter, self._stream)
        self._counter += 2 * count
        return made

    def _array(self, x: Any) -> Array:
        array: Array = asarray(x, device=None if isinstance(x, Array) else self._manager)
        return array

    def shuffle(self, x: Array, axis: int = 0) -> None:
        """Put the slices of an array along an axis in random order, in place."""
        if not isinstance(x, Array):
            raise TypeError(
                f"shuffle changes a kp.Array in place, not {kind_of(x)}; permutation() returns "
                "an array in random order"
            )
        if x.ndim == 0:
            raise TypeError("an array without axes has nothing to shuffle")
        x[...] = self.permutation(x, axis)

    def permuted(self, x: Any, *, axis: int | None = None, out: Array | None = None) -> Array:
        """Return a copy whose elements along an axis, or all, are in random order, each row in its own.

        Elements are sorted by random 32-bit keys.
        """
        array = self._array(x)
        rows = ravel(array) if axis is None else array
        if rows.size:
            keys = self._next(rows.shape, np.uint32, "bits")
            along = 0 if axis is None else normalized(axis, array.ndim)
            rows = take_along_axis(rows, argsort(keys, axis=along), along)
        found = reshape(rows, array.shape)
        return into(out, found)

    def choice(
        self,
        a: Any,
        size: Size = None,
        replace: bool = True,
        p: Any = None,
        axis: int = 0,
        shuffle: bool = True,
    ) -> Array:
        """Return a random sample of the integers (int64) below `a`, or of the slices of an array along an axis.

        - `replace`: whether the same one may be chosen again.
        - `p`: their probabilities, to 32 bits; by default all are equally likely. They add up to 1, which
          is checked on the host.
        - `shuffle`: changes nothing: samples are always in random order.
        """
        array = None if np.ndim(a) == 0 else self._array(a)
        place = 0 if array is None else normalized(axis, array.ndim)
        count = whole("a", a) if array is None else array.shape[place]
        shape = () if size is None else extents(size)
        wanted = math.prod(shape)
        if count < 0 or (count == 0 and wanted):
            raise ValueError(f"there is nothing to choose from: a has {counted(count, 'element')}")
        if not replace and wanted > count:
            raise ValueError(f"{wanted} of {count} cannot be chosen without replacement")
        chances = None if p is None else _chances(p, count)
        if chances is None:
            if replace:
                index = self.integers(0, count if count else 1, shape)
            else:
                index = reshape(self._order(count)[:wanted], shape)
        elif replace:
            index = self._with_replacement(chances, shape)
        else:
            if wanted > np.count_nonzero(chances):
                raise ValueError(
                    f"{wanted} are wanted, but only {np.count_nonzero(chances)} have a probability"
                )
            index = reshape(self._without_replacement(chances)[:wanted], shape)
        return index if array is None else take(array, index, axis=place)

    def _with_replacement(self, chances: Any, shape: tuple[int, ...]) -> Array:
        """Return indices by the place of random bits among the sums of the chances."""
        last = int(np.flatnonzero(chances)[-1])
        sums = np.cumsum(chances)[:last] / chances.sum()
        ends = np.minimum(np.floor(sums * 2.0**32), 2.0**32 - 1).astype(np.uint32)
        return searchsorted(
            as_array(ends, self._manager), self._next(shape, np.uint32, "bits"), side="right"
        )

    def _without_replacement(self, chances: Any) -> Array:
        """Return all indices as if drawn one after the other: the first of several waits ends first."""
        waits = self.standard_exponential(chances.size, np.float32)
        with np.errstate(divide="ignore"):
            rates = (1 / chances).astype(np.float32)
        return argsort(apply("multiply", waits, rates))


def _chances(p: Any, count: int) -> Any:
    """Return probabilities on the host. Raises ValueError if they are invalid."""
    chances = np.asarray(p.numpy() if isinstance(p, Array) else p, np.float64)
    if chances.shape != (count,):
        raise ValueError(f"p has the shape {chances.shape}, but there are {count} to choose from")
    if not (chances >= 0).all():
        raise ValueError(f"p has probabilities of at least 0, not {chances.min():g}")
    if not np.isclose(chances.sum(), 1, rtol=0, atol=1e-6):
        raise ValueError(
            f"p has probabilities that add up to 1, not to {chances.sum():g}; divide it by its sum"
        )
    return chances


def _restored(seed: int, stream: int, counter: int, manager: Manager | None = None) -> Generator:
    made = Generator(seed, stream, manager or _default.default_manager())
    made._counter = counter
    return made


@explains_keywords
def default_rng(
    seed: int | Sequence[int] | Generator | None = None,
    *,
    stream: int = 0,
    device: Manager | None = None,
) -> Generator:
    """Return a generator of arrays. Without a seed, each generator has different numbers.

    `seed` is an integer from 0 to 2^64 - 1, or several, which NumPy combines. A generator is
    returned as it is.
    """
    if isinstance(seed, Generator):
        return seed
    if seed is None:
        seed = secrets.randbits(63)
    elif isinstance(seed, (list, tuple, np.ndarray)) and np.ndim(seed):
        seed = int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0])
    manager = _default.default_manager() if device is None else device
    if not isinstance(manager, Manager):
        raise TypeError(f"device must be a kp.Manager or None, not {type(device).__name__}")
    return Generator(key("seed", seed), key("stream", stream), manager)


def __dir__() -> list[str]:
    return sorted(__all__)


if not TYPE_CHECKING:  # else every name would be known to type checkers

    def __getattr__(name):
        if name == "__path__":  # what an import asks for first; NumPy's module may not be loaded
            raise AttributeError(name)
        advice = "kp.random.default_rng(seed) has the methods of numpy.random.Generator"
        raise AttributeError(no_function("kp.random", name, np.random, __all__, advice), name=name)
