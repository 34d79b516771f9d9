// SPDX-License-Identifier: Apache-2.0
#include "Table.hpp"

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <random>
#include <sstream>
#include <stdexcept>

namespace {

std::vector<std::string> cells(const std::string& line) {
    std::vector<std::string> result;
    std::istringstream stream(line);
    for (std::string cell; std::getline(stream, cell, ',');)
        result.push_back(cell);
    return result;
}

float number(const std::string& cell, const std::string& where) {
    char* end = nullptr;
    const float value = std::strtof(cell.c_str(), &end);
    if (end == cell.c_str() || !std::isfinite(value))
        throw std::runtime_error(where + ": '" + cell + "' is not a number");
    return value;
}

void append(Table& target, const Table& source, size_t row) {
    const auto first = source.samples.begin() + static_cast<std::ptrdiff_t>(row * source.features);
    target.samples.insert(target.samples.end(), first,
                          first + static_cast<std::ptrdiff_t>(source.features));
    target.labels.push_back(source.labels[row]);
}

} // namespace

Table readTable(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    if (!std::getline(file, line))
        throw std::runtime_error(path + ": cannot be read, or is empty");
    const std::vector<std::string> header = cells(line);
    if (header.size() != 4)
        throw std::runtime_error(path + ":1: expected samples, features and two class names");

    Table table;
    table.features = static_cast<size_t>(number(header[1], path + ":1"));
    table.classNames = {header[2], header[3]};
    for (size_t lineNumber = 2; std::getline(file, line); ++lineNumber) {
        const std::string where = path + ":" + std::to_string(lineNumber);
        const std::vector<std::string> row = cells(line);
        if (row.size() != table.features + 1)
            throw std::runtime_error(where + ": expected " + std::to_string(table.features + 1) +
                                     " numbers, found " + std::to_string(row.size()));
        for (size_t i = 0; i < table.features; ++i)
            table.samples.push_back(number(row[i], where));
        const float label = number(row.back(), where);
        if (label != 0.0f && label != 1.0f)
            throw std::runtime_error(where + ": the class must be 0 or 1");
        table.labels.push_back(label);
    }
    if (table.features == 0 || table.rows() != static_cast<size_t>(number(header[0], path + ":1")))
        throw std::runtime_error(path + ": the first line promises " + header[0] + " samples of " +
                                 header[1] + " features, found " + std::to_string(table.rows()));
    return table;
}

void split(const Table& all, double fraction, uint32_t seed, Table& training, Table& heldOut) {
    std::vector<size_t> order(all.rows());
    std::iota(order.begin(), order.end(), size_t{0});
    std::mt19937 random(seed);
    // The order of std::shuffle depends on the standard library.
    for (size_t i = order.size(); i > 1; --i)
        std::swap(order[i - 1], order[random() % i]);

    for (Table* part : {&training, &heldOut}) {
        *part = Table{};
        part->features = all.features;
        part->classNames = all.classNames;
    }
    const auto count = static_cast<size_t>(fraction * static_cast<double>(all.rows()));
    for (size_t i = 0; i < order.size(); ++i)
        append(i < count ? training : heldOut, all, order[i]);
}

void standardise(Table& training, Table& heldOut) {
    const size_t features = training.features;
    const auto rows = static_cast<double>(training.rows());
    for (size_t feature = 0; feature < features; ++feature) {
        double mean = 0.0;
        for (size_t i = feature; i < training.samples.size(); i += features)
            mean += training.samples[i] / rows;
        double variance = 0.0;
        for (size_t i = feature; i < training.samples.size(); i += features)
            variance += (training.samples[i] - mean) * (training.samples[i] - mean) / rows;
        const double deviation = variance > 0.0 ? std::sqrt(variance) : 1.0;
        for (Table* part : {&training, &heldOut})
            for (size_t i = feature; i < part->samples.size(); i += features)
                part->samples[i] = static_cast<float>((part->samples[i] - mean) / deviation);
    }
}
