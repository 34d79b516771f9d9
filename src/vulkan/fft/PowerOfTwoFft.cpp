// SPDX-License-Identifier: Apache-2.0
#include "vulkan/fft/PowerOfTwoFft.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>
#include <optional>
#include <string>
#include <utility>

#include "base/Text.hpp"

namespace kp::vulkan {
namespace {

constexpr uint64_t kComplexBytes = 8;

/// A dispatch that transforms arrays of `length` numbers, several per work group. It is Stockham's
/// algorithm: each invocation holds `points` numbers in registers, and between butterflies they
/// are exchanged through shared memory.
struct Pass {
    enum class Kind {
        eRows,    ///< whole arrays, one after the other
        eColumns, ///< first of two passes: columns of a matrix of `length` rows
        eTurned   ///< second of two: its rows, whose transforms become columns
    };
    Kind kind = Kind::eRows;
    uint32_t length = 0;
    uint32_t points = 0; ///< of an invocation: 8, 16 or 32
    uint32_t arrays = 0; ///< of a work group
    uint32_t steps = 1;  ///< of an exchange, of which each moves a part of an array
    uint32_t radix = 0;  ///< of the butterflies after the first ones, which have `points` numbers
    uint32_t others = 1; ///< the matrix's other extent, in two passes

    uint32_t invocations() const { return length / points; } ///< of an array
    uint32_t groupSize() const { return invocations() * arrays; }
    /// Of the butterflies after `before` numbers of each array are transformed.
    uint32_t radixAfter(uint32_t before) const {
        return std::min(before == 1 ? points : radix, length / before);
    }
    /// Numbers that are exchanged in a step.
    uint32_t stepLength() const { return length / steps; }
    /// Places between arrays in shared memory.
    uint32_t arrayPlaces() const {
        uint32_t places = 0;
        for (uint32_t before = 1; before < length; before *= radixAfter(before))
            places = std::max(places, Gaps(*this, before).placeOf(stepLength()));
        // What neighbouring invocations access of neighbouring arrays is in different banks, too.
        if (kind != Kind::eRows)
            while (places % kBanks != std::max(1u, kBanks / arrays) % kBanks)
                ++places;
        return places;
    }
    uint32_t sharedBytes() const {
        return arrayPlaces() * arrays * static_cast<uint32_t>(sizeof(float));
    }

    static constexpr uint32_t kBanks = 32;

    /// The gaps between an array's numbers in shared memory: after `period` numbers, `size` places
    /// are empty. So a subgroup's simultaneous accesses are in different banks. Of rows,
    /// invocations write numbers that are `before` apart, to blocks of before * radix numbers, and
    /// read neighbours. Of columns, they write numbers that are `points` apart.
    ///
    /// All places that an invocation accesses are constants away from the first one.
    struct Gaps {
        uint32_t period = 1;
        uint32_t size = 0;

        Gaps(const Pass& pass, uint32_t before) : period(pass.points), size(1) {
            if (pass.kind == Kind::eRows) {
                period = std::max(kBanks, before * pass.radixAfter(before));
                size = before < kBanks ? before : 0;
            }
        }
        uint32_t placeOf(uint32_t i) const { return i + i / period * size; }
    };
};

/// Writes the GLSL of a pass.
class PassText {
public:
    /// @param exact  there are as many arrays as all work groups have room for
    PassText(const Pass& pass, bool inverse, double scale, bool exact)
        : mPass(pass), mInverse(inverse), mScale(scale), mExact(exact) {}

    /// Returns the source. Called once.
    std::string text() {
        head();
        load();
        uint32_t before = 1; // length of the arrays that are transformed so far
        while (before < mPass.length) {
            const uint32_t radix = mPass.radixAfter(before);
            if (before > 1)
                rotate(before, radix);
            for (uint32_t b = 0; b < mPass.points / radix; ++b)
                butterfly(b, mPass.points / radix, radix);
            if (before * radix < mPass.length)
                exchange(before, radix);
            before *= radix;
        }
        store();
        return std::move(mText);
    }

private:
    template <typename... Arguments>
    void line(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
        mText += formatted(format, std::forward<Arguments>(arguments)...) + '\n';
    }

