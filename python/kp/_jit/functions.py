# SPDX-License-Identifier: Apache-2.0
"""Functions that kernels can call: those of Python, math, NumPy, and this package's own."""

from __future__ import annotations

import ast
import types
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .._wording import counted
from . import work_items
from .folding import too_large
from .types import BOOL, Type, of_dtype
from .values import ATOM, Value
from .work_items import Handler

if TYPE_CHECKING:
    from .expressions import Expressions


@dataclass(frozen=True)
class Named:
    """A function that is known by its name."""

    name: str

    @property
    def __name__(self) -> str:
        return self.name

    def __call__(self, *args: Any) -> Any:
        raise TypeError(f"{self.name}() is for functions that are compiled for the device")


#: Names of NumPy and others for the same functions.
_ALIASES = {
    **{"arcsin": "asin", "arccos": "acos", "arctan": "atan", "arctan2": "atan2"},
    **{"arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh", "fabs": "abs"},
    **{"absolute": "abs"},
    **{"power": "pow", "float_power": "pow", "degrees": "rad2deg", "radians": "deg2rad"},
    **{"rint": "round_even", "norm": "length", "amax": "max", "amin": "min"},
    **{"remainder": "mod_python", "conj": "conjugate", "rsqrt": "inversesqrt"},
    "gammaln": "lgamma",
}
#: Functions of one float in GLSL.
_IN_GLSL = ("sqrt", "inversesqrt", "floor", "ceil", "trunc", "fract", "round_even")
#: Functions of one float in the library.
_IN_LIBRARY = (
    "sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh exp exp2 expm1 log log2 log10 log1p cbrt "
    "erf erfc gamma lgamma i0"
).split()
_GLSL_NAMES = {"round_even": "roundEven"}


def _floating(self: Expressions, value: Value, node: ast.Call, name: str) -> Value:
    """Return an argument as a float."""
    own = self.typed(value, node)
    if own.kind == "complex" or own.is_matrix:
        self.fail(node, f"{name}() of {own.said} does not exist")
    if not own.is_float or own.weak:
        own = own.of(self.default_float.scalar)
    return self.convert(value, own, node)


def _one_float(name: str) -> Handler:
    def handler(self: Expressions, args: list[Value], node: ast.Call) -> Value:
        value = _floating(self, args[0], node, name)
        own = value.type
        assert own is not None
        if own.scalar == "float64" and name in ("trunc", "round_even"):
            return self.helper({"round_even": "kp_round"}.get(name, f"kp_{name}"), own, [value])
        if name in _IN_LIBRARY:
            return self.helper(f"kp_{name}", own, [value])
        return _call(_GLSL_NAMES.get(name, name), own, [value])

    return handler


def _common(
    self: Expressions, args: list[Value], node: ast.Call, floating: bool = False
) -> tuple[Type, list[Value]]:
    """Return arguments in one type."""
    own = self.typed(args[0], node)
    for each in args[1:]:
        own = self.promote(own, self.typed(each, node), node)
    if own.kind == "bool" or own.kind == "complex":
        if own.kind == "complex":
            self.fail(node, "complex numbers cannot be given here; use their parts")
        own = own.of(self.default_int.scalar)
    if floating and not own.is_float:
        own = own.of(self.default_float.scalar)
    own = self.strong(own)
    return own, [self.convert(each, own, node) for each in args]


def _call(name: str, own: Type, args: list[Value]) -> Value:
    text = f"{name}({', '.join(each.text for each in args)})"
    return Value(text, own, pure=all(each.pure for each in args))


def _min_max(name: str) -> Handler:
    def handler(self: Expressions, args: list[Value], node: ast.Call) -> Value:
        if len(args) < 2:
            self.fail(node, f"{name}() takes 2 numbers or more in kernels")
        if all(each.is_constant for each in args):
            return self.wrap({"min": min, "max": max}[name](each.constant for each in args))
        own, values = _common(self, args, node)
        result = values[0]
        for each in values[1:]:
            result = _call(name, own, [result, each])
        return result

    return handler


