// SPDX-License-Identifier: Apache-2.0
#include "shader/Shader.hpp"

#include <algorithm>
#include <cstring>

#include <kompute/Shader.hpp>
#include <kompute/shader/Check.hpp>
#include <kompute/shader/Reflection.hpp>

#include "base/Arrays.hpp"
#include "base/Gil.hpp"
#include "base/Package.hpp"
#include "base/Values.hpp"
#include "base/Waiting.hpp"

namespace kp::python {
namespace {

/// Returns true for text that can only be the name of a file.
bool looksLikePath(const std::string& text) {
    constexpr std::string_view kEndings[] = {".comp", ".glsl", ".hlsl", ".slang", ".spv"};
    return text.find('\n') == std::string::npos && text.find('{') == std::string::npos &&
           std::any_of(std::begin(kEndings), std::end(kEndings),
                       [&text](std::string_view ending) { return text.ends_with(ending); });
}

/// Returns the path that a str or os.PathLike names; empty for source text.
std::optional<std::string> pathOf(py::handle source, const char* argument) {
    if (PyUnicode_Check(source.ptr())) {
        for (const char32_t character : {U'\n', U'{'})
            if (PyUnicode_FindChar(source.ptr(), character, 0, PyUnicode_GetLength(source.ptr()),
                                   1) >= 0)
                return std::nullopt; // its text need not fit the encoding of the file system
        std::string path = toPath(source);
        return looksLikePath(path) ? std::optional(std::move(path)) : std::nullopt;
    }
    if (py::hasattr(source, "__fspath__"))
        return toPath(source);
    throwTypeError(argument, "source text or a path", source);
}

std::vector<uint32_t> wordsOf(const void* data, size_t bytes, const char* argument) {
    if (bytes % sizeof(uint32_t) != 0)
        throw py::value_error(
            formatted("{} has {} bytes, but SPIR-V comes in words of four", argument, bytes));
    std::vector<uint32_t> words(bytes / sizeof(uint32_t));
    if (bytes > 0)
        std::memcpy(words.data(), data, bytes);
    return words;
}

std::vector<uint32_t> wordsOfBuffer(py::handle object, const char* argument) {
    Py_buffer view{};
    if (PyObject_GetBuffer(object.ptr(), &view, PyBUF_C_CONTIGUOUS) != 0)
        throw py::error_already_set();
    const std::unique_ptr<Py_buffer, decltype(&PyBuffer_Release)> release(&view, PyBuffer_Release);
    return wordsOf(view.buf, static_cast<size_t>(view.len), argument);
}

std::vector<uint32_t> wordsOfFile(const std::string& path) {
    const py::object file = py::module_::import("builtins").attr("open")(fromPath(path), "rb");
    const auto contents = py::cast<py::bytes>(file.attr("read")());
    file.attr("close")();
    const std::string_view text = contents;
    return wordsOf(text.data(), text.size(), path.c_str());
}

/// Opens a path in Python first, so that a missing file is a FileNotFoundError.
void requireFile(const std::string& path) {
    py::module_::import("builtins").attr("open")(fromPath(path), "rb").attr("close")();
}

/// Calls a function that searches the caches: a hit needs no thread.
template <typename Find>
auto inCaches(Find&& find) {
    const ReleaseGil release;
    return find();
}

/// Names the library of an installed slangpy for shaders in Slang.
void findSlang(bool needed) {
    static bool found = false; // guarded by the GIL
    if (!needed || found)
        return;
    setSlangLibrary(py::cast<std::string>(ofPackage("slang_library")()));
    found = true;
}

/// Returns a hint for text that does not compile as GLSL, as a further line of the message.
std::string hintFor(const std::string& text) {
    const auto has = [&text](std::string_view part) {
        return text.find(part) != std::string::npos;
    };
    if (has("[numthreads") || has("StructuredBuffer") || has("[shader("))
        return "\nhint: this is not GLSL; name the language of HLSL and Slang: "
               "kp.compile(text, language=\"hlsl\")";
    if (has("kernel void") && !has("void main"))
        return "\nhint: this is the short form of kernels, which kp.kernel(text) takes";
    if (!has("main") && !has("\n") && !has("{"))
        return "\nhint: to name a file, end it in .comp, .glsl, .hlsl, .slang or .spv, or give a "
               "pathlib.Path";
    return {};
}

/// Returns a function for another thread, where it has the checked mode of this one.
template <typename Function>
auto checkedAsHere(Function function) {
    return [function = std::move(function), checks = currentChecks()] {
        const CheckScope scope(checks.empty() ? "off" : checks);
        return function();
    };
}

std::vector<uint32_t> compileSource(const std::string& text, const CompileOptions& options) {
    findSlang(options.language == ShaderLanguage::eSlang);
    try {
        if (auto known = inCaches([&] { return findCompiled(text, options); }))
            return *std::move(known);
        return runBetweenSignals(checkedAsHere([text, options] { return compile(text, options); }));
    } catch (const ShaderError& error) {
        const std::string hint =
            options.language == ShaderLanguage::eGlsl ? hintFor(text) : std::string();
        if (hint.empty())
            throw;
        throw ShaderError(error.what() + hint, error.file(), error.line(), error.column(),
                          error.log());
    }
}

std::vector<uint32_t> compilePath(const std::string& path, const CompileOptions& options) {
    if (path.ends_with(".spv"))
        return wordsOfFile(path);
    requireFile(path);
    findSlang(options.language == ShaderLanguage::eSlang || path.ends_with(".slang"));
    if (auto known = inCaches([&] { return findCompiledFile(path, options); }))
        return *std::move(known);
    return runBetweenSignals(checkedAsHere([path, options] { return compileFile(path, options); }));
}

ShaderLanguage languageOf(const std::string& language) {
    constexpr Named<ShaderLanguage> kLanguages[] = {{"glsl", ShaderLanguage::eGlsl},
                                                    {"hlsl", ShaderLanguage::eHlsl},
                                                    {"slang", ShaderLanguage::eSlang}};
    return language.empty() ? ShaderLanguage::eGlsl : valueNamed(kLanguages, language, "language");
}

std::vector<std::string> foldersOf(const py::object& includes) {
    std::vector<std::string> folders;
    if (PyUnicode_Check(includes.ptr()) || py::hasattr(includes, "__fspath__"))
        throw py::type_error("includes is a sequence of folders; put the one folder in a list");
    for (const py::handle folder : includes)
        folders.push_back(toPath(folder));
    return folders;
}

std::vector<std::pair<std::string, std::string>> definesOf(const py::object& defines) {
    std::vector<std::pair<std::string, std::string>> result;
    if (defines.is_none())
        return result;
    if (!PyDict_Check(defines.ptr()))
        throwTypeError("defines", "a dict of names and values", defines);
    for (const auto& [name, value] : py::cast<py::dict>(defines)) {
        const bool isFlag = value.is_none() || PyBool_Check(value.ptr());
        result.emplace_back(toText(name, "a name in defines"),
                            value.is_none() ? std::string()
                            : isFlag        ? std::string(value.ptr() == Py_True ? "1" : "0")
                                            : toText(py::str(value), "a value in defines"));
    }
    return result;
}

constexpr Named<shader::BindingKind> kBindingKinds[] = {
    {"storage_buffer", shader::BindingKind::eStorageBuffer},
    {"uniform_buffer", shader::BindingKind::eUniformBuffer},
    {"storage_image", shader::BindingKind::eStorageImage},
    {"sampled_image", shader::BindingKind::eSampledImage},
    {"combined_image_sampler", shader::BindingKind::eCombinedImageSampler},
    {"sampler", shader::BindingKind::eSampler},
    {"uniform_texel_buffer", shader::BindingKind::eUniformTexelBuffer},
    {"storage_texel_buffer", shader::BindingKind::eStorageTexelBuffer},
    {"other", shader::BindingKind::eOther}};

py::dict describeBinding(const shader::Binding& binding) {
    const bool image = binding.isImage();
    return py::dict("set"_a = binding.set, "binding"_a = binding.binding,
                    "kind"_a = nameIn(kBindingKinds, binding.kind), "name"_a = binding.name,
                    "count"_a = binding.count,
                    "argument"_a =
                        binding.takesMemory() ? py::object(py::int_(binding.argument)) : py::none(),
                    "reads"_a = binding.reads, "writes"_a = binding.writes,
                    "dtype"_a = dtypeOf(image ? binding.imageType : binding.elementType),
                    "components"_a = binding.elementComponents, "fixed_size"_a = binding.fixedSize,
                    "array_stride"_a = binding.arrayStride, "image_format"_a = binding.imageFormat);
}

py::object defaultOf(const shader::SpecConstant& constant) {
    const py::object dtype = dtypeOf(constant.type);
    if (dtype.is_none())
        return dtype;
    const py::bytes bits(reinterpret_cast<const char*>(&constant.defaultBits),
                         static_cast<size_t>(py::cast<py::dtype>(dtype).itemsize()));
    const py::object value =
        py::module_::import("numpy").attr("frombuffer")(bits, dtype)[py::int_(0)];
    return constant.type == shader::ScalarType::eBool ? py::object(py::bool_(value))
                                                      : value.attr("item")();
}

IncludePolicy includePolicyOf(const std::string& name) {
    if (name == "folders")
        return IncludePolicy::eFolders;
    if (name == "anywhere")
        return IncludePolicy::eAnywhere;
    if (name == "none")
        return IncludePolicy::eNone;
    throw py::value_error(
        formatted("include_policy is '{}'; expected 'folders', 'anywhere' or 'none'", name));
}

/// Returns the scope of a manager's checks.
std::optional<CheckScope> scopeOf(const CompileTarget& target) {
    if (target.checks.empty())
        return std::nullopt;
    return std::optional<CheckScope>(std::in_place, target.checks);
}

py::dict describeMember(const shader::Member& member) {
    return py::dict("name"_a = member.name, "offset"_a = member.offset, "size"_a = member.size,
                    "dtype"_a = dtypeOf(member.type), "components"_a = member.components,
                    "axes"_a = axesOf(member.axes));
}

} // namespace

py::tuple axesOf(const std::vector<shader::MemberAxis>& axes) {
    py::tuple pairs(axes.size());
    for (size_t i = 0; i < axes.size(); ++i)
        pairs[i] = py::make_tuple(axes[i].count, axes[i].stride);
    return pairs;
}

CompileTarget targetOf(const Manager& manager, const std::string& checks) {
    return {manager.compileOptions(), checks.empty() ? manager.check() : checks};
}

std::vector<uint32_t> toSpirv(py::handle shader, const CompileTarget& target) {
    if (shader.is_none())
        return {};
    if (PyObject_CheckBuffer(shader.ptr()))
        return wordsOfBuffer(shader, "spirv");
    const std::optional<CheckScope> scope = scopeOf(target);
    if (py::hasattr(shader, "__kp_shader__")) { // kp.kernel and kp.jit
        const py::object made = shader.attr("__kp_shader__")();
        if (!target.options.cacheFolder.empty() && py::hasattr(shader, "_keep"))
            shader.attr("_keep")(target.options.cacheFolder);
        return toSpirv(made, target);
    }
    const CompileOptions& options = target.options;
    if (!PyUnicode_Check(shader.ptr()) && !py::hasattr(shader, "__fspath__"))
        throwTypeError("spirv", "bytes, source text or a path", shader);
    if (const auto path = pathOf(shader, "spirv"))
        return compilePath(*path, options);
    return compileSource(toText(shader, "the shader"), options);
}

/// The GLSL of a kernel and how it is compiled.
struct KernelSource {
    CompileOptions options;
    std::string text; ///< or a path
    bool isPath = false;

