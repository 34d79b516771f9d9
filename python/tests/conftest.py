# SPDX-License-Identifier: Apache-2.0
"""Shared fixtures, shaders and helpers of the tests.

The environment variable KOMPUTE_VALIDATION (core, sync or both) runs the tests under the validation
layers. A message of a layer fails the test that caused it. KOMPUTE_TEST_SAMPLE=1/4 keeps every fourth
test from the second on. KOMPUTE_TEST_SHARD divides the tests that are left among processes in the same
way: processes with 0/4 to 3/4 run each test once. KOMPUTE_WITHOUT_DRIVER=1 skips the tests that find no
Vulkan loader.
"""

from __future__ import annotations

import contextlib
import ctypes
import logging
import os
import signal
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from pathlib import Path

import numpy as np
import pytest
from cli_support import SHADERS, Fails
from group_support import make_group
from tuning_support import Problem

import kp
from kp.cli import main

#: The folder of this file, for the paths of programs that import it or a support module.
TESTS = str(Path(__file__).parent)

# Shells start background programs with Control-C ignored, and children inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

#: Adds one to every element.
INCREMENT = """#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer Values { float values[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < values.length())
        values[i] += 1.0;
}
"""

# Counts its runs, and sets a flag in run number `last`.
COUNT = """
#version 450
layout(local_size_x = 1) in;
layout(binding = 0) buffer A { uint count[]; };
layout(binding = 1) writeonly buffer B { uint flag[]; };
layout(push_constant) uniform P { uint last; };
void main() {
    count[0] += 1;
    if (count[0] == last)
        flag[0] = 1;
}
"""

#: Writes the product of two buffers to a third one.
MULTIPLY = """#version 450
layout(local_size_x = 1) in;
layout(binding = 0) readonly buffer A { float a[]; };
layout(binding = 1) readonly buffer B { float b[]; };
layout(binding = 2) writeonly buffer C { float c[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    c[i] = a[i] * b[i];
}
"""

#: Takes a while: each of 64 invocations runs `rounds` dependent steps.
SPIN = """#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer Values { uint values[]; };
layout(push_constant) uniform Push { uint rounds; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    uint x = values[i] + 1u;
    for (uint k = 0u; k < rounds; ++k)
        x = x * 1664525u + 1013904223u;
    values[i] = x;
}
"""


def pytest_configure(config: pytest.Config) -> None:
    """Tests run on devices without float64, too, where the first float warns."""
    config.addinivalue_line(
        "filterwarnings", "ignore:.* has no native doubles, so float32:RuntimeWarning"
    )
    config.addinivalue_line("markers", "unchecked: runs without checks; see the fixture")


def pytest_sessionstart() -> None:
    """Show the native backtrace of a crash, too, if the library for it was built."""
    library = os.environ.get("KOMPUTE_BACKTRACE")
    if library:
        ctypes.CDLL(library).install_backtrace()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the tests of one sample and one shard."""
    for variable in ("KOMPUTE_TEST_SAMPLE", "KOMPUTE_TEST_SHARD"):
        part = os.environ.get(variable)
        if not part:
            continue
        first, count = map(int, part.split("/"))
        kept = items[first::count]
        others = set(items).difference(kept)
        config.hook.pytest_deselected(items=list(others))
        items[:] = kept


def _skip_without_driver() -> Generator[None, object, object]:
    """Skip the test if it needs a Vulkan driver, and the run has none."""
    try:
        return (yield)
    except kp.Unsupported as error:
        if os.environ.get("KOMPUTE_WITHOUT_DRIVER") != "1" or "no Vulkan loader" not in str(error):
            raise
        pytest.skip("needs a Vulkan driver")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup() -> Generator[None, object, object]:
    """A fixture may need the driver."""
    return (yield from _skip_without_driver())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None, object, object]:
    """So may the test."""
    return (yield from _skip_without_driver())


class _ValidationMessages(logging.Handler):
    """Collects the messages of the validation layers."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if record.pathname.endswith("Validation.cpp"):
            self.messages.append(record.getMessage())


@pytest.fixture(autouse=True)
def validation() -> Iterator[list[str]]:
    """Fail the test if a validation layer reports a message."""
    handler = _ValidationMessages()
    log = logging.getLogger("kp")
    log.addHandler(handler)
    try:
        yield handler.messages
    finally:
        log.removeHandler(handler)
    assert not handler.messages, "\n".join(handler.messages)


