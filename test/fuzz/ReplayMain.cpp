// SPDX-License-Identifier: Apache-2.0
//
// Runs the fuzzer's function without libFuzzer: on the files and folders given as arguments, then
// on mutations of modules that it compiles, then on mutations of the repository's shaders as texts.
//   kompute_fuzz_replay [--rounds N] [--sources N] [--seed N] [--only ROUND] [--plant FAULT]
//                       [file or folder]...
// The seed "date" is the day's. Each round depends on the seed and its number alone. A crash, an
// error other than ShaderError, or an input that takes too long or too much memory names both, so
// that --seed and --only run it again. --plant crash, error, hang or memory makes the first round
// fail like that.

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#if !defined(_WIN32)
#include <sys/resource.h>
#include <unistd.h>
#endif

#include <kompute/Error.hpp>
#include <kompute/Shader.hpp>

#include "Sanitizers.hpp"

#include "ProgramOptions.hpp"
#include "SourceMutation.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

using Words = std::vector<uint32_t>;
using Random = std::mt19937;

constexpr size_t kHeaderWords = 5;

std::vector<Words> makeSeeds() {
    const char* sources[] = {
        "layout(binding = 0) buffer A { float a[]; };\n"
        "layout(binding = 1) buffer B { uint n; vec4 b[]; } b;\n"
        "float f(inout float x) { x += 1.0; return x; }\n"
        "void main() { a[0] = f(b.b[1].x); atomicAdd(b.n, 1u); }",
        "layout(local_size_x_id = 0, local_size_y_id = 1) in;\n"
        "layout(constant_id = 2) const float k = 2.0;\n"
        "layout(push_constant) uniform P { mat3 m; int i[4]; } p;\n"
        "layout(binding = 2, r32f) uniform image2D img[3];\n"
        "layout(binding = 5) uniform sampler2D s;\n"
        "layout(binding = 6) uniform U { vec3 v; float w[3]; } u;\n"
        "void main() { imageStore(img[p.i[1]], ivec2(0), k * texture(s, u.v.xy) * p.m[0][1]); }",
        "#extension GL_EXT_buffer_reference : require\n"
        "layout(buffer_reference) buffer R;\n"
        "layout(buffer_reference) buffer R { float x; R next; };\n"
        "layout(binding = 0) buffer H { R heads[]; };\n"
        "void main() { heads[0].next.x = heads[1].x; }"};
    std::vector<Words> seeds;
    for (const char* source : sources) {
        for (const uint32_t minor : {1u, 3u}) {
            kp::CompileOptions options;
            options.vulkanVersion = (1u << 22) | (minor << 12);
            seeds.push_back(kp::compile(std::string("#version 450\n") + source, options));
        }
    }
    return seeds;
}

size_t below(Random& random, size_t limit) {
    return limit == 0 ? 0 : random() % limit;
}

std::vector<size_t> instructionStarts(const Words& words) {
    std::vector<size_t> starts;
    for (size_t at = kHeaderWords; at < words.size();) {
        const size_t count = words[at] >> 16;
        if (count == 0 || count > words.size() - at)
            break;
        starts.push_back(at);
        at += count;
    }
    return starts;
}

