# SPDX-License-Identifier: Apache-2.0
"""NumPy's functions called with arrays: the function of this package with that name is called."""

from __future__ import annotations

from typing import Any

import numpy as np

from .array import Array
from .elementwise import apply, assign_all
from .functions import FUNCTIONS
from .group_array import GroupArray

#: NumPy's functions whose name differs from that here.
_NAMES = {
    "absolute": "abs",
    "concatenate": "concat",
    "amin": "min",
    "amax": "max",
    "around": "round",
    "cumulative_sum": "cumulative_sum",
    "copy": "array",
}

_UFUNCS = {function.ufunc: name for name, function in FUNCTIONS.items()}

_REDUCTIONS = {
    "add": "sum",
    "multiply": "prod",
    "minimum": "min",
    "maximum": "max",
    "logical_and": "all",
    "logical_or": "any",
}


def call_ufunc(ufunc: Any, method: str, inputs: Any, kwargs: Any) -> Any:
    """Apply a ufunc of NumPy. Keywords other than out, axis, keepdims and dtype are refused."""
    name = _UFUNCS.get(ufunc)
    outs = kwargs.pop("out", (None,))
    out = outs[0] if len(outs) == 1 else None
    if out is not None and not isinstance(out, (Array, GroupArray)):
        raise TypeError("out must be a kp.Array; a NumPy array gets the values by numpy()")
    if method == "__call__" and ufunc is np.matmul and not kwargs:
        from .group_functions import takes_groups
        from .linear_algebra import matmul

        product = takes_groups(matmul)(*inputs)
        return product if out is None else assign_all(out, product)
    if name is not None and method == "__call__" and not kwargs:
        result = apply(name, *inputs)
        return result if out is None else assign_all(out, result)
    if name is not None and method == "reduce" and ufunc.__name__ in _REDUCTIONS:
        from . import reductions

        kwargs.setdefault("axis", 0)
        return getattr(reductions, _REDUCTIONS[ufunc.__name__])(inputs[0], out=out, **kwargs)
    return NotImplemented


def call_function(function: Any, args: Any, kwargs: Any) -> Any:
    """Call the function of this package that has the name of one of NumPy's."""
    import kp

    name = function.__name__
    if name in ("ndim", "shape", "size") and len(args) == 1 and not kwargs:
        return getattr(args[0], name)
    module = getattr(function, "__module__", "numpy")
    own = getattr(kp, _NAMES.get(name, name), None) if module == "numpy" else None
    if own is None or not callable(own) or isinstance(own, type):
        return NotImplemented
    return own(*args, **kwargs)
