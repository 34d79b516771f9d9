# SPDX-License-Identifier: Apache-2.0
# Written by scripts/python_stubs.py. Do not edit it: change the functions.
# What NumPy takes as an array includes tensors and arrays of groups, which come first.
# pyright: reportOverlappingOverload=false

import builtins
import collections.abc
from kp import (
    fft as fft,
    launcher as launcher,
    linalg as linalg,
    random as random,
    sparse as sparse,
)
from kp._default import (
    default_manager as default_manager,
    memory as memory,
    reset_peak_memory as reset_peak_memory,
    set_default_manager as set_default_manager,
    synchronize as synchronize,
)
from kp._dtypes import (
    complex128 as complex128,
    complex32 as complex32,
    complex64 as complex64,
    dtype as dtype,
    dvec2 as dvec2,
    dvec3 as dvec3,
    dvec4 as dvec4,
    float16 as float16,
    float32 as float32,
    float64 as float64,
    from_numpy_dtype as from_numpy_dtype,
    hvec2 as hvec2,
    hvec3 as hvec3,
    hvec4 as hvec4,
    ihvec2 as ihvec2,
    ihvec3 as ihvec3,
    ihvec4 as ihvec4,
    int16 as int16,
    int32 as int32,
    int64 as int64,
    int8 as int8,
    is_complex as is_complex,
    is_dtype as is_dtype,
    is_matrix as is_matrix,
    is_scalar as is_scalar,
    is_vector as is_vector,
    ivec2 as ivec2,
    ivec3 as ivec3,
    ivec4 as ivec4,
    mat2 as mat2,
    mat3 as mat3,
    mat4 as mat4,
    to_numpy_dtype as to_numpy_dtype,
    to_vector as to_vector,
    uhvec2 as uhvec2,
    uhvec3 as uhvec3,
    uhvec4 as uhvec4,
    uint16 as uint16,
    uint32 as uint32,
    uint64 as uint64,
    uint8 as uint8,
    uvec2 as uvec2,
    uvec3 as uvec3,
    uvec4 as uvec4,
    vec2 as vec2,
    vec3 as vec3,
    vec4 as vec4,
)
from kp._errors import (
    Cancelled as Cancelled,
    CheckFailed as CheckFailed,
    CheckFault as CheckFault,
    DeviceLost as DeviceLost,
    Error as Error,
    InvalidArgument as InvalidArgument,
    OutOfMemory as OutOfMemory,
    ShaderError as ShaderError,
    Unsupported as Unsupported,
)
from kp._floats import default_float as default_float, set_default_float as set_default_float
from kp._groups import (
    asbuffer as asbuffer,
    copy as copy,
    default_group as default_group,
    set_default_group as set_default_group,
)
from kp._jit.decorator import JitFunction as JitFunction, jit as jit
from kp._jit.intrinsics import (
    atomic_add as atomic_add,
    atomic_and as atomic_and,
    atomic_compare_exchange as atomic_compare_exchange,
    atomic_exchange as atomic_exchange,
    atomic_max as atomic_max,
    atomic_min as atomic_min,
    atomic_or as atomic_or,
    atomic_sub as atomic_sub,
    atomic_xor as atomic_xor,
    barrier as barrier,
    check as check,
    global_id as global_id,
    global_size as global_size,
    group_count as group_count,
    group_id as group_id,
    local_array as local_array,
    local_id as local_id,
    local_size as local_size,
    memory_barrier as memory_barrier,
    shared_array as shared_array,
    subgroup_add as subgroup_add,
    subgroup_all as subgroup_all,
    subgroup_and as subgroup_and,
    subgroup_any as subgroup_any,
    subgroup_broadcast_first as subgroup_broadcast_first,
    subgroup_elect as subgroup_elect,
    subgroup_exclusive_add as subgroup_exclusive_add,
    subgroup_inclusive_add as subgroup_inclusive_add,
    subgroup_lane as subgroup_lane,
    subgroup_max as subgroup_max,
    subgroup_min as subgroup_min,
    subgroup_mul as subgroup_mul,
    subgroup_or as subgroup_or,
    subgroup_shuffle as subgroup_shuffle,
    subgroup_shuffle_xor as subgroup_shuffle_xor,
    subgroup_size as subgroup_size,
    subgroup_xor as subgroup_xor,
)
from kp._kernels.kernel import Kernel as Kernel, kernel as kernel
from kp._kernels.repeat import repeat_until as repeat_until
from kp._kp import (
    AccessFlags as AccessFlags,
    Algorithm as Algorithm,
    Autotuner as Autotuner,
    Buffer as Buffer,
    DataTypes as DataTypes,
    DeviceGroup as DeviceGroup,
    Event as Event,
    EventProfile as EventProfile,
    EventStatus as EventStatus,
    ExternalMemory as ExternalMemory,
    GroupKernel as GroupKernel,
    GroupLimits as GroupLimits,
    HostImport as HostImport,
    Image as Image,
    LaunchProfile as LaunchProfile,
    Manager as Manager,
    Memory as Memory,
    MemoryHeap as MemoryHeap,
    MemoryKind as MemoryKind,
    MemoryObject as MemoryObject,
    MemoryTypes as MemoryTypes,
    MemoryTypes as TensorTypes,
    MemoryUsage as MemoryUsage,
    OpAlgoDispatch as OpAlgoDispatch,
    OpArgSort as OpArgSort,
    OpBase as OpBase,
    OpCholesky as OpCholesky,
    OpConcatenate as OpConcatenate,
    OpConvolve as OpConvolve,
    OpCopy as OpCopy,
    OpCopy as OpTensorCopy,
    OpEigh as OpEigh,
    OpFFT as OpFFT,
    OpFill as OpFill,
    OpGather as OpGather,
    OpHistogram as OpHistogram,
    OpLu as OpLu,
    OpMatMul as OpMatMul,
    OpMemoryBarrier as OpMemoryBarrier,
    OpMult as OpMult,
    OpPartition as OpPartition,
    OpPermutation as OpPermutation,
    OpQr as OpQr,
    OpRandom as OpRandom,
    OpReduce as OpReduce,
    OpRepeat as OpRepeat,
    OpReverse as OpReverse,
    OpRunLength as OpRunLength,
    OpScan as OpScan,
    OpScatter as OpScatter,
    OpSearchSorted as OpSearchSorted,
    OpSelect as OpSelect,
    OpSolve as OpSolve,
    OpSort as OpSort,
    OpSparseMatMul as OpSparseMatMul,
    OpSvd as OpSvd,
    OpSyncDevice as OpSyncDevice,
    OpSyncDevice as OpTensorSyncDevice,
    OpSyncLocal as OpSyncLocal,
    OpSyncLocal as OpTensorSyncLocal,
    OpTopK as OpTopK,
    OpTranspose as OpTranspose,
    OpTriangularSolve as OpTriangularSolve,
    OpUnique as OpUnique,
    PipelineStageFlags as PipelineStageFlags,
    ProfileEntry as ProfileEntry,
    Profiler as Profiler,
    ProfilerScope as ProfilerScope,
    Queue as Queue,
    Sampler as Sampler,
    Semaphore as Semaphore,
    Sequence as Sequence,
    Shard as Shard,
    Tensor as Tensor,
    TunableKernel as TunableKernel,
    TunedAlgorithm as TunedAlgorithm,
    TuningArguments as TuningArguments,
    TuningProgress as TuningProgress,
    TuningRecord as TuningRecord,
    TuningResult as TuningResult,
    UserEvent as UserEvent,
    __version__ as __version__,
    checked as checked,
    compile as compile,
    eval_all as eval_all,
    list_devices as list_devices,
    wait_all as wait_all,
    wait_any as wait_any,
)
from kp._programs.function import Function as Function, function as function
from kp._programs.loop import while_loop as while_loop
from kp._programs.program import Program as Program, ProgramTensor as ProgramTensor
from kp._shaders.reflection import (
    Binding as Binding,
    PushConstant as PushConstant,
    Reflection as Reflection,
    SpecializationConstant as SpecializationConstant,
    reflect as reflect,
)
from kp._tensors.cuda import torch_pool as torch_pool
from kp.arrays.array import Array as Array
from kp.arrays.creation import eye as eye, from_dlpack as from_dlpack
from kp.arrays.custom import (
    ElementwiseKernel as ElementwiseKernel,
    ReductionKernel as ReductionKernel,
    elementwise as elementwise,
    reduction as reduction,
)
from kp.arrays.groups.array import GroupArray as GroupArray
from kp.arrays.information import (
    ArrayNamespaceInfo,
    can_cast as can_cast,
    e as e,
    finfo as finfo,
    iinfo as iinfo,
    inf as inf,
    isdtype as isdtype,
    isscalar as isscalar,
    nan as nan,
    ndim as ndim,
    newaxis as newaxis,
    pi as pi,
    promote_types as promote_types,
    result_type as result_type,
    shape as shape,
    size as size,
)
from kp.arrays.namespace import __array_api_version__ as __array_api_version__, evaluate as evaluate
from kp.arrays.selection.choosing import (
    copyto as copyto,
    fill_diagonal as fill_diagonal,
    place as place,
    put_along_axis as put_along_axis,
    putmask as putmask,
)
from kp.arrays.selection.sets import UniqueAll, UniqueCounts, UniqueInverse
from kp.arrays.shapes.grids import (
    bartlett as bartlett,
    blackman as blackman,
    diag_indices as diag_indices,
    fromfunction as fromfunction,
    geomspace as geomspace,
    hamming as hamming,
    hanning as hanning,
    identity as identity,
    indices as indices,
    kaiser as kaiser,
    logspace as logspace,
    mgrid as mgrid,
    ogrid as ogrid,
    tri as tri,
    tril_indices as tril_indices,
    triu_indices as triu_indices,
)
from kp.arrays.shapes.manipulation import broadcast_shapes as broadcast_shapes
from kp.compat.early import Shader as Shader, log_level as log_level
from numpy.typing import ArrayLike, DTypeLike
from typing import Any, Final, Literal, overload

__all__ = [
    "AccessFlags",
    "Algorithm",
    "Array",
    "Autotuner",
    "Binding",
    "Buffer",
    "Cancelled",
    "CheckFailed",
    "CheckFault",
    "DataTypes",
    "DeviceGroup",
    "DeviceLost",
    "ElementwiseKernel",
    "Error",
    "Event",
    "EventProfile",
    "EventStatus",
    "ExternalMemory",
    "Function",
    "GroupArray",
    "GroupKernel",
    "GroupLimits",
    "HostImport",
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
    "ReductionKernel",
    "Reflection",
    "Sampler",
    "Semaphore",
    "Sequence",
    "Shader",
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
    "__array_api_version__",
    "__array_namespace_info__",
    "__version__",
    "absolute",
    "acos",
    "acosh",
    "add",
    "allclose",
    "amax",
    "amin",
    "angle",
    "append",
    "apply_along_axis",
    "arange",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "argmax",
    "argmin",
    "argpartition",
    "argsort",
    "argwhere",
    "around",
    "array",
    "array_equal",
    "array_equiv",
    "array_split",
    "asanyarray",
    "asarray",
    "asbuffer",
    "ascontiguousarray",
    "asin",
    "asinh",
    "astype",
    "atan",
    "atan2",
    "atanh",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "atomic_add",
    "atomic_and",
    "atomic_compare_exchange",
    "atomic_exchange",
    "atomic_max",
    "atomic_min",
    "atomic_or",
    "atomic_sub",
    "atomic_xor",
    "average",
    "barrier",
    "bartlett",
    "bincount",
    "bitwise_and",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "blackman",
    "block",
    "broadcast_arrays",
    "broadcast_shapes",
    "broadcast_to",
    "buffer_c64",
    "buffer_dv2",
    "buffer_dv3",
    "buffer_dv4",
    "buffer_f16",
    "buffer_f32",
    "buffer_f64",
    "buffer_hv2",
    "buffer_hv3",
    "buffer_hv4",
    "buffer_i16",
    "buffer_i32",
    "buffer_ihv2",
    "buffer_ihv3",
    "buffer_ihv4",
    "buffer_iv2",
    "buffer_iv3",
    "buffer_iv4",
    "buffer_u16",
    "buffer_u32",
    "buffer_uhv2",
    "buffer_uhv3",
    "buffer_uhv4",
    "buffer_uv2",
    "buffer_uv3",
    "buffer_uv4",
    "buffer_v2",
    "buffer_v3",
    "buffer_v4",
    "can_cast",
    "cbrt",
    "ceil",
    "check",
    "checked",
    "choose",
    "clip",
    "column_stack",
    "complex128",
    "complex32",
    "complex64",
    "compress",
    "concat",
    "concatenate",
    "conj",
    "conjugate",
    "convolve",
    "copy",
    "copysign",
    "copyto",
    "corrcoef",
    "correlate",
    "cos",
    "cosh",
    "count_nonzero",
    "cov",
    "cross",
    "cumprod",
    "cumsum",
    "cumulative_prod",
    "cumulative_sum",
    "default_float",
    "default_group",
    "default_manager",
    "deg2rad",
    "degrees",
    "delete",
    "diag",
    "diag_indices",
    "diag_indices_from",
    "diagflat",
    "diagonal",
    "diff",
    "digitize",
    "divide",
    "dot",
    "dsplit",
    "dstack",
    "dtype",
    "dvec2",
    "dvec3",
    "dvec4",
    "ediff1d",
    "einsum",
    "elementwise",
    "empty",
    "empty_like",
    "equal",
    "erf",
    "erfc",
    "eval_all",
    "evaluate",
    "exp",
    "exp2",
    "expand_dims",
    "expm1",
    "extract",
    "eye",
    "fabs",
    "fill_diagonal",
    "finfo",
    "fix",
    "flatnonzero",
    "flatten",
    "flip",
    "fliplr",
    "flipud",
    "float16",
    "float32",
    "float64",
    "float_power",
    "floor",
    "floor_divide",
    "fmax",
    "fmin",
    "fmod",
    "from_dlpack",
    "from_numpy_dtype",
    "fromfunction",
    "full",
    "full_like",
    "function",
    "gamma",
    "gcd",
    "geomspace",
    "global_id",
    "global_size",
    "gradient",
    "greater",
    "greater_equal",
    "group_count",
    "group_id",
    "hamming",
    "hanning",
    "heaviside",
    "histogram",
    "histogram2d",
    "histogram_bin_edges",
    "histogramdd",
    "hsplit",
    "hstack",
    "hvec2",
    "hvec3",
    "hvec4",
    "hypot",
    "i0",
    "identity",
    "ihvec2",
    "ihvec3",
    "ihvec4",
    "iinfo",
    "imag",
    "indices",
    "inf",
    "inner",
    "insert",
    "int16",
    "int32",
    "int64",
    "int8",
    "interp",
    "intersect1d",
    "invert",
    "is_complex",
    "is_dtype",
    "is_matrix",
    "is_scalar",
    "is_vector",
    "isclose",
    "iscomplex",
    "iscomplexobj",
    "isdtype",
    "isfinite",
    "isin",
    "isinf",
    "isnan",
    "isneginf",
    "isposinf",
    "isreal",
    "isrealobj",
    "isscalar",
    "ivec2",
    "ivec3",
    "ivec4",
    "ix_",
    "jit",
    "kaiser",
    "kernel",
    "kron",
    "launcher",
    "lcm",
    "ldexp",
    "left_shift",
    "less",
    "less_equal",
    "lexsort",
    "lgamma",
    "linalg",
    "linspace",
    "list_devices",
    "local_array",
    "local_id",
    "local_size",
    "log",
    "log10",
    "log1p",
    "log2",
    "log_level",
    "logaddexp",
    "logaddexp2",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "logspace",
    "mat2",
    "mat3",
    "mat4",
    "matmul",
    "matrix_transpose",
    "matvec",
    "maximum",
    "may_share_memory",
    "mean",
    "median",
    "memory",
    "memory_barrier",
    "meshgrid",
    "mgrid",
    "minimum",
    "mod",
    "modf",
    "moveaxis",
    "multiply",
    "nan",
    "nan_to_num",
    "nanargmax",
    "nanargmin",
    "nancumprod",
    "nancumsum",
    "nanmax",
    "nanmean",
    "nanmedian",
    "nanmin",
    "nanpercentile",
    "nanprod",
    "nanquantile",
    "nanstd",
    "nansum",
    "nanvar",
    "ndim",
    "negative",
    "nextafter",
    "nonzero",
    "not_equal",
    "ogrid",
    "ones",
    "ones_like",
    "outer",
    "pad",
    "partition",
    "percentile",
    "permute_dims",
    "pi",
    "piecewise",
    "place",
    "polyfit",
    "polyval",
    "positive",
    "power",
    "prod",
    "promote_types",
    "ptp",
    "put",
    "put_along_axis",
    "putmask",
    "quantile",
    "rad2deg",
    "radians",
    "ravel",
    "ravel_multi_index",
    "real",
    "reciprocal",
    "reduce",
    "reduction",
    "reflect",
    "remainder",
    "repeat",
    "repeat_until",
    "reset_peak_memory",
    "reshape",
    "resize",
    "result_type",
    "right_shift",
    "rint",
    "roll",
    "rollaxis",
    "rot90",
    "run_lengths",
    "scan",
    "searchsorted",
    "select",
    "set_default_float",
    "set_default_group",
    "set_default_manager",
    "setdiff1d",
    "setxor1d",
    "shape",
    "shared_array",
    "shares_memory",
    "sign",
    "signbit",
    "sin",
    "sinc",
    "sinh",
    "size",
    "sliding_window_view",
    "sort",
    "spacing",
    "split",
    "sqrt",
    "square",
    "squeeze",
    "stable_partition",
    "stack",
    "std",
    "subgroup_add",
    "subgroup_all",
    "subgroup_and",
    "subgroup_any",
    "subgroup_broadcast_first",
    "subgroup_elect",
    "subgroup_exclusive_add",
    "subgroup_inclusive_add",
    "subgroup_lane",
    "subgroup_max",
    "subgroup_min",
    "subgroup_mul",
    "subgroup_or",
    "subgroup_shuffle",
    "subgroup_shuffle_xor",
    "subgroup_size",
    "subgroup_xor",
    "subtract",
    "swapaxes",
    "synchronize",
    "take",
    "take_along_axis",
    "tan",
    "tanh",
    "tensordot",
    "tile",
    "to_numpy_dtype",
    "to_vector",
    "top_k",
    "torch_pool",
    "trace",
    "transpose",
    "trapezoid",
    "tri",
    "tril",
    "tril_indices",
    "tril_indices_from",
    "trim_zeros",
    "triu",
    "triu_indices",
    "triu_indices_from",
    "true_divide",
    "trunc",
    "uhvec2",
    "uhvec3",
    "uhvec4",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "union1d",
    "unique",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
    "unravel_index",
    "unstack",
    "unwrap",
    "uvec2",
    "uvec3",
    "uvec4",
    "vander",
    "var",
    "vdot",
    "vec2",
    "vec3",
    "vec4",
    "vecdot",
    "vecmat",
    "vsplit",
    "vstack",
    "wait_all",
    "wait_any",
    "where",
    "while_loop",
    "zeros",
    "zeros_like",
]

