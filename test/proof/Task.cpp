// SPDX-License-Identifier: Apache-2.0
//
// What processes.py runs in processes that are killed, or that lack memory, files or descriptors.
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>

#include <dlfcn.h>
#include <execinfo.h>
#include <ucontext.h>
#include <unistd.h>

#include "device/TestSupport.hpp"
#include "proof/Random.hpp"
#include "proof/Settings.hpp"

namespace kp::proof {
namespace {

constexpr int kDriverCrashed = 5;

bool inDriver(const char* file) {
    return std::strstr(file, "libvulkan") || std::strstr(file, "LLVM");
}

bool inLanguageLibrary(const char* file) {
    for (const char* name : {"libc.so", "libstdc++", "libgcc", "libm.so", "linux-vdso"})
        if (std::strstr(file, name))
            return true;
    return false;
}

/// The tests replace it.
bool isOperatorNew(const char* symbol) {
    return symbol && (std::strncmp(symbol, "_Znw", 4) == 0 || std::strncmp(symbol, "_Zna", 4) == 0);
}

void* programCounter([[maybe_unused]] void* context) {
#if defined(__x86_64__) && defined(REG_RIP)
    return reinterpret_cast<void*>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
#else
    return nullptr;
#endif
}

/// Ends the process. The exit status tells a crash of a driver, or of the compiler in it, from one
/// of the library: what crashed is the first frame outside of the C and C++ libraries.
void onCrash(int signal, siginfo_t*, void* context) {
    Dl_info info{};
    void* const at = programCounter(context);
    if (at && ::dladdr(at, &info) != 0 && info.dli_fname && inDriver(info.dli_fname))
        ::_exit(kDriverCrashed); // unwinding takes memory
    void* frames[32];
    const int count = ::backtrace(frames, 32);
    for (int i = 2; i < count; ++i) { // after this function and the signal's return
        if (::dladdr(frames[i], &info) == 0 || !info.dli_fname ||
            inLanguageLibrary(info.dli_fname) || isOperatorNew(info.dli_sname))
            continue;
        if (inDriver(info.dli_fname))
            ::_exit(kDriverCrashed);
        break;
    }
    ::backtrace_symbols_fd(frames, count, STDERR_FILENO);
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

void tellCrashesApart() {
    void* frame[1];
    ::backtrace(frame, 1); // loads its libraries while there is memory
    struct sigaction action {};
    action.sa_sigaction = &onCrash;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    for (const int signal : {SIGSEGV, SIGABRT, SIGBUS})
        ::sigaction(signal, &action, nullptr);
}

} // namespace

/// Compiles `count` shaders, of which the seed decides the contents, into the caches of the
/// environment and runs each. The result must be right or the failure a kp::Error.
int runTask(const Settings& settings) {
    uint64_t done = 0;
    tellCrashesApart();
    try {
        kp::Manager manager;
        Random random(settings.seed, 0);
        for (; done < settings.count; ++done) {
            // Few different shaders, so that processes share them.
            const uint32_t amount = random.below(50) + (settings.plant == "stale" ? 1 : 0);
            const std::string source = test::shader(test::buffer(0, "", "uint", "v"),
                                                    "v[i] += " + std::to_string(amount) + "u;");
            const auto tensor = manager.tensorT<uint32_t>(std::vector<uint32_t>(64, 7));
            manager.sequence()
                ->record<kp::OpSyncDevice>({tensor})
                ->record<kp::OpAlgoDispatch>(
                    manager.algorithm({tensor}, kp::compile(source), {64, 1, 1}))
                ->record<kp::OpSyncLocal>({tensor})
                ->eval();
            if (tensor->vector() !=
                std::vector<uint32_t>(64, 7 + amount - (settings.plant == "stale" ? 1 : 0))) {
                std::printf("wrong result in round %llu\n", static_cast<unsigned long long>(done));
                return 4;
            }
        }
    } catch (const kp::Error& error) {
        std::printf("refused after %llu rounds: %s\n", static_cast<unsigned long long>(done),
                    error.what());
        return 3;
    } catch (const std::bad_alloc&) {
        std::printf("refused after %llu rounds: bad_alloc\n",
                    static_cast<unsigned long long>(done));
        return 3;
    }
    std::printf("done\n");
    return 0;
}

} // namespace kp::proof
