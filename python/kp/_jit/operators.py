# SPDX-License-Identifier: Apache-2.0
"""Operators whose operands are not known while compiling, with Python's meaning."""

from __future__ import annotations

import ast
from typing import Any

from .numbers import Numbers
from .types import BOOL, INT, UINT, Type
from .values import ATOM, PRECEDENCE, Value

_COMPARE_SYMBOLS = ("==", "!=", "<", "<=", ">", ">=")

#: Bits of integers that are known while compiling. Kernels have 64; the rest is headroom for
#: intermediate results.
MAX_BITS = 4096


def too_large(symbol: str, a: Any, b: Any) -> str:
    """Return why an operator of two constants is not evaluated, or "" if it can be.

    Python's integers have any size, so a short expression can take unlimited time and memory.
    """
    if type(a) not in (int, bool) or type(b) not in (int, bool):
        return ""
    bits = 0
    if symbol == "**" and b > 0 and abs(a) > 1:
        bits = (abs(a).bit_length() - 1) * b
    elif symbol == "<<" and b > 0 and a:
        bits = abs(a).bit_length() + b
    elif symbol == "*":
        bits = abs(a).bit_length() + abs(b).bit_length() - 1
    if bits <= MAX_BITS:
        return ""
    return f"{_short(a)} {symbol} {_short(b)} has over {MAX_BITS} bits; kernels compute with 64"


def _short(number: int) -> str:
    return str(number) if abs(number) < 10**20 else f"an integer of {abs(number).bit_length()} bits"


