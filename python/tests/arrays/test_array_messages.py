# SPDX-License-Identifier: Apache-2.0
"""Mistakes with arrays: messages name the given value and the remedy."""

from __future__ import annotations

import pathlib
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from group_support import make_group

import kp


def test_arrays_of_a_destroyed_manager_say_that_it_was_destroyed() -> None:
    manager = kp.Manager()
    of_tensor = kp.asarray(manager.tensor([1.0, 2.0, 3.0]))
    own = kp.array([1.0, 2.0], device=manager)
    manager.destroy()
    for array in (of_tensor, own, of_tensor[1:]):
        uses: tuple[Callable[[Any], Any], ...] = (
            str,
            kp.Array.numpy,
            lambda x: (x * 2).numpy(),
        )
        for use in uses:
            with pytest.raises(kp.InvalidArgument, match="this manager was destroyed"):
                use(array)


def test_an_array_of_a_destroyed_tensor_says_so(mgr: kp.Manager) -> None:
    tensor = mgr.tensor([1.0, 2.0, 3.0])
    array = kp.asarray(tensor)
    tensor.destroy()
    with pytest.raises(kp.InvalidArgument, match="this tensor was destroyed"):
        array.numpy()


OF_TWO_MANAGERS: list[Callable[[Any, Any], Any]] = [
    lambda a, b: a + b,
    lambda a, b: kp.concatenate([a, b]),
    lambda a, b: kp.stack([a, b]),
    lambda a, b: a @ b,
    lambda a, b: kp.matmul(a, b.device.tensor(np.ones((2, 2)))),
    lambda a, b: kp.einsum("ij,jk->ik", a, b),
    lambda a, b: kp.compress(b > 1, a),
    lambda a, b: kp.compress(b[0] > 1, a, axis=0),
    lambda a, b: kp.searchsorted(a[0], b),
    lambda a, b: a.sum(axis=0, out=b[0]),
    lambda a, b: a.__setitem__(..., b),
]


@pytest.mark.parametrize("place", range(len(OF_TWO_MANAGERS)))
def test_arrays_of_two_devices_are_refused_together(group: kp.DeviceGroup, place: int) -> None:
    a = kp.array([[1.0, 2.0], [3.0, 4.0]], device=group[0])
    b = kp.array([[1.0, 2.0], [3.0, 4.0]], device=group[1])
    with pytest.raises(ValueError, match="the arrays belong to different managers"):
        OF_TWO_MANAGERS[place](a, b)


@pytest.mark.parametrize(
    "made", [lambda: kp.eye(-1), lambda: kp.eye(2, -1), lambda: kp.identity(-1)]
)
def test_a_negative_extent_of_a_unit_matrix_is_named(made: Callable[[], Any]) -> None:
    with pytest.raises(ValueError, match="no negative extents, but .*-1.* was given"):
        made()


@pytest.mark.parametrize("value", [2**70, -(2**63) - 1, [1, 2**64]])
@pytest.mark.parametrize("make", [kp.array, kp.asarray, lambda value: kp.full(2, value)])
def test_a_number_over_64_bits_is_named(make: Callable[[Any], Any], value: Any) -> None:
    with pytest.raises(OverflowError, match="does not fit an integer of 64 bits"):
        make(value)


def test_an_output_of_the_wrong_shape_is_named(mgr: kp.Manager) -> None:
    x = kp.ones((2, 3), device=mgr)
    out = kp.zeros(2, device=mgr)
    message = re.escape(
        "the result has the shape (3,), which does not fit an array (out) of the shape (2,)"
    )
    with pytest.raises(ValueError, match=message):
        x.sum(axis=0, out=out)


@pytest.mark.parametrize(
    ("subscripts", "message"),
    [
        ("ij,jk->il", "'l' is in no input of 'ij,jk->il'"),
        ("ij,jk->ii", "'i' occurs more than once after the arrow"),
        ("i1,jk->ik", "'i1,jk->ik' are not subscripts"),
    ],
)
def test_wrong_subscripts_are_named(mgr: kp.Manager, subscripts: str, message: str) -> None:
    x = kp.ones((2, 2), device=mgr)
    with pytest.raises(ValueError, match=message):
        kp.einsum(subscripts, x, x)


def test_tensordot_takes_an_axis_of_each_array(mgr: kp.Manager) -> None:
    host = np.arange(12.0).reshape(3, 4)
    x, y = kp.array(host, device=mgr), kp.array(host.T, device=mgr)
    expected = np.tensordot(host, host.T, axes=(1, 0))  # type: ignore[arg-type]
    np.testing.assert_array_equal(kp.tensordot(x, y, axes=(1, 0)).numpy(), expected)
    np.testing.assert_array_equal(kp.tensordot(x, y, axes=(1, [0])).numpy(), expected)
    np.testing.assert_array_equal(kp.tensordot(x, y, axes=(-1, 0)).numpy(), expected)


@pytest.mark.parametrize(
    ("axes", "message"),
    [
        (3, "axes is 3, but the arrays have 2 and 2 axes"),
        ((1,), "axes is a number, or a pair"),
        (((0, 1), 0), "as many axes are summed over in both arrays, not 2 and 1"),
    ],
)
def test_wrong_axes_of_a_tensordot_are_named(mgr: kp.Manager, axes: Any, message: str) -> None:
    x = kp.ones((2, 2), device=mgr)
    with pytest.raises(ValueError, match=message):
        kp.tensordot(x, x, axes=axes)


