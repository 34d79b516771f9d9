// SPDX-License-Identifier: Apache-2.0
//
// Rows about primitives, beside NVIDIA's libraries.
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <kompute/Primitives.hpp>

#include "Suite.hpp"
#include "cuda/CudaLibraries.hpp"

namespace kp::benchmark {
namespace {

using Types = kp::Memory::MemoryTypes;

/// Zeros and a few ones, so that sums are exact in any order.
std::vector<float> fewOnes(size_t count) {
    std::vector<float> values(count);
    uint32_t state = 1;
    for (float& value : values) {
        state = state * 1664525u + 1013904223u;
        value = state >> 27 == 0 ? 1.0f : 0.0f;
    }
    return values;
}

/// Calls in one submission, or launches before one wait: enough that starting and waiting is a
/// small part of the time. One for small sizes, where that is the question.
size_t repetitions(size_t count) {
    return count <= size_t{1} << 16 ? 1 : count <= size_t{1} << 24 ? 20 : 4;
}

void skipLarge(const Suite& suite, size_t count) {
    const size_t most = size_t{1} << (suite.options().quick ? 18 : 24);
    if (suite.software() && count > most)
        throw Skip{"takes a software driver too long"};
}

/// Pseudo-random multiples of 2^-24 in [0, 1).
std::vector<float> evenlyDistributed(size_t count) {
    std::vector<float> values(count);
    uint32_t state = 1;
    for (float& value : values) {
        state = state * 1664525u + 1013904223u;
        value = static_cast<float>(state >> 8) * 0x1p-24f;
    }
    return values;
}

/// What CUDA's side of a row calls, and how fast ours must be relative to it.
struct CudaSide {
    CudaLibraryMaker maker = nullptr; ///< null: CUDA's libraries have nothing like it
    const char* library = "CUB";
    double wanted = 0;
    double wantedSmall = 0;
};

/// Adds CUDA's side to a row, if there is one.
class CudaRow {
public:
    template <typename Value>
    CudaRow(Suite& suite, Row& row, const CudaSide& cuda, const std::vector<Value>& values,
            size_t resultBytes, size_t times, size_t count) {
        if (!suite.cuda() || !cuda.maker)
            return;
        mIn = suite.cuda()->buffer(std::max<size_t>(values.size(), 1) * sizeof(Value));
        if (!values.empty())
            mIn->upload(values.data());
        mOut = suite.cuda()->buffer(resultBytes);
        mLibrary = cuda.maker(*mIn, *mOut, count);
        if (!mLibrary)
            return;
        row.side("cuda", [this, times] { mLibrary->run(times); });
        row.target("cuda", times == 1 ? cuda.wantedSmall : cuda.wanted);
        row.note(std::string("CUDA: ") + cuda.library);
    }

private:
    std::unique_ptr<Cuda::Buffer> mIn;
    std::unique_ptr<Cuda::Buffer> mOut;
    std::unique_ptr<CudaLibrary> mLibrary;
};

/// A primitive on some values, as often as repetitions() says.
/// @param bytes  that one call reads and writes
/// @return the results of the last call
template <typename Result, typename Value, typename Record>
std::vector<Result> onValues(Suite& suite, Row& row, const std::vector<Value>& values,
                             size_t results, double bytes, Record record, const CudaSide& cuda) {
    const size_t count = values.size();
    const auto in = suite.manager().tensorT<Value>(values, Types::eStorage);
    const auto out = suite.manager().tensorT<Result>(results, Types::eStorage);
    const size_t times = repetitions(count);
    auto sequence = suite.manager().sequence();
    for (size_t i = 0; i < times; ++i)
        record(*sequence, in, out);
    row.bytes(bytes * static_cast<double>(times));
    row.side("kompute", [&] { sequence->eval(); });
    const CudaRow other(suite, row, cuda, values, results * sizeof(Result), times, count);
    suite.measure(row);
    std::vector<Result> found(results);
    out->download(found);
    return found;
}

/// Sums of floats: of all, or up to each one.
template <typename Record>
void sumFloats(Suite& suite, Row& row, size_t count, size_t results, double bytes, Record record,
               const CudaSide& cuda) {
    skipLarge(suite, count);
    const std::vector<float> values = fewOnes(count);
    const std::vector<float> given =
        onValues<float>(suite, row, values, results, bytes, record, cuda);
    float sum = 0;
    bool correct = true;
    for (size_t i = 0; i < count; ++i) {
        sum += values[i];
        if (results == count)
            correct = correct && given[i] == sum;
    }
    Suite::require(correct && given[results - 1] == sum, "the sums match a loop's");
}

void reduceFloats(Suite& suite, Row& row, size_t count) {
    sumFloats(suite, row, count, 1, 4.0 * static_cast<double>(count),
              [](kp::Sequence& sequence, const auto& in, const auto& out) {
                  sequence.record<kp::OpReduce>(in, out, kp::ReduceOperation::eSum);
              },
              {cubReduce, "CUB", 0.97, 1 / 1.2});
}

void scanFloats(Suite& suite, Row& row, size_t count, kp::Determinism determinism) {
    kp::ScanOptions options;
    options.determinism = determinism;
    sumFloats(suite, row, count, count, 8.0 * static_cast<double>(count),
              [&](kp::Sequence& sequence, const auto& in, const auto& out) {
                  sequence.record<kp::OpScan>(in, out, kp::ReduceOperation::eSum, options);
              },
              {cubScan, "CUB", 1.0, 1 / 1.2});
}

void largestFloat(Suite& suite, Row& row, size_t count) {
    skipLarge(suite, count);
    const std::vector<float> values = evenlyDistributed(count);
    const std::vector<float> given =
        onValues<float>(suite, row, values, 1, 4.0 * static_cast<double>(count),
                        [](kp::Sequence& sequence, const auto& in, const auto& out) {
                            sequence.record<kp::OpReduce>(in, out, kp::ReduceOperation::eMaximum);
                        },
                        {cubMaximum, "CUB", 0.97, 1 / 1.2});
    Suite::require(given[0] == *std::max_element(values.begin(), values.end()),
                   "the largest matches a loop's");
}

void indexOfLargest(Suite& suite, Row& row, size_t count) {
    skipLarge(suite, count);
    const std::vector<float> values = evenlyDistributed(count);
    const std::vector<uint32_t> given = onValues<uint32_t>(
        suite, row, values, 1, 4.0 * static_cast<double>(count),
        [](kp::Sequence& sequence, const auto& in, const auto& out) {
            sequence.record<kp::OpReduce>(in, out, kp::ReduceOperation::eArgMaximum);
        },
        {});
    Suite::require(given[0] == std::max_element(values.begin(), values.end()) - values.begin(),
                   "the index matches a loop's");
}

void scanMaxima(Suite& suite, Row& row, size_t count) {
    skipLarge(suite, count);
    const std::vector<float> values = evenlyDistributed(count);
    const std::vector<float> given =
        onValues<float>(suite, row, values, count, 8.0 * static_cast<double>(count),
                        [](kp::Sequence& sequence, const auto& in, const auto& out) {
                            sequence.record<kp::OpScan>(in, out, kp::ReduceOperation::eMaximum);
                        },
                        {cubScanMaxima, "CUB", 1.0, 1 / 1.2});
    float most = 0;
    bool correct = true;
    for (size_t i = 0; i < count; ++i) {
        most = std::max(most, values[i]);
        correct = correct && given[i] == most;
    }
    Suite::require(correct, "the maxima match a loop's");
}

void histogramFloats(Suite& suite, Row& row, size_t count) {
    skipLarge(suite, count);
    const std::vector<float> values = evenlyDistributed(count);
    const std::vector<uint32_t> given =
        onValues<uint32_t>(suite, row, values, 256, 4.0 * static_cast<double>(count),
                           [](kp::Sequence& sequence, const auto& in, const auto& out) {
                               sequence.record<kp::OpHistogram>(in, out, kp::Bins::even(0, 1));
                           },
                           {cubHistogram, "CUB", 0.9, 1 / 1.2});
    std::vector<uint32_t> counts(256);
    for (const float value : values)
        ++counts[static_cast<size_t>(value * 256)];
    Suite::require(given == counts, "the counts match a loop's");
}

void topFloats(Suite& suite, Row& row, size_t count) {
    skipLarge(suite, count);
    std::vector<float> values = evenlyDistributed(count);
    const std::vector<float> given =
        onValues<float>(suite, row, values, 100, 4.0 * static_cast<double>(count),
                        [](kp::Sequence& sequence, const auto& in, const auto& out) {
                            sequence.record<kp::OpTopK>(in, 100, out);
                        },
                        {});
    std::partial_sort(values.begin(), values.begin() + 100, values.end(), std::greater<>());
    values.resize(100);
    Suite::require(given == values, "the largest match std::partial_sort's");
}

std::vector<uint32_t> randomWords(size_t count) {
    std::vector<uint32_t> words(count);
    uint64_t state = 1;
    for (uint32_t& word : words) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        word = static_cast<uint32_t>(state >> 32);
    }
    return words;
}

void sortWords(Suite& suite, Row& row, size_t count, bool pairs) {
    skipLarge(suite, count);
    const std::vector<uint32_t> keys = randomWords(count);
    const auto values = suite.manager().tensorT<uint32_t>(pairs ? count : 1, Types::eStorage);
    const auto sortedValues = suite.manager().tensorT<uint32_t>(pairs ? count : 1, Types::eStorage);
    const std::vector<uint32_t> given = onValues<uint32_t>(
        suite, row, keys, count, (pairs ? 16.0 : 8.0) * static_cast<double>(count),
        [&](kp::Sequence& sequence, const auto& in, const auto& out) {
            kp::SortOptions options;
            options.sortedKeys = out;
            if (pairs)
                options.sortedValues = sortedValues;
            sequence.record<kp::OpSort>(in, pairs ? kp::TensorRange(values) : kp::TensorRange{},
                                        options);
        },
        {pairs ? cubSortPairs : cubSortKeys, "CUB", 0.92, 1 / 1.2});
    uint32_t before = 0;
    uint32_t after = 0;
    for (size_t i = 0; i < count; ++i) {
        before += keys[i];
        after += given[i];
    }
    Suite::require(before == after && std::is_sorted(given.begin(), given.end()),
                   "the keys are sorted");
}

void selectWords(Suite& suite, Row& row, size_t count) {
    skipLarge(suite, count);
    const std::vector<uint32_t> words = randomWords(count);
    std::vector<uint32_t> wanted;
    for (const uint32_t word : words)
        if (word > 0x80000000u)
            wanted.push_back(word);
    const auto number = suite.manager().tensorT<uint32_t>(1, Types::eStorage);
    std::vector<uint32_t> given = onValues<uint32_t>(
        suite, row, words, count, 6.0 * static_cast<double>(count),
        [&](kp::Sequence& sequence, const auto& in, const auto& out) {
            sequence.record<kp::OpSelect>(in, kp::Predicate("x > 0x80000000u"), out, number);
        },
        {cubSelect, "CUB", 0.9, 1 / 1.2});
    given.resize(wanted.size());
    Suite::require(given == wanted, "the words match a loop's");
}

void encodeRuns(Suite& suite, Row& row, size_t count) {
    skipLarge(suite, count);
    // Runs of 1 to 7, 4 on average.
    std::vector<uint32_t> words(count);
    std::vector<uint32_t> wanted;
    uint64_t state = 1;
    uint32_t left = 0;
    for (size_t i = 0; i < count; ++i) {
        if (left == 0) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            left = static_cast<uint32_t>(state >> 40) % 7 + 1;
            wanted.push_back(static_cast<uint32_t>(wanted.size()));
        }
        words[i] = wanted.back();
        --left;
    }
    const auto lengths = suite.manager().tensorT<uint32_t>(count, Types::eStorage);
    const auto number = suite.manager().tensorT<uint32_t>(1, Types::eStorage);
    std::vector<uint32_t> given =
        onValues<uint32_t>(suite, row, words, count, 6.0 * static_cast<double>(count),
                           [&](kp::Sequence& sequence, const auto& in, const auto& out) {
                               sequence.record<kp::OpRunLength>(in, out, lengths, number);
                           },
                           {cubRunLength, "CUB", 0.9, 1 / 1.2});
    given.resize(wanted.size());
    Suite::require(given == wanted, "the runs match a loop's");
}

