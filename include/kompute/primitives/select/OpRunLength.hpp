// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kompute/primitives/Primitive.hpp>
#include <kompute/primitives/TensorRange.hpp>
#include <kompute/primitives/select/SelectOptions.hpp>

namespace kp {

/// Encodes runs of equal elements as their values and lengths.
///
///     sequence->record<kp::OpRunLength>(values, runValues, runLengths, runs);
///
/// **Types.** All. For which elements are equal, see OpUnique.
class KOMPUTE_API OpRunLength : public Primitive {
public:
    /// @param in       must not overlap with another argument
    /// @param values   the first element of each run. Of any size: runs that do not fit are
    ///                 dropped, but counted. The elements after the runs keep their values.
    /// @param lengths  of eUnsignedInt, eInt, eUnsignedLong or eLong, of any size
    /// @param runs     one of these types, the number of runs; may be empty
    /// @throws InvalidArgument if types or sizes do not match; Unsupported if the device lacks a
    ///         type; OutOfMemory
    OpRunLength(const TensorRange& in, const TensorRange& values, const TensorRange& lengths,
                const TensorRange& runs, const SelectOptions& options = {});
    ~OpRunLength() override;
};

} // namespace kp
