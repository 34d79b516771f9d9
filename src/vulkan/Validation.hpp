// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vulkan/Instance.hpp"

namespace kp::vulkan {

inline constexpr const char* kValidationLayer = "VK_LAYER_KHRONOS_validation";

/// What the installed validation layer can be told. Pure data, so that tests can invent layers.
struct ValidationLayer {
    uint32_t version = 0; ///< VkLayerProperties::specVersion
    bool layerSettings = false;
    bool validationFeatures = false;
};

/// How a layer is told what to check: instance extensions, structs for VkInstanceCreateInfo's
/// pNext, and for what old layers have no struct for, one environment variable. Neither copied nor
/// moved: the structs point into the object.
class ValidationSettings {
public:
    /// Chooses layer settings where headers and layer know them under today's names, else
    /// validation features. Changes nothing outside the object.
    /// @throws Unsupported where the layer cannot do what was asked, or two wishes exclude another
    ValidationSettings(const ValidationRequest& request, const ValidationLayer& layer);
    ValidationSettings(const ValidationSettings&) = delete;
    ValidationSettings& operator=(const ValidationSettings&) = delete;

    const std::vector<const char*>& extensions() const { return mExtensions; }
    /// Puts the settings before @p next. @return the new head of the chain
    const void* link(const void* next);
    /// True where validation across submissions needs VK_LAYER_ENABLES to be set.
    bool needsSubmitEnvironment() const { return mNeedsSubmitEnvironment; }
    /// Sets that variable once per process, unless somebody else did.
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

/// A messenger that sends everything to the logger, each message at its own level, and counts
/// warnings and errors of the layer (not those of the Vulkan loader).
VkDebugUtilsMessengerCreateInfoEXT messengerCreateInfo();

/// Why a message of the layer is known to be wrong or beside the point; null where it is not.
const char* allowedBecause(const char* messageId, const char* message);

/// The text that a shader printed, without the layer's words around it.
std::string printedText(const std::string& message);

} // namespace kp::vulkan
