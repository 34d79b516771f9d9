// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <vector>

#include <kompute/Algorithm.hpp>
#include <kompute/Core.hpp>
#include <kompute/Image.hpp>
#include <kompute/Memory.hpp>
#include <kompute/Tensor.hpp>

namespace kp {

/// What an operation reads and writes. A sequence derives from it the barriers it needs, and no
/// others; and the order against other queues.
class KOMPUTE_API Accesses {
public:
    /// The kind of command that touches the memory.
    enum class By {
        eDispatch, ///< a shader
        eTransfer, ///< a copy or fill command
        eIndirect  ///< the group counts of an indirect dispatch
    };
    /// Which memory of a memory object.
    enum class Part {
        eDevice, ///< the device memory
        eMirror  ///< the host mirror of eDevice memory
    };

    struct Entry {
        std::shared_ptr<Memory> memory;
        bool reads = false;
        bool writes = false;
        By by = By::eDispatch;
        Part part = Part::eDevice;
    };

    /// "It may touch any memory in any way": the operation is ordered against everything before
    /// and after it, in this sequence and on other queues.
    static Accesses anything();

    Accesses& read(std::shared_ptr<Memory> memory, By by = By::eDispatch,
                   Part part = Part::eDevice);
    Accesses& write(std::shared_ptr<Memory> memory, By by = By::eDispatch,
                    Part part = Part::eDevice);
    Accesses& readWrite(std::shared_ptr<Memory> memory, By by = By::eDispatch,
                        Part part = Part::eDevice);

    /// The entries in the order of the calls that made them. A view: valid as long as the Accesses.
    class Entries {
    public:
        Entries(const Entry* first, size_t count) : mFirst(first), mCount(count) {}
        const Entry* begin() const { return mFirst; }
        const Entry* end() const { return mFirst + mCount; }
        size_t size() const { return mCount; }
        const Entry& operator[](size_t index) const { return mFirst[index]; }

    private:
        const Entry* mFirst;
        size_t mCount;
    };

    bool isAnything() const { return mAnything; }
    Entries entries() const {
        return mMany.empty() ? Entries(mFew.data(), mCount) : Entries(mMany.data(), mMany.size());
    }

private:
    void add(Entry entry);

    bool mAnything = false;
    // Few entries, which is what most operations have, cost no allocation.
    size_t mCount = 0; ///< in mFew
    std::array<Entry, 6> mFew{};
    std::vector<Entry> mMany; ///< all of them, once there are more
};

/// An operation that a Sequence records. Derive from it for operations of your own; see
/// docs/custom-operations.md. The sequence keeps it alive while it may run again.
class KOMPUTE_API OpBase {
public:
    OpBase() = default;
    virtual ~OpBase();
    OpBase(const OpBase&) = delete;
    OpBase& operator=(const OpBase&) = delete;

    /// Called once, before the first record(). For work that a constructor should not do.
    virtual void init();

    /// What record()'s commands read and write. The default says "anything", which is always right.
    virtual Accesses accesses();

    /// Records the operation's commands. Called again by Sequence::rerecord.
    virtual void record(const vk::CommandBuffer& commandBuffer) = 0;

    /// Called on the host before each submission, in the order of recording.
    virtual void preEval(const vk::CommandBuffer& commandBuffer) = 0;

    /// Called on the host after each submission that was waited for to its end.
    virtual void postEval(const vk::CommandBuffer& commandBuffer) = 0;

protected:
    /// Records another operation as a part of this one, with the barriers it needs before it. To be
    /// called by record(). The accesses of the parts need not be said again: an operation of parts
    /// alone returns `Accesses()`. Their preEval and postEval are this operation's to call.
    /// @throws InvalidArgument where no sequence is recording; what the part's record() throws
    static void recordPart(const vk::CommandBuffer& commandBuffer, OpBase& part);

private:
    friend class Recorder;
    friend class Sequence;

    bool mInitialised = false;
    bool mOfSequence = false; ///< an OpAlgoDispatch that nothing but one sequence knows
};

namespace detail {

/// Any vector of shared pointers to memory objects as the base's.
template <typename M>
std::vector<std::shared_ptr<Memory>> toMemory(const std::vector<std::shared_ptr<M>>& objects) {
    return std::vector<std::shared_ptr<Memory>>(objects.begin(), objects.end());
}

/// Switches an overload on for vectors of Tensor, TensorT<T>, Image, ..., which braces never
/// choose.
template <typename M>
using EnableForDerived =
    std::enable_if_t<std::is_base_of<Memory, M>::value && !std::is_same<Memory, M>::value>;

} // namespace detail
} // namespace kp
