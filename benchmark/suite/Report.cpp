// SPDX-License-Identifier: Apache-2.0
#include "Report.hpp"

#include <algorithm>
#include <stdexcept>

namespace kp::benchmark {
namespace {

std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, value < 10 ? "%.3f" : value < 1000 ? "%.2f" : "%.0f", value);
    return text;
}

std::string quoted(const std::string& text) {
    std::string made = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            made += '\\';
            made += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            made += ' ';
        } else {
            made += c;
        }
    }
    return made + '"';
}

std::string waitName(vulkan::WaitMode mode) {
    return mode == vulkan::WaitMode::eSpin     ? "spin"
           : mode == vulkan::WaitMode::eHybrid ? "hybrid"
                                               : "block";
}

bool missed(const std::vector<Row::Target>& targets) {
    return std::any_of(targets.begin(), targets.end(),
                       [](const Row::Target& target) { return !target.met; });
}

} // namespace

void Report::printHeader() const {
    const kp::DeviceInfo& device = mSuite.device();
    const std::string cuda = mSuite.cudaVersion();
    std::printf("%s, %s%s\nwait: %s; %s; times in us, rates in GB/s; medians\n\n",
                device.name.c_str(), device.driver.c_str(),
                mSuite.software() ? (mSuite.pinned() ? ", pinned" : ", NOT pinned") : "",
                waitName(mSuite.waitMode()).c_str(),
                cuda.empty() ? ("no CUDA: " + mSuite.whyNoCuda()).c_str() : cuda.c_str());
    std::printf("%-44s %10s %10s %6s %10s %6s  %s\n", "", "kompute", "raw", "ratio", "cuda",
                "ratio", "targets");
    std::fflush(stdout);
}

void Report::print(const Row& row) const {
    std::printf("%-42s", row.mName.c_str());
    if (!row.mSkipped.empty()) {
        std::printf(" skipped: %s\n", row.mSkipped.c_str());
        return;
    }
    if (!row.mError.empty()) {
        std::printf(" FAILED: %s\n", row.mError.c_str());
        return;
    }
    const Spread kompute = row.spread("kompute");
    const std::string range = "(" + number(kompute.p10) + "-" + number(kompute.p90) + ")";
    std::printf(" %9s %17s", number(kompute.p50).c_str(), range.c_str());
    for (const char* side : {"raw", "cuda"})
        if (row.has(side))
            std::printf(" %9s %6.2f", number(row.spread(side).p50).c_str(), row.ratio(side));
        else
            std::printf(" %9s %6s", "", "");
    const char* sign = row.mUnit == Unit::eMicroseconds ? "<=" : ">=";
    const char* separator = "  ";
    for (const Row::Target& target : row.mTargets) {
        const std::string of = target.of.empty() ? "" : " of " + target.of;
        std::printf("%s%s %s%s: %s", separator, sign, number(target.limit).c_str(), of.c_str(),
                    target.met ? "met" : "MISSED");
        if (target.of != "raw" && target.of != "cuda" && !target.of.empty())
            std::printf(" (%.3f)", target.reached);
        separator = "; ";
    }
    for (const Row::Side& side : row.mSides)
        if (side.name != "kompute" && side.name != "raw" && side.name != "cuda") {
            std::printf("%s%s: %s, ratio %.2f", separator, side.name.c_str(),
                        number(row.spread(side.name).p50).c_str(), row.ratio(side.name));
            separator = "; ";
        }
    std::printf("\n");
}

void Report::add(Row row) {
    print(row);
    std::fflush(stdout);
    mRows.push_back(std::move(row));
    if (!mSuite.options().json.empty())
        writeJson();
}

bool Report::failed() const {
    return std::any_of(mRows.begin(), mRows.end(),
                       [](const Row& row) { return !row.mError.empty() || missed(row.mTargets); });
}

void Report::writeJson() const {
    const std::string whole = mSuite.options().json;
    const std::string part = whole + ".part";
    std::FILE* file = std::fopen(part.c_str(), "w");
    if (!file)
        throw std::runtime_error("cannot write " + part);
    const kp::DeviceInfo& device = mSuite.device();
    std::fprintf(file,
                 "{\"environment\": {\"device\": %s, \"driver\": %s, \"software\": %s, "
                 "\"pinned\": %s, \"wait\": \"%s\", \"cuda\": %s, \"quick\": %s},\n \"rows\": [",
                 quoted(device.name).c_str(), quoted(device.driver).c_str(),
                 mSuite.software() ? "true" : "false", mSuite.pinned() ? "true" : "false",
                 waitName(mSuite.waitMode()).c_str(), quoted(mSuite.cudaVersion()).c_str(),
                 mSuite.options().quick ? "true" : "false");
    for (size_t i = 0; i < mRows.size(); ++i) {
        const Row& row = mRows[i];
        std::fprintf(file, "%s\n  {\"id\": %s, \"name\": %s, \"unit\": \"%s\"", i == 0 ? "" : ",",
                     quoted(row.mId).c_str(), quoted(row.mName).c_str(),
                     row.mUnit == Unit::eMicroseconds ? "us" : "GB/s");
        if (!row.mNote.empty())
            std::fprintf(file, ", \"note\": %s", quoted(row.mNote).c_str());
        if (!row.mSkipped.empty() || !row.mError.empty()) {
            std::fprintf(file, ", \"%s\": %s}", row.mError.empty() ? "skipped" : "error",
                         quoted(row.mError.empty() ? row.mSkipped : row.mError).c_str());
            continue;
        }
        std::fprintf(file, ",\n   \"sides\": {");
        const char* separator = "";
        for (const Row::Side& side : row.mSides) {
            const Spread spread = row.spread(side.name);
            std::fprintf(file,
                         "%s%s: {\"p10\": %.6g, \"p50\": %.6g, \"p90\": %.6g, \"samples\": %zu, "
                         "\"ratio\": %.5g}",
                         separator, quoted(side.name).c_str(), spread.p10, spread.p50, spread.p90,
                         spread.samples, row.ratio(side.name));
            separator = ", ";
        }
        std::fprintf(file, "},\n   \"targets\": [");
        separator = "";
        for (const Row::Target& target : row.mTargets) {
            std::fprintf(file, "%s{\"of\": %s, \"limit\": %.6g, \"reached\": %.5g, \"met\": %s}",
                         separator, quoted(target.of).c_str(), target.limit, target.reached,
                         target.met ? "true" : "false");
            separator = ", ";
        }
        std::fprintf(file, "]}");
    }
    std::fprintf(file, "\n]}\n");
    std::fclose(file);
    if (std::rename(part.c_str(), whole.c_str()) != 0)
        throw std::runtime_error("cannot write " + whole);
}

} // namespace kp::benchmark
