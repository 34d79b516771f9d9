// SPDX-License-Identifier: Apache-2.0
#include "Device.hpp"

#include <cstdlib>
#include <vector>

kp::ManagerOptions chooseDevice(MPI_Comm world) {
    // Ranks that can share memory run on the same machine, so they see the same devices.
    MPI_Comm machine = MPI_COMM_NULL;
    MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    int place = 0;
    MPI_Comm_rank(machine, &place);
    MPI_Comm_free(&machine);

    kp::ManagerOptions options;
    if (std::getenv("KOMPUTE_DEVICE") != nullptr)
        return options;
    for (kp::DeviceType type :
         {kp::DeviceType::eDiscrete, kp::DeviceType::eIntegrated, kp::DeviceType::eVirtual}) {
        std::vector<uint32_t> devices;
        for (const kp::DeviceInfo& info : kp::listDevices())
            if (info.type == type)
                devices.push_back(info.index);
        if (!devices.empty()) {
            options.deviceIndex = devices[static_cast<size_t>(place) % devices.size()];
            return options;
        }
    }
    return options;
}
