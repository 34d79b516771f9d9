// SPDX-License-Identifier: Apache-2.0
//
// With an argument, the program compiles that shader source at run time.
#include <fstream>
#include <iterator>
#include <string>

#include <kompute/Kompute.hpp>

#include "ColdStart.hpp"
#include "Work.hpp"

int main(int argc, char** argv) {
    try {
        const std::vector<uint32_t> before = cold::input();
        std::vector<uint32_t> spirv(kp::COLDSTART_COMP_SPV.begin(), kp::COLDSTART_COMP_SPV.end());
        if (argc > 1) {
            std::ifstream file(argv[1]);
            spirv = kp::compile(std::string(std::istreambuf_iterator<char>(file), {}));
        }
        kp::Manager manager;
        const auto tensor = manager.tensorT<uint32_t>(before);
        const auto algorithm = manager.algorithm({tensor}, spirv, {cold::kCount / 64, 1, 1});
        manager.sequence()
            ->record<kp::OpSyncDevice>({tensor})
            ->record<kp::OpAlgoDispatch>(algorithm)
            ->record<kp::OpSyncLocal>({tensor})
            ->eval();
        return cold::finish(before, tensor->data());
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
}
