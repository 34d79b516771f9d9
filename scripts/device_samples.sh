# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034
#
# What the step devices of scripts/test.sh runs on other devices than the default one. The lists grow with what works
# there: a suite is added here, and nowhere else. Primitives and most files of Python tests are missing, because they
# use numbers of 8, 16 and 64 bits, which these devices lack.

# Profiles: the least that Vulkan allows always, and of each of these rows one, which depends on the commit.
always_profile=vulkan-1.1-least
first_profiles=(raspberry-pi-5 adreno-7xx mali-g7xx)
second_profiles=(amd-rdna3 apple-m intel-arc)

# Suites of kompute_device_tests, as filters of GoogleTest, and the part of their tests that runs: one of so many.
device_suites="DeviceProfileTest.*:TensorTest.*:AlgorithmTest.*:SequenceTest.*:CopyTest.*:FillTest.*:ManagerTest.*"
device_suites="$device_suites:DescriptorTest.*:HazardTest.*:ShaderArgument.*:IndirectTest.*:ReorderTest.*"
device_suites="$device_suites:FeatureTest.*:AlgorithmOptionsTest.*:BufferKernel.*"
device_parts=2

# Python tests, as arguments of pytest, and the part of them that runs.
python_files="test_devices.py"
python_files="$python_files test_default_float.py::test_devices_without_float64_have_float32_and_say_so_once"
python_parts=2
