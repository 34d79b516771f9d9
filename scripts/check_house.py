#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that includes point one way, as docs/contributing/architecture.md says, and that folders and files have a size.

scripts/check_house.py            check the tree
scripts/check_house.py --planted  plant a fault of each kind and check that it is found
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parent.parent

# Each room and the rooms that it may include.
BELOW = {
    "base": set(),
    "vulkan": {"base"},
    "shader": {"base"},
    "cuda": {"vulkan", "base"},
    "core": {"shader", "cuda", "vulkan", "base"},
}
for room in ("operations", "tune", "profile"):
    BELOW[room] = BELOW["core"] | {"core"}
BELOW["program"] = BELOW["operations"] | {"operations"}
BELOW["primitives"] = BELOW["operations"] | {"operations"}
BELOW["launch"] = BELOW["core"] | {"core", "operations", "primitives", "program", "tune", "profile"}
BELOW["c"] = BELOW["primitives"] | {"primitives", "program"}
BELOW["runtime"] = BELOW["c"] | {"c"}
BELOW["group"] = BELOW["launch"] | {"launch"}
BELOW["arrays"] = BELOW["group"] | {"group", "program"}
BELOW["sparse"] = BELOW["arrays"] | {"arrays"}
BELOW["umbrella"] = BELOW["sparse"] | {"sparse"}

# The rooms of public headers. Folders name theirs, except for the files listed here.
PUBLIC = {
    "Error.hpp": "base",
    "Export.hpp": "base",
    "Version.hpp": "base",
    "logger/Logger.hpp": "base",
    "queue/WaitLimit.hpp": "base",
    "memory/CudaMemory.hpp": "base",
    "memory/ExternalMemory.hpp": "vulkan",
    "device/VulkanHandles.hpp": "vulkan",
    "Array.hpp": "arrays",
    "program/ArrayProgram.hpp": "arrays",
    "program/LauncherProgram.hpp": "launch",
    "detail/StoredConstants.hpp": "core",
    "program.h": "c",
    "Shader.hpp": "shader",
    # For users. They include everything, and the library itself includes none of them.
    "Kompute.hpp": "umbrella",
    "Launch.hpp": "umbrella",
    "Primitives.hpp": "umbrella",
    "Group.hpp": "umbrella",
    "Sparse.hpp": "umbrella",
    "launch/Autotuner.hpp": "tune",
    "launch/TunableKernel.hpp": "tune",
    "launch/TunedAlgorithm.hpp": "tune",
    "launch/KernelStatistics.hpp": "profile",
    "launch/Profiler.hpp": "profile",
    "operations/OpBase.hpp": "core",
    "operations/OpAlgoDispatch.hpp": "core",
}

PUBLIC_FOLDERS = sorted(
    path.relative_to(ROOT).as_posix()
    for path in (ROOT / "include/kompute", *(ROOT / "include/kompute").rglob("*/"))
    if path.is_dir()
)

INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]', re.MULTILINE)
VULKAN = re.compile(r"^(vulkan/vulkan|volk|vk_mem_alloc)")
# The one file outside src/vulkan that turns handles into classes of vulkan.hpp.
MAY_INCLUDE_VULKAN = {"src/core/Native.cpp"}

MOST_FILES = 24
MOST_LINES = 500
SOURCES = {".cpp", ".hpp", ".cu", ".py", ".glsl", ".comp", ".cmake", ".sh"}

# Larger folders and files. The numbers may only fall: take a folder or file out when it fits. The
# names of public headers are others' too.
FOLDERS_OVER: dict[str, int] = {}
FILES_OVER: dict[str, int] = {}


def public_room(path: str) -> str:
    if path in PUBLIC:
        return PUBLIC[path]
    folder = path.split("/")[0]
    return folder if folder in BELOW else "core"


