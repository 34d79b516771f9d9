#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the type stubs of the package from the package itself.

    scripts/python_stubs.py                write the stubs
    scripts/python_stubs.py --check        fail if a committed stub is out of date, and run the
                                           type checkers on the package and on files that use it

_kp.pyi is the stub of the extension module; stubs/namespaces.py has the others, of kp, kp.fft,
kp.linalg and the methods of arrays.

--package FOLDER names the folder with a built package kp (default: build/ci/python). The
interpreter needs NumPy and, for --check, mypy. If it has basedpyright or pyright, --check runs that, too.

Names, defaults, documentation and most types come from the module; ARGUMENTS and RESULTS below give
the others. A missing type is an error, and so is an unused entry of RESULTS.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import enum
import importlib.util
import inspect
import os
import re
import shutil
import subprocess
import sys
import tempfile
import types
from collections.abc import Iterator
from pathlib import Path

from stubs import namespaces
from stubs.text import Failure, defined, documented

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "python" / "kp"
USAGE = ROOT / "python" / "tests" / "typing"

HEADER = """\
# SPDX-License-Identifier: Apache-2.0
# Written by scripts/python_stubs.py. Do not edit it: change the docstrings and signatures in
# python/src, or the types in that script.

import collections.abc
import enum
import os
from typing import Any, Protocol, SupportsFloat, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray
from typing_extensions import Self, TypeAlias

from .arrays.array import Array as Array

_Path: TypeAlias = str | os.PathLike[str]
# What kp.kernel() and kp.jit() make.
class _HasShader(Protocol):
    def __kp_shader__(self) -> bytes: ...

# SPIR-V, or source text, or a path, or a kernel.
_Shader: TypeAlias = (
    bytes | bytearray | memoryview | NDArray[Any] | str | os.PathLike[str] | _HasShader
)
# Numbers, or numbers by name; specialization constants have ids, too.
_Constants: TypeAlias = ArrayLike | collections.abc.Mapping[str, Any]
_SpecConstants: TypeAlias = (
    _Constants | collections.abc.Mapping[int, Any] | collections.abc.Mapping[str | int, Any]
)
# Arrays, bytes, and numbers in lists.
_Data: TypeAlias = ArrayLike | bytes | bytearray | memoryview
# A tensor, or (tensor, first element, number of elements).
_Range: TypeAlias = Tensor | tuple[Tensor, int] | tuple[Tensor, int, int]
# A name, or a GLSL expression and its identity.
_Operator: TypeAlias = str | tuple[str, str]
_Extent: TypeAlias = (
    SupportsIndex | collections.abc.Sequence[SupportsIndex] | NDArray[np.integer[Any]]
)
_Pushed: TypeAlias = "Launcher | KernelListLauncher | None"
# Events, or CUDA streams of other libraries.
_Events: TypeAlias = "collections.abc.Iterable[Any] | Event | None"
# "all", "any" or the index of a queue.
_Target: TypeAlias = str | SupportsIndex
"""