void sumSegments(Suite& suite, Row& row, size_t count) {
    skipLarge(suite, count);
    const std::vector<float> values = fewOnes(count);
    const size_t segments = count / 1024;
    std::vector<uint32_t> starts(segments + 1);
    for (size_t i = 0; i < segments; ++i)
        starts[i] = static_cast<uint32_t>(segmentStart(i));
    starts[segments] = static_cast<uint32_t>(count);
    const auto offsets = suite.manager().tensorT<uint32_t>(starts, Types::eStorage);
    const std::vector<float> given = onValues<float>(
        suite, row, values, segments, 4.0 * static_cast<double>(count),
        [&](kp::Sequence& sequence, const auto& in, const auto& out) {
            kp::ReduceOptions options;
            options.segments = offsets;
            sequence.record<kp::OpReduce>(in, out, kp::ReduceOperation::eSum, options);
        },
        {cubSegmentSums, "CUB", 0.9, 1 / 1.2});
    bool correct = true;
    for (size_t s = 0; s < segments; ++s) {
        float sum = 0;
        for (size_t i = starts[s]; i < starts[s + 1]; ++i)
            sum += values[i];
        correct = correct && given[s] == sum;
    }
    Suite::require(correct, "the sums match a loop's");
}

void searchFloats(Suite& suite, Row& row, size_t count) {
    skipLarge(suite, count);
    const std::vector<float> values = evenlyDistributed(count);
    std::vector<float> sorted = evenlyDistributed(size_t{1} << 16);
    std::sort(sorted.begin(), sorted.end());
    const auto among = suite.manager().tensorT<float>(sorted, Types::eStorage);
    const std::vector<uint32_t> given =
        onValues<uint32_t>(suite, row, values, count, 8.0 * static_cast<double>(count),
                           [&](kp::Sequence& sequence, const auto& in, const auto& out) {
                               sequence.record<kp::OpSearchSorted>(among, in, out);
                           },
                           {});
    bool correct = true;
    for (size_t i = 0; i < count; i += 1009)
        correct = correct && given[i] == std::lower_bound(sorted.begin(), sorted.end(), values[i]) -
                                             sorted.begin();
    Suite::require(correct, "the places match std::lower_bound's");
}

