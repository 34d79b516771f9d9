// SPDX-License-Identifier: Apache-2.0
#include "vulkan/profiles/DeviceProfile.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <utility>

#include <kompute/Error.hpp>
#include <nlohmann/json.hpp>

#include "base/Text.hpp"
#include "vulkan/profiles/ApplyProfile.hpp"

namespace kp::vulkan {
namespace {

using Json = nlohmann::json;

template <typename Value>
using Names = std::vector<std::pair<const char*, Value>>;

const Names<VkPhysicalDeviceType>& typeNames() {
    static const Names<VkPhysicalDeviceType> names = {
        {"integrated", VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU},
        {"discrete", VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU},
        {"virtual", VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU},
        {"cpu", VK_PHYSICAL_DEVICE_TYPE_CPU}};
    return names;
}

const Names<uint32_t>& operationTable() {
    static const Names<uint32_t> names = {
        {"basic", VK_SUBGROUP_FEATURE_BASIC_BIT},
        {"vote", VK_SUBGROUP_FEATURE_VOTE_BIT},
        {"arithmetic", VK_SUBGROUP_FEATURE_ARITHMETIC_BIT},
        {"ballot", VK_SUBGROUP_FEATURE_BALLOT_BIT},
        {"shuffle", VK_SUBGROUP_FEATURE_SHUFFLE_BIT},
        {"shuffleRelative", VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT},
        {"clustered", VK_SUBGROUP_FEATURE_CLUSTERED_BIT},
        {"quad", VK_SUBGROUP_FEATURE_QUAD_BIT}};
    return names;
}

const Names<uint32_t>& memoryFlagTable() {
    static const Names<uint32_t> names = {{"deviceLocal", VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT},
                                          {"hostVisible", VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT},
                                          {"hostCoherent", VK_MEMORY_PROPERTY_HOST_COHERENT_BIT},
                                          {"hostCached", VK_MEMORY_PROPERTY_HOST_CACHED_BIT}};
    return names;
}

std::vector<std::string> namesOf(const Names<uint32_t>& table, uint32_t flags) {
    std::vector<std::string> names;
    for (const auto& [name, flag] : table)
        if (flags & flag)
            names.emplace_back(name);
    return names;
}

/// Reads one profile. Every entry is taken once; entries left at the end are unknown.
class Reader {
public:
    Reader(std::string_view text, const std::string& name) : mName(name) {
        try {
            mRoot = Json::parse(text);
        } catch (const Json::parse_error& error) {
            refuse(formatted("is not valid JSON: there is an error at byte {}", error.byte));
        } catch (const Json::exception&) {
            refuse("is not valid JSON: a number is out of range");
        }
        if (!mRoot.is_object())
            refuse("is not a JSON object");
    }

    std::shared_ptr<const DeviceProfile> read() {
        DeviceProfile profile;
        profile.name = mName;
        profile.device = text(take(mRoot, "device"), "device");
        const Json sources = take(mRoot, "sources");
        if (!sources.is_array() || sources.empty())
            refuse("has no list 'sources'; say where its values come from");
        profile.apiVersion = versionOf(text(take(mRoot, "apiVersion"), "apiVersion"));
        profile.type = oneOf(typeNames(), take(mRoot, "type"), "type");
        profile.vendorId = number32(take(mRoot, "vendorId"), "vendorId");
        readSubgroup(take(mRoot, "subgroup"), profile);
        readLimits(take(mRoot, "limits"), profile);
        if (mRoot.contains("timestamps"))
            profile.timestamps = flag(take(mRoot, "timestamps"), "timestamps");
        if (mRoot.contains("memory"))
            readMemory(take(mRoot, "memory"), profile.memory);
        for (const std::string& name : texts(take(mRoot, "features"), "features")) {
            const auto feature = featureNamed(name);
            if (!feature)
                refuse(formatted("lists '{}', which is not a feature that the library uses", name));
            enable(profile.features, *feature);
        }
        profile.extensions = texts(take(mRoot, "extensions"), "extensions");
        std::sort(profile.extensions.begin(), profile.extensions.end());
        requireEmpty(mRoot, "");
        return std::make_shared<const DeviceProfile>(std::move(profile));
    }

private:
    [[noreturn]] void refuse(const std::string& reason) const {
        fail<InvalidArgument>("the device profile '{}' {}", mName, reason);
    }

