// SPDX-License-Identifier: Apache-2.0
#include "vulkan/device/Features.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace kp::vulkan {
namespace {

// clang-format off
#define KOMPUTE_FEATURE_STRUCTS(X)                                                                                                        \
    X(VkPhysicalDevice16BitStorageFeatures, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES)                                     \
    X(VkPhysicalDeviceVariablePointersFeatures, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VARIABLE_POINTERS_FEATURES)                             \
    X(VkPhysicalDevice8BitStorageFeatures, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES)                                       \
    X(VkPhysicalDeviceShaderFloat16Int8Features, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES)                          \
    X(VkPhysicalDeviceShaderAtomicInt64Features, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_INT64_FEATURES)                          \
    X(VkPhysicalDeviceScalarBlockLayoutFeatures, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SCALAR_BLOCK_LAYOUT_FEATURES)                          \
    X(VkPhysicalDeviceVulkanMemoryModelFeatures, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES)                          \
    X(VkPhysicalDeviceBufferDeviceAddressFeatures, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES)                      \
    X(VkPhysicalDeviceTimelineSemaphoreFeatures, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES)                           \
    X(VkPhysicalDeviceHostQueryResetFeatures, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_QUERY_RESET_FEATURES)                                \
    X(VkPhysicalDeviceShaderSubgroupExtendedTypesFeatures, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SUBGROUP_EXTENDED_TYPES_FEATURES)     \
    X(VkPhysicalDeviceSynchronization2Features, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SYNCHRONIZATION_2_FEATURES)                             \
    X(VkPhysicalDeviceSubgroupSizeControlFeatures, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES)                      \
    X(VkPhysicalDeviceShaderIntegerDotProductFeatures, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES)             \
    X(VkPhysicalDeviceZeroInitializeWorkgroupMemoryFeatures, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ZERO_INITIALIZE_WORKGROUP_MEMORY_FEATURES) \
    X(VkPhysicalDeviceMaintenance4Features, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_FEATURES)                                     \
    X(VkPhysicalDeviceShaderAtomicFloatFeaturesEXT, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT)                   \
    X(VkPhysicalDeviceShaderClockFeaturesKHR, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR)                                \
    X(VkPhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_FEATURES_KHR) \
    X(VkPhysicalDeviceShaderSubgroupUniformControlFlowFeaturesKHR, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_FEATURES_KHR) \
    X(VkPhysicalDeviceFaultFeaturesEXT, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FAULT_FEATURES_EXT)                                             \
    KOMPUTE_FEATURE_STRUCTS_COOPERATIVE_MATRIX(X)
// clang-format on

#ifdef VK_KHR_cooperative_matrix
#define KOMPUTE_FEATURE_STRUCTS_COOPERATIVE_MATRIX(X)                                              \
    X(VkPhysicalDeviceCooperativeMatrixFeaturesKHR,                                                \
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR)
#else
#define KOMPUTE_FEATURE_STRUCTS_COOPERATIVE_MATRIX(X)
#endif

constexpr size_t kAbsent = SIZE_MAX;

template <typename Struct>
constexpr VkStructureType kTypeOf = VK_STRUCTURE_TYPE_MAX_ENUM;
template <>
constexpr VkStructureType kTypeOf<VkPhysicalDeviceFeatures> =
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
#define KOMPUTE_TYPE_OF(type, sType)                                                               \
    template <>                                                                                    \
    constexpr VkStructureType kTypeOf<type> = sType;
KOMPUTE_FEATURE_STRUCTS(KOMPUTE_TYPE_OF)
#undef KOMPUTE_TYPE_OF

template <typename Struct>
constexpr size_t kBaseOf = 0;
template <>
constexpr size_t kBaseOf<VkPhysicalDeviceFeatures> = offsetof(VkPhysicalDeviceFeatures2, features);

/// Where a Vulkan struct stores a feature.
struct Place {
    VkStructureType sType;
    size_t offset; ///< kAbsent if the struct lacks it
};

struct FeatureInfo {
    const char* name;
    const char* extension;
    uint32_t core;
    Place own;          ///< the feature's own struct
    Place collected[3]; ///< VkPhysicalDeviceVulkan11Features, 12, 13
};

#define KOMPUTE_OFFSET_IN(collection, member)                                                      \
    []<typename Struct>(const Struct*) -> size_t {                                                 \
        if constexpr (requires(Struct object) { object.member; })                                  \
            return offsetof(Struct, member);                                                       \
        else                                                                                       \
            return kAbsent;                                                                        \
    }(static_cast<const collection*>(nullptr))

#define KOMPUTE_INFO(name, type, member, extension, core)                                          \
    FeatureInfo{#member,                                                                           \
                extension,                                                                         \
                core,                                                                              \
                {kTypeOf<type>, kBaseOf<type> + offsetof(type, member)},                           \
                {{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,                           \
                  KOMPUTE_OFFSET_IN(VkPhysicalDeviceVulkan11Features, member)},                    \
                 {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,                           \
                  KOMPUTE_OFFSET_IN(VkPhysicalDeviceVulkan12Features, member)},                    \
                 {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,                           \
                  KOMPUTE_OFFSET_IN(VkPhysicalDeviceVulkan13Features, member)}}},

constexpr FeatureInfo kFeatures[] = {KOMPUTE_FEATURES(KOMPUTE_INFO)};
#undef KOMPUTE_INFO
#undef KOMPUTE_OFFSET_IN

struct StructInfo {
    VkStructureType sType;
    size_t size;
};

constexpr StructInfo kStructs[] = {
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, sizeof(VkPhysicalDeviceFeatures2)},
#define KOMPUTE_STRUCT(type, sType) {sType, sizeof(type)},
    KOMPUTE_FEATURE_STRUCTS(KOMPUTE_STRUCT)
#undef KOMPUTE_STRUCT
};

