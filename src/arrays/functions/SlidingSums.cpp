// SPDX-License-Identifier: Apache-2.0
#include "arrays/functions/SlidingSums.hpp"

#include <array>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arrays/engine/ElementKernel.hpp"
#include "arrays/engine/KernelText.hpp"
#include "arrays/memory/Home.hpp"
#include "base/Text.hpp"

namespace kp::arrays {
namespace {

constexpr uint64_t kSlidingSums = 'c';

/// Elements of v that a work group shares, and sums before they are added to the total. Together
/// with a part of a, they stay within the 16 KiB that every device has.
constexpr uint32_t kShared = 128;

/// Sums of an invocation, which it keeps in registers, as it does their elements: each element of a
/// and v that it loads is used for all of them.
constexpr uint32_t kMostEach = 8;

/// Work groups that keep a device busy. A CPU driver runs one per core.
constexpr int64_t kGpuGroups = 264;
constexpr int64_t kCpuGroups = 8;

uint32_t sumsEach(int64_t count, DType dtype, const Rules& rules) {
    const int64_t wanted = rules.trees ? kGpuGroups : kCpuGroups;
    uint32_t each = dtype == DType::eComplex128 ? kMostEach / 2 : kMostEach; // shared memory
    while (each > 1 && count < wanted * kLocalSize * each)
        each /= 2;
    return each;
}

/// Returns the place of an element of a in shared memory. Neighbouring invocations read elements
/// that are several places apart: the gaps spread them over all banks.
std::string spread(std::string_view index) {
    return formatted("({0} + ({0} >> 5))", index);
}

class SlidingText {
public:
    /// @param bindings  of a, v and the sums
    SlidingText(KernelText& text, DType dtype, uint32_t each, const std::array<int, 3>& bindings)
        : mText(text), mType(numberType(dtype)), mEach(each), mBindings(bindings),
          mProduct(findFunction("multiply")->textFor(dtype)),
          mSum(findFunction("add")->textFor(dtype)) {}

    std::string declarations() const {
        return formatted("shared {0} left[{1}];\nshared {0} right[{2}];\n", mType.computed,
                         (kLocalSize * mEach + kShared) * 33 / 32 + 1, kShared);
    }

    /// Parameters are the count of sums, the lengths of a and v, `before`, and for a and v their
    /// offset and stride.
    std::string body() {
        const std::string zero = formatted("{}(0)", mType.computed);
        std::string text = formatted(
            "    uint lane = gl_LocalInvocationIndex;\n"
            "    uint first = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * {0}u;\n"
            "    uint own = lane * {1}u;\n",
            kLocalSize * mEach, mEach);
        text += all(formatted("    {} total{{}} = {};\n", mType.computed, zero));
        text += formatted("    for (uint done = 0; done < p[2]; done += {0}u) {{\n"
                          "        uint parts = min({0}u, p[2] - done);\n"
                          "        int begin = int(first + done) - int(p[3]);\n"
                          "        int behind = begin + int({1}u + parts) - 1;\n"
                          "        if (behind <= 0 || begin >= int(p[1])) continue;\n"
                          "        barrier();\n"
                          "        for (uint j = lane; j < {1}u + parts - 1u; j += {2}u) {{\n"
                          "            uint at = uint(begin) + j;\n"
                          "            left[{3}] = at < p[1] ? {4} : {5};\n"
                          "        }}\n"
                          "        if (lane < parts) right[lane] = {6};\n"
                          "        barrier();\n",
                          kShared, kLocalSize * mEach, kLocalSize, spread("j"),
                          mText.loading(mBindings[0], "p[4] + at * p[5]", mType.dtype), zero,
                          mText.loading(mBindings[1], "p[6] + (done + lane) * p[7]", mType.dtype));
        text += all(formatted("        {} sum{{}} = {};\n", mType.computed, zero));
        text += "        uint k = 0;\n"
                "        if (begin >= 0 && behind <= int(p[1])) {\n" +
                blocks() + "        }\n" + single();
        text += all("        total{} = " + calling(mSum, "total{}", "sum{}") + ";\n") + "    }\n";
        for (uint32_t r = 0; r < mEach; ++r) {
            std::string value = formatted("total{}", r);
            if (!mType.wrap.empty())
                value = mText.calling(filled(mType.wrap, {value}), "float");
            text += formatted(
                "    if (first + own + {0}u < p[0]) {1}\n", r,
                mText.storing(mBindings[2], formatted("first + own + {}u", r), mType.dtype, value));
        }
        return text;
    }

private:
    /// Returns a text for each sum, with its number in place of "{}".
    std::string all(const std::string& pattern) const {
        std::string text;
        for (uint32_t r = 0; r < mEach; ++r) {
            std::string one = pattern;
            for (size_t at = 0; (at = one.find("{}", at)) != std::string::npos;)
                one.replace(at, 2, std::to_string(r));
            text += one;
        }
        return text;
    }

