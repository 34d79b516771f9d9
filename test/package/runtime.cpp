// SPDX-License-Identifier: Apache-2.0
//
// Runs the program that save_program.c saved, with kompute::runtime alone. What needs a compiler is
// an error that names kompute::kompute.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include <kompute/Kompute.hpp>
#include <kompute/program.h>
#include <kompute/program/Program.hpp>

namespace {

/// Returns true if the error of what needs a compiler was thrown.
template <typename Function>
bool isRefused(const Function& function) {
    try {
        function();
    } catch (const kp::Unsupported& error) {
        std::printf("refused: %s\n", error.what());
        return std::string(error.what()).find("kompute::kompute") != std::string::npos;
    }
    return false;
}

bool run(const char* path) {
    kp::Manager manager;
    const kp::Program sort = kp::Program::load(manager, path);
    std::vector<uint32_t> numbers(1000);
    for (uint32_t i = 0; i < numbers.size(); ++i)
        numbers[i] = i * 2654435761u;
    const auto keys = manager.tensorT(numbers);
    sort.run({{"keys", keys}});
    std::sort(numbers.begin(), numbers.end());
    bool isRight = keys->vector() == numbers;

    keys->setData(std::vector<uint32_t>(numbers.rbegin(), numbers.rend()));
    const std::vector<std::shared_ptr<kp::Memory>> memory = {keys};
    manager.sequence()
        ->record<kp::OpSyncDevice>(memory)
        ->record(sort.operation({{"keys", keys}}))
        ->record<kp::OpSyncLocal>(memory)
        ->eval();
    isRight &= keys->vector() == numbers;
    if (!isRight)
        std::puts("the numbers are not sorted");

    kp_manager* other = nullptr;
    kp_program* made = nullptr;
    const bool isRefusedInC =
        kp_manager_create(0, &other) == KP_SUCCESS &&
        kp_program_sort(other, KP_UINT32, 10, 0, &made) == KP_UNSUPPORTED &&
        std::string(kp_last_error()).find("kompute::kompute") != std::string::npos;
    kp_manager_destroy(other);
    const std::vector<uint32_t> spirv = {0x07230203, 0x00010000, 0, 1, 0};
    return isRight && isRefusedInC && isRefused([&] { manager.algorithm(memory, spirv); }) &&
           isRefused([&] { kp::Program::loadUntrusted(manager, path); }) &&
           isRefused([&] { return manager.compile("void main() {}"); });
}

} // namespace

int main(int argc, char** argv) {
    try {
        if (argc == 2 && run(argv[1])) {
            std::puts("sorted");
            return 0;
        }
    } catch (const std::exception& error) {
        std::printf("failed: %s\n", error.what());
    }
    return 1;
}
