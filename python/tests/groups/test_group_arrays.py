# SPDX-License-Identifier: Apache-2.0
"""Arrays on a group of devices: the same results as NumPy's, however many devices there are."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from group_support import make_group

import kp

RANDOM = np.random.default_rng(5)
A = RANDOM.normal(size=(7, 4)).astype(np.float32)
B = RANDOM.normal(size=(7, 4)).astype(np.float32)
C = RANDOM.integers(-9, 9, (7,)).astype(np.int32)
S = RANDOM.normal(size=(4, 3, 2)).astype(np.float32)


@pytest.fixture(scope="module", params=[2, 3], ids=["two", "three"])
def group(request: pytest.FixtureRequest) -> Iterator[kp.DeviceGroup]:
    with make_group(request.param) as made:
        yield made


@pytest.fixture(scope="module")
def pair() -> Iterator[kp.DeviceGroup]:
    with make_group(2) as made:
        yield made


#: Functions of a namespace (NumPy's or kp's) and arrays a and b (7, 4), c (7,) and s (4, 3, 2).
EXPRESSIONS: dict[str, Callable[..., Any]] = {
    "fused": lambda xp, a, b, c, s: xp.sqrt(xp.abs(a * b + 1)) - 2 * a,
    "a row": lambda xp, a, b, c, s: a * np.arange(4, dtype=np.float32) + b[0],
    "a column": lambda xp, a, b, c, s: a + c[:, None].astype(np.float32),
    "outer": lambda xp, a, b, c, s: c[:, None] * c[None, :],
    "of the host": lambda xp, a, b, c, s: a + A + A[0],
    "swapped": lambda xp, a, b, c, s: 1 - a < B,
    "where": lambda xp, a, b, c, s: xp.where(a > b, a, 0),
    "clip": lambda xp, a, b, c, s: xp.clip(a, -0.5, 0.5),
    "other rows": lambda xp, a, b, c, s: a[1:] - a[:-1],
    "sum": lambda xp, a, b, c, s: xp.sum(a * b),
    "sum of columns": lambda xp, a, b, c, s: xp.sum(a, axis=0, keepdims=True),
    "sum of rows": lambda xp, a, b, c, s: (a + b).sum(axis=1),
    "sum over two axes": lambda xp, a, b, c, s: xp.sum(s, axis=(0, 2)),
    "integers": lambda xp, a, b, c, s: xp.sum(c),
    "product": lambda xp, a, b, c, s: xp.prod(a, axis=0),
    "extremes": lambda xp, a, b, c, s: a.max(axis=0) - a.min(),
    "truth": lambda xp, a, b, c, s: xp.any(a > 2, axis=0) | xp.all(a < 1, axis=0),
    "count": lambda xp, a, b, c, s: xp.count_nonzero(c > 0),
    "mean": lambda xp, a, b, c, s: a - xp.mean(a, axis=0),
    "deviation": lambda xp, a, b, c, s: xp.std(a, axis=0) + xp.var(a),
    "largest": lambda xp, a, b, c, s: xp.argmax(a, axis=0) + xp.argmin(a, axis=1)[0],
    "slices": lambda xp, a, b, c, s: a[1:6:2, ::-1],
    "reversed": lambda xp, a, b, c, s: a[::-1],
    "one row": lambda xp, a, b, c, s: a[-1] + a[2, 1],
    "nothing": lambda xp, a, b, c, s: a[5:2].sum(axis=0),
    "mask": lambda xp, a, b, c, s: a[c > 0],
    "mask of all": lambda xp, a, b, c, s: a[a > 0],
    "rows by index": lambda xp, a, b, c, s: a[np.array([6, 0, 3, 3])],
    "rows by own index": lambda xp, a, b, c, s: a[xp.argsort(c)],
    "columns by index": lambda xp, a, b, c, s: a[:, [2, 0]],
    "both by index": lambda xp, a, b, c, s: a[[1, 2], [0, 3]],
    "new axis": lambda xp, a, b, c, s: a[:, None, :] - a[None, 0],
    "reshape": lambda xp, a, b, c, s: xp.reshape(a, (14, 2)),
    "reshape across rows": lambda xp, a, b, c, s: xp.reshape(a, (2, -1)),
    "flat": lambda xp, a, b, c, s: a.ravel() + b.flatten(),
    "transposed": lambda xp, a, b, c, s: a.T + 1,
    "other axes": lambda xp, a, b, c, s: xp.moveaxis(s, 2, 1) * 2,
    "broadcast": lambda xp, a, b, c, s: xp.broadcast_to(a[0], (3, 4)),
    "concat": lambda xp, a, b, c, s: np.concatenate([a, b]),
    "concat columns": lambda xp, a, b, c, s: np.concatenate([a, b], axis=1),
    "stack": lambda xp, a, b, c, s: np.stack([a, b], axis=1),
    "sort": lambda xp, a, b, c, s: xp.sort(a, axis=0),
    "sort rows": lambda xp, a, b, c, s: xp.sort(a, axis=1),
    "sort all": lambda xp, a, b, c, s: xp.sort(c),
    "running sum": lambda xp, a, b, c, s: xp.cumsum(a, axis=0) + xp.cumsum(a, axis=1),
    "search": lambda xp, a, b, c, s: xp.searchsorted(xp.sort(c), np.int32([0, 4])),
    "unique": lambda xp, a, b, c, s: xp.unique(c),
    "nonzero": lambda xp, a, b, c, s: xp.nonzero(c > 0)[0],
    "gram": lambda xp, a, b, c, s: a.T @ b,
    "rows by matrix": lambda xp, a, b, c, s: a @ b.T,
    "by a vector": lambda xp, a, b, c, s: a @ a[0],
    "vector by rows": lambda xp, a, b, c, s: c.astype(np.float32) @ a,
    "dot": lambda xp, a, b, c, s: c @ c,
    "host by rows": lambda xp, a, b, c, s: np.ones((2, 7), np.float32) @ a,
    "stacks": lambda xp, a, b, c, s: s @ xp.matrix_transpose(s),
    "complex": lambda xp, a, b, c, s: xp.sum((a + 1j) * b, axis=0).real,
    "spectrum": lambda xp, a, b, c, s: xp.abs(xp.fft.fft((a + 0j).astype(np.complex64), axis=0)),
    "half spectrum of rows": lambda xp, a, b, c, s: xp.fft.rfft(a).astype(np.complex64),
    "half": lambda xp, a, b, c, s: xp.sum(a.astype(np.float16), axis=0),
    "like": lambda xp, a, b, c, s: xp.full_like(c, 3) + xp.ones_like(c),
}


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_results_are_those_of_numpy(group: kp.DeviceGroup, name: str) -> None:
    expression = EXPRESSIONS[name]
    with np.errstate(all="ignore"):
        expected = np.asarray(expression(np, A, B, C, S))
    found = expression(kp, *[kp.array(each, group=group) for each in (A, B, C, S)])
    assert isinstance(found, kp.GroupArray)
    assert found.group is group
    assert found.shape == expected.shape
    assert found.dtype == expected.dtype
    assert sum(found.rows) == (
        expected.shape[0] if found.placement == "sharded" else sum(found.rows)
    )
    tolerance = 2e-3 if expected.dtype == np.float16 else 1e-5
    np.testing.assert_allclose(found.numpy(), expected, rtol=tolerance, atol=tolerance)
    for part, rows in zip(found.parts, found.rows, strict=True):
        if found.shape:
            assert part.shape == (rows, *found.shape[1:])


def test_options_of_products_are_refused_as_for_arrays_of_one_device(group) -> None:
    x = kp.array(A, group=group)
    with pytest.raises(TypeError, match="epilogue: only for tensors"):
        kp.matmul(x, x.T, epilogue="max(c, 0.0)")


def test_operators_and_runs_are_those_of_one_device(group: kp.DeviceGroup) -> None:
    x = kp.array(A, group=group)
    for axis in (None, 0, 1):
        np.testing.assert_array_equal(kp.reduce(x, "max", axis).numpy(), np.max(A, axis))
        scanned = np.maximum.accumulate(A.ravel() if axis is None else A, axis or 0)
        np.testing.assert_array_equal(kp.scan(x, "max", axis).numpy(), scanned)
    runs = [part.numpy() for part in kp.run_lengths(kp.array(C, group=group))]
    np.testing.assert_array_equal(np.repeat(*runs), C)
    for offsets in ([0, 3, 28], kp.array([0, 3, 28], group=group)):
        sums = kp.reduce(x, "sum", segments=offsets).numpy()
        np.testing.assert_allclose(sums, [A.ravel()[:3].sum(), A.ravel()[3:].sum()], rtol=1e-5)
    parts, chosen = kp.stable_partition("x > 0", x)
    assert chosen == (A > 0).sum()
    np.testing.assert_array_equal(parts.numpy(), np.concatenate([A[A > 0], A[~(A > 0)]]))
    assert kp.cumsum(x[:0].astype(np.float16)).dtype == np.float16


ASSIGNMENTS: dict[str, Callable[[Any, Any], Any]] = {
    "a slice": lambda x, v: x.__setitem__(slice(1, 6), 3),
    "a slice of values": lambda x, v: x.__setitem__(slice(0, 4), v[3:]),
    "columns": lambda x, v: x.__setitem__((slice(None, None, 2), slice(1, 3)), v[::2, :2]),
    "a row": lambda x, v: x.__setitem__(5, v[0]),
    "an element": lambda x, v: x.__setitem__((-1, 2), 8),
    "a mask": lambda x, v: x.__setitem__(x > 0, -1),
    "rows by a mask": lambda x, v: x.__setitem__(x[:, 0] > 0, v[0]),
    "values by a mask": lambda x, v: x.__setitem__(C > 0, A[: (C > 0).sum()]),
    "rows by index": lambda x, v: x.__setitem__(np.array([6, 0]), v[:2]),
    "columns by index": lambda x, v: x.__setitem__((slice(None), [0, 3]), 0),
    "through a view": lambda x, v: x[2:7, 1:].__setitem__(slice(1, None), v[3:7, :3]),
    "in place": lambda x, v: x.__iadd__(v),
    "in place by a view": lambda x, v: x[2:].__imul__(2),
    "all": lambda x, v: x.__setitem__(Ellipsis, v[0]),
}


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_assignments_are_those_of_numpy(group: kp.DeviceGroup, name: str) -> None:
    expected, x = A.copy(), kp.array(A, group=group)
    doubled = x * 2
    ASSIGNMENTS[name](expected, B)
    ASSIGNMENTS[name](x, kp.array(B, group=group))
    np.testing.assert_array_equal(x.numpy(), expected)
    np.testing.assert_array_equal(doubled.numpy(), 2 * A)


def test_creation_functions_take_a_group(group: kp.DeviceGroup) -> None:
    for created, expected in (
        (kp.zeros((5, 2), group=group), np.zeros((5, 2))),
        (kp.ones(3, dtype=np.int16, group=group), np.ones(3, np.int16)),
        (kp.full((3, 1), 2.5, device=group), np.full((3, 1), 2.5)),
        (kp.arange(10, group=group), np.arange(10)),
        (kp.arange(9, 0, -2, group=group), np.arange(9, 0, -2)),
        (kp.arange(0, 1, 0.125, group=group), np.arange(0, 1, 0.125)),
        (kp.linspace(0, 1, 5, group=group), np.linspace(0, 1, 5)),
        (kp.array([1, 2, 3], dtype=np.uint8, group=group), np.uint8([1, 2, 3])),
        (kp.asarray(7, group=group), np.asarray(7)),
        (kp.array(kp.ones(3), group=group), np.ones(3)),
        (kp.ones(3).to_device(group), np.ones(3)),
        (kp.zeros(0, group=group), np.zeros(0)),
    ):
        assert isinstance(created, kp.GroupArray)
        assert created.dtype == expected.dtype
        np.testing.assert_array_equal(created.numpy(), expected)
    x = kp.arange(5, group=group)
    assert kp.asarray(x).parts[0] is x.parts[0]
    assert kp.empty((4, 2), group=group).shape == (4, 2)
    assert kp.zeros(3, device=x.device).group is group
    with pytest.raises(ValueError, match="several devices"):
        kp.zeros(3, group=group, device=kp.default_manager())


def test_rows_are_shared_evenly_and_may_be_moved(pair: kp.DeviceGroup) -> None:
    x = kp.array(A, group=pair)
    assert x.placement == "sharded"
    assert x.rows == (4, 3)
    assert [part.manager for part in x.parts] == list(pair)
    moved = x.shard((1, 6))
    assert moved.rows == (1, 6)
    np.testing.assert_array_equal((moved + x).numpy(), A + A)
    copies = moved.replicate()
    assert copies.placement == "replicated"
    for part in copies.parts:
        np.testing.assert_array_equal(part.numpy(), A)
    assert copies.shard().rows == (4, 3)
    np.testing.assert_array_equal((copies + x).numpy(), A + A)
    on_one = x.to_device(pair[1])
    assert isinstance(on_one, kp.Array)
    assert on_one.manager is pair[1]
    np.testing.assert_array_equal(on_one.numpy(), A)
    with pytest.raises(ValueError, match="sum 7"):
        x.shard((1, 2))


def test_arrays_of_several_places_do_not_mix(pair: kp.DeviceGroup) -> None:
    x = kp.array(A, group=pair)
    with pytest.raises(ValueError, match="one device and an array of a group"):
        x + kp.array(A)
    with pytest.raises(ValueError, match="one device and an array of a group"):
        kp.where(x > 0, x, kp.array(A, device=pair[0]))
    with make_group(2) as other, pytest.raises(ValueError, match="different groups"):
        x + kp.array(A, group=other)
    with pytest.raises(ValueError, match="do not have the shape|could not be broadcast|broadcast"):
        x + np.ones((3, 4), np.float32)


def _change_views(x: Any) -> None:
    v = x[3]
    v += 1
    v[1:] = [7, 8, 9]
    w = v[1:]
    w += 1
    w[0] = 9
    x[4][2] = -1


def _add_to_element(x: Any) -> None:
    x[2, 1] += 5


ROW_ASSIGNMENTS: dict[str, Callable[[Any], Any]] = {
    "a row in place": lambda x: x.__setitem__(1, x[1].__isub__(x[0])),
    "an element in place": _add_to_element,
    "an element of a row": lambda x: x[0].__setitem__(1, 3),
    "a row by its view": lambda x: x[-1].__imul__(2),
    "all of a row": lambda x: x[0].__setitem__(Ellipsis, -3),
    "fill": lambda x: x[2].fill(4),
    "views of views": _change_views,
}


@pytest.mark.parametrize("name", ROW_ASSIGNMENTS)
def test_assignments_to_single_rows_change_the_array(group: kp.DeviceGroup, name: str) -> None:
    expected, x = A.copy(), kp.array(A, group=group)
    ROW_ASSIGNMENTS[name](expected)
    ROW_ASSIGNMENTS[name](x)
    np.testing.assert_array_equal(x.numpy(), expected)


def test_values_of_another_length_are_refused_as_on_one_device(group: kp.DeviceGroup) -> None:
    x = kp.array(np.arange(6.0), group=group)
    for index, count in (
        (slice(None), 3),
        (slice(4), 3),
        (slice(None), 2),
        (x > 1, 2),
        ([0, 1], 3),
    ):
        with pytest.raises(ValueError, match=f"shape \\({count},\\) does not broadcast"):
            x[index] = np.arange(count)
    np.testing.assert_array_equal(x.numpy(), np.arange(6.0))
    x[:] = np.ones((1, 6))
    x[:3] = [[5.0]]
    np.testing.assert_array_equal(x.numpy(), [5, 5, 5, 1, 1, 1])


def test_nobody_writes_in_vain_to_rows_that_moved(pair: kp.DeviceGroup) -> None:
    x = kp.array(A, group=pair)
    square = kp.array(np.ones((2, 2), np.float32), group=pair)
    with pytest.raises(ValueError, match="read-only"):
        x.T[0] = 5
    with pytest.raises(ValueError, match="read-only"):
        kp.flip(x)[0] = 5
    with pytest.raises(ValueError, match="read-only"):
        kp.matmul(square, square, out=square.T)
    whole = x.replicate()
    whole.T[0] = 5  # a view of each copy
    assert (whole.numpy()[:, 0] == 5).all()


def test_empty_shards_have_no_smallest_element_only_along_themselves(pair: kp.DeviceGroup) -> None:
    values = np.arange(25, dtype=np.uint32).reshape(1, 5, 5)
    found = kp.argmin(kp.array(values, group=pair), axis=1)
    assert np.array_equal(found.numpy(), values.argmin(axis=1))
    assert kp.argmax(kp.zeros((0, 3)), axis=1, keepdims=True).shape == (0, 1)


def test_expressions_are_lazy_on_each_device(pair: kp.DeviceGroup) -> None:
    def launches() -> list[int]:
        return [manager.activity()["launches"] for manager in pair]

    x, y = kp.array(A, group=pair), kp.array(B, group=pair)
    before = launches()
    z = kp.sqrt(kp.abs(x * y + x)) - 1
    assert launches() == before
    z.evaluate()
    assert [now - then for now, then in zip(launches(), before, strict=True)] == [1, 1]


def test_kernels_take_arrays_of_groups(pair: kp.DeviceGroup) -> None:
    x, y = kp.array(A, group=pair), kp.array(B, group=pair)
    axpy = kp.elementwise("T x, T y, T a", "T z", "z = a * x + y")
    np.testing.assert_allclose(axpy(x, y, 2.0).numpy(), 2 * A + B, rtol=1e-6)
    out = kp.zeros((7, 4), np.float32, group=pair)
    assert axpy(x, B, 2.0, out) is out
    np.testing.assert_allclose(out.numpy(), 2 * A + B, rtol=1e-6)
    near = kp.elementwise("raw T x, U at", "T y", "y = x(uint(at))")
    rows = kp.array(C, group=pair)
    found = near(rows, kp.array(np.uint32([6, 0, 1]), group=pair))
    assert found.tolist() == C[[6, 0, 1]].tolist()
    shifted = kp.elementwise("raw T x", "T y", "y = x((i + 1) % n)")
    assert shifted(rows, size=7).tolist() == np.roll(C, -1).tolist()
    norm = kp.reduction("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0")
    np.testing.assert_allclose(norm(x, axis=1).numpy(), np.linalg.norm(A, axis=1), rtol=1e-6)
    np.testing.assert_allclose(norm(x, axis=0).numpy(), np.linalg.norm(A, axis=0), rtol=1e-6)
    scale = kp.kernel(
        "kernel void scale(float a, in float x[], inout float y[]) { y[i] += a * x[i]; }"
    )
    written = scale(2.0, x, out)
    assert written is out
    np.testing.assert_allclose(out.numpy(), 4 * A + B, rtol=1e-5)
    made = kp.kernel("kernel void twice(in float x[], out float y[]) { y[i] = 2 * x[i]; }")(x)
    np.testing.assert_array_equal(made.numpy(), 2 * A)
    buffer = x.buffer()
    assert buffer.placement == "sharded"
    np.testing.assert_array_equal(buffer.read(), A)


def test_arrays_of_groups_are_python_objects(pair: kp.DeviceGroup) -> None:
    x = kp.array(A, group=pair)
    assert repr(x) == repr(A)
    assert str(x) == str(A)
    assert "kp.GroupArray" in x._repr_html_()
    assert len(x) == 7
    np.testing.assert_array_equal([row.numpy() for row in x], A)
    assert float(x.sum()) == pytest.approx(A.sum(), rel=1e-5)
    assert x.item(3) == A.item(3)
    assert isinstance(pickle.loads(pickle.dumps(x)), kp.Array)
    assert isinstance(np.sqrt(x * x), kp.GroupArray)
    np.testing.assert_allclose(np.add.reduce(x).numpy(), A.sum(0), rtol=1e-5)
    np.testing.assert_array_equal(np.asarray(x), A)
    assert x.copy().parts[0] is not x.parts[0]
    assert (x == x).all()
    with pytest.raises(TypeError, match="group="):
        kp.GroupArray()
