# SPDX-License-Identifier: Apache-2.0
"""The types in which the library computes functions of arrays are NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kp
from kp.arrays.functions import FUNCTIONS
from kp.arrays.types import NUMBERS

NUMBERS_OF_PYTHON = (int, float, complex)


def types_of_numpy(ufunc: Any, kinds: tuple[Any, ...]) -> tuple[np.dtype[Any], ...] | None:
    try:
        found: tuple[np.dtype[Any], ...] = ufunc.resolve_dtypes((*kinds, None))
    except TypeError:
        return None
    return found


@pytest.mark.skipif(not hasattr(np.add, "resolve_dtypes"), reason="NumPy before 1.25 does not say")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_types_are_numpys_for_all_kinds_of_operands(name: str) -> None:
    ufunc = FUNCTIONS[name].ufunc
    if (
        kp._kp._resolve(name, (np.dtype(np.float32),) * (ufunc.nargs - 1)) is None
        and name == "ldexp"
    ):
        return  # the host computes it for all types
    kinds = (*NUMBERS, *NUMBERS_OF_PYTHON)
    pairs = [(a, b) for a in kinds for b in kinds] if ufunc.nargs == 3 else [(a,) for a in kinds]
    for each in pairs:
        if not any(isinstance(kind, np.dtype) for kind in each):
            continue
        expected = types_of_numpy(ufunc, each)
        if expected is not None and name.startswith("logical_"):
            expected = (np.dtype(np.bool_),) * len(expected)
        found = kp._kp._resolve(name, each)
        assert found == expected, f"{name} of {each}"
