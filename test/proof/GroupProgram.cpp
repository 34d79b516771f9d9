// SPDX-License-Identifier: Apache-2.0
#include "GroupProgram.hpp"

#include <algorithm>
#include <functional>
#include <optional>

#include "proof/ExpectEqual.hpp"

namespace kp::proof {

using kp::BufferPlacement;

namespace {

struct Reduction {
    kp::ReduceOperation operation;
    uint32_t (*combine)(uint32_t, uint32_t);
};

constexpr Reduction kReductions[] = {
    {kp::ReduceOperation::eSum, [](uint32_t a, uint32_t b) { return a + b; }},
    {kp::ReduceOperation::eProduct, [](uint32_t a, uint32_t b) { return a * b; }},
    {kp::ReduceOperation::eMinimum, [](uint32_t a, uint32_t b) { return std::min(a, b); }},
    {kp::ReduceOperation::eMaximum, [](uint32_t a, uint32_t b) { return std::max(a, b); }},
    {kp::ReduceOperation::eAnd, [](uint32_t a, uint32_t b) { return a & b; }},
    {kp::ReduceOperation::eOr, [](uint32_t a, uint32_t b) { return a | b; }},
    {kp::ReduceOperation::eXor, [](uint32_t a, uint32_t b) { return a ^ b; }}};

const char* const kUpdateShader = R"(#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer A { uint a[]; };
layout(push_constant) uniform P { uint x; uint kp_shard_shape; uint kp_shard_offset;
                                  uint kp_shard_index; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < kp_shard_shape) a[i] = a[i] * x + i + kp_shard_offset * 3u + kp_shard_index;
})";

const char* const kCombineShader = R"(#version 450
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) buffer B { uint b[]; };
layout(push_constant) uniform P { uint x; uint kp_shard_shape; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < kp_shard_shape) b[i] = (a[i] + x) ^ (b[i] * 5u);
})";

} // namespace

GroupProgram::GroupProgram(kp::DeviceGroup& group, Random random, std::string* trace)
    : mGroup(group), mRandom(std::move(random)), mTrace(trace) {
    mShape = {1 + mRandom.below(mRandom.chance(4) ? 3000 : 40)};
    if (mRandom.below(2) == 0)
        mShape.push_back(mColumns = 1 + mRandom.below(4));
    mElements = mShape[0] * mColumns;
    for (const BufferPlacement placement :
         {BufferPlacement::eReplicated, BufferPlacement::eReplicated, BufferPlacement::eSharded,
          BufferPlacement::eSharded, BufferPlacement::eReplicatedByQueue,
          mRandom.below(2) == 0 ? BufferPlacement::eReplicatedByQueue : BufferPlacement::eSharded})
        addBuffer(placement);
    mTotal = std::make_shared<kp::Buffer>(mGroup, std::vector<uint64_t>{1},
                                          kp::Memory::DataTypes::eUnsignedInt);
}

void GroupProgram::run(uint32_t steps) {
    for (uint32_t i = 0; i < steps; ++i) {
        if (!mGate && mRandom.chance(6))
            mGate = std::make_unique<kp::UserEvent>();
        else if (mGate && mRandom.chance(4))
            openGate();
        step();
    }
    waitForAll();
}

void GroupProgram::expectEqualToModel() {
    for (const auto& model : mModels)
        for (uint32_t copy = 0; copy < model->copies.size(); ++copy)
            if (!model->copies[copy].empty())
                expectEqual(model->buffer->read<uint32_t>(model->queueOfCopy[copy]),
                            model->copies[copy],
                            "copy " + std::to_string(copy) + " of " + model->name);
}

void GroupProgram::note(const std::string& what) {
    if (mTrace)
        *mTrace += what + "\n";
}

std::vector<uint64_t> GroupProgram::randomRows() {
    std::vector<uint64_t> rows(mGroup.size(), 0);
    uint64_t left = mShape[0];
    for (size_t i = 0; i + 1 < rows.size(); ++i)
        left -= rows[i] = mRandom.below(left + 1);
    rows.back() = left;
    return rows;
}

