# SPDX-License-Identifier: Apache-2.0
"""Where compiled kernels are kept: in the cache folder of the manager that they run on."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from conftest import run_python

#: Prints how many shaders the kernels of a manager leave in its folder, and in the user's.
CACHES = """
import os, sys
import numpy as np
import kp

def files(folder):
    return sum(len(names) for _, _, names in os.walk(folder))

own, users = sys.argv[2], os.environ["KOMPUTE_CACHE_DIR"]
mgr = kp.Manager(cache_folder=own)
x = mgr.tensor(np.ones(4, np.float32))
k = kp.kernel("kernel void k(in float x[], out float y[]) { y[i] = 2.5 * x[i]; }")
@kp.jit
def j(x, y):
    i = kp.global_id()
    y[i] = x[i]
assert k(x).data().tolist() == [2.5] * 4
j(x, mgr.tensor(np.zeros(4, np.float32)))
mgr.algorithm([x, x], kp.kernel("kernel void l(in float x[], out float y[]) { y[i] = 3.5 * x[i]; }"))
mgr.destroy()
shaders = os.path.join(own, "shaders")
print(files(shaders) if own != "off" else "off", files(os.path.join(users, "shaders")))
"""


def test_kernels_are_kept_in_the_folder_of_their_manager(tmp_path: Path) -> None:
    program = tmp_path / "program.py"  # kp.jit reads the source of functions
    program.write_text(CACHES)
    run = "import runpy, sys; runpy.run_path(sys.argv[1])"
    users = str(tmp_path / "users")
    for own, kept in ((str(tmp_path / "own"), "3 0"), ("off", "off 0")):
        output = run_python(run, str(program), own, KOMPUTE_CACHE_DIR=users)
        assert output.split() == kept.split()


def test_a_kernel_is_kept_for_each_of_its_managers(tmp_path: Path) -> None:
    output = run_python(
        """
import os, sys
import numpy as np
import kp

k = kp.kernel("kernel void k(in float x[], out float y[]) { y[i] = 4.5 * x[i]; }")
folders = [os.path.join(sys.argv[1], name) for name in ("first", "second")]
for folder in ("off", *folders):
    with kp.Manager(cache_folder=folder) as mgr:
        k(mgr.tensor(np.ones(4, np.float32)))
print([len(os.listdir(os.path.join(folder, "shaders"))) for folder in folders])
""",
        str(tmp_path),
        KOMPUTE_CACHE_DIR=str(tmp_path / "users"),
    )
    assert output == "[1, 1]\n"
    assert not (tmp_path / "users" / "shaders").exists()


#: Runs kernels, arrays and an algorithm, as an installer does once and users do later.
PROGRAM = """
import os, sys
import numpy as np
import kp

if len(sys.argv) > 2:
    kp.set_default_manager(kp.Manager(cache_folder="off", cache_path=sys.argv[2:]))
mgr = kp.default_manager()
x = mgr.tensor(np.ones(4, np.float32))
assert kp.kernel("kernel void k(in float x[], out float y[]) { y[i] = 5.5 * x[i]; }")(x).data()[0] == 5.5
assert kp.sum(kp.arange(5.0) * 3) == 30
mgr.algorithm([x], mgr.compile("#version 450\\nlayout(binding = 0) buffer V { float v[]; };"
                               "void main() { v[0] = 1.0; }"))
"""


def shaders(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.rglob("*.spirv")}


def test_a_shipped_cache_spares_users_the_compilation(tmp_path: Path) -> None:
    shipped, own, other = tmp_path / "shipped", tmp_path / "own", tmp_path / "other"
    run_python(PROGRAM, "", KOMPUTE_CACHE_DIR=str(shipped))
    before = shaders(shipped)
    assert len(before) >= 3
    path = os.pathsep.join([str(tmp_path / "missing"), str(shipped)])
    run_python(PROGRAM, "", KOMPUTE_CACHE_DIR=str(own), KOMPUTE_CACHE_PATH=path)
    assert not shaders(own)
    run_python(PROGRAM, "", KOMPUTE_CACHE_DIR=str(other))
    assert shaders(other).keys() == before.keys(), "without it, everything is compiled"
    run_python(PROGRAM, "", KOMPUTE_CACHE_DIR="off", KOMPUTE_CACHE_PATH=path)
    assert shaders(shipped) == before


def test_shipped_kernels_that_are_damaged_or_writable_by_others_are_ignored(tmp_path: Path) -> None:
    shipped, own = tmp_path / "shipped", tmp_path / "own"
    run_python(PROGRAM, "", KOMPUTE_CACHE_DIR=str(shipped))
    path = {"KOMPUTE_CACHE_DIR": str(own), "KOMPUTE_CACHE_PATH": str(shipped)}
    files = sorted(shipped.rglob("*.spirv"))
    for file in files:
        file.chmod(0o666)
    run_python(PROGRAM, "", **path, KOMPUTE_CACHE_TRUST="1")
    assert not shaders(own)
    run_python(PROGRAM, "", **path)
    assert shaders(own).keys() == shaders(shipped).keys()
    shutil.rmtree(own)
    for file in files:
        file.chmod(0o644)
        file.write_bytes(file.read_bytes()[:-1])
    run_python(PROGRAM, "", **path)
    assert shaders(own).keys() == shaders(shipped).keys()


def test_a_manager_takes_shipped_caches(tmp_path: Path) -> None:
    """Its kernels are compiled before it is known, so these look only where the environment says."""
    shipped, own = tmp_path / "shipped", tmp_path / "own"
    run_python(PROGRAM, "", KOMPUTE_CACHE_DIR=str(shipped))
    code = """
import sys
import kp

mgr = kp.Manager(cache_folder=sys.argv[1], cache_path=sys.argv[2:])
with mgr:
    kp.set_default_manager(mgr)
    assert kp.sum(kp.arange(5.0) * 3) == 30
"""
    run_python(code, str(own), str(tmp_path / "missing"), str(shipped))
    assert not shaders(own)
