// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include <kompute/Kompute.hpp>
#include <mpi.h>

#include "Plate.hpp"

/// The rows of one rank, on its device. Two tensors hold them now and after the next step, in turn;
/// each has one row more at either end, the halo, for the neighbour's row there.
class Slab {
public:
    /// @param world  its ranks have the slabs in their order, from the top of the plate
    Slab(kp::Manager& manager, const Plate& plate, MPI_Comm world);

    /// One step, together with all other ranks. The rows at both ends are computed first. While
    /// they travel to the neighbours, the device computes the rows between.
    void step();

    /// The rows without halos, as they are now.
    std::vector<float> rows() const;

private:
    /// What the shader is told. Same layout as its push constants.
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
    /// A step from one tensor to the other, recorded once.
    struct Step {
        Tensor target;
        std::shared_ptr<kp::Sequence> border;
        std::shared_ptr<kp::Sequence> interior; ///< null where all rows are border
    };
    /// What is exchanged with the rank above or below. Nobody is beyond the plate: MPI_PROC_NULL.
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
