# SPDX-License-Identifier: Apache-2.0
"""Argument types for argparse, and the options that several commands share."""

from __future__ import annotations

import argparse
import math
import re
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

Role = Literal["in", "out", "in-out"]

DTYPES = {
    "f16": "float16", "f32": "float32", "f64": "float64",
    "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64",
    "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64",
    "half": "float16", "float": "float32", "double": "float64",
    "int": "int32", "uint": "uint32",
}  # fmt: skip
FULL_NAMES = frozenset(DTYPES.values())


@dataclass(frozen=True)
class MemoryArgument:
    """The value of one --in, --out or --in-out option."""

    role: Role
    path: str = ""
    shape: tuple[int, ...] = ()
    dtype: np.dtype[Any] | None = None


class AppendMemory(argparse.Action):
    """Collects --in, --out and --in-out in one list, in command-line order."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        setattr(namespace, self.dest, [*(getattr(namespace, self.dest) or []), values])


def input_file(text: str) -> MemoryArgument:
    return MemoryArgument("in", path=text)


def in_out_file(text: str) -> MemoryArgument:
    return MemoryArgument("in-out", path=text)


def output_shape(text: str) -> MemoryArgument:
    """Parse a shape in C order and an element type: ``16xf32``, ``480x640x4xu8``."""
    sizes, _, name = text.rpartition("x")
    dtype = parse_dtype(name)
    if dtype is None or not re.fullmatch(r"[0-9]+(x[0-9]+)*", sizes):
        raise argparse.ArgumentTypeError(
            f"'{text}' is not a shape and type such as 16xf32 or 480x640x4xu8; "
            f"types: {', '.join(sorted(set(DTYPES) | FULL_NAMES))}"
        )
    shape = tuple(int(size) for size in sizes.split("x"))
    if 0 in shape:
        raise argparse.ArgumentTypeError(f"'{text}' has no elements; sizes must be 1 or more")
    if math.prod(shape) * dtype.itemsize >= 2**63:
        raise argparse.ArgumentTypeError(f"'{text}' is too large; the limit is 2^63 bytes")
    return MemoryArgument("out", shape=shape, dtype=dtype)


def parse_dtype(name: str) -> np.dtype[Any] | None:
    name = name.lower()
    full = DTYPES.get(name, name)
    return np.dtype(full) if full in FULL_NAMES else None


def counts(text: str) -> tuple[int, int, int]:
    """Parse one to three positive numbers: ``64``, ``64,32`` or ``64,32,8``."""
    parts = text.split(",")
    if not 1 <= len(parts) <= 3 or not all(re.fullmatch(r"[0-9]+", part) for part in parts):
        raise argparse.ArgumentTypeError(f"'{text}' is not X, X,Y or X,Y,Z")
    values = [int(part) for part in parts]
    if not all(0 < value < 2**32 for value in values):
        raise argparse.ArgumentTypeError(f"'{text}': each number must be from 1 to 4294967295")
    x, y, z = [*values, 1, 1][:3]
    return x, y, z


def positive(text: str) -> int:
    if not re.fullmatch(r"[0-9]+", text) or int(text) == 0:
        raise argparse.ArgumentTypeError(f"'{text}' is not a positive whole number")
    return int(text)


def tolerance(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"'{text}' is not a finite number of 0 or more")
    return value


def define(text: str) -> tuple[str, str]:
    """Parse a macro definition: ``NAME=VALUE``, or ``NAME`` for ``NAME=1``."""
    name, equals, value = text.partition("=")
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        raise argparse.ArgumentTypeError(f"'{text}' is not NAME or NAME=VALUE")
    return name, value if equals else "1"


def assignment(text: str) -> tuple[str, str]:
    """Parse ``NAME=VALUE``."""
    name, equals, value = text.partition("=")
    if not name or not equals or not value:
        raise argparse.ArgumentTypeError(f"'{text}' is not NAME=VALUE")
    return name, value


def add_shader_options(parser: argparse.ArgumentParser) -> None:
    """Add the shader and the options of its compilation."""
    parser.add_argument(
        "shader", metavar="SHADER",
        help="a file of GLSL, HLSL (.hlsl) or Slang (.slang) text, or SPIR-V (.spv)",
    )  # fmt: skip
    parser.add_argument(
        "-D", "--define", metavar="NAME[=VALUE]", type=define, action="append", default=[],
        help="define a macro; may be repeated",
    )  # fmt: skip
    parser.add_argument(
        "-I", "--include", metavar="DIR", action="append", default=[],
        help="search this folder for #include files; may be repeated",
    )  # fmt: skip
    parser.add_argument(
        "--language", choices=("glsl", "hlsl", "slang"), default="",
        help="the shader's language (default: by the file name)",
    )  # fmt: skip


def add_device_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--device", metavar="DEVICE", default="",
        help="an index, a UUID, a type (discrete, integrated, virtual, cpu, gpu) or a part of a "
        "name; 'kp info' lists them (default: the environment variable KOMPUTE_DEVICE, else the "
        "best device)",
    )  # fmt: skip
