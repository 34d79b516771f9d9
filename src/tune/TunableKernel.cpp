// SPDX-License-Identifier: Apache-2.0
#include <kompute/launch/TunableKernel.hpp>

#include <algorithm>
#include <limits>

#include <kompute/Error.hpp>

#include "base/Text.hpp"

namespace kp {
namespace {

std::vector<TuningValue> toValues(const std::vector<int64_t>& values) {
    return {values.begin(), values.end()};
}

constexpr const char* kLocalSizeNames[] = {"local_size_x", "local_size_y", "local_size_z"};

[[noreturn]] void failOnType(const std::string& name, const char* expected,
                             const TuningConfiguration& configuration) {
    fail<InvalidArgument>("the parameter '{}' is not {} in the configuration {}", name, expected,
                          configuration.toString());
}

} // namespace

const TuningValue* TuningConfiguration::find(const std::string& name) const {
    const auto found = std::ranges::find(mItems, name, &Item::first);
    return found == mItems.end() ? nullptr : &found->second;
}

bool TuningConfiguration::has(const std::string& name) const {
    return find(name) != nullptr;
}

int64_t TuningConfiguration::integer(const std::string& name) const {
    if (const auto* integer = std::get_if<int64_t>(find(name)))
        return *integer;
    failOnType(name, "an integer", *this);
}

double TuningConfiguration::number(const std::string& name) const {
    if (const auto* number = std::get_if<double>(find(name)))
        return *number;
    if (const auto* integer = std::get_if<int64_t>(find(name)))
        return static_cast<double>(*integer);
    failOnType(name, "a number", *this);
}

const std::string& TuningConfiguration::text(const std::string& name) const {
    if (const auto* text = std::get_if<std::string>(find(name)))
        return *text;
    failOnType(name, "text", *this);
}

Workgroup TuningConfiguration::localSize() const {
    constexpr uint32_t kMax = std::numeric_limits<uint32_t>::max();
    Workgroup size{1, 1, 1};
    for (size_t i = 0; i < 3; ++i) {
        if (const auto* integer = std::get_if<int64_t>(find(kLocalSizeNames[i])))
            size[i] = *integer > 0 && *integer <= kMax ? static_cast<uint32_t>(*integer) : kMax;
    }
    return size;
}

std::string TuningConfiguration::toString() const {
    if (mItems.empty())
        return "(no parameters)";
    std::string text;
    for (const Item& item : mItems) {
        const char* const separator = text.empty() ? "" : ", ";
        std::visit(
            [&](const auto& value) { text += formatted("{}{}={}", separator, item.first, value); },
            item.second);
    }
    return text;
}

TunableKernel::TunableKernel(std::string name, std::vector<uint32_t> spirv)
    : mName(std::move(name)), mSpirv(std::move(spirv)) {
    if (mName.empty())
        fail<InvalidArgument>("a tunable kernel needs a name, by which the cache identifies it");
}

TunableKernel& TunableKernel::add(Parameter parameter) {
    const std::string& name = parameter.name;
    const std::string what = formatted("the tuning parameter '{}' of kernel '{}'", name, mName);
    if (name.empty())
        fail<InvalidArgument>("a tuning parameter of kernel '{}' has no name", mName);
    if (parameter.values.empty())
        fail<InvalidArgument>("{} has no values", what);
    for (const Parameter& other : mParameters) {
        if (other.name == name)
            fail<InvalidArgument>("{} exists already", what);
        if (other.isSpecialization && parameter.isSpecialization && other.id == parameter.id) {
            fail<InvalidArgument>("{} has the same constant_id {} as parameter '{}'", what,
                                  other.id, other.name);
        }
    }
    const auto first = parameter.values.begin();
    for (auto value = first; value != parameter.values.end(); ++value) {
        if (std::find(first, value, *value) != value)
            fail<InvalidArgument>("{} has a value twice, at index {}", what, value - first);
    }
    mParameters.push_back(std::move(parameter));
    return *this;
}

TunableKernel& TunableKernel::parameter(const std::string& name,
                                        const std::vector<int64_t>& values) {
    return add({name, toValues(values), false, 0});
}

TunableKernel& TunableKernel::parameter(const std::string& name,
                                        const std::vector<TuningValue>& values) {
    return add({name, values, false, 0});
}

TunableKernel& TunableKernel::specialization(uint32_t id, const std::string& name,
                                             const std::vector<int64_t>& values) {
    return add({name, toValues(values), true, id});
}

TunableKernel& TunableKernel::specialization(uint32_t id, const std::string& name,
                                             const std::vector<double>& values) {
    return add({name, {values.begin(), values.end()}, true, id});
}

TunableKernel& TunableKernel::constant(const SpecializationConstant& constant) {
    for (const SpecializationConstant& other : mConstants) {
        if (other.id == constant.id)
            fail<InvalidArgument>("kernel '{}' has the constant_id {} twice", mName, constant.id);
    }
    mConstants.push_back(constant);
    return *this;
}

TunableKernel& TunableKernel::localSize(const std::vector<int64_t>& x,
                                        const std::vector<int64_t>& y,
                                        const std::vector<int64_t>& z) {
    const std::vector<int64_t>* const sizes[] = {&x, &y, &z};
    for (size_t i = 0; i < 3; ++i) {
        for (const int64_t size : *sizes[i]) {
            if (size < 1) {
                fail<InvalidArgument>("{} of kernel '{}' is {}; it must be 1 or more",
                                      kLocalSizeNames[i], mName, size);
            }
        }
        if (i == 0 || sizes[i]->size() != 1 || sizes[i]->front() != 1)
            add({kLocalSizeNames[i], toValues(*sizes[i]), false, 0});
    }
    return *this;
}

void TunableKernel::requireNoShader(const char* what) const {
    if (!mSpirv.empty() || mFactory || mGlslFactory || !mVariants.empty()) {
        fail<InvalidArgument>("{} was given to kernel '{}', which has a shader of another kind "
                              "already",
                              what, mName);
    }
}

TunableKernel& TunableKernel::variant(const std::string& name, std::vector<uint32_t> spirv) {
    if (mVariants.empty()) {
        requireNoShader("a variant");
        add({"variant", {name}, false, 0});
    } else {
        auto& values = std::ranges::find(mParameters, "variant", &Parameter::name)->values;
        if (std::ranges::find(values, TuningValue(name)) != values.end())
            fail<InvalidArgument>("kernel '{}' has the variant '{}' already", mName, name);
        values.push_back(name);
    }
    mVariants.push_back({name, std::move(spirv)});
    return *this;
}

TunableKernel& TunableKernel::factory(Factory factory, const std::string& key) {
    requireNoShader("a factory");
    mFactory = std::move(factory);
    mFactoryKey = key;
    return *this;
}

TunableKernel& TunableKernel::glslFactory(GlslFactory factory, const std::string& key) {
    requireNoShader("a GLSL factory");
    mGlslFactory = std::move(factory);
    mFactoryKey = key;
    return *this;
}

TunableKernel& TunableKernel::constraint(const std::string& description, Predicate predicate) {
    if (!predicate) {
        fail<InvalidArgument>("the constraint '{}' of kernel '{}' has no function", description,
                              mName);
    }
    mConstraints.push_back({description, std::move(predicate)});
    return *this;
}

TunableKernel& TunableKernel::workgroups(WorkgroupRule rule) {
    mWorkgroups = std::move(rule);
    return *this;
}

uint64_t TunableKernel::configurationCount() const {
    uint64_t count = 1;
    for (const Parameter& parameter : mParameters) {
        const uint64_t values = parameter.values.size();
        if (count > std::numeric_limits<uint64_t>::max() / values)
            return std::numeric_limits<uint64_t>::max();
        count *= values;
    }
    return count;
}

} // namespace kp
