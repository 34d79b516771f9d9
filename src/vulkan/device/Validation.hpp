// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vulkan/device/Vulkan.hpp"

namespace kp::vulkan {

inline constexpr const char* kValidationLayer = "VK_LAYER_KHRONOS_validation";

/// The validation to run, from ManagerOptions or KOMPUTE_VALIDATION=core,sync,gpu.
struct ValidationRequest {
    bool core = false;   ///< core checks, object lifetimes, thread safety and best practices
    bool sync = false;   ///< synchronization validation, also across submissions
    bool gpu = false;    ///< GPU-assisted validation
    bool printf = false; ///< debugPrintfEXT output of shaders goes to the logger
    bool any() const { return core || sync || gpu || printf; }
    bool operator==(const ValidationRequest&) const = default;

    /// Parses a comma-separated list. @throws InvalidArgument for an unknown word
    static ValidationRequest parse(const std::string& list);
};

/// How the installed validation layer can be configured.
struct ValidationLayer {
    uint32_t version = 0; ///< VkLayerProperties::specVersion
    bool layerSettings = false;
    bool validationFeatures = false;
};

/// The configuration of the validation layer: instance extensions, structs for the pNext chain of
/// VkInstanceCreateInfo and, for old layers, an environment variable. Neither copied nor moved,
/// since the structs point into the object.
class ValidationSettings {
public:
    /// Chooses layer settings if the headers and the layer know today's names, else validation
    /// features. Changes nothing outside the object.
    /// @throws Unsupported if the layer cannot run this validation
    ValidationSettings(const ValidationRequest& request, const ValidationLayer& layer);
    ValidationSettings(const ValidationSettings&) = delete;
    ValidationSettings& operator=(const ValidationSettings&) = delete;

    const std::vector<const char*>& extensions() const { return mExtensions; }
    /// Puts the settings in front of @p next. @return the new head of the chain
    const void* link(const void* next);
    /// Returns true if validation across submissions needs VK_LAYER_ENABLES.
    bool needsSubmitEnvironment() const { return mNeedsSubmitEnvironment; }
    /// Sets that variable once per process, unless it is set already.
    void setSubmitEnvironment() const;

    bool usesLayerSettings() const { return mUsesLayerSettings; }
    const std::vector<VkValidationFeatureEnableEXT>& enabled() const { return mEnabled; }
    const std::vector<VkValidationFeatureDisableEXT>& disabled() const { return mDisabled; }

private:
    void useValidationFeatures(const ValidationRequest& request, const ValidationLayer& layer);
#ifdef VK_EXT_layer_settings
    void useLayerSettings(const ValidationRequest& request);
    std::vector<VkLayerSettingEXT> mSettings;
    VkLayerSettingsCreateInfoEXT mSettingsInfo{};
#endif
    std::vector<const char*> mExtensions;
    std::vector<VkValidationFeatureEnableEXT> mEnabled;
    std::vector<VkValidationFeatureDisableEXT> mDisabled;
    VkValidationFeaturesEXT mFeatures{};
    bool mUsesLayerSettings = false;
    bool mNeedsSubmitEnvironment = false;
};

/// Returns a messenger that logs each message at its own level. It counts the warnings and errors
/// of the layer, but not of the Vulkan loader.
VkDebugUtilsMessengerCreateInfoEXT messengerCreateInfo();

/// Returns the number of validation warnings and errors in this process, for tests.
uint64_t validationMessageCount();

/// Returns why a message of the layer is wrong or irrelevant; null if it is neither.
const char* allowedBecause(const char* messageId, const char* message);

/// Returns the text that a shader printed, without the layer's prefix.
std::string printedText(const std::string& message);

} // namespace kp::vulkan
