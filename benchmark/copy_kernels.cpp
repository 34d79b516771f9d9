// SPDX-License-Identifier: Apache-2.0
//
// Measures copies within device memory: vkCmdCopyBuffer, the library's copy kernel, and kernels of
// several shapes. Figures are medians of bytes read and written per second. They justify whether
// OpCopy uses a kernel, and which.
//
//   kompute_benchmark_copy_kernels [--check]
//
// --check  accepted for uniformity: the data are always checked
//
// The exit status is 1 if the data are wrong.
#include <algorithm>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include <kompute/Kompute.hpp>

#include "Measure.hpp"
#include "Program.hpp"

namespace {

struct Shape {
    const char* name;
    uint32_t local;
    uint32_t perThread; ///< 16-byte words that each invocation copies
    uint32_t groups;    ///< maximum; 0: no maximum
    bool address;       ///< through buffer addresses instead of descriptors
};

constexpr Shape kShapes[] = {
    {"descriptors, 256 x 1", 256, 1, 0, false},
    {"descriptors, 256 x 4", 256, 4, 0, false},
    {"descriptors, 256 x 8", 256, 8, 0, false},
    {"descriptors, 512 x 4", 512, 4, 0, false},
    {"descriptors, 1024 x 4", 1024, 4, 0, false},
    {"descriptors, 2112 groups of 256 x 4", 256, 4, 2112, false},
    {"descriptors, 1056 groups of 512 x 4", 512, 4, 1056, false},
    {"addresses, 256 x 1", 256, 1, 0, true},
    {"addresses, 256 x 4", 256, 4, 0, true},
    {"addresses, 256 x 8", 256, 8, 0, true},
    {"addresses, 512 x 4", 512, 4, 0, true},
    {"addresses, 2112 groups of 256 x 4", 256, 4, 2112, true},
};

struct Push {
    uint64_t source;
    uint64_t destination;
    uint32_t words;
    uint32_t padding = 0;
};

std::string source(const Shape& shape) {
    std::string text = "#version 450\n#extension GL_EXT_buffer_reference : require\n"
                       "#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require\n";
    text += "layout(local_size_x = " + std::to_string(shape.local) + ") in;\n";
    if (shape.address)
        text += "layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer R { "
                "uvec4 v[]; };\n"
                "layout(buffer_reference, std430, buffer_reference_align = 16) writeonly buffer W "
                "{ uvec4 v[]; };\n"
                "layout(push_constant) uniform P { R a; W b; uint words; uint padding; };\n"
                "#define A a.v\n#define B b.v\n";
    else
        text += "layout(set = 0, binding = 0) readonly buffer R { uvec4 v[]; } a;\n"
                "layout(set = 0, binding = 1) writeonly buffer W { uvec4 v[]; } b;\n"
                "layout(push_constant) uniform P { uvec2 s; uvec2 d; uint words; uint padding; };\n"
                "#define A a.v\n#define B b.v\n";
    const std::string n = std::to_string(shape.perThread);
    text += "void main() {\n"
            "  const uint step = gl_NumWorkGroups.x * gl_WorkGroupSize.x * " +
            n +
            ";\n"
            "  uint first = gl_WorkGroupID.x * gl_WorkGroupSize.x * " +
            n +
            " + gl_LocalInvocationID.x;\n"
            "  for (; first < words; first += step) {\n"
            "    uvec4 t[" +
            n +
            "];\n"
            "    if (first + " +
            std::to_string(shape.perThread - 1) + " * gl_WorkGroupSize.x < words) {\n";
    for (uint32_t i = 0; i < shape.perThread; ++i)
        text += "      t[" + std::to_string(i) + "] = A[first + " + std::to_string(i) +
                " * gl_WorkGroupSize.x];\n";
    for (uint32_t i = 0; i < shape.perThread; ++i)
        text += "      B[first + " + std::to_string(i) + " * gl_WorkGroupSize.x] = t[" +
                std::to_string(i) + "];\n";
    text += "    } else {\n"
            "      for (uint i = first; i < words; i += gl_WorkGroupSize.x) B[i] = A[i];\n"
            "    }\n  }\n}\n";
    return text;
}

bool run() {
    kp::Manager manager;
    const bool software = manager.deviceInfo().type == kp::DeviceType::eCpu;
    bool right = true;
    std::printf("%s; GB/s read and written, by device timestamps\n",
                manager.deviceInfo().name.c_str());
    const std::vector<uint64_t> sizes =
        software ? std::vector<uint64_t>{1u << 20, 16u << 20}
                 : std::vector<uint64_t>{64u << 10, 1u << 20,   4u << 20, 16u << 20,
                                         64u << 20, 256u << 20, 1u << 30};
    std::printf("%-40s", "");
    for (const uint64_t bytes : sizes)
        std::printf(" %8.2fM", static_cast<double>(bytes) / (1 << 20));
    std::printf("\n");
    std::vector<std::vector<double>> rows(std::size(kShapes) + 1);
    std::vector<double> library;
    for (const uint64_t bytes : sizes) {
        const uint64_t words = bytes / 16;
        const auto from = manager.tensor(bytes / 4, 4, kp::Memory::DataTypes::eUnsignedInt,
                                         kp::Memory::MemoryTypes::eStorage);
        const auto to = manager.tensor(bytes / 4, 4, kp::Memory::DataTypes::eUnsignedInt,
                                       kp::Memory::MemoryTypes::eStorage);
        std::vector<uint32_t> data(bytes / 4);
        std::mt19937 random(1);
        for (uint32_t& value : data)
            value = static_cast<uint32_t>(random());
        from->upload(data);
        const auto measure = [&](const std::shared_ptr<kp::Sequence>& sequence) {
            std::vector<double> times;
            for (int i = 0; i < (software ? 3 : 25); ++i) {
                sequence->eval();
                const std::vector<uint64_t> ns = sequence->getTimestampsNs();
                times.push_back(static_cast<double>(ns[1] - ns[0]));
            }
            return 2.0 * static_cast<double>(bytes) / kp::benchmark::median(times);
        };
        const auto verify = [&](const char* what) {
            std::vector<uint32_t> back(data.size());
            to->download(back.data(), bytes);
            if (back != data) {
                std::printf("WRONG: %s\n", what);
                right = false;
            }
            manager.sequence()->eval<kp::OpFill>({to}, 0u);
        };
        // OpCopy with the driver's command, then with the library's kernel.
        for (const bool kernel : {false, true}) {
            kp::ManagerOptions options;
            options.transfer = kernel ? "copykernel=1" : "copykernel=0";
            const kp::Manager rules(options); // both managers share the device and its rules
            auto copy = manager.sequence(0, 1);
            copy->record<kp::OpCopy>({from, to});
            (kernel ? library : rows[0]).push_back(measure(copy));
            verify(kernel ? "OpCopy" : "driver");
        }
        for (size_t i = 0; i < std::size(kShapes); ++i) {
            const Shape& shape = kShapes[i];
            Push push{0, 0, static_cast<uint32_t>(words)};
            if (shape.address) {
                push.source = from->deviceAddress();
                push.destination = to->deviceAddress();
            }
            if (bytes > (128u << 20) && software) {
                rows[i + 1].push_back(0);
                continue;
            }
            const uint64_t perGroup = uint64_t{shape.local} * shape.perThread;
            const uint32_t needed = static_cast<uint32_t>((words + perGroup - 1) / perGroup);
            const uint32_t groups = shape.groups == 0 ? needed : std::min(shape.groups, needed);
            auto algorithm = manager.algorithm<uint32_t, Push>(
                {from, to}, manager.compile(source(shape)), {groups, 1, 1}, {}, {push});
            auto sequence = manager.sequence(0, 1);
            sequence->record<kp::OpAlgoDispatch>(algorithm);
            rows[i + 1].push_back(measure(sequence));
            verify(shape.name);
        }
    }
    std::printf("%-40s", "OpCopy, copykernel=1");
    for (const double value : library)
        std::printf(" %9.0f", value);
    std::printf("\n");
    for (size_t i = 0; i < rows.size(); ++i) {
        std::printf("%-40s", i == 0 ? "vkCmdCopyBuffer" : kShapes[i - 1].name);
        for (const double value : rows[i])
            std::printf(" %9.0f", value);
        std::printf("\n");
    }
    return right;
}

} // namespace

int main(int argc, char** argv) {
    using namespace kp::benchmark;
    return runProgram(argc, argv, "[--check]", [](Arguments& arguments) {
        arguments.flag("--check");
        arguments.finish();
        return run() ? 0 : 1;
    });
}
