# SPDX-License-Identifier: Apache-2.0
"""Texts of kernels: the short form, and the names of arrays."""

from __future__ import annotations

import re

from .shader import IndexedAccess

_COMMENTS = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
_SHORT = re.compile(r"\bkernel\s+void\s+(\w+)\s*\(([^)]*)\)\s*\{")
_MAIN = re.compile(r"\bvoid\s+main\s*\(")
_ARGUMENT = re.compile(r"(?:(in|out|inout)\s+)?(\w+)\s+(\w+)\s*(\[\s*\])?")
_BLOCK = re.compile(r"layout\s*\(([^)]*)\)[^;{}()]*?\b(?:buffer|uniform)\s+\w+\s*\{([^{}]*)\}")
_SMALL = re.compile(r"\b(?:u?int(?:8|16|64)_t|float16_t|[iu](?:8|16|64)vec[234]|f16\w+)\b")

#: Declarations of the short form.
_HEADER = """layout(local_size_x = {local_size}) in;
{buffers}layout(push_constant) uniform KpArguments {{
    uvec3 kp_global_size;
{values}}};
"""
_START = """void main() {
    const uint i = gl_GlobalInvocationID.x
        + gl_GlobalInvocationID.y * gl_NumWorkGroups.x * gl_WorkGroupSize.x;
    if (i >= kp_global_size.x)
        return;
   """


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])


def _declarations(name: str, text: str) -> tuple[list[str], str, str]:
    """Return the names, the buffers and the push constants of the arguments of the short form."""
    names, buffers, values = [], "", ""
    for each in text.split(",") if text.strip() else []:
        match = _ARGUMENT.fullmatch(each.strip())
        if match is None:
            raise ValueError(
                f"kernel '{name}': an argument is 'in float x[]' (in, out or inout) or 'float a', "
                f"but '{' '.join(each.split())}' was given"
            )
        access, kind, argument, is_array = match.groups()
        if argument in names or argument == "i":
            why = "is the index" if argument == "i" else "is there twice"
            raise ValueError(f"kernel '{name}': the argument '{argument}' {why}; rename it")
        names.append(argument)
        if not is_array:
            if access in ("out", "inout"):
                raise ValueError(
                    f"kernel '{name}': only arrays are written, but '{argument}' is none; declare "
                    f"'{access} {kind} {argument}[]'"
                )
            values += f"    {kind} {argument};\n"
            continue
        layout = "scalar, " if re.search(r"vec3|mat", kind) else ""
        limit = {"in": "readonly ", "out": "writeonly "}.get(access or "inout", "")
        buffers += (
            f"layout({layout}binding = {buffers.count(';;')}) {limit}buffer Kp_{argument} "
            f"{{ {kind} {argument}[]; }};;\n"
        )
    return names, buffers.replace(";;", ";"), values


def expand(source: str, local_size: int = 64) -> tuple[str, str, list[str]] | None:
    """Return the full shader of a text in the short form, its name and its arguments' names.

    Returns None if the text is not in the short form.
    """
    plain = _COMMENTS.sub(_blank, source)
    match = _SHORT.search(plain)
    if match is None or _MAIN.search(plain):
        return None
    if second := _SHORT.search(plain, match.end()):
        raise ValueError(
            f"a text has one kernel, but '{match[1]}' and '{second[1]}' were given; make one kernel "
            "of each"
        )
    names, buffers, values = _declarations(match[1], match[2])
    before = plain[: match.start()]
    directives = re.findall(r"^\s*#\s*(?:version|extension)\b[^\n]*$", before, re.M)
    version = [line.strip() for line in directives if "version" in line.split()[0] + line]
    version = [line for line in version if re.match(r"#\s*version", line)] or ["#version 450"]
    extensions = [line.strip() for line in directives if not re.match(r"\s*#\s*version", line)]
    if _SMALL.search(plain):
        extensions.append("#extension GL_EXT_shader_explicit_arithmetic_types : require")
    if "layout(scalar" in buffers:
        extensions.append("#extension GL_EXT_scalar_block_layout : require")
    for line in directives:
        before = before.replace(line.strip(), " " * len(line.strip()), 1)
    header = _HEADER.format(local_size=local_size, buffers=buffers, values=values)
    shader = "\n".join([version[0], *extensions, header]) + before.lstrip("\n") + _START
    return shader + source[match.end() :].rstrip() + "\n", match[1], names


def by_index(source: str, names: list[str]) -> tuple[IndexedAccess, ...]:
    """Return the arrays of a short form that are accessed at [i] and whose length is not used."""
    plain = _COMMENTS.sub(_blank, source)
    return tuple(
        (name, (0,))
        for name in names
        if re.search(rf"\b{name}\s*\[\s*i\s*\]", plain)
        and not re.search(rf"\b{name}\s*\.\s*length\b", plain)
    )


def array_names(source: str) -> dict[int, str]:
    """Return the names of the arrays in the blocks of a shader, by binding."""
    names = {}
    for match in _BLOCK.finditer(_COMMENTS.sub(_blank, source)):
        binding = re.search(r"\bbinding\s*=\s*(\d+)", match[1])
        members = [member.strip() for member in match[2].split(";") if member.strip()]
        if binding and members:
            last = re.fullmatch(r".*?(\w+)\s*(\[[^\[\]]*\])?", members[-1], re.S)
            if last and (last[2] or len(members) == 1):
                names[int(binding[1])] = last[1]
    return names
