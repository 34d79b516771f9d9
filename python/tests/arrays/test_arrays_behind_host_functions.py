# SPDX-License-Identifier: Apache-2.0
"""Arrays have their values in the order of the program, even if a host function holds up the queue."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import kp

COUNT = 1000


def falling(mgr: kp.Manager) -> kp.Array:
    return kp.array(np.arange(COUNT, dtype=np.float32)[::-1].copy(), device=mgr)


@contextmanager
def host_function_of_a_while(mgr: kp.Manager) -> Iterator[None]:
    go = threading.Event()
    mgr.default_queue.host_function(lambda: go.wait(10))
    opener = threading.Timer(0.2, go.set)
    opener.start()
    yield
    opener.join()


def twice(x: kp.Array) -> kp.Array:
    return (x * 2).evaluate()


READS: dict[str, tuple[Callable[[kp.Array], Any], Any]] = {
    "numpy": (lambda x: kp.sort(twice(x)).numpy(), np.arange(COUNT) * 2.0),
    "item": (lambda x: kp.max(twice(x)).item(), 2.0 * (COUNT - 1)),
    "a selection": (lambda x: x[twice(x) > 2 * (COUNT - 3)].numpy(), [COUNT - 1, COUNT - 2]),
    "distinct values": (lambda x: kp.unique(twice(x) // COUNT).numpy(), [0, 1]),
    "a tensor": (lambda x: twice(x).tensor().read(), np.arange(COUNT)[::-1] * 2.0),
}


@pytest.mark.parametrize("read", READS)
def test_a_read_follows_launches_that_wait_for_a_host_function(mgr: kp.Manager, read: str) -> None:
    function, expected = READS[read]
    x = falling(mgr)
    with host_function_of_a_while(mgr):
        np.testing.assert_array_equal(function(x), expected)


def test_a_tensor_that_an_array_gave_before_follows_them(mgr: kp.Manager) -> None:
    x = falling(mgr)
    tensor = x.tensor()
    with host_function_of_a_while(mgr):
        x *= 2
        x.evaluate()
        np.testing.assert_array_equal(tensor.read(), np.arange(COUNT)[::-1] * 2.0)


def test_a_sequence_follows_launches_of_the_array_whose_tensor_it_has(
    mgr: kp.Manager,
) -> None:
    x = falling(mgr)
    target = mgr.tensor(np.zeros(COUNT, np.float32))
    with host_function_of_a_while(mgr):
        mgr.sequence().eval(kp.OpCopy([twice(x).tensor(), target]))
    np.testing.assert_array_equal(target.numpy(), np.arange(COUNT)[::-1] * 2.0)


def test_arrays_are_made_and_launched_while_a_host_function_waits_for_the_program(
    mgr: kp.Manager,
) -> None:
    go = threading.Event()
    mgr.default_queue.host_function(go.wait)
    y = twice(kp.array(np.arange(3.0, dtype=np.float32), device=mgr))
    go.set()
    assert y.numpy().tolist() == [0, 2, 4]


def test_a_host_function_reads_what_was_launched_before_it(mgr: kp.Manager) -> None:
    x = kp.array(np.arange(3.0, dtype=np.float32), device=mgr)
    y = twice(x)
    go = threading.Event()
    seen: list[list[float]] = []

    def look() -> None:
        go.wait(10)
        seen.append(y.numpy().tolist())

    looked = mgr.default_queue.host_function(look)
    z = (y + 1).evaluate()
    go.set()
    looked.wait(10)
    assert seen == [[0, 2, 4]]
    assert z.numpy().tolist() == [1, 3, 5]
