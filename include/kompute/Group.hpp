// SPDX-License-Identifier: Apache-2.0
#pragma once

// <kompute/Launch.hpp>, and device groups with the buffers and kernels that span them.

#include <kompute/Launch.hpp>

#include <kompute/group/Buffer.hpp>
#include <kompute/group/DeviceGroup.hpp>
#include <kompute/group/DeviceMove.hpp>
#include <kompute/group/ElementType.hpp>
#include <kompute/group/GroupKernel.hpp>
