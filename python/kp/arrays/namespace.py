# SPDX-License-Identifier: Apache-2.0
"""The names that arrays add to the package: NumPy's and the array API standard's."""

from __future__ import annotations

import importlib
from collections.abc import Sequence as _Sequence
from types import FunctionType
from typing import TYPE_CHECKING

from .._wording import kind_of
from . import methods
from .array import Array
from .reducing.by_operator import *  # noqa: F403
from .selection.choosing import *  # noqa: F403
from .comparing import *  # noqa: F403
from .derived import *  # noqa: F403
from .elementwise import *  # type: ignore[no-redef]  # noqa: F403  # where()
from .creation import *  # noqa: F403
from .custom import *  # noqa: F403
from .information import *  # noqa: F403
from .shapes.grids import *  # noqa: F403
from .analysis.histograms import *  # noqa: F403
from .groups.array import GroupArray
from .groups.functions import takes_groups
from .shapes.joining import *  # noqa: F403
from .keywords import takes_numpys_names
from .matrices.linear_algebra import (
    matmul,
    matrix_transpose,
    outer,
    tensordot,
    vecdot,
)
from .shapes.manipulation import *  # noqa: F403
from .reducing.nan_functions import *  # noqa: F403
from .analysis.numerics import *  # noqa: F403
from .selection.order_statistics import *  # noqa: F403
from .shapes.padding import *  # noqa: F403
from .matrices.products import *  # noqa: F403
from .reducing.reductions import *  # noqa: F403
from .reducing.scans import *  # noqa: F403
from .selection.searching import *  # noqa: F403
from .selection.selecting import *  # noqa: F403
from .selection.sets import *  # noqa: F403
from .analysis.statistics import *  # noqa: F403

#: The version of the array API standard.
__array_api_version__ = "2025.12"

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


def evaluate(*arrays: Array | GroupArray | _Sequence[Array | GroupArray]) -> None:
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
    for name in _names:
        function = globals()[name]
        if isinstance(function, FunctionType):
            wrap = takes_numpys_names if name in _WITHOUT_ARRAYS else takes_groups
            globals()[name] = wrap(function)


#: Functions that create arrays, take none, write into one, or handle groups themselves.
_WITHOUT_ARRAYS = frozenset(
    "array asarray asanyarray ascontiguousarray zeros ones full empty arange linspace eye elementwise evaluate reduction "
    "broadcast_shapes can_cast finfo iinfo isdtype result_type promote_types isscalar ndim shape size from_dlpack "
    "identity tri indices fromfunction logspace geomspace diag_indices tril_indices triu_indices "
    "bartlett blackman hamming hanning kaiser copyto putmask place put_along_axis fill_diagonal where".split()
)

#: Modules whose public names are all in the namespace.
_MODULES = (
    "reducing.by_operator selection.choosing comparing creation custom derived elementwise "
    "shapes.grids analysis.histograms information shapes.joining shapes.manipulation "
    "reducing.nan_functions analysis.numerics selection.order_statistics shapes.padding "
    "matrices.products reducing.reductions reducing.scans selection.searching "
    "selection.selecting selection.sets analysis.statistics"
).split()
#: Names of this file.
_OWN = (
    "Array GroupArray __array_api_version__ absolute arccos arccosh arcsin arcsinh arctan "
    "arctan2 arctanh asanyarray ascontiguousarray bitwise_not conjugate degrees evaluate invert "
    "left_shift matmul matrix_transpose mod outer power radians right_shift tensordot "
    "true_divide vecdot"
).split()
_modules = [importlib.import_module(f"{__package__}.{name}") for name in _MODULES]
_names = sorted({*_OWN, *(name for each in _modules for name in each.__all__)})
if not TYPE_CHECKING:  # to type checkers, all names are public
    __all__ = _names

_take_groups()
methods.describe()
