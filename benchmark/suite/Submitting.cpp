// SPDX-License-Identifier: Apache-2.0
//
// Rows about submitting and waiting: the overhead of an evaluation over its device time.
#include <string>

#include "Increments.hpp"

namespace kp::benchmark {
namespace {

void evaluate(Suite& suite, Row& row, kp::WaitPolicy policy) {
    std::unique_ptr<kp::Manager> other;
    if (policy != suite.options().wait) {
        kp::ManagerOptions options;
        options.waitPolicy = policy;
        other = std::make_unique<kp::Manager>(options);
    }
    kp::Manager& manager = other ? *other : suite.manager();
    const auto initial = randomWords(kElements);
    KomputeIncrements kompute(manager, suite.increment(), 1, initial);
    kompute.record(1, true);
    RawIncrements raw(manager, suite.waitMode(policy), suite.increment(), 1, initial);
    raw.record(1, true);
    RawIncrements bare(manager, suite.waitMode(policy), suite.increment(), 1, initial);
    bare.record(1, true, false);
    row.side("kompute", [&] { kompute.sequence->eval(); });
    row.side("raw", [&] { raw.run(); });
    row.side("raw without barrier", [&] { bare.run(); });
    std::unique_ptr<Cuda::Increments> cuda;
    if (suite.cuda()) {
        cuda = suite.cuda()->increments(1, initial);
        row.side("cuda", [&] { cuda->launch(1, true); });
    }
    if (policy == suite.options().wait) {
        row.target("raw", 1.05, 1.03);
        row.target("cuda", 1.6);
    }
    row.note("CUDA: kernel launch and cudaStreamSynchronize");
    suite.measure(row);
    kompute.verify(row.calls("kompute"));
    raw.verify(row.calls("raw"));
    bare.verify(row.calls("raw without barrier"));
    if (cuda)
        requireIncrements(initial, cuda->read(0), row.calls("cuda"), "cuda");
}

void temporarySequence(Suite& suite, Row& row) {
    const auto initial = randomWords(kElements);
    KomputeIncrements temporary(suite.manager(), suite.increment(), 1, initial);
    KomputeIncrements recorded(suite.manager(), suite.increment(), 1, initial);
    recorded.record(1, true);
    RawIncrements raw(suite.manager(), suite.waitMode(), suite.increment(), 1, initial);
    row.side("kompute", [&] {
        suite.manager().sequence()->record<kp::OpAlgoDispatch>(temporary.algorithms[0])->eval();
    });
    row.side("recorded", [&] { recorded.sequence->eval(); });
    row.side("raw", [&] {
        raw.record(1, true);
        raw.run();
    });
    row.target("recorded", 1.3, 1.1);
    row.note(
        "manager.sequence()->record<OpAlgoDispatch>(a)->eval(); raw: recorded again each time");
    suite.measure(row);
    temporary.verify(row.calls("kompute"));
    recorded.verify(row.calls("recorded"), "recorded");
    raw.verify(row.calls("raw"));
}

/// 100 or 1,000 dispatches in one command buffer.
void dispatches(Suite& suite, Row& row, size_t count, bool dependent) {
    const size_t buffers = dependent ? 1 : count;
    const auto initial = randomWords(kElements);
    KomputeIncrements kompute(suite.manager(), suite.increment(), buffers, initial);
    kompute.record(count, dependent);
    RawIncrements raw(suite.manager(), suite.waitMode(), suite.increment(), buffers, initial);
    raw.record(count, dependent);
    row.side("kompute", [&] { kompute.sequence->eval(); });
    row.side("raw", [&] { raw.run(); });
    std::unique_ptr<Cuda::Increments> graph, chain;
    if (suite.cuda()) {
        graph = suite.cuda()->increments(buffers, initial);
        graph->makeGraph(count, dependent);
        row.side("cuda", [&] { graph->launchGraph(); });
        chain = suite.cuda()->increments(buffers, initial);
        row.side("cuda launches", [&] { chain->launch(count, dependent); });
    }
    if (!dependent && count == 100)
        row.target("cuda", 0.6);
    row.target("raw", count == 1000 && dependent ? 1.05 : 0, count == 100 ? 1.03 : 0);
    row.note(dependent ? "CUDA: a graph that is a chain of kernel nodes"
                       : "CUDA: a graph of kernel nodes without edges");
    suite.measure(row);
    const uint64_t each = dependent ? count : 1;
    kompute.verify(row.calls("kompute") * each);
    raw.verify(row.calls("raw") * each);
    for (size_t i = 0; graph && i < buffers; ++i) {
        requireIncrements(initial, graph->read(i), row.calls("cuda") * each, "cuda");
        requireIncrements(initial, chain->read(i), row.calls("cuda launches") * each,
                          "cuda launches");
    }
}

/// Chains of dependent dispatches, recorded one chain after the other.
void chains(Suite& suite, Row& row, size_t count, size_t links) {
    const auto initial = randomWords(kElements);
    const auto record = [&](KomputeIncrements& increments) {
        increments.sequence->begin();
        for (const auto& algorithm : increments.algorithms)
            for (size_t link = 0; link < links; ++link)
                increments.sequence->record<kp::OpAlgoDispatch>(algorithm);
        increments.sequence->end();
    };
    KomputeIncrements kompute(suite.manager(), suite.increment(), count, initial);
    record(kompute);
    kp::ManagerOptions options;
    options.waitPolicy = suite.options().wait;
    options.reorder = false;
    kp::Manager manager(options);
    KomputeIncrements asGiven(manager, suite.increment(), count, initial);
    record(asGiven);
    const double items = static_cast<double>(count * links);
    row.side(
        "kompute", [&] { kompute.sequence->eval(); }, items);
    row.side(
        "order as given", [&] { asGiven.sequence->eval(); }, items);
    row.target("order as given", 0.3);
    suite.measure(row);
    kompute.verify(row.calls("kompute") * links);
    asGiven.verify(row.calls("order as given") * links, "order as given");
}

/// A sequence of dependent dispatches with and without timestamps.
void timedDispatches(Suite& suite, Row& row, size_t count) {
    if (!suite.device().timestamps)
        throw Skip{"the device has no timestamps"};
    const auto initial = randomWords(kElements);
    KomputeIncrements timed(suite.manager(), suite.increment(), 1, initial);
    timed.sequence = suite.manager().sequence(0, static_cast<uint32_t>(count));
    timed.record(count, true);
    KomputeIncrements plain(suite.manager(), suite.increment(), 1, initial);
    plain.record(count, true);
    row.side("kompute", [&] { timed.sequence->eval(); });
    row.side("not timed", [&] { plain.sequence->eval(); });
    row.target("not timed", 1.05);
    suite.measure(row);
    timed.verify(row.calls("kompute") * count);
    plain.verify(row.calls("not timed") * count, "not timed");
}

/// Many sequences, submitted one by one or together, then one wait.
void sequences(Suite& suite, Row& row, size_t count, bool together) {
    const auto initial = randomWords(kElements);
    kp::Manager& manager = suite.manager();
    KomputeIncrements kompute(manager, suite.increment(), count, initial);
    std::vector<std::shared_ptr<kp::Sequence>> list;
    for (const auto& algorithm : kompute.algorithms) {
        list.push_back(manager.sequence());
        list.back()->record<kp::OpAlgoDispatch>(algorithm)->end();
    }
    RawIncrements raw(manager, suite.waitMode(), suite.increment(), count, initial);
    const auto commands = raw.recordEach(count);
    std::vector<VkCommandBuffer> handles;
    for (const auto& each : commands)
        handles.push_back(each->handle());
    const double items = static_cast<double>(count);
    row.side(
        "kompute",
        [&] {
            if (together) {
                kp::evalAll(list);
                return;
            }
            for (const auto& sequence : list)
                sequence->evalAsync();
            for (const auto& sequence : list)
                sequence->evalAwait();
        },
        items);
    row.side(
        "raw",
        [&] {
            uint64_t last = 0;
            if (together)
                last = raw.queue.submit(handles);
            else
                for (const VkCommandBuffer& handle : handles)
                    last = raw.queue.submit({&handle, 1});
            raw.queue.wait(last);
        },
        items);
    std::unique_ptr<Cuda::Increments> cuda;
    if (suite.cuda()) {
        cuda = suite.cuda()->increments(count, initial);
        row.side(
            "cuda", [&] { cuda->launch(count, false); }, items);
    }
    row.note("CUDA: as many launches, then one synchronization");
    suite.measure(row);
    kompute.verify(row.calls("kompute"));
    raw.verify(row.calls("raw"));
    for (size_t i = 0; cuda && i < count; ++i)
        requireIncrements(initial, cuda->read(i), row.calls("cuda"), "cuda");
}

} // namespace

void addSubmitting(Suite& suite) {
    suite.add("submit/eval", "eval of one recorded dispatch",
              [](Suite& s, Row& row) { evaluate(s, row, s.options().wait); });
    suite.add("submit/eval_spin", "eval, wait policy spin",
              [](Suite& s, Row& row) { evaluate(s, row, kp::WaitPolicy::eSpin); });
    suite.add("submit/eval_block", "eval, wait policy block",
              [](Suite& s, Row& row) { evaluate(s, row, kp::WaitPolicy::eBlock); });
    suite.add("submit/throw_away", "throw-away sequence", temporarySequence);
    for (const size_t count : {100, 1000})
        for (const bool dependent : {false, true}) {
            const std::string kind = dependent ? "dependent" : "independent";
            suite.add("submit/" + kind + "_" + std::to_string(count),
                      std::to_string(count) + " " + kind + " dispatches",
                      [=](Suite& s, Row& row) { dispatches(s, row, count, dependent); });
        }
    suite.add("submit/timed_100", "100 dependent dispatches with timestamps",
              [](Suite& s, Row& row) { timedDispatches(s, row, 100); });
    suite.add("submit/chains_8x125", "8 chains of 125 dispatches, one after the other, each",
              [](Suite& s, Row& row) { chains(s, row, 8, 125); });
    suite.add("submit/sequences_64", "64 sequences submitted, each",
              [](Suite& s, Row& row) { sequences(s, row, 64, false); });
    suite.add("submit/together_64", "64 sequences in one evalAll, each",
              [](Suite& s, Row& row) { sequences(s, row, 64, true); });
}

} // namespace kp::benchmark