void GroupProgram::addBuffer(BufferPlacement placement) {
    kp::BufferOptions options;
    options.placement = placement;
    if (placement == BufferPlacement::eSharded && mRandom.below(2) == 0)
        options.shardRows = randomRows();
    auto model = std::make_unique<Model>();
    model->buffer =
        std::make_shared<kp::Buffer>(mGroup, mShape, kp::Memory::DataTypes::eUnsignedInt, options);
    model->name = "buffer " + std::to_string(mModels.size());
    for (uint32_t copy = 0; copy < model->buffer->copyCount(); ++copy) {
        model->queueOfCopy.push_back(
            placement == BufferPlacement::eReplicatedByQueue ? copy : mGroup.firstQueueOf(copy));
        const kp::Shard shard = model->buffer->shard(model->queueOfCopy.back());
        model->first.push_back(shard.offset * mColumns);
        model->copies.push_back(mRandom.words(shard.size()));
        if (!model->copies.back().empty())
            model->buffer->write(model->copies.back(), model->queueOfCopy.back());
    }
    note(model->name + (model->sharded() ? ", sharded" : ", replicated") + ", copies of" + [&] {
        std::string sizes;
        for (const Values& copy : model->copies)
            sizes += " " + std::to_string(copy.size());
        return sizes;
    }());
    mModels.push_back(std::move(model));
}

GroupProgram::Model& GroupProgram::any(bool sharded) {
    while (true) {
        Model& model = any();
        if (model.sharded() == sharded)
            return model;
    }
}

std::vector<kp::Event> GroupProgram::waits() {
    std::vector<kp::Event> events;
    if (mGate && mRandom.below(2) == 0)
        events.emplace_back(*mGate);
    if (!mEvents.empty() && mRandom.chance(3))
        events.push_back(mEvents[mRandom.below(mEvents.size())]);
    return events;
}

void GroupProgram::keep(std::vector<kp::Event> events) {
    mEvents.insert(mEvents.end(), events.begin(), events.end());
}

void GroupProgram::openGate() {
    if (!mGate)
        return;
    note("the event is set");
    mGate->set();
    mGate.reset();
}

void GroupProgram::waitForAll() {
    openGate();
    kp::Event::waitAll(mEvents);
    mEvents.clear();
    for (const auto& [found, expected] : mRead)
        expectEqual(found, expected, "the read values");
    mRead.clear();
}

void GroupProgram::copyCommon(const Model& from, uint32_t source, Model& to, uint32_t destination) {
    const Values& read = from.copies[source];
    Values& written = to.copies[destination];
    const uint64_t begin = std::max(from.first[source], to.first[destination]);
    const uint64_t end =
        std::min(from.first[source] + read.size(), to.first[destination] + written.size());
    if (begin < end)
        std::copy_n(read.begin() + static_cast<std::ptrdiff_t>(begin - from.first[source]),
                    end - begin,
                    written.begin() + static_cast<std::ptrdiff_t>(begin - to.first[destination]));
}

/// A replicated buffer gives the copy of the same queue, else of the same device, else the first.
uint32_t GroupProgram::nearest(const Model& from, const Model& to, uint32_t destination) const {
    const uint32_t queue = to.queueOfCopy[destination];
    for (uint32_t copy = 0; copy < from.copies.size(); ++copy)
        if (from.queueOfCopy[copy] == queue)
            return copy;
    for (uint32_t copy = 0; copy < from.copies.size(); ++copy)
        if (mGroup.deviceOfQueue(from.queueOfCopy[copy]) == mGroup.deviceOfQueue(queue))
            return copy;
    return 0;
}

void GroupProgram::step() {
    switch (mRandom.below(12)) {
    case 0:
        return write();
    case 1:
        return read();
    case 2:
        return copy();
    case 3:
    case 4:
        return redistribute();
    case 5:
        return collect();
    case 6:
        return reduceCopies();
    case 7:
        return reduceScatter();
    case 8:
        return mShape.size() == 1 && mRandom.below(2) == 0 ? sort() : reduceAll();
    default:
        return launchKernel();
    }
}

void GroupProgram::write() {
    Model& model = any();
    std::optional<uint32_t> queue;
    if (mRandom.below(2) == 0)
        queue = anyQueue();
    const uint64_t size = queue ? model.copies[model.copyOf(*queue)].size() : mElements;
    const uint64_t count = size == 0 ? 0 : 1 + mRandom.below(size);
    const uint64_t first = mRandom.below(size - count + 1);
    // Freed after all events are done.
    mRead.push_back({mRandom.words(count), {}});
    const Values& values = mRead.back().second = mRead.back().first;
    note("write of " + std::to_string(count) + " to " + model.name +
         (queue ? ", queue " + std::to_string(*queue) : ""));
    keep(model.buffer->writeAsync(values.data(), count * 4, queue, first * 4, waits()));
    for (uint32_t to = 0; to < model.copies.size(); ++to) {
        if (queue && to != model.copyOf(*queue))
            continue;
        // Without an index, a sharded buffer's range is the whole array's.
        const uint64_t begin = queue || !model.sharded() ? 0 : model.first[to];
        for (uint64_t i = 0; i < count; ++i)
            if (first + i >= begin && first + i - begin < model.copies[to].size())
                model.copies[to][first + i - begin] = values[i];
    }
}

