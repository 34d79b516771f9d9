// SPDX-License-Identifier: Apache-2.0
#include "shader/compile/CompilerProcess.hpp"

#include <kompute/Error.hpp>

#include "base/Text.hpp"

#if !defined(_WIN32)
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>
#include <optional>

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

namespace kp::shader {

#if defined(_WIN32)

std::string runInChildProcess(const std::function<std::string()>&, const std::string& what,
                              const std::function<void()>&) {
    fail<Unsupported>("{}: CompileOptions::isolate needs fork(), which Windows lacks", what);
}

#else

namespace {

void limit(int resource, uint64_t value) {
    const auto wanted = static_cast<rlim_t>(value);
    rlimit now{};
    if (::getrlimit(resource, &now) != 0)
        return;
    const rlimit next{std::min(now.rlim_cur, wanted), std::min(now.rlim_max, wanted)};
    ::setrlimit(resource, &next);
}

/// Returns the bytes of address space in use; 0 if the system does not say.
uint64_t addressSpace() {
    uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    return pages * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

[[noreturn]] void runChild(const std::function<std::string()>& function, int out, uint64_t bytes) {
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_CPU, kMaxCompilerSeconds);
    if (bytes > 0)
        limit(RLIMIT_AS, bytes + kMaxCompilerBytes);
    for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGTERM})
        ::signal(signal, SIG_DFL); // the program's handlers are for the program
    try {
        std::string result = "+" + function();
        for (size_t at = 0; at < result.size();) {
            const ssize_t count = ::write(out, result.data() + at, result.size() - at);
            if (count <= 0 && errno != EINTR)
                ::_exit(1);
            at += count > 0 ? static_cast<size_t>(count) : 0;
        }
    } catch (...) {
        ::_exit(1);
    }
    ::_exit(0);
}

bool hasEnded(pid_t child) {
    siginfo_t info{};
    return ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
           info.si_pid == child;
}

/// Reads to the end of the pipe or of the child: another child of the program, forked meanwhile,
/// may hold the pipe open. @return false after the time limit
bool readAll(int in, pid_t child, std::string& content) {
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::milliseconds kSlice{100};
    const auto end = Clock::now() + std::chrono::seconds(kMaxCompilerSeconds);
    char part[1 << 16];
    while (Clock::now() < end) {
        const bool ended = hasEnded(child); // before the pipe is looked at
        pollfd ready{in, POLLIN, 0};
        const int found = ::poll(&ready, 1, ended ? 0 : static_cast<int>(kSlice.count()));
        if (found == 0 && ended)
            return true;
        if (found == 0)
            continue;
        const ssize_t count = found < 0 ? -1 : ::read(in, part, sizeof part);
        if (count == 0)
            return true;
        if (count > 0)
            content.append(part, static_cast<size_t>(count));
        else if (errno != EINTR)
            return true;
    }
    return false;
}

} // namespace

std::string runInChildProcess(const std::function<std::string()>& function, const std::string& what,
                              const std::function<void()>& started) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
        fail<Unsupported>("{}: a child process cannot be started: {}", what, std::strerror(errno));
    const uint64_t bytes = addressSpace();
    const pid_t child = ::fork();
    if (child == 0) {
        ::close(ends[0]);
        runChild(function, ends[1], bytes);
    }
    const int error = errno;
    ::close(ends[1]);
    started();
    std::string content;
    const bool inTime = child > 0 && readAll(ends[0], child, content);
    ::close(ends[0]);
    if (child < 0)
        fail<Unsupported>("{}: a child process cannot be started: {}", what, std::strerror(error));
    if (!inTime)
        ::kill(child, SIGKILL);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (!content.empty() && content[0] == '+' && inTime)
        return content.substr(1);
    const bool time = !inTime || (WIFSIGNALED(status) &&
                                  (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL));
    const std::string reason =
        time ? formatted("took more than {} s", kMaxCompilerSeconds)
        : WIFSIGNALED(status)
            ? formatted("crashed ({})", ::strsignal(WTERMSIG(status)))
            : formatted("needed more than {} MiB of memory", kMaxCompilerBytes >> 20);
    throw ShaderError(
        formatted("{}: error: the compiler, in its own process, {}; the source is too "
                  "large or damaged",
                  what, reason),
        what);
}

#endif

} // namespace kp::shader
