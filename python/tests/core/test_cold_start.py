# SPDX-License-Identifier: Apache-2.0
"""First calls: their compilations, and the log message if they take long."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import kp


#: A loop that drivers take seconds to unroll and compile.
SLOW = """
import logging, sys, time
import kp

logging.basicConfig(level=logging.INFO, stream=sys.stderr)
lines = "".join(f"    a = sin(a * {i}.5 + b) * cos(b - {i}.25); b = a * b + sqrt(abs(a - {i}.125));\\n"
                for i in range(500))
text = f"kernel void k(inout float x[]) {{ float a = x[i], b = a + 1;\\n{lines}    x[i] = a; }}"
x = kp.array([1.0, 2.0], dtype="float32")
start = time.perf_counter()
kp.kernel(text)(x)
x.get()
print(time.perf_counter() - start)
"""


def test_a_long_compilation_is_said_once(tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "KOMPUTE_CACHE_DIR": str(tmp_path),
        "MESA_SHADER_CACHE_DISABLE": "true",
    }
    run = subprocess.run(
        [sys.executable, "-c", SLOW], env=environment, capture_output=True, text=True, check=True
    )
    said = [line for line in run.stderr.splitlines() if "longer than a second" in line]
    if not said and float(run.stdout) < 1.5:
        pytest.skip("the driver compiles this shader within a second")
    assert len(said) == 1 and said[0].startswith("INFO:kp:compiling "), run.stderr


@pytest.mark.parametrize(
    ("call", "most"),
    [
        ("kp.histogram(x)", 4),
        ("kp.bincount(x)", 4),
        ("kp.sum(x)", 2),
        ("kp.random.default_rng(1).random(9)", 2),
    ],
)
def test_first_calls_compile_few_shaders(tmp_path: Path, call: str, most: int) -> None:
    """As the software driver takes a tenth of a second for each. Rules for GPUs take more of them."""
    most += kp.default_manager().get_device_properties()["type"] != "cpu"
    # Kernels of doubles are compiled again, without unrolled loops.
    most += "shaderFloat64" not in kp.default_manager()._facts()["enabled_features"]
    code = (
        "import kp\nx = kp.arange(1000)\nx.get()\nfrom pathlib import Path\n"
        f"before = set(Path({str(tmp_path)!r}).rglob('*.spirv'))\n{call}\n"
        f"print(len(set(Path({str(tmp_path)!r}).rglob('*.spirv')) - before))"
    )
    environment = {**os.environ, "KOMPUTE_CACHE_DIR": str(tmp_path)}
    run = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert 0 < int(run.stdout) <= most
