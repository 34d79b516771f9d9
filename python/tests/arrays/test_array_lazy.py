# SPDX-License-Identifier: Apache-2.0
"""Expressions are computed late, but always with the values that they were written with."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import kp

RANDOM = np.random.default_rng(11)


class Launches:
    """Counts the default manager's launches."""

    def __init__(self) -> None:
        self._before = self._all()

    @staticmethod
    def _all() -> int:
        launches: int = kp.default_manager().activity()["launches"]
        return launches

    def __len__(self) -> int:
        return self._all() - self._before


@pytest.fixture
def launches() -> Launches:
    return Launches()


def numbers(*shape: int) -> np.ndarray[Any, Any]:
    return RANDOM.normal(size=shape).astype(np.float32)


def test_an_expression_is_one_dispatch(launches: Launches) -> None:
    a, b, c = numbers(5, 7), numbers(7), numbers(5, 1)
    x, y, z = kp.array(a), kp.array(b), kp.array(c)
    result = kp.sqrt(kp.abs(x * y + z)) - 2.5 * x
    assert not launches
    expected = np.sqrt(np.abs(a * b + c)) - np.float32(2.5) * a
    np.testing.assert_allclose(result.numpy(), expected, rtol=1e-6, atol=1e-6)
    assert len(launches) == 1
    result.numpy()
    assert len(launches) == 1


def test_integer_powers_and_the_check_of_their_exponents_are_one_dispatch(
    launches: Launches,
) -> None:
    a, b = np.arange(-6, 6).reshape(3, 4), np.arange(4)
    x, y = kp.array(a), kp.array(b)
    np.testing.assert_array_equal((x**y).numpy(), a**b)
    assert len(launches) == 1
    with pytest.raises(ValueError, match="negative integer powers"):
        x ** (y - 1)
    np.testing.assert_array_equal((kp.array(2) ** y).numpy(), 2**b)
    assert (x[:0] ** y).shape == (0, 4)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int32", "uint32", "int64"])
def test_bincount_finds_its_length_in_one_pass(launches: Launches, dtype: str) -> None:
    a = np.array([3, 1, 100, 1], dtype)
    np.testing.assert_array_equal(kp.bincount(kp.array(a)).numpy(), np.bincount(a))
    assert len(launches) == 2
    if dtype.startswith("i"):
        with pytest.raises(ValueError, match="integers from 0 on, but there is -5"):
            kp.bincount(kp.array(np.array([3, -5, 1], dtype)))


def test_a_histogram_between_edges_copies_nothing(launches: Launches) -> None:
    a, edges = numbers(500), np.linspace(-1, 1, 9, dtype=np.float32)
    found, own = kp.histogram(kp.array(a), kp.array(edges))
    np.testing.assert_array_equal(found.numpy(), np.histogram(a, edges)[0])
    np.testing.assert_array_equal(own.numpy(), edges)
    assert len(launches) == 1


def test_an_expression_and_its_reduction_are_one_dispatch(launches: Launches) -> None:
    a, b = numbers(30, 41), numbers(30, 41)
    total = (kp.array(a) * kp.array(b) + 1).sum(axis=1)
    assert len(launches) == 1
    np.testing.assert_allclose(total.numpy(), (a * b + 1).sum(1), rtol=1e-5)


def test_fusion_does_not_change_a_bit() -> None:
    a, b, c = (kp.array(numbers(1000)) for _ in range(3))
    fused = a * b - c * a + b
    product, other = (a * b).evaluate(), (c * a).evaluate()
    apart = ((product - other).evaluate() + b).evaluate()
    np.testing.assert_array_equal(fused.numpy(), apart.numpy())


def test_inputs_may_change_after_they_were_used() -> None:
    a = numbers(20)
    x = kp.array(a)
    doubled, shifted = x * 2, x + 1
    x[3:7] = 100
    x += 5
    x[::2] *= 3
    np.testing.assert_array_equal(doubled.numpy(), a * 2)
    np.testing.assert_array_equal(shifted.numpy(), a + 1)
    a[3:7] = 100
    a += 5
    a[::2] *= 3
    np.testing.assert_array_equal(x.numpy(), a)


