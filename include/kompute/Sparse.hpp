// SPDX-License-Identifier: Apache-2.0
#pragma once

// Sparse matrices: docs/computing/sparse.md.

#include <kompute/sparse/Arithmetic.hpp>
#include <kompute/sparse/Conversions.hpp>
#include <kompute/sparse/Csr.hpp>
#include <kompute/sparse/Eigenvalues.hpp>
#include <kompute/sparse/LeastSquares.hpp>
#include <kompute/sparse/Preconditioners.hpp>
#include <kompute/sparse/Solvers.hpp>
#include <kompute/sparse/Triangle.hpp>
