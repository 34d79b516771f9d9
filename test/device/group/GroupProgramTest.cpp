// SPDX-License-Identifier: Apache-2.0
//
// Some of the random group programs that scripts/proof.sh runs.
#include <string>

#include "device/group/GroupSupport.hpp"
#include "proof/GroupProgram.hpp"

namespace kp::test {
namespace {

using GroupProgramTest = GroupTest;

TEST_F(GroupProgramTest, RandomProgramsEqualTheModel) {
    for (const kp::ExchangePath path : {kp::ExchangePath::eAuto, kp::ExchangePath::eStaging}) {
        kp::DeviceGroupOptions options =
            groupOptions(path == kp::ExchangePath::eAuto ? 2 : 3, path);
        options.queueCounts = {path == kp::ExchangePath::eAuto ? 2u : 1u};
        kp::DeviceGroup group(options);
        const uint32_t programs = slowed() ? 4 : 20;
        for (uint32_t number = 0; number < programs; ++number) {
            SCOPED_TRACE("program " + std::to_string(number));
            proof::GroupProgram program(group, proof::Random(1, number));
            program.run(20);
            ASSERT_NO_THROW(program.expectEqualToModel());
        }
    }
}

} // namespace
} // namespace kp::test
