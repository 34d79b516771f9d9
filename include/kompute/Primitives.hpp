// SPDX-License-Identifier: Apache-2.0
#pragma once

// <kompute/Kompute.hpp>, and the primitives: reduce, scan, ...

#include <kompute/Kompute.hpp>

#include <kompute/primitives/Bins.hpp>
#include <kompute/primitives/Determinism.hpp>
#include <kompute/primitives/Distribution.hpp>
#include <kompute/primitives/OpConcatenate.hpp>
#include <kompute/primitives/OpConvolve.hpp>
#include <kompute/primitives/OpFFT.hpp>
#include <kompute/primitives/OpGather.hpp>
#include <kompute/primitives/OpHistogram.hpp>
#include <kompute/primitives/OpMatMul.hpp>
#include <kompute/primitives/OpPartition.hpp>
#include <kompute/primitives/OpPermutation.hpp>
#include <kompute/primitives/OpRandom.hpp>
#include <kompute/primitives/OpReduce.hpp>
#include <kompute/primitives/OpReverse.hpp>
#include <kompute/primitives/OpRunLength.hpp>
#include <kompute/primitives/OpScan.hpp>
#include <kompute/primitives/OpScatter.hpp>
#include <kompute/primitives/OpSearchSorted.hpp>
#include <kompute/primitives/OpSelect.hpp>
#include <kompute/primitives/OpSort.hpp>
#include <kompute/primitives/OpTopK.hpp>
#include <kompute/primitives/OpTranspose.hpp>
#include <kompute/primitives/OpUnique.hpp>
#include <kompute/primitives/Operator.hpp>
#include <kompute/primitives/Predicate.hpp>
#include <kompute/primitives/Primitive.hpp>
#include <kompute/primitives/RandomState.hpp>
#include <kompute/primitives/SelectOptions.hpp>
#include <kompute/primitives/TensorRange.hpp>
#include <kompute/primitives/dense/OpCholesky.hpp>
#include <kompute/primitives/dense/OpEigh.hpp>
#include <kompute/primitives/dense/OpLu.hpp>
#include <kompute/primitives/dense/OpQr.hpp>
#include <kompute/primitives/dense/OpSolve.hpp>
#include <kompute/primitives/dense/OpSvd.hpp>
#include <kompute/primitives/dense/OpTriangularSolve.hpp>
#include <kompute/primitives/dense/RectangularMatrices.hpp>
#include <kompute/primitives/dense/SquareMatrices.hpp>
#include <kompute/primitives/sparse/OpSparseMatMul.hpp>
