// SPDX-License-Identifier: Apache-2.0
#include "PlantedFault.hpp"

#include <atomic>
#include <type_traits>

#include "device/TestSupport.hpp"
#include "vulkan/device/Device.hpp"

namespace kp::proof {
namespace {

/// Replaces a function that returns nothing. Each kEach-th call does nothing.
template <auto Member, int kEach>
struct Ignored {
    using Function = std::remove_reference_t<decltype(std::declval<VolkDeviceTable&>().*Member)>;
    static inline Function original = nullptr;
    static inline std::atomic<int> calls{0};

    template <typename... A>
    static VKAPI_ATTR void VKAPI_CALL call(A... arguments) {
        if (++calls % kEach != 0)
            original(arguments...);
    }
    static void install(VolkDeviceTable& table) {
        if (table.*Member == static_cast<Function>(&call))
            return;
        original = table.*Member;
        table.*Member = &call;
    }
};

} // namespace

void plantFault(const kp::Manager& manager, const std::string& fault) {
    VolkDeviceTable& table = test::deviceOf(manager)->mutableTable();
    if (fault == "dispatch")
        Ignored<&VolkDeviceTable::vkCmdDispatch, 1000>::install(table);
    else if (fault == "copy")
        Ignored<&VolkDeviceTable::vkCmdCopyBuffer, 1000>::install(table);
    else if (fault == "fill")
        Ignored<&VolkDeviceTable::vkCmdFillBuffer, 1000>::install(table);
    else if (fault == "barrier")
        Ignored<&VolkDeviceTable::vkCmdPipelineBarrier, 1>::install(table);
}

} // namespace kp::proof
