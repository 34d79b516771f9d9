// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kompute/Export.hpp>

namespace kp {

/// Language of shader source. Slang is compiled by Slang's own library, which is not part of this
/// one and is opened at first use.
enum class ShaderLanguage { eGlsl, eHlsl, eSlang };

/// Resolves `#include` directives. Derive from it to serve includes from memory or from an archive.
class KOMPUTE_API ShaderIncluder {
public:
    virtual ~ShaderIncluder();

    /// Looks up an included file. Slang searches the folders itself: for it, @p name is each path
    /// that Slang tries, @p includer is the name of the source, and @p resolved is ignored.
    /// @param name      the text between the quotes or angle brackets
    /// @param includer  name of the including file
    /// @param resolved  set it to the name for messages and nested includes
    /// @param contents  set it to the text of the file
    /// @return false if the file is unknown; the folders of CompileOptions are then searched
    virtual bool include(const std::string& name, const std::string& includer,
                         std::string& resolved, std::string& contents) = 0;
};

/// Which files `#include` may read. ShaderIncluder and the files of the library itself
/// (<kompute/index.glsl>) are always allowed.
enum class IncludePolicy {
    eFolders,  ///< really below the source's folder and CompileOptions::includeFolders
    eAnywhere, ///< also files reached by absolute paths, `..` and symbolic links out of these
               ///< folders
    eNone      ///< no files
};

/// Options of compile().
struct CompileOptions {
    ShaderLanguage language = ShaderLanguage::eGlsl;
    /// Name of the SPIR-V entry point, and of the function in HLSL and Slang source. In GLSL source
    /// the function is always called `main`.
    std::string entryPoint = "main";
    /// Name of the source in error messages. Its folder is searched first for `#include "..."`.
    std::string fileName = "shader";
    /// Macro names and values, as in `-Dname=value`.
    std::vector<std::pair<std::string, std::string>> defines;
    std::vector<std::string> includeFolders; ///< searched for `#include`, in order
    /// Asked before the folders are searched; may be null. Not owned, used only during the call.
    /// Results compiled with an includer are not cached.
    ShaderIncluder* includer = nullptr;
    /// Vulkan version that the shader may rely on, as VK_MAKE_VERSION(major, minor, 0). 0 means
    /// 1.1, and in Manager::compile the version of the device.
    uint32_t vulkanVersion = 0;
    /// Keeps names and line information for debuggers, and enables debugPrintfEXT output.
    bool debugInfo = false;
    /// Folder for cached results. Empty: in Manager::compile the manager's folder, else the
    /// environment variable KOMPUTE_CACHE_DIR, else the platform's cache folder. "off": the disk is
    /// neither read nor written.
    std::string cacheFolder;
    /// Folders of shipped results, which are only read, after the cache folder and in order; a list
    /// separated as the environment variable PATH is. Empty: in Manager::compile the manager's
    /// list, else the environment variable KOMPUTE_CACHE_PATH. "off": none.
    std::string cachePath;
    /// Uses shipped files even if they belong to another user than this one and root, or if others
    /// may write to them; otherwise these are ignored with a warning. The results are code that
    /// runs on the device. The environment variable KOMPUTE_CACHE_TRUST=1 does the same.
    bool trustCachePath = false;
    IncludePolicy includes = IncludePolicy::eFolders;
    /// Compiles in a child process with limits on its time and memory, so that a source which
    /// crashes the compiler or never ends is an error. For untrusted sources: sources that are too
    /// large are refused anyway, but no list of limits is complete. Takes some milliseconds. The
    /// includer is called in the child. Not on Windows: compile() then throws Unsupported.
    bool isolate = false;
};

/// Compiles a compute shader to SPIR-V within this process. Results are cached in memory and on
/// disk, by the source, the options and the text of every included file. Sources that would take
/// the compiler very long or exceed its stack are refused (docs/guides/shaders.md lists the
/// limits). Thread-safe.
/// @throws ShaderError with file, line, column and the offending line; InvalidArgument for invalid
///         options; Unsupported if the source is in Slang and Slang's library is not found
[[nodiscard]] KOMPUTE_API std::vector<uint32_t> compile(std::string_view source,
                                                        const CompileOptions& options = {});

/// Returns the result of compile() if the caches have it; nothing otherwise. Takes microseconds if
/// it is in memory. Thread-safe.
/// @throws as compile(), for options and empty sources
[[nodiscard]] KOMPUTE_API std::optional<std::vector<uint32_t>>
findCompiled(std::string_view source, const CompileOptions& options = {});

/// Compiles a shader from a file. The extension .hlsl selects HLSL, and .slang selects Slang;
/// otherwise @p options decides.
/// CompileOptions::fileName is set to @p path.
/// @throws InvalidArgument if the file cannot be read; otherwise as compile()
[[nodiscard]] KOMPUTE_API std::vector<uint32_t> compileFile(const std::string& path,
                                                            CompileOptions options = {});
/// Returns the result of compileFile() if the caches have it, as findCompiled().
[[nodiscard]] KOMPUTE_API std::optional<std::vector<uint32_t>>
findCompiledFile(const std::string& path, CompileOptions options = {});

/// Names the file of Slang's library to open before the system's, for programs that bring their
/// own. The environment variable KOMPUTE_SLANG_LIBRARY takes precedence. Has no effect once a
/// library is open. Thread-safe.
KOMPUTE_API void setSlangLibrary(const std::string& path);

} // namespace kp
