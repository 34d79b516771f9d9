// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace kp::test {

/// Calls @p work with 0 to @p count - 1, each in a thread of its own, and waits for all of them. An
/// exception fails the test.
template <typename Work>
void inThreads(int count, Work work) {
    std::mutex mutex;
    std::string errors;
    std::vector<std::thread> threads;
    for (int number = 0; number < count; ++number)
        threads.emplace_back([&, number] {
            try {
                work(number);
            } catch (const std::exception& error) {
                const std::lock_guard lock(mutex);
                errors += error.what();
                errors += '\n';
            }
        });
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_EQ(errors, "");
}

} // namespace kp::test
