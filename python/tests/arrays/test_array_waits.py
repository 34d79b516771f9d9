# SPDX-License-Identifier: Apache-2.0
"""Array functions that use primitives launch them and return: only results whose shape comes from data wait, once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import kp
from conftest import run_in_threads

SIZE = 1000


class Inputs:
    """Arrays of one manager with the same contents in each call."""

    def __init__(self, mgr: kp.Manager) -> None:
        rng = np.random.default_rng(1)
        self.host = {
            "x": rng.random(SIZE, np.float32),
            "rows": rng.random((32, 16), np.float32),
            "stack": rng.random((4, 16, 16), np.float32),
            "z": (rng.random(256) + 1j * rng.random(256)).astype(np.complex64),
            "n": rng.integers(0, 50, SIZE, np.int32),
            "flags": rng.random(SIZE) < 0.5,
            "edges": np.linspace(0, 1, 17, dtype=np.float32),
            "offsets": np.arange(0, SIZE + 1, 100, dtype=np.int32),
        }
        for name, values in self.host.items():
            setattr(self, name, kp.array(values, device=mgr))

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)


def placed(xp: Any, a: Any) -> Any:
    """Return what place() makes of a copy, with values that are repeated."""
    x = a.n.copy()
    xp.place(x, a.flags, a.n[:7])
    return x


def masked(xp: Any, a: Any) -> Any:
    """Return what putmask() makes of a copy, with values that are repeated."""
    x = a.n.copy()
    xp.putmask(x, a.flags, a.n[:7])
    return x


def chosen(xp: Any, a: Any) -> Any:
    """Return what copyto() makes of a copy where a mask is true."""
    x = a.x.copy()
    xp.copyto(x, a.x[::-1], where=a.flags)
    return x


def filled(xp: Any, a: Any) -> Any:
    """Return a copy with another diagonal."""
    x = a.rows.copy()
    xp.fill_diagonal(x, 2.5)
    return x


#: Functions whose shapes are known, with what NumPy says.
KNOWN_SHAPES: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "sort": (lambda a: kp.sort(a.x), lambda a: np.sort(a.x)),
    "sort columns": (lambda a: kp.sort(a.rows, axis=0), lambda a: np.sort(a.rows, axis=0)),
    "argsort": (lambda a: kp.argsort(a.x), lambda a: np.argsort(a.x)),
    "partition": (lambda a: kp.partition(a.x, 5), lambda a: np.sort(a.x)),
    "cumsum": (lambda a: kp.cumsum(a.n), lambda a: np.cumsum(a.n)),
    "cumprod": (lambda a: kp.cumprod(a.rows, axis=1), lambda a: np.cumprod(a.rows, axis=1)),
    "argmax": (lambda a: kp.argmax(a.rows, axis=1), lambda a: np.argmax(a.rows, axis=1)),
    "matmul": (lambda a: a.stack @ a.stack, lambda a: a.stack @ a.stack),
    "dot": (lambda a: kp.dot(a.x, a.x), lambda a: np.dot(a.x, a.x)),
    "fft": (lambda a: kp.fft.fft(a.z), lambda a: np.fft.fft(a.z)),
    "fft of rows": (lambda a: kp.fft.fft(a.rows), lambda a: np.fft.fft(a.rows)),
    "fft of integers": (lambda a: kp.fft.fft(a.n), lambda a: np.fft.fft(a.n)),
    "rfft2": (lambda a: kp.fft.rfft2(a.rows), lambda a: np.fft.rfft2(a.rows)),
    "irfft": (lambda a: kp.fft.irfft(a.z), lambda a: np.fft.irfft(a.z)),
    "convolve": (lambda a: kp.fft.convolve(a.x, a.edges), lambda a: np.convolve(a.x, a.edges)),
    "searchsorted": (
        lambda a: kp.searchsorted(a.edges, a.x),
        lambda a: np.searchsorted(a.edges, a.x),
    ),
    "histogram": (
        lambda a: kp.histogram(a.x, 16, (0, 1))[0],
        lambda a: np.histogram(a.x, 16, (0, 1))[0],
    ),
    "top_k": (lambda a: kp.top_k(a.x, 5)[0], lambda a: np.sort(a.x)[::-1][:5]),
    "median": (lambda a: kp.median(a.x), lambda a: np.median(a.x)),
    "percentile": (
        lambda a: kp.percentile(a.x, [10, 90]),
        lambda a: np.percentile(a.x, [10, 90]),
    ),
    "take of places on the host": (lambda a: a.x[[5, 3]], lambda a: a.x[[5, 3]]),
    "concatenate": (lambda a: kp.concatenate([a.x, a.x]), lambda a: np.concatenate([a.x, a.x])),
    "flip": (lambda a: kp.flip(a.rows).copy(), lambda a: np.flip(a.rows)),
    "transpose": (lambda a: a.rows.T.copy(), lambda a: a.rows.T),
    "place": (lambda a: placed(kp, a), lambda a: placed(np, a)),
    "putmask": (lambda a: masked(kp, a), lambda a: masked(np, a)),
    "copyto": (lambda a: chosen(kp, a), lambda a: chosen(np, a)),
    "fill_diagonal": (lambda a: filled(kp, a), lambda a: filled(np, a)),
    "select": (
        lambda a: kp.select([a.flags, a.x > 0.5], [a.x, 1.0], 9),
        lambda a: np.select([a.flags, a.x > 0.5], [a.x, 1.0], 9),
    ),
    "cumsum of complex numbers": (lambda a: kp.cumsum(a.z), lambda a: np.cumsum(a.z)),
    "fftfreq": (
        lambda a: kp.fft.fftfreq(9, 0.5, device=a.x.device),
        lambda a: np.fft.fftfreq(9, 0.5),
    ),
    "rfftfreq": (lambda a: kp.fft.rfftfreq(10, device=a.x.device), lambda a: np.fft.rfftfreq(10)),
    "repeat by counts of the host": (
        lambda a: kp.repeat(a.x, np.arange(SIZE) % 3),
        lambda a: np.repeat(a.x, np.arange(SIZE) % 3),
    ),
    "large sum": (lambda a: kp.ones(1 << 17, np.float32).sum(), lambda a: np.float32(1 << 17)),
}

#: Functions whose shapes come from data: they read a number of elements, or what else the host must know.
SHAPES_FROM_DATA: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "a mask": (lambda a: a.x[a.flags], lambda a: a.x[a.flags]),
    "nonzero": (lambda a: kp.nonzero(a.flags)[0], lambda a: np.nonzero(a.flags)[0]),
    "compress": (lambda a: kp.compress("x > 0.5", a.x), lambda a: a.x[a.x > 0.5]),
    "unique": (lambda a: kp.unique(a.n), lambda a: np.unique(a.n)),
    "run_lengths": (
        lambda a: kp.run_lengths(kp.sort(a.n))[1],
        lambda a: np.unique(a.n, return_counts=True)[1],
    ),
    "bincount": (lambda a: kp.bincount(a.n), lambda a: np.bincount(a.n)),
    "repeat": (
        lambda a: kp.repeat(a.x, a.n),
        lambda a: np.repeat(a.x, a.n),
    ),
    "nanargmax": (lambda a: kp.nanargmax(a.rows, axis=1), lambda a: np.nanargmax(a.rows, axis=1)),
    "powers of integers": (lambda a: a.n ** (a.n // 13), lambda a: a.n ** (a.n // 13)),
    "checked indices": (lambda a: kp.take(a.x, a.n), lambda a: np.take(a.x, a.n)),
}


#: They upload a few numbers. If host and device share memory, that waits until the memory is free.
UPLOADS = ("percentile", "take of places on the host", "repeat by counts of the host")


@pytest.fixture
def inputs(mgr: kp.Manager) -> Inputs:
    return Inputs(mgr)


class Host:
    """The same on the host."""

    def __init__(self, inputs: Inputs) -> None:
        for name, values in inputs.host.items():
            setattr(self, name, values.copy())


def _compare(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(np.asarray(found.numpy()), expected, rtol=2e-4, atol=2e-4)


@contextmanager
def blocked(mgr: kp.Manager) -> Iterator[None]:
    """Let all launches wait for the host."""
    go = threading.Event()
    mgr.default_queue.host_function(lambda: go.wait(60))
    try:
        yield
    finally:
        go.set()
        mgr.default_queue.finish()


def _activity(mgr: kp.Manager, call: Callable[[], Any]) -> dict[str, int]:
    before = mgr.activity()
    call()
    after = mgr.activity()
    return {name: after[name] - before[name] for name in after}


@pytest.mark.parametrize("name", [name for name in KNOWN_SHAPES if name not in UPLOADS])
def test_a_function_whose_shape_is_known_does_not_wait(
    mgr: kp.Manager, inputs: Inputs, name: str
) -> None:
    call, expected = KNOWN_SHAPES[name]
    call(inputs)  # tables of transforms, for example, are made once
    mgr.default_queue.finish()
    results = []
    done = _activity(mgr, lambda: results.append(call(inputs).evaluate()))
    assert done["waits"] == 0
    assert done["launches"] >= 1
    _compare(results[0], expected(Host(inputs)))


@pytest.mark.parametrize("name", KNOWN_SHAPES)
def test_a_function_returns_while_the_queue_is_blocked(
    mgr: kp.Manager, inputs: Inputs, name: str
) -> None:
    call, expected = KNOWN_SHAPES[name]
    call(inputs).numpy()
    with blocked(mgr):
        found = call(inputs).evaluate()
    _compare(found, expected(Host(inputs)))


@pytest.mark.parametrize("name", SHAPES_FROM_DATA)
def test_a_shape_from_data_waits_once(mgr: kp.Manager, inputs: Inputs, name: str) -> None:
    call, expected = SHAPES_FROM_DATA[name]
    call(inputs)
    mgr.default_queue.finish()
    results = []
    done = _activity(mgr, lambda: results.append(call(inputs).evaluate()))
    assert done["waits"] <= 1
    _compare(results[0], expected(Host(inputs)))


#: Functions with several results, or of several arrays, that one kernel computes.
IN_ONE_LAUNCH: dict[str, Callable[[Any], Any]] = {
    "divmod": lambda a: kp.divmod(a.x, a.x),
    "modf": lambda a: kp.modf(a.x),
    "concatenate": lambda a: kp.concatenate([a.x, a.x]),
    "stack": lambda a: kp.stack([a.x, a.x]),
    "roll": lambda a: kp.roll(a.x, 3),
    "a product of a rolled array": lambda a: kp.roll(a.x, 3) * 2,
    "take": lambda a: kp.take(a.x, a.n),
    "indices": lambda a: a.x[a.n],
    "pad": lambda a: kp.pad(a.rows, ((1, 2), (0, 3))),
    "interp": lambda a: kp.interp(a.x, a.edges, a.edges),
    "sinc": lambda a: kp.sinc(a.x),
    "where": lambda a: kp.where(a.flags, a.x, 0),
}


@pytest.mark.parametrize("name", IN_ONE_LAUNCH)
def test_one_kernel_computes_all_results(mgr: kp.Manager, inputs: Inputs, name: str) -> None:
    def evaluated() -> None:
        results = IN_ONE_LAUNCH[name](inputs)
        for each in results if isinstance(results, tuple) else (results,):
            each.evaluate()

    evaluated()
    done = _activity(mgr, evaluated)["launches"]
    moves_first = "rolled" in name and mgr.get_device_properties()["type"] == "cpu"
    assert done == 1 + moves_first


@pytest.mark.parametrize("name", [*KNOWN_SHAPES, *SHAPES_FROM_DATA])
def test_an_input_may_be_overwritten_after_the_call(
    mgr: kp.Manager, inputs: Inputs, name: str
) -> None:
    call, expected = (KNOWN_SHAPES | SHAPES_FROM_DATA)[name]
    found = call(inputs)
    for each in inputs.host:
        getattr(inputs, each)[...] = 0
    _compare(found, expected(Host(Inputs(mgr))))


def test_memory_that_unfinished_launches_use_is_taken_again(mgr: kp.Manager) -> None:
    x = kp.zeros((64, 64), dtype=np.float32, device=mgr)
    places = set()
    for _ in range(40):
        found = kp.fft.fft(x)  # of a complex copy, which is dropped at once
        places.add(found._memory_id)
        mgr.default_queue.finish()
    assert len(places) <= 4


def test_inputs_and_results_may_be_dropped_after_the_call(mgr: kp.Manager) -> None:
    host = np.random.default_rng(2).random(5000, np.float32)
    sums = []
    for i in range(60):
        x = kp.array(host + i, device=mgr)
        sums.append(kp.cumsum(kp.sort(x * 2)))
        kp.fft.fft(x)
        kp.sort(x)
        del x
    for i, found in enumerate(sums):
        _compare(found / 5000, np.cumsum(np.sort((host + i) * 2), dtype=np.float64) / 5000)


def test_several_threads_call_functions_at_once(mgr: kp.Manager) -> None:
    def work(number: int) -> None:
        rng = np.random.default_rng(number)
        for _ in range(15):
            host = rng.random(2000, np.float32)
            x = kp.array(host, device=mgr)
            _compare(kp.sort(x), np.sort(host))
            _compare(kp.fft.fft(x) / 50, np.fft.fft(host) / 50)
            _compare(x[x > 0.5], host[host > 0.5])

    run_in_threads(work, [(number,) for number in range(4)])


def test_memory_of_results_is_used_again(mgr: kp.Manager) -> None:
    x = kp.array(np.random.default_rng(1).random(3000, np.float32), device=mgr)
    memory = set()
    for _ in range(50):
        found = kp.sort(x)
        memory.add(found._memory_id)
        del found
    assert len(memory) <= 2


def test_an_error_of_an_operation_comes_from_the_call(mgr: kp.Manager) -> None:
    x = kp.array(np.ones(10, np.float32), device=mgr)
    with blocked(mgr):
        with pytest.raises(kp.ShaderError):
            kp.scan(x, ("a +* b", "0"))
        with pytest.raises(ValueError, match="k from 0 to 10"):
            kp.top_k(x, 11)


def test_functions_of_tensors_still_wait(mgr: kp.Manager) -> None:
    tensor = mgr.tensor([3.0, 1.0, 2.0])
    out = mgr.tensor([0.0, 0.0, 0.0])
    view = out.data()
    done = _activity(mgr, lambda: kp.sort(tensor, out=out))
    assert done["waits"] >= 1
    assert out.data().tolist() == [1, 2, 3]
    del view


def test_a_queue_launches_operations(mgr: kp.Manager) -> None:
    tensor, sums = mgr.tensor([3.0, 1.0, 2.0]), mgr.tensor([0.0, 0.0, 0.0])
    queue = mgr.default_queue
    event = queue.launch(kp.OpScan(tensor, sums))
    event.wait()
    assert sums.data().tolist() == [3, 4, 6]
    done = _activity(
        mgr, lambda: queue.launch([kp.OpScan(tensor, sums, "max"), kp.OpScan(sums, sums)])
    )
    assert done["launches"] == 1
    assert sums.data().tolist() == [3, 6, 9]
    later = kp.UserEvent()
    held = queue.launch(kp.OpScan(sums, sums), wait_for=[later])
    assert held.status == kp.EventStatus.queued
    later.set()
    held.wait()
    assert sums.data().tolist() == [3, 9, 18]
    with pytest.raises(TypeError):
        queue.launch(tensor)  # type: ignore[arg-type]

    class Own(kp.OpBase):
        def record(self, command_buffer: Any) -> None:
            pass

    with pytest.raises(TypeError, match="in a sequence"):
        queue.launch(Own())


def test_indices_of_an_assignment_are_checked_by_the_wait_for_it(
    mgr: kp.Manager, inputs: Inputs
) -> None:
    x = kp.zeros(SIZE, dtype=np.float32, device=mgr)
    x[inputs.n] = inputs.x
    done = _activity(mgr, lambda: x.__setitem__(inputs.n, inputs.x))
    assert done == {"launches": 2, "submissions": done["submissions"], "waits": 1}
