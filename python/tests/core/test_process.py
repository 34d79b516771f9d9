# SPDX-License-Identifier: Apache-2.0
"""The process: its exit with live objects, forks, imports and logging."""

from __future__ import annotations

import importlib.util
import logging
import os
import subprocess
import sys

import pytest
from conftest import TESTS, run_python

import kp


@pytest.mark.parametrize(
    "ending",
    ["", "sys.exit(0)", "mgr.destroy()", "del mgr, tensor, sequence, view", "gc.disable()"],
)
def test_process_ends_with_live_objects(ending: str) -> None:
    output = run_python(
        f"""
import gc, sys
import numpy as np
import kp
mgr = kp.Manager()
tensor = mgr.tensor(np.arange(1000))
view = tensor.data()
algorithm = mgr.algorithm([tensor], '''#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer A {{ float a[]; }};
void main() {{ for (int i = 0; i < 1000; ++i) a[gl_GlobalInvocationID.x] += 1.0; }}''', (16,))
class Op(kp.OpBase):
    def record(self):
        yield kp.OpAlgoDispatch(algorithm)
sequence = mgr.sequence().record(Op()).eval_async()
cycle = [mgr, tensor, view, sequence]
cycle.append(cycle)
sys.keep = cycle
{ending}
"""
    )
    assert output == ""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork()")