def _several(name: str, floating: bool = True, result: str = "") -> Handler:
    """A function of arguments of one type. `result` is "number" for dot() and the like."""

    def handler(self: Expressions, args: list[Value], node: ast.Call) -> Value:
        own, values = _common(self, args, node, floating)
        return _call(name, own.number if result else own, values)

    return handler


def _of_numpy(name: str, integers: str = "") -> Handler:
    """A function of the library. `integers` is the function for integers, if they do not become floats."""

    def handler(self: Expressions, args: list[Value], node: ast.Call) -> Value:
        own, values = _common(self, args, node, floating=not integers)
        if not own.is_float:
            text = integers
            if text == "kp_signed_fmod" and own.kind == "uint":
                text = "kp_unsigned_remainder"
            helps = text.startswith("kp_")
            return self.helper(text, own, values) if helps else _call(text, own, values)
        return self.helper(name, own, values)

    return handler


def _abs(self: Expressions, args: list[Value], node: ast.Call) -> Value:
    own = self.typed(args[0], node)
    if own.kind == "complex":
        size = self.helper("kp_cabs", own, [args[0]])
        size.type = Type("float32")
        return size
    if args[0].is_constant:
        return self.wrap(abs(args[0].constant))
    if own.kind == "uint":
        return args[0]
    own, values = _common(self, args, node)
    return _call("abs", own, values)


def _to_integer(rounding: str) -> Handler:
    """math.floor() and the like, and round(): floats to integers."""
    rounded = _one_float(rounding)

    def handler(self: Expressions, args: list[Value], node: ast.Call) -> Value:
        own = self.typed(args[0], node)
        if own.is_integer:
            return args[0]
        value = rounded(self, args, node)
        if value.type is None or not value.type.is_scalar:
            name = {"round_even": "round"}.get(rounding, rounding)
            self.fail(node, f"{own.said} is no single number; use np.{name}()")
        return self.convert(value, self.default_int, node)

    return handler


def _round(self: Expressions, args: list[Value], node: ast.Call) -> Value:
    if len(args) == 1:
        return _to_integer("round_even")(self, args, node)
    digits = args[1].constant if args[1].is_constant else None
    if not isinstance(digits, (int, np.integer)) or abs(digits) > 30:
        self.fail(node.args[1], "the decimals of round() are a constant integer up to 30")
    if self.typed(args[0], node).is_integer and digits >= 0:
        return args[0]
    value = _floating(self, args[0], node, "round")
    assert value.type is not None
    scale = self.convert(self.wrap(10.0 ** abs(int(digits))), value.type, node)
    return self.helper("kp_round_by" if digits >= 0 else "kp_round_to", value.type, [value, scale])


def _test(name: str) -> Handler:
    def handler(self: Expressions, args: list[Value], node: ast.Call) -> Value:
        value = _floating(self, args[0], node, name)
        if value.type is None or not value.type.is_scalar:
            self.fail(node, f"{name}() takes a single number in kernels")
        return self.test(f"kp_{name}", value)

    return handler


def _scaled(name: str, factor: float) -> Handler:
    def handler(self: Expressions, args: list[Value], node: ast.Call) -> Value:
        value = _floating(self, args[0], node, name)
        return self.arithmetic("*", value, self.wrap(factor), node)

    return handler


def _log(self: Expressions, args: list[Value], node: ast.Call) -> Value:
    name = {2: "log2", 10: "log10"}.get(args[1].constant, "log") if len(args) == 2 else "log"
    value = _one_float(name)(self, args[:1], node)
    if len(args) == 1 or name != "log":
        return value
    return self.arithmetic("/", value, _one_float("log")(self, args[1:], node), node)


def _pow(self: Expressions, args: list[Value], node: ast.Call) -> Value:
    return self.arithmetic("**", args[0], args[1], node)


