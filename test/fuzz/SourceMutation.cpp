// SPDX-License-Identifier: Apache-2.0
#include "SourceMutation.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include <kompute/Error.hpp>
#include <kompute/Shader.hpp>
#include <kompute/shader/Reflection.hpp>

#include "GuardTime.hpp"
#include "shader/limits/SourceTokens.hpp"

namespace kp::fuzz {
namespace {

namespace fs = std::filesystem;

size_t below(std::mt19937& random, size_t limit) {
    return limit == 0 ? 0 : random() % limit;
}

template <typename T, size_t N>
const T& oneOf(const T (&values)[N], std::mt19937& random) {
    return values[below(random, N)];
}

std::string repeated(const std::string& text, size_t count) {
    std::string all;
    for (size_t i = 0; i < count; ++i)
        all += text;
    return all;
}

} // namespace

std::vector<std::string> sourceSeeds() {
    std::vector<std::string> seeds;
    for (const char* folder : {"/shaders", "/examples", "/python/examples", "/benchmark"}) {
        for (const auto& entry :
             fs::recursive_directory_iterator(KOMPUTE_SOURCE_FOLDER + std::string(folder))) {
            if (entry.path().extension() != ".comp")
                continue;
            std::ifstream file(entry.path(), std::ios::binary);
            seeds.emplace_back(std::istreambuf_iterator<char>(file),
                               std::istreambuf_iterator<char>());
        }
    }
    std::ranges::sort(seeds); // folders have no order
    return seeds;
}

void mutateSource(std::string& source, const std::vector<std::string>& seeds,
                  std::mt19937& random) {
    const auto tokens = shader::tokensOf(source);
    const auto place = [&](const shader::SourceToken& token) {
        return token.text.empty() ? source.size()
                                  : static_cast<size_t>(token.text.data() - source.data());
    };
    const shader::SourceToken& token = tokens[below(random, tokens.size())];
    const shader::SourceToken& other = tokens[below(random, tokens.size())];
    const std::string text(token.text), otherText(other.text);
    const size_t at = place(token);
    const char* const numbers[] = {"0",    "-1",          "2147483648", "4294967296",
                                   "1e99", "0xffffffffu", "65536",      "1000000000"};
    const char* const pieces[] = {"int x[] = {};",
                                  "{",
                                  "}",
                                  "(",
                                  "if (true) ",
                                  "for (;;) ",
                                  "struct S { S s; };",
                                  "#if 1\n",
                                  "#endif\n",
                                  "layout(constant_id = 0) const int k = 1;\n",
                                  "#include \"../x\"\n",
                                  "const int c = 1 / 0;",
                                  "#define main other\n",
                                  "#line 0\n",
                                  "\\\n",
                                  "/*",
                                  "#define A A A\n",
                                  "float f() { return f(); }\n"};
    switch (below(random, 10)) {
    case 0:
        source.erase(at, text.size());
        break;
    case 1:
        source.insert(at, text + " ");
        break;
    case 2:
        source.replace(at, text.size(), otherText);
        break;
    case 3:
        source.replace(at, text.size(), oneOf(numbers, random));
        break;
    case 4:
        source.insert(at, oneOf(pieces, random));
        break;
    case 5:
        source.insert(at, repeated(text + " ", size_t{1} << below(random, 14)));
        break;
    case 6: {
        const size_t count = size_t{1} << below(random, 12);
        source.replace(at, text.size(), repeated("(", count) + text + repeated(")", count));
        break;
    }
    case 7: {
        const std::string& from = seeds[below(random, seeds.size())];
        const size_t first = below(random, from.size());
        source.insert(at, from.substr(first, below(random, 200)));
        break;
    }
    case 8: { // many definitions of few names, each of which uses them often
        const size_t names = 1 + below(random, 3);
        const size_t uses = below(random, 5);
        std::string macros = "\n";
        for (size_t left = size_t{1} << below(random, 14); left > 0; --left) {
            macros += "#define N" + std::to_string(left % names);
            for (size_t use = 0; use < uses; ++use)
                macros += " N" + std::to_string(below(random, names));
            macros += " " + std::to_string(left) + "\n";
        }
        source.insert(at, macros + "N0 ");
        break;
    }
    default: {
        const size_t levels = below(random, 40);
        std::string macros = "\n#define M0 " + text + "\n";
        for (size_t i = 1; i <= levels; ++i)
            macros += "#define M" + std::to_string(i) + " M" + std::to_string(i - 1) + " M" +
                      std::to_string(i - 1) + "\n";
        source.insert(at, macros + "M" + std::to_string(levels) + " ");
        break;
    }
    }
}

void runSource(const std::string& source) {
    const double seconds = test::guardSeconds(source);
    if (seconds > test::kMaxGuardSeconds)
        throw std::runtime_error("the guard took " + std::to_string(seconds) + " s");
    try {
        CompileOptions options;
        options.cacheFolder = "off";
        options.includes = IncludePolicy::eNone;
        static_cast<void>(reflect(compile(source, options)));
    } catch (const ShaderError&) {
    }
}

} // namespace kp::fuzz
