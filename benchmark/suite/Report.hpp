// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "Suite.hpp"

namespace kp::benchmark {

/// The table, line by line as rows get ready, and the JSON file, written anew after each row so
/// that a run that is cut short leaves what it has.
class Report {
public:
    explicit Report(Suite& suite) : mSuite(suite) {}

    void printHead() const;
    void add(Row row);
    /// True where a target was missed, a result was wrong or a row failed.
    bool failed() const;

private:
    void print(const Row& row) const;
    void writeJson() const;

    Suite& mSuite;
    std::vector<Row> mRows;
};

} // namespace kp::benchmark
