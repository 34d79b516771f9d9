# SPDX-License-Identifier: Apache-2.0
"""Functions and operators of elements."""

from __future__ import annotations

from collections.abc import Iterator

from .cases import Case, cases

#: Functions of one real number, and the limits of their arguments.
REAL = {
    (
        -4.0,
        4.0,
    ): "abs cbrt ceil cos cosh deg2rad exp exp2 expm1 fabs fix floor negative positive rad2deg rint round "
    "sign signbit sin sinc sinh spacing square tan tanh trunc isfinite isinf isnan isneginf isposinf nan_to_num "
    "angle modf asinh atan isreal iscomplex real conj",
    (-0.99, 0.99): "acos asin atanh",
    (0.1, 9.0): "log log10 log1p log2 sqrt reciprocal",
    (1.1, 9.0): "acosh",
}

#: NumPy's and CuPy's names of functions that they have under no other.
OLD = {
    "acos": "arccos",
    "asin": "arcsin",
    "atan": "arctan",
    "acosh": "arccosh",
    "asinh": "arcsinh",
    "atanh": "arctanh",
    "atan2": "arctan2",
    "pow": "power",
    "bitwise_invert": "invert",
    "bitwise_left_shift": "left_shift",
    "bitwise_right_shift": "right_shift",
}

#: Functions of one real number that are measured for float16, too.
HALF = "abs exp log sqrt sin tanh floor isnan square reciprocal"

BINARY = {
    (
        0.1,
        4.0,
    ): "add subtract multiply divide floor_divide remainder fmod pow float_power atan2 hypot fmax fmin "
    "maximum minimum logaddexp logaddexp2 divmod",
    (
        -4.0,
        4.0,
    ): "copysign nextafter heaviside equal not_equal less less_equal greater greater_equal "
    "logical_and logical_or logical_xor",
}

COMPLEX = (
    "abs angle conj real imag exp log sqrt sin cos tan sinh cosh tanh asin acos atan asinh acosh atanh square "
    "reciprocal negative isfinite isnan log10 log2 expm1 log1p"
)


def call(name: str, arguments: str, **more: object) -> dict[str, object]:
    """Return a call's text, and how the other libraries may spell it."""
    old = OLD.get(name)
    others = (f"xp.{old}({arguments})",) if old else ()
    return {"texts": f"xp.{name}({arguments})", "others": others, **more}


def real() -> Iterator[Case]:
    for (low, high), names in REAL.items():
        for name in names.split():
            dtypes = "float32 float64" + (" float16" if name in HALF.split() else "")
            yield from cases("real functions", dtypes=dtypes, low=low, high=high, **call(name, "x"))
    for (low, high), names in BINARY.items():
        for name in names.split():
            half = " float16" if name in ("add", "multiply", "divide", "less", "maximum") else ""
            yield from cases(
                "two operands",
                dtypes="float32 float64" + half,
                low=low,
                high=high,
                **call(name, "x, y"),
            )
    forms = "strided transposed row column pencil columns"
    yield from cases(
        "layouts", ("xp.add(x, y)", "xp.pow(x, y)", "x * y + x"), "float32", forms, low=0.1
    )
    yield from cases("layouts", "xp.less(x, y)", "float64", "strided transposed row column")
    yield from cases("layouts", ("xp.exp(x)", "xp.sqrt(x)"), "float32", "strided transposed cube")
    yield from cases("layouts", "x + y", "int8 int16 float16 complex64", "strided transposed row")
    yield from cases(
        "real functions", "xp.clip(x, 0.2, 0.8)", "float16 float32 float64 int32 uint8"
    )
    yield from cases(
        "real functions", "xp.round(x, 2)", "float32 float64", others=("xp.around(x, 2)",)
    )
    yield from cases("real functions", "xp.around(x, 1)", "float32")
    yield from cases("two operands", "xp.ldexp(x, exponents)", "float32 float64")
    yield from cases(
        "two operands", "xp.where(mask, x, y)", "float16 float32 float64 int8 int64 complex64"
    )
    yield from cases("layouts", "xp.where(mask, x, y)", "float32", "row column")
    yield from cases("two operands", "xp.where(x > 0.5, x, 0)", "float32")
    yield from cases("two operands", "xp.isclose(x, y)", "float32 float64")


