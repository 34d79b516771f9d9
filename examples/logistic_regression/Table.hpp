// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// Rows of numbers, each with a class of 0 or 1.
struct Table {
    size_t features = 0;
    std::vector<float> samples; ///< row after row
    std::vector<float> labels;
    std::vector<std::string> classNames;

    size_t rows() const { return labels.size(); }
};

/// Reads a CSV file whose first line is "samples,features,class name,class name" and whose other
/// lines hold the features and the class.
/// @throws std::runtime_error with file and line where the file is not of that form
Table readTable(const std::string& path);

/// Shuffles the rows, the same way for the same seed on every machine, and gives the first
/// @p fraction of them to @p training and the others to @p heldOut.
void split(const Table& all, double fraction, uint32_t seed, Table& training, Table& heldOut);

/// Brings each feature to mean 0 and standard deviation 1 over @p training, and the other table to
/// the same scale.
void standardise(Table& training, Table& heldOut);