void mutate(Words& words, const std::vector<Words>& seeds, Random& random) {
    if (words.size() <= kHeaderWords)
        words = seeds[below(random, seeds.size())];
    constexpr uint32_t kInteresting[] = {0, 1, 2, 0x7fffffff, 0x80000000, 0xffffffff};
    const size_t at = below(random, words.size());
    const auto starts = instructionStarts(words);
    const size_t start = starts.empty() ? at : starts[below(random, starts.size())];
    const size_t count =
        std::max<size_t>(1, std::min<size_t>(words[start] >> 16, words.size() - start));
    const auto first = words.begin() + static_cast<std::ptrdiff_t>(start);
    const auto last = first + static_cast<std::ptrdiff_t>(count);
    switch (below(random, 9)) {
    case 0:
        words[at] ^= 1u << below(random, 32);
        break;
    case 1:
        words[at] = kInteresting[below(random, std::size(kInteresting))];
        break;
    case 2: // another word in an instruction, most often an id
        words[start + below(random, count)] =
            static_cast<uint32_t>(1 + below(random, words[3] % 4096 + 1));
        break;
    case 3:
        words.erase(first, last);
        break;
    case 4: {
        const Words copy(first, last);
        const size_t to = starts.empty() ? at : starts[below(random, starts.size())];
        words.insert(words.begin() + static_cast<std::ptrdiff_t>(to), copy.begin(), copy.end());
        break;
    }
    case 5: // another opcode of the same length
        words[start] = (words[start] & 0xffff0000) | static_cast<uint32_t>(below(random, 420));
        break;
    case 6:
        words.resize(at);
        break;
    case 7: {
        const Words& other = seeds[below(random, seeds.size())];
        const size_t from = below(random, other.size());
        words.resize(at);
        words.insert(words.end(), other.begin() + static_cast<std::ptrdiff_t>(from), other.end());
        break;
    }
    default:
        words[at] += static_cast<uint32_t>(below(random, 7)) - 3;
        break;
    }
}

void runFile(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(file),
                                  std::istreambuf_iterator<char>()};
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
}

/// @throws UsageError if there is no such file
size_t runPath(const std::filesystem::path& path) {
    if (!std::filesystem::exists(path))
        throw kp::test::UsageError("there is no file '" + path.string() + "'");
    if (!std::filesystem::is_directory(path)) {
        runFile(path);
        return 1;
    }
    size_t files = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
        if (entry.is_regular_file()) {
            runFile(entry.path());
            ++files;
        }
    }
    return files;
}

void runWords(const Words& words) {
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(words.data()), words.size() * 4);
}

/// An input may take this long, also on a busy machine and with sanitizers.
unsigned gSecondsPerInput = 60;
/// The process may have this much address space, the compiler's stack included. The address
/// sanitizer needs more than any limit.
constexpr uint64_t kAddressSpace = uint64_t{4} << 30;

uint64_t gSeed = 20240229;
volatile size_t gRound = 0;

/// Says which round it was, and ends the process as one that found something.
[[noreturn]] void report(const std::string& what) {
    std::fprintf(stderr, "%s in round %zu of seed %llu\n", what.c_str(), gRound,
                 static_cast<unsigned long long>(gSeed));
    std::_Exit(1);
}
void reportSignal(int signal) {
    report("signal " + std::to_string(signal));
}

void watch() {
    for (const int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGILL})
        std::signal(signal, &reportSignal);
#if !defined(_WIN32)
    std::signal(SIGBUS, &reportSignal);
    std::signal(SIGALRM, &reportSignal);
#if !defined(KOMPUTE_TEST_SANITIZED)
    const rlimit limit{kAddressSpace, kAddressSpace};
    ::setrlimit(RLIMIT_AS, &limit);
#endif
#endif
}

/// Fails as --plant asks.
void failOnPurpose(const std::string& fault) {
    if (fault == "crash")
        std::raise(SIGSEGV);
    if (fault == "error")
        throw std::runtime_error("planted");
    while (fault == "hang")
        gRound = gRound;
    if (fault == "memory")
        std::fill_n(std::vector<char>(2 * kAddressSpace).data(), 1, 'x');
}

/// Begins a round, whose random numbers depend on the seed and its number.
Random begin(size_t round) {
    gRound = round;
#if !defined(_WIN32)
    ::alarm(gSecondsPerInput);
#endif
    std::seed_seq seeds{static_cast<uint32_t>(gSeed), static_cast<uint32_t>(gSeed >> 32),
                        static_cast<uint32_t>(round)};
    return Random(seeds);
}

