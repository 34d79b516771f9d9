// SPDX-License-Identifier: Apache-2.0
#include "arrays/engine/Copies.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include <kompute/Tensor.hpp>
#include <kompute/queue/Queue.hpp>

#include "arrays/memory/Home.hpp"
#include "operations/OpCopyRange.hpp"
#include "operations/OpFillRange.hpp"

namespace kp::arrays {
namespace {

/// Many rows of fewer elements are moved faster by a kernel: a row costs as much as 64 elements of
/// one, and the start of a kernel as much as several rows.
constexpr int64_t kLeastRow = 64;
constexpr int64_t kFewRows = 64;
constexpr int64_t kMostRows = 1 << 14;

/// Rows of equal length in memory that is written, and in memory that is read.
struct RowPairs {
    int64_t length = 1;
    Shape shape; ///< of the rows
    Shape to;    ///< strides, in elements
    Shape from;
};

/// Returns the longest rows along which both go from each element to the next.
RowPairs rowsOf(const Shape& shape, const Shape& to, const Shape& from) {
    RowPairs rows;
    size_t axes = shape.size();
    for (; axes > 0; --axes) {
        const size_t axis = axes - 1;
        if (shape[axis] != 1 && (to[axis] != rows.length || from[axis] != rows.length))
            break;
        rows.length *= shape[axis];
    }
    for (size_t axis = 0; axis < axes; ++axis) {
        rows.shape.push_back(shape[axis]);
        rows.to.push_back(to[axis]);
        rows.from.push_back(from[axis]);
    }
    return rows;
}

std::vector<CopiedRange> rangesOf(const RowPairs& rows, int64_t to, int64_t from, uint64_t bytes) {
    std::vector<CopiedRange> ranges;
    std::vector<int64_t> at(rows.shape.size(), 0);
    for (int64_t left = rows.shape.product(); left > 0; --left) {
        ranges.push_back({static_cast<uint64_t>(from) * bytes, static_cast<uint64_t>(to) * bytes,
                          static_cast<uint64_t>(rows.length) * bytes});
        for (size_t axis = rows.shape.size(); axis-- > 0;) {
            to += rows.to[axis];
            from += rows.from[axis];
            if (++at[axis] < rows.shape[axis])
                break;
            to -= rows.to[axis] * rows.shape[axis];
            from -= rows.from[axis] * rows.shape[axis];
            at[axis] = 0;
        }
    }
    return ranges;
}

/// Returns the source of a copied value.
const Node& originalOf(const NodePtr& value) {
    static const std::string* const same = interned("{0}");
    const Node* node = value.get();
    while (node->op == Op::eText && node->text == same)
        node = node->args[0].get();
    return *node;
}

bool isPlain(const Write& write) {
    return write.indices.empty() && !write.mask && write.value->dtype == write.view.dtype();
}

/// Returns null unless a write only copies rows.
std::shared_ptr<OpBase> copyOf(const Write& write, const std::vector<Write>& writes) {
    const Node& value = *write.value;
    const Shape& shape = write.view.shape;
    if (!isPlain(write) || value.op != Op::eLeaf ||
        std::ranges::any_of(writes, [&](const Write& each) {
            // A row may be read after it was written.
            return each.view.storage->memory() == value.storage->memory();
        }))
        return nullptr;
    const RowPairs rows =
        rowsOf(shape, write.view.strides, broadcastStrides(value.shape, value.strides, shape));
    const int64_t count = rows.shape.product();
    if (count > (rows.length < kLeastRow ? kFewRows : kMostRows))
        return nullptr;
    return std::make_shared<OpCopyRange>(
        value.storage->tensor(), write.view.storage->tensor(),
        rangesOf(rows, write.view.offset, value.offset, itemSize(value.dtype)));
}

/// Returns null unless a write fills one row.
std::shared_ptr<OpBase> fillOf(const Write& write) {
    const Node& value = originalOf(write.value);
    if (value.op != Op::eConstant || !isPlain(write) || !write.view.isContiguous())
        return nullptr;
    const bool isZero = value.words == std::array<uint32_t, 4>{};
    if (value.dtype == DType::eFloat16 && !isZero) // its words are a float's
        return nullptr;
    const size_t bytes = itemSize(value.dtype);
    return std::make_shared<OpFillRange>(
        write.view.storage->tensor(), static_cast<uint64_t>(write.view.offset) * bytes,
        static_cast<uint64_t>(write.view.shape.product()) * bytes,
        reinterpret_cast<const unsigned char*>(value.words.data()), bytes);
}

} // namespace

std::vector<Write> withoutCopies(Home& home, const std::vector<Write>& writes) {
    std::vector<Write> others;
    std::vector<std::shared_ptr<OpBase>> operations;
    for (const Write& write : writes) {
        std::shared_ptr<OpBase> operation = copyOf(write, writes);
        if (!operation)
            operation = fillOf(write);
        if (operation)
            operations.push_back(std::move(operation));
        else
            others.push_back(write);
    }
    if (!operations.empty())
        home.launch(std::move(operations));
    return others;
}

} // namespace kp::arrays
