// SPDX-License-Identifier: Apache-2.0
//
// Plants one fault of each kind that the sanitizers must find. scripts/test.sh runs it with the
// options of the tests, and fails if a fault is not reported.
//
//   kompute_sanitizer_canary overflow|leak|undefined|race
#include <cstdio>
#include <cstring>
#include <limits>
#include <thread>

namespace {

volatile int gSink;

void overflow() {
    int* numbers = new int[4];
    const volatile int index = 4;
    gSink = numbers[index];
    delete[] numbers;
}

[[gnu::noinline]] void leak() {
    int* volatile number = new int(1);
    gSink = *number;
    number = nullptr;
}

void undefined() {
    const volatile int large = std::numeric_limits<int>::max();
    gSink = large + 1;
}

void race() {
    int shared = 0;
    std::thread other([&] { ++shared; });
    ++shared;
    other.join();
    gSink = shared;
}

} // namespace

int main(int argc, char** argv) {
    const char* fault = argc == 2 ? argv[1] : "";
    if (std::strcmp(fault, "overflow") == 0)
        overflow();
    else if (std::strcmp(fault, "leak") == 0)
        leak();
    else if (std::strcmp(fault, "undefined") == 0)
        undefined();
    else if (std::strcmp(fault, "race") == 0)
        race();
    else
        std::puts("usage: kompute_sanitizer_canary overflow|leak|undefined|race");
    return 0;
}
