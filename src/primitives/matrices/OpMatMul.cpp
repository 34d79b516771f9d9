// SPDX-License-Identifier: Apache-2.0
#include <kompute/primitives/matrices/OpMatMul.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include <kompute/Error.hpp>

#include "base/Text.hpp"
#include "core/memory/MemoryImpl.hpp"
#include "operations/GlslType.hpp"
#include "primitives/matrices/MatMulPlan.hpp"
#include "primitives/plan/KnownPlans.hpp"
#include "shader/limits/SourceTokens.hpp"
#include "vulkan/memory/Buffer.hpp"

namespace kp {
namespace {

using primitives::Argument;
using primitives::StoredMatrix;

constexpr const char* kMatMul = "OpMatMul";

/// The layout of a given matrix.
struct GivenMatrix {
    const Argument& argument;
    uint64_t rows; ///< stored
    uint64_t columns;
    std::optional<uint64_t> stride;
    std::optional<uint64_t> batchStride;
};

/// @throws InvalidArgument if the tensor does not have the matrices' elements
StoredMatrix storedMatrix(const GivenMatrix& given, uint64_t batches) {
    StoredMatrix matrix;
    const char* const name = given.argument.name;
    matrix.stride = given.stride.value_or(given.columns);
    if (matrix.stride < given.columns && given.rows > 1)
        fail<InvalidArgument>("{}: the rows of {} have {} elements, but begin only {} elements "
                              "apart",
                              kMatMul, name, given.columns, matrix.stride);
    const auto needed = [&](uint64_t count, uint64_t stride, uint64_t length) {
        if (count > 1 && stride > (UINT64_MAX - length) / (count - 1))
            fail<InvalidArgument>("{}: {} has more than 2^64 elements", kMatMul, name);
        return (count - 1) * stride + length;
    };
    const bool isEmpty = given.rows == 0 || given.columns == 0 || batches == 0;
    const uint64_t span = isEmpty ? 0 : needed(given.rows, matrix.stride, given.columns);
    matrix.batchStride = given.batchStride.value_or(span);
    const uint64_t all = isEmpty ? 0 : needed(batches, matrix.batchStride, span);
    const uint64_t elements = primitives::elementsOf(given.argument.range);
    if (all > elements)
        fail<InvalidArgument>("{}: {} is {} matrices of {} x {} in {} elements, but {} were given",
                              kMatMul, name, batches, given.rows, given.columns, all, elements);
    const Memory::Impl& impl = implOf(*given.argument.range.tensor);
    const uint64_t start =
        impl.buffer->offset() + given.argument.range.first * uint64_t{impl.elementSize};
    matrix.alignment = static_cast<uint32_t>(std::gcd(start / impl.elementSize, uint64_t{8}));
    return matrix;
}

/// @throws InvalidArgument if elements of C have the same place
void requireApart(const StoredMatrix& c, const MatrixExtents& extents, uint64_t batches) {
    if (batches <= 1 || extents.rows == 0 || extents.columns == 0)
        return;
    const uint64_t span = (extents.rows - 1) * c.stride + extents.columns;
    const bool oneAfterAnother = c.batchStride >= span;
    const bool interleaved =
        c.batchStride >= extents.columns &&
        (extents.rows == 1 || (batches - 1) * c.batchStride + extents.columns <= c.stride);
    if (!oneAfterAnother && !interleaved)
        fail<InvalidArgument>("{}: the {} matrices C overlap: each spans {} elements, but they "
                              "begin only {} apart",
                              kMatMul, batches, span, c.batchStride);
}

void requireMatMulTypes(const TensorRange& a, const TensorRange& b, const TensorRange& c,
                        const MatMulOptions& options) {
    const Memory::DataTypes in = a.tensor->dataType();
    const Memory::DataTypes out = c.tensor->dataType();
    const Memory::DataTypes sum = primitives::matMulSumType(in);
    if (b.tensor->dataType() != in)
        fail<InvalidArgument>("{}: A is of {} and B of {}; both must have the same type", kMatMul,
                              Memory::toString(in), Memory::toString(b.tensor->dataType()));
    if (out != in && out != sum)
        fail<InvalidArgument>("{}: C is of {}, but products of {} need {}{}{}", kMatMul,
                              Memory::toString(out), Memory::toString(in), Memory::toString(in),
                              in == sum ? "" : " or ", in == sum ? "" : Memory::toString(sum));
    if (options.bias && options.bias.tensor->dataType() != out)
        fail<InvalidArgument>("{}: the bias is of {}, but must be of C's type {}", kMatMul,
                              Memory::toString(options.bias.tensor->dataType()),
                              Memory::toString(out));
    if (sum == Memory::DataTypes::eFloat || sum == Memory::DataTypes::eDouble)
        return;
    for (const double factor : {options.alpha, options.beta})
        if (factor != std::floor(factor) || std::abs(factor) >= 0x1p63)
            fail<InvalidArgument>("{}: alpha and beta of integers must be whole numbers of at most "
                                  "63 bits, not {}",
                                  kMatMul, factor);
}

bool mentionsBias(std::string_view glsl) {
    return std::ranges::any_of(shader::tokensOf(glsl),
                               [](const auto& token) { return token.text == "bias"; });
}

std::unique_ptr<primitives::BoundPlan> matMulPlan(const TensorRange& a, const TensorRange& b,
                                                  const TensorRange& c,
                                                  const MatrixExtents& extents,
                                                  const MatMulOptions& options) {
    std::vector<Argument> arguments = {{a, "A"}, {b, "B"}, {c, "C", options.beta == 0}};
    if (options.bias)
        arguments.push_back({options.bias, "the bias"});
    const std::shared_ptr<vulkan::Device> device = primitives::deviceOf(arguments, kMatMul);
    for (size_t i = 0; i < arguments.size(); ++i)
        if (i != 2)
            primitives::requireDisjoint(arguments[i], arguments[2], kMatMul);
    requireMatMulTypes(a, b, c, options);
    for (const uint64_t extent : {extents.rows, extents.columns, extents.inner, options.batches})
        if (extent > UINT32_MAX)
            fail<InvalidArgument>("{}: an extent is {}, but at most 2^32 - 1 are supported",
                                  kMatMul, extent);
    primitives::MatMulProblem problem;
    problem.in = a.tensor->dataType();
    problem.out = c.tensor->dataType();
    problem.rows = extents.rows;
    problem.columns = extents.columns;
    problem.inner = extents.inner;
    problem.batches = options.batches;
    problem.transposeA = options.transposeA;
    problem.transposeB = options.transposeB;
    problem.a = storedMatrix({arguments[0], options.transposeA ? extents.inner : extents.rows,
                              options.transposeA ? extents.rows : extents.inner, options.strideA,
                              options.batchStrideA},
                             options.batches);
    problem.b = storedMatrix({arguments[1], options.transposeB ? extents.columns : extents.inner,
                              options.transposeB ? extents.inner : extents.columns, options.strideB,
                              options.batchStrideB},
                             options.batches);
    problem.c = storedMatrix(
        {arguments[2], extents.rows, extents.columns, options.strideC, options.batchStrideC},
        options.batches);
    requireApart(problem.c, extents, options.batches);
    problem.alpha = options.alpha;
    problem.beta = options.beta;
    problem.epilogue = options.epilogue;
    problem.hasBias = static_cast<bool>(options.bias);
    problem.biasOfRows = options.biasOfRows;
    if (!problem.hasBias && mentionsBias(options.epilogue))
        fail<InvalidArgument>("{}: the epilogue '{}' has a bias, but none was given", kMatMul,
                              options.epilogue);
    if (problem.hasBias) {
        const uint64_t wanted = options.biasOfRows ? extents.rows : extents.columns;
        const uint64_t given = primitives::elementsOf(options.bias);
        if (given != wanted)
            fail<InvalidArgument>("{}: C has {} {}, but the bias has {}", kMatMul, wanted,
                                  options.biasOfRows ? "rows" : "columns",
                                  counted(given, "element"));
    }
    return primitives::boundPlan(device, problem, primitives::planMatMul, std::move(arguments),
                                 kMatMul);
}

} // namespace

OpMatMul::OpMatMul(const TensorRange& a, const TensorRange& b, const TensorRange& c,
                   const MatrixExtents& extents, const MatMulOptions& options)
    : Primitive(matMulPlan(a, b, c, extents, options)) {}

OpMatMul::~OpMatMul() = default;

} // namespace kp
