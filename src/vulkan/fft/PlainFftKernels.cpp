// SPDX-License-Identifier: Apache-2.0
#include "vulkan/fft/PlainFftKernels.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numbers>
#include <numeric>
#include <string_view>
#include <utility>

#include "base/Divider.hpp"
#include "base/Text.hpp"

namespace kp::vulkan {
namespace {

/// Precedes all kernels. Parts of numbers are REAL, pairs of them COMPLEX.
constexpr std::string_view kPlainHead = R"(
struct Divider { uint multiplier; uint shift; };
layout(push_constant) uniform Push {
    uint count;
    uint ofRow;
    uint inSpace;
    uint outSpace;
    uint before;
    uint inner;
    uint distance;
    uint radix;
    uint roots;
    uint step;
    uint inverse;
    Divider byRow;
    Divider byBefore;
    Divider byInner;
    Divider byBlock; // before * radix
    uint scaleLow;
    uint scaleHigh;
};
uint quotient(uint n, Divider by) {
    uint high;
    uint low;
    umulExtended(n, by.multiplier, high, low);
    return (high + n) >> by.shift;
}
COMPLEX product(COMPLEX a, COMPLEX b) {
    return COMPLEX(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
)";

/// Precedes those with roots. The roots of inverse transforms are the conjugates.
constexpr std::string_view kPlainRoots = R"(
REAL direction() { return inverse != 0u ? REAL(-1) : REAL(1); }
COMPLEX forwards(uint p) { return ROOT(table[p]); }
COMPLEX root(uint p) { return forwards(p) * COMPLEX(1, direction()); }
COMPLEX turned(COMPLEX a) { return COMPLEX(a.y, -a.x) * direction(); } // by a quarter
COMPLEX turned(COMPLEX a, REAL cosine, REAL sine) {
    return product(a, COMPLEX(cosine, sine * direction()));
}
COMPLEX get(uint n) { return COMPLEX(LOAD(source[n])); }
void put(uint n, COMPLEX value) { result[n] = STORE(value * SCALE); }
)";

/// `row` and the invocation's number `n` in it.
constexpr std::string_view kPlainMain = R"(
void main() {
    uint n = (gl_WorkGroupID.x + gl_NumWorkGroups.x * gl_WorkGroupID.y) * gl_WorkGroupSize.x +
             gl_LocalInvocationIndex;
    if (n >= count)
        return;
    uint row = quotient(n, byRow);
    n -= row * ofRow;
)";

constexpr std::string_view kPlainAnyPass = R"(
    uint block = quotient(n, byBlock);
    uint place = n - block * before * radix;
    uint from = row * inSpace + block * before + place - quotient(place, byBefore) * before;
    uint turns = quotient(place, byInner) * step; // of each number against the one before
    uint p = 0u;
    COMPLEX sum = COMPLEX(0);
    for (uint m = 0u; m < radix; ++m) {
        sum += product(get(from + m * distance), root(p));
        p += turns;
        p -= p >= roots ? roots : 0u;
    }
    put(row * outSpace + n, sum);
)";

/// With the transform Z of the complex numbers whose parts are real numbers of even and odd place,
/// the spectrum is the sum of a half of Z(n) + conj(Z(-n)) and of a half of their difference times
/// exp(-2 pi i n / length) / i. Backwards the same without the halves, and with the root's
/// conjugate times i. The imaginary parts of the first and the last number of a half spectrum are
/// ignored.
constexpr std::string_view kPlainSpectrum = R"(
    bool isInverse = inverse != 0u;
    uint mirrored = distance - n;
    COMPLEX a = get(row * inSpace + (!isInverse && n == distance ? 0u : n));
    COMPLEX b = get(row * inSpace + (!isInverse && n == 0u ? 0u : mirrored));
    if (isInverse && n == 0u) {
        a.y = REAL(0);
        b.y = REAL(0);
    }
    b.y = -b.y;
    COMPLEX w = forwards(n);
    COMPLEX sum = a + b + product(COMPLEX(w.y, isInverse ? w.x : -w.x), a - b);
    result[row * outSpace + n] = STORE(sum * (isInverse ? SCALE : REAL(0.5)));
)";

constexpr std::string_view kPlainWiden = R"(
    result[row * outSpace + n] = STORE(COMPLEX(source[row * inSpace + n], 0));
)";

constexpr std::string_view kPlainNarrow = R"(
    result[row * outSpace + n] = LOAD(source[row * inSpace + n]).x * SCALE;
)";

constexpr std::string_view kPlainComplete = R"(
    bool isMirrored = 2u * n > roots;
    COMPLEX value = LOAD(source[row * inSpace + (isMirrored ? roots - n : n)]);
    value.y = n == 0u ? REAL(0) : isMirrored ? -value.y : value.y;
    result[row * outSpace + n] = STORE(value);
)";

constexpr std::string_view kPlainCopy = R"(
    result[row * outSpace + n] = source[row * inSpace + n];
)";

