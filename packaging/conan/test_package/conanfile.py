# SPDX-License-Identifier: Apache-2.0
"""Builds the consumer of test/package against the package and runs it, if it can run here."""

from pathlib import Path

from conan import ConanFile
from conan.tools.build import can_run
from conan.tools.cmake import CMake, cmake_layout


class KomputeTest(ConanFile):
    settings = "os", "arch", "compiler", "build_type"
    generators = "CMakeDeps", "CMakeToolchain"

    def requirements(self):
        self.requires(self.tested_reference_str)

    def layout(self):
        cmake_layout(self)

    def build(self):
        cmake = CMake(self)
        cmake.configure(build_script_folder="../../../test/package/find_package")
        cmake.build()

    def test(self):
        if can_run(self):
            folder = Path(self.build_folder) / self.cpp.build.bindir
            for program in ("consumer", "precompiled"):
                self.run(str(folder / program), env="conanrun")
