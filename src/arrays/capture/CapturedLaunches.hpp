// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include <kompute/Tensor.hpp>
#include <kompute/arrays/DType.hpp>

#include "core/queue/LaunchCapture.hpp"

namespace kp::arrays {

class Home;
class Storage;

/// Captures what array functions launch. Intermediate results share memory, which no other array
/// gets as long as the operations exist. What arrays that were there before have to compute is
/// launched at once, or captured by the capture around this one that made them.
class CapturedLaunches final : public LaunchCapture {
public:
    /// Memory that a captured function makes.
    struct Made {
        std::shared_ptr<Tensor> tensor;
        DType dtype;
        int64_t count;
    };

    /// The captured work: a function that is launched as a whole, or a step of a loop.
    enum class Part { eWhole, eStep };

    explicit CapturedLaunches(Home& home, Part part = Part::eWhole);
    ~CapturedLaunches();
    using LaunchCapture::add;
    using LaunchCapture::end;

    /// Returns the active capture of this thread; null if there is none.
    static CapturedLaunches* current() {
        return static_cast<CapturedLaunches*>(LaunchCapture::current()); // there are no others
    }
    /// Returns the active capture of this thread, if it captures launches of a home; else null.
    static CapturedLaunches* of(const Home& home) {
        CapturedLaunches* const capture = current();
        return capture && &capture->mHome == &home ? capture : nullptr;
    }

    // What a capture notes of this thread. Without an active one, each returns at once.

    /// Counts a part of an expression, or a storage, that is made.
    /// @return the active capture's id(), or 0
    static uint64_t noteNode() {
        CapturedLaunches* const capture = current();
        return capture ? ++capture->mNodes, capture->id() : 0;
    }
    static uint64_t noteStorage() {
        CapturedLaunches* const capture = current();
        return capture ? ++capture->mStorages, capture->id() : 0;
    }
    /// Notes the end of one.
    static void noteNodeEnd(uint64_t id) {
        if (LaunchCapture* const capture = enclosing(id))
            --static_cast<CapturedLaunches*>(capture)->mNodes;
    }
    static void noteStorageEnd(uint64_t id) {
        if (LaunchCapture* const capture = enclosing(id))
            --static_cast<CapturedLaunches*>(capture)->mStorages;
    }
    /// Notes that captured launches may use memory. If it was there before, other arrays do not get
    /// it any more, and it stays where it is.
    static void noteUse(const std::shared_ptr<Storage>& storage) {
        if (CapturedLaunches* const capture = current()) [[unlikely]]
            capture->use(storage);
    }
    /// Notes a tensor that is made in the memory of another one.
    static void noteDerived(const std::shared_ptr<Tensor>& tensor, const Tensor& from) {
        if (CapturedLaunches* const capture = current()) [[unlikely]]
            capture->mDerived.emplace_back(tensor, &from);
    }
    /// Names memory that stands for the arguments' memory; it is not noted by noteUse().
    void addStandIn(const Storage& storage) { mStandIns.push_back(&storage); }

    /// Returns memory that an earlier result had, or new memory. @throws as Home::take()
    std::shared_ptr<Tensor> memory(DType dtype, int64_t count, Memory::MemoryTypes type);
    /// Takes the memory of a result that is no longer needed.
    /// @return false if it is not memory of this capture, or of one around it
    bool giveBack(const std::shared_ptr<Tensor>& tensor, DType dtype, int64_t count);

    /// Ends the capture. One around it takes over the memory, for operations that it gets next.
    void endAsPart();

    Part part() const { return mPart; }
    /// Returns the memory of a storage if the capture made it.
    std::optional<Made> made(const Storage& storage) const;
    /// The memory that the capture made, by its tensor.
    const std::unordered_map<const void*, Made>& allMade() const { return mMade; }
    /// The numbers of nodes and storages that were made meanwhile and exist.
    int64_t nodes() const { return mNodes; }
    int64_t storages() const { return mStorages; }
    /// Memory of other arrays.
    const std::vector<std::shared_ptr<Storage>>& others() const { return mOthers; }
    const std::vector<std::pair<std::shared_ptr<Tensor>, const Tensor*>>& derived() const {
        return mDerived;
    }

private:
    void use(const std::shared_ptr<Storage>& storage);
    CapturedLaunches* outer() const {
        return static_cast<CapturedLaunches*>(LaunchCapture::outer()); // there are no others
    }

    Home& mHome;
    const Part mPart;
    std::unordered_map<uint64_t, std::vector<std::shared_ptr<Tensor>>> mFree;
    std::unordered_map<const void*, Made> mMade;
    std::vector<const Storage*> mStandIns;
    std::vector<std::shared_ptr<Storage>> mOthers;
    std::vector<std::pair<std::shared_ptr<Tensor>, const Tensor*>> mDerived;
    int64_t mNodes = 0;
    int64_t mStorages = 0;
};

} // namespace kp::arrays