#: Types of arguments, by name or by Class.function.name.
ARGUMENTS = {
    "addressed": "collections.abc.Iterable[Tensor] | None",
    "check": "bool | str | None",
    "checks": "bool | str | None",
    "samplers": "Sampler | collections.abc.Iterable[Sampler] | None",
    "Manager.sampler.address": "str | collections.abc.Sequence[str]",
    "algorithm": "Algorithm",
    "stream": "Any",
    "cuda_stream": "Any",
    "owner": "Any",
    "tensor": "Tensor",
    "Manager.from_dlpack.x": "Any",
    "_read_dlpack.capsule": "Any",
    "array": "Any",
    "copy": "bool | None",
    "count": "SupportsIndex | None",
    "data": "ArrayLike | None",
    "Memory.write.data": "ArrayLike",
    "Memory.write.offset": "SupportsIndex | None",
    "defines": "collections.abc.Mapping[str, Any] | None",
    "dst_access": "AccessFlags | int",
    "dst_stage": "PipelineStageFlags | int",
    "dtype": "DTypeLike | None",
    "group_counts": "Tensor | None",
    "includes": "collections.abc.Iterable[_Path]",
    "offset": "SupportsIndex",
    "out": "NDArray[Any] | None",
    "push_consts": "_Constants",
    "sequences": "collections.abc.Iterable[Sequence]",
    "shader": "_Shader",
    "shape": "_Extent | None",
    "source_or_path": "_Path",
    "spec_consts": "_SpecConstants",
    "spirv": "_Shader",
    "src_access": "AccessFlags | int",
    "src_stage": "PipelineStageFlags | int",
    "tensors": "collections.abc.Iterable[Memory]",
    "thread_count": "_Extent | None",
    "timeout": "SupportsFloat | None",
    "value": "Any",
    "arg": "Any",
    "arg_name": "str | None",
    "arg_type": "Any",
    "args_list": "collections.abc.Iterable[Any] | collections.abc.Mapping[Any, Any] | None",
    "default_global_work_size": "_Extent | None",
    "default_local_work_size": "_Extent | None",
    "default_queue": "Queue | None",
    "dst": "Any",
    "error": "BaseException | type[BaseException]",
    "events": "collections.abc.Iterable[Event]",
    "function": "collections.abc.Callable[..., object]",
    "iterated_parameters": "collections.abc.Mapping[str, Any]",
    "kernel": "Algorithm | Kernel | _Shader",
    "launcher": "_Pushed",
    "manager": "Manager | None",
    "memory_type": "MemoryTypes | str",
    "tensor_type": "MemoryTypes | str | None",
    "group_size": "SupportsIndex",
    "dispatch": "_Range | None",
    "Kernel.__init__.manager": "Manager",
    "output": "collections.abc.Callable[[str], object] | None",
    "parameters": "collections.abc.Iterable[str]",
    "parameters_map": "collections.abc.Mapping[str, Any]",
    "src": "Any",
    "src_device_offset": "SupportsIndex | None",
    "dst_device_offset": "SupportsIndex | None",
    "byte_count": "SupportsIndex | None",
    "varname": "str",
    "args": "collections.abc.Iterable[Any] | collections.abc.Mapping[Any, Any] | None",
    "destination": "Buffer",
    "destination_start": "SupportsIndex",
    "device": "SupportsIndex",
    "device_ids": "collections.abc.Sequence[SupportsIndex] | None",
    "group": "DeviceGroup | None",
    "index": "SupportsIndex | None",
    "local_work_size": "_Extent | None",
    "queue_counts": "_Extent | None",
    "cache_folder": "_Path",
    "cache_path": "_Path | collections.abc.Sequence[_Path]",
    "queue_families": "collections.abc.Iterable[collections.abc.Sequence[SupportsIndex]] | None",
    "root": "SupportsIndex",
    "shard_rows": "collections.abc.Iterable[SupportsIndex] | None",
    "source_start": "SupportsIndex",
    "start": "SupportsIndex | None",
    "stop": "SupportsIndex | None",
    "target": "_Target",
    "wait_for": "_Events",
    "workgroup": "_Extent",
    "Algorithm.set_thread_count.x": "_Extent",
    "Autotuner.__init__.manager": "Manager",
    "Autotuner.__init__.progress": "collections.abc.Callable[[TuningProgress], Any] | bool | None",
    "Buffer.__init__.shape": "_Extent",
    "Buffer.__init__.var_type": "DTypeLike | None",
    "Buffer.__init__.external_buffer": "Tensor | collections.abc.Sequence[Tensor | None] | None",
    "Buffer.from_tensors.shape": "_Extent",
    "Buffer.copy.destination": "SupportsIndex",
    "Buffer.copy.rows": "SupportsIndex | None",
    "Buffer.copy.source": "SupportsIndex",
    "Buffer.from_tensors.tensors": "collections.abc.Iterable[Tensor | None]",
    "Buffer.shard.index": "SupportsIndex",
    "Buffer.tensor.index": "SupportsIndex",
    "Buffer.copy_of.index": "SupportsIndex",
    "Buffer.write.data": "_Data",
    "Buffer.write_async.data": "_Data",
    "DeviceGroup.__getitem__.arg0": "SupportsIndex",
    "DeviceGroup.exchange_path.destination": "SupportsIndex",
    "DeviceGroup.exchange_path.source": "SupportsIndex",
    "DeviceGroup.for_each.function": (
        "collections.abc.Callable[[Manager, int, list[Event]], Event | None]"
    ),
    "DeviceGroup.kernel.global_work_size": (
        "_Extent | collections.abc.Callable[[Shard], _Extent] | None"
    ),
    "DeviceGroup.kernel.parameters_map": (
        "collections.abc.Mapping[str, Any] | collections.abc.Iterable[str] | None"
    ),
    "DeviceGroup._launch_algorithms.algorithms": "collections.abc.Sequence[Algorithm]",
    "DeviceGroup._move.moves": "list[Any]",
    "DeviceGroup.matmul_into.a": "Buffer",
    "DeviceGroup.matmul_into.b": "Buffer",
    "DeviceGroup.matmul_into.out": "Buffer",
    "DeviceGroup.queue.index": "SupportsIndex",
    "DeviceGroup.reduce_into.buffer": "Buffer",
    "DeviceGroup.reduce_into.op": "_Operator",
    "DeviceGroup.reduce_into.out": "Buffer",
    "DeviceGroup.sort_async.keys": "Buffer",
    "DeviceGroup.sort_async.values": "Buffer | None",
    "GroupKernel.__call__.target": "_Target",
    "PrimitiveLauncher.__init__.primitive": "OpBase",
    "Manager.destroy.objects": (
        "Memory | Sequence | str | collections.abc.Iterable[Memory | Sequence | str] | None"
    ),
    "Manager.exportable_tensor.shape": "_Extent",
    "Manager.import_memory.shape": "_Extent",
    "Manager.sequence.queue_index": "SupportsIndex | str",
    "operations": "OpBase | collections.abc.Sequence[OpBase]",
    "OpArgSort.__init__.indices": "_Range",
    "OpArgSort.__init__.keys": "_Range",
    "OpArgSort.__init__.segments": "_Range | None",
    "OpArgSort.__init__.sorted_keys": "_Range | None",
    "OpCholesky.__init__.a": "_Range",
    "OpCholesky.__init__.factor": "_Range",
    "OpCholesky.__init__.info": "_Range",
    "OpConcatenate.__init__.inputs": "collections.abc.Iterable[_Range]",
    "OpConcatenate.__init__.output": "_Range",
    "OpEigh.__init__.a": "_Range",
    "OpEigh.__init__.values": "_Range",
    "OpEigh.__init__.vectors": "_Range | None",
    "OpGather.__init__.indices": "_Range",
    "OpGather.__init__.input": "_Range",
    "OpGather.__init__.output": "_Range",
    "OpHistogram.__init__.bins": "tuple[float, float] | _Range | None",
    "OpHistogram.__init__.input": "_Range",
    "OpHistogram.__init__.output": "_Range",
    "OpHistogram.__init__.weights": "_Range | None",
    "OpConvolve.__init__.a": "_Range",
    "OpConvolve.__init__.b": "_Range",
    "OpConvolve.__init__.output": "_Range",
    "OpFFT.__init__.input": "_Range",
    "OpFFT.__init__.output": "_Range | None",
    "OpLu.__init__.a": "_Range",
    "OpLu.__init__.info": "_Range",
    "OpLu.__init__.lu": "_Range",
    "OpLu.__init__.pivots": "_Range",
    "OpMatMul.__init__.a": "_Range",
    "OpMatMul.__init__.alpha": "SupportsFloat",
    "OpMatMul.__init__.b": "_Range",
    "OpMatMul.__init__.beta": "SupportsFloat",
    "OpMatMul.__init__.bias": "_Range | None",
    "OpMatMul.__init__.c": "_Range",
    "OpPartition.__init__.condition": "str | _Range",
    "OpPartition.__init__.count": "_Range | None",
    "OpPartition.__init__.input": "_Range",
    "OpPartition.__init__.output": "_Range",
    "OpPermutation.__init__.output": "_Range",
    "OpQr.__init__.a": "_Range",
    "OpQr.__init__.q": "_Range | None",
    "OpQr.__init__.r": "_Range",
    "OpRandom.__init__.distribution": "str | tuple[Any, ...]",
    "OpRandom.__init__.output": "_Range",
    "OpReduce.__init__.input": "_Range",
    "OpReduce.__init__.op": "_Operator",
    "OpReduce.__init__.output": "_Range",
    "OpReduce.__init__.segments": "_Range | None",
    "OpReverse.__init__.axis": "_Extent | None",
    "OpReverse.__init__.input": "_Range",
    "OpReverse.__init__.output": "_Range",
    "OpRunLength.__init__.count": "_Range | None",
    "OpRunLength.__init__.input": "_Range",
    "OpRunLength.__init__.lengths": "_Range",
    "OpRunLength.__init__.values": "_Range",
    "OpScan.__init__.input": "_Range",
    "OpScan.__init__.op": "_Operator",
    "OpScan.__init__.output": "_Range",
    "OpScan.__init__.segments": "_Range | None",
    "OpScatter.__init__.indices": "_Range",
    "OpScatter.__init__.input": "_Range",
    "OpScatter.__init__.output": "_Range",
    "OpSearchSorted.__init__.needles": "_Range",
    "OpSearchSorted.__init__.places": "_Range",
    "OpSearchSorted.__init__.sorted": "_Range",
    "OpSelect.__init__.condition": "str | _Range",
    "OpSelect.__init__.count": "_Range | None",
    "OpSelect.__init__.input": "_Range",
    "OpSelect.__init__.output": "_Range",
    "OpSolve.__init__.a": "_Range",
    "OpSolve.__init__.b": "_Range | None",
    "OpSolve.__init__.info": "_Range",
    "OpSolve.__init__.x": "_Range",
    "OpSort.__init__.keys": "_Range",
    "OpSort.__init__.segments": "_Range | None",
    "OpSort.__init__.sorted_keys": "_Range | None",
    "OpSort.__init__.sorted_values": "_Range | None",
    "OpSort.__init__.values": "_Range | None",
    "OpSvd.__init__.a": "_Range",
    "OpSvd.__init__.s": "_Range",
    "OpSvd.__init__.u": "_Range | None",
    "OpSvd.__init__.vh": "_Range | None",
    "OpSparseMatMul.__init__.indices": "_Range",
    "OpSparseMatMul.__init__.offsets": "_Range",
    "OpSparseMatMul.__init__.values": "_Range",
    "OpSparseMatMul.__init__.x": "_Range",
    "OpSparseMatMul.__init__.y": "_Range",
    "OpTopK.__init__.indices": "_Range | None",
    "OpTopK.__init__.input": "_Range",
    "OpTopK.__init__.values": "_Range | None",
    "OpTranspose.__init__.axes": "_Extent | None",
    "OpTranspose.__init__.input": "_Range",
    "OpTranspose.__init__.output": "_Range",
    "OpTriangularSolve.__init__.b": "_Range",
    "OpTriangularSolve.__init__.t": "_Range",
    "OpTriangularSolve.__init__.x": "_Range",
    "OpUnique.__init__.count": "_Range | None",
    "OpUnique.__init__.counts": "_Range | None",
    "OpUnique.__init__.input": "_Range",
    "OpUnique.__init__.inverse": "_Range | None",
    "OpUnique.__init__.output": "_Range",
    "Profiler.calibrate.manager": "Manager",
    "Profiler.launches.device": "Manager | Queue | None",
    "Tensor.__init__.data": "ArrayLike",
    "Tensor._create.data": "ArrayLike",
    "Tensor._create.manager": "Manager",
    "TunableKernel.__init__.spirv": "_Shader | None",
    "TunableKernel.constraint.predicate": "collections.abc.Callable[[dict[str, Any]], Any]",
    "TunableKernel.factory.function": ("collections.abc.Callable[[dict[str, Any]], _Shader]"),
    "TunableKernel.local_size.x": "_Extent",
    "TunableKernel.local_size.y": "_Extent",
    "TunableKernel.local_size.z": "_Extent",
    "TunableKernel.parameter.values": "collections.abc.Iterable[int | float | str]",
    "TunableKernel.specialization.values": "collections.abc.Iterable[int | float]",
    "TunableKernel.workgroups.rule": "collections.abc.Callable[[dict[str, Any]], _Extent]",
    "TunedKernelLauncher.__init__.parameters_map": "collections.abc.Mapping[str, Any] | None",
    "TuningArguments.__init__.push_consts": "ArrayLike",
    "TuningArguments.expect.tensor": "Memory",
    "TuningArguments.expect.values": "ArrayLike",
    "TuningArguments.leave.tensor": "Memory",
    "TuningArguments.problem.size": "_Extent",
    "TuningArguments.reset_to_zero.tensor": "Memory",
    "TuningArguments.verify.function": (
        "collections.abc.Callable[[dict[str, Any]], bool | str | None]"
    ),
    "path": "_Path",
    "Memory.__eq__.arg0": "object",
    "Memory.__ne__.arg0": "object",
    "Memory.__getitem__.arg0": "Any",
    "Memory.__setitem__.arg0": "Any",
    "Memory.__setitem__.arg1": "Any",
}

