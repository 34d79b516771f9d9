# SPDX-License-Identifier: Apache-2.0
"""The names that arrays add to the package: NumPy's, and those of the array API standard."""

from __future__ import annotations

from collections.abc import Sequence
from types import FunctionType

from .._wording import kind_of
from . import (
    choosing,
    comparing,
    derived,
    grids,
    joining,
    numerics,
    methods,
    order_statistics,
    padding,
    products,
    sets,
    statistics,
)
from .array import Array
from .choosing import *  # noqa: F403
from .comparing import *  # noqa: F403
from .derived import *  # noqa: F403
from .derived import divmod as divmod
from .elementwise import (
    abs as abs,
    acos,
    acosh,
    add,
    asin,
    asinh,
    astype,
    atan,
    atan2,
    atanh,
    bitwise_and,
    bitwise_invert,
    bitwise_left_shift,
    bitwise_or,
    bitwise_right_shift,
    bitwise_xor,
    cbrt,
    ceil,
    clip,
    conj,
    copysign,
    cos,
    cosh,
    deg2rad,
    divide,
    equal,
    erf,
    erfc,
    exp,
    exp2,
    expm1,
    fabs,
    float_power,
    floor,
    floor_divide,
    fmax,
    fmin,
    fmod,
    gamma,
    gcd,
    greater,
    greater_equal,
    heaviside,
    hypot,
    imag,
    isfinite,
    isinf,
    isnan,
    lcm,
    ldexp,
    less,
    less_equal,
    lgamma,
    log,
    log10,
    log1p,
    log2,
    logaddexp,
    logaddexp2,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    maximum,
    minimum,
    multiply,
    negative,
    nextafter,
    not_equal,
    positive,
    pow as pow,
    rad2deg,
    real,
    reciprocal,
    remainder,
    round as round,
    sign,
    signbit,
    sin,
    sinh,
    spacing,
    sqrt,
    square,
    subtract,
    tan,
    tanh,
    trunc,
)
from .creation import (
    arange,
    array,
    asarray,
    empty,
    empty_like,
    eye,
    from_dlpack,
    full,
    full_like,
    linspace,
    meshgrid,
    ones,
    ones_like,
    tril,
    triu,
    zeros,
    zeros_like,
)
from .custom import (
    ElementwiseKernel,
    ReductionKernel,
    elementwise,
    reduction,
)
from .information import (
    __array_namespace_info__,
    can_cast,
    e,
    finfo,
    iinfo,
    inf,
    isdtype,
    isscalar,
    nan,
    ndim,
    pi,
    promote_types,
    result_type,
    shape,
    size,
)
from .grids import *  # noqa: F403
from .group_array import GroupArray
from .group_functions import takes_groups
from .joining import *  # noqa: F403
from .keywords import takes_numpys_names
from .linear_algebra import (
    matrix_transpose,
    outer,
    tensordot,
    vecdot,
)
from .manipulation import (
    broadcast_arrays,
    broadcast_shapes,
    broadcast_to,
    expand_dims,
    flatten,
    fliplr,
    flipud,
    moveaxis,
    permute_dims,
    ravel,
    repeat,
    reshape,
    resize,
    roll,
    rollaxis,
    rot90,
    sliding_window_view,
    squeeze,
    stack,
    swapaxes,
    tile,
    unstack,
)
from .nan_functions import (
    nanargmax,
    nanargmin,
    nancumprod,
    nancumsum,
    nanmax,
    nanmean,
    nanmin,
    nanprod,
    nanstd,
    nansum,
    nanvar,
)
from .numerics import *  # noqa: F403
from .order_statistics import *  # noqa: F403
from .padding import *  # noqa: F403
from .products import *  # noqa: F403
from .reductions import (
    std,
    var,
)
from .scans import (
    cumulative_prod,
    cumulative_sum,
    diff,
)
from .searching import (
    argpartition,
    argwhere,
    lexsort,
    nonzero,
    partition,
    take_along_axis,
)
from .sets import *  # noqa: F403
from .statistics import *  # noqa: F403

#: Modules whose public names are all in the namespace.
_WHOLE = (
    choosing,
    comparing,
    derived,
    grids,
    joining,
    numerics,
    order_statistics,
    padding,
    products,
    sets,
    statistics,
)

#: The version of the array API standard.
__array_api_version__ = "2024.12"

# NumPy's names of the same functions.
arccos = acos
arccosh = acosh
arcsin = asin
arcsinh = asinh
arctan = atan
arctan2 = atan2
arctanh = atanh
power = pow
left_shift = bitwise_left_shift
right_shift = bitwise_right_shift
invert = bitwise_invert
absolute = abs
conjugate = conj
true_divide = divide
mod = remainder
bitwise_not = bitwise_invert
degrees = rad2deg
radians = deg2rad
asanyarray = ascontiguousarray = asarray


