// SPDX-License-Identifier: Apache-2.0
#pragma once

// <kompute/Kompute.hpp>, and the primitives: reduce, scan, ...

#include <kompute/Kompute.hpp>

#include <kompute/primitives/Determinism.hpp>
#include <kompute/primitives/Operator.hpp>
#include <kompute/primitives/Primitive.hpp>
#include <kompute/primitives/TensorRange.hpp>
#include <kompute/primitives/dense/OpCholesky.hpp>
#include <kompute/primitives/dense/OpLu.hpp>
#include <kompute/primitives/dense/OpQr.hpp>
#include <kompute/primitives/dense/OpSolve.hpp>
#include <kompute/primitives/dense/OpTriangularSolve.hpp>
#include <kompute/primitives/dense/RectangularMatrices.hpp>
#include <kompute/primitives/dense/SquareMatrices.hpp>
#include <kompute/primitives/matrices/OpMatMul.hpp>
#include <kompute/primitives/move/OpConcatenate.hpp>
#include <kompute/primitives/move/OpGather.hpp>
#include <kompute/primitives/move/OpReverse.hpp>
#include <kompute/primitives/move/OpScatter.hpp>
#include <kompute/primitives/move/OpTranspose.hpp>
#include <kompute/primitives/random/Distribution.hpp>
#include <kompute/primitives/random/OpPermutation.hpp>
#include <kompute/primitives/random/OpRandom.hpp>
#include <kompute/primitives/random/RandomState.hpp>
#include <kompute/primitives/reduce/Bins.hpp>
#include <kompute/primitives/reduce/OpHistogram.hpp>
#include <kompute/primitives/reduce/OpReduce.hpp>
#include <kompute/primitives/scan/OpScan.hpp>
#include <kompute/primitives/select/OpPartition.hpp>
#include <kompute/primitives/select/OpRunLength.hpp>
#include <kompute/primitives/select/OpSelect.hpp>
#include <kompute/primitives/select/OpUnique.hpp>
#include <kompute/primitives/select/Predicate.hpp>
#include <kompute/primitives/select/SelectOptions.hpp>
#include <kompute/primitives/sort/OpSearchSorted.hpp>
#include <kompute/primitives/sort/OpSort.hpp>
#include <kompute/primitives/sort/OpTopK.hpp>
#include <kompute/primitives/sparse/OpSparseMatMul.hpp>
#include <kompute/primitives/spectral/OpEigh.hpp>
#include <kompute/primitives/spectral/OpSvd.hpp>
#include <kompute/primitives/transforms/OpConvolve.hpp>
#include <kompute/primitives/transforms/OpFFT.hpp>
