# SPDX-License-Identifier: Apache-2.0
"""The optional shader features of a device, probed by building small shaders."""

from __future__ import annotations

from typing import Any

import kp

TYPES = "GL_EXT_shader_explicit_arithmetic_types"

# Name, extensions, buffer members and a statement that need the feature. The buffer also has a
# first member, so that the library does not compare its element type with the bound memory's.
PROBES: tuple[tuple[str, tuple[str, ...], str, str], ...] = (
    ("float64", (), "double v;", "v *= 2.0LF;"),
    ("float16", (TYPES,), "float v;", "v = float(float16_t(v) * float16_t(v));"),
    ("int64", (TYPES,), "int64_t v;", "v *= v;"),
    ("int16", (TYPES,), "int v;", "v = int(int16_t(v) * int16_t(v));"),
    ("int8", (TYPES,), "int v;", "v = int(int8_t(v) * int8_t(v));"),
    ("storage16", ("GL_EXT_shader_16bit_storage",), "uint16_t v; uint16_t w;", "w = v;"),
    ("storage8", ("GL_EXT_shader_8bit_storage",), "uint8_t v; uint8_t w;", "w = v;"),
    ("float_atomics", ("GL_EXT_shader_atomic_float",), "float v;", "atomicAdd(v, 1.0);"),
    ("int64_atomics", (TYPES, "GL_EXT_shader_atomic_int64"), "int64_t v;", "atomicAdd(v, v);"),
    ("buffer_addresses", (TYPES, "GL_EXT_buffer_reference"), "uint64_t v;", "P(v).x = 1u;"),
)


def probe(index: int) -> dict[str, Any]:
    """Return ``{"features": {name: bool}}``, or ``{"error": text}`` if the device does not open."""
    try:
        with kp.Manager(device=index, cache_folder="off") as manager:
            memory = manager.tensor_t(shape=(16,), dtype="uint32")
            return {
                "features": {
                    name: accepts(manager, memory, shader(extensions, members, statement))
                    for name, extensions, members, statement in PROBES
                }
            }
    except kp.Error as error:
        return {"error": str(error)}


def shader(extensions: tuple[str, ...], members: str, statement: str) -> str:
    enabled = "".join(f"#extension {name} : require\n" for name in extensions)
    pointer = "layout(buffer_reference) buffer P { uint x; };\n" if "P(" in statement else ""
    return (
        f"#version 450\n{enabled}layout(local_size_x = 1) in;\n{pointer}"
        f"layout(binding = 0) buffer B {{ uint first; {members} }};\n"
        f"void main() {{ {statement} }}\n"
    )


def accepts(manager: kp.Manager, memory: kp.Memory, text: str) -> bool:
    try:
        manager.algorithm([memory], text, (1, 1, 1))
    except kp.Error:
        return False
    return True
