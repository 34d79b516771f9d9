# SPDX-License-Identifier: Apache-2.0
"""Which public functions the table measures, and why it leaves out others."""

from __future__ import annotations

import fnmatch
import inspect
from typing import Any

import kp

from .cases import Case, mentioned

#: Where public functions are.
PLACES: dict[str, Any] = {
    "kp": kp,
    "kp.fft": kp.fft,
    "kp.linalg": kp.linalg,
    "kp.random": kp.random,
    "Array": kp.Array,
    "Generator": kp.random.Generator,
}

_KERNELS = "is for kernels alone"
_TYPES = "looks at types or shapes and computes nothing"
_DEVICES = "is about devices, kernels or groups, not arrays: other benchmarks measure it"

#: Patterns of names, and why they are not measured.
UNMEASURED = {
    "kp.atomic_*": _KERNELS,
    "kp.subgroup_*": _KERNELS,
    "kp.buffer_*": _KERNELS,
    **dict.fromkeys(
        "kp.barrier kp.check kp.memory_barrier kp.global_id kp.global_size kp.group_count kp.group_id kp.local_array "
        "kp.local_id kp.local_size kp.shared_array".split(),
        _KERNELS,
    ),
    **dict.fromkeys(
        "kp.can_cast kp.finfo kp.iinfo kp.isdtype kp.promote_types kp.result_type kp.isscalar kp.ndim kp.shape "
        "kp.size kp.broadcast_shapes kp.iscomplexobj kp.isrealobj kp.may_share_memory kp.shares_memory "
        "kp.from_numpy_dtype kp.to_numpy_dtype kp.to_vector kp.is_complex kp.is_dtype kp.is_matrix kp.is_scalar "
        "kp.is_vector kp.default_float kp.set_default_float Array.dtype Array.itemsize Array.nbytes "
        "Array.ndim Array.size Array.strides Array.manager".split(),
        _TYPES,
    ),
    **dict.fromkeys(
        "kp.compile kp.eval_all kp.wait_all kp.wait_any kp.jit kp.kernel kp.list_devices kp.log_level kp.reflect "
        "kp.torch_pool kp.asbuffer kp.copy kp.default_group kp.set_default_group kp.default_manager "
        "kp.set_default_manager kp.memory kp.reset_peak_memory kp.repeat_until kp.function "
        "kp.while_loop".split(),
        _DEVICES,
    ),
    **dict.fromkeys(
        "kp.bfloat16 kp.bool kp.char kp.custom kp.double kp.float kp.half kp.int kp.long kp.short kp.uchar kp.uint "
        "kp.ulong kp.ushort".split(),
        _TYPES,
    ),
    **dict.fromkeys(
        "kp.erf kp.erfc kp.gamma kp.lgamma kp.i0".split(),
        "is in neither NumPy nor CuPy; see function_errors.py",
    ),
    "kp.synchronize": "waits, as each case does",
    "kp.evaluate": "is part of the time of every case",
    "Array.glsl": "returns the text of a kernel",
    "Array.__rmatmul__": "is the product of an array of NumPy, which is copied, with ours",
}

#: Special methods that are operators.
OPERATORS = (
    "abs add and bool complex divmod eq float floordiv ge getitem gt iadd iand ifloordiv ilshift imatmul imod imul "
    "int invert ior ipow irshift isub itruediv ixor le lshift lt matmul mod mul ne neg or pos pow radd rand rdivmod "
    "rfloordiv rlshift rmatmul rmod rmul ror rpow rrshift rshift rsub rtruediv rxor setitem sub truediv xor"
)


def public_names() -> set[str]:
    """Return all public functions, methods and properties of arrays, and operators."""
    found = {f"Array.__{name}__" for name in OPERATORS.split() if hasattr(kp.Array, f"__{name}__")}
    for place, owner in PLACES.items():
        for name in dir(owner):
            thing = getattr(owner, name)
            hidden = name.startswith("_") or inspect.isclass(thing) or inspect.ismodule(thing)
            if not hidden and (callable(thing) or place == "Array"):
                found.add(f"{place}.{name}")
    return found


def function_of(name: str) -> Any:
    """Return the function behind a public name, which others may be names of, too."""
    place, _, last = name.rpartition(".")
    return inspect.unwrap(getattr(PLACES[place], last, None))


def reason_of(name: str) -> str:
    """Return why a name is not measured, or ""."""
    return next((why for each, why in UNMEASURED.items() if fnmatch.fnmatchcase(name, each)), "")


def without_case(table: tuple[Case, ...]) -> list[str]:
    """Return the public names that have neither a case nor a reason to have none."""
    measured = set().union(*(mentioned(case) for case in table))
    functions = {id(function_of(name)) for name in measured if name.rpartition(".")[0] in PLACES}
    return sorted(
        name
        for name in public_names() - measured
        if not reason_of(name) and id(function_of(name)) not in functions
    )


def misspelt(table: tuple[Case, ...]) -> list[str]:
    """Return patterns of UNMEASURED that no public name matches, or only names that have cases."""
    names = public_names() - set().union(*(mentioned(case) for case in table))
    return [each for each in UNMEASURED if not fnmatch.filter(names, each)]
