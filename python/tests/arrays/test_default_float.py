# SPDX-License-Identifier: Apache-2.0
"""The default type of floats."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from conftest import run_python

import kp

#: Everything that makes floats of the default type, and NumPy's counterpart.
MAKERS: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
    "a float": (lambda: kp.asarray(1.5), lambda: np.asarray(1.5)),
    "a list": (lambda: kp.array([1.5, 2]), lambda: np.array([1.5, 2])),
    "a list of complex": (lambda: kp.array([1.5, 2j]), lambda: np.array([1.5, 2j])),
    "zeros": (lambda: kp.zeros(3), lambda: np.zeros(3)),
    "ones": (lambda: kp.ones(3), lambda: np.ones(3)),
    "empty": (lambda: kp.empty(3), lambda: np.empty(3)),
    "full": (lambda: kp.full(3, 1.5), lambda: np.full(3, 1.5)),
    "full of complex": (lambda: kp.full(3, 1j), lambda: np.full(3, 1j)),
    "arange": (lambda: kp.arange(0.0, 4.0), lambda: np.arange(0.0, 4.0)),
    "linspace": (lambda: kp.linspace(0, 1, 5), lambda: np.linspace(0, 1, 5)),
    "logspace": (lambda: kp.logspace(0, 1, 5), lambda: np.logspace(0, 1, 5)),
    "eye": (lambda: kp.eye(3), lambda: np.eye(3)),
    "identity": (lambda: kp.identity(3), lambda: np.identity(3)),
    "tri": (lambda: kp.tri(3), lambda: np.tri(3)),
    "fromfunction": (
        lambda: kp.fromfunction(lambda i, j: i + j, (2, 2)),
        lambda: np.fromfunction(lambda i, j: i + j, (2, 2)),
    ),
    "a grid": (lambda: kp.mgrid[0:1:0.5, 0:2], lambda: np.mgrid[0:1:0.5, 0:2]),
    "an open grid": (lambda: kp.ogrid[0:1:5j], lambda: np.ogrid[0:1:5j]),
    "edges of bins": (
        lambda: kp.histogram(kp.arange(3))[1],
        lambda: np.histogram(np.arange(3))[1],
    ),
    "values of a polynomial": (
        lambda: kp.polyval([1.5, 2], kp.arange(3)),
        lambda: np.polyval([1.5, 2], np.arange(3)),
    ),
    "fftfreq": (lambda: kp.fft.fftfreq(8), lambda: np.fft.fftfreq(8)),
    "rfftfreq": (lambda: kp.fft.rfftfreq(8), lambda: np.fft.rfftfreq(8)),
    "random": (lambda: kp.random.default_rng(1).random(3), lambda: np.zeros(3)),
    "normal": (lambda: kp.random.default_rng(1).normal(1, 2, 3), lambda: np.zeros(3)),
    "exponential": (lambda: kp.random.default_rng(1).exponential(2, 3), lambda: np.zeros(3)),
    "a quotient": (lambda: kp.arange(3) / 2, lambda: np.arange(3) / 2),
    "a product": (lambda: kp.arange(3) * 1.5, lambda: np.arange(3) * 1.5),
    "a root": (lambda: kp.sqrt(kp.arange(3)), lambda: np.sqrt(np.arange(3))),
    "a choice": (lambda: kp.where(kp.arange(3) > 1, 1.0, 2.0), lambda: np.float64([2, 2, 1])),
    "a mean": (lambda: kp.arange(3).mean(), lambda: np.arange(3).mean()),
    "a deviation": (lambda: kp.arange(3).std(), lambda: np.arange(3).std()),
    "a median": (lambda: kp.median(kp.arange(3)), lambda: np.median(np.arange(3))),
    "integers and float32": (
        lambda: kp.arange(3) + kp.ones(3, np.float32),
        lambda: np.arange(3) + np.ones(3, np.float32),
    ),
}

SINGLE = {np.dtype(np.float64): np.float32, np.dtype(np.complex128): np.complex64}
RANDOM = ("random", "normal", "exponential", "empty")


@pytest.mark.parametrize("name", MAKERS)
def test_it_is_numpys(name: str) -> None:
    found, wanted = (make() for make in MAKERS[name])
    assert found.dtype == wanted.dtype
    assert found.shape == wanted.shape
    if name not in RANDOM:
        np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-15, atol=1e-300)


@pytest.mark.parametrize("name", MAKERS)
def test_one_switch_makes_all_of_them_float32(name: str) -> None:
    MAKERS[name][0]()  # results cached by now must not stay
    kp.set_default_float("float32")
    found, wanted = (make() for make in MAKERS[name])
    assert found.dtype == SINGLE[wanted.dtype]
    if name not in RANDOM:
        np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-6)


def test_float64_comes_of_what_is_float64_already() -> None:
    doubles = np.array([0.1, 0.2])
    kp.set_default_float("float32")
    assert kp.default_float() == np.float32
    assert kp.array(doubles).dtype == np.float64
    assert kp.array([0.1], dtype="float64").tolist() == [0.1]
    assert kp.full(1, 0.1, dtype="float64").tolist() == [0.1]
    assert (kp.arange(2) * kp.array(doubles)).dtype == np.float64
    assert (kp.array(doubles) / 2).dtype == np.float64
    assert kp.float_power(kp.arange(2), 2).dtype == np.float64
    assert kp.asarray(np.float64(1.5)).dtype == np.float64


def test_comparisons_stay_exact() -> None:
    large = kp.array([2**53 + 1, 2**24 + 1])
    kp.set_default_float("float32")
    assert (large > float(2**24)).tolist() == [True, True]
    assert (kp.array([2**24 + 1]) == kp.array([2.0**24], dtype="float32")).tolist() == [False]


def test_ranges_of_whole_floats_do_not_repeat_numbers() -> None:
    first = 2.0**24
    assert kp.arange(first, first + 4).tolist() == [first, first + 1, first + 2, first + 3]


@pytest.mark.parametrize("wrong", ["float16", "int32", "double precision", 3])
def test_other_types_are_refused(wrong: Any) -> None:
    with pytest.raises(ValueError, match="the default float is float32 or float64, not"):
        kp.set_default_float(wrong)
    assert kp.default_float() == np.float64


WITHOUT = {"KOMPUTE_WITHOUT": "shaderFloat64", "KOMPUTE_DEFAULT_FLOAT": ""}


def test_devices_without_float64_have_float32_and_say_so_once() -> None:
    program = """
