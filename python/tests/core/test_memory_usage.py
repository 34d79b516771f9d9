# SPDX-License-Identifier: Apache-2.0
"""kp.memory() reports the device memory of a manager."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import kp

BYTES = 4 << 20


def ones() -> kp.Array:
    x = kp.asarray(np.ones(BYTES // 4, np.float32))
    x.get()
    return x


@pytest.fixture(autouse=True)
def manager() -> kp.Manager:
    manager = kp.default_manager()
    kp.synchronize()
    manager.clear()
    kp.reset_peak_memory()
    return manager


def test_an_array_counts_from_its_creation_to_its_deletion() -> None:
    before = kp.memory()
    x = ones()
    assert kp.memory().allocated == before.allocated + BYTES
    assert kp.memory().reserved >= kp.memory().allocated
    del x
    assert kp.memory().allocated == before.allocated
    assert kp.memory().cached >= BYTES


def test_clear_gives_back_what_is_cached(manager: kp.Manager) -> None:
    x = ones()
    kp.sort(x).get()
    del x
    kp.synchronize()
    reserved = kp.memory().reserved
    manager.clear()
    assert kp.memory().cached < BYTES
    assert kp.memory().reserved <= reserved


def test_the_peak_stays_until_it_is_reset() -> None:
    before = kp.memory().allocated
    x, y = ones(), ones()
    del x, y
    assert kp.memory().allocated == before
    assert kp.memory().peak == before + 2 * BYTES
    assert kp.memory().peak_reserved >= kp.memory().reserved
    kp.reset_peak_memory()
    assert kp.memory().peak == before


def test_managers_and_groups_count_their_own(manager: kp.Manager) -> None:
    before = kp.memory().allocated
    with kp.Manager() as other, kp.DeviceGroup([0, 0]) as group:
        tensor = other.tensor(shape=BYTES // 4, memory_type="storage")
        assert kp.memory(other).allocated == tensor.nbytes
        assert kp.memory(device=manager).allocated == kp.memory().allocated == before
        members = [kp.memory(member).allocated for member in group]
        buffer = kp.Buffer(BYTES // 4, np.float32, group=group)
        assert [kp.memory(member).allocated - count for member, count in zip(group, members)] == [
            BYTES,
            BYTES,
        ]
        del buffer
        assert [kp.memory(member).allocated for member in group] == members
        assert kp.memory().allocated == before


def test_the_report_is_readable() -> None:
    assert repr(kp.memory()).startswith("<kp.MemoryUsage allocated=")


def test_bad_managers_are_refused() -> None:
    with pytest.raises(TypeError, match="device must be a kp.Manager or None, not int"):
        kp.memory(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="device must be a kp.Manager or None, not str"):
        kp.reset_peak_memory("gpu")  # type: ignore[arg-type]
    destroyed = kp.Manager()
    destroyed.destroy()
    with pytest.raises(kp.InvalidArgument, match="destroyed"):
        kp.memory(destroyed)


def test_objects_that_have_memory_are_listed_by_name() -> None:
    manager = kp.Manager()
    weights = manager.tensor(np.ones(4096, np.float32))
    weights.set_name("weights")
    other = manager.tensor(np.ones(16, np.int32))
    first, second = manager.memory_objects()
    assert (first.name, first.kind, first.bytes) == ("weights", "tensor of 4096 eFloat", 16384)
    assert (second.name, second.bytes) == ("", 64)
    assert "weights" in repr(first)
    other.destroy()
    assert len(manager.memory_objects()) == 1


def test_captures_need_renderdoc() -> None:
    with pytest.raises(kp.Unsupported, match="renderdoc"):
        kp.Manager().start_capture()


def test_memory_is_listed_by_kind_and_by_heap(manager: kp.Manager) -> None:
    x = ones()
    x.tensor().set_name("weights")
    kinds = {each.kind: each for each in manager.memory_kinds()}
    assert kinds["arrays"].bytes >= BYTES and kinds["arrays"].count >= 1
    assert sum(each.bytes for each in kinds.values()) == kp.memory().reserved
    assert "arrays" in repr(kinds["arrays"])
    found = next(each for each in manager.memory_objects() if each.name == "weights")
    assert (found.kind, found.bytes) == (f"array of {BYTES // 4} eFloat", BYTES)
    heaps = manager.memory_heaps()
    assert any(each.device_local for each in heaps)
    assert all(0 < each.budget <= each.size for each in heaps)
    assert repr(heaps[0]).startswith("<kp.MemoryHeap ")


def run_memory(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "kp", "memory", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_the_command_shows_the_heaps() -> None:
    found = run_memory()
    assert found.returncode == 0, found.stderr
    assert "can be used" in found.stdout and "0, of the " in found.stdout
    devices = json.loads(run_memory("--json", "--device", "0").stdout)
    assert len(devices) == 1
    assert all(each["budget"] <= each["size"] for each in devices[0]["heaps"])


PROGRAM = """
import sys
import numpy as np
import kp

mgr = kp.Manager()
weights, bias = mgr.tensor(np.ones(4096, np.float32)), mgr.tensor(np.ones(16, np.float32))
weights.set_name("weights")
array = kp.asarray(np.ones(1 << 20, np.float32))
array.get()
print("arguments", sys.argv[1:], __name__)
if "--fail" in sys.argv:
    raise ValueError("as asked")
if "--exit" in sys.argv:
    sys.exit(3)
"""


@pytest.fixture
def program(tmp_path: Path) -> str:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return str(path)


def test_the_command_shows_the_memory_of_a_program(program: str) -> None:
    found = run_memory(program, "--its", "option")
    assert found.returncode == 0, found.stderr
    assert "arguments ['--its', 'option'] __main__" in found.stdout
    lines = [line.split() for line in found.stdout.splitlines()]
    assert ["weights", "16", "KiB", "tensor", "of", "4096", "eFloat"] in lines
    assert ["-", "64", "bytes", "tensor", "of", "16", "eFloat"] in lines
    assert ["-", "4", "MiB", "array", "of", "1048576", "eFloat"] in lines
    assert ["tensors", "16.06", "KiB", "2", "objects"] in lines
    assert ["in", "use", "16.06", "KiB", "at", "most", "16.06", "KiB"] in lines


@pytest.mark.parametrize(("option", "code"), [("--fail", 1), ("--exit", 3)])
def test_the_command_shows_the_memory_of_a_program_that_fails(
    program: str, option: str, code: int
) -> None:
    found = run_memory(program, option)
    assert found.returncode == code
    assert "weights" in found.stdout
    assert ("ValueError: as asked" in found.stderr) == (option == "--fail")


def test_the_command_refuses_what_is_no_program(program: str) -> None:
    found = run_memory("missing.py")
    assert found.returncode == 1 and "missing.py is not a file" in found.stderr
    found = run_memory("--device", "0", program)
    assert found.returncode == 2 and "KOMPUTE_DEVICE chooses" in found.stderr
