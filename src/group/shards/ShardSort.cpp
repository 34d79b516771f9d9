// SPDX-License-Identifier: Apache-2.0
#include "group/shards/ShardSort.hpp"

#include <cmath>
#include <utility>

#include <kompute/primitives/move/OpGather.hpp>
#include <kompute/primitives/sort/OpSort.hpp>

#include "base/Text.hpp"
#include "core/memory/MemoryImpl.hpp"
#include "group/shards/ShardWork.hpp"
#include "group/shards/SortSplit.hpp"

namespace kp::group {
namespace {

constexpr const char* kSortName = "DeviceGroup::sort";

/// A sort of the keys of some shards, and of values with them.
class ShardSort {
public:
    /// @param values  null: none
    ShardSort(const Buffer::Impl& keys, const Buffer::Impl* values, bool descending)
        : mGroup(keys.group), mType(keys.type.number), mDescending(descending), mFirst(mGroup),
          mLast(mGroup) {
        for (uint32_t copy = 0; copy < keys.copyCount(); ++copy)
            if (keys.rows[copy] > 0)
                addPart(keys.deviceOf(copy), keys.rows[copy], keys.copies[copy],
                        values ? values->copies[copy] : nullptr);
        for (Part& part : mParts)
            addSorts(part);
    }

    void run() {
        mFirst.run();
        if (mParts.size() == 1)
            return;
        const std::vector<std::vector<uint64_t>> splits = findSplits();
        ShardTransfers transfers;
        for (size_t to = 0; to < mParts.size(); ++to) {
            uint64_t place = 0;
            for (size_t from = 0; from < mParts.size(); ++from) {
                const uint64_t first = splits[to][from];
                const uint64_t count = splits[to + 1][from] - first;
                addTransfer(transfers, mParts[from], mParts[from].keys, first, mParts[to],
                            mParts[to].receivedKeys, place, count);
                if (mParts[to].values)
                    addTransfer(transfers, mParts[from], mParts[from].values, first, mParts[to],
                                mParts[to].receivedValues, place, count);
                place += count;
            }
        }
        transfers.run(*mGroup);
        mLast.run();
    }

private:
    struct Part {
        size_t device;
        uint64_t count;
        std::shared_ptr<Tensor> keys;
        std::shared_ptr<Tensor> values; ///< may be null
        std::shared_ptr<Tensor> receivedKeys;
        std::shared_ptr<Tensor> receivedValues;
        std::shared_ptr<Tensor> samples;
        uint64_t step;
    };

    void addPart(size_t device, uint64_t count, const std::shared_ptr<Tensor>& keys,
                 const std::shared_ptr<Tensor>& values) {
        Part part{device, count, keys, values, nullptr, nullptr, nullptr, 1};
        // As many samples as keys between two of them: both go to the host.
        part.step = static_cast<uint64_t>(std::sqrt(static_cast<double>(count)));
        mParts.push_back(std::move(part));
    }

    void addSorts(Part& part) {
        SortOptions options;
        options.descending = mDescending;
        mFirst.add(part.device, std::make_shared<OpSort>(part.keys, part.values, options));
        if (mParts.size() == 1)
            return;
        addSamples(part);
        part.receivedKeys = like(part, *part.keys);
        options.sortedKeys = part.keys;
        if (part.values) {
            part.receivedValues = like(part, *part.values);
            options.sortedValues = part.values;
        }
        mLast.add(part.device,
                  std::make_shared<OpSort>(part.receivedKeys, part.receivedValues, options));
    }

    void addSamples(Part& part) {
        std::vector<uint32_t> places; // a buffer has at most 2^30 elements
        for (uint64_t i = 0; i < part.count; i += part.step)
            places.push_back(static_cast<uint32_t>(i));
        const auto indices =
            scratchOn(*mGroup, part.device, places.size(), Memory::DataTypes::eUnsignedInt);
        indices->upload(places);
        part.samples = scratchOn(*mGroup, part.device, places.size(), mType);
        mFirst.add(part.device, std::make_shared<OpGather>(part.keys, indices, part.samples));
    }

    std::shared_ptr<Tensor> like(const Part& part, const Tensor& tensor) const {
        return mGroup->managers[part.device]->tensor(tensor.size(), tensor.dataTypeMemorySize(),
                                                     tensor.dataType(),
                                                     Memory::MemoryTypes::eStorage);
    }

