# SPDX-License-Identifier: Apache-2.0
"""The work items of a call, and the shapes of omitted arrays."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from .parameters import KernelParameter
from .shader import KernelShader

Shape = tuple[int, ...]


def largest_of(shapes: Iterable[tuple[str, Shape]]) -> tuple[Shape, str]:
    """Return the shape of the array with the most elements, and its name."""
    most: Shape = ()
    name = ""
    for each, shape in shapes:
        if not name or math.prod(shape) > math.prod(most):
            most, name = shape, each
    return most, name


def items_of(
    shader: KernelShader, threads: Any, given: Mapping[str, Any], largest: tuple[Shape, str]
) -> Shape:
    """Return the work items in x, y and z.

    - `threads`: a number, up to three, or a function of the arrays.
    - `largest`: the shape and the name of the array that decides if there are no `threads`.
    """
    if callable(threads):
        threads = threads(**given)
    if threads is not None:
        counts = tuple(threads) if isinstance(threads, (tuple, list)) else (threads,)
        if not 1 <= len(counts) <= 3 or not all(
            isinstance(each, (int, np.integer)) and not isinstance(each, bool) and each >= 0
            for each in counts
        ):
            raise ValueError(
                f"kernel '{shader.name}': threads is a number of work items, or up to three "
                f"(x, y, z), but was given {threads!r}"
            )
        return tuple(int(each) for each in counts)
    shape, name = largest
    if not name:
        raise TypeError(
            f"kernel '{shader.name}' has no array to take its size from; give threads=, or "
            f"call it as {shader.name}[threads](...)"
        )
    is_image = shader.by_name[name].kind == "image"
    axes = len(shape) if is_image else shader.axes
    if axes == 1:
        return (math.prod(shape),)
    if len(shape) != axes:
        raise ValueError(
            f"kernel '{shader.name}' has work items in {axes} dimensions, but its largest "
            f"array, {name}, has the shape {shape}; give threads=(x, y{', z' * (axes == 3)})"
        )
    return tuple(reversed(shape))


def output_shape(
    shader: KernelShader, parameter: KernelParameter, items: Shape, largest: Shape
) -> Shape:
    """Return the shape of an omitted array: the shape of the largest array given.

    An array that each work item accesses at its own index has the shape of the work items, `items`,
    if their number differs.
    """
    access = (parameter.name, tuple(reversed(range(len(items)))))
    own = access in shader.by_index and parameter.ndim in (None, len(items))
    shape = items if own and math.prod(items) != math.prod(largest) else largest
    if parameter.ndim is not None and parameter.ndim != len(shape):
        raise TypeError(
            f"kernel '{shader.name}' needs '{parameter.name}': its shape differs from the shape "
            f"of the largest array, {shape}"
        )
    return shape