#: Types of results and properties.
RESULTS = {
    "Sampler.address": "tuple[str, str, str]",
    "Semaphore.at": "Event",
    "Tensor.__cuda_array_interface__": "dict[str, Any]",
    "Tensor._cuda_dlpack": "Any",
    "_read_dlpack": "tuple[Any, ...]",
    "Algorithm.get_mem_objects": "list[Memory]",
    "Algorithm.get_tensors": "list[Tensor]",
    "Algorithm.local_size": "tuple[int, int, int]",
    "Algorithm.workgroup": "tuple[int, int, int]",
    "Buffer.__class_getitem__": "Any",
    "Buffer.__enter__": "Self",
    "checked.__enter__": "Self",
    "Buffer.read_async": "tuple[NDArray[Any], list[Event]]",
    "Buffer.shader_shape": "tuple[int, int, int, int]",
    "Buffer.shape": "tuple[int, ...]",
    "DeviceGroup.__enter__": "Self",
    "DeviceGroup.__getitem__": "Manager",
    "DeviceGroup.__iter__": "collections.abc.Iterator[Manager]",
    "DeviceGroup.queue": "Queue",
    "DeviceGroup.queues": "tuple[Queue, ...]",
    "ExternalMemory.__enter__": "Self",
    "GroupLimits.max_work_group_count": "tuple[int, int, int]",
    "GroupLimits.max_work_group_size": "tuple[int, int, int]",
    "Shard.shape": "tuple[int, ...]",
    "Shard.whole_shape": "tuple[int, ...]",
    "Event.__await__": "collections.abc.Generator[Any, None, None]",
    "FunctionProfiler.__iadd__": "Self",
    "HostImport.__enter__": "Self",
    "IterativeKernelLauncher.iter_parameters": "collections.abc.Iterator[tuple[Any, ...]]",
    "IterativeKernelLauncher.iterated_parameters": "dict[str, Any]",
    "KernelLauncher.args_list": "Any",
    "KernelLauncher.as_list_launcher": "KernelListLauncher",
    "KernelLauncher.default_global_work_size": "tuple[int, int, int] | None",
    "KernelLauncher.default_local_work_size": "tuple[int, int, int] | None",
    "KernelLauncher.default_queue": "Queue | None",
    "KernelLauncher.kernel": "Any",
    "KernelLauncher.signature": "list[tuple[int, str, str]]",
    "KernelListLauncher.__iadd__": "Self",
    "KernelListLauncher.launchers": "list[Launcher]",
    "KernelListLauncher.parameters": "dict[str, tuple[str, list[str]]]",
    "KernelListLauncher.push_copy_device_to_device": "Self",
    "KernelListLauncher.push_copy_device_to_host": "Self",
    "KernelListLauncher.push_copy_host_device": "Self",
    "KernelListLauncher.push_copy_host_to_device": "Self",
    "KernelListLauncher.push_kernels": "Self",
    "KernelStatistics.__iadd__": "Self",
    "Launcher.__call__": "Any",
    "Launcher.parameters": "dict[str, str]",
    "Manager.__enter__": "Self",
    "Manager.get_device_properties": "dict[str, Any]",
    "Manager._facts": "dict[str, Any]",
    "Manager.activity": "dict[str, int]",
    "Tensor._owner": "Any",
    "Manager._tensor_at_cuda": "Tensor | None",
    "Manager.from_dlpack": "Tensor",
    "Manager.import_host": "HostImport",
    "Manager.list_devices": "list[dict[str, Any]]",
    "Manager.pinned_array": "NDArray[Any]",
    "Manager.sequence": "Sequence",
    "Memory.__array__": "NDArray[Any]",
    "Memory.__dlpack__": "Any",
    "Memory.__dlpack_device__": "tuple[int, int]",
    "Memory.__eq__": "Any",
    "Memory.__ne__": "Any",
    "Memory.__array_interface__": "dict[str, Any]",
    "Memory.__getitem__": "Any",
    "Memory.__iter__": "collections.abc.Iterator[Any]",
    "Memory.item": "int | float",
    "Memory.numpy": "NDArray[Any]",
    "Memory.shape": "tuple[int, ...]",
    "OpAlgoDispatch.record": "collections.abc.Iterable[OpBase]",
    "OpBase.accesses": "collections.abc.Iterable[tuple[Memory, str]] | None",
    "OpBase.record": "collections.abc.Iterable[OpBase]",
    "ParametrizedKernelLauncher.parameters_map": "Any",
    "Sequence.__await__": "collections.abc.Generator[Any, None, Sequence]",
    "Sequence.__enter__": "Self",
    "Sequence.begin": "Sequence",
    "Sequence.clear": "Sequence",
    "Sequence.end": "Sequence",
    "Sequence.rerecord": "Sequence",
    "LaunchProfile.__enter__": "Self",
    "ProfilerScope.__enter__": "Self",
    "TunedAlgorithm.algorithm": "Algorithm",
    "TunedKernelLauncher.default_queue": "Queue | None",
    "TuningProgress.best": "dict[str, Any]",
    "TuningProgress.configuration": "dict[str, Any]",
    "TuningRecord.configuration": "dict[str, Any]",
    "TuningResult.algorithm": "Algorithm | None",
    "TuningResult.configuration": "dict[str, Any]",
    "TuningResult.workgroup": "tuple[int, int, int]",
    "_reflect": "dict[str, Any]",
    "_number_types": "tuple[tuple[Any, ...], ...]",
    "list_devices": "list[dict[str, Any]]",
}

