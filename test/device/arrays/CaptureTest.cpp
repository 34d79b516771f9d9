// SPDX-License-Identifier: Apache-2.0
//
// Functions that are traced once and replayed.
#include <array>
#include <atomic>
#include <random>
#include <stdexcept>
#include <thread>

#include <kompute/Launch.hpp>
#include <kompute/arrays/Capture.hpp>

#include "ArraySupport.hpp"
#include "device/CallCounter.hpp"

namespace kp::test {
namespace {

using Arrays = std::vector<Array>;

class CaptureTest : public ArrayTest {
protected:
    Array row(std::vector<float> values) { return of(values); }
};

TEST_F(CaptureTest, ComputesWhatTheFunctionComputes) {
    int calls = 0;
    const CapturedFunction step = capture([&](const Arrays& in) {
        ++calls;
        const Array s = sin(in[0]) * 2 + in[1];
        return Arrays{s, sum(s * s), concat({in[0], s})};
    });
    for (int i = 0; i < 6; ++i) {
        const Array u = row({1.0f * static_cast<float>(i), 2, 3, 4});
        const Array v = row({5, 6, 7, 8.5f * static_cast<float>(i)});
        const Arrays found = step({u, v});
        const Array s = sin(u) * 2 + v;
        expectRow<float>(found[0], s.vector<float>());
        EXPECT_EQ(found[1].item<float>(), sum(s * s).item<float>());
        expectRow<float>(found[2], concat({u, s}).vector<float>());
    }
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(step.traces(), 1u);
}

TEST_F(CaptureTest, KeepsTheResultsOfEarlierCalls) {
    const CapturedFunction twice = capture([](const Arrays& in) { return Arrays{in[0] * 2}; });
    std::vector<Array> found;
    for (int i = 0; i < 20; ++i)
        found.push_back(twice({row({static_cast<float>(i), 1})})[0]);
    for (int i = 0; i < 20; ++i)
        expectRow<float>(found[static_cast<size_t>(i)], {2.0f * static_cast<float>(i), 2});
}

TEST_F(CaptureTest, SubmitsWhatItHasRecordedInALoop) {
    const CapturedFunction step = capture([](const Arrays& in) {
        return Arrays{in[0] + in[1], in[0] - in[1]};
    });
    Arrays state{row({1, 2, 3}), row({0.5f, 0.25f, 0})};
    for (int i = 0; i < 8; ++i) {
        state = step(state);
        state[0].vector<float>();
    }
    const CallCounter counter(manager);
    for (int i = 0; i < 10; ++i) {
        state = step(state);
        manager.defaultQueue()->finish();
    }
    EXPECT_EQ(counter.of("vkBeginCommandBuffer"), 0u);
    EXPECT_EQ(counter.submits(), 10u);
}

TEST_F(CaptureTest, TracesAgainForOtherArguments) {
    const CapturedFunction f = capture([](const Arrays& in) { return Arrays{in[0] + 1}; });
    expectRow<float>(f({row({1, 2})})[0], {2, 3});
    expectRow<float>(f({row({1, 2, 3})})[0], {2, 3, 4});
    expectRow<int32_t>(f({of(std::vector<int32_t>{4})})[0], {5});
    const Array table = counting({3, 4});
    EXPECT_EQ(f({table(1)})[0].vector<float>(), (table(1) + 1).vector<float>());
    EXPECT_EQ(f({table(2)})[0].vector<float>(), (table(2) + 1).vector<float>());
    expectRow<float>(f({row({5, 6})})[0], {6, 7});
    EXPECT_EQ(f.traces(), 5u);
}

TEST_F(CaptureTest, ChangesArgumentsInPlace) {
    const CapturedFunction f = capture([](const Arrays& in) {
        in[0].assign(in[0] * 2 + in[1]);
        in[0](0).assign(7);
        return Arrays{in[0], in[0](Slice(1, 3))};
    });
    Array u = row({1, 2, 3});
    const Array before = u + 0; // an expression that keeps the values
    const Array v = row({1, 1, 1});
    for (int i = 0; i < 4; ++i) {
        const std::vector<float> old = u.vector<float>();
        const Arrays found = f({u, v});
        expectRow<float>(u, {7, old[1] * 2 + 1, old[2] * 2 + 1});
        EXPECT_EQ(found[0].vector<float>(), u.vector<float>());
        EXPECT_EQ(found[1].vector<float>(),
                  (std::vector<float>{u.vector<float>()[1], u.vector<float>()[2]}));
        found[1].assign(0);
        expectRow<float>(u, {7, 0, 0});
    }
    expectRow<float>(before, {1, 2, 3});
}

TEST_F(CaptureTest, TellsArgumentsThatShareMemory) {
    const CapturedFunction f = capture([](const Arrays& in) {
        const Array kept = in[1] + 0;
        in[0].assign(in[1] + 1);
        return Arrays{kept + in[1]};
    });
    const Array u = row({1, 2});
    expectRow<float>(f({u, u})[0], {3, 5});
    expectRow<float>(u, {2, 3});
    const Array v = row({10, 20});
    expectRow<float>(f({u, v})[0], {20, 40});
    expectRow<float>(u, {11, 21});
    expectRow<float>(f({u, u})[0], {23, 43});
    EXPECT_EQ(f.traces(), 2u);
}

TEST_F(CaptureTest, SeesOtherArraysAsTheyAreAtEachCall) {
    Array weights = row({1, 2});
    const Array lazy = weights * 10; // is computed before the trace
    Array total = zeros({2}, DType::eFloat32, &manager).copy();
    const CapturedFunction f = capture([&](const Arrays& in) {
        total.assign(total + in[0]);
        return Arrays{in[0] * weights + lazy};
    });
    expectRow<float>(f({row({1, 1})})[0], {11, 22});
    weights.assign(3);
    expectRow<float>(f({row({1, 1})})[0], {13, 23});
    expectRow<float>(total, {2, 2});
    const Array seen = total + 0;
    f({row({5, 5})});
    expectRow<float>(total, {7, 7});
    expectRow<float>(seen, {2, 2});
    // The function writes to an array that it is given, too.
    expectRow<float>(f({total})[0], {52, 62});
    expectRow<float>(total, {14, 14});
}

TEST_F(CaptureTest, BeginsWithItsOwnNumbersEachTime) {
    const CapturedFunction f = capture([&](const Arrays& in) {
        const Array start = row({1, 2, 3});
        start.assign(start + in[0]);
        const Array more = row({10, 20, 30});
        return Arrays{start * 2, more + start};
    });
    for (int i = 0; i < 3; ++i) {
        const Arrays found = f({row({1, 1, 1})});
        expectRow<float>(found[0], {4, 6, 8});
        expectRow<float>(found[1], {12, 23, 34});
    }
}

TEST_F(CaptureTest, ReplaysPrimitives) {
    const CapturedFunction f = capture([](const Arrays& in) {
        return Arrays{sort(in[0]), cumsum(in[0]), matmul(in[1], in[0]), max(in[0])};
    });
    for (int i = 0; i < 4; ++i) {
        const Array x = row({3, 1.0f * static_cast<float>(i), 2});
        const Array a = counting({3, 3}) + i;
        const Arrays found = f({x, a.copy()});
        EXPECT_EQ(found[0].vector<float>(), sort(x).vector<float>());
        EXPECT_EQ(found[1].vector<float>(), cumsum(x).vector<float>());
        EXPECT_EQ(found[2].vector<float>(), matmul(a, x).vector<float>());
        EXPECT_EQ(found[3].item<float>(), max(x).item<float>());
    }
}

TEST_F(CaptureTest, LaunchesLaunchersOfTensors) {
    auto counter = manager.tensorT<uint32_t>({0});
    manager.sequence()->eval<OpSyncDevice>({counter});
    const auto launcher =
        std::make_shared<KernelLauncher>("count", Kernel(manager, addShader(2)), Arguments{counter},
                                         KernelOptions{.globalSize = WorkSize{1}});
    const CapturedFunction f = capture([&](const Arrays& in) {
        (*launcher)();
        return Arrays{in[0] + 1};
    });
    for (int i = 0; i < 4; ++i)
        f({row({1, 2})});
    (*launcher)();
    manager.sequence()->eval<OpSyncLocal>({counter});
    EXPECT_EQ(counter->vector(), std::vector<uint32_t>{10});
    Event event = manager.queue()->launch(std::make_shared<OpSyncLocal>(MemoryObjects({counter})));
    const CapturedFunction waits = capture([&](const Arrays& in) {
        (*launcher)({.waitFor = {event}});
        return Arrays{in[0] + 1};
    });
    EXPECT_ERROR(InvalidArgument, "waits for events", waits({row({1})}));
}

TEST_F(CaptureTest, RefusesWhatNeedsTheHost) {
    const auto refuses = [&](ArrayFunction function, const char* message) {
        const CapturedFunction f = capture(std::move(function));
        EXPECT_ERROR(InvalidArgument, message, f({row({1, 2})}));
    };
    refuses([](const Arrays& in) { return Arrays{in[0] * sum(in[0]).item<float>()}; },
            "cannot be captured");
    refuses([](const Arrays& in) { return Arrays{compress(greater(in[0], 1), in[0])}; },
            "cannot be captured");
    refuses([](const Arrays& in) { return Arrays{take(in[0], in[0].astype(DType::eInt32))}; },
            "an array of indices");
    refuses(
        [](const Arrays& in) {
            static_cast<void>(in[0].tensor());
            return Arrays{in[0]};
        },
        "cannot be captured");
    // Caught, it is not forgotten.
    refuses(
        [](const Arrays& in) {
            try {
                in[0](0).item<float>();
            } catch (const Error&) {
            }
            return Arrays{in[0]};
        },
        "cannot be captured");
    // Afterwards, nothing is captured.
    EXPECT_EQ(sum(row({1, 2})).item<float>(), 3);
}

TEST_F(CaptureTest, RefusesArraysThatOutliveIt) {
    Array kept;
    const CapturedFunction f = capture([&](const Arrays& in) {
        kept = in[0] + 1;
        return Arrays{kept * 2};
    });
    EXPECT_ERROR(InvalidArgument, "keeps an array", f({row({1, 2})}));
    const CapturedFunction g = capture([&](const Arrays& in) {
        kept = (in[0] + 1).evaluate();
        return Arrays{kept * 2};
    });
    EXPECT_ERROR(InvalidArgument, "keeps an array", g({row({1, 2})}));
}

TEST_F(CaptureTest, PassesExceptionsOfTheFunction) {
    bool fails = true;
    const CapturedFunction f = capture([&](const Arrays& in) {
        const Array y = in[0] * 3;
        if (fails)
            throw std::runtime_error("no");
        return Arrays{y};
    });
    EXPECT_THROW(f({row({1})}), std::runtime_error);
    fails = false;
    expectRow<float>(f({row({2})})[0], {6});
}

TEST_F(CaptureTest, IsAPartOfAnotherOne) {
    const CapturedFunction inner = capture([](const Arrays& in) { return Arrays{in[0] * in[0]}; });
    const CapturedFunction outer =
        capture([&](const Arrays& in) { return Arrays{inner({in[0] + 1})[0] - in[0]}; });
    expectRow<float>(outer({row({1, 2})})[0], {3, 7});
    expectRow<float>(outer({row({3, 4})})[0], {13, 21});
}

TEST_F(CaptureTest, RunsInSeveralThreads) {
    const CapturedFunction f =
        capture([](const Arrays& in) { return Arrays{sqrt(in[0]) + in[1]}; });
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            for (int i = 0; i < 30; ++i) {
                const auto value = static_cast<float>(t * 100 + i);
                const Array found = f({row({value * value, 4}), row({1, value})})[0];
                if (found.vector<float>() != std::vector<float>{value + 1, value + 2})
                    ++wrong;
            }
        });
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_EQ(wrong, 0);
}

