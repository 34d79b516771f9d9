// SPDX-License-Identifier: Apache-2.0
#include <kompute/sparse/LeastSquares.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <kompute/Error.hpp>
#include <kompute/sparse/Conversions.hpp>

#include "base/Text.hpp"
#include "sparse/Convergence.hpp"

namespace kp::sparse {
namespace {

/// Maximum steps between two checks of the host.
constexpr int64_t kMaxSteps = 32;

/// The steps of LSQR on the device. Nothing waits.
class Bidiagonal {
public:
    Bidiagonal(const LinearMap& map, const LinearMap& adjoint, const Array& b,
               const LeastSquaresOptions& options)
        : mMap(map), mAdjoint(adjoint), mOptions(options) {
        beta = normOf(b).evaluate();
        mU = quotient(b, beta).evaluate();
        const Array image = mAdjoint(mU).evaluate();
        alpha = normOf(image).evaluate();
        mV = quotient(image, alpha).evaluate();
        mW = mV;
        mRest = beta;
        mRho = alpha;
        mLargest = alpha;
        mSquares = zeros({}, beta.dtype(), &b.manager()).copy();
        variance = zeros(mV.shape(), beta.dtype(), &b.manager());
        x = options.start.isNull() ? zeros(mV.shape(), mV.dtype(), &b.manager())
                                   : options.start.astype(mV.dtype());
    }

    /// Makes one step. Returns its coefficients: beta, alpha, and the sum of squares so far.
    Array step() {
        const Array u = (mMap(mV) - alpha * mU).evaluate();
        beta = lengthOf(u);
        mU = quotient(u, beta).evaluate();
        const Array v = (mAdjoint(mU) - beta * mV).evaluate();
        alpha = lengthOf(v);
        mV = quotient(v, alpha).evaluate();
        const Array damped = hypot(mRho, mOptions.damp);
        const Array rest = mRest * quotient(mRho, damped);
        const Array length = hypot(damped, beta);
        const Array cosine = quotient(damped, length);
        const Array sine = quotient(beta, length);
        const Array along = quotient(cosine * rest, length);
        const Array back = quotient(sine * alpha, length);
        const Array inverse = quotient(ones({}, beta.dtype(), &x.manager()), length);
        const Array rho = negative(cosine * alpha);
        const Array left = sine * rest;
        compute({along, back, inverse, rho, left});
        mRho = rho;
        mRest = left;
        const Array scaled = mW * inverse;
        mSquares = (mSquares + square(normOf(scaled))).evaluate();
        if (mOptions.variance)
            variance = (variance + square(abs(scaled))).evaluate();
        const Array next = x + along * mW;
        const Array direction = mV - back * mW;
        compute({next, direction});
        x = next;
        mW = direction;
        return stack({beta, alpha, mSquares}).evaluate();
    }

    Array x;
    Array beta;
    Array alpha;
    Array variance;

private:
    /// Returns the norm, or 0 if rounding alone leaves as much: no direction follows then, and
    /// further steps change nothing.
    Array lengthOf(const Array& vector) {
        const Array length = normOf(vector);
        const Array largest = maximum(mLargest, length);
        const Array kept =
            where(greater(length, largest * (10 * epsilonOf(length.dtype()))), length, 0);
        compute({largest, kept});
        mLargest = largest;
        return kept;
    }

    const LinearMap& mMap;
    const LinearMap& mAdjoint;
    const LeastSquaresOptions& mOptions;
    Array mU;
    Array mV;
    Array mW;
    Array mRest;
    Array mRho;
    Array mSquares;
    Array mLargest; ///< of the coefficients
};

/// What LSQR estimates from the coefficients of its steps. Computed on the host.
class Norms {
public:
    Norms(double beta, double alpha, const LeastSquaresOptions& options, LeastSquares& found)
        : mOptions(options), mFound(found), mSideNorm(beta), mAlpha(alpha), mRho(alpha),
          mRest(beta) {
        found.residualNorm = found.dampedNorm = beta;
        found.gradientNorm = alpha * beta;
    }

    /// Takes the coefficients of a step. Returns why to stop, or 0.
    int64_t add(double beta, double alpha, double squares) {
        const double damp = mOptions.damp;
        mFound.matrixNorm = std::sqrt(mFound.matrixNorm * mFound.matrixNorm + mAlpha * mAlpha +
                                      beta * beta + damp * damp);
        const double damped = std::hypot(mRho, damp);
        const double psi = over(damp, damped) * mRest;
        const double rest = over(mRho, damped) * mRest;
        const double rho = orOne(std::hypot(damped, beta));
        const double cosine = damped / rho;
        const double sine = beta / rho;
        const double theta = sine * alpha;
        const double phi = cosine * rest;
        mRho = -cosine * alpha;
        mRest = sine * rest;
        mAlpha = alpha;
        // The norm of x, by another rotation.
        const double turned = -mCosine * rho;
        const double left = phi - mSine * rho * mZ;
        mFound.changeNorm = std::hypot(std::sqrt(mSquares), over(left, turned));
        const double length = orOne(std::hypot(turned, theta));
        mCosine = turned / length;
        mSine = theta / length;
        mZ = left / length;
        mSquares += mZ * mZ;
        mFound.condition = mFound.matrixNorm * std::sqrt(squares);
        mDamped += psi * psi;
        mFound.dampedNorm = std::sqrt(mRest * mRest + mDamped);
        mFound.gradientNorm = alpha * std::abs(sine * phi);
        const double r1 = mFound.dampedNorm * mFound.dampedNorm - damp * damp * mSquares;
        mFound.residualNorm = std::copysign(std::sqrt(std::abs(r1)), r1);
        return reason();
    }

private:
    static double over(double a, double b) { return b == 0 ? 0 : a / b; }
    static double orOne(double x) { return x == 0 ? 1 : x; }

