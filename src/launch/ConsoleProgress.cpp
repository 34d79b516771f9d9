// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#if defined(_WIN32)
#include <io.h>
#else
#include <unistd.h>
#endif

#include <fmt/format.h>

#include <kompute/launch/Autotuner.hpp>

namespace kp {
namespace {

constexpr size_t kBarWidth = 24;
constexpr size_t kLineWidth = 110;

bool isTerminal(std::FILE* stream) {
#if defined(_WIN32)
    return _isatty(_fileno(stream)) != 0;
#else
    return isatty(fileno(stream)) != 0;
#endif
}

std::string lineOf(const TuningProgress& progress) {
    const size_t filled = progress.total ? kBarWidth * progress.done / progress.total : 0;
    std::string line =
        fmt::format("{} round {}/{} [{}{}] {}/{}", progress.kernel, progress.round, progress.rounds,
                    std::string(filled, '='), std::string(kBarWidth - filled, ' '), progress.done,
                    progress.total);
    if (progress.budgetSeconds > 0)
        line += fmt::format(" {:.1f}/{:.1f} s", progress.elapsedSeconds, progress.budgetSeconds);
    if (progress.bestNanoseconds > 0)
        line += fmt::format(" best {:.2f} us: {}", progress.bestNanoseconds / 1e3,
                            progress.best.toString());
    return line;
}

} // namespace

TuningCallback consoleProgress(std::FILE* stream) {
    std::FILE* const out = stream ? stream : stderr;
    const bool terminal = isTerminal(out);
    return [out, terminal](const TuningProgress& progress) {
        const bool roundEnds = progress.done == progress.total;
        if (!terminal && !roundEnds)
            return true;
        std::string line = lineOf(progress);
        if (terminal) {
            // One line of the terminal, whatever was there before.
            line.resize(std::min(line.size(), kLineWidth));
            line.resize(kLineWidth, ' ');
            line.insert(line.begin(), '\r');
        }
        if (!terminal || roundEnds)
            line += '\n';
        std::fputs(line.c_str(), out);
        std::fflush(out);
        return true;
    };
}

} // namespace kp
