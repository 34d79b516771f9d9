# SPDX-License-Identifier: Apache-2.0
"""kp.jit: arguments that do not fit, and what annotations say."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from jit_support import floats, saxpy

import kp


@kp.jit
def add_to(x: "float[:]", y: "float[:]"):
    i = kp.global_id()
    y[i] += x[i]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: saxpy(1.0, floats()), "needs 'y'; it takes a, x, y"),
        (lambda: add_to(floats()), "needs 'y'; it takes x, y"),
        (lambda: saxpy(1.0, floats(), floats(), 2), "takes 3 arguments"),
        (lambda: saxpy(1.0, floats(), z=floats()), "no argument 'z'"),
        (lambda: saxpy(1.0, floats(), floats(), x=1), "got its argument 'x' twice"),
        (lambda: saxpy("a", floats(), floats()), "a was given str 'a'"),
        (lambda: saxpy(1.0, np.zeros(2, "U3"), floats()), "is not a type in kernels"),
    ],
)
def test_wrong_arguments_are_named(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        call()


@kp.jit
def add(x, y, out):
    i = kp.global_id()
    out[i] = x[i] + y[i]


@kp.jit
def add_bounded(x, y, out):
    i = kp.global_id()
    if i < y.size:
        out[i] = x[i] + y[i]


@kp.jit
def add_until(x, y, out):
    i = kp.global_id()
    if i >= y.size or out[i] < 0:
        return
    out[i] = x[i] + y[i]


@kp.jit
def add_chosen(x, y, out):
    i = kp.global_id()
    out[i] = x[i] + (y[i] if i < y.size else 0) + np.where(i < y.size, y[i], 0)
    if i >= y.size:
        out[i] = -1
    elif y[i] < 0:
        out[i] = -2


@kp.jit
def add_repeatedly(x, y, out):
    i = kp.global_id()
    out[i] = x[i]
    for _ in range(1 if i < y.size else 0):
        out[i] += y[i]


@kp.jit
def add_moved(x, y, out):
    i = kp.global_id()
    i = i % 3
    out[i] = x[i] + y[i]


@pytest.mark.parametrize("lengths", [(5, 3, 5), (3, 5, 5), (5, 5, 3)])
def test_arrays_have_an_element_for_each_work_item_that_accesses_them(
    lengths: tuple[int, ...],
) -> None:
    name = "x", "y", "out"
    short = name[lengths.index(3)]
    with pytest.raises(ValueError, match=rf"{short} has 3 .*{short}\[i\] is accessed for 5 work"):
        add(*map(np.ones, lengths, [np.float32] * 3))
    add[3](*map(np.ones, lengths, [np.float32] * 3))


def test_images_have_a_texel_for_each_work_item_that_accesses_them() -> None:
    @kp.jit
    def copy(x, out):
        i, j = kp.global_id(0), kp.global_id(1)
        out[j, i] = x[kp.global_id(1), 0]

    copy(np.ones((4, 1), np.float32), np.ones((4, 6), np.float32))
    with pytest.raises(ValueError, match=r"x has shape \(3, 9\), but x\[i, :\] .* 4 work items"):
        copy[6, 4](np.ones((3, 9), np.float32), np.ones((4, 6), np.float32))
    with pytest.raises(
        ValueError, match=r"out has shape \(4, 6\), but out\[:, i\] .* 7 work items"
    ):
        copy[7, 4](np.ones((4, 1), np.float32), np.ones((4, 6), np.float32))


@pytest.mark.parametrize("kernel", [add_bounded, add_until, add_chosen, add_repeatedly, add_moved])
def test_conditional_accesses_may_leave_elements_out(kernel: Any) -> None:
    x, y, out = np.ones(5, np.float32), np.ones(3, np.float32), np.zeros(5, np.float32)
    kernel(x, y, out)
    assert out[:3].min() >= 2


def test_outputs_that_are_left_out_have_an_element_for_each_work_item() -> None:
    @kp.jit
    def twice(x, out: "float[:]"):
        i = kp.global_id()
        out[i] = 2 * x[i]

    assert twice[2](np.ones(5, np.float32)).shape == (2,)


def test_what_is_only_in_kernels_says_so_elsewhere() -> None:
    for name in kp._jit.intrinsics.__all__:
        function = getattr(kp, name)
        with pytest.raises(TypeError, match="is for functions with @kp.jit"):
            function(*[1] * function.__code__.co_argcount)


def test_parameters_have_other_names_than_keywords() -> None:
    def wrong(threads):
        pass

    with pytest.raises(kp.ShaderError, match="'threads' is a keyword"):
        kp.jit(wrong)


def test_functions_without_source_are_refused() -> None:
    names: dict[str, Any] = {}
    exec("def f(x): x[0] = 1", names)
    with pytest.raises(
        kp.ShaderError, match="source of f was not found.*define it in a file"
    ) as caught:
        kp.jit(names["f"])
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


def test_lambdas_are_refused() -> None:
    with pytest.raises(
        kp.ShaderError, match="a lambda cannot be compiled; write a function with def"
    ):
        kp.jit(lambda x: x)


@pytest.mark.parametrize(
    ("annotation", "hint"),
    [
        ("floats[:]", "float[:]"),
        ("floot32[:, :]", "float32[:, :]"),
        ("vec5", "vec4"),
        ("float[3]", "float[:]"),
    ],
)
def test_annotations_that_are_text_name_types(annotation: str, hint: str) -> None:
    def wrong(x, y: annotation):  # type: ignore[valid-type]
        x[0] = y[0]

    def calls(x):
        x[0] = wrong(x, 1)

    wrong.__annotations__["y"] = repr(annotation)
    message = re.escape(f"y is annotated with '{annotation}'")
    message += f".*{re.escape(f'did you mean {hint!r}?')}"
    with pytest.raises(kp.ShaderError, match=message) as caught:
        kp.jit(wrong)
    assert (
        str(caught.value)
        .splitlines()[-2]
        .strip()
        .endswith("x, y: annotation):  # type: ignore[valid-type]")
    )
    with pytest.raises(kp.ShaderError, match=message):
        kp.jit(calls)(floats())


def test_annotations_for_type_checkers_are_ignored() -> None:
    def copies(x: np.ndarray, y: OnlyForCheckers, out: Any):  # type: ignore[name-defined] # noqa: F821
        out[kp.global_id()] = x[0] + y

    assert kp.jit(copies)(floats(), 1, floats())[0] == floats()[0] + 1