#: Functions whose arguments depend on the derived class.
ANYTHING = {"Launcher.__call__"}

#: Functions that override a function with other arguments on purpose.
OVERRIDES = {"IterativeKernelLauncher.__call__"}

#: Patterns of types in the module, and their replacements in the stub. Applied in this order.
SPELLINGS = (
    (r"\bkp\._kp\.", ""),
    (r"<(\w+\.\w+): \d+>", r"\1"),
    (r"typing\.SupportsInt \| typing\.SupportsIndex", "SupportsIndex"),
    (r"typing\.SupportsFloat \| typing\.SupportsIndex", "SupportsFloat"),
    (r"\btyping_extensions\.CapsuleType\b", "Any"),
    (r"\btyping\.", ""),
    (r"numpy\.ndarray\b(?!\[)", "NDArray[Any]"),
    (r"numpy\.dtype\b(?!\[)", "np.dtype[Any]"),
    (r"\bItems\[", "collections.abc.Sequence["),
    (r"collections\.abc\.Sequence\[SupportsIndex\] \| SupportsIndex \| NDArray\[Any\]", "_Extent"),
)

#: Members that the stub does not have. kp.Tensor() takes the arguments of its __init__.
UNWRITTEN = {"__doc__", "__module__", "__weakref__", "__dict__", "__new__"}
USED: set[str] = set()


