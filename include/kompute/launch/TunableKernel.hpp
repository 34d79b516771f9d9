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

/// One value for each parameter of a kernel, in the order in which the parameters were added.
class KOMPUTE_API TuningConfiguration {
public:
    using Item = std::pair<std::string, TuningValue>;

    TuningConfiguration() = default;
    explicit TuningConfiguration(std::vector<Item> items) : mItems(std::move(items)) {}

    const std::vector<Item>& items() const { return mItems; }
    bool has(const std::string& name) const;
    /// Returns the value of a parameter. number() also accepts integers.
    /// @throws InvalidArgument if there is no such parameter, or its value has another type
    int64_t integer(const std::string& name) const;
    double number(const std::string& name) const;
    const std::string& text(const std::string& name) const;

    /// Returns the parameters "local_size_x", "local_size_y" and "local_size_z", which default
    /// to 1.
    Workgroup localSize() const;

    /// Returns a text such as "local_size_x=64, unroll=4, variant=wide".
    std::string toString() const;

    bool operator==(const TuningConfiguration& other) const { return mItems == other.mItems; }
    bool operator!=(const TuningConfiguration& other) const { return mItems != other.mItems; }

private:
    const TuningValue* find(const std::string& name) const;

    std::vector<Item> mItems;
};

/// A compute shader together with its tuning parameters: work group sizes, specialization
/// constants, variants, and anything that a factory derives from a configuration. Independent of
/// the memory that the shader runs on. A plain description: complete it before use; copies are
/// independent.
///
///     kp::TunableKernel kernel("saxpy", kp::compileFile("saxpy.comp"));
///     kernel.localSize({32, 64, 128, 256}).specialization(1, "unroll", std::vector<int64_t>{1, 2,
///     4});
///
/// Functions that add something return the kernel itself. They throw InvalidArgument for a name
/// that is already used, an empty list or a repeated value.
class KOMPUTE_API TunableKernel {
public:
    /// Returns the SPIR-V of a configuration. May throw ShaderError to exclude the configuration.
    using Factory = std::function<std::vector<uint32_t>(const TuningConfiguration&)>;
    /// Returns the GLSL of a configuration, which is compiled for the device.
    using GlslFactory = std::function<std::string(const TuningConfiguration&)>;
    using Predicate = std::function<bool(const TuningConfiguration&)>;
    using WorkgroupRule = std::function<Workgroup(const TuningConfiguration&)>;

    /// @param name   name in messages and in the cache
    /// @param spirv  the shader; alternatively use variant() or a factory
    /// @throws InvalidArgument if the name is empty
    explicit TunableKernel(std::string name, std::vector<uint32_t> spirv = {});

    /// Adds a number for use in factories, constraints and work group rules.
    TunableKernel& parameter(const std::string& name, const std::vector<int64_t>& values);
    /// Adds a parameter with floating-point numbers or texts as values.
    TunableKernel& parameter(const std::string& name, const std::vector<TuningValue>& values);

    /// Adds a specialization constant. Integer values suit integer, bool and floating-point
    /// constants; floating-point values suit floating-point constants. The shader determines the
    /// size.
    /// @param id  its constant_id
    TunableKernel& specialization(uint32_t id, const std::string& name,
                                  const std::vector<int64_t>& values);
    TunableKernel& specialization(uint32_t id, const std::string& name,
                                  const std::vector<double>& values);
    /// Sets a specialization constant to the same value in every configuration.
    TunableKernel& constant(const SpecializationConstant& constant);

    /// Adds work group sizes: all combinations of x, y and z. They become the parameter
    /// "local_size_x" and, unless their only value is 1, "local_size_y" and "local_size_z". The
    /// shader declares them as specialization constants (`layout(local_size_x_id = 0) in;`), or a
    /// factory inserts them.
    TunableKernel& localSize(const std::vector<int64_t>& x, const std::vector<int64_t>& y = {1},
                             const std::vector<int64_t>& z = {1});

    /// Adds one of several equivalent shaders. They form the parameter "variant" with the names as
    /// values. Variants share the other parameters but need not declare all specialization
    /// constants.
    TunableKernel& variant(const std::string& name, std::vector<uint32_t> spirv);

    /// Sets a function as the source of the shader.
    /// @param key  a text to change with the function. With a key, the cache is searched by it, and
    ///             known configurations are not compiled at all. Without one, the cache is searched
    ///             by the resulting SPIR-V
    TunableKernel& factory(Factory factory, const std::string& key = {});
    TunableKernel& glslFactory(GlslFactory factory, const std::string& key = {});

    /// Excludes configurations for which @p predicate returns false, before anything is compiled.
    /// Configurations that exceed the device's limits are always excluded.
    TunableKernel& constraint(const std::string& description, Predicate predicate);

    /// Sets the work group counts of a configuration. The default divides the number of invocations
    /// by the local size. For shaders in which one invocation does the work of several.
    TunableKernel& workgroups(WorkgroupRule rule);

    const std::string& name() const { return mName; }
    /// Returns the number of configurations before constraints and limits; UINT64_MAX if there are
    /// more.
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
