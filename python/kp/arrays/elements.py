# SPDX-License-Identifier: Apache-2.0
"""Shaders that compute the elements of expressions."""

from __future__ import annotations

from .codegen import LOCAL_SIZE, WIDE, Layout, Program, Writer, each_of, renamed
from .rules import GPU, Rules

#: The index of this invocation: work groups in x and y are counted as one row.
GLOBAL_INDEX = (
    "    uint i = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * "
    f"{LOCAL_SIZE}u + gl_LocalInvocationIndex;\n"
)


def wide_bindings(
    program: Program, layout: Layout, rules: Rules, count: int, part: str = "kept"
) -> frozenset[int]:
    """Return the bindings that a kernel accesses in vectors along a part of so many elements."""
    if not rules.strip or count % WIDE != 0 or each_of(len(program.instructions)) == 1:
        return frozenset()
    return program.wide(layout, part)


def elements_of(program: Program, rules: Rules) -> int:
    """Return how many elements a work group computes."""
    return LOCAL_SIZE * (rules.strip or each_of(len(program.instructions)))


def _strip_source(program: Program, layout: Layout, strip: int, wide: frozenset[int]) -> str:
    """Return the shader whose invocations compute a strip of elements one after the other.

    The elements of an invocation, or the vectors if accesses are wide, are a work group apart.
    """
    writer = Writer(program, layout, 1, wide=wide)
    step = LOCAL_SIZE * (WIDE if wide else 1)
    index = "gl_LocalInvocationIndex" + (f" * {WIDE}u" if wide else "")
    body = (
        "    uint first = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * "
        f"{LOCAL_SIZE * strip}u;\n"
        f"    uint end = min(p[0], first + {LOCAL_SIZE * strip}u);\n"
        f"    for (uint i = first + {index}; i < end; i += {step}u) {{\n"
    )
    if wide:
        body += "".join(writer.neighbours("i", "kept", "        "))
    else:
        body += writer.coordinates("i", "kept", "        ")
        for at in range(len(program.instructions)):
            body += f"        {writer.statement(at, 'i', '0u')}\n"
    return writer.source("elements", body + "    }\n")


def elementwise_source(
    program: Program, layout: Layout, rules: Rules = GPU, wide: frozenset[int] = frozenset()
) -> str:
    """Return the shader that computes the elements.

    Parameter 0 is the number of elements. An invocation computes as many as each_of() says, which
    are a work group apart: first it loads all of them, then it stores them. Or it computes a strip.
    """
    if rules.strip:
        return _strip_source(program, layout, rules.strip, wide)
    writer = Writer(program, layout, 1)
    each = each_of(len(program.instructions))
    if each == 1:
        body = GLOBAL_INDEX + "    if (i >= p[0]) return;\n"
        body += writer.coordinates("i", "kept", "    ")
        for index in range(len(program.instructions)):
            body += f"    {writer.statement(index, 'i', '0u')}\n"
        return writer.source("elements", body)
    body = (
        "    uint i0 = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * "
        f"{LOCAL_SIZE * each}u + gl_LocalInvocationIndex;\n    if (i0 >= p[0]) return;\n"
    )
    stores = ""
    for part in range(each):
        if part:
            body += f"    uint i{part} = min(i0 + {part * LOCAL_SIZE}u, p[0] - 1u);\n"
        body += renamed(writer.coordinates(f"i{part}", "kept", "    "), "kept", f"_{part}")
        for index, instruction in enumerate(program.instructions):
            text = renamed(writer.statement(index, f"i{part}", "0u"), "kept", f"_{part}")
            if instruction[0] != "store":
                body += f"    {text}\n"
            elif part:
                stores += f"    if (i0 + {part * LOCAL_SIZE}u < p[0]) {{ {text} }}\n"
            else:
                stores += f"    {text}\n"
    return writer.source("elements", body + stores)
