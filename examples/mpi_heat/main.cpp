// SPDX-License-Identifier: Apache-2.0
//
// Heat spreads over a plate whose rows are distributed over the MPI ranks, each with a device:
//
//   mpirun -n 4 mpi_heat [OUT.png [WIDTH HEIGHT STEPS]]
// The first rank compares the result with one CPU core's, and checks that the total heat is
// preserved.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include <kompute/Kompute.hpp>
#include <mpi.h>

#include "Device.hpp"
#include "Plate.hpp"
#include "Slab.hpp"
#ifdef MPI_HEAT_PNG
#include "Png.hpp"
#endif

namespace {

/// Larger than the rounding error of a step, and far smaller than the effect of a wrong halo.
constexpr double kTolerancePerStep = 2.5e-7;

uint32_t number(const char* text) {
    char* end = nullptr;
    const unsigned long value = std::strtoul(text, &end, 10);
    if (end == text || *end != '\0' || value == 0 || value > 65536)
        throw std::runtime_error("expected a number from 1 to 65536, not '" + std::string(text) +
                                 "'");
    return static_cast<uint32_t>(value);
}

Plate plateOf(int argc, char** argv, int ranks) {
    if (argc > 2 && argc != 5)
        throw std::runtime_error("usage: mpirun -n 4 mpi_heat [OUT.png [WIDTH HEIGHT STEPS]]");
    Plate plate;
    if (argc == 5) {
        plate.width = number(argv[2]);
        plate.height = number(argv[3]);
        plate.steps = number(argv[4]);
    }
    if (plate.height < static_cast<uint32_t>(ranks))
        throw std::runtime_error(std::to_string(plate.height) + " rows are too few for " +
                                 std::to_string(ranks) + " ranks");
    return plate;
}

/// Prints one line per rank, on the first rank.
void printInOrder(const std::string& line, int rank, int ranks) {
    char text[128] = {};
    std::snprintf(text, sizeof text, "%s", line.c_str());
    std::vector<char> lines(rank == 0 ? sizeof text * static_cast<size_t>(ranks) : 0);
    MPI_Gather(text, sizeof text, MPI_CHAR, lines.data(), sizeof text, MPI_CHAR, 0, MPI_COMM_WORLD);
    for (size_t i = 0; i < lines.size(); i += sizeof text)
        std::printf("%s\n", &lines[i]);
}

/// Collects the whole plate on the first rank.
std::vector<float> gather(const Plate& plate, const std::vector<float>& rows, int rank, int ranks) {
    std::vector<int> counts;
    std::vector<int> places;
    for (int i = 0; i < ranks; ++i) {
        const Rows part = rowsOf(plate, i, ranks);
        counts.push_back(static_cast<int>(part.count));
        places.push_back(static_cast<int>(part.first));
    }
    // Counted in rows: the number of elements of a large plate may overflow an int.
    MPI_Datatype row = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(static_cast<int>(plate.width), MPI_FLOAT, &row);
    MPI_Type_commit(&row);
    std::vector<float> whole(rank == 0 ? static_cast<size_t>(plate.width) * plate.height : 0);
    MPI_Gatherv(rows.data(), counts[static_cast<size_t>(rank)], row, whole.data(), counts.data(),
                places.data(), row, 0, MPI_COMM_WORLD);
    MPI_Type_free(&row);
    return whole;
}

/// Checks the plate and prints the result. Returns true if it is correct.
bool check(const Plate& plate, const std::vector<float>& whole) {
    const std::vector<float> expected = solveOnCpu(plate);
    const double tolerance = kTolerancePerStep * plate.steps;
    double largest = 0.0;
    size_t wrong = 0;
    for (size_t i = 0; i < whole.size(); ++i) {
        const double difference = std::fabs(static_cast<double>(whole[i]) - expected[i]);
        largest = std::max(largest, difference);
        wrong += difference <= tolerance ? 0 : 1; // NaN counts as wrong, too
    }
    const double before = heatIn(plate.start(0, plate.height));
    const double change = std::fabs(heatIn(whole) - before) / std::max(before, 1.0);
    std::printf("largest difference from one CPU core: %.2g; %zu points exceed %.2g\n", largest,
                wrong, tolerance);
    std::printf("heat: %.2f at the start, relative change %.2g\n", before, change);
    return wrong == 0 && change <= tolerance;
}

int run(const Plate& plate, const char* picture, int rank, int ranks) {
    kp::Manager manager(chooseDevice(MPI_COMM_WORLD));
    Slab slab(manager, plate, MPI_COMM_WORLD);
    const Rows part = rowsOf(plate, rank, ranks);
    printInOrder("rank " + std::to_string(rank) + ": " + std::to_string(part.count) +
                     " rows from row " + std::to_string(part.first) + ", on device " +
                     std::to_string(manager.deviceInfo().index) + ", " + manager.deviceInfo().name,
                 rank, ranks);

    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    for (uint32_t i = 0; i < plate.steps; ++i)
        slab.step();
    MPI_Barrier(MPI_COMM_WORLD);
    const double seconds = MPI_Wtime() - start;

    const std::vector<float> whole = gather(plate, slab.rows(), rank, ranks);
    int right = 1;
    if (rank == 0) {
        std::printf("%u x %u points, %u steps: %.3f ms per step\n", plate.width, plate.height,
                    plate.steps, 1000.0 * seconds / plate.steps);
        right = check(plate, whole) ? 1 : 0;
        std::printf("%s\n", right == 1 ? "correct" : "WRONG");
        if (picture != nullptr) {
#ifdef MPI_HEAT_PNG
            writePng(picture, plate.width, plate.height, whole);
#else
            std::printf("no picture: built without libpng\n");
#endif
        }
    }
    MPI_Bcast(&right, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return right == 1 ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
    // The library and the driver have threads, but only this thread calls MPI.
    int threads = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &threads);
    int rank = 0;
    int ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int result = 2;
    Plate plate;
    try {
        if (threads < MPI_THREAD_FUNNELED)
            throw std::runtime_error("this MPI does not support programs with several threads");
        plate = plateOf(argc, argv, ranks);
        result = 0;
    } catch (const std::exception& error) {
        if (rank == 0) // the same on all ranks
            std::fprintf(stderr, "mpi_heat: %s\n", error.what());
    }
    try {
        if (result == 0)
            result = run(plate, argc > 1 ? argv[1] : nullptr, rank, ranks);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "mpi_heat: rank %d: %s\n", rank, error.what());
        MPI_Abort(MPI_COMM_WORLD, 1); // the other ranks may be waiting for this one
    }
    MPI_Finalize();
    return result;
}
