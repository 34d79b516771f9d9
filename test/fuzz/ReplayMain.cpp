// SPDX-License-Identifier: Apache-2.0
//
// Runs the fuzzer's function deterministically without libFuzzer: on the files and folders given as
// arguments, then on a fixed number of mutations of modules that it compiles.
//   kompute_fuzz_replay [--rounds N] [file or folder]...

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include <kompute/Error.hpp>
#include <kompute/Shader.hpp>

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

size_t runPath(const std::filesystem::path& path) {
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

} // namespace

int main(int count, char** arguments) {
    size_t rounds = 20000;
    size_t files = 0;
    for (int i = 1; i < count; ++i) {
        if (std::strcmp(arguments[i], "--rounds") == 0 && i + 1 < count)
            rounds = std::strtoull(arguments[++i], nullptr, 10);
        else
            files += runPath(arguments[i]);
    }
    const std::vector<Words> seeds = makeSeeds();
    for (const Words& seed : seeds)
        runWords(seed);
    Random random(20240229);
    for (size_t round = 0; round < rounds; ++round) {
        Words words = seeds[below(random, seeds.size())];
        for (size_t edits = 1 + below(random, 4); edits > 0; --edits)
            mutate(words, seeds, random);
        runWords(words);
    }
    std::printf("%zu files, %zu seeds, %zu mutations: no crash\n", files, seeds.size(), rounds);
    return 0;
}
