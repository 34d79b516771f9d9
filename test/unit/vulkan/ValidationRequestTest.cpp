// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <gtest/gtest.h>

#include <kompute/Error.hpp>
#include <kompute/logger/Logger.hpp>

#include "vulkan/device/Validation.hpp"

namespace kp::vulkan::test {
namespace {

ValidationRequest request(const char* list) {
    return ValidationRequest::parse(list);
}

template <typename Item>
bool contains(const std::vector<Item>& list, Item item) {
    return std::find(list.begin(), list.end(), item) != list.end();
}

TEST(ValidationRequest, ParsesAList) {
    EXPECT_FALSE(request("").any());
    EXPECT_FALSE(request(" , ").any());
    EXPECT_EQ(request("core"), (ValidationRequest{true, false, false, false}));
    EXPECT_EQ(request("core,sync,gpu"), (ValidationRequest{true, true, true, false}));
    EXPECT_EQ(request(" Printf , SYNC"), (ValidationRequest{false, true, false, true}));
    EXPECT_TRUE(request("printf").any());
    EXPECT_TRUE(request("gpu").any());
}

TEST(ValidationRequest, RefusesUnknownWordsAndListsTheKnownOnes) {
    try {
        request("core,everything");
        FAIL() << "no exception";
    } catch (const InvalidArgument& error) {
        const std::string text = error.what();
        for (const char* part : {"'everything'", "core", "sync", "gpu", "printf"})
            EXPECT_NE(text.find(part), std::string::npos) << text;
    }
}

constexpr ValidationLayer kOldLayer{VK_MAKE_API_VERSION(0, 1, 3, 239), false, true};

TEST(ValidationSettings, CoreEnablesBestPracticesAndAllChecks) {
    ValidationSettings settings(request("core"), kOldLayer);
    EXPECT_FALSE(settings.usesLayerSettings());
    EXPECT_TRUE(contains(settings.enabled(), VK_VALIDATION_FEATURE_ENABLE_BEST_PRACTICES_EXT));
    EXPECT_EQ(settings.enabled().size(), 1U);
    EXPECT_TRUE(settings.disabled().empty());
    EXPECT_FALSE(settings.needsSubmitEnvironment());
    EXPECT_EQ(std::string(settings.extensions().at(0)), "VK_EXT_validation_features");
}

TEST(ValidationSettings, SyncAloneDisablesCoreChecks) {
    ValidationSettings settings(request("sync"), kOldLayer);
    EXPECT_EQ(settings.enabled(),
              (std::vector<VkValidationFeatureEnableEXT>{
                  VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT}));
    EXPECT_TRUE(contains(settings.disabled(), VK_VALIDATION_FEATURE_DISABLE_CORE_CHECKS_EXT));
    EXPECT_TRUE(settings.needsSubmitEnvironment());
    ValidationSettings both(request("core,sync"), kOldLayer);
    EXPECT_TRUE(both.disabled().empty());
}

TEST(ValidationSettings, NewLayersNeedNoSubmitEnvironment) {
    ValidationSettings settings(request("sync"), {VK_MAKE_API_VERSION(0, 1, 4, 309), false, true});
    EXPECT_FALSE(settings.needsSubmitEnvironment());
}

TEST(ValidationSettings, OldLayersRefuseGpuTogetherWithPrintf) {
    EXPECT_THROW(ValidationSettings(request("gpu,printf"), kOldLayer), Unsupported);
    ValidationSettings gpu(request("gpu"), kOldLayer);
    EXPECT_TRUE(contains(gpu.enabled(), VK_VALIDATION_FEATURE_ENABLE_GPU_ASSISTED_EXT));
    ValidationSettings print(request("printf"), kOldLayer);
    EXPECT_TRUE(contains(print.enabled(), VK_VALIDATION_FEATURE_ENABLE_DEBUG_PRINTF_EXT));
}

TEST(ValidationSettings, RefusesALayerThatTakesNoSettings) {
    EXPECT_THROW(ValidationSettings(request("core"), {VK_API_VERSION_1_0, false, false}),
                 Unsupported);
}

TEST(ValidationSettings, LinkPrependsTheSettings) {
    ValidationSettings settings(request("core"), kOldLayer);
    const VkDebugUtilsMessengerCreateInfoEXT messenger = messengerCreateInfo();
    const auto* head = static_cast<const VkValidationFeaturesEXT*>(settings.link(&messenger));
    EXPECT_EQ(head->sType, VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT);
    EXPECT_EQ(head->pNext, &messenger);
    EXPECT_EQ(head->enabledValidationFeatureCount, 1U);
}

#ifdef VK_EXT_layer_settings
TEST(ValidationSettings, UsesLayerSettingsIfTheLayerSupportsThem) {
    ValidationSettings settings(request("sync,gpu,printf"),
                                {VK_MAKE_API_VERSION(0, 1, 4, 309), true, true});
    EXPECT_TRUE(settings.usesLayerSettings());
    const auto* head = static_cast<const VkLayerSettingsCreateInfoEXT*>(settings.link(nullptr));
    ASSERT_EQ(head->sType, VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT);
    const auto isOn = [&](const std::string& name) {
        for (uint32_t i = 0; i < head->settingCount; ++i)
            if (name == head->pSettings[i].pSettingName)
                return *static_cast<const VkBool32*>(head->pSettings[i].pValues) == VK_TRUE;
        ADD_FAILURE() << "no setting " << name;
        return false;
    };
    EXPECT_TRUE(isOn("validate_sync"));
    EXPECT_TRUE(isOn("gpuav_enable"));
    EXPECT_TRUE(isOn("printf_enable"));
    EXPECT_FALSE(isOn("validate_core"));
    EXPECT_FALSE(isOn("validate_best_practices"));
}
#endif

VkBool32 sendMessage(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                     VkDebugUtilsMessageTypeFlagsEXT type, const char* id, const char* text) {
    VkDebugUtilsMessengerCallbackDataEXT data{};
    data.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CALLBACK_DATA_EXT;
    data.pMessageIdName = id;
    data.pMessage = text;
    return messengerCreateInfo().pfnUserCallback(severity, type, &data, nullptr);
}

/// Captures log messages of every level from eDebug up.
struct LogCapture {
    std::vector<std::pair<logger::Level, std::string>> messages;
    LogCapture() {
        level = logger::getLogLevel();
        logger::setLogLevel(logger::Level::eDebug);
        logger::setSink(
            [](void* context, logger::Level at, const char*, int, const char* text) {
                static_cast<LogCapture*>(context)->messages.emplace_back(at, text);
            },
            this);
    }
    ~LogCapture() {
        logger::setSink(nullptr);
        logger::setLogLevel(level);
    }
    logger::Level level;
};

TEST(ValidationMessages, CountsAndLogsWarningsAndErrorsAtTheirLevel) {
    LogCapture captured;
    const uint64_t before = validationMessageCount();
    const auto type = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
    EXPECT_EQ(
        sendMessage(VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT, type, "VUID-x", "an error"),
        VK_FALSE);
    sendMessage(VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT,
                VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT, "BestPractices-x", "slow");
    EXPECT_EQ(validationMessageCount(), before + 2);
    sendMessage(VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT, type, "x", "information");
    sendMessage(VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT,
                VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT, "Loader Message", "from the loader");
    sendMessage(VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT, type, nullptr, nullptr);
    EXPECT_EQ(validationMessageCount(), before + 3);
    ASSERT_EQ(captured.messages.size(), 5U);
    EXPECT_EQ(captured.messages[0], std::make_pair(logger::Level::eError, std::string("an error")));
    EXPECT_EQ(captured.messages[1].first, logger::Level::eWarn);
    EXPECT_EQ(captured.messages[2].first, logger::Level::eInfo);
    EXPECT_EQ(captured.messages[3].first, logger::Level::eWarn);
}

TEST(ValidationMessages, DoesNotCountAllowedMessages) {
    LogCapture captured;
    const uint64_t before = validationMessageCount();
    const auto warn = [](const char* id, const char* text) {
        sendMessage(VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT,
                    VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT, id, text);
    };
    warn("BestPractices-vkCreateInstance-specialuse-extension-debugging",
         "Attempting to enable extension VK_EXT_validation_features");
    warn("UNASSIGNED-BestPractices-vkCreateInstance-specialuse-extension-debugging",
         "Attempting to enable extension VK_EXT_debug_utils");
    warn("BestPractices-deprecated-extension",
         "Attempting to enable deprecated extension VK_EXT_calibrated_timestamps");
    EXPECT_EQ(validationMessageCount(), before);
    warn("BestPractices-vkCreateInstance-specialuse-extension-debugging",
         "Attempting to enable extension VK_EXT_debug_report");
    EXPECT_EQ(validationMessageCount(), before + 1);
    ASSERT_EQ(captured.messages.size(), 4U);
    EXPECT_EQ(captured.messages[0].first, logger::Level::eDebug);
}

TEST(ValidationMessages, StripsTheLayersPrefixFromPrintedText) {
    EXPECT_EQ(printedText("Validation Information: [ UNASSIGNED-DEBUG-PRINTF ] Object 0: handle = "
                          "0x1, type = VK_OBJECT_TYPE_DEVICE; | MessageID = 0x92394c89 | x is 3"),
              "x is 3");
    EXPECT_EQ(printedText("x | y"), "x | y");
    LogCapture captured;
    const uint64_t before = validationMessageCount();
    sendMessage(VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT,
                VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT, "UNASSIGNED-DEBUG-PRINTF",
                "a | MessageID = 0x92394c89 | b");
    EXPECT_EQ(validationMessageCount(), before);
    ASSERT_EQ(captured.messages.size(), 1U);
    EXPECT_EQ(captured.messages[0], std::make_pair(logger::Level::eInfo, std::string("b")));
}

} // namespace
} // namespace kp::vulkan::test