def test_views_see_changes_and_pending_expressions_do_not() -> None:
    a = np.arange(12, dtype=np.int32).reshape(3, 4)
    x = kp.array(a)
    row, column, turned = x[1], x[:, 2], x.T
    before = row + column.sum()
    x += 10
    row[0] = -1
    column -= 100
    turned[3] = 7
    a = a.copy()
    expected_before = a[1] + a[:, 2].sum()
    a += 10
    a[1, 0] = -1
    a[:, 2] -= 100
    a.T[3] = 7
    np.testing.assert_array_equal(before.numpy(), expected_before)
    for view, expected in ((x, a), (row, a[1]), (column, a[:, 2]), (turned, a.T)):
        np.testing.assert_array_equal(view.numpy(), expected)


def test_intermediate_results_may_change_after_they_were_used() -> None:
    a = numbers(10)
    middle = kp.array(a) + 1
    result = middle * 2
    middle.evaluate()
    view = middle[2:4]
    middle += 1
    view[...] = 0
    np.testing.assert_array_equal(result.numpy(), (a + 1) * 2)
    expected = (a + 1) + 1
    expected[2:4] = 0
    np.testing.assert_array_equal(middle.numpy(), expected)


def test_overlapping_assignments_read_before_they_write() -> None:
    for step in (1, -1):
        a = np.arange(1000, dtype=np.int32)
        x = kp.array(a)
        x[5:] = x[:-5][::step]
        a[5:] = a[:-5].copy()[::step]
        np.testing.assert_array_equal(x.numpy(), a)
        x[:-3] += x[3:] * 2
        a[:-3] += a[3:] * 2
        np.testing.assert_array_equal(x.numpy(), a)
        x[:] = x[::-1]
        np.testing.assert_array_equal(x.numpy(), a[::-1])


def test_random_programs_agree_with_numpy() -> None:
    for seed in range(3):
        rng = np.random.default_rng(seed)
        ours = [kp.array(np.arange(24, dtype=np.int32).reshape(4, 6) + i) for i in range(3)]
        theirs = [each.numpy() for each in ours]
        bases = [each.copy() for each in theirs]
        theirs = list(bases)
        for _ in range(25):
            i, j, k = rng.integers(0, len(ours), 3)
            action = rng.integers(0, 7)
            if action == 0:
                ours.append(ours[i] + ours[j] * 3)
                theirs.append(theirs[i] + theirs[j] * 3)
            elif action == 1:
                ours[i] += ours[j]
                theirs[i] += theirs[j]
            elif action == 2:
                ours[i][1:, ::2] = ours[j][:-1, 1::2] - k
                theirs[i][1:, ::2] = theirs[j][:-1, 1::2] - k
            elif action == 3:
                ours.append(ours[i][::-1])
                theirs.append(theirs[i][::-1])
            elif action == 4:
                ours[i][ours[j] % 3 == 0] = int(k)
                theirs[i][theirs[j] % 3 == 0] = k
            elif action == 5:
                ours[int(i)].evaluate()
            else:
                index = rng.permutation(4)[:2]
                ours[i][index] ^= ours[j][2:] & 31
                theirs[i][index] ^= theirs[j][2:] & 31
        for x, a in zip(ours, theirs, strict=True):
            np.testing.assert_array_equal(x.numpy(), a)


def test_graphs_stay_small_however_long_a_loop_runs(launches: Launches) -> None:
    x = kp.array(numbers(10))
    expected = x.numpy().copy()
    y = x
    for _ in range(300):
        y = y * 1.01 + 0.5
        expected = expected * np.float32(1.01) + np.float32(0.5)
    np.testing.assert_allclose(y.numpy(), expected, rtol=1e-5)
    assert 12 < len(launches) < 60
    doubling = kp.array([1], dtype=np.int64)
    for _ in range(60):
        doubling = doubling + doubling
    assert doubling.item() == 2**60


def test_many_inputs_are_split_over_kernels(launches: Launches) -> None:
    values = [numbers(9) for _ in range(20)]
    total = kp.array(values[0])
    for value in values[1:]:
        total = total + kp.array(value)
    np.testing.assert_allclose(total.numpy(), np.sum(values, 0), rtol=1e-5, atol=1e-5)
    assert len(launches) <= 6


def test_evaluate_starts_the_work(launches: Launches) -> None:
    x, y = kp.ones(3) + 1, kp.ones(4) * 2
    kp.evaluate(x, [y])
    assert len(launches) == 2
    assert x._is_evaluated


def test_glsl_shows_the_kernel() -> None:
    text = (kp.ones(5) * 2.0 + 1.0).glsl()
    assert text.startswith("#version 450")
    assert " * " in text
    assert "void main()" in text


