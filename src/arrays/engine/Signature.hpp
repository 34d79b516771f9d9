// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "arrays/engine/Node.hpp"
#include "shader/check/CheckMode.hpp"

namespace kp::arrays {

/// What makes expressions alike, words(), and what may differ among those that are: storages and
/// constants. Expressions are alike if they apply the same functions to views with the same types,
/// shapes and strides that share memory in the same way.
class Signature {
public:
    /// @param kind  the use of the expressions. Kernels with the checks of this thread are others.
    explicit Signature(uint64_t kind) : mWords{kind, shader::wordOf(shader::currentChecks())} {}
    uint64_t checks() const { return mWords[1]; }

    void add(uint64_t word) { mWords.push_back(word); }
    void add(const void* identity) { mWords.push_back(reinterpret_cast<uintptr_t>(identity)); }
    void add(const Shape& shape) {
        mWords.push_back(shape.size());
        for (const int64_t extent : shape)
            mWords.push_back(static_cast<uint64_t>(extent));
    }
    void add(const Node& node);
    void add(const View& view) { addView(view.storage, view.offset, view.shape, view.strides); }
    void add(const std::vector<Step>& steps);

    const std::vector<uint64_t>& words() const { return mWords; }
    uint64_t hash() const;
    const std::vector<std::shared_ptr<Storage>>& storages() const { return mStorages; }
    const std::vector<const Node*>& constants() const { return mConstants; }

private:
    void addView(const std::shared_ptr<Storage>& storage, int64_t offset, const Shape& shape,
                 const Shape& strides);

    std::vector<uint64_t> mWords;
    std::vector<std::shared_ptr<Storage>> mStorages;
    std::vector<const Node*> mConstants;
};

} // namespace kp::arrays
