// SPDX-License-Identifier: Apache-2.0
#include "Shaders.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>

#include <pybind11/stl.h>

#include "Arrays.hpp"
#include "Module.hpp"

namespace kp::python {
namespace {

bool endsWith(const std::string& text, std::string_view ending) {
    return text.size() >= ending.size() &&
           text.compare(text.size() - ending.size(), ending.size(), ending) == 0;
}

/// Text that can be nothing but the name of a file.
bool looksLikePath(const std::string& text) {
    constexpr std::string_view kEndings[] = {".comp", ".glsl", ".hlsl", ".spv"};
    return text.find('\n') == std::string::npos && text.find('{') == std::string::npos &&
           std::any_of(std::begin(kEndings), std::end(kEndings),
                       [&text](std::string_view ending) { return endsWith(text, ending); });
}

/// The path a str or os.PathLike names; nothing for source text.
std::optional<std::string> pathOf(py::handle source, const char* argument) {
    if (PyUnicode_Check(source.ptr())) {
        const auto text = py::cast<std::string>(source);
        return looksLikePath(text) ? std::optional(text) : std::nullopt;
    }
    if (py::hasattr(source, "__fspath__"))
        return py::cast<std::string>(py::module_::import("os").attr("fspath")(source));
    throw py::type_error(std::string(argument) + " is source text or a path, not a " +
                         Py_TYPE(source.ptr())->tp_name);
}

std::vector<uint32_t> wordsOf(const void* data, size_t bytes, const char* argument) {
    if (bytes % sizeof(uint32_t) != 0)
        throw py::value_error(std::string(argument) + " has " + std::to_string(bytes) +
                              " bytes, but SPIR-V comes in words of four");
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
    const py::object file = py::module_::import("builtins").attr("open")(path, "rb");
    const auto contents = py::cast<py::bytes>(file.attr("read")());
    file.attr("close")();
    const std::string_view text = contents;
    return wordsOf(text.data(), text.size(), path.c_str());
}

/// A path is opened by Python first, so that a missing file is a FileNotFoundError.
void requireFile(const std::string& path) {
    py::module_::import("builtins").attr("open")(path, "rb").attr("close")();
}

std::vector<uint32_t> compileSource(const std::string& text, const CompileOptions& options) {
    const py::gil_scoped_release release;
    return compile(text, options);
}

std::vector<uint32_t> compilePath(const std::string& path, const CompileOptions& options) {
    if (endsWith(path, ".spv"))
        return wordsOfFile(path);
    requireFile(path);
    const py::gil_scoped_release release;
    return compileFile(path, options);
}

ShaderLanguage languageOf(const std::string& language) {
    if (language.empty() || language == "glsl")
        return ShaderLanguage::eGlsl;
    if (language == "hlsl")
        return ShaderLanguage::eHlsl;
    throw py::value_error("language is \"glsl\" or \"hlsl\", not \"" + language + "\"");
}

std::vector<std::string> foldersOf(const py::object& includes) {
    std::vector<std::string> folders;
    if (PyUnicode_Check(includes.ptr()) || py::hasattr(includes, "__fspath__"))
        throw py::type_error("includes is a sequence of folders; put the one folder in a list");
    const py::object path = py::module_::import("os").attr("fspath");
    for (const py::handle folder : includes)
        folders.push_back(py::cast<std::string>(path(folder)));
    return folders;
}

std::vector<std::pair<std::string, std::string>> definesOf(const py::object& defines) {
    std::vector<std::pair<std::string, std::string>> result;
    if (defines.is_none())
        return result;
    if (!PyDict_Check(defines.ptr()))
        throw py::type_error(std::string("defines is a dict of names and values, not a ") +
                             Py_TYPE(defines.ptr())->tp_name);
    for (const auto& [name, value] : py::cast<py::dict>(defines)) {
        if (!PyUnicode_Check(name.ptr()))
            throw py::type_error("defines has a name that is not text");
        const bool isFlag = value.is_none() || PyBool_Check(value.ptr());
        result.emplace_back(py::cast<std::string>(name),
                            value.is_none() ? std::string()
                            : isFlag        ? std::string(value.ptr() == Py_True ? "1" : "0")
                                            : py::cast<std::string>(py::str(value)));
    }
    return result;
}

const char* kindName(shader::BindingKind kind) {
    switch (kind) {
    case shader::BindingKind::eStorageBuffer:
        return "storage_buffer";
    case shader::BindingKind::eUniformBuffer:
        return "uniform_buffer";
    case shader::BindingKind::eStorageImage:
        return "storage_image";
    case shader::BindingKind::eSampledImage:
        return "sampled_image";
    case shader::BindingKind::eCombinedImageSampler:
        return "combined_image_sampler";
    case shader::BindingKind::eSampler:
        return "sampler";
    case shader::BindingKind::eUniformTexelBuffer:
        return "uniform_texel_buffer";
    case shader::BindingKind::eStorageTexelBuffer:
        return "storage_texel_buffer";
    case shader::BindingKind::eOther:
        break;
    }
    return "other";
}

/// A bool of a shader is 4 bytes in memory, so it is a uint32 for NumPy.
py::object dtypeOf(shader::ScalarType type) {
    switch (type) {
    case shader::ScalarType::eBool:
    case shader::ScalarType::eUint32:
        return py::dtype("uint32");
    case shader::ScalarType::eInt8:
        return py::dtype("int8");
    case shader::ScalarType::eUint8:
        return py::dtype("uint8");
    case shader::ScalarType::eInt16:
        return py::dtype("int16");
    case shader::ScalarType::eUint16:
        return py::dtype("uint16");
    case shader::ScalarType::eInt32:
        return py::dtype("int32");
    case shader::ScalarType::eInt64:
        return py::dtype("int64");
    case shader::ScalarType::eUint64:
        return py::dtype("uint64");
    case shader::ScalarType::eFloat16:
        return py::dtype("float16");
    case shader::ScalarType::eFloat32:
        return py::dtype("float32");
    case shader::ScalarType::eFloat64:
        return py::dtype("float64");
    case shader::ScalarType::eUnknown:
    case shader::ScalarType::eStruct:
        break;
    }
    return py::none();
}

py::dict describe(const shader::Binding& binding) {
    using namespace py::literals;
    const bool image = binding.kind == shader::BindingKind::eStorageImage;
    return py::dict("set"_a = binding.set, "binding"_a = binding.binding,
                    "kind"_a = kindName(binding.kind), "name"_a = binding.name,
                    "count"_a = binding.count, "reads"_a = binding.reads,
                    "writes"_a = binding.writes,
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

} // namespace

std::vector<uint32_t> toSpirv(py::handle shader, uint32_t vulkanVersion) {
    if (shader.is_none())
        return {};
    if (PyObject_CheckBuffer(shader.ptr()))
        return wordsOfBuffer(shader, "spirv");
    CompileOptions options;
    options.vulkanVersion = vulkanVersion;
    if (!PyUnicode_Check(shader.ptr()) && !py::hasattr(shader, "__fspath__"))
        throw py::type_error(std::string("spirv is bytes, source text or a path, not a ") +
                             Py_TYPE(shader.ptr())->tp_name);
    if (const auto path = pathOf(shader, "spirv"))
        return compilePath(*path, options);
    return compileSource(py::cast<std::string>(shader), options);
}

py::dict describeShader(const std::vector<uint32_t>& spirv, const std::string& entryPoint) {
    using namespace py::literals;
    shader::Reflection reflection;
    {
        const py::gil_scoped_release release;
        reflection = reflect(spirv, entryPoint);
    }
    py::list bindings, pushConstants, specConstants;
    for (const shader::Binding& binding : reflection.bindings)
        bindings.append(describe(binding));
    for (const shader::PushConstantMember& member : reflection.pushConstants)
        pushConstants.append(py::dict("name"_a = member.name, "offset"_a = member.offset,
                                      "size"_a = member.size, "dtype"_a = dtypeOf(member.type),
                                      "components"_a = member.components));
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

py::bytes compileShader(const py::object& source, const py::object& includes,
                        const py::object& defines, const std::string& entryPoint,
                        const std::string& language, const std::string& fileName, bool debugInfo,
                        uint32_t vulkanVersion) {
    CompileOptions options;
    options.language = languageOf(language);
    options.entryPoint = entryPoint;
    options.includeFolders = foldersOf(includes);
    options.defines = definesOf(defines);
    options.debugInfo = debugInfo;
    options.vulkanVersion = vulkanVersion;
    if (!fileName.empty())
        options.fileName = fileName;
    const auto path = pathOf(source, "source_or_path");
    const std::vector<uint32_t> spirv =
        path ? compilePath(*path, options) : compileSource(py::cast<std::string>(source), options);
    return py::bytes(reinterpret_cast<const char*>(spirv.data()), spirv.size() * sizeof(uint32_t));
}

void bindShaders(py::module_& module) {
    module.def(
        "compile",
        [](const py::object& source, const py::object& includes, const py::object& defines,
           const std::string& entryPoint, const std::string& language, const std::string& fileName,
           bool debugInfo) {
            return compileShader(source, includes, defines, entryPoint, language, fileName,
                                 debugInfo, 0);
        },
        py::arg("source_or_path"), py::kw_only(), py::arg("includes") = py::tuple(),
        py::arg("defines") = py::none(), py::arg("entry_point") = "main", py::arg("language") = "",
        py::arg("file_name") = "", py::arg("debug_info") = false,
        "Compiles a compute shader to SPIR-V, for Vulkan 1.1.\n\n"
        "`source_or_path` is source text, or a path: an os.PathLike, or one line of text that "
        "ends\n"
        "in .comp, .glsl, .hlsl or .spv. `includes` are folders searched for #include, `defines` "
        "is\n"
        "a dict of macros, `language` is \"glsl\" or \"hlsl\" (where it is left out, .hlsl files "
        "are\n"
        "HLSL and all else is GLSL), `file_name` names the source in errors, and `debug_info` "
        "keeps\n"
        "names and lines for debuggers.\n\n"
        "ShaderError says line and column, and shows the line.");
    module.def(
        "_reflect",
        [](const py::object& shader, const std::string& entryPoint) {
            return describeShader(toSpirv(shader, 0), entryPoint);
        },
        py::arg("shader"), py::arg("entry_point"));
}

} // namespace kp::python
