# SPDX-License-Identifier: Apache-2.0
"""A Conan recipe of the source tree that it lies in:

    conan create packaging/conan

The library's dependencies are private and compiled into it, so the package requires no other one. They are
those installed on the machine; `-o "kompute/*:fetch=True"` lets CMake fetch pinned releases of the
missing ones.
"""

import re
from pathlib import Path

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy
from conan.tools.scm import Version
from conan.tools.system.package_manager import Apt

required_conan_version = ">=2.0"


class Kompute(ConanFile):
    name = "kompute"
    description = "GPU compute over Vulkan, on any vendor's hardware"
    license = "Apache-2.0"
    topics = ("gpu", "gpgpu", "compute", "vulkan", "shader", "spir-v", "glsl")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fft": [True, False], "fetch": [True, False]}
    default_options = {"shared": False, "fft": True, "fetch": False}
    implements = ["auto_shared_fpic"]

    def _tree(self) -> Path:
        return Path(self.recipe_folder).parents[1]

    def set_version(self):
        header = (self._tree() / "include/kompute/Version.hpp").read_text()
        self.version = re.search(r'KOMPUTE_VERSION_STRING "(.+)"', header).group(1)

    def export_sources(self):
        for pattern in (
            "CMakeLists.txt",
            "LICENSE",
            "THIRD_PARTY_NOTICES.txt",
            "cmake/*",
            "include/*",
            "shaders/*",
            "src/*",
            "test/profiles/*",
        ):
            copy(self, pattern, self._tree(), self.export_sources_folder)

    def validate_build(self):
        oldest = {"gcc": "12", "clang": "14"}.get(str(self.settings.compiler))
        if oldest and Version(self.settings.compiler.version) < oldest:
            raise ConanInvalidConfiguration(
                f"building kompute needs {self.settings.compiler} {oldest} or newer, "
                f"not {self.settings.compiler.version}"
            )

    def validate(self):
        check_min_cppstd(self, 17)

    def system_requirements(self):
        packages = ["glslang-tools"]
        if not self.options.fetch:
            packages += [
                "glslang-dev",
                "libfmt-dev",
                "libspirv-cross-c-shared-dev",
                "libvulkan-dev",
                "libvulkan-memory-allocator-dev",
                "libvulkan-volk-dev",
                "nlohmann-json3-dev",
                "spirv-tools",
            ]
            if self.options.fft:
                packages.append("libvkfft-dev")
        Apt(self).install(packages, check=True)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["KOMPUTE_OPT_FETCH"] = bool(self.options.fetch)
        toolchain.cache_variables["KOMPUTE_OPT_FFT"] = bool(self.options.fft)
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        for name in ("LICENSE", "THIRD_PARTY_NOTICES.txt"):
            copy(self, name, self.source_folder, Path(self.package_folder) / "licenses")
        CMake(self).install()

    def package_info(self):
        # The library's own CMake package, which also has the functions that compile shaders.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = ["lib/cmake/kompute"]
        self.cpp_info.set_property("pkg_config_name", "kompute")
        self.cpp_info.libs = ["kompute"]
        if self.options.shared:
            self.cpp_info.defines = ["KOMPUTE_SHARED"]
        elif self.settings.os in ("Linux", "FreeBSD"):
            self.cpp_info.system_libs = ["dl", "pthread"]
            self.cpp_info.exelinkflags = ["-Wl,--gc-sections"]
