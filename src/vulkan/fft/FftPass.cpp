// SPDX-License-Identifier: Apache-2.0
#include "vulkan/fft/FftPass.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <numbers>
#include <utility>

#include "base/Text.hpp"

namespace kp::vulkan {
namespace {

/// Writes the GLSL of a pass.
class FftPassText {
public:
    /// @param exact  there are as many arrays as all work groups have room for
    FftPassText(const FftPass& pass, bool inverse, double scale, bool exact)
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

    const FftPass& mPass;
    const bool mInverse;
    const double mScale;
    const bool mExact;
    std::string mText;
};

/// Sine and cosine are sums of the first terms of their series, which err less than the rounding
/// of floats: functions of a GPU's shaders have fewer correct bits. A transform of the swapped
/// parts, with its parts swapped, is the inverse transform.
void FftPassText::head() {
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
    if (mPass.kind == FftPass::Kind::eColumns) {
        const uint32_t all = mPass.length * mPass.others;
        line("// exp(-2 pi i p / {}).\nvec2 unitOf(uint p) {{\n    p &= {}u;", all, all - 1);
        line("    uint quarter = (p + {}u) / {}u;", all / 8, all / 4);
        line("    vec2 w = unit(float(int(p - quarter * {}u)) * {:.9g});", all / 4,
             -2 * std::numbers::pi / all);
        mText += "    w = (quarter & 1u) != 0u ? turnedQuarter(w) : w;\n"
                 "    return (quarter & 2u) != 0u ? -w : w;\n}\n";
    }
}

void FftPassText::load() {
    const uint32_t arrays = mPass.arrays;
    mText += "void main() {\n"
             "    uint t = gl_LocalInvocationIndex;\n"
             "    uint group = gl_WorkGroupID.x + gl_NumWorkGroups.x * gl_WorkGroupID.y;\n";
    line("    vec2 v[{}];", mPass.points);
    std::string step = "1u";
    if (mPass.kind ==
        FftPass::Kind::eColumns) { // neighbouring invocations read neighbouring columns
        line("    uint array = t % {}u;\n    uint j = t / {}u;", arrays, arrays);
        line("    uint matrix = group / {}u;", mPass.others / arrays);
        line("    uint column = group % {}u * {}u + array;", mPass.others / arrays, arrays);
        line("    uint start = matrix * {}u + column;", mPass.length * mPass.others);
        step = formatted("{}u", mPass.others);
    } else {
        line("    uint array = t / {}u;\n    uint j = t % {}u;", mPass.invocations(),
             mPass.invocations());
        if (mPass.kind == FftPass::Kind::eRows) {
            line("    uint row = group * {}u + array;", arrays);
        } else {
            line("    uint matrix = group / {}u;", mPass.others / arrays);
            line("    uint firstRow = group % {}u * {}u;", mPass.others / arrays, arrays);
            line("    uint row = matrix * {}u + firstRow + array;", mPass.others);
        }
        line("    uint start = row * {}u;", mPass.length);
    }
    line("    bool exists = {};", mExact                               ? "true"
                                  : mPass.kind == FftPass::Kind::eRows ? "row < count"
                                                                       : "matrix < count");
    mText += "    if (exists) {\n";
    for (uint32_t x = 0; x < mPass.points; ++x)
        line("        v[{}] = source[start + {} * {}]{};", x, numberOf(x), step,
             mInverse && mPass.kind != FftPass::Kind::eTurned ? ".yx" : "");
    mText += "    }\n";
}

/// Multiplies number m of each butterfly by the m-th power of exp(-2 pi i k / (before radix)), k
/// the butterfly's place in its array. Powers 1, 2 and 4 are computed from angles of up to an
/// eighth of a turn, others are products of few of them, so that errors do not grow.
void FftPassText::rotate(uint32_t before, uint32_t radix) {
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

void FftPassText::butterfly2(uint32_t a, uint32_t b) {
    line("    {{ vec2 a = v[{}], b = v[{}]; v[{}] = a + b; v[{}] = a - b; }}", a, b, a, b);
}

void FftPassText::butterfly4(const std::array<uint32_t, 4>& at) {
    const auto [a, b, c, d] = at;
    line("    {{ vec2 a = v[{}] + v[{}], b = v[{}] - v[{}], c = v[{}] + v[{}], d = "
         "turnedQuarter(v[{}] - v[{}]);",
         a, c, a, c, b, d, b, d);
    line("    v[{}] = a + c; v[{}] = b + d; v[{}] = a - c; v[{}] = b - d; }}", a, b, c, d);
}

void FftPassText::turn(uint32_t at, uint32_t numerator, uint32_t denominator) {
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
void FftPassText::butterfly(uint32_t first, uint32_t step, uint32_t radix) {
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
void FftPassText::exchange(uint32_t before, uint32_t radix) {
    const FftPass::Gaps gaps(mPass, before);
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
    if (before == 1 && mPass.kind == FftPass::Kind::eTurned) {
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

void FftPassText::store() {
    std::string scale = mScale == 1 ? "" : formatted(" * {:.9g}", mScale);
    if (mPass.kind == FftPass::Kind::eColumns) {
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
    const bool isLast = mPass.kind != FftPass::Kind::eColumns;
    mText += "    if (exists) {\n";
    for (uint32_t x = 0; x < mPass.points; ++x) {
        const std::string value = formatted("v[{}]{}{}", x, mInverse && isLast ? ".yx" : "", scale);
        if (mPass.kind == FftPass::Kind::eTurned)
            line("        result[matrix * {}u + {} * {}u + firstRow + array] = {};",
                 mPass.length * mPass.others, numberOf(x), mPass.others, value);
        else if (mPass.kind == FftPass::Kind::eColumns)
            line("        result[start + {} * {}u] = {};", numberOf(x), mPass.others, value);
        else
            line("        result[start + {}] = {};", numberOf(x), value);
    }
    mText += "    }\n}\n";
}

} // namespace

std::string fftPassText(const FftPass& pass, bool inverse, double scale, bool exact) {
    return FftPassText(pass, inverse, scale, exact).text();
}

} // namespace kp::vulkan
