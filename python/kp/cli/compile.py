# SPDX-License-Identifier: Apache-2.0
"""``kp compile``: compiles a shader to SPIR-V and shows its reflection."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import kp
from kp.cli.arguments import add_shader_options
from kp.cli.bindings import access
from kp.cli.command import Command
from kp.cli.convert_shaders import is_namespace, to_header
from kp.cli.errors import CommandError, UsageError
from kp.cli.image_formats import element_type
from kp.cli.shaders import compile_file, kind_name
from kp.cli.table import format_bytes, format_shape, format_table

EXAMPLE = """example:
  kp compile blur.comp -o blur.spv -D RADIUS=3
  kp compile blur.comp --reflect

Without -o, --header and --reflect, the SPIR-V is written to SHADER.spv in the current folder.
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    add_shader_options(parser)
    parser.add_argument(
        "--entry-point", metavar="NAME", default="main", help="the entry point (default: main)"
    )
    parser.add_argument(
        "-g", "--debug-info", action="store_true", help="keep names and line numbers for debuggers"
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="the SPIR-V file; - is standard output"
    )
    parser.add_argument("--header", metavar="FILE", help="write a C++ header; - is standard output")
    parser.add_argument(
        "--namespace",
        metavar="NAME",
        default="shaders",
        help="the C++ namespace of the header (default: %(default)s)",
    )
    parser.add_argument(
        "--reflect", action="store_true", help="show bindings, constants and local size"
    )


def compile_shader(arguments: argparse.Namespace) -> int:
    if not is_namespace(arguments.namespace):
        raise UsageError(
            f"--namespace '{arguments.namespace}' is not a C++ namespace such as my::shaders"
        )
    spirv = compile_file(
        arguments, entry_point=arguments.entry_point, debug_info=arguments.debug_info
    )
    name = Path(arguments.shader).name
    output = arguments.output
    if output is None and not (arguments.header or arguments.reflect):
        output = f"{name}.spv" if not name.lower().endswith(".spv") else None
        if output is None:
            print(f"{arguments.shader}: valid SPIR-V, {format_bytes(len(spirv))}")
    if output is not None:
        write_bytes(output, spirv)
    if arguments.header:
        text = to_header(spirv, name, arguments.namespace)
        write_bytes(arguments.header, text.encode())
    if arguments.reflect:
        print_reflection(kp.reflect(spirv, arguments.entry_point))
    return 0


def write_bytes(path: str, data: bytes) -> None:
    if path == "-":
        sys.stdout.flush()
        binary = getattr(sys.stdout, "buffer", None)
        if binary is None:
            raise CommandError("standard output does not accept bytes; give -o a file name")
        binary.write(data)
        binary.flush()
    else:
        Path(path).write_bytes(data)
        print(f"{path}: {format_bytes(len(data))}", file=sys.stderr)


def print_reflection(reflection: kp.Reflection) -> None:
    sizes = [
        f"{size} (constant_id {id})" if id is not None else str(size)
        for size, id in zip(reflection.local_size, reflection.local_size_ids, strict=True)
    ]
    print(f"entry point   {reflection.entry_point}")
    print(f"local size    {' x '.join(sizes)}")
    print(f"capabilities  {' '.join(reflection.capabilities)}")
    if reflection.bindings:
        rows = [binding_row(binding) for binding in reflection.bindings]
        print("\n" + format_table(rows, ("binding", "set", "name", "kind", "type", "access")))
    if reflection.push_constants:
        rows = [
            [each.name, type_name(each.dtype, each.components), str(each.offset), str(each.size)]
            for each in reflection.push_constants
        ]
        print("\n" + format_table(rows, ("push constant", "type", "offset", "bytes"), right={2, 3}))
    if reflection.spec_constants:
        rows = [
            [str(each.id), each.name, str(each.dtype), str(each.default)]
            for each in reflection.spec_constants
        ]
        print("\n" + format_table(rows, ("constant_id", "name", "type", "default")))


def binding_row(binding: kp.Binding) -> list[str]:
    kind = kind_name(binding.kind) + (f"[{binding.count}]" if binding.count != 1 else "")
    element = type_name(element_type(binding) or binding.dtype, binding.components)
    return [str(binding.binding), str(binding.set), binding.name, kind, element, access(binding)]


def type_name(dtype: object, components: int) -> str:
    if dtype is None:
        return "struct"
    return f"{dtype} x {format_shape((components,))}" if components > 1 else str(dtype)


COMMAND = Command(
    name="compile",
    help="compile a shader to SPIR-V, a C++ header, or a description",
    description="Compiles a compute shader to SPIR-V. Needs no device.",
    epilog=EXAMPLE,
    add_options=add_options,
    run=compile_shader,
)
