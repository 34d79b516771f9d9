// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <thread>
#include <vector>

namespace kp::test {

/// Calls @p body with 0 to @p count - 1, each call in its own thread, and waits for all.
template <typename Body>
void runInThreads(int count, const Body& body) {
    std::vector<std::thread> threads;
    for (int number = 0; number < count; ++number)
        threads.emplace_back([&body, number] { body(number); });
    for (std::thread& thread : threads)
        thread.join();
}

} // namespace kp::test