/// Writes the body of a pass of one radix: v0, v1, ... are a butterfly's numbers.
class PassBody {
public:
    PassBody(uint32_t radix, std::string_view suffix) : mRadix(radix), mSuffix(suffix) {}

    std::string text() {
        line("    uint block = quotient(n, byBefore);");
        line("    uint place = n - block * before;");
        line("    uint from = row * inSpace + n;");
        line("    uint to = row * outSpace + block * before * {}u + place;", mRadix);
        line("    uint p = quotient(place, byInner) * step;");
        line("    COMPLEX v0 = get(from);");
        for (uint32_t m = 1; m < mRadix; ++m) {
            const uint32_t high = std::bit_floor(m); // products of few, so that errors stay small
            if (m == high)
                line("    COMPLEX w{} = root({}u * p);", m, m);
            else
                line("    COMPLEX w{} = product(w{}, w{});", m, high, m - high);
            line("    COMPLEX v{} = product(get(from + {}u * distance), w{});", m, m, m);
        }
        std::vector<uint32_t> all(mRadix);
        std::iota(all.begin(), all.end(), 0u);
        const std::vector<uint32_t> order = transformed(all);
        for (uint32_t m = 0; m < mRadix; ++m)
            line("    put(to + {}u * before, v{});", m, order[m]);
        return std::move(mText);
    }

private:
    template <typename... Arguments>
    void line(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
        mText += formatted(format, std::forward<Arguments>(arguments)...) + '\n';
    }

    /// Transforms numbers: columns of a matrix whose rows are as many as the smallest prime factor,
    /// then its rows.
    /// @return where the results are, in order
    std::vector<uint32_t> transformed(const std::vector<uint32_t>& at) {
        const auto count = static_cast<uint32_t>(at.size());
        if (count == 1)
            return at;
        uint32_t prime = 2;
        while (count % prime != 0)
            ++prime;
        const uint32_t columns = count / prime;
        for (uint32_t i = 0; i < columns; ++i) {
            std::vector<uint32_t> column;
            for (uint32_t k = 0; k < prime; ++k)
                column.push_back(at[i + k * columns]);
            if (prime == 2)
                line("    {{ COMPLEX s = v{} + v{}; v{} = v{} - v{}; v{} = s; }}", column[0],
                     column[1], column[1], column[0], column[1], column[0]);
            else
                transformOdd(column);
            for (uint32_t k = 1; k < prime; ++k)
                turn(column[k], i * k, count);
        }
        std::vector<uint32_t> order(count);
        for (uint32_t k = 0; k < prime; ++k) {
            const auto row = at.begin() + static_cast<ptrdiff_t>(k * columns);
            const std::vector<uint32_t> part =
                transformed({row, row + static_cast<ptrdiff_t>(columns)});
            for (uint32_t q = 0; q < columns; ++q)
                order[k + q * prime] = part[q];
        }
        return order;
    }

    /// Multiplies a number by exp(-2 pi i numerator / denominator).
    void turn(uint32_t at, uint32_t numerator, uint32_t denominator) {
        if (4 * numerator == denominator)
            return line("    v{} = turned(v{});", at, at);
        if (numerator == 0)
            return;
        const double angle = 2 * std::numbers::pi * numerator / denominator;
        line("    v{} = turned(v{}, {:.17f}{}, {:.17f}{});", at, at, std::cos(angle), mSuffix,
             -std::sin(angle), mSuffix);
    }

    /// Transforms numbers in place. Numbers m and count - m have equal cosines and opposite sines.
    void transformOdd(const std::vector<uint32_t>& at) {
        const auto count = static_cast<uint32_t>(at.size());
        const uint32_t half = count / 2;
        line("    {{ COMPLEX first = v{};", at[0]);
        for (uint32_t m = 1; m <= half; ++m) {
            line("    COMPLEX s{} = v{} + v{}, d{} = v{} - v{};", m, at[m], at[count - m], m, at[m],
                 at[count - m]);
            line("    v{} += s{};", at[0], m);
        }
        for (uint32_t k = 1; k <= half; ++k) {
            std::string even = "first";
            std::string odd;
            for (uint32_t m = 1; m <= half; ++m) {
                const double angle = 2 * std::numbers::pi * (k * m % count) / count;
                even += formatted(" + {:.17f}{} * s{}", std::cos(angle), mSuffix, m);
                odd +=
                    formatted("{}{:.17f}{} * d{}", m > 1 ? " + " : "", std::sin(angle), mSuffix, m);
            }
            line("    {{ COMPLEX e = {};\n    COMPLEX o = turned({});", even, odd);
            line("    v{} = e + o; v{} = e - o; }}", at[k], at[count - k]);
        }
        line("    }}");
    }

    const uint32_t mRadix;
    const std::string_view mSuffix; ///< of literals
    std::string mText;
};