def test_copies_of_arrays_are_made_by_their_method(mgr: kp.Manager) -> None:
    x = kp.zeros(2, device=mgr)
    for arguments in ((x,), (x, x)):
        with pytest.raises(TypeError, match=r"given a kp.Array.*; array.copy\(\) returns a copy"):
            kp.copy(*arguments)


def test_methods_that_only_numpys_generator_has_say_what_to_use(mgr: kp.Manager) -> None:
    generator = kp.random.default_rng(7, device=mgr)
    with pytest.raises(
        AttributeError, match=r"no 'vonmises'; use numpy.random.default_rng\(seed\).vonmises"
    ):
        generator.vonmises(0, 2)
    with pytest.raises(AttributeError, match="no 'uniforms'; did you mean 'uniform'"):
        generator.uniforms
    with pytest.raises(AttributeError, match="has no 'bit_generator'$"):
        generator.bit_generator


def test_names_that_only_numpy_has_are_explained() -> None:
    with pytest.raises(
        AttributeError, match=r"kp has no 'polydiv'; use numpy.polydiv with x.numpy\(\)"
    ):
        kp.polydiv  # noqa: B018
    with pytest.raises(AttributeError, match="kp has no 'lin_space'; did you mean 'linspace'"):
        kp.lin_space  # noqa: B018
    with pytest.raises(AttributeError, match=r"no 'randint'; kp.random.default_rng\(seed\)"):
        kp.random.randint  # noqa: B018
    with pytest.raises(TypeError, match=r"takes a kp.Manager first, not an int, .*default_rng"):
        kp.random.normal(3)  # type: ignore[call-arg, arg-type]
    assert not hasattr(kp, "__no_such_name__")


def test_arrays_whose_manager_was_destroyed_can_be_shown() -> None:
    manager = kp.Manager()
    x = kp.ones(3, device=manager).evaluate()
    manager.destroy()
    assert (
        repr(x)
        == "<kp.Array of shape (3,), float64: this manager was destroyed, and with it the array's memory>"
    )


def test_tensors_and_arrays_can_be_joined(mgr: kp.Manager) -> None:
    joined = kp.concatenate([mgr.tensor([1, 2]), kp.ones(1, device=mgr), [3.0]])
    assert isinstance(joined, kp.Array)
    assert joined.tolist() == [1, 2, 1, 3]
    with pytest.raises(ValueError, match="stack needs at least one array"):
        kp.stack([])


def test_an_array_of_a_group_is_no_index_of_one_on_a_device(mgr: kp.Manager) -> None:
    with make_group(2) as group, pytest.raises(IndexError, match="bring both to one place"):
        kp.eye(3, device=mgr)[kp.array([1], group=group)]


def test_parts_of_tensors_are_for_operations(mgr: kp.Manager) -> None:
    tensor = mgr.tensor([1, 2, 3])
    for function in (kp.sum, kp.sort, kp.cumsum, kp.fft.fft, lambda part: kp.concatenate([part])):
        with pytest.raises(
            TypeError, match=r"functions take kp\.asarray\(tensor\)\[first:first \+ count\]"
        ):
            function((tensor, 1, 2))


@pytest.mark.parametrize(
    ("data", "kind"), [(None, "None"), ([1, None], "None"), ("x", "text"), ([1, "x"], "text")]
)
def test_data_that_is_no_numbers_is_named(data: object, kind: str) -> None:
    for function in (kp.asarray, kp.unique, kp.fft.fft):
        with pytest.raises(TypeError, match=f"arrays hold numbers and bool, not {kind}$"):
            function(data)


def test_axes_and_segments_of_the_wrong_kind_are_named(mgr: kp.Manager) -> None:
    tensor = mgr.tensor([1, 2, 3])
    with pytest.raises(TypeError, match="takes axes as a tuple of all axes, not 5"):
        kp.transpose(tensor, 5)
    with pytest.raises(TypeError, match="takes segments as a row of offsets, not an int"):
        kp.scan(tensor, "sum", segments=3)
    with pytest.raises(TypeError, match="axis is a whole number, not 'x'"):
        kp.fft.convolve(tensor, tensor, axes="x")


def test_bins_of_the_wrong_kind_are_named(mgr: kp.Manager) -> None:
    tensor = mgr.tensor([1, 2, 3])
    with pytest.raises(TypeError, match=r"bins as their number or their edges, not 2\.5"):
        kp.histogram(tensor, 2.5)
    with pytest.raises(ValueError, match=r"the elements reach; pass range=\(low, high\)"):
        kp.histogram(mgr.tensor([np.nan, 1]), 3)
    counts = mgr.tensor_t([0, 0], dtype="uint32")
    with pytest.raises(TypeError, match="bins is None for integers"):
        kp.OpHistogram(tensor, counts, ("a", 1))


def test_expressions_include_no_files(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "term.glsl").write_text("float term() { return 1; }\n")
    scale = kp.elementwise(
        "float x", "float z", "z = x * term()", preamble='#include "term.glsl"\n'
    )
    with pytest.raises(kp.ShaderError, match="'term.glsl' is not read"):
        scale(kp.ones(3)).evaluate()
    scan = kp.elementwise("float x", "float z", 'z = x;\n#include "term.glsl"\n')
    with pytest.raises(kp.Error, match="term.glsl"):
        scan(kp.ones(3)).evaluate()