def _math_pow(self: Expressions, args: list[Value], node: ast.Call) -> Value:
    """math.pow(), whose operands are floats."""
    base, exponent = (each if each.is_constant else _float(self, each, node) for each in args)
    return self.arithmetic("**", base, exponent, node)


def _float(self: Expressions, value: Value, node: ast.Call) -> Value:
    """Return a number as Python's float."""
    own = self.typed(value, node)
    return value if own.is_float else self.convert(value, self.default_float, node)


def _mod(self: Expressions, args: list[Value], node: ast.Call) -> Value:
    return self.arithmetic("%", args[0], args[1], node)


def _square(self: Expressions, args: list[Value], node: ast.Call) -> Value:
    return self.arithmetic("**", args[0], self.wrap(2), node)


def _where(self: Expressions, args: list[Value], node: ast.Call) -> Value:
    test = self.truth(args[0], node)
    own, (a, b) = _common(self, args[1:], node)
    text = f"{test.within(12)} ? {a.within(12)} : {b.within(13)}"
    return Value(text, own, 13, pure=test.pure and a.pure and b.pure)


def _len(self: Expressions, args: list[Value], node: ast.Call) -> Value:
    value = args[0]
    if value.array is not None and value.array.ndim > 0:
        return self.extent(value.array, 0)
    if value.items is not None:
        return self.wrap(len(value.items))
    own = self.typed(value, node)
    if own.is_scalar:
        self.fail(node, f"{own.said} has no len()")
    return self.wrap(own.rows)


def _conjugate(self: Expressions, args: list[Value], node: ast.Call) -> Value:
    own = self.typed(args[0], node)
    if own.kind != "complex":
        return args[0]
    return Value(f"({args[0].within(ATOM)} * vec2(1.0, -1.0))", own, pure=args[0].pure)


def _length(self: Expressions, args: list[Value], node: ast.Call) -> Value:
    own, values = _common(self, args, node, floating=True)
    return _call("length", own.number, values)


def _divmod(self: Expressions, args: list[Value], node: ast.Call) -> Value:
    if not all(each.pure for each in args):
        self.fail(node, "this would be evaluated twice; give it a name first")
    a, b = args
    return Value(items=[self.arithmetic(each, a, b, node) for each in ("//", "%")])


def _self(self: Expressions, args: list[Value], node: ast.Call) -> Value:
    return args[0]


