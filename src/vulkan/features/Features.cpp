// SPDX-License-Identifier: Apache-2.0
#include "vulkan/features/Features.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace kp::vulkan {
namespace {

constexpr size_t kAbsent = SIZE_MAX;

/// Where VkPhysicalDeviceFeatures begins in VkPhysicalDeviceFeatures2; 0 for structs of their own.
template <typename Struct>
constexpr size_t kBaseOf = 0;
template <>
constexpr size_t kBaseOf<VkPhysicalDeviceFeatures> = offsetof(VkPhysicalDeviceFeatures2, features);

/// A feature's member in a struct.
struct Place {
    VkStructureType sType;
    size_t size;   ///< of the struct
    size_t offset; ///< kAbsent if the struct lacks it
};

struct FeatureInfo {
    const char* name;
    const char* extension;
    uint32_t core;
    Place own;          ///< the feature's own struct
    Place collected[3]; ///< VkPhysicalDeviceVulkan11Features, 12, 13
};

#define KOMPUTE_COLLECTED(minor, member)                                                           \
    {                                                                                              \
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_##minor##_FEATURES,                             \
            sizeof(VkPhysicalDeviceVulkan1##minor##Features),                                      \
            []<typename Struct>(const Struct*) -> size_t {                                         \
                if constexpr (requires(Struct object) { object.member; })                          \
                    return offsetof(Struct, member);                                               \
                else                                                                               \
                    return kAbsent;                                                                \
            }(static_cast<const VkPhysicalDeviceVulkan1##minor##Features*>(nullptr))               \
    }

#define KOMPUTE_INFO(name, type, sType, member, extension, core)                                   \
    FeatureInfo{#member,                                                                           \
                extension,                                                                         \
                core,                                                                              \
                {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_##sType,                                        \
                 kBaseOf<VkPhysicalDevice##type> + sizeof(VkPhysicalDevice##type),                 \
                 kBaseOf<VkPhysicalDevice##type> + offsetof(VkPhysicalDevice##type, member)},      \
                {KOMPUTE_COLLECTED(1, member), KOMPUTE_COLLECTED(2, member),                       \
                 KOMPUTE_COLLECTED(3, member)}},

constexpr FeatureInfo kFeatures[] = {KOMPUTE_FEATURES(KOMPUTE_INFO)};
#undef KOMPUTE_INFO
#undef KOMPUTE_COLLECTED

/// Returns VkPhysicalDeviceVulkan11Features, 12 or 13 for its type; null for other types.
const Place* findCollection(VkStructureType sType) {
    for (const Place& place : kFeatures[0].collected)
        if (place.sType == sType)
            return &place;
    return nullptr;
}

const FeatureInfo& infoOf(Feature feature) {
    return kFeatures[static_cast<size_t>(feature)];
}

/// Returns the offset of the feature in a struct of this type, or kAbsent.
size_t offsetIn(const FeatureInfo& info, VkStructureType sType) {
    if (info.own.sType == sType)
        return info.own.offset;
    for (const Place& place : info.collected)
        if (place.sType == sType)
            return place.offset;
    return kAbsent;
}

VkBool32 load(const void* object, size_t offset) {
    VkBool32 value = VK_FALSE;
    std::memcpy(&value, static_cast<const std::byte*>(object) + offset, sizeof(value));
    return value;
}

void store(void* object, size_t offset, VkBool32 value) {
    std::memcpy(static_cast<std::byte*>(object) + offset, &value, sizeof(value));
}

/// Returns true if Vulkan forbids a struct of type @p sType beside the collection.
bool replaces(VkStructureType collection, VkStructureType sType) {
    return std::any_of(std::begin(kFeatures), std::end(kFeatures), [&](const FeatureInfo& info) {
        return info.own.sType == sType && sType != collection &&
               offsetIn(info, collection) != kAbsent;
    });
}

} // namespace

const char* nameOf(Feature feature) {
    return infoOf(feature).name;
}
std::optional<Feature> featureNamed(std::string_view name) {
    for (size_t i = 0; i < std::size(kFeatures); ++i)
        if (name == kFeatures[i].name)
            return static_cast<Feature>(i);
    return std::nullopt;
}
const char* extensionOf(Feature feature) {
    return infoOf(feature).extension;
}

bool known(Feature feature, uint32_t apiVersion, const std::vector<std::string>& extensions) {
    const FeatureInfo& info = infoOf(feature);
    if (info.core != 0 && apiVersion >= info.core)
        return true;
    return *info.extension != '\0' &&
           std::find(extensions.begin(), extensions.end(), info.extension) != extensions.end();
}

FeatureSet readFeatures(const void* chain) {
    FeatureSet set;
    const auto* object = static_cast<const VkBaseInStructure*>(chain);
    for (; object; object = object->pNext)
        for (size_t i = 0; i < std::size(kFeatures); ++i) {
            const size_t offset = offsetIn(kFeatures[i], object->sType);
            if (offset != kAbsent && load(object, offset) != VK_FALSE)
                set.set(i);
        }
    return set;
}

struct FeatureChain::Structs {
    struct Node {
        VkStructureType sType;
        size_t size;
        std::unique_ptr<uint64_t[]> memory; ///< zeroed, aligned for any struct of features

        explicit Node(const Place& info)
            : sType(info.sType), size(info.size),
              memory(std::make_unique<uint64_t[]>((info.size + sizeof(uint64_t) - 1) /
                                                  sizeof(uint64_t))) {
            static_assert(alignof(VkPhysicalDeviceFeatures2) <= alignof(uint64_t));
            base()->sType = sType;
        }
        VkBaseOutStructure* base() const {
            return reinterpret_cast<VkBaseOutStructure*>(memory.get());
        }
        bool empty() const {
            for (size_t offset = sizeof(VkBaseOutStructure); offset < size;
                 offset += sizeof(VkBool32))
                if (load(base(), offset) != VK_FALSE)
                    return false;
            return true;
        }
        void merge(const void* other) const {
            for (size_t offset = sizeof(VkBaseOutStructure); offset < size;
                 offset += sizeof(VkBool32))
                store(base(), offset, load(base(), offset) | load(other, offset));
        }
    };

    std::vector<Node> nodes; ///< the first is VkPhysicalDeviceFeatures2
    const void* tail = nullptr;
    bool headInTail = false;

    Node* find(VkStructureType sType) {
        for (Node& node : nodes)
            if (node.sType == sType)
                return &node;
        return nullptr;
    }
    void removeReplaced(VkStructureType collection) {
        std::erase_if(nodes, [&](const Node& node) { return replaces(collection, node.sType); });
    }
    void relink() {
        for (size_t i = 0; i + 1 < nodes.size(); ++i)
            nodes[i].base()->pNext = nodes[i + 1].base();
        nodes.back().base()->pNext =
            static_cast<VkBaseOutStructure*>(const_cast<void*>(tail)); // Vulkan only reads it
    }
    void write(size_t index, bool on) {
        for (Node& node : nodes) {
            const size_t offset = offsetIn(kFeatures[index], node.sType);
            if (offset != kAbsent)
                store(node.base(), offset, on ? VK_TRUE : VK_FALSE);
        }
    }
    void addCollection(const Place& collection, const void* callers) {
        const FeatureSet before = readFeatures(nodes.front().base());
        removeReplaced(collection.sType);
        nodes.emplace_back(collection).merge(callers);
        relink();
        for (size_t i = 0; i < before.size(); ++i)
            if (before.test(i))
                write(i, true);
    }
    /// @return false for a struct of unknown size, which cannot be copied
    bool mergeStruct(const VkBaseInStructure* callers) {
        if (const Node* present = find(callers->sType)) {
            present->merge(callers);
            return true;
        }
        if (const Place* collection = findCollection(callers->sType)) {
            addCollection(*collection, callers);
            return true;
        }
        bool isKnown = false;
        for (size_t i = 0; i < std::size(kFeatures); ++i) {
            const Place& own = kFeatures[i].own;
            if (own.sType != callers->sType)
                continue;
            isKnown = true;
            if (load(callers, own.offset) != VK_FALSE)
                write(i, true);
        }
        return isKnown;
    }
};

FeatureChain::FeatureChain(uint32_t apiVersion, const std::vector<std::string>& extensions)
    : mStructs(std::make_unique<Structs>()) {
    // The first features belong to VkPhysicalDeviceFeatures2, which every device knows.
    for (size_t i = 0; i < std::size(kFeatures); ++i)
        if (const Place& own = kFeatures[i].own;
            known(static_cast<Feature>(i), apiVersion, extensions) && !mStructs->find(own.sType))
            mStructs->nodes.emplace_back(own);
    mStructs->relink();
}

FeatureChain::~FeatureChain() = default;

VkPhysicalDeviceFeatures2* FeatureChain::head() {
    return reinterpret_cast<VkPhysicalDeviceFeatures2*>(mStructs->nodes.front().base());
}

const void* FeatureChain::link() const {
    const VkBaseOutStructure* first = mStructs->nodes.front().base();
    return mStructs->headInTail ? first->pNext : first;
}

void FeatureChain::append(const void* callerChain) {
    const auto* object = static_cast<const VkBaseInStructure*>(callerChain);
    while (object && mStructs->mergeStruct(object))
        object = object->pNext;
    mStructs->tail = object;
    for (; object; object = object->pNext) {
        if (object->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2) {
            mStructs->headInTail = true;
            continue;
        }
        mStructs->removeReplaced(object->sType);
        std::erase_if(mStructs->nodes,
                      [&](const auto& node) { return node.sType == object->sType; });
    }
    mStructs->relink();
}

FeatureSet FeatureChain::read() const {
    return readFeatures(link());
}

void FeatureChain::write(const FeatureSet& features) {
    for (size_t i = 0; i < features.size(); ++i)
        mStructs->write(i, features.test(i));
}

void FeatureChain::removeEmpty() {
    std::vector<Structs::Node>& nodes = mStructs->nodes;
    nodes.erase(std::remove_if(nodes.begin() + 1, nodes.end(),
                               [](const Structs::Node& node) { return node.empty(); }),
                nodes.end());
    mStructs->relink();
}

} // namespace kp::vulkan