void randomFloats(Suite& suite, Row& row, size_t count, const kp::Distribution& distribution,
                  double mean, CudaLibraryMaker cuda) {
    skipLarge(suite, count);
    const auto out = suite.manager().tensorT<float>(count, Types::eStorage);
    const size_t times = repetitions(count);
    auto sequence = suite.manager().sequence();
    for (size_t i = 0; i < times; ++i)
        sequence->record<kp::OpRandom>(out, distribution, kp::RandomState{42});
    row.bytes(4.0 * static_cast<double>(count * times));
    row.side("kompute", [&] { sequence->eval(); });
    const CudaRow other(suite, row, {cuda, "cuRAND, Philox 4x32-10", 0.95, 1 / 1.2},
                        std::vector<float>{}, count * sizeof(float), times, count);
    suite.measure(row);
    std::vector<float> found(count);
    out->download(found);
    double sum = 0;
    for (const float value : found)
        sum += value;
    // Twelve standard deviations, for both distributions.
    Suite::require(std::abs(sum / static_cast<double>(count) - mean) <
                       12 / std::sqrt(static_cast<double>(count)),
                   "the mean matches the distribution's");
}

} // namespace

void addPrimitives(Suite& suite) {
    for (const int power : {16, 20, 24, 28}) {
        const size_t count = size_t{1} << power;
        const std::string size = "2^" + std::to_string(power);
        suite.add("primitives/reduce_" + size, "sum of " + size + " floats",
                  [=](Suite& s, Row& row) { reduceFloats(s, row, count); });
        suite.add(
            "primitives/scan_" + size, "prefix sums of " + size + " floats",
            [=](Suite& s, Row& row) { scanFloats(s, row, count, kp::Determinism::eRunToRun); });
        suite.add("primitives/histogram_" + size, "256 even bins of " + size + " floats",
                  [=](Suite& s, Row& row) { histogramFloats(s, row, count); });
        suite.add("primitives/sort_" + size, "sort of " + size + " uints",
                  [=](Suite& s, Row& row) { sortWords(s, row, count, false); });
        suite.add("primitives/sort_pairs_" + size, "sort of " + size + " uints with values",
                  [=](Suite& s, Row& row) { sortWords(s, row, count, true); });
        suite.add("primitives/select_" + size, "half of " + size + " uints selected",
                  [=](Suite& s, Row& row) { selectWords(s, row, count); });
        suite.add("primitives/runs_" + size, "runs of 1 to 7 of " + size + " uints",
                  [=](Suite& s, Row& row) { encodeRuns(s, row, count); });
        suite.add("primitives/segments_" + size, "sums of 1,024 of " + size + " floats each",
                  [=](Suite& s, Row& row) { sumSegments(s, row, count); });
        suite.add("primitives/top_" + size, "the 100 largest of " + size + " floats",
                  [=](Suite& s, Row& row) { topFloats(s, row, count); });
    }
    constexpr size_t kMany = size_t{1} << 28;
    suite.add("primitives/max_2^28", "the largest of 2^28 floats",
              [](Suite& s, Row& row) { largestFloat(s, row, kMany); });
    suite.add("primitives/argmax_2^28", "its index",
              [](Suite& s, Row& row) { indexOfLargest(s, row, kMany); });
    suite.add("primitives/scan_max_2^28", "prefix maxima of 2^28 floats",
              [](Suite& s, Row& row) { scanMaxima(s, row, kMany); });
    suite.add("primitives/search_2^24", "2^24 places among 2^16 floats",
              [](Suite& s, Row& row) { searchFloats(s, row, size_t{1} << 24); });
    suite.add("primitives/scan_free_2^28", "the same, without determinism",
              [](Suite& s, Row& row) { scanFloats(s, row, kMany, kp::Determinism::eNone); });
    suite.add("primitives/random_uniform_2^28", "2^28 uniform floats", [](Suite& s, Row& row) {
        randomFloats(s, row, kMany, kp::Distribution::uniform(), 0.5, cuRandUniform);
    });
    suite.add("primitives/random_normal_2^28", "2^28 normal floats", [](Suite& s, Row& row) {
        randomFloats(s, row, kMany, kp::Distribution::normal(), 0, cuRandNormal);
    });
}

void addPrimitiveSweep(Suite& suite) {
    for (int power = 10; power <= 28; power += 2) {
        const size_t count = size_t{1} << power;
        const std::string size = "2^" + std::to_string(power);
        suite.add("sweep/reduce_" + size, "sum of " + size + " floats",
                  [=](Suite& s, Row& row) { reduceFloats(s, row, count); });
        suite.add(
            "sweep/scan_" + size, "prefix sums of " + size + " floats",
            [=](Suite& s, Row& row) { scanFloats(s, row, count, kp::Determinism::eRunToRun); });
        suite.add("sweep/sort_" + size, "sort of " + size + " uints",
                  [=](Suite& s, Row& row) { sortWords(s, row, count, false); });
    }
}

} // namespace kp::benchmark
