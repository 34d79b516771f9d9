// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <vector>

#include <kompute/Algorithm.hpp>
#include <kompute/Core.hpp>
#include <kompute/Image.hpp>
#include <kompute/Tensor.hpp>
#include <kompute/memory/MemoryObjects.hpp>

namespace kp {

/// The memory that an operation reads and writes. A sequence derives from it exactly the barriers
/// that are needed, and the order against other queues.
class KOMPUTE_API Accesses {
public:
    /// Kind of command that accesses the memory.
    enum class By {
        eDispatch, ///< a shader
        eTransfer, ///< a copy or fill command
        eIndirect  ///< the work group counts of an indirect dispatch
    };
    /// Part of a memory object.
    enum class Part {
        eDevice, ///< the device memory
        eMirror  ///< the host mirror of eDevice memory
    };

    /// One access to one memory object.
    struct Entry {
        std::shared_ptr<Memory> memory;
        bool reads = false;
        bool writes = false;
        By by = By::eDispatch;
        Part part = Part::eDevice;
        bool copied = false;   ///< see copied()
        bool replaces = false; ///< see copied()
    };

    /// Any memory in any way: the operation is ordered against all earlier and later work, in this
    /// sequence and on other queues.
    static Accesses anything();

    /// Adds an access and returns *this.
    Accesses& read(std::shared_ptr<Memory> memory, By by = By::eDispatch,
                   Part part = Part::eDevice);
    Accesses& write(std::shared_ptr<Memory> memory, By by = By::eDispatch,
                    Part part = Part::eDevice);
    Accesses& readWrite(std::shared_ptr<Memory> memory, By by = By::eDispatch,
                        Part part = Part::eDevice);

    /// States that the write added last comes from a copy or a fill, whose result the host view
    /// shows: a later OpSyncDevice copies this result, as Kompute's OpCopy demands, not the earlier
    /// host view.
    /// @param replaces  all contents of the memory are replaced, so that newer host data need not
    ///                  be copied to it first; false: unwritten parts stay
    Accesses& copied(bool replaces = false);

    /// The entries in insertion order. A view, valid as long as the Accesses object.
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
    // Most operations have few entries, which need no allocation.
    size_t mCount = 0; ///< number of entries in mFew
    std::array<Entry, 6> mFew{};
    std::vector<Entry> mMany; ///< all entries, once mFew is too small
};

/// An operation that a Sequence records. Derive from it for custom operations; see
/// docs/guides/custom-operations.md. The sequence keeps the operation alive while it may run again.
///
/// Thread safety: called by the thread that uses the sequence. If Sequence::evalAsync submits
/// later, preEval() is called by a thread of the library.
class KOMPUTE_API OpBase {
public:
    OpBase() = default;
    virtual ~OpBase();
    /// Not `const OpBase&`: otherwise OpCopy({objects}) could also mean a copy of an OpCopy.
    OpBase(OpBase&) = delete;
    OpBase& operator=(const OpBase&) = delete;

    /// Called once, before the first record(). For work that does not belong in a constructor.
    virtual void init();

    /// Returns the memory that the commands of record() read and write. The default, "anything", is
    /// always correct but prevents overlap.
    virtual Accesses accesses();

    /// Records the operation's commands. Called again by Sequence::rerecord.
    virtual void record(const vk::CommandBuffer& commandBuffer) = 0;

    /// Called on the host before each submission, in recording order.
    virtual void preEval(const vk::CommandBuffer& commandBuffer) = 0;

    /// Called on the host after each submission whose end was waited for.
    virtual void postEval(const vk::CommandBuffer& commandBuffer) = 0;

protected:
    /// Records another operation as part of this one, preceded by the barriers it needs. Call it
    /// from record(). accesses() need not repeat the accesses of parts: an operation that consists
    /// of parts alone returns `Accesses()`. This operation must call the parts' preEval() and
    /// postEval() itself.
    /// @throws InvalidArgument if no sequence is recording; the part's exceptions
    static void recordPart(const vk::CommandBuffer& commandBuffer, OpBase& part);

    /// States that OpRepeat may skip this operation. Call it in the constructor of an operation
    /// whose record() calls recordPart() and records nothing else.
    void makeSkippable() { mSkippable = mSavable = true; }

    /// States that a Program may have this operation, which OpRepeat cannot skip: record() calls
    /// recordPart() and functions of the library, and records nothing else.
    void makeSavable() { mSavable = true; }

private:
    friend class Recorder;
    friend class Sequence;

    bool mInitialised = false;
    bool mSkippable = false;
    bool mSavable = false;
    bool mOfSequence = false; ///< an OpAlgoDispatch that belongs to a single sequence
};

} // namespace kp
