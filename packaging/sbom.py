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

# Licences by repository, as SPDX expressions. `None`: used by tests and benchmarks alone, contained in
# no binary.
LICENCES = {
    "KhronosGroup/Vulkan-Headers": "Apache-2.0",
    "KhronosGroup/SPIRV-Headers": "MIT",
    "KhronosGroup/SPIRV-Tools": "Apache-2.0",
    "KhronosGroup/SPIRV-Cross": "Apache-2.0",
    "KhronosGroup/glslang": "BSD-3-Clause AND MIT AND Apache-2.0",
    "zeux/volk": "MIT",
    "GPUOpen-LibrariesAndSDKs/VulkanMemoryAllocator": "MIT",
    "fmtlib/fmt": "MIT",
    "nlohmann/json": "MIT",
    "DTolm/VkFFT": "MIT",
    "pybind/pybind11": "BSD-3-Clause",
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
    unknown = sorted(set(pins) - set(LICENCES))
    if unknown:
        raise SystemExit(f"sbom.py: LICENCES lacks {unknown}; add the licence of each")
    return pins


def component(repository: str, tag: str, commit: str) -> dict[str, object]:
    licence = LICENCES[repository]
    purl = f"pkg:github/{repository.lower()}@{tag}"
    entry: dict[str, object] = {
        "type": "library",
        "bom-ref": purl,
        "name": repository.split("/")[1],
        "version": tag,
        "scope": "required" if licence else "excluded",
        "purl": purl,
        "externalReferences": [{"type": "vcs", "url": f"https://github.com/{repository}"}],
    }
    if commit:
        entry["pedigree"] = {"commits": [{"uid": commit}]}
    if licence:
        entry["licenses"] = [{"expression": licence}]
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
