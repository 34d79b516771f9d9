# SPDX-License-Identifier: Apache-2.0
"""Indexing, assignment and functions of shapes, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kp

RANDOM = np.random.default_rng(3)


def random_slice(extent: int) -> slice:
    def bound() -> int | None:
        return None if RANDOM.random() < 0.3 else int(RANDOM.integers(-extent - 2, extent + 3))

    step = int(RANDOM.choice([1, 1, 2, 3, -1, -2]))
    return slice(bound(), bound(), step)


def random_key(shape: tuple[int, ...], advanced: bool) -> Any:
    key: list[Any] = []
    for extent in shape[: int(RANDOM.integers(0, len(shape) + 1))]:
        kind = RANDOM.random()
        if advanced and kind < 0.35:
            chosen = RANDOM.integers(-extent, extent, (3,) if RANDOM.random() < 0.7 else (2, 1))
            key.append(chosen if RANDOM.random() < 0.7 else chosen.tolist())
        elif kind < 0.55:
            key.append(int(RANDOM.integers(-extent, extent)))
        else:
            key.append(random_slice(extent))
        if RANDOM.random() < 0.15:
            key.append(None)
    if RANDOM.random() < 0.3:
        key.insert(int(RANDOM.integers(0, len(key) + 1)), Ellipsis)
    return tuple(key)


@pytest.mark.parametrize("advanced", [False, True])
def test_keys_select_what_numpy_selects(advanced: bool) -> None:
    a = np.arange(3 * 4 * 5, dtype=np.int32).reshape(3, 4, 5)
    x = kp.array(a)
    for _ in range(60):
        key = random_key(a.shape, advanced)
        expected = a[key]
        found = x[key]
        assert found.shape == expected.shape, key
        np.testing.assert_array_equal(found.numpy(), expected, err_msg=str(key))


@pytest.mark.parametrize("advanced", [False, True])
def test_keys_set_what_numpy_sets(advanced: bool) -> None:
    a = np.arange(3 * 4 * 5, dtype=np.int32).reshape(3, 4, 5)
    x = kp.array(a)
    for step in range(30):
        key = random_key(a.shape, advanced)
        selected = a[key]
        if step % 2:
            a[key] = step
            x[key] = step
        else:
            marks = selected * 2 + 1  # equal for equal indices
            a[key] = marks
            x[key] = kp.array(marks)
        np.testing.assert_array_equal(x.numpy(), a, err_msg=str(key))


@pytest.mark.parametrize("mask", [True, False])
def test_masks_without_axes_select_all_or_nothing(mask: bool) -> None:
    a = RANDOM.normal(size=(3, 4)).astype(np.float32)
    for make in (bool, np.bool_, np.array, kp.array):
        for rest in ((), (slice(1, 3),), (None,), (Ellipsis, 0)):
            x = kp.array(a)
            key = (make(mask), *rest)
            expected = a[(np.array(mask), *rest)]
            found = x[key] if rest else x[make(mask)]
            assert found.shape == expected.shape
            np.testing.assert_array_equal(found.numpy(), expected)
            changed = a.copy()
            changed[(np.array(mask), *rest)] = 5
            x[key] = 5
            np.testing.assert_array_equal(x.numpy(), changed)
            if mask:  # a copy, as in NumPy
                found[...] = 9
                np.testing.assert_array_equal(x.numpy(), changed)
    number = kp.array(2.5)
    assert number[number > 2].tolist() == [2.5]
    assert number[number > 3].tolist() == []
    number[number > 2] = 7.0
    assert number.item() == 7
    assert kp.array(a)[:, mask].shape == a[:, mask].shape
    with pytest.raises(IndexError, match="one after the other"):
        kp.array(a)[mask, [0, 1]]


def test_masks_select_and_set() -> None:
    a = RANDOM.normal(size=(6, 7)).astype(np.float32)
    x = kp.array(a)
    np.testing.assert_array_equal(x[x > 0].numpy(), a[a > 0])
    rows = np.array([True, False, True, True, False, False])
    np.testing.assert_array_equal(x[rows].numpy(), a[rows])
    np.testing.assert_array_equal(x[kp.array(rows), 1:3].numpy(), a[rows, 1:3])
    np.testing.assert_array_equal(x[:, a[0] > 0].numpy(), a[:, a[0] > 0])
    assert x[x > 100].shape == (0,)
    x[x < -0.5] = 9
    a[a < -0.5] = 9
    x[rows] = kp.arange(7)
    a[rows] = np.arange(7)
    x[x > 1] *= -1
    a[a > 1] *= -1
    np.testing.assert_array_equal(x.numpy(), a)


def test_index_arrays_on_the_device_are_checked() -> None:
    x = kp.arange(10)
    index = kp.array([3, -1, 0])
    assert x[index].tolist() == [3, 9, 0]
    assert x[kp.array([1, 2], dtype=np.uint8)].tolist() == [1, 2]
    assert x[kp.array(4)].tolist() == 4
    with pytest.raises(IndexError, match="from -1 to 10"):
        x[kp.array([10, -1])]
    with pytest.raises(IndexError, match="index 10 is out of bounds for axis 0 with 10"):
        x[[10]]
    with pytest.raises(IndexError, match="index -11"):
        x[-11]
    with pytest.raises(IndexError, match="too many indices"):
        x[0, 0]
    with pytest.raises(IndexError, match="not a str"):
        x["a"]
    with pytest.raises(IndexError, match="integers or bool, not float64"):
        x[np.array([1.5])]
    with pytest.raises(IndexError, match=r"a mask of shape \(3,\)"):
        x[np.array([True, False, True])]


def test_an_assignment_to_an_index_out_of_range_sets_nothing() -> None:
    a = np.arange(12.0).reshape(3, 4)
    for index in ([0, 12], [-13, 1]):
        x = kp.array(a.ravel())
        with pytest.raises(IndexError, match="out of bounds for axis 0 with 12"):
            x[kp.array(index)] = kp.array([7.0, 8.0])
        assert x.tolist() == a.ravel().tolist()
    x = kp.array(a)
    with pytest.raises(IndexError, match="out of bounds for axis 1 with 4"):
        x[kp.array([0, 1]), kp.array([0, 4])] = 9
    assert x.tolist() == a.tolist()
    x[kp.array([0, -1]), kp.array([-4, 3])] = kp.array([7.0, 8.0])
    a[[0, -1], [-4, 3]] = [7, 8]
    assert x.tolist() == a.tolist()


def test_all_elements_are_assigned_to_by_a_slice_or_an_ellipsis() -> None:
    a = np.arange(6.0).reshape(2, 3)
    x, pending = kp.array(a), kp.array(a)
    before = x + 1
    x[:] = x[::-1]
    assert x.tolist() == a[::-1].tolist()
    assert before.tolist() == (a + 1).tolist()
    x[...] = pending[0] * 2
    assert x.tolist() == [(a[0] * 2).tolist()] * 2
    with pytest.raises(ValueError, match="read-only"):
        kp.broadcast_to(pending, (3, 2, 3))[:] = 0
    with pytest.raises(IndexError):
        kp.array(1.0)[:] = 2


@pytest.mark.parametrize(
    "key",
    [
        ([2, 0], 3),
        (3, [1, 4]),
        (slice(None), 3, [1, 4]),
        (slice(None), [1, 4], -1),
        ([2, 0], slice(None), 2),
        (2, slice(None), [1, 5]),
        ([2, 0], [[1], [4]], 5),
        (None, [2, 0], 3),
        (..., [0, 3], 2),
        ([2, 0],),
        ([[2], [0]],),
    ],
)
def test_integers_beside_index_arrays_decide_where_their_axes_go(key: Any) -> None:
    a = np.arange(4.0 * 5 * 6).reshape(4, 5, 6)
    x = kp.array(a)
    ours = tuple(kp.array(each) if isinstance(each, list) else each for each in key)
    np.testing.assert_array_equal(x[ours].numpy(), a[key])
    for index in (ours, ours[0] if len(ours) == 1 else ours):
        x[index] = kp.array(a[key]) * 2
        a[key] *= 2
        np.testing.assert_array_equal(x.numpy(), a)
        a = x.numpy()


def test_assignments_that_do_not_fit_raise() -> None:
    x = kp.zeros((3, 4))
    with pytest.raises(ValueError, match=r"shape \(3,\) does not broadcast to \(3, 4\)"):
        x[...] = kp.ones(3)
    with pytest.raises(TypeError, match="complex"):
        x[0] = 1j
    with pytest.raises(ValueError, match="read-only"):
        kp.broadcast_to(x[0], (5, 4))[0] = 1
    with pytest.raises(OverflowError):
        kp.zeros(3, dtype=np.uint8)[0] = 300
    with pytest.raises(TypeError, match="cannot hold"):
        y = kp.arange(3)
        y += 0.5


def check(found: kp.Array, expected: np.ndarray[Any, Any]) -> None:
    assert found.shape == expected.shape
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found.numpy(), expected)


def test_shapes_change_as_in_numpy() -> None:
    a = np.arange(24, dtype=np.int16).reshape(2, 3, 4)
    x = kp.array(a)
    check(x.reshape(4, -1), a.reshape(4, -1))
    check(kp.reshape(x.T, (6, 4)), a.T.reshape(6, 4))
    check(x[:, ::2].reshape(2, 2, 2, 2), a[:, ::2].reshape(2, 2, 2, 2))
    check(x[:, 1:, :].reshape((-1,)), a[:, 1:, :].reshape(-1))
    check(kp.permute_dims(x, (2, 0, 1)), a.transpose(2, 0, 1))
    check(kp.moveaxis(x, (0, 1), (-1, 0)), np.moveaxis(a, (0, 1), (-1, 0)))
    check(kp.expand_dims(x, axis=(0, -1)), np.expand_dims(a, (0, -1)))
    check(kp.squeeze(x[:1, :, :1], axis=(0, 2)), a[:1, :, :1].squeeze((0, 2)))
    check(kp.flip(x, axis=1), np.flip(a, 1))
    check(kp.flip(x), np.flip(a))
    check(kp.roll(x, 5), np.roll(a, 5))
    check(kp.roll(x, (1, -2), axis=(0, 2)), np.roll(a, (1, -2), (0, 2)))
    check(kp.tile(x, (2, 1, 3)), np.tile(a, (2, 1, 3)))
    check(kp.tile(x[0, 0], (2, 2)), np.tile(a[0, 0], (2, 2)))
    check(kp.repeat(x, 3), np.repeat(a, 3))
    check(kp.repeat(x, 2, axis=1), np.repeat(a, 2, 1))
    check(kp.repeat(x, [0, 2, 1], axis=1), np.repeat(a, [0, 2, 1], 1))
    check(kp.concat([x, x[:, :1]], axis=1), np.concatenate([a, a[:, :1]], 1))
    check(kp.concat([x, x], axis=None), np.concatenate([a, a], None))
    check(kp.stack([x[0], x[1]], axis=-1), np.stack([a[0], a[1]], -1))
    check(kp.concat([x[0, 0], kp.ones(2)]), np.concatenate([a[0, 0], np.ones(2)]))
    for ours, theirs in zip(kp.unstack(x, axis=1), np.moveaxis(a, 1, 0), strict=True):
        check(ours, theirs)
    grids = kp.meshgrid(x[0, 0], x[0, :, 0], indexing="xy")
    for ours, theirs in zip(grids, np.meshgrid(a[0, 0], a[0, :, 0]), strict=True):
        check(ours, theirs)
    check(kp.tril(x, k=1), np.tril(a, 1))
    check(kp.triu(x, k=-1), np.triu(a, -1))
    check(kp.broadcast_arrays(x, x[0, 0])[1], np.broadcast_to(a[0, 0], a.shape))
    mixed = np.broadcast_arrays(x, None, "text")  # as plotting libraries do
    assert isinstance(mixed[0], kp.Array) and mixed[1].shape == mixed[2].shape == a.shape
    assert (mixed[2] == "text").all() and mixed[1][0, 0, 0] is None
    check(kp.take(x, [2, 0], axis=-1), np.take(a, [2, 0], -1))
    order = np.argsort(-a, axis=1)
    check(kp.take_along_axis(x, order, axis=1), np.take_along_axis(a, order, 1))
    check(kp.diff(x, axis=1), np.diff(a, axis=1))
    for wrong in ((5, 5), (-1, -1), (7, -1)):
        with pytest.raises(ValueError, match="shape"):
            x.reshape(wrong)
    with pytest.raises(ValueError, match="axis 7 is out of bounds"):
        kp.flip(x, axis=7)


def test_views_share_memory_and_copies_do_not() -> None:
    x = kp.zeros((2, 6), dtype=np.int32)
    views = [x.reshape(3, 4), x.T, x[:, ::-1], kp.squeeze(x[None])]
    x[0, 1] = 5
    assert [int(view.sum()) for view in views] == [5] * 4
    copies = [x.copy(), kp.array(x), x.astype(np.int32), x.flatten(), x.T.reshape(12)]
    x += 1
    assert [int(each.sum()) for each in copies] == [5] * 5


def test_empty_arrays_and_arrays_without_axes_work() -> None:
    nothing = kp.zeros((0, 3))
    assert (nothing + 1).shape == (0, 3)
    assert nothing.sum().item() == 0
    assert nothing.sum(axis=0).tolist() == [0, 0, 0]
    assert nothing.max(axis=1).shape == (0,)
    with pytest.raises(ValueError, match="max of no elements"):
        nothing.max()
    assert kp.sort(nothing).shape == (0, 3)
    assert (nothing.T @ nothing).tolist() == np.zeros((3, 3)).tolist()
    assert nothing.numpy().shape == (0, 3)
    assert kp.concat([nothing, kp.ones((1, 3))]).shape == (1, 3)
    point = kp.array(2.5)
    assert (point * point).item() == 6.25
    assert point[None].shape == (1,)
    assert point[...].item() == 2.5
    point[...] = 4
    assert float(point) == 4


def test_sizes_beyond_one_row_of_work_groups_are_covered() -> None:
    count = 32768 * 128 + 77
    x = kp.arange(count, dtype=np.int32)
    y = x * 2 - x
    assert int(y[-1]) == count - 1
    assert int((y == x).sum()) == count


def test_masks_without_elements_select_nothing() -> None:
    a = np.zeros((2, 3), np.float32)
    x = kp.array(a)
    for shape in ((0,), (0, 3), (2, 0), (0, 0)):
        for mask in (np.zeros(shape, bool), kp.zeros(shape, dtype=bool)):
            assert x[mask].shape == a[np.zeros(shape, bool)].shape
            x[mask] = 1
    assert not x.any()
    for shape in ((3,), (0, 2), (1, 0)):
        with pytest.raises(IndexError, match="mask of shape"):
            x[np.zeros(shape, bool)]


def test_index_arrays_that_do_not_broadcast_are_an_index_error() -> None:
    x = kp.zeros((2, 5))
    for key in (([0, 1], [0, 1, 2]), (kp.array([0, 1]), kp.array([0, 1, 2]))):
        with pytest.raises(IndexError, match=r"\(2,\) \(3,\) do not broadcast"):
            x[key]
        with pytest.raises(IndexError, match=r"\(2,\) \(3,\) do not broadcast"):
            x[key] = 1
