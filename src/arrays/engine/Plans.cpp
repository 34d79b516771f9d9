// SPDX-License-Identifier: Apache-2.0
#include "arrays/engine/Plans.hpp"

#include <algorithm>
#include <cstring>

#include <kompute/Error.hpp>

#include "arrays/capture/CapturedLaunches.hpp"
#include "arrays/engine/KernelText.hpp"
#include "arrays/large/Blocks.hpp"
#include "arrays/memory/Home.hpp"
#include "base/Text.hpp"
#include "core/algorithm/AlgorithmImpl.hpp"
#include "core/manager/ManagerImpl.hpp"
#include "core/memory/MemoryImpl.hpp"

namespace kp::arrays {
namespace {

constexpr size_t kMostPlans = 4096;

/// Kernels with memory that are kept, in all and for each plan.
constexpr size_t kMostBound = 256;
constexpr size_t kMostBoundEach = 8;

/// Bytes of memory of others that a kernel with memory may keep.
constexpr uint64_t kMostOthersBytes = 1 << 18;

/// Work groups along x. Devices have at least 65,535.
constexpr uint64_t kRow = 32768;

Workgroup folded(uint64_t groups) {
    const uint64_t rows = (groups + kRow - 1) / kRow;
    const uint64_t columns = (groups + rows - 1) / rows;
    return {static_cast<uint32_t>(columns), static_cast<uint32_t>(rows), 1};
}

/// Returns true unless large memory would be kept that others have, and want to be freed.
bool mayKeep(const Signature& signature) {
    uint64_t bytes = 0;
    for (const std::shared_ptr<Storage>& each : signature.storages())
        bytes += each->isPooled() ? 0 : each->bytes();
    return bytes <= kMostOthersBytes;
}

} // namespace

Plans::~Plans() = default;

Plan* Plans::find(const Signature& signature) {
    const auto [begin, end] = mPlans.equal_range(signature.hash());
    for (auto each = begin; each != end; ++each)
        if (each->second->key == signature.words())
            return each->second.get();
    return nullptr;
}

Plan& Plans::add(const Signature& signature, std::string_view name, const KernelCode& program,
                 const Layout& layout, std::vector<uint32_t> header, std::string source,
                 uint64_t groups) {
    if (mPlans.size() >= kMostPlans) {
        dropBindings();
        mPlans.clear();
    }
    auto plan = std::make_unique<Plan>();
    plan->key = signature.words();
    plan->source = interned(source);
    plan->name = interned(name);
    plan->groups = groups;
    const auto& storages = signature.storages();
    for (const std::shared_ptr<Storage>& each : program.storages())
        plan->memory.push_back(
            static_cast<size_t>(std::ranges::find(storages, each) - storages.begin()));
    plan->parameters = std::move(header);
    plan->parameters.insert(plan->parameters.end(), layout.words.begin(), layout.words.end());
    const size_t first = plan->parameters.size();
    plan->parameters.insert(plan->parameters.end(), program.constants().begin(),
                            program.constants().end());
    for (const Node* const each : signature.constants())
        plan->numbers.push_back({first + program.constantAt(*each), numberType(each->dtype).words});
    return *mPlans.emplace(signature.hash(), std::move(plan))->second;
}

void Plans::launch(Plan& plan, const Signature& signature) {
    for (const size_t index : plan.memory) {
        const Storage& storage = *signature.storages()[index];
        if (storage.large())
            failTooLarge(storage);
    }
    for (size_t i = 0; i < plan.numbers.size(); ++i)
        std::copy_n(signature.constants()[i]->words.begin(), plan.numbers[i].words,
                    plan.parameters.begin() + static_cast<ptrdiff_t>(plan.numbers[i].position));
    if (CapturedLaunches* const capture = CapturedLaunches::of(mHome)) [[unlikely]] {
        Plan::Bound captured = bind(plan, signature);
        setParameters(captured);
        capture->add(captured.operation, captured.algorithm);
        return;
    }
    Plan::Bound& bound = bindingFor(plan, signature);
    if (!bound.operation || bound.parameters != plan.parameters)
        setParameters(bound);
    launchRepeated(mHome.queue(), bound.repeater, {bound.operation});
    if (!mayKeep(signature))
        drop(plan.bound.back());
}

void Plans::setParameters(Plan::Bound& bound) const {
    const std::vector<uint32_t>& parameters = bound.plan->parameters;
    const size_t pushed = std::min(parameters.size(), kPushedWords);
    if (pushed < parameters.size()) {
        // Recordings keep the binding with the old parameters.
        std::vector<std::shared_ptr<Memory>>& memory = implOf(*bound.algorithm).memObjects;
        memory.back() = blockOf(parameters);
        implOf(*bound.algorithm).bindMemory();
    }
    bound.operation = std::make_shared<OpAlgoDispatch>(bound.algorithm, parameters.data(),
                                                       pushed * sizeof(uint32_t));
    bound.parameters = parameters;
}

Plan::Bound& Plans::bindingFor(Plan& plan, const Signature& signature) {
    for (auto& each : plan.bound) {
        const auto same = [&](size_t i) {
            return each->memory[i] == signature.storages()[plan.memory[i]]->tensor().get();
        };
        size_t equal = 0;
        while (equal < plan.memory.size() && same(equal))
            ++equal;
        if (equal < plan.memory.size())
            continue;
        mBound.splice(mBound.end(), mBound, each);
        std::swap(each, plan.bound.back());
        return *plan.bound.back();
    }
    Plan::Bound made = bind(plan, signature);
    made.repeater = std::make_shared<Repeater>(implOf(*made.algorithm).device);
    if (plan.bound.size() >= kMostBoundEach)
        drop(plan.bound.front());
    if (mBound.size() >= kMostBound)
        drop(mBound.begin());
    mBound.push_back(std::move(made));
    plan.bound.push_back(std::prev(mBound.end()));
    countUses(mBound.back(), 1);
    return mBound.back();
}

Plan::Bound Plans::bind(Plan& plan, const Signature& signature) {
    Plan::Bound made;
    made.plan = &plan;
    std::vector<std::shared_ptr<Memory>> memory;
    for (const size_t index : plan.memory) {
        const std::shared_ptr<Tensor>& tensor = signature.storages()[index]->tensor();
        made.memory.push_back(tensor.get());
        memory.push_back(tensor);
    }
    if (plan.parameters.size() > kPushedWords)
        memory.push_back(blockOf(plan.parameters));
    if (!plan.kernel)
        plan.kernel = kernelOf({plan.source, signature.checks()}, memory);
    made.algorithm = cloneOf(*plan.kernel);
    Algorithm::Impl& impl = implOf(*made.algorithm);
    impl.name = std::shared_ptr<const std::string>(std::shared_ptr<void>(), plan.name);
    impl.memObjects = std::move(memory);
    impl.bindMemory();
    impl.setWorkgroup(folded(plan.groups));
    return made;
}

void Plans::drop(std::list<Plan::Bound>::iterator bound) {
    // Until the count is changed, fewer references are known than there are: none is overlooked.
    countUses(*bound, -1);
    std::erase(bound->plan->bound, bound);
    mBound.erase(bound);
}

void Plans::countUses(const Plan::Bound& bound, long change) {
    const std::lock_guard lock(mUsesMutex);
    for (const Tensor* const tensor : bound.memory) {
        long& uses = mUses[tensor];
        uses += change;
        if (uses == 0)
            mUses.erase(tensor);
    }
}

long Plans::usesOf(const Tensor& tensor) const {
    const std::lock_guard lock(mUsesMutex);
    const auto found = mUses.find(&tensor);
    return found == mUses.end() ? 0 : found->second;
}

std::shared_ptr<Algorithm> Plans::kernelOf(const KernelKey& key,
                                           const std::vector<std::shared_ptr<Memory>>& memory) {
    std::shared_ptr<Algorithm>& kernel = mKernels[key];
    if (!kernel) {
        const Manager& manager = mHome.manager();
        CompileOptions options;
        options.includes = IncludePolicy::eNone; // expressions include no files
        auto made = Internals::make<Algorithm>(implOf(manager).device);
        implOf(*made).managerQueue = implOf(manager).defaultQueue; // whose checks it has
        AlgorithmOptions build;
        build.emulateTypes = true;
        const VkPhysicalDeviceLimits& limits = implOf(manager).device->physical().properties.limits;
        if (limits.maxPerStageDescriptorStorageBuffers <= static_cast<uint32_t>(mHome.maxBuffers()))
            build.check = "off"; // kernels of arrays use all buffers, so none is left for reports
        made->rebuild(reinterpreted(memory), manager.compile(*key.first, options),
                      Workgroup{1, 1, 1}, {}, {}, build);
        implOf(*made).memObjects.clear();
        implOf(*made).binding.reset();
        kernel = std::move(made);
    }
    return kernel;
}

std::shared_ptr<Tensor> Plans::blockOf(const std::vector<uint32_t>& parameters) const {
    std::vector<uint32_t> words(parameters.begin() + kPushedWords, parameters.end());
    words.resize((words.size() + kBlockWords - 1) / kBlockWords * kBlockWords);
    auto tensor =
        mHome.manager().tensor(words.size(), sizeof(uint32_t), Memory::DataTypes::eUnsignedInt,
                               Memory::MemoryTypes::eStorage);
    const LaunchCapture::Pause pause; // nothing changes them
    tensor->upload(words);
    return tensor;
}

void Plans::dropBindings() noexcept {
    const std::lock_guard lock(engineLock());
    while (!mBound.empty())
        drop(mBound.begin());
}

void Plans::clear() noexcept {
    const std::lock_guard lock(engineLock());
    dropBindings();
    mPlans.clear();
    mKernels.clear();
}

} // namespace kp::arrays