def faults_of(file: str, text: str, exists) -> list[str]:
    """Returns the faults of one file, given its path relative to the root."""
    faults = []
    bindings = file.startswith("python/src/")
    if file.startswith("include/kompute/"):
        room = public_room(file[len("include/kompute/") :])
    else:
        room = file.split("/")[1]
    for quote, path in INCLUDE.findall(text):
        if VULKAN.match(path):
            if room != "vulkan" and file not in MAY_INCLUDE_VULKAN:
                faults.append(f"{file} includes {path}; only src/vulkan includes Vulkan's headers")
            continue
        if path.startswith("kompute/"):
            target = public_room(path[len("kompute/") :])
        elif quote == '"':
            target = path.split("/")[0]
        else:
            continue
        if bindings:
            if quote == '"' and not exists("python/src/" + path):
                faults.append(f"{file} includes {path}; the bindings use public headers alone")
            continue
        if file.startswith("include/") and quote == '"':
            faults.append(f'{file} includes "{path}"; public headers include <kompute/...> alone')
        elif target in BELOW and target != room and target not in BELOW[room]:
            faults.append(f"{file} ({room}) includes {path} ({target}), which is above it")
    return faults


def missing_header(file: str, exists) -> list[str]:
    """Every .cpp has the header of its name beside it or among the public headers; NamePosix.cpp and
    NameWindows.cpp have Name's."""
    if not file.endswith(".cpp") or file in {"src/vulkan/device/Volk.cpp"}:
        return []
    name = file.rpartition("/")[2][:-4]
    beside = re.sub(r"(Posix|Windows)?\.cpp$", ".hpp", file)
    public = [f"{folder}/{name}.hpp" for folder in PUBLIC_FOLDERS]
    if any(exists(path) for path in [beside, *public]):
        return []
    return [f"{file} has no header of its name"]


def too_large(lines: dict[str, int]) -> list[str]:
    """Returns the faults of a tree, given the lines of each of its files."""
    faults = []
    sizes = Counter(str(PurePosixPath(file).parent) for file in lines)
    for kind, unit, most, over, found in (
        ("folder", "files", MOST_FILES, FOLDERS_OVER, sizes),
        ("file", "lines", MOST_LINES, FILES_OVER, lines),
    ):
        for name, size in sorted(found.items()):
            if kind == "file" and PurePosixPath(name).suffix not in SOURCES:
                continue
            if size > over.get(name, most):
                faults.append(
                    f"{name} has {size} {unit}; a {kind} has at most {over.get(name, most)}"
                )
            elif name in over and size < over[name]:
                new = f"is {size}" if size > most else "goes"
                faults.append(
                    f"{name} has {size} {unit}: its entry in scripts/check_house.py {new}"
                )
        faults += [f"{name} is not there" for name in over if name not in found]
    return faults


def lines_of_tree() -> dict[str, int]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split("\0")
    files = [name for name in listed if name and (ROOT / name).is_file()]
    return {name: (ROOT / name).read_bytes().count(b"\n") for name in files}


def check() -> list[str]:
    faults = too_large(lines_of_tree())

    def exists(path: str) -> bool:
        return (ROOT / path).exists()

    for folder in ("src", "include/kompute", "python/src"):
        for path in sorted((ROOT / folder).rglob("*.?pp")):
            file = path.relative_to(ROOT).as_posix()
            faults += faults_of(file, path.read_text(), exists)
            faults += missing_header(file, exists)
    return faults


def planted() -> list[str]:
    """Returns the faults that were not noticed."""

    def exists(path: str) -> bool:
        return False

    faults = {
        "src/vulkan/queue/Queue.cpp": '#include "core/Memory.hpp"',
        "src/core/sequence/Sequence.cpp": "#include <kompute/launch/Launcher.hpp>",
        "src/launch/Steps.cpp": "#include <vulkan/vulkan.h>",
        "include/kompute/Manager.hpp": '#include "core/ManagerImpl.hpp"',
        "python/src/core/Manager.cpp": '#include "core/ManagerImpl.hpp"',
    }
    unnoticed = [line for file, line in faults.items() if not faults_of(file, line, exists)]
    if not missing_header("src/core/Alone.cpp", exists):
        unnoticed.append("a .cpp without a header")
    tree = {**FILES_OVER, "src/Long.cpp": MOST_LINES + 1}
    for folder, size in {**FOLDERS_OVER, "src/full": MOST_FILES + 1}.items():
        has = sum(str(PurePosixPath(file).parent) == folder for file in tree)
        tree |= {f"{folder}/{i}.txt": 1 for i in range(size - has)}
    if len(too_large(tree)) != 2:
        unnoticed.append("a long file, or a full folder")
    return unnoticed


def main() -> int:
    if sys.argv[1:] == ["--planted"]:
        unnoticed = planted()
        for line in unnoticed:
            print(f"check_house.py does not notice: {line}", file=sys.stderr)
        return 1 if unnoticed else 0
    faults = check()
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
