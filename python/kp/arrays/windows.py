# SPDX-License-Identifier: Apache-2.0
"""Memory that is larger than what a kernel may bind, the device's maxStorageBufferRange.

Kernels run block by block then, with copies of the windows of memory that a block reads and writes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from .._errors import Unsupported
from .._kp import Manager, OpConcatenate, Tensor
from .codegen import Write
from .expressions import Node, leaf, storages
from .storage import Shape, Storage, View, broadcast_strides

#: A view, and the extents and strides by which indices go beyond it.
_Walk = tuple[View, tuple[tuple[int, int], ...]]


@dataclass(eq=False)
class _Window:
    """The elements of a storage from one on to before another, and a copy of them."""

    storage: Storage
    low: int
    high: int
    copied: Storage | None = None

    @property
    def nbytes(self) -> int:
        return (self.high - self.low) * self.storage.dtype.itemsize

    def read(self) -> None:
        """Copy them from the memory."""
        self._move(OpConcatenate([self._range()], self._copy().tensor))

    def write_back(self) -> None:
        """Copy them to the memory."""
        self._move(OpConcatenate([self._copy().tensor], self._range()))

    def view(self, view: View) -> View:
        """Return a view of the copy."""
        offset = view.offset - self.low
        return View(self._copy(), offset, view.shape, view.strides, view.writable)

    def _copy(self) -> Storage:
        if self.copied is None:
            shape = (self.high - self.low,)
            self.copied = View.new(self.storage.manager, shape, self.storage.dtype).storage
        return self.copied

    def _range(self) -> tuple[Tensor, int, int]:
        return (self.storage.tensor, self.low, self.high - self.low)

    def _move(self, copy: OpConcatenate) -> None:
        self.storage.manager._launch(copy)


def too_large(device: str, limit: int, nbytes: int) -> Unsupported:
    """Return the error about memory that a kernel cannot bind."""
    return Unsupported(
        f"an array in {nbytes} bytes of memory is over {device}'s maxStorageBufferRange of {limit} "
        "bytes, and this function needs all of it at once; apply it to parts, x[:n].copy() and so on"
    )


def any_large(nodes: Sequence[Node]) -> bool:
    """Return whether expressions read memory that a kernel cannot bind."""
    return any(each.large for node in nodes for each in storages(node).values())


def _nodes(writes: Sequence[Write]) -> list[Node]:
    found = []
    for write in writes:
        found += [write.value, *write.indices, *([] if write.mask is None else [write.mask])]
    return found


def needs_blocks(writes: Sequence[Write]) -> bool:
    """Return whether the kernel of some writes cannot bind all of their memory."""
    return any(each.view.storage.large for each in writes) or any_large(_nodes(writes))


# --- What is read and written ---------------------------------------------------------------------


def _walks(node: Node, found: list[_Walk], seen: set[int]) -> None:
    """Collect the views of large memory that a node reads, and the steps of indices beyond them."""
    if id(node) in seen:
        return
    seen.add(id(node))
    args = node.args
    if node.op == "take":
        base = args[0].view
        assert base is not None
        if base.storage.large:
            found.append((base, node.extra))
        args = args[1:]
    elif node.view is not None and node.view.storage.large:
        found.append((node.view, ()))
    for arg in args:
        _walks(arg, found, seen)


def _large_walks(nodes: Sequence[Node], writes: Sequence[Write]) -> list[_Walk]:
    found: list[_Walk] = []
    seen: set[int] = set()
    for node in nodes:
        _walks(node, found, seen)
    for write in writes:
        if write.view.storage.large:
            found.append((write.view, write.steps))
    return found


def _span(view: View, steps: tuple[tuple[int, int], ...] = ()) -> tuple[int, int]:
    """Return the first element that a view reaches and the one after the last."""
    first = last = view.offset
    for extent, stride in (*zip(view.shape, view.strides, strict=True), *steps):
        first += min(0, (extent - 1) * stride)
        last += max(0, (extent - 1) * stride)
    return first, last + 1


def _windows(walks: list[_Walk]) -> list[_Window]:
    """Return the windows of memory that views reach. Those of a storage do not overlap."""
    found: list[_Window] = []
    spans = [(id(view.storage), *_span(view, steps), view.storage) for view, steps in walks]
    for key, low, high, storage in sorted(spans, key=lambda each: each[:3]):
        if found and id(found[-1].storage) == key and low < found[-1].high:
            found[-1].high = max(found[-1].high, high)
        else:
            found.append(_Window(storage, low, high))
    return found


def _fit(windows: list[_Window]) -> bool:
    return all(each.nbytes <= each.storage.home.range for each in windows)


def _axis(shape: Shape, walks: list[_Walk]) -> int:
    """Return the axis along which a block has to be split: the one with the longest way in memory."""
    ways = [0] * len(shape)
    for view, _ in walks:
        for axis, stride in enumerate(broadcast_strides(view.shape, view.strides, shape)):
            ways[axis] = max(
                ways[axis], (shape[axis] - 1) * abs(stride) * view.storage.dtype.itemsize
            )
    if not any(ways):
        storage = walks[0][0].storage
        device = storage.manager.get_device_properties()["device_name"]
        raise too_large(device, storage.home.range, storage.tensor.nbytes)
    return ways.index(max(ways))


# --- Parts ----------------------------------------------------------------------------------------


def _rebuilt(node: Node, change: Callable[[Node], Node | None], known: dict[int, Node]) -> Node:
    """Return a node whose leaves and addresses are changed; kernels read the shapes of these alone."""
    found = known.get(id(node))
    if found is None:
        found = change(node)
        if found is None:
            args = tuple(_rebuilt(arg, change, known) for arg in node.args)
            found = Node(node.op, node.manager, node.dtype, node.shape, args, node.extra)
        known[id(node)] = found
    return found


def part_of(view: View, axis: int, start: int, count: int) -> View:
    """Return the part of a view along one of its axes."""
    return _slice(view, view.shape, axis, start, count)


def _slice(view: View, full: Shape, axis: int, start: int, count: int) -> View:
    """Return the part of a view, which broadcasts to a shape, along an axis of that."""
    own = axis - (len(full) - len(view.shape))
    if own < 0 or view.shape[own] != full[axis]:
        return view
    shape = (*view.shape[:own], count, *view.shape[own + 1 :])
    offset = view.offset + start * view.strides[own]
    return View(view.storage, offset, shape, view.strides, view.writable)


def _slicer(full: Shape, axis: int, start: int, count: int) -> Callable[[Node], Node | None]:
    def change(node: Node) -> Node | None:
        if node.view is not None:
            part = _slice(node.view, full, axis, start, count)
            return node if part is node.view else leaf(part)
        own = axis - (len(full) - len(node.shape))
        if node.op == "address" and own >= 0 and node.shape[own] == full[axis]:
            offset, strides = node.extra
            shape = (*node.shape[:own], count, *node.shape[own + 1 :])
            extra = (offset + start * strides[own], strides)
            return Node("address", node.manager, node.dtype, shape, (), extra)
        return node if node.op in ("address", "const") else None

    return change


def _changed(write: Write, change: Callable[[Node], Node | None], view: View) -> Write:
    known: dict[int, Node] = {}
    return replace(
        write,
        view=view,
        value=_rebuilt(write.value, change, known),
        indices=tuple(_rebuilt(each, change, known) for each in write.indices),
        mask=None if write.mask is None else _rebuilt(write.mask, change, known),
    )


def _halves(extent: int) -> list[tuple[int, int]]:
    middle = -(-extent // 2)
    return [(0, middle), (middle, extent - middle)]


# --- Copies of windows ----------------------------------------------------------------------------


def _window_of(view: View, windows: list[_Window]) -> _Window | None:
    if not view.storage.large:
        return None
    low, _ = _span(view)
    return next(w for w in windows if w.storage is view.storage and w.low <= low < w.high)


def _mover(windows: list[_Window]) -> Callable[[Node], Node | None]:
    """Return what makes leaves read the copies of windows."""

    def change(node: Node) -> Node | None:
        if node.view is not None:
            window = _window_of(node.view, windows)
            return leaf(node.view if window is None else window.view(node.view))
        return node if node.op in ("address", "const") else None

    return change


def _fills(write: Write, window: _Window, read: list[_Walk]) -> bool:
    """Return whether a write sets all elements of its window, and nothing reads them."""
    if write.indices or write.mask is not None or 0 in write.view.strides:
        return False
    unread = all(view.storage is not window.storage for view, _ in read)
    return unread and math.prod(write.view.shape) == window.high - window.low


def run_blocks(
    manager: Manager, shape: Shape, writes: list[Write], run: Callable[..., None]
) -> None:
    """Compute and store values for all elements of a shape, block by block."""
    read = _large_walks(_nodes(writes), ())
    walks = _large_walks(_nodes(writes), writes)
    windows = _windows(walks)
    if not _fit(windows):
        axis = _axis(shape, walks)
        for start, count in _halves(shape[axis]):
            change = _slicer(shape, axis, start, count)
            part = (*shape[:axis], count, *shape[axis + 1 :])
            block = [
                _changed(each, change, _slice(each.view, shape, axis, start, count))
                for each in writes
            ]
            run_blocks(manager, part, block, run)
        return
    block, written = [], []
    filled: list[_Window] = []
    move = _mover(windows)
    for each in writes:
        window = _window_of(each.view, windows)
        if window is not None:
            written.append(window)
            filled += [window] if _fills(each, window, read) else []
        view = each.view if window is None else window.view(each.view)
        block.append(_changed(each, move, view))
    for each_window in windows:
        if each_window not in filled:
            each_window.read()
    run(manager, shape, block)
    for window in written:
        window.write_back()


def local(node: Node) -> Node | None:
    """Return a node that reads copies of windows of large memory; None if they are too large, too."""
    windows = _windows(_large_walks([node], ()))
    if not _fit(windows):
        return None
    for each in windows:
        each.read()
    return _rebuilt(node, _mover(windows), {})


def longest_axis(node: Node) -> int:
    """Return the axis along which an expression of large memory goes the longest way."""
    return _axis(node.shape, _large_walks([node], ()))


def halves(node: Node, axis: int) -> Iterator[tuple[int, int, Node]]:
    """Yield two parts of an expression along an axis: the first index, the extent and the part."""
    for start, count in _halves(node.shape[axis]):
        part = _rebuilt(node, _slicer(node.shape, axis, start, count), {})
        part.shape = (*node.shape[:axis], count, *node.shape[axis + 1 :])
        yield start, count, part