import warnings
import numpy as np
import kp
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    i = kp.array([1, 2, 3], dtype="int32")
    found = [kp.zeros(2), kp.array([1.5, 2]), kp.full(2, 0.5), kp.linspace(0, 1, 3), kp.eye(2),
             i / 2, i * 1.5, kp.sqrt(i), i.mean(), kp.array([1.5, 2]) * 2, kp.where(i > 1, 1.0, 2.0),
             kp.concat([i, kp.array([0.5], dtype="float32")]), kp.random.default_rng(1).random(3),
             kp.fft.fftfreq(8), kp.asarray(1.5), kp.std(i), kp.median(i)]
    assert {str(each.dtype) for each in found} == {"float32"}, [each.dtype for each in found]
    assert found[5].tolist() == [0.5, 1, 1.5]
assert [each.category for each in caught] == [RuntimeWarning], caught
assert "has no native doubles, so float32 is the default float type" in str(caught[0].message)
assert kp.default_float() == np.float32
kp.set_default_float("float64")
assert kp.default_float() == np.float64
"""
    assert run_python(program, **WITHOUT) == ""


def test_float64_by_the_users_word_stays_float64() -> None:
    program = """
import warnings
import numpy as np
import kp
warnings.simplefilter("ignore")
for make in (lambda: kp.zeros(2, dtype="float64"), lambda: kp.array(np.array([0.5]))):
    try:
        assert make().dtype == np.float64
    except kp.Unsupported as error:
        assert "no arrays of float64; convert to float32 first" in str(error)
assert kp.result_type(np.int32, np.float64) == np.float64
assert kp.result_type(np.int32, np.float32) == np.float32
"""
    assert run_python(program, **WITHOUT) == ""


def test_a_choice_holds_on_devices_without_float64_and_warns_of_nothing() -> None:
    program = "import kp; print(kp.zeros(2).dtype, (kp.array([1, 2], dtype='int32') / 2).dtype)"
    environment = {**WITHOUT, "KOMPUTE_DEFAULT_FLOAT": "float32"}
    assert run_python(program, **environment) == "float32 float32\n"


def test_the_environment_chooses_it() -> None:
    program = "import kp; print(kp.default_float(), kp.zeros(1).dtype)"
    assert run_python(program, KOMPUTE_DEFAULT_FLOAT="float32") == "float32 float32\n"
    back = "import kp; kp.set_default_float('float64'); kp.set_default_float(None); print(kp.zeros(1).dtype)"
    assert run_python(back, KOMPUTE_DEFAULT_FLOAT="float32") == "float32\n"
    with pytest.raises(
        AssertionError, match="KOMPUTE_DEFAULT_FLOAT is float32 or float64, not 'half'"
    ):
        run_python("import kp", KOMPUTE_DEFAULT_FLOAT="half")