def test_kernels_of_cpus_call_long_functions_once() -> None:
    if kp.default_manager().get_device_properties()["type"] != "cpu":
        pytest.skip("GPUs compile them quickly")
    x = kp.ones(64, np.complex64).evaluate()
    assert kp.sin(x).glsl().partition("void main()")[2].count("kp_csin(") == 1
    # Short ones are written out for each element of a wide access.
    assert kp.sqrt(kp.ones(64, np.float32).evaluate()).glsl().count("sqrt(v") == 4


def test_arrays_of_different_managers_are_told_apart(mgr: kp.Manager) -> None:
    with pytest.raises(ValueError, match="to_device"):
        kp.ones(3).evaluate() + kp.ones(3, device=mgr).evaluate()
    moved = kp.arange(3, device=mgr).to_device(kp.default_manager())
    assert (moved + kp.arange(3)).tolist() == [0, 2, 4]


def test_expressions_keep_the_values_of_tensors_that_change_later(mgr: kp.Manager) -> None:
    tensor = mgr.tensor([1, 2, 3])
    later = kp.asarray(tensor) + 1
    kp.put(tensor, [0], [50])
    assert later.tolist() == [2, 3, 4]
    array = kp.arange(3, dtype=np.float32, device=mgr)
    tensor = array.tensor()
    later = array + 1
    tensor.write(np.full(3, 9, np.float32))
    assert later.tolist() == [1, 2, 3]
    assert array.tolist() == [9, 9, 9]


@pytest.mark.parametrize("count", [1, 127, 129, 511, 512, 513, 2049])
def test_every_element_is_computed_once_whatever_their_number(count: int) -> None:
    a, b = numbers(count), numbers(count)
    x, y = kp.array(a), kp.array(b)
    np.testing.assert_array_equal((x * y + 1).numpy(), a * b + 1)
    x += 1
    np.testing.assert_array_equal(x.numpy(), a + 1)
    x[x > 0.5] = -1
    np.testing.assert_array_equal(x.numpy(), np.where(a + 1 > 0.5, np.float32(-1), a + 1))
    np.testing.assert_allclose((x * y).sum().numpy(), (x.numpy() * b).sum(), rtol=1e-4, atol=1e-4)


def test_expressions_that_are_alike_have_their_own_memory_and_numbers() -> None:
    a, b = numbers(40), numbers(40)
    x, y = kp.array(a), kp.array(b)
    for factor, offset in ((2.0, 3.0), (-0.0, 0.0), (0.0, -0.0), (5.0, 5.0)):
        expected = a * np.float32(factor) + np.float32(offset)
        found = (x * factor + offset).numpy()
        np.testing.assert_array_equal(found, expected)
        np.testing.assert_array_equal(np.signbit(found), np.signbit(expected))
    twice = x * 2
    np.testing.assert_array_equal((twice + twice).numpy(), 4 * a)
    np.testing.assert_array_equal((x * 2 + x * 3).numpy(), a * 2 + a * np.float32(3))
    np.testing.assert_array_equal((x * 2 + y * 2).numpy(), a * 2 + b * 2)
    np.testing.assert_array_equal((x + x).numpy(), a + a)
    np.testing.assert_array_equal((x + y).numpy(), a + b)
    np.testing.assert_array_equal((x[::2] + y[1::2]).numpy(), a[::2] + b[1::2])
    np.testing.assert_array_equal((x[1::2] + y[::2]).numpy(), a[1::2] + b[::2])
    two = kp.array(np.int32([7]))
    assert [(two + each).item() for each in (1, 2, 1)] == [8, 9, 8]
    assert [(x[:, None] * y[None, :]).sum(axis=axis).shape for axis in (0, 1)] == [(40,)] * 2


def test_a_tensor_of_an_array_leaves_pending_expressions_alone(mgr: kp.Manager) -> None:
    x = kp.ones(5, device=mgr)
    doubled = x * 2
    mgr.sequence().eval(kp.OpFill([x.tensor()], 7.0))
    assert doubled.tolist() == [2] * 5
    assert (x + 1).tolist() == [8] * 5


