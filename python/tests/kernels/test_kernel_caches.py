# SPDX-License-Identifier: Apache-2.0
"""Where compiled kernels are kept: in the cache folder of the manager that they run on."""

from __future__ import annotations

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
