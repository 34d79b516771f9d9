// SPDX-License-Identifier: Apache-2.0
#include "vulkan/device/Validation.hpp"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string_view>

#include <kompute/Error.hpp>
#include <kompute/logger/Logger.hpp>

#include "base/Environment.hpp"
#include "base/Text.hpp"

namespace kp::vulkan {
namespace {

std::atomic<uint64_t> gMessageCount{0};

/// Since this version the layer knows the setting names of useLayerSettings().
[[maybe_unused]] constexpr uint32_t kSettingsVersion = VK_MAKE_API_VERSION(0, 1, 3, 296);
/// Since this version validation across submissions is on by default.
constexpr uint32_t kSubmitByDefaultVersion = VK_MAKE_API_VERSION(0, 1, 3, 296);

constexpr const char* kSubmitCheck =
    "VALIDATION_CHECK_ENABLE_SYNCHRONIZATION_VALIDATION_QUEUE_SUBMIT";

/// A message that is not a finding, and the reason.
struct AllowedMessage {
    const char* id;       ///< message id without the "UNASSIGNED-" of older layers
    const char* contains; ///< part of the text, "" = any
    const char* reason;
};

constexpr AllowedMessage kAllowed[] = {
    {"BestPractices-vkCreateInstance-specialuse-extension-debugging", "VK_EXT_validation_features",
     "this extension configures the layer"},
    {"BestPractices-vkCreateInstance-specialuse-extension-debugging", "VK_EXT_debug_utils",
     "this extension is how the layer reports"},
    {"BestPractices-vkCreateInstance-deprecated-extension", "VK_EXT_validation_features",
     "older headers and layers offer no other configuration"},
    {"BestPractices-deprecated-extension", "VK_EXT_validation_features",
     "older headers and layers offer no other configuration"},
    {"BestPractices-vkCreateDevice-deprecated-extension", "VK_EXT_calibrated_timestamps",
     "the device lacks VK_KHR_calibrated_timestamps"},
    {"BestPractices-deprecated-extension", "VK_EXT_calibrated_timestamps",
     "the device lacks VK_KHR_calibrated_timestamps"},
    {"BestPractices-pipeline-stage-flags", "VK_PIPELINE_STAGE_ALL_COMMANDS_BIT",
     "an operation that declares no accesses may use any stage"},
    {"BestPractices-pipeline-stage-flags-compute", "VK_PIPELINE_STAGE_ALL_COMMANDS_BIT",
     "an operation that declares no accesses may use any stage"},
    {"BestPractices-specialuse-extension", "VK_EXT_validation_features",
     "this extension configures the layer"},
    {"BestPractices-specialuse-extension", "VK_EXT_debug_utils",
     "this extension is how the layer reports"},
    {"BestPractices-SpirvDeprecated_WorkgroupSize", "SPIR-V 1.6",
     "glslang decorates the local size like this in SPIR-V of every version"},
    {"BestPractices-Error-Result", "vkGetPhysicalDeviceImageFormatProperties",
     "the call asks whether a format is supported"},
    {"BestPractices-ImageBarrierAccessLayout", "VK_IMAGE_LAYOUT_PREINITIALIZED",
     "the first barrier of an image also waits for earlier users of the memory"},
    {"CoreValidation-DrawState-InvalidImageLayout", "For optimal performance",
     "images stay in the general layout, which copies accept (docs/contributing/architecture.md)"},
};

logger::Level levelOf(VkDebugUtilsMessageSeverityFlagBitsEXT severity) {
    switch (severity) {
    case VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT:
        return logger::Level::eError;
    case VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT:
        return logger::Level::eWarn;
    case VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT:
        return logger::Level::eInfo;
    default:
        return logger::Level::eDebug;
    }
}

void route(VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT types,
           const VkDebugUtilsMessengerCallbackDataEXT& data) {
    const char* id = data.pMessageIdName ? data.pMessageIdName : "";
    const char* text = data.pMessage ? data.pMessage : "";
    if (std::strstr(id, "DEBUG-PRINTF") &&
        severity < VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT) {
        KP_LOG_INFO("{}", printedText(text));
        return;
    }
    if (const char* reason = allowedBecause(id, text)) {
        KP_LOG_DEBUG("allowed ({}): {}", reason, text);
        return;
    }
    const bool fromLayer = (types & (VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT |
                                     VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT)) != 0;
    if (fromLayer && severity >= VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT)
        gMessageCount.fetch_add(1, std::memory_order_relaxed);
    logger::Level level = levelOf(severity);
    if (!fromLayer && level == logger::Level::eInfo)
        level = logger::Level::eDebug; // the Vulkan loader reports every folder that it searches
    if (logger::detail::enabled(level))
        logger::log(level, __FILE__, __LINE__, text);
}

VKAPI_ATTR VkBool32 VKAPI_CALL onMessage(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                         VkDebugUtilsMessageTypeFlagsEXT types,
                                         const VkDebugUtilsMessengerCallbackDataEXT* data, void*) {
    try {
        route(severity, types, *data);
    } catch (...) {
        gMessageCount.fetch_add(1, std::memory_order_relaxed);
    }
    return VK_FALSE;
}

} // namespace

uint64_t validationMessageCount() {
    return gMessageCount.load(std::memory_order_relaxed);
}

ValidationRequest ValidationRequest::parse(const std::string& list) {
    ValidationRequest request;
    for (const std::string& word : listed(lowerCase(list))) {
        if (word == "core")
            request.core = true;
        else if (word == "sync")
            request.sync = true;
        else if (word == "gpu")
            request.gpu = true;
        else if (word == "printf")
            request.printf = true;
        else
            fail<InvalidArgument>("'{}' is not a kind of validation; known are core, sync, gpu and "
                                  "printf, separated by commas",
                                  word);
    }
    return request;
}

const char* allowedBecause(const char* messageId, const char* message) {
    constexpr std::string_view kUnassigned = "UNASSIGNED-";
    std::string_view id = messageId;
    if (id.starts_with(kUnassigned))
        id.remove_prefix(kUnassigned.size());
    for (const AllowedMessage& allowed : kAllowed)
        if (id == allowed.id && std::strstr(message, allowed.contains))
            return allowed.reason;
    return nullptr;
}

std::string printedText(const std::string& message) {
    const size_t id = message.find("MessageID = 0x");
    const size_t bar = id == std::string::npos ? id : message.find("| ", id);
    return bar == std::string::npos ? message : message.substr(bar + 2);
}

VkDebugUtilsMessengerCreateInfoEXT messengerCreateInfo() {
    VkDebugUtilsMessengerCreateInfoEXT info{
        VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT};
    info.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT |
                           VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                           VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT |
                           VK_DEBUG_UTILS_MESSAGE_SEVERITY_VERBOSE_BIT_EXT;
    info.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT |
                       VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT |
                       VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT;
    info.pfnUserCallback = onMessage;
    return info;
}

ValidationSettings::ValidationSettings(const ValidationRequest& request,
                                       const ValidationLayer& layer) {
#ifdef VK_EXT_layer_settings
    if (layer.layerSettings && layer.version >= kSettingsVersion) {
        useLayerSettings(request);
        return;
    }
#endif
    if (!layer.validationFeatures)
        fail<Unsupported>("the installed {} cannot be configured: it offers neither layer settings "
                          "that this library knows nor VK_EXT_validation_features; install the "
                          "layer of a Vulkan SDK 1.2 or newer",
                          kValidationLayer);
    useValidationFeatures(request, layer);
}

void ValidationSettings::useValidationFeatures(const ValidationRequest& request,
                                               const ValidationLayer& layer) {
    if (request.gpu && request.printf)
        throw Unsupported("validation 'gpu' and 'printf' cannot run together with the installed "
                          "validation layer; ask for one of them");
    mExtensions.push_back(VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME);
    if (request.core)
        mEnabled.push_back(VK_VALIDATION_FEATURE_ENABLE_BEST_PRACTICES_EXT);
    else
        mDisabled = {VK_VALIDATION_FEATURE_DISABLE_CORE_CHECKS_EXT,
                     VK_VALIDATION_FEATURE_DISABLE_API_PARAMETERS_EXT,
                     VK_VALIDATION_FEATURE_DISABLE_OBJECT_LIFETIMES_EXT,
                     VK_VALIDATION_FEATURE_DISABLE_THREAD_SAFETY_EXT};
    if (request.sync)
        mEnabled.push_back(VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT);
    if (request.gpu)
        mEnabled.push_back(VK_VALIDATION_FEATURE_ENABLE_GPU_ASSISTED_EXT);
    if (request.printf)
        mEnabled.push_back(VK_VALIDATION_FEATURE_ENABLE_DEBUG_PRINTF_EXT);
    mNeedsSubmitEnvironment = request.sync && layer.version < kSubmitByDefaultVersion;

    mFeatures.sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT;
    mFeatures.enabledValidationFeatureCount = static_cast<uint32_t>(mEnabled.size());
    mFeatures.pEnabledValidationFeatures = mEnabled.data();
    mFeatures.disabledValidationFeatureCount = static_cast<uint32_t>(mDisabled.size());
    mFeatures.pDisabledValidationFeatures = mDisabled.data();
}

#ifdef VK_EXT_layer_settings
void ValidationSettings::useLayerSettings(const ValidationRequest& request) {
    static constexpr VkBool32 kOn = VK_TRUE;
    static constexpr VkBool32 kOff = VK_FALSE;
    const auto set = [&](const char* name, bool on) {
        mSettings.push_back(
            {kValidationLayer, name, VK_LAYER_SETTING_TYPE_BOOL32_EXT, 1, on ? &kOn : &kOff});
    };
    set("validate_core", request.core);
    set("stateless_param", request.core);
    set("object_lifetime", request.core);
    set("thread_safety", request.core);
    set("validate_best_practices", request.core);
    set("validate_sync", request.sync);
    set("syncval_submit_time_validation", request.sync);
    set("syncval_shader_accesses_heuristic", request.sync);
    set("gpuav_enable", request.gpu);
    set("printf_enable", request.printf);
    set("printf_to_stdout", false);
    mUsesLayerSettings = true;
    mExtensions.push_back(VK_EXT_LAYER_SETTINGS_EXTENSION_NAME);
    mSettingsInfo.sType = VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT;
    mSettingsInfo.settingCount = static_cast<uint32_t>(mSettings.size());
    mSettingsInfo.pSettings = mSettings.data();
}
#endif

const void* ValidationSettings::link(const void* next) {
#ifdef VK_EXT_layer_settings
    if (mUsesLayerSettings) {
        mSettingsInfo.pNext = next;
        return &mSettingsInfo;
    }
#endif
    mFeatures.pNext = next;
    return &mFeatures;
}

void ValidationSettings::setSubmitEnvironment() const {
    static std::once_flag once;
    if (!mNeedsSubmitEnvironment)
        return;
    std::call_once(once, [] {
        if (!environment("VK_LAYER_ENABLES").empty())
            return;
#ifdef _WIN32
        _putenv_s("VK_LAYER_ENABLES", kSubmitCheck);
#else
        setenv("VK_LAYER_ENABLES", kSubmitCheck, 0);
#endif
    });
}

} // namespace kp::vulkan
