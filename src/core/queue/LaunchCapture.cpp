// SPDX-License-Identifier: Apache-2.0
#include "core/queue/LaunchCapture.hpp"

#include <kompute/Error.hpp>

#include "base/Text.hpp"
#include "core/algorithm/DispatchCommands.hpp"
#include "core/sequence/OperationClass.hpp"

namespace kp {

bool LaunchCapture::take(const Queue::Impl& queue, const Operations& operations) {
    LaunchCapture* const capture = sCurrent;
    if (!capture) [[likely]]
        return false;
    if (&queue != &capture->mQueue)
        fail("a launch on another queue");
    for (const std::shared_ptr<OpBase>& operation : operations) {
        if (!isPlainDispatch(*operation)) {
            capture->mOperations.push_back(operation);
            continue;
        }
        auto [copy, algorithm] =
            DispatchCommands::copyOf(static_cast<const OpAlgoDispatch&>(*operation));
        capture->add(std::move(copy), std::move(algorithm));
    }
    return true;
}

void LaunchCapture::fail(std::string_view what, std::string_view instead) {
    sCurrent->mRefusal =
        formatted("{} cannot be captured: only launches of arrays and operations on the manager's "
                  "default queue can be repeated without the host{}{}",
                  what, instead.empty() ? "" : "; ", instead);
    throw InvalidArgument(sCurrent->mRefusal);
}

} // namespace kp
