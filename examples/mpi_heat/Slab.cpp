// SPDX-License-Identifier: Apache-2.0
#include "Slab.hpp"

#include <algorithm>

#include "heat.hpp"

Slab::Slab(kp::Manager& manager, const Plate& plate, MPI_Comm world)
    : mWorld(world), mWidth(plate.width) {
    int rank = 0;
    int ranks = 0;
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &ranks);
    mRows = rowsOf(plate, rank, ranks);

    if (rank > 0)
        mNeighbours[0] = {rank - 1, 1, 0, nullptr, nullptr};
    if (rank < ranks - 1)
        mNeighbours[1] = {rank + 1, mRows.count, mRows.count + 1, nullptr, nullptr};
    for (Neighbour& neighbour : mNeighbours) {
        neighbour.edge = manager.pinnedArray<float>(mWidth);
        neighbour.halo = manager.pinnedArray<float>(mWidth);
    }

    // Every rank knows the initial plate, so no exchange is needed before the first step.
    const uint32_t height = mRows.count;
    const uint32_t haloAbove = rank > 0 ? 1 : 0;
    const uint32_t haloBelow = rank < ranks - 1 ? 1 : 0;
    const size_t elements = static_cast<size_t>(height + 2) * mWidth;
    const std::array<Tensor, 2> tensors{manager.tensorT<float>(elements),
                                        manager.tensorT<float>(elements)};
    tensors[0]->upload(plate.start(mRows.first - haloAbove, height + haloAbove + haloBelow),
                       haloAbove != 0 ? 0 : mWidth);

    Parameters border{mWidth, height, 1 - haloAbove, 1 - haloBelow, plate.rate, 1, 1, 1};
    Parameters interior = border;
    border.rowStride = std::max(height - 1, 1u);
    border.rowCount = std::min(height, 2u);
    interior.firstRow = 2;
    interior.rowCount = height - border.rowCount;
    for (size_t i = 0; i < mSteps.size(); ++i) {
        const Tensor& source = tensors[i];
        const Tensor& target = tensors[1 - i];
        mSteps[i].target = target;
        mSteps[i].border = record(manager, source, target, border);
        if (interior.rowCount > 0)
            mSteps[i].interior = record(manager, source, target, interior);
    }
}

std::shared_ptr<kp::Sequence> Slab::record(kp::Manager& manager, const Tensor& source,
                                           const Tensor& target,
                                           const Parameters& parameters) const {
    auto algorithm = manager.algorithm<float, Parameters>(
        {source, target}, {shaders::HEAT_COMP_SPV.begin(), shaders::HEAT_COMP_SPV.end()}, {}, {},
        {parameters});
    algorithm->setThreadCount(mWidth, parameters.rowCount);
    return manager.sequence()->record<kp::OpAlgoDispatch>(algorithm);
}

void Slab::step() {
    const Step& step = mSteps[mDone++ % mSteps.size()];

    // Download the edges before submitting the interior: a download waits for all submitted work
    // that writes the tensor, which so far is the border only.
    step.border->evalAsync();
    for (const Neighbour& neighbour : mNeighbours)
        if (neighbour.rank != MPI_PROC_NULL)
            step.target->download(neighbour.edge->data(), rowBytes(),
                                  neighbour.edgeRow * rowBytes());
    if (step.interior)
        step.interior->evalAsync();

    std::array<MPI_Request, 4> requests;
    auto request = requests.begin();
    for (const Neighbour& neighbour : mNeighbours) {
        MPI_Irecv(neighbour.halo->data(), static_cast<int>(mWidth), MPI_FLOAT, neighbour.rank, 0,
                  mWorld, &*request++);
        MPI_Isend(neighbour.edge->data(), static_cast<int>(mWidth), MPI_FLOAT, neighbour.rank, 0,
                  mWorld, &*request++);
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);

    for (const Neighbour& neighbour : mNeighbours)
        if (neighbour.rank != MPI_PROC_NULL)
            step.target->upload(neighbour.halo->data(), rowBytes(), neighbour.haloRow * rowBytes());
    step.border->evalAwait();
    if (step.interior)
        step.interior->evalAwait();
}

std::vector<float> Slab::rows() const {
    std::vector<float> rows(static_cast<size_t>(mRows.count) * mWidth);
    const Tensor& now = mSteps[(mDone + 1) % mSteps.size()].target;
    now->download(rows.data(), rows.size() * sizeof(float), rowBytes());
    return rows;
}
