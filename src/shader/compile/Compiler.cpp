// SPDX-License-Identifier: Apache-2.0
#include "shader/compile/Compiler.hpp"

#include <mutex>
#include <shared_mutex>
#include <utility>

#include <kompute/Error.hpp>
#include <kompute/Version.hpp>
#include <nlohmann/json.hpp>

#include "base/Text.hpp"
#include "shader/compile/CompilerProcess.hpp"
#include "shader/compile/CompilerThread.hpp"
#include "shader/compile/GlslangCompiler.hpp"
#include "shader/compile/SlangCompiler.hpp"

namespace kp::shader {
namespace {

/// Held shared while a compiler runs, and exclusively while the process is copied: the copy would
/// otherwise wait forever for the compiler's own locks.
std::shared_mutex& compilersMutex() {
    static std::shared_mutex mutex;
    return mutex;
}

bool isSlang(ShaderLanguage language) {
    return language == ShaderLanguage::eSlang;
}

std::vector<uint32_t> run(const std::string& source, const CompileOptions& options,
                          Includer& includer) {
    return isSlang(options.language) ? runSlang(source, options, includer)
                                     : runGlslang(source, options, includer);
}

nlohmann::json toJson(const ShaderError& error) {
    return {{"message", error.what()},
            {"file", error.file()},
            {"line", error.line()},
            {"column", error.column()},
            {"log", error.log()}};
}

/// Compiles in a child process. @return the SPIR-V
std::vector<uint32_t> runIsolated(const std::string& source, const CompileOptions& options,
                                  Includer& includer) {
    const auto compile = [&] {
        nlohmann::json result;
        try {
            runWithLargeStack([&] { result["spirv"] = run(source, options, includer); });
            for (const IncludeRecord& each : includer.records())
                result["includes"].push_back(
                    {each.name, each.includer, each.lookup, each.resolved, each.contents});
        } catch (const ShaderError& error) {
            result["error"] = toJson(error);
        } catch (const std::exception& error) {
            result["error"] = toJson(ShaderError(error.what(), options.fileName));
        }
        std::string bytes;
        nlohmann::json::to_cbor(result, bytes);
        return bytes;
    };
    std::unique_lock lock(compilersMutex());
    const std::string bytes = runInChildProcess(compile, options.fileName, [&] { lock.unlock(); });
    try {
        const auto result = nlohmann::json::from_cbor(bytes);
        if (result.contains("error")) {
            const auto& error = result["error"];
            throw ShaderError(error.at("message"), error.at("file"), error.at("line"),
                              error.at("column"), error.at("log"));
        }
        std::vector<IncludeRecord> records;
        for (const auto& each : result.value("includes", nlohmann::json::array()))
            records.push_back({each.at(0), each.at(1), each.at(2), each.at(3), each.at(4)});
        includer.setRecords(std::move(records));
        return result.at("spirv");
    } catch (const nlohmann::json::exception&) {
        throw ShaderError(formatted("{}: error: the compiler's process returned nothing usable",
                                    options.fileName),
                          options.fileName);
    }
}

} // namespace

std::vector<uint32_t> runCompiler(const std::string& source, const CompileOptions& options,
                                  Includer& includer) {
    std::shared_lock lock(compilersMutex());
    // Before the process is copied, so that not every copy does it again.
    isSlang(options.language) ? prepareSlang() : prepareGlslang();
    if (options.isolate) {
        lock.unlock();
        return runIsolated(source, options, includer);
    }
    std::vector<uint32_t> spirv;
    runWithLargeStack([&] { spirv = run(source, options, includer); });
    return spirv;
}

std::string compilerVersion(ShaderLanguage language) {
    return formatted("kompute " KOMPUTE_VERSION_STRING " {}",
                     isSlang(language) ? slangVersion() : glslangVersion());
}

} // namespace kp::shader