class Operators:
    """+ - * / // % ** @, shifts, bits, comparisons, and and or."""

    def __init__(self, numbers: Numbers) -> None:
        self._numbers = numbers
        self._unit = numbers.unit

    def helper(self, name: str, own: Type, values: list[Value]) -> Value:
        """Return a call of a function of the library for operands of a type. Half is computed in float."""
        if own.scalar == "float16":
            wide = own.of("float32")
            values = [
                self._numbers.cast(each, wide) if each.type == own else each for each in values
            ]
            return self._numbers.cast(self.helper(name, wide, values), own)
        self._unit.need(name, own)
        text = f"{name}({', '.join(value.text for value in values)})"
        return Value(text, own, pure=all(value.pure for value in values))

    def test(self, name: str, value: Value) -> Value:
        """Return a call of a library function that tests a float."""
        own = value.type
        assert own is not None
        if own.scalar == "float16":
            own = own.of("float32")
            value = self._numbers.cast(value, own)
        self._unit.need(name, own)
        return Value(f"{name}({value.text})", BOOL, pure=value.pure)

    def apply(self, symbol: str, a: Value, b: Value, node: ast.AST) -> Value:
        """Return the result of an operator of Python, which is not known while compiling."""
        if symbol == "@":
            return self._product(a, b, node)
        if symbol == "**":
            return self._power(a, b, node)
        if symbol in ("<<", ">>"):
            return self._shift(symbol, a, b, node)
        numbers = self._numbers
        own = numbers.common([a, b], node)
        if symbol in ("&", "|", "^"):
            return self._bits(symbol, a, b, own, node)
        if own.kind == "bool":
            own = own.of(numbers.default_int.scalar)
        if symbol == "/" and own.is_integer:
            own = own.of(numbers.default_float.scalar)
        if symbol == "/" and own.weak:
            own = numbers.strong(own)
        if own.kind == "complex":
            return self._complex(symbol, a, b, own, node)
        if own.is_matrix and symbol not in "+-*/":
            numbers.fail(node, f"matrices have no {symbol}")
        shapes = [numbers.typed(each, node) for each in (a, b)]
        if own.is_matrix and symbol == "*" and not any(each.is_scalar for each in shapes):
            return Value(f"matrixCompMult({a.text}, {b.text})", own, pure=a.pure and b.pure)
        if not own.is_scalar and symbol in "+-*/":  # GLSL has operators of vectors and numbers
            types = [own.number if each.is_scalar else own for each in shapes]
            a, b = numbers.convert(a, types[0], node), numbers.convert(b, types[1], node)
            return self.infix(symbol, a, b, numbers.strong(own))
        strong = numbers.strong(own)
        plain = own.kind == "uint" and b.is_constant and b.constant != 0
        a, b = numbers.both(a, b, own, node)
        if symbol in ("//", "%") and not plain:
            value = self._floor(symbol, a, b, strong, node)
        else:
            value = self.infix("/" if symbol == "//" else symbol, a, b, strong)
        value.type = own if own.weak else strong
        return value

    def _complex(self, symbol: str, a: Value, b: Value, own: Type, node: ast.AST) -> Value:
        numbers = self._numbers
        if symbol not in "+-*/":
            numbers.fail(node, f"complex numbers have no {symbol}")
        of_a, of_b = (numbers.typed(each, node).kind == "complex" for each in (a, b))
        if symbol in "*/" and of_b and (of_a or symbol == "/"):
            name = "kp_cmul" if symbol == "*" else "kp_cdiv"
            return self.helper(name, own, list(numbers.both(a, b, own, node)))
        scalar = Type("float32") if symbol in "*/" else own  # a factor scales both parts
        a = numbers.convert(a, own if of_a else scalar, node)
        return self.infix(symbol, a, numbers.convert(b, own if of_b else scalar, node), own)

    def infix(self, symbol: str, a: Value, b: Value, own: Type) -> Value:
        """Return a result of an operator that GLSL has, with parentheses as needed."""
        level = PRECEDENCE[symbol]
        # Operators whose order readers have to look up get parentheses around their operands.
        left = 3 if 3 < level < 10 and symbol not in _COMPARE_SYMBOLS else level
        right = level - 1 if level <= 6 else left
        text = f"{a.within(left)} {symbol} {b.within(right)}"
        return Value(text, own, level, pure=a.pure and b.pure)

    def _floor(self, symbol: str, a: Value, b: Value, own: Type, node: ast.AST) -> Value:
        if own.is_float:
            return self.helper("kp_floor_divide" if symbol == "//" else "kp_remainder", own, [a, b])
        if not own.is_scalar:
            self._numbers.fail(node, f"vectors of integers have no {symbol}; use their components")
        if self._unit.checked and not (b.is_constant and b.constant != 0):
            b = self.helper("kp_divisor", own, [b])
        name = "unsigned" if own.kind == "uint" else "signed"
        return self.helper(f"kp_{name}_{'divide' if symbol == '//' else 'remainder'}", own, [a, b])

    def _power(self, a: Value, b: Value, node: ast.AST) -> Value:
        numbers = self._numbers
        base, exponent = numbers.typed(a, node), numbers.typed(b, node)
        if not exponent.is_scalar or base.kind == "complex" or base.is_matrix:
            numbers.fail(node, f"{base.said} has no power of {exponent.said}")
        if exponent.kind == "complex":
            numbers.fail(node, "complex numbers have no powers; use exp() and log() of their parts")
        known = b.constant if b.is_constant else None
        if known is not None and not exponent.is_float:
            own = base.of(numbers.default_int.scalar) if base.kind == "bool" else base
            return self._known_power(a, int(known), numbers.strong(own), node)
        if base.is_integer and exponent.kind == "uint":
            own = numbers.strong(base)
            operands = [numbers.convert(a, own, node), numbers.convert(b, UINT, node)]
            return self.helper("kp_count_power", own, operands)
        if base.is_integer and exponent.is_integer:
            numbers.fail(
                node,
                "an integer to a power that may be negative may be a float; convert the base with "
                "float(...), or the exponent with kp.uint32(...)",
            )
        own = numbers.strong(numbers.promote(base, exponent, node))
        if known is not None and float(known).is_integer() and abs(known) <= 4:
            return self._known_power(a, int(known), own, node)
        if known is not None and abs(known) == 0.5:
            root = self.helper("kp_root_power", own, [numbers.convert(a, own, node)])
            one = numbers.literal(1, own.number, node)
            return root if known > 0 else self.infix("/", one, root, own)
        return self.helper("kp_pow", own, list(numbers.both(a, b, own, node)))

    def _known_power(self, a: Value, count: int, own: Type, node: ast.AST) -> Value:
        """Return a power with an integer that is known while compiling."""
        numbers = self._numbers
        if count >= 2**32:
            numbers.fail(node, f"the power {count} is over 2**32 - 1")
        if count < 0:
            own = own if own.is_float else own.of(numbers.default_float.scalar)
            positive = self._known_power(a, -count, own, node)
            return self.infix("/", numbers.literal(1, own.number, node), positive, own)
        value = numbers.convert(a, own, node)
        if count == 0:
            return Value(f"{own.glsl}(1)", own)
        if count == 1:
            return value
        once = value.pure and (value.text.isidentifier() or count == 2)
        if count > 4 or not once:
            return self.helper("kp_count_power", own, [value, Value(f"{count}u", UINT)])
        text = " * ".join([value.within(ATOM)] * count)
        return Value(text, own, PRECEDENCE["*"])

    def _shift(self, symbol: str, a: Value, b: Value, node: ast.AST) -> Value:
        numbers = self._numbers
        own, amount = numbers.typed(a, node), numbers.typed(b, node)
        if not (own.is_integer and amount.is_integer and amount.is_scalar):
            numbers.fail(node, f"{own.said} cannot be shifted by {amount.said}")
        if b.is_constant and not 0 <= b.constant < numbers.strong(own).bits:
            numbers.fail(node, f"{own.said} is shifted by 0 to {numbers.strong(own).bits - 1} bits")
        strong = numbers.strong(own)
        shifted = numbers.convert(a, strong, node)
        by = numbers.convert(b, INT if amount.kind == "int" else UINT, node)
        return self.infix(symbol, shifted, by, strong)

    def _bits(self, symbol: str, a: Value, b: Value, own: Type, node: ast.AST) -> Value:
        numbers = self._numbers
        if own.kind == "bool":
            a, b = numbers.truth(a, node), numbers.truth(b, node)
            logical = {"&": "&&", "|": "||", "^": "^^"}[symbol]
            return self.infix(logical, self.shown(a), self.shown(b), BOOL)
        if not own.is_integer:
            numbers.fail(node, f"{own.said} has no {symbol}")
        value = self.infix(symbol, *numbers.both(a, b, own, node), numbers.strong(own))
        value.type = own if own.weak else value.type
        return value

    def _product(self, a: Value, b: Value, node: ast.AST) -> Value:
        numbers = self._numbers
        left, right = numbers.typed(a, node), numbers.typed(b, node)
        if left.is_scalar or right.is_scalar:
            numbers.fail(node, f"@ takes vectors and matrices, not {left.said} and {right.said}")
        number = numbers.promote(left.number, right.number, node).scalar
        pure = a.pure and b.pure
        inner = left.columns if left.is_matrix else left.rows
        if inner != right.rows:
            numbers.fail(node, f"{left.said} @ {right.said}: {inner} is not {right.rows}")
        a, b = numbers.convert(a, left.of(number), node), numbers.convert(b, right.of(number), node)
        if left.is_vector and right.is_vector:
            return Value(f"dot({a.text}, {b.text})", Type(number), pure=pure)
        text = f"{b.within(2)} * {a.within(1)}"  # rows are GLSL's columns
        own = Type(number, left.rows, right.columns)
        if left.is_vector or right.is_vector:
            own = Type(number, right.columns if left.is_vector else left.rows)
        return Value(text, own, 2, pure=pure)

    def compare(self, symbol: str, a: Value, b: Value, node: ast.AST) -> Value:
        """Return the result of a comparison."""
        numbers = self._numbers
        own = numbers.common([a, b], node)
        if not own.is_scalar or (own.kind == "complex" and symbol not in ("==", "!=")):
            numbers.fail(node, f"{own.said} has no {symbol}; compare its components")
        if own.kind == "bool" and symbol not in ("==", "!="):
            own = numbers.default_int
        self._unit.observe(own)
        return self.infix(symbol, *numbers.both(a, b, own, node), BOOL)

    def connect(self, symbol: str, parts: list[Value]) -> Value:
        """Return conditions with && or || between them. Constants are left out where they decide nothing."""
        decides = symbol == "||"
        kept: list[Value] = []
        for part in parts:
            if part.is_constant and bool(part.constant) != decides:
                continue
            kept.append(part)
            if part.is_constant:
                break
        if not kept:
            return Value(type=BOOL, constant=not decides, invariant=True)
        if len(kept) == 1 or kept[0].is_constant:
            return kept[0]
        level = PRECEDENCE[symbol]
        # Readers need not know that && binds tighter than ||.
        shown = [self.shown(part) for part in kept]
        texts = [part.text if part.precedence == level else part.within(6) for part in shown]
        return Value(f" {symbol} ".join(texts), BOOL, level, pure=all(part.pure for part in kept))

    @staticmethod
    def shown(value: Value) -> Value:
        """Return a condition as text even if it is constant."""
        if value.is_constant:
            return Value("true" if value.constant else "false", BOOL)
        return value
