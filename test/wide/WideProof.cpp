// SPDX-License-Identifier: Apache-2.0
//
// The functions of wide numbers against the host's arithmetic, bit for bit.
#include <algorithm>
#include <cstdio>

#include "proof/Settings.hpp"
#include "wide/WideArguments.hpp"
#include "wide/WideKernel.hpp"

namespace kp::proof {

int proveWide(const Settings& settings) {
    constexpr uint64_t kPart = uint64_t{1} << 18; // calls in a dispatch
    const std::vector<test::WideFunction>& functions = test::wideFunctions();
    if (settings.only && *settings.only >= functions.size()) {
        std::printf("there are %zu functions of wide numbers\n", functions.size());
        return 1;
    }
    const size_t first = settings.only.value_or(0);
    const size_t end = settings.only ? first + 1 : functions.size();
    kp::Manager manager;
    for (size_t number = first; number < end; ++number) {
        const test::WideFunction& function = functions[number];
        const test::WideKernel kernel(manager, function, settings.plant);
        Random random(settings.seed, number);
        test::WideArguments arguments = test::specialArguments(function);
        for (uint64_t done = 0;;) {
            const std::string wrong = test::firstWrong(function, arguments, kernel.run(arguments));
            if (!wrong.empty()) {
                std::printf("function %zu of seed %llu: %s\n", number,
                            static_cast<unsigned long long>(settings.seed), wrong.c_str());
                return 1;
            }
            if (done == settings.count)
                break;
            const uint64_t part = std::min(settings.count - done, kPart);
            arguments = test::randomArguments(function, part, random);
            done += part;
        }
    }
    std::printf("%llu random calls, and all of special values, of %zu functions of wide numbers of "
                "seed %llu: equal to the host's arithmetic\n",
                static_cast<unsigned long long>(settings.count), end - first,
                static_cast<unsigned long long>(settings.seed));
    return 0;
}

} // namespace kp::proof
