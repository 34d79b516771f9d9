// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <kompute/Group.hpp>

#include "proof/Random.hpp"

namespace kp::proof {

/// A random program on replicated and sharded buffers of a group, and a model of all their copies.
///
/// Steps write and read copies, copy between them, redistribute, reduce and sort them, and launch
/// kernels on all devices or on one. Some wait for an event that the program sets later, so that
/// the library starts them from its own threads.
class GroupProgram {
public:
    /// @param random  decides everything
    /// @param trace   receives a line for each step; may be null
    GroupProgram(kp::DeviceGroup& group, Random random, std::string* trace = nullptr);

    void run(uint32_t steps);
    /// @throws std::runtime_error if a copy, or something that was read, differs from the model
    void expectEqualToModel();

private:
    using Values = std::vector<uint32_t>;

    /// A buffer, and the expected contents of each copy.
    struct Model {
        std::shared_ptr<kp::Buffer> buffer;
        std::string name;
        std::vector<uint32_t> queueOfCopy;
        std::vector<uint64_t> first; ///< element of each copy in the whole buffer
        std::vector<Values> copies;

        bool sharded() const { return buffer->placement() == kp::BufferPlacement::eSharded; }
        uint32_t copyOf(uint32_t queue) const { return buffer->copyOf(queue); }
    };

    void note(const std::string& what);
    void addBuffer(kp::BufferPlacement placement);
    std::vector<uint64_t> randomRows();
    uint32_t anyQueue() { return mRandom.below(mGroup.queueCount()); }
    Model& any(bool sharded);
    Model& any() { return *mModels[mRandom.below(mModels.size())]; }
    /// Events that the next step waits for: none, earlier ones, or one that is set later.
    std::vector<kp::Event> waits();
    void keep(std::vector<kp::Event> events);
    void openGate();

    /// Copies the elements that two copies have in common.
    static void copyCommon(const Model& from, uint32_t source, Model& to, uint32_t destination);
    uint32_t nearest(const Model& from, const Model& to, uint32_t destination) const;

    void step();
    void write();
    void read();
    void copy();
    void redistribute();
    void collect();
    void reduceCopies();
    void reduceScatter();
    void reduceAll();
    void sort();
    void launchKernel();
    void waitForAll();

    kp::DeviceGroup& mGroup;
    Random mRandom;
    std::string* mTrace;
    std::vector<uint64_t> mShape;
    uint64_t mElements = 1;
    uint64_t mColumns = 1; ///< elements of a row
    std::vector<std::unique_ptr<Model>> mModels;
    std::shared_ptr<kp::Buffer> mTotal; ///< one element on each device
    std::map<std::pair<const Model*, const Model*>, std::unique_ptr<kp::GroupKernel>> mKernels;
    std::vector<kp::Event> mEvents;
    std::unique_ptr<kp::UserEvent> mGate;       ///< not set yet
    std::list<std::pair<Values, Values>> mRead; ///< found, expected
};

} // namespace kp::proof
