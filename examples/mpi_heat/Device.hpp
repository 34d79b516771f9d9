// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kompute/Kompute.hpp>
#include <mpi.h>

/// Chooses the device of this rank. The ranks on one machine are distributed over its GPUs of the
/// best kind. Without a GPU, or if KOMPUTE_DEVICE is set, all use the default device. Collective
/// over @p world.
kp::ManagerOptions chooseDevice(MPI_Comm world);