def refuses(member: object) -> bool:
    """Return whether a method exists to say that there is no such method."""
    return getattr(member, "__module__", "") == "kp._tensors.hints"


# --- One signature --------------------------------------------------------------------------------


def respell(text: str) -> str:
    for pattern, replacement in SPELLINGS:
        text = re.sub(pattern, replacement, text)
    return text


def known(type_: str | None) -> bool:
    """Whether a type is more specific than "some object"."""
    return type_ is not None and not re.search(
        r"\bobject\b|\b(list|dict|tuple|Iterator)\b(?!\[)", type_
    )


#: Types without their elements' types, which pybind11 gives for its own sequences and functions.
BARE = ("collections.abc.Sequence", "collections.abc.Callable", "Sequence", "Callable")


def argument_type(path: str, name: str, given: str | None) -> str:
    for key in (f"{path}.{name}", name):
        if key in ARGUMENTS and not known(given):
            return ARGUMENTS[key]
    if path.startswith("_") and (given is None or not known(given) or given in BARE):
        return "Any"  # of the package itself
    if given is None or not known(given):
        raise Failure(f"ARGUMENTS has no type for {path}.{name}")
    return given


def result_type(path: str, given: str | None) -> str:
    if path in RESULTS:
        USED.add(path)
        return RESULTS[path]
    if path.startswith("_") and (given is None or not known(given) or given in BARE):
        return "Any"
    if given is None or not known(given):
        raise Failure(f"RESULTS has no type for {path}, which returns '{given}'")
    return given


