// SPDX-License-Identifier: Apache-2.0
#include "shader/compile/SlangCompiler.hpp"

#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>

#include <kompute/Error.hpp>

#include "base/Text.hpp"
#include "shader/SpirvModule.hpp"
#include "shader/compile/CompileLog.hpp"
#include "shader/compile/SlangLibrary.hpp"
#include "shader/limits/PreprocessedLimits.hpp"

namespace kp::shader {
namespace {

/// Slang makes SPIR-V 1.3 and newer.
const char* profileFor(uint32_t vulkanVersion) {
    const bool isOld = vulkanVersion < ((1u << 22) | (2u << 12)); // 0 stands for 1.1
    return isOld ? "spirv_1_3" : "spirv_1_5";
}

/// A text that Slang deletes when it has read it.
class TextBlob final : public slang::Blob {
public:
    explicit TextBlob(std::string text) : mText(std::move(text)) {}

    slang::Result KOMPUTE_SLANG_CALL queryInterface(const slang::Guid& guid,
                                                    void** object) noexcept override {
        const bool known = guid == slang::Unknown::kGuid || guid == slang::Blob::kGuid;
        *object = known ? this : nullptr;
        mUsers += known ? 1 : 0;
        return known ? slang::kOk : slang::kNoInterface;
    }
    uint32_t KOMPUTE_SLANG_CALL addRef() noexcept override { return ++mUsers; }
    uint32_t KOMPUTE_SLANG_CALL release() noexcept override {
        const uint32_t left = --mUsers;
        if (left == 0)
            delete this;
        return left;
    }
    const void* KOMPUTE_SLANG_CALL data() noexcept override { return mText.data(); }
    size_t KOMPUTE_SLANG_CALL size() noexcept override { return mText.size(); }

private:
    const std::string mText;
    std::atomic<uint32_t> mUsers{1};
};

/// Gives Slang the files that the options allow. Outlives the request, which counts its references.
class IncludedFiles final : public slang::FileSystem {
public:
    explicit IncludedFiles(Includer& includer) : mIncluder(includer) {}

    slang::Result KOMPUTE_SLANG_CALL queryInterface(const slang::Guid& guid,
                                                    void** object) noexcept override {
        *object = castAs(guid);
        return *object != nullptr ? slang::kOk : slang::kNoInterface;
    }
    uint32_t KOMPUTE_SLANG_CALL addRef() noexcept override { return 1; }
    uint32_t KOMPUTE_SLANG_CALL release() noexcept override { return 1; }
    void* KOMPUTE_SLANG_CALL castAs(const slang::Guid& guid) noexcept override {
        const bool known = guid == kGuid || guid == kCastableGuid || guid == slang::Unknown::kGuid;
        return known ? this : nullptr;
    }

    slang::Result KOMPUTE_SLANG_CALL loadFile(const char* path,
                                              slang::Blob** blob) noexcept override {
        *blob = nullptr;
        // Modules in binary form are refused, because their demands are not bounded. Slang then
        // reads the source.
        if (std::string_view(path).ends_with(".slang-module"))
            return slang::kCannotOpen;
        try {
            if (auto text = mIncluder.read(path))
                *blob = new TextBlob(*std::move(text));
        } catch (...) {
            mFailure = std::current_exception();
        }
        return *blob != nullptr ? slang::kOk : slang::kCannotOpen;
    }

    /// Returns the exception that stopped the compilation, or null.
    std::exception_ptr failure() const {
        return mIncluder.failure() != nullptr ? mIncluder.failure() : mFailure;
    }

private:
    Includer& mIncluder;
    std::exception_ptr mFailure;
};

/// One call of Slang, with all that its options and messages need.
class SlangRun {
public:
    SlangRun(const std::string& source, const CompileOptions& options, Includer& includer)
        : mSource(source), mOptions(options), mIncluder(includer), mFiles(includer),
          mLibrary(slang::Library::get()) {}