bfloat16: Final = DataTypes.bfloat16
bool: Final = DataTypes.bool
char: Final = DataTypes.char
custom: Final = DataTypes.custom
device: Final = MemoryTypes.device
deviceAndHost: Final = MemoryTypes.deviceAndHost
double: Final = DataTypes.double
float: Final = DataTypes.float
half: Final = DataTypes.half
host: Final = MemoryTypes.host
int: Final = DataTypes.int
long: Final = DataTypes.long
short: Final = DataTypes.short
staging: Final = MemoryTypes.staging
storage: Final = MemoryTypes.storage
uchar: Final = DataTypes.uchar
uint: Final = DataTypes.uint
ulong: Final = DataTypes.ulong
ushort: Final = DataTypes.ushort

def __array_namespace_info__() -> ArrayNamespaceInfo:
    """Return information about this namespace, as the array API standard defines it."""

@overload
def abs(
    x: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return the absolute values. Types follow numpy.absolute."""
@overload
def abs(
    x: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def absolute(
    x: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return the absolute values. Types follow numpy.absolute."""
@overload
def absolute(
    x: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def acos(
    x: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return the inverse cosines. Types follow numpy.arccos."""
@overload
def acos(
    x: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def acosh(
    x: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return the inverse hyperbolic cosines. Types follow numpy.arccosh."""
@overload
def acosh(
    x: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def add(
    x1: GroupArray,
    x2: Any,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return the sums. Types follow numpy.add."""
@overload
def add(
    x1: Any,
    x2: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray: ...
@overload
def add(
    x1: Any,
    x2: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def all(
    x: Tensor,
    /,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    out: Tensor | None = None,
    keepdims: builtins.bool = False,
    where: Any = None,
) -> Tensor:
    """Return whether no element is 0."""
@overload
def all(
    x: GroupArray,
    /,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    out: GroupArray | None = None,
    keepdims: builtins.bool = False,
    where: Any = None,
) -> GroupArray: ...
@overload
def all(
    x: ArrayLike,
    /,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    out: Array | None = None,
    keepdims: builtins.bool = False,
    where: Any = None,
) -> Array: ...

def allclose(
    a: Any,
    b: Any,
    rtol: builtins.float = 1e-05,
    atol: builtins.float = 1e-08,
    equal_nan: builtins.bool = False,
) -> builtins.bool:
    """Return whether all elements are nearly equal. See isclose()."""

@overload
def amax(
    x: Tensor,
    /,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    out: Tensor | None = None,
    keepdims: builtins.bool = False,
    initial: Any = None,
    where: Any = None,
) -> Tensor:
    """Return the largest element, or NaN if any element is, of all or along an axis."""
@overload
def amax(
    x: GroupArray,
    /,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    out: GroupArray | None = None,
    keepdims: builtins.bool = False,
    initial: Any = None,
    where: Any = None,
) -> GroupArray: ...
@overload
def amax(
    x: ArrayLike,
    /,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    out: Array | None = None,
    keepdims: builtins.bool = False,
    initial: Any = None,
    where: Any = None,
) -> Array: ...

@overload
def amin(
    x: Tensor,
    /,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    out: Tensor | None = None,
    keepdims: builtins.bool = False,
    initial: Any = None,
    where: Any = None,
) -> Tensor:
    """Return the smallest element, or NaN if any element is, of all or along an axis."""
@overload
def amin(
    x: GroupArray,
    /,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    out: GroupArray | None = None,
    keepdims: builtins.bool = False,
    initial: Any = None,
    where: Any = None,
) -> GroupArray: ...
@overload
def amin(
    x: ArrayLike,
    /,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    out: Array | None = None,
    keepdims: builtins.bool = False,
    initial: Any = None,
    where: Any = None,
) -> Array: ...

@overload
def angle(z: GroupArray, /, deg: builtins.bool = False) -> GroupArray:
    """Return the angles of complex numbers in radians, or with `deg` in degrees."""
@overload
def angle(z: Any, /, deg: builtins.bool = False) -> Array: ...

@overload
def any(
    x: Tensor,
    /,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    out: Tensor | None = None,
    keepdims: builtins.bool = False,
    where: Any = None,
) -> Tensor:
    """Return whether any element is not 0. NaN is not 0."""
@overload
def any(
    x: GroupArray,
    /,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    out: GroupArray | None = None,
    keepdims: builtins.bool = False,
    where: Any = None,
) -> GroupArray: ...
@overload
def any(
    x: ArrayLike,
    /,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    out: Array | None = None,
    keepdims: builtins.bool = False,
    where: Any = None,
) -> Array: ...

@overload
def append(arr: GroupArray, values: Any, axis: builtins.int | None = None) -> GroupArray:
    """Return a copy with values behind the elements along an axis; without an axis, both flat."""
@overload
def append(arr: Any, values: GroupArray, axis: builtins.int | None = None) -> GroupArray: ...
@overload
def append(arr: Any, values: Any, axis: builtins.int | None = None) -> Array: ...

@overload
def apply_along_axis(
    func1d: collections.abc.Callable[..., Any],
    axis: builtins.int,
    arr: GroupArray,
    *args: Any,
    **kwargs: Any,
) -> GroupArray:
    """Return a function's result for each row along an axis. It is called once for each row.

    Functions with an axis argument (kp.sort(x, axis=1)) are much faster.
    """
@overload
def apply_along_axis(
    func1d: collections.abc.Callable[..., Any],
    axis: builtins.int,
    arr: Any,
    *args: Any,
    **kwargs: Any,
) -> Array: ...

@overload
def arange(
    start: Any = None,
    /,
    stop: Any = None,
    step: Any = 1,
    dtype: DTypeLike | None = None,
    *,
    group: DeviceGroup,
) -> GroupArray:
    """Return start, start + step, ... up to, but without, stop.

    Integers are int64, and others the default float, unless `dtype` is given.
    """
@overload
def arange(
    start: Any = None,
    /,
    stop: Any = None,
    step: Any = 1,
    dtype: DTypeLike | None = None,
    *,
    device: DeviceGroup,
) -> GroupArray: ...
@overload
def arange(
    start: Any = None,
    /,
    stop: Any = None,
    step: Any = 1,
    dtype: DTypeLike | None = None,
    *,
    device: Manager | None = None,
    group: None = None,
) -> Array: ...

@overload
def arccos(
    x: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return the inverse cosines. Types follow numpy.arccos."""
@overload
def arccos(
    x: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def arccosh(
    x: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return the inverse hyperbolic cosines. Types follow numpy.arccosh."""
@overload
def arccosh(
    x: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def arcsin(
    x: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return the inverse sines. Types follow numpy.arcsin."""
@overload
def arcsin(
    x: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def arcsinh(
    x: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return the inverse hyperbolic sines. Types follow numpy.arcsinh."""
@overload
def arcsinh(
    x: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def arctan(
    x: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return the inverse tangents. Types follow numpy.arctan."""
@overload
def arctan(
    x: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def arctan2(
    x1: GroupArray,
    x2: Any,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return the angles of the vectors (x2, x1). Types follow numpy.arctan2."""
@overload
def arctan2(
    x1: Any,
    x2: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray: ...
@overload
def arctan2(
    x1: Any,
    x2: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def arctanh(
    x: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return the inverse hyperbolic tangents. Types follow numpy.arctanh."""
@overload
def arctanh(
    x: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def argmax(
    x: Tensor,
    /,
    axis: builtins.int | None = None,
    out: Tensor | None = None,
    keepdims: builtins.bool = False,
) -> Tensor:
    """Return the index (int64) of the first largest element, or of the first NaN."""
@overload
def argmax(
    x: GroupArray,
    /,
    axis: builtins.int | None = None,
    out: GroupArray | None = None,
    keepdims: builtins.bool = False,
) -> GroupArray: ...
@overload
def argmax(
    x: ArrayLike,
    /,
    axis: builtins.int | None = None,
    out: Array | None = None,
    keepdims: builtins.bool = False,
) -> Array: ...

@overload
def argmin(
    x: Tensor,
    /,
    axis: builtins.int | None = None,
    out: Tensor | None = None,
    keepdims: builtins.bool = False,
) -> Tensor:
    """Return the index (int64) of the first smallest element, or of the first NaN.

    Without an axis, it is the index among the elements in C order.
    """
@overload
def argmin(
    x: GroupArray,
    /,
    axis: builtins.int | None = None,
    out: GroupArray | None = None,
    keepdims: builtins.bool = False,
) -> GroupArray: ...
@overload
def argmin(
    x: ArrayLike,
    /,
    axis: builtins.int | None = None,
    out: Array | None = None,
    keepdims: builtins.bool = False,
) -> Array: ...

@overload
def argpartition(x: GroupArray, /, kth: Any, axis: builtins.int | None = -1) -> GroupArray:
    """Return argsort(x, axis): numpy.argpartition allows any order of the parts; here they are
    sorted.
    """
@overload
def argpartition(x: Any, /, kth: GroupArray, axis: builtins.int | None = -1) -> GroupArray: ...
@overload
def argpartition(x: Any, /, kth: Any, axis: builtins.int | None = -1) -> Array: ...

@overload
def argsort(
    x: Tensor,
    /,
    axis: builtins.int | None = -1,
    kind: str | None = None,
    order: None = None,
    *,
    descending: builtins.bool = False,
    out: Tensor | None = None,
    stable: builtins.bool | None = True,
) -> Tensor:
    """Return the indices (int64) that sort the elements, in a stable way. See sort()."""
@overload
def argsort(
    x: GroupArray,
    /,
    axis: builtins.int | None = -1,
    kind: str | None = None,
    order: None = None,
    *,
    descending: builtins.bool = False,
    out: GroupArray | None = None,
    stable: builtins.bool | None = True,
) -> GroupArray: ...
@overload
def argsort(
    x: ArrayLike,
    /,
    axis: builtins.int | None = -1,
    kind: str | None = None,
    order: None = None,
    *,
    descending: builtins.bool = False,
    out: Array | None = None,
    stable: builtins.bool | None = True,
) -> Array: ...

@overload
def argwhere(x: GroupArray, /) -> GroupArray:
    """Return the indices of the elements that are not 0, a row for each."""
@overload
def argwhere(x: Any, /) -> Array: ...

@overload
def around(
    x: GroupArray,
    /,
    decimals: builtins.int = 0,
    out: GroupArray | None = None,
) -> GroupArray:
    """Return round(x, decimals)."""
@overload
def around(x: Any, /, decimals: builtins.int = 0, out: Array | None = None) -> Array: ...

@overload
def array(
    obj: Any,
    /,
    dtype: DTypeLike | None = None,
    *,
    copy: builtins.bool | None = True,
    ndmin: builtins.int = 0,
    group: DeviceGroup,
) -> GroupArray:
    """Return a new array with the contents of arrays, tensors, lists or numbers.

    The dtype is NumPy's unless one is given; Python's floats are the default float. With
    `ndmin`, it gets axes of one element in front until it has as many axes.
    """
@overload
def array(
    obj: Any,
    /,
    dtype: DTypeLike | None = None,
    *,
    device: DeviceGroup,
    copy: builtins.bool | None = True,
    ndmin: builtins.int = 0,
) -> GroupArray: ...
@overload
def array(
    obj: GroupArray,
    /,
    dtype: DTypeLike | None = None,
    *,
    device: None = None,
    copy: builtins.bool | None = True,
    ndmin: builtins.int = 0,
    group: None = None,
) -> GroupArray: ...
@overload
def array(
    obj: Any,
    /,
    dtype: DTypeLike | None = None,
    *,
    device: Manager | None = None,
    copy: builtins.bool | None = True,
    ndmin: builtins.int = 0,
    group: None = None,
) -> Array: ...

def array_equal(a1: Any, a2: Any, equal_nan: builtins.bool = False) -> builtins.bool:
    """Return whether two arrays have the same shape and equal elements.

    NaNs are equal to each other with `equal_nan`, and otherwise to nothing.
    """

def array_equiv(a1: Any, a2: Any) -> builtins.bool:
    """Return whether two arrays have equal elements once they are broadcast to one shape."""

@overload
def array_split(
    ary: GroupArray,
    indices_or_sections: Any,
    axis: builtins.int = 0,
) -> list[GroupArray]:
    """Return views of parts along an axis: a number of nearly equal ones, or cut at indices."""
@overload
def array_split(
    ary: Any,
    indices_or_sections: GroupArray,
    axis: builtins.int = 0,
) -> list[GroupArray]: ...
@overload
def array_split(ary: Any, indices_or_sections: Any, axis: builtins.int = 0) -> list[Array]: ...

@overload
def asanyarray(
    obj: Any,
    /,
    dtype: DTypeLike | None = None,
    *,
    copy: builtins.bool | None = None,
    group: DeviceGroup,
) -> GroupArray:
    """Return an array with the contents of arrays, tensors, lists or numbers.

    Arrays and tensors of the device are shared unless `copy` is true or the dtype differs.
    Anything else is copied to the device, or refused if `copy` is False.
    """
@overload
def asanyarray(
    obj: Any,
    /,
    dtype: DTypeLike | None = None,
    *,
    device: DeviceGroup,
    copy: builtins.bool | None = None,
) -> GroupArray: ...
@overload
def asanyarray(
    obj: GroupArray,
    /,
    dtype: DTypeLike | None = None,
    *,
    device: None = None,
    copy: builtins.bool | None = None,
    group: None = None,
) -> GroupArray: ...
@overload
def asanyarray(
    obj: Any,
    /,
    dtype: DTypeLike | None = None,
    *,
    device: Manager | None = None,
    copy: builtins.bool | None = None,
    group: None = None,
) -> Array: ...

@overload
def asarray(
    obj: Any,
    /,
    dtype: DTypeLike | None = None,
    *,
    copy: builtins.bool | None = None,
    group: DeviceGroup,
) -> GroupArray:
    """Return an array with the contents of arrays, tensors, lists or numbers.

    Arrays and tensors of the device are shared unless `copy` is true or the dtype differs.
    Anything else is copied to the device, or refused if `copy` is False.
    """
@overload
def asarray(
    obj: Any,
    /,
    dtype: DTypeLike | None = None,
    *,
    device: DeviceGroup,
    copy: builtins.bool | None = None,
) -> GroupArray: ...
@overload
def asarray(
    obj: GroupArray,
    /,
    dtype: DTypeLike | None = None,
    *,
    device: None = None,
    copy: builtins.bool | None = None,
    group: None = None,
) -> GroupArray: ...
@overload
def asarray(
    obj: Any,
    /,
    dtype: DTypeLike | None = None,
    *,
    device: Manager | None = None,
    copy: builtins.bool | None = None,
    group: None = None,
) -> Array: ...

@overload
def ascontiguousarray(
    obj: Any,
    /,
    dtype: DTypeLike | None = None,
    *,
    copy: builtins.bool | None = None,
    group: DeviceGroup,
) -> GroupArray:
    """Return an array with the contents of arrays, tensors, lists or numbers.

    Arrays and tensors of the device are shared unless `copy` is true or the dtype differs.
    Anything else is copied to the device, or refused if `copy` is False.
    """
@overload
def ascontiguousarray(
    obj: Any,
    /,
    dtype: DTypeLike | None = None,
    *,
    device: DeviceGroup,
    copy: builtins.bool | None = None,
) -> GroupArray: ...
@overload
def ascontiguousarray(
    obj: GroupArray,
    /,
    dtype: DTypeLike | None = None,
    *,
    device: None = None,
    copy: builtins.bool | None = None,
    group: None = None,
) -> GroupArray: ...
@overload
def ascontiguousarray(
    obj: Any,
    /,
    dtype: DTypeLike | None = None,
    *,
    device: Manager | None = None,
    copy: builtins.bool | None = None,
    group: None = None,
) -> Array: ...

@overload
def asin(
    x: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return the inverse sines. Types follow numpy.arcsin."""
@overload
def asin(
    x: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def asinh(
    x: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return the inverse hyperbolic sines. Types follow numpy.arcsinh."""
@overload
def asinh(
    x: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def astype(
    x: GroupArray,
    dtype: DTypeLike,
    /,
    *,
    copy: builtins.bool = True,
    device: Any = None,
) -> GroupArray:
    """Return the elements in another dtype; without `copy`, the array itself if it has it."""
@overload
def astype(
    x: Any,
    dtype: DTypeLike,
    /,
    *,
    copy: builtins.bool = True,
    device: Any = None,
) -> Array: ...

@overload
def atan(
    x: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return the inverse tangents. Types follow numpy.arctan."""
@overload
def atan(
    x: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def atan2(
    x1: GroupArray,
    x2: Any,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return the angles of the vectors (x2, x1). Types follow numpy.arctan2."""
@overload
def atan2(
    x1: Any,
    x2: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray: ...
@overload
def atan2(
    x1: Any,
    x2: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def atanh(
    x: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return the inverse hyperbolic tangents. Types follow numpy.arctanh."""
@overload
def atanh(
    x: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def atleast_1d(x: GroupArray, /) -> GroupArray:
    """Return views with at least one axis: an array, or a tuple of several."""
@overload
def atleast_1d(x: Any, /) -> Array: ...
@overload
def atleast_1d(x1: GroupArray, x2: Any, /, *arrays: Any) -> tuple[GroupArray, ...]: ...
@overload
def atleast_1d(x1: Any, x2: GroupArray, /, *arrays: Any) -> tuple[GroupArray, ...]: ...
@overload
def atleast_1d(x1: Any, x2: Any, /, *arrays: Any) -> tuple[Array, ...]: ...

@overload
def atleast_2d(x: GroupArray, /) -> GroupArray:
    """Return views with at least two axes, new ones in front: an array, or a tuple of several."""
@overload
def atleast_2d(x: Any, /) -> Array: ...
@overload
def atleast_2d(x1: GroupArray, x2: Any, /, *arrays: Any) -> tuple[GroupArray, ...]: ...
@overload
def atleast_2d(x1: Any, x2: GroupArray, /, *arrays: Any) -> tuple[GroupArray, ...]: ...
@overload
def atleast_2d(x1: Any, x2: Any, /, *arrays: Any) -> tuple[Array, ...]: ...

@overload
def atleast_3d(x: GroupArray, /) -> GroupArray:
    """Return views with at least three axes: vectors as (1, n, 1), matrices as (m, n, 1)."""
@overload
def atleast_3d(x: Any, /) -> Array: ...
@overload
def atleast_3d(x1: GroupArray, x2: Any, /, *arrays: Any) -> tuple[GroupArray, ...]: ...
@overload
def atleast_3d(x1: Any, x2: GroupArray, /, *arrays: Any) -> tuple[GroupArray, ...]: ...
@overload
def atleast_3d(x1: Any, x2: Any, /, *arrays: Any) -> tuple[Array, ...]: ...

@overload
def average(
    a: GroupArray,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    weights: Any = None,
    returned: Literal[False] = False,
    *,
    keepdims: builtins.bool = False,
) -> GroupArray:
    """Return the means along axes, weighted: the sum of a times the weights over the sum of the
    weights.

    `weights` has the shape of `a`, or of its extents along `axis`. With `returned`, the sum of
    the weights is the second of a pair. Raises ZeroDivisionError if a sum of weights is 0, which
    waits for the device.
    """
@overload
def average(
    a: Any,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    weights: Any = None,
    returned: Literal[False] = False,
    *,
    keepdims: builtins.bool = False,
) -> Array: ...
@overload
def average(
    a: GroupArray,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    weights: Any = None,
    *,
    returned: Literal[True],
    keepdims: builtins.bool = False,
) -> tuple[GroupArray, GroupArray]: ...
@overload
def average(
    a: Any,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    weights: Any = None,
    *,
    returned: Literal[True],
    keepdims: builtins.bool = False,
) -> tuple[Array, Array]: ...
@overload
def average(
    a: GroupArray,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None,
    weights: Any,
    returned: builtins.bool,
    *,
    keepdims: builtins.bool = False,
) -> GroupArray | tuple[GroupArray, GroupArray]: ...
@overload
def average(
    a: Any,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None,
    weights: GroupArray,
    returned: builtins.bool,
    *,
    keepdims: builtins.bool = False,
) -> GroupArray | tuple[GroupArray, GroupArray]: ...
@overload
def average(
    a: Any,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None,
    weights: Any,
    returned: builtins.bool,
    *,
    keepdims: builtins.bool = False,
) -> Array | tuple[Array, Array]: ...

@overload
def bincount(x: Tensor, /, weights: Tensor | None = None, minlength: builtins.int = 0) -> Tensor:
    """Return how often each integer from 0 on occurs (int64), or the sum of its weights.

    The result has an element for each integer up to the largest, and at least `minlength`. Sums
    are float64, or for tensors the type of the weights.
    """
@overload
def bincount(
    x: GroupArray,
    /,
    weights: GroupArray | None = None,
    minlength: builtins.int = 0,
) -> GroupArray: ...
@overload
def bincount(
    x: ArrayLike,
    /,
    weights: ArrayLike | None = None,
    minlength: builtins.int = 0,
) -> Array: ...

@overload
def bitwise_and(
    x1: GroupArray,
    x2: Any,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return x1 & x2. Types follow numpy.bitwise_and."""
@overload
def bitwise_and(
    x1: Any,
    x2: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray: ...
@overload
def bitwise_and(
    x1: Any,
    x2: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def bitwise_invert(
    x: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return all bits inverted. Types follow numpy.invert."""
@overload
def bitwise_invert(
    x: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def bitwise_left_shift(
    x1: GroupArray,
    x2: Any,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return x1 << x2; 0 from the number of bits on. Types follow numpy.left_shift."""
@overload
def bitwise_left_shift(
    x1: Any,
    x2: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray: ...
@overload
def bitwise_left_shift(
    x1: Any,
    x2: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def bitwise_not(
    x: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return all bits inverted. Types follow numpy.invert."""
@overload
def bitwise_not(
    x: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def bitwise_or(
    x1: GroupArray,
    x2: Any,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return x1 | x2. Types follow numpy.bitwise_or."""
@overload
def bitwise_or(
    x1: Any,
    x2: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray: ...
@overload
def bitwise_or(
    x1: Any,
    x2: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def bitwise_right_shift(
    x1: GroupArray,
    x2: Any,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return x1 >> x2; 0 or -1 from the number of bits on. Types follow numpy.right_shift."""
@overload
def bitwise_right_shift(
    x1: Any,
    x2: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray: ...
@overload
def bitwise_right_shift(
    x1: Any,
    x2: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def bitwise_xor(
    x1: GroupArray,
    x2: Any,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return x1 ^ x2. Types follow numpy.bitwise_xor."""
@overload
def bitwise_xor(
    x1: Any,
    x2: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray: ...
@overload
def bitwise_xor(
    x1: Any,
    x2: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def block(arrays: GroupArray) -> GroupArray:
    """Return an array of nested lists of blocks: blocks of the innermost lists are side by side."""
@overload
def block(arrays: Any) -> Array: ...

@overload
def broadcast_arrays(*arrays: GroupArray) -> tuple[GroupArray, ...]:
    """Return read-only views of a common shape.

    Values that arrays cannot hold, such as None and text, stay in NumPy's arrays.
    """
@overload
def broadcast_arrays(*arrays: Any) -> tuple[Array, ...]: ...

@overload
def broadcast_to(x: GroupArray, /, shape: Any) -> GroupArray:
    """Return a read-only view that repeats the elements along larger axes."""
@overload
def broadcast_to(x: Any, /, shape: GroupArray) -> GroupArray: ...
@overload
def broadcast_to(x: Any, /, shape: Any) -> Array: ...

def buffer_c64(shape: Any, **options: Any) -> Buffer:
    """Create a buffer of complex64: `Buffer(shape, complex64, **options)`."""

def buffer_dv2(shape: Any, **options: Any) -> Buffer:
    """Create a buffer of dvec2: `Buffer(shape, dvec2, **options)`."""

def buffer_dv3(shape: Any, **options: Any) -> Buffer:
    """Create a buffer of dvec3: `Buffer(shape, dvec3, **options)`."""

def buffer_dv4(shape: Any, **options: Any) -> Buffer:
    """Create a buffer of dvec4: `Buffer(shape, dvec4, **options)`."""

def buffer_f16(shape: Any, **options: Any) -> Buffer:
    """Create a buffer of float16: `Buffer(shape, float16, **options)`."""

def buffer_f32(shape: Any, **options: Any) -> Buffer:
    """Create a buffer of float32: `Buffer(shape, float32, **options)`."""

def buffer_f64(shape: Any, **options: Any) -> Buffer:
    """Create a buffer of float64: `Buffer(shape, float64, **options)`."""

def buffer_hv2(shape: Any, **options: Any) -> Buffer:
    """Create a buffer of hvec2: `Buffer(shape, hvec2, **options)`."""

def buffer_hv3(shape: Any, **options: Any) -> Buffer:
    """Create a buffer of hvec3: `Buffer(shape, hvec3, **options)`."""

def buffer_hv4(shape: Any, **options: Any) -> Buffer:
    """Create a buffer of hvec4: `Buffer(shape, hvec4, **options)`."""

def buffer_i16(shape: Any, **options: Any) -> Buffer:
    """Create a buffer of int16: `Buffer(shape, int16, **options)`."""

def buffer_i32(shape: Any, **options: Any) -> Buffer:
    """Create a buffer of int32: `Buffer(shape, int32, **options)`."""

def buffer_ihv2(shape: Any, **options: Any) -> Buffer:
    """Create a buffer of ihvec2: `Buffer(shape, ihvec2, **options)`."""

def buffer_ihv3(shape: Any, **options: Any) -> Buffer:
    """Create a buffer of ihvec3: `Buffer(shape, ihvec3, **options)`."""

def buffer_ihv4(shape: Any, **options: Any) -> Buffer:
    """Create a buffer of ihvec4: `Buffer(shape, ihvec4, **options)`."""

def buffer_iv2(shape: Any, **options: Any) -> Buffer:
    """Create a buffer of ivec2: `Buffer(shape, ivec2, **options)`."""

def buffer_iv3(shape: Any, **options: Any) -> Buffer:
    """Create a buffer of ivec3: `Buffer(shape, ivec3, **options)`."""

def buffer_iv4(shape: Any, **options: Any) -> Buffer:
    """Create a buffer of ivec4: `Buffer(shape, ivec4, **options)`."""

def buffer_u16(shape: Any, **options: Any) -> Buffer:
    """Create a buffer of uint16: `Buffer(shape, uint16, **options)`."""

def buffer_u32(shape: Any, **options: Any) -> Buffer:
    """Create a buffer of uint32: `Buffer(shape, uint32, **options)`."""

def buffer_uhv2(shape: Any, **options: Any) -> Buffer:
    """Create a buffer of uhvec2: `Buffer(shape, uhvec2, **options)`."""

def buffer_uhv3(shape: Any, **options: Any) -> Buffer:
    """Create a buffer of uhvec3: `Buffer(shape, uhvec3, **options)`."""

def buffer_uhv4(shape: Any, **options: Any) -> Buffer:
    """Create a buffer of uhvec4: `Buffer(shape, uhvec4, **options)`."""

def buffer_uv2(shape: Any, **options: Any) -> Buffer:
    """Create a buffer of uvec2: `Buffer(shape, uvec2, **options)`."""

def buffer_uv3(shape: Any, **options: Any) -> Buffer:
    """Create a buffer of uvec3: `Buffer(shape, uvec3, **options)`."""

def buffer_uv4(shape: Any, **options: Any) -> Buffer:
    """Create a buffer of uvec4: `Buffer(shape, uvec4, **options)`."""

def buffer_v2(shape: Any, **options: Any) -> Buffer:
    """Create a buffer of vec2: `Buffer(shape, vec2, **options)`."""

def buffer_v3(shape: Any, **options: Any) -> Buffer:
    """Create a buffer of vec3: `Buffer(shape, vec3, **options)`."""

def buffer_v4(shape: Any, **options: Any) -> Buffer:
    """Create a buffer of vec4: `Buffer(shape, vec4, **options)`."""

@overload
def cbrt(
    x: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return the cube roots. Types follow numpy.cbrt."""
@overload
def cbrt(
    x: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def ceil(
    x: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return the elements rounded up. Types follow numpy.ceil."""
@overload
def ceil(
    x: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def choose(
    a: GroupArray,
    choices: collections.abc.Sequence[Any],
    out: GroupArray | None = None,
    mode: str = "raise",
) -> GroupArray:
    """Return for each element i of a the element of ``choices[i]`` at its place.

    `mode` handles indices out of range: "raise" an error, which waits for the device, "wrap"
    around, or "clip" to the nearest one.
    """
@overload
def choose(
    a: Any,
    choices: collections.abc.Sequence[GroupArray],
    out: GroupArray | None = None,
    mode: str = "raise",
) -> GroupArray: ...
@overload
def choose(
    a: Any,
    choices: collections.abc.Sequence[Any],
    out: Array | None = None,
    mode: str = "raise",
) -> Array: ...

@overload
def clip(
    x: GroupArray,
    /,
    min: Any = None,
    max: Any = None,
    out: GroupArray | None = None,
    *,
    a_min: Any = None,
    a_max: Any = None,
) -> GroupArray:
    """Return the elements, but at least `min` and at most `max`, also called `a_min` and
    `a_max`.
    """
@overload
def clip(
    x: Any,
    /,
    min: Any = None,
    max: Any = None,
    out: Array | None = None,
    *,
    a_min: Any = None,
    a_max: Any = None,
) -> Array: ...

@overload
def column_stack(tup: collections.abc.Sequence[GroupArray]) -> GroupArray:
    """Return vectors as the columns of a matrix, joined with matrices."""
@overload
def column_stack(tup: collections.abc.Sequence[Any]) -> Array: ...

@overload
def compress(
    condition: Any,
    x: Tensor,
    /,
    axis: builtins.int | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return the elements that fulfil a condition, flat and in their order.

    `condition` has a flag per element, or is a GLSL expression over an element x, as in ``"x >
    0"``. It must be a bool, not a number: write ``"(x & 1) != 0"``. For arrays, a row of flags
    may be shorter; with `axis`, it chooses slices along it.
    """
@overload
def compress(
    condition: Any,
    x: GroupArray,
    /,
    axis: builtins.int | None = None,
    out: GroupArray | None = None,
) -> GroupArray: ...
@overload
def compress(
    condition: Any,
    x: ArrayLike,
    /,
    axis: builtins.int | None = None,
    out: Array | None = None,
) -> Array: ...

@overload
def concat(
    parts: collections.abc.Sequence[Tensor],
    /,
    axis: builtins.int | None = 0,
    out: Tensor | None = None,
    *,
    dtype: DTypeLike | None = None,
    casting: Literal['no', 'equiv', 'safe', 'same_kind', 'unsafe'] = "same_kind",
) -> Tensor:
    """Return tensors or arrays joined along an axis, or with `axis` None all of their elements.

    Arrays are converted to `dtype`, by default the one that holds all of their elements.
    `casting` is as in numpy.can_cast.
    """
@overload
def concat(
    parts: collections.abc.Sequence[GroupArray],
    /,
    axis: builtins.int | None = 0,
    out: GroupArray | None = None,
    *,
    dtype: DTypeLike | None = None,
    casting: Literal['no', 'equiv', 'safe', 'same_kind', 'unsafe'] = "same_kind",
) -> GroupArray: ...
@overload
def concat(
    parts: collections.abc.Sequence[ArrayLike],
    /,
    axis: builtins.int | None = 0,
    out: Array | None = None,
    *,
    dtype: DTypeLike | None = None,
    casting: Literal['no', 'equiv', 'safe', 'same_kind', 'unsafe'] = "same_kind",
) -> Array: ...

@overload
def concatenate(
    parts: collections.abc.Sequence[Tensor],
    /,
    axis: builtins.int | None = 0,
    out: Tensor | None = None,
    *,
    dtype: DTypeLike | None = None,
    casting: Literal['no', 'equiv', 'safe', 'same_kind', 'unsafe'] = "same_kind",
) -> Tensor:
    """Return tensors or arrays joined along an axis, or with `axis` None all of their elements.

    Arrays are converted to `dtype`, by default the one that holds all of their elements.
    `casting` is as in numpy.can_cast.
    """
@overload
def concatenate(
    parts: collections.abc.Sequence[GroupArray],
    /,
    axis: builtins.int | None = 0,
    out: GroupArray | None = None,
    *,
    dtype: DTypeLike | None = None,
    casting: Literal['no', 'equiv', 'safe', 'same_kind', 'unsafe'] = "same_kind",
) -> GroupArray: ...
@overload
def concatenate(
    parts: collections.abc.Sequence[ArrayLike],
    /,
    axis: builtins.int | None = 0,
    out: Array | None = None,
    *,
    dtype: DTypeLike | None = None,
    casting: Literal['no', 'equiv', 'safe', 'same_kind', 'unsafe'] = "same_kind",
) -> Array: ...

@overload
def conj(
    x: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return the complex conjugates. Types follow numpy.conjugate."""
@overload
def conj(
    x: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def conjugate(
    x: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return the complex conjugates. Types follow numpy.conjugate."""
@overload
def conjugate(
    x: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def convolve(a: GroupArray, v: Any, mode: str = "full", *, method: str = "auto") -> GroupArray:
    """Return the convolution of two vectors: "full", as long as the longer one ("same"), or
    "valid".

    `method`: "direct" sums each element by itself, "fft" convolves floating-point and complex
    numbers by Fourier transforms, and "auto" takes the faster one. Errors of "fft" are relative
    to the largest elements of the result, and a NaN or an infinity spreads to others.
    """
@overload
def convolve(a: Any, v: GroupArray, mode: str = "full", *, method: str = "auto") -> GroupArray: ...
@overload
def convolve(a: Any, v: Any, mode: str = "full", *, method: str = "auto") -> Array: ...

@overload
def copysign(
    x1: GroupArray,
    x2: Any,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return x1 with the sign of x2. Types follow numpy.copysign."""
@overload
def copysign(
    x1: Any,
    x2: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray: ...
@overload
def copysign(
    x1: Any,
    x2: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def corrcoef(
    x: GroupArray,
    y: Any = None,
    rowvar: builtins.bool = True,
    *,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return the correlation coefficients of variables: their covariances over the deviations."""
@overload
def corrcoef(
    x: Any,
    y: Any = None,
    rowvar: builtins.bool = True,
    *,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def correlate(a: GroupArray, v: Any, mode: str = "valid", *, method: str = "auto") -> GroupArray:
    """Return the sums of products of one vector with another, conjugated one, shifted.

    `method` is as for convolve().
    """
@overload
def correlate(
    a: Any,
    v: GroupArray,
    mode: str = "valid",
    *,
    method: str = "auto",
) -> GroupArray: ...
@overload
def correlate(a: Any, v: Any, mode: str = "valid", *, method: str = "auto") -> Array: ...

@overload
def cos(
    x: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return the cosines. Types follow numpy.cos."""
@overload
def cos(
    x: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def cosh(
    x: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return the hyperbolic cosines. Types follow numpy.cosh."""
@overload
def cosh(
    x: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def count_nonzero(
    x: Tensor,
    /,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    out: Tensor | None = None,
    keepdims: builtins.bool = False,
) -> Tensor:
    """Return the number (int64) of elements that are not 0."""
@overload
def count_nonzero(
    x: GroupArray,
    /,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    out: GroupArray | None = None,
    keepdims: builtins.bool = False,
) -> GroupArray: ...
@overload
def count_nonzero(
    x: ArrayLike,
    /,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    out: Array | None = None,
    keepdims: builtins.bool = False,
) -> Array: ...

@overload
def cov(
    m: GroupArray,
    y: Any = None,
    rowvar: builtins.bool = True,
    bias: builtins.bool = False,
    ddof: builtins.int | None = None,
    fweights: Any = None,
    aweights: Any = None,
    *,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return the covariances of variables, which are rows, or with ``rowvar=False`` columns.

    They are float64 unless `dtype` is given. The sums are divided by n - 1, with `bias` by n, or
    by n - ddof. `fweights` are repeat counts of observations, and `aweights` their weights.
    """
@overload
def cov(
    m: Any,
    y: Any = None,
    rowvar: builtins.bool = True,
    bias: builtins.bool = False,
    ddof: builtins.int | None = None,
    fweights: Any = None,
    aweights: Any = None,
    *,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def cross(
    a: GroupArray,
    b: Any,
    axisa: builtins.int = -1,
    axisb: builtins.int = -1,
    axisc: builtins.int = -1,
    axis: builtins.int | None = None,
) -> GroupArray:
    """Return the cross products of vectors of 3 elements, along axes of a, of b and of the
    result.
    """
@overload
def cross(
    a: Any,
    b: GroupArray,
    axisa: builtins.int = -1,
    axisb: builtins.int = -1,
    axisc: builtins.int = -1,
    axis: builtins.int | None = None,
) -> GroupArray: ...
@overload
def cross(
    a: Any,
    b: Any,
    axisa: builtins.int = -1,
    axisb: builtins.int = -1,
    axisc: builtins.int = -1,
    axis: builtins.int | None = None,
) -> Array: ...

@overload
def cumprod(
    x: Tensor,
    /,
    axis: builtins.int | None = None,
    dtype: DTypeLike | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return the products of the elements up to each one. For the types, see sum()."""
@overload
def cumprod(
    x: GroupArray,
    /,
    axis: builtins.int | None = None,
    dtype: DTypeLike | None = None,
    out: GroupArray | None = None,
) -> GroupArray: ...
@overload
def cumprod(
    x: ArrayLike,
    /,
    axis: builtins.int | None = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
) -> Array: ...

@overload
def cumsum(
    x: Tensor,
    /,
    axis: builtins.int | None = None,
    dtype: DTypeLike | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return the sums of the elements up to each one, along an axis or of all in C order.

    For the types, see sum().
    """
@overload
def cumsum(
    x: GroupArray,
    /,
    axis: builtins.int | None = None,
    dtype: DTypeLike | None = None,
    out: GroupArray | None = None,
) -> GroupArray: ...
@overload
def cumsum(
    x: ArrayLike,
    /,
    axis: builtins.int | None = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
) -> Array: ...

@overload
def cumulative_prod(
    x: GroupArray,
    /,
    *,
    axis: builtins.int | None = None,
    dtype: DTypeLike | None = None,
    include_initial: builtins.bool = False,
) -> GroupArray:
    """Return the products of the elements up to each one; `include_initial` puts a 1 in front."""
@overload
def cumulative_prod(
    x: Any,
    /,
    *,
    axis: builtins.int | None = None,
    dtype: DTypeLike | None = None,
    include_initial: builtins.bool = False,
) -> Array: ...

@overload
def cumulative_sum(
    x: GroupArray,
    /,
    *,
    axis: builtins.int | None = None,
    dtype: DTypeLike | None = None,
    include_initial: builtins.bool = False,
) -> GroupArray:
    """Return the sums of the elements up to each one; `include_initial` puts a 0 in front."""
@overload
def cumulative_sum(
    x: Any,
    /,
    *,
    axis: builtins.int | None = None,
    dtype: DTypeLike | None = None,
    include_initial: builtins.bool = False,
) -> Array: ...

@overload
def deg2rad(
    x: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return degrees as radians. Types follow numpy.deg2rad."""
@overload
def deg2rad(
    x: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def degrees(
    x: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return radians as degrees. Types follow numpy.rad2deg."""
@overload
def degrees(
    x: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def delete(arr: GroupArray, obj: Any, axis: builtins.int | None = None) -> GroupArray:
    """Return a copy without the elements at indices, in a slice or marked along an axis."""
@overload
def delete(arr: Any, obj: GroupArray, axis: builtins.int | None = None) -> GroupArray: ...
@overload
def delete(arr: Any, obj: Any, axis: builtins.int | None = None) -> Array: ...

@overload
def diag(v: GroupArray, k: builtins.int = 0) -> GroupArray:
    """Return the k-th diagonal of a matrix, as a copy, or a matrix with a vector as that
    diagonal.
    """
@overload
def diag(v: Any, k: builtins.int = 0) -> Array: ...

@overload
def diag_indices_from(arr: GroupArray) -> tuple[GroupArray, ...]:
    """Return the indices of the diagonal of an array with equal extents."""
@overload
def diag_indices_from(arr: Any) -> tuple[Array, ...]: ...

@overload
def diagflat(v: GroupArray, k: builtins.int = 0) -> GroupArray:
    """Return a matrix with the flat elements as its k-th diagonal."""
@overload
def diagflat(v: Any, k: builtins.int = 0) -> Array: ...

@overload
def diagonal(
    a: GroupArray,
    offset: builtins.int = 0,
    axis1: builtins.int = 0,
    axis2: builtins.int = 1,
) -> GroupArray:
    """Return a view of the diagonals of the matrices along two axes, as the last axis."""
@overload
def diagonal(
    a: Any,
    offset: builtins.int = 0,
    axis1: builtins.int = 0,
    axis2: builtins.int = 1,
) -> Array: ...

@overload
def diff(
    x: GroupArray,
    /,
    n: builtins.int = 1,
    axis: builtins.int = -1,
    prepend: Any = None,
    append: Any = None,
) -> GroupArray:
    """Return the differences of neighbours along an axis, n times."""
@overload
def diff(
    x: Any,
    /,
    n: builtins.int = 1,
    axis: builtins.int = -1,
    prepend: Any = None,
    append: Any = None,
) -> Array: ...

@overload
def digitize(x: GroupArray, bins: Any, right: builtins.bool = False) -> GroupArray:
    """Return the number (int64) of the bin of each element: i if ``bins[i - 1] <= x < bins[i]``.

    Elements below all edges are in bin 0, elements above in bin ``len(bins)``. `bins` ascends or
    descends. With `right`, bins include their right edges.
    """
@overload
def digitize(x: Any, bins: GroupArray, right: builtins.bool = False) -> GroupArray: ...
@overload
def digitize(x: Any, bins: Any, right: builtins.bool = False) -> Array: ...

@overload
def divide(
    x1: GroupArray,
    x2: Any,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return the quotients. Types follow numpy.divide."""
@overload
def divide(
    x1: Any,
    x2: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray: ...
@overload
def divide(
    x1: Any,
    x2: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def divmod(x1: GroupArray, x2: Any, /) -> tuple[GroupArray, GroupArray]:
    """Return the quotients, rounded down, and the remainders."""
@overload
def divmod(x1: Any, x2: GroupArray, /) -> tuple[GroupArray, GroupArray]: ...
@overload
def divmod(x1: Any, x2: Any, /) -> tuple[Array, Array]: ...

@overload
def dot(a: GroupArray, b: Any, out: GroupArray | None = None) -> GroupArray:
    """Return the sums of products over the last axis of a and the second to last one of b.

    This is the inner product of vectors, the product of matrices, and with a number, the
    multiple.
    """
@overload
def dot(a: Any, b: GroupArray, out: GroupArray | None = None) -> GroupArray: ...
@overload
def dot(a: Any, b: Any, out: Array | None = None) -> Array: ...

@overload
def dsplit(ary: GroupArray, indices_or_sections: Any) -> list[GroupArray]:
    """Return views of parts along the third axis."""
@overload
def dsplit(ary: Any, indices_or_sections: GroupArray) -> list[GroupArray]: ...
@overload
def dsplit(ary: Any, indices_or_sections: Any) -> list[Array]: ...

@overload
def dstack(tup: collections.abc.Sequence[GroupArray]) -> GroupArray:
    """Return arrays joined along the third axis."""
@overload
def dstack(tup: collections.abc.Sequence[Any]) -> Array: ...

@overload
def ediff1d(ary: GroupArray, to_end: Any = None, to_begin: Any = None) -> GroupArray:
    """Return the differences of neighbours of the flat array, with values before and after it."""
@overload
def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Array: ...

@overload
def einsum(
    subscripts: str,
    /,
    *operands: GroupArray,
    out: GroupArray | None = None,
    dtype: DTypeLike | None = None,
    optimize: Any = False,
) -> GroupArray:
    """Return sums of products of arrays, whose axes are named by letters.

    ``kp.einsum("ij,jk->ik", a, b)`` is the product of matrices: letters that are missing after
    the arrow are summed over. Without an arrow, the result has the letters that occur once, in
    alphabetical order. "..." stands for any axes. Arrays are multiplied two at a time, from the
    left, as matrices, regardless of `optimize`. They are converted to `dtype` first.
    """
@overload
def einsum(
    subscripts: str,
    /,
    *operands: Any,
    out: Array | None = None,
    dtype: DTypeLike | None = None,
    optimize: Any = False,
) -> Array: ...

@overload
def empty(shape: Any, dtype: DTypeLike | None = None, *, group: DeviceGroup) -> GroupArray:
    """Return an array with undefined contents, of the default float unless `dtype` is given."""
@overload
def empty(shape: Any, dtype: DTypeLike | None = None, *, device: DeviceGroup) -> GroupArray: ...
@overload
def empty(
    shape: Any,
    dtype: DTypeLike | None = None,
    *,
    device: Manager | None = None,
    group: None = None,
) -> Array: ...

@overload
def empty_like(
    x: GroupArray,
    /,
    dtype: DTypeLike | None = None,
    *,
    device: Manager | None = None,
    shape: Any = None,
) -> GroupArray:
    """Return an array of the same shape, or `shape`, with undefined contents."""
@overload
def empty_like(
    x: Any,
    /,
    dtype: DTypeLike | None = None,
    *,
    device: Manager | None = None,
    shape: Any = None,
) -> Array: ...

@overload
def equal(
    x1: GroupArray,
    x2: Any,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return whether x1 equals x2. Types follow numpy.equal."""
@overload
def equal(
    x1: Any,
    x2: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray: ...
@overload
def equal(
    x1: Any,
    x2: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def erf(
    x: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return the error functions. Types follow numpy.cbrt."""
@overload
def erf(
    x: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def erfc(
    x: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return 1 - erf(x), exact where it is small. Types follow numpy.cbrt."""
@overload
def erfc(
    x: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def exp(
    x: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return e to the power of each element. Types follow numpy.exp."""
@overload
def exp(
    x: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def exp2(
    x: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return 2 to the power of each element. Types follow numpy.exp2."""
@overload
def exp2(
    x: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def expand_dims(
    x: GroupArray,
    /,
    axis: builtins.int | collections.abc.Sequence[builtins.int] = 0,
) -> GroupArray:
    """Return a view with new axes of one element at the given places of the result."""
@overload
def expand_dims(
    x: Any,
    /,
    axis: builtins.int | collections.abc.Sequence[builtins.int] = 0,
) -> Array: ...

@overload
def expm1(
    x: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return exp(x) - 1, exact near 0. Types follow numpy.expm1."""
@overload
def expm1(
    x: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def extract(condition: GroupArray, arr: Any) -> GroupArray:
    """Return the elements that a mask chooses, flat. Waits for the device."""
@overload
def extract(condition: Any, arr: GroupArray) -> GroupArray: ...
@overload
def extract(condition: Any, arr: Any) -> Array: ...

@overload
def fabs(
    x: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return the absolute values of real numbers, as floats. Types follow numpy.fabs."""
@overload
def fabs(
    x: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def fix(x: GroupArray, /, out: GroupArray | None = None) -> GroupArray:
    """Return the elements rounded towards 0."""
@overload
def fix(x: Any, /, out: Array | None = None) -> Array: ...

@overload
def flatnonzero(x: Tensor, /) -> Tensor:
    """Return the indices (int64) of the flat elements that are not 0."""
@overload
def flatnonzero(x: GroupArray, /) -> GroupArray: ...
@overload
def flatnonzero(x: ArrayLike, /) -> Array: ...

@overload
def flatten(x: GroupArray, /, order: str | None = "C") -> GroupArray:
    """Return a flat copy."""
@overload
def flatten(x: Any, /, order: str | None = "C") -> Array: ...

@overload
def flip(
    x: Tensor,
    /,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return the elements in reverse order along one axis, several or all.

    For an array this is a view, for a tensor a copy.
    """
@overload
def flip(
    x: GroupArray,
    /,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    out: GroupArray | None = None,
) -> GroupArray: ...
@overload
def flip(
    x: ArrayLike,
    /,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    out: Array | None = None,
) -> Array: ...

@overload
def fliplr(x: GroupArray, /) -> GroupArray:
    """Return a view with the elements in reverse order along the second axis."""
@overload
def fliplr(x: Any, /) -> Array: ...

@overload
def flipud(x: GroupArray, /) -> GroupArray:
    """Return a view with the elements in reverse order along the first axis."""
@overload
def flipud(x: Any, /) -> Array: ...

@overload
def float_power(
    x1: GroupArray,
    x2: Any,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return x1 to the power of x2, in double precision. Types follow numpy.float_power."""
@overload
def float_power(
    x1: Any,
    x2: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray: ...
@overload
def float_power(
    x1: Any,
    x2: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def floor(
    x: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return the elements rounded down. Types follow numpy.floor."""
@overload
def floor(
    x: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def floor_divide(
    x1: GroupArray,
    x2: Any,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return the quotients, rounded down. Integers divided by 0 are 0. Types follow
    numpy.floor_divide.
    """
@overload
def floor_divide(
    x1: Any,
    x2: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray: ...
@overload
def floor_divide(
    x1: Any,
    x2: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def fmax(
    x1: GroupArray,
    x2: Any,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return the larger elements; a number rather than NaN. Types follow numpy.fmax."""
@overload
def fmax(
    x1: Any,
    x2: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray: ...
@overload
def fmax(
    x1: Any,
    x2: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def fmin(
    x1: GroupArray,
    x2: Any,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return the smaller elements; a number rather than NaN. Types follow numpy.fmin."""
@overload
def fmin(
    x1: Any,
    x2: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray: ...
@overload
def fmin(
    x1: Any,
    x2: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def fmod(
    x1: GroupArray,
    x2: Any,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return the remainders, with the signs of the dividends. Types follow numpy.fmod."""
@overload
def fmod(
    x1: Any,
    x2: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray: ...
@overload
def fmod(
    x1: Any,
    x2: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def full(
    shape: Any,
    fill_value: Any,
    dtype: DTypeLike | None = None,
    *,
    group: DeviceGroup,
) -> GroupArray:
    """Return an array with one value in all elements.

    Python's floats are the default float (kp.set_default_float) unless `dtype` is given.
    """
@overload
def full(
    shape: Any,
    fill_value: Any,
    dtype: DTypeLike | None = None,
    *,
    device: DeviceGroup,
) -> GroupArray: ...
@overload
def full(
    shape: Any,
    fill_value: Any,
    dtype: DTypeLike | None = None,
    *,
    device: Manager | None = None,
    group: None = None,
) -> Array: ...

@overload
def full_like(
    x: GroupArray,
    /,
    fill_value: Any,
    dtype: DTypeLike | None = None,
    *,
    device: Manager | None = None,
    shape: Any = None,
) -> GroupArray:
    """Return an array of the same shape, or of `shape`, with one value in all elements."""
@overload
def full_like(
    x: Any,
    /,
    fill_value: GroupArray,
    dtype: DTypeLike | None = None,
    *,
    device: Manager | None = None,
    shape: Any = None,
) -> GroupArray: ...
@overload
def full_like(
    x: Any,
    /,
    fill_value: Any,
    dtype: DTypeLike | None = None,
    *,
    device: Manager | None = None,
    shape: Any = None,
) -> Array: ...

@overload
def gamma(
    x: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return the gamma functions. Types follow numpy.cbrt."""
@overload
def gamma(
    x: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def gcd(
    x1: GroupArray,
    x2: Any,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return the greatest common divisors. Types follow numpy.gcd."""
@overload
def gcd(
    x1: Any,
    x2: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray: ...
@overload
def gcd(
    x1: Any,
    x2: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def gradient(
    f: GroupArray,
    *varargs: Any,
    axis: builtins.int,
    edge_order: builtins.int = 1,
) -> GroupArray:
    """Return the derivatives along axes, by central differences: an array, or a tuple of one per
    axis.

    `varargs`: the spacing of the samples: one number, or for each axis a number or the
    coordinates. At the edges, differences of the order `edge_order` (1 or 2) are taken.
    """
@overload
def gradient(f: Any, *varargs: Any, axis: builtins.int, edge_order: builtins.int = 1) -> Array: ...
@overload
def gradient(
    f: GroupArray,
    *varargs: Any,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    edge_order: builtins.int = 1,
) -> GroupArray | Any: ...
@overload
def gradient(
    f: Any,
    *varargs: Any,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    edge_order: builtins.int = 1,
) -> Array | Any: ...

@overload
def greater(
    x1: GroupArray,
    x2: Any,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return whether x1 > x2. Types follow numpy.greater."""
@overload
def greater(
    x1: Any,
    x2: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray: ...
@overload
def greater(
    x1: Any,
    x2: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def greater_equal(
    x1: GroupArray,
    x2: Any,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return whether x1 >= x2. Types follow numpy.greater_equal."""
@overload
def greater_equal(
    x1: Any,
    x2: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray: ...
@overload
def greater_equal(
    x1: Any,
    x2: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def heaviside(
    x1: GroupArray,
    x2: Any,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return 0 where x1 is negative, x2 where it is 0, and 1 where it is positive. Types follow
    numpy.heaviside.
    """
@overload
def heaviside(
    x1: Any,
    x2: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray: ...
@overload
def heaviside(
    x1: Any,
    x2: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def histogram(
    x: Tensor,
    /,
    bins: Any = 10,
    range: tuple[builtins.float, builtins.float] | None = None,
    density: builtins.bool | None = None,
    weights: Any = None,
) -> tuple[Tensor, Tensor]:
    """Return how many elements are in each bin (int64), or the sums of their weights, and the
    edges.

    `bins` is a number of bins of equal width over `range`, by default from the smallest to the
    largest element, or their edges in ascending order. Each bin includes its lower edge, and the
    last one its upper edge, too. Elements outside of all bins and NaNs are skipped. With
    `density`, for arrays, counts are divided by their sum and the widths of the bins, so that
    the integral is 1.
    """
@overload
def histogram(
    x: GroupArray,
    /,
    bins: Any = 10,
    range: tuple[builtins.float, builtins.float] | None = None,
    density: builtins.bool | None = None,
    weights: Any = None,
) -> tuple[GroupArray, GroupArray]: ...
@overload
def histogram(
    x: ArrayLike,
    /,
    bins: Any = 10,
    range: tuple[builtins.float, builtins.float] | None = None,
    density: builtins.bool | None = None,
    weights: Any = None,
) -> tuple[Array, Array]: ...

@overload
def histogram2d(
    x: GroupArray,
    y: Any,
    bins: Any = 10,
    range: Any = None,
    density: builtins.bool | None = None,
    weights: Any = None,
) -> tuple[GroupArray, GroupArray, GroupArray]:
    """Return histogramdd([x, y], ...): the counts, the edges of x and the edges of y.

    `bins` is a number or edges for both, or a pair of these.
    """
@overload
def histogram2d(
    x: Any,
    y: GroupArray,
    bins: Any = 10,
    range: Any = None,
    density: builtins.bool | None = None,
    weights: Any = None,
) -> tuple[GroupArray, GroupArray, GroupArray]: ...
@overload
def histogram2d(
    x: Any,
    y: Any,
    bins: Any = 10,
    range: Any = None,
    density: builtins.bool | None = None,
    weights: Any = None,
) -> tuple[Array, Array, Array]: ...

@overload
def histogram_bin_edges(
    a: GroupArray,
    bins: Any = 10,
    range: Any = None,
    weights: Any = None,
) -> GroupArray:
    """Return the edges of the bins that histogram() would count in."""
@overload
def histogram_bin_edges(
    a: Any,
    bins: Any = 10,
    range: Any = None,
    weights: Any = None,
) -> Array: ...

@overload
def histogramdd(
    sample: GroupArray,
    bins: Any = 10,
    range: Any = None,
    density: builtins.bool | None = None,
    weights: Any = None,
) -> tuple[GroupArray, tuple[GroupArray, ...]]:
    """Return how many points are in each bin, or the sums of their weights, and the edges by axis.

    `sample` has a row of coordinates per point, or is a list of arrays with one coordinate each.
    `bins` is a number or edges for all axes, or a list of these; `range` has a pair for each
    axis. Elements outside of all bins and NaNs are skipped. Counts are float64. With `density`
    they are divided by their sum and the volumes of the bins.
    """
@overload
def histogramdd(
    sample: Any,
    bins: Any = 10,
    range: Any = None,
    density: builtins.bool | None = None,
    weights: Any = None,
) -> tuple[Array, tuple[Array, ...]]: ...

@overload
def hsplit(ary: GroupArray, indices_or_sections: Any) -> list[GroupArray]:
    """Return views of parts along the second axis; of a vector, along its only one."""
@overload
def hsplit(ary: Any, indices_or_sections: GroupArray) -> list[GroupArray]: ...
@overload
def hsplit(ary: Any, indices_or_sections: Any) -> list[Array]: ...

@overload
def hstack(
    tup: collections.abc.Sequence[GroupArray],
    *,
    dtype: DTypeLike | None = None,
    casting: Literal['no', 'equiv', 'safe', 'same_kind', 'unsafe'] = "same_kind",
) -> GroupArray:
    """Return arrays joined along the second axis; vectors along their only one. See concat()."""
@overload
def hstack(
    tup: collections.abc.Sequence[Any],
    *,
    dtype: DTypeLike | None = None,
    casting: Literal['no', 'equiv', 'safe', 'same_kind', 'unsafe'] = "same_kind",
) -> Array: ...

@overload
def hypot(
    x1: GroupArray,
    x2: Any,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return the lengths of the vectors (x1, x2). Types follow numpy.hypot."""
@overload
def hypot(
    x1: Any,
    x2: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray: ...
@overload
def hypot(
    x1: Any,
    x2: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def i0(
    x: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return the modified Bessel functions of the first kind, of order 0. Types follow
    numpy.cbrt.
    """
@overload
def i0(
    x: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def imag(x: GroupArray, /) -> GroupArray:
    """Return the imaginary parts: of an array in memory, a view; 0 for real numbers."""
@overload
def imag(x: Any, /) -> Array: ...

@overload
def inner(a: GroupArray, b: Any) -> GroupArray:
    """Return the sums of products over the last axes of both arrays."""
@overload
def inner(a: Any, b: GroupArray) -> GroupArray: ...
@overload
def inner(a: Any, b: Any) -> Array: ...

@overload
def insert(arr: GroupArray, obj: Any, values: Any, axis: builtins.int | None = None) -> GroupArray:
    """Return a copy with values inserted before indices along an axis, converted to its dtype."""
@overload
def insert(
    arr: Any,
    obj: GroupArray,
    values: Any,
    axis: builtins.int | None = None,
) -> GroupArray: ...
@overload
def insert(
    arr: Any,
    obj: Any,
    values: GroupArray,
    axis: builtins.int | None = None,
) -> GroupArray: ...
@overload
def insert(arr: Any, obj: Any, values: Any, axis: builtins.int | None = None) -> Array: ...

@overload
def interp(
    x: GroupArray,
    xp: Any,
    fp: Any,
    left: Any = None,
    right: Any = None,
    period: builtins.float | None = None,
) -> GroupArray:
    """Return the values at `x` of the line through the points (xp, fp), where `xp` ascends.

    Below and above all points, they are `left` and `right`, by default the first and last value.
    With `period`, angles, `xp` may be in any order. The dtype is the operands', float64 for
    integers.
    """
@overload
def interp(
    x: Any,
    xp: GroupArray,
    fp: Any,
    left: Any = None,
    right: Any = None,
    period: builtins.float | None = None,
) -> GroupArray: ...
@overload
def interp(
    x: Any,
    xp: Any,
    fp: GroupArray,
    left: Any = None,
    right: Any = None,
    period: builtins.float | None = None,
) -> GroupArray: ...
@overload
def interp(
    x: Any,
    xp: Any,
    fp: Any,
    left: Any = None,
    right: Any = None,
    period: builtins.float | None = None,
) -> Array: ...

@overload
def intersect1d(
    ar1: GroupArray,
    ar2: Any,
    assume_unique: builtins.bool = False,
    return_indices: Literal[False] = False,
) -> GroupArray:
    """Return the distinct elements that are in both arrays, sorted.

    With `return_indices`, the indices of the first such elements in each flat array follow.
    """
@overload
def intersect1d(
    ar1: Any,
    ar2: GroupArray,
    assume_unique: builtins.bool = False,
    return_indices: Literal[False] = False,
) -> GroupArray: ...
@overload
def intersect1d(
    ar1: Any,
    ar2: Any,
    assume_unique: builtins.bool = False,
    return_indices: Literal[False] = False,
) -> Array: ...
@overload
def intersect1d(
    ar1: GroupArray,
    ar2: Any,
    assume_unique: builtins.bool = False,
    *,
    return_indices: Literal[True],
) -> tuple[GroupArray, GroupArray, GroupArray]: ...
@overload
def intersect1d(
    ar1: Any,
    ar2: GroupArray,
    assume_unique: builtins.bool = False,
    *,
    return_indices: Literal[True],
) -> tuple[GroupArray, GroupArray, GroupArray]: ...
@overload
def intersect1d(
    ar1: Any,
    ar2: Any,
    assume_unique: builtins.bool = False,
    *,
    return_indices: Literal[True],
) -> tuple[Array, Array, Array]: ...
@overload
def intersect1d(
    ar1: GroupArray,
    ar2: Any,
    assume_unique: builtins.bool,
    return_indices: builtins.bool,
) -> GroupArray | tuple[GroupArray, GroupArray, GroupArray]: ...
@overload
def intersect1d(
    ar1: Any,
    ar2: GroupArray,
    assume_unique: builtins.bool,
    return_indices: builtins.bool,
) -> GroupArray | tuple[GroupArray, GroupArray, GroupArray]: ...
@overload
def intersect1d(
    ar1: Any,
    ar2: Any,
    assume_unique: builtins.bool,
    return_indices: builtins.bool,
) -> Array | tuple[Array, Array, Array]: ...

@overload
def invert(
    x: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return all bits inverted. Types follow numpy.invert."""
@overload
def invert(
    x: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def isclose(
    a: GroupArray,
    b: Any,
    rtol: builtins.float = 1e-05,
    atol: builtins.float = 1e-08,
    equal_nan: builtins.bool = False,
) -> GroupArray:
    """Return whether elements are nearly equal: whether ``|a - b| <= atol + rtol * |b|``.

    Infinities are close to equal ones. NaNs are close to each other with `equal_nan`, and
    otherwise to nothing. Integers are compared in float64.
    """
@overload
def isclose(
    a: Any,
    b: GroupArray,
    rtol: builtins.float = 1e-05,
    atol: builtins.float = 1e-08,
    equal_nan: builtins.bool = False,
) -> GroupArray: ...
@overload
def isclose(
    a: Any,
    b: Any,
    rtol: builtins.float = 1e-05,
    atol: builtins.float = 1e-08,
    equal_nan: builtins.bool = False,
) -> Array: ...

@overload
def iscomplex(x: GroupArray, /) -> GroupArray:
    """Return whether each element has an imaginary part that is not 0."""
@overload
def iscomplex(x: Any, /) -> Array: ...

def iscomplexobj(x: Any, /) -> builtins.bool:
    """Return whether the dtype is complex."""

@overload
def isfinite(
    x: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return whether each element is neither infinite nor NaN. Types follow numpy.isfinite."""
@overload
def isfinite(
    x: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def isin(
    x1: GroupArray,
    x2: Any,
    /,
    assume_unique: builtins.bool = False,
    invert: builtins.bool = False,
) -> GroupArray:
    """Return whether each element of x1 is one of x2; with `invert`, whether it is not.

    `assume_unique` changes nothing: equal elements cost no more.
    """
@overload
def isin(
    x1: Any,
    x2: GroupArray,
    /,
    assume_unique: builtins.bool = False,
    invert: builtins.bool = False,
) -> GroupArray: ...
@overload
def isin(
    x1: Any,
    x2: Any,
    /,
    assume_unique: builtins.bool = False,
    invert: builtins.bool = False,
) -> Array: ...

@overload
def isinf(
    x: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return whether each element is infinite. Types follow numpy.isinf."""
@overload
def isinf(
    x: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def isnan(
    x: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return whether each element is NaN. Types follow numpy.isnan."""
@overload
def isnan(
    x: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def isneginf(x: GroupArray, /, out: GroupArray | None = None) -> GroupArray:
    """Return whether each element is negative infinity."""
@overload
def isneginf(x: Any, /, out: Array | None = None) -> Array: ...

@overload
def isposinf(x: GroupArray, /, out: GroupArray | None = None) -> GroupArray:
    """Return whether each element is positive infinity."""
@overload
def isposinf(x: Any, /, out: Array | None = None) -> Array: ...

@overload
def isreal(x: GroupArray, /) -> GroupArray:
    """Return whether the imaginary part of each element is 0."""
@overload
def isreal(x: Any, /) -> Array: ...

def isrealobj(x: Any, /) -> builtins.bool:
    """Return whether the dtype is not complex."""

@overload
def ix_(*args: GroupArray) -> tuple[GroupArray, ...]:
    """Return indices with which ``x[kp.ix_(rows, columns)]`` is all of these rows and columns."""
@overload
def ix_(*args: Any) -> tuple[Array, ...]: ...

@overload
def kron(a: GroupArray, b: Any) -> GroupArray:
    """Return the Kronecker product: all of b in place of each element of a, times that element."""
@overload
def kron(a: Any, b: GroupArray) -> GroupArray: ...
@overload
def kron(a: Any, b: Any) -> Array: ...

@overload
def lcm(
    x1: GroupArray,
    x2: Any,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return the least common multiples. Types follow numpy.lcm."""
@overload
def lcm(
    x1: Any,
    x2: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray: ...
@overload
def lcm(
    x1: Any,
    x2: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def ldexp(
    x1: GroupArray,
    x2: Any,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return x1 times 2 to the power of x2. Types follow numpy.ldexp."""
@overload
def ldexp(
    x1: Any,
    x2: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray: ...
@overload
def ldexp(
    x1: Any,
    x2: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def left_shift(
    x1: GroupArray,
    x2: Any,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return x1 << x2; 0 from the number of bits on. Types follow numpy.left_shift."""
@overload
def left_shift(
    x1: Any,
    x2: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray: ...
@overload
def left_shift(
    x1: Any,
    x2: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def less(
    x1: GroupArray,
    x2: Any,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return whether x1 < x2. Types follow numpy.less."""
@overload
def less(
    x1: Any,
    x2: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray: ...
@overload
def less(
    x1: Any,
    x2: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def less_equal(
    x1: GroupArray,
    x2: Any,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return whether x1 <= x2. Types follow numpy.less_equal."""
@overload
def less_equal(
    x1: Any,
    x2: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray: ...
@overload
def less_equal(
    x1: Any,
    x2: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def lexsort(keys: GroupArray, axis: builtins.int = -1) -> GroupArray:
    """Return the indices (int64) that sort by several keys along an axis, by the last one first."""
@overload
def lexsort(keys: Any, axis: builtins.int = -1) -> Array: ...

@overload
def lgamma(
    x: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return the logarithms of the absolute values of the gamma functions. Types follow
    numpy.cbrt.
    """
@overload
def lgamma(
    x: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def linspace(
    start: Any,
    stop: Any,
    /,
    num: builtins.int = 50,
    endpoint: builtins.bool = True,
    retstep: Literal[False] = False,
    dtype: DTypeLike | None = None,
    axis: builtins.int = 0,
    *,
    group: DeviceGroup,
) -> GroupArray:
    """Return `num` numbers from start to stop at equal distances, of the default float or `dtype`.

    Start and stop may be arrays; the numbers are along a new axis then, and have NumPy's type
    for arrays of floats. With `retstep`, the distance is the second of a pair.
    """
@overload
def linspace(
    start: Any,
    stop: Any,
    /,
    num: builtins.int = 50,
    endpoint: builtins.bool = True,
    retstep: Literal[False] = False,
    dtype: DTypeLike | None = None,
    axis: builtins.int = 0,
    *,
    device: DeviceGroup,
) -> GroupArray: ...
@overload
def linspace(
    start: Any,
    stop: Any,
    /,
    num: builtins.int = 50,
    endpoint: builtins.bool = True,
    retstep: Literal[False] = False,
    dtype: DTypeLike | None = None,
    axis: builtins.int = 0,
    *,
    device: Manager | None = None,
    group: None = None,
) -> Array: ...
@overload
def linspace(
    start: Any,
    stop: Any,
    /,
    num: builtins.int = 50,
    endpoint: builtins.bool = True,
    *,
    retstep: Literal[True],
    dtype: DTypeLike | None = None,
    axis: builtins.int = 0,
    group: DeviceGroup,
) -> tuple[GroupArray, Any]: ...
@overload
def linspace(
    start: Any,
    stop: Any,
    /,
    num: builtins.int = 50,
    endpoint: builtins.bool = True,
    *,
    retstep: Literal[True],
    dtype: DTypeLike | None = None,
    axis: builtins.int = 0,
    device: DeviceGroup,
) -> tuple[GroupArray, Any]: ...
@overload
def linspace(
    start: Any,
    stop: Any,
    /,
    num: builtins.int = 50,
    endpoint: builtins.bool = True,
    *,
    retstep: Literal[True],
    dtype: DTypeLike | None = None,
    axis: builtins.int = 0,
    device: Manager | None = None,
    group: None = None,
) -> tuple[Array, Any]: ...

@overload
def log(
    x: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return the natural logarithms. Types follow numpy.log."""
@overload
def log(
    x: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def log10(
    x: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return the logarithms to base 10. Types follow numpy.log10."""
@overload
def log10(
    x: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def log1p(
    x: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return log(1 + x), exact near 0. Types follow numpy.log1p."""
@overload
def log1p(
    x: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def log2(
    x: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return the logarithms to base 2. Types follow numpy.log2."""
@overload
def log2(
    x: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def logaddexp(
    x1: GroupArray,
    x2: Any,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return log(exp(x1) + exp(x2)). Types follow numpy.logaddexp."""
@overload
def logaddexp(
    x1: Any,
    x2: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray: ...
@overload
def logaddexp(
    x1: Any,
    x2: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def logaddexp2(
    x1: GroupArray,
    x2: Any,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return log2(2**x1 + 2**x2). Types follow numpy.logaddexp2."""
@overload
def logaddexp2(
    x1: Any,
    x2: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray: ...
@overload
def logaddexp2(
    x1: Any,
    x2: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def logical_and(
    x1: GroupArray,
    x2: Any,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return whether both are not 0. Types follow numpy.logical_and."""
@overload
def logical_and(
    x1: Any,
    x2: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray: ...
@overload
def logical_and(
    x1: Any,
    x2: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def logical_not(
    x: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return whether each element is 0. Types follow numpy.logical_not."""
@overload
def logical_not(
    x: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def logical_or(
    x1: GroupArray,
    x2: Any,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return whether one is not 0. Types follow numpy.logical_or."""
@overload
def logical_or(
    x1: Any,
    x2: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray: ...
@overload
def logical_or(
    x1: Any,
    x2: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def logical_xor(
    x1: GroupArray,
    x2: Any,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return whether exactly one is not 0. Types follow numpy.logical_xor."""
@overload
def logical_xor(
    x1: Any,
    x2: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray: ...
@overload
def logical_xor(
    x1: Any,
    x2: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def matmul(a: Tensor, b: Any, /, out: Tensor | None = None, **options: Any) -> Tensor:
    """Return the product of matrices, as NumPy's matmul.

    The last two axes are matrices. Stacks of arrays broadcast; tensors have equal numbers of
    matrices, or one has a single matrix. For tensors, the options follow OpMatMul:
    `transpose_a`, `transpose_b`, `alpha`, `beta` (with `out`: alpha a b + beta out), `epilogue`,
    a GLSL expression over c, row, column, batch and bias, as in ``"max(c + bias, 0.0)"``, `bias`
    (one element per column), and `dtype`: the type of `a`, or of the sums (float32 for float16,
    int32 for int8).
    """
@overload
def matmul(
    a: GroupArray,
    b: Any,
    /,
    out: GroupArray | None = None,
    **options: Any,
) -> GroupArray: ...
@overload
def matmul(a: ArrayLike, b: Any, /, out: Array | None = None, **options: Any) -> Array: ...

@overload
def matrix_transpose(x: GroupArray, /) -> GroupArray:
    """Return a view with the last two axes swapped."""
@overload
def matrix_transpose(x: Any, /) -> Array: ...

@overload
def matvec(x1: GroupArray, x2: Any, /) -> GroupArray:
    """Return the products of matrices with vectors. Stacks of both broadcast."""
@overload
def matvec(x1: Any, x2: GroupArray, /) -> GroupArray: ...
@overload
def matvec(x1: Any, x2: Any, /) -> Array: ...

@overload
def max(
    x: Tensor,
    /,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    out: Tensor | None = None,
    keepdims: builtins.bool = False,
    initial: Any = None,
    where: Any = None,
) -> Tensor:
    """Return the largest element, or NaN if any element is, of all or along an axis."""
@overload
def max(
    x: GroupArray,
    /,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    out: GroupArray | None = None,
    keepdims: builtins.bool = False,
    initial: Any = None,
    where: Any = None,
) -> GroupArray: ...
@overload
def max(
    x: ArrayLike,
    /,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    out: Array | None = None,
    keepdims: builtins.bool = False,
    initial: Any = None,
    where: Any = None,
) -> Array: ...

@overload
def maximum(
    x1: GroupArray,
    x2: Any,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return the larger elements, or NaN. Types follow numpy.maximum."""
@overload
def maximum(
    x1: Any,
    x2: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray: ...
@overload
def maximum(
    x1: Any,
    x2: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

def may_share_memory(a: Any, b: Any, max_work: builtins.int | None = None) -> builtins.bool:
    """Return whether two arrays may share memory: whether the ranges of their memory overlap.

    Pending expressions share memory with no other array.
    """

@overload
def mean(
    x: Tensor,
    /,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    dtype: DTypeLike | None = None,
    out: Tensor | None = None,
    keepdims: builtins.bool = False,
    where: Any = None,
) -> Tensor:
    """Return the mean of all elements, or along an axis. The mean of integers is the default float.

    Without elements, the mean is NaN, for arrays with a RuntimeWarning.
    """
@overload
def mean(
    x: GroupArray,
    /,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    dtype: DTypeLike | None = None,
    out: GroupArray | None = None,
    keepdims: builtins.bool = False,
    where: Any = None,
) -> GroupArray: ...
@overload
def mean(
    x: ArrayLike,
    /,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    keepdims: builtins.bool = False,
    where: Any = None,
) -> Array: ...

@overload
def median(
    a: GroupArray,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    out: GroupArray | None = None,
    overwrite_input: builtins.bool = False,
    keepdims: builtins.bool = False,
) -> GroupArray:
    """Return the middle of the sorted elements along axes, or the mean of the two in the middle.

    Integers are float64. If there are NaNs, the result is NaN; if there are no elements as well,
    with a RuntimeWarning.
    """
@overload
def median(
    a: Any,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    out: Array | None = None,
    overwrite_input: builtins.bool = False,
    keepdims: builtins.bool = False,
) -> Array: ...

@overload
def meshgrid(
    *arrays: GroupArray,
    copy: builtins.bool = True,
    sparse: builtins.bool = False,
    indexing: str = "xy",
) -> tuple[GroupArray, ...]:
    """Return the coordinates of a grid from the coordinates along each axis.

    With `sparse`, each array has one element along the other axes. Without `copy`, they are
    views.
    """
@overload
def meshgrid(
    *arrays: Any,
    copy: builtins.bool = True,
    sparse: builtins.bool = False,
    indexing: str = "xy",
) -> tuple[Array, ...]: ...

@overload
def min(
    x: Tensor,
    /,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    out: Tensor | None = None,
    keepdims: builtins.bool = False,
    initial: Any = None,
    where: Any = None,
) -> Tensor:
    """Return the smallest element, or NaN if any element is, of all or along an axis."""
@overload
def min(
    x: GroupArray,
    /,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    out: GroupArray | None = None,
    keepdims: builtins.bool = False,
    initial: Any = None,
    where: Any = None,
) -> GroupArray: ...
@overload
def min(
    x: ArrayLike,
    /,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    out: Array | None = None,
    keepdims: builtins.bool = False,
    initial: Any = None,
    where: Any = None,
) -> Array: ...

@overload
def minimum(
    x1: GroupArray,
    x2: Any,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return the smaller elements, or NaN. Types follow numpy.minimum."""
@overload
def minimum(
    x1: Any,
    x2: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray: ...
@overload
def minimum(
    x1: Any,
    x2: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def mod(
    x1: GroupArray,
    x2: Any,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return the remainders, with the signs of the divisors. Types follow numpy.remainder."""
@overload
def mod(
    x1: Any,
    x2: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray: ...
@overload
def mod(
    x1: Any,
    x2: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def modf(x: GroupArray, /) -> tuple[GroupArray, GroupArray]:
    """Return the fractional and the whole parts, with the signs of the elements."""
@overload
def modf(x: Any, /) -> tuple[Array, Array]: ...

@overload
def moveaxis(
    x: GroupArray,
    /,
    source: builtins.int | collections.abc.Sequence[builtins.int],
    destination: builtins.int | collections.abc.Sequence[builtins.int],
) -> GroupArray:
    """Return a view with axes moved to other places."""
@overload
def moveaxis(
    x: Any,
    /,
    source: builtins.int | collections.abc.Sequence[builtins.int],
    destination: builtins.int | collections.abc.Sequence[builtins.int],
) -> Array: ...

@overload
def multiply(
    x1: GroupArray,
    x2: Any,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return the products. Types follow numpy.multiply."""
@overload
def multiply(
    x1: Any,
    x2: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray: ...
@overload
def multiply(
    x1: Any,
    x2: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def nan_to_num(
    x: GroupArray,
    copy: builtins.bool = True,
    nan: builtins.float = 0.0,
    posinf: Any = None,
    neginf: Any = None,
) -> GroupArray:
    """Return the elements with numbers in place of NaN and infinities: 0, and the largest of the
    dtype.

    Without `copy`, the elements of `x` itself are replaced.
    """
@overload
def nan_to_num(
    x: Any,
    copy: builtins.bool = True,
    nan: builtins.float = 0.0,
    posinf: Any = None,
    neginf: Any = None,
) -> Array: ...

@overload
def nanargmax(
    x: GroupArray,
    /,
    axis: builtins.int | None = None,
    out: GroupArray | None = None,
    *,
    keepdims: builtins.bool = False,
) -> GroupArray:
    """Return the indices (int64) of the first largest elements that are not NaN. See
    nanargmin().
    """
@overload
def nanargmax(
    x: Any,
    /,
    axis: builtins.int | None = None,
    out: Array | None = None,
    *,
    keepdims: builtins.bool = False,
) -> Array: ...

@overload
def nanargmin(
    x: GroupArray,
    /,
    axis: builtins.int | None = None,
    out: GroupArray | None = None,
    *,
    keepdims: builtins.bool = False,
) -> GroupArray:
    """Return the indices (int64) of the first smallest elements that are not NaN.

    Raises ValueError if all are NaN, which waits for the device.
    """
@overload
def nanargmin(
    x: Any,
    /,
    axis: builtins.int | None = None,
    out: Array | None = None,
    *,
    keepdims: builtins.bool = False,
) -> Array: ...

@overload
def nancumprod(
    x: GroupArray,
    /,
    axis: builtins.int | None = None,
    dtype: DTypeLike | None = None,
    out: GroupArray | None = None,
) -> GroupArray:
    """Return the products of the elements up to each one; NaNs count as 1."""
@overload
def nancumprod(
    x: Any,
    /,
    axis: builtins.int | None = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
) -> Array: ...

@overload
def nancumsum(
    x: GroupArray,
    /,
    axis: builtins.int | None = None,
    dtype: DTypeLike | None = None,
    out: GroupArray | None = None,
) -> GroupArray:
    """Return the sums of the elements up to each one; NaNs count as 0."""
@overload
def nancumsum(
    x: Any,
    /,
    axis: builtins.int | None = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
) -> Array: ...

@overload
def nanmax(
    x: GroupArray,
    /,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    out: GroupArray | None = None,
    keepdims: builtins.bool = False,
    initial: Any = None,
    where: Any = None,
) -> GroupArray:
    """Return the largest elements along axes, ignoring NaNs; NaN where there is nothing else."""
@overload
def nanmax(
    x: Any,
    /,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    out: Array | None = None,
    keepdims: builtins.bool = False,
    initial: Any = None,
    where: Any = None,
) -> Array: ...

@overload
def nanmean(
    x: GroupArray,
    /,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    dtype: DTypeLike | None = None,
    out: GroupArray | None = None,
    keepdims: builtins.bool = False,
    *,
    where: Any = None,
) -> GroupArray:
    """Return the means along axes, ignoring NaNs; NaN where there is nothing else."""
@overload
def nanmean(
    x: Any,
    /,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    keepdims: builtins.bool = False,
    *,
    where: Any = None,
) -> Array: ...

@overload
def nanmedian(
    a: GroupArray,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    out: GroupArray | None = None,
    overwrite_input: builtins.bool = False,
    keepdims: builtins.bool = False,
) -> GroupArray:
    """Return the medians, ignoring NaNs; NaN where there is nothing else, with a RuntimeWarning.

    Waits for the device.
    """
@overload
def nanmedian(
    a: Any,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    out: Array | None = None,
    overwrite_input: builtins.bool = False,
    keepdims: builtins.bool = False,
) -> Array: ...

@overload
def nanmin(
    x: GroupArray,
    /,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    out: GroupArray | None = None,
    keepdims: builtins.bool = False,
    initial: Any = None,
    where: Any = None,
) -> GroupArray:
    """Return the smallest elements along axes, ignoring NaNs; NaN where there is nothing else."""
@overload
def nanmin(
    x: Any,
    /,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    out: Array | None = None,
    keepdims: builtins.bool = False,
    initial: Any = None,
    where: Any = None,
) -> Array: ...

@overload
def nanpercentile(
    a: GroupArray,
    q: Any,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    out: GroupArray | None = None,
    overwrite_input: builtins.bool = False,
    method: str = "linear",
    keepdims: builtins.bool = False,
) -> GroupArray:
    """Return nanquantile(a, q / 100): `q` is from 0 to 100."""
@overload
def nanpercentile(
    a: Any,
    q: GroupArray,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    out: GroupArray | None = None,
    overwrite_input: builtins.bool = False,
    method: str = "linear",
    keepdims: builtins.bool = False,
) -> GroupArray: ...
@overload
def nanpercentile(
    a: Any,
    q: Any,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    out: Array | None = None,
    overwrite_input: builtins.bool = False,
    method: str = "linear",
    keepdims: builtins.bool = False,
) -> Array: ...

@overload
def nanprod(
    x: GroupArray,
    /,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    dtype: DTypeLike | None = None,
    out: GroupArray | None = None,
    keepdims: builtins.bool = False,
    initial: Any = None,
    where: Any = None,
) -> GroupArray:
    """Return the products along axes; NaNs count as 1."""
@overload
def nanprod(
    x: Any,
    /,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    keepdims: builtins.bool = False,
    initial: Any = None,
    where: Any = None,
) -> Array: ...

@overload
def nanquantile(
    a: GroupArray,
    q: Any,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    out: GroupArray | None = None,
    overwrite_input: builtins.bool = False,
    method: str = "linear",
    keepdims: builtins.bool = False,
) -> GroupArray:
    """Return the quantiles, ignoring NaNs; NaN where there is nothing else, with a RuntimeWarning.

    Waits for the device.
    """
@overload
def nanquantile(
    a: Any,
    q: GroupArray,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    out: GroupArray | None = None,
    overwrite_input: builtins.bool = False,
    method: str = "linear",
    keepdims: builtins.bool = False,
) -> GroupArray: ...
@overload
def nanquantile(
    a: Any,
    q: Any,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    out: Array | None = None,
    overwrite_input: builtins.bool = False,
    method: str = "linear",
    keepdims: builtins.bool = False,
) -> Array: ...

@overload
def nanstd(
    x: GroupArray,
    /,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    dtype: DTypeLike | None = None,
    out: GroupArray | None = None,
    ddof: builtins.float | None = None,
    keepdims: builtins.bool = False,
    *,
    where: Any = None,
    mean: Any = None,
    correction: builtins.float = 0,
) -> GroupArray:
    """Return the standard deviations along axes, ignoring NaNs. See std()."""
@overload
def nanstd(
    x: Any,
    /,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    ddof: builtins.float | None = None,
    keepdims: builtins.bool = False,
    *,
    where: Any = None,
    mean: Any = None,
    correction: builtins.float = 0,
) -> Array: ...

@overload
def nansum(
    x: GroupArray,
    /,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    dtype: DTypeLike | None = None,
    out: GroupArray | None = None,
    keepdims: builtins.bool = False,
    initial: Any = None,
    where: Any = None,
) -> GroupArray:
    """Return the sums along axes; NaNs count as 0."""
@overload
def nansum(
    x: Any,
    /,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    keepdims: builtins.bool = False,
    initial: Any = None,
    where: Any = None,
) -> Array: ...

@overload
def nanvar(
    x: GroupArray,
    /,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    dtype: DTypeLike | None = None,
    out: GroupArray | None = None,
    ddof: builtins.float | None = None,
    keepdims: builtins.bool = False,
    *,
    where: Any = None,
    mean: Any = None,
    correction: builtins.float = 0,
) -> GroupArray:
    """Return the variances along axes, ignoring NaNs. See var()."""
@overload
def nanvar(
    x: Any,
    /,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    ddof: builtins.float | None = None,
    keepdims: builtins.bool = False,
    *,
    where: Any = None,
    mean: Any = None,
    correction: builtins.float = 0,
) -> Array: ...

@overload
def negative(
    x: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return the negated elements. Types follow numpy.negative."""
@overload
def negative(
    x: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def nextafter(
    x1: GroupArray,
    x2: Any,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return the next number from x1 towards x2. Types follow numpy.nextafter."""
@overload
def nextafter(
    x1: Any,
    x2: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray: ...
@overload
def nextafter(
    x1: Any,
    x2: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def nonzero(x: GroupArray, /) -> tuple[GroupArray, ...]:
    """Return the indices (int64) of the elements that are not 0, one array per axis."""
@overload
def nonzero(x: Any, /) -> tuple[Array, ...]: ...

@overload
def not_equal(
    x1: GroupArray,
    x2: Any,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return whether x1 differs from x2. Types follow numpy.not_equal."""
@overload
def not_equal(
    x1: Any,
    x2: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray: ...
@overload
def not_equal(
    x1: Any,
    x2: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def ones(shape: Any, dtype: DTypeLike | None = None, *, group: DeviceGroup) -> GroupArray:
    """Return an array of ones, of the default float unless `dtype` is given."""
@overload
def ones(shape: Any, dtype: DTypeLike | None = None, *, device: DeviceGroup) -> GroupArray: ...
@overload
def ones(
    shape: Any,
    dtype: DTypeLike | None = None,
    *,
    device: Manager | None = None,
    group: None = None,
) -> Array: ...

@overload
def ones_like(
    x: GroupArray,
    /,
    dtype: DTypeLike | None = None,
    *,
    device: Manager | None = None,
    shape: Any = None,
) -> GroupArray:
    """Return ones of the same shape, or of `shape`."""
@overload
def ones_like(
    x: Any,
    /,
    dtype: DTypeLike | None = None,
    *,
    device: Manager | None = None,
    shape: Any = None,
) -> Array: ...

@overload
def outer(x1: GroupArray, x2: Any, /) -> GroupArray:
    """Return the products of each element of one vector with each of another."""
@overload
def outer(x1: Any, x2: GroupArray, /) -> GroupArray: ...
@overload
def outer(x1: Any, x2: Any, /) -> Array: ...

@overload
def pad(
    array: GroupArray,
    pad_width: Any,
    mode: str = "constant",
    *,
    constant_values: Any = 0,
    reflect_type: str = "even",
) -> GroupArray:
    """Return an array with a border, `pad_width` elements wide.

    The width is a number, a pair (before, after), a pair for each axis, or a dictionary of these
    by axis. The border has `constant_values` (given in the same ways), or elements of the array:
    the nearest ("edge"), elements mirrored at the outermost element ("reflect") or behind it
    ("symmetric"), or elements from the other end ("wrap"). With "empty" it is undefined.
    """
@overload
def pad(
    array: Any,
    pad_width: GroupArray,
    mode: str = "constant",
    *,
    constant_values: Any = 0,
    reflect_type: str = "even",
) -> GroupArray: ...
@overload
def pad(
    array: Any,
    pad_width: Any,
    mode: str = "constant",
    *,
    constant_values: Any = 0,
    reflect_type: str = "even",
) -> Array: ...

@overload
def partition(x: GroupArray, /, kth: Any, axis: builtins.int | None = -1) -> GroupArray:
    """Return sort(x, axis): numpy.partition allows any order of the parts; here they are sorted."""
@overload
def partition(x: Any, /, kth: GroupArray, axis: builtins.int | None = -1) -> GroupArray: ...
@overload
def partition(x: Any, /, kth: Any, axis: builtins.int | None = -1) -> Array: ...

@overload
def percentile(
    a: GroupArray,
    q: Any,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    out: GroupArray | None = None,
    overwrite_input: builtins.bool = False,
    method: str = "linear",
    keepdims: builtins.bool = False,
) -> GroupArray:
    """Return quantile(a, q / 100): `q` is from 0 to 100."""
@overload
def percentile(
    a: Any,
    q: GroupArray,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    out: GroupArray | None = None,
    overwrite_input: builtins.bool = False,
    method: str = "linear",
    keepdims: builtins.bool = False,
) -> GroupArray: ...
@overload
def percentile(
    a: Any,
    q: Any,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    out: Array | None = None,
    overwrite_input: builtins.bool = False,
    method: str = "linear",
    keepdims: builtins.bool = False,
) -> Array: ...

@overload
def permute_dims(x: GroupArray, /, axes: collections.abc.Sequence[builtins.int]) -> GroupArray:
    """Return a view with permuted axes."""
@overload
def permute_dims(x: Any, /, axes: collections.abc.Sequence[builtins.int]) -> Array: ...

@overload
def piecewise(
    x: GroupArray,
    condlist: Any,
    funclist: collections.abc.Sequence[Any | collections.abc.Callable[..., Any]],
    *args: Any,
    **kw: Any,
) -> GroupArray:
    """Return a function of x that is different where each condition is true.

    `funclist` has a function of arrays or a number for each condition, and optionally a default,
    which is 0 otherwise. `args` and `kw` are passed on. Functions see all elements.
    """
@overload
def piecewise(
    x: Any,
    condlist: GroupArray,
    funclist: collections.abc.Sequence[Any | collections.abc.Callable[..., Any]],
    *args: Any,
    **kw: Any,
) -> GroupArray: ...
@overload
def piecewise(
    x: Any,
    condlist: Any,
    funclist: collections.abc.Sequence[Any | collections.abc.Callable[..., Any]],
    *args: Any,
    **kw: Any,
) -> Array: ...

def polyfit(
    x: Any,
    y: Any,
    deg: builtins.int,
    rcond: builtins.float | None = None,
    full: builtins.bool = False,
    w: Any = None,
    cov: builtins.bool | str = False,
) -> Any:
    """Return the coefficients, the highest first, of the polynomial that fits points best.

    With `full` or `cov`, NumPy's further results follow, in a tuple. NumPy computes them on the
    host, in float64.
    """

@overload
def polyval(p: collections.abc.Sequence[Any] | Any, x: GroupArray) -> GroupArray:
    """Return the values at `x` of a polynomial with the coefficients `p`, the highest first."""
@overload
def polyval(p: collections.abc.Sequence[Any] | Any, x: Any) -> Array: ...

@overload
def positive(
    x: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return a copy. Types follow numpy.positive."""
@overload
def positive(
    x: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def pow(
    x1: GroupArray,
    x2: Any,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return x1 to the power of x2. Types follow numpy.power."""
@overload
def pow(
    x1: Any,
    x2: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray: ...
@overload
def pow(
    x1: Any,
    x2: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def power(
    x1: GroupArray,
    x2: Any,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return x1 to the power of x2. Types follow numpy.power."""
@overload
def power(
    x1: Any,
    x2: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray: ...
@overload
def power(
    x1: Any,
    x2: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def prod(
    x: Tensor,
    /,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    dtype: DTypeLike | None = None,
    out: Tensor | None = None,
    keepdims: builtins.bool = False,
    initial: Any = None,
    where: Any = None,
) -> Tensor:
    """Return the product of all elements, or along an axis. For the types, see sum()."""
@overload
def prod(
    x: GroupArray,
    /,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    dtype: DTypeLike | None = None,
    out: GroupArray | None = None,
    keepdims: builtins.bool = False,
    initial: Any = None,
    where: Any = None,
) -> GroupArray: ...
@overload
def prod(
    x: ArrayLike,
    /,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    keepdims: builtins.bool = False,
    initial: Any = None,
    where: Any = None,
) -> Array: ...

@overload
def ptp(
    a: GroupArray,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    out: GroupArray | None = None,
    keepdims: builtins.bool = False,
) -> GroupArray:
    """Return the largest elements minus the smallest ones, along axes."""
@overload
def ptp(
    a: Any,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    out: Array | None = None,
    keepdims: builtins.bool = False,
) -> Array: ...

@overload
def put(x: Tensor, /, ind: Any, v: Any, mode: str = "raise") -> None:
    """Set the elements with given indices among all in C order.

    Negative indices count from the end; others out of range raise IndexError; for arrays, `mode`
    "wrap" wraps them around, and "clip" takes the nearest index. There is a value per index, or
    one for all; for arrays, fewer values repeat. If indices repeat, any of the values may win.
    """
@overload
def put(x: GroupArray, /, ind: Any, v: Any, mode: str = "raise") -> None: ...
@overload
def put(x: ArrayLike, /, ind: Any, v: Any, mode: str = "raise") -> None: ...

@overload
def quantile(
    a: GroupArray,
    q: Any,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    out: GroupArray | None = None,
    overwrite_input: builtins.bool = False,
    method: str = "linear",
    keepdims: builtins.bool = False,
) -> GroupArray:
    """Return the elements below which parts `q` (0 to 1) of all elements are, along axes.

    The axes of `q` are the first ones of the result. `method` chooses the interpolation between
    two elements. The dtype is the elements', regardless of `q`, or float64 for integers. If
    there are NaNs, the result is NaN. Raises IndexError if there are no elements.
    """
@overload
def quantile(
    a: Any,
    q: GroupArray,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    out: GroupArray | None = None,
    overwrite_input: builtins.bool = False,
    method: str = "linear",
    keepdims: builtins.bool = False,
) -> GroupArray: ...
@overload
def quantile(
    a: Any,
    q: Any,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    out: Array | None = None,
    overwrite_input: builtins.bool = False,
    method: str = "linear",
    keepdims: builtins.bool = False,
) -> Array: ...

@overload
def rad2deg(
    x: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return radians as degrees. Types follow numpy.rad2deg."""
@overload
def rad2deg(
    x: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def radians(
    x: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return degrees as radians. Types follow numpy.deg2rad."""
@overload
def radians(
    x: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def ravel(x: GroupArray, /, order: str | None = "C") -> GroupArray:
    """Return the elements flat, as a view if possible."""
@overload
def ravel(x: Any, /, order: str | None = "C") -> Array: ...

@overload
def ravel_multi_index(
    multi_index: collections.abc.Sequence[GroupArray],
    dims: Any,
    mode: str = "raise",
    order: str = "C",
) -> GroupArray:
    """Return the flat indices of elements, given an index per axis of the shape `dims`.

    `mode` handles indices out of range: "raise" ValueError, which waits for the device, "wrap"
    around, or "clip" to the nearest one.
    """
@overload
def ravel_multi_index(
    multi_index: collections.abc.Sequence[Any],
    dims: GroupArray,
    mode: str = "raise",
    order: str = "C",
) -> GroupArray: ...
@overload
def ravel_multi_index(
    multi_index: collections.abc.Sequence[Any],
    dims: Any,
    mode: str = "raise",
    order: str = "C",
) -> Array: ...

@overload
def real(x: GroupArray, /) -> GroupArray:
    """Return the real parts: of an array in memory, a view."""
@overload
def real(x: Any, /) -> Array: ...

@overload
def reciprocal(
    x: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return 1 over each element. Types follow numpy.reciprocal."""
@overload
def reciprocal(
    x: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def reduce(
    x: Tensor,
    /,
    op: str | tuple[str, str],
    axis: builtins.int | None = None,
    out: Tensor | None = None,
    keepdims: builtins.bool = False,
    segments: Any = None,
) -> Tensor:
    """Return a reduction by an operator of all elements, along an axis or of segments.

    `op` is a name that OpReduce knows, or a pair of GLSL texts: an associative and commutative
    expression over a and b, and its identity, as in ``("max(abs(a), abs(b))", "0")``. The result
    has the type of x, unless the name says another: int64 for indices and counts, bool for "any"
    and "all". `segments` has n + 1 ascending offsets for n results, as the rows of a sparse
    matrix have: the first is of the elements from ``segments[0]`` to before ``segments[1]`` in C
    order. Indices count within the segment.
    """
@overload
def reduce(
    x: GroupArray,
    /,
    op: str | tuple[str, str],
    axis: builtins.int | None = None,
    out: GroupArray | None = None,
    keepdims: builtins.bool = False,
    segments: Any = None,
) -> GroupArray: ...
@overload
def reduce(
    x: ArrayLike,
    /,
    op: str | tuple[str, str],
    axis: builtins.int | None = None,
    out: Array | None = None,
    keepdims: builtins.bool = False,
    segments: Any = None,
) -> Array: ...

@overload
def remainder(
    x1: GroupArray,
    x2: Any,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return the remainders, with the signs of the divisors. Types follow numpy.remainder."""
@overload
def remainder(
    x1: Any,
    x2: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray: ...
@overload
def remainder(
    x1: Any,
    x2: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def repeat(x: GroupArray, /, repeats: Any, axis: builtins.int | None = None) -> GroupArray:
    """Return each element repeated, a number of times or once for each of an array of numbers."""
@overload
def repeat(x: Any, /, repeats: GroupArray, axis: builtins.int | None = None) -> GroupArray: ...
@overload
def repeat(x: Any, /, repeats: Any, axis: builtins.int | None = None) -> Array: ...

@overload
def reshape(
    x: GroupArray,
    /,
    shape: Any,
    order: str | None = "C",
    *,
    copy: builtins.bool | None = None,
) -> GroupArray:
    """Return the elements with another shape: a view if possible.

    They are read and placed in C order, or with `order` "F" with the first index changing
    fastest.
    """
@overload
def reshape(
    x: Any,
    /,
    shape: GroupArray,
    order: str | None = "C",
    *,
    copy: builtins.bool | None = None,
) -> GroupArray: ...
@overload
def reshape(
    x: Any,
    /,
    shape: Any,
    order: str | None = "C",
    *,
    copy: builtins.bool | None = None,
) -> Array: ...

@overload
def resize(a: GroupArray, /, new_shape: Any) -> GroupArray:
    """Return a copy of another shape: with the first elements, or all of them repeated."""
@overload
def resize(a: Any, /, new_shape: GroupArray) -> GroupArray: ...
@overload
def resize(a: Any, /, new_shape: Any) -> Array: ...

@overload
def right_shift(
    x1: GroupArray,
    x2: Any,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return x1 >> x2; 0 or -1 from the number of bits on. Types follow numpy.right_shift."""
@overload
def right_shift(
    x1: Any,
    x2: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray: ...
@overload
def right_shift(
    x1: Any,
    x2: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def rint(x: GroupArray, /, out: GroupArray | None = None) -> GroupArray:
    """Return the elements rounded to the nearest integer, ties to the even one."""
@overload
def rint(x: Any, /, out: Array | None = None) -> Array: ...

@overload
def roll(
    x: GroupArray,
    /,
    shift: builtins.int | collections.abc.Sequence[builtins.int],
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
) -> GroupArray:
    """Return elements moved along axes; elements that leave at one end enter at the other."""
@overload
def roll(
    x: Any,
    /,
    shift: builtins.int | collections.abc.Sequence[builtins.int],
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
) -> Array: ...

@overload
def rollaxis(a: GroupArray, /, axis: builtins.int, start: builtins.int = 0) -> GroupArray:
    """Return a view with an axis moved in front of the axis `start`."""
@overload
def rollaxis(a: Any, /, axis: builtins.int, start: builtins.int = 0) -> Array: ...

@overload
def rot90(
    m: GroupArray,
    /,
    k: builtins.int = 1,
    axes: collections.abc.Sequence[builtins.int] = (0, 1),
) -> GroupArray:
    """Return a view turned by 90 degrees k times, from the first towards the second of two axes."""
@overload
def rot90(
    m: Any,
    /,
    k: builtins.int = 1,
    axes: collections.abc.Sequence[builtins.int] = (0, 1),
) -> Array: ...

@overload
def round(
    x: GroupArray,
    /,
    decimals: builtins.int = 0,
    out: GroupArray | None = None,
) -> GroupArray:
    """Return the elements rounded to `decimals` places, ties to even."""
@overload
def round(x: Any, /, decimals: builtins.int = 0, out: Array | None = None) -> Array: ...

@overload
def run_lengths(x: Tensor, /) -> tuple[Tensor, Tensor]:
    """Return the values and lengths (int64) of the runs of equal elements, of all in C order.

    NaN differs from NaN.
    """
@overload
def run_lengths(x: GroupArray, /) -> tuple[GroupArray, GroupArray]: ...
@overload
def run_lengths(x: ArrayLike, /) -> tuple[Array, Array]: ...

@overload
def scan(
    x: Tensor,
    /,
    op: str | tuple[str, str],
    axis: builtins.int | None = None,
    out: Tensor | None = None,
    exclusive: builtins.bool = False,
    segments: Any = None,
) -> Tensor:
    """Return the reductions of the elements up to each one, along an axis or of all in C order.

    They have the type of x. `op` is a name that OpScan knows, or a pair of GLSL texts: an
    associative expression over a and b, and its identity. An exclusive scan leaves out the
    element itself. It restarts at each offset in `segments`, as in reduce().
    """
@overload
def scan(
    x: GroupArray,
    /,
    op: str | tuple[str, str],
    axis: builtins.int | None = None,
    out: GroupArray | None = None,
    exclusive: builtins.bool = False,
    segments: Any = None,
) -> GroupArray: ...
@overload
def scan(
    x: ArrayLike,
    /,
    op: str | tuple[str, str],
    axis: builtins.int | None = None,
    out: Array | None = None,
    exclusive: builtins.bool = False,
    segments: Any = None,
) -> Array: ...

@overload
def searchsorted(
    x: Tensor,
    values: Any,
    /,
    side: str = "left",
    sorter: Tensor | None = None,
) -> Tensor:
    """Return where to insert values among sorted elements so that they stay sorted (int64).

    `side` is "left" for the position before all equal elements, or "right" for the one after
    them. NaNs are the largest elements. `sorter`, for arrays, has the indices that sort x.
    """
@overload
def searchsorted(
    x: GroupArray,
    values: Any,
    /,
    side: str = "left",
    sorter: GroupArray | None = None,
) -> GroupArray: ...
@overload
def searchsorted(
    x: ArrayLike,
    values: Any,
    /,
    side: str = "left",
    sorter: ArrayLike | None = None,
) -> Array: ...

@overload
def select(
    condlist: collections.abc.Sequence[GroupArray],
    choicelist: collections.abc.Sequence[Any],
    default: Any = 0,
) -> GroupArray:
    """Return elements of the first choice whose condition is true, and `default` elsewhere."""
@overload
def select(
    condlist: collections.abc.Sequence[Any],
    choicelist: collections.abc.Sequence[GroupArray],
    default: Any = 0,
) -> GroupArray: ...
@overload
def select(
    condlist: collections.abc.Sequence[Any],
    choicelist: collections.abc.Sequence[Any],
    default: Any = 0,
) -> Array: ...

@overload
def setdiff1d(ar1: GroupArray, ar2: Any, assume_unique: builtins.bool = False) -> GroupArray:
    """Return the distinct elements of ar1 that are not in ar2, sorted unless `assume_unique`."""
@overload
def setdiff1d(ar1: Any, ar2: GroupArray, assume_unique: builtins.bool = False) -> GroupArray: ...
@overload
def setdiff1d(ar1: Any, ar2: Any, assume_unique: builtins.bool = False) -> Array: ...

@overload
def setxor1d(ar1: GroupArray, ar2: Any, assume_unique: builtins.bool = False) -> GroupArray:
    """Return the distinct elements that are in one of the arrays only, sorted."""
@overload
def setxor1d(ar1: Any, ar2: GroupArray, assume_unique: builtins.bool = False) -> GroupArray: ...
@overload
def setxor1d(ar1: Any, ar2: Any, assume_unique: builtins.bool = False) -> Array: ...

def shares_memory(a: Any, b: Any, max_work: builtins.int | None = None) -> builtins.bool:
    """Return whether two arrays have elements in the same memory. See may_share_memory()."""

@overload
def sign(
    x: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return -1, 0 or 1. Types follow numpy.sign."""
@overload
def sign(
    x: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def signbit(
    x: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return whether the sign is negative. Types follow numpy.signbit."""
@overload
def signbit(
    x: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def sin(
    x: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return the sines. Types follow numpy.sin."""
@overload
def sin(
    x: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def sinc(x: GroupArray, /) -> GroupArray:
    """Return sin(pi x) / (pi x), which is 1 at 0."""
@overload
def sinc(x: Any, /) -> Array: ...

@overload
def sinh(
    x: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return the hyperbolic sines. Types follow numpy.sinh."""
@overload
def sinh(
    x: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def sliding_window_view(
    x: GroupArray,
    window_shape: Any,
    axis: builtins.int | tuple[builtins.int, ...] | None = None,
) -> GroupArray:
    """Return a read-only view of all windows of a shape: the axes of the windows are the last ones.

    Without `axis`, the windows have an extent for each axis of x. An axis may come several
    times.
    """
@overload
def sliding_window_view(
    x: Any,
    window_shape: GroupArray,
    axis: builtins.int | tuple[builtins.int, ...] | None = None,
) -> GroupArray: ...
@overload
def sliding_window_view(
    x: Any,
    window_shape: Any,
    axis: builtins.int | tuple[builtins.int, ...] | None = None,
) -> Array: ...

@overload
def sort(
    x: Tensor,
    /,
    axis: builtins.int | None = -1,
    kind: str | None = None,
    order: None = None,
    *,
    descending: builtins.bool = False,
    out: Tensor | None = None,
    stable: builtins.bool | None = True,
) -> Tensor:
    """Return a sorted copy, along the last axis (arrays: any), or with `axis` None of all elements.

    NaNs are the largest elements, so they are first if `descending`. -0 is before +0; NumPy, to
    which they are equal, keeps their order. Every sort is stable, regardless of `kind` and
    `stable`. `order` must be None.
    """
@overload
def sort(
    x: GroupArray,
    /,
    axis: builtins.int | None = -1,
    kind: str | None = None,
    order: None = None,
    *,
    descending: builtins.bool = False,
    out: GroupArray | None = None,
    stable: builtins.bool | None = True,
) -> GroupArray: ...
@overload
def sort(
    x: ArrayLike,
    /,
    axis: builtins.int | None = -1,
    kind: str | None = None,
    order: None = None,
    *,
    descending: builtins.bool = False,
    out: Array | None = None,
    stable: builtins.bool | None = True,
) -> Array: ...

@overload
def spacing(
    x: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return the distance from each element to the next number away from 0. Types follow
    numpy.spacing.
    """
@overload
def spacing(
    x: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def split(ary: GroupArray, indices_or_sections: Any, axis: builtins.int = 0) -> list[GroupArray]:
    """Return views of parts along an axis: a number of equal ones, or cut at indices."""
@overload
def split(
    ary: Any,
    indices_or_sections: GroupArray,
    axis: builtins.int = 0,
) -> list[GroupArray]: ...
@overload
def split(ary: Any, indices_or_sections: Any, axis: builtins.int = 0) -> list[Array]: ...

@overload
def sqrt(
    x: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return the square roots. Types follow numpy.sqrt."""
@overload
def sqrt(
    x: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def square(
    x: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return the squares. Types follow numpy.square."""
@overload
def square(
    x: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def squeeze(
    x: GroupArray,
    /,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
) -> GroupArray:
    """Return a view without axes of one element; `axis` says which."""
@overload
def squeeze(
    x: Any,
    /,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
) -> Array: ...

@overload
def stable_partition(condition: Any, x: Tensor, /) -> tuple[Tensor, builtins.int]:
    """Return the elements that fulfil a condition, followed by the others, and the number of the
    first.

    Both are flat and in their order. `condition` has a flag per element, or is a GLSL
    expression, as for compress(). NumPy's partition() is a different function, which orders
    elements.
    """
@overload
def stable_partition(condition: Any, x: GroupArray, /) -> tuple[GroupArray, builtins.int]: ...
@overload
def stable_partition(condition: Any, x: ArrayLike, /) -> tuple[Array, builtins.int]: ...

@overload
def stack(
    arrays: collections.abc.Sequence[GroupArray],
    /,
    axis: builtins.int = 0,
    out: GroupArray | None = None,
    *,
    dtype: DTypeLike | None = None,
    casting: Literal['no', 'equiv', 'safe', 'same_kind', 'unsafe'] = "same_kind",
) -> GroupArray:
    """Return arrays of one shape joined along a new axis. See concat()."""
@overload
def stack(
    arrays: collections.abc.Sequence[Any],
    /,
    axis: builtins.int = 0,
    out: Array | None = None,
    *,
    dtype: DTypeLike | None = None,
    casting: Literal['no', 'equiv', 'safe', 'same_kind', 'unsafe'] = "same_kind",
) -> Array: ...

@overload
def std(
    x: GroupArray,
    /,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    dtype: DTypeLike | None = None,
    out: GroupArray | None = None,
    ddof: builtins.float | None = None,
    keepdims: builtins.bool = False,
    *,
    correction: builtins.float = 0,
    where: Any = None,
    mean: Any = None,
) -> GroupArray:
    """Return the standard deviations along axes: the square roots of var()."""
@overload
def std(
    x: Any,
    /,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    ddof: builtins.float | None = None,
    keepdims: builtins.bool = False,
    *,
    correction: builtins.float = 0,
    where: Any = None,
    mean: Any = None,
) -> Array: ...

@overload
def subtract(
    x1: GroupArray,
    x2: Any,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return the differences. Types follow numpy.subtract."""
@overload
def subtract(
    x1: Any,
    x2: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray: ...
@overload
def subtract(
    x1: Any,
    x2: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def sum(
    x: Tensor,
    /,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    dtype: DTypeLike | None = None,
    out: Tensor | None = None,
    keepdims: builtins.bool = False,
    initial: Any = None,
    where: Any = None,
) -> Tensor:
    """Return the sum of all elements, or along an axis (arrays: or several).

    As in NumPy, integers are summed in 64 bits unless `dtype` says otherwise; a device without
    such integers raises Unsupported. Sums in float16 are computed in float32, or float64 if the
    elements are, and rounded once. For arrays, `initial` is added, and elements where the mask
    `where` is false are excluded.
    """
@overload
def sum(
    x: GroupArray,
    /,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    dtype: DTypeLike | None = None,
    out: GroupArray | None = None,
    keepdims: builtins.bool = False,
    initial: Any = None,
    where: Any = None,
) -> GroupArray: ...
@overload
def sum(
    x: ArrayLike,
    /,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    keepdims: builtins.bool = False,
    initial: Any = None,
    where: Any = None,
) -> Array: ...

@overload
def swapaxes(x: GroupArray, axis1: builtins.int, axis2: builtins.int) -> GroupArray:
    """Return a view with two axes swapped."""
@overload
def swapaxes(x: Any, axis1: builtins.int, axis2: builtins.int) -> Array: ...

@overload
def take(
    x: Tensor,
    /,
    indices: Any,
    axis: builtins.int | None = None,
    out: Tensor | None = None,
    mode: str = "raise",
) -> Tensor:
    """Return the elements, or slices along an axis, with given indices.

    Without an axis, indices refer to the flat elements. The result has the shape of the indices
    in place of that axis. Negative indices count from the end. Others raise IndexError, for
    which the call waits. For arrays, `mode` "wrap" wraps them around, and "clip" takes the
    nearest element (the first for negative ones).
    """
@overload
def take(
    x: GroupArray,
    /,
    indices: Any,
    axis: builtins.int | None = None,
    out: GroupArray | None = None,
    mode: str = "raise",
) -> GroupArray: ...
@overload
def take(
    x: ArrayLike,
    /,
    indices: Any,
    axis: builtins.int | None = None,
    out: Array | None = None,
    mode: str = "raise",
) -> Array: ...

@overload
def take_along_axis(x: GroupArray, /, indices: Any, axis: builtins.int = -1) -> GroupArray:
    """Return the elements at indices along an axis, an index for each place of the other axes."""
@overload
def take_along_axis(x: Any, /, indices: GroupArray, axis: builtins.int = -1) -> GroupArray: ...
@overload
def take_along_axis(x: Any, /, indices: Any, axis: builtins.int = -1) -> Array: ...

@overload
def tan(
    x: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return the tangents. Types follow numpy.tan."""
@overload
def tan(
    x: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def tanh(
    x: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return the hyperbolic tangents. Types follow numpy.tanh."""
@overload
def tanh(
    x: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def tensordot(x1: GroupArray, x2: Any, /, axes: Any = 2) -> GroupArray:
    """Return the sums of products over axes of both arrays: the last and first n, or pairs."""
@overload
def tensordot(x1: Any, x2: GroupArray, /, axes: Any = 2) -> GroupArray: ...
@overload
def tensordot(x1: Any, x2: Any, /, axes: Any = 2) -> Array: ...

@overload
def tile(x: GroupArray, /, reps: Any) -> GroupArray:
    """Return an array repeated as a whole, `reps` times along each axis."""
@overload
def tile(x: Any, /, reps: GroupArray) -> GroupArray: ...
@overload
def tile(x: Any, /, reps: Any) -> Array: ...

@overload
def top_k(
    x: Tensor,
    k: builtins.int,
    axis: builtins.int | None = -1,
    smallest: builtins.bool = False,
) -> tuple[Tensor, Tensor]:
    """Return the k largest (or smallest) elements in order, and their indices (int64).

    They are found along an axis, or with `axis` None among all elements. Of equal elements, the
    one with the smallest index is first. NaNs are the largest elements, and -0 is smaller than
    0.
    """
@overload
def top_k(
    x: GroupArray,
    k: builtins.int,
    axis: builtins.int | None = -1,
    smallest: builtins.bool = False,
) -> tuple[GroupArray, GroupArray]: ...
@overload
def top_k(
    x: ArrayLike,
    k: builtins.int,
    axis: builtins.int | None = -1,
    smallest: builtins.bool = False,
) -> tuple[Array, Array]: ...

@overload
def trace(
    a: GroupArray,
    offset: builtins.int = 0,
    axis1: builtins.int = 0,
    axis2: builtins.int = 1,
    dtype: DTypeLike | None = None,
    out: GroupArray | None = None,
) -> GroupArray:
    """Return the sums of the diagonals of the matrices along two axes."""
@overload
def trace(
    a: Any,
    offset: builtins.int = 0,
    axis1: builtins.int = 0,
    axis2: builtins.int = 1,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
) -> Array: ...

@overload
def transpose(
    x: Tensor,
    /,
    axes: collections.abc.Sequence[builtins.int] | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return the axes in another order: axis i is axis ``axes[i]`` of x. Without axes, reversed.

    For an array this is a view, for a tensor a copy.
    """
@overload
def transpose(
    x: GroupArray,
    /,
    axes: collections.abc.Sequence[builtins.int] | None = None,
    out: GroupArray | None = None,
) -> GroupArray: ...
@overload
def transpose(
    x: ArrayLike,
    /,
    axes: collections.abc.Sequence[builtins.int] | None = None,
    out: Array | None = None,
) -> Array: ...

@overload
def trapezoid(
    y: GroupArray,
    x: Any = None,
    dx: builtins.float = 1.0,
    axis: builtins.int = -1,
) -> GroupArray:
    """Return the integrals along an axis by the trapezoidal rule, of samples at `x` or `dx`
    apart.
    """
@overload
def trapezoid(
    y: Any,
    x: Any = None,
    dx: builtins.float = 1.0,
    axis: builtins.int = -1,
) -> Array: ...

@overload
def tril(x: GroupArray, /, k: builtins.int = 0) -> GroupArray:
    """Return matrices with zeros above the k-th diagonal."""
@overload
def tril(x: Any, /, k: builtins.int = 0) -> Array: ...

@overload
def tril_indices_from(arr: GroupArray, k: builtins.int = 0) -> tuple[GroupArray, ...]:
    """Return the indices of the elements of a matrix at and below the k-th diagonal."""
@overload
def tril_indices_from(arr: Any, k: builtins.int = 0) -> tuple[Array, ...]: ...

@overload
def trim_zeros(filt: GroupArray, trim: str = "fb") -> GroupArray:
    """Return a view of a vector without the zeros at its front ("f") and back ("b").

    Waits for the device.
    """
@overload
def trim_zeros(filt: Any, trim: str = "fb") -> Array: ...

@overload
def triu(x: GroupArray, /, k: builtins.int = 0) -> GroupArray:
    """Return matrices with zeros below the k-th diagonal."""
@overload
def triu(x: Any, /, k: builtins.int = 0) -> Array: ...

@overload
def triu_indices_from(arr: GroupArray, k: builtins.int = 0) -> tuple[GroupArray, ...]:
    """Return the indices of the elements of a matrix at and above the k-th diagonal."""
@overload
def triu_indices_from(arr: Any, k: builtins.int = 0) -> tuple[Array, ...]: ...

@overload
def true_divide(
    x1: GroupArray,
    x2: Any,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return the quotients. Types follow numpy.divide."""
@overload
def true_divide(
    x1: Any,
    x2: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray: ...
@overload
def true_divide(
    x1: Any,
    x2: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def trunc(
    x: GroupArray,
    /,
    *,
    out: GroupArray | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> GroupArray:
    """Return the elements rounded towards 0. Types follow numpy.trunc."""
@overload
def trunc(
    x: Any,
    /,
    *,
    out: Array | None = None,
    where: Any = None,
    dtype: DTypeLike | None = None,
) -> Array: ...

@overload
def union1d(ar1: GroupArray, ar2: Any) -> GroupArray:
    """Return the distinct elements of both arrays, sorted."""
@overload
def union1d(ar1: Any, ar2: GroupArray) -> GroupArray: ...
@overload
def union1d(ar1: Any, ar2: Any) -> Array: ...

@overload
def unique(
    x: Tensor,
    /,
    return_index: Literal[False] = False,
    return_inverse: Literal[False] = False,
    return_counts: Literal[False] = False,
    axis: builtins.int | None = None,
    *,
    equal_nan: builtins.bool = True,
    sorted: builtins.bool = True,
) -> Tensor:
    """Return the distinct elements, sorted regardless of `sorted`.

    With one of the other arguments, they are the first of a tuple. The others (int64) are the
    index of the first such element among the flat elements, for each element the index of its
    value, in the shape of x, and how many elements have the value. NaNs are one value, or with
    ``equal_nan=False`` different ones. With `axis`, for arrays, they are the different slices
    along it, which NumPy finds on the host.
    """
@overload
def unique(
    x: GroupArray,
    /,
    return_index: Literal[False] = False,
    return_inverse: Literal[False] = False,
    return_counts: Literal[False] = False,
    axis: builtins.int | None = None,
    *,
    equal_nan: builtins.bool = True,
    sorted: builtins.bool = True,
) -> GroupArray: ...
@overload
def unique(
    x: ArrayLike,
    /,
    return_index: Literal[False] = False,
    return_inverse: Literal[False] = False,
    return_counts: Literal[False] = False,
    axis: builtins.int | None = None,
    *,
    equal_nan: builtins.bool = True,
    sorted: builtins.bool = True,
) -> Array: ...
@overload
def unique(
    x: Tensor,
    /,
    return_index: Literal[True],
    return_inverse: builtins.bool = False,
    return_counts: builtins.bool = False,
    axis: builtins.int | None = None,
    *,
    equal_nan: builtins.bool = True,
    sorted: builtins.bool = True,
) -> tuple[Tensor, ...]: ...
@overload
def unique(
    x: GroupArray,
    /,
    return_index: Literal[True],
    return_inverse: builtins.bool = False,
    return_counts: builtins.bool = False,
    axis: builtins.int | None = None,
    *,
    equal_nan: builtins.bool = True,
    sorted: builtins.bool = True,
) -> tuple[GroupArray, ...]: ...
@overload
def unique(
    x: ArrayLike,
    /,
    return_index: Literal[True],
    return_inverse: builtins.bool = False,
    return_counts: builtins.bool = False,
    axis: builtins.int | None = None,
    *,
    equal_nan: builtins.bool = True,
    sorted: builtins.bool = True,
) -> tuple[Array, ...]: ...
@overload
def unique(
    x: Tensor,
    /,
    return_index: builtins.bool = False,
    *,
    return_inverse: Literal[True],
    return_counts: builtins.bool = False,
    axis: builtins.int | None = None,
    equal_nan: builtins.bool = True,
    sorted: builtins.bool = True,
) -> tuple[Tensor, ...]: ...
@overload
def unique(
    x: GroupArray,
    /,
    return_index: builtins.bool = False,
    *,
    return_inverse: Literal[True],
    return_counts: builtins.bool = False,
    axis: builtins.int | None = None,
    equal_nan: builtins.bool = True,
    sorted: builtins.bool = True,
) -> tuple[GroupArray, ...]: ...
@overload
def unique(
    x: ArrayLike,
    /,
    return_index: builtins.bool = False,
    *,
    return_inverse: Literal[True],
    return_counts: builtins.bool = False,
    axis: builtins.int | None = None,
    equal_nan: builtins.bool = True,
    sorted: builtins.bool = True,
) -> tuple[Array, ...]: ...
@overload
def unique(
    x: Tensor,
    /,
    return_index: builtins.bool = False,
    return_inverse: builtins.bool = False,
    *,
    return_counts: Literal[True],
    axis: builtins.int | None = None,
    equal_nan: builtins.bool = True,
    sorted: builtins.bool = True,
) -> tuple[Tensor, ...]: ...
@overload
def unique(
    x: GroupArray,
    /,
    return_index: builtins.bool = False,
    return_inverse: builtins.bool = False,
    *,
    return_counts: Literal[True],
    axis: builtins.int | None = None,
    equal_nan: builtins.bool = True,
    sorted: builtins.bool = True,
) -> tuple[GroupArray, ...]: ...
@overload
def unique(
    x: ArrayLike,
    /,
    return_index: builtins.bool = False,
    return_inverse: builtins.bool = False,
    *,
    return_counts: Literal[True],
    axis: builtins.int | None = None,
    equal_nan: builtins.bool = True,
    sorted: builtins.bool = True,
) -> tuple[Array, ...]: ...
@overload
def unique(
    x: Tensor,
    /,
    return_index: builtins.bool,
    return_inverse: builtins.bool,
    return_counts: builtins.bool = False,
    axis: builtins.int | None = None,
    *,
    equal_nan: builtins.bool = True,
    sorted: builtins.bool = True,
) -> Tensor | tuple[Tensor, ...]: ...
@overload
def unique(
    x: GroupArray,
    /,
    return_index: builtins.bool,
    return_inverse: builtins.bool,
    return_counts: builtins.bool = False,
    axis: builtins.int | None = None,
    *,
    equal_nan: builtins.bool = True,
    sorted: builtins.bool = True,
) -> GroupArray | tuple[GroupArray, ...]: ...
@overload
def unique(
    x: ArrayLike,
    /,
    return_index: builtins.bool,
    return_inverse: builtins.bool,
    return_counts: builtins.bool = False,
    axis: builtins.int | None = None,
    *,
    equal_nan: builtins.bool = True,
    sorted: builtins.bool = True,
) -> Array | tuple[Array, ...]: ...

def unique_all(x: Any, /) -> UniqueAll:
    """Return the distinct elements, their first indices, inverse indices, and counts."""

def unique_counts(x: Any, /) -> UniqueCounts:
    """Return the distinct elements and how many there are of each."""

def unique_inverse(x: Any, /) -> UniqueInverse:
    """Return the distinct elements, and the index of each element's value among them."""

@overload
def unique_values(x: GroupArray, /) -> GroupArray:
    """Return the distinct elements in ascending order. Each NaN counts separately."""
@overload
def unique_values(x: Any, /) -> Array: ...

@overload
def unravel_index(indices: GroupArray, shape: Any, order: str = "C") -> tuple[GroupArray, ...]:
    """Return flat indices as an index per axis of a shape. Indices out of range raise
    ValueError.
    """
@overload
def unravel_index(indices: Any, shape: GroupArray, order: str = "C") -> tuple[GroupArray, ...]: ...
@overload
def unravel_index(indices: Any, shape: Any, order: str = "C") -> tuple[Array, ...]: ...

@overload
def unstack(x: GroupArray, /, *, axis: builtins.int = 0) -> tuple[GroupArray, ...]:
    """Return views of the parts along an axis."""
@overload
def unstack(x: Any, /, *, axis: builtins.int = 0) -> tuple[Array, ...]: ...

@overload
def unwrap(
    p: GroupArray,
    discont: builtins.float | None = None,
    axis: builtins.int = -1,
    *,
    period: builtins.float = 6.283185307179586,
) -> GroupArray:
    """Return angles along an axis with multiples of `period` added, so that no step exceeds half of
    it.

    With `discont`, smaller steps stay. Integers stay integers if `period` is one.
    """
@overload
def unwrap(
    p: Any,
    discont: builtins.float | None = None,
    axis: builtins.int = -1,
    *,
    period: builtins.float = 6.283185307179586,
) -> Array: ...

@overload
def vander(
    x: GroupArray,
    N: builtins.int | None = None,
    increasing: builtins.bool = False,
) -> GroupArray:
    """Return the powers of a vector as columns: from N - 1 down to 0, or up with `increasing`."""
@overload
def vander(x: Any, N: builtins.int | None = None, increasing: builtins.bool = False) -> Array: ...

@overload
def var(
    x: GroupArray,
    /,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    dtype: DTypeLike | None = None,
    out: GroupArray | None = None,
    ddof: builtins.float | None = None,
    keepdims: builtins.bool = False,
    *,
    correction: builtins.float = 0,
    where: Any = None,
    mean: Any = None,
) -> GroupArray:
    """Return the variances along axes: the squared distances from the mean, summed, over
    n - correction, which NumPy also calls `ddof`.

    `mean` is the mean if it is known already, with axes of one element as from
    ``keepdims=True``. Warns (RuntimeWarning) if there are not more elements than `correction`.
    """
@overload
def var(
    x: Any,
    /,
    axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    ddof: builtins.float | None = None,
    keepdims: builtins.bool = False,
    *,
    correction: builtins.float = 0,
    where: Any = None,
    mean: Any = None,
) -> Array: ...

@overload
def vdot(a: GroupArray, b: Any) -> GroupArray:
    """Return the inner product of the flat arrays, the first one conjugated."""
@overload
def vdot(a: Any, b: GroupArray) -> GroupArray: ...
@overload
def vdot(a: Any, b: Any) -> Array: ...

@overload
def vecdot(x1: GroupArray, x2: Any, /, *, axis: builtins.int = -1) -> GroupArray:
    """Return the sums along an axis of the products of two arrays, the first one conjugated."""
@overload
def vecdot(x1: Any, x2: GroupArray, /, *, axis: builtins.int = -1) -> GroupArray: ...
@overload
def vecdot(x1: Any, x2: Any, /, *, axis: builtins.int = -1) -> Array: ...

@overload
def vecmat(x1: GroupArray, x2: Any, /) -> GroupArray:
    """Return the products of conjugated vectors with matrices. Stacks of both broadcast."""
@overload
def vecmat(x1: Any, x2: GroupArray, /) -> GroupArray: ...
@overload
def vecmat(x1: Any, x2: Any, /) -> Array: ...

@overload
def vsplit(ary: GroupArray, indices_or_sections: Any) -> list[GroupArray]:
    """Return views of parts along the first axis."""
@overload
def vsplit(ary: Any, indices_or_sections: GroupArray) -> list[GroupArray]: ...
@overload
def vsplit(ary: Any, indices_or_sections: Any) -> list[Array]: ...

@overload
def vstack(
    tup: collections.abc.Sequence[GroupArray],
    *,
    dtype: DTypeLike | None = None,
    casting: Literal['no', 'equiv', 'safe', 'same_kind', 'unsafe'] = "same_kind",
) -> GroupArray:
    """Return arrays joined along the first axis; vectors are rows. See concat()."""
@overload
def vstack(
    tup: collections.abc.Sequence[Any],
    *,
    dtype: DTypeLike | None = None,
    casting: Literal['no', 'equiv', 'safe', 'same_kind', 'unsafe'] = "same_kind",
) -> Array: ...

@overload
def where(condition: GroupArray, /) -> tuple[GroupArray, ...]:
    """Return elements of x1 where a condition is true, and of x2 elsewhere.

    With a condition alone, return nonzero(condition).
    """
@overload
def where(condition: Any, /) -> tuple[Array, ...]: ...
@overload
def where(condition: GroupArray, x1: Any, x2: Any, /) -> GroupArray: ...
@overload
def where(condition: Any, x1: GroupArray, x2: Any, /) -> GroupArray: ...
@overload
def where(condition: Any, x1: Any, x2: GroupArray, /) -> GroupArray: ...
@overload
def where(condition: Any, x1: Any, x2: Any, /) -> Array: ...

@overload
def zeros(shape: Any, dtype: DTypeLike | None = None, *, group: DeviceGroup) -> GroupArray:
    """Return an array of zeros, of the default float unless `dtype` is given."""
@overload
def zeros(shape: Any, dtype: DTypeLike | None = None, *, device: DeviceGroup) -> GroupArray: ...
@overload
def zeros(
    shape: Any,
    dtype: DTypeLike | None = None,
    *,
    device: Manager | None = None,
    group: None = None,
) -> Array: ...

@overload
def zeros_like(
    x: GroupArray,
    /,
    dtype: DTypeLike | None = None,
    *,
    device: Manager | None = None,
    shape: Any = None,
) -> GroupArray:
    """Return zeros of the same shape, or of `shape`."""
@overload
def zeros_like(
    x: Any,
    /,
    dtype: DTypeLike | None = None,
    *,
    device: Manager | None = None,
    shape: Any = None,
) -> Array: ...
