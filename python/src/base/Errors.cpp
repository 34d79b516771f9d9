// SPDX-License-Identifier: Apache-2.0
#include "base/Errors.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

#include <kompute/Error.hpp>
#include <kompute/arrays/Engine.hpp>
#include <kompute/shader/Check.hpp>

#include "base/Held.hpp"
#include "base/Package.hpp"

namespace kp::python {
namespace {

struct ErrorClass {
    ErrorCode code;
    const char* codeName;
    const char* className;
    PyObject* type; ///< never released: errors may be raised while the interpreter shuts down
};

ErrorClass gClasses[] = {
    {ErrorCode::eVulkan, "vulkan", "Error", nullptr},
    {ErrorCode::eInvalidArgument, "invalid_argument", "InvalidArgument", nullptr},
    {ErrorCode::eShader, "shader", "ShaderError", nullptr},
    {ErrorCode::eOutOfMemory, "out_of_memory", "OutOfMemory", nullptr},
    {ErrorCode::eDeviceLost, "device_lost", "DeviceLost", nullptr},
    {ErrorCode::eUnsupported, "unsupported", "Unsupported", nullptr},
    {ErrorCode::eCancelled, "cancelled", "Cancelled", nullptr},
    {ErrorCode::eCheckFailed, "check_failed", "CheckFailed", nullptr}};

const ErrorClass& classOf(ErrorCode code) {
    for (const ErrorClass& each : gClasses)
        if (each.code == code)
            return each;
    return gClasses[0];
}

/// Messages may quote names of a broken shader, which may be any bytes.
py::object textOf(const std::string& message) {
    return py::reinterpret_steal<py::object>(PyUnicode_DecodeUTF8(
        message.data(), static_cast<Py_ssize_t>(message.size()), "backslashreplace"));
}

/// C++ phrases in messages, with Python's, if more than the spelling differs. Longer
/// phrases come before those they begin with.
struct Phrase {
    std::string_view cpp, python;
};

constexpr Phrase kPhrases[] = {
    {"CompileOptions::includeFolders", "includes"},
    {"CompileOptions::includes", "include_policy"},
    {"CompileOptions::", ""}, // its members are arguments
    {"IncludePolicy::eAnywhere", "'anywhere'"},
    {"IncludePolicy::eNone", "'none'"},
    {"AutotunerOptions::budgetSeconds", "budget"},
    {"AutotunerOptions::lockSeconds", "lock_timeout"},
    {"AutotunerOptions::", ""},
    {"DeviceGroupOptions::", ""},
    {"KernelOptions::globalSize", "default_global_work_size"},
    {"LaunchOptions::globalSize", "global_work_size"},
    {"TuningTime::eDevice", "time='device'"},
    {"TuningTime::eAuto", "time='auto'"},
    {"AlgorithmOptions::maxPrivateBytes", "max_private_bytes"},
    {"Algorithm::setThreadCount() or set AlgorithmOptions::threads",
     "mgr.algorithm() with thread_count"},
    {"AlgorithmOptions::", ""},
    {"Filter::eNearest", "filter='nearest'"},
    {"ImageOptions::type", "image_type"},
    {"ImageUsage::eStorage", "usage='storage'"},
    {"ImageUsage::eSampled", "usage='sampled'"},
    {"eMinimum", "min"},
    {"eMaximum", "max"},
    {"eArgMinimum", "argmin"},
    {"eArgMaximum", "argmax"},
    {"eCountNonZero", "count_nonzero"},
    {"e1DArray", "'1d_array'"},
    {"e2DArray", "'2d_array'"},
    {"e1D", "'1d'"},
    {"e2D", "'2d'"},
    {"e3D", "'3d'"},
    {"eBool", "bool"},
    {"eChar", "int8"},
    {"eShort", "int16"},
    {"eInt", "int32"},
    {"eLong", "int64"},
    {"eUnsignedChar", "uint8"},
    {"eUnsignedShort", "uint16"},
    {"eUnsignedInt", "uint32"},
    {"eUnsignedLong", "uint64"},
    {"eHalf", "float16"},
    {"eBFloat16", "bfloat16"},
    {"eFloat", "float32"},
    {"eDouble", "float64"},
    {"eCustom", "structs or complex numbers"},
    {"Distribution::integers", "'integers'"},
    {"Bins::integers()", "OpHistogram without edges"},
    {"ElementType::structOf", "a dtype with fields"},
    {"Manager::sharedTensor (shared_tensor() in Python)", "Manager.shared_tensor()"},
    {"compileFile: ", "compile: "},
    {"Memory::MemoryTypes", "MemoryTypes"},
    {"kp::", "kp."}};

bool inWord(char character) {
    return std::isalnum(static_cast<unsigned char>(character)) || character == '_';
}

bool startsWord(const std::string& text, size_t at) {
    return at == 0 || !inWord(text[at - 1]);
}

const Phrase* phraseAt(const std::string& message, size_t at) {
    for (const Phrase& each : kPhrases) {
        const size_t end = at + each.cpp.size();
        const bool cutsWord =
            inWord(each.cpp.back()) && end < message.size() && inWord(message[end]);
        if (message.compare(at, each.cpp.size(), each.cpp) == 0 && !cutsWord)
            return &each;
    }
    return nullptr;
}

/// Returns the message of a compiler with Python's names of the arguments for includes.
std::string includerInPython(std::string message) {
    for (const Phrase& each : kPhrases)
        if (each.cpp.starts_with("CompileOptions::") || each.cpp.starts_with("IncludePolicy::"))
            for (size_t at; (at = message.find(each.cpp)) != std::string::npos;)
                message.replace(at, each.cpp.size(), each.python);
    return message;
}

void addFaults(const py::object& raised, const CheckFailed& failed) {
    const py::object faultOf = ofPackage("CheckFault");
    py::list faults;
    for (const CheckFault& each : failed.faults())
        faults.append(faultOf(each.kind, textOf(each.file), each.line, textOf(each.text),
                              textOf(each.message), textOf(each.target),
                              textOf(inPythonSpelling(each.memory)), each.index, each.extent,
                              each.value, py::tuple(py::cast(each.globalInvocation)),
                              py::tuple(py::cast(each.localInvocation)), textOf(each.algorithm),
                              py::tuple(py::cast(each.indices)), py::tuple(py::cast(each.shape))));
    raised.attr("faults") = faults;
    raised.attr("count") = failed.count();
    ofPackage("point_at")(raised);
}

/// Returns a text about faults with Python's names for memory. It quotes the shader, assertions
/// and names of the user, which stay as they are.
std::string faultsInPython(std::string text, const CheckFailed& failed) {
    std::string last;
    for (const CheckFault& each : failed.faults()) {
        if (each.memory.empty() || each.memory == last)
            continue;
        last = each.memory;
        const std::string spelled = inPythonSpelling(last);
        for (size_t at = 0; (at = text.find(last, at)) != std::string::npos; at += spelled.size())
            text.replace(at, last.size(), spelled);
    }
    return text;
}

/// Returns a message, or a reason, with Python's names, except for quotations.
std::string inPython(const std::string& text, const Error& error) {
    if (const auto* failed = dynamic_cast<const CheckFailed*>(&error))
        return faultsInPython(text, *failed);
    // A compiler's message quotes the shader, which stays as it is, except for the includer's
    // additions.
    const auto* shader = dynamic_cast<const ShaderError*>(&error);
    return shader && shader->line() > 0 ? includerInPython(text) : inPythonSpelling(text);
}

void raise(const Error& error) {
    if (dynamic_cast<const arrays::OutOfBounds*>(&error)) {
        PyErr_SetObject(PyExc_IndexError, textOf(error.what()).ptr());
        return;
    }
    const auto* shader = dynamic_cast<const ShaderError*>(&error);
    const auto* failed = dynamic_cast<const CheckFailed*>(&error);
    const ErrorClass& errorClass = classOf(error.code());
    if (!errorClass.type)
        return setNeedsPackage();
    const py::object raised = py::handle(errorClass.type)(textOf(inPython(error.what(), error)));
    raised.attr("code") = errorClass.codeName;
    raised.attr("vk_result") = error.vkResult();
    py::list reasons;
    for (const std::string& reason : error.reasons())
        reasons.append(textOf(failed ? faultsInPython(reason, *failed) : inPythonSpelling(reason)));
    raised.attr("reasons") = reasons;
    if (shader) {
        raised.attr("file") = textOf(shader->file());
        raised.attr("line") = shader->line();
        raised.attr("column") = shader->column();
        raised.attr("log") = textOf(shader->log());
    }
    if (failed)
        addFaults(raised, *failed);
    PyErr_SetObject(errorClass.type, raised.ptr());
}

bool isUpper(char c) {
    return c >= 'A' && c <= 'Z';
}

/// eDevice is device in Python.
std::string enumeratorName(const std::string& word) {
    const std::string rest = word.substr(1);
    std::string name;
    const bool keepsCase = rest == "DeviceAndHost";
    for (size_t i = 0; i < rest.size(); ++i)
        name += i > 0 && keepsCase
                    ? rest[i]
                    : static_cast<char>(std::tolower(static_cast<unsigned char>(rest[i])));
    return name;
}

/// evalAwait is eval_await in Python.
std::string functionName(const std::string& word) {
    std::string name;
    for (const char c : word) {
        if (isUpper(c))
            name += '_';
        name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return name;
}

/// Functions and arguments of the library that its messages name without parentheses.
bool isName(const std::string& word) {
    constexpr std::string_view kNames[] = {
        "setThreadCount", "setWorkgroup", "setPushConstants", "setMemObjects", "evalAsync",
        "evalAwait",      "importMemory", "importHost",       "pinnedArray",   "shardRows",
        "deviceIds",      "queueCounts",  "queueFamilies",    "lockSeconds",   "budgetSeconds",
        "roundUp",        "firstBit",     "endBit",           "rowLength",     "sortedValues",
        "setData",        "sharedTensor", "threadCount",      "fileName",      "entryPoint",
        "resetToZero",    "waitFor"};
    return std::find(std::begin(kNames), std::end(kNames), word) != std::end(kNames);
}

} // namespace

std::string inPythonSpelling(const std::string& message) {
    std::string result;
    for (size_t at = 0; at < message.size();) {
        if (const Phrase* const phrase =
                startsWord(message, at) ? phraseAt(message, at) : nullptr) {
            result += phrase->python;
            at += phrase->cpp.size();
            continue;
        }
        size_t end = at;
        while (end < message.size() && std::isalnum(static_cast<unsigned char>(message[end])))
            ++end;
        if (end == at || !startsWord(message, at)) {
            if (message.compare(at, 2, "::") == 0) {
                result += '.';
                at += 2;
            } else {
                result += message[at++];
            }
            continue;
        }
        const std::string word = message.substr(at, end - at);
        const bool enumerator = word.size() > 1 && word[0] == 'e' && isUpper(word[1]);
        const bool call = std::islower(static_cast<unsigned char>(word[0])) &&
                          end < message.size() && message[end] == '(';
        if (enumerator)
            result += enumeratorName(word);
        else
            result += call || isName(word) ? functionName(word) : word;
        at = end;
    }
    return result;
}

void findErrorClasses() {
    for (ErrorClass& each : gClasses)
        Py_XDECREF(std::exchange(each.type, ofPackage(each.className).release().ptr()));
}

void bindErrors(py::module_& module) {
    module.def(
        "_python_spelling", &inPythonSpelling, "message"_a,
        "Returns a message of the library with Python's names, as errors and the log have them.");
    py::register_local_exception_translator([](std::exception_ptr pointer) {
        try {
            if (pointer)
                std::rethrow_exception(pointer);
        } catch (const Error& error) {
            raise(error);
        } catch (const PythonFailure& failure) {
            failure.raise();
        }
    });
}

} // namespace kp::python