TEST_F(CaptureTest, RunsRandomProgramsAsWithoutIt) {
    for (unsigned seed = 0; seed < 60; ++seed) {
        // The same choices at each call.
        const auto program = [seed](const Arrays& in) {
            std::mt19937 random(seed);
            const auto below = [&](size_t count) { return static_cast<size_t>(random() % count); };
            Arrays known = in;
            for (size_t length = 2 + below(10); length > 0; --length) {
                const Array& a = known[below(known.size())];
                const Array& b = known[below(known.size())];
                switch (below(8)) {
                case 0:
                    known.push_back(a + b);
                    break;
                case 1:
                    known.push_back(a * 0.5f - b);
                    break;
                case 2:
                    known.push_back(flip(a, 0));
                    break;
                case 3:
                    a.assign(b + 1);
                    break;
                case 4:
                    a(Slice(1, 4)).assign(b(Slice(0, 3)));
                    break;
                case 5:
                    known.push_back(sum(a) + b);
                    break;
                case 6:
                    known.push_back(cumsum(a).evaluate());
                    break;
                default:
                    known.push_back((a - b).copy());
                }
            }
            return Arrays{known.back(), known[below(known.size())], known[known.size() / 2]};
        };
        const CapturedFunction captured = capture(program);
        for (int call = 0; call < 3; ++call) {
            std::array<Arrays, 2> in;
            for (Arrays& each : in) {
                std::mt19937 random(seed * 7 + static_cast<unsigned>(call));
                for (int i = 0; i < 3; ++i) {
                    std::vector<float> values(6);
                    for (float& value : values)
                        value = static_cast<float>(random() % 16);
                    each.push_back(row(values));
                }
                if (seed % 4 == 1)
                    each[2] = each[0];
                if (seed % 4 == 2)
                    each[2] = flip(each[0], 0);
            }
            const Arrays expected = program(in[0]);
            const Arrays found = captured(in[1]);
            for (size_t i = 0; i < expected.size(); ++i)
                ASSERT_EQ(found[i].vector<float>(), expected[i].vector<float>())
                    << "program " << seed << ", call " << call << ", result " << i;
            for (size_t i = 0; i < in[0].size(); ++i)
                ASSERT_EQ(in[1][i].vector<float>(), in[0][i].vector<float>())
                    << "program " << seed << ", call " << call << ", argument " << i;
        }
    }
}

} // namespace
} // namespace kp::test
