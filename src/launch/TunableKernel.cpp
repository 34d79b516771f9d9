// SPDX-License-Identifier: Apache-2.0
#include <kompute/launch/TunableKernel.hpp>

#include <algorithm>
#include <limits>

#include <kompute/Error.hpp>

namespace kp {
namespace {

std::vector<TuningValue> toValues(const std::vector<int64_t>& values) {
    return {values.begin(), values.end()};
}

} // namespace

TunableKernel::TunableKernel(std::string name, std::vector<uint32_t> spirv)
    : mName(std::move(name)), mSpirv(std::move(spirv)) {
    if (mName.empty())
        throw InvalidArgument("a tunable kernel needs a name: the cache knows it by that");
}

TunableKernel& TunableKernel::add(Parameter parameter) {
    const std::string& name = parameter.name;
    const std::string what = "the tuning parameter '" + name + "' of kernel '" + mName + "'";
    if (name.empty())
        throw InvalidArgument("a tuning parameter of kernel '" + mName + "' has no name");
    if (parameter.values.empty())
        throw InvalidArgument(what + " has no values");
    for (const Parameter& other : mParameters) {
        if (other.name == name)
            throw InvalidArgument(what + " exists already");
        if (other.isSpecialization && parameter.isSpecialization && other.id == parameter.id)
            throw InvalidArgument(what + " has the constant_id " + std::to_string(other.id) +
                                  " of parameter '" + other.name + "'");
    }
    for (size_t i = 1; i < parameter.values.size(); ++i)
        if (std::find(parameter.values.begin(), parameter.values.begin() + static_cast<long>(i),
                      parameter.values[i]) != parameter.values.begin() + static_cast<long>(i))
            throw InvalidArgument(what + " has a value twice, at place " + std::to_string(i));
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
    for (const SpecializationConstant& other : mConstants)
        if (other.id == constant.id)
            throw InvalidArgument("kernel '" + mName + "' has the constant_id " +
                                  std::to_string(constant.id) + " twice");
    mConstants.push_back(constant);
    return *this;
}

TunableKernel& TunableKernel::localSize(const std::vector<int64_t>& x,
                                        const std::vector<int64_t>& y,
                                        const std::vector<int64_t>& z) {
    const std::vector<int64_t>* const sizes[] = {&x, &y, &z};
    const char* const names[] = {"local_size_x", "local_size_y", "local_size_z"};
    for (size_t i = 0; i < 3; ++i) {
        for (const int64_t size : *sizes[i])
            if (size < 1)
                throw InvalidArgument("a work-group size of kernel '" + mName + "' is " +
                                      std::to_string(size) + " in " + names[i]);
        const bool needed = i == 0 || sizes[i]->size() != 1 || sizes[i]->front() != 1;
        if (needed)
            add({names[i], toValues(*sizes[i]), false, 0});
    }
    return *this;
}

void TunableKernel::requireNoShader(const char* what) const {
    if (!mSpirv.empty() || mFactory || mGlslFactory || !mVariants.empty())
        throw InvalidArgument(std::string(what) + " was given to kernel '" + mName +
                              "', which has a shader of another kind already");
}

TunableKernel& TunableKernel::variant(const std::string& name, std::vector<uint32_t> spirv) {
    if (mVariants.empty()) {
        requireNoShader("a variant");
        add({"variant", {name}, false, 0});
    } else {
        for (Parameter& parameter : mParameters) {
            if (parameter.name != "variant")
                continue;
            if (std::find(parameter.values.begin(), parameter.values.end(), TuningValue(name)) !=
                parameter.values.end())
                throw InvalidArgument("kernel '" + mName + "' has the variant '" + name +
                                      "' already");
            parameter.values.push_back(name);
        }
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
    if (!predicate)
        throw InvalidArgument("the constraint '" + description + "' of kernel '" + mName +
                              "' has no function");
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
