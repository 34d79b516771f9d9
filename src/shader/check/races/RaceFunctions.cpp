// SPDX-License-Identifier: Apache-2.0
#include "shader/check/races/RaceFunctions.hpp"

namespace kp::shader {
namespace {

// The words of a shadow.
constexpr uint32_t kWriter = 0;
constexpr uint32_t kWriterGroup = 1;
constexpr uint32_t kReader = 2;
constexpr uint32_t kReaderGroup = 3;
constexpr uint32_t kValue = 4;

// Who: the index in the group from 1, and the number of barriers passed. Threads that have passed
// more are not compared.
constexpr uint32_t kIndexMask = 0xfff;
constexpr uint32_t kBarrierShift = 12;
constexpr uint32_t kMaxBarriers = (1u << 18) - 1;
constexpr uint32_t kBarrierMask = kMaxBarriers << kBarrierShift;
constexpr uint32_t kSeveral = 1u << 31;       ///< other invocations of the group did so, too
constexpr uint32_t kAtomic = 1u << 30;        ///< of the writer
constexpr uint32_t kSeveralGroups = 1u << 30; ///< of readers

// The value: a hash, and the lowest bits of the number of barriers passed.
constexpr uint32_t kHashFactor = 0x9e3779b1;
constexpr uint32_t kHashMask = 0xffff0000;
constexpr uint32_t kHasValue = 0x8000;
constexpr uint32_t kPhaseMask = 0x7fff;

constexpr uint32_t kKindShift = 30; ///< of the other access in a report

} // namespace

uint32_t RaceFunctions::barriers() {
    if (mBarriers == 0)
        mBarriers = mContext.counter();
    return mBarriers;
}

uint32_t RaceFunctions::place(FunctionWriter& code, uint32_t word) {
    if (mShadow == 0)
        mShadow = mContext.wordBuffer(1, 0);
    const uint32_t pointer =
        mContext.editor.pointerType(spv::StorageClassStorageBuffer, mContext.uintType());
    const uint32_t at = code.add(spv::OpIAdd, mContext.uintType(), {mBegin, constant(word)});
    return code.add(spv::OpAccessChain, pointer, {mShadow, mContext.zero(), at});
}

uint32_t RaceFunctions::load(FunctionWriter& code, uint32_t word) {
    return code.add(spv::OpAtomicLoad, mContext.uintType(),
                    {place(code, word), mContext.deviceScope(), mContext.zero()});
}

uint32_t RaceFunctions::exchange(FunctionWriter& code, uint32_t word, uint32_t value) {
    return code.add(spv::OpAtomicExchange, mContext.uintType(),
                    {place(code, word), mContext.deviceScope(), mContext.zero(), value});
}

uint32_t RaceFunctions::hash(FunctionWriter& code, uint32_t passed) {
    const uint32_t word = mContext.uintType();
    const uint32_t mixed = code.add(spv::OpIMul, word, {code.parameter(5), constant(kHashFactor)});
    const uint32_t high = code.add(spv::OpBitwiseAnd, word, {mixed, constant(kHashMask)});
    const uint32_t next = code.add(spv::OpIAdd, word, {passed, constant(1)});
    const uint32_t low = code.add(spv::OpBitwiseAnd, word, {next, constant(kPhaseMask)});
    const uint32_t both = code.add(spv::OpBitwiseOr, word, {high, low});
    return code.add(spv::OpBitwiseOr, word, {both, constant(kHasValue)});
}

uint32_t RaceFunctions::group(FunctionWriter& code) {
    const uint32_t word = mContext.uintType();
    uint32_t group = mContext.builtin(code, spv::BuiltInWorkgroupId, 2);
    for (const uint32_t axis : {1u, 0u}) {
        const uint32_t count = mContext.builtin(code, spv::BuiltInNumWorkgroups, axis);
        const uint32_t rows = code.add(spv::OpIMul, word, {group, count});
        group = code.add(spv::OpIAdd, word,
                         {rows, mContext.builtin(code, spv::BuiltInWorkgroupId, axis)});
    }
    return group;
}

void RaceFunctions::reportOther(FunctionWriter& code, const Party& other, uint32_t kind) {
    const uint32_t word = mContext.uintType();
    const uint32_t index = code.add(spv::OpBitwiseAnd, word, {other.who, constant(kIndexMask)});
    Fault fault;
    fault.site = code.parameter(0);
    fault.low = code.parameter(4);
    fault.extent = other.group;
    fault.value =
        code.add(spv::OpBitwiseOr, word,
                 {index, code.add(spv::OpShiftLeftLogical, word, {kind, constant(kKindShift)})});
    mContext.report(code, fault);
}

namespace {

/// Compares who accessed a number with the invocation that runs.
struct Compared {
    uint32_t sameGroup;
    uint32_t samePhase; ///< no barrier is between them
    uint32_t differs;   ///< it is another invocation, or was several
    uint32_t exists;
};

/// Writes conditions on words.
class Conditions {
public:
    Conditions(CheckContext& context, FunctionWriter& code) : mContext(context), mCode(code) {}

