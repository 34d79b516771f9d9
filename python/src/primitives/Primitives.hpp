// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kompute/Primitives.hpp>

#include "base/Gil.hpp"
#include "base/Handles.hpp"
#include "core/Operations.hpp"

/// Arguments of the primitives. Their constructors compile shaders, and so run without the GIL.
namespace kp::python {

/// A tensor argument of a primitive.
struct RangeArgument {
    TensorHandle* handle = nullptr; ///< null for None
    TensorRange range;
    std::vector<uint64_t> shape; ///< of the range: the tensor's, or one extent for a part of it
};

/// Returns an argument that is a tensor, or a tuple (tensor, first) or (tensor, first, count) for a
/// part of it. @throws TypeError, ValueError naming @p argument
RangeArgument toRange(py::handle object, const char* argument);
/// Same, or None.
RangeArgument toOptionalRange(py::handle object, const char* argument);

/// Returns the operation of a name: "sum", "product", ... @throws InvalidArgument
ReduceOperation toReduceOperation(const std::string& name, const char* argument);
/// Returns an operator: a name, or a pair of GLSL texts (expression, identity).
/// @throws TypeError, InvalidArgument naming @p argument
Operator toOperator(py::handle object, const char* argument);
/// Returns the part of a convolution of a name: "full", "same" or "valid". @throws InvalidArgument
ConvolutionPart toConvolutionPart(const std::string& mode);

inline Determinism toDeterminism(bool deterministic) {
    return deterministic ? Determinism::eRunToRun : Determinism::eNone;
}

/// Returns the extents around and along an axis of the range: outer, length and inner, so that
/// arrays may have any number of dimensions. @throws ValueError if there is no such axis
std::vector<uint64_t> shapeAlong(const RangeArgument& range, int64_t axis);

/// Sets where a selection writes the work groups of an indirect dispatch over its results.
/// @param tensors  gets the argument `dispatch`
/// @throws TypeError, ValueError
void setDispatch(std::vector<RangeArgument>& tensors, SelectOptions& options,
                 const py::object& dispatch, const py::object& groupSize);

/// Returns a primitive, constructed without the GIL while its tensors are marked as used.
template <typename Op, typename... Args>
std::unique_ptr<HandleOf<Op>> makePrimitive(const std::vector<RangeArgument>& tensors,
                                            Args&&... args) {
    std::vector<MemoryHandle*> handles;
    for (const RangeArgument& tensor : tensors)
        if (tensor.handle)
            handles.push_back(tensor.handle);
    const Uses uses(handles);
    const ReleaseGil release;
    return std::make_unique<HandleOf<Op>>(std::forward<Args>(args)...);
}

/// Binds the primitives of dense linear algebra.
void bindDense(py::module_& module);
/// Binds OpGather and OpScatter.
void bindGather(py::module_& module);
void bindHistogram(py::module_& module);
void bindFft(py::module_& module);
void bindMatMul(py::module_& module);
/// Returns the distribution of a name, or of a tuple of a name and parameters.
Distribution toDistribution(py::handle object);
/// Binds OpRandom and OpPermutation.
void bindRandom(py::module_& module);
void bindReduce(py::module_& module);
void bindScan(py::module_& module);
void bindSearchSorted(py::module_& module);
/// Binds OpSelect and OpPartition.
void bindSelect(py::module_& module);
/// Binds OpSort and OpArgSort.
void bindSort(py::module_& module);
void bindSparseMatMul(py::module_& module);
void bindTopK(py::module_& module);
/// Binds OpTranspose, OpReverse and OpConcatenate.
void bindTranspose(py::module_& module);
/// Binds OpUnique and OpRunLength.
void bindUnique(py::module_& module);

} // namespace kp::python
