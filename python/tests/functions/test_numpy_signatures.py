# SPDX-License-Identifier: Apache-2.0
"""Arguments in NumPy's order and by NumPy's names."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import kp

POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)

#: NumPy's parameters that arrays on a device have no use for. What follows them is given by keyword.
UNUSED = {"order", "subok", "kind", "out", "mode", "casting"}

#: Functions whose parameters differ, and why.
OTHERS = {
    "copy",  # of buffers of groups
    "require",
    "trim_zeros",  # has no axis
}


def parameters(function: Any) -> list[inspect.Parameter]:
    return list(inspect.signature(function).parameters.values())


def shared() -> list[str]:
    names = []
    for name in np.__all__:
        function = getattr(np, name)
        if not callable(function) or isinstance(function, (type, np.ufunc)) or name in OTHERS:
            continue
        if inspect.isfunction(getattr(kp, name, None)):
            try:
                inspect.signature(function)
            except ValueError:  # NumPy before 2.4 has no signatures of functions in C
                continue
            names.append(name)
    return sorted(names)


@pytest.mark.parametrize("name", shared())
def test_arguments_have_the_places_and_names_that_they_have_in_numpy(name: str) -> None:
    theirs = [p for p in parameters(getattr(np, name)) if p.kind in POSITIONAL]
    ours = [p for p in parameters(getattr(kp, name)) if p.kind in POSITIONAL]
    variadic = {p.kind for p in parameters(getattr(kp, name))}
    if inspect.Parameter.VAR_POSITIONAL in variadic or not theirs:
        return
    for place, parameter in enumerate(theirs):
        if parameter.name in UNUSED:
            break
        assert place < len(ours), f"{name} takes no {parameter.name} by position"
        if place == 0 or parameter.kind is inspect.Parameter.POSITIONAL_ONLY:
            continue  # the array itself, which few give by name
        own = ours[place]
        if own.kind is inspect.Parameter.POSITIONAL_ONLY:
            # The standard's operands x1 and x2, and NumPy's a and b.
            assert parameter.name in ("a", "b", "v", "y", "M", "test_elements", "stop")
        elif name != "clip":  # it also has a_min and a_max by keyword
            assert own.name == parameter.name, f"{name} has {own.name} in place of {parameter.name}"


def test_arguments_by_position_are_numpys() -> None:
    a = np.array([[3.0, 1, 2], [4, 6, 5]], np.float32)
    x = kp.array(a)
    same = np.testing.assert_array_equal
    for make in (
        lambda xp, v: xp.zeros(3, np.int32),
        lambda xp, v: xp.ones((2, 2), np.uint8),
        lambda xp, v: xp.full(3, 7, np.int16),
        lambda xp, v: xp.asarray([1, 2], np.float32),
        lambda xp, v: xp.arange(1, 9, 2, np.int32),
        lambda xp, v: xp.eye(3, 4, 1, np.int32),
        lambda xp, v: xp.linspace(0, 1, 5, False, False, np.float64),
        lambda xp, v: xp.diff(v, 2, 1),
        lambda xp, v: xp.diff(v, 1, 0),
        lambda xp, v: xp.roll(v, 1, 1),
        lambda xp, v: xp.repeat(v, 2, 1),
        lambda xp, v: xp.repeat(v, repeats=2, axis=0),
        lambda xp, v: xp.stack([v, v], 1),
        lambda xp, v: xp.tile(v, reps=(1, 2)),
        lambda xp, v: xp.tril(v, -1),
        lambda xp, v: xp.triu(v, 1),
        lambda xp, v: xp.moveaxis(v, source=0, destination=1),
        lambda xp, v: xp.take(v, indices=[0, 1], axis=1),
        lambda xp, v: xp.take_along_axis(v, xp.argsort(v, 0), 0),
        lambda xp, v: xp.sort(v, -1, "stable"),
        lambda xp, v: xp.argsort(v, 0, "mergesort"),
        lambda xp, v: xp.var(v, 0, None, None, 1, True),
        lambda xp, v: xp.isin(v, [1, 2], True, True),
        lambda xp, v: xp.clip(v, a_min=2, a_max=4),
        lambda xp, v: xp.histogram(v, 4, (0, 8), True)[0].astype(np.float32),
        lambda xp, v: xp.meshgrid(v[0], v[1], sparse=True)[1],
        lambda xp, v: xp.reshape(v, (3, 2), order="F"),
        lambda xp, v: v.reshape(3, 2, order="F"),
        lambda xp, v: v.ravel("F"),
        lambda xp, v: v.flatten("F"),
    ):
        expected, found = make(np, a), make(kp, x)
        same(found.numpy(), expected)
        assert found.dtype == expected.dtype
    points, step = kp.linspace(0, 1, retstep=True)
    assert points.shape == (50,)
    assert step == np.linspace(0, 1, retstep=True)[1]
    same(kp.linspace([0, 1], [1, 3], 3, axis=1).numpy(), np.linspace([0, 1], [1, 3], 3, axis=1))


def test_orders_that_arrays_do_not_have_are_refused() -> None:
    x = kp.array([3, 1, 2])
    with pytest.raises(ValueError, match="kind is .*'stable'"):
        kp.sort(x, -1, "fastest")
    with pytest.raises(ValueError, match="order .*fields"):
        kp.argsort(x, order="name")
    with pytest.raises(ValueError, match="order is 'C' or 'F'"):
        kp.reshape(x, (3, 1), order="Z")
    with pytest.raises(TypeError, match="density is True or False; .*weights="):
        kp.histogram(x, 3, None, x)


def test_lists_and_numpy_arrays_are_arrays() -> None:
    for call in (
        lambda xp: xp.sum([1, 2, 3]),
        lambda xp: xp.mean(np.ones((2, 3)), axis=0),
        lambda xp: xp.argmax((1, 5, 2)),
        lambda xp: xp.sort([2, 1]),
        lambda xp: xp.unique([1, 2, 1], return_counts=True)[1],
        lambda xp: xp.bincount([1, 2, 1]),
        lambda xp: xp.histogram([1.0, 2, 4], 2)[0],
        lambda xp: xp.flip([1, 2]),
        lambda xp: xp.take([1, 2, 3], [0, -1]),
        lambda xp: xp.matmul([[1, 2]], [[3], [4]]),
        lambda xp: xp.compress([True, False], [1, 2]),
        lambda xp: xp.count_nonzero(np.array([1, 0])),
    ):
        found = call(kp)
        assert isinstance(found, kp.Array)
        np.testing.assert_array_equal(found.numpy(), call(np))
    with pytest.raises(TypeError, match="takes a kp.Array, a list or a kp.Tensor, not None"):
        kp.sum(None)  # type: ignore[type-var]


def test_bins_and_weights_are_numpys() -> None:
    a = np.array([1.0, 2, 2, 3, 9, 4, 4], np.float64)
    weights = [1, 2, 3, 4, 5, 6, 7]
    for bins in ("auto", "sturges", "fd"):
        counts, edges = kp.histogram(kp.array(a), bins)
        expected, places = np.histogram(a, bins)
        np.testing.assert_array_equal(counts.numpy(), expected)
        np.testing.assert_allclose(edges.numpy(), places)
    with pytest.raises(ValueError, match="not a valid estimator"):
        kp.histogram(kp.array(a), "many")
    found = kp.histogram(kp.array(a), 3, weights=weights)[0]
    np.testing.assert_array_equal(found.numpy(), np.histogram(a, 3, weights=weights)[0])
    whole = a.astype(np.int32)
    found = kp.bincount(kp.array(whole), weights)
    np.testing.assert_array_equal(found.numpy(), np.bincount(whole, weights))
    with pytest.raises(ValueError, match="a weight per element"):
        kp.bincount(kp.array(whole), weights[1:])