    std::vector<uint32_t> operator()() {
        requireSmall();
        const std::lock_guard lock(mLibrary.mutex());
        const std::string text = preamble() + mSource;
        const std::unique_ptr<slang::Request, void (*)(slang::Request*)> request(
            mLibrary.createRequest(mLibrary.session()), mLibrary.destroyRequest);
        if (request == nullptr)
            failWith("error: Slang cannot begin a compilation");
        configure(request.get(), text);
        const bool done = mLibrary.compile(request.get()) >= 0;
        const char* const messages = mLibrary.diagnostics(request.get());
        size_t bytes = 0;
        const void* const code = done ? mLibrary.entryPointCode(request.get(), 0, &bytes) : nullptr;
        if (mFiles.failure() != nullptr)
            std::rethrow_exception(mFiles.failure());
        if (code == nullptr || bytes == 0)
            failWith(messages != nullptr ? messages : "");
        std::vector<uint32_t> spirv(bytes / sizeof(uint32_t));
        std::memcpy(spirv.data(), code, spirv.size() * sizeof(uint32_t));
        // Slang calls every entry point main.
        return renameEntryPoint(withKnownSourceLanguages(spirv), "main", mOptions.entryPoint);
    }

private:
    /// Slang's interface has only macros without parameters.
    std::string preamble() const {
        std::string text;
        for (const auto& [name, value] : mOptions.defines)
            text += formatted("#define {} {}\n", name, value);
        return text.empty() ? text : text + "#line 1\n";
    }

    void requireSmall() {
        for (const auto& [name, value] : mOptions.defines)
            mIncluder.limits().addMacro(name, value);
        mIncluder.limits().addFile(mOptions.fileName, mSource);
        requireWithinLimits(mSource, mOptions.fileName, 0);
    }

    void configure(slang::Request* request, const std::string& text) {
        mLibrary.setFileSystem(request, &mFiles);
        mLibrary.setTarget(request, slang::kTargetSpirv);
        const char* const profile = profileFor(mOptions.vulkanVersion);
        mLibrary.setProfile(request, 0, mLibrary.findProfile(mLibrary.session(), profile));
        if (mOptions.debugInfo)
            mLibrary.setDebugInfo(request, slang::kDebugInfoStandard);
        for (const std::string& folder : mOptions.includeFolders)
            mLibrary.addSearchPath(request, folder.c_str());
        const int unit = mLibrary.addTranslationUnit(request, slang::kSourceLanguageSlang, nullptr);
        mLibrary.addSource(request, unit, mOptions.fileName.c_str(), text.data(),
                           text.data() + text.size());
        mLibrary.addEntryPoint(request, unit, mOptions.entryPoint.c_str(), slang::kStageCompute);
    }

    [[noreturn]] void failWith(const std::string& log) {
        if (log.find("no function found matching entry point") != std::string::npos)
            throw missingEntryPoint(mOptions, log);
        SourceTexts sources = mIncluder.texts();
        sources[mOptions.fileName] = mSource;
        std::vector<Diagnostic> faults = readSlangLog(log, sources);
        if (!mIncluder.refusal().empty())
            faults.push_back({.message = mIncluder.refusal()});
        throw compileError(faults, log, mOptions.fileName, sources);
    }

    const std::string& mSource;
    const CompileOptions& mOptions;
    Includer& mIncluder;
    IncludedFiles mFiles;
    slang::Library& mLibrary;
};

} // namespace

void prepareSlang() {
    slang::Library& library = slang::Library::get();
    const std::lock_guard lock(library.mutex());
    library.session();
}

std::vector<uint32_t> runSlang(const std::string& source, const CompileOptions& options,
                               Includer& includer) {
    return SlangRun(source, options, includer)();
}

std::string slangVersion() {
    return formatted("slang {}", slang::Library::get().version());
}

} // namespace kp::shader