    uint32_t all(uint32_t a, uint32_t b) { return mCode.add(spv::OpLogicalAnd, boolean(), {a, b}); }
    uint32_t any(uint32_t a, uint32_t b) { return mCode.add(spv::OpLogicalOr, boolean(), {a, b}); }
    uint32_t negated(uint32_t a) { return mCode.add(spv::OpLogicalNot, boolean(), {a}); }
    uint32_t equal(uint32_t a, uint32_t b) { return mCode.add(spv::OpIEqual, boolean(), {a, b}); }
    uint32_t masked(uint32_t a, uint32_t mask) {
        return mCode.add(spv::OpBitwiseAnd, mContext.uintType(),
                         {a, mContext.editor.uintConstant(mask)});
    }
    uint32_t hasAny(uint32_t a, uint32_t mask) {
        return mCode.add(spv::OpINotEqual, boolean(), {masked(a, mask), mContext.zero()});
    }
    uint32_t chosen(uint32_t condition, uint32_t a, uint32_t b) {
        return mCode.add(spv::OpSelect, mContext.uintType(), {condition, a, b});
    }
    uint32_t joined(uint32_t a, uint32_t b) {
        return mCode.add(spv::OpBitwiseOr, mContext.uintType(), {a, b});
    }
    Compared compare(uint32_t who, uint32_t group, uint32_t me, uint32_t myGroup) {
        const uint32_t both = mCode.add(spv::OpBitwiseXor, mContext.uintType(), {who, me});
        return {equal(group, myGroup), negated(hasAny(both, kBarrierMask)),
                any(hasAny(both, kIndexMask), hasAny(who, kSeveral)),
                mCode.add(spv::OpINotEqual, boolean(), {who, mContext.zero()})};
    }
    /// Returns true if nothing orders the accesses of two invocations.
    uint32_t unordered(const Compared& other) {
        const uint32_t within = all(other.samePhase, other.differs);
        return all(other.exists, any(negated(other.sameGroup), within));
    }

private:
    uint32_t boolean() { return mContext.editor.boolType(); }