    int64_t reason() const {
        const double residual = mFound.dampedNorm / mSideNorm;
        const double size = mFound.matrixNorm * mFound.changeNorm / mSideNorm;
        const double gradient = mFound.gradientNorm / orOne(mFound.matrixNorm * mFound.dampedNorm);
        const double condition =
            mFound.condition == 0 ? std::numeric_limits<double>::infinity() : 1 / mFound.condition;
        const double least = mOptions.condition > 0 ? 1 / mOptions.condition : 0;
        const bool met[] = {residual <= mOptions.side + mOptions.matrix * size,
                            gradient <= mOptions.matrix,
                            condition <= least,
                            1 + residual / (1 + size) <= 1,
                            1 + gradient <= 1,
                            1 + condition <= 1};
        const auto* const first = std::find(std::begin(met), std::end(met), true);
        return first == std::end(met) ? 0 : first - std::begin(met) + 1;
    }

    const LeastSquaresOptions& mOptions;
    LeastSquares& mFound;
    double mSideNorm;
    double mAlpha;
    double mRho;
    double mRest;
    double mDamped = 0;  ///< the sum of squares of damp (x - start)
    double mSquares = 0; ///< of x - start
    double mZ = 0;
    double mCosine = -1;
    double mSine = 0;
};

/// Takes the coefficients of some steps. Returns why to stop after them, or 0.
int64_t taken(Norms& norms, const std::vector<Array>& coefficients) {
    int64_t reason = 0;
    if (coefficients.empty())
        return reason;
    const Array all = stack(coefficients);
    std::vector<double> values;
    if (all.dtype() == DType::eFloat32) {
        const auto narrow = all.vector<float>();
        values.assign(narrow.begin(), narrow.end());
    } else {
        values = all.vector<double>();
    }
    for (size_t i = 0; i < values.size(); i += 3)
        if (const int64_t found = norms.add(values[i], values[i + 1], values[i + 2]))
            reason = found;
    return reason;
}

} // namespace

LeastSquares lsqr(const LinearMap& a, const LinearMap& adjoint, const Array& b,
                  const LeastSquaresOptions& options) {
    if (b.ndim() != 1)
        fail<InvalidArgument>("lsqr() takes a right side of one axis, not of shape {}",
                              toString(b.shape()));
    Array side = b.dtype() >= DType::eFloat32 ? b : b.astype(defaultFloat(b.manager()));
    if (!options.start.isNull()) {
        const Array image = a(options.start.astype(side.dtype()));
        if (!(image.shape() == side.shape()))
            fail<InvalidArgument>("lsqr(): the map gives a vector of shape {}, but the right side "
                                  "has {}",
                                  toString(image.shape()), toString(side.shape()));
        side = (side - image).evaluate();
    }
    Bidiagonal steps(a, adjoint, side, options);
    if (!(steps.x.shape() == steps.variance.shape()))
        fail<InvalidArgument>("lsqr() begins at a vector of shape {}, like what the adjoint map "
                              "gives, not {}",
                              toString(steps.variance.shape()), toString(steps.x.shape()));
    LeastSquares found;
    const auto beta = steps.beta.item<double>();
    const auto alpha = steps.alpha.item<double>();
    Norms norms(beta, alpha, options, found);
    const int64_t most = options.maxSteps.value_or(2 * steps.x.size());
    std::vector<Array> waiting;
    while (alpha * beta > 0 && found.reason == 0 && found.steps < most) {
        // The device has these steps to do while the host waits for the earlier ones.
        const int64_t count =
            std::min(std::clamp<int64_t>(found.steps / 8, 1, kMaxSteps), most - found.steps);
        std::vector<Array> made;
        for (int64_t i = 0; i < count; ++i)
            made.push_back(steps.step());
        found.steps += count;
        found.reason = taken(norms, waiting);
        waiting = std::move(made);
    }
    if (const int64_t last = taken(norms, waiting))
        found.reason = last;
    if (alpha * beta == 0)
        found.reason = 0;
    else if (found.reason == 0)
        found.reason = 7;
    found.x = steps.x.copy();
    found.variance = steps.variance.copy();
    return found;
}

LeastSquares lsqr(const Csr& a, const Array& b, const LeastSquaresOptions& options) {
    if (b.ndim() != 1 || b.size() != a.rows())
        fail<InvalidArgument>("lsqr() takes a right side of {}, as many as the matrix of shape {} "
                              "has, not of shape {}",
                              counted(a.rows(), "row"), toString(a.shape()), toString(b.shape()));
    const Operand types[] = {a.data(), b};
    const Csr turned = transposed(a);
    const bool isComplex = a.dtype() >= DType::eComplex64;
    return lsqr(mapOf(a), mapOf(isComplex ? turned.withData(conj(turned.data())) : turned),
                b.astype(commonType(types, 2)), options);
}

} // namespace kp::sparse
