// SPDX-License-Identifier: Apache-2.0
#include "Plate.hpp"

#include <algorithm>
#include <numeric>

namespace {

/// Returns the initial temperature: a hot disc, a warm disc and a slanted bar, without symmetry.
float startAt(double x, double y) {
    const auto inDisc = [&](double centreX, double centreY, double radius) {
        const double dx = x - centreX;
        const double dy = y - centreY;
        return dx * dx + dy * dy < radius * radius;
    };
    if (inDisc(0.3, 0.27, 0.13))
        return 1.0f;
    if (inDisc(0.72, 0.7, 0.17))
        return 0.6f;
    const double along = x + 0.7 * y;
    return along > 0.78 && along < 0.86 ? 0.85f : 0.0f;
}

} // namespace

std::vector<float> Plate::start(uint32_t first, uint32_t count) const {
    std::vector<float> rows;
    rows.reserve(static_cast<size_t>(count) * width);
    for (uint32_t y = first; y < first + count; ++y)
        for (uint32_t x = 0; x < width; ++x)
            rows.push_back(startAt((x + 0.5) / width, (y + 0.5) / height));
    return rows;
}

Rows rowsOf(const Plate& plate, int rank, int ranks) {
    const auto place = static_cast<uint32_t>(rank);
    const uint32_t each = plate.height / static_cast<uint32_t>(ranks);
    const uint32_t more = plate.height % static_cast<uint32_t>(ranks);
    return {place * each + std::min(place, more), each + (place < more ? 1 : 0)};
}

std::vector<float> solveOnCpu(const Plate& plate) {
    std::vector<float> now = plate.start(0, plate.height);
    std::vector<float> next(now.size());
    const size_t width = plate.width;
    for (uint32_t step = 0; step < plate.steps; ++step) {
        for (size_t y = 0; y < plate.height; ++y) {
            for (size_t x = 0; x < width; ++x) {
                const size_t at = y * width + x;
                const float centre = now[at];
                const float left = x == 0 ? centre : now[at - 1];
                const float right = x == width - 1 ? centre : now[at + 1];
                const float above = y == 0 ? centre : now[at - width];
                const float below = y == plate.height - 1 ? centre : now[at + width];
                next[at] =
                    centre + plate.rate * (((left + right) + (above + below)) - 4.0f * centre);
            }
        }
        now.swap(next);
    }
    return now;
}

double heatIn(const std::vector<float>& temperatures) {
    return std::accumulate(temperatures.begin(), temperatures.end(), 0.0);
}
