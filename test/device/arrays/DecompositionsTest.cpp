// SPDX-License-Identifier: Apache-2.0
#include <kompute/arrays/Decompositions.hpp>

#include "ArraySupport.hpp"

namespace kp::test {
namespace {

class DecompositionsTest : public ArrayTest {
protected:
    static void expectNear(const Array& found, const Array& expected) {
        ASSERT_EQ(toString(found.shape()), toString(expected.shape()));
        EXPECT_LE(max(abs(found - expected)).item<float>(), 1e-5f);
    }
};

TEST_F(DecompositionsTest, FactorsMultiplyToTheMatrices) {
    const Array a = sin(counting({2, 4, 3}) * 5);
    for (const bool complete : {false, true}) {
        const QrFactors found = qr(a, complete);
        expectNear(matmul(found.q, found.r), a);
        expectNear(matmul(swapaxes(found.q, -1, -2), found.q),
                   eye(complete ? 4 : 3, complete ? 4 : 3, 0, &manager)
                       .broadcastTo(complete ? Shape{2, 4, 4} : Shape{2, 3, 3}));
    }
    expectNear(qrTriangle(a), qr(a).r);
    expectNear(qrTriangle(swapaxes(a, -1, -2)), qr(swapaxes(a, -1, -2)).r);
    const SingularValueDecomposition found = svd(a, false);
    expectNear(matmul(found.u * expandDims(found.s, -2), found.vh), a);
    expectNear(svdvals(a), found.s);
    EXPECT_EQ(toString(svd(a).u.shape()), "(2, 4, 4)");
}

TEST_F(DecompositionsTest, EigenvectorsDiagonalizeSymmetricMatrices) {
    const Array a = of<float>({2, 9, 1, 2}, {2, 2}); // the lower triangle counts
    const EigenDecomposition found = eigh(a);
    expectNear(found.values, of<float>({1, 3}, {2}));
    expectNear(matmul(found.vectors * found.values, found.vectors.transpose()),
               of<float>({2, 1, 1, 2}, {2, 2}));
    expectNear(eigvalsh(a.transpose(), true), found.values);
}

TEST_F(DecompositionsTest, MatricesWithoutElementsHaveBases) {
    const Array none = zeros({2, 3, 0}, DType::eFloat32, &manager);
    expectNear(svd(none).u, eye(3, 3, 0, &manager).broadcastTo({2, 3, 3}));
    expectNear(qr(none, true).q, eye(3, 3, 0, &manager).broadcastTo({2, 3, 3}));
    EXPECT_EQ(toString(svd(none, false).u.shape()), "(2, 3, 0)");
    EXPECT_EQ(toString(svdvals(none).shape()), "(2, 0)");
    EXPECT_EQ(toString(eigh(zeros({0, 0}, DType::eFloat32, &manager)).vectors.shape()), "(0, 0)");
}

TEST_F(DecompositionsTest, WhatIsNoMatrixIsRefused) {
    EXPECT_ERROR(InvalidArgument, "qr() takes matrices", qr(counting({3})));
    EXPECT_ERROR(InvalidArgument, "svd() takes matrices", svd(counting({3})));
    EXPECT_ERROR(InvalidArgument, "eigh() takes square matrices", eigh(counting({2, 3})));
    EXPECT_ERROR(InvalidArgument, "real numbers",
                 svdvals(zeros({2, 2}, DType::eComplex64, &manager)));
}

} // namespace
} // namespace kp::test