    std::string calling(std::string_view function, const std::string& x, const std::string& y) {
        return mText.calling(filledAll(function, {x, y}), mType.computed);
    }

    std::string addProduct(const std::string& sum, const std::string& x, const std::string& y) {
        return formatted("{} = {};\n", sum,
                         calling(mSum, sum, formatted("({})", calling(mProduct, x, y))));
    }

    /// As many elements of v as there are sums at a time, with twice as many of a in registers.
    std::string blocks() {
        const auto load = [&](uint32_t from, std::string_view index, std::string_view indent) {
            std::string text = formatted("{}place = {};\n", indent, spread(index));
            for (uint32_t r = 0; r < mEach; ++r)
                text += formatted("{}x{} = left[place + {}u];\n", indent, from + r, r);
            return text;
        };
        std::string text = "            uint place;\n";
        for (uint32_t r = 0; r < 2 * mEach; ++r)
            text += formatted("            {} x{};\n", mType.computed, r);
        text += load(0, "own", "            ");
        text += formatted("            for (; k + {0}u < parts; k += {0}u) {{\n", mEach);
        text += load(mEach, formatted("(own + k + {}u)", mEach), "                ");
        for (uint32_t u = 0; u < mEach; ++u) {
            text += formatted("                {} y{} = right[k + {}u];\n", mType.computed, u, u);
            for (uint32_t r = 0; r < mEach; ++r)
                text +=
                    "                " +
                    addProduct(formatted("sum{}", r), formatted("x{}", r + u), formatted("y{}", u));
        }
        for (uint32_t r = 0; r < mEach; ++r)
            text += formatted("                x{} = x{};\n", r, r + mEach);
        return text + "            }\n";
    }

    /// One element of v at a time, where a has one.
    std::string single() {
        std::string text = formatted("        for (; k < parts; ++k) {{\n"
                                     "            {} y = right[k];\n",
                                     mType.computed);
        for (uint32_t r = 0; r < mEach; ++r) {
            const std::string index = formatted("(own + k + {}u)", r);
            text += formatted(
                "            if (uint(begin) + {} < p[1]) {}", index,
                addProduct(formatted("sum{}", r), formatted("left[{}]", spread(index)), "y"));
        }
        return text + "        }\n";
    }

    KernelText& mText;
    const NumberType& mType;
    const uint32_t mEach;
    const std::array<int, 3> mBindings;
    const std::string_view mProduct;
    const std::string_view mSum;
};

} // namespace

View slidingSums(const View& a, const View& v, int64_t before, int64_t count) {
    const std::lock_guard lock(engineLock());
    const std::shared_ptr<Home>& home = a.storage->home();
    const View out = View::blank(home, {count}, a.dtype());
    Signature signature(kSlidingSums);
    signature.add(static_cast<uint64_t>(before));
    for (const View& each : {a, v, out})
        signature.add(each);
    Plan* plan = home->plans().find(signature);
    if (!plan) {
        KernelCode program(out.shape);
        const Layout layout = program.layout();
        const std::array<int, 3> bindings{program.bindingOf(a.storage),
                                          program.bindingOf(v.storage),
                                          program.bindingOf(out.storage)};
        const auto word = [](int64_t value) { return static_cast<uint32_t>(value); };
        std::vector<uint32_t> parameters{word(count),    word(a.shape[0]),  word(v.shape[0]),
                                         word(before),   word(a.offset),    word(a.strides[0]),
                                         word(v.offset), word(v.strides[0])};
        const uint32_t each = sumsEach(count, a.dtype(), home->rules());
        KernelText text(program, layout, parameters.size());
        text.use(a.dtype());
        SlidingText writer(text, a.dtype(), each, bindings);
        const std::string body = writer.body();
        const int64_t size = int64_t{kLocalSize} * each;
        plan = &home->plans().add(signature, "convolve", program, layout, std::move(parameters),
                                  text.source("convolve", body, writer.declarations()),
                                  static_cast<uint64_t>((count + size - 1) / size));
    }
    home->plans().launch(*plan, signature);
    return out;
}

} // namespace kp::arrays
