// SPDX-License-Identifier: Apache-2.0
#include "sparse/LeastSquares.hpp"

#include <cmath>
#include <utility>

namespace kp::sparse {

std::vector<std::complex<double>> leastSquares(Hessenberg problem, double limit) {
    using Number = std::complex<double>;
    const size_t rows = problem.columns + 1;
    const auto at = [&](size_t row, size_t column) -> Number& {
        return problem.elements[column * rows + row];
    };
    std::vector<Number> side(rows);
    side[0] = problem.beta;
    std::vector<std::pair<double, Number>> rotations;
    const auto rotate = [](const std::pair<double, Number>& by, Number& upper, Number& lower) {
        const auto& [c, s] = by;
        const Number turned = c * upper + s * lower;
        lower = -std::conj(s) * upper + c * lower;
        upper = turned;
    };
    size_t used = 0;
    while (used < problem.columns && std::abs(side[used]) > limit) {
        const size_t j = used;
        for (size_t i = 0; i < j; ++i)
            rotate(rotations[i], at(i, j), at(i + 1, j));
        const Number upper = at(j, j);
        const double length = std::hypot(std::abs(upper), std::abs(at(j + 1, j)));
        if (length == 0 || !std::isfinite(length))
            break; // the vectors say nothing more
        const double c = std::abs(upper) / length;
        const Number phase = upper == Number(0) ? Number(1) : upper / std::abs(upper);
        rotations.emplace_back(c, phase * std::conj(at(j + 1, j)) / length);
        rotate(rotations[j], at(j, j), at(j + 1, j));
        rotate(rotations[j], side[j], side[j + 1]);
        ++used;
    }
    std::vector<Number> y(used);
    for (size_t i = used; i-- > 0;) {
        Number sum = side[i];
        for (size_t j = i + 1; j < used; ++j)
            sum -= at(i, j) * y[j];
        y[i] = sum / at(i, i);
    }
    return y;
}

} // namespace kp::sparse
