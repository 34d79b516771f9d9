// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "cuda/PeerLink.hpp"

namespace kp::cuda {

/// Returns this process's link between NVIDIA GPUs, over NVLink or PCI Express, which the first
/// call opens. Linux only. Null if CUDA's driver library, which is part of the display driver, is
/// not installed or finds no GPU, and with KOMPUTE_CUDA=0.
///
/// From its first copy until the process ends, the link uses the primary context of each GPU, which
/// CUDA code of the program shares.
const std::shared_ptr<PeerLink>& cudaLink();

} // namespace kp::cuda