def evaluate(*arrays: Array | GroupArray | Sequence[Array | GroupArray]) -> None:
    """Start computing arrays that are expressions so far. Returns at once."""
    for each in arrays:
        if isinstance(each, (Array, GroupArray)):
            each.evaluate()
        elif isinstance(each, (list, tuple)):
            evaluate(*each)
        else:
            raise TypeError(f"evaluate takes arrays and lists of them, not {kind_of(each)}")


def _take_groups() -> None:
    """Let the functions take arrays of groups, and NumPy's names, too."""
    for name in (*__all__, "abs", "divmod", "pow", "round"):
        function = globals()[name]
        if isinstance(function, FunctionType):
            wrap = takes_numpys_names if name in _WITHOUT_ARRAYS else takes_groups
            globals()[name] = wrap(function)


#: Functions that create arrays, have none at all, write into one, or look after groups themselves.
_WITHOUT_ARRAYS = frozenset(
    "array asarray asanyarray ascontiguousarray zeros ones full empty arange linspace eye elementwise evaluate reduction "
    "broadcast_shapes can_cast finfo iinfo isdtype result_type promote_types isscalar ndim shape size from_dlpack "
    "identity tri indices fromfunction logspace geomspace diag_indices tril_indices triu_indices "
    "bartlett blackman hamming hanning kaiser copyto putmask place put_along_axis fill_diagonal where".split()
)

#: Names that `from kp import *` takes, too: those that hide no function of Python.
__all__ = [
    "Array",
    "ElementwiseKernel",
    "GroupArray",
    "ReductionKernel",
    "__array_api_version__",
    "__array_namespace_info__",
    "absolute",
    "acos",
    "acosh",
    "add",
    "arange",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "argpartition",
    "argwhere",
    "array",
    "asanyarray",
    "asarray",
    "ascontiguousarray",
    "asin",
    "asinh",
    "astype",
    "atan",
    "atan2",
    "atanh",
    "bitwise_and",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "broadcast_arrays",
    "broadcast_shapes",
    "broadcast_to",
    "can_cast",
    "cbrt",
    "ceil",
    "clip",
    "conj",
    "conjugate",
    "copysign",
    "cos",
    "cosh",
    "cumulative_prod",
    "cumulative_sum",
    "deg2rad",
    "degrees",
    "diff",
    "divide",
    "elementwise",
    "empty",
    "empty_like",
    "equal",
    "erf",
    "erfc",
    "evaluate",
    "exp",
    "exp2",
    "expand_dims",
    "expm1",
    "eye",
    "fabs",
    "finfo",
    "flatten",
    "fliplr",
    "flipud",
    "float_power",
    "floor",
    "floor_divide",
    "fmax",
    "fmin",
    "fmod",
    "from_dlpack",
    "full",
    "full_like",
    "gamma",
    "gcd",
    "greater",
    "greater_equal",
    "heaviside",
    "hypot",
    "iinfo",
    "imag",
    "inf",
    "invert",
    "isdtype",
    "isfinite",
    "isinf",
    "isnan",
    "isscalar",
    "lcm",
    "ldexp",
    "left_shift",
    "less",
    "less_equal",
    "lexsort",
    "lgamma",
    "linspace",
    "log",
    "log10",
    "log1p",
    "log2",
    "logaddexp",
    "logaddexp2",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "matrix_transpose",
    "maximum",
    "meshgrid",
    "minimum",
    "mod",
    "moveaxis",
    "multiply",
    "nan",
    "nanargmax",
    "nanargmin",
    "nancumprod",
    "nancumsum",
    "nanmax",
    "nanmean",
    "nanmin",
    "nanprod",
    "nanstd",
    "nansum",
    "nanvar",
    "ndim",
    "negative",
    "nextafter",
    "nonzero",
    "not_equal",
    "ones",
    "ones_like",
    "outer",
    "partition",
    "permute_dims",
    "pi",
    "positive",
    "power",
    "promote_types",
    "rad2deg",
    "radians",
    "ravel",
    "real",
    "reciprocal",
    "reduction",
    "remainder",
    "repeat",
    "reshape",
    "resize",
    "result_type",
    "right_shift",
    "roll",
    "rollaxis",
    "rot90",
    "shape",
    "sign",
    "signbit",
    "sin",
    "sinh",
    "size",
    "sliding_window_view",
    "spacing",
    "sqrt",
    "square",
    "squeeze",
    "stack",
    "std",
    "subtract",
    "swapaxes",
    "take_along_axis",
    "tan",
    "tanh",
    "tensordot",
    "tile",
    "tril",
    "triu",
    "true_divide",
    "trunc",
    "unstack",
    "var",
    "vecdot",
    "zeros",
    "zeros_like",
]
__all__ += [name for module in _WHOLE for name in module.__all__]

_take_groups()
methods.describe()