    CheckContext& mContext;
    FunctionWriter& mCode;
};

uint32_t nothing() {
    return 0;
}

} // namespace

void RaceFunctions::noteRead(FunctionWriter& code, const Party& me) {
    const uint32_t word = mContext.uintType();
    Conditions is(mContext, code);
    const uint32_t known = load(code, kReader);
    const Compared other = is.compare(known, load(code, kReaderGroup), me.who, me.group);
    const uint32_t replaces =
        is.any(is.negated(other.exists), is.all(other.sameGroup, is.negated(other.samePhase)));
    const auto replace = [&] {
        exchange(code, kReaderGroup, me.group);
        const uint32_t next = is.joined(me.who, is.masked(known, kSeveralGroups));
        const uint32_t found = code.add(spv::OpAtomicCompareExchange, word,
                                        {place(code, kReader), mContext.deviceScope(),
                                         mContext.zero(), mContext.zero(), next, known});
        // Another reader came first.
        const Compared first = is.compare(found, me.group, me.who, me.group);
        const uint32_t several =
            is.chosen(is.all(first.samePhase, first.differs), constant(kSeveral), mContext.zero());
        return is.chosen(is.equal(found, known), mContext.zero(), several);
    };
    const auto join = [&] {
        const uint32_t several = is.chosen(other.differs, constant(kSeveral), mContext.zero());
        const uint32_t flag = is.chosen(other.sameGroup, several, constant(kSeveralGroups));
        const uint32_t has = code.add(spv::OpBitwiseAnd, word, {known, flag});
        return is.chosen(is.equal(has, flag), mContext.zero(), flag);
    };
    const uint32_t flag = code.choose(replaces, word, replace, join);
    code.choose(is.equal(flag, mContext.zero()), 0, nothing, [&] {
        code.add(spv::OpAtomicOr, word,
                 {place(code, kReader), mContext.deviceScope(), mContext.zero(), flag});
        return 0u;
    });
}

void RaceFunctions::reportUnwritten(FunctionWriter& code, const Party& writer) {
    Conditions is(mContext, code);
    code.choose(
        is.equal(writer.who, mContext.zero()), 0,
        [&] {
            reportOther(code, {mContext.zero(), mContext.zero()}, constant(kUnwritten));
            return 0u;
        },
        nothing);
}

void RaceFunctions::note(FunctionWriter& code, AccessKind kind, bool initialised, uint32_t passed) {
    const uint32_t word = mContext.uintType();
    Conditions is(mContext, code);
    const uint32_t number = code.add(spv::OpIAdd, word, {code.parameter(1), code.parameter(3)});
    mBegin = code.add(spv::OpIMul, word, {number, constant(kShadowWords)});
    const uint32_t index = mContext.builtin(code, mBySubgroups ? spv::BuiltInSubgroupId
                                                               : spv::BuiltInLocalInvocationIndex);
    const uint32_t phase =
        code.add(spv::OpShiftLeftLogical, word, {passed, constant(kBarrierShift)});
    const Party me{is.joined(code.add(spv::OpIAdd, word, {index, constant(1)}), phase),
                   group(code)};
    Party writer;
    uint32_t wrong = 0;
    switch (kind) {
    case AccessKind::eRead:
        writer = {load(code, kWriter), load(code, kWriterGroup)};
        wrong = is.unordered(is.compare(writer.who, writer.group, me.who, me.group));
        break;
    case AccessKind::eWrite: {
        writer.who = exchange(code, kWriter, me.who);
        writer.group = exchange(code, kWriterGroup, me.group);
        const uint32_t mine = hash(code, passed);
        const uint32_t value = exchange(code, kValue, mine);
        const Compared other = is.compare(writer.who, writer.group, me.who, me.group);
        // The value may be an older one, if the other writer has not come so far.
        const uint32_t both = code.add(spv::OpBitwiseXor, word, {value, mine});
        const uint32_t current = is.negated(is.hasAny(both, kPhaseMask));
        const uint32_t known =
            is.all(is.hasAny(value, kHasValue), is.any(is.negated(other.sameGroup), current));
        const uint32_t counts =
            is.any(is.hasAny(writer.who, kAtomic), is.all(known, is.hasAny(both, kHashMask)));
        wrong = is.all(is.unordered(other), counts);
        break;
    }
    case AccessKind::eAtomic: {
        const uint32_t before = is.unordered(
            is.compare(load(code, kWriter), load(code, kWriterGroup), me.who, me.group));
        const uint32_t several = is.chosen(before, constant(kSeveral), mContext.zero());
        const uint32_t who = is.joined(is.joined(me.who, constant(kAtomic)), several);
        writer.who = exchange(code, kWriter, who);
        writer.group = exchange(code, kWriterGroup, me.group);
        wrong = is.all(is.unordered(is.compare(writer.who, writer.group, me.who, me.group)),
                       is.negated(is.hasAny(writer.who, kAtomic)));
        break;
    }
    }
    if (!initialised && kind != AccessKind::eWrite && mContext.kinds.uninitialised)
        reportUnwritten(code, writer);
    if (!mContext.kinds.races)
        return;
    const uint32_t writerKind = is.chosen(is.hasAny(writer.who, kAtomic),
                                          constant(static_cast<uint32_t>(AccessKind::eAtomic)),
                                          constant(static_cast<uint32_t>(AccessKind::eWrite)));
    code.choose(
        wrong, 0,
        [&] {
            reportOther(code, writer, writerKind);
            return 0u;
        },
        nothing);
    if (kind == AccessKind::eRead)
        return noteRead(code, me);

    const Party reader{load(code, kReader), load(code, kReaderGroup)};
    const Compared other = is.compare(reader.who, reader.group, me.who, me.group);
    const uint32_t read = is.any(is.unordered(other), is.hasAny(reader.who, kSeveralGroups));
    code.choose(
        is.all(read, is.negated(wrong)), 0,
        [&] {
            reportOther(code, reader, constant(static_cast<uint32_t>(AccessKind::eRead)));
            return 0u;
        },
        nothing);
}

uint32_t RaceFunctions::common(AccessKind kind, bool initialised) {
    const std::vector<uint32_t> key{spv::OpMemoryBarrier, static_cast<uint32_t>(kind), 0,
                                    initialised ? 1u : 0u};
    if (const uint32_t* const known = mContext.known(key))
        return *known;
    const uint32_t word = mContext.uintType();
    const uint32_t boolean = mContext.editor.boolType();
    FunctionWriter code(mContext.editor, mContext.editor.voidType(),
                        std::vector<uint32_t>(6, word));
    const uint32_t passed = code.add(spv::OpLoad, word, {barriers()});
    const uint32_t inside =
        code.add(spv::OpULessThan, boolean, {code.parameter(3), code.parameter(2)});
    const uint32_t counts = code.add(spv::OpULessThan, boolean, {passed, constant(kMaxBarriers)});
    code.choose(
        code.add(spv::OpLogicalAnd, boolean, {inside, counts}), 0,
        [&] {
            note(code, kind, initialised, passed);
            return 0u;
        },
        nothing);
    return mContext.add(key, code, 0);
}

uint32_t RaceFunctions::ofShared(AccessKind kind, bool initialised) {
    const std::vector<uint32_t> key{spv::OpMemoryBarrier, static_cast<uint32_t>(kind), 1,
                                    initialised ? 1u : 0u};
    if (const uint32_t* const known = mContext.known(key))
        return *known;
    const uint32_t word = mContext.uintType();
    const uint32_t boolean = mContext.editor.boolType();
    const uint32_t called = common(kind, initialised);
    const uint32_t empty = mContext.editor.voidType();
    FunctionWriter code(mContext.editor, empty, std::vector<uint32_t>(4, word));
    uint32_t groups = constant(1);
    for (const uint32_t axis : {0u, 1u, 2u})
        groups = code.add(spv::OpIMul, word,
                          {groups, mContext.builtin(code, spv::BuiltInNumWorkgroups, axis)});
    // The first groups, and the last ones after them.
    const uint32_t mine = group(code);
    const uint32_t left = code.add(spv::OpISub, word, {groups, mine});
    const uint32_t isFirst = code.add(spv::OpULessThan, boolean, {mine, constant(kSharedGroups)});
    const uint32_t isLast =
        code.add(spv::OpULessThanEqual, boolean, {left, constant(kSharedGroups)});
    const uint32_t fromEnd = code.add(spv::OpISub, word, {constant(2 * kSharedGroups), left});
    const uint32_t region = code.add(spv::OpSelect, word, {isFirst, mine, fromEnd});
    const uint32_t begin = code.add(spv::OpIMul, word, {region, constant(kSharedElements)});
    const uint32_t compared = code.add(spv::OpLogicalOr, boolean, {isFirst, isLast});
    const uint32_t count =
        code.add(spv::OpSelect, word, {compared, constant(kSharedElements), mContext.zero()});
    code.add(nodeOf(spv::OpFunctionCall, empty, 0,
                    {called, code.parameter(0), begin, count, code.parameter(1), code.parameter(2),
                     code.parameter(3)}));
    return mContext.add(key, code, 0);
}

uint32_t RaceFunctions::ofBuffers(AccessKind kind) {
    const std::vector<uint32_t> key{spv::OpMemoryBarrier, static_cast<uint32_t>(kind), 2};
    if (const uint32_t* const known = mContext.known(key))
        return *known;
    const uint32_t word = mContext.uintType();
    const uint32_t called = common(kind, true);
    const uint32_t empty = mContext.editor.voidType();
    FunctionWriter code(mContext.editor, empty, std::vector<uint32_t>(5, word));
    const uint32_t pointer = mContext.editor.pointerType(spv::StorageClassStorageBuffer, word);
    const uint32_t slot = code.add(spv::OpIMul, word, {code.parameter(4), constant(2)});
    const auto entry = [&](uint32_t which) {
        const uint32_t at = code.add(spv::OpIAdd, word, {slot, constant(kReportWords + which)});
        return code.add(spv::OpLoad, word,
                        {code.add(spv::OpAccessChain, pointer,
                                  {mContext.reportBuffer(), mContext.zero(), at})});
    };
    const uint32_t begin = entry(0);
    const uint32_t count = entry(1);
    code.add(nodeOf(spv::OpFunctionCall, empty, 0,
                    {called, code.parameter(0), begin, count, code.parameter(1), code.parameter(2),
                     code.parameter(3)}));
    return mContext.add(key, code, 0);
}

} // namespace kp::shader
