// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include <kompute/Kompute.hpp>
#include <mpi.h>

#include "Plate.hpp"

/// The rows of one rank, on its device. Two tensors alternate between the current state and that
/// after the next step. Each has an additional row at either end, the halo, for the neighbour's
/// row.
class Slab {
public:
    /// @param world  its ranks own the slabs in order, from the top of the plate
    Slab(kp::Manager& manager, const Plate& plate, MPI_Comm world);

    /// Performs one step, together with all other ranks. Computes the rows at both ends first and
    /// sends them to the neighbours while the device computes the rows in between.
    void step();

    /// Returns the current rows without halos.
    std::vector<float> rows() const;

private:
    /// Same layout as the shader's push constants.
    struct Parameters {
        uint32_t width;
        uint32_t height;
        uint32_t rimAbove;
        uint32_t rimBelow;
        float rate;
        uint32_t firstRow;
        uint32_t rowStride;
        uint32_t rowCount;
    };
    using Tensor = std::shared_ptr<kp::TensorT<float>>;
    /// A step from one tensor to the other; recorded once.
    struct Step {
        Tensor target;
        std::shared_ptr<kp::Sequence> border;
        std::shared_ptr<kp::Sequence> interior; ///< null if all rows belong to the border
    };
    /// Exchange with the rank above or below. MPI_PROC_NULL outside the plate.
    struct Neighbour {
        int rank = MPI_PROC_NULL;
        uint32_t edgeRow = 0; ///< sent to it
        uint32_t haloRow = 0; ///< received from it
        std::shared_ptr<kp::PinnedArray<float>> edge;
        std::shared_ptr<kp::PinnedArray<float>> halo;
    };

    std::shared_ptr<kp::Sequence> record(kp::Manager& manager, const Tensor& source,
                                         const Tensor& target, const Parameters& parameters) const;
    uint64_t rowBytes() const { return mWidth * sizeof(float); }

    MPI_Comm mWorld;
    uint32_t mWidth;
    Rows mRows;
    std::array<Neighbour, 2> mNeighbours;
    std::array<Step, 2> mSteps;
    size_t mDone = 0; ///< number of steps
};
