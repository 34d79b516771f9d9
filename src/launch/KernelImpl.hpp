// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include <kompute/launch/KernelLauncher.hpp>
#include <kompute/operations/OpAlgoDispatch.hpp>

#include "core/AlgorithmImpl.hpp"

namespace kp {

/// The bindings of one kernel that are in use. Launchers with the same memory share one, so that a
/// command buffer with all of them binds it once. Thread-safe.
class SharedBindings {
public:
    /// @return one in use that is equal, else @p binding
    std::shared_ptr<const Binding> shared(const std::shared_ptr<const Binding>& binding);

private:
    std::mutex mMutex;
    std::unordered_map<size_t, std::weak_ptr<const Binding>> mBindings; ///< by a hash
    size_t mMost = 64; ///< with more of them, those that are gone are taken out
};

/// A shader, or that of an algorithm. Never changed once made.
struct Kernel::Impl {
    std::shared_ptr<vulkan::Device> device;
    std::shared_ptr<const shader::Reflection> reflection;
    KernelSignature signature;
    std::vector<uint32_t> spirv;          ///< empty where it was made of an algorithm
    std::shared_ptr<Algorithm> algorithm; ///< a copy of its own of that algorithm, else null
    mutable SharedBindings bindings;
};

/// The arguments of a kernel launcher and the operations made of them. An operation and the
/// algorithm behind it are never changed once made, since recordings and launches that still wait
/// refer to them; something else is a new object.
struct KernelLauncher::Impl {
    Impl(const std::string& name, Kernel kernel, const KernelOptions& options);

    /// The pipeline for one set of specialization constants and local size.
    struct Variant {
        Workgroup localSize{};
        std::vector<SpecializationConstant> constants;
        std::shared_ptr<Algorithm> algorithm;
    };
    /// What the n-th operation of a call was made of. Plain launchers have one.
    struct Position {
        std::vector<ArgumentValue> values; ///< by index; empty before the first call
        WorkSize globalSize;
        Workgroup localSize{};
        bool padded = false;
        std::shared_ptr<Algorithm> algorithm;
        std::shared_ptr<OpAlgoDispatch> operation; ///< null where it is to be made anew
    };

    std::string name;
    Kernel kernel;
    KernelOptions options;
    std::vector<ArgumentValue> values;  ///< known arguments by index
    std::vector<ParameterPlace> places; ///< of parameters
    std::vector<Position> positions;
    std::vector<Variant> variants;
    // Of the operation at hand; kept for their capacity.
    std::vector<unsigned char> pushConstants;
    std::vector<const ArgumentValue*> newValues; ///< by place; null where nothing is new

    const std::vector<KernelArgument>& arguments() const { return kernel.signature().arguments(); }
    uint32_t indexOf(const Argument& argument) const;
    void setArguments(const KernelLauncher& launcher, const Arguments& given);
    void takeAlgorithmsOwn();
    void setPlaces(const std::vector<ParameterPlace>& given);
    void requireComplete() const;

    /// @throws InvalidArgument unless the kernel is of the queue's device
    void requireDevice(const Queue& queue) const;
    /// Makes or finds the operation for a call.
    /// @param iterated  values of parameters that take precedence over those of the call
    Position& prepare(const KernelLauncher& launcher, size_t position, const LaunchOptions& options,
                      const Parameters& iterated);

    std::string describe(uint32_t index) const;

private:
    WorkSize globalSizeOf(const LaunchOptions& call) const;
    Workgroup localSizeOf(const LaunchOptions& call) const;
    Workgroup groupsOf(const WorkSize& globalSize, const Workgroup& localSize) const;
    bool takeParameters(const KernelLauncher& launcher, Position& position,
                        const LaunchOptions& call, const Parameters& iterated);
    std::vector<std::shared_ptr<Memory>> memoryOf(const Position& position) const;
    std::vector<SpecializationConstant> constantsOf(const Position& position) const;
    void writePushConstants(const Position& position);
    std::shared_ptr<Algorithm> pipelineFor(const Position& position,
                                           const std::vector<std::shared_ptr<Memory>>& memory);
    /// True where the memory and pipeline of its algorithm are those of its values.
    bool boundAs(const Position& position) const;
    void build(Position& position);
};

} // namespace kp
