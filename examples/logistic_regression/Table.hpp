// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// Rows of numbers, each with a class label of 0 or 1.
struct Table {
    size_t features = 0;
    std::vector<float> samples; ///< row after row
    std::vector<float> labels;
    std::vector<std::string> classNames;

    size_t rows() const { return labels.size(); }
};

/// Reads a CSV file. Its first line is "samples,features,class name,class name"; each other line
/// contains the features and the class of one sample.
/// @throws std::runtime_error with file and line if the file has another form
Table readTable(const std::string& path);

/// Shuffles the rows, identically on every machine for the same seed. Stores the first @p fraction
/// of them in @p training and the others in @p heldOut.
void split(const Table& all, double fraction, uint32_t seed, Table& training, Table& heldOut);

/// Scales each feature to mean 0 and standard deviation 1 over @p training, and applies the same
/// scaling to @p heldOut.
void standardise(Table& training, Table& heldOut);