#: Handlers and the least and the greatest number of arguments.
HANDLERS: dict[str, tuple[Handler, int, int]] = {
    **{name: (_one_float(name), 1, 1) for name in (*_IN_GLSL, *_IN_LIBRARY)},
    "log": (_log, 1, 2),
    "fmod": (_of_numpy("kp_fmod", "kp_signed_fmod"), 2, 2),
    "math.fmod": (_of_numpy("kp_fmod"), 2, 2),
    "math.remainder": (_of_numpy("kp_ieee_remainder"), 2, 2),
    "math.pow": (_math_pow, 2, 2),
    "copysign": (_of_numpy("kp_copysign"), 2, 2),
    "hypot": (_of_numpy("kp_hypot"), 2, 2),
    "atan2": (_of_numpy("kp_atan2"), 2, 2),
    "sign": (_of_numpy("kp_sign", "kp_integer_sign"), 1, 1),
    "maximum": (_of_numpy("kp_maximum", "max"), 2, 2),
    "minimum": (_of_numpy("kp_minimum", "min"), 2, 2),
    "fmax": (_of_numpy("kp_fmax", "max"), 2, 2),
    "fmin": (_of_numpy("kp_fmin", "min"), 2, 2),
    "clip": (_of_numpy("kp_clip", "clamp"), 3, 3),
    "min": (_min_max("min"), 1, 9),
    "max": (_min_max("max"), 1, 9),
    "abs": (_abs, 1, 1),
    "pow": (_pow, 2, 2),
    "mod_python": (_mod, 2, 2),
    "square": (_square, 1, 1),
    "divmod": (_divmod, 2, 2),
    "clamp": (_several("clamp", floating=False), 3, 3),
    "mix": (_several("mix"), 3, 3),
    "step": (_several("step"), 2, 2),
    "smoothstep": (_several("smoothstep"), 3, 3),
    "fma": (_several("fma"), 3, 3),
    "where": (_where, 3, 3),
    "dot": (_several("dot", result="number"), 2, 2),
    "distance": (_several("distance", result="number"), 2, 2),
    "length": (_length, 1, 1),
    "cross": (_several("cross"), 2, 2),
    "normalize": (_several("normalize"), 1, 1),
    "reflect": (_several("reflect"), 2, 2),
    "isnan": (_test("isnan"), 1, 1),
    "isinf": (_test("isinf"), 1, 1),
    "isfinite": (_test("isfinite"), 1, 1),
    "deg2rad": (_scaled("deg2rad", 0.017453292519943295), 1, 1),
    "rad2deg": (_scaled("rad2deg", 57.295779513082321), 1, 1),
    "conjugate": (_conjugate, 1, 1),
    "len": (_len, 1, 1),
    "round": (_round, 1, 2),
    "math.floor": (_to_integer("floor"), 1, 1),
    "math.ceil": (_to_integer("ceil"), 1, 1),
    "math.trunc": (_to_integer("trunc"), 1, 1),
    "self": (_self, 1, 1),
    **work_items.HANDLERS,
}
#: Names that mean a function in kernels after `kp.`, whatever the package has under that name.
BY_NAME = {
    *(name for name in HANDLERS if "." not in name and name not in ("self", "len", "divmod")),
    *(alias for alias in _ALIASES),
} - {"min", "max", "round"}
_BUILTINS = {abs, min, max, round, pow, divmod, len}


def _constructed(self: Expressions, own: Type, args: list[Value], node: ast.Call) -> Value:
    """Return a number, a vector or a matrix of its parts."""
    if not args:
        return self.convert(self.wrap(0), own, node)
    if own.is_scalar:
        if len(args) == 2 and own.kind == "complex":
            parts = [self.convert(each, Type("float32"), node).text for each in args]
            return Value(f"vec2({', '.join(parts)})", own, pure=all(each.pure for each in args))
        if len(args) != 1:
            self.fail(node, f"{own}() takes one number, but was given {len(args)}")
        given = self.typed(args[0], node)
        if not given.is_scalar:
            self.fail(node, f"{given.said} is no {own}")
        if own.kind == "bool":
            return self.truth(args[0], node)
        if args[0].is_constant:
            number = args[0].constant
            kept = int(number) if own.is_integer else number
            return Value(
                type=own,
                constant=np.dtype(own.scalar).type(kept) if own.kind != "complex" else kept,
                invariant=True,
            )
        return self.convert(args[0], own, node)
    numbers = [part for each in args for part in _parts(self, each, own, node)]
    count = sum(self.typed(each, node).components for each in numbers)
    if len(numbers) == 1 and count == 1 and own.is_vector:
        return self.convert(numbers[0], own, node)
    if count != own.components:
        self.fail(
            node, f"{own.said} has {counted(own.components, 'number')}, but was given {count}"
        )
    texts = [
        self.convert(each, self.typed(each, node).of(own.scalar), node).text for each in numbers
    ]
    return Value(f"{own.glsl}({', '.join(texts)})", own, pure=all(each.pure for each in numbers))


def _parts(self: Expressions, value: Value, own: Type, node: ast.Call) -> list[Value]:
    if value.items is not None:
        return [part for each in value.items for part in _parts(self, each, own, node)]
    if self.typed(value, node).is_matrix:
        self.fail(node, "a matrix is made of rows or numbers, not of another matrix")
    return [value]


def _type_of(thing: Any) -> Type | None:
    """Return the type that a callable makes, or None."""
    if thing in (int, float, bool, complex):
        return None
    if isinstance(thing, (np.dtype, type)):
        try:
            return of_dtype(thing)
        except TypeError:
            return None
    return thing if isinstance(thing, Type) else None


