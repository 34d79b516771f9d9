# SPDX-License-Identifier: Apache-2.0
"""Compares random expressions of arrays, and random functions of kp.jit, with NumPy and Python.

    python random_numbers.py [--count N] [--seed N | --seed date] [--only CASE] [--kind NAME]
                             [--plant result]

- conversions: expressions that convert between types, fused in one kernel, apart, and as a saved program. All
  bits must be NumPy's.
- jit: expressions of one or two floats. Remainders and conversions must be exact, functions within 4 units in
  the last place, NaN, infinities and signs of zeros as Python has them.
- integers: sums of products of loop counters, indices, literals and elements, as Python has them modulo 2^64.

The seed and the number of a failing case are printed; --seed and --only make it again. --plant result changes one
result of ten.
"""

from __future__ import annotations

import argparse
import functools
import importlib.util
import math
import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from options import number
from options import seed as seed_option

import kp

TYPES = "int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64".split()
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -2.0, 3.0, math.inf, -math.inf, math.nan, 1e30, -1e-30]


class Case:
    """One case: its random numbers, and whether it spoils its result."""

    def __init__(self, seed: int, number: int, plants: bool, folder: Path) -> None:
        self.rng = np.random.default_rng([seed, number])
        self.plants = plants and number % 10 == 5
        self.folder = folder
        self.name = f"case{number}"
        self.text = ""

    def choose(self, values: Any) -> Any:
        """Return one of several values."""
        return values[int(self.rng.integers(len(values)))]

    def spoiled(self, result: Any) -> Any:
        """Return a result, changed if that is what the case is for."""
        if self.plants:
            result = result.copy()
            result.flat[0] = ~result.flat[0] if result.dtype.kind == "b" else result.flat[0] + 1
        return result

    def function(self, text: str, *arguments: str) -> Any:
        """Return a kernel whose statements are given. It is in a file, where kp.jit finds its source."""
        path = self.folder / f"{self.name}.py"
        lines = "".join(f"    {line}\n" for line in ["i = kp.global_id()", *text.splitlines()])
        path.write_text(
            f"import math\nimport numpy as np\nimport kp\n\n\n@kp.jit\ndef kernel({', '.join(arguments)}):\n{lines}"
        )
        spec = importlib.util.spec_from_file_location(self.name, path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module.kernel


# --- conversions ----------------------------------------------------------------------------------


def elements(case: Case, dtype: str, count: int) -> Any:
    """Return numbers of a type: often ones that other types round."""
    kind = np.dtype(dtype)
    if kind.kind in "iu":
        limits = np.iinfo(kind)
        values = case.rng.integers(limits.min, limits.max, count, dtype=kind, endpoint=True)
        return values >> case.rng.integers(0, 8 * kind.itemsize, count).astype(kind)
    exponents = case.rng.integers(-10, 4 if kind == np.float16 else 60, count)
    values = case.rng.normal(size=count) * 2.0**exponents
    ties = np.round(values * 2.0**12) / 2.0**12
    return np.where(case.rng.random(count) < 0.5, values, ties).astype(kind)


def fits(values: Any, dtype: str) -> bool:
    """Return whether a type of integers holds all values; NumPy leaves the others to the processor."""
    if np.dtype(dtype).kind == "f" or values.dtype.kind != "f":
        return True
    limits = np.iinfo(dtype)
    wide = values.astype(np.float64)
    return bool(np.isfinite(wide).all()) and bool(
        (wide > limits.min - 0.5).all() and (wide < limits.max * (1 - 2.0**-9)).all()
    )


def conversions(case: Case) -> None:
    """Expressions of arrays."""
    count = int(case.rng.integers(1, 200))
    dtype = case.choose(TYPES)
    expected = elements(case, dtype, count)
    given = fused = apart = kp.array(expected)
    taken: list[Any] = []
    case.text = dtype
    for _ in range(int(case.rng.integers(2, 7))):
        step = case.choose(["astype", "astype", "astype", "floor", "minus", "compare", "double"])
        before = expected
        if step == "astype":
            other = case.choose(TYPES)
            if not fits(before, other):
                continue
            steps: Any = lambda x, other=other: x.astype(other)  # noqa: E731
            step = other
        elif step == "floor" and before.dtype.kind == "f":
            steps = lambda x: kp.floor(x) if isinstance(x, kp.Array) else np.floor(x)  # noqa: E731
        elif step == "minus" and before.dtype.kind == "f":
            steps = lambda x: x - x.astype("float32")  # noqa: E731
        elif step == "compare" and before.dtype.kind == "f":
            steps = lambda x: (x.astype("float32") < x).astype("float64")  # noqa: E731
        elif step == "double" and before.dtype.kind == "f":
            steps = lambda x: x + x  # noqa: E731
        else:
            continue
        case.text += f" {step}"
        taken.append(steps)
        expected, fused, apart = steps(before), steps(fused), steps(apart).evaluate()
    program = kp.function(lambda x: functools.reduce(lambda y, step: step(y), taken, x)).program(
        kp.zeros_like(given)
    )
    saved: Any = kp.Program.parse(program.content())(x=given)
    for result, what in (
        (fused.numpy(), "fused"), (apart.numpy(), "apart"), (saved.numpy(), "saved"),
    ):  # fmt: skip
        result = case.spoiled(result)
        np.testing.assert_array_equal(result, expected, err_msg=what, strict=True)


# --- floats ---------------------------------------------------------------------------------------

#: GLSL and Python of functions: their text, and the units in the last place that they may be off.
FUNCTIONS: list[tuple[str, int]] = [
    *((f"np.{name}(a)", 4) for name in "sin cos tan arcsin arccos arctan sinh cosh tanh".split()),
    *((f"np.{name}(a)", 4) for name in "arcsinh arccosh arctanh exp exp2 expm1".split()),
    *((f"np.{name}(a)", 4) for name in "log log2 log10 log1p cbrt sqrt".split()),
    *((f"np.{name}(a, b)", 4) for name in "arctan2 hypot".split()),
    *((f"np.{name}(a, b)", 0) for name in "copysign fmod maximum minimum fmin fmax".split()),
    ("a // b", 4),  # the true quotient; NumPy's own result if that is small
    *((text, 0) for text in ("a % b", "np.floor(a)", "np.trunc(a)", "np.rint(a)")),
    *((text, 4) for text in ("a ** b", "a ** 0.5", "a ** -0.5", "a ** 2", "a ** -1", "a ** 3.0")),
]


def jit(case: Case) -> None:
    """Functions of floats."""
    text, ulp = case.choose(FUNCTIONS)
    case.text = text
    count = 400
    x, y = (
        np.concatenate(
            [
                case.rng.choice(np.float32(SPECIAL), 100),
                (case.rng.normal(size=300) * 10.0 ** case.rng.integers(-8, 9, 300)).astype("f4"),
            ]
        )
        for _ in range(2)
    )
    kernel = case.function(f"a = x[i]\nb = y[i]\nout[i] = {text}", "x", "y", "out")
    given = case.spoiled(kernel(x, y, np.zeros(count, np.float32)))
    a, b = (x, y) if ulp == 0 else (x.astype(np.float64), y.astype(np.float64))
    if "**" in text:
        exponent = text.split("**")[1].strip()
        wide = np.power(a, b if exponent == "b" else np.full(count, float(exponent)))
    else:
        wide = eval(text, {"np": np, "a": a, "b": b})
    if "//" in text:
        wide = np.where(np.abs(wide) < 2.0**20, np.floor_divide(x, y), wide)
    # Devices may treat numbers below the normal ones as 0.
    wide = np.where((given == 0) & (np.abs(wide) < 2.0**-126), np.copysign(0, wide), wide)
    expected = wide.astype(np.float32)
    np.testing.assert_array_equal(np.isnan(given), np.isnan(expected))
    finite = np.isfinite(expected) & (np.abs(expected) < 3.4e38)
    infinite = np.isinf(wide)
    np.testing.assert_array_equal(given[infinite], expected[infinite])
    zero = (wide == 0) & ~np.isnan(wide)
    if not text.startswith(("np.m", "np.fm")) or "fmod" in text:  # either zero is the larger one
        np.testing.assert_array_equal(np.signbit(given[zero]), np.signbit(expected[zero]))
    size = np.maximum(np.abs(expected[finite]), np.float32(1e-37))
    error = np.abs(given[finite].astype(np.float64) - (wide if ulp else expected)[finite])
    worst = np.argmax(error / np.spacing(size)) if finite.any() else 0
    if finite.any() and error[worst] > ulp * np.spacing(size)[worst]:
        places = np.flatnonzero(finite)[worst]
        raise AssertionError(
            f"a = {x[places]!r}, b = {y[places]!r}: {given[places]!r} instead of {expected[places]!r}"
        )


# --- integers -------------------------------------------------------------------------------------


def integers(case: Case) -> None:
    """Integers of 64 bits."""
    rng = case.rng
    literal = int(rng.integers(1, 2**31)) * (1 if rng.random() < 0.5 else -1)
    stop, step = int(rng.integers(1, 20)), int(rng.integers(1, 4))
    term = case.choose(
        [
            f"k * {literal}",
            f"(k + i) * {literal}",
            "i * k * n",
            "x[i] * k + i",
            f"(i - k) // {abs(literal) % 97 + 1} * n",
            f"(i * {literal} + k) % {abs(literal) % 1009 + 2}",
            f"len(x) * {literal} - k",
        ]
    )
    case.text = f"{term} for k in range(0, {stop}, {step})"
    text = f"total = 0\nfor k in range(0, {stop}, {step}):\n    total += {term}\nout[i] = total"
    x = rng.integers(-(2**40), 2**40, 50)
    n = int(rng.integers(-(2**30), 2**30))
    given = case.spoiled(case.function(text, "x", "n", "out")(x, n, np.zeros(50, np.int64)))
    values = x.tolist()
    expected = []
    for i in range(50):
        names = {"x": values, "n": n, "i": i, "len": len}
        total = sum(eval(term, {**names, "k": k}) for k in range(0, stop, step))
        expected.append((total + 2**63) % 2**64 - 2**63)
    np.testing.assert_array_equal(given, expected)


KINDS: dict[str, Callable[[Case], None]] = {
    each.__name__: each for each in (conversions, jit, integers)
}


def main() -> int:
    """Run the cases. Returns the exit status."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=number(1), default=300)
    parser.add_argument("--seed", type=seed_option, default=1)
    parser.add_argument("--only", type=number(0))
    parser.add_argument("--kind", choices=list(KINDS))
    parser.add_argument("--plant", choices=["", "result"], default="")
    options = parser.parse_args()
    np.seterr(all="ignore")
    cases = range(options.count) if options.only is None else [options.only]
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for place in cases:
            case = Case(options.seed, place, options.plant != "", Path(folder))
            name = options.kind or list(KINDS)[place % len(KINDS)]
            try:
                KINDS[name](case)
            except Exception as error:
                failures += 1
                what = str(error) if isinstance(error, AssertionError) else traceback.format_exc()
                print(f"seed {options.seed}, case {place}: {name}: {case.text}: {what}", flush=True)
    if failures:
        return 1
    print(f"{len(cases)} cases of numbers, seed {options.seed}: as NumPy's and Python's")
    return 0


if __name__ == "__main__":
    sys.exit(main())