    Json take(Json& from, const char* key) const {
        const auto found = from.find(key);
        if (found == from.end())
            refuse(formatted("has no entry '{}'", key));
        Json value = *found;
        from.erase(found);
        return value;
    }
    void requireEmpty(const Json& left, const std::string& in) const {
        if (!left.empty())
            refuse(formatted("has an unknown entry '{}{}'", in, left.begin().key()));
    }
    std::string text(const Json& json, const char* key) const {
        if (!json.is_string())
            refuse(formatted("has a value of '{}' that is not text", key));
        return json.get<std::string>();
    }
    std::vector<std::string> texts(const Json& json, const char* key) const {
        std::vector<std::string> list;
        if (!json.is_array())
            refuse(formatted("has a value of '{}' that is not a list", key));
        for (const Json& each : json)
            list.push_back(text(each, key));
        return list;
    }
    bool flag(const Json& json, const char* key) const {
        if (!json.is_boolean())
            refuse(formatted("has a value of '{}' that is neither true nor false", key));
        return json.get<bool>();
    }
    uint64_t number(const Json& json, const std::string& key) const {
        if (!json.is_number_unsigned())
            refuse(formatted("has a value of '{}' that is not a whole number from 0 on", key));
        return json.get<uint64_t>();
    }
    uint32_t number32(const Json& json, const std::string& key) const {
        const uint64_t value = number(json, key);
        if (value > UINT32_MAX)
            refuse(formatted("has {} for '{}', which is over 4294967295", value, key));
        return static_cast<uint32_t>(value);
    }
    template <typename Value>
    Value oneOf(const Names<Value>& names, const Json& json, const char* key) const {
        const std::string given = text(json, key);
        std::vector<std::string> known;
        for (const auto& [name, value] : names) {
            if (given == name)
                return value;
            known.emplace_back(name);
        }
        refuse(formatted("has '{}' for '{}'; known are {}", given, key, join(known)));
    }
    uint32_t flags(const Names<uint32_t>& names, const Json& json, const char* key) const {
        uint32_t value = 0;
        if (!json.is_array())
            refuse(formatted("has a value of '{}' that is not a list", key));
        for (const Json& each : json)
            value |= oneOf(names, each, key);
        return value;
    }
    uint32_t versionOf(const std::string& version) const {
        for (uint32_t minor = 1; minor <= 4; ++minor)
            if (version == formatted("1.{}", minor))
                return VK_MAKE_API_VERSION(0, 1, minor, 0);
        refuse(formatted("has the Vulkan version '{}'; known are 1.1 to 1.4", version));
    }

    void readSubgroup(Json json, DeviceProfile& profile) const {
        profile.minSubgroupSize = number32(take(json, "minSize"), "minSize");
        profile.maxSubgroupSize = number32(take(json, "maxSize"), "maxSize");
        profile.requiresSubgroupSizes = flag(take(json, "required"), "required");
        profile.maxComputeWorkgroupSubgroups =
            number32(take(json, "maxPerWorkgroup"), "maxPerWorkgroup");
        profile.subgroupOperations =
            flags(operationTable(), take(json, "operations"), "operations");
        if (json.contains("emulated")) {
            const uint32_t lanes = number32(take(json, "emulated"), "emulated");
            if (!std::has_single_bit(lanes) || lanes < profile.minSubgroupSize ||
                lanes > profile.maxSubgroupSize)
                refuse(formatted("emulates subgroups of {}, but it has powers of two from {} to {}",
                                 lanes, profile.minSubgroupSize, profile.maxSubgroupSize));
            profile.emulatedSubgroupSize = lanes;
        }
        requireEmpty(json, "subgroup.");
    }

    void readLimits(const Json& json, DeviceProfile& profile) const {
        if (!json.is_object())
            refuse("has a value of 'limits' that is not an object");
        for (const auto& [name, value] : json.items()) {
            const size_t dimensions = dimensionsOfLimit(name);
            if (dimensions == 0)
                refuse(formatted("has a limit '{}', which the library does not know", name));
            DeviceProfile::Limit limit{name, {}};
            if (!value.is_array())
                limit.values.push_back(number(value, name));
            else
                for (const Json& each : value)
                    limit.values.push_back(number(each, name));
            if (limit.values.size() != dimensions)
                refuse(formatted("has {} for the limit '{}', which has {}",
                                 counted(limit.values.size(), "number"), name, dimensions));
            profile.limits.push_back(std::move(limit));
        }
    }

    void readMemory(Json json, VkPhysicalDeviceMemoryProperties& memory) const {
        const Json heaps = take(json, "heaps");
        const Json types = take(json, "types");
        requireEmpty(json, "memory.");
        if (!heaps.is_array() || heaps.size() > VK_MAX_MEMORY_HEAPS || !types.is_array() ||
            types.size() > VK_MAX_MEMORY_TYPES)
            refuse("has a value of 'memory' with no list, or too long a one, of heaps and types");
        for (Json heap : heaps) {
            VkMemoryHeap& made = memory.memoryHeaps[memory.memoryHeapCount++];
            made.size = number(take(heap, "bytes"), "bytes");
            if (flag(take(heap, "deviceLocal"), "deviceLocal"))
                made.flags = VK_MEMORY_HEAP_DEVICE_LOCAL_BIT;
            requireEmpty(heap, "memory.heaps.");
        }
        for (Json type : types) {
            VkMemoryType& made = memory.memoryTypes[memory.memoryTypeCount++];
            made.heapIndex = number32(take(type, "heap"), "heap");
            made.propertyFlags = flags(memoryFlagTable(), take(type, "flags"), "flags");
            requireEmpty(type, "memory.types.");
            if (made.heapIndex >= memory.memoryHeapCount)
                refuse(formatted("has a memory type in heap {}, which does not exist",
                                 made.heapIndex));
        }
    }

    const std::string& mName;
    Json mRoot;
};

} // namespace

std::vector<std::string> subgroupOperationNames(VkSubgroupFeatureFlags operations) {
    return namesOf(operationTable(), operations);
}

std::vector<std::string> memoryFlagNames(VkMemoryPropertyFlags flags) {
    return namesOf(memoryFlagTable(), flags);
}

std::shared_ptr<const DeviceProfile> parseProfile(std::string_view text, const std::string& name) {
    return Reader(text, name).read();
}

} // namespace kp::vulkan
