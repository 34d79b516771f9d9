// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <kompute/launch/KernelLauncher.hpp>

namespace kp {

inline bool isMemory(const KernelArgument& argument) {
    return argument.kind == ArgumentKind::eBuffer || argument.kind == ArgumentKind::eImage;
}

/// Returns the argument with this index or, without an index, with this name; null if there is
/// none.
const KernelArgument* findArgument(const KernelSignature& signature,
                                   const std::optional<uint32_t>& index, const std::string& name);

/// The arguments of a kernel launcher: values that are known in advance, and parameters, whose
/// values come with each call.
class KernelArguments {
public:
    struct Parameter {
        std::string name;
        uint32_t index; ///< of the argument
    };

    /// @param launcher  must outlive this object
    KernelArguments(const KernelLauncher& launcher, Kernel kernel);

    // Set up in this order. Each throws InvalidArgument if something does not match the kernel.

    void addParameter(const std::string& name, uint32_t index);
    void set(const Arguments& given);
    /// Takes the memory and push constants of the algorithm that the kernel was made from.
    void setFromAlgorithm();
    /// @throws InvalidArgument if a value is missing
    void requireComplete() const;

    const std::vector<KernelArgument>& declared() const { return mKernel.signature().arguments(); }
    const std::vector<ArgumentValue>& values() const { return mValues; } ///< by index
    const std::vector<Parameter>& parameters() const { return mParameters; }
    /// Returns a text for messages: "argument 2 'dt' (float)".
    std::string describe(uint32_t index) const;

private:
    /// Returns the parameter that stands for an argument; null if there is none.
    const Parameter* parameterFor(uint32_t index) const;
    bool isGiven(uint32_t index) const;
    uint32_t indexOf(const Argument& argument) const;

    const KernelLauncher& mLauncher;
    const Kernel mKernel;
    std::vector<ArgumentValue> mValues;
    std::vector<Parameter> mParameters;
};

} // namespace kp
