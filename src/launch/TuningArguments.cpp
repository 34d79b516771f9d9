// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <kompute/Error.hpp>
#include <kompute/launch/Autotuner.hpp>

namespace kp {
namespace {

void requireMember(const std::vector<std::shared_ptr<Memory>>& memObjects,
                   const std::shared_ptr<Memory>& memory, const char* what) {
    if (std::find(memObjects.begin(), memObjects.end(), memory) == memObjects.end())
        throw InvalidArgument(std::string(what) +
                              " was given memory that is not one of the kernel's arguments");
}

std::vector<int64_t> problemOf(const std::array<uint64_t, 3>& threads) {
    return {static_cast<int64_t>(threads[0]), static_cast<int64_t>(threads[1]),
            static_cast<int64_t>(threads[2])};
}

} // namespace

TuningArguments::TuningArguments(std::vector<std::shared_ptr<Memory>> memObjects,
                                 const std::array<uint64_t, 3>& threads)
    : mMemObjects(std::move(memObjects)), mThreads(threads), mProblem(problemOf(threads)) {
    for (size_t i = 0; i < mMemObjects.size(); ++i)
        if (!mMemObjects[i])
            throw InvalidArgument("memory object " + std::to_string(i) +
                                  " of the tuning arguments is null");
}

TuningArguments& TuningArguments::threads(const std::array<uint64_t, 3>& threads) {
    if (mProblem == problemOf(mThreads))
        mProblem = problemOf(threads);
    mThreads = threads;
    return *this;
}

TuningArguments& TuningArguments::pushConstants(const void* data, size_t bytes) {
    const auto* first = static_cast<const unsigned char*>(data);
    mPushConstants.assign(first, first + bytes);
    return *this;
}

TuningArguments& TuningArguments::problem(std::vector<int64_t> size) {
    mProblem = std::move(size);
    return *this;
}

TuningArguments& TuningArguments::key(std::string key) {
    mKey = std::move(key);
    return *this;
}

TuningArguments& TuningArguments::resetToZero(std::shared_ptr<Memory> memory) {
    requireMember(mMemObjects, memory, "TuningArguments::resetToZero");
    mZeroed.push_back(std::move(memory));
    return *this;
}

TuningArguments& TuningArguments::leave(std::shared_ptr<Memory> memory) {
    requireMember(mMemObjects, memory, "TuningArguments::leave");
    mLeft.push_back(std::move(memory));
    return *this;
}

TuningArguments& TuningArguments::expect(std::shared_ptr<Memory> memory, const void* expected,
                                         size_t bytes, double relative, double absolute) {
    requireMember(mMemObjects, memory, "TuningArguments::expect");
    if (bytes != memory->memorySize())
        throw InvalidArgument("TuningArguments::expect was given " + std::to_string(bytes) +
                              " bytes for memory of " + std::to_string(memory->memorySize()) +
                              " bytes");
    if (!(relative >= 0) || !(absolute >= 0))
        throw InvalidArgument("TuningArguments::expect was given a negative tolerance");
    const auto* first = static_cast<const unsigned char*>(expected);
    mExpected.push_back({std::move(memory), {first, first + bytes}, relative, absolute});
    return *this;
}

TuningArguments& TuningArguments::verify(Verifier verifier) {
    mVerifier = std::move(verifier);
    return *this;
}

} // namespace kp
