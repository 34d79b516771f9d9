# SPDX-License-Identifier: Apache-2.0
"""Functions that kernels can call: from Python, math, NumPy, and this package."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import work_items
from .call import Call, Handler, called
from .types import Type
from .values import ATOM, Value

#: Names of NumPy and others for the same functions.
ALIASES = {
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


def _one_float(name: str) -> Handler:
    def handler(call: Call) -> Value:
        value, own = call.floating(name)
        if own.scalar == "float64" and name in ("trunc", "round_even"):
            return call.operators.helper(
                "kp_round" if name != "trunc" else "kp_trunc", own, [value]
            )
        if name in _IN_LIBRARY:
            return call.operators.helper(f"kp_{name}", own, [value])
        return called(_GLSL_NAMES.get(name, name), own, [value])

    return handler


def _min_max(function: Any) -> Handler:
    name = function.__name__

    def handler(call: Call) -> Value:
        if len(call.args) < 2:
            call.fail(f"{name}() takes 2 numbers or more in kernels")
        if all(each.is_constant for each in call.args):
            return call.expressions.wrap(function(each.constant for each in call.args))
        own, values = call.common()
        result = values[0]
        for each in values[1:]:
            result = called(name, own, [result, each])
        return result

    return handler


def _several(name: str, floating: bool = True, result: str = "") -> Handler:
    """A function of arguments of one type. `result` is "number" for dot() and the like."""

    def handler(call: Call) -> Value:
        own, values = call.common(floating)
        return called(name, own.number if result else own, values)

    return handler


def _of_numpy(name: str, integers: str = "") -> Handler:
    """A function of the library. `integers` is the function for integers, if they do not become floats."""

    def handler(call: Call) -> Value:
        own, values = call.common(floating=not integers)
        text = name if own.is_float else integers
        if text == "kp_signed_fmod" and own.kind == "uint":
            text = "kp_unsigned_remainder"
        make = call.operators.helper if text.startswith("kp_") else called
        return make(text, own, values)

    return handler


def _abs(call: Call) -> Value:
    own = call.typed()
    if own.kind == "complex":
        size = call.operators.helper("kp_cabs", own, call.args)
        size.type = Type("float32")
        return size
    if call.args[0].is_constant:
        return call.expressions.wrap(abs(call.args[0].constant))
    return call.args[0] if own.kind == "uint" else called("abs", *call.common())


def _to_integer(rounding: str) -> Handler:
    """math.floor() and the like, and round(): floats to integers."""
    rounded = _one_float(rounding)

    def handler(call: Call) -> Value:
        own = call.typed()
        if own.is_integer:
            return call.args[0]
        value = rounded(call)
        if value.type is None or not value.type.is_scalar:
            name = {"round_even": "round"}.get(rounding, rounding)
            call.fail(f"{own.said} is not a single number; use np.{name}()")
        return call.convert(value, call.numbers.default_int)

    return handler


def _round(call: Call) -> Value:
    if len(call.args) == 1:
        return _to_integer("round_even")(call)
    digits = call.args[1].constant
    if not isinstance(digits, (int, np.integer)) or abs(digits) > 30:
        call.numbers.fail(
            call.node.args[1], "the decimals of round() are a constant integer up to 30"
        )
    if call.typed().is_integer and digits >= 0:
        return call.args[0]
    value, own = call.floating("round")
    scale = call.convert(call.expressions.wrap(10.0 ** abs(int(digits))), own)
    return call.operators.helper(
        "kp_round_by" if digits >= 0 else "kp_round_to", own, [value, scale]
    )


def _test(name: str) -> Handler:
    def handler(call: Call) -> Value:
        value, own = call.floating(name)
        if not own.is_scalar:
            call.fail(f"{name}() takes a single number in kernels")
        return call.operators.test(f"kp_{name}", value)

    return handler


def _scaled(name: str, factor: float) -> Handler:
    def handler(call: Call) -> Value:
        return call.apply("*", call.floating(name)[0], call.expressions.wrap(factor))

    return handler


def _log(call: Call) -> Value:
    value, *base = call.args
    name = {2: "log2", 10: "log10"}.get(base[0].constant, "log") if base else "log"
    result = _one_float(name)(call.of(value))
    if not base or name != "log":
        return result
    return call.apply("/", result, _one_float("log")(call.of(*base)))


def _operator(symbol: str) -> Handler:
    return lambda call: call.apply(symbol, *call.args)


def _math_pow(call: Call) -> Value:
    """math.pow(), whose operands are floats."""
    types = [call.typed(place) for place in range(2)]
    base, exponent = (
        each if each.is_constant or own.is_float else call.convert(each, call.numbers.default_float)
        for each, own in zip(call.args, types, strict=True)
    )
    return call.apply("**", base, exponent)


def _where(call: Call) -> Value:
    test = call.numbers.truth(call.args[0], call.node)
    own, (a, b) = call.of(*call.args[1:]).common()
    text = f"{test.within(12)} ? {a.within(12)} : {b.within(13)}"
    return Value(text, own, 13, pure=test.pure and a.pure and b.pure)


def _len(call: Call) -> Value:
    value = call.args[0]
    if value.array is not None and value.array.ndim > 0:
        return call.expressions.elements.extent(value.array, 0)
    if value.items is not None:
        return call.expressions.wrap(len(value.items))
    own = call.typed()
    if own.is_scalar:
        call.fail(f"{own.said} has no len()")
    return call.expressions.wrap(own.rows)


def _conjugate(call: Call) -> Value:
    own, value = call.typed(), call.args[0]
    if own.kind != "complex":
        return value
    return Value(f"({value.within(ATOM)} * vec2(1.0, -1.0))", own, pure=value.pure)


def _divmod(call: Call) -> Value:
    if not all(each.pure for each in call.args):
        call.fail("this would be evaluated twice; give it a name first")
    return Value(items=[call.apply(symbol, *call.args) for symbol in ("//", "%")])


#: Handlers, with the minimum and maximum number of arguments.
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
    "min": (_min_max(min), 1, 9),
    "max": (_min_max(max), 1, 9),
    "abs": (_abs, 1, 1),
    "pow": (_operator("**"), 2, 2),
    "mod_python": (_operator("%"), 2, 2),
    "square": (lambda call: call.apply("**", call.args[0], call.expressions.wrap(2)), 1, 1),
    "divmod": (_divmod, 2, 2),
    "clamp": (_several("clamp", floating=False), 3, 3),
    "mix": (_several("mix"), 3, 3),
    "step": (_several("step"), 2, 2),
    "smoothstep": (_several("smoothstep"), 3, 3),
    "fma": (_several("fma"), 3, 3),
    "where": (_where, 3, 3),
    "dot": (_several("dot", result="number"), 2, 2),
    "distance": (_several("distance", result="number"), 2, 2),
    "length": (_several("length", result="number"), 1, 1),
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
    "self": (lambda call: call.args[0], 1, 1),
    **work_items.HANDLERS,
}
#: Names of kernel functions after `kp.`, even if the package itself uses the name for something
#: else.
BY_NAME = {
    *(name for name in HANDLERS if "." not in name and name not in ("self", "len", "divmod")),
    *(alias for alias in ALIASES),
} - {"min", "max", "round"}