def test_fork_after_use_raises_in_the_child() -> None:
    output = run_python(
        """
import os, sys, warnings
warnings.simplefilter("ignore")
import kp
mgr = kp.Manager()
tensor = mgr.tensor([1.0])
sequence = mgr.sequence().record(kp.OpSyncDevice([tensor])).eval_async()
child = os.fork()
if child == 0:
    for call in (kp.Manager, kp.list_devices, tensor.data, tensor.size, sequence.eval, mgr.sequence,
                 mgr.destroy, lambda: kp.OpSyncDevice([tensor]), sequence.event):
        try:
            call()
            print("did not raise:", call)
        except kp.Unsupported as error:
            assert "fork" in str(error), error
    del tensor, sequence, mgr
    print("child done", flush=True)
    os._exit(0)  # as multiprocessing does; exit handlers of drivers do not survive a fork
_, status = os.waitpid(child, 0)
assert status == 0, status
sequence.eval_await()
tensor.write([2.0])
assert tensor.read()[0] == 2
print("parent done")
"""
    )
    assert output.splitlines() == ["child done", "parent done"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork()")
def test_objects_can_be_deleted_in_a_forked_child() -> None:
    output = run_python(
        """
import gc, os, sys, warnings
sys.path.insert(0, sys.argv[1])
warnings.simplefilter("ignore")
import numpy as np
from launcher_support import fixed
import kp
from kp import launcher as kl

def make():
    mgr = kp.Manager()
    tensor = mgr.tensor(np.ones(4096))
    view = tensor.data()
    image = mgr.image(np.ones((4, 4), np.float32))
    never = kp.UserEvent()
    class Op(kp.OpBase):
        def record(self):
            yield kp.OpSyncDevice([tensor])
    running = mgr.sequence().record(Op()).eval_async()
    waiting = mgr.sequence().record(kp.OpSyncDevice([tensor])).eval_async(wait_for=[never])
    queue = mgr.queue()
    launcher = fixed("k", tensor, 2, 0, default_queue=queue)
    launched = [launcher(), queue.host_function(lambda: tensor.size(), [never])]
    hosts = kl.HostLauncher("host", lambda: None)
    group = kp.DeviceGroup([0, 0])
    buffer = kp.Buffer([64], np.float32, group=group)
    buffer.write(np.ones(64, np.float32))
    pinned, imported = mgr.pinned_array(100), mgr.import_host(np.ones(4096))
    kernel = kp.TunableKernel("tuned").local_size(64)
    return list(locals().values())

objects = make()
for _ in range(20):
    child = os.fork()
    if child == 0:
        del objects
        gc.collect()
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert status == 0, status
print("parent done")
""",
        TESTS,
    )
    assert output.splitlines()[-1] == "parent done"  # layers may write before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork()")
def test_a_child_runs_host_functions_although_its_parent_had_threads_for_them() -> None:
    output = run_python(
        """
import os, threading, time, warnings
warnings.simplefilter("ignore")
import kp
event = kp.UserEvent()
threading.Timer(0.05, event.set).start()
kp.wait_any([event])  # a thread of the library waits, and stays
time.sleep(0.1)
child = os.fork()
if child == 0:
    queue = kp.Manager().queue()
    called = []
    done = queue.host_function(lambda: called.append(1)).wait(20)
    os._exit(0 if done and called else 9)
_, status = os.waitpid(child, 0)
assert status == 0, status
"""
    )
    assert output == ""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork()")
def test_fork_before_use_works_in_both_processes() -> None:
    output = run_python(
        """
import os, sys, warnings
warnings.simplefilter("ignore")
import kp
child = os.fork()
with kp.Manager() as mgr:
    tensor = mgr.tensor([1.0])
    tensor.write([5.0])
    assert tensor.read()[0] == 5
if child:
    _, status = os.waitpid(child, 0)
    assert status == 0
    print("both done")
"""
    )
    assert output == "both done\n"


def test_spawned_processes_use_the_device() -> None:
    output = run_python(
        """
import multiprocessing, sys
sys.path.insert(0, sys.argv[1])
from process_support import double
if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        print(pool.map(double, [1.0, 2.0, 3.0]))
""",
        TESTS,
        timeout=120,
    )
    assert output == "[2.0, 4.0, 6.0]\n"


def test_import_does_not_configure_logging() -> None:
    output = run_python(
        """
import logging
import kp
print(logging.getLogger().handlers, logging.getLogger("kp").handlers)
print(logging.getLogger("kp").level, logging.getLogger("kp").propagate)
"""
    )
    assert output == "[] []\n0 True\n"


def test_messages_go_to_the_logger(
    mgr: kp.Manager, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    with caplog.at_level(logging.DEBUG, "kp"):
        mgr.sequence().eval_await()
        assert mgr.sequence().is_init()
    warnings = [record for record in caplog.records if record.levelno == logging.WARNING]
    assert [record.name for record in warnings] == ["kp"]
    assert "does nothing" in warnings[0].getMessage()
    assert warnings[0].filename.endswith(".cpp")
    assert capfd.readouterr().err == ""


def test_logger_level_filters_messages(mgr: kp.Manager, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR, "kp"):
        mgr.sequence().eval_await()
        assert mgr.sequence().is_init()
    assert not caplog.records


def test_missing_vulkan_raises_unsupported() -> None:
    output = run_python(
        """
import kp
for call in (kp.Manager, kp.list_devices):
    try:
        call()
    except kp.Unsupported as error:
        print(error)
shader = "#version 450\\nlayout(local_size_x = 1) in;\\nvoid main() {}"
print(len(kp.compile(shader)) > 0)
""",
        KOMPUTE_VULKAN_LIBRARY="/nonexistent/libvulkan.so.1",
    )
    assert "libvulkan" in output
    assert output.endswith("True\n")


@pytest.mark.parametrize("module", ["kp", "kp.cli"])
def test_modules_import_alone(module: str) -> None:
    assert run_python(f"import {module}") == ""


def test_version_has_three_numbers() -> None:
    assert sys.version_info >= (3, 10)
    assert kp.__version__.count(".") == 2


def test_the_first_result_takes_little_processor_time() -> None:
    resource = pytest.importorskip("resource")
    if os.environ.get("KOMPUTE_VALIDATION"):
        pytest.skip("validation takes time of its own")
    if kp.default_manager().get_device_properties()["type"] != "cpu":
        pytest.skip("the limit is for software drivers")

    def used() -> float:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return float(usage.ru_utime + usage.ru_stime)

    times = []
    program = "import kp; print(kp.array([1, 2, 3]).sum())"
    for _ in range(4):  # the first one fills the caches
        before = used()
        result = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)
        assert result.stdout == b"6\n"
        times.append(used() - before)
    assert min(times) <= 0.6


@pytest.mark.parametrize("isolated", [False, True])
@pytest.mark.parametrize("first", [False, True])
def test_sub_interpreters_are_refused(first: bool, isolated: bool) -> None:
    for name in ("_xxsubinterpreters", "_interpreters"):  # before and since Python 3.13
        if importlib.util.find_spec(name):
            break
    else:
        pytest.skip("this interpreter has no sub-interpreters")
    if isolated and sys.version_info >= (3, 12):
        pytest.skip("NumPy itself refuses interpreters with a GIL of their own")
    options = "'legacy'" if sys.version_info >= (3, 13) else f"isolated={isolated}"
    code = """
import warnings
warnings.simplefilter("ignore")
try:
    import kp
    print("imported", flush=True)
except ImportError as error:
    print("main interpreter only" in str(error), flush=True)
"""
    output = run_python(
        f"""
import warnings
warnings.simplefilter("ignore")
import {name} as interpreters
if {first}:
    import kp
    tensor = kp.Manager().tensor([2.0])
for _ in range(2):
    other = interpreters.create({options})
    interpreters.run_string(other, {code!r})
    interpreters.destroy(other)
import kp
print(kp.Manager().tensor([3.0]).read()[0])
if {first}:
    print(tensor.read()[0])
"""
    )
    assert output.split() == ["True", "True", "3.0", *(["2.0"] if first else [])]


def test_interpreters_without_the_gil_are_refused() -> None:
    output = run_python(
        """
import sys
sys._is_gil_enabled = lambda: False  # as in a free-threaded build with PYTHON_GIL=0
try:
    import kp
except ImportError as error:
    print(error)
"""
    )
    assert output.startswith("kp needs the global interpreter lock")