def test_repeated_calls_of_a_kernel_compute_with_their_own_memory_and_numbers() -> None:
    line = kp.elementwise("T x, T y, T a", "T z", "z = a * x + y")
    hosts = [np.random.default_rng(i).random(50, np.float32) for i in range(4)]
    for x, y in [(0, 1), (1, 0), (2, 2), (3, 1)]:
        for a in (2.0, 3, np.float32(0.5), -1e300):
            with np.errstate(all="ignore"):
                found = line(kp.array(hosts[x]), kp.array(hosts[y]), a)
                expected = np.float32(a) * hosts[x] + hosts[y]
            np.testing.assert_allclose(found.numpy(), expected, rtol=1e-6)
    grid = kp.array(np.arange(12, dtype=np.float32).reshape(3, 4))
    for _ in range(3):  # views with other strides, and other types
        np.testing.assert_array_equal(line(grid.T, grid.T, 1.0).numpy(), 2 * grid.numpy().T)
        np.testing.assert_array_equal(line(grid[:, 1], grid[:, 2], 1.0).tolist(), [3, 11, 19])
        assert line(kp.arange(3), kp.arange(3), 2).dtype == np.int64
        with pytest.raises(TypeError, match="several dtypes"):
            line(kp.arange(3), kp.ones(3), 2)
        with pytest.raises(ValueError, match="shape"):
            line(kp.ones(3), kp.ones(4), 2.0)


def test_repeated_calls_tell_zeros_and_nans_apart() -> None:
    scale = kp.elementwise("T x, T a", "T z", "z = a * x")
    x = kp.ones(3, np.float32).evaluate()
    for _ in range(4):
        for factor in (0.0, -0.0, 0, math.nan, np.float32(-0.0), 2.0):
            expected = np.float32(factor) * np.ones(3, np.float32)
            result = scale(x, factor).numpy()
            np.testing.assert_array_equal(result, expected)
            if not math.isnan(factor):  # of which devices have different ones
                np.testing.assert_array_equal(np.signbit(result), np.signbit(expected))


def test_memory_of_freed_arrays_is_used_again() -> None:
    manager = kp.Manager()
    x = kp.full(123, 1.0, device=manager).evaluate()
    first = x._memory_id
    del x
    again = kp.full(123, 2.0, device=manager).evaluate()
    assert again._memory_id == first
    tensor = again.tensor()
    del again
    other = kp.full(123, 3.0, device=manager).evaluate()
    assert other._memory_id != first and tensor.read().tolist() == [2.0] * 123
    manager.destroy()


def test_repeated_calls_write_in_place() -> None:
    line = kp.elementwise("T x, T y, T a", "T z", "z = a * x + y")
    x, y = kp.ones(8), kp.ones(8).evaluate()
    out = kp.zeros(8)
    for step in range(3):
        pending = out + 1
        assert line(x, y, 2.0 + step, out) is out
        assert pending.tolist() == [1.0 + (2 + step if step else 0)] * 8
        assert out.tolist() == [3.0 + step] * 8
    for _ in range(3):  # an input is the result
        assert line(y, x, 2.0, y) is y
    assert y.tolist() == [15.0] * 8
    for _ in range(2):
        with pytest.raises(ValueError, match="read-only"):
            line(x, y, 2.0, kp.broadcast_to(kp.zeros(1), (8,)))
    shifted = kp.arange(8, dtype=np.float32)
    for _ in range(2):  # memory that overlaps
        line(shifted[:-1], shifted[:-1], 0.0, shifted[1:])
    assert shifted.tolist() == [0, 0, 0, 1, 2, 3, 4, 5]


def test_repeated_reductions_reduce_what_they_are_given() -> None:
    for dtype in (np.float32, np.int32, np.uint8):
        for shape in ((6,), (2, 3), (3, 2)):
            for factor in (1, 2):
                host = (np.arange(6) * factor).astype(dtype).reshape(shape)
                x = kp.array(host)
                for axis in (None, 0, -1, (0,)):
                    for keepdims in (False, True):
                        for name in ("sum", "min", "max", "prod", "any", "mean"):
                            found = getattr(x, name)(axis=axis, keepdims=keepdims)
                            expected = getattr(host, name)(axis=axis, keepdims=keepdims)
                            assert found.dtype == expected.dtype
                            np.testing.assert_allclose(found.numpy(), expected)
                assert (x + x).sum().item() == 2 * host.astype(int).sum()
                assert x.sum(dtype=np.float32).dtype == np.float32
                assert x[::2].sum().item() == host[::2].sum()
    with pytest.raises(ValueError):
        kp.ones((2, 3)).sum(axis=2)


def test_einsum_sums_what_is_not_evaluated_in_one_kernel() -> None:
    x = kp.array(np.arange(12.0).reshape(3, 4)) * 2
    assert kp.einsum("ij->i", x).tolist() == [12, 44, 76]
    assert kp.einsum("ij->", x).item() == 132
    assert not x._is_evaluated
