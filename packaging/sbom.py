#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a software bill of materials of a release, in CycloneDX 1.5 (JSON).

    packaging/sbom.py [FILE...]

It lists the dependencies that cmake/KomputeDependencies.cmake pins, with their commits, and as subjects
of the release the given files with their SHA-256 sums. A build that finds dependencies installed contains
those instead, in their versions. Times and random numbers are left out: the same release
gives the same text.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent
DEPENDENCIES = SOURCE / "cmake" / "KomputeDependencies.cmake"

NOTICES = SOURCE / "THIRD_PARTY_NOTICES.txt"

# By repository: the licence, as an SPDX expression, and the name in the notices. `None`: used by tests and
# benchmarks alone, contained in no binary.
CONTAINED: dict[str, tuple[str, str] | None] = {
    "KhronosGroup/Vulkan-Headers": ("Apache-2.0", "Vulkan-Headers"),
    "KhronosGroup/SPIRV-Headers": ("MIT", "SPIRV-Headers"),
    "KhronosGroup/SPIRV-Tools": ("Apache-2.0", "SPIRV-Tools"),
    "KhronosGroup/SPIRV-Cross": ("Apache-2.0", "SPIRV-Cross"),
    "KhronosGroup/glslang": ("BSD-3-Clause AND MIT AND Apache-2.0", "glslang"),
    "zeux/volk": ("MIT", "volk"),
    "GPUOpen-LibrariesAndSDKs/VulkanMemoryAllocator": ("MIT", "Vulkan Memory Allocator"),
    "fmtlib/fmt": ("MIT", "{fmt}"),
    "nlohmann/json": ("MIT", "JSON for Modern C++"),
    "DTolm/VkFFT": ("MIT", "VkFFT"),
    "pybind/pybind11": ("BSD-3-Clause", "pybind11"),
    "google/googletest": None,
    "google/benchmark": None,
}


def version() -> str:
    text = (SOURCE / "include" / "kompute" / "Version.hpp").read_text(encoding="utf-8")
    found = re.search(r'KOMPUTE_VERSION_STRING "([^"]+)"', text)
    if not found:
        raise SystemExit("sbom.py: include/kompute/Version.hpp names no version")
    return found.group(1)


def pinned() -> dict[str, tuple[str, str]]:
    """Returns the tag of each repository that the build may fetch, and its commit, "" if none is named."""
    text = DEPENDENCIES.read_text(encoding="utf-8")
    variables = dict(re.findall(r"set\((\w+) ([^\s)]+)\)", text))
    calls = re.findall(
        r"kompute_fetch(?:_files)?\(\s*\w+\s+https://github\.com/([\w./-]+?)\.git\s+([^\s)]+)"
        r"(?:\s+COMMIT\s+([0-9a-f]{40}))?\s*\)",
        text,
    )
    wanted = len(re.findall(r"^\s*kompute_fetch(?:_files)?\(\w+ https:", text, re.MULTILINE))
    if len(calls) != wanted:
        raise SystemExit(f"sbom.py: read {len(calls)} of {wanted} dependencies in {DEPENDENCIES}")
    pins = {}
    for repository, tag, commit in calls:
        name = re.fullmatch(r"\$\{(\w+)\}", tag)
        pins[repository] = (variables[name.group(1)] if name else tag, commit)
    unknown = sorted(set(pins) - set(CONTAINED))
    if unknown:
        raise SystemExit(f"sbom.py: CONTAINED lacks {unknown}; add the licence of each")
    notices = NOTICES.read_text(encoding="utf-8")
    unnamed = sorted(named[1] for named in CONTAINED.values() if named and named[1] not in notices)
    if unnamed:
        raise SystemExit(f"sbom.py: {NOTICES.name} does not name {unnamed}; add the notice of each")
    return pins


def component(repository: str, tag: str, commit: str) -> dict[str, object]:
    contained = CONTAINED[repository]
    purl = f"pkg:github/{repository.lower()}@{tag}"
    entry: dict[str, object] = {
        "type": "library",
        "bom-ref": purl,
        "name": repository.split("/")[1],
        "version": tag,
        "scope": "required" if contained else "excluded",
        "purl": purl,
        "externalReferences": [{"type": "vcs", "url": f"https://github.com/{repository}"}],
    }
    if commit:
        entry["pedigree"] = {"commits": [{"uid": commit}]}
    if contained:
        entry["licenses"] = [{"expression": contained[0]}]
    return entry


def subject(path: Path) -> dict[str, object]:
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return {
        "type": "file",
        "bom-ref": f"file:{path.name}",
        "name": path.name,
        "hashes": [{"alg": "SHA-256", "content": digest}],
    }


def bill(files: list[Path]) -> dict[str, object]:
    pins = pinned()
    itself = f"pkg:generic/kompute@{version()}"
    components = [component(name, *pins[name]) for name in sorted(pins)]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {
                "type": "library",
                "bom-ref": itself,
                "name": "kompute",
                "version": version(),
                "purl": itself,
                "licenses": [{"license": {"id": "Apache-2.0"}}],
                "components": [subject(path) for path in files],
            }
        },
        "components": components,
        "dependencies": [
            {
                "ref": itself,
                "dependsOn": [c["bom-ref"] for c in components if c["scope"] == "required"],
            }
        ],
    }


def main() -> None:
    json.dump(bill([Path(name) for name in sys.argv[1:]]), sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
