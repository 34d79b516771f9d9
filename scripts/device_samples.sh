# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034
#
# The tests that the step devices of scripts/test.sh runs on other devices than the default one. The
# lists grow with what works there: a suite is added here, and nowhere else.

# Profiles: the least that Vulkan allows always, and of each of these rows one, which depends on the commit.
always_profile=vulkan-1.1-least
first_profiles=(raspberry-pi-5 adreno-7xx mali-g7xx)
second_profiles=(amd-rdna3 apple-m intel-arc)

# Suites of kompute_device_tests, as filters of GoogleTest, and the part of their tests that runs: one of so many.
device_suites="DeviceProfileTest.*:TensorTest.*:AlgorithmTest.*:SequenceTest.*:CopyTest.*:FillTest.*:ManagerTest.*"
device_suites="$device_suites:DescriptorTest.*:HazardTest.*:ShaderArgument.*:IndirectTest.*:ReorderTest.*"
device_suites="$device_suites:FeatureTest.*:AlgorithmOptionsTest.*:BufferKernel.*:MemoryProfileTest.*"
device_suites="$device_suites:CheckedAccess.*:ArrayBuffersTest.*:PrimitiveDeviceTest.WorksWithSubgroupsOf64And128"
device_parts=2

# Python tests, as arguments of pytest, and the part of them that runs.
python_files="core/test_devices.py"
python_files="$python_files arrays/test_default_float.py::test_devices_without_float64_have_float32_and_say_so_once"
python_parts=2

# Python tests of arrays, whose types the devices lack in part, with NumPy's float64 as the default float. Left out is
# what SwiftShader ends the process with (normal random numbers of float32, functions of float64).
array_files="functions/test_array_indexing.py primitives/test_movement.py"
array_files="$array_files functions/test_numpy_operators.py::test_operators_of_flags_have_numpys_types"
array_parts=30
