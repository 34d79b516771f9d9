// SPDX-License-Identifier: Apache-2.0
//
// Elementwise functions and operators: values against the host, types, and broadcasting.
#include "ArraySupport.hpp"

#include <functional>
#include <limits>
#include <string>

namespace kp::test {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

class ElementwiseArrayTest : public ArrayTest {};

/// The power series: the standard library of some compilers lacks std::cyl_bessel_i.
double besselI0(double x) {
    double term = 1, sum = 1;
    for (int k = 1; k < 200; k++)
        sum += term *= x * x / (4.0 * k * k);
    return sum;
}

struct Unary {
    const char* name;
    Array (*device)(const Operand&);
    double (*host)(double);
};

const Unary kUnary[] = {
    {"abs", abs, [](double x) { return std::abs(x); }},
    {"sqrt", sqrt, [](double x) { return std::sqrt(x); }},
    {"square", square, [](double x) { return x * x; }},
    {"reciprocal", reciprocal, [](double x) { return 1 / x; }},
    {"negative", negative, [](double x) { return -x; }},
    {"positive", positive, [](double x) { return x; }},
    {"sign", sign, [](double x) { return std::isnan(x) ? x : double(x > 0) - double(x < 0); }},
    {"floor", floor, [](double x) { return std::floor(x); }},
    {"ceil", ceil, [](double x) { return std::ceil(x); }},
    {"trunc", trunc, [](double x) { return std::trunc(x); }},
    {"round", round, [](double x) { return std::nearbyint(x); }},
    {"exp", exp, [](double x) { return std::exp(x); }},
    {"exp2", exp2, [](double x) { return std::exp2(x); }},
    {"expm1", expm1, [](double x) { return std::expm1(x); }},
    {"log", log, [](double x) { return std::log(x); }},
    {"log2", log2, [](double x) { return std::log2(x); }},
    {"log10", log10, [](double x) { return std::log10(x); }},
    {"log1p", log1p, [](double x) { return std::log1p(x); }},
    {"sin", sin, [](double x) { return std::sin(x); }},
    {"cos", cos, [](double x) { return std::cos(x); }},
    {"tan", tan, [](double x) { return std::tan(x); }},
    {"asin", asin, [](double x) { return std::asin(x); }},
    {"acos", acos, [](double x) { return std::acos(x); }},
    {"atan", atan, [](double x) { return std::atan(x); }},
    {"sinh", sinh, [](double x) { return std::sinh(x); }},
    {"cosh", cosh, [](double x) { return std::cosh(x); }},
    {"tanh", tanh, [](double x) { return std::tanh(x); }},
    {"asinh", asinh, [](double x) { return std::asinh(x); }},
    {"acosh", acosh, [](double x) { return std::acosh(x); }},
    {"atanh", atanh, [](double x) { return std::atanh(x); }},
    {"cbrt", cbrt, [](double x) { return std::cbrt(x); }},
    {"erf", erf, [](double x) { return std::erf(x); }},
    {"erfc", erfc, [](double x) { return std::erfc(x); }},
    {"gamma", gamma, [](double x) { return std::tgamma(x); }},
    {"lgamma", kp::lgamma, [](double x) { return std::lgamma(x); }},
    {"i0", i0, besselI0},
    {"conj", conj, [](double x) { return x; }},
    {"deg2rad", deg2rad, [](double x) { return x * 3.14159265358979323846 / 180; }},
    {"rad2deg", rad2deg, [](double x) { return x * 180 / 3.14159265358979323846; }},
};

TEST_F(ElementwiseArrayTest, FunctionsOfOneFloatAreThoseOfTheHost) {
    const std::vector<float> values{-2.5f, -1.5f, -1.0f, -0.75f, -0.5f, 0.0f, 0.25f,
                                    0.5f,  0.9f,  1.0f,  1.5f,   2.5f,  10.0f};
    const Array x = of(values);
    for (const Unary& function : kUnary) {
        SCOPED_TRACE(function.name);
        std::vector<double> expected;
        for (const float value : values)
            expected.push_back(function.host(static_cast<double>(value)));
        expectNear<float>(function.device(x), expected, 5e-6);
    }
}

TEST_F(ElementwiseArrayTest, RemaindersByDenormalDoublesEnd) {
    if (!has(DType::eFloat64))
        GTEST_SKIP() << "the device has no float64";
    const std::vector<double> x{1e300, 1.0, 5.0, -7e-310, 1e-323, 3e-308};
    const std::vector<double> y{5e-324, 3e-323, 1e-310, 2e-310, 2e-323, 1e-308};
    std::vector<double> expected;
    for (size_t i = 0; i < x.size(); ++i)
        expected.push_back(std::fmod(x[i], y[i]));
    expectRow<double>(fmod(of(x), of(y)), expected);
}

TEST_F(ElementwiseArrayTest, FunctionsOfOneDoubleAreThoseOfTheHost) {
    if (!has(DType::eFloat64))
        GTEST_SKIP() << "the device has no float64";
    const std::vector<double> values{-2.5, -1.0, -0.3, 0.0, 0.7, 1.5, 100.25};
    const Array x = of(values);
    for (const Unary& function : kUnary) {
        SCOPED_TRACE(function.name);
        std::vector<double> expected;
        for (const double value : values)
            expected.push_back(function.host(value));
        expectNear<double>(function.device(x), expected, 1e-13);
    }
    expectNear<double>(sqrt(of<double>({1e300})), {1e150}, 1e-15);
}

TEST_F(ElementwiseArrayTest, OperatorsOfIntegersWrapAndDivideAsNumPy) {
    const std::vector<int32_t> a{7, -7, 7, -7, 0, 2147483647};
    const std::vector<int32_t> b{2, 2, -2, -2, 3, 1};
    const Array x = of(a);
    const Array y = of(b);
    expectRow<int32_t>(x + y, {9, -5, 5, -9, 3, -2147483647 - 1});
    expectRow<int32_t>(x - y, {5, -9, 9, -5, -3, 2147483646});
    expectRow<int32_t>(x * y, {14, -14, -14, 14, 0, 2147483647});
    expectRow<int32_t>(floorDivide(x, y), {3, -4, -4, 3, 0, 2147483647});
    expectRow<int32_t>(x % y, {1, 1, -1, -1, 0, 0});
    expectRow<int32_t>(fmod(x, y), {1, -1, 1, -1, 0, 0});
    expectRow<int32_t>(x & y, {2, 0, 6, -8, 0, 1});
    expectRow<int32_t>(x | y, {7, -5, -1, -1, 3, 2147483647});
    expectRow<int32_t>(x ^ y, {5, -5, -7, 7, 3, 2147483646});
    expectRow<int32_t>(-x, {-7, 7, -7, 7, 0, -2147483647});
    expectRow<int32_t>(~x, {-8, 6, -8, 6, -1, -2147483647 - 1});
    expectRow<int32_t>(x << 1, {14, -14, 14, -14, 0, -2});
    expectRow<int32_t>(x >> 1, {3, -4, 3, -4, 0, 1073741823});
    expectRow<int32_t>(x << 40, {0, 0, 0, 0, 0, 0});
    expectRow<int32_t>(minimum(x, y), {2, -7, -2, -7, 0, 1});
    expectRow<int32_t>(maximum(x, y), {7, 2, 7, -2, 3, 2147483647});
    expectRow<int32_t>(gcd(x, y), {1, 1, 1, 1, 3, 1});
    expectRow<bool>(!x, {false, false, false, false, true, false});
    const Array small = of<int32_t>({0, 1, 3, -3});
    expectRow<int32_t>(pow(small, 3), {0, 1, 27, -27});
    EXPECT_ERROR(InvalidArgument, "negative integer powers", pow(small, -1));
    EXPECT_ERROR(InvalidArgument, "negative integer powers", pow(small, small));
}

TEST_F(ElementwiseArrayTest, IntegersDividedByZeroAreZero) {
    const Array x = of<int32_t>({5, -5, 0});
    expectRow<int32_t>(floorDivide(x, 0), {0, 0, 0});
    expectRow<int32_t>(x % 0, {0, 0, 0});
}

TEST_F(ElementwiseArrayTest, SmallIntegersWrap) {
    expectRow<uint8_t>(of<uint8_t>({250, 5}) + of<uint8_t>({10, 10}), {4, 15});
    expectRow<uint8_t>(of<uint8_t>({1, 5}) - of<uint8_t>({2, 1}), {255, 4});
    expectRow<int8_t>(of<int8_t>({127, -128}) + of<int8_t>({1, -1}), {-128, 127});
    expectRow<int16_t>(of<int16_t>({300}) * of<int16_t>({300}), {24464});
}

TEST_F(ElementwiseArrayTest, TwoFloatsGiveTheHostsValues) {
    const std::vector<float> a{1.5f, -1.5f, 0.0f, 4.0f, 7.5f};
    const std::vector<float> b{2.0f, 2.0f, 3.0f, -0.5f, 2.0f};
    const Array x = of(a);
    const Array y = of(b);
    const auto expected = [&](const std::function<double(double, double)>& function) {
        std::vector<double> values;
        for (size_t i = 0; i < a.size(); ++i)
            values.push_back(function(static_cast<double>(a[i]), static_cast<double>(b[i])));
        return values;
    };
    expectNear<float>(x / y, expected([](double p, double q) { return p / q; }));
    expectNear<float>(pow(x, y), expected([](double p, double q) { return std::pow(p, q); }));
    expectNear<float>(hypot(x, y), expected([](double p, double q) { return std::hypot(p, q); }));
    expectNear<float>(atan2(x, y), expected([](double p, double q) { return std::atan2(p, q); }));
    expectNear<float>(fmod(x, y), expected([](double p, double q) { return std::fmod(p, q); }));
    expectNear<float>(x % y,
                      expected([](double p, double q) { return p - q * std::floor(p / q); }));
    expectNear<float>(floorDivide(x, y),
                      expected([](double p, double q) { return std::floor(p / q); }));
    expectNear<float>(copysign(x, y),
                      expected([](double p, double q) { return std::copysign(p, q); }));
    expectNear<float>(logaddexp(x, y), expected([](double p, double q) {
                          return std::log(std::exp(p) + std::exp(q));
                      }));
    expectNear<float>(heaviside(x, y), expected([](double p, double q) {
                          return p < 0 ? 0 : p > 0 ? 1 : q;
                      }));
    expectRow<float>(nextafter(of<float>({1.0f}), 2), {std::nextafter(1.0f, 2.0f)});
}

TEST_F(ElementwiseArrayTest, NanAndInfinityAreNumPys) {
    const auto nan = static_cast<float>(kNaN);
    const auto infinity = static_cast<float>(kInfinity);
    const Array x = of<float>({nan, infinity, -infinity, 1.0f, -0.0f});
    expectRow<bool>(isnan(x), {true, false, false, false, false});
    expectRow<bool>(isinf(x), {false, true, true, false, false});
    expectRow<bool>(isfinite(x), {false, false, false, true, true});
    expectRow<bool>(x == x, {false, true, true, true, true});
    expectRow<bool>(x != x, {true, false, false, false, false});
    expectRow<bool>(signbit(of<float>({-0.0f, 0.0f, -1.0f})), {true, false, true});
    expectNear<float>(minimum(x, 0), {kNaN, 0, -kInfinity, 0, 0});
    expectNear<float>(fmin(x, 0), {0, 0, -kInfinity, 0, 0});
    expectNear<float>(fmax(x, 0), {0, kInfinity, 0, 1, 0});
    expectNear<float>(x / 0, {kNaN, kInfinity, -kInfinity, kInfinity, kNaN});
}

TEST_F(ElementwiseArrayTest, ComparisonsOfNumbersOutOfRangeAreTrueOrFalse) {
    const Array x = of<uint8_t>({0, 100, 255});
    expectRow<bool>(x < 256, {true, true, true});
    expectRow<bool>(x > 256, {false, false, false});
    expectRow<bool>(x >= -1, {true, true, true});
    expectRow<bool>(x == -1, {false, false, false});
    expectRow<bool>(x != 1000, {true, true, true});
    expectRow<bool>(256 > x, {true, true, true});
    expectRow<bool>(-1 < x, {true, true, true});
    expectRow<bool>(100 <= x, {false, true, true});
    EXPECT_ERROR(InvalidArgument, "the integer 256 is out of bounds for uint8", x + 256);
}

TEST_F(ElementwiseArrayTest, Int64AndUint64AreComparedAsTheyAre) {
    if (!has(DType::eInt64))
        GTEST_SKIP() << "the device has no int64";
    const Array x = of<int64_t>({-1, 0, 5, INT64_MAX});
    const Array y = of<uint64_t>({UINT64_MAX, 0, 4, uint64_t{1} << 63});
    expectRow<bool>(x < y, {true, false, false, true});
    expectRow<bool>(x <= y, {true, true, false, true});
    expectRow<bool>(x == y, {false, true, false, false});
    expectRow<bool>(x != y, {true, false, true, true});
    expectRow<bool>(y > x, {true, false, false, true});
    expectRow<bool>(y >= x, {true, true, false, true});
    expectRow<bool>(y < x, {false, false, true, false});
}

TEST_F(ElementwiseArrayTest, TypesPromoteAsNumPys) {
    const auto type = [](const Array& x) { return std::string(toString(x.dtype())); };
    const Array i8 = of<int8_t>({1});
    const Array u8 = of<uint8_t>({1});
    const Array i32 = of<int32_t>({1});
    const Array f32 = of<float>({1});
    const Array flag = of<bool>({true});
    EXPECT_EQ(type(i8 + u8), "int16");
    EXPECT_EQ(type(u8 + i32), "int32");
    EXPECT_EQ(type(flag + i8), "int8");
    EXPECT_EQ(type(i8 + f32), "float32");
    EXPECT_EQ(type(f32 > i8), "bool");
    EXPECT_EQ(type(u8 + 1), "uint8");
    EXPECT_EQ(type(f32 * 2), "float32");
    EXPECT_EQ(type(f32 * 0.1), "float32");
    EXPECT_EQ(type(f32 * Operand(DType::eFloat32, 2)), "float32");
    if (defaultFloat(manager) == DType::eFloat64) {
        EXPECT_EQ(type(i32 / i32), "float64");
        EXPECT_EQ(type(i32 + f32), "float64");
        EXPECT_EQ(type(f32 * Operand(DType::eFloat64, 2)), "float64");
    }
    if (has(DType::eInt64)) {
        EXPECT_EQ(type(of<uint32_t>({1}) + i32), "int64");
        EXPECT_EQ(type(flag + flag), "bool");
        EXPECT_EQ(type(sum(i8)), "int64");
        EXPECT_EQ(type(sum(u8)), "uint64");
    }
    EXPECT_ERROR(InvalidArgument, "subtract", flag - flag);
    EXPECT_ERROR(InvalidArgument, "bitwise", f32 & f32);
}

TEST_F(ElementwiseArrayTest, ShapesBroadcast) {
    const Array column = of<int32_t>({0, 10, 20}, {3, 1});
    const Array row = of<int32_t>({1, 2});
    expectArray<int32_t>(column + row, {3, 2}, {1, 2, 11, 12, 21, 22});
    expectArray<int32_t>(column(0) + row, {2}, {1, 2});
    EXPECT_EQ(toString((column + zeros({0, 3, 1}, DType::eInt32, &manager)).shape()), "(0, 3, 1)");
    EXPECT_ERROR(InvalidArgument, "(3, 1) (2, 2)", column + zeros({2, 2}, DType::eInt32, &manager));
}

TEST_F(ElementwiseArrayTest, WhereAndClipChoose) {
    const Array x = of<float>({-2, -1, 0, 1, 2});
    expectRow<float>(where(x > 0, x, 0), {0, 0, 0, 1, 2});
    expectRow<float>(where(x > 0, Operand(DType::eFloat32, 1.5), -1), {-1, -1, -1, 1.5f, 1.5f});
    expectRow<float>(clip(x, -1, 1.5), {-1, -1, 0, 1, 1.5f});
    expectRow<int32_t>(clip(of<int32_t>({-5, 3, 9}), 0, 5), {0, 3, 5});
}

TEST_F(ElementwiseArrayTest, GlslIsComputedForEachElement) {
    const Array x = of<float>({1, 2, 3});
    const Array y = of<float>({10, 20, 30});
    expectRow<float>(glsl("fma({0}, {1}, 1.0)", DType::eFloat32, {x, y}), {11, 41, 91});
    EXPECT_ERROR(InvalidArgument, "has a type", glsl("{0} + {1}", DType::eFloat32, {x, 1}));
    EXPECT_ERROR(InvalidArgument, "no elementwise function 'sine'", apply("sine", {x}));
    expectRow<float>(apply("add", {x, 1}), {2, 3, 4});
}

TEST_F(ElementwiseArrayTest, HalvesAreComputedAsFloats) {
    if (!has(DType::eFloat16))
        GTEST_SKIP() << "the device has no float16";
    const Array x = of<float>({1.0f, 1.5f, 2048.0f}).astype(DType::eFloat16);
    expectNear<float>((x + 1).astype(DType::eFloat32), {2, 2.5, 2048});
    EXPECT_EQ(toString(sqrt(x).dtype()), std::string("float16"));
}

TEST_F(ElementwiseArrayTest, ComplexNumbersMultiply) {
    const float parts[] = {1, 2, 0, -1};
    const Array x = Array::ofBytes(parts, 2, DType::eComplex64, {2}, &manager);
    expectRow<float>(real(x * x), {-3, -1});
    expectRow<float>(imag(x * x), {4, 0});
    expectRow<float>(imag(conj(x)), {-2, 1});
    expectNear<float>(abs(x), {std::sqrt(5.0), 1});
    expectRow<float>(imag(x * Operand::complex(0, 1)), {1, 0});
    EXPECT_ERROR(Unsupported, "less of complex64", static_cast<void>(x < x));
}

} // namespace
} // namespace kp::test