def _name(thing: Any) -> str:
    """Return the name of a function that kernels know, or ""."""
    if isinstance(thing, Named):
        return thing.name
    if isinstance(thing, types.BuiltinFunctionType) and thing in _BUILTINS:
        return str(thing.__name__)
    if isinstance(thing, np.ufunc):
        return str(thing.__name__)
    module = str(getattr(thing, "__module__", "") or "")
    name = str(getattr(thing, "__name__", ""))
    if module == "math" and f"math.{name}" in HANDLERS:
        return f"math.{name}"
    if module.split(".")[0] in ("math", "numpy") or module.startswith("kp._jit"):
        return name
    return ""


def call(self: Expressions, called: Value, node: ast.Call) -> Value:
    """Return the value of a call."""
    thing = called.object
    if thing in (int, float, bool, complex):
        own = {
            int: self.default_int,
            float: self.default_float,
            bool: BOOL,
            complex: Type("complex64"),
        }[thing]
        return _constructed(self, own, _arguments(self, node), node)
    if (made := _type_of(thing)) is not None:
        return _constructed(self, made, _arguments(self, node), node)
    name = _name(thing)
    name = _ALIASES.get(name, name)
    if name in HANDLERS:
        handler, least, most = HANDLERS[name]
        with self.perhaps() if name == "where" else nullcontext():
            args = [] if name.startswith("atomic_") else _arguments(self, node)
        if called.receiver is not None:
            args.insert(0, called.receiver)
        count = len(node.args) if name.startswith("atomic_") else len(args)
        if node.keywords or not least <= count <= most:
            takes = counted(most, "argument")
            if least != most:
                takes = f"{least} to {takes}"
            self.fail(
                node,
                f"{name}() takes {takes} by position, but was given {count}",
            )
        return _folded(self, thing, args, node) or handler(self, args, node)
    if name in ("shared_array", "local_array"):
        self.fail(node, f"assign it to a name: tile = kp.{name}(...)")
    function = getattr(thing, "__kp_function__", thing)
    if isinstance(function, types.FunctionType) and not name:
        return self.call_function(function, _arguments(self, node), node)
    if thing is range:
        self.fail(node, "range() is for loops: for i in range(...)")
    if thing is print:
        self.fail(node, "print() cannot be used in kernels; write to an array")
    self.fail(node, f"{self.describe(called)} cannot be called in kernels")


def _arguments(self: Expressions, node: ast.Call) -> list[Value]:
    return [self.expression(as_tuple(each)) for each in node.args]


def as_tuple(node: ast.expr) -> ast.expr:
    """Return a list of the program as a tuple, as which kernels take it."""
    if isinstance(node, ast.List):
        return ast.copy_location(
            ast.Tuple([as_tuple(each) for each in node.elts], ast.Load()), node
        )
    return node


def _folded(self: Expressions, thing: Any, args: list[Value], node: ast.Call) -> Value | None:
    """Return the result of a function of Python whose arguments are all constants, or None."""
    if not args or not callable(thing) or not all(each.is_constant for each in args):
        return None
    if isinstance(thing, Named):
        return None
    symbol = (
        {"pow": "**", "power": "**"}.get(getattr(thing, "__name__", ""), "")
        if len(args) == 2
        else ""
    )
    if message := too_large(symbol, args[0].constant, args[-1].constant):
        self.fail(node, message)
    if thing is round and len(args) == 2 and not abs(args[1].constant) <= 300:
        return None  # a power of 10
    try:
        result = thing(*(each.constant for each in args))
    except (ArithmeticError, TypeError, ValueError) as error:
        self.fail(node, str(error))
    if isinstance(result, (np.float64, np.int64)) and not any(
        isinstance(each.constant, np.generic) for each in args
    ):
        result = result.item()
    return self.wrap(result)
