# SPDX-License-Identifier: Apache-2.0
"""GPU compute over Vulkan: arrays, kernels, tensors, shaders and sequences of operations.

```python
import kp

x = kp.array([1, 2, 3], dtype="float32")  # NumPy's functions, on the device
print(kp.sqrt(x * x + 1).sum())  # 6.812559

double = kp.kernel("kernel void double_it(inout float x[]) { x[i] *= 2; }")
print(double(x))  # [2. 4. 6.]

mgr = kp.Manager()
a, b = mgr.tensor([1, 2, 3]), mgr.tensor([4, 5, 6])
algorithm = mgr.algorithm([a, b], shader)
mgr.sequence().record(kp.OpAlgoDispatch(algorithm)).eval()
print(b.data())
```

docs/guides/python.md is a ten-minute tutorial.
"""

from __future__ import annotations

import builtins as _builtins
import typing as _typing

from . import _kp  # noqa: F401  # before NumPy: it refuses interpreters that cannot have it

# isort: split
from . import _extension  # noqa: F401  # before any of it is called

# isort: split
from ._messages import (
    calls as _calls,
)  # noqa: F401  # first: it wraps functions that others import

# isort: split
from . import _dtypes, _groups, launcher
from ._messages import notebook as _notebook
from ._tensors import copying as _copying, hints as _tensor_hints
from ._tensors.cuda import torch_pool
from ._programs.function import Function, function
from ._programs.loop import while_loop
from ._programs.program import Program, ProgramTensor
from ._default import default_manager, memory, reset_peak_memory, set_default_manager, synchronize
from ._floats import default_float, set_default_float
from ._dtypes import *  # noqa: F403
from ._errors import (
    Cancelled,
    CheckFailed,
    CheckFault,
    DeviceLost,
    Error,
    InvalidArgument,
    OutOfMemory,
    ShaderError,
    Unsupported,
)
from ._groups import asbuffer, copy, default_group, set_default_group
from ._jit import JitFunction, intrinsics as _intrinsics, jit
from ._jit.intrinsics import *  # noqa: F403
from ._kernels.kernel import Kernel, kernel
from ._kernels.repeat import repeat_until
from ._kp import (
    AccessFlags,
    Algorithm,
    Autotuner,
    Buffer,
    DataTypes,
    DeviceGroup,
    Event,
    EventProfile,
    EventStatus,
    ExternalMemory,
    GroupKernel,
    GroupLimits,
    HostImport,
    Image,
    LaunchProfile,
    Manager,
    Memory,
    MemoryHeap,
    MemoryKind,
    MemoryObject,
    MemoryTypes,
    MemoryUsage,
    OpAlgoDispatch,
    OpArgSort,
    OpBase,
    OpCholesky,
    OpConcatenate,
    OpConvolve,
    OpCopy,
    OpEigh,
    OpFFT,
    OpFill,
    OpGather,
    OpHistogram,
    OpLu,
    OpMatMul,
    OpMemoryBarrier,
    OpMult,
    OpPartition,
    OpPermutation,
    OpQr,
    OpRandom,
    OpReduce,
    OpRepeat,
    OpReverse,
    OpRunLength,
    OpScan,
    OpScatter,
    OpSearchSorted,
    OpSelect,
    OpSolve,
    OpSort,
    OpSparseMatMul,
    OpSvd,
    OpSyncDevice,
    OpSyncLocal,
    OpTopK,
    OpTranspose,
    OpTriangularSolve,
    OpUnique,
    PipelineStageFlags,
    ProfileEntry,
    Profiler,
    ProfilerScope,
    Queue,
    Sampler,
    Semaphore,
    Sequence,
    Shard,
    Tensor,
    TunableKernel,
    TunedAlgorithm,
    TuningArguments,
    TuningProgress,
    TuningRecord,
    TuningResult,
    UserEvent,
    __version__,
    checked,
    compile as compile,
    eval_all,
    list_devices,
    wait_all,
    wait_any,
)
from ._shaders.reflection import Binding, PushConstant, Reflection, SpecializationConstant, reflect

# Names from Kompute 0.9.0.
TensorTypes = MemoryTypes
OpTensorSyncDevice = OpSyncDevice
OpTensorSyncLocal = OpSyncLocal
OpTensorCopy = OpCopy

