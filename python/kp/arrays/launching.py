# SPDX-License-Identifier: Apache-2.0
"""Running kernels: compiled once per manager and content, launched on its default queue."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _kp
from .._errors import Unsupported
from .._kp import (
    Kernel,
    KernelLauncher,
    Manager,
    MemoryTypes,
    ParametrizedKernelLauncher,
)
from . import windows
from .codegen import (
    LOCAL_SIZE,
    PUSHED_WORDS,
    Program,
    Write,
)
from .elements import elements_of, elementwise_source, wide_bindings
from .expressions import Node, cast, leaf, lock
from .plans import Plan, Signature, keep, known
from .rules import Rules
from .storage import DType, Home, Storage, View, home_of
from .types import number

#: Work groups along x. Devices have at least 65,535.
_ROW = 32768

#: General launchers that are kept, and the bytes of the memory that a launcher may keep. A plan's first launch with
#: some memory is by its general launcher, which takes any; only memory that comes again soon gets a launcher of its
#: own, which is slow to make and fast to call.
_MAX_GENERAL = 64
_KEPT_BYTES = 1 << 18

#: GLSL by what it computes, for all managers.
sources: dict[tuple[Any, ...], str] = {}


def kernel_of(manager: Manager, source: str) -> Kernel:
    """Return the kernel of a shader, compiled at its first use with this manager."""
    kernels = home_of(manager).kernels
    kernel = kernels.get(source)
    if kernel is None:
        # Expressions include no files.
        kernel = kernels[source] = Kernel(manager, manager.compile(source, include_policy="none"))
    return kernel


def launch(
    manager: Manager, source: str, memory: list[_kp.Tensor], parameters: bytes, groups: int
) -> None:
    """Launch a kernel with this many work groups, folded over x and y, and return at once.

    Parameters follow the memory: as push constants, or in a buffer of their own if there are many.
    """
    home = home_of(manager)
    key = (source, parameters, groups, *map(id, memory))
    launcher = home.launchers.get(key)
    if launcher is not None:
        launcher()
    else:
        _launch_first(manager, home, key, source, memory, parameters, groups)


def launch_plan(
    manager: Manager, home: Home, plan: Plan, memory: list[_kp.Tensor], numbers: list[bytes]
) -> None:
    """Launch a plan with the memory and the numbers that it binds, and return at once."""
    key = (plan, *map(id, memory), *numbers)
    launcher = home.launchers.get(key)
    if launcher is not None:
        launcher()
        return
    parameters = plan.with_numbers(numbers)
    if key in home.missed or not _is_small(memory, parameters):
        _launch_first(manager, home, key, plan.source, memory, parameters, plan.groups)
        return
    if len(home.missed) >= _MAX_GENERAL:
        home.missed.clear()
    home.missed.add(key)
    names = plan.names
    general = home.general.get(plan)
    if general is None:
        if len(home.general) >= _MAX_GENERAL:
            del home.general[next(iter(home.general))]
        general = home.general[plan] = ParametrizedKernelLauncher(
            "kp.arrays",
            kernel_of(manager, plan.source),
            {name: index for index, name in enumerate(names)},
            default_global_work_size=_size(plan.groups),
        )
    given: dict[str, Any] = dict(zip(names, (*memory, parameters), strict=True))
    general(**given)


def _is_small(memory: list[_kp.Tensor], parameters: bytes) -> bool:
    """Return whether a launcher may keep the memory and has the parameters as push constants."""
    if len(parameters) > 4 * PUSHED_WORDS:
        return False
    return sum([each.nbytes for each in memory]) <= _KEPT_BYTES


def _size(groups: int) -> tuple[int, int]:
    """Return the work items of work groups."""
    rows = -(-groups // _ROW)
    columns = -(-groups // rows)
    return columns * LOCAL_SIZE, rows


def _launch_first(
    manager: Manager,
    home: Home,
    key: tuple[Any, ...],
    source: str,
    memory: list[_kp.Tensor],
    parameters: bytes,
    groups: int,
) -> None:
    """Launch, and keep the launcher for launches with the same memory and parameters, which have that key."""
    for each in memory:
        if each.nbytes > home.range:
            device = manager.get_device_properties()["device_name"]
            raise windows.too_large(device, home.range, each.nbytes)
    arguments: list[Any] = [*memory, parameters]
    if len(parameters) > 4 * PUSHED_WORDS:
        words = np.frombuffer(parameters, np.uint32)
        buffer = manager.tensor(shape=words.shape, dtype=np.uint32, memory_type=MemoryTypes.storage)
        buffer.write(words)
        arguments[-1] = buffer
    launcher = KernelLauncher("kp.arrays", kernel_of(manager, source), arguments, _size(groups))
    launcher()
    if _is_small(memory, parameters):
        home.keep(key, launcher, memory)


def _prepared(
    shape: tuple[int, ...], writes: list[Write], rules: Rules
) -> tuple[Program, str, NDArray[np.uint32], int]:
    """Return the program of some writes, its shader, its parameters and work groups."""
    program = Program(shape)
    for write in writes:
        program.write(write)
    layout, words = program.finish()
    types = tuple(storage.dtype.char for storage in program.storages)
    count = math.prod(shape)
    wide = wide_bindings(program, layout, rules, count)
    key = (tuple(program.instructions), layout, types, rules, wide)
    source = sources.get(key)
    if source is None:
        source = sources[key] = elementwise_source(program, layout, rules, wide)
    parameters = np.concatenate([np.array([count], np.uint32), words])
    return program, source, parameters, -(-count // elements_of(program, rules))


def run(manager: Manager, shape: tuple[int, ...], writes: list[Write]) -> None:
    """Compute and store values for all elements of a shape, in one dispatch."""
    if 0 in shape:
        return
    if windows.needs_blocks(writes):
        windows.run_blocks(manager, shape, writes, run)
        return
    with lock:
        program, source, parameters, groups = _prepared(shape, writes, home_of(manager).rules)
        memory = [storage.tensor for storage in program.storages]
        launch(manager, source, memory, parameters.tobytes(), groups)


def glsl(node: Node) -> str:
    """Return the shader that would compute a node."""
    assert node.manager is not None
    program = Program(node.shape)
    view = View.new(node.manager, node.shape, node.dtype)
    program.write(Write(view, node))
    layout, _ = program.finish()
    rules = home_of(node.manager).rules
    wide = wide_bindings(program, layout, rules, math.prod(node.shape))
    return elementwise_source(program, layout, rules, wide)


def store(view: View, value: Node) -> None:
    """Write values, of a shape that broadcasts to the view's, into its elements."""
    run(view.storage.manager, view.shape, [Write(view, cast(value, view.storage.dtype))])


