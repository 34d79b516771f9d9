// SPDX-License-Identifier: Apache-2.0
#include "shader/module/WideLibrary.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <string>

#include <gtest/gtest.h>
#include <kompute/Shader.hpp>
#include <kompute/shader/ShaderLibrary.hpp>

#include "base/files/Files.hpp"
#include "shader/SpirvModule.hpp"
#include "shader/Validate.hpp"

namespace kp::shader {
namespace {

constexpr uint32_t kVulkan11 = (1u << 22) | (1u << 12);

/// Returns the names of all functions in the files of shaders/lib/wide.
std::set<std::string> namesOfWideFunctions() {
    const std::regex definition(R"((?:^|\n)\w+ (kp_\w+)\()");
    std::set<std::string> names;
    for (const auto& file :
         std::filesystem::directory_iterator(KOMPUTE_SOURCE_FOLDER "/shaders/lib/wide")) {
        const std::string text = kp::readFile(file.path().string()).value();
        for (std::sregex_iterator at(text.begin(), text.end(), definition), end; at != end; ++at)
            names.insert((*at)[1]);
    }
    return names;
}

TEST(WideLibrary, IsAValidModuleOfAllFunctions) {
    EXPECT_NO_THROW(validate(wideLibrary(), kVulkan11, false));
    const SpirvModule module = parseSpirv(wideLibrary());
    std::map<uint32_t, std::string> names;
    std::set<std::string> functions;
    for (const Instruction& each : module.instructions) {
        if (each.opcode == spv::OpName)
            names[each.word(1)] = each.text(2);
        else if (each.opcode == spv::OpFunction)
            functions.insert(names[each.word(2)].substr(0, names[each.word(2)].find('(')));
    }
    functions.erase("main");
    EXPECT_GT(functions.size(), 60u);
    EXPECT_EQ(functions, namesOfWideFunctions());
}

TEST(WideLibrary, NeedsNoFeatureAndNoResource) {
    std::set<uint32_t> pointers;
    for (const Instruction& each : parseSpirv(wideLibrary()).instructions) {
        if (each.opcode == spv::OpCapability) {
            EXPECT_EQ(each.word(1), static_cast<uint32_t>(spv::CapabilityShader));
        } else if (each.opcode == spv::OpTypeInt || each.opcode == spv::OpTypeFloat) {
            EXPECT_EQ(each.word(2), 32u);
        } else if (each.opcode == spv::OpVariable) {
            EXPECT_EQ(each.word(3), static_cast<uint32_t>(spv::StorageClassFunction));
        } else if (each.opcode == spv::OpTypePointer) {
            pointers.insert(each.word(1));
        } else if (each.opcode == spv::OpFunctionParameter) {
            EXPECT_EQ(pointers.count(each.word(1)), 0u) << "parameters are values";
        }
    }
}

TEST(WideLibrary, IsStraightCodeButForRemainders) {
    const std::set<std::string> remainders{"kp_f64_rem", "kp_f64_mod"};
    std::map<uint32_t, std::string> names;
    std::string name;
    for (const Instruction& each : parseSpirv(wideLibrary()).instructions) {
        if (each.opcode == spv::OpName)
            names[each.word(1)] = each.text(2);
        if (each.opcode == spv::OpFunction)
            name = names[each.word(2)].substr(0, names[each.word(2)].find('('));
        for (const uint32_t slow : {spv::OpFunctionCall, spv::OpVariable, spv::OpBranch,
                                    spv::OpBranchConditional, spv::OpSwitch})
            EXPECT_TRUE(each.opcode != slow || remainders.contains(name))
                << name << " has " << slow;
    }
}

TEST(WideLibrary, EachFunctionCompilesAsText) {
    for (const std::string& name : namesOfWideFunctions()) {
        LibraryText library;
        library.use(name, "uint");
        EXPECT_NE(library.text().find(name + "("), std::string::npos) << name;
        EXPECT_NO_THROW(compile("#version 450\nlayout(local_size_x = 1) in;\n" + library.text() +
                                "void main() {}\n"))
            << name;
    }
}

} // namespace
} // namespace kp::shader
