// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <kompute/Algorithm.hpp>
#include <kompute/Core.hpp>

namespace kp {

/// A value of a tuning parameter.
using TuningValue = std::variant<int64_t, double, std::string>;

/// A value for each parameter of a kernel, in the order in which the parameters were added.
class KOMPUTE_API TuningConfiguration {
public:
    using Item = std::pair<std::string, TuningValue>;

    TuningConfiguration() = default;
    explicit TuningConfiguration(std::vector<Item> items) : mItems(std::move(items)) {}

    const std::vector<Item>& items() const { return mItems; }
    bool has(const std::string& name) const;
    /// @throws InvalidArgument where there is no such parameter, or its value is of another kind.
    ///         number() takes integers, too
    int64_t integer(const std::string& name) const;
    double number(const std::string& name) const;
    const std::string& text(const std::string& name) const;

    /// The parameters "local_size_x", "local_size_y" and "local_size_z"; 1 where there is none.
    Workgroup localSize() const;

    /// "local_size_x=64, unroll=4, variant=wide".
    std::string toString() const;

    bool operator==(const TuningConfiguration& other) const { return mItems == other.mItems; }
    bool operator!=(const TuningConfiguration& other) const { return mItems != other.mItems; }

private:
    const TuningValue* find(const std::string& name) const;

    std::vector<Item> mItems;
};

/// A compute shader with what may be chosen about it: its work-group size, specialization constants,
/// variants of it, and anything a factory makes of a configuration. Says nothing about the memory
/// it runs on. A plain description, to be filled before it is used; copies are independent.
///
/// Every function that adds something returns the kernel itself, and throws InvalidArgument for a
/// name that is taken, an empty list or a value twice.
class KOMPUTE_API TunableKernel {
public:
    /// Makes the SPIR-V of a configuration; may throw ShaderError, which leaves that one out.
    using Factory = std::function<std::vector<uint32_t>(const TuningConfiguration&)>;
    /// Makes the GLSL of a configuration; compiled for the device.
    using GlslFactory = std::function<std::string(const TuningConfiguration&)>;
    using Predicate = std::function<bool(const TuningConfiguration&)>;
    using WorkgroupRule = std::function<Workgroup(const TuningConfiguration&)>;

    /// @param name   names the kernel in messages and in the cache
    /// @param spirv  the shader; or use variant() or one of the factories
    /// @throws InvalidArgument for an empty name
    explicit TunableKernel(std::string name, std::vector<uint32_t> spirv = {});

    /// A number of whatever meaning, for factories, constraints and work-group rules.
    TunableKernel& parameter(const std::string& name, const std::vector<int64_t>& values);
    /// Same with floating-point numbers or texts.
    TunableKernel& parameter(const std::string& name, const std::vector<TuningValue>& values);

    /// A specialization constant. Integers go to integer, bool and floating-point constants,
    /// floating-point numbers to floating-point ones; the size is the constant's.
    /// @param id  its constant_id
    TunableKernel& specialization(uint32_t id, const std::string& name,
                                  const std::vector<int64_t>& values);
    TunableKernel& specialization(uint32_t id, const std::string& name,
                                  const std::vector<double>& values);
    /// A specialization constant that is the same in every configuration.
    TunableKernel& constant(const SpecializationConstant& constant);

    /// Work-group sizes, every x with every y with every z. Become parameters "local_size_x", and
    /// with more than the one value 1, "local_size_y" and "local_size_z". The shader has them as
    /// specialization constants (`layout(local_size_x_id = 0) in;`), or a factory writes them in.
    TunableKernel& localSize(const std::vector<int64_t>& x, const std::vector<int64_t>& y = {1},
                             const std::vector<int64_t>& z = {1});

    /// One of several shaders that do the same; becomes the parameter "variant" with @p name as its
    /// value. The variants share parameters, but each may lack specialization constants of others.
    TunableKernel& variant(const std::string& name, std::vector<uint32_t> spirv);

    /// The shader comes from a function.
    /// @param key  changes when the function does. With a key, times in the cache are looked up by
    ///             it, and known configurations are not compiled at all; without one, by the
    ///             SPIR-V that the function gives
    TunableKernel& factory(Factory factory, const std::string& key = {});
    TunableKernel& glslFactory(GlslFactory factory, const std::string& key = {});

    /// Configurations for which @p predicate is false are left out, before anything is compiled.
    /// What the device's limits do not allow is left out without being asked.
    TunableKernel& constraint(const std::string& description, Predicate predicate);

    /// Work groups of a configuration, where it is not the number of invocations divided by the
    /// local size: for shaders in which an invocation does the work of several.
    TunableKernel& workgroups(WorkgroupRule rule);

    const std::string& name() const { return mName; }
    /// Number of configurations before constraints and limits; saturates at UINT64_MAX.
    uint64_t configurationCount() const;

    struct Parameter {
        std::string name;
        std::vector<TuningValue> values;
        bool isSpecialization = false;
        uint32_t id = 0; ///< of the specialization constant
    };
    struct Variant {
        std::string name;
        std::vector<uint32_t> spirv;
    };
    struct Constraint {
        std::string description;
        Predicate predicate;
    };
    const std::vector<Parameter>& parameters() const { return mParameters; }
    const std::vector<Variant>& variants() const { return mVariants; }
    const std::vector<Constraint>& constraints() const { return mConstraints; }
    const std::vector<SpecializationConstant>& constants() const { return mConstants; }
    const std::vector<uint32_t>& spirv() const { return mSpirv; }
    const Factory& factoryFunction() const { return mFactory; }
    const GlslFactory& glslFactoryFunction() const { return mGlslFactory; }
    const std::string& factoryKey() const { return mFactoryKey; }
    const WorkgroupRule& workgroupRule() const { return mWorkgroups; }

private:
    TunableKernel& add(Parameter parameter);
    void requireNoShader(const char* what) const;

    std::string mName;
    std::vector<uint32_t> mSpirv;
    std::vector<Parameter> mParameters;
    std::vector<Variant> mVariants;
    std::vector<Constraint> mConstraints;
    std::vector<SpecializationConstant> mConstants;
    Factory mFactory;
    GlslFactory mGlslFactory;
    std::string mFactoryKey;
    WorkgroupRule mWorkgroups;
};

} // namespace kp
