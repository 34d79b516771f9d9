# SPDX-License-Identifier: Apache-2.0
"""Launches that were planned before: an expression like an earlier one only gets other memory.

Expressions are alike if they apply the same functions to views with the same types, shapes and strides. Their
memory and their numbers may differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._kp import Tensor
from .codegen import Program
from .expressions import Node
from .storage import Storage, View

_MAX_PLANS = 4096


class Plan:
    """A kernel for expressions that are alike.

    - `memory`: the storages that it binds, as indices into those of the expression; -1 is the result.
    - `parameters`: all parameters, with the numbers of the first expression.
    - `numbers`: where the expression's numbers begin in them.
    - `names`: of the parameters of a launcher that takes the memory and the parameters with each call.
    """

    __slots__ = ("groups", "memory", "names", "numbers", "parameters", "source")

    def __init__(
        self,
        source: str,
        program: Program,
        sign: Signature,
        result: Storage | None,
        parameters: NDArray[np.uint32],
        groups: int,
    ) -> None:
        self.source = source
        self.parameters = parameters.tobytes()
        self.groups = groups
        places = {id(storage): index for index, storage in enumerate(sign.storages)}
        if result is not None:
            places[id(result)] = -1
        self.memory = [places[id(storage)] for storage in program.storages]
        first = len(parameters) - program.constant_words
        self.numbers = [4 * (first + program.constants[id(node)]) for node in sign.constants]
        self.names = [f"memory{index}" for index in range(len(self.memory))] + ["parameters"]

    def bound(self, storages: Sequence[Storage]) -> list[Tensor]:
        """Return the memory that it binds: of those of the expression, and of the result."""
        return [storages[i].tensor for i in self.memory]

    def with_numbers(self, numbers: Sequence[bytes]) -> bytes:
        """Return the parameters with other numbers, each given as the bytes of its words."""
        if not numbers:
            return self.parameters
        parameters = bytearray(self.parameters)
        for position, words in zip(self.numbers, numbers, strict=True):
            parameters[position : position + len(words)] = words
        return bytes(parameters)


class Signature:
    """What makes expressions alike, `key`, and what may differ: storages and constants."""

    __slots__ = ("_known", "constants", "key", "storages")

    def __init__(self, nodes: Sequence[Node], *more: Any, views: Sequence[View] = ()) -> None:
        """`more` and `views` are what the plan depends on, too."""
        self.storages: list[Storage] = []
        self.constants: list[Node] = []
        self._known: dict[int, int] = {}
        parts: list[Any] = [*more, nodes[0].shape if nodes else ()]
        for node in nodes:
            self._add(node, parts)
        for view in views:
            self._add_view(view, parts)
        self.key = tuple(parts)

    def numbers(self) -> list[bytes]:
        """Return the numbers as a plan takes them."""
        return [node.extra.tobytes() for node in self.constants]

    def _add_view(self, view: View, parts: list[Any]) -> None:
        storage = view.storage
        index = self._known.get(id(storage))
        if index is None:
            index = self._known[id(storage)] = len(self.storages)
            self.storages.append(storage)
        parts += (index, view.form())

    def _add(self, node: Node, parts: list[Any]) -> None:
        op = node.op
        if op == "leaf":
            assert node.view is not None
            self._add_view(node.view, parts)
            return
        if op == "const":
            index = self._known.get(id(node))
            if index is None:
                index = self._known[id(node)] = len(self.constants)
                self.constants.append(node)
            parts += ("const", node.dtype, index)
            return
        args = node.args
        parts += (op, node.extra, node.dtype, len(args))
        if op == "address":
            parts.append(node.shape)
        for arg in args:
            self._add(arg, parts)


_plans: dict[tuple[Any, ...], Plan] = {}


def known(sign: Signature) -> Plan | None:
    """Return the plan of an expression that is like an earlier one."""
    return _plans.get(sign.key)


def keep(sign: Signature, plan: Plan) -> Plan:
    """Keep a plan for expressions that are alike."""
    if len(_plans) >= _MAX_PLANS:
        _plans.clear()
    _plans[sign.key] = plan
    return plan
