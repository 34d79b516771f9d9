// SPDX-License-Identifier: Apache-2.0
#include "primitives/random/RandomPlan.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <locale>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <NormalQuantiles.glsl.hpp>
#include <Philox.glsl.hpp>
#include <Random.glsl.hpp>
#include <Wide.glsl.hpp>

#include <kompute/Error.hpp>
#include <kompute/memory/Half.hpp>

#include "base/Text.hpp"
#include "operations/GlslType.hpp"
#include "primitives/source/Division.hpp"
#include "primitives/source/OperatorSource.hpp"
#include "primitives/source/Source.hpp"

namespace kp::primitives {
namespace {

using DataTypes = Memory::DataTypes;
using Kind = Distribution::Kind;

/// How work is divided. One table, with the reason of each number.
struct RandomRules {
    /// Enough subgroups to hide latencies.
    uint32_t groupSize = 256;
    /// Blocks of 16 bytes per invocation: enough work for a group to outweigh its start, few enough
    /// for small outputs to fill a device.
    uint32_t blocks = 4;

    /// The table of normal numbers is in memory, rather than in the shader.
    bool quantilesInMemory = false;

    static RandomRules of(const DeviceTraits& traits, bool usesQuantiles) {
        RandomRules rules;
        rules.groupSize = std::min(rules.groupSize, std::bit_floor(traits.maxGroupSize));
        if (traits.isCpu) {
            rules.blocks = 64; // an invocation costs a CPU driver as much as a block
            // It takes 4 s to compile the table. Two views precede the push constants then.
            rules.quantilesInMemory =
                usesQuantiles && traits.maxPushBytes >= 8 + sizeof(RandomPush);
        }
        return rules;
    }
};

bool isSigned(DataTypes type) {
    return type == DataTypes::eInt || type == DataTypes::eShort || type == DataTypes::eChar ||
           type == DataTypes::eLong;
}

/// Words that are the parameters of the shader.
using Parameters = std::array<uint32_t, 6>;

void setWide(Parameters& parameters, size_t at, uint64_t value) {
    parameters[at] = static_cast<uint32_t>(value);
    parameters[at + 1] = static_cast<uint32_t>(value >> 32);
}

std::string boundText(const Distribution::Bound& bound) {
    return bound.isNegative ? formatted("{}", static_cast<int64_t>(bound.bits))
                            : formatted("{}", bound.bits);
}

/// @throws InvalidArgument if the integer is not in the type
void requireInType(const Distribution::Bound& bound, DataTypes type) {
    const uint32_t bits = type == DataTypes::eBool ? 1 : 8 * Memory::dataTypeMemorySize(type);
    bool fits = false;
    if (!isSigned(type)) {
        fits = !bound.isNegative && (bits == 64 || bound.bits >> bits == 0);
    } else {
        const auto value = static_cast<int64_t>(bound.bits);
        const int64_t limit = INT64_MAX >> (64 - bits);
        fits = bound.isNegative ? value >= -limit - 1 : bound.bits <= static_cast<uint64_t>(limit);
    }
    if (!fits)
        fail<InvalidArgument>("OpRandom: the output's type {} cannot hold {}",
                              Memory::toString(type), boundText(bound));
}

Parameters integerParameters(const RandomProblem& problem) {
    const Distribution& distribution = problem.distribution;
    const bool wide = Memory::dataTypeMemorySize(problem.out) == 8;
    Distribution::Bound lowest;
    uint64_t range = 0; // 0: all of 32 or 64 bits
    if (distribution.kind == Kind::eBits) {
        if (problem.out == DataTypes::eBool)
            fail<InvalidArgument>("OpRandom: an output of eBool has no random bits; use integers "
                                  "from 0 to 1");
        const uint32_t bits = 8 * Memory::dataTypeMemorySize(problem.out);
        range = bits == 64 ? 0 : uint64_t{1} << bits;
    } else {
        lowest = distribution.lowest;
        const Distribution::Bound& highest = distribution.highest;
        requireInType(lowest, problem.out);
        requireInType(highest, problem.out);
        const bool isOrdered = lowest.isNegative == highest.isNegative ? lowest.bits <= highest.bits
                                                                       : lowest.isNegative;
        if (!isOrdered)
            fail<InvalidArgument>("OpRandom: there are no integers from {} to {}; give the lowest "
                                  "and the highest",
                                  boundText(lowest), boundText(highest));
        range = highest.bits - lowest.bits + 1;
    }
    Parameters parameters{};
    setWide(parameters, 0, lowest.bits);
    if (wide) {
        setWide(parameters, 2, range);
        setWide(parameters, 4, range == 0 ? 0 : (uint64_t{0} - range) % range);
    } else {
        const auto narrow = static_cast<uint32_t>(range);
        parameters[2] = narrow;
        parameters[4] = narrow == 0 ? 0 : (0u - narrow) % narrow;
    }
    return parameters;
}

/// Returns the nearest number of a type.
double roundedTo(DataTypes type, double number) {
    switch (type) {
    case DataTypes::eDouble:
        return number;
    case DataTypes::eHalf:
        return static_cast<float>(Half(number));
    case DataTypes::eBFloat16:
        return static_cast<float>(BFloat16(number));
    default:
        return static_cast<float>(number);
    }
}

/// Returns the largest number of a type from `low` on that is below `high`; `low` if there is none.
double largestBelow(double high, double low, DataTypes type) {
    // A device may take smaller numbers for 0.
    const double tiny = type == DataTypes::eDouble ? 0x1p-1022
                        : type == DataTypes::eHalf ? 0x1p-24
                                                   : 0x1p-126;
    double below = roundedTo(type, high == 0 ? -tiny : high);
    for (double step = std::abs(high) * 0x1p-54; below >= high; step *= 2)
        below = roundedTo(type, high - step);
    return std::max(below, roundedTo(type, low));
}

Parameters realParameters(const RandomProblem& problem) {
    const Distribution& distribution = problem.distribution;
    double offset = distribution.first;
    double scale = distribution.second;
    double largest = 0;
    switch (distribution.kind) {
    case Kind::eUniform:
        scale = distribution.second - distribution.first;
        // Shaders compute the distance of floats of up to 32 bits in 32.
        if (!std::isfinite(roundedTo(
                problem.out == DataTypes::eDouble ? problem.out : DataTypes::eFloat, scale)) ||
            scale < 0)
            fail<InvalidArgument>("OpRandom: there are no numbers from {} up to {}; give finite "
                                  "limits in ascending order, whose distance the type can hold",
                                  distribution.first, distribution.second);
        largest = largestBelow(distribution.second, distribution.first, problem.out);
        break;
    case Kind::eNormal:
        if (!std::isfinite(offset) || !std::isfinite(scale) || scale < 0)
            fail<InvalidArgument>("OpRandom: a normal distribution with mean {} and standard "
                                  "deviation {} does not exist; give finite numbers, the deviation "
                                  "at least 0",
                                  offset, scale);
        break;
    default:
        scale = distribution.first;
        offset = 0;
        if (!std::isfinite(scale) || scale < 0)
            fail<InvalidArgument>("OpRandom: an exponential distribution with mean {} does not "
                                  "exist; give a finite mean of at least 0",
                                  scale);
    }
    Parameters parameters{};
    if (problem.out == DataTypes::eDouble) {
        setWide(parameters, 0, std::bit_cast<uint64_t>(offset));
        setWide(parameters, 2, std::bit_cast<uint64_t>(scale));
        setWide(parameters, 4, std::bit_cast<uint64_t>(largest));
    } else {
        parameters[0] = std::bit_cast<uint32_t>(static_cast<float>(offset));
        parameters[2] = std::bit_cast<uint32_t>(static_cast<float>(scale));
        parameters[4] = std::bit_cast<uint32_t>(static_cast<float>(largest));
    }
    return parameters;
}

std::string kindMacros(const RandomProblem& problem, bool integers) {
    if (integers)
        return "#define INTEGERS\n";
    const RandomShape shape(problem);
    const std::string standard = shape.isStandard ? "#define STANDARD\n" : "";
    if (shape.kind == Kind::eExponential)
        return "#define EXPONENTIAL\n" + standard;
    if (shape.kind == Kind::eNormal)
        return "#define NORMAL\n" + standard;
    // Numbers in [0, 1) with a step that the type represents everywhere.
    switch (problem.out) {
    case DataTypes::eHalf:
        return standard +
               "#define UNIFORM\n#define UNIFORM_DROP 21\n#define UNIFORM_STEP 0.00048828125\n";
    case DataTypes::eBFloat16:
        return standard +
               "#define UNIFORM\n#define UNIFORM_DROP 24\n#define UNIFORM_STEP 0.00390625\n";
    default:
        return standard + "#define UNIFORM\n#define UNIFORM_DROP 8\n"
                          "#define UNIFORM_STEP 5.9604644775390625e-08\n";
    }
}

bool isInteger(const RandomProblem& problem) {
    return problem.distribution.kind == Kind::eBits || problem.distribution.kind == Kind::eIntegers;
}

/// @throws InvalidArgument if the distribution has no numbers of the output's type
void requireRandom(const RandomProblem& problem) {
    glslTypeOf(problem.out, "random");
    if (isInteger(problem) && isFloatingPoint(problem.out))
        fail<InvalidArgument>("OpRandom: random integers need an output of an integer type, not of "
                              "{}",
                              Memory::toString(problem.out));
    if (!isInteger(problem) && !isFloatingPoint(problem.out))
        fail<InvalidArgument>("OpRandom: this distribution needs an output of a floating-point "
                              "type, not of {}; integers have Distribution::integers and bits",
                              Memory::toString(problem.out));
}

/// Returns the elements that a dispatch writes at most.
uint64_t largestPart(const RandomProblem& problem, const DeviceTraits& traits) {
    return traits.maxViewBytes / 16 * 16 / Memory::dataTypeMemorySize(problem.out);
}

bool usesQuantiles(const RandomProblem& problem) {
    return problem.distribution.kind == Kind::eNormal && problem.out != DataTypes::eDouble;
}

/// Returns the words of the table in NormalQuantiles.glsl, whose numbers are rounded as compilers
/// of GLSL round them.
std::vector<uint32_t> quantileWords() {
    std::vector<uint32_t> words;
    const std::string text(NORMALQUANTILES_GLSL);
    constexpr std::string_view kRow = " vec4(";
    for (size_t at = text.find(kRow); at != std::string::npos; at = text.find(kRow, at)) {
        at += kRow.size();
        std::istringstream row(text.substr(at, text.find(')', at) - at));
        row.imbue(std::locale::classic());
        char comma = 0;
        for (double value = 0; row >> value; row >> comma)
            words.push_back(std::bit_cast<uint32_t>(static_cast<float>(value)));
    }
    return words;
}

Kernel randomKernel(const RandomProblem& problem, const RandomRules& rules, bool integers) {
    std::string macros = glslTypeMacros("OUT", problem.out) + kindMacros(problem, integers) +
                         formatted("#define BLOCKS {}u\n", rules.blocks);
    if (Memory::dataTypeMemorySize(problem.out) == 8)
        macros += "#define WIDE\n";
    if (problem.out == DataTypes::eHalf)
        macros += "#define HALF\n";
    std::string text(RANDOM_GLSL);
    const auto include = [&](const std::string& name, std::string_view part) {
        const std::string line = "#include \"" + name + "\"\n";
        text.replace(text.find(line), line.size(), part);
    };
    include("philox", PHILOX_GLSL);
    if (rules.quantilesInMemory)
        text.insert(0, "#define QUANTILES_IN_MEMORY\n");
    include("quantiles",
            usesQuantiles(problem) && !rules.quantilesInMemory ? NORMALQUANTILES_GLSL : "");
    Kernel kernel;
    kernel.name = "OpRandom";
    kernel.source = composeSource(macros, std::string(WIDE_GLSL), text, false);
    kernel.constants = {rules.groupSize};
    return kernel;
}

} // namespace

std::array<uint32_t, 20> philoxKeys(uint64_t seed) {
    std::array<uint32_t, 20> keys{};
    auto low = static_cast<uint32_t>(seed);
    auto high = static_cast<uint32_t>(seed >> 32);
    for (size_t round = 0; round < 10; ++round) {
        keys[2 * round] = low;
        keys[2 * round + 1] = high;
        low += 0x9E3779B9u;
        high += 0xBB67AE85u;
    }
    return keys;
}

RandomShape::RandomShape(const RandomProblem& problem)
    : out(problem.out), kind(problem.distribution.kind), count(problem.count) {
    const Distribution& distribution = problem.distribution;
    if (kind == Kind::eExponential)
        isStandard = distribution.first == 1;
    else if (kind == Kind::eUniform || kind == Kind::eNormal)
        isStandard = distribution.first == 0 && distribution.second == 1;
}

std::vector<std::vector<uint32_t>> randomPushes(const RandomProblem& problem,
                                                const DeviceTraits& traits) {
    requireRandom(problem);
    const Parameters parameters =
        isInteger(problem) ? integerParameters(problem) : realParameters(problem);
    const std::array<uint32_t, 20> keys = philoxKeys(problem.state.seed);
    std::vector<std::vector<uint32_t>> pushes;
    const uint64_t most = largestPart(problem, traits);
    for (uint64_t first = 0; first < problem.count; first += most) {
        const uint64_t count = std::min(most, problem.count - first);
        const uint64_t number = problem.state.counter + first;
        pushes.push_back(pushWords(RandomPush{.count = lowWord(count),
                                              .counterLow = lowWord(number),
                                              .counterHigh = highWord(number),
                                              .streamLow = lowWord(problem.state.stream),
                                              .streamHigh = highWord(problem.state.stream),
                                              .keys = keys,
                                              .parameters = parameters}));
    }
    return pushes;
}

Plan planRandom(const RandomProblem& problem, const DeviceTraits& traits) {
    std::vector<std::vector<uint32_t>> pushes = randomPushes(problem, traits);
    Plan plan(1);
    if (problem.count == 0)
        return plan;
    const RandomRules rules = RandomRules::of(traits, usesQuantiles(problem));
    const uint64_t bytes = Memory::dataTypeMemorySize(problem.out);
    const uint64_t most = largestPart(problem, traits);
    const uint32_t kernel = plan.addKernel(randomKernel(problem, rules, isInteger(problem)));
    std::optional<View> quantiles;
    if (rules.quantilesInMemory) {
        std::vector<uint32_t> words = quantileWords();
        const uint64_t size = words.size() * sizeof words[0];
        quantiles = View{plan.addConstants(std::move(words)), 0, size, 16};
    }
    for (uint64_t first = 0; first < problem.count; first += most) {
        const uint64_t count = std::min(most, problem.count - first);
        Dispatch dispatch;
        dispatch.kernel = kernel;
        View out;
        out.offset = first * bytes;
        out.bytes = count * bytes;
        out.elementBytes = static_cast<uint32_t>(bytes);
        out.use = View::Use::eWrite;
        out.bindings = 2;
        dispatch.views = {out};
        if (quantiles)
            dispatch.views.push_back(*quantiles);
        dispatch.push = std::move(pushes[plan.steps.size()]);
        dispatch.pushMembers = RandomPush::kMembers;
        // The first and the last block may be incomplete.
        const uint64_t blocks = count * bytes / 16 + 2;
        const uint64_t perGroup = uint64_t{rules.groupSize} * rules.blocks;
        dispatch.groups = (blocks + perGroup - 1) / perGroup;
        plan.steps.push_back(std::move(dispatch));
    }
    return plan;
}

} // namespace kp::primitives
