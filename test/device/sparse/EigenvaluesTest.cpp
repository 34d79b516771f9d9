// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <numbers>
#include <vector>

#include <kompute/Sparse.hpp>

#include "device/arrays/ArraySupport.hpp"

namespace kp::test {
namespace {

using sparse::Csr;
using sparse::EigenOptions;
using sparse::EigenPairs;
using sparse::Spectrum;

class EigenvaluesTest : public ArrayTest {
protected:
    /// 2 on the diagonal and -1 beside it, with phases that leave the eigenvalues as they are.
    Csr line(int size, bool isComplex = false) {
        std::vector<float> values;
        std::vector<float> angles;
        std::vector<int32_t> rows;
        std::vector<int32_t> columns;
        for (int i = 0; i < size; ++i)
            for (const int j : {i - 1, i, i + 1})
                if (j >= 0 && j < size) {
                    values.push_back(i == j ? 2.0f : -1.0f);
                    angles.push_back(0.7f * static_cast<float>(j - i));
                    rows.push_back(i);
                    columns.push_back(j);
                }
        const Array data = of(values);
        const Array angle = of(angles);
        return sparse::compressed(
            isComplex ? data * (cos(angle) + sin(angle) * Operand::complex(0, 1)) : data, of(rows),
            of(columns), {size, size});
    }

    /// Eigenvalue k of n, in ascending order.
    static double known(int k, int n) {
        const double sine = std::sin((k + 1) * std::numbers::pi / (2 * (n + 1)));
        return 4 * sine * sine;
    }

    void expectPairs(const Csr& a, const EigenPairs& found, const std::vector<double>& values,
                     double error = 2e-5) {
        ASSERT_TRUE(found.converged);
        const std::vector<float> numbers = found.values.astype(DType::eFloat32).vector<float>();
        ASSERT_EQ(numbers.size(), values.size());
        for (size_t i = 0; i < values.size(); ++i)
            EXPECT_NEAR(numbers[i], values[i], error) << i;
        const Array left = sparse::matmul(a, found.vectors) - found.vectors * found.values;
        EXPECT_LE(max(abs(left)).item<double>(), 1e-4);
        const Array adjoint = found.vectors.dtype() >= DType::eComplex64
                                  ? conj(found.vectors.transpose())
                                  : found.vectors.transpose();
        const Array product = matmul(adjoint, found.vectors);
        const auto count = static_cast<int64_t>(values.size());
        EXPECT_LE(
            max(abs(product - eye(count, count, 0, DType::eFloat32, &manager))).item<double>(),
            1e-4);
    }
};

TEST_F(EigenvaluesTest, FindsBothEndsAndEachMagnitude) {
    const int n = 40;
    const Csr a = line(n);
    EigenOptions options;
    options.count = 3;
    const std::vector<double> low = {known(0, n), known(1, n), known(2, n)};
    const std::vector<double> high = {known(n - 3, n), known(n - 2, n), known(n - 1, n)};
    const std::vector<double> both = {known(0, n), known(n - 2, n), known(n - 1, n)};
    for (const auto& [which, expected] :
         {std::pair{Spectrum::eLargestMagnitude, high},
          std::pair{Spectrum::eSmallestMagnitude, low}, std::pair{Spectrum::eLargest, high},
          std::pair{Spectrum::eSmallest, low}, std::pair{Spectrum::eBothEnds, both}}) {
        SCOPED_TRACE(static_cast<int>(which));
        options.which = which;
        expectPairs(a, sparse::eigsh(a, options), expected);
    }
}

TEST_F(EigenvaluesTest, FindsThemForComplexMatrices) {
    const Csr a = line(30, true);
    EigenOptions options;
    options.count = 2;
    options.which = Spectrum::eLargest;
    const EigenPairs found = sparse::eigsh(a, options);
    EXPECT_EQ(found.values.dtype(), DType::eFloat32);
    expectPairs(a, found, {known(28, 30), known(29, 30)});
}

TEST_F(EigenvaluesTest, FindsEqualEigenvaluesAndAllVectors) {
    const Csr one = sparse::compressed(eye(25, 25, 0, DType::eFloat32, &manager));
    EigenOptions options;
    options.count = 3;
    expectPairs(one, sparse::eigsh(one, options), {1, 1, 1});
    options.count = 5;
    const Csr a = line(6);
    expectPairs(a, sparse::eigsh(a, options),
                {known(1, 6), known(2, 6), known(3, 6), known(4, 6), known(5, 6)});
}

TEST_F(EigenvaluesTest, SaysThatSomeHaveNotConverged) {
    const Csr a = line(400);
    EigenOptions options;
    options.which = Spectrum::eSmallest;
    options.maxRestarts = 1;
    options.vectors = false;
    const EigenPairs found = sparse::eigsh(a, options);
    EXPECT_FALSE(found.converged);
    EXPECT_LT(found.values.size(), 6);
    EXPECT_EQ(found.vectors.shape()[1], found.values.size());
}

TEST_F(EigenvaluesTest, RefusesNumbersThatDoNotFit) {
    const Csr a = line(30);
    EigenOptions options;
    options.count = 30;
    EXPECT_ERROR(InvalidArgument, "n - 1 = 29, not 30", sparse::eigsh(a, options));
    options.count = 3;
    options.basis = 3;
    EXPECT_ERROR(InvalidArgument, "not 3", sparse::eigsh(a, options));
    options.basis = {};
    options.maxRestarts = 0;
    EXPECT_ERROR(InvalidArgument, "maxiter is at least 1, not 0", sparse::eigsh(a, options));
    EXPECT_ERROR(InvalidArgument, "NaN", sparse::eigsh(a.withData(a.data() * NAN)));
    EXPECT_ERROR(InvalidArgument, "shape (2,)",
                 sparse::eigsh([](const Array& x) { return x(Slice(0, 2)); }, counting({30})));
}

} // namespace
} // namespace kp::test