    /// Returns the keys of a sorted part from `first` on.
    std::vector<uint64_t> keysOf(Tensor& keys, uint64_t first, uint64_t count) const {
        const uint64_t each = Memory::dataTypeMemorySize(mType);
        std::vector<unsigned char> bytes(count * each);
        if (count > 0)
            keys.download(bytes.data(), bytes.size(), first * each);
        return orderedKeys(bytes.data(), bytes.size(), mType, mDescending);
    }

    /// Returns the first key of each part for each destination, and the end of each part.
    std::vector<std::vector<uint64_t>> findSplits() const {
        std::vector<SortedSamples> lists;
        for (const Part& part : mParts)
            lists.push_back(
                {part.count, part.step, keysOf(*part.samples, 0, part.samples->size())});
        std::vector<std::vector<uint64_t>> splits(1, std::vector<uint64_t>(mParts.size(), 0));
        uint64_t rank = 0;
        for (size_t to = 0; to + 1 < mParts.size(); ++to) {
            rank += mParts[to].count;
            const std::vector<SplitRange> ranges = splitRanges(lists, rank);
            std::vector<std::vector<uint64_t>> keys;
            for (size_t i = 0; i < mParts.size(); ++i)
                keys.push_back(
                    keysOf(*mParts[i].keys, ranges[i].first, ranges[i].last - ranges[i].first));
            splits.push_back(exactSplit(ranges, keys, rank));
        }
        splits.emplace_back();
        for (const Part& part : mParts)
            splits.back().push_back(part.count);
        return splits;
    }

    static void addTransfer(ShardTransfers& transfers, const Part& from,
                            const std::shared_ptr<Tensor>& source, uint64_t first, const Part& to,
                            const std::shared_ptr<Tensor>& destination, uint64_t place,
                            uint64_t count) {
        const uint64_t each = source->dataTypeMemorySize();
        transfers.add(from.device, *source, first * each, to.device, *destination, place * each,
                      count * each);
    }

    const std::shared_ptr<DeviceGroup::Impl> mGroup;
    const Memory::DataTypes mType;
    const bool mDescending;
    std::vector<Part> mParts;
    ShardWork mFirst; ///< sorts each shard, and takes samples
    ShardWork mLast;  ///< merges each device's received keys
};

} // namespace

std::vector<Event> sortShards(const DeviceGroup::Impl& group, const Buffer::Impl& keys,
                              const Buffer::Impl* values, bool descending,
                              const std::vector<Event>& waitFor) {
    requireNumbers(keys, group, "DeviceGroup::sort takes keys that are");
    keys.requireWritable();
    requirePlacement(keys, true, "DeviceGroup::sort is of");
    if (keys.shape.size() > 1)
        fail<InvalidArgument>("{} is of a buffer of one dimension, not {}", kSortName,
                              keys.describe());
    std::vector<const Buffer::Impl*> buffers = {&keys};
    if (values) {
        values->requireWritable();
        if (values->group.get() != &group)
            fail<InvalidArgument>("{} takes buffers of its group, but {} is of another one",
                                  kSortName, values->describe());
        requirePlacement(*values, true, "DeviceGroup::sort moves");
        if (values == &keys || values->shape != keys.shape || values->rows != keys.rows)
            fail<InvalidArgument>("{}: the values must be another buffer with the shape and shards "
                                  "of the keys, [{}] in shards of ({}), but are {} in shards of "
                                  "({})",
                                  kSortName, join(keys.shape), join(keys.rows), values->describe(),
                                  join(values->rows));
        if (values->type.bytes() != 4 && values->type.bytes() != 8)
            fail<InvalidArgument>(
                "{} moves values of 4 or 8 bytes, but the values of {} have {}; sort "
                "indices and gather the values by them",
                kSortName, values->describe(), values->type.bytes());
        if (values->type.components() != 1)
            fail<InvalidArgument>("{} moves numbers or structs, not {}", kSortName,
                                  values->describe());
        buffers.push_back(values);
    }
    const auto work = std::make_shared<ShardSort>(keys, values, descending);
    return launchOn(buffers, waitFor, [work] { work->run(); });
}

} // namespace kp::group
