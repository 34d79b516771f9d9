// SPDX-License-Identifier: Apache-2.0
//
// The code of docs/guides/programs.md. Each block of that page is a part of this file, apart from
// whitespace.
#include <cstdio>
#include <filesystem>

#include <kompute/Primitives.hpp>
#include <kompute/program.h>
#include <kompute/program/Program.hpp>

#include "../DocsSupport.hpp"
#include "../TestSupport.hpp"

namespace kp::test {
namespace {

/// Changes to a new folder for the length of a scope.
class NewFolder {
public:
    NewFolder() : mBefore(std::filesystem::current_path()) {
        mFolder = std::filesystem::temp_directory_path() /
                  ("kompute-programs-" + std::to_string(reinterpret_cast<uintptr_t>(this)));
        std::filesystem::create_directories(mFolder);
        std::filesystem::current_path(mFolder);
    }
    ~NewFolder() {
        std::filesystem::current_path(mBefore);
        std::filesystem::remove_all(mFolder);
    }

private:
    std::filesystem::path mBefore;
    std::filesystem::path mFolder;
};

class ProgramsDocsTest : public DeviceTest {
    const CheckScope mUnchecked{"off"}; // programs have no checks
};

TEST_F(ProgramsDocsTest, RunsTheCodeOnSequences) {
    const NewFolder folder;
    auto in = manager.tensor({1, 2, 3});
    auto out = manager.tensor({0, 0, 0});
    auto algorithm = manager.algorithm(
        {in, out}, spirv(shader(buffer(0, "readonly", "float", "a") + buffer(1, "", "float", "b"),
                                "b[i] = -a[i];")));
    // clang-format off
auto sequence = manager.sequence();
sequence->record<kp::OpAlgoDispatch>(algorithm)->record<kp::OpSort>(out);
kp::Program::of(*sequence, {{"in", in}}, {{"out", out}}).save("step.kp");
    // clang-format on
    auto x = manager.tensor({1, 3, 2});
    auto y = manager.tensor({0, 0, 0});
    auto z = manager.tensor({2, 1, 0});
    // clang-format off
kp::Program step = kp::Program::load(manager, "step.kp");
step.run({{"in", x}, {"out", y}}); // copies x to the device and y back, and waits
    // clang-format on
    EXPECT_EQ(y->vector(), (std::vector<float>{-3, -2, -1}));
    // clang-format off
manager.sequence()->record(step.operation({{"in", x}, {"out", y}}))->record<kp::OpSort>(z)->eval();
    // clang-format on
    EXPECT_EQ(onDevice<float>(*z), (std::vector<float>{0, 1, 2}));
}

TEST_F(ProgramsDocsTest, RunsTheCodeInC) {
    std::vector<uint32_t> values(1000);
    for (uint32_t i = 0; i < values.size(); ++i)
        values[i] = (i * 7919u) % 1000u;
    const uint32_t* const numbers = values.data();
    // clang-format off
kp_manager* manager;
kp_program* sort;
kp_tensor* keys;
kp_manager_create(0, &manager);
kp_program_sort(manager, KP_UINT32, 1000, 0, &sort);
kp_tensor_create(manager, KP_UINT32, 1000, 0, numbers, &keys);
kp_named_tensor tensor = {"keys", keys};
if (kp_program_run(sort, &tensor, 1)) puts(kp_last_error());
    // clang-format on
    ASSERT_EQ(kp_tensor_read(keys, values.data(), values.size() * sizeof values[0]), KP_SUCCESS);
    EXPECT_EQ(values, ascending<uint32_t>(1000));
    kp_tensor_destroy(keys);
    kp_program_destroy(sort);
    kp_manager_destroy(manager);
}

TEST_F(ProgramsDocsTest, HasTheCodeOfThePage) {
    expectCodeOfPage("docs/guides/programs.md", "test/device/docs/ProgramsDocsTest.cpp", 3);
}

} // namespace
} // namespace kp::test
