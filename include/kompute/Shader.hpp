// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <kompute/Export.hpp>

namespace kp {

enum class ShaderLanguage { eGlsl, eHlsl };

/// Finds the text of `#include`d files. Derive from it to serve includes from memory or an archive.
class KOMPUTE_API ShaderIncluder {
public:
    virtual ~ShaderIncluder();

    /// @param name      what stands between the quotes or angle brackets
    /// @param includer  name of the file that includes it
    /// @param resolved  set this to the name used in messages and for nested includes
    /// @param contents  set this to the text
    /// @return false where the file is not known; the folders of CompileOptions are tried next
    virtual bool include(const std::string& name, const std::string& includer,
                         std::string& resolved, std::string& contents) = 0;
};

/// How compile() turns source text into SPIR-V.
struct CompileOptions {
    ShaderLanguage language = ShaderLanguage::eGlsl;
    /// Name of the entry function. For GLSL the source's function is always `main`; the SPIR-V
    /// entry point carries this name.
    std::string entryPoint = "main";
    /// Name of the source in error messages; its folder is searched first for `#include "..."`.
    std::string fileName = "shader";
    /// Macro names and values, as `-Dname=value`.
    std::vector<std::pair<std::string, std::string>> defines;
    /// Folders searched for `#include`, in order.
    std::vector<std::string> includeFolders;
    /// Asked before the folders; may be null. Not owned; used only during the call. Results of a
    /// compile with an includer are not cached.
    ShaderIncluder* includer = nullptr;
    /// Vulkan version the code may rely on, as VK_MAKE_VERSION(major, minor, 0); 0 means 1.1,
    /// or the device's own version where Manager::compile is used.
    uint32_t vulkanVersion = 0;
    /// Keep names and line information for debuggers, and enable debugPrintfEXT output.
    bool debugInfo = false;
    /// Folder that results are kept in between runs. Empty: the environment variable
    /// KOMPUTE_CACHE_DIR, else the platform's cache folder; "off": nothing is read or written. With
    /// Manager::compile it is the manager's where it is empty.
    std::string cacheFolder;
};

/// Compiles a compute shader to SPIR-V in this process. Thread-safe; results are cached by
/// content (source, options and the text of every included file), in memory and on disk.
/// @throws ShaderError with file, line, column and the offending line of text
KOMPUTE_API std::vector<uint32_t> compile(const std::string& source,
                                          const CompileOptions& options = {});

/// Same, reading the source from a file. The language follows the extension (.hlsl: HLSL, else
/// what options say); fileName is set to @p path.
/// @throws InvalidArgument where the file cannot be read, else as compile()
KOMPUTE_API std::vector<uint32_t> compileFile(const std::string& path, CompileOptions options = {});

} // namespace kp
