// SPDX-License-Identifier: Apache-2.0
#include "group/shards/ShardReduce.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <kompute/primitives/matrices/OpMatMul.hpp>
#include <kompute/primitives/reduce/OpReduce.hpp>

#include "base/Text.hpp"
#include "group/shards/ShardWork.hpp"
#include "operations/GlslType.hpp"
#include "primitives/plan/Axis.hpp"

namespace kp::group {
namespace {

using DataTypes = Memory::DataTypes;
using TensorPointer = std::shared_ptr<Tensor>;

constexpr const char* kReduceName = "DeviceGroup::reduce";

/// How the results of the shards are combined.
struct Combination {
    Operator partial;      ///< reduces a shard
    DataTypes partialType; ///< of its results
    Operator final;        ///< reduces these
    bool isMean = false;   ///< the result is to be divided by the number of elements
};

Combination combinationOf(const Operator& combine, DataTypes in, DataTypes out) {
    const DataTypes computed = glslTypeOf(out, "results").computed;
    if (combine.isExpression())
        return {combine, computed, combine};
    switch (combine.operation) {
    case ReduceOperation::eMean:
        return {ReduceOperation::eSum, computed, ReduceOperation::eSum, true};
    case ReduceOperation::eCountNonZero:
        return {combine, computed, ReduceOperation::eSum};
    case ReduceOperation::eAny:
    case ReduceOperation::eAll:
        return {combine, DataTypes::eUnsignedInt, combine};
    case ReduceOperation::eArgMinimum:
        return {ReduceOperation::eMinimum, in, combine};
    case ReduceOperation::eArgMaximum:
        return {ReduceOperation::eMaximum, in, combine};
    case ReduceOperation::eSum:
    case ReduceOperation::eProduct:
        return {combine, computed, combine};
    default:
        return {combine, in, combine};
    }
}

bool isArgument(const Operator& combine) {
    return !combine.isExpression() && (combine.operation == ReduceOperation::eArgMinimum ||
                                       combine.operation == ReduceOperation::eArgMaximum);
}

/// A reduction across the rows of the shards: of all elements, or along axis 0.
class AcrossShards {
public:
    /// @param whole  all elements of a shard have one result; otherwise each column has one
    AcrossShards(const Buffer::Impl& in, const Buffer::Impl& out, const Operator& combine,
                 bool whole)
        : mGroup(in.group), mCombine(combine),
          mCombination(combinationOf(combine, in.type.number, out.type.number)),
          mOutType(out.type.number), mResults(whole ? 1 : in.elements() / in.shape[0]),
          mCount(in.elements() / mResults), mFirst(mGroup), mLast(mGroup) {
        for (uint32_t copy = 0; copy < in.copyCount(); ++copy)
            if (in.rows[copy] > 0)
                addShard(in, copy);
        for (uint32_t copy = 0; copy < out.copyCount(); ++copy)
            addResult(out.deviceOf(copy), out.copies[copy]);
    }

    void run() {
        mFirst.run();
        mTransfers.run(*mGroup);
        mLast.run();
        if (isArgument(mCombine))
            writeIndices();
    }

private:
    struct Part {
        size_t device;
        TensorPointer partial;
        TensorPointer indices; ///< within the shard; null unless needed
        uint64_t first;        ///< index of its first element in the whole buffer
    };

    void addShard(const Buffer::Impl& in, uint32_t copy) {
        const size_t device = in.deviceOf(copy);
        const TensorPointer& shard = in.copies[copy];
        const uint64_t length = in.bytesOf(copy) / in.type.bytes() / mResults;
        ReduceOptions options;
        options.shape = {length, mResults};
        options.axis = 0;
        Part part{device, scratchOn(*mGroup, device, mResults, mCombination.partialType), nullptr,
                  in.wholeOffset(copy) / in.type.bytes() / mResults};
        mFirst.add(device,
                   std::make_shared<OpReduce>(shard, part.partial, mCombination.partial, options));
        if (isArgument(mCombine)) {
            part.indices = scratchOn(*mGroup, device, mResults, mOutType);
            mFirst.add(device, std::make_shared<OpReduce>(shard, part.indices, mCombine, options));
        }
        mParts.push_back(std::move(part));
    }

    /// Brings the results of the shards to a copy of the output and combines them there.
    void addResult(size_t device, const TensorPointer& out) {
        mOutputs.push_back(out);
        if (isArgument(mCombine) && mOutputs.size() > 1)
            return; // the first device finds the shard for all
        const TensorPointer all =
            scratchOn(*mGroup, device, mParts.size() * mResults, mCombination.partialType);
        const uint64_t bytes = mResults * Memory::dataTypeMemorySize(mCombination.partialType);
        for (size_t i = 0; i < mParts.size(); ++i)
            mTransfers.add(mParts[i].device, *mParts[i].partial, 0, device, *all, i * bytes, bytes);
        if (mCombination.isMean)
            return addMean(device, all, out);
        TensorPointer result = out;
        if (isArgument(mCombine))
            result = mShardOf = scratchOn(*mGroup, device, mResults, DataTypes::eUnsignedInt);
        addReduction(device, all, result, mCombination.final);
    }

    void addReduction(size_t device, const TensorPointer& all, const TensorPointer& result,
                      const Operator& combine) {
        ReduceOptions options;
        options.shape = {all->size() / mResults, mResults};
        options.axis = 0;
        mLast.add(device, std::make_shared<OpReduce>(all, result, combine, options));
    }

