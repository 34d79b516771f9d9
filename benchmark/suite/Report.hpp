// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "Suite.hpp"

namespace kp::benchmark {

/// Prints the table row by row. Rewrites the JSON file after each row, so that an interrupted run
/// keeps its results.
class Report {
public:
    explicit Report(Suite& suite) : mSuite(suite) {}

    void printHeader() const;
    void add(Row row);
    /// Returns whether a target was missed, a result was wrong or a row failed.
    bool failed() const;

private:
    void print(const Row& row) const;
    void writeJson() const;

    Suite& mSuite;
    std::vector<Row> mRows;
};

} // namespace kp::benchmark
