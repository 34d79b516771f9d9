// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <kompute/Algorithm.hpp>
#include <kompute/operations/OpAlgoDispatch.hpp>

#include "arrays/engine/KernelCode.hpp"
#include "arrays/engine/Signature.hpp"
#include "core/queue/Repeater.hpp"

namespace kp::arrays {

/// A kernel for expressions that are alike.
struct Plan {
    /// A kernel with its memory, ready to be launched again.
    struct Bound {
        Plan* plan = nullptr;
        std::vector<Tensor*> memory; ///< which the algorithm owns
        std::shared_ptr<Algorithm> algorithm;
        std::vector<uint32_t> parameters; ///< of the operation
        std::shared_ptr<OpBase> operation;
        std::shared_ptr<Repeater> repeater;
    };

    std::vector<uint64_t> key;
    const std::string* source = nullptr;
    const std::string* name = nullptr; ///< in profiles; interned()
    /// The bindings, as indices into the storages of the signature.
    std::vector<size_t> memory;
    /// All parameters, with the numbers of the first expression.
    std::vector<uint32_t> parameters;
    struct Number {
        size_t position;
        uint32_t words;
    };
    std::vector<Number> numbers;       ///< where the constants of the signature are among them
    uint64_t groups = 0;               ///< work groups
    std::shared_ptr<Algorithm> kernel; ///< without memory; null until the first launch
    std::vector<std::list<Bound>::iterator> bound;
};

/// The plans of a manager, and the launches of them. Callers have engineLock(), except for
/// usesOf().
class Plans {
public:
    explicit Plans(Home& home) : mHome(home) {}
    ~Plans();

    /// Returns the plan of expressions that are alike; null if there is none.
    Plan* find(const Signature& signature);
    /// Adds the plan of a signature.
    /// @param name    in profiles
    /// @param header  parameters before the program's
    Plan& add(const Signature& signature, std::string_view name, const KernelCode& program,
              const Layout& layout, std::vector<uint32_t> header, std::string source,
              uint64_t groups);
    /// Launches a plan with the memory and the numbers of a signature, and returns at once. An
    /// active capture gets an operation of its own instead.
    /// @throws Unsupported, OutOfMemory, DeviceLost, ShaderError
    void launch(Plan& plan, const Signature& signature);

    /// Returns how many references to a tensor the plans have. Any thread.
    long usesOf(const Tensor& tensor) const;
    /// Drops all memory.
    void dropBindings() noexcept;
    /// Drops everything.
    void clear() noexcept;

private:
    /// Binds a plan to the memory of a signature.
    Plan::Bound bind(Plan& plan, const Signature& signature);
    /// Gives the operation of a bound plan the parameters of the plan.
    void setParameters(Plan::Bound& bound) const;
    Plan::Bound& bindingFor(Plan& plan, const Signature& signature);
    void drop(std::list<Plan::Bound>::iterator bound);
    void countUses(const Plan::Bound& bound, long change);
    using KernelKey = std::pair<const std::string*, uint64_t>; ///< source and checks
    std::shared_ptr<Algorithm> kernelOf(const KernelKey& key,
                                        const std::vector<std::shared_ptr<Memory>>& memory);
    std::shared_ptr<Tensor> blockOf(const std::vector<uint32_t>& parameters) const;

    Home& mHome;
    std::unordered_multimap<uint64_t, std::unique_ptr<Plan>> mPlans; ///< by hash of the signature
    std::map<KernelKey, std::shared_ptr<Algorithm>> mKernels;
    std::list<Plan::Bound> mBound; ///< longest unused first

    mutable std::mutex mUsesMutex;
    std::unordered_map<const Tensor*, long> mUses;
};

} // namespace kp::arrays