void runModules(const std::vector<Words>& seeds, size_t first, size_t end) {
    for (size_t round = first; round < end; ++round) {
        Random random = begin(round);
        Words words = seeds[below(random, seeds.size())];
        for (size_t edits = 1 + below(random, 4); edits > 0; --edits)
            mutate(words, seeds, random);
        runWords(words);
    }
}

void runSources(const std::vector<std::string>& seeds, size_t first, size_t end) {
    for (size_t round = first; round < end; ++round) {
        Random random = begin(round);
        std::string source = seeds[below(random, seeds.size())];
        for (size_t edits = 1 + below(random, 4); edits > 0; --edits)
            kp::fuzz::mutateSource(source, seeds, random);
        kp::fuzz::runSource(source);
    }
}

/// The options of the command line.
struct Runs {
    size_t modules = 20000;
    size_t sources = 1000;
    std::optional<size_t> only;
    std::string fault;
    std::vector<const char*> paths;
};

/// @throws UsageError
std::string faultOf(const std::string& text) {
    for (const char* const fault : {"crash", "error", "hang", "memory"})
        if (text == fault)
            return text;
    throw kp::test::UsageError("no fault is called '" + text +
                               "'; there are: crash, error, hang, memory");
}

/// @throws UsageError
Runs runsOf(int count, char** arguments) {
    Runs runs;
    for (int i = 1; i < count; ++i) {
        const std::string option = arguments[i];
        if (option.rfind("--", 0) != 0) {
            runs.paths.push_back(arguments[i]);
            continue;
        }
        if (++i == count)
            throw kp::test::UsageError(option + " needs a value");
        if (option == "--rounds")
            runs.modules = kp::test::numberOf(option, arguments[i]);
        else if (option == "--sources")
            runs.sources = kp::test::numberOf(option, arguments[i]);
        else if (option == "--seed")
            gSeed = kp::test::seedOf(option, arguments[i]);
        else if (option == "--only")
            runs.only = kp::test::numberOf(option, arguments[i]);
        else if (option == "--plant")
            runs.fault = faultOf(arguments[i]);
        else
            throw kp::test::UsageError("no option is called '" + option +
                                       "'; there are: --rounds N, --sources N, --seed N or date, "
                                       "--only N, --plant FAULT");
    }
    return runs;
}

void runAll(const Runs& runs) {
    size_t files = 0;
    for (const char* const path : runs.paths)
        files += runPath(path);
    watch();
    std::vector<Words> seeds = makeSeeds();
    const std::vector<std::string> texts = kp::fuzz::sourceSeeds();
    for (const std::string& text : texts) {
        try {
            seeds.push_back(kp::compile(text));
        } catch (const kp::ShaderError&) { // it needs macros
        }
    }
    // Rounds of sources come after the rounds of modules.
    if (runs.only) {
        if (*runs.only < runs.modules)
            runModules(seeds, *runs.only, *runs.only + 1);
        else
            runSources(texts, *runs.only, *runs.only + 1);
        return;
    }
    if (!runs.fault.empty()) {
        gSecondsPerInput = 1;
        begin(0);
        failOnPurpose(runs.fault);
    }
    for (const Words& seed : seeds)
        runWords(seed);
    runModules(seeds, 0, runs.modules);
    runSources(texts, runs.modules, runs.modules + runs.sources);
    std::printf("%zu files, %zu seeds, %zu mutated modules, %zu mutated sources, seed %llu: no "
                "crash\n",
                files, seeds.size(), runs.modules, runs.sources,
                static_cast<unsigned long long>(gSeed));
}

} // namespace

int main(int count, char** arguments) {
    try {
        runAll(runsOf(count, arguments));
    } catch (const kp::test::UsageError& error) {
        std::fprintf(stderr, "kompute_fuzz_replay: %s\n", error.what());
        return 2;
    } catch (const std::exception& error) {
        report("'" + std::string(error.what()) + "'");
    }
    return 0;
}
