# SPDX-License-Identifier: Apache-2.0
"""The dtypes of arrays, and how GLSL stores, computes, converts and passes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._glsl.conversions import ROUNDING
from .._kp import DataTypes
from .._warning import warn

_BYTES = ("GL_EXT_shader_8bit_storage",)
_SHORTS = ("GL_EXT_shader_16bit_storage",)
_LONGS = ("GL_EXT_shader_explicit_arithmetic_types_int64",)


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
    extensions: tuple[str, ...] = ()

    @property
    def family(self) -> str:
        """Return b, i, u, f or c: bool, integers with and without a sign, real and complex."""
        return self.dtype.kind


def _number(
    dtype: Any,
    stored: str,
    computed: str,
    load: str = "{}",
    store: str = "{}",
    wrap: str = "",
    words: int = 1,
    constant: str = "{0}",
    extensions: tuple[str, ...] = (),
) -> tuple[np.dtype[Any], Number]:
    key: np.dtype[Any] = np.dtype(dtype)
    return key, Number(key, stored, computed, load, store, wrap, words, constant, extensions)


_FLOAT = "uintBitsToFloat({0})"

#: All dtypes of arrays.
NUMBERS: dict[np.dtype[Any], Number] = dict(
    [
        _number(
            np.bool_,
            "uint8_t",
            "bool",
            "(uint({}) != 0u)",
            "uint8_t({} ? 1u : 0u)",
            constant="({0} != 0u)",
            extensions=_BYTES,
        ),
        _number(
            np.int8,
            "int8_t",
            "int",
            "int({})",
            "int8_t({})",
            "bitfieldExtract({}, 0, 8)",
            constant="int({0})",
            extensions=_BYTES,
        ),
        _number(
            np.uint8,
            "uint8_t",
            "uint",
            "uint({})",
            "uint8_t({})",
            "({} & 255u)",
            extensions=_BYTES,
        ),
        _number(
            np.int16,
            "int16_t",
            "int",
            "int({})",
            "int16_t({})",
            "bitfieldExtract({}, 0, 16)",
            constant="int({0})",
            extensions=_SHORTS,
        ),
        _number(
            np.uint16,
            "uint16_t",
            "uint",
            "uint({})",
            "uint16_t({})",
            "({} & 65535u)",
            extensions=_SHORTS,
        ),
        _number(np.int32, "int", "int", constant="int({0})"),
        _number(np.uint32, "uint", "uint"),
        _number(
            np.int64,
            "int64_t",
            "int64_t",
            words=2,
            constant="packInt2x32(ivec2({0}, {1}))",
            extensions=_LONGS,
        ),
        _number(
            np.uint64,
            "uint64_t",
            "uint64_t",
            words=2,
            constant="packUint2x32(uvec2({0}, {1}))",
            extensions=_LONGS,
        ),
        _number(
            np.float16,
            "float16_t",
            "float",
            "float({})",
            "float16_t({})",
            "kp_half({})",
            constant=_FLOAT,
            extensions=_SHORTS,
        ),
        _number(np.float32, "float", "float", constant=_FLOAT),
        _number(
            np.float64, "double", "double", words=2, constant="packDouble2x32(uvec2({0}, {1}))"
        ),
        _number(
            np.complex64,
            "vec2",
            "vec2",
            words=2,
            constant="vec2(uintBitsToFloat({0}), uintBitsToFloat({1}))",
        ),
        _number(
            np.complex128,
            "dvec2",
            "dvec2",
            words=4,
            constant="dvec2(packDouble2x32(uvec2({0}, {1})), packDouble2x32(uvec2({2}, {3})))",
        ),
    ]
)


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
    """Make a DataTypes equal to its dtype, and true.

    kp.bool is Kompute's DataTypes.bool, the number 0, but the array API standard has a dtype of this name.
    """

    def equals(self: DataTypes, other: object) -> bool:
        if isinstance(other, np.dtype):
            return _OF_DATA_TYPES.get(int(self)) == other
        return int.__eq__(self, other)

    def differs(self: DataTypes, other: object) -> bool:
        result = equals(self, other)
        return result if result is NotImplemented else not result

    methods = {
        "__eq__": equals,
        "__ne__": differs,
        "__hash__": int.__hash__,
        "__bool__": lambda self: True,
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
    """Return a constant as the words of which Number.constant makes it again.

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


def _to_bool(value: str, source: Number) -> str:
    if source.family == "c":
        return f"any(notEqual({value}, {source.computed}(0)))"
    return f"({value} != {source.computed}(0))"


def convert(value: str, source: Number, target: Number, observed: bool = False) -> str:
    """Return GLSL that converts a value from one dtype to another, as NumPy's astype does.

    If the result may be converted again in the same kernel, it is `observed`, and no compiler can remove the
    rounding.
    """
    if source.dtype == target.dtype:
        return value
    if target.family == "b":
        return _to_bool(value, source)
    pair = source.computed, target.computed
    if target.family == "c":
        if source.family != "c":
            part = convert(value, source, number(real_of(target.dtype)), observed)
            return f"{target.computed}({part}, 0)"
        return f"{ROUNDING[pair] if observed and pair in ROUNDING else target.computed}({value})"
    if source.family == "c":
        return convert(f"({value}).x", number(real_of(source.dtype)), target, observed)
    if source.computed == "double" and target.dtype == np.float16:
        return f"kp_half_of_double({value})"
    if source.family == "f" and target.family == "u":
        # GLSL leaves negative numbers undefined; NumPy wraps them around.
        signed = "int64_t" if target.computed == "uint64_t" else "int"
        value = f"({value} < 0 ? {target.computed}({signed}({value})) : {target.computed}({value}))"
    elif observed and pair in ROUNDING and (pair[1] == "double" or source.dtype.itemsize >= 4):
        value = f"{ROUNDING[pair]}({value})"
    elif source.computed != target.computed:
        value = f"{target.computed}({value})"
    widens = np.can_cast(source.dtype, target.dtype, "safe")
    return value if widens or not target.wrap else target.wrap.format(value)


compare_data_types()
