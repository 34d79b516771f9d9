// SPDX-License-Identifier: Apache-2.0
#include "core/queue/LaunchCapture.hpp"

#include <kompute/Error.hpp>

#include "base/Text.hpp"

namespace kp {

bool LaunchCapture::take(const Queue::Impl& queue, const Operations& operations) {
    LaunchCapture* const capture = sCurrent;
    if (!capture) [[likely]]
        return false;
    if (&queue != &capture->mQueue)
        fail("a launch on another queue");
    capture->mOperations.insert(capture->mOperations.end(), operations.begin(), operations.end());
    return true;
}

void LaunchCapture::fail(std::string_view what) {
    sCurrent->mRefusal =
        formatted("{} cannot be captured: only launches of arrays and operations on the manager's "
                  "default queue can be repeated without the host",
                  what);
    throw InvalidArgument(sCurrent->mRefusal);
}

} // namespace kp