    void head();
    void load();
    void rotate(uint32_t before, uint32_t radix);
    void butterfly(uint32_t first, uint32_t step, uint32_t radix);
    void exchange(uint32_t before, uint32_t radix);
    void store();

    /// The index of number x of an invocation: they are as far apart as possible.
    std::string numberOf(uint32_t x) const {
        return formatted("(j + {}u)", x * mPass.invocations());
    }
    void butterfly4(const std::array<uint32_t, 4>& at);
    void butterfly2(uint32_t a, uint32_t b);
    /// Multiplies v[at] by exp(-2 pi i turn).
    void turn(uint32_t at, uint32_t numerator, uint32_t denominator);

    const Pass& mPass;
    const bool mInverse;
    const double mScale;
    const bool mExact;
    std::string mText;
};

/// Sine and cosine are sums of the first terms of their series, which err less than the rounding
/// of floats: functions of a GPU's shaders have fewer correct bits. A transform of the swapped
/// parts, with its parts swapped, is the inverse transform.
void PassText::head() {
    mText += "#version 450\n";
    line("layout(local_size_x = {}) in;", mPass.groupSize());
    line("layout(push_constant) uniform Push {{ uint count; }};"); // of arrays, or of matrices
    mText += "layout(binding = 0) readonly buffer Source { vec2 source[]; };\n"
             "layout(binding = 1) writeonly buffer Result { vec2 result[]; };\n";
    line("shared float places[{}];", mPass.arrayPlaces() * mPass.arrays);
    mText += R"(vec2 product(vec2 a, vec2 b) {
    return vec2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
// exp(i angle) of up to an eighth of a turn.
vec2 unit(float angle) {
    float q = angle * angle;
    float s = fma(fma(fma(fma(2.7557319e-06, q, -1.98412698e-04), q, 8.33333333e-03), q,
                      -1.66666667e-01) * q, angle, angle);
    float c = fma(fma(fma(fma(2.48015873e-05, q, -1.38888889e-03), q, 4.16666667e-02), q, -0.5), q,
                  1.0);
    return vec2(c, s);
}
// A turn by an eighth, backwards.
vec2 turnedEighth(vec2 a) {
    return 0.707106781 * vec2(a.x + a.y, a.y - a.x);
}
vec2 turnedQuarter(vec2 a) {
    return vec2(a.y, -a.x);
}
)";
    if (mPass.kind == Pass::Kind::eColumns) {
        const uint32_t all = mPass.length * mPass.others;
        line("// exp(-2 pi i p / {}).\nvec2 unitOf(uint p) {{\n    p &= {}u;", all, all - 1);
        line("    uint quarter = (p + {}u) / {}u;", all / 8, all / 4);
        line("    vec2 w = unit(float(int(p - quarter * {}u)) * {:.9g});", all / 4,
             -2 * std::numbers::pi / all);
        mText += "    w = (quarter & 1u) != 0u ? turnedQuarter(w) : w;\n"
                 "    return (quarter & 2u) != 0u ? -w : w;\n}\n";
    }
}

void PassText::load() {
    const uint32_t arrays = mPass.arrays;
    mText += "void main() {\n"
             "    uint t = gl_LocalInvocationIndex;\n"
             "    uint group = gl_WorkGroupID.x + gl_NumWorkGroups.x * gl_WorkGroupID.y;\n";
    line("    vec2 v[{}];", mPass.points);
    std::string step = "1u";
    if (mPass.kind == Pass::Kind::eColumns) { // neighbouring invocations read neighbouring columns
        line("    uint array = t % {}u;\n    uint j = t / {}u;", arrays, arrays);
        line("    uint matrix = group / {}u;", mPass.others / arrays);
        line("    uint column = group % {}u * {}u + array;", mPass.others / arrays, arrays);
        line("    uint start = matrix * {}u + column;", mPass.length * mPass.others);
        step = formatted("{}u", mPass.others);
    } else {
        line("    uint array = t / {}u;\n    uint j = t % {}u;", mPass.invocations(),
             mPass.invocations());
        if (mPass.kind == Pass::Kind::eRows) {
            line("    uint row = group * {}u + array;", arrays);
        } else {
            line("    uint matrix = group / {}u;", mPass.others / arrays);
            line("    uint firstRow = group % {}u * {}u;", mPass.others / arrays, arrays);
            line("    uint row = matrix * {}u + firstRow + array;", mPass.others);
        }
        line("    uint start = row * {}u;", mPass.length);
    }
    line("    bool exists = {};", mExact                            ? "true"
                                  : mPass.kind == Pass::Kind::eRows ? "row < count"
                                                                    : "matrix < count");
    mText += "    if (exists) {\n";
    for (uint32_t x = 0; x < mPass.points; ++x)
        line("        v[{}] = source[start + {} * {}]{};", x, numberOf(x), step,
             mInverse && mPass.kind != Pass::Kind::eTurned ? ".yx" : "");
    mText += "    }\n";
}

/// Multiplies number m of each butterfly by the m-th power of exp(-2 pi i k / (before radix)), k
/// the butterfly's place in its array. Powers 1, 2 and 4 are computed from angles of up to an
/// eighth of a turn, others are products of few of them, so that errors do not grow.
void PassText::rotate(uint32_t before, uint32_t radix) {
    const uint32_t butterflies = mPass.points / radix;
    const double angle = -2 * std::numbers::pi / (double(before) * radix);
    for (uint32_t b = 0; b < butterflies; ++b) {
        line("    {{\n    float k = float({} & {}u);\n    float middle = k - {}.0;", numberOf(b),
             before - 1, before / 2);
        // Of a range of n eighths of a turn, the middle is that many sixteenths.
        const auto power = [&](uint32_t m) {
            const double part = angle * m;
            switch (radix / m) { // turns in the range, inverse
            case 2:
                line("    vec2 w{} = unit(middle * {:.9g});\n    w{} = turnedQuarter(product(w{}, "
                     "w{}));",
                     m, part / 2, m, m, m);
                break;
            case 4:
                line("    vec2 w{} = turnedEighth(unit(middle * {:.9g}));", m, part);
                break;
            default:
                line("    vec2 w{} = unit(k * {:.9g});", m, part);
            }
        };
        power(1);
        if (radix >= 4)
            power(2);
        if (radix == 8)
            line("    vec2 w4 = product(w2, w2);");
        if (radix == 16)
            power(4);
        for (uint32_t m = 3; m < radix; ++m)
            if (m != 4) {
                const uint32_t high = std::bit_floor(m);
                if (m == high)
                    line("    vec2 w{} = product(w{}, w{});", m, m / 2, m / 2);
                else
                    line("    vec2 w{} = product(w{}, w{});", m, high, m - high);
            }
        for (uint32_t m = 1; m < radix; ++m) {
            const uint32_t at = b + m * butterflies;
            line("    v[{}] = product(v[{}], w{});", at, at, m);
        }
        line("    }}");
    }
}

void PassText::butterfly2(uint32_t a, uint32_t b) {
    line("    {{ vec2 a = v[{}], b = v[{}]; v[{}] = a + b; v[{}] = a - b; }}", a, b, a, b);
}

void PassText::butterfly4(const std::array<uint32_t, 4>& at) {
    const auto [a, b, c, d] = at;
    line("    {{ vec2 a = v[{}] + v[{}], b = v[{}] - v[{}], c = v[{}] + v[{}], d = "
         "turnedQuarter(v[{}] - v[{}]);",
         a, c, a, c, b, d, b, d);
    line("    v[{}] = a + c; v[{}] = b + d; v[{}] = a - c; v[{}] = b - d; }}", a, b, c, d);
}

void PassText::turn(uint32_t at, uint32_t numerator, uint32_t denominator) {
    if (8 * numerator == denominator)
        line("    v[{}] = turnedEighth(v[{}]);", at, at);
    else if (4 * numerator == denominator)
        line("    v[{}] = turnedQuarter(v[{}]);", at, at);
    else if (numerator != 0) {
        const double angle = 2 * std::numbers::pi * numerator / denominator;
        line("    v[{}] = product(v[{}], vec2({:.9g}, {:.9g}));", at, at, std::cos(angle),
             -std::sin(angle));
    }
}

/// Transforms v[first], v[first + step], ... in place.
void PassText::butterfly(uint32_t first, uint32_t step, uint32_t radix) {
    const auto at = [&](uint32_t m) { return first + m * step; };
    if (radix == 2)
        return butterfly2(at(0), at(1));
    if (radix == 4)
        return butterfly4({at(0), at(1), at(2), at(3)});
    // Columns of a matrix with four columns, then rows.
    const uint32_t rows = radix / 4;
    for (uint32_t i = 0; i < 4; ++i) {
        butterfly(at(i), 4 * step, rows);
        for (uint32_t k = 1; k < rows; ++k)
            turn(at(i + 4 * k), i * k, radix);
    }
    for (uint32_t k = 0; k < rows; ++k)
        butterfly4({at(4 * k), at(4 * k + 1), at(4 * k + 2), at(4 * k + 3)});
    // Number k + rows q is now at 4 k + q.
    mText += "    {\n";
    for (uint32_t m = 0; m < radix; ++m)
        line("    vec2 a{} = v[{}];", m, at(m % rows * 4 + m / rows));
    for (uint32_t m = 0; m < radix; ++m)
        line("    v[{}] = a{};", at(m), m);
    mText += "    }\n";
}

/// Brings the numbers of all butterflies to those that the invocations transform next.
void PassText::exchange(uint32_t before, uint32_t radix) {
    const Pass::Gaps gaps(mPass, before);
    const uint32_t butterflies = mPass.points / radix;
    const uint32_t length = mPass.stepLength();
    const uint32_t stepPoints = mPass.points / mPass.steps;
    const auto place = [&](const std::string& i) {
        return formatted(
            "array * {}u + {}", mPass.arrayPlaces(),
            gaps.size == 0 ? i : formatted("{} + {} / {}u * {}u", i, i, gaps.period, gaps.size));
    };
    mText += "    {\n";
    for (uint32_t b = 0; b < butterflies; ++b) {
        line("    uint number{} = ({} & {}u) * {}u + ({} & {}u);", b, numberOf(b), ~(before - 1),
             radix, numberOf(b), before - 1);
        line("    uint to{} = number{} & {}u;", b, b, length - 1);
        line("    to{} = {};", b, place(formatted("to{}", b)));
    }
    if (before == 1 && mPass.kind == Pass::Kind::eTurned) {
        // From here on, neighbouring invocations have neighbouring arrays, as they write.
        line("    array = t % {}u;\n    j = t / {}u;", mPass.arrays, mPass.arrays);
    }
    line("    uint from = {};", place("j"));
    line("    float read[{}];", mPass.points);
    for (const char* part : {".x", ".y"}) {
        for (uint32_t step = 0; step < mPass.steps; ++step) {
            if (before > 1 || step > 0 || part[1] == 'y')
                mText += "    barrier();\n";
            for (uint32_t b = 0; b < butterflies; ++b) {
                line("    if ({}) {{", mPass.steps == 1
                                           ? std::string("true")
                                           : formatted("number{} / {}u == {}u", b, length, step));
                for (uint32_t m = 0; m < radix; ++m)
                    line("        places[to{} + {}u] = v[{}]{};", b, gaps.placeOf(m * before),
                         b + m * butterflies, part);
                mText += "    }\n";
            }
            mText += "    barrier();\n";
            for (uint32_t x = 0; x < stepPoints; ++x)
                line("    read[{}] = places[from + {}u];", step * stepPoints + x,
                     gaps.placeOf(x * mPass.invocations()));
        }
        // Only now: until then, an invocation keeps its writes of the last step.
        for (uint32_t x = 0; x < mPass.points; ++x)
            line("    v[{}]{} = read[{}];", x, part, x);
    }
    mText += "    }\n";
}

void PassText::store() {
    std::string scale = mScale == 1 ? "" : formatted(" * {:.9g}", mScale);
    if (mPass.kind == Pass::Kind::eColumns) {
        // Number x of the transform of a column is multiplied by exp(-2 pi i x column / all).
        line("    vec2 w[{}];\n    w[0] = unitOf(j * column);", mPass.points);
        for (uint32_t bit = 1; bit < mPass.points; bit *= 2) {
            line("    {{ vec2 f = unitOf({}u * column);", bit * mPass.invocations());
            for (uint32_t i = 0; i < bit; ++i)
                line("    w[{}] = product(w[{}], f);", i + bit, i);
            line("    }}");
        }
        for (uint32_t x = 0; x < mPass.points; ++x)
            line("    v[{}] = product(v[{}], w[{}]);", x, x, x);
        scale = "";
    }
    const bool isLast = mPass.kind != Pass::Kind::eColumns;
    mText += "    if (exists) {\n";
    for (uint32_t x = 0; x < mPass.points; ++x) {
        const std::string value = formatted("v[{}]{}{}", x, mInverse && isLast ? ".yx" : "", scale);
        if (mPass.kind == Pass::Kind::eTurned)
            line("        result[matrix * {}u + {} * {}u + firstRow + array] = {};",
                 mPass.length * mPass.others, numberOf(x), mPass.others, value);
        else if (mPass.kind == Pass::Kind::eColumns)
            line("        result[start + {} * {}u] = {};", numberOf(x), mPass.others, value);
        else
            line("        result[start + {}] = {};", numberOf(x), value);
    }
    mText += "    }\n}\n";
}

/// How arrays of a length are transformed. GB/s of input and output, of 2^26 numbers in all, by the
/// shaders alone, on an H200 whose memory copies 4,280.
///
/// The work groups that a core runs at the same time share 48 KiB there, see
/// kompute_benchmark_shared_memory. So real and imaginary parts are exchanged one after the other,
/// and many in two steps, each in half as much shared memory. That pays only where registers, too,
/// have room for a second group: up to 64 of 512 invocations or 128 of 256. The driver keeps to
/// that where it can: with constant distances between an invocation's places in shared memory, and
/// butterflies of 8 numbers, of which sines and cosines take fewer registers.
///
/// All that a butterfly writes must belong to one step.
struct Rule {
    uint32_t length;
    uint32_t points;
    uint32_t arrays;
    uint32_t steps;
    uint32_t radix;
};

/// Whole arrays. Shorter ones are VkFFT's, which was not slower.
constexpr Rule kRows[] = {
    {1 << 8, 8, 4, 1, 8},    // 4,150
    {1 << 9, 16, 4, 1, 16},  // 4,150
    {1 << 10, 16, 2, 1, 16}, // 4,160
    {1 << 11, 16, 1, 1, 16}, // 4,160
    {1 << 12, 16, 1, 2, 8},  // 4,160; 3,950 in one step
    {1 << 13, 32, 1, 2, 16}, // 4,110; 3,950 with 16 points, 2,940 with these in one step
    {1 << 14, 32, 1, 4, 8},  // 3,080: one group per core; 2,970 with 16 points, VkFFT's 2,840
};

/// Both passes of arrays of length^2 numbers, and one pass for length^2 / 2 and 2 length^2.
/// Groups of fewer arrays read and write lines of less than 64 bytes. Of more, fewer run at a time.
constexpr Rule kPasses[] = {
    {1 << 7, 16, 16, 1, 16}, // of 2^15, 2,070; 2,020 with 8 arrays
    {1 << 8, 16, 16, 2, 8},  // 2,060; 2,020 with 8 arrays
    {1 << 9, 16, 8, 2, 8},   // 2,010; 1,940 in one step, 1,760 with 16 arrays, 1,640 with 4
    {1 << 10, 16, 8, 2, 8},  // 1,730; 1,680 in one step, 1,630 with 4 arrays
    {1 << 11, 32, 4, 2, 16}, // 1,420; 1,360 with 16 points
};

constexpr uint32_t kNvidia = 0x10DE;
constexpr uint64_t kFirstInTwo = uint64_t{1} << 15;

template <size_t N>
std::optional<Pass> passOf(const Rule (&rules)[N], uint64_t length, Pass::Kind kind,
                           uint64_t others, const FftLimits& limits) {
    for (const Rule& rule : rules) {
        if (rule.length != length)
            continue;
        Pass pass;
        pass.kind = kind;
        pass.length = rule.length;
        pass.points = rule.points;
        pass.arrays = rule.arrays;
        pass.steps = rule.steps;
        pass.radix = rule.radix;
        pass.others = static_cast<uint32_t>(others);
        if (pass.sharedBytes() <= limits.sharedBytes &&
            pass.groupSize() <= std::min(limits.maxGroupInvocations, limits.maxGroupSize[0]))
            return pass;
    }
    return std::nullopt;
}

/// Adds a pass over all arrays of the request.
/// @return false if there are too many for one dispatch
bool addPass(FftProgram& program, const Pass& pass, const FftRequest& request,
             const FftLimits& limits, uint32_t from, uint32_t to) {
    const bool isLast = pass.kind != Pass::Kind::eColumns;
    const double scale = request.inverse && request.normalized && isLast
                             ? 1 / static_cast<double>(request.extents[0])
                             : 1;
    const uint64_t all = request.batches * (pass.kind == Pass::Kind::eRows ? 1 : pass.others);
    const uint64_t groups = (all + pass.arrays - 1) / pass.arrays;
    const uint64_t across = std::min<uint64_t>(groups, limits.maxGroupCount[0]);
    const uint64_t down = (groups + across - 1) / across;
    if (request.batches > UINT32_MAX || down > limits.maxGroupCount[1])
        return false;
    FftProgram::Dispatch dispatch;
    dispatch.kernel = static_cast<uint32_t>(program.kernels.size());
    const uint64_t bytes = request.batches * request.extents[0] * kComplexBytes;
    dispatch.bindings = {{from, 0, bytes, false}, {to, 0, bytes, true}};
    dispatch.push = {static_cast<uint32_t>(request.batches)};
    dispatch.groups = {static_cast<uint32_t>(across), static_cast<uint32_t>(down), 1};
    const bool exact = all == across * down * pass.arrays;
    program.kernels.push_back(PassText(pass, request.inverse, scale, exact).text());
    program.steps.push_back(std::move(dispatch));
    return true;
}

} // namespace

