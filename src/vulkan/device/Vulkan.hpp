// SPDX-License-Identifier: Apache-2.0
#pragma once

// The only inclusion of Vulkan's C headers. The generated header renames every global that volk
// defines (vkCmdCopyBuffer becomes kp_vkCmdCopyBuffer, ...), so that a host application may link
// libvulkan, or its own volk, beside this library.
#include "kompute_volk_names.h"

#ifndef VK_NO_PROTOTYPES
#define VK_NO_PROTOTYPES
#endif
#include <volk.h>
