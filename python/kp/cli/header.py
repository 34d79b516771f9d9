# SPDX-License-Identifier: Apache-2.0
"""SPIR-V as a C++ header, in the form that the CMake functions make."""

from __future__ import annotations

import re

import numpy as np

WORDS_A_LINE = 8


def to_header(spirv: bytes, file_name: str, namespace: str) -> str:
    """A header with ``const std::array<uint32_t, N> BLUR_COMP_SPV`` for ``blur.comp``."""
    words = np.frombuffer(spirv, dtype=np.uint32)
    lines = [
        "    " + " ".join(f"0x{word:08x}," for word in words[start : start + WORDS_A_LINE])
        for start in range(0, len(words), WORDS_A_LINE)
    ]
    return "\n".join(
        [
            f"// SPIR-V of {file_name}, made by kp compile. Do not edit.",
            "#pragma once",
            "",
            "#include <array>",
            "#include <cstdint>",
            "",
            f"namespace {namespace} {{",
            "",
            f"const std::array<uint32_t, {len(words)}> {variable_name(file_name)} = {{{{",
            *lines,
            "}};",
            "",
            f"}} // namespace {namespace}",
            "",
        ]
    )


def variable_name(file_name: str) -> str:
    stem = file_name[:-4] if file_name.lower().endswith(".spv") else file_name
    name = re.sub(r"\W", "_", stem, flags=re.ASCII).upper() + "_SPV"
    return f"_{name}" if name[0].isdigit() else name