FftProgram planPowerOfTwoFft(const FftRequest& request, const FftLimits& limits) {
    // Measured on NVIDIA's alone.
    if (limits.vendor != kNvidia || request.precision != FftRequest::Precision::eSingle ||
        request.real || request.extents.size() != 1 || !std::has_single_bit(request.extents[0]))
        return {};
    const uint64_t length = request.extents[0];
    const uint32_t input = request.inPlace ? FftProgram::kOutput : FftProgram::kInput;
    FftProgram program;
    program.memoryBytes.assign(2, request.batches * length * kComplexBytes);
    if (const auto rows = passOf(kRows, length, Pass::Kind::eRows, 1, limits))
        return addPass(program, *rows, request, limits, input, FftProgram::kOutput) ? program
                                                                                    : FftProgram{};
    if (length < kFirstInTwo)
        return {};
    const uint64_t first = uint64_t{1} << (std::bit_width(length) - 1) / 2;
    const uint64_t second = length / first;
    const auto columns = passOf(kPasses, first, Pass::Kind::eColumns, second, limits);
    const auto turned = passOf(kPasses, second, Pass::Kind::eTurned, first, limits);
    if (!columns || !turned)
        return {};
    constexpr uint32_t kBetween = 2;
    program.memoryBytes.push_back(program.memoryBytes[0]);
    if (!addPass(program, *columns, request, limits, input, kBetween) ||
        !addPass(program, *turned, request, limits, kBetween, FftProgram::kOutput))
        return {};
    return program;
}

} // namespace kp::vulkan