def materialize(node: Node) -> View:
    """Compute a node and return its elements. The node is a leaf from then on."""
    with lock:
        if node.view is not None and node.op == "leaf":
            return node.view
        assert node.manager is not None
        view = View.new(node.manager, node.shape, node.dtype)
        _compute(node.manager, node, view)
        node.become(view)
        return view


def _compute(manager: Manager, node: Node, view: View) -> None:
    """Compute a node into new memory."""
    rules = view.storage.home.rules
    sign = Signature((node,), rules)
    if view.storage.large or [each for each in sign.storages if each.large]:
        run(manager, node.shape, [Write(view, node)])
        return
    plan = known(sign)
    if plan is None:
        if 0 in node.shape:
            return
        program, source, parameters, groups = _prepared(node.shape, [Write(view, node)], rules)
        plan = keep(sign, Plan(source, program, sign, view.storage, parameters, groups))
    storage = view.storage
    memory = plan.bound([*sign.storages, storage])
    launch_plan(manager, storage.home, plan, memory, sign.numbers())


def contiguous(view: View) -> View:
    """Return the view, or a copy in C order."""
    if view.is_contiguous():
        return view
    copied = View.new(view.storage.manager, view.shape, view.storage.dtype)
    store(copied, leaf(view))
    return copied


def whole(view: View) -> View:
    """Return the view, or a copy that is a storage of its own in C order."""
    if view.is_whole():
        return view
    copied = View.new(view.storage.manager, view.shape, view.storage.dtype)
    store(copied, leaf(view))
    return copied


def copy_storage(storage: Storage) -> Storage:
    """Return a copy of all elements."""
    count = storage.tensor.size()
    view = View.new(storage.manager, (count,), storage.dtype)
    source = View(storage, 0, (count,), (1,))
    run(storage.manager, (count,), [Write(view, leaf(source))])
    return view.storage


def probe(manager: Manager, dtype: DType) -> str:
    """Return why a device has no arrays of a dtype; empty if it has."""
    of = number(dtype)
    extension = f"#extension {of.extension} : require\n" if of.extension else ""
    source = (
        f"#version 450\n{extension}layout(local_size_x = 1) in;\n"
        f"layout(binding = 0) buffer Memory {{ {of.stored} memory[]; }};\n"
        f"void main() {{ {of.computed} v = {of.load.format('memory[1]')};\n"
        f"memory[0] = {of.store.format('v')}; }}\n"
    )
    try:
        Kernel(manager, source)
    except Unsupported as error:
        return str(error)
    return ""
