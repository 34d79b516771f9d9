// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "arrays/engine/Node.hpp"

namespace kp::arrays {

/// Elements of a wide access.
inline constexpr uint32_t kWide = 4;

/// A result: where it goes, further by indices.
struct Write {
    View view;
    NodePtr value;
    std::vector<NodePtr> indices;
    std::vector<Step> steps; ///< one for each index
    NodePtr mask;            ///< null: everywhere
};

/// One step of a kernel. Values are numbered as the instructions that compute them.
struct Instruction {
    bool stores = false; ///< else computes a value, by `op`
    Op op = Op::eLeaf;
    DType dtype = DType::eFloat32;
    const Function* function = nullptr;
    const std::string* text = nullptr;
    int binding = -1;
    int place = -1;
    int position = -1;        ///< of the constants or steps, among the constants of the program
    int value = -1;           ///< that is stored
    int mask = -1;            ///< value that says whether it is
    std::vector<int> values;  ///< arguments, or indices
    std::vector<DType> kinds; ///< types of the arguments
};

/// How an access goes through memory along the axes of a part.
enum class Walk : uint8_t {
    eStill,   ///< not at all
    eAlong,   ///< as the index does
    eStrided, ///< by a stride per axis
};

/// The axes of a kernel: the result's, or the reduced ones.
enum class Part : uint8_t { eKept, eReduced };

/// Parameters of a Divider, from which kp_quotient() divides by an extent.
inline constexpr size_t kDivisorWords = 3;

/// How a kernel walks through memory. Neighbouring axes that all accesses walk through as one are
/// one axis.
struct Layout {
    size_t kept = 0; ///< number of axes; 0 if no access needs their indices
    size_t reduced = 0;
    std::vector<Walk> keptWalks; ///< by place
    std::vector<Walk> reducedWalks;
    /// Divisors of both parts, from the last axis to the second, then for each place its offset and
    /// strides.
    std::vector<uint32_t> words;

    size_t axes(Part part) const { return part == Part::eKept ? kept : reduced; }
    size_t divisorWords(Part part) const {
        return kDivisorWords * (std::max<size_t>(axes(part), 1) - 1);
    }
    Walk walk(Part part, size_t place) const {
        return (part == Part::eKept ? keptWalks : reducedWalks)[place];
    }
};

/// The instructions that compute some values of a shape, and the parameters of one run. Kernels
/// depend on functions, types and how memory is walked through, never on sizes or numbers, which
/// are parameters: so a program needs few kernels.
class KernelCode {
public:
    /// @param axes  that are reduced: their indices come last
    explicit KernelCode(const Shape& shape, const std::vector<size_t>& axes = {});

    /// Returns the number of the binding of a storage.
    int bindingOf(const std::shared_ptr<Storage>& storage);
    /// Returns the number of an address: of a view, broadcast to the shape of the program.
    int placeOf(int64_t offset, const Shape& shape, const Shape& strides);
    /// Adds the instructions of a node; returns the number of its value.
    int value(const NodePtr& node);
    /// Adds the storing of a result.
    void write(const Write& write);

    Layout layout() const;
    const Shape& shape() const { return mShape; }
    const std::vector<Instruction>& instructions() const { return mInstructions; }
    const std::vector<std::shared_ptr<Storage>>& storages() const { return mStorages; }
    /// The numbers of the program: constants, and the steps of indices.
    const std::vector<uint32_t>& constants() const { return mConstants; }
    /// Returns where a constant's words are among constants().
    size_t constantAt(const Node& constant) const { return mPositions.at(&constant); }
    /// Returns the bindings that a kernel may access in vectors of neighbouring elements along a
    /// part, as bits.
    uint64_t wideBindings(const Layout& layout, Part part) const;

private:
    struct Place {
        int64_t offset;
        Shape strides; ///< in the order of mOrder
        bool operator==(const Place&) const = default;
    };

    int add(const NodePtr& node);
    int steps(const std::vector<Step>& steps);

    const Shape mShape;
    std::vector<size_t> mOrder; ///< axes: kept ones, then those that are reduced
    size_t mKept = 0;
    std::vector<Instruction> mInstructions;
    std::vector<std::shared_ptr<Storage>> mStorages;
    std::vector<Place> mPlaces;
    std::unordered_map<const Node*, int> mValues;
    std::unordered_map<const Node*, size_t> mPositions;
    std::vector<uint32_t> mConstants;
    std::vector<NodePtr> mNodes; ///< keeps the keys of the maps alive
};

/// Returns the strides that repeat a view along the axes of a larger shape.
Shape broadcastStrides(const Shape& shape, const Shape& strides, const Shape& target);

/// Returns the vector of four elements of a type in buffers; empty if there is none.
std::string_view vectorOf(DType dtype);

} // namespace kp::arrays
