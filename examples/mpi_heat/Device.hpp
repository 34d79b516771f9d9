// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kompute/Kompute.hpp>
#include <mpi.h>

/// Which device a rank of @p world takes: the ranks of one machine take its GPUs in turn, those of
/// the best kind it has. Without a GPU, and where KOMPUTE_DEVICE is set, all take the default.
kp::ManagerOptions chooseDevice(MPI_Comm world);
