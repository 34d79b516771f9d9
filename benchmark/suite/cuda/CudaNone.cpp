// SPDX-License-Identifier: Apache-2.0
#include "Cuda.hpp"

namespace kp::benchmark {

std::unique_ptr<Cuda> Cuda::create(const std::string&, std::string& why) {
    why = "the benchmarks were built without nvcc";
    return nullptr;
}

} // namespace kp::benchmark
