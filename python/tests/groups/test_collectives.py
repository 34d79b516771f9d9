# SPDX-License-Identifier: Apache-2.0
"""Collectives between the devices of a group: copies, shards and reductions, against NumPy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from conftest import skip_if_unsupported
from group_support import SHARDS, affine, make_group
from numpy.typing import NDArray

import kp

OPERATIONS: dict[str, Callable[..., Any]] = {
    "sum": np.add.reduce,
    "product": np.multiply.reduce,
    "min": np.minimum.reduce,
    "max": np.maximum.reduce,
}


@pytest.fixture(params=[2, 3], ids=["two", "three"])
def group(request: pytest.FixtureRequest) -> Iterator[kp.DeviceGroup]:
    with make_group(request.param) as made:
        yield made


def copies_of(buffer: kp.Buffer, seed: int = 1) -> NDArray[Any]:
    """Write different small whole numbers, whose sums are exact, to each copy. Return them."""
    rng = np.random.default_rng(seed)
    shape = (buffer.copy_count, *buffer.shape, *buffer.dtype.shape)
    values = rng.integers(1, 5, shape).astype(buffer.dtype.base)
    if buffer.dtype.base.kind == "c":
        values = values + values.dtype.type(1j) * rng.integers(1, 5, shape)
        values = values.astype(buffer.dtype.base)
    for i in range(buffer.copy_count):
        buffer.write(values[i], i)
    return values


# --- copies ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["auto", "shared", "peer", "host", "staging"])
@pytest.mark.parametrize("rows", [1, 1000, 300_001])
def test_copies_between_devices_by_every_mechanism(path: str, rows: int) -> None:
    with skip_if_unsupported():
        group = make_group(2, exchange=path)
        taken = group.exchange_path(0, 1)
    with group:
        assert taken in ("shared", "peer", "host", "staging")
        if path not in ("auto", taken):
            pytest.skip(f"the device exchanges data by the path {taken!r}")
        assert group.exchange_path(1, 1) is None
        values = np.random.default_rng(rows).integers(0, 256, (rows, 3), np.uint8)
        source = kp.Buffer((rows, 3), np.uint8, group=group)
        source.write(np.zeros((rows, 3), np.uint8))
        source.write(values, 0)
        source.copy(0, 1).wait()
        assert np.array_equal(source.read(1), values)
        other = kp.Buffer((rows, 3), np.uint8, group=group)
        kp.wait_all(kp.copy(source, other))
        assert np.array_equal(other.read(), [values, values])
        source.write(values[::-1], 1)
        source.copy(1, 0).wait()
        assert np.array_equal(source.read(0), values[::-1])


def test_copies_rows_between_devices() -> None:
    with make_group() as group:
        buffer = kp.Buffer((10, 3), np.int32, group=group)
        values = copies_of(buffer)
        event = buffer.copy(0, 1, source_start=2, destination_start=5, rows=4)
        assert isinstance(event, kp.Event)
        event.wait()
        values[1, 5:9] = values[0, 2:6]
        assert np.array_equal(buffer.read(), values)
        buffer.copy(1, 0, source_start=8).wait()
        values[0, :2] = values[1, 8:]
        assert np.array_equal(buffer.read(), values)
        buffer.copy(0, 0, source_start=0, destination_start=5, rows=5).wait()  # on one device
        values[0, 5:] = values[0, :5]
        assert np.array_equal(buffer.read(), values)
        for source, destination, rows in ((0, 8, 4), (8, 0, 3), (0, 0, 11)):
            with pytest.raises(ValueError, match="do not fit"):
                buffer.copy(0, 1, source_start=source, destination_start=destination, rows=rows)
        with pytest.raises(ValueError, match="more than any buffer"):
            buffer.copy(0, 1, rows=2**63)


# --- shards ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "rows", [None, [5, 2, 0], [0, 7, 0], [0, 0, 7], [1, 1, 5], [3, 0, 4]], ids=str
)
@pytest.mark.parametrize("dtype", ["uint8", "vec3", "complex128"])
def test_scatters_and_gathers_the_same_contents(rows: list[int] | None, dtype: str) -> None:
    with make_group(3) as group:
        whole = kp.Buffer((7, 5), dtype, group=group)
        values = copies_of(whole)
        shards = kp.Buffer((7, 5), dtype, group=group, placement="sharded", shard_rows=rows)
        counts = rows or [3, 2, 2]
        assert [shard.shape[0] for shard in shards.shards] == counts
        kp.wait_all(whole.scatter(shards, root=1))
        assert np.array_equal(shards.read(), values[1])
        for i, shard in enumerate(shards.shards):
            part = values[1, shard.offset : shard.offset + counts[i]]
            assert np.array_equal(shards.read(i), part)
        back = kp.Buffer((7, 5), dtype, group=group)
        kp.wait_all(shards.gather(back, root=2))
        assert np.array_equal(back.read(2), values[1])
        others = kp.Buffer((7, 5), dtype, group=group, placement="sharded", shard_rows=[2, 3, 2])
        kp.wait_all(shards.copy_to(others))
        assert np.array_equal(others.read(), values[1])
        shards.write(values[2])
        kp.wait_all(shards.all_gather(back))
        assert np.array_equal(back.read(), [values[2]] * 3)


def test_kernels_get_the_position_of_their_shard() -> None:
    with make_group(3) as group:
        buffer = kp.Buffer((7, 5), "uvec4", group=group, placement="sharded", shard_rows=[5, 0, 2])
        kernel = group.kernel(SHARDS, [buffer], name="shards")
        events = kernel()
        assert len(events) == 3
        kp.wait_all(events)
        rows, columns = np.mgrid[:7, :5]
        result = buffer.read()
        assert np.array_equal(result[..., 0], rows)
        assert np.array_equal(result[..., 1], columns)
        assert np.array_equal(result[..., 2], np.where(rows < 5, 0, 2))
        assert np.all(result[..., 3] == 3)


# --- broadcasts and reductions --------------------------------------------------------------------


@pytest.mark.parametrize("root", [0, 1])
def test_broadcasts_the_root_to_every_device(group: kp.DeviceGroup, root: int) -> None:
    buffer = kp.Buffer(1001, np.int16, group=group)
    values = copies_of(buffer)
    kp.wait_all(buffer.broadcast(root))
    assert np.array_equal(buffer.read(), [values[root]] * len(group))


@pytest.mark.parametrize("op", ["sum", "product", "min", "max"])
@pytest.mark.parametrize(
    "dtype", ["int8", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64", "ivec3"]
)
def test_reductions_match_numpy(group: kp.DeviceGroup, dtype: str, op: str) -> None:
    buffer = kp.Buffer((67, 3), dtype, group=group)
    values = copies_of(buffer)
    expected = (
        OPERATIONS[op](values, axis=0, dtype=values.dtype)
        if op in ("sum", "product")
        else (OPERATIONS[op](values, axis=0))
    )
    shards = kp.Buffer((67, 3), dtype, group=group, placement="sharded")
    with skip_if_unsupported():  # not every device has every type
        kp.wait_all(buffer.reduce_scatter(shards, op))
    assert np.array_equal(shards.read(), expected)
    assert np.array_equal(buffer.read(), values)
    kp.wait_all(buffer.reduce(op, root=1))
    assert np.array_equal(buffer.read(1), expected)
    assert np.array_equal(buffer.read(0), values[0])
    values = copies_of(buffer)
    kp.wait_all(buffer.all_reduce(op))
    assert np.array_equal(buffer.read(), [expected] * len(group))


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_sums_complex_numbers_and_rejects_other_operations(
    group: kp.DeviceGroup, dtype: str
) -> None:
    buffer = kp.Buffer((5, 7), dtype, group=group)
    values = copies_of(buffer)
    with pytest.raises(ValueError, match="sum only"):
        buffer.all_reduce("product")
    kp.wait_all(buffer.all_reduce())
    assert np.array_equal(buffer.read(), [values.sum(0)] * len(group))


def test_sums_have_the_same_bits_on_every_device(group: kp.DeviceGroup) -> None:
    buffer = kp.Buffer(200_003, np.float32, group=group)
    values = np.random.default_rng(3).normal(size=(len(group), 200_003)).astype(np.float32)
    results = []
    for _ in range(2):
        for i in range(len(group)):
            buffer.write(values[i], i)
        kp.wait_all(buffer.all_reduce())
        results.append(buffer.read())
    assert results[0].tobytes() == results[1].tobytes()
    assert all(copy.tobytes() == results[0][0].tobytes() for copy in results[0])
    assert np.allclose(results[0][0], values.sum(0, dtype=np.float64), atol=1e-5)


def test_collectives_run_after_earlier_launches(group: kp.DeviceGroup) -> None:
    """Each collective waits for earlier launches on every device that it uses."""
    buffer = kp.Buffer(64, np.uint32, group=group)
    buffer.write(np.ones(64, np.uint32))
    kernel = affine(group, buffer)
    value = 1
    for _ in range(5):
        kernel(a=3, b=1)
        buffer.all_reduce()
        value = (value * 3 + 1) * len(group)
    kp.wait_all(buffer.broadcast(1))
    assert np.all(buffer.read() == value)


def test_rejects_buffers_that_do_not_match() -> None:
    with make_group() as group, make_group() as strange:
        replicated = kp.Buffer((4, 2), np.float32, group=group)
        sharded = kp.Buffer((4, 2), np.float32, group=group, placement="sharded")
        for call in (
            lambda: replicated.gather(replicated),
            lambda: replicated.scatter(kp.Buffer((4, 2), np.float32, group=group)),
            lambda: sharded.scatter(replicated),
            lambda: sharded.all_reduce(),
            lambda: sharded.reduce(),
            lambda: replicated.copy_to(kp.Buffer((2, 4), np.float32, group=group)),
            lambda: replicated.copy_to(kp.Buffer((4, 2), np.int32, group=group)),
            lambda: replicated.copy_to(kp.Buffer((4, 2), np.float32, group=strange)),
            lambda: replicated.all_reduce("mean"),
            lambda: replicated.reduce(root=2),
        ):
            with pytest.raises(kp.InvalidArgument):
                call()
        with pytest.raises(TypeError, match="destination is a"):
            replicated.copy_to(np.zeros((4, 2)))  # type: ignore[arg-type]
        structs = kp.Buffer(4, np.dtype([("a", "f4"), ("b", "i4")]), group=group)
        with pytest.raises(kp.Error):
            structs.all_reduce()
