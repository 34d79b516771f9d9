// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <kompute/Kompute.hpp>

#include "proof/MemoryModel.hpp"
#include "proof/Random.hpp"
#include "proof/RandomKernels.hpp"

namespace kp::proof {

/// A random program on a few tensors and an image, and a model of all their memory.
///
/// Steps record sequences that run concurrently (dispatches, also indirect ones, copies, fills,
/// syncs, and saved programs of these), evaluate them once or several times, use host views,
/// replace memory that is still in use, and launch graphs of kernels, copies, lists and host
/// functions on several queues, ordered by events.
class RandomProgram {
public:
    /// @param random  decides everything
    /// @param trace   receives a line for each operation and evaluation; may be null
    RandomProgram(kp::Manager& manager, Random random, std::string* trace = nullptr);

    void run(uint32_t steps);
    /// @throws std::runtime_error if memory differs from the model
    void expectEqualToModel();

private:
    using Effects = std::vector<std::function<void()>>;

    /// A sequence and the effects of its next evaluation.
    struct Recorded {
        std::shared_ptr<kp::Sequence> sequence;
        Effects before;                                 ///< on the host, before the submission
        std::vector<std::pair<MemoryModel*, Use>> uses; ///< first uses, in this order
        Effects during;                                 ///< on the device

        void use(MemoryModel& model, Use how);
    };
    /// The arguments of a random dispatch.
    struct Choice {
        const RandomKernel* kernel;
        std::vector<MemoryModel*> models;
        RandomKernel::Push push;
        uint32_t groups;

        std::vector<std::shared_ptr<kp::Memory>> memory() const;
        std::function<void()> effect() const;
    };

    /// Names of memory with a host mirror end with an m.
    std::string nameOf(const MemoryModel& model) const;
    std::string describe(const Choice& choice) const;
    void note(const std::string& what);

    MemoryModel makeModel(bool image, kp::Memory::MemoryTypes type);
    MemoryModel& anyModel(bool image);
    MemoryModel& anyModel(); ///< a tensor if mTensorsOnly
    Choice choose();

    void recordAndEvaluate();
    void record(Recorded& to);
    void recordDispatch(Recorded& to);
    void recordIndirect(Recorded& to);
    void recordCopy(Recorded& to);
    void recordFill(Recorded& to);
    void recordSyncDevice(Recorded& to);
    void recordSyncLocal(Recorded& to);
    void recordSaved(Recorded& to);

    void evaluate(Recorded& recorded);
    /// The model's part of an evaluation.
    static void apply(Recorded& recorded);
    void evaluateTogether();
    void awaitAll();
    void useHostView();
    void replaceMemory();
    void runGraph();

    kp::Manager& mManager;
    Random mRandom;
    std::string* mTrace;
    std::vector<Recorded> mSequences;
    std::vector<std::unique_ptr<MemoryModel>> mModels; ///< tensors, then an image
    std::shared_ptr<kp::Tensor> mGroupCounts;
    bool mTensorsOnly = false;
    kp::Event mLast; ///< of some earlier evaluation
};

} // namespace kp::proof