__all__ = [
    "AccessFlags",
    "Algorithm",
    "Autotuner",
    "Binding",
    "Buffer",
    "Cancelled",
    "CheckFailed",
    "CheckFault",
    "DataTypes",
    "DeviceGroup",
    "DeviceLost",
    "Error",
    "Event",
    "EventProfile",
    "EventStatus",
    "ExternalMemory",
    "GroupKernel",
    "GroupLimits",
    "HostImport",
    "Function",
    "Image",
    "InvalidArgument",
    "JitFunction",
    "Kernel",
    "LaunchProfile",
    "Manager",
    "Memory",
    "MemoryHeap",
    "MemoryKind",
    "MemoryObject",
    "MemoryTypes",
    "MemoryUsage",
    "OpAlgoDispatch",
    "OpArgSort",
    "OpBase",
    "OpCholesky",
    "OpConcatenate",
    "OpConvolve",
    "OpCopy",
    "OpEigh",
    "OpFFT",
    "OpFill",
    "OpGather",
    "OpHistogram",
    "OpLu",
    "OpMatMul",
    "OpMemoryBarrier",
    "OpMult",
    "OpPartition",
    "OpPermutation",
    "OpQr",
    "OpRandom",
    "OpReduce",
    "OpRepeat",
    "OpReverse",
    "OpRunLength",
    "OpScan",
    "OpScatter",
    "OpSearchSorted",
    "OpSelect",
    "OpSolve",
    "OpSort",
    "OpSparseMatMul",
    "OpSvd",
    "OpSyncDevice",
    "OpSyncLocal",
    "OpTensorCopy",
    "OpTensorSyncDevice",
    "OpTensorSyncLocal",
    "OpTopK",
    "OpTranspose",
    "OpTriangularSolve",
    "OpUnique",
    "OutOfMemory",
    "PipelineStageFlags",
    "ProfileEntry",
    "Profiler",
    "ProfilerScope",
    "Program",
    "ProgramTensor",
    "PushConstant",
    "Queue",
    "Reflection",
    "Sampler",
    "Semaphore",
    "Sequence",
    "ShaderError",
    "Shard",
    "SpecializationConstant",
    "Tensor",
    "TensorTypes",
    "TunableKernel",
    "TunedAlgorithm",
    "TuningArguments",
    "TuningProgress",
    "TuningRecord",
    "TuningResult",
    "Unsupported",
    "UserEvent",
    "__version__",
    "asbuffer",
    "checked",
    "copy",
    "default_group",
    "default_float",
    "default_manager",
    "eval_all",
    "function",
    "jit",
    "kernel",
    "launcher",
    "list_devices",
    "memory",
    "reflect",
    "repeat_until",
    "reset_peak_memory",
    "set_default_group",
    "set_default_float",
    "set_default_manager",
    "synchronize",
    "wait_all",
    "wait_any",
    "while_loop",
]
__all__ += ["torch_pool"]
__all__ += _dtypes.__all__
__all__ += _intrinsics.__all__

_copying.install()
_groups.install()
_tensor_hints.install()
_notebook.install()


def _name_classes() -> None:
    """Set the module of each public class to `kp`, which messages and documentation show."""
    for name in __all__:
        public = globals()[name]
        if isinstance(public, type) and public.__module__.startswith("kp"):
            public.__module__ = "kp"


# The form "a as a" says that a name is public, which __dir__() shows.
from . import fft as fft, linalg as linalg, random as random, sparse as sparse  # noqa: E402
from .arrays import namespace as _arrays  # noqa: E402
from .arrays.information import e as e, newaxis as newaxis  # noqa: E402
from .arrays.namespace import *  # noqa: E402, F403
from . import _group_primitives  # noqa: E402

__all__ += ["linalg"]
if not _typing.TYPE_CHECKING:  # to type checkers, all names are public
    __all__ += _arrays.__all__
_group_primitives.install()
# `from kp import *` leaves Python's built-in functions as they are.
__all__[:] = [name for name in __all__ if not hasattr(_builtins, name)]

# Names that exist for programs of other projects.
from .compat import early as _early, vkdispatch as _vkdispatch  # noqa: E402
from .compat.early import Shader as Shader, log_level as log_level  # noqa: E402
from .compat.vkdispatch import *  # noqa: E402, F403

__all__ += ["Shader", "log_level", *_vkdispatch.__all__]
_early.install()
_name_classes()

# As in Kompute, the enumerators are attributes of the module too. They are not in __all__, because
# some have the names of Python's built-in types.
device = MemoryTypes.device
host = MemoryTypes.host
staging = MemoryTypes.staging
storage = MemoryTypes.storage
deviceAndHost = MemoryTypes.deviceAndHost
custom = DataTypes.custom
double = DataTypes.double
uint = DataTypes.uint
short = DataTypes.short
ushort = DataTypes.ushort
char = DataTypes.char
uchar = DataTypes.uchar
long = DataTypes.long
ulong = DataTypes.ulong
half = DataTypes.half
bfloat16 = DataTypes.bfloat16
bool = DataTypes.bool
int = DataTypes.int
float = DataTypes.float


#: Names without an underscore that are not public.
_HIDDEN = {"annotations", "arrays", "cli", "compat"}


def __dir__() -> list[str]:
    """Return the public names. Editors and notebooks use them for completion."""
    return sorted({*__all__, *(name for name in globals() if not name.startswith("_"))} - _HIDDEN)


if not _typing.TYPE_CHECKING:  # else every name would be known to type checkers

    def __getattr__(name):
        import numpy

        from ._wording import no_function

        advice = f"use numpy.{name} with x.numpy(), and kp.asarray() on the result"
        raise AttributeError(no_function("kp", name, numpy, __all__, advice), name=name)