std::string bodyOf(const PlainFftKernel& kernel, std::string_view suffix) {
    switch (kernel.kind) {
    case PlainFftKernel::Kind::ePass:
        return PassBody(kernel.radix, suffix).text();
    case PlainFftKernel::Kind::eAnyPass:
        return std::string(kPlainAnyPass);
    case PlainFftKernel::Kind::eSpectrum:
        return std::string(kPlainSpectrum);
    case PlainFftKernel::Kind::eWiden:
        return std::string(kPlainWiden);
    case PlainFftKernel::Kind::eNarrow:
        return std::string(kPlainNarrow);
    case PlainFftKernel::Kind::eComplete:
        return std::string(kPlainComplete);
    default:
        return std::string(kPlainCopy);
    }
}

} // namespace

std::vector<uint32_t> PlainFftPush::words(FftRequest::Precision precision) const {
    std::vector<uint32_t> words = {count,    ofRow, inSpace, outSpace, before, inner,
                                   distance, radix, roots,   step,     inverse};
    for (const uint32_t by : {ofRow, before, inner, before * std::max(radix, 1u)}) {
        const Divider divider = Divider::of(std::max(by, 1u));
        words.push_back(divider.multiplier);
        words.push_back(divider.shift);
    }
    const uint64_t bits = precision == FftRequest::Precision::eDouble
                              ? std::bit_cast<uint64_t>(scale)
                              : std::bit_cast<uint32_t>(static_cast<float>(scale));
    words.push_back(static_cast<uint32_t>(bits));
    words.push_back(static_cast<uint32_t>(bits >> 32));
    return words;
}

std::string plainFftText(const PlainFftKernel& kernel, FftRequest::Precision precision,
                         bool hasInt64) {
    using Precision = FftRequest::Precision;
    const bool isDouble = precision == Precision::eDouble;
    const bool isHalf = precision == Precision::eHalf;
    // One access of 64 bits is faster than two, and compiled in two thirds of the time.
    const bool isWord = precision == Precision::eSingle && hasInt64;
    const char* const complex = isDouble ? "dvec2" : "vec2";
    const char* const real = isDouble ? "double" : "float";
    const char* const stored = isHalf ? "uint" : isWord ? "uint64_t" : complex;
    const char* const load = isHalf   ? "unpackHalf2x16(x)"
                             : isWord ? "uintBitsToFloat(unpackUint2x32(x))"
                                      : "x";
    const char* const store = isHalf   ? "packHalf2x16(x)"
                              : isWord ? "packUint2x32(floatBitsToUint(x))"
                                       : "x";
    std::string text = "#version 450\n";
    if (isWord)
        text += "#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require\n";
    text += formatted("layout(local_size_x = {}) in;\n", kPlainFftGroupSize);
    text += formatted("#define REAL {}\n#define COMPLEX {}\n", real, complex);
    text += formatted("#define LOAD(x) {}\n#define STORE(x) {}\n", load, store);
    text += formatted("#define ROOT(x) {}\n", isHalf ? "x" : "LOAD(x)");
    text += isDouble ? "#define SCALE packDouble2x32(uvec2(scaleLow, scaleHigh))\n"
                     : "#define SCALE uintBitsToFloat(scaleLow)\n";
    text += formatted("layout(binding = 0) readonly buffer Source {{ {} source[]; }};\n",
                      kernel.kind == PlainFftKernel::Kind::eWiden ? real : stored);
    text += formatted("layout(binding = 1) writeonly buffer Result {{ {} result[]; }};\n",
                      kernel.kind == PlainFftKernel::Kind::eNarrow ? real : stored);
    if (kernel.usesRoots())
        text += formatted("layout(binding = 2) readonly buffer Roots {{ {} table[]; }};\n",
                          isHalf ? complex : stored);
    text += kPlainHead;
    if (kernel.usesRoots())
        text += kPlainRoots;
    text += kPlainMain;
    text += bodyOf(kernel, isDouble ? "lf" : "");
    return text + "}\n";
}

std::vector<std::byte> plainFftRoots(uint64_t count, FftRequest::Precision precision) {
    std::vector<double> parts(2 * count);
    for (uint64_t p = 0; 2 * p <= count; ++p) {
        const double angle =
            2 * std::numbers::pi * static_cast<double>(p) / static_cast<double>(count);
        const uint64_t mirrored = (count - p) % count;
        parts[2 * p] = parts[2 * mirrored] = std::cos(angle);
        parts[2 * mirrored + 1] = std::sin(angle);
        parts[2 * p + 1] = -std::sin(angle);
    }
    if (precision == FftRequest::Precision::eDouble) {
        std::vector<std::byte> bytes(parts.size() * sizeof(double));
        std::memcpy(bytes.data(), parts.data(), bytes.size());
        return bytes;
    }
    const std::vector<float> floats(parts.begin(), parts.end());
    std::vector<std::byte> bytes(floats.size() * sizeof(float));
    std::memcpy(bytes.data(), floats.data(), bytes.size());
    return bytes;
}

} // namespace kp::vulkan
