# SPDX-License-Identifier: Apache-2.0
"""kp.dask on a local cluster: two worker processes with two threads each."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import MULTIPLY
from dask_support import SCALE, STENCIL, numbers, stencil_in_numpy

import kp

distributed = pytest.importorskip("distributed")
import dask.array as da  # noqa: E402

import kp.dask  # noqa: E402

#: Seconds that a worker may take to restart on a slow machine.
PATIENCE = 120

chooses_devices = pytest.mark.skipif(
    bool(os.environ.get("KOMPUTE_DEVICE")), reason="KOMPUTE_DEVICE sets the device of all workers"
)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with (
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=2,
            processes=True,
            dashboard_address=":0",
            local_directory=str(tmp_path_factory.mktemp("dask")),
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture(autouse=True)
def nothing_kept(client: Any) -> None:
    client.wait_for_workers(2, timeout=PATIENCE)
    client.run(kp.dask.release)


def changes(client: Any, before: dict[str, Any], field: str) -> list[int]:
    """Return the increase of a counter on each worker."""
    after = client.run(kp.dask.statistics)
    return [getattr(after[worker], field) - getattr(before[worker], field) for worker in before]


def test_workers_compute_kernels_and_reuse_lanes(client: Any) -> None:
    before = client.run(kp.dask.statistics)
    a, b = numbers(103, 47), numbers(103, 47) + 3
    x, y = da.from_array(a, chunks=(10, 20)), da.from_array(b, chunks=(10, 20))
    for factor in (2, 3):
        kernel = kp.dask.BlockKernel(SCALE, local_size=32)
        scaled = kp.dask.map_blocks(kernel, x, factor=factor)
        product = kp.dask.map_blocks(kp.compile(MULTIPLY), scaled, y)
        np.testing.assert_array_equal(product.compute(), factor * a * b)
    assert sum(changes(client, before, "blocks")) >= 2 * 2 * 33
    # Each worker has one Manager, and prepares each kernel at most once per thread.
    assert [found.managers for found in client.run(kp.dask.statistics).values()] == [1, 1]
    assert all(1 <= made <= 2 * 2 for made in changes(client, before, "prepared"))


@pytest.mark.parametrize(
    ("boundary", "pad"),
    [("none", {"mode": "edge"}), ("periodic", {"mode": "wrap"})],
)
def test_workers_exchange_overlaps(client: Any, boundary: str, pad: dict[str, Any]) -> None:
    x = numbers(60, 45)
    array = da.from_array(x, chunks=(25, 20))
    kernel = kp.dask.BlockKernel(STENCIL, threads="axes")
    for _ in range(2):
        array = kp.dask.map_overlap(kernel, array, depth=1, boundary=boundary)
        x = stencil_in_numpy(x, **pad)
    np.testing.assert_array_equal(array.compute(), x)


def test_workers_run_functions_and_prepared(client: Any) -> None:
    x = numbers(120)
    array = da.from_array(x, chunks=10)

    def increment(manager: kp.Manager, block: Any) -> Any:
        assert manager is kp.dask.manager()
        tensor = manager.tensor(block)
        manager.sequence().eval(kp.OpSyncDevice([tensor]))
        return tensor.read() + 1

    def prepare(manager: kp.Manager) -> Any:
        tensor = manager.tensor(shape=10)
        fill = kp.launcher.FillLauncher("fill", tensor, np.float32(5))
        queue = manager.queue()

        def five_times(block: Any) -> Any:
            fill(queue).wait()
            return tensor.read() * block

        return five_times

    assert kp.dask.map_blocks(increment, array).sum().compute() == (x + 1).sum()
    result = kp.dask.map_blocks(kp.dask.Prepared(prepare), array)
    np.testing.assert_array_equal(result.compute(), 5 * x)


def test_errors_reach_the_caller(client: Any) -> None:
    array = da.from_array(numbers(20), chunks=5)

    def broken(manager: kp.Manager, block: Any) -> Any:
        return manager.compile("#version 450\nvoid main() {\n  floot x;\n}\n", file_name="b.comp")

    with pytest.raises(kp.ShaderError, match="floot") as caught:
        kp.dask.map_blocks(broken, array).compute()
    assert (caught.value.line, caught.value.file) == (3, "b.comp")
    large = kp.dask.BlockKernel(SCALE, push={"factor": 1}, local_size=1 << 20)
    with pytest.raises(kp.Error, match="local"):
        kp.dask.map_blocks(large, array).compute()


def test_retries_after_a_lost_device(client: Any, tmp_path: Path) -> None:
    """With retries, Dask computes the block again with a new Manager."""
    x = numbers(20)
    marker = tmp_path / "lost"

    def lose_once(manager: kp.Manager, block: Any) -> Any:
        try:
            marker.touch(exist_ok=False)
        except FileExistsError:
            return block + 1
        manager.destroy()
        raise kp.DeviceLost("as if")

    result = kp.dask.map_blocks(lose_once, da.from_array(x, chunks=5))
    product = kp.dask.map_blocks(MULTIPLY, result, result)
    np.testing.assert_array_equal(product.compute(retries=3), (x + 1) ** 2)
    marker.unlink()
    again = kp.dask.map_blocks(lose_once, da.from_array(x, chunks=20))
    with pytest.raises(kp.DeviceLost, match="as if"):
        again.compute()


def two_names() -> list[int | str]:
    """Two names of the same device, because there may be only one."""
    return [0, kp.list_devices()[0]["uuid"]]


def device_of_a_block(manager: kp.Manager, block: Any) -> Any:
    """Return 10 or 20: which of two_names() the block is computed on."""
    from kp.dask import _managers

    return block * 0 + {0: 10, kp.list_devices()[0]["uuid"]: 20}[_managers.device_here()]


@chooses_devices
def test_distributes_workers_over_devices(client: Any, tmp_path: Path) -> None:
    assert set(kp.dask.setup(client)) == set(client.run(os.getpid))
    two = two_names()
    first = kp.dask.setup(client, two, memory_limit=1 << 20)
    assert sorted(map(str, first.values())) == sorted(map(str, two))
    array = da.zeros(20, chunks=1, dtype="f4")
    used = kp.dask.map_blocks(device_of_a_block, array).compute()
    assert set(used) == {10, 20}
    assert [found.managers for found in client.run(kp.dask.statistics).values()] == [1, 1]
    large = da.zeros(1 << 20, chunks=-1, dtype="f4")
    too_large = kp.dask.map_blocks(MULTIPLY, large, large)
    with pytest.raises(kp.OutOfMemory, match="allows 1048576"):
        too_large.compute()
    with pytest.raises(ValueError, match="empty"):
        kp.dask.setup(client, [])

    # A killed worker restarts with a device of the same list, and lost blocks are computed again.
    x = numbers(24, 50)
    marker = tmp_path / "killed"

    def die_once(manager: kp.Manager, block: Any) -> Any:
        try:
            marker.touch(exist_ok=False)
        except FileExistsError:
            return block
        os.kill(os.getpid(), signal.SIGKILL)

    kernel = kp.dask.BlockKernel(SCALE, push={"factor": 3})
    tripled = kp.dask.map_blocks(kernel, da.from_array(x, chunks=(1, 50)))
    product = kp.dask.map_blocks(MULTIPLY, kp.dask.map_blocks(die_once, tripled), tripled)
    np.testing.assert_array_equal(product.compute(), 9 * x * x)
    assert marker.exists()
    client.wait_for_workers(2, timeout=PATIENCE)
    from kp.dask._cluster import device_of

    again = client.run(device_of)
    assert sorted(map(str, again.values())) == sorted(map(str, two))
    assert again != first
    kp.dask.setup(client)


def test_assigns_the_least_used_device_of_a_machine() -> None:
    from kp.dask._cluster import Board

    board = Board()
    assert [board.place(f"a{i}", "a", 2) for i in range(3)] == [0, 1, 0]
    assert [board.place(f"b{i}", "b", 3) for i in range(3)] == [0, 1, 2]
    board.remove_worker(None, "a1", stimulus_id="gone")
    assert board.place("a3", "a", 2) == 1
    assert board.place("a3", "a", 2) == 1  # asking again does not change it
    board.remove_worker(None, "unknown")


def test_environment_overrides_the_device_of_a_worker(client: Any) -> None:
    def choose(device: str | None) -> None:
        os.environ.pop("KOMPUTE_DEVICE", None)
        if device is not None:
            os.environ["KOMPUTE_DEVICE"] = device

    before = os.environ.get("KOMPUTE_DEVICE")
    client.run(choose, "no such device")
    try:
        assert set(kp.dask.setup(client, [0]).values()) == {"no such device"}
        x = da.zeros(10, chunks=5, dtype="f4")
        product = kp.dask.map_blocks(MULTIPLY, x, x)
        with pytest.raises(kp.Error, match="no such device"):
            product.compute()
    finally:
        client.run(choose, before)
        kp.dask.setup(client)


def test_setup_takes_an_asynchronous_client(client: Any) -> None:
    import asyncio

    async def main() -> Any:
        async with distributed.Client(client.scheduler.address, asynchronous=True) as other:
            return await kp.dask.setup(other)

    assert set(asyncio.run(main())) == set(client.run(os.getpid))


@chooses_devices
def test_workers_in_one_process_have_devices_of_their_own() -> None:
    """The workers' threads share the process, but each worker has its own device."""
    two = two_names()
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        found = kp.dask.setup(client, two)
        assert sorted(map(str, found.values())) == sorted(map(str, two))
        array = da.zeros(20, chunks=1, dtype="f4")
        result = client.compute(kp.dask.map_blocks(device_of_a_block, array)).result()
        assert set(result) == {10, 20}
        assert kp.dask.statistics().managers == 1
    kp.dask.release()


def test_workers_start_without_forking(client: Any) -> None:
    """A Vulkan device does not survive a fork, and Dask does not fork."""
    import dask

    assert dask.config.get("distributed.worker.multiprocessing-method") == "spawn"