def source_of(default: ast.expr) -> str:
    if isinstance(default, ast.Constant) and isinstance(default.value, str):
        return '"' + default.value.replace('"', '\\"') + '"'
    return ast.unparse(default)


def _kind(path: str, given: str | None) -> str:
    return "Any" if path in ANYTHING else given or "object"


def render(path: str, function: ast.FunctionDef) -> tuple[list[str], str]:
    """The arguments of a function, with types and defaults, and the type of its result."""

    def text(node: ast.expr | None) -> str | None:
        return None if node is None else ast.unparse(node)

    def one(argument: ast.arg, default: ast.expr | None) -> str:
        if argument.arg == "self":
            return "self"
        rendered = f"{argument.arg}: {argument_type(path, argument.arg, text(argument.annotation))}"
        return rendered if default is None else f"{rendered} = {source_of(default)}"

    given = function.args
    missing: list[ast.expr | None] = [None] * (len(given.args) - len(given.defaults))
    arguments = [one(*pair) for pair in zip(given.args, [*missing, *given.defaults], strict=True)]
    # pybind11 names unnamed arguments arg0, arg1, ...
    if arguments and re.match(r"arg\d+:", arguments[-1]):
        arguments.append("/")
    if given.vararg:
        arguments.append(f"*{given.vararg.arg}: {_kind(path, text(given.vararg.annotation))}")
    elif given.kwonlyargs:
        arguments.append("*")
    arguments += [one(*pair) for pair in zip(given.kwonlyargs, given.kw_defaults, strict=True)]
    if given.kwarg:
        arguments.append(f"**{given.kwarg.arg}: {text(given.kwarg.annotation) or 'Any'}")
    return arguments, result_type(path, text(function.returns))


def parse(path: str, name: str, signature: str) -> ast.FunctionDef:
    """`signature` is "(arguments) -> result"."""
    try:
        function = ast.parse(f"def {name}{respell(signature)}: ...").body[0]
    except SyntaxError as error:
        raise Failure(f"the signature of {path} is not Python: {signature}") from error
    assert isinstance(function, ast.FunctionDef)
    return function


