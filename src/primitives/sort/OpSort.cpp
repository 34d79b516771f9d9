// SPDX-License-Identifier: Apache-2.0
#include <kompute/primitives/sort/OpSort.hpp>

#include <memory>
#include <utility>

#include <kompute/Error.hpp>

#include "base/Text.hpp"
#include "operations/GlslType.hpp"
#include "primitives/plan/Axis.hpp"
#include "primitives/plan/KnownPlans.hpp"
#include "primitives/sort/SortPlan.hpp"

namespace kp {
namespace {

using primitives::Argument;
using primitives::BoundPlan;
using primitives::elementsOf;
using primitives::SortProblem;

bool isSamePart(const TensorRange& a, const TensorRange& b) {
    return primitives::isSameMemory({a, ""}, {b, ""});
}

/// @param what  for messages: "values"
void requireAsManyAsKeys(const TensorRange& range, uint64_t keys, const char* what,
                         const char* operation) {
    if (elementsOf(range) != keys)
        fail<InvalidArgument>("{}: there are {} keys, but {} {}", operation, keys,
                              elementsOf(range), what);
}

void setBits(SortProblem& problem, const SortOptions& options, const char* operation) {
    const uint32_t bits = primitives::sortKeyBits(problem.keys);
    const uint32_t end = options.endBit == SortOptions::kAllBits ? bits : options.endBit;
    if (options.firstBit >= end || end > bits)
        fail<InvalidArgument>("{}: keys of {} have the bits 0 to {}; firstBit is {} and endBit {}, "
                              "but firstBit must be smaller than endBit, and endBit at most {}",
                              operation, Memory::toString(problem.keys), bits - 1, options.firstBit,
                              end, bits);
    problem.firstBit = options.firstBit;
    problem.bits = end - options.firstBit;
}

void setRows(SortProblem& problem, const SortOptions& options, const char* operation) {
    if (options.segments && options.rowLength > 0)
        fail<InvalidArgument>("{}: give either rowLength or segments, not both", operation);
    if (options.rowLength > 0 && problem.count % options.rowLength != 0)
        fail<InvalidArgument>("{}: {} keys are not rows of {}", operation, problem.count,
                              options.rowLength);
    problem.rowLength = options.rowLength;
    problem.descending = options.descending;
    problem.equalZeros = options.equalZeros;
}

/// @param values  with @p isIndices, the output for indices
std::unique_ptr<BoundPlan> sortPlan(const TensorRange& keys, const TensorRange& values,
                                    bool isIndices, const SortOptions& options,
                                    const char* operation) {
    // Checked one by one before they are compared.
    std::vector<Argument> given = {{keys, "the tensor of keys"}};
    const auto add = [&](const TensorRange& range, const char* name) {
        if (range)
            given.push_back({range, name});
    };
    if (isIndices)
        given.push_back({values, "the tensor of indices"});
    else
        add(values, "the tensor of values");
    add(options.sortedKeys, "the tensor of sorted keys");
    add(options.sortedValues, "the tensor of sorted values");
    add(options.segments, "the offsets");
    const std::shared_ptr<vulkan::Device> device = primitives::deviceOf(given, operation);

    SortProblem problem;
    problem.keys = keys.tensor->dataType();
    problem.count = elementsOf(keys);
    glslTypeOf(problem.keys, "sorted");
    setBits(problem, options, operation);
    setRows(problem, options, operation);

    std::vector<Argument> arguments = {{keys, "the tensor of keys"}};
    std::vector<size_t> outputs;
    const auto addOutput = [&](const TensorRange& range, const char* name) {
        outputs.push_back(arguments.size());
        arguments.push_back({range, name});
    };
    problem.discardKeys = isIndices && !options.sortedKeys;
    problem.keysInPlace =
        !problem.discardKeys && (!options.sortedKeys || isSamePart(keys, options.sortedKeys));
    if (problem.keysInPlace)
        outputs.push_back(0);
    if (options.sortedKeys) {
        requireAsManyAsKeys(options.sortedKeys, problem.count, "places for sorted keys", operation);
        const Memory::DataTypes type = options.sortedKeys.tensor->dataType();
        if (type != problem.keys)
            fail<InvalidArgument>("{}: keys of {} cannot go to a tensor of {}", operation,
                                  Memory::toString(problem.keys), Memory::toString(type));
        if (!problem.keysInPlace)
            addOutput(options.sortedKeys, "the tensor of sorted keys");
    }
    if (options.sortedValues && (isIndices || !values))
        fail<InvalidArgument>("{}: sortedValues is given, but there are no values", operation);
    if (isIndices) {
        requireAsManyAsKeys(values, problem.count, "places for indices", operation);
        problem.valueBytes = primitives::indexBytes(
            {values, "the indices"}, problem.rowLength > 0 ? problem.rowLength : problem.count,
            operation);
        problem.indices = true;
        addOutput(values, "the tensor of indices");
    } else if (values) {
        requireAsManyAsKeys(values, problem.count, "values", operation);
        problem.valueBytes = values.tensor->dataTypeMemorySize();
        if (problem.valueBytes != 4 && problem.valueBytes != 8)
            fail<InvalidArgument>("{}: values have 4 or 8 bytes, but these have {}; sort indices "
                                  "with OpArgSort instead, and gather the values by them",
                                  operation, problem.valueBytes);
        problem.valuesInPlace = !options.sortedValues || isSamePart(values, options.sortedValues);
        if (problem.valuesInPlace)
            outputs.push_back(arguments.size());
        arguments.push_back({values, "the tensor of values"});
        if (options.sortedValues) {
            requireAsManyAsKeys(options.sortedValues, problem.count, "places for sorted values",
                                operation);
            const uint32_t bytes = options.sortedValues.tensor->dataTypeMemorySize();
            if (bytes != problem.valueBytes)
                fail<InvalidArgument>("{}: values of {} bytes cannot go to elements of {} bytes",
                                      operation, problem.valueBytes, bytes);
            if (!problem.valuesInPlace)
                addOutput(options.sortedValues, "the tensor of sorted values");
        }
    }
    if (options.segments) {
        arguments.push_back({options.segments, "the offsets"});
        problem.segments = primitives::segmentsOf(arguments.back(), operation);
    }
    for (const size_t output : outputs)
        for (size_t other = 0; other < arguments.size(); ++other)
            if (other != output)
                primitives::requireDisjoint(arguments[output], arguments[other], operation);

    return primitives::boundPlan(device, problem, primitives::planSort, std::move(arguments),
                                 operation);
}

} // namespace

OpSort::OpSort(const TensorRange& keys, const TensorRange& values, const SortOptions& options)
    : Primitive(sortPlan(keys, values, false, options, "OpSort")) {}

OpSort::~OpSort() = default;

OpArgSort::OpArgSort(const TensorRange& keys, const TensorRange& indices,
                     const SortOptions& options)
    : Primitive(sortPlan(keys, indices, true, options, "OpArgSort")) {}

OpArgSort::~OpArgSort() = default;

} // namespace kp