void GroupProgram::read() {
    const Model& model = any();
    const uint32_t queue = anyQueue();
    const Values& expected = model.copies[model.copyOf(queue)];
    note("read of " + model.name + ", queue " + std::to_string(queue));
    if (expected.empty())
        return;
    if (mRandom.chance(4)) {
        openGate();
        expectEqual(model.buffer->read<uint32_t>(queue), expected, model.name);
        return;
    }
    mRead.push_back({Values(expected.size()), expected});
    keep(
        model.buffer->readAsync(mRead.back().first.data(), expected.size() * 4, queue, 0, waits()));
}

void GroupProgram::copy() {
    Model& model = any();
    const uint32_t from = anyQueue();
    const uint32_t to = anyQueue();
    const Values& source = model.copies[model.copyOf(from)];
    Values& destination = model.copies[model.copyOf(to)];
    if (source.empty() || destination.empty())
        return;
    uint64_t count = 1 + mRandom.below(std::min(source.size(), destination.size()));
    uint64_t read = mRandom.below(source.size() - count + 1);
    uint64_t written = mRandom.below(destination.size() - count + 1);
    if (&source == &destination) { // the ranges must not overlap
        count = std::min<uint64_t>(count, source.size() / 2);
        read = 0;
        written = source.size() - count;
    }
    note("copy of " + std::to_string(count) + " from queue " + std::to_string(from) + " to " +
         std::to_string(to) + " of " + model.name);
    keep({model.buffer->copy(from, to, read * 4, written * 4, count * 4, waits())});
    const Values part(source.begin() + static_cast<std::ptrdiff_t>(read),
                      source.begin() + static_cast<std::ptrdiff_t>(read + count));
    std::copy(part.begin(), part.end(), destination.begin() + static_cast<std::ptrdiff_t>(written));
}

void GroupProgram::redistribute() {
    const Model& from = any();
    Model& to = any();
    if (&from == &to)
        return;
    note("copy of " + from.name + " to " + to.name);
    if (from.sharded() && !to.sharded() && mRandom.below(2) == 0)
        keep(from.buffer->allGather(*to.buffer, waits()));
    else
        keep(from.buffer->copyTo(*to.buffer, waits()));
    for (uint32_t copy = 0; copy < to.copies.size(); ++copy)
        if (!from.sharded())
            copyCommon(from, nearest(from, to, copy), to, copy);
        else
            for (uint32_t source = 0; source < from.copies.size(); ++source)
                copyCommon(from, source, to, copy);
}

/// Broadcast, scatter or gather.
void GroupProgram::collect() {
    const uint32_t root = anyQueue();
    Model& replicated = any(false);
    Model& shards = any(true);
    const uint32_t copy = replicated.copyOf(root);
    const std::string text = replicated.name + ", root " + std::to_string(root);
    switch (mRandom.below(3)) {
    case 0:
        note("broadcast of " + text);
        keep(replicated.buffer->broadcast(root, waits()));
        for (Values& each : replicated.copies)
            each = Values(replicated.copies[copy]);
        return;
    case 1:
        note("scatter from " + text + " to " + shards.name);
        keep(replicated.buffer->scatter(*shards.buffer, root, waits()));
        for (uint32_t shard = 0; shard < shards.copies.size(); ++shard)
            copyCommon(replicated, copy, shards, shard);
        return;
    default:
        note("gather of " + shards.name + " to " + text);
        keep(shards.buffer->gather(*replicated.buffer, root, waits()));
        for (uint32_t shard = 0; shard < shards.copies.size(); ++shard)
            copyCommon(shards, shard, replicated, copy);
    }
}

