// SPDX-License-Identifier: Apache-2.0
#pragma once

// The one place where Vulkan's C headers come in. The generated header renames every global that
// volk defines (vkCmdCopyBuffer becomes kp_vkCmdCopyBuffer, ...), so that a host program may link
// libvulkan or a volk of its own beside this library.
#include "kompute_volk_names.h"

#ifndef VK_NO_PROTOTYPES
#define VK_NO_PROTOTYPES
#endif
#include <volk.h>