@pytest.fixture(autouse=True)
def unchecked(request: pytest.FixtureRequest) -> Iterator[None]:
    """Run tests with this mark without checks, also where KOMPUTE_CHECK asks for them.

    Their kernels make mistakes on purpose, or they test work that has no checks.
    """
    with (
        kp.checked("off")
        if request.node.get_closest_marker("unchecked")
        else contextlib.nullcontext()
    ):
        yield


@pytest.fixture(autouse=True)
def numpys_default_float() -> Iterator[None]:
    """Undo the settings of a test, an example or a snippet."""
    yield
    kp.set_default_float(None)


@pytest.fixture
def mgr() -> Iterator[kp.Manager]:
    """A manager of the best device."""
    with kp.Manager() as manager:
        yield manager


@pytest.fixture
def needs_timestamps(mgr: kp.Manager) -> None:
    """Skip the test if the device has no timestamps."""
    if not mgr.get_device_properties()["timestamps_supported"]:
        pytest.skip("the device has no timestamps")


@pytest.fixture
def queue(mgr: kp.Manager) -> kp.Queue:
    """A queue that profiles. The test is skipped if the device has no timestamps."""
    queue = mgr.queue(profiling=True)
    if not queue.profiling:
        pytest.skip("the device has no timestamps")
    return queue


@pytest.fixture
def tensor(mgr: kp.Manager) -> kp.Tensor:
    """The numbers 1 to 4 in host memory, which shaders change in place."""
    return mgr.tensor([1, 2, 3, 4], kp.MemoryTypes.host)


@pytest.fixture
def group() -> Iterator[kp.DeviceGroup]:
    """A group of two logical devices."""
    with make_group() as made:
        yield made


@pytest.fixture
def problem(mgr: kp.Manager, tmp_path: Path) -> Problem:
    """A problem of the autotuner, with an empty cache."""
    return Problem(mgr, tmp_path / "cache")


@pytest.fixture(params=["synchronous", "threads"])
def scheduler(request: pytest.FixtureRequest) -> Iterator[str]:
    """Run tests under both schedulers of Dask, and start without kept Managers and lanes."""
    import dask

    import kp.dask

    kp.dask.release()
    with dask.config.set(scheduler=request.param, num_workers=3):
        yield request.param
    kp.dask.set_memory_limit(None)
    kp.dask.release()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder of a command line, with shaders and arrays."""
    for name, text in SHADERS.items():
        (tmp_path / name).write_text(text)
    np.save(tmp_path / "a.npy", np.arange(100, dtype=np.float32))
    np.save(tmp_path / "b.npy", np.full(100, 0.5, np.float32))
    np.save(tmp_path / "i.npy", np.arange(10, dtype=np.int32))
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("KOMPUTE_DEBUG", raising=False)
    return tmp_path


@pytest.fixture
def fails(folder: Path, capsys: pytest.CaptureFixture[str]) -> Fails:
    """Runs a command line in `folder` and checks that it fails with one message."""

    def check(code: int, *words: str) -> str:
        found = main(words)
        message = capsys.readouterr().err
        assert found == code, f"exit code {found}, not {code}: {message}"
        assert message.startswith("kp: error: "), message
        assert "Traceback" not in message, message
        return message

    return check


@contextlib.contextmanager
def skip_if_unsupported() -> Iterator[None]:
    """Skip the test if the block raises kp.Unsupported."""
    try:
        yield
    except kp.Unsupported as error:
        pytest.skip(f"the device does not support it: {error}")


def run_in_threads(work: Callable[..., object], arguments: Iterable[tuple[object, ...]]) -> None:
    """Call a function in one thread for each tuple of arguments, and wait for all of them."""
    threads = [threading.Thread(target=work, args=each) for each in arguments]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def run_python(code: str, *arguments: str, timeout: float = 60, **environment: str) -> str:
    """Run a program in another interpreter and return its output, both streams together.

    If the program fails, the assertion shows its output.
    """
    import os
    import subprocess
    import sys

    result = subprocess.run(
        [sys.executable, "-X", "dev", "-W", "error", "-c", code, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=timeout,
        env={**os.environ, **environment},
        check=False,
    )
    assert result.returncode == 0, f"exit status {result.returncode}\n{result.stdout}"
    return result.stdout