void GroupProgram::reduceCopies() {
    const Reduction& reduction = kReductions[mRandom.below(std::size(kReductions))];
    Model& model = any(false);
    const uint32_t root = anyQueue();
    const bool all = mRandom.below(2) == 0;
    note((all ? "all-reduce of " : "reduce of ") + model.name + ", root " + std::to_string(root));
    if (all)
        keep(model.buffer->allReduce(reduction.operation, waits()));
    else
        keep(model.buffer->reduce(reduction.operation, root, waits()));
    Values result = model.copies[0];
    for (size_t copy = 1; copy < model.copies.size(); ++copy)
        for (uint64_t i = 0; i < mElements; ++i)
            result[i] = reduction.combine(result[i], model.copies[copy][i]);
    for (uint32_t copy = 0; copy < model.copies.size(); ++copy)
        if (all || copy == model.copyOf(root))
            model.copies[copy] = result;
}

void GroupProgram::reduceScatter() {
    const Reduction& reduction = kReductions[mRandom.below(std::size(kReductions))];
    const Model& from = any(false);
    Model& to = any(true);
    note("reduce-scatter of " + from.name + " to " + to.name);
    keep(from.buffer->reduceScatter(*to.buffer, reduction.operation, waits()));
    for (uint32_t shard = 0; shard < to.copies.size(); ++shard)
        for (uint64_t i = 0; i < to.copies[shard].size(); ++i) {
            const uint64_t at = to.first[shard] + i;
            uint32_t value = from.copies[0][at];
            for (size_t copy = 1; copy < from.copies.size(); ++copy)
                value = reduction.combine(value, from.copies[copy][at]);
            to.copies[shard][i] = value;
        }
}

/// Reduces all elements of a sharded buffer to one.
void GroupProgram::reduceAll() {
    const Reduction& reduction = kReductions[mRandom.below(4)];
    const Model& model = any(true);
    note("reduction of " + model.name + " to one element");
    keep(mGroup.reduce(*model.buffer, *mTotal, reduction.operation, std::nullopt, waits()));
    std::optional<uint32_t> total;
    for (const Values& shard : model.copies)
        for (const uint32_t value : shard)
            total = total ? reduction.combine(*total, value) : value;
    const uint32_t device = mRandom.below(mGroup.size());
    mRead.push_back({Values(1), {*total}});
    keep(mTotal->readAsync(mRead.back().first.data(), 4, mGroup.firstQueueOf(device), 0, waits()));
}

void GroupProgram::sort() {
    Model& model = any(true);
    const bool descending = mRandom.below(2) == 0;
    note("sort of " + model.name);
    keep(mGroup.sort(*model.buffer, descending, waits()));
    Values all;
    for (const Values& shard : model.copies)
        all.insert(all.end(), shard.begin(), shard.end());
    std::sort(all.begin(), all.end());
    if (descending)
        std::reverse(all.begin(), all.end());
    for (size_t shard = 0; shard < model.copies.size(); ++shard)
        std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(model.first[shard]),
                    model.copies[shard].size(), model.copies[shard].begin());
}

void GroupProgram::launchKernel() {
    Model& written = any();
    const Model* read = nullptr; // with the same copies, if there is one
    if (const Model& other = any();
        &other != &written && other.queueOfCopy == written.queueOfCopy &&
        other.first == written.first && other.sharded() == written.sharded())
        read = &other;
    auto& kernel = mKernels[{read, &written}];
    if (!kernel) {
        kp::GroupKernelOptions options;
        options.parameters = {{"x", "x"}};
        kp::GroupArguments arguments;
        if (read)
            arguments.emplace_back(read->buffer);
        arguments.emplace_back(written.buffer);
        kernel = std::make_unique<kp::GroupKernel>(
            mGroup, read ? "combine" : "update", std::string(read ? kCombineShader : kUpdateShader),
            arguments, options);
    }
    const uint32_t x = mRandom.word();
    std::optional<uint32_t> only; // one copy, if not all
    if (mRandom.chance(3))
        only = mRandom.below(written.copies.size());
    note("kernel on " + written.name + (read ? " with " + read->name : "") +
         (only ? ", copy " + std::to_string(*only) : ""));
    keep((*kernel)(waits(), {{"x", x}},
                   only ? kp::GroupTarget::queue(written.queueOfCopy[*only])
                        : kp::GroupTarget::all()));
    for (uint32_t copy = 0; copy < written.copies.size(); ++copy) {
        if (only && copy != *only)
            continue;
        const auto offset =
            static_cast<uint32_t>(written.sharded() ? written.first[copy] / mColumns : 0);
        for (uint32_t i = 0; i < written.copies[copy].size(); ++i) {
            uint32_t& value = written.copies[copy][i];
            value = read ? (read->copies[copy][i] + x) ^ (value * 5)
                         : value * x + i + offset * 3 + copy;
        }
    }
}

} // namespace kp::proof
