# SPDX-License-Identifier: Apache-2.0
"""What arrays hold until they are computed: graphs of elementwise functions over views.

A node becomes a leaf when it is computed, and forgets what it was made of. Graphs are small: when
one would grow past a limit, its largest part is computed first.
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from .._kp import Manager
from .functions import FUNCTIONS, resolve
from .storage import (
    DType,
    Shape,
    Storage,
    View,
    alive,
    contiguous_strides,
    note,
    require_countable,
)
from .types import words_of

#: Functions that one kernel computes at most, and memory objects that it reads.
MAX_NODES = 48
MAX_LOADS = 6

#: Whoever computes expressions has this lock, because a node that is computed changes.
lock = threading.RLock()


class Node:
    """A value per element. `op` is one of

    - "leaf": an element of `view`
    - "const": `extra` is the words of a constant
    - "address": the place of an element in a view without memory; `extra` is offset and strides
    - "call": a function of FUNCTIONS by its name `extra`
    - "text": GLSL, in `extra`, over {0}, {1}, ...
    - "cast": the argument in another dtype
    - "take": an element of the first argument, a leaf, from its place on and further by the other
      arguments, indices; `extra` has pairs of extent and stride for each
    """

    __slots__ = (
        "__weakref__",
        "args",
        "dtype",
        "extra",
        "loads",
        "manager",
        "nodes",
        "op",
        "shape",
        "shared",
        "view",
    )

    def __init__(
        self,
        op: str,
        manager: Manager | None,
        dtype: DType,
        shape: Shape,
        args: tuple[Node, ...] = (),
        extra: Any = None,
    ) -> None:
        self.op = op
        self.manager = manager
        self.dtype = dtype
        self.shape = shape
        self.args = args
        self.extra = extra
        self.view: View | None = None
        self.nodes = 1
        self.loads = 0
        self.shared = False  # whether it reads memory that may change unseen
        for arg in args:
            self.nodes += arg.nodes
            self.loads += arg.loads
            if arg.shared:
                self.shared = True

    def become(self, view: View) -> None:
        """Turn into a leaf. Other expressions with this node read the view from now on."""
        self.view = view
        self.op = "leaf"
        self.args = ()
        self.extra = None
        self.nodes = 1
        self.loads = 1
        self.shared = view.storage.shared
        note(view.storage.leaves, self)


def leaf(view: View) -> Node:
    """Return the elements of a view."""
    node = Node("leaf", view.storage.manager, view.storage.dtype, view.shape)
    node.view = view
    node.loads = 1
    node.shared = view.storage.shared
    note(view.storage.leaves, node)
    return node


def constant(value: Any, dtype: DType) -> Node:
    """Return a number for all elements. OverflowError if a Python integer does not fit."""
    return Node("const", None, dtype, (), (), words_of(value, dtype))


def address(manager: Manager, shape: Shape, axis: int, dtype: DType) -> Node:
    """Return the index along an axis."""
    require_countable(shape)
    strides = [0] * len(shape)
    strides[axis] = 1
    return Node("address", manager, dtype, shape, (), (0, tuple(strides)))


def linear_address(manager: Manager, shape: Shape, dtype: DType) -> Node:
    """Return the index in C order."""
    require_countable(shape)
    return Node("address", manager, dtype, shape, (), (0, contiguous_strides(shape)))


def cast(node: Node, dtype: DType) -> Node:
    """Return the elements in another dtype."""
    if node.dtype == dtype:
        return node
    return limited("cast", dtype, node.shape, (node,))


def storages(node: Node, found: dict[int, Storage] | None = None) -> dict[int, Storage]:
    """Return all storages that an expression reads, by id."""
    if found is None:
        found = {}
    if node.view is not None:
        found[id(node.view.storage)] = node.view.storage
    for arg in node.args:
        storages(arg, found)
    return found


def other_manager() -> ValueError:
    """Return the error about arrays of different managers in one call."""
    return ValueError(
        "the arrays belong to different managers; bring one to the other's device with to_device()"
    )


def limited(op: str, dtype: DType, shape: Shape, args: tuple[Node, ...], extra: Any = None) -> Node:
    """Return a new node. Arguments that would make the graph too large are computed first."""
    node = Node(op, None, dtype, shape, args, extra)
    for arg in args:
        manager = arg.manager
        if manager is not None and manager is not node.manager:
            if node.manager is not None:
                raise other_manager()
            node.manager = manager
    if node.nodes > MAX_NODES or node.loads > MAX_LOADS:
        if _reduce_size(args, node.nodes):
            return Node(op, node.manager, dtype, shape, args, extra)
    return node


def _reduce_size(args: tuple[Node, ...], nodes: int) -> bool:
    """Compute arguments until the rest is small enough. Return whether there were any."""
    from .launching import materialize

    computed = False

    def fits() -> bool:
        if sum(arg.nodes for arg in args) > MAX_NODES:
            return False
        found: dict[int, Storage] = {}
        for arg in args:
            storages(arg, found)
        return len(found) <= MAX_LOADS

    for arg in sorted(set(args), key=lambda each: (-each.loads, -each.nodes)):
        if fits():
            return computed
        if arg.op not in ("leaf", "const", "address"):
            materialize(arg)
            computed = True
    return computed


def call(name: str, args: tuple[Node, ...], kinds: tuple[Any, ...], shape: Shape) -> Node | None:
    """Return a function of nodes, or None if the host has to compute it."""
    types = resolve(name, kinds)
    function = FUNCTIONS[name]
    if function.name.startswith("logical_"):
        types = (np.dtype(np.bool_),) * len(types)
    from .types import number

    if function.text(number(types[0])) is None:
        return None
    converted = tuple(cast(arg, kind) for arg, kind in zip(args, types, strict=False))
    return limited("call", types[-1], shape, converted, name)


def before_write(storage: Storage) -> None:
    """Prepare for writing to a storage: expressions that read it get a copy, as it is now.

    That includes the expression that is going to be written, which may read other elements of the
    storage than it sets. Its nodes must exist already.
    """
    if not storage.leaves:
        return
    pending = alive(storage.leaves)
    storage.leaves.clear()
    if not pending:
        return
    from .launching import copy_storage

    copied = copy_storage(storage)
    for node in pending:
        view = node.view
        assert view is not None
        node.view = View(copied, view.offset, view.shape, view.strides)
        note(copied.leaves, node)