def signature_of(path: str, name: str, function: object) -> tuple[str, str]:
    """The signature and the documentation of a function in Python or C++."""
    if isinstance(function, types.FunctionType):
        signature = inspect.signature(function)
        plain = []
        for parameter in signature.parameters.values():
            if isinstance(parameter.default, enum.Enum):
                default = parameter.default
                parameter = parameter.replace(
                    default=_Named(f"{type(default).__name__}.{default.name}")
                )
            plain.append(parameter)
        text = str(signature.replace(parameters=plain)).replace("'", "\0")
        # Annotations are strings in quotes, but so are defaults. Remove the quotes of annotations.
        text = re.sub(r"(: |-> )\0([^\0]*)\0", r"\1\2", text).replace("\0", "'")
        return text, inspect.getdoc(function) or ""
    documentation = getattr(function, "__doc__", None) or ""
    first, _, rest = documentation.partition("\n")
    if "Overloaded function." in rest:
        raise Failure(f"{path} is overloaded, which this script does not support")
    if not first.startswith(f"{name}("):
        raise Failure(f"the documentation of {path} does not begin with its signature")
    return first[len(name) :], inspect.cleandoc(rest)


class _Named:
    """A default whose repr is a name."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return self._name


# --- The stub -------------------------------------------------------------------------------------


def write_function(path: str, name: str, function: object, indent: str) -> Iterator[str]:
    signature, documentation = signature_of(path, name, function)
    arguments, result = render(path, parse(path, name, signature))
    override = "  # type: ignore[override]" if path in OVERRIDES else ""
    yield from defined(name, arguments, result, documentation, indent, override)


def write_property(path: str, name: str, member: property) -> Iterator[str]:
    signature = (getattr(member.fget, "__doc__", None) or "").partition("\n")[0]
    returns = parse(path, name, signature).returns
    result = result_type(path, None if returns is None else ast.unparse(returns))
    documentation = inspect.cleandoc(member.__doc__ or "")
    yield "    @property"
    yield f"    def {name}(self) -> {result}:" + ("" if documentation else " ...")
    if documentation:
        yield from documented(documentation, "        ")
    if member.fset is not None:
        yield ""
        yield f"    @{name}.setter"
        yield f"    def {name}(self, value: {result}) -> None: ..."


def write_enum(class_: type[enum.Enum]) -> Iterator[str]:
    for name, member in class_.__members__.items():
        yield f"    {name} = {int(member.value)}"
    if "__call__" in vars(class_):  # which kp.arrays gives the element types
        yield ""
        path = f"{class_.__name__}.__call__"
        yield from write_function(path, "__call__", vars(class_)["__call__"], "    ")


def write_class(name: str, class_: type) -> Iterator[str]:
    base = class_.__bases__[0]
    if issubclass(class_, enum.Enum):
        yield f"class {name}(enum.{base.__name__}):"
    elif base.__module__ in ("kp", "kp.launcher", "kp._kp"):
        yield f"class {name}({base.__name__}):"
    else:
        yield f"class {name}:"
    yield from documented(inspect.cleandoc(class_.__doc__ or name), "    ")
    if issubclass(class_, enum.Enum):
        yield ""
        yield from write_enum(class_)
        return
    for key, member in vars(class_).items():
        path = f"{name}.{key}"
        if key in UNWRITTEN or key.startswith("_pybind11"):
            continue
        if refuses(member):
            continue
        if isinstance(member, types.WrapperDescriptorType):  # a class without a constructor
            continue
        yield ""
        if isinstance(member, staticmethod):
            yield "    @staticmethod"
            member = member.__func__
        if isinstance(member, property):
            yield from write_property(path, key, member)
        else:
            # A method that the package extends has the signature of the extension module's.
            yield from write_function(path, key, inspect.unwrap(member), "    ")


def generate(package: Path) -> str:
    sys.path.insert(0, str(package))
    sys.dont_write_bytecode = True
    module = importlib.import_module("kp._kp")
    if not Path(str(module.__file__)).resolve().is_relative_to(package):
        raise Failure(f"kp._kp was imported from {module.__file__}, not from {package}")
    lines = ["", "__version__: str"]
    for name, member in vars(module).items():
        if name == "Array":  # which kp.arrays completes; see HEADER
            continue
        if isinstance(member, type):
            lines += ["", *write_class(name, member)]
        elif callable(member):
            lines += ["", *write_function(name, name, inspect.unwrap(member), "")]
        elif not name.startswith("__"):
            raise Failure(f"{name} is neither a class nor a function")
    unused = RESULTS.keys() - USED
    if unused:
        raise Failure(f"RESULTS has unused entries: {', '.join(sorted(unused))}")
    return HEADER + "\n".join(lines) + "\n"


# --- Checks ---------------------------------------------------------------------------------------


def check_stubs(stubs: dict[str, str]) -> None:
    for name, text in stubs.items():
        stub = PACKAGE / name
        wanted = text.splitlines(keepends=True)
        present = stub.read_text("utf-8").splitlines(keepends=True) if stub.exists() else []
        if wanted != present:
            changes = "".join(difflib.unified_diff(present, wanted, "committed", "generated", n=2))
            raise Failure(
                f"{stub.relative_to(ROOT)} is out of date; run without --check to update it\n{changes}"
            )
    print("python_stubs.py: the stubs are up to date")


def without_stubs(folder: Path) -> Path:
    """Return a copy of the package without the stubs in whose place mypy shall check the files."""
    made = folder / "kp"
    shutil.copytree(PACKAGE, made, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    for name in namespaces.STUBS.values():
        (made / name).unlink()
    return made


def check_types(package: Path) -> None:
    if importlib.util.find_spec("mypy") is None:
        raise Failure(f"{sys.executable} has no mypy")
    configuration = str(ROOT / "pyproject.toml")
    usage = [str(each) for each in sorted(USAGE.glob("*.py"))]
    tools = [("mypy", ["mypy", "--strict", str(PACKAGE), *usage])]
    if pyright := next(filter(importlib.util.find_spec, ["basedpyright", "pyright"]), ""):
        # Users see the stubs. mypy checks the files of the package.
        seen = [*(str(each) for each in sorted(PACKAGE.rglob("*.pyi"))), *usage]
        tools.append(("pyright", [pyright, "--pythonpath", sys.executable, *seen]))
    else:
        print("python_stubs.py: SKIPPED: pyright is not installed")
    with tempfile.TemporaryDirectory() as folder:
        accepted = Path(folder) / "accepted"
        accepted.write_text("\n".join(stubtest_accepts()), encoding="utf-8")
        own = str(without_stubs(Path(folder)))
        tools.append(
            # kp.arrays.namespace has its names from its modules, by stars: mypy does not see the lists.
            (
                "mypy without stubs",
                ["mypy", "--strict", "--implicit-reexport", "--config-file", configuration, own],
            )
        )
        tools.append(
            (
                "stubtest",
                [
                    "mypy.stubtest",
                    "kp._kp",
                    *("--mypy-config-file", configuration),
                    *("--allowlist", str(accepted), "--ignore-unused-allowlist"),
                ],
            )
        )
        for name, command in tools:
            result = subprocess.run(
                [sys.executable, "-m", *command],
                cwd=folder if name == "mypy without stubs" else ROOT,
                env={**os.environ, "PYTHONPATH": str(package)},
                text=True,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                check=False,
            )
            if result.returncode != 0:
                raise Failure(f"{name} found errors:\n{result.stdout}")
            print(f"python_stubs.py: {name} found no errors")


def stubtest_accepts() -> Iterator[str]:
    """The names of classes and enums that a stub does not have, most of which pybind11 adds."""
    for name, member in vars(sys.modules["kp._kp"]).items():
        if isinstance(member, type):
            path = re.escape(f"kp._kp.{name}")
            yield path  # the metaclass
            yield path + r"\.__pybind11_native_enum__"
            if isinstance(vars(member).get("__new__"), staticmethod):  # UNWRITTEN
                yield path + r"\.__new__"
            if "__init__" not in vars(member) or isinstance(
                vars(member)["__init__"], types.WrapperDescriptorType
            ):
                yield path + r"\.__init__"
            for key, method in vars(member).items():
                if refuses(method):
                    yield path + r"\." + key


def main() -> int:
    parser = argparse.ArgumentParser(description="Writes or checks the stubs of the package.")
    parser.add_argument("--check", action="store_true", help="check the committed stubs instead")
    parser.add_argument(
        "--package",
        type=Path,
        default=ROOT / "build" / "ci" / "python",
        help="folder with a built package kp (default: build/ci/python)",
    )
    arguments = parser.parse_args()
    package = arguments.package.resolve()
    try:
        if not any((package / "kp").glob("_kp.*")):
            raise Failure(
                f"{package / 'kp'} has no built module; configure with "
                "-DKOMPUTE_OPT_BUILD_PYTHON=ON and build, or give --package FOLDER"
            )
        stubs = {"_kp.pyi": generate(package), **namespaces.generate()}
        if arguments.check:
            check_stubs(stubs)
            check_types(package)
            return 0
        for name, text in stubs.items():
            (PACKAGE / name).write_text(text, encoding="utf-8")
            print(f"python_stubs.py: wrote {(PACKAGE / name).relative_to(ROOT)}")
    except Failure as failure:
        print(f"python_stubs.py: FAILED: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
