// SPDX-License-Identifier: Apache-2.0
#include <kompute/primitives/sparse/OpSparseMatMul.hpp>

#include <memory>
#include <utility>
#include <vector>

#include <kompute/Error.hpp>

#include "base/Text.hpp"
#include "core/memory/MemoryImpl.hpp"
#include "primitives/dense/DenseArguments.hpp"
#include "primitives/plan/Axis.hpp"
#include "primitives/plan/KnownPlans.hpp"
#include "primitives/sparse/SparsePlan.hpp"

namespace kp {
namespace {

using primitives::Argument;
using DataTypes = Memory::DataTypes;

constexpr const char* kSparseName = "OpSparseMatMul";

/// Sets the type of numbers, which all of some arguments have.
void setNumbers(primitives::SparseProblem& problem, const Argument& first, const Argument& other) {
    const DataTypes type = first.range.tensor->dataType();
    const uint32_t bytes = implOf(*first.range.tensor).elementSize;
    if (type != other.range.tensor->dataType() || bytes != implOf(*other.range.tensor).elementSize)
        fail<InvalidArgument>("{}: {} and {} must have the same type, but are of {} ({} bytes) and "
                              "{} ({} bytes)",
                              kSparseName, first.name, other.name, Memory::toString(type), bytes,
                              Memory::toString(other.range.tensor->dataType()),
                              implOf(*other.range.tensor).elementSize);
    problem.isComplex = type == DataTypes::eCustom && (bytes == 8 || bytes == 16);
    if (!problem.isComplex && type != DataTypes::eFloat && type != DataTypes::eDouble)
        fail<InvalidArgument>("{}: {} are of {} ({} bytes), but must be of {}, {}, or complex "
                              "numbers: {} of 8 or 16 bytes",
                              kSparseName, first.name, Memory::toString(type), bytes,
                              Memory::toString(DataTypes::eFloat),
                              Memory::toString(DataTypes::eDouble),
                              Memory::toString(DataTypes::eCustom));
    const bool isDouble = type == DataTypes::eDouble || (problem.isComplex && bytes == 16);
    problem.part = isDouble ? DataTypes::eDouble : DataTypes::eFloat;
}

void requireCount(const Argument& argument, uint64_t needed, const char* reason) {
    const uint64_t given = primitives::elementsOf(argument.range);
    if (given != needed)
        fail<InvalidArgument>("{}: {} must have {}, {}, but {} were given", kSparseName,
                              argument.name, counted(needed, "element"), reason, given);
}

std::unique_ptr<primitives::BoundPlan>
sparsePlan(const TensorRange& offsets, const TensorRange& indices, const TensorRange& values,
           const TensorRange& x, const TensorRange& y, const SparseExtents& extents,
           const SparseOptions& options) {
    std::vector<Argument> arguments = {{offsets, "the offsets"},
                                       {indices, "the indices"},
                                       {values, "the values"},
                                       {x, "X"},
                                       {y, "Y", true}};
    const std::shared_ptr<vulkan::Device> device = primitives::deviceOf(arguments, kSparseName);
    primitives::requireExtents({extents.rows, extents.inner, extents.columns}, kSparseName);
    primitives::SparseProblem problem;
    setNumbers(problem, arguments[2], arguments[3]);
    setNumbers(problem, arguments[2], arguments[4]);
    problem.wideOffsets = primitives::indexTypeOf(arguments[0], kSparseName).wide;
    problem.wideIndices = primitives::indexTypeOf(arguments[1], kSparseName).wide;
    problem.rows = extents.rows;
    problem.inner = extents.inner;
    problem.columns = extents.columns;
    problem.nonzeros = primitives::elementsOf(indices);
    problem.method = options.method;
    requireCount(arguments[0], extents.rows + 1, "one more than rows");
    requireCount(arguments[2], problem.nonzeros, "as many as indices");
    requireCount(arguments[3], extents.inner * extents.columns, "inner times columns");
    requireCount(arguments[4], extents.rows * extents.columns, "rows times columns");
    for (size_t i = 0; i < 4; ++i)
        primitives::requireDisjoint(arguments[i], arguments[4], kSparseName);
    // The longest row decides about the method alone: matrices that differ in it share plans.
    problem.longestRow = options.longestRow;
    problem.method = primitives::sparseMethod(problem);
    problem.longestRow = 0;
    return primitives::boundPlan(device, problem, primitives::planSparse, std::move(arguments),
                                 kSparseName);
}

} // namespace

OpSparseMatMul::OpSparseMatMul(const TensorRange& offsets, const TensorRange& indices,
                               const TensorRange& values, const TensorRange& x,
                               const TensorRange& y, const SparseExtents& extents,
                               const SparseOptions& options)
    : Primitive(sparsePlan(offsets, indices, values, x, y, extents, options)) {}

OpSparseMatMul::~OpSparseMatMul() = default;

} // namespace kp