constexpr StructInfo kCollections[] = {
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
     sizeof(VkPhysicalDeviceVulkan11Features)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
     sizeof(VkPhysicalDeviceVulkan12Features)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
     sizeof(VkPhysicalDeviceVulkan13Features)},
};

template <size_t count>
const StructInfo* findStruct(const StructInfo (&structs)[count], VkStructureType sType) {
    const auto* end = structs + count;
    const auto* found = std::find_if(
        structs, end, [&](const StructInfo& candidate) { return candidate.sType == sType; });
    return found == end ? nullptr : found;
}

const FeatureInfo& infoOf(Feature feature) {
    return kFeatures[static_cast<size_t>(feature)];
}

bool contains(const std::vector<std::string>& list, const char* text) {
    return std::find(list.begin(), list.end(), text) != list.end();
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

const VkBaseInStructure* asStruct(const void* chain) {
    return static_cast<const VkBaseInStructure*>(chain);
}

} // namespace

static_assert(std::size(kFeatures) == static_cast<size_t>(Feature::eCount));
#define KOMPUTE_CHECK_TYPE(name, type, member, extension, core)                                    \
    static_assert(kTypeOf<type> != VK_STRUCTURE_TYPE_MAX_ENUM, "no sType for " #type);
KOMPUTE_FEATURES(KOMPUTE_CHECK_TYPE)
#undef KOMPUTE_CHECK_TYPE

const char* nameOf(Feature feature) {
    return infoOf(feature).name;
}
const char* extensionOf(Feature feature) {
    return infoOf(feature).extension;
}

bool known(Feature feature, uint32_t apiVersion, const std::vector<std::string>& extensions) {
    const FeatureInfo& info = infoOf(feature);
    if (info.core != 0 && apiVersion >= info.core)
        return true;
    return *info.extension != '\0' && contains(extensions, info.extension);
}

FeatureSet readFeatures(const void* chain) {
    FeatureSet set;
    for (const auto* object = asStruct(chain); object; object = object->pNext)
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

        explicit Node(const StructInfo& info)
            : sType(info.sType), size(info.size),
              memory(std::make_unique<uint64_t[]>((info.size + sizeof(uint64_t) - 1) /
                                                  sizeof(uint64_t))) {
            static_assert(alignof(VkPhysicalDeviceFeatures2) <= alignof(uint64_t));
            base()->sType = sType;
        }
        VkBaseOutStructure* base() const {
            return reinterpret_cast<VkBaseOutStructure*>(memory.get());
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
    void mergeCollection(const StructInfo& info, const void* callers) {
        if (Node* present = find(info.sType)) {
            present->merge(callers);
            return;
        }
        const FeatureSet before = readFeatures(nodes.front().base());
        removeReplaced(info.sType);
        nodes.emplace_back(info).merge(callers);
        relink();
        for (size_t i = 0; i < before.size(); ++i)
            if (before.test(i))
                write(i, true);
    }
    /// @return false for a struct of unknown size, which cannot be copied
    bool mergeStruct(const VkBaseInStructure* callers) {
        if (const StructInfo* collection = findStruct(kCollections, callers->sType)) {
            mergeCollection(*collection, callers);
            return true;
        }
        if (!findStruct(kStructs, callers->sType))
            return false;
        if (const Node* own = find(callers->sType)) {
            own->merge(callers);
            return true;
        }
        for (size_t i = 0; i < std::size(kFeatures); ++i)
            if (kFeatures[i].own.sType == callers->sType &&
                load(callers, kFeatures[i].own.offset) != VK_FALSE)
                write(i, true);
        return true;
    }
};

FeatureChain::FeatureChain(uint32_t apiVersion, const std::vector<std::string>& extensions)
    : mStructs(std::make_unique<Structs>()) {
    mStructs->nodes.emplace_back(kStructs[0]);
    for (const StructInfo& info : kStructs) {
        if (mStructs->find(info.sType))
            continue;
        for (size_t i = 0; i < std::size(kFeatures); ++i)
            if (kFeatures[i].own.sType == info.sType &&
                known(static_cast<Feature>(i), apiVersion, extensions)) {
                mStructs->nodes.emplace_back(info);
                break;
            }
    }
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
    const auto* object = asStruct(callerChain);
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

} // namespace kp::vulkan
