# SPDX-License-Identifier: Apache-2.0
"""Functions over the rows of several devices: what NumPy returns, for all types, sizes and groups."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from group_support import make_group

import kp

RANDOM = np.random.default_rng(7)
#: Fewer rows than devices, one more, and several blocks of rows.
SIZES = [1, 2, 5, 1000]
DTYPES = [
    np.bool_, np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64,
    np.float16, np.float32, np.float64,
]  # fmt: skip


@pytest.fixture(scope="module", params=[2, 3, 4], ids=["two", "three", "four"])
def group(request: pytest.FixtureRequest) -> Iterator[kp.DeviceGroup]:
    with make_group(request.param) as made:
        yield made


@pytest.fixture(scope="module")
def pair() -> Iterator[kp.DeviceGroup]:
    with make_group(2) as made:
        yield made


def _numbers(dtype: Any, *shape: int) -> Any:
    kind = np.dtype(dtype).kind
    if kind == "b":
        return RANDOM.random(shape) < 0.5
    if kind == "c":
        return (RANDOM.normal(size=shape) + 1j * RANDOM.normal(size=shape)).astype(dtype)
    if kind == "f":
        return RANDOM.normal(size=shape).astype(dtype)
    low = 0 if kind == "u" else -50
    return RANDOM.integers(low, 50, shape).astype(dtype)


def _compare(found: Any, expected: Any) -> None:
    expected = np.asarray(expected)
    assert isinstance(found, kp.GroupArray)
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    if expected.dtype.kind in "fc":
        tolerance = 0.15 if expected.dtype == np.float16 else 2e-5
        np.testing.assert_allclose(found.numpy(), expected, rtol=tolerance, atol=tolerance)
    else:
        np.testing.assert_array_equal(found.numpy(), expected)
    if found.placement == "sharded":
        assert [part.shape[0] for part in found.parts] == list(found.rows)
        assert sum(found.rows) == expected.shape[0]
    else:
        for part in found.parts:
            assert part.shape == expected.shape
            np.testing.assert_array_equal(part.numpy(), found.numpy())


#: Functions of one array, for all of DTYPES.
OF_NUMBERS: dict[str, Callable[..., Any]] = {
    "sum": lambda xp, x: xp.sum(x),
    "prod": lambda xp, x: xp.prod(x % 2 + 1 if x.dtype.kind in "iu" else x),
    "min": lambda xp, x: xp.min(x),
    "max": lambda xp, x: xp.max(x),
    "any": lambda xp, x: xp.any(x),
    "all": lambda xp, x: xp.all(x),
    "count_nonzero": lambda xp, x: xp.asarray(xp.count_nonzero(x)),
    "mean": lambda xp, x: xp.mean(x),
    "argmin": lambda xp, x: xp.argmin(x),
    "argmax": lambda xp, x: xp.argmax(x),
    "cumsum": lambda xp, x: xp.cumsum(x),
    "sort": lambda xp, x: xp.sort(x),
    "argsort": lambda xp, x: xp.argsort(x, kind="stable"),
    "unique": lambda xp, x: xp.unique(x),
    "nonzero": lambda xp, x: xp.nonzero(x)[0],
    "mask": lambda xp, x: x[x != 0],
    "flip": lambda xp, x: xp.flip(x),
    "roll": lambda xp, x: xp.roll(x, 3),
    "concatenate": lambda xp, x: xp.concatenate([x, x[1:], x]),
    "take": lambda xp, x: xp.take(x, np.array([0, -1])),
}


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda each: np.dtype(each).name)
@pytest.mark.parametrize("size", SIZES)
def test_functions_of_a_row_are_those_of_numpy(
    group: kp.DeviceGroup, size: int, dtype: Any
) -> None:
    host = _numbers(dtype, size)
    x = kp.array(host, group=group)
    for name, function in OF_NUMBERS.items():
        if host.dtype == np.bool_ and name == "prod":
            continue
        with np.errstate(all="ignore"):
            expected = function(np, host)
        if name == "mean":  # in single precision on devices without doubles
            one = kp.mean(kp.array(host[:1], device=group[0]))
            expected = np.asarray(expected).astype(one.dtype)
        try:
            _compare(function(kp, x), expected)
        except AssertionError as error:
            raise AssertionError(f"{name}: {error}") from error


#: Functions of a table and a cube.
OF_AXES: dict[str, Callable[..., Any]] = {
    "sum of columns": lambda xp, m, s: xp.sum(m, axis=0),
    "sum of a cube": lambda xp, m, s: xp.sum(s, axis=(0, 2), keepdims=True),
    "extremes of columns": lambda xp, m, s: xp.max(m, axis=0) - xp.min(m, axis=0),
    "mean of columns": lambda xp, m, s: xp.mean(m, axis=0, keepdims=True),
    "mean over axes": lambda xp, m, s: xp.mean(s, axis=(0, 1)),
    "variance of all": lambda xp, m, s: xp.var(m),
    "variance of columns": lambda xp, m, s: xp.var(m, axis=0, ddof=1),
    "deviation": lambda xp, m, s: xp.std(s, axis=(0, 2)),
    "standardized": lambda xp, m, s: (m - xp.mean(m, axis=0)) / xp.std(m, axis=0),
    "smallest of columns": lambda xp, m, s: xp.argmin(m, axis=0),
    "largest of all": lambda xp, m, s: xp.argmax(s),
    "running sums of columns": lambda xp, m, s: xp.cumsum(m, axis=0),
    "running sums of all": lambda xp, m, s: xp.cumsum(m),
    "running products": lambda xp, m, s: xp.cumprod(m, axis=0),
    "sorted columns": lambda xp, m, s: xp.sort(m, axis=0),
    "sorted elements": lambda xp, m, s: xp.sort(m, axis=None),
    "order of columns": lambda xp, m, s: xp.argsort(m, axis=0, kind="stable"),
    "sorted cube": lambda xp, m, s: xp.sort(s, axis=0),
    "medians of columns": lambda xp, m, s: xp.median(m, axis=0),
    "spread of columns": lambda xp, m, s: xp.ptp(m, axis=0),
    "transposed": lambda xp, m, s: m.T * 2,
    "turned cube": lambda xp, m, s: xp.transpose(s, (1, 2, 0)),
    "last axis first": lambda xp, m, s: xp.moveaxis(s, -1, 0),
    "axes swapped": lambda xp, m, s: xp.swapaxes(s, 0, 1) + 1,
    "rows reversed": lambda xp, m, s: xp.flip(m, axis=0),
    "all reversed": lambda xp, m, s: xp.flip(s),
    "backwards by two": lambda xp, m, s: m[::-2],
    "backwards part": lambda xp, m, s: m[7:2:-3],
    "rolled rows": lambda xp, m, s: xp.roll(m, -4, axis=0),
    "rolled": lambda xp, m, s: xp.roll(m, 5),
    "rolled both": lambda xp, m, s: xp.roll(m, (1, 2), axis=(0, 1)),
    "joined rows": lambda xp, m, s: xp.concatenate([m, m[2:4], m * 2]),
    "stacked": lambda xp, m, s: xp.vstack([m, m]),
    "rows taken": lambda xp, m, s: xp.take(m, np.array([8, 0, -3]), axis=0),
    "columns taken": lambda xp, m, s: xp.take(m, np.array([2, 0]), axis=1),
    "differences": lambda xp, m, s: xp.diff(m, axis=0),
    "second differences": lambda xp, m, s: xp.diff(m, 2, axis=1),
    "spectrum of columns": lambda xp, m, s: xp.abs(xp.fft.fft(m, axis=0)).astype(np.float32),
    "inner product": lambda xp, m, s: xp.dot(m[:, 0], m[:, 1]),
    "product of a vector": lambda xp, m, s: xp.dot(m[:, 2], m),
    "product of columns": lambda xp, m, s: xp.dot(m.T, m),
    "spread of all": lambda xp, m, s: xp.asarray(xp.ptp(m)),
    "places": lambda xp, m, s: xp.nonzero(m > 0)[1],
    "elements by a mask": lambda xp, m, s: m[m > 0],
}


@pytest.mark.parametrize("name", OF_AXES)
@pytest.mark.parametrize("rows", [1, 3, 11], ids=lambda rows: f"{rows}rows")
def test_functions_along_axes_are_those_of_numpy(
    group: kp.DeviceGroup, rows: int, name: str
) -> None:
    if rows < 11 and name in ("rows taken", "variance of columns", "backwards part"):
        return
    m, s = _numbers(np.float32, rows, 5), _numbers(np.float32, rows, 3, 4)
    if name == "standardized" and rows == 1:
        return
    expected = OF_AXES[name](np, m, s)
    _compare(OF_AXES[name](kp, kp.array(m, group=group), kp.array(s, group=group)), expected)


WITH_NAN = np.array([3, np.nan, -np.inf, 1, np.nan, 0, np.inf, -2, np.nan, 3, 7], np.float32)


@pytest.mark.parametrize(
    "dtype", [np.float16, np.float32, np.float64], ids=["half", "single", "double"]
)
def test_nan_is_last_and_wins_as_in_numpy(group: kp.DeviceGroup, dtype: Any) -> None:
    host = WITH_NAN.astype(dtype)
    x = kp.array(host, group=group)
    for name in ("sort", "unique", "min", "max", "argmin", "argmax", "nanmin", "nanmax"):
        _compare(getattr(kp, name)(x), getattr(np, name)(host))
    _compare(kp.argsort(x), np.argsort(host, kind="stable"))
    _compare(kp.sort(x, descending=True), np.sort(host)[::-1])


@pytest.mark.parametrize("dtype", [np.int32, np.float32, np.uint8], ids=["int", "float", "byte"])
@pytest.mark.parametrize("size", [7, 5000])
def test_sorts_are_stable_in_both_directions(group: kp.DeviceGroup, size: int, dtype: Any) -> None:
    host = RANDOM.integers(0, 9, size).astype(dtype)
    x = kp.array(host, group=group)
    _compare(kp.argsort(x), np.argsort(host, kind="stable"))
    down = size - 1 - np.argsort(host[::-1], kind="stable")[::-1]
    _compare(kp.argsort(x, descending=True), down)
    _compare(kp.sort(x, descending=True), np.sort(host)[::-1])


@pytest.mark.parametrize("kind", ["sorted", "reversed", "equal", "two values", "random"])
def test_sorts_divide_any_keys_exactly(group: kp.DeviceGroup, kind: str) -> None:
    size = 4097
    host = {
        "sorted": np.arange(size),
        "reversed": np.arange(size)[::-1],
        "equal": np.ones(size),
        "two values": np.arange(size) // (size - 3),
        "random": RANDOM.permutation(size),
    }[kind].astype(np.int32)
    x = kp.array(host, group=group)
    found = kp.sort(x)
    _compare(found, np.sort(host))
    assert found.rows == x.rows
    _compare(kp.unique(x), np.unique(host))


#: Rows of a group of three: devices without any.
UNEVEN = [(0, 6, 3), (9, 0, 0), (0, 0, 9), (4, 0, 5)]


@pytest.mark.parametrize("rows", UNEVEN, ids=str)
def test_devices_may_have_no_rows(rows: tuple[int, ...]) -> None:
    host, table = _numbers(np.float32, 9), _numbers(np.float32, 9, 4)
    with make_group(3) as trio:
        x = kp.array(host, group=trio).shard(rows)
        m = kp.array(table, group=trio).shard(rows)
        for name, function in OF_NUMBERS.items():
            expected = function(np, host)
            try:
                _compare(function(kp, x), expected)
            except AssertionError as error:
                raise AssertionError(f"{name}: {error}") from error
        for name, function in OF_AXES.items():
            if "cube" in name or name in ("mean over axes", "deviation", "largest of all",
                                          "last axis first", "axes swapped", "all reversed"):  # fmt: skip
                continue
            try:
                _compare(function(kp, m, None), function(np, table, None))
            except AssertionError as error:
                raise AssertionError(f"{name}: {error}") from error
        assert kp.sort(x).rows == rows


def test_arrays_without_elements_have_no_order_and_no_sum(group: kp.DeviceGroup) -> None:
    host = np.empty(0, np.float32)
    x = kp.array(host, group=group)
    for name in ("sum", "prod", "sort", "argsort", "cumsum", "unique", "flip", "any", "all"):
        _compare(getattr(kp, name)(x), getattr(np, name)(host))
    for name in ("min", "argmin"):
        with pytest.raises(ValueError):
            getattr(kp, name)(x)


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128], ids=["single", "double"])
def test_complex_numbers_are_combined(group: kp.DeviceGroup, dtype: Any) -> None:
    host = _numbers(dtype, 7, 3)
    x = kp.array(host, group=group)
    for function in (
        lambda xp, x: xp.sum(x),
        lambda xp, x: xp.mean(x, axis=0),
        lambda xp, x: xp.var(x),
        lambda xp, x: xp.std(x, axis=0),
        lambda xp, x: xp.cumsum(x, axis=0),
        lambda xp, x: x.T,
        lambda xp, x: xp.fft.fft(x, axis=0),
        lambda xp, x: xp.concatenate([x, x]),
    ):
        _compare(function(kp, x), function(np, host))


@pytest.mark.parametrize("count", [1, 2, 400, 1500])
def test_rows_are_taken_by_indices_of_any_place(group: kp.DeviceGroup, count: int) -> None:
    host = _numbers(np.float32, 2000, 2)
    index = RANDOM.integers(-2000, 2000, count)
    x = kp.array(host, group=group)
    expected = host[index]
    _compare(kp.take(x, index, axis=0), expected)
    _compare(kp.take(x, kp.array(index, group=group), axis=0), expected)
    _compare(kp.take(x, index * 3, axis=0, mode="wrap"), np.take(host, index * 3, 0, mode="wrap"))
    _compare(kp.take(x, index * 3, axis=0, mode="clip"), np.take(host, index * 3, 0, mode="clip"))
    _compare(kp.take(x, index[:, None], axis=0), host[index[:, None]])
    _compare(kp.take(x, kp.array(index[:, None], group=group), axis=0), host[index[:, None]])
    with pytest.raises(IndexError, match="2000 is out of bounds for axis 0"):
        kp.take(x, np.array([5, 2000]), axis=0)


@pytest.mark.parametrize("path", ["host", "staging"])
def test_rows_move_on_any_path(path: str) -> None:
    host, table = _numbers(np.float32, 3000), _numbers(np.float32, 70, 90)
    try:
        made = make_group(3, exchange=path)
        made.exchange_path(0, 1)
    except kp.Unsupported as error:
        pytest.skip(str(error))
    with made as trio:
        x, m = kp.array(host, group=trio), kp.array(table, group=trio)
        _compare(kp.sort(x), np.sort(host))
        _compare(m.T, table.T)
        _compare(kp.roll(x, 1234), np.roll(host, 1234))
        _compare(m @ kp.ones((90, 2), np.float32, group=trio), table @ np.ones((90, 2), np.float32))


def test_places_in_a_row_are_found_by_each_device(group: kp.DeviceGroup) -> None:
    row, values = np.sort(_numbers(np.float32, 50)), _numbers(np.float32, 31)
    order = RANDOM.permutation(50)
    x, v = kp.array(row, group=group), kp.array(values, group=group)
    _compare(kp.searchsorted(x, v), np.searchsorted(row, values))
    _compare(kp.searchsorted(row, v, side="right"), np.searchsorted(row, values, side="right"))
    mixed = kp.array(row[np.argsort(order)], group=group)
    _compare(
        kp.searchsorted(mixed, v, sorter=kp.array(order, group=group)), np.searchsorted(row, values)
    )


def test_products_take_lists(group: kp.DeviceGroup) -> None:
    host = _numbers(np.float32, 6, 2)
    x = kp.array(host, group=group)
    _compare(
        kp.dot([1.0, 2, 3, 4, 5, 6], x.astype(np.float64)), np.arange(1, 7) @ host.astype(float)
    )
    _compare(x.astype(np.float64) @ [[1.0], [2.0]], host.astype(float) @ [[1.0], [2.0]])


def test_many_means_are_combined_by_the_devices(pair: kp.DeviceGroup) -> None:
    host = _numbers(np.float32, 3, 300_000)
    x = kp.array(host, group=pair)
    _compare(x.sum(axis=0), host.sum(axis=0))
    _compare(x.mean(axis=0), host.mean(axis=0))
    _compare(x.var(axis=0), host.var(axis=0))
    _compare(kp.argmax(x, axis=0), host.argmax(axis=0))


@pytest.mark.parametrize("dtype", [*DTYPES, np.complex64], ids=lambda each: np.dtype(each).name)
def test_numbers_of_discrete_devices_are_written_to_the_host(
    pair: kp.DeviceGroup, monkeypatch: pytest.MonkeyPatch, dtype: Any
) -> None:
    monkeypatch.setattr("kp.arrays.groups.partial._is_far", lambda manager: True)
    host = _numbers(dtype, 99)
    x = kp.array(host, group=pair)
    _compare(x.sum(), host.sum())
    _compare(x.any(keepdims=True), host.any(keepdims=True))
    if host.dtype.kind == "c":
        return
    _compare(x.max(), host.max())
    _compare(kp.argmin(x), host.argmin())
    if host.dtype.kind == "f":
        _compare(x.var(), host.var(dtype=np.float64).astype(dtype))


def test_a_partial_result_keeps_its_value(pair: kp.DeviceGroup) -> None:
    x = kp.array(np.arange(10, dtype=np.int32), group=pair)
    total, mean = x.sum(), x.mean()
    x[...] = 0
    assert int(total) == 45
    assert float(mean) == 4.5
    total += 1
    assert [int(part) for part in total.parts] == [46, 46]
    assert int(total) == 46


def test_results_are_written_to_out(group: kp.DeviceGroup) -> None:
    host = _numbers(np.float32, 9, 4)
    x = kp.array(host, group=group)
    for call in (
        lambda xp, x, out: xp.sum(x, 0, None, out),
        lambda xp, x, out: xp.argmax(x, 0, out=out),
        lambda xp, x, out: xp.cumsum(x, 0, None, out),
        lambda xp, x, out: xp.take(x, np.array([3, 1]), 0, out),
    ):
        expected = call(np, host, None)
        out = kp.zeros(expected.shape, dtype=expected.dtype, group=group)
        assert call(kp, x, out) is out
        _compare(out, expected)


# --- order and waits --------------------------------------------------------------------------------


def _activity(group: kp.DeviceGroup, call: Callable[[], Any]) -> list[dict[str, int]]:
    before = [manager.activity() for manager in group]
    call()
    after = [manager.activity() for manager in group]
    return [{key: b[key] - a[key] for key in a} for a, b in zip(before, after, strict=True)]


#: Functions that launch work on each device, and wait for none.
WITHOUT_WAITS: dict[str, Callable[[kp.GroupArray], Any]] = {
    "elements": lambda x: x + 2 * x,
    "rows": lambda x: x.sum(axis=1),
    "all": lambda x: x.sum(),
    "columns": lambda x: x.mean(axis=0),
    "variance": lambda x: x.var(),
    "deviation": lambda x: x.std(axis=0),
    "index": lambda x: kp.argmax(x),
    "sorted rows": lambda x: kp.sort(x, axis=1),
    "spectra": lambda x: kp.fft.rfft(x),
    "running sums of rows": lambda x: kp.cumsum(x, axis=1),
}


@pytest.mark.parametrize("name", WITHOUT_WAITS)
def test_devices_work_at_the_same_time(pair: kp.DeviceGroup, name: str) -> None:
    x = kp.array(_numbers(np.float32, 64, 32), group=pair).evaluate()
    function = WITHOUT_WAITS[name]
    function(x).numpy()
    for manager in pair:
        manager.default_queue.finish()
    kept = []
    for each in _activity(pair, lambda: kept.append(function(x).evaluate())):
        assert each["waits"] == 0
        assert each["launches"] >= 1


def test_moves_follow_launches_that_wait_for_the_host(pair: kp.DeviceGroup) -> None:
    import threading

    host = np.arange(12, dtype=np.float32).reshape(6, 2)
    x = kp.array(host, group=pair).evaluate()
    go = threading.Event()
    for manager in pair:
        manager.default_queue.host_function(lambda: go.wait(60))
    turned = (x * 2).T
    joined = kp.concatenate([x + 1, x])
    more = (turned + 1).evaluate()
    go.set()
    for manager in pair:
        manager.default_queue.finish()
    _compare(more, (host * 2).T + 1)
    _compare(joined, np.concatenate([host + 1, host]))


def test_distinct_values_keep_each_nan(pair: kp.DeviceGroup) -> None:
    host = np.array([1.0, np.nan, 2.0, np.nan, 1.0, np.nan])
    found = kp.unique_values(kp.array(host, group=pair))
    expected = kp.unique_values(kp.array(host))
    assert int(np.isnan(found.numpy()).sum()) == 3
    np.testing.assert_array_equal(np.sort(found.numpy()), np.sort(expected.numpy()))
    whole = np.array([3, 1, 3, 2, 1], dtype=np.int32)
    np.testing.assert_array_equal(kp.unique_values(kp.array(whole, group=pair)).numpy(), [1, 2, 3])


def test_where_of_a_function_leaves_rows_on_their_devices(pair: kp.DeviceGroup) -> None:
    host = RANDOM.random(10, np.float32)
    x = kp.array(host, group=pair)
    out = kp.zeros(10, dtype="float32", group=pair)
    kp.sqrt(x, out=out, where=x > 0.5)
    assert out.rows == x.rows
    np.testing.assert_allclose(out.numpy(), np.where(host > 0.5, np.sqrt(host), 0), rtol=1e-6)
