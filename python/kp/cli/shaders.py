# SPDX-License-Identifier: Apache-2.0
"""Reads a shader file as the options of the command line say."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import kp
from kp.cli.errors import CommandError


def compile_file(arguments: argparse.Namespace, compiler: Any = None, **options: Any) -> bytes:
    """SPIR-V of the SHADER argument. ``compiler``: a Manager, to target its device."""
    path = Path(arguments.shader)
    with path.open("rb"):
        pass  # a file that cannot be read is told as one
    if path.suffix.lower() == ".spv" and (arguments.define or arguments.include):
        raise CommandError(f"{path}: --define and --include are for source text, not for SPIR-V")
    missing = [folder for folder in arguments.include if not Path(folder).is_dir()]
    if missing:
        raise CommandError(f"--include {missing[0]}: there is no such folder")
    spirv: bytes = (compiler or kp).compile(
        path,
        includes=arguments.include,
        defines=dict(arguments.define),
        language=arguments.language,
        **options,
    )
    return spirv


def kind_name(kind: str) -> str:
    """``storage buffer`` for ``storage_buffer``."""
    return kind.replace("_", " ")


def binding_name(binding: kp.Binding) -> str:
    """``binding 0 'values'``."""
    return f"binding {binding.binding}" + (f" '{binding.name}'" if binding.name else "")
