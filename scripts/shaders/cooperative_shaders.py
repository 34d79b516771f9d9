#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compile the shaders in shaders/cooperative, or check that their SPIR-V belongs to them.

    cooperative_shaders.py            compile, with a glslang that knows the extensions (16 or newer)
    cooperative_shaders.py --check    compare the hashes in manifest.json, without a compiler

These shaders need a newer glslang than the oldest one that the library builds with. So their SPIR-V
is kept beside them. manifest.json has, for each module, the hash of its inputs (sources,
options) and of the SPIR-V.

--glslang PROGRAM  the compiler, by default `glslang` of the path
--planted          checks that --check notices a changed source and a changed module
"""
from __future__ import annotations

import argparse
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "shaders" / "cooperative"
SHARED = "MatMulShared.glsl"
OPTIONS = ["-V", "-g0", "-S", "comp", "--target-env", "vulkan1.3"]
# The name of a module: its source and macros.
MODULES = {
    "MatMulWorkgroupHalf.spv": ("MatMulWorkgroup.comp", []),
    "MatMulWorkgroupBFloat16.spv": ("MatMulWorkgroup.comp", ["-DBFLOAT16"]),
    "MatMulSubgroupHalf.spv": ("MatMulSubgroup.comp", []),
    "MatMulSubgroupBFloat16.spv": ("MatMulSubgroup.comp", ["-DBFLOAT16"]),
}
MIN_VERSION = 16


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def origin(folder: Path, module: str) -> str:
    """Return the hash of a module's inputs."""
    source, macros = MODULES[module]
    options = "\0".join(OPTIONS + macros).encode()
    texts = [(folder / name).read_bytes().replace(b"\r\n", b"\n") for name in (source, SHARED)]
    return digest(b"\0".join([options, *texts]))


def faults(folder: Path) -> list[str]:
    """Return what does not belong together."""
    manifest = json.loads((folder / "manifest.json").read_text())["modules"]
    found = []
    present = {path.name for path in folder.glob("*.spv")}
    for name in sorted(present ^ set(MODULES)):
        found.append(f"{name} is {'not listed' if name in present else 'missing'}")
    for name in sorted(present & set(MODULES)):
        known = manifest.get(name, {})
        if known.get("source") != origin(folder, name):
            found.append(f"{name} was made from another {MODULES[name][0]} or {SHARED}")
        if known.get("spirv") != digest((folder / name).read_bytes()):
            found.append(f"{name} is not the module that was made")
    return found


def check(folder: Path) -> int:
    found = faults(folder)
    for fault in found:
        print(
            f"shaders/cooperative: {fault}; run scripts/shaders/cooperative_shaders.py",
            file=sys.stderr,
        )
    return 1 if found else 0


def planted() -> int:
    """Plant a fault of each kind, and return 1 if one is not noticed."""
    with tempfile.TemporaryDirectory() as name:
        for number, planted_file in enumerate([SHARED, "MatMulSubgroupHalf.spv"]):
            folder = Path(name) / str(number)
            shutil.copytree(FOLDER, folder)
            data = bytearray((folder / planted_file).read_bytes())
            data[-1] ^= 1
            (folder / planted_file).write_bytes(data)
            if not faults(folder):
                print(f"a change of {planted_file} was not noticed", file=sys.stderr)
                return 1
    return 0


def make(compiler: str) -> int:
    text = subprocess.run(
        [compiler, "--version"], check=True, capture_output=True, text=True
    ).stdout
    version = re.search(r"Glslang Version: \d+:(\d+)\.(\S+)", text)
    if version is None or int(version[1]) < MIN_VERSION:
        print(
            f"{compiler} is too old: glslang {MIN_VERSION} is needed, and it says\n{text}",
            file=sys.stderr,
        )
        return 1
    modules = {}
    for name, (source, macros) in MODULES.items():
        command = [compiler, *OPTIONS, *macros, f"-I{FOLDER}", "-o", str(FOLDER / name)]
        subprocess.run([*command, str(FOLDER / source)], check=True)
        modules[name] = {
            "source": origin(FOLDER, name),
            "spirv": digest((FOLDER / name).read_bytes()),
        }
    manifest = {"glslang": f"{version[1]}.{version[2]}", "modules": modules}
    (FOLDER / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n")
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--planted", action="store_true")
    parser.add_argument("--glslang", default="glslang")
    arguments = parser.parse_args()
    if arguments.check:
        return check(FOLDER)
    if arguments.planted:
        return planted()
    return make(arguments.glslang)


if __name__ == "__main__":
    sys.exit(main())
