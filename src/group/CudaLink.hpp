// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "group/PeerLink.hpp"

namespace kp::group {

/// NVLink, or PCI Express from GPU to GPU, between NVIDIA's GPUs: by CUDA's driver library, which
/// comes with the display driver and is opened at run time. Linux only.
///
/// It uses each GPU's primary context, which a program's own CUDA code shares, from the first copy
/// until the process ends.
class CudaLink {
public:
    /// The one of this process, made at the first call. Null where the library is not installed or
    /// finds no GPU, and with KOMPUTE_CUDA=0.
    static std::shared_ptr<PeerLink> instance();
};

} // namespace kp::group
