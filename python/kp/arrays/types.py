# SPDX-License-Identifier: Apache-2.0
"""The dtypes of arrays, and how GLSL stores, computes, converts and passes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._kp import DataTypes, _convert, _number_types
from .._messages.warning import warn


@dataclass(frozen=True)
class Number:
    """A dtype in GLSL. Templates contain {} for the value.

    - `stored`, `computed`: types in buffers and in registers.
    - `load`, `store`: conversions between the two.
    - `wrap`: brings a result back to the range or precision of the dtype; empty if it is there.
    - `words`, `constant`: number of uint words of a constant, and its value from {0}, {1}, ...
    """

    dtype: np.dtype[Any]
    stored: str
    computed: str
    load: str
    store: str
    wrap: str
    words: int
    constant: str
    extension: str

    @property
    def family(self) -> str:
        """Return b, i, u, f or c: bool, integers with and without a sign, real and complex."""
        return self.dtype.kind


#: All dtypes of arrays.
NUMBERS: dict[np.dtype[Any], Number] = {
    np.dtype(name): Number(np.dtype(name), *texts) for name, *texts in _number_types()
}


_OF_DATA_TYPES: dict[int, np.dtype[Any]] = {
    int(data_type): np.dtype(name)
    for data_type, name in (
        (DataTypes.bool, "bool"),
        (DataTypes.char, "int8"),
        (DataTypes.uchar, "uint8"),
        (DataTypes.short, "int16"),
        (DataTypes.ushort, "uint16"),
        (DataTypes.int, "int32"),
        (DataTypes.uint, "uint32"),
        (DataTypes.long, "int64"),
        (DataTypes.ulong, "uint64"),
        (DataTypes.half, "float16"),
        (DataTypes.float, "float32"),
        (DataTypes.double, "float64"),
    )
}


def compare_data_types() -> None:
    """Make a DataTypes equal to its dtype, true, and callable as NumPy's types are.

    kp.bool is Kompute's DataTypes.bool, the number 0, but the array API standard has a dtype of this name.
    """

    def equals(self: DataTypes, other: object) -> bool:
        if isinstance(other, np.dtype):
            return _OF_DATA_TYPES.get(int(self)) == other
        return int.__eq__(self, other)

    def differs(self: DataTypes, other: object) -> bool:
        result = equals(self, other)
        return result if result is NotImplemented else not result

    def call(self: DataTypes, *value: Any) -> Any:
        """Return a value as a NumPy scalar of this type, as NumPy's types do."""
        return number(self).dtype.type(*value)

    methods = {
        "__eq__": equals,
        "__ne__": differs,
        "__hash__": int.__hash__,
        "__bool__": lambda self: True,
        "__call__": call,
    }
    for name, method in methods.items():
        setattr(DataTypes, name, method)


def number(dtype: Any) -> Number:
    """Return a dtype's GLSL. Raises TypeError if arrays cannot hold it."""
    if isinstance(dtype, DataTypes) and int(dtype) in _OF_DATA_TYPES:
        dtype = _OF_DATA_TYPES[int(dtype)]
    wanted: np.dtype[Any] = np.dtype(dtype)
    found = NUMBERS.get(wanted)
    if found is None:
        native = NUMBERS.get(wanted.newbyteorder("="))
        if native is not None:
            return native
        raise TypeError(
            f"arrays hold bool, integers, floating-point and complex numbers up to 64 bits each, "
            f"not {wanted}"
        )
    return found


def require_cast(source: np.dtype[Any], target: Any, casting: str) -> None:
    """Raise TypeError if NumPy's rule of a name forbids to convert a dtype to another."""
    if casting != "unsafe" and not np.can_cast(source, number(target).dtype, casting):  # type: ignore[arg-type]
        raise TypeError(
            f"{source} does not become {number(target).dtype} by the rule {casting!r} of casting"
        )


def warn_if_cut(source: np.dtype[Any], target: np.dtype[Any]) -> None:
    """Warn, as NumPy does, if a conversion discards imaginary parts."""
    if source.kind == "c" and target.kind not in "cb":
        category = getattr(np, "exceptions", np).ComplexWarning
        warn("Casting complex values to real discards the imaginary part", category)


def real_of(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the dtype of the parts of a complex dtype, or the dtype itself."""
    if dtype.kind != "c":
        return dtype
    return np.dtype(np.float32 if dtype.itemsize == 8 else np.float64)


def words_of(value: Any, dtype: np.dtype[Any]) -> NDArray[np.uint32]:
    """Return a constant as words, from which Number.constant restores it.

    Raises OverflowError if a Python integer does not fit, as NumPy does.
    """
    made: NDArray[Any] = np.asarray(value, dtype)
    if dtype.kind == "f" and dtype.itemsize == 2:
        made = made.astype(np.float32)
    elif dtype.itemsize < 4:
        made = made.astype(np.int32 if dtype.kind == "i" else np.uint32)
    return made.reshape(1).view(np.uint32)


def require_held(value: Any, dtype: np.dtype[Any], name: str) -> None:
    """Raise OverflowError if a dtype cannot hold a number of Python, or a list of them.

    Floats may be rounded, but do not become infinite. Integers hold no fractions.
    """
    if dtype.kind == "f" and type(value) in (int, float) and -6e4 < value < 6e4:
        return
    with np.errstate(all="ignore"):
        try:
            made = np.asarray(value, dtype)
            if dtype.kind == "f":
                held = np.isfinite(made) | ~np.isfinite(np.asarray(value, np.float64))
            else:
                held = made == np.asarray(value)
        except (OverflowError, TypeError, ValueError):
            held = np.False_
    if not np.all(held):
        raise OverflowError(f"{name} is {dtype}, which cannot hold {value!r}")


def convert(value: str, source: Number, target: Number, observed: bool = False) -> str:
    """Return GLSL that converts a value from one dtype to another, as NumPy's astype does.

    If the result may be converted again in the same kernel, it is `observed`, and no compiler can remove the
    rounding.
    """
    return _convert(value, source.dtype.name, target.dtype.name, observed)


compare_data_types()