    void addMean(size_t device, const TensorPointer& sums, const TensorPointer& out) {
        const DataTypes type = mCombination.partialType;
        const TensorPointer sum = scratchOn(*mGroup, device, mResults, type);
        addReduction(device, sums, sum, ReduceOperation::eSum);
        // A product with the matrix 1, whose epilogue divides.
        const TensorPointer one = scratchOn(*mGroup, device, 1, type);
        if (type == DataTypes::eDouble)
            one->upload(std::vector<double>{1.0});
        else
            one->upload(std::vector<float>{1.0f});
        MatMulOptions divide;
        divide.epilogue = formatted("c / {}", mCount);
        const bool direct = type == mOutType;
        const TensorPointer mean = direct ? out : scratchOn(*mGroup, device, mResults, type);
        mLast.add(device, std::make_shared<OpMatMul>(one, sum, mean, MatrixExtents{1, mResults, 1},
                                                     divide));
        if (!direct)
            addReduction(device, mean, out, ReduceOperation::eSum); // rounds
    }

    void writeIndices() const {
        const auto shardOf = downloaded<uint32_t>(*mShardOf);
        if (Memory::dataTypeMemorySize(mOutType) == 8)
            writeIndicesOf<uint64_t>(shardOf);
        else
            writeIndicesOf<uint32_t>(shardOf);
    }

    template <typename T>
    void writeIndicesOf(const std::vector<uint32_t>& shardOf) const {
        std::vector<std::vector<T>> indices;
        for (const Part& part : mParts)
            indices.push_back(downloaded<T>(*part.indices));
        std::vector<T> found(mResults);
        for (uint64_t i = 0; i < mResults; ++i)
            found[i] = static_cast<T>(indices[shardOf[i]][i] + mParts[shardOf[i]].first);
        for (const TensorPointer& out : mOutputs)
            out->upload(found.data(), found.size() * sizeof(T));
    }

    template <typename T>
    static std::vector<T> downloaded(Tensor& tensor) {
        std::vector<T> values(tensor.size());
        tensor.download(values.data(), values.size() * sizeof(T));
        return values;
    }

    const std::shared_ptr<DeviceGroup::Impl> mGroup;
    const Operator mCombine;
    const Combination mCombination;
    const DataTypes mOutType;
    const uint64_t mResults;
    const uint64_t mCount; ///< elements of a result
    ShardWork mFirst;      ///< of each shard
    ShardTransfers mTransfers;
    ShardWork mLast; ///< of the shards' results
    std::vector<Part> mParts;
    std::vector<TensorPointer> mOutputs;
    TensorPointer mShardOf; ///< of each result, the part with the wanted element
};

void requireShape(const Buffer::Impl& out, const std::vector<uint64_t>& wanted) {
    uint64_t elements = 1;
    for (const uint64_t extent : wanted)
        elements *= extent;
    if (out.elements() != elements)
        fail<InvalidArgument>("{}: the result has {}, but the output is {}", kReduceName,
                              counted(elements, "element"), out.describe());
}

/// Reductions of rows, each of which one device has.
std::vector<Event> reduceWithin(const Buffer::Impl& in, const Buffer::Impl& out,
                                const Operator& combine, size_t axis,
                                const std::vector<Event>& waitFor) {
    requirePlacement(out, true, "DeviceGroup::reduce of rows is to");
    if (out.rows != in.rows)
        fail<InvalidArgument>("{}: the shards of the input have ({}) rows, but the output's "
                              "({})",
                              kReduceName, join(in.rows), join(out.rows));
    auto work = std::make_shared<ShardWork>(in.group);
    for (uint32_t copy = 0; copy < in.copyCount(); ++copy) {
        if (in.rows[copy] == 0)
            continue;
        ReduceOptions options;
        options.shape = in.shape;
        options.shape[0] = in.rows[copy];
        options.axis = static_cast<int>(axis);
        work->add(in.deviceOf(copy),
                  std::make_shared<OpReduce>(in.copies[copy], out.copies[copy], combine, options));
    }
    return launchOn({&in, &out}, waitFor, [work] { work->run(); });
}

} // namespace

std::vector<Event> reduceShards(const DeviceGroup::Impl& group, const Buffer::Impl& in,
                                const Buffer::Impl& out, const Operator& combine,
                                std::optional<int> axis, const std::vector<Event>& waitFor) {
    requireNumbers(in, group, "DeviceGroup::reduce takes");
    requireNumbers(out, group, "DeviceGroup::reduce takes");
    out.requireWritable();
    if (&in == &out)
        fail<InvalidArgument>("{}: the input and the output are the same buffer", kReduceName);
    requirePlacement(in, true, "DeviceGroup::reduce is of");
    std::optional<size_t> number;
    if (axis)
        number = primitives::axisNumber(*axis, in.shape.size(), kReduceName);
    std::vector<uint64_t> shape;
    if (number)
        shape = in.shape;
    if (number)
        shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(*number));
    requireShape(out, shape);
    if (number && *number > 0)
        return reduceWithin(in, out, combine, *number, waitFor);
    requirePlacement(out, false, "DeviceGroup::reduce across shards is to");
    const auto work = std::make_shared<AcrossShards>(in, out, combine, !number);
    return launchOn({&in, &out}, waitFor, [work] { work->run(); });
}

} // namespace kp::group
