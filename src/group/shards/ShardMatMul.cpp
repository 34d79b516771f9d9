// SPDX-License-Identifier: Apache-2.0
#include "group/shards/ShardMatMul.hpp"

#include <utility>

#include <kompute/primitives/matrices/OpMatMul.hpp>

#include "base/Text.hpp"
#include "group/shards/ShardWork.hpp"

namespace kp::group {
namespace {

constexpr const char* kMatMulName = "DeviceGroup::matmul";

MatrixExtents extentsOf(const Buffer::Impl& a, const Buffer::Impl& b, const Buffer::Impl& c) {
    const bool isVector = b.shape.size() == 1;
    std::vector<uint64_t> wanted = {a.shape[0]};
    if (a.shape.size() == 2 && !isVector && b.shape.size() == 2)
        wanted.push_back(b.shape[1]);
    if (a.shape.size() != 2 || b.shape.empty() || b.shape.size() > 2 || b.shape[0] != a.shape[1] ||
        c.shape != wanted)
        fail<InvalidArgument>("{} of rows x inner and inner x columns gives rows x columns, but A "
                              "is {}, B is {} and C is {}",
                              kMatMulName, a.describe(), b.describe(), c.describe());
    return {a.shape[0], isVector ? 1 : b.shape[1], a.shape[1]};
}

/// The products of the devices, and the shards of B that each of them needs first.
struct Products {
    ShardTransfers transfers;
    ShardWork work;

    explicit Products(std::shared_ptr<DeviceGroup::Impl> group) : work(std::move(group)) {}
};

} // namespace

std::vector<Event> multiplyShards(const DeviceGroup::Impl& group, const Buffer::Impl& a,
                                  const Buffer::Impl& b, const Buffer::Impl& c,
                                  const std::vector<Event>& waitFor) {
    for (const Buffer::Impl* const buffer : {&a, &b, &c})
        requireNumbers(*buffer, group, "DeviceGroup::matmul takes");
    c.requireWritable();
    requirePlacement(a, true, "DeviceGroup::matmul takes as A");
    requirePlacement(c, true, "DeviceGroup::matmul takes as C");
    if (a.type != b.type)
        fail<InvalidArgument>("{}: A is {}, but B is {}", kMatMulName, a.describe(), b.describe());
    if (&c == &a || &c == &b)
        fail<InvalidArgument>("{}: C must be another buffer than A and B", kMatMulName);
    MatrixExtents extents = extentsOf(a, b, c);
    if (a.rows != c.rows)
        fail<InvalidArgument>("{}: the shards of A have ({}) rows, but C's have ({})", kMatMulName,
                              join(a.rows), join(c.rows));
    const auto products = std::make_shared<Products>(a.group);
    for (uint32_t copy = 0; copy < a.copyCount(); ++copy) {
        if (a.rows[copy] == 0)
            continue;
        const size_t device = a.deviceOf(copy);
        std::shared_ptr<Tensor> factor;
        if (b.sharded()) {
            factor = scratchOn(*a.group, device, b.elements(), b.type.number);
            for (uint32_t shard = 0; shard < b.copyCount(); ++shard)
                if (b.rows[shard] > 0)
                    products->transfers.add(b.deviceOf(shard), *b.copies[shard], 0, device, *factor,
                                            b.wholeOffset(shard), b.bytesOf(shard));
        } else {
            factor = b.copies[b.copyOf(a.queueOfCopy[copy])];
        }
        extents.rows = a.rows[copy];
        products->work.add(
            device, std::make_shared<OpMatMul>(a.copies[copy], factor, c.copies[copy], extents));
    }
    for (uint32_t shard = 0; b.sharded() && shard < b.copyCount(); ++shard)
        if (b.rows[shard] > 0)
            b.bringToDevice(shard);
    return launchOn({&a, &b, &c}, waitFor, [products, kept = a.group] {
        products->transfers.run(*kept);
        products->work.run();
    });
}

} // namespace kp::group
