// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/Classes.hpp"

namespace kp::python {

/// Returns a DLPack capsule (device kDLCUDA) of a view of a shared tensor. The capsule keeps the
/// memory, also when the tensor is destroyed.
/// @param strides    in elements, as @p offset
/// @param versioned  of DLPack 1.0, else of the versions before
/// @param copied     whether the memory is an exclusive copy, which versioned capsules state
/// @throws BufferError for a dtype that DLPack lacks, InvalidArgument unless it is shared
py::capsule cudaDlpack(py::handle tensor, const std::vector<int64_t>& shape,
                       const std::vector<int64_t>& strides, uint64_t offset, bool versioned,
                       bool copied);

/// Returns the contents of a capsule: (address, (device type, device), dtype code, bits, shape,
/// strides in elements or None, read-only). The capsule stays as it is, so it still owns the
/// memory.
/// @throws BufferError for a capsule that was consumed, of an unknown version, or of vectors
py::tuple readDlpack(const py::capsule& capsule);

} // namespace kp::python
