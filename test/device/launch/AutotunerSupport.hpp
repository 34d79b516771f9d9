// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <kompute/Launch.hpp>

#include "device/TestSupport.hpp"

namespace kp::test {

/// Kernels whose times differ by a factor of ten, and a cache of its own.
class AutotunerFixture : public DeviceTest {
protected:
    /// Enough that the shortest kernel takes longer than the noise of a busy machine.
    static constexpr uint32_t kElements = 16384;

    std::filesystem::path folder =
        std::filesystem::temp_directory_path() /
        ("kompute-tuner-" +
         std::to_string(std::chrono::steady_clock::now().time_since_epoch().count()));
    std::shared_ptr<kp::TensorT<uint32_t>> input =
        manager.tensorT<uint32_t>(ascending<uint32_t>(kElements));
    std::shared_ptr<kp::TensorT<uint32_t>> sums =
        manager.tensorT<uint32_t>(ascending<uint32_t>(kElements, 1000));

    void SetUp() override { manager.sequence()->eval<kp::OpSyncDevice>({input, sums}); }
    void TearDown() override {
        std::error_code error;
        std::filesystem::remove_all(folder, error);
    }

    /// GLSL of sums[i] += input[i] + `error` after `waste` x 200 iterations without effect, which a
    /// compiler cannot remove. Software drivers end loops after 65,535 iterations, so `waste` is
    /// below 300.
    static std::string source(const std::string& waste, const std::string& head = "",
                              const std::string& error = "0u") {
        return "#version 450\nlayout(local_size_x_id = 0) in;\n" + head +
               "layout(binding = 0) readonly buffer A { uint a[]; };\n"
               "layout(binding = 1) buffer S { uint s[]; };\n"
               "void main() {\n"
               "    uint i = gl_GlobalInvocationID.x;\n"
               "    if (i >= a.length()) return;\n"
               "    uint x = a[i];\n"
               "    for (uint step = 0u; step < (" +
               waste +
               ") * 200u; ++step) x = x * 1664525u ^ (x >> 7);\n"
               "    s[i] += a[i] + (x == 3141592653u ? 1u : 0u) + (" +
               error + ");\n}\n";
    }
    std::vector<uint32_t> compiled(const std::string& waste, const std::string& head = "",
                                   const std::string& error = "0u") const {
        return manager.compile(source(waste, head, error));
    }
    /// `waste` is specialization constant 1.
    kp::TunableKernel wasteful(const std::vector<int64_t>& waste,
                               const std::string& name = "wasteful") const {
        kp::TunableKernel kernel(
            name, compiled("waste", "layout(constant_id = 1) const uint waste = 1;\n"));
        kernel.localSize({64}).specialization(1, "waste", waste);
        return kernel;
    }
    /// The arguments of every kernel here: input and sums.
    kp::TuningArguments arguments() const {
        return kp::TuningArguments({input, sums}, {kElements, 1, 1});
    }
    std::vector<uint32_t> expectedSums() const {
        std::vector<uint32_t> expected(kElements);
        for (uint32_t i = 0; i < kElements; ++i)
            expected[i] = 1000 + 2 * i;
        return expected;
    }
    kp::AutotunerOptions options() const {
        kp::AutotunerOptions options;
        options.cacheFolder = folder.string();
        options.runs = 5;
        options.lockSeconds = 0.02;
        return options;
    }
    /// Tunes with a new tuner, as another program would.
    kp::TuningResult tune(const kp::TunableKernel& kernel) { return tune(kernel, arguments()); }
    kp::TuningResult tune(const kp::TunableKernel& kernel, const kp::TuningArguments& with) {
        return kp::Autotuner(manager, options()).tune(kernel, with);
    }
    void expectUnchanged() const {
        EXPECT_EQ(onDevice<uint32_t>(*sums), ascending<uint32_t>(kElements, 1000));
        EXPECT_EQ(onDevice<uint32_t>(*input), ascending<uint32_t>(kElements));
    }
    static const kp::TuningRecord& recordOf(const kp::TuningResult& result,
                                            std::string_view configuration) {
        for (const kp::TuningRecord& record : result.records)
            if (record.configuration.toString() == configuration)
                return record;
        ADD_FAILURE() << "no record of " << configuration;
        return result.records.front();
    }
    std::vector<std::filesystem::path> cacheFiles() const {
        std::vector<std::filesystem::path> files;
        for (const auto& entry : std::filesystem::directory_iterator(folder / "tuning"))
            if (entry.path().extension() == ".json")
                files.push_back(entry.path());
        return files;
    }
};

} // namespace kp::test
