// SPDX-License-Identifier: Apache-2.0
#include "shader/interpret/Bytecode.hpp"

#include <gtest/gtest.h>

namespace kp::shader {
namespace {

/// Returns the bytecode of function 1, which has 1000 registers and calls function 2.
Bytecode callOf(uint32_t registersOfCalled) {
    Bytecode made;
    made.functions[1].registers = 1000;
    made.functions[1].calls = {2};
    made.functions[2].registers = registersOfCalled;
    return made;
}

TEST(Bytecode, HasRoomForTheRegistersOfAFunctionAndOfWhatItCalls) {
    constexpr uint32_t left = Bytecode::kMaxRegisters - 1000 - 1; // one takes what nothing reads
    EXPECT_TRUE(callOf(left).place());
    EXPECT_FALSE(callOf(left + 1).place());
}

TEST(Bytecode, HasRoomForAsManyComputationsAsOpcodesAreLeft) {
    Bytecode made;
    constexpr uint32_t left = Bytecode::kMaxOpcodes - static_cast<uint32_t>(Opcode::eFirstComputed);
    for (uint32_t type = 1; type <= left; ++type)
        made.opcodeOf({nodeOf(spv::OpNop, type, 0, {}), {}, {}});
    EXPECT_TRUE(made.place());
    made.opcodeOf({nodeOf(spv::OpNop, left + 1, 0, {}), {}, {}});
    EXPECT_FALSE(made.place());
}

} // namespace
} // namespace kp::shader