    KernelSource(const py::object& source, const py::object& includes, const py::object& defines,
                 const std::string& fileName, const std::string& includePolicy) {
        options.includeFolders = foldersOf(includes);
        options.defines = definesOf(defines);
        options.includes = includePolicyOf(includePolicy);
        if (!fileName.empty())
            options.fileName = fileName;
        const auto path = pathOf(source, "shader");
        isPath = path.has_value();
        text = path ? *path : toText(source, "the shader");
    }

    /// Returns the compiled shader if the caches have it. It is then kept in the folder.
    std::optional<std::vector<uint32_t>> find(const std::string& folder) {
        options.cacheFolder = folder;
        return inCaches(
            [&] { return isPath ? findCompiledFile(text, options) : findCompiled(text, options); });
    }
};

/// Compiles a kernel, whose manager and thus whose cache folder are not known yet: nothing is
/// written to disk. keepKernel() does that.
py::bytes compileKernel(const py::object& shader, const py::object& includes,
                        const py::object& defines, const std::string& fileName,
                        const std::string& includePolicy) {
    KernelSource source(shader, includes, defines, fileName, includePolicy);
    if (source.isPath && source.text.ends_with(".spv"))
        return toBytes(wordsOfFile(source.text));
    if (source.isPath)
        requireFile(source.text);
    findSlang(source.isPath && source.text.ends_with(".slang"));
    std::optional<std::vector<uint32_t>> known = source.find("off");
    if (!known)
        known = source.find({}); // on disk
    source.options.cacheFolder = "off";
    if (!known)
        known = source.isPath ? compilePath(source.text, source.options)
                              : compileSource(source.text, source.options);
    return toBytes(*known);
}

/// Keeps a compiled kernel in a folder, unless it has left all caches.
void keepKernel(const std::string& folder, const py::object& shader, const py::object& includes,
                const py::object& defines, const std::string& fileName,
                const std::string& includePolicy) {
    KernelSource source(shader, includes, defines, fileName, includePolicy);
    try {
        source.find(folder);
    } catch (const Error&) { // its file is gone
    }
}

py::bytes compileShader(const py::object& source, const py::object& includes,
                        const py::object& defines, const std::string& entryPoint,
                        const std::string& language, const std::string& fileName, bool debugInfo,
                        const std::string& includePolicy, bool isolate,
                        const CompileTarget& target) {
    CompileOptions options = target.options;
    options.language = languageOf(language);
    options.entryPoint = entryPoint;
    options.includeFolders = foldersOf(includes);
    options.defines = definesOf(defines);
    options.debugInfo = debugInfo;
    options.includes = includePolicyOf(includePolicy);
    options.isolate = isolate;
    if (!fileName.empty())
        options.fileName = fileName;
    const auto path = pathOf(source, "source_or_path");
    const std::optional<CheckScope> scope = scopeOf(target);
    const std::vector<uint32_t> spirv =
        path ? compilePath(*path, options) : compileSource(toText(source, "the shader"), options);
    return toBytes(spirv);
}

py::dict describeShader(const std::vector<uint32_t>& spirv, const std::string& entryPoint) {
    shader::Reflection reflection;
    {
        const ReleaseGil release;
        reflection = reflect(spirv, entryPoint);
    }
    py::list bindings, pushConstants, specConstants;
    for (const shader::Binding& binding : reflection.bindings)
        bindings.append(describeBinding(binding));
    for (const shader::PushConstantMember& member : reflection.pushConstants)
        pushConstants.append(describeMember(member));
    for (const shader::SpecConstant& constant : reflection.specConstants)
        specConstants.append(py::dict("id"_a = constant.id, "name"_a = constant.name,
                                      "dtype"_a = dtypeOf(constant.type),
                                      "default"_a = defaultOf(constant)));
    return py::dict("entry_point"_a = reflection.entryPoint,
                    "local_size"_a = py::tuple(py::cast(reflection.localSize)),
                    "local_size_ids"_a = py::tuple(py::cast(reflection.localSizeId)),
                    "bindings"_a = bindings, "push_constant_size"_a = reflection.pushConstantSize,
                    "push_constants"_a = pushConstants, "spec_constants"_a = specConstants,
                    "capabilities"_a = py::tuple(py::cast(reflection.capabilities)));
}

void bindShader(py::module_& module) {
    module.def(
        "compile",
        [](const py::object& source, const py::object& includes, const py::object& defines,
           const std::string& entryPoint, const std::string& language, const std::string& fileName,
           bool debugInfo, const std::string& includePolicy, bool isolate) {
            return compileShader(source, includes, defines, entryPoint, language, fileName,
                                 debugInfo, includePolicy, isolate, {});
        },
        "source_or_path"_a, py::kw_only(), "includes"_a = py::tuple(), "defines"_a = py::none(),
        "entry_point"_a = "main", "language"_a = "", "file_name"_a = "", "debug_info"_a = false,
        "include_policy"_a = "folders", "isolate"_a = false, doc(R"(
            Compiles a compute shader to SPIR-V, for Vulkan 1.1.

            `source_or_path` is source text, or a path: an os.PathLike, or one line of text that
            ends in .comp, .glsl, .hlsl, .slang or .spv. `includes` are folders searched for
            #include, `defines` is a dict of macros, `language` is "glsl", "hlsl" or "slang" (by
            default .hlsl files are HLSL, .slang files are Slang, and everything else is GLSL; Slang
            needs Slang's library, such as the one in the package slangpy), `file_name` names the
            source in errors, and `debug_info` keeps names and lines for debuggers.
            `include_policy` is "folders" (#include reads files below the source's folder and
            `includes`), "anywhere" or "none". With `isolate`, the compiler runs in a child process
            with bounded time and memory, for untrusted sources.

            ShaderError has line and column, and shows the line.)"));
    module.def("_compile_kernel", &compileKernel, "shader"_a, "includes"_a, "defines"_a,
               "file_name"_a, "include_policy"_a);
    module.def("_keep_kernel", &keepKernel, "folder"_a, "shader"_a, "includes"_a, "defines"_a,
               "file_name"_a, "include_policy"_a);
    module.def(
        "_reflect",
        [](const py::object& shader, const std::string& entryPoint) {
            return describeShader(toSpirv(shader, {}), entryPoint);
        },
        "shader"_a, "entry_point"_a);
}

} // namespace kp::python
