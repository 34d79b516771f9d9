# SPDX-License-Identifier: Apache-2.0
"""Checks an installed kompute: its files, the symbols and libraries of its module, and a result.

python_smoke.py VERSION                    on a machine with a Vulkan driver
python_smoke.py VERSION --without-vulkan   if no Vulkan loader can be found
"""

import importlib.metadata
import os
import re
import subprocess
import sys
import sysconfig

import numpy as np

import kp
import kp._kp

SYSTEM_LIBRARIES = re.compile(
    r"^(libstdc\+\+|libgcc_s|libm|libc|libc\.musl-[_0-9a-z]+|libdl|librt|libpthread|ld-linux[-_0-9a-z]*)"
    r"\.so\.[0-9]+$"
)
DOUBLE = """
#version 450
layout(local_size_x = 1) in;
layout(binding = 0) buffer Values { float values[]; };
void main() { values[gl_GlobalInvocationID.x] *= 2.0; }
"""


def check(condition: bool, message: str) -> None:
    if not condition:
        raise SystemExit(f"python_smoke.py: FAILED: {message}")


def output_of(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def check_files() -> None:
    """The package has all its files and no others, and one module for this interpreter."""
    files = importlib.metadata.files("kompute") or []
    names = {str(file) for file in files}
    for name in ("kp/__init__.py", "kp/py.typed", "kp/_kp.pyi"):
        check(name in names, f"{name} is not installed")
    for name in names:
        check(
            name.startswith(("kp/", "kompute-"))
            or name.endswith(("/bin/kp", "/bin/convert_shaders")),
            f"{name} must not be installed",
        )
    modules = [name for name in names if re.fullmatch(r"kp/_kp\.[^/]*\.(so|pyd|dylib)", name)]
    check(len(modules) == 1, f"expected one extension module, but found {modules}")
    check(
        modules[0] == "kp/_kp" + str(sysconfig.get_config_var("EXT_SUFFIX")),
        f"{modules[0]} has no suffix of this interpreter",
    )


def check_module() -> None:
    """The module exports what Python and torch look up, and needs only system libraries."""
    path = str(kp._kp.__file__)
    exported = output_of("nm", "-D", "--defined-only", "--format=posix", path).split("\n")
    names = [line.split(" ")[0] for line in exported if line]
    expected = ["PyInit__kp", "kp_cuda_allocate", "kp_cuda_free"]  # the last two for torch
    check(names == expected, f"{path} exports {names}, not {expected}")
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", output_of("readelf", "-d", path))
    check(len(needed) > 0, f"readelf found no library that {path} needs")
    dynamic = output_of("readelf", "-dW", path)
    check(re.search(r"BIND_NOW|FLAGS.* NOW", dynamic) is not None, f"{path} is not linked -z now")
    check("GNU_RELRO" in output_of("readelf", "-lW", path), f"{path} is not linked -z relro")
    check(re.search(r"\((RPATH|RUNPATH)\)", dynamic) is None, f"{path} has a path for libraries")
    undefined = output_of("nm", "-D", "--undefined-only", path)
    # Zig links the function into the module. What remains are reads of the value that it protects.
    is_protected = "__stack_chk_fail" in undefined or "%fs:0x28" in output_of("objdump", "-d", path)
    check(is_protected, f"{path} has no stack protector")
    foreign = [name for name in needed if not SYSTEM_LIBRARIES.match(name)]
    check(not foreign, f"{path} needs {foreign}, which are not system libraries")


def check_with_vulkan() -> None:
    with kp.Manager() as manager:
        tensor = manager.tensor([1.0, 2.0, 3.0])
        algorithm = manager.algorithm([tensor], kp.compile(DOUBLE))
        manager.sequence().record(kp.OpSyncDevice([tensor])).record(
            kp.OpAlgoDispatch(algorithm)
        ).record(kp.OpSyncLocal([tensor])).eval()
        check(np.array_equal(tensor.data(), [2.0, 4.0, 6.0]), f"wrong result: {tensor.data()}")


def check_without_vulkan() -> None:
    check(len(kp.compile(DOUBLE)) > 0, "kp.compile() returned nothing without Vulkan")
    try:
        kp.Manager()
    except kp.Error as error:
        check(isinstance(error, kp.Unsupported), f"kp.Manager() raised {type(error)}")
        for word in ("no Vulkan loader", "libvulkan.so.1", "install"):
            check(word in str(error), f"the message lacks '{word}': {error}")
        print(f"python_smoke.py: without Vulkan: {type(error).__name__}: {error}")
    else:
        check(False, "kp.Manager() succeeded without a Vulkan loader")


def main() -> None:
    version = sys.argv[1]
    without_vulkan = "--without-vulkan" in sys.argv
    check(kp.__version__ == version, f"kp.__version__ is {kp.__version__}, not {version}")
    installed = importlib.metadata.version("kompute")
    check(installed == version, f"the installed version is {installed}, not {version}")
    inside = os.path.realpath(sys.prefix)
    check(
        os.path.realpath(str(kp.__file__)).startswith(inside), f"kp was imported from {kp.__file__}"
    )
    check_files()
    check_module()
    if without_vulkan:
        check_without_vulkan()
    else:
        check_with_vulkan()
    python = ".".join(map(str, sys.version_info[:3]))
    print(f"python_smoke.py: kompute {installed} works in Python {python}")


main()
