# SPDX-License-Identifier: Apache-2.0
"""Compiles a shader file with the options of the command line."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import kp
from kp.cli.errors import CommandError


def compile_file(arguments: argparse.Namespace, compiler: Any = None, **options: Any) -> bytes:
    """Compile the SHADER argument to SPIR-V, for the device of ``compiler`` if it is a Manager."""
    path = Path(arguments.shader)
    with path.open("rb"):
        pass  # raises the error of an unreadable file
    if path.suffix.lower() == ".spv" and (arguments.define or arguments.include):
        raise CommandError(f"{path} is SPIR-V, but --define and --include are for source text")
    missing = [folder for folder in arguments.include if not Path(folder).is_dir()]
    if missing:
        raise CommandError(f"--include {missing[0]}: no such folder")
    spirv: bytes = (compiler or kp).compile(
        path,
        includes=arguments.include,
        defines=dict(arguments.define),
        language=arguments.language,
        **options,
    )
    return spirv


def kind_name(kind: str) -> str:
    """Return ``storage buffer`` for ``storage_buffer``."""
    return kind.replace("_", " ")


def binding_name(binding: kp.Binding) -> str:
    """Return ``binding 0 'values'``."""
    return f"binding {binding.binding}" + (f" '{binding.name}'" if binding.name else "")
