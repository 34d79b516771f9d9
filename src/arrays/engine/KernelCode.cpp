// SPDX-License-Identifier: Apache-2.0
#include "arrays/engine/KernelCode.hpp"

#include <algorithm>

#include <kompute/arrays/NumberType.hpp>

#include "arrays/memory/Home.hpp"
#include "base/Divider.hpp"

namespace kp::arrays {
namespace {

/// The axes of a part, and for each place the strides along them.
struct WalkedAxes {
    std::vector<int64_t> extents;
    std::vector<std::vector<int64_t>> rows;
    std::vector<Walk> walks;
};

/// Merges neighbouring axes that all places walk through as one, and leaves out axes of one
/// element.
WalkedAxes collapsed(const std::vector<int64_t>& extents,
                     const std::vector<std::vector<int64_t>>& rows) {
    WalkedAxes axes{{}, std::vector<std::vector<int64_t>>(rows.size()), {}};
    for (size_t axis = 0; axis < extents.size(); ++axis) {
        const int64_t extent = extents[axis];
        if (extent == 1)
            continue;
        bool merges = !axes.extents.empty();
        for (size_t place = 0; merges && place < rows.size(); ++place)
            merges = axes.rows[place].back() == rows[place][axis] * extent;
        if (merges)
            axes.extents.back() *= extent;
        else
            axes.extents.push_back(extent);
        for (size_t place = 0; place < rows.size(); ++place) {
            if (merges)
                axes.rows[place].back() = rows[place][axis];
            else
                axes.rows[place].push_back(rows[place][axis]);
        }
    }
    return axes;
}

/// Finds out how each place walks. Unless one walks with strides, extents need not be known.
void classify(WalkedAxes& axes) {
    bool strided = false;
    for (const std::vector<int64_t>& row : axes.rows) {
        const bool still = std::ranges::all_of(row, [](int64_t stride) { return stride == 0; });
        const bool along = row.size() == 1 && row[0] == 1;
        axes.walks.push_back(still ? Walk::eStill : along ? Walk::eAlong : Walk::eStrided);
        strided |= axes.walks.back() == Walk::eStrided;
    }
    if (!strided)
        axes.extents.clear();
}

} // namespace

std::string_view vectorOf(DType dtype) {
    switch (dtype) {
    case DType::eBool:
    case DType::eUint8:
        return "u8vec4";
    case DType::eInt8:
        return "i8vec4";
    case DType::eInt16:
        return "i16vec4";
    case DType::eUint16:
        return "u16vec4";
    case DType::eInt32:
        return "ivec4";
    case DType::eUint32:
        return "uvec4";
    case DType::eInt64:
        return "i64vec4";
    case DType::eUint64:
        return "u64vec4";
    case DType::eFloat16:
        return "f16vec4";
    case DType::eFloat32:
        return "vec4";
    case DType::eFloat64:
        return "dvec4";
    case DType::eComplex64:
    case DType::eComplex128:
        break;
    }
    return {};
}

Shape broadcastStrides(const Shape& shape, const Shape& strides, const Shape& target) {
    const size_t missing = target.size() - shape.size();
    Shape repeated = Shape::filled(missing, 0);
    for (size_t axis = 0; axis < shape.size(); ++axis)
        repeated.push_back(shape[axis] == target[missing + axis] ? strides[axis] : 0);
    return repeated;
}

KernelCode::KernelCode(const Shape& shape, const std::vector<size_t>& axes) : mShape(shape) {
    requireCountable(shape);
    for (size_t axis = 0; axis < shape.size(); ++axis)
        if (std::ranges::find(axes, axis) == axes.end())
            mOrder.push_back(axis);
    mKept = mOrder.size();
    mOrder.insert(mOrder.end(), axes.begin(), axes.end());
}

int KernelCode::bindingOf(const std::shared_ptr<Storage>& storage) {
    const auto found = std::ranges::find(mStorages, storage);
    if (found != mStorages.end())
        return static_cast<int>(found - mStorages.begin());
    mStorages.push_back(storage);
    return static_cast<int>(mStorages.size()) - 1;
}

int KernelCode::placeOf(int64_t offset, const Shape& shape, const Shape& strides) {
    const Shape row = broadcastStrides(shape, strides, mShape);
    Place place{offset, {}};
    for (const size_t axis : mOrder)
        place.strides.push_back(row[axis]);
    const auto found = std::ranges::find(mPlaces, place);
    if (found != mPlaces.end())
        return static_cast<int>(found - mPlaces.begin());
    mPlaces.push_back(std::move(place));
    return static_cast<int>(mPlaces.size()) - 1;
}

int KernelCode::steps(const std::vector<Step>& steps) {
    const size_t position = mConstants.size();
    for (const Step& step : steps) {
        mConstants.push_back(static_cast<uint32_t>(step.extent));
        mConstants.push_back(static_cast<uint32_t>(step.stride));
    }
    return static_cast<int>(position);
}

int KernelCode::value(const NodePtr& node) {
    const auto found = mValues.find(node.get());
    if (found != mValues.end())
        return found->second;
    const int number = add(node);
    mValues.emplace(node.get(), number);
    mNodes.push_back(node);
    return number;
}

int KernelCode::add(const NodePtr& node) {
    Instruction made;
    made.op = node->op;
    made.dtype = node->dtype;
    made.function = node->function;
    made.text = node->text;
    switch (node->op) {
    case Op::eLeaf:
        made.place = placeOf(node->offset, node->shape, node->strides);
        made.binding = bindingOf(node->storage);
        break;
    case Op::eConstant: {
        made.position = static_cast<int>(mConstants.size());
        mPositions.emplace(node.get(), mConstants.size());
        const auto words = numberType(node->dtype).words;
        mConstants.insert(mConstants.end(), node->words.begin(), node->words.begin() + words);
        break;
    }
    case Op::eAddress:
        made.place = placeOf(node->offset, node->shape, node->strides);
        break;
    case Op::eTake: {
        const Node& base = *node->args[0];
        for (size_t i = 1; i < node->args.size(); ++i)
            made.values.push_back(value(node->args[i]));
        made.place = placeOf(base.offset, base.shape, base.strides);
        made.binding = bindingOf(base.storage);
        made.position = steps(node->steps);
        break;
    }
    case Op::eCall:
    case Op::eText:
    case Op::eCast:
        for (const NodePtr& arg : node->args) {
            made.values.push_back(value(arg));
            made.kinds.push_back(arg->dtype);
        }
        break;
    }
    mInstructions.push_back(std::move(made));
    return static_cast<int>(mInstructions.size()) - 1;
}

void KernelCode::write(const Write& write) {
    Instruction made;
    made.stores = true;
    made.value = value(write.value);
    for (const NodePtr& index : write.indices)
        made.values.push_back(value(index));
    made.mask = write.mask ? value(write.mask) : -1;
    made.dtype = write.view.dtype();
    made.place = placeOf(write.view.offset, write.view.shape, write.view.strides);
    made.binding = bindingOf(write.view.storage);
    made.position = write.indices.empty() ? -1 : steps(write.steps);
    mInstructions.push_back(std::move(made));
}

Layout KernelCode::layout() const {
    std::vector<int64_t> extents;
    for (const size_t axis : mOrder)
        extents.push_back(mShape[axis]);
    const auto part = [&](size_t first, size_t end) {
        std::vector<std::vector<int64_t>> rows;
        for (const Place& place : mPlaces)
            rows.emplace_back(place.strides.begin() + first, place.strides.begin() + end);
        WalkedAxes axes = collapsed({extents.begin() + static_cast<ptrdiff_t>(first),
                                     extents.begin() + static_cast<ptrdiff_t>(end)},
                                    rows);
        classify(axes);
        return axes;
    };
    const WalkedAxes kept = part(0, mKept);
    const WalkedAxes reduced = part(mKept, mOrder.size());
    Layout layout{kept.extents.size(), reduced.extents.size(), kept.walks, reduced.walks, {}};
    const auto push = [&](const std::vector<int64_t>& values) {
        for (const int64_t value : values)
            layout.words.push_back(static_cast<uint32_t>(value));
    };
    const auto pushDivider = [&](int64_t extent) { // 0 in reductions of nothing
        const Divider divider = Divider::of(static_cast<uint32_t>(std::max<int64_t>(extent, 1)));
        push({divider.divisor, divider.multiplier, divider.shift});
    };
    for (const WalkedAxes* const axes : {&kept, &reduced})
        for (size_t axis = axes->extents.size(); axis-- > 1;)
            pushDivider(axes->extents[axis]);
    for (size_t place = 0; place < mPlaces.size(); ++place) {
        push({mPlaces[place].offset});
        if (kept.walks[place] == Walk::eStrided)
            push(kept.rows[place]);
        if (reduced.walks[place] == Walk::eStrided)
            push(reduced.rows[place]);
    }
    return layout;
}

uint64_t KernelCode::wideBindings(const Layout& layout, Part part) const {
    uint64_t found = 0;
    for (size_t binding = 0; binding < mStorages.size() && binding < 64; ++binding)
        if (!vectorOf(mStorages[binding]->dtype()).empty() &&
            mStorages[binding]->count() % kWide == 0)
            found |= uint64_t{1} << binding;
    for (const Instruction& each : mInstructions) {
        if (each.binding < 0 || each.binding >= 64)
            continue;
        bool neighbours = each.op != Op::eTake && each.values.empty() && each.mask < 0;
        if (neighbours) {
            const Place& place = mPlaces[static_cast<size_t>(each.place)];
            neighbours = layout.walk(part, static_cast<size_t>(each.place)) == Walk::eAlong &&
                         place.offset % kWide == 0;
            // Rows begin at multiples of kWide, too.
            for (size_t axis = 0; part == Part::eReduced && axis < mKept; ++axis)
                neighbours &= place.strides[axis] % kWide == 0;
        }
        if (!neighbours)
            found &= ~(uint64_t{1} << each.binding);
    }
    return found;
}

} // namespace kp::arrays
