# SPDX-License-Identifier: Apache-2.0
"""The arguments of kernels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._wording import counted, nearest

#: Keywords of every call. Shaders must not have arguments of these names.
KEYWORDS = ("threads", "mgr", "queue", "wait_for", "target")

#: Keywords of Kernel.tune().
TUNING_KEYWORDS = (
    "local_size",
    "constants",
    "defines",
    "threads",
    "mgr",
    "expect",
    "cache_folder",
    "effort",
    "budget",
    "progress",
)


@dataclass(frozen=True)
class KernelParameter:
    """An argument of a kernel.

    - ``index``: its index among the arguments of a launcher; -1 for an array of which the shader
      uses only the shape.
    - ``kind``: "buffer", "image", "value" (of the push constants) or "constant" (a specialization
      constant, which may be left out).
    - ``components``: numbers in an element of the shader's array, or in the value.
    - ``stride``: bytes of an element of the shader's array; 0 if the buffer has no such array.
    - ``ndim``: the number of dimensions that an array must have, without the components; None for
      any.
    """

    name: str
    index: int
    kind: str
    dtype: np.dtype[Any] | None
    components: int = 1
    stride: int = 0
    reads: bool = False
    writes: bool = False
    ndim: int | None = None
    aliases: tuple[str, ...] = ()

    @property
    def is_array(self) -> bool:
        return self.kind in ("buffer", "image")

    @property
    def is_output(self) -> bool:
        """Whether the shader writes every element that it accesses, so that calls may omit it."""
        return self.kind == "buffer" and self.writes and not self.reads and self.dtype is not None


@dataclass(frozen=True)
class Extent:
    """A hidden argument: an extent of a parameter's array."""

    index: int
    name: str
    axis: int


class Signature:
    """The signature of a kernel's calls.

    - `kernel`: its name, for messages.
    - `positional`: the arguments that have a position, in their order.
    - `named`: optional arguments, given only by name.
    - `aliases`: further names of arguments.
    - `defaults`: the values of omitted arguments.
    """

    def __init__(
        self,
        kernel: str,
        positional: Sequence[str],
        named: Sequence[str] = (),
        aliases: Mapping[str, str] | None = None,
        defaults: Mapping[str, Any] | None = None,
    ) -> None:
        self.kernel = kernel
        self.positional = tuple(positional)
        self.named = frozenset(named)
        self.names = (*positional, *named)
        self._known = {**(aliases or {}), **{name: name for name in self.names}}
        self._defaults = {**(defaults or {})}

    def bind(
        self,
        args: tuple[Any, ...],
        kwargs: Mapping[str, Any],
        keywords: tuple[str, ...] = KEYWORDS,
    ) -> dict[str, Any]:
        """Return the arguments of a call by name, except None.

        `keywords` are the other keywords of the call, for messages.
        """
        positional = self.positional
        if not kwargs and len(args) == len(positional):
            for value in args:
                if value is None:
                    break
            else:
                return dict(zip(positional, args, strict=True))
        if len(args) > len(positional):
            raise TypeError(
                f"kernel '{self.kernel}' takes {counted(len(positional), 'argument')} "
                f"({', '.join(positional)}), but was given {len(args)}"
            )
        values = dict(zip(positional, args, strict=False))
        for given, value in kwargs.items():
            name = self._known.get(given)
            if name is None:
                known = [*self.names, *keywords]
                raise TypeError(
                    f"kernel '{self.kernel}' has no argument '{given}'{nearest(given, known)}"
                )
            if name in values:
                raise TypeError(f"kernel '{self.kernel}' got its argument '{given}' twice")
            values[name] = value
        for name, value in self._defaults.items():
            if values.get(name) is None:
                values[name] = value
        for value in values.values():
            if value is None:
                return {name: each for name, each in values.items() if each is not None}
        return values

    def refuse(self, missing: Sequence[str]) -> None:
        """Raise TypeError if arguments are missing."""
        if missing:
            raise TypeError(
                f"kernel '{self.kernel}' needs {', '.join(map(repr, missing))}; it takes "
                f"{', '.join(self.positional)}"
            )