def whole() -> Iterator[Case]:
    family = "integers"
    every = "int8 uint8 int16 int32 uint32 int64"
    yield from cases(family, ("xp.add(x, y)", "xp.multiply(x, y)"), every, low=-9, high=9)
    names = "subtract maximum less equal floor_divide remainder divmod"
    for name in names.split():
        yield from cases(family, f"xp.{name}(x, y)", "int8 int32 int64 uint8", low=1, high=100)
    yield from cases(
        family, ("xp.divide(x, y)", "xp.sqrt(x)", "xp.exp(x)"), "int32 int64", low=1, high=9
    )
    yield from cases(family, ("xp.fmod(x, y)", "xp.gcd(x, y)"), "int32 int64", low=1, high=1000)
    yield from cases(family, "xp.lcm(x, y)", "int32 int64", low=1, high=100)
    yield from cases(
        family, "xp.pow(x, y)", "int32 int64", low=0, high=5, others=("xp.power(x, y)",)
    )
    for name in ("bitwise_and", "bitwise_or", "bitwise_xor"):
        yield from cases(family, f"xp.{name}(x, y)", "bool uint8 int32 int64", low=0, high=100)
    for name in ("bitwise_left_shift", "bitwise_right_shift"):
        yield from cases(
            family, dtypes="uint8 int32 int64", low=0, high=100, **call(name, "x, shifts"))  # fmt: skip
    yield from cases(
        family, dtypes="bool uint8 int32 int64", high=100, **call("bitwise_invert", "x")
    )
    yield from cases(
        family, ("xp.abs(x)", "xp.sign(x)", "xp.negative(x)"), "int8 int32 int64", low=-9, high=9
    )
    yield from cases(
        family, ("x % 7", "x // 7", "x ** 2", "x ^ (x >> 3)"), "int32 int64", low=0, high=1000
    )
    yield from cases(family, "xp.logical_not(x)", "bool int32 float32")
    yield from cases(family, ("xp.logical_and(x, y)", "xp.logical_xor(x, y)"), "bool")


def complexes() -> Iterator[Case]:
    family = "complex functions"
    for name in COMPLEX.split():
        both = name in ("abs", "exp", "log", "sqrt", "sin", "conj", "square", "tanh", "asin")
        dtypes = "complex64 complex128" if both else "complex64"
        yield from cases(family, dtypes=dtypes, low=-2, high=2, **call(name, "x"))
    yield from cases(
        family, ("xp.add(x, y)", "xp.multiply(x, y)", "xp.divide(x, y)"), "complex64 complex128", low=0.1)  # fmt: skip
    yield from cases(
        family, dtypes="complex64 complex128", low=0.1, high=2, **call("pow", "x, y"))  # fmt: skip
    yield from cases(family, ("xp.equal(x, y)", "xp.isreal(x)", "xp.iscomplex(x)"), "complex64")


def operators() -> Iterator[Case]:
    family = "operators"
    yield from cases(family, ("x + y", "x - y", "x * y", "x / y", "x // y", "x % y", "x ** y", "x < y",
                              "x <= y", "x > y", "x >= y", "x == y", "x != y"), low=0.1, high=3)  # fmt: skip
    yield from cases(family, ("-x", "+x", "abs(x)", "x + 1", "2 * x", "1 - x", "1 / x", "x ** 2", "2 ** x",
                              "x // 1", "1 % x", "divmod(x, y)", "7 // x", "divmod(2, x)"), low=0.1, high=3)  # fmt: skip
    yield from cases(family, ("x & y", "x | y", "x ^ y", "x << 2", "x >> 1", "~x", "1 << x", "100 >> x",
                              "5 & x", "5 | x", "5 ^ x"), "int32", high=20)  # fmt: skip
    yield from cases(family, ("x & y", "x | y", "~x"), "bool")
    yield from cases(
        family, ("x * y + x", "(x - y) ** 2 / 2 + 1", "xp.sqrt(x * x + y * y)"), "float32 float64"
    )
    yield from cases(
        family, ("xp.exp(-x * x) * xp.cos(y) + 1", "1 / (1 + xp.exp(-x))"), "float32 float64"
    )
    for text in ("x += y", "x -= y", "x *= y", "x /= y", "x //= y", "x %= y", "x **= y"):
        yield from cases(family, text, low=0.9, high=1.1)
    for text in ("x &= y", "x |= y", "x ^= y", "x <<= 1", "x >>= 1"):
        yield from cases(family, text, "int32", high=20)
    yield from cases(family, ("x += y", "x += 1"), "float64 int64 complex64", "flat row")
    yield from cases(family, "bool(x[3] > 0)", low=0.1)
    yield from cases(family, ("float(x[3])", "int(x[3])", "complex(x[3])"), high=9)


def custom() -> Iterator[Case]:
    """Yield kernels of one line."""
    family = "kernels of one line"
    text = "xp.elementwise('T x, T y', 'T z', 'z = x * y + 1')(x, y)"
    other = "xp.ElementwiseKernel('T x, T y', 'T z', 'z = x * y + 1')(x, y)"
    yield from cases(family, text, "float32 float64", others=(other, "x * y + 1"))
    text = "xp.reduction('T x', 'T y', 'x * x', 'a + b', 'y = a', 0)(x)"
    other = "xp.ReductionKernel('T x', 'T y', 'x * x', 'a + b', 'y = a', '0')(x)"
    yield from cases(family, text, "float32", others=(other, "(x * x).sum()"))


def table() -> Iterator[Case]:
    """Yield all of them."""
    for part in (real, whole, complexes, operators, custom):
        yield from part()
