#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compile a folder of compute shaders to SPIR-V files and C++ headers.

Every *.comp and *.comp.hlsl file below the folder becomes <file>.spv beside it. If a header folder
is given, each also becomes <name>.hpp there, with `const std::array<uint32_t, N> <NAME>_COMP_SPV`.
The CMake function kompute_add_shaders writes the same headers.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

HEADER_WRITER = Path(__file__).resolve().parent.parent / "cmake" / "KomputeSpirvToHeader.cmake"


class ShaderFailure(Exception):
    """A shader could not be converted."""


def parse_arguments(arguments):
    environment = os.environ
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "-p",
        "--shader-path",
        default=environment.get("KOMPUTE_SHADER_PATH"),
        help="folder with the shaders (environment: KOMPUTE_SHADER_PATH)",
    )
    parser.add_argument(
        "-s",
        "--shader-binary",
        default=environment.get("KOMPUTE_SHADER_BINARY") or "glslangValidator",
        help="compiler to run (environment: KOMPUTE_SHADER_BINARY; default: glslangValidator)",
    )
    parser.add_argument(
        "-c",
        "--header-path",
        default=environment.get("KOMPUTE_HEADER_PATH"),
        help="folder for the headers (environment: KOMPUTE_HEADER_PATH; default: no headers)",
    )
    parser.add_argument(
        "-n", "--namespace", default="kp::shaders", help="C++ namespace (default: kp::shaders)"
    )
    parser.add_argument("-v", "--verbose", action="store_true", help="print each command")
    options = parser.parse_args(arguments)
    if not options.shader_path:
        parser.error("no shader folder: give -p DIR or set KOMPUTE_SHADER_PATH")
    if not Path(options.shader_path).is_dir():
        parser.error(f"{options.shader_path} is not a folder")
    if not re.fullmatch(r"[A-Za-z_]\w*(::[A-Za-z_]\w*)*", options.namespace):
        parser.error(f"'{options.namespace}' is not a C++ namespace")
    return options


def find_shaders(folder):
    found = [path for path in Path(folder).rglob("*") if path.is_file()]
    return sorted(path for path in found if path.name.endswith((".comp", ".comp.hlsl")))


def compile_shader(binary, source, verbose):
    target = source.with_name(source.name + ".spv")
    command = [binary, "-V", "-S", "comp", "--target-env", "vulkan1.1", "-o", str(target)]
    if source.suffix == ".hlsl":
        command += ["-D", "-e", "main"]
    command.append(str(source))
    if verbose:
        print(" ".join(command))
    try:
        result = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise ShaderFailure(f"cannot run {binary}: {error.strerror}") from error
    if result.returncode != 0:
        raise ShaderFailure(f"{source} does not compile:\n{result.stdout}{result.stderr}".rstrip())
    return target


def write_header(spirv, source, header, namespace):
    """Write the header as the build does, by the same CMake script."""
    variable = re.sub(r"\W", "_", source.name, flags=re.ASCII).upper() + "_SPV"
    if variable[0].isdigit():
        variable = "_" + variable
    header.parent.mkdir(parents=True, exist_ok=True)
    result = subprocess.run(
        [
            "cmake",
            f"-DKOMPUTE_INPUT={spirv}",
            f"-DKOMPUTE_OUTPUT={header}",
            f"-DKOMPUTE_VARIABLE={variable}",
            f"-DKOMPUTE_NAMESPACE={namespace}",
            "-P",
            str(HEADER_WRITER),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    if result.returncode != 0:
        raise ShaderFailure(f"{spirv} cannot become a header:\n{result.stderr}".rstrip())


def convert(options):
    shaders = find_shaders(options.shader_path)
    if not shaders:
        raise ShaderFailure(f"there is no *.comp or *.comp.hlsl file below {options.shader_path}")
    if shutil.which(options.shader_binary) is None:
        raise ShaderFailure(
            f"{options.shader_binary} was not found; install glslang-tools or give -s PATH"
        )
    failures = []
    headers = {}
    for source in shaders:
        try:
            spirv = compile_shader(options.shader_binary, source, options.verbose)
            if not options.header_path:
                continue
            header = Path(options.header_path) / (source.stem + ".hpp")
            if header in headers:
                raise ShaderFailure(f"{source} and {headers[header]} would both become {header}")
            headers[header] = source
            write_header(spirv, source, header, options.namespace)
            if options.verbose:
                print(f"{source} -> {header}")
        except (ShaderFailure, OSError) as failure:
            failures.append(failure)
    for failure in failures:
        print(f"convert_shaders.py: error: {failure}", file=sys.stderr)
    if failures:
        raise ShaderFailure(f"{len(failures)} of {len(shaders)} shaders failed")


def main():
    try:
        convert(parse_arguments(sys.argv[1:]))
    except ShaderFailure as failure:
        print(f"convert_shaders.py: error: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
